//! The options of a comparison, from the arguments of Python.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ckdiff::Error;
use ckdiff::bytes::File;
use ckdiff::compare::{CompareOptions, Device, NanPolicy, Tolerance};
use ckdiff::diff::{ChangeKind, Criteria, DiffOptions, Ignore, NameFilter, Only, TensorRules};
use ckdiff::rules::{Profile, Rules, Tolerances};
use pyo3::prelude::*;

/// The largest rules file that is read, in bytes.
const MAX_RULES: u64 = 16 << 20;

/// The arguments, as a dict.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    atol: Vec<(Option<String>, f64)>,
    rtol: Vec<(Option<String>, f64)>,
    ulp: Option<u64>,
    max_rel_l2: Option<f64>,
    max_changed: Option<f64>,
    equal_nan: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    rename: Vec<String>,
    only: Option<String>,
    ignore: Vec<String>,
    ignore_kind: Vec<String>,
    strict: bool,
    deny_unused: bool,
    pub(crate) histogram: bool,
    mismatch_map: bool,
    rules: Option<String>,
    config: Option<PathBuf>,
    profile: Option<String>,
    threads: usize,
    device: String,
}

impl Options {
    /// The options of the library, and the rules among them.
    ///
    /// # Errors
    /// If an argument is invalid, or the rules file cannot be read.
    pub(crate) fn read(&self) -> Result<(DiffOptions, Option<Arc<Rules>>), Error> {
        let tolerances = self.tolerances();
        let rules = self.rules(&tolerances)?.map(Arc::new);
        let (tolerance, criteria) = match rules {
            // The rules have the tolerances.
            Some(_) => (Tolerance::BITS, Criteria::default()),
            None => tolerances.criteria()?,
        };
        let renames = rules.as_deref().map(Rules::renames).unwrap_or_default();
        let names = NameFilter::new(&self.include, &self.exclude, &self.rename)?;
        let nan = if self.equal_nan { NanPolicy::Equal } else { NanPolicy::Differ };
        let options = DiffOptions {
            compare: CompareOptions {
                tolerance,
                nan,
                histogram: self.histogram,
                values: self.histogram,
                threads: self.threads,
                ..CompareOptions::default()
            },
            device: self.device()?,
            criteria,
            rules: rules.clone().map(|rules| rules as Arc<dyn TensorRules>),
            names: names.with_renames(renames)?,
            mismatch_map: self.mismatch_map,
            only: self.only()?,
            ignore: Ignore::new(&self.ignore, &self.ignored_kinds()?)?,
            strict: self.strict,
            deny_unused: self.deny_unused,
            ..DiffOptions::default()
        };
        Ok((options, rules))
    }

    fn tolerances(&self) -> Tolerances {
        Tolerances {
            atol: self.atol.clone(),
            rtol: self.rtol.clone(),
            ulp: self.ulp,
            max_rel_l2: self.max_rel_l2,
            max_changed: self.max_changed,
        }
    }

    /// The rules of a profile or a file, with the tolerances after them.
    fn rules(&self, tolerances: &Tolerances) -> Result<Option<Rules>, Error> {
        let mut rules = match (&self.rules, &self.config) {
            (Some(_), Some(_)) => return Err(Error::usage("rules and config exclude each other")),
            (Some(name), None) => Rules::built_in(Profile::by_name(name).ok_or_else(|| {
                let names = Profile::ALL.map(Profile::name).join(", ");
                let why = format!("{name:?} is no built-in profile; the profiles are {names}");
                Error::usage(format!("rules: {why}; config names a file"))
            })?),
            (None, Some(path)) => {
                let text = text_of(path).map_err(|error| error.in_file(path))?;
                Rules::parse(&text, path, self.profile.as_deref())?
            }
            (None, None) => return Ok(None),
        };
        rules.add_tolerances(tolerances)?;
        Ok(Some(rules))
    }

    fn device(&self) -> Result<Device, Error> {
        match (&*self.device, self.device.strip_prefix("gpu:")) {
            ("auto", _) => Ok(Device::auto()),
            ("cpu", _) => Ok(Device::cpu()),
            ("gpu", _) => Device::gpu(None),
            (_, Some(name)) if !name.is_empty() => Device::gpu(Some(name)),
            (other, _) => Err(Error::usage(format!(
                "device: expected auto, cpu, gpu or gpu:NAME, found {other:?}"
            ))),
        }
    }

    fn only(&self) -> Result<Only, Error> {
        match self.only.as_deref() {
            None => Ok(Only::Everything),
            Some("tensors") => Ok(Only::Tensors),
            Some("graph") => Ok(Only::Graph),
            Some(other) => {
                Err(Error::usage(format!("only: expected tensors or graph, found {other:?}")))
            }
        }
    }

    fn ignored_kinds(&self) -> Result<Vec<ChangeKind>, Error> {
        let kind = |name: &String| {
            let kind = ChangeKind::ALL.into_iter().find(|kind| kind.name() == name);
            kind.ok_or_else(|| {
                let names = ChangeKind::ALL.map(ChangeKind::name).join(", ");
                Error::usage(format!("ignore_kind: expected one of {names}, found {name:?}"))
            })
        };
        self.ignore_kind.iter().map(kind).collect()
    }
}

fn text_of(path: &Path) -> Result<String, Error> {
    let bytes = File::open(path)?.read(MAX_RULES)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::malformed("rules file", "UTF-8", "a byte is not part of a character").at(at as u64)
    })
}

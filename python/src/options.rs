//! The options of a comparison, from the arguments of Python.

use std::path::PathBuf;
use std::sync::Arc;

use ckdiff::Error;
use ckdiff::compare::{CompareOptions, DeviceChoice, NanPolicy, Tolerance};
use ckdiff::diff::{ChangeKind, Criteria, DiffOptions, Ignore, NameFilter, Only, TensorRules};
use ckdiff::rules::{Profile, Rules, Tolerances};
use pyo3::prelude::*;

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
    /// The options of the library, and the rules among them. `chunk_bytes` replaces the size of the parts that are read at once.
    ///
    /// # Errors
    /// If an argument is invalid, or the rules file cannot be read.
    pub(crate) fn read(
        &self,
        chunk_bytes: Option<usize>,
    ) -> Result<(DiffOptions, Option<Arc<Rules>>), Error> {
        let tolerances = self.tolerances();
        let rules = self.rules(&tolerances)?.map(Arc::new);
        let (tolerance, criteria) = match rules {
            // The rules have the tolerances.
            Some(_) => (Tolerance::BITS, Criteria::default()),
            None => tolerances.criteria()?,
        };
        let renames = rules.as_deref().map(Rules::renames).unwrap_or_default();
        let names = NameFilter::new(&self.include, &self.exclude, &self.rename)?;
        let device: Result<DeviceChoice, Error> = self.device.parse();
        let device = device
            .map_err(|error| Error::usage(format!("device: {error}, found {:?}", self.device)))?;
        let nan = if self.equal_nan { NanPolicy::Equal } else { NanPolicy::Differ };
        let defaults = CompareOptions::default();
        let options = DiffOptions {
            compare: CompareOptions {
                tolerance,
                nan,
                histogram: self.histogram,
                values: self.histogram,
                threads: self.threads,
                chunk_bytes: chunk_bytes.unwrap_or(defaults.chunk_bytes),
                ..defaults
            },
            device: device.open()?,
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
        let mut rules = match (&self.rules, &self.config, &self.profile) {
            (Some(_), Some(_), _) => {
                return Err(Error::usage("rules and config exclude each other"));
            }
            (_, None, Some(_)) => {
                return Err(Error::usage("profile: it is a profile of the file that config names"));
            }
            (Some(name), None, None) => Rules::built_in(built_in(name)?),
            (None, Some(file), profile) => Rules::open(file, profile.as_deref())?,
            (None, None, None) => return Ok(None),
        };
        rules.add_tolerances(tolerances)?;
        Ok(Some(rules))
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

fn built_in(name: &str) -> Result<Profile, Error> {
    Profile::by_name(name).ok_or_else(|| {
        let names = Profile::ALL.map(Profile::name).join(", ");
        let why = format!("{name:?} is no built-in profile; the profiles are {names}");
        Error::usage(format!("rules: {why}; config names a file"))
    })
}

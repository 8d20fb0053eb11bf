//! The path of a change: the fields, keys and indexes from the outermost message to a field.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::serial::serialize_as_text;

/// The path of a field, as in `graph_def.node["dense/MatMul"].attr["transpose_b"]`.
///
/// It has the names of rhs, and those of lhs for what rhs lacks. Paths share their steps, so that thousands of changes deep inside a
/// message take little memory.
#[derive(Clone, Default)]
pub struct Path(Option<Arc<Link>>);

/// The last step of a path, and the path before it.
struct Link {
    up: Path,
    step: Step,
    /// The step in lhs, if it differs.
    in_lhs: Option<Step>,
    /// The number of steps.
    len: usize,
}

/// A step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into a field, by its name in text.
    Field(Box<str>),
    /// To an item of a list, by position.
    Index(usize),
    /// To an item of a list or map, by key.
    Key(Box<str>),
}

impl Path {
    /// The steps, the outermost first.
    pub fn steps(&self) -> Vec<&Step> {
        self.links().into_iter().map(|link| &link.step).collect()
    }

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.len)
    }

    /// The path with the names of lhs, if they differ: in renamed nodes and in moved items of lists.
    pub fn in_lhs(&self) -> Option<Self> {
        let links = self.links();
        let first = links.iter().position(|link| link.in_lhs.is_some())?;
        let (same, rest) = links.split_at(first);
        let same = same.last().map_or_else(Self::default, |_| self.prefix(first));
        let step = |link: &&Link| link.in_lhs.as_ref().unwrap_or(&link.step).clone();
        Some(rest.iter().fold(same, |up, link| up.then(step(link), None)))
    }

    /// The key in the field `name`, wherever the path has it: the node of `node["dense/MatMul"].attr["T"]`.
    pub fn key_in(&self, name: &str) -> Option<&str> {
        let mut found = None;
        for link in self.ancestors() {
            if let (Step::Key(key), Some(up)) = (&link.step, &link.up.0)
                && matches!(&up.step, Step::Field(field) if &**field == name)
            {
                found = Some(&**key);
            }
        }
        found
    }

    /// The texts of the path and of its starts, from the shortest.
    pub(crate) fn starts(&self) -> Vec<String> {
        self.prefixes().map(|prefix| prefix.to_string()).collect()
    }

    /// The starts of this path, from the shortest to the path itself.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = Self> {
        (1..=self.len()).map(|len| self.prefix(len))
    }

    /// The first `len` steps.
    pub(super) fn prefix(&self, len: usize) -> Self {
        if len == 0 {
            return Self::default();
        }
        let mut path = self;
        while let Some(link) = path.0.as_ref().filter(|link| link.len > len) {
            path = &link.up;
        }
        path.clone()
    }

    /// The steps in lhs, the outermost first.
    pub(super) fn lhs_steps(&self) -> Vec<&Step> {
        let links = self.links().into_iter();
        links.map(|link| link.in_lhs.as_ref().unwrap_or(&link.step)).collect()
    }

    /// The path of these steps, each with that in lhs if it differs. It shares those with which `other` starts, too.
    pub(super) fn of_steps(steps: &[(Step, Option<Step>)], other: &Self) -> Self {
        let links = other.links();
        let is_same = |(link, (step, in_lhs)): &(&&Link, &(Step, Option<Step>))| {
            link.step == *step && link.in_lhs == *in_lhs
        };
        let shared = links.iter().zip(steps).take_while(is_same).count();
        let rest = steps.iter().skip(shared).cloned();
        rest.fold(other.prefix(shared), |up, (step, in_lhs)| up.then(step, in_lhs))
    }

    /// The number of steps that the two have in common in memory.
    pub(super) fn shared(&self, other: &Self) -> usize {
        let both = self.links().into_iter().zip(other.links());
        both.take_while(|(a, b)| std::ptr::eq(*a, *b)).count()
    }

    /// The path with one step more.
    fn then(&self, step: Step, in_lhs: Option<Step>) -> Self {
        Self(Some(Arc::new(Link { up: self.clone(), step, in_lhs, len: self.len() + 1 })))
    }

    /// The links, the last first.
    fn ancestors(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.0.as_deref(), |link| link.up.0.as_deref())
    }

    /// The links, the first first.
    fn links(&self) -> Vec<&Link> {
        let mut links: Vec<_> = self.ancestors().collect();
        links.reverse();
        links
    }

    /// Whether the two are one path in memory.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Path {}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By the steps of rhs, then by those of lhs.
impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        let len = self.len().min(other.len());
        let (mut l, mut r) = (&self.prefix(len), &other.prefix(len));
        // The outermost difference counts. Where the paths are one, no difference is left.
        let (mut in_rhs, mut in_lhs) = (Ordering::Equal, Ordering::Equal);
        while !l.is_same(r)
            && let (Some(a), Some(b)) = (&l.0, &r.0)
        {
            in_rhs = a.step.cmp(&b.step).then(in_rhs);
            in_lhs = a.in_lhs.cmp(&b.in_lhs).then(in_lhs);
            (l, r) = (&a.up, &b.up);
        }
        in_rhs.then(self.len().cmp(&other.len())).then(in_lhs)
    }
}

serialize_as_text!(Path);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps().into_iter().enumerate() {
            match step {
                Step::Field(name) if position == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => write!(f, "[{key:?}]")?,
            }
        }
        Ok(())
    }
}

/// A [`Path`] under construction, linked to its parents. The path is built when it is first needed, and kept for the paths inside.
#[derive(Debug, Clone)]
pub(super) struct PathBuilder<'a> {
    part: Part<'a>,
    path: OnceCell<Path>,
}

/// The last step of a path under construction, and the parent.
#[derive(Debug, Clone, Copy)]
enum Part<'a> {
    /// The outermost message.
    Root,
    /// A field, by its name in text.
    Field(&'a PathBuilder<'a>, &'a str),
    /// An item of a list, by its positions in lhs and in rhs.
    Index(&'a PathBuilder<'a>, usize, usize),
    /// An item of a list or map, by its keys in lhs and in rhs.
    Key(&'a PathBuilder<'a>, &'a str, &'a str),
}

impl<'a> Part<'a> {
    fn up(self) -> Option<&'a PathBuilder<'a>> {
        match self {
            Self::Root => None,
            Self::Field(up, _) | Self::Index(up, ..) | Self::Key(up, ..) => Some(up),
        }
    }
}

impl<'a> PathBuilder<'a> {
    /// The path of the outermost message.
    pub(super) const fn root() -> Self {
        Self::of(Part::Root)
    }

    const fn of(part: Part<'a>) -> Self {
        Self { part, path: OnceCell::new() }
    }

    /// The path of the field `name`.
    pub(super) fn field(&'a self, name: &'a str) -> Self {
        Self::of(Part::Field(self, name))
    }

    /// The path of item `index`.
    pub(super) fn index(&'a self, index: usize) -> Self {
        self.index_pair(index, index)
    }

    /// The path of an item by its position on each side.
    pub(super) fn index_pair(&'a self, lhs: usize, rhs: usize) -> Self {
        Self::of(Part::Index(self, lhs, rhs))
    }

    /// The path of the item with this key.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        self.key_pair(key, key)
    }

    /// The path of an item by its key on each side.
    pub(super) fn key_pair(&'a self, lhs: &'a str, rhs: &'a str) -> Self {
        Self::of(Part::Key(self, lhs, rhs))
    }

    /// Whether this is the path of an item with a key.
    pub(super) fn is_key(&self) -> bool {
        matches!(self.part, Part::Key(..))
    }

    /// The last steps, the innermost first.
    fn parts(&self) -> impl Iterator<Item = Part<'a>> {
        std::iter::successors(Some(self.part), |part| part.up().map(|up| up.part))
    }

    /// The fields in the path, the innermost first.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        self.parts().filter_map(|part| match part {
            Part::Field(_, name) => Some(name),
            _ => None,
        })
    }

    /// The number of messages that the path leads into.
    pub(super) fn depth(&self) -> usize {
        self.fields().count()
    }

    /// The number of `Any` messages that the path leads into; their steps contain the URL of a type.
    pub(super) fn anys(&self) -> usize {
        self.fields().filter(|name| name.contains('/')).count()
    }

    /// The key in the field `name`, the innermost if there are several.
    pub(super) fn key_in(&self, name: &str) -> Option<&'a str> {
        let mut key = None;
        for part in self.parts() {
            match part {
                Part::Field(_, field) if field == name && key.is_some() => return key,
                Part::Key(_, _, found) => key = Some(found),
                _ => key = None,
            }
        }
        None
    }

    /// The finished path.
    pub(super) fn path(&self) -> Path {
        let up = |up: &PathBuilder<'_>| up.path();
        let path = self.path.get_or_init(|| match self.part {
            Part::Root => Path::default(),
            Part::Field(parent, name) => up(parent).then(Step::Field(name.into()), None),
            Part::Index(parent, lhs, rhs) => {
                up(parent).then(Step::Index(rhs), (lhs != rhs).then_some(Step::Index(lhs)))
            }
            Part::Key(parent, lhs, rhs) => {
                let in_lhs = (lhs != rhs).then(|| Step::Key(lhs.into()));
                up(parent).then(Step::Key(rhs.into()), in_lhs)
            }
        });
        path.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_steps_of_its_builder() {
        let root = PathBuilder::root();
        let (graph, node, key) = (root.field("graph_def"), "node", "a \"b\"\n");
        let list = graph.field(node);
        let item = list.key(key);
        let (attr, index) = (item.field("attr"), 3);
        let path = attr.index(index).path();
        assert_eq!(path.to_string(), r#"graph_def.node["a \"b\"\n"].attr[3]"#);
        assert_eq!(path.key_in("node"), Some(key));
        assert_eq!(path.key_in("attr"), None);
        assert_eq!(path.prefixes().map(|path| path.to_string()).next(), Some("graph_def".into()));
        assert_eq!(path.prefixes().last(), Some(path));
    }

    #[test]
    fn a_path_has_the_names_of_lhs() {
        let root = PathBuilder::root();
        let (list, attr) = (root.field("node"), "attr");
        let item = list.key_pair("old", "new");
        let (attr, value) = (item.field(attr), 1);
        let path = attr.index_pair(value, 2).path();
        assert_eq!(path.to_string(), r#"node["new"].attr[2]"#);
        assert_eq!(path.in_lhs().unwrap_or_default().to_string(), r#"node["old"].attr[1]"#);
        assert_eq!(path.prefix(2).in_lhs().unwrap_or_default().to_string(), r#"node["old"]"#);
        assert_eq!(path.prefix(1).in_lhs(), None);
        assert_eq!(list.key_pair("same", "same").path().in_lhs(), None);
    }
}

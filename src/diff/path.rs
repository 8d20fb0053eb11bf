//! The path of a change: the fields, keys and indexes from the outermost message to a field.

use std::fmt;

use crate::serial::serialize_as_text;

/// The path of a field, as in `graph_def.node["dense/MatMul"].attr["transpose_b"]`.
///
/// It has the names of rhs, and those of lhs for what rhs lacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Path {
    steps: Vec<Step>,
    /// Steps that differ in lhs, by position.
    in_lhs: Vec<(usize, Step)>,
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
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The path with the names of lhs, if they differ: in renamed nodes and in moved items of lists.
    pub fn in_lhs(&self) -> Option<Self> {
        let mut steps = self.steps.clone();
        for (position, step) in &self.in_lhs {
            steps.get_mut(*position)?.clone_from(step);
        }
        (!self.in_lhs.is_empty()).then_some(Self { steps, in_lhs: Vec::new() })
    }

    /// The key in the field `name`, wherever the path has it: the node of `node["dense/MatMul"].attr["T"]`.
    pub fn key_in(&self, name: &str) -> Option<&str> {
        self.steps.windows(2).find_map(|pair| match pair {
            [Step::Field(field), Step::Key(key)] if &**field == name => Some(&**key),
            _ => None,
        })
    }

    /// The starts of this path, from the shortest to the path itself.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = Self> {
        (1..=self.steps.len()).map(|len| self.prefix(len))
    }

    /// The first `len` steps.
    pub(super) fn prefix(&self, len: usize) -> Self {
        let steps = self.steps.get(..len).unwrap_or(&self.steps);
        let in_lhs = self.in_lhs.iter().filter(|(position, _)| *position < len);
        Self { steps: steps.to_vec(), in_lhs: in_lhs.cloned().collect() }
    }

    /// The step at `position` in lhs.
    pub(super) fn lhs_step(&self, position: usize) -> Option<&Step> {
        let other = self.in_lhs.iter().find(|(known, _)| *known == position);
        other.map(|(_, step)| step).or_else(|| self.steps.get(position))
    }
}

serialize_as_text!(Path);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps.iter().enumerate() {
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

/// A [`Path`] under construction, linked to its parents so that nothing is allocated before a change is found.
#[derive(Debug, Clone, Copy)]
pub(super) enum PathBuilder<'a> {
    /// The outermost message.
    Root,
    /// A field, by its name in text.
    Field(&'a PathBuilder<'a>, &'a str),
    /// An item of a list, by its positions in lhs and in rhs.
    Index(&'a PathBuilder<'a>, usize, usize),
    /// An item of a list or map, by its keys in lhs and in rhs.
    Key(&'a PathBuilder<'a>, &'a str, &'a str),
}

impl<'a> PathBuilder<'a> {
    /// The path of the field `name`.
    pub(super) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    /// The path of item `index`.
    pub(super) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index, index)
    }

    /// The path of an item by its position on each side.
    pub(super) fn index_pair(&'a self, lhs: usize, rhs: usize) -> Self {
        Self::Index(self, lhs, rhs)
    }

    /// The path of the item with this key.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key, key)
    }

    /// The path of an item by its key on each side.
    pub(super) fn key_pair(&'a self, lhs: &'a str, rhs: &'a str) -> Self {
        Self::Key(self, lhs, rhs)
    }

    /// The path and its parents, the innermost first.
    fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(*self), |path| match path {
            Self::Root => None,
            Self::Field(up, _) | Self::Index(up, ..) | Self::Key(up, ..) => Some(**up),
        })
    }

    /// The fields in the path, the innermost first.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        self.ancestors().filter_map(|path| match path {
            Self::Field(_, name) => Some(name),
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
        for path in self.ancestors() {
            match path {
                Self::Field(_, field) if field == name && key.is_some() => return key,
                Self::Key(_, _, found) => key = Some(found),
                _ => key = None,
            }
        }
        None
    }

    /// The finished path.
    pub(super) fn path(&self) -> Path {
        let steps = self.ancestors().filter_map(|path| match path {
            Self::Root => None,
            Self::Field(_, name) => Some((Step::Field(name.into()), None)),
            Self::Index(_, lhs, rhs) => {
                Some((Step::Index(rhs), (lhs != rhs).then_some(Step::Index(lhs))))
            }
            Self::Key(_, lhs, rhs) => {
                Some((Step::Key(rhs.into()), (lhs != rhs).then(|| Step::Key(lhs.into()))))
            }
        });
        let mut steps: Vec<_> = steps.collect();
        steps.reverse();
        let in_lhs = steps.iter_mut().enumerate();
        let in_lhs = in_lhs.filter_map(|(position, (_, lhs))| Some((position, lhs.take()?)));
        Path { in_lhs: in_lhs.collect(), steps: steps.into_iter().map(|(step, _)| step).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_steps_of_its_builder() {
        let root = PathBuilder::Root;
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
        let root = PathBuilder::Root;
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

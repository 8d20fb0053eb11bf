//! Where a change is: a way through messages, by field, key and index.

use std::fmt;

use crate::serial::serialize_as_text;

/// A way from the outermost message to a field, as in `graph_def.node["dense/MatMul"].attr["transpose_b"]`.
///
/// It goes by the names of rhs, and of lhs where rhs has nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Path {
    steps: Vec<Step>,
    /// Steps that are others in lhs, by their position.
    in_lhs: Vec<(usize, Step)>,
}

/// A step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into a field, by its name in text.
    Field(Box<str>),
    /// To the item of a list with this position.
    Index(usize),
    /// To the item of a list, or of a map, that goes by this name.
    Key(Box<str>),
}

impl Path {
    /// The steps, the outermost first.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The same way by the names of lhs, where that is another: through what was renamed, or moved in a list.
    pub fn in_lhs(&self) -> Option<Self> {
        let mut steps = self.steps.clone();
        for (position, step) in &self.in_lhs {
            steps.get_mut(*position)?.clone_from(step);
        }
        (!self.in_lhs.is_empty()).then_some(Self { steps, in_lhs: Vec::new() })
    }

    /// What goes by a name in the field `name`, wherever that is on the way: the node of `node["dense/MatMul"].attr["T"]`.
    pub fn key_in(&self, name: &str) -> Option<&str> {
        self.steps.windows(2).find_map(|pair| match pair {
            [Step::Field(field), Step::Key(key)] if &**field == name => Some(&**key),
            _ => None,
        })
    }

    /// The ways that lead here, the shortest first and this one last.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = Self> {
        (1..=self.steps.len()).map(|len| self.prefix(len))
    }

    /// The first `len` steps.
    pub(super) fn prefix(&self, len: usize) -> Self {
        let steps = self.steps.get(..len).unwrap_or(&self.steps);
        let in_lhs = self.in_lhs.iter().filter(|(position, _)| *position < len);
        Self { steps: steps.to_vec(), in_lhs: in_lhs.cloned().collect() }
    }

    /// The step at `position` as lhs has it.
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

/// A [`Path`] while it is walked: nothing is allocated until there is something to tell.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trail<'a> {
    /// The outermost message.
    Root,
    /// Into a field, by its name in text.
    Field(&'a Trail<'a>, &'a str),
    /// To the item of a list with this position; where it is another in lhs, with that.
    Index(&'a Trail<'a>, usize, Option<usize>),
    /// To the item of a list, or of a map, that goes by this name; where it is another in lhs, with that.
    Key(&'a Trail<'a>, &'a str, Option<&'a str>),
}

impl<'a> Trail<'a> {
    /// The way into the field `name`.
    pub(super) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    /// The way to item `index`.
    pub(super) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index, None)
    }

    /// The way to an item that has two positions.
    pub(super) fn indexes(&'a self, lhs: usize, rhs: usize) -> Self {
        Self::Index(self, rhs, (lhs != rhs).then_some(lhs))
    }

    /// The way to the item that goes by `key`.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key, None)
    }

    /// The way to an item that goes by two names.
    pub(super) fn keys(&'a self, lhs: &'a str, rhs: &'a str) -> Self {
        Self::Key(self, rhs, (lhs != rhs).then_some(lhs))
    }

    /// The fields on the way, the innermost first.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        let mut at = Some(*self);
        std::iter::from_fn(move || {
            loop {
                let (up, name) = match at? {
                    Self::Root => (None, None),
                    Self::Field(up, name) => (Some(*up), Some(name)),
                    Self::Index(up, ..) | Self::Key(up, ..) => (Some(*up), None),
                };
                at = up;
                if name.is_some() {
                    return name;
                }
            }
        })
    }

    /// How many messages the way leads into.
    pub(super) fn depth(&self) -> usize {
        self.fields().count()
    }

    /// How many `Any` it leads into, whose steps have the address of a type.
    pub(super) fn anys(&self) -> usize {
        self.fields().filter(|name| name.contains('/')).count()
    }

    /// What goes by a name in the field `name`, the innermost of them.
    pub(super) fn key_in(&self, name: &str) -> Option<&'a str> {
        let mut at = *self;
        let mut key = None;
        loop {
            at = match at {
                Self::Root => return None,
                Self::Field(_, field) if field == name && key.is_some() => return key,
                Self::Field(up, _) | Self::Index(up, ..) => {
                    key = None;
                    *up
                }
                Self::Key(up, found, _) => {
                    key = Some(found);
                    *up
                }
            };
        }
    }

    /// The way as it is told.
    pub(super) fn path(&self) -> Path {
        let (mut steps, mut in_lhs) = (Vec::new(), Vec::new());
        let mut at = self;
        loop {
            at = match at {
                Self::Root => break,
                Self::Field(up, name) => {
                    steps.push(Step::Field((*name).into()));
                    up
                }
                Self::Index(up, index, lhs) => {
                    in_lhs.extend(lhs.map(|index| (steps.len(), Step::Index(index))));
                    steps.push(Step::Index(*index));
                    up
                }
                Self::Key(up, key, lhs) => {
                    in_lhs.extend(lhs.map(|key| (steps.len(), Step::Key(key.into()))));
                    steps.push(Step::Key((*key).into()));
                    up
                }
            };
        }
        steps.reverse();
        in_lhs.reverse();
        for (position, _) in &mut in_lhs {
            *position = steps.len() - 1 - *position;
        }
        Path { steps, in_lhs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_it_was_walked() {
        let root = Trail::Root;
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
    fn a_path_knows_the_names_of_lhs() {
        let root = Trail::Root;
        let (list, attr) = (root.field("node"), "attr");
        let item = list.keys("old", "new");
        let (attr, value) = (item.field(attr), 1);
        let path = attr.indexes(value, 2).path();
        assert_eq!(path.to_string(), r#"node["new"].attr[2]"#);
        assert_eq!(path.in_lhs().unwrap_or_default().to_string(), r#"node["old"].attr[1]"#);
        assert_eq!(path.prefix(2).in_lhs().unwrap_or_default().to_string(), r#"node["old"]"#);
        assert_eq!(path.prefix(1).in_lhs(), None);
        assert_eq!(list.keys("same", "same").path().in_lhs(), None);
    }
}

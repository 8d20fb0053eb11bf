//! Where a change is: a way through messages, by field, key and index.

use std::fmt;

/// A way from the outermost message to a field, as in `graph_def.node["dense/MatMul"].attr["transpose_b"]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Path(Vec<Step>);

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
        &self.0
    }

    /// What goes by a name in the field `name`, wherever that is on the way: the node of `node["dense/MatMul"].attr["T"]`.
    pub fn key_in(&self, name: &str) -> Option<&str> {
        self.0.windows(2).find_map(|pair| match pair {
            [Step::Field(field), Step::Key(key)] if &**field == name => Some(&**key),
            _ => None,
        })
    }

    /// The ways that lead here, the shortest first and this one last.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = Self> {
        (1..=self.0.len()).filter_map(|len| self.0.get(..len).map(|steps| Self(steps.to_vec())))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
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
    /// To the item of a list with this position.
    Index(&'a Trail<'a>, usize),
    /// To the item of a list, or of a map, that goes by this name.
    Key(&'a Trail<'a>, &'a str),
}

impl<'a> Trail<'a> {
    /// The way into the field `name`.
    pub(super) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    /// The way to item `index`.
    pub(super) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// The way to the item that goes by `key`.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// The fields on the way, the innermost first.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        let mut at = Some(*self);
        std::iter::from_fn(move || {
            loop {
                let (up, name) = match at? {
                    Self::Root => (None, None),
                    Self::Field(up, name) => (Some(*up), Some(name)),
                    Self::Index(up, _) | Self::Key(up, _) => (Some(*up), None),
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
                Self::Field(up, _) | Self::Index(up, _) => {
                    key = None;
                    *up
                }
                Self::Key(up, found) => {
                    key = Some(found);
                    *up
                }
            };
        }
    }

    /// The way as it is told.
    pub(super) fn path(&self) -> Path {
        let mut steps = Vec::new();
        let mut at = self;
        loop {
            at = match at {
                Self::Root => break,
                Self::Field(up, name) => {
                    steps.push(Step::Field((*name).into()));
                    up
                }
                Self::Index(up, index) => {
                    steps.push(Step::Index(*index));
                    up
                }
                Self::Key(up, key) => {
                    steps.push(Step::Key((*key).into()));
                    up
                }
            };
        }
        steps.reverse();
        Path(steps)
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
}

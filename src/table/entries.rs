//! The entries of a block.

use std::borrow::Cow;

use crate::bytes::{Stream, varint};
use crate::error::{Error, Result};
use crate::limits::Limits;

use super::block::Block;

/// Reads the entries of a block in order.
#[derive(Debug)]
pub struct Entries<'a> {
    block: &'a Block,
    stream: Stream,
    key: Vec<u8>,
    suffix: Vec<u8>,
    key_limit: usize,
    started: bool,
    ascending: bool,
    broken: bool,
}

impl<'a> Entries<'a> {
    /// A reader of the entries of `block`.
    pub fn new(block: &'a Block, limits: &Limits) -> Self {
        Entries {
            block,
            stream: block.stream(),
            key: Vec::new(),
            suffix: Vec::new(),
            key_limit: limits.key_bytes,
            started: false,
            ascending: true,
            broken: false,
        }
    }

    /// The key and the value of the next entry; `None` at the end.
    ///
    /// # Errors
    /// If the entry is invalid. The entries after it cannot be found, so `None` follows.
    #[expect(clippy::should_implement_trait, reason = "the key is borrowed from the reader")]
    pub fn next(&mut self) -> Result<Option<(&[u8], Value<'a>)>> {
        if self.broken || self.stream.remaining() == 0 {
            return Ok(None);
        }
        let at = self.stream.offset();
        match self.advance() {
            Ok(value) => Ok(Some((&self.key, value))),
            Err(error) => {
                self.broken = true;
                Err(error.at(at))
            }
        }
    }

    /// The key of the entry that [`next`](Self::next) returned last.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Whether the last key was greater than the one before it, as the format demands.
    pub fn is_ascending(&self) -> bool {
        self.ascending
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most the limit of keys, a usize")]
    fn advance(&mut self) -> Result<Value<'a>> {
        let [shared, unshared, value_len] = self.header()?;
        let key_len = shared.saturating_add(unshared);
        if shared > self.key.len() as u64 {
            let expected = format!("at most {}, the length of the key before", self.key.len());
            return Err(Error::unexpected("shared length of a key", shared, expected));
        }
        if key_len > self.key_limit as u64 {
            let expected = format!("at most {}", self.key_limit);
            return Err(Error::unexpected("length of a key", key_len, expected));
        }
        if unshared > self.stream.remaining() {
            return Err(Error::truncated("a key", unshared, self.stream.remaining()));
        }
        self.suffix.resize(unshared as usize, 0);
        self.stream.read("a key", &mut self.suffix)?;
        let before = self.key.get(shared as usize..).unwrap_or(&[]);
        self.ascending = !self.started || before < self.suffix.as_slice();
        self.started = true;
        self.key.truncate(shared as usize);
        self.key.extend_from_slice(&self.suffix);
        let start = self.stream.offset();
        self.stream.skip("a value", value_len)?;
        Ok(Value { block: self.block, start, end: start + value_len })
    }

    /// The three lengths at the start of an entry.
    fn header(&mut self) -> Result<[u64; 3]> {
        const WHAT: &str = "an entry's header";
        // Usually all three are in the buffer, with a byte or two each.
        let mut lengths = [0; 3];
        let mut used = 0;
        let have = self.stream.fill()?;
        for length in &mut lengths {
            let Some((value, len)) = varint::read(have.get(used..).unwrap_or(&[])) else {
                used = 0;
                break;
            };
            *length = value;
            used += len;
        }
        if used > 0 {
            self.stream.consume(used);
        } else {
            for length in &mut lengths {
                *length = self.stream.varint(WHAT)?;
            }
        }
        Ok(lengths)
    }
}

/// The value of an entry, not yet read.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    block: &'a Block,
    start: u64,
    end: u64,
}

impl<'a> Value<'a> {
    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether the value has no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The offset in the file (see [`Block`] for compressed blocks).
    pub fn offset(&self) -> u64 {
        self.start
    }

    /// The offset of the byte after the value.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Reads the value.
    ///
    /// # Errors
    /// If the value has more than `limit` bytes, or cannot be read.
    pub fn bytes(&self, limit: u64) -> Result<Cow<'a, [u8]>> {
        if self.len() > limit {
            let expected = format!("at most {limit}");
            let error = Error::unexpected("length of a value", self.len(), expected);
            return Err(error.at(self.start));
        }
        self.block.bytes(self.start, self.end)
    }
}

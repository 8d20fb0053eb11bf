//! Reads and decodes the content of a slice.

use crate::error::{Error, Result};
use crate::tensor::framing::{Elements, Framed};
use crate::tensor::{DType, Shape, TensorSource, TensorStream, ValueField};

use super::values::Numbers;
use super::walk::{SliceSource, Walk};

impl TensorSource for SliceSource {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        match self.dtype.size() {
            Some(size) => self.shape.elements().saturating_mul(size as u64),
            None => self.file.value_bytes(self.number),
        }
    }

    fn stored_at(&self) -> (u32, u64) {
        self.stored_at
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        let walk = Walk::new(self)?;
        Ok(match self.dtype {
            DType::String => {
                let left = self.shape.elements();
                Box::new(Framed::new(Strings { walk, left }))
            }
            _ => Box::new(Numbers::new(walk, self.dtype, &self.shape)?),
        })
    }
}

/// The elements of a string tensor.
struct Strings<'a> {
    walk: Walk<'a>,
    left: u64,
}

impl Strings<'_> {
    fn advance(&mut self) -> Result<Option<u64>> {
        while let Some(field) = self.walk.next()? {
            if field.number != ValueField::of(DType::String).number {
                self.walk.skip(&field)?;
                continue;
            }
            if field.wire != 2 {
                return Err(Error::unexpected("wire type of a string", field.wire, "2"));
            }
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                let elements = self.walk.saved.shape.elements();
                let expected = format!("{elements}, as shape {} has", self.walk.saved.shape);
                Error::unexpected("number of values", "more", expected)
            })?;
            return Ok(Some(field.end - self.walk.stream.offset()));
        }
        if self.left > 0 {
            let elements = self.walk.saved.shape.elements();
            let found = elements - self.left;
            let expected = format!("{elements}, as shape {} has", self.walk.saved.shape);
            return Err(Error::unexpected("number of values", found, expected));
        }
        Ok(None)
    }
}

impl Elements for Strings<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        self.advance().map_err(|error| self.walk.locate(error))
    }

    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        self.walk.stream.read("a string", out).map_err(|error| self.walk.locate(error))
    }
}

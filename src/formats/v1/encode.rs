//! Encodes the values of a slice as one `*_val` list of a `TensorProto`.

use super::types::WRITTEN;
use crate::bytes::varint;
use crate::error::{Error, Remedy, Result};
use crate::progress::{Progress, Silent};
use crate::tensor::framing::{ElementPart, read_elements};
use crate::tensor::{Coding, TensorSource, ValueField, read_through};

/// The size of the write buffer.
const BUFFER: usize = 64 << 10;

/// The values of a tensor and their encoded length. The length precedes them, so values of variable length are read twice.
pub(super) struct Values<'a> {
    source: &'a dyn TensorSource,
    field: ValueField,
    /// The length of the list without its tag and length; for strings, with those of each string.
    list: u64,
}

impl<'a> Values<'a> {
    /// Computes the encoded length of the values of `source`.
    ///
    /// # Errors
    /// If TensorFlow writes no elements of this type into V1 checkpoints, or the source cannot be read.
    pub(super) fn measure(source: &'a dyn TensorSource) -> Result<Self> {
        let (dtype, elements) = (source.dtype(), source.shape().elements());
        let field = ValueField::of(dtype);
        if !WRITTEN.contains(&dtype) {
            let kind = format!("a V1 checkpoint cannot hold {dtype}");
            return Err(Error::unsupported(kind).avoided_by(Remedy::WriteV2));
        }
        let bytes = |size: u64| {
            let expected = "at most 2^64 - 1 bytes";
            let product = elements.checked_mul(size);
            product.ok_or_else(|| Error::unexpected("shape", source.shape(), expected))
        };
        let mut list = 0;
        match field.coding {
            Coding::Fixed => list = bytes(dtype.size().unwrap_or_default() as u64)?,
            Coding::Bool => list = elements,
            Coding::Each => read_elements(source, &Silent, |part| {
                if let ElementPart::Length(len) = part {
                    let tag = u64::from(field.number) << 3;
                    list += (varint::len(tag) + varint::len(len)) as u64 + len;
                }
                Ok(())
            })?,
            _ => {
                read_through(source, &Silent, |bytes| {
                    each_number(field, bytes, |number| list += varint::len(number) as u64);
                    Ok(())
                })?;
            }
        }
        Ok(Self { source, field, list })
    }

    /// The length of the `TensorProto`.
    pub(super) fn bytes(&self) -> u64 {
        if self.field.coding == Coding::Each {
            self.list
        } else {
            self.head().len() as u64 + self.list
        }
    }

    /// The tag and the length of a packed list; empty if there are no values.
    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if self.list > 0 {
            varint::write(u64::from(self.field.number) << 3 | 2, &mut head);
            varint::write(self.list, &mut head);
        }
        head
    }

    /// Writes the `TensorProto` to `out` in parts.
    ///
    /// # Errors
    /// If the source cannot be read, or `out` fails.
    pub(super) fn write(
        &self,
        progress: &dyn Progress,
        out: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        if self.field.coding == Coding::Each {
            return self.write_strings(progress, out);
        }
        out(&self.head())?;
        let mut buffer = Vec::with_capacity(BUFFER);
        read_through(self.source, progress, |bytes| {
            if self.field.coding == Coding::Fixed {
                return out(bytes);
            }
            buffer.clear();
            each_number(self.field, bytes, |number| varint::write(number, &mut buffer));
            out(&buffer)
        })?;
        Ok(())
    }

    fn write_strings(
        &self,
        progress: &dyn Progress,
        out: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut buffer = Vec::with_capacity(BUFFER);
        read_elements(self.source, progress, |part| {
            match part {
                ElementPart::Length(len) => {
                    varint::write(u64::from(self.field.number) << 3 | 2, &mut buffer);
                    varint::write(len, &mut buffer);
                }
                ElementPart::Bytes(bytes) => buffer.extend_from_slice(bytes),
                ElementPart::End => {}
            }
            if buffer.len() >= BUFFER {
                out(&buffer)?;
                buffer.clear();
            }
            Ok(())
        })?;
        out(&buffer)
    }
}

/// Calls `each` with every number of `content`, sign-extended as in a list of varints.
fn each_number(field: ValueField, content: &[u8], mut each: impl FnMut(u64)) {
    let is_signed = matches!(field.coding, Coding::Varint { min, .. } if min < 0);
    for number in content.chunks_exact(field.bytes) {
        let is_negative = is_signed && number.last().is_some_and(|&byte| byte >= 0x80);
        let mut wide = if is_negative { [0xff; 8] } else { [0; 8] };
        if let Some(low) = wide.get_mut(..number.len()) {
            low.copy_from_slice(number);
        }
        let number = u64::from_le_bytes(wide);
        each(if field.coding == Coding::Bool { u64::from(number != 0) } else { number });
    }
}

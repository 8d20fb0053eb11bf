//! Printing of `Struct`, `Value` and `ListValue` as plain JSON.

use super::fields::mismatched_type;
use super::{Printer, not_in_json};
use crate::error::Result;
use crate::message::{RecordKind, Records, Value, WireMatch};
use crate::schema::{Kind, MessageType};

impl<'p> Printer<'p, '_> {
    pub(super) fn struct_value(
        &mut self,
        ty: &'p MessageType,
        bytes: &[u8],
        depth: usize,
    ) -> Result<()> {
        let field = ty.field(1).filter(|field| field.is_map());
        let field = field.ok_or_else(|| mismatched_type("a Struct"))?;
        self.tokens.open(b'{');
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (1, Value::Len(entry)) => self.entry(field, entry, depth + 1)?,
                _ => self.unknown(&record)?,
            }
        }
        self.tokens.close(b'}');
        Ok(())
    }

    pub(super) fn list_value(
        &mut self,
        ty: &'p MessageType,
        bytes: &[u8],
        depth: usize,
    ) -> Result<()> {
        let field = ty.field(1).filter(|field| field.kind.message().is_some());
        let field = field.ok_or_else(|| mismatched_type("a ListValue"))?;
        self.tokens.open(b'[');
        let mut index = 0;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let meaning = RecordKind::of(self.schema, ty, &record);
            if !matches!(meaning, RecordKind::Known(known, WireMatch::Single) if known.number == 1)
            {
                self.unknown(&record)?;
                continue;
            }
            let named = self.losses.paths.len();
            let result = self.element(field, record.value, depth);
            self.in_step(named, result, || field.step(index))?;
            index += 1;
        }
        self.tokens.close(b']');
        Ok(())
    }

    pub(super) fn value(&mut self, ty: &'p MessageType, bytes: &[u8], depth: usize) -> Result<()> {
        let mut written = false;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let meaning = RecordKind::of(self.schema, ty, &record);
            let (RecordKind::Known(field, WireMatch::Single), false) = (meaning, written) else {
                self.unknown(&record)?;
                continue;
            };
            written = true;
            match (field.kind, record.value) {
                (Kind::Double, Value::Fixed64(bits)) if !f64::from_bits(bits).is_finite() => {
                    return Err(not_in_json("a Value that is not finite", ""));
                }
                (Kind::Enum(_), Value::Varint(number @ 1..)) => {
                    return Err(not_in_json(
                        format_args!("a Value whose null_value is {number}, not 0,"),
                        "",
                    ));
                }
                (Kind::Message(id), Value::Len(bytes)) => {
                    let named = self.losses.paths.len();
                    let result = self.message(&self.schema[id], bytes, depth + 1);
                    self.in_step(named, result, || field.text_name.to_string())?;
                }
                (_, value) => self.scalar(field, value)?,
            }
        }
        if written { Ok(()) } else { Err(not_in_json("an empty Value", "")) }
    }
}

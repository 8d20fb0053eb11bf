//! Prints unknown fields by number, and a field with a length as a message if its bytes look like one.
//!
//! Bytes look like a message if the style's program prints them as one, with its quirks: C++ truncates tags and lengths
//! to 32 bits, and Python accepts some bytes that C++ refuses.

use super::Style;
use super::escape::OCTAL;
use super::printer::Printer;
use crate::error::Result;
use crate::message::Value;

/// The depth to which fields with a length may be messages. protoc stops at 10, Python at the end of its stack.
fn budget(style: Style) -> usize {
    match style {
        Style::Protoc => 10,
        Style::TensorFlow => 100,
    }
}

/// Prints an unknown field.
pub(super) fn print(printer: &mut Printer<'_, '_>, number: u32, value: Value<'_>) -> Result<()> {
    let budget = budget(printer.options.style);
    let number = number.into();
    match value {
        Value::Group(inside) => print_message(printer, number, inside, budget),
        value => print_value(printer, number, value, budget),
    }
}

/// Prints a field whose bytes are a message.
fn print_message(
    printer: &mut Printer<'_, '_>,
    number: u64,
    inside: &[u8],
    budget: usize,
) -> Result<()> {
    open(printer, number)?;
    let outside = printer.depth;
    let tokens = Tokens { bytes: inside, style: printer.options.style };
    // One walk for all levels of groups, which have no length to skip them by.
    for token in tokens {
        match token {
            Token::Start(number) => open(printer, number)?,
            Token::End(_) if printer.depth > outside => close(printer)?,
            Token::End(_) => break,
            Token::Value(number, value) => {
                let spent = printer.depth - outside + 1;
                print_value(printer, number, value, budget.saturating_sub(spent))?;
            }
        }
    }
    close(printer)
}

fn open(printer: &mut Printer<'_, '_>, number: u64) -> Result<()> {
    printer.indent()?;
    printer.out.unsigned(number)?;
    printer.out.put_array(b" {")?;
    printer.depth += 1;
    printer.end_field()
}

fn close(printer: &mut Printer<'_, '_>) -> Result<()> {
    printer.depth -= 1;
    printer.indent()?;
    printer.out.put_array(b"}")?;
    printer.end_field()
}

/// Prints a field that is not a group.
fn print_value(
    printer: &mut Printer<'_, '_>,
    number: u64,
    value: Value<'_>,
    budget: usize,
) -> Result<()> {
    let style = printer.options.style;
    if let Value::Len(inside) = value
        && is_message(inside, style, budget)
    {
        return print_message(printer, number, inside, budget);
    }
    printer.indent()?;
    printer.out.unsigned(number)?;
    printer.out.put_array(b": ")?;
    match (value, style) {
        (Value::Len(bytes) | Value::Group(bytes), _) => {
            printer.out.put_array(b"\"")?;
            OCTAL.write(bytes, &mut printer.out)?;
            printer.out.put_array(b"\"")?;
        }
        (Value::Fixed32(bits), Style::Protoc) => printer.out.hex(bits.into(), 8)?,
        (Value::Fixed64(bits), Style::Protoc) => printer.out.hex(bits, 16)?,
        (Value::Fixed32(bits), Style::TensorFlow) => printer.out.unsigned(bits.into())?,
        (Value::Fixed64(bits), Style::TensorFlow) => printer.out.unsigned(bits)?,
        (Value::Varint(bits), _) => printer.out.unsigned(bits)?,
    }
    printer.end_field()
}

/// Whether bytes look like a message.
fn is_message(bytes: &[u8], style: Style, budget: usize) -> bool {
    if budget == 0 || style == Style::Protoc && bytes.is_empty() {
        return false;
    }
    // protoc has one budget for groups and fields with a length.
    let depth = if style == Style::Protoc { budget } else { 99 };
    let mut tokens = Tokens { bytes, style };
    let mut open = Vec::new();
    while !tokens.bytes.is_empty() {
        match tokens.next() {
            Some(Token::Value(..)) => {}
            Some(Token::Start(number)) if open.len() < depth => open.push(number),
            Some(Token::End(number)) if open.last() == Some(&number) => drop(open.pop()),
            // Python stops at an end tag without a group, and accepts the bytes if none follow.
            Some(Token::End(_)) if open.is_empty() && style == Style::TensorFlow => {
                return tokens.bytes.is_empty();
            }
            _ => return false,
        }
    }
    open.is_empty()
}

/// A tag and the value after it.
enum Token<'a> {
    /// A field that is not a group.
    Value(u64, Value<'a>),
    /// A group.
    Start(u64),
    /// The end of a group, which may not have begun.
    End(u64),
}

/// The tags of bytes that may be a message, up to the first byte that cannot be in one.
struct Tokens<'a> {
    bytes: &'a [u8],
    style: Style,
}

impl<'a> Tokens<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for i in 0..10 {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A tag or a length.
    fn short_varint(&mut self) -> Option<u64> {
        let value = self.varint()?;
        Some(if self.style == Style::Protoc { value & 0xffff_ffff } else { value })
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let tag = self.short_varint()?;
        let number = tag >> 3;
        if number == 0 && self.style == Style::Protoc {
            return None;
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(*self.take(8)?.first_chunk()?)),
            2 => {
                let len = self.short_varint()?;
                Value::Len(self.take(usize::try_from(len).ok()?)?)
            }
            3 => return Some(Token::Start(number)),
            4 => return Some(Token::End(number)),
            5 => Value::Fixed32(u32::from_le_bytes(*self.take(4)?.first_chunk()?)),
            _ => return None,
        };
        Some(Token::Value(number, value))
    }
}

//! The pairs of two tensors that are not close, one by one.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::serial::{self, Json, Object, Read, object};
use crate::tensor::framing::FramedReader;
use crate::tensor::{
    Bool, ComplexNumber, DType, Element, Extent, Kind, Name, Number, Scalar, TensorSource,
    TensorStream, Visit,
};

use super::close::Rule;
use super::operands::Operands;
use super::pair::Pair;
use super::tensor_pair::TensorPair;
use super::unit::in_memory;
use super::{CompareOptions, NanPolicy};

/// Elements that are read at once.
const CHUNK: u64 = 1 << 14;

/// The maximum number of bytes that are kept of an element of variable length.
const KEPT: usize = 60;

/// What stands for bytes that an excerpt leaves out.
const ELLIPSIS: char = '…';

/// The maximum number of these that are before the first byte that differs.
const BEFORE: usize = 8;

/// A pair of elements that is not close.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Position in row-major order.
    pub position: u64,
    /// The element of the baseline.
    pub lhs: ElementValue,
    /// The element of the other side.
    pub rhs: ElementValue,
}

/// The value of an element, or a part of a long one.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementValue {
    /// A number or truth value.
    Scalar(Scalar),
    /// Bytes of an element of variable length, around the first byte that differs.
    Excerpt {
        /// The offset of the first of these bytes in the element.
        start: u64,
        /// The bytes.
        bytes: Vec<u8>,
        /// The length of the element.
        len: u64,
    },
}

impl Mismatch {
    /// The pair in JSON, with its index in tensors of this shape.
    pub(crate) fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        object! {
            index: operands.shape.unravel(self.position),
            lhs: JsonValue(self.lhs.clone(), operands.lhs),
            rhs: JsonValue(self.rhs.clone(), operands.rhs),
        }
    }
}

impl Mismatch {
    /// Reads a pair of two tensors.
    ///
    /// # Errors
    /// If it is something else, or the tensors have no such element.
    pub(crate) fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        let object = Object::read(json)?;
        let value = |key, dtype| object.with(key, |json| ElementValue::read(json, dtype));
        Ok(Self {
            position: object.with("index", |json| operands.position_of(json))?,
            lhs: value("lhs", operands.lhs)?,
            rhs: value("rhs", operands.rhs)?,
        })
    }
}

impl ElementValue {
    /// Reads an element of this type. Of an excerpt, a report has neither the place nor the length of the element, but whether
    /// something is left out before and after it.
    fn read(json: Json<'_>, dtype: DType) -> Result<Self> {
        if dtype.kind() != Kind::Bytes {
            return serial::number(json, dtype).map(Self::Scalar);
        }
        let text = json.string()?;
        let inside = text.strip_prefix(ELLIPSIS).unwrap_or(&text);
        let inside = inside.strip_suffix(ELLIPSIS).unwrap_or(inside);
        let start = u64::from(text.starts_with(ELLIPSIS));
        let end = start + inside.len() as u64;
        let is_cut = text.len() > inside.len() + if start > 0 { ELLIPSIS.len_utf8() } else { 0 };
        Ok(Self::Excerpt { start, bytes: inside.as_bytes().to_vec(), len: end + u64::from(is_cut) })
    }
}

/// The value of an element of this type in JSON; an ellipsis stands for the bytes that an excerpt leaves out.
struct JsonValue(ElementValue, DType);

impl Serialize for JsonValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            ElementValue::Scalar(scalar) => serial::Number(*scalar, self.1).serialize(serializer),
            excerpt => serializer.collect_str(excerpt),
        }
    }
}

/// The text of an excerpt, with an ellipsis for the bytes that it leaves out. A number is written as it is in memory.
impl fmt::Display for ElementValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => write!(f, "{scalar:?}"),
            Self::Excerpt { start, bytes, len } => {
                let before = if *start > 0 { "…" } else { "" };
                let after = if start + (bytes.len() as u64) < *len { "…" } else { "" };
                write!(f, "{before}{}{after}", Name::from(bytes))
            }
        }
    }
}

/// The first `count` pairs at position `start` or later that are not close.
///
/// Checksums are not verified; [`compare`](super::compare) does that.
///
/// # Errors
/// If a side cannot be read.
pub fn mismatches(
    (lhs, rhs): TensorPair<'_>,
    options: &CompareOptions,
    start: u64,
    count: usize,
) -> Result<Vec<Mismatch>> {
    let rule = Rule::new(&options.tolerance, options.nan);
    let mut search = Search { rule, position: 0, start, count, found: Vec::new() };
    match (lhs.dtype().size(), rhs.dtype().size()) {
        (Some(lhs_size), Some(rhs_size)) => search.numbers((lhs, lhs_size), (rhs, rhs_size))?,
        _ => search.strings(lhs, rhs)?,
    }
    Ok(search.found)
}

/// A search for mismatches, and what it found.
struct Search {
    rule: Rule,
    /// Position of the next pair.
    position: u64,
    start: u64,
    count: usize,
    found: Vec<Mismatch>,
}

impl Search {
    fn is_done(&self) -> bool {
        self.found.len() >= self.count
    }

    fn numbers(
        &mut self,
        (lhs, lhs_size): (&dyn TensorSource, usize),
        (rhs, rhs_size): (&dyn TensorSource, usize),
    ) -> Result<()> {
        let mut content = [Content::open(lhs)?, Content::open(rhs)?];
        let end = lhs.shape().elements();
        if content.iter().all(|content| matches!(content, Content::Extent(_))) {
            self.position = self.start;
        }
        let len = in_memory(CHUNK.min(end));
        let (mut x, mut y) = (vec![0; len * lhs_size], vec![0; len * rhs_size]);
        while self.position < end && !self.is_done() {
            let n = CHUNK.min(end - self.position);
            let x = x.get_mut(..in_memory(n) * lhs_size).unwrap_or_default();
            let y = y.get_mut(..in_memory(n) * rhs_size).unwrap_or_default();
            let [of_lhs, of_rhs] = &mut content;
            of_lhs.read(self.position, lhs_size, x)?;
            of_rhs.read(self.position, rhs_size, y)?;
            let next = self.position + n;
            let is_equal = lhs.dtype() == rhs.dtype() && x == y;
            let is_wanted = next > self.start && !(is_equal && self.rule.nan == NanPolicy::Equal);
            if is_wanted {
                self.chunk((lhs.dtype(), x), (rhs.dtype(), y));
            }
            self.position = next;
        }
        Ok(())
    }

    fn chunk(&mut self, (lhs, x): (DType, &[u8]), (rhs, y): (DType, &[u8])) {
        if lhs == rhs {
            lhs.visit(SameType { lhs: x, rhs: y, search: self });
            return;
        }
        for (x, y) in lhs.scalars(x).into_iter().zip(rhs.scalars(y)) {
            self.add(&Pair::mixed(x, y), || (x, y));
        }
    }

    /// Adds the next pair if it is not close.
    fn add(&mut self, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        let position = self.position;
        self.position += 1;
        if position >= self.start && !self.is_done() && !self.rule.is_close(pair) {
            let (lhs, rhs) = scalars();
            let [lhs, rhs] = [lhs, rhs].map(ElementValue::Scalar);
            self.found.push(Mismatch { position, lhs, rhs });
        }
    }

    /// Elements of variable length.
    fn strings(&mut self, lhs: &dyn TensorSource, rhs: &dyn TensorSource) -> Result<()> {
        let (mut lhs, mut rhs) = (FramedReader::open(lhs)?, FramedReader::open(rhs)?);
        while !self.is_done()
            && let (Some(x), Some(y)) = (lhs.next()?, rhs.next()?)
        {
            if self.position >= self.start
                && let Some([lhs, rhs]) = difference((&mut lhs, x), (&mut rhs, y))?
            {
                self.found.push(Mismatch { position: self.position, lhs, rhs });
            }
            self.position += 1;
        }
        Ok(())
    }
}

/// The parts of two elements around the first byte that differs; `None` if they are equal.
fn difference(
    (lhs, lhs_len): (&mut FramedReader<'_>, u64),
    (rhs, rhs_len): (&mut FramedReader<'_>, u64),
) -> Result<Option<[ElementValue; 2]>> {
    let mut equal = 0;
    let mut before = Vec::new();
    loop {
        let (x, y) = (lhs.part()?, rhs.part()?);
        let len = x.len().min(y.len());
        let same = x.iter().zip(y).take_while(|(x, y)| x == y).count();
        before.extend_from_slice(x.get(..same).unwrap_or_default());
        before.drain(..before.len().saturating_sub(BEFORE));
        equal += same as u64;
        lhs.consume(same);
        rhs.consume(same);
        if same < len || len == 0 {
            break;
        }
    }
    if equal == lhs_len && equal == rhs_len {
        return Ok(None);
    }
    let start = equal - before.len() as u64;
    let excerpt = |reader: &mut FramedReader<'_>, len| -> Result<ElementValue> {
        let mut bytes = before.clone();
        while bytes.len() < KEPT {
            let part = reader.part()?;
            let part = part.get(..part.len().min(KEPT - bytes.len())).unwrap_or_default();
            if part.is_empty() {
                break;
            }
            bytes.extend_from_slice(part);
            let taken = part.len();
            reader.consume(taken);
        }
        Ok(ElementValue::Excerpt { start, bytes, len })
    };
    Ok(Some([excerpt(lhs, lhs_len)?, excerpt(rhs, rhs_len)?]))
}

/// Content of fixed-width elements.
enum Content<'a> {
    Extent(&'a dyn Extent),
    Stream(Box<dyn TensorStream + 'a>),
}

impl<'a> Content<'a> {
    fn open(source: &'a dyn TensorSource) -> Result<Self> {
        Ok(match source.extent() {
            Some(extent) => Self::Extent(extent),
            None => Self::Stream(source.stream()?),
        })
    }

    /// Reads the elements from `position` on, which for a stream are the next ones.
    fn read(&mut self, position: u64, size: usize, out: &mut [u8]) -> Result<()> {
        match self {
            Self::Extent(extent) => extent.read_at(position * size as u64, out),
            // The size was found to agree with the shape when the tensor was compared.
            Self::Stream(stream) => stream.read(out).map(drop),
        }
    }
}

/// Chunks of two tensors of one type.
struct SameType<'a> {
    lhs: &'a [u8],
    rhs: &'a [u8],
    search: &'a mut Search,
}

impl SameType<'_> {
    fn each<T: Element>(self, pair: impl Fn(T, T) -> Pair) {
        let Self { lhs, rhs, search } = self;
        let elements = |bytes| <[u8]>::chunks_exact(bytes, size_of::<T>());
        for (x, y) in elements(lhs).zip(elements(rhs)) {
            let (x, y): (T, T) = (bytemuck::pod_read_unaligned(x), bytemuck::pod_read_unaligned(y));
            search.add(&pair(x, y), || (x.scalar(), y.scalar()));
        }
    }
}

impl Visit for SameType<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        self.each(Pair::real::<T>);
    }

    fn complex<T: ComplexNumber>(self) {
        self.each(Pair::complex::<T>);
    }

    fn boolean(self) {
        self.each(|x: Bool, y| Pair::equality(x.differs(y)));
    }

    fn bytes(self) {
        // Elements of variable length are not read in chunks.
    }
}

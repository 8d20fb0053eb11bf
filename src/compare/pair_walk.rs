//! Goes through the pairs of two tensors, one by one.

use crate::error::Result;
use crate::tensor::framing::FramedReader;
use crate::tensor::{
    Bool, ComplexNumber, DType, Element, Extent, Number, Scalar, TensorSource, TensorStream, Visit,
};

use super::NanPolicy;
use super::mismatch::ElementValue;
use super::pair::Pair;
use super::tensor_pair::TensorPair;
use super::unit::in_memory;

/// Elements that are read at once.
const CHUNK: u64 = 1 << 14;

/// The maximum number of bytes that are kept of an element of variable length.
const KEPT: usize = 60;

/// The maximum number of kept bytes before the first byte that differs.
const BEFORE: usize = 8;

/// A visitor of the pairs of two tensors.
pub(super) trait PairVisitor {
    /// Whether no further pair is wanted.
    fn is_done(&self) -> bool;

    /// Visits the pair of numbers at a position, in row-major order.
    fn number(&mut self, position: u64, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar));

    /// Visits two elements of variable length that differ.
    fn bytes(&mut self, position: u64, values: [ElementValue; 2]);
}

/// Visits the pairs from position `start` on, in order. Chunks of equal bytes are left out where NaN is close to itself, and so are
/// equal elements of variable length.
///
/// Checksums are not verified; [`compare`](super::compare) does that.
///
/// # Errors
/// If a side cannot be read.
pub(super) fn visit(
    (lhs, rhs): TensorPair<'_>,
    start: u64,
    nan: NanPolicy,
    visitor: &mut impl PairVisitor,
) -> Result<()> {
    match (lhs.dtype().size(), rhs.dtype().size()) {
        (Some(lhs_size), Some(rhs_size)) => {
            let mut walk = Walk { position: 0, start, nan, visitor };
            walk.numbers((lhs, lhs_size), (rhs, rhs_size))
        }
        _ => strings(lhs, rhs, start, visitor),
    }
}

/// A walk through the elements of two tensors of fixed-width elements.
struct Walk<'v, V> {
    /// Position of the next pair.
    position: u64,
    start: u64,
    nan: NanPolicy,
    visitor: &'v mut V,
}

impl<V: PairVisitor> Walk<'_, V> {
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
        while self.position < end && !self.visitor.is_done() {
            let n = CHUNK.min(end - self.position);
            let x = x.get_mut(..in_memory(n) * lhs_size).unwrap_or_default();
            let y = y.get_mut(..in_memory(n) * rhs_size).unwrap_or_default();
            let [of_lhs, of_rhs] = &mut content;
            of_lhs.read(self.position, lhs_size, x)?;
            of_rhs.read(self.position, rhs_size, y)?;
            let next = self.position + n;
            let is_equal = lhs.dtype() == rhs.dtype() && x == y;
            let is_wanted = next > self.start && !(is_equal && self.nan == NanPolicy::Equal);
            if is_wanted {
                self.chunk((lhs.dtype(), x), (rhs.dtype(), y));
            }
            self.position = next;
        }
        Ok(())
    }

    fn chunk(&mut self, (lhs, x): (DType, &[u8]), (rhs, y): (DType, &[u8])) {
        if lhs == rhs {
            lhs.visit(SameType { lhs: x, rhs: y, walk: self });
            return;
        }
        for (x, y) in lhs.scalars(x).into_iter().zip(rhs.scalars(y)) {
            self.add(&Pair::mixed(x, y), || (x, y));
        }
    }

    #[inline(always)]
    fn add(&mut self, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        if self.position >= self.start {
            self.visitor.number(self.position, pair, scalars);
        }
        self.position += 1;
    }
}

/// Visits elements of variable length that differ.
fn strings(
    lhs: &dyn TensorSource,
    rhs: &dyn TensorSource,
    start: u64,
    visitor: &mut impl PairVisitor,
) -> Result<()> {
    let (mut lhs, mut rhs) = (FramedReader::open(lhs)?, FramedReader::open(rhs)?);
    let mut position = 0;
    while !visitor.is_done()
        && let (Some(x), Some(y)) = (lhs.next()?, rhs.next()?)
    {
        if position >= start
            && let Some(values) = difference((&mut lhs, x), (&mut rhs, y))?
        {
            visitor.bytes(position, values);
        }
        position += 1;
    }
    Ok(())
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
struct SameType<'a, 'v, V> {
    lhs: &'a [u8],
    rhs: &'a [u8],
    walk: &'a mut Walk<'v, V>,
}

impl<V: PairVisitor> SameType<'_, '_, V> {
    #[inline(always)]
    fn each<T: Element>(self, pair: impl Fn(T, T) -> Pair) {
        let Self { lhs, rhs, walk } = self;
        let elements = |bytes| <[u8]>::chunks_exact(bytes, size_of::<T>());
        for (x, y) in elements(lhs).zip(elements(rhs)) {
            let (x, y): (T, T) = (bytemuck::pod_read_unaligned(x), bytemuck::pod_read_unaligned(y));
            walk.add(&pair(x, y), || (x.scalar(), y.scalar()));
        }
    }
}

impl<V: PairVisitor> Visit for SameType<'_, '_, V> {
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

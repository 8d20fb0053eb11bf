//! The values of one tensor: the first and the last, and statistics of all.

use std::collections::VecDeque;

use crate::error::Result;
use crate::progress::Progress;

use super::framing::{ElementPart, read_elements};
use super::{
    Bool, ComplexNumber, Element, Facts, Name, Number, Scalar, TensorSource, Visit, read_through,
};

/// The maximum number of elements of a tensor that is shown in full.
const ALL: usize = 256;

/// The number of elements that are shown at each end of a larger tensor.
const SOME: usize = 8;

/// The maximum number of bytes that are kept of an element of variable length.
const KEPT: usize = 60;

/// The shown values of a tensor.
#[derive(Debug, Clone)]
pub struct TensorValues {
    /// The tensor's name.
    pub name: Name,
    /// Its dtype and shape.
    pub facts: Facts,
    /// Its size in the file.
    pub bytes: u64,
    /// The first elements; all of them if there are few, or if so many are requested.
    pub first: Vec<ShownElement>,
    /// The last elements, unless all are in `first`, or a number of elements is requested.
    pub last: Vec<ShownElement>,
    /// The number of elements in neither.
    pub more: u64,
    /// The least and the greatest finite number, and the mean of all finite numbers.
    pub range: Option<(Scalar, Scalar, f64)>,
    /// The number of elements that are NaN or have a NaN part.
    pub nan: u64,
    /// The number of infinite elements.
    pub inf: u64,
}

/// An element, possibly cut.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownElement {
    /// A number or truth value.
    Scalar(Scalar),
    /// The first bytes of an element of variable length, and its length.
    Bytes(Vec<u8>, u64),
}

impl TensorValues {
    /// Reads the whole tensor, and keeps the elements that are shown: the first `requested` rows, that is elements of the last
    /// dimension; without a number, all elements of a small tensor, and some at each end of a larger one.
    ///
    /// # Errors
    /// If the tensor cannot be read, or a checksum does not match.
    pub fn read(
        name: &Name,
        source: &dyn TensorSource,
        requested: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let dtype = source.dtype();
        progress.total(source.stored_bytes());
        let shape = source.shape();
        let row = match shape.dims() {
            [] | [_] => 1,
            [.., row] => usize::try_from(*row).unwrap_or(usize::MAX),
        };
        let requested = requested.map(|rows| rows.saturating_mul(row));
        let mut scan = Scan { most: requested.unwrap_or(ALL), ..Scan::default() };
        let read = match dtype.size() {
            Some(_) => read_through(source, progress, |bytes| {
                dtype.visit(Elements { bytes, scan: &mut scan });
                Ok(())
            })
            .map(drop),
            None => scan.bytes(source, progress),
        };
        read.map_err(|error| error.of_tensor(name))?;
        let is_cut = requested.is_none() && scan.elements > ALL as u64;
        if is_cut {
            scan.first.truncate(SOME);
        }
        let last: Vec<_> = scan.last.into_iter().filter(|_| is_cut).collect();
        let more = scan.elements - scan.first.len() as u64 - last.len() as u64;
        Ok(Self {
            name: name.clone(),
            facts: Facts::of(source),
            bytes: source.stored_bytes(),
            first: scan.first,
            last,
            more,
            range: scan.range.map(|(min, max)| (min, max, scan.sum / scan.finite as f64)),
            nan: scan.nan,
            inf: scan.inf,
        })
    }
}

/// The statistics of the elements read so far.
#[derive(Debug, Default)]
struct Scan {
    /// The maximum number of first elements that are kept.
    most: usize,
    elements: u64,
    first: Vec<ShownElement>,
    last: VecDeque<ShownElement>,
    range: Option<(Scalar, Scalar)>,
    finite: u64,
    sum: f64,
    nan: u64,
    inf: u64,
}

impl Scan {
    fn keep(&mut self, shown: ShownElement) {
        self.elements += 1;
        if self.first.len() < self.most {
            self.first.push(shown.clone());
        }
        self.last.push_back(shown);
        if self.last.len() > SOME {
            self.last.pop_front();
        }
    }

    /// Reads elements of variable length.
    fn bytes(&mut self, source: &dyn TensorSource, progress: &dyn Progress) -> Result<()> {
        let (mut kept, mut len) = (Vec::new(), 0);
        read_elements(source, progress, |part| {
            match part {
                ElementPart::Length(length) => len = length,
                ElementPart::Bytes(bytes) => {
                    kept.extend(bytes.iter().take(KEPT.saturating_sub(kept.len())));
                }
                ElementPart::End => {
                    self.keep(ShownElement::Bytes(std::mem::take(&mut kept), len));
                }
            }
            Ok(())
        })
    }

    fn number<T: Number>(&mut self, element: T) {
        let (value, scalar) = (element.to_f64(), element.scalar());
        self.keep(ShownElement::Scalar(scalar));
        if value.is_nan() {
            self.nan += 1;
        } else if value.is_infinite() {
            self.inf += 1;
        } else {
            self.finite += 1;
            self.sum += value;
            let (min, max) = self.range.get_or_insert((scalar, scalar));
            if less(scalar, *min) {
                *min = scalar;
            }
            if less(*max, scalar) {
                *max = scalar;
            }
        }
    }
}

fn less(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a < b,
        (Scalar::Integer(a), Scalar::Integer(b)) => a < b,
        _ => false,
    }
}

/// Whole elements of fixed size.
struct Elements<'a> {
    bytes: &'a [u8],
    scan: &'a mut Scan,
}

impl Elements<'_> {
    fn each<T: Element>(self, mut f: impl FnMut(&mut Scan, T)) {
        for element in self.bytes.chunks_exact(size_of::<T>()) {
            f(self.scan, bytemuck::pod_read_unaligned(element));
        }
    }
}

impl Visit for Elements<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        self.each(Scan::number::<T>);
    }

    fn complex<T: ComplexNumber>(self) {
        self.each(|scan, element: T| {
            let (re, im) = element.parts();
            scan.keep(ShownElement::Scalar(element.scalar()));
            scan.nan += u64::from(re.is_nan() || im.is_nan());
            scan.inf +=
                u64::from(!re.is_nan() && !im.is_nan() && (re.is_infinite() || im.is_infinite()));
        });
    }

    fn boolean(self) {
        self.each(|scan, element: Bool| scan.keep(ShownElement::Scalar(element.scalar())));
    }

    fn bytes(self) {}
}

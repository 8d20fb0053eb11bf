//! Elements of variable length (`string`, `variant`, `resource`) as one sequence of bytes.
//!
//! ```text
//! content := element*
//! element := length: u64 LE, bytes
//! ```
//! All content of such elements has this form in memory and between the reader of one format and the writer of another: what a
//! [`TensorSource`] streams, a `Tensor`, the elements of a constant. Files have other forms, which their formats convert.
//!
//! A length is a `u64` and no varint: its eight bytes can be counted and copied without decoding them, and it holds every length
//! that a file can state.

use crate::error::{Error, Result};
use crate::progress::Progress;

use super::buffered_stream::BufferedStream;
use super::reading::chunk_size;
use super::{TensorSource, TensorStream};

/// The size of a length in bytes.
pub(crate) const LENGTH: usize = size_of::<u64>();

/// Appends an element to `content`.
pub(crate) fn push(element: &[u8], content: &mut Vec<u8>) {
    content.extend(length(element.len() as u64));
    content.extend_from_slice(element);
}

fn length(len: u64) -> [u8; LENGTH] {
    len.to_le_bytes()
}

/// The length at the start of `bytes`, and the bytes after it; `None` if the length is cut off.
#[inline]
fn split_length(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH>()?;
    Some((u64::from_le_bytes(*length), rest))
}

/// Splits content in memory into its elements; `None` if it has another form.
pub(crate) fn split(content: &[u8]) -> Option<Vec<&[u8]>> {
    let mut rest = content;
    let mut elements = Vec::new();
    while !rest.is_empty() {
        let (len, tail) = split_length(rest)?;
        let (element, tail) = tail.split_at_checked(usize::try_from(len).ok()?)?;
        elements.push(element);
        rest = tail;
    }
    Some(elements)
}

/// Reads elements in order.
pub(crate) trait Elements: Send {
    /// Goes to the next element once the last one was read to its end. Returns its length, or `None` after the last element, when
    /// all checksums were verified.
    fn next(&mut self) -> Result<Option<u64>>;

    /// Fills `out` with the next bytes of the element, which has enough left.
    fn read(&mut self, out: &mut [u8]) -> Result<()>;
}

/// Elements as a stream.
pub(crate) struct Framed<E> {
    elements: E,
    header: [u8; LENGTH],
    header_left: usize,
    body_left: u64,
    done: bool,
}

impl<E: Elements> Framed<E> {
    pub(crate) fn new(elements: E) -> Self {
        Self { elements, header: [0; LENGTH], header_left: 0, body_left: 0, done: false }
    }
}

impl<E: Elements> TensorStream for Framed<E> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut written = 0;
        while let Some(rest) = out.get_mut(written..).filter(|rest| !rest.is_empty()) {
            if self.header_left == 0 && self.body_left == 0 {
                if self.done {
                    break;
                }
                match self.elements.next()? {
                    Some(len) => {
                        self.header = length(len);
                        self.header_left = LENGTH;
                        self.body_left = len;
                    }
                    None => {
                        self.done = true;
                        break;
                    }
                }
            }
            let header = self.header.get(LENGTH - self.header_left..).unwrap_or(&[]);
            let len = header.len().min(rest.len());
            let (head, rest) = rest.split_at_mut(len);
            head.copy_from_slice(header.get(..len).unwrap_or(&[]));
            self.header_left -= len;
            written += len;

            let len = usize::try_from(self.body_left).unwrap_or(usize::MAX).min(rest.len());
            if len > 0 {
                self.elements.read(rest.get_mut(..len).unwrap_or_default())?;
                self.body_left -= len as u64;
                written += len;
            }
        }
        Ok(written)
    }
}

/// The length of the element that `stream` is at, which is left in the stream; `None` at the end.
///
/// # Errors
/// If the stream cannot be read, or the length is cut off.
#[inline]
pub(crate) fn peek_length(stream: &mut BufferedStream<'_>) -> Result<Option<u64>> {
    let bytes = stream.fill(LENGTH)?;
    match split_length(bytes) {
        Some((len, _)) => Ok(Some(len)),
        None if bytes.is_empty() => Ok(None),
        None => {
            let have = bytes.len() as u64;
            Err(Error::truncated("the length of an element", LENGTH as u64, have))
        }
    }
}

/// Reads framed elements, each in parts that fit the buffer.
pub(crate) struct FramedReader<'a> {
    stream: BufferedStream<'a>,
    /// The bytes of the current element that were not taken.
    left: u64,
}

impl<'a> FramedReader<'a> {
    /// Reads the elements of `source`.
    ///
    /// # Errors
    /// If the source cannot be opened.
    pub(crate) fn open(source: &'a dyn TensorSource) -> Result<Self> {
        Ok(Self::new(source.stream()?, chunk_size(source)))
    }

    fn new(stream: Box<dyn TensorStream + 'a>, capacity: usize) -> Self {
        Self { stream: BufferedStream::new(stream, capacity), left: 0 }
    }

    /// Goes to the next element, past the rest of the current one. Returns its length, or `None` after the last element, when all
    /// checksums were verified.
    ///
    /// # Errors
    /// If the stream cannot be read, or ends inside an element.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<u64>> {
        while self.left > 0 {
            let len = self.part()?.len();
            self.consume(len);
        }
        let len = peek_length(&mut self.stream)?;
        if let Some(len) = len {
            self.stream.consume(LENGTH);
            self.left = len;
        }
        Ok(len)
    }

    /// The next bytes of the element, as many as are in the buffer; none at its end.
    ///
    /// # Errors
    /// If the stream cannot be read, or ends inside the element.
    #[inline]
    pub(crate) fn part(&mut self) -> Result<&[u8]> {
        if self.left == 0 {
            return Ok(&[]);
        }
        let bytes = self.stream.fill(1)?;
        if bytes.is_empty() {
            return Err(Error::truncated("an element", self.left, 0));
        }
        let len = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        Ok(bytes.get(..len).unwrap_or_default())
    }

    /// Takes `count` bytes of the [part](Self::part).
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        self.stream.consume(count);
        self.left -= count as u64;
    }
}

/// A stream whose progress is reported.
struct Reported<'a> {
    stream: Box<dyn TensorStream + 'a>,
    progress: &'a dyn Progress,
}

impl TensorStream for Reported<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        self.progress.check()?;
        let read = self.stream.read(out)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}

/// The next part of framed elements.
pub(crate) enum ElementPart<'a> {
    /// The length of the next element.
    Length(u64),
    /// Some bytes of the element.
    Bytes(&'a [u8]),
    /// The end of the element.
    End,
}

/// Calls `each` with every part of the elements of `source`.
///
/// # Errors
/// If the source cannot be read, its number of elements is not that of its shape, or `each` fails.
pub(crate) fn read_elements(
    source: &dyn TensorSource,
    progress: &dyn Progress,
    mut each: impl FnMut(ElementPart<'_>) -> Result<()>,
) -> Result<()> {
    let stream = Reported { stream: source.stream()?, progress };
    let mut reader = FramedReader::new(Box::new(stream), chunk_size(source));
    let mut found = 0;
    while let Some(len) = reader.next()? {
        found += 1;
        each(ElementPart::Length(len))?;
        while reader.left > 0 {
            let part = reader.part()?;
            let len = part.len();
            each(ElementPart::Bytes(part))?;
            reader.consume(len);
        }
        each(ElementPart::End)?;
    }
    let expected = source.shape().elements();
    if found != expected {
        return Err(Error::unexpected("elements", found, format!("{expected}, as its shape has")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns at most this many bytes at once.
    struct Pieces<'a>(usize, &'a [u8]);

    impl TensorStream for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> Result<usize> {
            let most = out.len().min(self.0);
            self.1.read(&mut out[..most])
        }
    }

    fn elements(content: &[u8], piece: usize, capacity: usize) -> Result<Vec<Vec<u8>>> {
        let mut reader = FramedReader::new(Box::new(Pieces(piece, content)), capacity);
        let mut elements = Vec::new();
        while let Some(len) = reader.next()? {
            let mut element = Vec::new();
            while (element.len() as u64) < len {
                let part = reader.part()?.to_vec();
                assert!(!part.is_empty() && part.len() <= capacity);
                reader.consume(part.len());
                element.extend(part);
            }
            assert!(reader.part()?.is_empty());
            elements.push(element);
        }
        Ok(elements)
    }

    #[test]
    fn elements_do_not_depend_on_pieces_and_buffers() {
        let mut content = Vec::new();
        let expected: Vec<Vec<u8>> = [0, 3, 0, 40, 1].map(|len| vec![7; len]).into();
        expected.iter().for_each(|element| push(element, &mut content));
        assert_eq!(split(&content).unwrap(), expected);
        for piece in 1..content.len() {
            for capacity in [8, 9, 16, 64] {
                assert_eq!(elements(&content, piece, capacity).unwrap(), expected);
            }
        }
    }

    #[test]
    fn content_that_is_cut_off_says_what_is_missing() {
        let mut content = Vec::new();
        push(b"abc", &mut content);
        for (len, error) in [
            (10, "an element needs 1 byte, 0 left"),
            (8, "an element needs 3 bytes, 0 left"),
            (5, "the length of an element needs 8 bytes, 5 left"),
        ] {
            assert_eq!(split(&content[..len]), None);
            assert_eq!(elements(&content[..len], 4, 16).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn what_is_left_of_an_element_is_skipped() {
        let mut content = Vec::new();
        [&[1; 100][..], &[2]].into_iter().for_each(|element| push(element, &mut content));
        let mut reader = FramedReader::new(Box::new(Pieces(5, &content)), 16);
        assert_eq!(reader.next().unwrap(), Some(100));
        assert_eq!(reader.next().unwrap(), Some(1));
        assert_eq!(reader.part().unwrap(), [2]);
        assert_eq!(reader.next().unwrap(), None);
    }
}

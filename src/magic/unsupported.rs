//! Files that ckdiff recognizes and does not read: each kind is a line of [`UNSUPPORTED`].

use std::fmt;

use crate::probe::Probe;

/// A kind of file that ckdiff recognizes and does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsupported {
    /// A file in this format.
    Format {
        /// The name, with its article.
        name: &'static str,
        /// What to do meanwhile.
        instead: &'static str,
    },
    /// A file compressed by this program.
    Compressed(&'static str),
    /// A Git LFS pointer, which stands for another file.
    LfsPointer,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format { name, instead } => {
                write!(f, "this is {name}; ckdiff does not read those yet; meanwhile, {instead}")
            }
            Self::Compressed(with) => write!(f, "this is compressed with {with}; unpack it first"),
            Self::LfsPointer => f.write_str(
                "this is a Git LFS pointer, not the file itself; `git lfs pull` fetches it",
            ),
        }
    }
}

/// The condition on a file for a line of [`UNSUPPORTED`].
#[derive(Clone, Copy)]
enum Signature {
    /// The file begins with these bytes.
    Start(&'static [u8]),
    /// The first bytes of the file pass this test.
    Head(fn(&[u8]) -> bool),
    /// The file begins with these bytes and has one of these extensions.
    Extension(&'static [u8], &'static [&'static str]),
}

const ZIP: &[u8] = b"PK\x03\x04";
/// A zip archive without files.
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// What to do with tensors in a format that Python reads.
const AS_SAFETENSORS: &str = "save its tensors with safetensors.numpy.save_file, and compare those";

/// What to do with an archive.
const UNPACK: &str = "unpack it, and compare what is in it";

const fn format(name: &'static str, instead: &'static str) -> Unsupported {
    Unsupported::Format { name, instead }
}

/// Files that ckdiff recognizes and does not read. The first line that fits counts.
const UNSUPPORTED: &[(Signature, Unsupported)] = &[
    (Signature::Start(b"version https://git-lfs.github.com/spec/"), Unsupported::LfsPointer),
    (
        Signature::Start(b"\x89HDF"),
        format("a Keras HDF5 file", "load it in Keras, and compare what model.export writes"),
    ),
    (
        Signature::Extension(ZIP, &["keras"]),
        format("a Keras archive", "load it in Keras, and compare what model.export writes"),
    ),
    (Signature::Extension(ZIP, &["npz"]), format("a NumPy archive", AS_SAFETENSORS)),
    (
        Signature::Extension(ZIP, &["pt", "pth", "bin", "ckpt"]),
        format(
            "a PyTorch file",
            "save its state_dict with safetensors.torch.save_file, and compare those",
        ),
    ),
    (Signature::Start(ZIP), format("a zip archive", UNPACK)),
    (Signature::Start(EMPTY_ZIP), format("a zip archive", UNPACK)),
    (Signature::Start(b"\x93NUMPY"), format("a NumPy array", AS_SAFETENSORS)),
    (
        Signature::Head(is_pickle),
        format(
            "a pickle, as PyTorch writes",
            "save its state_dict with safetensors.torch.save_file, and compare those",
        ),
    ),
    (
        Signature::Start(b"GGUF"),
        format("a GGUF file", "compare the models that it was converted from"),
    ),
    (
        Signature::Extension(b"\x08", &["onnx"]),
        format(
            "an ONNX model",
            "compare it as a message, onnx.ModelProto of the schema onnx.proto",
        ),
    ),
    (
        Signature::Head(is_tflite),
        format("a TensorFlow Lite model", "compare the models that it was converted from"),
    ),
    (Signature::Start(b"\x1f\x8b\x08"), Unsupported::Compressed("gzip")),
    (Signature::Start(b"\x28\xb5\x2f\xfd"), Unsupported::Compressed("zstd")),
    (Signature::Start(b"\xfd7zXZ\0"), Unsupported::Compressed("xz")),
    (Signature::Head(is_bzip2), Unsupported::Compressed("bzip2")),
];

fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [0x80, 2..=5, ..])
}

fn is_tflite(head: &[u8]) -> bool {
    matches!(head, [_, _, _, _, b'T', b'F', b'L', b'3', ..])
}

fn is_bzip2(head: &[u8]) -> bool {
    matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', b'1', ..])
}

impl Signature {
    fn is_on(self, probe: &Probe) -> bool {
        let head = probe.head();
        match self {
            Self::Start(bytes) => head.starts_with(bytes),
            Self::Head(test) => test(head),
            Self::Extension(bytes, extensions) => {
                let found = probe.path().extension().unwrap_or_default();
                let mut extensions = extensions.iter();
                head.starts_with(bytes) && extensions.any(|known| found.eq_ignore_ascii_case(known))
            }
        }
    }
}

/// The kind of a file that ckdiff recognizes and does not read.
pub(crate) fn unsupported(probe: &Probe) -> Option<Unsupported> {
    UNSUPPORTED.iter().find(|(mark, _)| mark.is_on(probe)).map(|(_, kind)| *kind)
}

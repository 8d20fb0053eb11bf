//! The device of a node.
//!
//! ```text
//! device := "/" | part*
//! part   := ("/job:" name | "/replica:" number | "/task:" number | "/device:" type [":" number]
//!            | "/cpu:" number | "/CPU:" number | "/gpu:" number | "/GPU:" number); "*" as any value: unspecified
//! ```
//! Source: the devices that TensorFlow 2.21's placer accepts. If a part is given twice, the last one counts.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};

/// A device; parts that are `None` are unspecified.
///
/// ```
/// use ckdiff::graph::DeviceSpec;
///
/// let device: DeviceSpec = "/task:1/job:worker/gpu:0".parse()?;
/// assert_eq!(device.to_string(), "/job:worker/task:1/device:GPU:0");
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceSpec {
    /// The name of the job.
    pub job: Option<String>,
    /// The replica of the job.
    pub replica: Option<u32>,
    /// The task of the replica.
    pub task: Option<u32>,
    /// The type of device, such as `GPU`.
    pub ty: Option<String>,
    /// The number of the device among those of its type.
    pub id: Option<u32>,
}

impl DeviceSpec {
    /// Parses one part at the start of `text`, and returns the rest.
    fn part<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let end = text.get(1..)?.find('/').map_or(text.len(), |end| end + 1);
        let (part, rest) = text.split_at_checked(end)?;
        let (key, value) = part.strip_prefix('/')?.split_once(':')?;
        match key {
            "job" => self.job = optional(value, |name| is_name(name).then(|| name.to_owned()))?,
            "replica" => self.replica = optional(value, number)?,
            "task" => self.task = optional(value, number)?,
            "device" => {
                let (ty, id) = value.split_once(':').unwrap_or((value, "*"));
                self.ty = optional(ty, |name| is_name(name).then(|| name.to_owned()))?;
                self.id = optional(id, number)?;
            }
            "cpu" | "CPU" | "gpu" | "GPU" => {
                self.ty = Some(key.to_ascii_uppercase());
                self.id = optional(value, number)?;
            }
            _ => return None,
        }
        Some(rest)
    }
}

/// Whether two texts name the same device. Invalid ones name none.
pub(crate) fn is_same_device(lhs: &str, rhs: &str) -> bool {
    let parsed = |text: &str| text.parse::<DeviceSpec>().ok();
    parsed(lhs).is_some_and(|lhs| parsed(rhs) == Some(lhs))
}

/// Parses a value, or `*` for none; the outer `None` is an error.
fn optional<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "*" { Some(None) } else { parse(text).map(Some) }
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok())??;
    i32::try_from(number).is_ok().then_some(number)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl FromStr for DeviceSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut device = Self::default();
        let mut rest = if text == "/" { "" } else { text };
        while !rest.is_empty() {
            rest = device.part(rest).ok_or_else(|| {
                let form = "/job:NAME/replica:N/task:N/device:TYPE:N, or some of its parts";
                let shown = crate::error::shortened(rest);
                Error::from(ErrorKind::Syntax(format!(
                    "{shown:?} is not a part of a device: {form}"
                )))
            })?;
        }
        Ok(device)
    }
}

/// TensorFlow's canonical form, which is the same for equal devices.
impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = &self.job {
            write!(f, "/job:{job}")?;
        }
        if let Some(replica) = self.replica {
            write!(f, "/replica:{replica}")?;
        }
        if let Some(task) = self.task {
            write!(f, "/task:{task}")?;
        }
        match (&self.ty, self.id) {
            (None, None) => Ok(()),
            (ty, id) => {
                write!(f, "/device:{}:", ty.as_deref().unwrap_or("*"))?;
                match id {
                    Some(id) => write!(f, "{id}"),
                    None => f.write_str("*"),
                }
            }
        }
    }
}

//! The `shape_and_slices` input of save and restore nodes: the full shape of a tensor, and a slice of it.
//!
//! ```text
//! spec := (dimension " ")+ extent (":" extent)*      extent := "-" | start "," length
//! ```
//! Source: TensorFlow's `ParseShapeAndSlice` and `TensorSlice::Parse`.

use super::{Shape, Slice};
use crate::error::{Error, shortened};

/// Parses a full shape and a slice.
///
/// # Errors
/// A description of what is wrong, as a clause.
pub(crate) fn parse(spec: &str) -> Result<(Shape, Slice), String> {
    let Some((dims, slice)) = spec.rsplit_once(' ') else {
        return Err("it must be a shape, a space and a slice".into());
    };
    let dims: Option<Vec<i64>> = dims.split(' ').map(|dim| dim.parse().ok()).collect();
    let dims = dims.ok_or("its dimensions must be numbers with a space between them")?;
    let shape = Shape::new(&dims).map_err(|error| error.to_string())?;
    let extents: Option<Vec<_>> = slice.split(':').map(extent).collect();
    let extents = extents.ok_or("its extents must be - or START,LENGTH")?;
    if extents.len() != shape.rank() {
        let (rank, count) = (shape.rank(), extents.len());
        return Err(format!("its shape has {rank} dimensions, its slice {count}"));
    }
    match Slice::new(&extents, &shape) {
        Ok(slice) => Ok((shape, slice)),
        Err(_) => Err(format!("the slice is not inside shape {shape}")),
    }
}

/// Parses an element of the input `shape_and_slices`.
///
/// # Errors
/// If it is not a shape and a slice.
pub(crate) fn of_input(spec: &str) -> Result<(Shape, Slice), Error> {
    parse(spec).map_err(|reason| {
        let reason = format!("{:?}: {reason}", shortened(spec));
        Error::malformed("shape_and_slice", "a shape and a slice", reason)
    })
}

/// Start and length; a length of -1 for the whole dimension.
fn extent(text: &str) -> Option<(i64, i64)> {
    if text == "-" {
        return Some((0, -1));
    }
    let (start, len) = text.split_once(',')?;
    let (start, len) = (start.parse().ok()?, len.parse().ok()?);
    (start >= 0 && len > 0).then_some((start, len))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn specs_are_read_as_tensorflow_reads_them() {
        let (shape, slice) = parse("7 2 0,3:-").unwrap();
        assert_eq!(
            (shape.dims(), slice.extents()),
            ([7, 2].as_slice(), [(0, 3), (0, 2)].as_slice())
        );
        for bad in
            ["7", "7 ", " 0,1", "x 0,1", "7 0,0", "7 -1,2", "7 6,2", "7 2 0,1", "7 0,1:0,1", "-7 -"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}

//! The values of statistics in JSON: how each is written and read.

use serde::Serialize;

use super::histogram::Histogram;
use super::operands::Operands;
use super::tally::Worst;
use super::value_histogram::ValueHistogram;
use super::{Sides, Tolerance};
use crate::error::Result;
use crate::serial::{self, Json, Object, Read, object};
use crate::tensor::{DType, Scalar};

/// The value of a statistic, which has a form in JSON.
pub(super) trait Statistic: Sized {
    /// Its form.
    fn json(&self, operands: &Operands<'_>) -> impl Serialize;

    /// Reads its form.
    ///
    /// # Errors
    /// If it is something else.
    fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self>;
}

impl Statistic for u64 {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        *self
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        Read::read(json)
    }
}

impl Statistic for f64 {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        serial::Float(*self)
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        Read::read(json)
    }
}

impl Statistic for Scalar {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        serial::Number(*self, DType::F64)
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        Read::read(json)
    }
}

impl Statistic for Histogram {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        self
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        Read::read(json)
    }
}

impl Statistic for ValueHistogram {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        self
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        json.deserialize()
    }
}

impl<T: Statistic> Statistic for Option<T> {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        self.as_ref().map(|value| value.json(operands))
    }

    fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        json.optional(|json| T::read(json, operands))
    }
}

impl<T: Statistic> Statistic for Box<T> {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        T::json(self, operands)
    }

    fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        T::read(json, operands).map(Self::new)
    }
}

impl<T: Statistic> Statistic for Sides<T> {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        Sides { lhs: self.lhs.json(operands), rhs: self.rhs.json(operands) }
    }

    fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        let object = Object::read(json)?;
        let of = |key| object.with(key, |json| T::read(json, operands));
        Ok(Self { lhs: of("lhs")?, rhs: of("rhs")? })
    }
}

impl Statistic for Worst {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        object! {
            index: operands.shape.unravel(self.position),
            lhs: serial::Number(self.lhs, operands.lhs),
            rhs: serial::Number(self.rhs, operands.rhs),
        }
    }

    fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self {
            position: object.with("index", |json| operands.position_of(json))?,
            lhs: object.with("lhs", |json| serial::number(json, operands.lhs))?,
            rhs: object.with("rhs", |json| serial::number(json, operands.rhs))?,
        })
    }
}

/// `null` without a further tolerance.
impl Statistic for Vec<(Tolerance, u64)> {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        let mismatches = |&(Tolerance { atol, rtol, .. }, mismatched): &(Tolerance, u64)| {
            let [atol, rtol] = [atol, rtol].map(|bound| bound.map(serial::Float));
            object! { atol: atol, rtol: rtol, mismatched: mismatched }
        };
        (!self.is_empty()).then(|| self.iter().map(mismatches).collect::<Vec<_>>())
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        let mut counts = Self::new();
        json.optional(|json| {
            json.each(|item| {
                let object = Object::read(item)?;
                let tolerance = Tolerance::of_parts(&object, None)?;
                counts.push((tolerance, object.get("mismatched")?));
                Ok(())
            })
        })?;
        Ok(counts)
    }
}

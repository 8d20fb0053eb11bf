//! `ckdiff verify`.

mod damage;
mod fit;

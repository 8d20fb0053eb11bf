//! `ckdiff verify`.

mod damage;
mod restorability;

//! Schemas: the one in `proto/`, and those that users bring.

mod facts;
mod tables;
mod user;

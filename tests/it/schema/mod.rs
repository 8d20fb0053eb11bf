//! Schemas: the built-in one from `proto/`, and those of users.

mod facts;
mod tables;
mod user;

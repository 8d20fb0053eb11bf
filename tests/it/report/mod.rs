//! Reports for people and for programs.

mod first_screen;
mod github;
mod hostile;
mod html;
mod html_browser;
mod html_contrast;
mod junit;
mod markdown;
mod models;
mod non_finite;
mod results;

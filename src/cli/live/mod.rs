//! The live view of a run or a study: a screen of its own process, and of others that watch it.

mod follow;
mod pace;
mod page;
mod plot;
mod run_page;
pub(crate) mod screen;
mod session;
mod shared;
pub(crate) mod state;
mod study_page;
mod tally;
mod view;
mod watch;
mod watched;

pub(crate) use session::Session;
pub(crate) use shared::Shared;
pub(crate) use state::{of_run, of_study};
pub(crate) use watch::{glance, processes, watch};

#[cfg(test)]
mod tests;

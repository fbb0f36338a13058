//! The command line as a user meets it: wrong input, what runs leave and how they end, signals, files for clusters,
//! and what the README says to type.

mod beginnings;
mod clusters;
mod convergence;
mod costs;
mod data;
mod data_sets;
mod explanations;
mod exports;
mod files;
mod first_steps;
mod fits;
mod fitted;
mod footprints;
mod handed_on;
mod limits;
mod memory;
mod outcomes;
mod predictions;
mod readme;
mod rounding;
mod running;
mod searches;
mod settings;
mod signals;
mod statistics;
mod stores;
mod studies;
#[cfg(target_os = "linux")]
mod surroundings;
mod sweeps;
mod tracing;
mod verdicts;
mod verification;
mod watching;
mod workloads;
mod wrong_input;

//! Whole runs against theory, reference tables and public data. What needs real data looks for the folder FEDBITS_DATA.

mod calibration;
mod common;
mod costs;
mod data;
mod deployments;
mod library;
mod networks;
mod saem;
mod seeds;
mod studies;
mod theory;
mod vpem;

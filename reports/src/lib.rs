//! Figures and tables, made only from record files.
//!
//! [`Figures::report`] reads folders of runs (`fedbits-record`) and groups the runs into arms. For every quantity that
//! was measured it writes a figure for the page of a venue: SVG, PDF, PNG and a PGF picture for LaTeX, beside them the
//! data as CSV, a caption and its details; and one interactive page. This crate does not depend on the engine: record
//! files of any program can be plotted, and any crate can add a [`FigureKind`]. The same records give
//! the same bytes, and every file carries the digest of its runs: [`Figures::verify`] makes it again.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod accuracy;
mod axes;
mod caption;
pub mod compare;
mod complexity;
mod curves;
mod data;
pub mod decision;
mod error;
mod export;
mod figures;
mod latex;
mod layout;
mod looks;
mod options;
mod origin;
mod page;
mod quantity;
mod registry;
mod render;
mod replicates;
mod report;
mod rows;
mod scene;
mod style;
mod text;
mod verify;
mod words;

pub use curves::Curve;
pub use data::{Arm, arms, distinct_names, last_folders, open_folders, run_folders};
pub use error::ReportError;
pub use fedbits_figures as declare;
pub use fedbits_figures::XAxis;
pub use figures::figure::Figure;
pub use latex::latex;
pub use options::{Declarations, Format, PageEngine, ReportOptions, Wanted};
pub use origin::Origin;
pub use page::{PageBook, page_parts};
pub use registry::Figures;
pub use render::report;
pub use report::{About, Drawing, FigureKind, Report};
pub use style::Style;
pub use text::{encode_uri, escape};
pub use verify::{FigureVerdict, verify};

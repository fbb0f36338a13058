//! Reports of invented records: the same bytes every time, the venue's width, the right files, the right words; kinds
//! of figures, pictures that nobody overlooks, provenance, and the interactive page.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod accuracy;
mod axes;
mod browser;
mod common;
mod comparisons;
mod declared;
mod details;
mod figure_kinds;
mod golden;
mod latex;
mod laws;
mod left_out;
mod limits;
mod looks;
mod objective_gap;
mod origin;
mod page;
mod page_chart;
mod pdf;
mod predictive;
mod records;
mod searches;
#[path = "../../../tests/support/skips.rs"]
mod skips;
mod study;
mod texts;

//! Data from CSV files, one format per file of this folder, all on [`Rows`].

mod codes;
mod counts;
mod examples;
mod longitudinal;
mod reader;
mod responses;

pub use counts::{Arrangement, CountOptions, read_counts};
pub use examples::{CsvOptions, read_csv};
pub use longitudinal::{Doses, LongitudinalOptions, read_longitudinal};
pub use reader::{Column, Columns, Row, Rows};
pub use responses::{ResponseKind, ResponsesOptions, read_responses};

//! Data from CSV files, one format per file of this folder, all on [`Rows`].

mod codes;
mod counts;
mod examples;
mod longitudinal;
mod reader;
mod responses;
mod settings;

pub use counts::{Arrangement, CountsFile, read_counts};
pub use examples::{CsvFile, read_csv};
pub use fedbits_spec::laws::Column;
pub use longitudinal::{Doses, LongitudinalFile, ObservedRows, read_longitudinal};
pub use reader::{Row, Rows};
pub use responses::{ResponsesFile, read_responses};
pub use settings::Columns;

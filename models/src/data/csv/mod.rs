//! Data from tables (text and Parquet), one kind per file of this folder, all read by [`Rows`].

mod blanks;
mod cells;
mod counts;
mod examples;
mod factors;
mod file;
mod layout;
mod longitudinal;
mod missing;
mod parquet;
mod reader;
mod responses;
mod schema;
mod table;

pub use cells::{is_index, is_missing, is_numeric};
pub use counts::{Arrangement, CountsFile, read_counts};
pub use examples::{read_csv, read_csv_files};
pub use factors::Factors;
pub use fedbits_spec::laws::Column;
pub use file::CsvFile;
pub use longitudinal::{Doses, LongitudinalFile, ObservedRows, read_longitudinal};
pub use missing::{DeclaredMissing, Filling, MissingObservations, MissingValues};
pub use reader::{Row, Rows};
pub use responses::{ResponsesFile, read_responses};
pub use schema::{Columns, Role, TableSchema, titled};

//! The Python module `fedbits._fedbits`: what the package `fedbits` is made of. It runs scenarios, gives
//! tables as Arrow data, and lets models, compressors, protocols and tables of Python stand in scenarios.

mod arrays;
mod caveats;
mod compressor;
mod error;
mod figures;
mod fork;
mod frame;
mod inside;
mod model;
mod objects;
mod play;
mod protocol;
mod results;
mod table;
mod texts;

use std::ffi::OsString;

use pyo3::prelude::*;

fn app() -> fedbits::App {
    fedbits::App::new()
        .data_source::<table::PythonTable>()
        .model::<model::PythonModel>()
        .compressor::<compressor::PythonCompressor>()
        .protocol::<protocol::PythonProtocol>()
        .protocol::<protocol::PythonPeerProtocol>()
}

/// Does what the command line does with these arguments, of which the first is the name of the program, and ends the
/// process.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) {
    std::process::exit(i32::from(py.detach(|| fedbits::App::new().main_with(arguments.into_iter()))))
}

#[pymodule]
mod _fedbits {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::error::{FedbitsError, OutsideDomain, ScenarioError};
    #[pymodule_export]
    use crate::figures::report;
    #[pymodule_export]
    use crate::frame::{Frame, compare, table_of_json};
    #[pymodule_export]
    use crate::inside::left;
    #[pymodule_export]
    use crate::main;
    #[pymodule_export]
    use crate::objects::{Handle, keep_part};
    #[pymodule_export]
    use crate::play::{claims, run, verify};
    #[pymodule_export]
    use crate::protocol::{ClientData, CohortData, CommonProblem, Updates};
    #[pymodule_export]
    use crate::results::OpenResults;
    #[pymodule_export]
    use crate::table::{keep_table, table_of};
    #[pymodule_export]
    use crate::texts::{arms, field_help, level, library};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The parts are registered for the whole process.
        drop(crate::app());
        crate::fork::imported();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("MOST_THREADS", fedbits::MOST_THREADS)
    }
}

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
fn _fedbits(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The parts are registered for the whole process.
    drop(app());
    fork::imported();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MOST_THREADS", fedbits::MOST_THREADS)?;
    inside::add(module)?;
    error::add(module)?;
    objects::add(module)?;
    protocol::add(module)?;
    table::add(module)?;
    module.add_class::<frame::Frame>()?;
    module.add_class::<play::Claimed>()?;
    module.add_class::<results::OpenResults>()?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(play::claims, module)?)?;
    module.add_function(wrap_pyfunction!(play::run, module)?)?;
    module.add_function(wrap_pyfunction!(play::verify, module)?)?;
    module.add_function(wrap_pyfunction!(frame::table_of_json, module)?)?;
    module.add_function(wrap_pyfunction!(frame::compare, module)?)?;
    module.add_function(wrap_pyfunction!(figures::report, module)?)?;
    module.add_function(wrap_pyfunction!(texts::arms, module)?)?;
    module.add_function(wrap_pyfunction!(texts::field_help, module)?)?;
    module.add_function(wrap_pyfunction!(texts::level, module)?)?;
    module.add_function(wrap_pyfunction!(texts::library, module)?)?;
    Ok(())
}

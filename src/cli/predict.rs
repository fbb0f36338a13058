//! `fedbits predict`: what a fitted model says of further data.

use crate::cli::args::PredictOptions;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::predict as fitted;

/// Writes the rows of a file with what the model says of each.
pub(crate) fn predict(options: &PredictOptions) -> Result<(), Failure> {
    let model = fitted::model(&options.model)?;
    if let Some(out) = options.out.as_ref().filter(|out| out.exists()) {
        let path = out.display();
        return Err(Failure::Input(format!("{path} is there already: expected the name of a file that is not")));
    }
    let table = fitted::predict(&model, &options.data, options.delimiter)?;
    match &options.out {
        Some(out) => Ok(fedbits_record::write_whole(out, &table)?),
        None => output::print(String::from_utf8_lossy(&table)),
    }
}

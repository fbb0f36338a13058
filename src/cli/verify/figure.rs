//! `fedbits verify FIGURE --runs DIR`: is the figure what these runs give; with `--rerun` also: are the runs what their scenarios
//! give.

use fedbits_reports::{Finding, verify as compare};

use crate::cli::args::VerifyOptions;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Talk;

/// Verifies a figure or a table.
pub fn verify(options: &VerifyOptions, talk: &Talk) -> Result<(), Failure> {
    let path = options.path.display();
    if options.runs.is_empty() {
        return Err(Failure::Input(format!(
            "{path} is compared with the runs it was made of: name them by --runs DIR"
        )));
    }
    let finding = compare(&options.path, &options.runs)?;
    options.runs.iter().try_for_each(|folder| crate::cli::study::tell_state_of(folder, talk))?;
    let verdict = match &finding {
        Finding::Same(runs) => {
            output::line(format_args!("{path}  same  what {runs} runs give, to the last byte"))?;
            Ok(())
        }
        Finding::OtherRuns { figure, given } => {
            let words = |(runs, digest): &(usize, String)| {
                format!("{runs} runs with digest {}", &digest[..16.min(digest.len())])
            };
            output::line(format_args!(
                "{path}  DIFFERENT  it was made of {}, these are {}",
                words(figure),
                words(given)
            ))?;
            Err(Failure::Run("the figure was made of other runs".to_owned()))
        }
        Finding::Changed { version } => {
            let why = match version {
                Some(version) => format!("it was made by version {version}"),
                None => "the file, or a record, was changed after it was made".to_owned(),
            };
            output::line(format_args!("{path}  DIFFERENT  it names these runs and is not what they give: {why}"))?;
            Err(Failure::Run("the figure is not what these runs give".to_owned()))
        }
    };
    if options.rerun {
        options.runs.iter().try_for_each(|folder| super::runs(folder, options, talk))?;
    }
    verdict
}

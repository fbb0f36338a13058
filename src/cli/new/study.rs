//! `fedbits new study` over a scenario or a table: axes that the scenario can have, checked before it is written.

use super::target::Target;
use super::{scenario_text, written_base};
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::scenario::Scenario;
use crate::texts::filled;

/// The name of a scenario with axes that is to be written over a base, by default `quickstart`, or a table; it is
/// called `study` without one.
pub(super) fn name_of(options: &NewOptions) -> Option<&str> {
    options.words.first().filter(|word| *word == "study").and(options.words.last()).map(String::as_str)
}

/// Writes NAME.ron over the base; for a table first the scenario NAME-fit.ron, which is its base.
pub(super) fn new(name: &str, options: &NewOptions, console: &Console) -> Result<(), Failure> {
    let target = Target::of(name)?;
    target.check_free()?;
    let Some(data) = &options.data else {
        let base = options.base.as_deref().unwrap_or("quickstart");
        let written = written_base(base, name)?;
        return target.write(&over(&written, &target, &Scenario::load(base)?)?, console);
    };
    let fit = Target::of(&format!("{}-fit", name.trim_end_matches(".ron")))?;
    fit.check_free()?;
    let text = scenario_text::for_table(data, &fit, options, console)?;
    fit.write(&text, console)?;
    let file = fit.path.display().to_string();
    let written = format!("{}.ron", fit.stem);
    let made = Scenario::load(&file).map_err(Failure::from).and_then(|base| over(&written, &target, &base));
    made.and_then(|text| target.write(&text, console)).inspect_err(|_| {
        // Without the scenario over it, it is not what was asked for.
        let _ = std::fs::remove_file(fit.path);
    })
}

/// Axes that are tried, the one that says most first: what they vary, and their text.
const AXES: &str = include_str!("axes.template");

/// The text of a scenario whose base is written as `written`, with the first of the axes that this base can have.
fn over(written: &str, target: &Target, base: &Scenario) -> Result<String, Failure> {
    let arms = base.arms()?;
    let stops_at = arms.first().and_then(|arm| arm.checked.scenario.stop.mean_field_sq);
    let targets = stops_at.map_or_else(String::new, |value| format!("MeanFieldSq({value:e})"));
    let mut last = Failure::Input("there is nothing to vary".to_owned());
    for (what, axes) in AXES.split("\n\n").filter_map(|axes| axes.split_once(":\n")) {
        let axes: String = axes.lines().map(|line| format!("{line}\n")).collect();
        let values = [
            ("what", what.to_owned()),
            ("file", target.stem.clone()),
            ("name", format!("{:?}", target.stem)),
            ("base", format!("{written:?}")),
            ("axes", axes),
            ("targets", targets.clone()),
        ];
        let (text, folder) = (filled(include_str!("study.template"), &values), target.folder().to_path_buf());
        match Scenario::from_text_in(&target.path.display().to_string(), &text, Some(folder)).runs() {
            Ok(_) => return Ok(text),
            Err(error) => last = Failure::from(error).about("no scenario with axes over this one"),
        }
    }
    Err(last)
}

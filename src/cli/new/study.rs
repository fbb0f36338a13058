//! `fedbits new study` over a scenario or a table: axes that the scenario can have, checked before it is written.

use super::target::Target;
use super::{scenario_text, written_base};
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::scenario::Scenario;

/// The name of a scenario with axes that is to be written over a base, by default `quickstart`, or a table; it is
/// called `study` without one.
pub(super) fn name_of(options: &NewOptions) -> Option<&str> {
    match &options.words[..] {
        [word] if word == "study" => Some(word),
        [word, name] if word == "study" => Some(name),
        _ => None,
    }
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
const AXES: [(&str, &str); 4] = [
    (
        "how updates are compressed",
        "        Grid(
            path: \"protocol.compressor\",
            values: [\"Identity\", \"Qsgd(levels: 127, code: Fixed)\", \"Qsgd(levels: 7, code: Fixed)\"],
            labels: [\"none\", \"8 bit\", \"4 bit\"],
        ),
        // A second axis: all combinations of both are arms.
        // Grid(path: \"protocol.participation\", values: [\"All\", \"Bernoulli(0.5)\"], labels: [\"all\", \"half\"]),
",
    ),
    (
        "how fast uplinks are",
        "        Grid(path: \"network.client_up\", values: [\"1 Mbps\", \"10 Mbps\"]),
",
    ),
    (
        "the start",
        "        Grid(
            path: \"initial\",
            values: [\"KMeansPlusPlus()\", \"RandomExamples\"],
            labels: [\"k-means++\", \"random\"],
        ),
",
    ),
    ("nothing but the seed", ""),
];

/// The text of a scenario whose base is written as `written`, with the first of the axes that this base can have.
fn over(written: &str, target: &Target, base: &Scenario) -> Result<String, Failure> {
    let arms = base.arms()?;
    let stops_at = arms.first().and_then(|arm| arm.checked.scenario.stop.mean_field_sq);
    let targets = stops_at.map_or_else(String::new, |value| format!("MeanFieldSq({value:e})"));
    let mut last = Failure::Input("there is nothing to vary".to_owned());
    for (what, axes) in AXES {
        let text = text(&target.stem, written, what, axes, &targets);
        let folder = Some(target.folder().to_path_buf());
        match Scenario::from_text_in(&target.path.display().to_string(), &text, folder).runs() {
            Ok(_) => return Ok(text),
            Err(error) => last = Failure::from(error).about("no scenario with axes over this one"),
        }
    }
    Err(last)
}

fn text(name: &str, base: &str, what: &str, axes: &str, targets: &str) -> String {
    format!(
        "// A scenario of fedbits, written by `fedbits new study`: it varies {what}.
// `fedbits check {name}.ron` says what it costs, `fedbits run {name}.ron` runs it, and `fedbits compare out/{name}`
// compares the arms.
// `fedbits new NAME` writes one that explains every field.
(
    name: {name:?},
    base: {base:?},
    arms: [],   // those of the base are not used

    // The arms are all combinations of the axes' levels; any setting can be varied, by its path.
    axes: [
{axes}    ],

    // Replicate r of every arm meets the same data and the same environment; intervals need at least 3.
    replicates: 10,

    // Bits, time and rounds to each of these are measured and compared.
    targets: [{targets}],
)
"
    )
}

//! The scenario that is written for a table of a user's: commented, and checked before it is written.

use std::fmt::Write as _;
use std::path::Path;

use super::proposal::{Mixture, Proposal, propose};
use super::questions::Questions;
use super::table_file::{ROWS, TableFile, look};
use super::target::Target;
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::executor::prepare;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::{Scenario, check_fit};

/// Looks at the table, proposes, and gives the text of a scenario that can be run.
///
/// # Errors
/// A table that cannot be used, with the place and the reason.
pub(super) fn for_table(
    data: &Path,
    target: &Target,
    options: &NewOptions,
    console: &Console,
) -> Result<String, Failure> {
    let table = look(data)?;
    let cut = if table.cut { format!("the first {ROWS} of more") } else { table.rows.to_string() };
    let header = if table.header { "with a header" } else { "without a header" };
    console.message(&format!("{}: {cut} rows, {} columns, {header}", data.display(), table.columns.len()));
    let proposal = propose(&table, &mut Questions::new(options.yes, console))?;
    let path = seen_from(target.folder(), data)?;
    match &proposal {
        Proposal::Mixture(mixture) => {
            for (index, why) in &mixture.unused {
                let column = &table.columns[*index];
                console.message(&format!("left out: {} ({})", column.title(), why.why(column)));
            }
            first_that_runs(
                target,
                STARTS.iter().map(|start| of_mixture(&table, mixture, &path, (target.stem(), start))),
            )
        }
        Proposal::Curves { columns, subjects, clients } => {
            let text = of_curves(&table, (*columns, *subjects, *clients), &path, target.stem());
            first_that_runs(target, std::iter::once(text))
        }
    }
}

/// The first of the texts that can be prepared: clusters of a start may have no spread.
fn first_that_runs(target: &Target, texts: impl Iterator<Item = String>) -> Result<String, Failure> {
    let folder = std::path::absolute(target.folder()).map_err(|error| Failure::file(target.folder(), &error))?;
    let mut last = Failure::Input("there is nothing to propose".to_owned());
    for text in texts {
        let scenario = Scenario::from_text_in(&format!("{}.ron", target.stem()), &text, folder.clone());
        let (arms, machine) = (scenario.arms()?, RunOptions::default());
        let mut preparer = machine.preparer(&arms[0].folders(&machine));
        check_fit("proposed scenario", &mut preparer, arms.iter().map(|arm| &arm.checked))?;
        match prepare(&mut preparer, &arms[0].checked) {
            Ok(_) => return Ok(text),
            Err(error) => last = Failure::from(error).about("these data do not fit what was proposed"),
        }
    }
    Err(last)
}

/// Covariances and starts of a mixture that are tried, the one that says most first.
const STARTS: [[&str; 2]; 3] = [
    ["Diagonal", "KMeans(iterations: 20, restarts: 5)"],
    ["Diagonal", "KMeansPlusPlus()"],
    ["Tied", "KMeansPlusPlus()"],
];

/// The path of the table as the scenario says it: as it was typed where the scenario lies here, else in full.
fn seen_from(folder: &Path, data: &Path) -> Result<String, Failure> {
    let path = if folder == Path::new(".") {
        data.to_path_buf()
    } else {
        std::path::absolute(data).map_err(|error| Failure::file(data, &error))?
    };
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::Input(format!("{} is not UTF-8: a scenario cannot name it", path.display())))
}

/// A column as a scenario names it.
fn column(table: &TableFile, index: usize) -> String {
    let name = &table.columns[index].name;
    let unique = table.columns.iter().filter(|column| column.name == *name).count() == 1;
    if table.header && unique { format!("Name({name:?})") } else { format!("Index({index})") }
}

/// What a comment may say of a name: one line.
fn comment(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn of_mixture(table: &TableFile, mixture: &Mixture, path: &str, (name, start): (&str, &[&str; 2])) -> String {
    let of = |index: usize| column(table, index);
    let features: Vec<String> = mixture.features.iter().map(|&index| of(index)).collect();
    let mut text = format!(
        "// Written by `fedbits new` after a look at the table; change what is not meant.\n\
         // `fedbits check {0}.ron` says what a run costs, `fedbits run {0}.ron` runs it.\n\
         (\n    name: {name:?},\n    about: \"A mixture of Gaussians by FedEM, with and without compression.\",\n\n",
        comment(name)
    );
    for (index, why) in &mixture.unused {
        let column = &table.columns[*index];
        let _ = writeln!(text, "    // Left out: {} ({}).", comment(&column.title()), comment(&why.why(column)));
    }
    let _ = writeln!(text, "    data: Csv(\n        path: {path:?},\n        header: {},", table.header);
    let _ = writeln!(text, "        columns: Columns([{}]),", features.join(", "));
    if let Some(label) = mixture.label {
        let _ = writeln!(
            text,
            "        label: {},   // for measuring and for the partition; EM does not see it",
            of(label)
        );
    }
    if let Some(client) = mixture.client {
        let _ = writeln!(text, "        client: {},", of(client));
    }
    if table.delimiter != ',' {
        let _ = writeln!(text, "        delimiter: {:?},", table.delimiter);
    }
    text += STANDARDIZED;
    match (mixture.client, mixture.label) {
        (Some(_), _) => text += "    // As many clients as the column names.\n    partition: ClientColumn,\n",
        (None, label) => {
            let _ = writeln!(text, "    clients: {},", mixture.clients);
            let more = if label.is_some() { "; with labels also Dirichlet(alpha: 0.3), SortedByLabel" } else { "" };
            let _ = writeln!(text, "    partition: Iid,   // every client sees alike{more}");
        }
    }
    let _ = writeln!(
        text,
        "    // covariance: Tied (one for all), Diagonal, Full (a matrix for each).\n    \
         model: GaussianMixture(components: {}, covariance: {}),\n    initial: {},\n",
        mixture.components, start[0], start[1]
    );
    text += FEDEM;
    text
}

/// The end of the data, and their preparation.
const STANDARDIZED: &str = "    ),
    // Every feature with mean 0 and standard deviation 1: over all clients together, which a federation
    // would have to find out first.
    preprocess: [Standardize],

";

/// The rest of a scenario of FedEM.
const FEDEM: &str = "    protocol: FedEm(
        gamma: Constant(0.1),               // the server's step, in (0, 1]
        participation: All,                 // Bernoulli(0.5): half of the clients in a round
        domain: SkipRound,                  // a step out of the model's domain is left out, and counted
    ),
    // Rates and latencies are guesses: put yours.
    network: Star(client_up: Mbps(1), client_down: Mbps(10), latency: Ms(40)),
    stop: (rounds: 300, mean_field_sq: 1e-8),
    record: (every: 1, probe_every: 5, theta: true),

    arms: [
        (name: \"whole\"),
        (name: \"dithering-4\", set: {\"protocol.compressor\": \"Dithering(levels: 4)\"}),
    ],
)
";

fn of_curves(
    table: &TableFile,
    (columns, subjects, clients): ([usize; 3], usize, u64),
    path: &str,
    name: &str,
) -> String {
    let [subject, time, value] = columns.map(|index| column(table, index));
    let (level, spread) = level(table, columns[2]);
    let delimiter = if table.delimiter == ',' { String::new() } else { format!(" delimiter: {:?},", table.delimiter) };
    format!(
        "// Written by `fedbits new` after a look at the table; change what is not meant.
// `fedbits check {0}.ron` says what a run costs, `fedbits run {0}.ron` runs it.
(
    name: {name:?},
    about: \"A straight line per subject by FL-SAEM: {subjects} subjects.\",

    data: Longitudinal(
        path: {path:?}, header: {header},{delimiter}
        subject: {subject}, time: {time}, value: {value},
        // After doses: doses: Rows(amount: Name(\"amt\")), with the curve OneCompartmentOral().
    ),
    clients: {clients},
    // Polynomial(degree: 2): a parabola; effects: Diagonal: independent parameters.
    model: MixedEffects(curve: Polynomial(degree: 1), effects: Full),
    // Where the fit starts: typical values of intercept and slope, their deviations between subjects, the residual's.
    initial: Typical(values: [{level:?}, 0], deviations: [{spread:?}, {spread:?}], sigma: {spread:?}),

    protocol: FlSaem(
        gain: Constant(1),                  // exact E-steps need no averaging; with Sample(…): Saem(k1: 100)
        local: Expect,                      // or Sample(kernel: RandomWalk())
        domain: Clip(floor: 1e-4),
    ),
    // Rates and latencies are guesses: put yours.
    network: Star(client_up: Mbps(1), client_down: Mbps(10), latency: Ms(40)),
    stop: (rounds: 200),
    record: (every: 1, probe_every: 10, theta: true),
)
",
        comment(name),
        header = table.header,
    )
}

/// Mean and standard deviation of a column, to two digits: of its different values where these are counted.
fn level(table: &TableFile, index: usize) -> (f64, f64) {
    let values = table.columns[index].values.iter().flatten();
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (value, times) in values.filter_map(|(text, times)| Some((text.parse::<f64>().ok()?, *times as f64))) {
        count += times;
        sum += times * value;
        squares += times * value * value;
    }
    if count == 0.0 {
        return (0.0, 1.0);
    }
    let mean = sum / count;
    let spread = (squares / count - mean * mean).max(0.0).sqrt();
    let short = |value: f64| crate::cli::table::number::significant(value, 2).parse().unwrap_or(value);
    (short(mean), if spread > 0.0 { short(spread) } else { 1.0 })
}

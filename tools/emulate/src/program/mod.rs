//! The program: plays the arms of a scenario over sockets, one after the other, compares them with their simulations,
//! prints a summary of each and whether their ranking survives, and writes all transfers to `transfers.csv` and the
//! ranking to `ranking.csv`.

mod comparison;
mod play;
mod ranking;
mod run;
mod setup;
mod summary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fedbits::{Error, Scenario};
use fedbits_record::results::PlanTarget;
use fedbits_record::{write_new, write_whole};
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::schema::Target;
use fedbits_scenarios::{Set, Source, load_resolved};
use fedbits_spec::{so_many, threads};
use serde::Serialize;

use self::comparison::Comparison;
use self::ranking::{ArmOrder, ArmRuns};
use self::run::{Arm, MeasuredRun, Simulated};
use self::summary::Found;

/// Rounds that are played where nobody says how many.
const ROUNDS: u64 = 20;
const TABLE: &str = "transfers.csv";
const RANKING: &str = "ranking.csv";

/// Runs a scenario over real TCP sockets on this machine, and compares its times with the simulated ones.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// A scenario file, or the name of a built-in scenario (`fedbits list`).
    scenario: String,
    /// A new or empty folder for `transfers.csv` and, of several arms, `ranking.csv`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Change a setting, for example `--set seed=7`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<Set>,
    /// Play this arm; may be repeated. Default: all.
    #[arg(long, value_name = "NAME")]
    arm: Vec<String>,
    /// Rounds to play of each arm. Default: as the arm says, but at most 20.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: Option<u64>,
    /// How often each arm is played, with other packet losses each time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    repeat: u32,
    /// Replicates of each arm that are played, from the scenario's `replicate` on.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    replicates: u64,
    /// Refuse what takes longer in the simulation, and end a run that takes longer.
    #[arg(
        long, value_name = "SECONDS", default_value_t = 120,
        value_parser = clap::value_parser!(u64).range(1..=86_400)
    )]
    max_seconds: u64,
}

/// Runs the program with the arguments of the process. Its exit codes are those of `fedbits`.
pub(crate) fn main() -> ExitCode {
    match emulate(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fedbits-emulate: {error}");
            ExitCode::from(match error {
                Error::Run(_) => 1,
                Error::File { .. } | Error::Record(_) => 74,
                _ => 2,
            })
        }
    }
}

fn emulate(options: &Options) -> Result<(), Error> {
    threads::shared(None);
    let arms = arms(options)?;
    check_empty(&options.out)?;
    let mut preparer = Preparer::new(folders(&options.scenario), false);
    let simulated: Vec<Simulated> =
        arms.iter().map(|arm| play::simulate(arm, &mut preparer)).collect::<Result<_, _>>()?;
    check_duration(&simulated, options)?;
    let (mut rows, mut failures, mut trials) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (arm, simulated)) in arms.iter().zip(&simulated).enumerate() {
        eprintln!("{}: {:.1} s in the simulation", arm.name, simulated.run.seconds());
        let found = compare(arm, simulated, &mut preparer, options)?;
        rows.extend(found.comparison.transfers.iter().cloned());
        // Written after each arm: one that fails or is killed loses nothing of those before it.
        write(&options.out, TABLE, &rows, index == 0)?;
        print!("{}", found.text());
        found.notices().iter().for_each(|notice| eprintln!("{}: {notice}", arm.name));
        failures.extend(found.failure());
        trials.push(ArmRuns::new(&arm.arm, &simulated.run, &found.measured));
    }
    if let Some(ranking) = ArmOrder::of(&trials, arms.first().and_then(|arm| arm.target.as_ref())) {
        print!("{}", ranking.text());
        write(&options.out, RANKING, &ranking.arms, true)?;
    }
    println!("{}", options.out.join(TABLE).display());
    if failures.is_empty() { Ok(()) } else { Err(Error::Run(failures.join("\n"))) }
}

/// The arms that are wanted, each with its rounds bounded.
fn arms(options: &Options) -> Result<Vec<Arm>, Error> {
    let changed = |scenario: Scenario, set: &Set| scenario.set(&set.path, &set.value);
    let scenario = options.set.iter().fold(Scenario::load(&options.scenario)?, changed);
    let arms = scenario.arms()?;
    if let Some(unknown) = options.arm.iter().find(|name| arms.iter().all(|arm| arm.name() != name.as_str())) {
        let known: Vec<&str> = arms.iter().map(fedbits::Arm::name).collect();
        let known = fedbits_text::one_of(&known);
        return Err(Error::Input(format!("the scenario has no arm `{unknown}`: expected {known}")));
    }
    let is_wanted = |arm: &&fedbits::Arm| options.arm.is_empty() || options.arm.iter().any(|name| name == arm.name());
    let target = scenario.targets()?.first().map(Target::planned);
    let of = |arm| (0..options.replicates).map(move |number| (arm, number));
    let wanted = arms.iter().filter(is_wanted).flat_map(of);
    wanted.map(|(arm, number)| checked(arm, options, (number, target.clone()))).collect()
}

/// The replicate of this number, from 0, of an arm; `target` is the first one of the scenario.
fn checked(arm: &fedbits::Arm, options: &Options, (number, target): (u64, Option<PlanTarget>)) -> Result<Arm, Error> {
    let loaded = load_resolved(Source::new(arm.name(), arm.text()));
    let loaded = loaded.map_err(|problems| Error::Problems { what: "scenario", problems })?;
    let mut checked = loaded.into_iter().next().ok_or_else(|| Error::Input("the scenario is empty".to_owned()))?;
    let stop = &mut checked.scenario.stop.rounds;
    *stop = options.rounds.or(Some(stop.map_or(ROUNDS, |stop| stop.min(ROUNDS))));
    let replicate = checked.scenario.replicate + number;
    checked.scenario.replicate = replicate;
    let several = options.replicates > 1;
    let name = if several { format!("{}, replicate {replicate}", arm.name()) } else { arm.name().to_owned() };
    Ok(Arm { arm: arm.name().to_owned(), name, checked, target })
}

/// Where data files are looked for: beside the scenario's file, and in `FEDBITS_DATA`.
fn folders(scenario: &str) -> DataFolders {
    let file = Some(Path::new(scenario)).filter(|path| path.is_file());
    DataFolders {
        scenario: file.and_then(Path::parent).map(Path::to_path_buf),
        variable: std::env::var_os("FEDBITS_DATA").map(PathBuf::from),
        ..DataFolders::default()
    }
}

fn check_empty(out: &Path) -> Result<(), Error> {
    match std::fs::read_dir(out).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::Input(format!("{} is not empty: expected a new or an empty folder", out.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(Error::File { path: out.to_path_buf(), source }),
    }
}

/// Refuses runs that together take too long.
fn check_duration(simulated: &[Simulated], options: &Options) -> Result<(), Error> {
    let once: f64 = simulated.iter().map(|simulated| simulated.run.seconds()).sum();
    let seconds = once * f64::from(options.repeat);
    let limit = options.max_seconds;
    if seconds <= limit as f64 {
        return Ok(());
    }
    let arms = so_many(simulated.len(), "arm");
    Err(Error::Input(format!(
        "the runs of {arms} take {seconds:.1} s in the simulation, and --max-seconds allows {limit}: choose fewer \
         --rounds, fewer --repeat, or --max-seconds {:.0}",
        seconds.ceil()
    )))
}

/// Runs an arm over sockets, as often as is wanted, and compares it with its simulation.
fn compare<'a>(
    arm: &'a Arm,
    simulated: &'a Simulated,
    preparer: &mut Preparer,
    options: &Options,
) -> Result<Found<'a>, Error> {
    let measure = |repeat| {
        eprintln!("  over sockets, {repeat} of {}", options.repeat);
        play::measure(arm, preparer, simulated, (repeat, options.max_seconds))
    };
    let measured: Vec<MeasuredRun> = (1..=options.repeat).map(measure).collect::<Result<_, _>>()?;
    let comparison = Comparison::of(&arm.name, simulated, &measured);
    Ok(Found { arm, simulated, measured, comparison })
}

/// Writes a table; `is_new`: it must not be there yet.
fn write(out: &Path, name: &str, rows: &[impl Serialize], is_new: bool) -> Result<(), Error> {
    let path = out.join(name);
    let failed = |source| Error::File { path: path.clone(), source };
    let mut table = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| table.serialize(row)).map_err(|error| failed(error.into()))?;
    let bytes = table.into_inner().map_err(|error| failed(error.into_error()))?;
    std::fs::create_dir_all(out).map_err(failed)?;
    if is_new {
        write_new(&path, &bytes)?
    } else {
        write_whole(&path, &bytes)?
    }
    Ok(())
}

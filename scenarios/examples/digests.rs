//! Prints the digests of scenarios, one line per arm, as `tests/scenarios/golden.txt` keeps them: scenario, arm, and the digests of
//! data, timeline and state. `.ci/run` builds it for other processors: it has everything that enters a digest and nothing of
//! the command line and the figures, which take most of the time to build.
//!
//! `cargo run --release -p fedbits-scenarios --example digests -- FILE…`

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Audience, run};
use fedbits_record::Recorder;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Source, load};

fn main() -> Result<(), Box<dyn Error>> {
    std::env::args().skip(1).try_for_each(|file| print_digests(Path::new(&file)))
}

fn print_digests(file: &Path) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let folder = file.parent().map(Path::to_path_buf);
    let mut preparer = Preparer::new(DataFolders { scenario: folder, ..DataFolders::default() }, false);
    for checked in load(Source::new(file.display().to_string(), text), &[]).map_err(|problems| problems.to_string())? {
        let prepared = preparer.prepare(&checked.scenario)?;
        let recorder = Recorder::nothing(Journal::columns(prepared.experiment.protocol.subject(), false, false));
        let digests = run(prepared.experiment, recorder, Audience::default(), &AtomicBool::new(false)).digests;
        let name = checked.scenario.name;
        let arm = checked.arm.unwrap_or_else(|| name.clone());
        println!("{name} {arm} {} {} {}", digests.data, digests.timeline, digests.state);
    }
    Ok(())
}

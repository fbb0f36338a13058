//! Prints the digests of scenarios, one line per arm, as `tests/scenarios/golden.txt` keeps them: scenario, arm, and
//! the digests of data, timeline and state. `.ci/run` builds it for other processors: it has everything that enters a
//! digest and nothing of the command line and the figures, which take most of the time to build.
//!
//! `cargo run --release -p fedbits-scenarios --example night -- digests FILE…`
//!
//! Without files it simulates the scenarios of the library in small versions and compares their digests with the golden
//! ones. Real data are looked for in the folder that `FEDBITS_DATA` names.

use std::error::Error;
use std::path::Path;

use crate::small;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Source, load};

pub fn main(files: &[String]) -> Result<(), Box<dyn Error>> {
    if files.is_empty() {
        return compare_library();
    }
    files.iter().try_for_each(|file| print_digests(Path::new(file)))
}

fn print_digests(file: &Path) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let folder = file.parent().map(Path::to_path_buf);
    let mut preparer = Preparer::new(DataFolders { scenario: folder, ..DataFolders::default() }, false);
    for checked in load(Source::new(file.display().to_string(), text), &[]).map_err(|problems| problems.to_string())? {
        print!("{}", small::line(&checked.scenario.name, &checked, &mut preparer)?);
    }
    Ok(())
}

fn compare_library() -> Result<(), Box<dyn Error>> {
    let mut differ = 0;
    for (name, cut) in small::cuts() {
        match small::digests(&name, &cut, false)? {
            None => println!("{name}: SKIPPED, because its data are not in the folder FEDBITS_DATA"),
            Some(lines) if lines == small::golden(&name) => println!("{name}: as in the golden file"),
            Some(lines) => {
                differ += 1;
                println!("{name}: differs\ngolden:\n{}here:\n{lines}", small::golden(&name));
            }
        }
    }
    if differ == 0 { Ok(()) } else { Err(format!("{differ} scenarios differ").into()) }
}

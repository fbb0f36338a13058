//! The files that worlds read: those of the golden scenarios, and one of every other kind. What stands in them are the
//! words that texts of worlds are drawn from.

use std::fs;
use std::io;
use std::path::Path;

/// Where the golden scenarios are.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/scenarios");

/// Puts the files into a folder.
///
/// # Errors
/// A file that cannot be read or written.
pub fn settle(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(GOLDEN)? {
        let path = entry?.path();
        let is_data = path.extension().is_some_and(|ending| ["csv", "dat", "gml"].iter().any(|known| ending == *known));
        if let (true, Some(name)) = (is_data, path.file_name()) {
            fs::copy(&path, folder.join(name))?;
        }
    }
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let pixels = (0..20 * 4).map(|pixel| (pixel * 37 % 251) as u8).collect();
    let labels = (0..20).map(|label| (label % 3) as u8).collect();
    let sparse: String =
        (0..24).map(|row| format!("{} 1:{} 2:{} 3:{}\n", row % 2, row % 5, row % 7, row % 3)).collect();
    let rates: String =
        (0..12).map(|row| format!("{},{},{},{}\n", ["a", "b"][row / 6], row % 4, 5 + row, 20 + row)).collect();
    let holes: String = (0..30).map(holed).collect();
    let counts: String = (0..8).map(|row| format!("s{row},{},{},NA,{}\n", row % 3, row, row % 2)).collect();
    let long: String = (0..40)
        .map(|row| format!("s{},{},{},o{},{}\n", row % 8, 2001 + row % 3, 1 + row % 12, row % 5, row % 6))
        .collect();
    let files: [(&str, Vec<u8>); 12] = [
        ("images.idx", [words(&[2051, 20, 2, 2]), pixels].concat()),
        ("labels.idx", [words(&[2049, 20]), labels].concat()),
        ("sparse.libsvm", sparse.into_bytes()),
        ("rates.csv", format!("trace,up,down,rtt\n{rates}").into_bytes()),
        ("holes.csv", format!("x,y,colour,class,site\n{holes}").into_bytes()),
        ("wide.csv", format!("site,v1,v2,v3,who\n{counts}").into_bytes()),
        ("long.csv", format!("site,year,month,who,count\n{long}").into_bytes()),
        ("words.txt", (0..16).map(|word| format!("w{word}\n")).collect::<String>().into_bytes()),
        ("array.npy", include_bytes!("../../../../tests/golden/arrays/little-f8-C.npy").to_vec()),
        ("arrays.npz", include_bytes!("../../../../tests/golden/arrays/only.npz").to_vec()),
        ("doses.csv", DOSES.as_bytes().to_vec()),
        ("model.json", MODEL.as_bytes().to_vec()),
    ];
    files.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))
}

/// A row of a table with holes, texts, labels and clients.
fn holed(row: usize) -> String {
    let number = |factor: usize| format!("{:.2}", (row * factor % 17) as f64 / 4.0 - 2.0);
    let y = if row % 9 == 4 { String::new() } else { number(5) };
    format!("{},{y},{},{},{}\n", number(7), ["red", "green", "blue"][row % 3], row % 2, ["n", "s", "w"][row % 3])
}

/// Concentrations after one dose, which stands in every row.
const DOSES: &str = "id,time,dose,dv\n1,0.5,100,1.9\n1,2,100,3.5\n1,6,100,2.4\n2,0.5,100,2.1\n2,2,100,3.3\n2,6,100,2.5\n\
    3,0.5,100,1.8\n3,2,100,3.6\n3,6,100,2.2\n4,0.5,100,2.0\n4,2,100,3.1\n4,6,100,2.6\n";

/// The model that a run of the golden scenario `table` leaves.
const MODEL: &str = include_str!("model.json");

/// The words in the files of a folder, and the files' names.
///
/// # Errors
/// A folder that cannot be read.
pub fn words(folder: &Path) -> io::Result<Vec<String>> {
    let mut words = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    for path in paths {
        words.extend(path.file_name().and_then(|name| name.to_str()).map(str::to_owned));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let header =
            text.lines().next().filter(|line| path.extension().is_some_and(|it| it == "csv") && line.contains(','));
        words.extend(header.into_iter().flat_map(|line| line.split(',')).map(str::to_owned));
    }
    words.extend(["a", "b", "c", "s0", "s1", "north", "latency"].map(str::to_owned));
    words.dedup();
    Ok(words)
}

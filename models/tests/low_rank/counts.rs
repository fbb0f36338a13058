//! Counts: files of both arrangements, what is wrong with them, held-out observations, the generator.

use fedbits_models::data::counts::CountTable;
use fedbits_models::data::csv::{Arrangement, Column, CountsFile, read_counts};
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::visits::Visits;
use fedbits_models::data::{FileError, Remarks};
use fedbits_models::low_rank::Family;
use fedbits_random::Streams;
use fedbits_spec::Caveat;

fn name(name: &str) -> Column {
    Column::Name(name.to_owned())
}

fn read(text: &str, site: &str, arrangement: Arrangement) -> Result<CountTable, FileError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).expect("a file");
    let options = CountsFile {
        path: String::new(),
        header: Some(true),
        site: name(site),
        arrangement,
        held_out: 0.0,
        delimiter: Some(','),
        missing_values: Vec::new(),
    };
    read_counts(&path, &options, |x| Family::Poisson.values().refuses(x), &Remarks::default(), MemoryLimit::default())
}

fn long(text: &str) -> Result<CountTable, FileError> {
    let time = vec![name("year"), name("month")];
    read(text, "site", Arrangement::Long { time, count: name("count"), observer: Some(name("who")) })
}

/// Times in numeric order of (year, month), sites as they appear, missing counts left out but their sites and times
/// kept.
#[test]
fn long_files() {
    let table = long("site,year,month,who,count\nb,2001,10,x,3\na,2001,2,y,0\na,2000,12,x,\nc,2001,10,z,?\n").unwrap();
    assert_eq!(table.sites, ["b", "a", "c"]);
    assert_eq!(table.times, ["2000-12", "2001-2", "2001-10"]);
    assert_eq!(table.data.rows(), [0.0, 2.0, 3.0, 1.0, 1.0, 0.0]);
    assert_eq!(table.data.groups(), Some(&[0, 1][..]));
    assert_eq!((table.observers, table.fewest_matrices()), (2, 1));
    assert_eq!(table.observed_cells(), [0, 1, 1]);
}

#[test]
fn wide_files() {
    let arrangement = Arrangement::Wide { counts: vec![name("v1"), name("v2")], observers: vec![name("who")] };
    let table = read("site,who,v1,v2\n7,9,1,2\n3,8,,4\n", "site", arrangement).unwrap();
    // Without the `v` that all names begin with.
    assert_eq!(
        (table.sites, table.times),
        (vec!["3".to_owned(), "7".to_owned()], vec!["1".to_owned(), "2".to_owned()])
    );
    assert_eq!(table.data.rows(), [1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 0.0, 1.0, 4.0]);
    assert_eq!(table.data.groups(), Some(&[1, 1, 0][..]));
}

/// What says that a count is missing may be a name elsewhere, and two names may be one number.
#[test]
fn names_may_look_like_gaps() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "site,year,who,count\na,1,x,1\nNA,1,7,2\nNA,?,7.0,3\na,1,NA,NA\n").expect("a file");
    let arrangement = Arrangement::Long { time: vec![name("year")], count: name("count"), observer: Some(name("who")) };
    let options = CountsFile {
        path: String::new(),
        header: None,
        site: name("site"),
        arrangement,
        held_out: 0.0,
        delimiter: None,
        missing_values: Vec::new(),
    };
    let remarks = Remarks::default();
    read_counts(&path, &options, |_| None, &remarks, MemoryLimit::default()).expect("counts");
    let of = |name, what, count| {
        format!("`{name}` is read as the name of {what}, for {count} of 3 counts, not as a missing value")
    };
    let order = "times are in order of first appearance: `?` is neither a number nor a date like the others \
                 (`2021-03-01`)";
    let twice = "`7` and `7.0` are two observers, though they are the same number";
    let expected = [of("NA", "a site", 2), of("?", "a time", 1), twice.to_owned(), order.to_owned()];
    assert_eq!(Caveat::sentences(&remarks.into_parts().1), expected);
}

/// A time is known by its name, as in `fedbits predict`.
#[test]
fn times_have_different_names() {
    let arrangement = Arrangement::Wide { counts: vec![Column::Index(1), Column::Index(2)], observers: Vec::new() };
    let error = read("site,y1,y1\na,1,2\n", "site", arrangement).expect_err("one name").to_string();
    assert!(error.ends_with("t.csv: columns 1 and 2 are both called `y1`: expected another name for each"), "{error}");
}

/// Rows come by site; times are in the order of time all the same.
#[test]
fn times_are_in_their_own_order() {
    let by_day = || Arrangement::Long { time: vec![name("day")], count: name("count"), observer: None };
    let rows = "site,day,count\na,2021-03-01,1\na,2021-01-01,2\nb,2021-02-01,3\nb,2020-12-01,4\n";
    let table = read(rows, "site", by_day()).unwrap();
    assert_eq!(table.times, ["2020-12-01", "2021-01-01", "2021-02-01", "2021-03-01"]);
    assert_eq!(table.data.rows(), [0.0, 3.0, 1.0, 0.0, 1.0, 2.0, 1.0, 2.0, 3.0, 1.0, 0.0, 4.0]);
    // Months without zeros before them, and days first: their texts have no order of time.
    for rows in ["a,2020-2,1\na,2020-10,2\n", "a,31/01/2021,1\na,01/02/2021,2\n"] {
        let in_file: Vec<&str> = rows.lines().map(|row| row.split(',').nth(1).unwrap()).collect();
        assert_eq!(read(&format!("site,day,count\n{rows}"), "site", by_day()).unwrap().times, in_file);
    }
    // Two times of one name are no times that a fitted model could tell apart.
    let error =
        long("site,year,month,who,count\na,2020-1,1,x,10\na,2020,1-1,x,30\n").expect_err("one name").to_string();
    assert!(error.contains("t.csv: two times become `2020-1-1`"), "{error}");
}

/// File, line and column of what is wrong.
#[test]
fn errors_say_where() {
    let message = |text: &str| {
        let text = long(text).expect_err("a bad file").to_string();
        text.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let head = "site,year,month,who,count\n";
    let expected = "t.csv:3: column `count`: expected a count 0, 1, 2, …, found `1.5`";
    assert_eq!(message(&format!("{head}b,2001,10,x,3\nb,2001,11,x,1.5\n")), expected);
    let expected = "t.csv:2: column `who`: expected an integer or a text, found an empty cell";
    assert_eq!(message(&format!("{head}b,2001,10,,3\n")), expected);
    assert_eq!(
        message(&format!("{head}b,2001,10,x,bird\n")),
        "t.csv:2: column `count`: expected a number, or a text of `missing_values`, found `bird`"
    );
    assert_eq!(message(&format!("{head}b,2001,10,x\n")), "t.csv:2: expected 5 fields, found 4");
    assert_eq!(message(&format!("{head}b,2001,10,x,\n")), "t.csv: every count is missing");
    assert!(message("site,yaer,month,who,count\nb,1,1,x,1\n").contains("did you mean `yaer`?"));
    let arrangement =
        Arrangement::Wide { counts: vec![name("a"), name("b"), name("c")], observers: vec![name("d"), name("e")] };
    let unpaired = read("s,a,b,c,d,e\n1,1,1,1,1,1\n", "s", arrangement).expect_err("a bad file").to_string();
    assert!(unpaired.ends_with("3 columns of counts, but 2 of observers"));
}

fn small() -> Visits {
    Visits {
        sites: 60,
        times: 24,
        observers: 30,
        observations: 900,
        rank: 2,
        level: 2.0,
        spread: 0.7,
        skew: 1.0,
        family: Family::Gaussian,
        held_out: 0.0,
    }
}

/// Held-out and kept observations are a partition of all, and the share is what was asked for.
#[test]
fn held_out_observations() {
    let streams = Streams::new(5, 0);
    let whole = small().generate(&streams).unwrap();
    let split = whole.clone().hold_out(0.2, &streams).unwrap();
    let held_out = split.held_out.as_ref().expect("a fifth");
    assert_eq!((held_out.len(), split.data.len()), (180, 720));
    let sorted = |sets: &[&[f64]]| {
        let mut rows: Vec<[u64; 3]> = sets
            .iter()
            .flat_map(|rows| rows.chunks_exact(3).map(|row| [row[0].to_bits(), row[1].to_bits(), row[2].to_bits()]))
            .collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(sorted(&[held_out.rows(), split.data.rows()]), sorted(&[whole.data.rows()]));
}

/// Values stable; residuals have mean 0 and the family's variance; visits are different; the truth has the stated
/// moments.
#[test]
fn the_generator_follows_its_law() {
    let streams = Streams::new(5, 0);
    for family in [Family::Gaussian, Family::Poisson, Family::Binomial { trials: 4 }] {
        let visits = Visits { observations: 8_000, observers: 300, level: 0.5, spread: 0.4, family, ..small() };
        let table = visits.generate(&streams).unwrap();
        let truth = table.truth.as_ref().expect("a truth");
        let mut standardized = 0.0;
        let mut squares = 0.0;
        for row in table.data.rows().chunks_exact(3) {
            assert_eq!(family.values().refuses(row[2]), None);
            let (f, g) = (&truth[2 * row[0] as usize..][..2], &truth[2 * (60 + row[1] as usize)..][..2]);
            let theta = f[0] * g[0] + f[1] * g[1];
            let z = (row[2] - family.mean(theta)) / family.variance(theta).sqrt();
            standardized += z;
            squares += z * z;
        }
        // Under the law the mean is N(0, 1/8000): 7 standard errors are 0.079; the mean square is 1 ± 0.14.
        assert!((standardized / 8_000.0).abs() < 0.079, "{family:?}");
        assert!((squares / 8_000.0 - 1.0).abs() < 0.14, "{family:?}");
    }
}

#[test]
fn impossible_generators_are_named() {
    let streams = Streams::new(5, 0);
    let generate = |visits: Visits| visits.generate(&streams).expect_err("impossible").to_string();
    let all = 60 * 24 * 30;
    assert!(generate(Visits { observations: all, ..small() }).contains("are too many"));
    let steep = Visits { observations: all / 2, skew: 12.0, ..small() };
    assert!(generate(steep).contains("too concentrated"));
    let hot = Visits { level: 40.0, family: Family::Poisson, ..small() };
    assert!(generate(hot).contains("log-intensity"));
}

//! Tables as users have them: what is said of them, what is charged for their preparation, and what is recorded.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Output, Scratch, finish, run_of};

const SCENARIO: &str = r#"(
    name: "own",
    data: Csv(path: "own.csv", label: "kind", client: "site"),
    partition: ClientColumn,
    model: GaussianMixture(components: 2, covariance: Diagonal),
    protocol: FedEm(gamma: 0.5, batch: All, compressor: Identity),
    stop: (rounds: 3),
)"#;

/// Three sites with 12 examples each of three features.
fn table() -> String {
    let row = |j: usize| {
        let number = |k: usize| ((j * 7919 + k * 104_729) % 997) as f64 / 100.0 + (j % 2) as f64 * 5.0;
        format!("{},{},{},k{},s{}\n", number(1), number(2), 1.0 + number(3), j % 2, j % 3)
    };
    format!("a,b,c,kind,site\n{}", (0..36).map(row).collect::<String>())
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::write(scratch.path("own.csv"), table()).unwrap();
    fs::write(scratch.path("own.ron"), SCENARIO).unwrap();
    scratch
}

/// Without a look at the data nobody knows how many clients they have.
#[test]
fn clients_of_a_column_are_counted_by_a_look_at_the_data() {
    let scratch = scratch();
    let clients = |options: &[&str]| {
        let mut command = scratch.fedbits(["check", "own.ron"]);
        command.args(options);
        let said = finish(command).done();
        said.lines().find(|line| line.starts_with("clients ")).unwrap_or_default().to_owned()
    };
    assert!(clients(&["--text-only"]).ends_with(" as many as the data have"), "{}", clients(&["--text-only"]));
    assert!(clients(&[]).contains(" 3, q = "), "{}", clients(&[]));
}

fn run(scratch: &Scratch, out: &str, sets: &[&str]) -> Output {
    let mut command = scratch.fedbits(["run", "own.ron", "--no-figures", "--out", out]);
    for set in sets {
        command.args(["--set", set]);
    }
    finish(command)
}

fn caveats(scratch: &Scratch, out: &str) -> Vec<String> {
    run_of(&scratch.path(out), "own").manifest.caveats.iter().map(ToString::to_string).collect()
}

/// Bits of constants by direction and client.
fn constants(scratch: &Scratch, out: &str) -> BTreeMap<(String, String), u64> {
    let ledger = run_of(&scratch.path(out), "own").ledger;
    let mut sums = BTreeMap::new();
    for row in ledger.into_iter().filter(|row| row.purpose == "constants") {
        *sums.entry((row.direction.to_string(), row.link)).or_insert(0) += row.payload_bits;
    }
    sums
}

/// Every client sends its number of examples, three sums and three sums of squares, and gets three means and deviations.
#[test]
fn federated_standardization_is_charged() {
    let scratch = scratch();
    run(&scratch, "raw", &[]).done();
    run(&scratch, "federated", &["preprocess=[StandardizeFederated]"]).done();
    run(&scratch, "own", &["preprocess=[StandardizePerClient]"]).done();
    run(&scratch, "global", &["preprocess=[Standardize]"]).done();
    assert!(constants(&scratch, "raw").is_empty() && constants(&scratch, "own").is_empty());
    let charged = constants(&scratch, "federated");
    let of = |direction: &str| -> Vec<u64> {
        charged.iter().filter(|((to, _), _)| to == direction).map(|(_, &bits)| bits).collect()
    };
    assert_eq!((of("up"), of("down")), (vec![7 * 64; 3], vec![6 * 64; 3]));
    assert_eq!(caveats(&scratch, "federated"), caveats(&scratch, "raw"));
    let leak = &caveats(&scratch, "global")[0];
    assert!(leak.starts_with("`Standardize` used all clients' data together"), "{leak}");
}

/// Moments that a server merges before a tied covariance sends its own: one exchange after the other.
#[test]
fn exchanges_follow_each_other() {
    let scratch = scratch();
    let tied = "model.covariance=Tied";
    run(&scratch, "tied", &[tied]).done();
    run(&scratch, "both", &[tied, "preprocess=[StandardizeFederated]"]).done();
    let (alone, both) = (constants(&scratch, "tied"), constants(&scratch, "both"));
    assert_eq!(both.len(), 6);
    for (who, bits) in both {
        let exchanged = if who.0 == "up" { 7 * 64 } else { 6 * 64 };
        assert_eq!(bits, alone[&who] + exchanged, "{who:?}");
    }
}

#[test]
fn what_is_done_to_a_table_is_said() {
    let scratch = scratch();
    let holes = table() + "1.5,,2,k0,s1\n?,1,2,k1,s2\n";
    fs::write(scratch.path("own.csv"), holes).unwrap();
    let refused = run(&scratch, "refused", &[]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("own.csv:38: column `b`: a value is missing; such cells: 2, in 2 of 38 rows"),
        "{}",
        refused.err
    );
    assert!(!scratch.path("refused").exists());
    run(&scratch, "dropped", &["data.missing=Drop"]).done();
    assert_eq!(caveats(&scratch, "dropped"), ["2 of 38 rows were left out: a value is missing there"]);
    let checked = finish(scratch.fedbits(["check", "own.ron", "--set", "data.missing=Impute(Mean)"]));
    let page = checked.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("replaces 2 missing values in 2 of 38 rows"), "{page}");
    assert!(checked.out.contains("the first line holds names"), "{}", checked.out);
}

/// Files sorted by name are the clients; another order of columns is no matter where they are named.
#[test]
fn files_are_clients() {
    let scratch = scratch();
    let whole = table();
    let rows =
        |site: &str| whole.lines().filter(|row| row.ends_with(site)).fold(String::new(), |all, row| all + row + "\n");
    for (number, site) in ["s0", "s1", "s2"].into_iter().enumerate() {
        fs::write(scratch.path(format!("hospital-{number}.csv")), format!("a,b,c,kind,site\n{}", rows(site))).unwrap();
    }
    let columns = "data.columns=[\"a\", \"b\", \"c\"]";
    let digest = |out: &str| run_of(&scratch.path(out), "own").manifest.digests.data;
    run(&scratch, "one", &[columns]).done();
    run(&scratch, "many", &[columns, "data.client=None", "data.path=\"hospital-*.csv\""]).done();
    assert_eq!(digest("one"), digest("many"));
    let both = run(&scratch, "both", &["data.path=\"hospital-?.csv\""]);
    assert!(both.err.contains("each of these files is a client already"), "{}", both.err);
    let none = run(&scratch, "none", &["data.client=None", "data.path=\"clinic-*.csv\""]);
    assert_eq!(none.code, Some(2), "{}", none.err);
    fs::write(scratch.path("hospital-0.csv"), "a,b,c,kind\n1,2,3,x\n").unwrap();
    fs::write(scratch.path("hospital-1.csv"), "a,b,kind\n1,2,x\n").unwrap();
    let other = run(&scratch, "other", &["data.client=None", "data.path=\"hospital-*.csv\""]);
    assert!(other.err.contains("hospital-1.csv: the columns `a`, `b` are not those of"), "{}", other.err);
}

#[test]
fn steps_without_a_server_or_clients_are_refused() {
    let scratch = scratch();
    let graph = ["protocol=DiffusionEm(gamma: 0.5, weights: Metropolis)", "network=(shape: Graph(sites: Ring(3)))"];
    let refused = run(&scratch, "graph", &[graph[0], graph[1], "preprocess=[StandardizeFederated]"]);
    assert!(refused.err.contains("there is no server that could merge moments"), "{}", refused.err);
    let negative = run(&scratch, "log", &["preprocess=[Log([\"a\", \"d\"])]"]);
    assert!(negative.err.contains("there is no column `d` among `a`, `b`, `c`"), "{}", negative.err);
}

/// Labels that number the rows, and a quote that swallows the rest of the table, are told.
#[test]
fn what_a_table_cannot_mean_is_told() {
    let scratch = scratch();
    run(&scratch, "labelled", &[]).done();
    let said = "36 examples have 36 labels";
    assert!(!caveats(&scratch, "labelled").iter().any(|caveat| caveat.contains("examples have")));
    let numbered: String = table().lines().enumerate().map(|(row, line)| format!("{line},{row}\n")).collect();
    fs::write(scratch.path("own.csv"), numbered.replacen(",0\n", ",row\n", 1)).unwrap();
    run(&scratch, "numbered", &["data.label=Some(\"row\")", "data.columns=Columns([\"a\", \"b\", \"c\"])"]).done();
    assert!(caveats(&scratch, "numbered").iter().any(|caveat| caveat.starts_with(said)));
    fs::write(scratch.path("own.csv"), table().replacen(",k1,", ",\"k1,", 1)).unwrap();
    let open = run(&scratch, "open", &[]);
    assert_eq!(open.code, Some(2));
    assert!(open.err.contains("own.csv:3: a double quote begins a cell in this row"), "{}", open.err);
}

/// What `--set` has wrong of the data is shown there, not in the file, where nothing is wrong; and no folder is left.
#[test]
fn what_a_set_has_wrong_is_shown_at_the_set() {
    let scratch = scratch();
    fs::write(scratch.path("texts.csv"), "a,b,c,kind,site\nx,2,3,k1,s1\n1,2,3,k2,s2\n").unwrap();
    let cases = [
        ("data.label=kidn", "no column `kidn`: did you mean `kind`?", "data.label=\"kidn\":1:12"),
        ("data.client=9", "no column 9", "data.client=9:1:13"),
        ("data.columns=[\"a\", \"d\"]", "no column `d`", "data.columns=[\"a\", \"d\"]:1:20"),
        ("data.path=onw.csv", "`onw.csv` was not found", "data.path=\"onw.csv\":1:11"),
        ("data.path=texts.csv", "expected a number", "data.path=\"texts.csv\":1:11"),
    ];
    for (set, message, at) in cases {
        let output = run(&scratch, "out", &[set]);
        assert_eq!(output.code, Some(2), "{set}");
        assert!(output.err.contains("fedbits: the scenario has one problem\nError: "), "{set}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains(&format!("[ --set {at} ]")), "{}", output.err);
        assert!(!scratch.path("out").exists());
    }
}

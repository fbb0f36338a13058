//! Intervals in which clients are present, from a table.

use crate::{prepared, refused};

const PRESENCE: &str = "who,from,to\na,0,10\nb,5,7\na,20,30\n";

/// Intervals from a table are those of the trace that writes them out, in the order in which the file names the
/// clients; as absences they are the gaps.
#[test]
fn presence_comes_from_a_table() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("presence.csv"), PRESENCE).unwrap();
    let rows = |availability: &str| {
        let sets = [format!("availability={availability}"), "stop=(rounds: 12)".to_owned()];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
        let columns = fedbits_protocols::journal::Journal::columns(experiment.protocol.subject(), false, false);
        let recorder = fedbits_record::Recorder::nothing(columns);
        let stop = std::sync::atomic::AtomicBool::new(false);
        fedbits_protocols::run::run(experiment, recorder, Default::default(), &stop).digests.timeline
    };
    let file = |more: &str| {
        rows(&format!(
            "TraceFile(path: \"presence.csv\", client: Name(\"who\"), from: Index(1), to: Name(\"to\"){more})"
        ))
    };
    let interval = |from: f64, to: f64| format!("(from: Sec({from}), to: Sec({to}))");
    let two =
        |a: &[String], b: &[String]| format!("Trace(rows: [[{}], [{}]], repeat: Sec(40))", a.join(", "), b.join(", "));
    let present = two(&[interval(0.0, 10.0), interval(20.0, 30.0)], &[interval(5.0, 7.0)]);
    assert_eq!(file(", repeat: Sec(40)"), rows(&present));
    let absent = two(&[interval(10.0, 20.0), interval(30.0, 40.0)], &[interval(0.0, 5.0), interval(7.0, 40.0)]);
    assert_eq!(file(", repeat: Sec(40), absent: true"), rows(&absent));
    let longer = two(&[interval(0.0, 15.0), interval(30.0, 45.0)], &[interval(7.5, 10.5)]).replace("Sec(40)", "Min(1)");
    assert_eq!(file(", repeat: Min(1), unit: Ms(1500)"), rows(&longer));
    assert_ne!(rows(&present), rows(&absent));
}

#[test]
fn bad_intervals_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    let said = |from: &str, to: &str, more: &str| {
        std::fs::write(folder.path().join("presence.csv"), PRESENCE.replace(from, to)).unwrap();
        let availability = format!(
            "availability=TraceFile(path: \"presence.csv\", client: Name(\"who\"), from: Name(\"from\"), to: Name(\"to\"){more})"
        );
        refused(&[&availability], Some(folder.path())).replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        said("a,20", "a,9", ""),
        "…/presence.csv:4: the interval begins before the one of `a` in front of it has ended: expected intervals that \
         are sorted and do not overlap"
    );
    assert_eq!(
        said("b,5", "b,7", ""),
        "…/presence.csv:3: the interval ends before it begins: expected `from` below `to`"
    );
    assert!(said("b,5", "b,noon", "").contains("presence.csv:3: `noon` is no time of a run"));
    assert!(said("who", "whom", "").contains("did you mean `whom`?"));
    assert!(said("a,0,10\nb,5,7\na,20,30\n", "", "").contains("no data: expected at least one row after the header"));
    let short = said("a,0", "a,1", ", repeat: Sec(29)");
    assert!(short.contains("reaches beyond") && short.ends_with("expected at least Sec(30)"), "{short}");
}

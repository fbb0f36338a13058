//! A part that panics fails its own run: other arms go on, and what it said is kept.

use std::path::Path;

use fedbits::codec::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, CounterKey, Draw, Encoded, ExpectedBits, Identity,
    WireFloat,
};
use fedbits::reports::{About, Drawing, FigureKind, Report, ReportError};
use fedbits::spec::Described;
use fedbits::{App, Results, RunOptions, Scenario};
use serde::{Deserialize, Serialize};

/// Where it panics.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
enum Place {
    /// Nowhere.
    #[default]
    Nowhere,
    /// When it is built, before the run.
    Build,
    /// When it encodes, in the run.
    Encode,
}

/// Sends everything, or panics.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Falling {
    /// Where it panics.
    #[serde(default)]
    place: Place,
    /// How it sends.
    #[serde(skip)]
    whole: Identity,
}

impl CompressorSetting for Falling {
    // Reading a scenario builds it for one client.
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
        assert!(self.place != Place::Build || clients == 1, "my compressor was not built");
        Box::new(Self { whole: Identity { wire }, ..*self })
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}

impl Compressor for Falling {
    fn name(&self) -> String {
        "falling".to_owned()
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        assert!(self.place != Place::Encode, "my compressor fell over");
        self.whole.encode(x, draw, out)
    }

    of_field! { whole:
        fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError>;
        fn decode(&self, message: &Encoded, out: &mut [f64]);
        fn write_bits(&self, message: &Encoded, writer: &mut BitWriter);
        fn is_unbiased(&self) -> bool;
        fn omega(&self, dimension: usize) -> Option<f64>;
        fn variance_at(&self, x: &[f64]) -> Option<f64>;
        fn uniforms(&self, dimension: usize) -> usize;
        fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits>;
    }
}

/// A figure that panics.
struct Fallen;

impl FigureKind for Fallen {
    fn about(&self) -> About {
        About { name: "fallen", title: "nothing", needs: "nothing" }
    }

    fn draw(&self, _: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        panic!("my figure fell over")
    }
}

fn app() -> App {
    App::new().compressor::<Falling>().figure(Fallen)
}

/// The exit code of a command.
fn code(arguments: &[&str]) -> u8 {
    app().main_with(std::iter::once("fedbits").chain(arguments.iter().copied()).map(Into::into))
}

const SAID: &str = "the program panicked: my compressor fell over; a bug of fedbits, or of a part of your own";

#[test]
fn a_part_that_panics_fails_its_own_arm() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).display().to_string();
    let arm = |place: &str| format!(r#"(name: "{place}", set: {{"protocol.compressor": "Falling(place: {place})"}})"#);
    let arms = ["Build", "Encode", "Nowhere"].map(arm).join(", ");
    let text = format!(r#"(name: "falls", base: "quickstart", stop: (rounds: 3), arms: [{arms}])"#);
    std::fs::write(path("falls.ron"), text).unwrap();
    assert_eq!(code(&["run", &path("falls.ron"), "--out", &path("out")]), 1);
    let runs = Results::open(&home.path().join("out")).unwrap();
    let record = |arm: usize| runs.run(arm, 0).unwrap();
    assert!(record(0).is_none());
    let failed = record(1).unwrap();
    assert!(failed.manifest.failure().is_some_and(|why| why.contains(SAID)), "{:?}", failed.manifest.stop_reason);
    assert_eq!(failed.rounds.len(), 1);
    assert_eq!(record(2).unwrap().rounds.len(), 4);
    assert_eq!(code(&["check", &path("falls.ron")]), 2);
    // The figure, and others with it, is not drawn; the runs stay.
    assert_eq!(code(&["report", &path("out"), "--figure", "fallen", "--out", &path("figures")]), 1);
    assert!(!Path::new(&path("figures")).exists());
}

#[test]
fn a_study_keeps_what_a_panic_said() {
    let _app = app();
    let home = tempfile::tempdir().unwrap();
    let axis = r#"Grid(path: "protocol.compressor", values: ["Falling(place: Build)", "Falling(place: Encode)"])"#;
    let text = format!(r#"(name: "falls", base: "quickstart", axes: [{axis}], arms: [], stop: (rounds: 3))"#);
    let record = Scenario::from_text("falls", &text).runs().unwrap().run(home.path(), &RunOptions::default()).unwrap();
    let counts = record.counts();
    assert_eq!((counts.failed, counts.not_run), (1, 1));
    let why = |arm: usize| format!("{:?}", record.store().run(&record.keys().nth(arm).unwrap().2).unwrap());
    assert!(why(0).contains("the program panicked: my compressor was not built; "), "{}", why(0));
    assert!(why(1).contains(SAID));
}

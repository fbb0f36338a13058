//! Small good files of every kind, from which the broken ones are made.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A good file: its name inside the folder, and what is in it.
pub struct Seed {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Seed {
    pub fn of(name: &str, text: impl AsRef<[u8]>) -> Self {
        Self { name: name.to_owned(), bytes: text.as_ref().to_vec() }
    }

    /// Puts the good file into the folder.
    pub fn settle(&self, folder: &Path) {
        fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(&self.name), &self.bytes)).expect("a folder");
    }

    fn packed(&self) -> std::io::Result<Self> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(&self.bytes)?;
        Ok(Self { name: format!("{}.gz", self.name), bytes: packer.finish()? })
    }
}

pub const GML: &str = r#"# a map
graph [
  directed 0
  node [ id 0 label "Wien &amp; Umgebung" Longitude 16.37 Latitude 48.2 ]
  node [ id 1 label "Graz" graphics [ x 1.5 y -2 ] ]
  node [ id 7 ]
  edge [ source 0 target 1 LinkSpeedRaw 1000000000.0 delay 2.5 ]
  edge [ source 1 target 7 LinkSpeedRaw "10000000" delay "1" key 3 ]
]
"#;

const CSV: &str = "a,b,label,client\n1,2.5,0,x\n-3e2,4,1,y\n\n5,0.001,1,\"x\"\n";

pub fn csv() -> Vec<Seed> {
    vec![Seed::of("named.csv", CSV), Seed::of("bare.csv", "1,2,3\n4,5,6\r\n7,8,9\n")]
}

pub const LONGITUDINAL: &str = "id,time,amt,dv\n1,0,320,.\n1,1,0,2.5\n1,2,NA,1.5\n2,0,320,\n2,0.5,,3.25\n";

pub const COUNTS: &str = "site,X1.count,X2.count,X1.who,X2.who\nA,1,NA,5,6\nB,2,3,5,7\nA,,4,6,7\n";

pub const RESPONSES: &str = "i1,i2,i3,n\n0,1,1,12\n1,0,0,3\n1,1,1,1\n";

pub fn idx() -> Vec<Seed> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let images = [words(&[2051, 3, 2, 2]), (0..12).map(|pixel| 20 * pixel).collect()].concat();
    vec![Seed::of("images", images), Seed::of("labels", [words(&[2049, 3]), vec![0, 1, 9]].concat())]
}

pub fn corpus() -> Vec<Seed> {
    vec![Seed::of("corpus", "3 0:1 4:2 1:1\n1 2:7\n2 3:1 0:4294967295\n"), Seed::of("words", "a\nb\nc\nd\ne\n")]
}

pub fn packed() -> std::io::Result<Vec<Seed>> {
    let mut plain = vec![Seed::of("table", CSV), Seed::of("documents", &corpus()[0].bytes)];
    plain.extend(idx().into_iter().take(1));
    plain.push(Seed::of("zeros", vec![b'0'; 1 << 20]));
    plain.iter().map(Seed::packed).collect()
}

pub const RATES: &str = "up,down,rtt\n1.5,10,20\n0,20,35\n2.25,5,50\n";

pub const WITH_TABLES: &str = r#"(
    name: "tables",
    data: GaussianMixture(examples: 8, weights: [0.5, 0.5], means: [[-1], [1]], covariance: Common([[1]])),
    clients: 3,
    model: GaussianMixture(components: 2, covariance: Known([[1]])),
    initial: RandomExamples,
    protocol: FedEm(gamma: Constant(0.1)),
    network: (
        client_up: Column(path: "rates.csv", column: Name("up"), unit: Mbps(1), skip_zero: true),
        latency: Column(path: "rates.csv", column: Name("rtt"), unit: Ms(0.5)),
    ),
    stop: (rounds: 2),
)"#;

/// Examples in the format of LIBSVM.
pub const LIB_SVM: &str = "+1 1:0.5 3:-2 # first\n-1 2:1e3\n+1 1:7 2:8 4:9\n";

/// Floats of NumPy, 5 × 3.
pub const NPY: &[u8] = include_bytes!("../../../../tests/golden/arrays/little-f8-C.npy");
pub const NPZ: &[u8] = include_bytes!("../../../../tests/golden/arrays/only.npz");

/// A file of arrays.
pub fn array(name: &str, bytes: &[u8]) -> Seed {
    Seed { name: name.to_owned(), bytes: bytes.to_vec() }
}

//! The list of sources of data.

use fedbits_spec::kind;

use super::client_mixtures::ClientMixtures;
use super::csv::{CountsFile, CsvFile, LongitudinalFile, ResponsesFile};
use super::documents::Documents;
use super::idx::IdxFiles;
use super::lda_c::CorpusFile;
use super::lib_svm::LibSvmFile;
use super::npy::NpyFiles;
use super::regressions::DrawnRegressions;
use super::source::DataSource;
use super::synthetic::{DrawnMixture, RandomMixture};
use super::visits::Visits;

kind! {
    /// The source of the examples.
    dyn DataSource as "Data", default None;
    DrawnMixture, RandomMixture, ClientMixtures, DrawnRegressions, CsvFile, LongitudinalFile, CountsFile, Visits,
    ResponsesFile, CorpusFile, Documents, IdxFiles, LibSvmFile, NpyFiles,
}

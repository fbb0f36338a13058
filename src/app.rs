//! The program as a value, to which a user's crate adds parts.

use std::ffi::OsString;
use std::process::ExitCode;

use fedbits_codec::CompressorSetting;
use fedbits_kernel::network::{self, SharingSetting};
use fedbits_kernel::{AvailabilitySetting, availability};
use fedbits_models::ModelSetting;
use fedbits_models::data::DataSource;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_reports::{FigureKind, Figures};
use fedbits_spec::{DeserializeOwned, Documented, Entry, Kind, NameTaken};

use crate::cli;

/// The program `fedbits` with the parts that a user's crate adds. They are registered for the whole process.
#[derive(Debug, Default)]
pub struct App {
    refused: Vec<NameTaken>,
    figures: Figures,
}

impl App {
    /// The program as it is.
    #[must_use]
    pub fn new() -> Self {
        fedbits_scenarios::register_parts();
        App::default()
    }

    /// The program with one more part of a kind: scenarios can name it. [`main`](App::main) refuses to begin when its
    /// name is taken.
    #[must_use]
    pub fn part<D: Kind + ?Sized>(mut self, entry: Entry<D>) -> Self {
        self.refused.extend(D::registry().add(entry).err());
        self
    }

    /// The program with one more compressor.
    #[must_use]
    pub fn compressor<T: CompressorSetting + Documented + DeserializeOwned>(self) -> Self {
        self.part::<dyn CompressorSetting>(fedbits_codec::entry::<T>())
    }

    /// The program with one more source of data.
    #[must_use]
    pub fn data_source<T: DataSource + Documented + DeserializeOwned>(self) -> Self {
        self.part::<dyn DataSource>(fedbits_models::data::entry::<T>())
    }

    /// The program with one more model.
    #[must_use]
    pub fn model<T: ModelSetting + Documented + DeserializeOwned>(self) -> Self {
        self.part::<dyn ModelSetting>(fedbits_models::entry::<T>())
    }

    /// The program with one more availability of clients.
    #[must_use]
    pub fn availability<T: AvailabilitySetting + Documented + DeserializeOwned>(self) -> Self {
        self.part::<dyn AvailabilitySetting>(availability::entry::<T>())
    }

    /// The program with one more model of how transfers share links.
    #[must_use]
    pub fn sharing<T: SharingSetting + Documented + DeserializeOwned>(self) -> Self {
        self.part::<dyn SharingSetting>(network::entry::<T>())
    }

    /// The program with one more protocol.
    #[must_use]
    pub fn protocol<T: ProtocolSetting + Documented + DeserializeOwned>(self) -> Self {
        self.part::<dyn ProtocolSetting>(fedbits_protocols::entry::<T>())
    }

    /// The program with one more kind of figures, behind those that `report` draws anyway.
    #[must_use]
    pub fn figure(mut self, kind: impl FigureKind + 'static) -> Self {
        let name = kind.about().name;
        self.refused.extend(self.figures.kinds().any(|known| known.about().name == name).then_some(NameTaken { name }));
        self.figures = self.figures.with(Box::new(kind));
        self
    }

    /// Does what the arguments of the process say, and gives its exit code.
    #[must_use]
    pub fn main(self) -> ExitCode {
        ExitCode::from(self.main_with(std::env::args_os()))
    }

    /// Does what these arguments say, of which the first is the name of the program, and gives the exit code. What asks
    /// for help ends the process.
    #[must_use]
    pub fn main_with(self, arguments: impl Iterator<Item = OsString>) -> u8 {
        match self.refused.first() {
            Some(taken) => cli::refuse(taken),
            None => cli::main(arguments, &self.figures),
        }
    }
}

#[cfg(test)]
mod tests {
    use fedbits_reports::{About, Drawing, FigureKind, Report, ReportError};
    use fedbits_spec::{Described, Kind, Part};
    use serde::{Deserialize, Serialize};

    use super::App;

    trait Colour: Part {
        fn examples() -> Vec<Self>
        where
            Self: Sized;
    }

    macro_rules! colour {
        ($name:ident) => {
            /// A colour.
            #[derive(Debug, Described, Deserialize, PartialEq, Serialize)]
            pub struct $name;

            impl Colour for $name {
                fn examples() -> Vec<Self> {
                    vec![$name]
                }
            }
        };
    }

    colour!(Red);
    colour!(Green);

    fedbits_spec::kind! {
        /// Colours.
        dyn Colour as "Colour", default None; Red
    }

    mod elsewhere {
        use super::*;
        colour!(Green);
    }

    struct Ledger;

    impl FigureKind for Ledger {
        fn about(&self) -> About {
            About { name: "ledger", title: "nothing", needs: "nothing" }
        }

        fn draw(&self, _: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn parts_are_added_under_free_names() {
        let app = App::new().part::<dyn Colour>(entry::<Green>());
        assert!(app.refused.is_empty());
        assert_eq!(<dyn Colour>::registry().names(), ["Red", "Green"]);
        // The same type again is the same part.
        let app = app.part::<dyn Colour>(entry::<Green>());
        assert!(app.refused.is_empty());
        let app = app.part::<dyn Colour>(entry::<elsewhere::Green>()).part::<dyn Colour>(entry::<Red>()).figure(Ledger);
        assert_eq!(app.refused.iter().map(|taken| taken.name).collect::<Vec<_>>(), ["Green", "Red", "ledger"]);
    }
}

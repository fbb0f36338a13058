//! The command that makes the figures of a report again, for people: it stands in every file below the line by which
//! the program does so. Where the runs are is not in it, because files that are moved stay the same.

use crate::options::{ReportOptions, Wanted, XScale};
use fedbits_figures::{Figure, XAxis};
use fedbits_spec::shell;

/// Stands for the folders of the runs.
const RUNS: &str = "RUNS";

/// `fedbits report RUNS --style icml --x time`.
pub(crate) fn command(options: &ReportOptions) -> String {
    let mut words = vec!["fedbits".to_owned(), "report".to_owned(), RUNS.to_owned()];
    let mut option = |name: &str, value: &str| words.extend([format!("--{name}"), shell::word(value)]);
    option("style", options.style.name());
    if let Wanted::Named(names) = &options.wanted {
        names.iter().for_each(|name| option("figure", name));
    }
    options.declared.iter().for_each(|figures| option("set", &setting(figures)));
    let axes = |axes: &[XAxis]| axes.iter().map(|axis| axis.name()).collect::<Vec<_>>().join(",");
    let asked = if options.singles.is_empty() { options.panels.as_deref().unwrap_or(&[]) } else { &options.singles };
    if !asked.is_empty() {
        option("x", &axes(asked));
    }
    if options.x_scale != XScale::Auto {
        option("x-scale", options.x_scale.name());
    }
    options.arms.iter().filter(|_| !options.shows_all).for_each(|arm| option("arm", arm));
    options.axes.iter().for_each(|(rows, columns)| option("axes", &format!("{rows},{columns}")));
    options.labels.iter().for_each(|label| option("label", label));
    options.slopes.iter().for_each(|(arm, decades)| option("slope", &format!("{arm}={:?}", -decades)));
    let switches =
        [("all", options.wanted == Wanted::All), ("single", !options.singles.is_empty()), ("free-x", options.free_x)];
    words.extend(switches.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| format!("--{name}")));
    words.join(" ")
}

/// `figures=[…]` on one line: line breaks in texts are escaped.
fn setting(figures: &[Figure]) -> String {
    let one_line = |figure: &Figure| fedbits_text::write(figure).lines().map(str::trim).collect::<Vec<_>>().join(" ");
    format!("figures=[{}]", figures.iter().map(one_line).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::command;
    use crate::options::{Format, ReportOptions, Wanted, XScale};
    use crate::style::Style;
    use fedbits_figures::XAxis;
    use std::path::PathBuf;

    /// What differs from the defaults is an option; what a shell would take apart stands in quotes.
    #[test]
    fn options_are_those_of_the_command_line() {
        let plain = ReportOptions::new(Style::Neurips, &[Format::Svg], PathBuf::new());
        assert_eq!(command(&plain), "fedbits report RUNS --style neurips --all");
        let options = ReportOptions {
            wanted: Wanted::Named(vec!["heat".to_owned()]),
            singles: vec![XAxis::BitsUp, XAxis::Time],
            panels: Some(Vec::new()),
            x_scale: XScale::Log,
            free_x: true,
            slopes: vec![("it's".to_owned(), -0.002)],
            axes: Some(("a".to_owned(), "b c".to_owned())),
            labels: vec!["none / 50 %".to_owned()],
            arms: vec!["dithering, s = 4".to_owned()],
            ..plain
        };
        assert_eq!(
            command(&options),
            "fedbits report RUNS --style neurips --figure heat --x bits-up,time --x-scale log --arm 'dithering, s = 4' \
             --axes 'a,b c' --label 'none / 50 %' --slope 'it'\\''s=0.002' --single --free-x"
        );
    }
}

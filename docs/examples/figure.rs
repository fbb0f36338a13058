//! The entropy of what was sent, against rounds and against the bits that were charged: what a better code could save. A line per arm,
//! for runs that recorded it.

use crate::axes::Scale;
use crate::curves::{Curve, XAxis, column_curve};
use crate::data::Arm;
use crate::figures::{Figure, Panel};
use crate::text::Rich;

/// The column of FedEM.
const COLUMN: &str = "bits_up_entropy";

/// The figure; none when no arm has the column.
pub(crate) fn figure(arms: &[Arm]) -> Option<Figure> {
    let curves: Vec<Curve> = arms.iter().filter_map(|arm| column_curve(arm, COLUMN)).collect();
    (!curves.is_empty()).then(|| Figure {
        name: COLUMN.to_owned(),
        data: COLUMN.to_owned(),
        y_label: Rich::plain("entropy of messages (bit)"),
        y_words: "the empirical entropy of the levels that clients sent".to_owned(),
        y_scale: Scale::Linear,
        panels: [XAxis::Rounds, XAxis::BitsUp].map(|x| Panel::new(x, &curves)).into(),
        notes: vec!["the entropy is no code: nothing is charged by it".to_owned()],
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use fedbits_record::{Columns, Manifest, Recorder, RoundRow};

    use super::*;
    use crate::Style;
    use crate::data::Run;
    use crate::figures::panels;
    use crate::text::Metrics;

    /// Three rounds; round k has sent 100 k bits whose entropy is 60 k.
    fn arm(columns: &[&str]) -> Arm {
        let extra: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
        let mut recorder = Recorder::memory(Columns { extra: extra.clone(), ..Columns::default() });
        for round in 0..=3 {
            let extra = vec![Some(60.0 * round as f64); extra.len()];
            recorder.round(&RoundRow { round, bits_up: 100 * round, extra, ..RoundRow::default() }).unwrap();
        }
        let manifest = Manifest { arm: "an arm".to_owned(), ..Manifest::default() };
        let record = recorder.finish(manifest, &[], &[]).unwrap().unwrap();
        let runs = vec![Run { directory: PathBuf::new(), record }];
        Arm { label: "an arm".to_owned(), name: "an arm".to_owned(), levels: Vec::new(), style: 0, runs }
    }

    #[test]
    fn it_shows_what_was_recorded() {
        assert!(figure(&[arm(&[])]).is_none());
        let figure = figure(&[arm(&[]), arm(&[COLUMN])]).unwrap();
        let points = &figure.panels[1].curves[0].points;
        assert_eq!(points.iter().map(|point| point.median).collect::<Vec<_>>(), [0.0, 60.0, 120.0, 180.0]);
        let svg = panels::draw(&figure, &Style::Icml.look(), &Metrics::new(), "");
        assert!(svg.contains("entropy of messages"), "{svg}");
    }
}

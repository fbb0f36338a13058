//! Held-out perplexity against what it cost: a line per arm, for runs that recorded it.

use super::{Figure, Panel};
use crate::axes::Scale;
use crate::curves::{Curve, XAxis, column_curve};
use crate::data::Arm;
use crate::text::Rich;

/// The column of topic models.
const COLUMN: &str = "perplexity_held_out";

/// The figure; none when no arm has the column.
pub(crate) fn figure(arms: &[Arm]) -> Option<Figure> {
    let curves: Vec<Curve> = arms.iter().filter_map(|arm| column_curve(arm, COLUMN)).collect();
    (!curves.is_empty()).then(|| Figure {
        name: COLUMN.to_owned(),
        data: COLUMN.to_owned(),
        y_label: Rich::plain("held-out perplexity"),
        y_words: "the perplexity of held-out words".to_owned(),
        y_scale: Scale::Log,
        panels: [XAxis::Rounds, XAxis::BitsUp, XAxis::Time].map(|x| Panel::new(x, &curves)).into(),
        ..Figure::default()
    })
}

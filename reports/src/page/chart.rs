//! The numbers of the page's chart, as JSON for its script: of each arm and quantity the line and the band that figures
//! draw. Lines of an arm with the same rounds share their lists of costs.

use super::finding;
use crate::axes::{Scale, chosen_scale, range};
use crate::compare::Samples;
use crate::curves::{Curve, windows};
use crate::data::Arm;
use crate::error::ReportError;
use crate::figures::choice;
use crate::figures::declared::parameters;
use crate::figures::units::{self, AxisWords};
use crate::options;
use crate::origin::ascii;
use crate::quantity::{GAP, PARAMETER, Quantity};
use crate::replicates::{CurvePoint, spent};
use crate::report::Report;
use crate::style::{LineStyle, hex};
use crate::text::each_once;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fedbits_figures::{Curves, Figure, FigureKind, Panels, Scale as Choice, ShownArm, XAxis};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// If there are at most so many arms, all are shown at first.
const FEW: usize = 8;
/// The page has lines of at most so many arms.
pub(crate) const MOST_ARMS: usize = 300;
/// Parameters can be chosen if there are at most so many, or if the declared figure shows them.
const MOST_PARAMETERS: usize = 12;
/// Bytes of a number: of a 32-bit float in base 64.
const BYTES: f64 = 16.0 / 3.0;

/// The lines of an arm that have the same rounds.
struct Lines {
    arm: usize,
    /// Number of the quantity, and the line.
    curves: Vec<(usize, Curve)>,
    /// Numbers of the points that the page has.
    kept: Vec<usize>,
}

/// The numbers as JSON of at most `room` bytes, unless the ends of all lines take more. It is safe in a script element.
pub(crate) fn json(source: &Report<'_>, samples: &Samples, room: usize) -> Result<String, ReportError> {
    let (chosen, curves) = declared(source)?;
    let shown = first_shown(source, samples, &chosen);
    let numbers = on_page(source.arms().len(), &shown);
    let arms: Vec<&Arm> = numbers.iter().map(|&number| &source.arms()[number]).collect();
    let (axes, quantities) = (axes(&arms), quantities(source)?);
    let of_arm = |arm: usize| lines(arm, source, arms[arm], &quantities);
    let mut all: Vec<Lines> = (0..arms.len()).into_par_iter().flat_map_iter(of_arm).collect();
    let without_trend: Vec<usize> = (0..quantities.len()).filter(|&number| !is_noise(&all, number)).collect();
    for (quantity, curve) in all.iter_mut().flat_map(|lines| &mut lines.curves) {
        if without_trend.contains(quantity) {
            curve.trend.clear();
        }
    }
    let arm = |arm: &&Arm| json!({"label": arm.label, "runs": arm.runs.len(), "look": arm.style});
    let places = (0_usize..).zip(&numbers).filter(|(_, arm)| shown.contains(arm)).map(|(place, _)| place);
    let mut content = json!({
        "arms": arms.iter().map(arm).collect::<Vec<_>>(),
        "left_out": source.arms().len() - arms.len(),
        "looks": looks(),
        "x": axes.iter().map(|&x| axis(x, &all, curves.x_scale)).collect::<Vec<_>>(),
        "y": quantities.iter().enumerate().map(|(number, name)| quantity(name, &all, number)).collect::<Vec<_>>(),
        "opening": opening(source, &curves, (&axes, &quantities)),
        "shown": places.collect::<Vec<_>>(),
    });
    let mut most = (room as f64 / BYTES) as usize;
    loop {
        let thinned = thin(&mut all, axes.len(), most);
        content["thinned"] = json!(thinned);
        content["lines"] = all.iter().map(|lines| lines.json(&axes)).collect();
        let text = ascii(&content.to_string());
        if text.len() <= room || thinned == Some(0) {
            return Ok(text);
        }
        // What surrounds the lists takes room, too.
        most = most * room / text.len() * 9 / 10;
    }
}

/// The arms and the curves of the first declared figure of curves; of none the defaults.
fn declared(source: &Report<'_>) -> Result<(Vec<ShownArm>, Curves), ReportError> {
    let all = options::figures_of(source.options, &source.collected)?;
    let curves = |figure: Figure| match figure.kind {
        FigureKind::Curves(curves) => Some((figure.arms, curves)),
        _ => None,
    };
    let of_panels = |(arms, curves): (Vec<ShownArm>, Curves)| match &curves.panels {
        Panels::Split(panels) if arms.is_empty() => {
            (panels.iter().flat_map(|panel| panel.arms.clone()).collect(), curves)
        }
        _ => (arms, curves),
    };
    Ok(all.into_iter().find_map(curves).map(of_panels).unwrap_or_default())
}

/// The arms that are shown at first: all if they are few, else those of the declared figure, else the best and the
/// baseline.
fn first_shown(source: &Report<'_>, samples: &Samples, chosen: &[ShownArm]) -> BTreeSet<usize> {
    let arms = source.arms();
    if arms.len() <= FEW {
        return (0..arms.len()).collect();
    }
    let is_chosen = |number: &usize| chosen.iter().any(|shown| shown.holds(&arms[*number].name));
    let declared: BTreeSet<usize> = (0..arms.len()).filter(is_chosen).collect();
    if !declared.is_empty() {
        return declared;
    }
    let best = finding::best(samples).into_iter().take(FEW - 1);
    best.chain([samples.baseline]).collect()
}

/// The numbers of the arms of which the page has lines: those shown at first, then the others in their order.
fn on_page(count: usize, shown: &BTreeSet<usize>) -> BTreeSet<usize> {
    let rest = (0..count).filter(|number| !shown.contains(number));
    shown.iter().copied().chain(rest).take(MOST_ARMS).collect()
}

/// Every pair of colour and dash, by the number of the style.
fn looks() -> Vec<Value> {
    let look = |number: usize| (LineStyle::of(number).color, LineStyle::of(number).dash);
    let count = (1..).find(|&number| look(number) == look(0)).unwrap_or(1);
    (0..count).map(look).map(|(color, dash)| json!({"color": hex(color), "dash": dash})).collect()
}

/// The horizontal axes that all runs have, and those of the others that some run has.
fn axes(arms: &[&Arm]) -> Vec<XAxis> {
    let rows = || arms.iter().flat_map(|arm| arm.records()).flat_map(|record| &record.rounds);
    let has = |axis: &XAxis| axis.needs().is_none() || rows().any(|row| spent(*axis, row) > 0.0);
    XAxis::ALL.into_iter().filter(has).collect()
}

/// What some run may have measured, in the order of the figures: known quantities, columns of protocols and models,
/// parameters where they are few, and what the declared figure shows.
pub(crate) fn quantities(source: &Report<'_>) -> Result<Vec<String>, ReportError> {
    let records = || source.arms().iter().flat_map(Arm::records);
    let known = Quantity::ALL.into_iter().map(|(quantity, _)| quantity.0);
    let known = known.chain((source.arms().len() > 1).then_some(GAP)).map(str::to_owned);
    let columns: BTreeSet<&String> = records().flat_map(|record| &record.manifest.extra_columns).collect();
    let parameters = parameters(source).into_iter().map(|name| format!("{PARAMETER}{name}"));
    let declared = choice::expanded(source, &declared(source)?.1.y);
    let few = if parameters.len() <= MOST_PARAMETERS { parameters.collect() } else { Vec::new() };
    Ok(each_once(known.chain(columns.into_iter().cloned()).chain(few).chain(declared)))
}

/// The lines of an arm, those with the same rounds together.
fn lines(number: usize, source: &Report<'_>, arm: &Arm, quantities: &[String]) -> Vec<Lines> {
    let mut all: Vec<Lines> = Vec::new();
    let curve = |name: &String| {
        let curve = source.curve(arm, Quantity(name))?;
        let curve = if curve.is_noise() { curve.with_trend() } else { curve.with_points() };
        Some(curve).filter(|curve| !curve.points.is_empty())
    };
    for (quantity, curve) in quantities.iter().enumerate().filter_map(|(number, name)| Some((number, curve(name)?))) {
        let is_same = |a: &CurvePoint, b: &CurvePoint| a.x == b.x && a.running == b.running;
        let has_same_rounds = |lines: &Lines| {
            let points = &lines.curves[0].1.points;
            points.len() == curve.points.len() && points.iter().zip(&curve.points).all(|(a, b)| is_same(a, b))
        };
        match all.iter_mut().find(|lines| has_same_rounds(lines)) {
            Some(lines) => lines.curves.push((quantity, curve)),
            None => all.push(Lines { arm: number, kept: Vec::new(), curves: vec![(quantity, curve)] }),
        }
    }
    all
}

/// The lines of a quantity.
fn of_quantity(lines: &[Lines], number: usize) -> impl Iterator<Item = &Curve> {
    let all = lines.iter().flat_map(|lines| &lines.curves);
    all.filter(move |(quantity, _)| *quantity == number).map(|(_, curve)| curve)
}

/// Whether running medians replace the lines of a quantity. They replace all or none, because a smooth line beside
/// rough ones would look better than it is.
fn is_noise(lines: &[Lines], number: usize) -> bool {
    of_quantity(lines, number).all(|curve| !curve.trend.is_empty())
}

/// A horizontal axis: its words with the unit, the unit's size, and whether it is logarithmic at first.
fn axis(x: XAxis, lines: &[Lines], choice: Choice) -> Value {
    let ends = || lines.iter().filter_map(|lines| lines.curves[0].1.points.last()).map(|point| point.at(x));
    let AxisWords { label, unit, .. } = units::axis(x, ends().fold(0.0, f64::max));
    json!({"words": label, "unit": unit, "log": chosen_scale(ends(), choice) == Scale::Log})
}

/// A quantity; null where no arm measured it.
fn quantity(name: &str, lines: &[Lines], number: usize) -> Value {
    if of_quantity(lines, number).next().is_none() {
        return Value::Null;
    }
    let (words, window) = (Quantity(name).short(), windows(of_quantity(lines, number)));
    json!({"words": words, "log": Quantity(name).vertical().scale == Scale::Log, "window": window})
}

/// The quantity and the axis at first: those of the declared figure, or what the results choose.
fn opening(source: &Report<'_>, declared: &Curves, (axes, quantities): (&[XAxis], &[String])) -> Value {
    let lines = |name: &str| -> Vec<Curve> {
        source.arms().iter().filter_map(|arm| source.curve(arm, Quantity(name))).collect()
    };
    let named = choice::expanded(source, &declared.y);
    let Some(y) = named.into_iter().chain(choice::quantity(source)).find(|name| !lines(name).is_empty()) else {
        return Value::Null;
    };
    let chosen = || choice::x_axis(&lines(&y), choice::bound(source, &y));
    let x = declared.x.first().copied().unwrap_or_else(chosen);
    let log_y = match declared.y_scale {
        Choice::Auto => Quantity(&y).vertical().scale == Scale::Log,
        scale => scale == Choice::Log,
    };
    let x = axes.iter().position(|axis| *axis == x).unwrap_or(0);
    json!({"x": x, "y": quantities.iter().position(|name| *name == y), "logY": log_y})
}

/// Chooses the points that the page has, so that they take at most `most` numbers. If they are too many, each line is
/// divided into stretches, which keep their first and last point and the lowest and highest of every quantity. If that
/// is too much with one stretch, lines keep their ends. Returns the number of stretches if points are left out.
fn thin(lines: &mut [Lines], axes: usize, most: usize) -> Option<usize> {
    lines.iter_mut().for_each(|lines| lines.kept = (0..lines.rounds()).collect());
    let count = |lines: &[Lines]| lines.iter().map(|lines| lines.kept.len() * lines.numbers(axes)).sum::<usize>();
    let all = count(lines);
    if all <= most {
        return None;
    }
    // A stretch keeps at least two points.
    let longest = lines.iter().map(Lines::rounds).max().unwrap_or(0);
    let mut stretches = longest * most / all / 2;
    loop {
        lines.iter_mut().for_each(|lines| lines.thin(stretches));
        if count(lines) <= most || stretches == 0 {
            return Some(stretches);
        }
        stretches = stretches * 4 / 5;
    }
}

impl Lines {
    fn rounds(&self) -> usize {
        self.curves[0].1.points.len()
    }

    /// How many numbers a point takes.
    fn numbers(&self, axes: usize) -> usize {
        let band = |curve: &Curve| if curve.has_band() { 2 } else { 0 };
        let lists = self.curves.iter().map(|(_, curve)| 1 + band(curve) + usize::from(!curve.trend.is_empty()));
        axes + lists.sum::<usize>()
    }

    /// Stretches grow along the line: most of it happens in its first rounds.
    fn thin(&mut self, stretches: usize) {
        let rounds = self.rounds();
        let start = |number: usize| rounds * number * number / (stretches * stretches);
        let mut kept = BTreeSet::from([0, rounds - 1]);
        let all = (0..stretches).map(|number| start(number)..start(number + 1));
        for stretch in all.filter(|stretch| !stretch.is_empty()) {
            kept.extend([stretch.start, stretch.end - 1]);
            for (_, curve) in &self.curves {
                let by_value = |a: &usize, b: &usize| curve.points[*a].median.total_cmp(&curve.points[*b].median);
                kept.extend(stretch.clone().min_by(by_value));
                kept.extend(stretch.clone().max_by(by_value));
            }
        }
        self.kept = kept.into_iter().collect();
    }

    fn json(&self, axes: &[XAxis]) -> Value {
        let list = |values: &dyn Fn(usize) -> f64| floats(&self.kept.iter().map(|&at| values(at)).collect::<Vec<_>>());
        let first = &self.curves[0].1;
        let x: Vec<Value> = axes.iter().map(|&axis| list(&|at| first.points[at].at(axis))).collect();
        let curve = |(quantity, curve): &(usize, Curve)| {
            let mut line = json!({"quantity": quantity, "median": list(&|at| curve.points[at].median)});
            if curve.has_band() {
                line["low"] = list(&|at| curve.points[at].low);
                line["high"] = list(&|at| curve.points[at].high);
            }
            if !curve.trend.is_empty() {
                line["trend"] = list(&|at| curve.trend[at]);
            }
            line
        };
        let ended = self.kept.iter().position(|&at| at >= first.first_ended());
        json!({"arm": self.arm, "x": x, "ended": ended, "curves": self.curves.iter().map(curve).collect::<Vec<_>>()})
    }
}

/// Numbers as 32-bit floats in base 64, which take a third of decimals. Where numbers differ little they stand above
/// the last of them; where such floats do not reach, numbers stay as they are.
fn floats(values: &[f64]) -> Value {
    let (low, high) = range(values.iter().copied());
    let base = match values.last() {
        Some(last) if low.abs().max(high.abs()) > 16.0 * (high - low) && high > low => *last,
        _ => 0.0,
    };
    let fits = |value: f64| value == 0.0 || (1e-37..1e37).contains(&value.abs());
    if !values.iter().all(|value| fits(value - base)) {
        return json!(values);
    }
    let bytes: Vec<u8> = values.iter().flat_map(|value| ((value - base) as f32).to_le_bytes()).collect();
    let code = STANDARD.encode(bytes);
    if base == 0.0 { json!(code) } else { json!({"base": base, "above": code}) }
}

#[cfg(test)]
mod tests {
    use super::{Lines, floats, on_page, thin};
    use crate::axes::range;
    use crate::curves::Curve;
    use crate::replicates::CurvePoint;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use fedbits_figures::AXES;
    use proptest::prelude::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn lines(arm: usize, all: &[Vec<f64>]) -> Lines {
        let point = |(round, &median): (usize, &f64)| CurvePoint {
            x: [round as f64; AXES],
            median,
            low: median,
            high: median,
            running: 1,
        };
        let curve = |values: &Vec<f64>| Curve::new(String::new(), 0, 1, values.iter().enumerate().map(point).collect());
        Lines { arm, kept: Vec::new(), curves: all.iter().map(curve).enumerate().collect() }
    }

    fn count(all: &[Lines], axes: usize) -> usize {
        all.iter().map(|lines| lines.kept.len() * lines.numbers(axes)).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Of thinned lines the ends and the extremes of every quantity stay, in their order, in no more numbers than
        /// there may be; short lines are not touched.
        #[test]
        fn thinned_lines_keep_their_extremes(
            noise in prop::collection::vec(-1.0..1.0_f64, 2_000..6_000),
            arms in 1_usize..4,
            most in 3_000_usize..20_000,
        ) {
            let rising: Vec<f64> = (0..noise.len()).map(|round| round as f64).collect();
            let mut all: Vec<Lines> = (0..arms).map(|arm| lines(arm, &[noise.clone(), rising.clone()])).collect();
            all.push(lines(arms, &[vec![3.0, 1.0, 2.0]]));
            let stretches = thin(&mut all, 5, most);
            prop_assert!(count(&all, 5) <= most);
            prop_assert!(stretches.is_none() || count(&all, 5) > most / 4, "{} of {most}", count(&all, 5));
            for lines in &all {
                prop_assert!(lines.kept.is_sorted());
                prop_assert_eq!((lines.kept.first(), lines.kept.last()), (Some(&0), Some(&(lines.rounds() - 1))));
                for (_, curve) in &lines.curves {
                    let kept = lines.kept.iter().map(|&at| curve.points[at].median);
                    prop_assert_eq!(range(kept), range(curve.points.iter().map(|point| point.median)));
                }
            }
            prop_assert_eq!(all[arms].kept.len(), 3);
        }
    }

    /// As the script of the page decodes them.
    fn decoded(code: &Value) -> Vec<f64> {
        if let Some(plain) = code.as_array() {
            return plain.iter().map(|value| value.as_f64().unwrap()).collect();
        }
        let base = code["base"].as_f64().unwrap_or(0.0);
        let text = code["above"].as_str().or(code.as_str()).unwrap();
        let bytes = STANDARD.decode(text).unwrap();
        let float = |bytes: &[u8]| base + f64::from(f32::from_le_bytes(bytes.try_into().unwrap()));
        bytes.chunks(4).map(float).collect()
    }

    proptest! {
        /// To seven digits, or to a millionth of the range where that is less: an objective that hardly falls any more
        /// is no staircase.
        #[test]
        fn numbers_are_read_as_they_were(
            values in prop::collection::vec(-1.0..1.0_f64, 1..40),
            scale in prop::sample::select(vec![1e-300, 1e-40, 1e-12, 1.0, 1e9, 1e40, 1e300]),
            offset in prop::sample::select(vec![0.0, 1e3, -1e8]),
        ) {
            let values: Vec<f64> = values.iter().map(|value| scale * (value + offset)).collect();
            let (low, high) = range(values.iter().copied());
            let back = decoded(&floats(&values));
            prop_assert_eq!(back.len(), values.len());
            for (found, value) in back.iter().zip(&values) {
                let seven = 1e-7 * value.abs();
                let fine = if high > low { seven.min(1e-6 * (high - low)) } else { seven };
                prop_assert!((found - value).abs() <= fine.max(4e-16 * value.abs()), "{found} and {value}");
            }
        }
    }

    /// Of so many lines that there is no room for an extreme of each the ends stay; what fits stays whole.
    #[test]
    fn of_very_many_lines_the_ends_stay() {
        let values: Vec<f64> = (0..10).map(|round| f64::from(round * 3 % 10)).collect();
        let mut all: Vec<Lines> = (0..500).map(|arm| lines(arm, std::slice::from_ref(&values))).collect();
        assert_eq!(thin(&mut all, 5, 6_500), Some(0));
        assert!(all.iter().all(|lines| lines.kept == [0, 9]));
        assert_eq!(thin(&mut all, 5, 30_000), None);
        assert!(all.iter().all(|lines| lines.kept.len() == 10));
    }

    /// Arms that are shown at first have lines, whatever their numbers.
    #[test]
    fn shown_arms_are_on_the_page() {
        let shown = BTreeSet::from([0, 5_000, 9_999]);
        let numbers = on_page(10_000, &shown);
        assert!(numbers.len() == super::MOST_ARMS && numbers.is_superset(&shown));
        assert_eq!(on_page(3, &BTreeSet::from([1])).len(), 3);
    }
}

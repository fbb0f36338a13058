//! Which arms no other beats: points over bits, time and error, named beside them or in the legend, and how many
//! replicates reach the target. Statistics and front are those of [`crate::compare`].

use super::units::{AxisWords, heading};
use crate::axes::{Scale, range, scale};
use crate::compare::{
    Compared, Front, Goal, LeftOut, Quantity, SampleArm, Samples, Spread, Standing, fronts, reached_in_short,
    reached_of,
};
use crate::error::ReportError;
use crate::layout::{Entry, Form, Grid, Markers, Panel, Shape, Side};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::text::each_once;
use crate::words::{file_name, naming, target_words};
use fedbits_record::RecordError;
use fedbits_spec::so_many;

/// Up to this many arms have a colour and a marker; of more those on the front, and the others are grey.
const MAX_STYLES: usize = 14;
/// Fewer arms have no front worth a figure.
const MIN_ARMS: usize = 3;
/// Arms without a colour, and the line under which no arm lies.
const GREY: LineStyle = LineStyle { color: (0x9A, 0x9A, 0x9A), dash: &[], ..LineStyle::REFERENCE };
const BOUND: LineStyle = LineStyle { color: (0xB4, 0xB4, 0xB4), ..GREY };
/// Sizes of markers with and without a colour.
const SIZES: [f64; 2] = [1.25, 0.8];

/// The kind of figure: the fronts in which at least two arms are compared.
pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "pareto",
    title: "arms that no other beats in bits, time and error (`pareto-TARGET`: bits and time)",
    needs: "three arms or more, two of them with a median, and two costs that are not 0 in all",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let samples = report.samples();
    if report.arms().len() < MIN_ARMS {
        return Ok(Vec::new());
    }
    let styles: Vec<usize> = report.arms().iter().map(|arm| arm.style).collect();
    let draw = |front: Front| {
        let drawn = DrawnFront::of(samples, &styles, front)?;
        let name = drawn.name();
        let words = report.words(&drawn.caption(), &drawn.about()).with_caveats(drawn.front.caveats(samples));
        let draw = |rows| report.figure((&name, &name), drawn.grid(), &rows, words);
        Some(drawn.rows().map_err(ReportError::from).and_then(draw))
    };
    fronts(samples).into_iter().filter_map(draw).collect()
}

struct DrawnFront<'a> {
    samples: &'a Samples,
    front: Front,
    /// By arm; none of those that are grey, or not compared.
    looks: Vec<Option<LineStyle>>,
    /// The costs of each panel, to the right and upwards.
    pairs: Vec<(usize, usize)>,
}

impl<'a> DrawnFront<'a> {
    /// `None` when fewer than two arms are compared, or in less than two costs that are not zero for everybody.
    fn of(samples: &'a Samples, styles: &[usize], front: Front) -> Option<Self> {
        let points: Vec<Option<&Compared>> = front.arms.iter().map(|arm| arm.compared.as_ref().ok()).collect();
        if points.iter().flatten().count() < 2 {
            return None;
        }
        let looks = looks(&points, styles);
        let mut drawn = Self { samples, looks, pairs: Vec::new(), front };
        let is_spent = |cost: usize| drawn.front.costs[cost] == Quantity::Error || drawn.highest(cost) > 0.0;
        let pairs: &[(usize, usize)] = if drawn.front.costs.len() == 3 { &[(0, 2), (1, 2), (0, 1)] } else { &[(0, 1)] };
        drawn.pairs = pairs.iter().copied().filter(|&(x, y)| is_spent(x) && is_spent(y)).collect();
        (!drawn.pairs.is_empty()).then_some(drawn)
    }

    fn name(&self) -> String {
        let target = self.front.target(self.samples).map(|target| format!("-{}", target.column_name()));
        file_name(&format!("pareto{}", target.unwrap_or_default()))
    }

    /// The arms that are compared, those beaten first: the others lie above them.
    fn compared(&self) -> Vec<(usize, &Compared, Option<LineStyle>)> {
        let of = |arm: usize| Some((arm, self.front.arms[arm].compared.as_ref().ok()?, self.looks[arm]));
        let mut all: Vec<_> = (0..self.looks.len()).filter_map(of).collect();
        all.sort_by_key(|(_, compared, _)| compared.on_front);
        all
    }

    fn highest(&self, cost: usize) -> f64 {
        self.compared().iter().map(|(_, compared, _)| compared.costs[cost].median).fold(0.0, f64::max)
    }

    /// An arm's name, and how many of its replicates reach the target, or are on the front at their end; a single
    /// replicate is no evidence.
    fn label(&self, arm: usize) -> String {
        let Standing { reached, degenerate, of, compared } = &self.front.arms[arm];
        let name = &self.samples.arms[arm].name;
        match (self.front.goal, compared) {
            _ if *of < 2 => name.clone(),
            (Goal::End, Ok(compared)) => format!("{name} (front {}/{})", compared.times, self.front.over),
            _ => format!("{name} ({})", reached_in_short([*reached, *of, *degenerate])),
        }
    }

    fn grid(&self) -> Grid {
        let mut compared = self.compared();
        compared.sort_by_key(|(arm, ..)| *arm);
        let entry = |&(arm, compared, look): &(usize, &Compared, Option<LineStyle>)| {
            Some(Entry::dot(&self.label(arm), look?, !compared.on_front))
        };
        let mut entries: Vec<Entry> = compared.iter().filter_map(entry).collect();
        if entries.len() < compared.len() {
            entries.push(Entry::dot("other arms", GREY, true));
        }
        Grid { panels: self.pairs.iter().map(|pair| self.panel(*pair)).collect(), entries, ..Grid::default() }
    }

    /// Two costs.
    fn panel(&self, (x, y): (usize, usize)) -> Panel {
        let error = self.samples.error.words();
        let words = [x, y].map(|cost| match self.front.costs[cost] {
            Quantity::Error => AxisWords { label: format!("final {error}"), brief: error.to_owned(), unit: 1.0 },
            what => heading(what, self.highest(cost)),
        });
        let (compared, [x_unit, y_unit]) = (self.compared(), words.each_ref().map(|words| words.unit));
        let at = |compared: &Compared| (compared.costs[x].median / x_unit, compared.costs[y].median / y_unit);
        let mut shapes = Vec::new();
        for (_, compared, look) in &compared {
            let (style, size) = look.map_or((GREY, SIZES[1]), |style| (style.solid(), SIZES[0]));
            let (right, up) = at(compared);
            let (across, along) = (ends(&compared.costs[x], x_unit), ends(&compared.costs[y], y_unit));
            let across = across.iter().flat_map(|ends| ends.map(|end| (end, up)));
            let along = along.iter().flat_map(|ends| ends.map(|end| (right, end)));
            if look.is_some() {
                shapes.push(Shape::new(style, Form::Intervals, across.chain(along).collect()).sized(0.6));
            }
            let form = Form::Dots { hollow: !compared.on_front };
            shapes.push(Shape::new(style, form, vec![(right, up)]).sized(size));
        }
        let points: Vec<(f64, f64)> = compared.iter().map(|(_, compared, _)| at(compared)).collect();
        shapes.push(Shape::new(BOUND, Form::Line(Markers::None), bound(&points)).sized(0.8));
        // Those on the front are named first; among several panels a legend names what has a colour.
        let named = || compared.iter().rev();
        let is_in_legend = |look: &Option<LineStyle>| look.is_some() && self.pairs.len() > 1;
        let name = |arm: usize, look| if is_in_legend(look) { String::new() } else { self.label(arm) };
        let names = named().map(|(arm, _, look)| name(*arm, look)).collect();
        let points = named().map(|(_, compared, _)| at(compared)).collect();
        shapes.push(Shape::new(GREY, Form::Names(names), points).sized(SIZES[0]));
        let side = |AxisWords { label, brief, .. }: AxisWords, cost: usize| {
            let costs = || compared.iter().map(|(_, compared, _)| compared.costs[cost]);
            let is_positive = costs().all(|spread| spread.median > 0.0 && spread.low > 0.0);
            let scale = if is_positive { scale(costs().map(|spread| spread.median)) } else { Scale::Linear };
            Side { scale, brief, ..Side::new(&label) }
        };
        let [across, upwards] = words;
        Panel::new(side(across, x), side(upwards, y), shapes)
    }

    /// A tidy table, a row for every arm: medians and quartiles, with empty cells where it is not compared.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let costs = self.front.costs.iter().map(|cost| cost.name());
        let costs: Vec<String> =
            costs.flat_map(|name| ["", "_low", "_high"].map(|end| format!("{name}{end}"))).collect();
        let costs: Vec<&str> = costs.iter().map(String::as_str).collect();
        let (before, after) =
            (["arm", "on_front", "times_on_front", "runs"], ["reached", "degenerate", "number", "left_out"]);
        let mut grey = 0;
        let row = |((arm, standing), look): ((&SampleArm, &Standing), &Option<LineStyle>)| {
            let compared = standing.compared.as_ref().ok();
            let is_on_front = usize::from(compared.is_some_and(|compared| compared.on_front));
            let times = compared.map_or_else(String::new, |compared| compared.times.to_string());
            let spread = |cost: usize| compared.map(|compared| compared.costs[cost]);
            let values = |Spread { median, low, high }: Spread| [Some(median), Some(low), high];
            let spreads =
                (0..costs.len() / 3).flat_map(|cost| spread(cost).map(values).unwrap_or_default()).map(number);
            let is_grey = compared.is_some() && look.is_none();
            grey += usize::from(is_grey);
            let number = if is_grey { grey.to_string() } else { String::new() };
            let why = standing.compared.as_ref().err().map_or("", |why| why.words());
            let counts = cells![standing.reached, standing.degenerate, number, why];
            [cells![arm.name, is_on_front, times, standing.of], spreads.collect(), counts].concat()
        };
        let arms = self.samples.arms.iter().zip(&self.front.arms).zip(&self.looks);
        FigureRows::new(&[&before[..], &costs, &after].concat(), arms.map(row))
    }

    fn is_replicated(&self) -> bool {
        self.front.arms.iter().any(|arm| arm.of > 1)
    }

    /// The costs, and where they are counted.
    fn shown(&self) -> String {
        match self.front.target(self.samples).map(|target| target_words(&target)) {
            Some(target) => format!("Bits sent in all and simulated time to reach {target}"),
            None => {
                let error = self.samples.error.words();
                let has_error = self.front.costs.contains(&Quantity::Error);
                let rest =
                    if has_error { format!(", simulated time and {error}") } else { " and simulated time".into() };
                format!("Bits sent in all{rest} at the end of the runs")
            }
        }
    }

    fn caption(&self) -> String {
        let mut text = self.shown();
        let brackets = match self.front.goal {
            Goal::End => "replicates with the arm on their front",
            _ => "replicates that reach the target",
        };
        if self.is_replicated() {
            let over = self.front.common().map(|_| format!(" over {}", so_many(self.front.over, "common replicate")));
            text += &format!(": medians and quartiles{}; in brackets: {brackets}", over.unwrap_or_default());
        }
        text.push_str("; filled: beaten by no other arm.");
        match self.front.arms.iter().filter(|arm| arm.compared.is_err()).count() {
            0 => text,
            left_out => format!("{text} Left out: {}.", so_many(left_out, "arm")),
        }
    }

    /// What the figure shows, in sentences.
    fn about(&self) -> String {
        let mut text = self.shown();
        text.push_str(match self.front.goal {
            Goal::Target(_) => ".",
            Goal::Tolerance(_) => ", which ended runs.",
            Goal::End if !self.front.costs.contains(&Quantity::Error) => {
                ". Errors are not shown: some arms measured only ‖h(Ŝ)‖², others only the objective."
            }
            Goal::End => {
                ". What a run overshoots its stop rule by does not count: its error is at least the tolerance, its \
                 bits and its time at most the budget."
            }
        });
        text.push_str(
            " Filled: no other arm needs at most as much of everything and less of something. A grey line bounds what \
             is beaten in the two quantities of a panel.",
        );
        if self.is_replicated() {
            text.push_str(of_replicates(self.front.goal));
            if self.compared().iter().any(|(.., look)| look.is_none()) {
                text.push_str(" Quartiles of grey arms are in the CSV alone.");
            }
            text += &self.front.common().map_or_else(String::new, |over| format!(" All quantiles are over {over}."));
        }
        let compared = self.compared();
        let medians = |entry: &Compared| entry.costs.iter().map(|cost| cost.median).collect::<Vec<f64>>();
        for point in each_once(compared.iter().map(|(_, entry, _)| medians(entry))) {
            let same = compared.iter().filter(|(_, entry, _)| medians(entry) == point);
            let names: Vec<&str> = same.map(|(arm, ..)| self.samples.arms[*arm].name.as_str()).collect();
            text += &naming("At one point", names.iter().filter(|_| names.len() > 1).copied());
        }
        let arrive = if self.front.goal == Goal::End { "come to their end" } else { "reach the target" };
        for (why, arms) in self.front.left_out() {
            let name = |&arm: &usize| match (why, &self.front.arms[arm]) {
                (LeftOut::NoMedian, Standing { reached, degenerate, of, .. }) => {
                    format!("{} ({} {arrive})", self.samples.arms[arm].name, reached_of(*reached, *of, *degenerate))
                }
                _ => self.samples.arms[arm].name.clone(),
            };
            text += &naming(&format!("Left out, {}", why.words()), arms.iter().map(name));
        }
        text
    }
}

/// What the quantiles over replicates are, and what stands in brackets.
fn of_replicates(goal: Goal) -> &'static str {
    match goal {
        Goal::End => {
            " Medians and quartiles (crosses) are over the replicates: one that failed, or whose fit is degenerate, \
             never comes to its end. A cross without an upper quartile ends in an arrowhead. In brackets: in how many \
             replicates, each compared alone, the arm is on the front."
        }
        _ => {
            " Medians and quartiles (crosses) are over the replicates: one that ends before the target, failed, or has \
             a degenerate fit counts as more than all that reach it. A cross without an upper quartile ends in an \
             arrowhead. In brackets k/n: of n planned replicates k reach the target."
        }
    }
}

/// From the lower quartile to the upper one; none of a single value.
fn ends(spread: &Spread, unit: f64) -> Option<[f64; 2]> {
    let high = spread.high.unwrap_or(f64::INFINITY);
    (spread.low < high).then_some([spread.low / unit, high / unit])
}

/// The steps below and left of which no point lies, as far as the points reach.
fn bound(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (_, right) = range(points.iter().map(|point| point.0));
    let (_, top) = range(points.iter().map(|point| point.1));
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, next| one.0.total_cmp(&next.0).then(one.1.total_cmp(&next.1)));
    let (mut steps, mut lowest): (Vec<(f64, f64)>, f64) = (Vec::new(), f64::INFINITY);
    for (x, y) in sorted {
        if y < lowest {
            steps.extend([(x, lowest.min(top)), (x, y)]);
            lowest = y;
        }
    }
    steps.push((right, lowest));
    steps
}

/// How each arm that is compared looks: as in every other figure where they are few; where they are many, those on the
/// front have styles, those that are oftenest there first, and the others are grey. Styles of one colour and marker are
/// given anew.
fn looks(points: &[Option<&Compared>], styles: &[usize]) -> Vec<Option<LineStyle>> {
    let rank = |arm: usize| points[arm].map(|compared| (compared.on_front, compared.times));
    let is_on_front = |arm: usize| points[arm].is_some_and(|compared| compared.on_front || compared.times > 0);
    let is_styled = |arm: &usize| points.len() <= MAX_STYLES || is_on_front(*arm);
    let mut styled: Vec<usize> = (0..points.len()).filter(is_styled).collect();
    styled.sort_by(|&one, &next| rank(next).cmp(&rank(one)).then(one.cmp(&next)));
    styled.truncate(MAX_STYLES);
    let same = |one: usize, two: usize| {
        let (one, two) = (LineStyle::of(styles[one]), LineStyle::of(styles[two]));
        (one.color, one.marker) == (two.color, two.marker)
    };
    let is_clear = (1..styled.len()).all(|two| styled[..two].iter().all(|&one| !same(one, styled[two])));
    let look = |arm: usize| {
        let place = styled.iter().position(|&one| one == arm && points[arm].is_some())?;
        Some(LineStyle::of(if is_clear { styles[arm] } else { place }))
    };
    (0..points.len()).map(look).collect()
}

#[cfg(test)]
mod tests;

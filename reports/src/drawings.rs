//! Every kind of figure that the runs have, drawn for a venue: the one place where kinds are registered.

use crate::caption::Words;
use crate::compare::{Samples, study_source};
use crate::data::Collected;
use crate::figures::facets::Facets;
use crate::figures::ledger::Ledger;
use crate::figures::predictive::Predictive;
use crate::figures::round_time::RoundTime;
use crate::figures::time::ClientTime;
use crate::figures::trend::{self, Trend};
use crate::figures::{
    Figure, bars, cells, convergence, gap, heat, held_out, links, panels, parameters, pareto, predictive_panels,
    round_time, scatter, topology, trend_panels,
};
use crate::origin::{Origin, runs};
use crate::style::Look;
use crate::text::{Metrics, one_line};
use crate::words::cut_names;
use crate::{ReportError, ReportOptions, caption, latex, table};

/// A finished figure with all that stands beside it.
pub(crate) struct Drawing {
    pub name: String,
    /// What the interactive page draws itself, and shows as a picture only where scripts are off.
    pub live: bool,
    pub svg: String,
    /// File name of the data without ending, and the data.
    pub data: (String, String),
    pub words: Words,
}

/// What all figures of a report share.
pub(crate) struct Source<'a> {
    pub collected: &'a Collected,
    pub options: &'a ReportOptions,
    pub origin: Origin,
    /// The runs in words.
    pub runs: Vec<String>,
    look: Look,
    metrics: Metrics,
}

impl<'a> Source<'a> {
    pub(crate) fn new(collected: &'a Collected, options: &'a ReportOptions) -> Self {
        let mut lines = Vec::new();
        if let Some(study) = &collected.study {
            lines.push(study_source(&study.plan, &study.digest));
        }
        lines.extend(runs(&collected.arms));
        let origin = Origin::new(&collected.arms, options);
        Self { collected, options, origin, runs: lines, look: options.style.look(), metrics: Metrics::new() }
    }

    /// What a file of that name carries, line by line: how it was made, and of which runs.
    pub(crate) fn comments(&self, name: &str) -> Vec<String> {
        std::iter::once(self.origin.named(name).line()).chain(self.runs.iter().map(|line| one_line(line))).collect()
    }

    /// Draws one figure.
    fn drawing(
        &self,
        (name, data): (&str, &str),
        draw: impl Fn(&Look, &Metrics, &str) -> String,
        csv: impl Fn(&[String]) -> String,
        words: Words,
    ) -> Drawing {
        let svg = draw(&self.look, &self.metrics, &self.comments(name).join("\n"));
        let details = words.details + &self.cut_names(&svg);
        Drawing {
            name: name.to_owned(),
            live: false,
            svg,
            data: (data.to_owned(), csv(&self.comments(data))),
            words: self.signed(Words { details, ..words }),
        }
    }

    /// The full names of arms and levels that the drawing shortens, as a line of the details; empty where there are none.
    fn cut_names(&self, svg: &str) -> String {
        let arms = self.collected.arms.iter().map(|arm| arm.label.as_str());
        let axes = self.collected.study.iter().flat_map(|study| &study.plan.axes);
        let names: Vec<&str> = arms.chain(axes.flat_map(|axis| &axis.levels).map(String::as_str)).collect();
        match cut_names(svg, &names) {
            cut if cut.is_empty() => String::new(),
            cut => format!("Names that end in … in the drawing, in full and in its order: {}.\n", cut.join("; ")),
        }
    }

    fn lines(&self, figure: Figure, live: bool) -> Drawing {
        let figure = &figure.with_axes(self.options.x_scale, self.options.free_x);
        let drawing = self.drawing(
            (&figure.name, &figure.data),
            |look, metrics, description| panels::draw(figure, look, metrics, description),
            |comments| table::csv(figure, comments),
            caption::lines(figure, &self.collected.arms),
        );
        Drawing { live, ..drawing }
    }

    /// With the digest of the runs that the details speak of.
    pub(crate) fn signed(&self, words: Words) -> Words {
        let details = format!("{}Runs shown: {}; digest {}.\n", words.details, self.origin.runs, self.origin.digest);
        Words { details, ..words }
    }

    /// A caption, and a text with the arms and their caveats.
    fn words(&self, caption: &str, about: &str) -> Words {
        Words::new(caption, about, &self.collected.arms)
    }

    /// The files of words beside the figure or table of that name: its caption as plain text and for LaTeX, and its details.
    pub(crate) fn captions(&self, name: &str, words: &Words) -> [(String, String); 3] {
        let tex = format!("{name}-caption");
        let comments: String = self.comments(&tex).iter().map(|line| format!("% {line}\n")).collect();
        [
            (format!("{name}.txt"), format!("{}\n", words.caption)),
            (format!("{tex}.tex"), format!("{comments}{}%\n", latex(&words.caption))),
            (format!("{name}-details.txt"), words.details.clone()),
        ]
    }
}

/// Every kind of figure, as far as the runs measured what it shows.
///
/// # Errors
/// [`ReportError::Axes`].
pub(crate) fn drawings(source: &Source<'_>) -> Result<Vec<Drawing>, ReportError> {
    let mut drawn = lines(source);
    drawn.extend(what_if(source)?);
    drawn.extend(costs(source));
    drawn.extend(models(source));
    Ok(drawn)
}

/// Convergence and parameters.
fn lines(source: &Source<'_>) -> Vec<Drawing> {
    let Source { collected, options, .. } = source;
    let arms = &collected.arms;
    let facets = Facets::of(collected);
    let spread = |figure: Figure| match &facets {
        Some(facets) => facets.spread(&figure),
        None => vec![figure],
    };
    let figures = convergence::figures(arms, &options.panels, &options.singles, &options.slopes);
    let gaps = gap::figures(arms, &options.panels, &options.singles);
    let weights = convergence::weights(arms);
    let live = figures.into_iter().flat_map(spread).map(|figure| source.lines(figure, true));
    let others = gaps
        .into_iter()
        .flat_map(spread)
        .chain(weights)
        .chain(parameters::figures(arms).into_iter().chain(held_out::figure(arms)).flat_map(spread));
    live.chain(others.map(|figure| source.lines(figure, false))).collect()
}

/// Heat maps and Pareto fronts.
fn what_if(source: &Source<'_>) -> Result<Vec<Drawing>, ReportError> {
    let collected = source.collected;
    let samples = Samples::of_arms(collected);
    let heats = heat::heats(collected, &samples, source.options.axes.as_ref())?;
    let heats = heats.iter().map(|heat| {
        source.drawing(
            (&heat.name, &heat.name),
            |look, metrics, description| cells::draw(heat, look, metrics, description),
            |comments| heat.csv(comments),
            source.words(&heat.caption(), &heat.words()),
        )
    });
    let mut fronts = pareto::figures(&collected.arms, &samples);
    fronts.iter_mut().for_each(|pareto| pareto.scatter.x_scale = source.options.x_scale);
    let fronts = fronts.iter().map(|pareto| {
        let name = &pareto.scatter.name;
        source.drawing(
            (name, name),
            |look, metrics, description| scatter::draw(&pareto.scatter, look, metrics, description),
            |comments| pareto.csv(comments),
            source.words(
                &pareto.caption(),
                &(pareto.words() + &scatter::hidden(&pareto.scatter, &source.look, &source.metrics)),
            ),
        )
    });
    Ok(heats.chain(fronts).collect())
}

/// Where bits and time went.
fn costs(source: &Source<'_>) -> Vec<Drawing> {
    let arms = &source.collected.arms;
    let ledger = Ledger::of(arms).map(|ledger| {
        let drawing = source.drawing(
            ("ledger", "ledger"),
            |look, metrics, description| bars::draw(&ledger.stack(), look, metrics, description),
            |comments| ledger.csv(comments),
            caption::ledger(arms),
        );
        Drawing { live: true, ..drawing }
    });
    let time = ClientTime::of(arms).map(|time| {
        source.drawing(
            ("client_time", "client_time"),
            |look, metrics, description| bars::draw(&time.stack(), look, metrics, description),
            |comments| time.csv(comments),
            caption::time(arms),
        )
    });
    let rounds = RoundTime::of(arms, source.options.x_scale).map(|time| {
        source.drawing(
            ("round_time", "round_time"),
            |look, metrics, description| round_time::draw(&time, look, metrics, description),
            |comments| time.csv(comments),
            source.words(&time.caption(), &time.words()),
        )
    });
    let links = links::busiest(arms).map(|(links, of)| {
        source.drawing(
            ("links", "links"),
            |look, metrics, description| bars::draw(&links.stack(), look, metrics, description),
            |comments| links.csv(comments),
            caption::links(arms, (links.bars.len(), of)),
        )
    });
    ledger.into_iter().chain(links).chain(time).chain(rounds).collect()
}

/// What only some models and networks have: predictive checks, totals over time, the topology.
fn models(source: &Source<'_>) -> Vec<Drawing> {
    let arms = &source.collected.arms;
    let checks = Predictive::of(arms).into_iter().map(|check| {
        source.drawing(
            (&check.name, &check.name),
            |look, metrics, description| predictive_panels::draw(&check, look, metrics, description),
            |comments| check.csv(comments),
            source.words(&check.caption(), &check.words()),
        )
    });
    let trends = Trend::of(arms);
    let pages = trend_panels::pages(trends.len(), &source.look, &source.metrics);
    let (count, axes) = (pages.len(), (source.options.x_scale, source.options.free_x));
    let trend = pages.into_iter().enumerate().map(|(page, shown)| {
        // What does not fit on a page goes on in `trend-2`.
        let name = if page == 0 { "trend".to_owned() } else { format!("trend-{}", page + 1) };
        source.drawing(
            (&name, "trend"),
            |look, metrics, description| trend_panels::draw(&trends, shown.clone(), axes, look, metrics, description),
            |comments| trend::csv(&trends, comments),
            caption::trend(arms, &trends[shown.clone()], (page + 1, count)),
        )
    });
    let networks = topology::networks(arms);
    let topology = (!networks.is_empty()).then(|| {
        source.drawing(
            ("topology", "topology"),
            |look, metrics, description| topology::draw(&networks, look, metrics, description),
            |comments| topology::csv(&networks, comments),
            source.words(topology::CAPTION, &topology::words(&networks)),
        )
    });
    checks.chain(trend).chain(topology).collect()
}

//! Every kind of figure that the runs have, drawn for a venue: the one place where kinds are registered.

use crate::compare::Samples;
use crate::data::Collected;
use crate::figures::facets::Facets;
use crate::figures::ledger::Ledger;
use crate::figures::predictive::Predictive;
use crate::figures::round_time::RoundTime;
use crate::figures::time::ClientTime;
use crate::figures::trend::{self, Trend};
use crate::figures::{
    Figure, bars, cells, convergence, gap, heat, held_out, links, panels, parameters, pareto, predictive, round_time,
    scatter, topology, trend_panels,
};
use crate::origin::{Origin, runs};
use crate::style::Look;
use crate::text::Metrics;
use crate::{ReportError, ReportOptions, caption, export, table};

/// A finished figure with all that stands beside it.
pub(crate) struct Drawing {
    pub name: String,
    /// What the interactive page draws itself, and shows as a picture only where scripts are off.
    pub live: bool,
    pub svg: String,
    /// pgfplots source, where the figure is one of lines; others become PGF pictures.
    pub tex: Option<String>,
    /// File name of the data without ending, and the data.
    pub data: (String, String),
    pub caption: String,
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
    /// # Errors
    /// [`ReportError::Character`]: a label that the font cannot set.
    pub(crate) fn new(collected: &'a Collected, options: &'a ReportOptions) -> Result<Self, ReportError> {
        let metrics = Metrics::new();
        collected.arms.iter().try_for_each(|arm| metrics.check(&arm.label))?;
        let axes = collected.study.iter().flat_map(|study| &study.plan.axes);
        axes.flat_map(|axis| axis.levels.iter().chain([&axis.name])).try_for_each(|text| metrics.check(text))?;
        let mut lines = Vec::new();
        if let Some(study) = &collected.study {
            lines.push(format!("study {}: digest {}", study.plan.name, study.digest));
        }
        lines.extend(runs(&collected.arms));
        let origin = Origin::new(&collected.arms, options);
        Ok(Self { collected, options, origin, runs: lines, look: options.style.look(), metrics })
    }

    /// What a file of that name carries: how it was made, and of which runs.
    pub(crate) fn comments(&self, name: &str) -> Vec<String> {
        std::iter::once(self.origin.named(name).line()).chain(self.runs.iter().cloned()).collect()
    }

    /// Draws one figure.
    fn drawing(
        &self,
        (name, data): (&str, &str),
        draw: impl Fn(&Look, &Metrics, &str) -> String,
        csv: impl Fn(&[String]) -> String,
        caption: String,
    ) -> Drawing {
        let comments = self.comments(name);
        Drawing {
            name: name.to_owned(),
            live: false,
            svg: draw(&self.look, &self.metrics, &comments.join("\n")),
            tex: None,
            data: (data.to_owned(), csv(&self.comments(data))),
            caption: self.signed(&caption),
        }
    }

    fn lines(&self, figure: &Figure, live: bool) -> Drawing {
        let drawing = self.drawing(
            (&figure.name, &figure.data),
            |look, metrics, description| panels::draw(figure, look, metrics, description),
            |comments| table::csv(figure, comments),
            caption::caption(figure, &self.collected.arms),
        );
        let tex = export::tex::tex(figure, &self.look, &self.comments(&figure.name));
        Drawing { live, tex: Some(tex), ..drawing }
    }

    /// A caption, and the digest of the runs that it speaks of.
    fn signed(&self, caption: &str) -> String {
        format!("{caption}Runs shown: {}; digest {}.\n", self.origin.runs, self.origin.digest)
    }

    /// The caption of a table that has no figure.
    pub(crate) fn caption(&self, text: &str) -> String {
        self.signed(&self.plain(text))
    }

    /// A caption of a text, the arms and their caveats.
    fn plain(&self, text: &str) -> String {
        caption::plain_caption(text, &self.collected.arms)
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
    let live = figures.into_iter().flat_map(spread).map(|figure| source.lines(&figure, true));
    let others = gaps
        .into_iter()
        .flat_map(spread)
        .chain(weights)
        .chain(parameters::figures(arms).into_iter().chain(held_out::figure(arms)).flat_map(spread));
    live.chain(others.map(|figure| source.lines(&figure, false))).collect()
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
            source.plain(&heat.words()),
        )
    });
    let fronts = pareto::fronts(&collected.arms, &samples);
    let fronts = fronts.iter().map(|pareto| {
        let name = &pareto.scatter.name;
        source.drawing(
            (name, name),
            |look, metrics, description| scatter::draw(&pareto.scatter, look, metrics, description),
            |comments| pareto.csv(comments),
            source.plain(&pareto.words()),
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
            caption::ledger_caption(arms),
        );
        Drawing { live: true, ..drawing }
    });
    let time = ClientTime::of(arms).map(|time| {
        source.drawing(
            ("client_time", "client_time"),
            |look, metrics, description| bars::draw(&time.stack(), look, metrics, description),
            |comments| time.csv(comments),
            caption::time_caption(arms),
        )
    });
    let rounds = RoundTime::of(arms).map(|time| {
        source.drawing(
            ("round_time", "round_time"),
            |look, metrics, description| round_time::draw(&time, look, metrics, description),
            |comments| time.csv(comments),
            source.plain(&time.words()),
        )
    });
    let links = links::busiest(arms, &source.metrics).map(|links| {
        source.drawing(
            ("links", "links"),
            |look, metrics, description| bars::draw(&links.stack(), look, metrics, description),
            |comments| links.csv(comments),
            caption::links_caption(arms),
        )
    });
    ledger.into_iter().chain(links).chain(time).chain(rounds).collect()
}

/// What only some models and networks have: predictive checks, totals over time, the topology.
fn models(source: &Source<'_>) -> Vec<Drawing> {
    let arms = &source.collected.arms;
    let checks = arms.iter().filter_map(Predictive::of).map(|check| {
        source.drawing(
            (&check.name(), &check.name()),
            |look, metrics, description| predictive::draw(&check, look, metrics, description),
            |comments| check.csv(comments),
            source.plain(&check.words()),
        )
    });
    let trends = Trend::of(arms);
    let trend = (!trends.is_empty()).then(|| {
        source.drawing(
            ("trend", "trend"),
            |look, metrics, description| trend_panels::draw(&trends, look, metrics, description),
            |comments| trend::csv(&trends, comments),
            caption::trend_caption(arms),
        )
    });
    let networks = topology::networks(arms);
    let topology = (!networks.is_empty()).then(|| {
        source.drawing(
            ("topology", "topology"),
            |look, metrics, description| topology::draw(&networks, look, metrics, description),
            |comments| topology::csv(&networks, comments),
            source.plain(&topology::words(&networks)),
        )
    });
    checks.chain(trend).chain(topology).collect()
}

//! Caveats: what a reader must know before a result is trusted.
//!
//! [`Caveat`] has one variant per id. The table below is the only place for ids, sentences and severities. Explanations
//! are in `docs/caveats.md`, under a heading with the id; a test compares the page with the table.

use std::collections::BTreeMap;
use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// How much a caveat says against a result.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CaveatSeverity {
    /// The result is what was asked for; something about it is worth knowing.
    Note,
    /// The result may be biased, incomplete or wrong.
    Warning,
}

/// What all caveats of an id have in common.
#[derive(Clone, Copy, Debug)]
pub struct CaveatKind {
    /// The id, for example `rounded-variances`.
    pub id: &'static str,
    /// How much it says against a result.
    pub severity: CaveatSeverity,
    /// The sentence, with the names of values in braces.
    pub sentence: &'static str,
}

/// Each entry has severity, id, variant, the values by which two caveats of the id differ, the further values, and the
/// sentence.
macro_rules! caveats {
    ($($severity:ident $id:literal $name:ident [$($key:ident),*] {$($value:ident),*} $sentence:literal)*) => {
        /// What a reader must know before a result is trusted.
        #[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
        #[serde(tag = "id", content = "values")]
        #[allow(missing_docs, reason = "the sentence says what each value is")]
        pub enum Caveat {
            $(#[serde(rename = $id)] $name { $($key: String,)* $($value: String),* },)*
        }

        impl Caveat {
            /// All ids, with their sentences.
            pub const KINDS: &[CaveatKind] =
                &[$(CaveatKind { id: $id, severity: CaveatSeverity::$severity, sentence: $sentence }),*];

            /// What it has in common with others of its id.
            #[must_use]
            pub fn kind(&self) -> CaveatKind {
                match self {
                    $(Self::$name { .. } => {
                        CaveatKind { id: $id, severity: CaveatSeverity::$severity, sentence: $sentence }
                    })*
                }
            }

            /// Whether both have the same id, and are about the same column, figure, ….
            #[must_use]
            pub fn is_alike(&self, other: &Self) -> bool {
                fn keys(caveat: &Caveat) -> Vec<&str> {
                    match caveat { $(Caveat::$name { $($key,)* .. } => vec![$($key.as_str()),*],)* }
                }
                self.kind().id == other.kind().id && keys(self) == keys(other)
            }

            /// The values by their names.
            #[must_use]
            pub fn values(&self) -> BTreeMap<&'static str, &str> {
                match self {
                    $(Self::$name { $($key,)* $($value),* } => BTreeMap::from([
                        $((stringify!($key), $key.as_str()),)* $((stringify!($value), $value.as_str())),*
                    ]),)*
                }
            }

            /// The values, to be changed.
            pub fn values_mut(&mut self) -> Vec<&mut String> {
                match self { $(Self::$name { $($key,)* $($value),* } => vec![$($key,)* $($value),*],)* }
            }
        }

        /// The sentence.
        impl fmt::Display for Caveat {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$name { $($key,)* $($value),* } => write!(f, $sentence),)* }
            }
        }
    };
}

impl Caveat {
    /// The sentences of some caveats.
    #[must_use]
    pub fn sentences(caveats: &[Self]) -> Vec<String> {
        caveats.iter().map(ToString::to_string).collect()
    }
}

/// Id, values, severity and sentence.
impl Serialize for Caveat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let CaveatKind { id, severity, .. } = self.kind();
        let mut fields = serializer.serialize_struct("Caveat", 4)?;
        fields.serialize_field("id", id)?;
        fields.serialize_field("values", &self.values())?;
        fields.serialize_field("severity", &severity)?;
        fields.serialize_field("sentence", &self.to_string())?;
        fields.end()
    }
}

caveats! {
    Note "a-folder-of-two" FolderOfTwo [] {process}
        "runs that are missing now are made twice, because another process makes them, too ({process}); `--shard 0/2` \
         here and `--shard 1/2` there divide them"
    Note "a-name-and-no-gap" NameAndNoGap [kind] {name, count, total}
        "`{name}` is the name of {kind}, of {count} of {total}, and no missing value"
    Warning "absent-clients" AbsentClients [] {clients}
        "{clients} never took part: no weighting makes up for their data"
    Warning "adaptive-rounds" AdaptiveRounds [] {rounds, share}
        "adaptive rounds ended at {rounds} before their tolerance was reached, in {share} % of the iterations: sums \
         are not as exact as that"
    Warning "batches-compared" BatchesCompared [] {}
        "log-likelihoods of different batches are compared to stop"
    Warning "biased-compressor" BiasedCompressor [consequence] {}
        "the compressor is biased: {consequence}"
    Warning "biased-raw" BiasedRaw [] {}
        "a biased compressor on raw vectors: the run does not converge to a limit point of SAEM (`memory: Memory()` \
         repairs it)"
    Warning "chains-diverged" ChainsDiverged [] {chains}
        "{chains} put back to the prior's mode"
    Note "changed-since" ChangedSince [] {runs}
        "the base, the data files or the program have changed since: `fedbits run` would run {runs} anew"
    Warning "choco-step" ChocoStep [] {share, most}
        "the rounds of CHOCO made differences between roots larger, in {share} % of the iterations (up to {most} times \
         what they were): sums are wrong, and `step` is too large"
    Note "chosen-alike" ChosenAlike [] {}
        "all clients of a round choose the same entries, so that their errors do not average out"
    Warning "clients-without-a-row" ClientsWithoutARow [] {clients}
        "clients without a row, as a value is missing in all of theirs: {clients}; they take no part"
    Note "clipped-entries" ClippedEntries [statistics] {entries}
        "T clipped {entries} of {statistics}"
    Note "coarse-probes" CoarseProbes [] {target, rounds, share, arm}
        "{target} was not looked for after {rounds} of the rounds before it was found: up to {share} % of what it \
         takes may come after it was reached ({arm}), and smaller differences say nothing; `record: (every: 1, \
         probe_every: 1)` looks after every round"
    Warning "columns-not-read" ColumnsNotRead [column] {rows, line}
        "column `{column}` is not read, and says in {rows} (first: line {line}) that doses or observations are others \
         than those of the fit"
    Warning "combination-inexact" CombinationInexact [] {rounds, share, gamma}
        "{rounds} up to {share} % of the differences between agents, and the step stays at {gamma}: the limit of \
         agents whose data differ is biased"
    Note "complete-matrices" CompleteMatrices [] {counts, observers}
        "some cell has {counts} counts by {observers}: there are {counts} complete matrices, more than one per observer"
    Warning "component-collapsed" ComponentCollapsed [] {component}
        "component {component} has collapsed: along some direction its variance is no more than what rounding, or the \
         floor of `Clip`, gives it"
    Warning "component-empty" ComponentEmpty [] {component, size, weight}
        "component {component} is empty: its expected number of examples is {size}{weight}"
    Warning "components-counted" ComponentsCounted [what] {count}
        "{count} {what}; components.csv has them"
    Warning "components-mixed" ComponentsMixed [] {arms}
        "components are numbered by the random start of each replicate (of {arms}): medians and bands of their \
         parameters can mix different components"
    Warning "components-refilled" ComponentsRefilled [] {components}
        "none of the clients' components was nearest to {components} of the reduced mixture, and another was taken over"
    Warning "components-same" ComponentsSame [] {one, other, distance}
        "components {one} and {other} are the same: their Bhattacharyya distance is {distance}"
    Note "components-uncompared" ComponentsUncompared [] {count}
        "{count} components are too many to be compared with each other"
    Warning "connections-given-up" ConnectionsGivenUp [] {}
        "connections of `Tcp` whose packets are lost again and again are given up, and this protocol ends with the \
         first message that is lost so"
    Warning "consensus-inexact" ConsensusInexact [] {rounds, share, slem}
        "{rounds} up to {share} % of the differences between agents (SLEM {slem}): sums are not exact"
    Warning "consensus-lost" ConsensusLost [] {share}
        "{share} % of the messages that rounds waited for were lost or too late: sums are not exact"
    Note "constant-held-out" ConstantHeldOut [] {clients, column}
        "in {clients} held out a column is constant, and 0 when the fit is judged (first: `{column}`)"
    Note "constant-in-clients" ConstantInClients [] {clients, client, column}
        "in {clients} a column is constant, and 0 in the fit (first: client {client}, `{column}`)"
    Warning "counter" Counter [feature] {}
        "the feature `{feature}` is the number of the row: `columns: […]` without it leaves it out"
    Note "cut-runs-go-on" CutRunsGoOn [] {}
        "a search has cut some of these runs: here they go on to their ends"
    Warning "damaged-store" DamagedStore [file] {bytes, start, damage}
        "{file}: {bytes} bytes from byte {start} on {damage}; a run that stood there counts as not run"
    Note "data-not-here" DataNotHere [] {what, names}
        "{what} not here: put {names} beside the scenario, or name the folder by --data DIR"
    Warning "deadline-too-short" DeadlineTooShort [] {deadline, trip, client, broadcast, work, contribution}
        "the deadline of {deadline} s is below the smallest possible round trip of {trip} s (client {client}: \
         broadcast {broadcast} s, work {work} s, contribution {contribution} s): nobody can ever arrive"
    Warning "degenerate-fit" DegenerateFit [] {defects}
        "the final fit is degenerate ({defects}): the run counts as not having reached a target"
    Warning "degenerate-runs" DegenerateRuns [] {count, runs, arms}
        "{count} of {runs} ended with a degenerate fit and reached no target ({arms}): components are empty or \
         collapsed, or the objective lies above that of the start"
    Note "differ-in-case" DifferInCase [kind] {one, other}
        "`{one}` and `{other}` are two {kind}: their names differ in capital letters alone"
    Warning "different-problems" DifferentProblems [] {arm}
        "the search decides between arms that solve different problems (other data, clients or model than the \
         baseline): `{arm}` and perhaps others"
    Warning "divisor-clock" DivisorClock [] {estimate}
        "the sum is divided by the expected number n·p over all time, and rounds begin while somebody is there: more \
         contribute on average, and {estimate} goes beyond its mean"
    Warning "divisor-cohort" DivisorCohort [] {estimate}
        "the sum is divided by the smaller of m and the mean number of clients that can take part, and on average \
         fewer do: {estimate} is biased towards V"
    Warning "divisor-expected" DivisorExpected [] {estimate}
        "the sum is divided by the expected number n·p although contributions can be missing: {estimate} is biased \
         towards V"
    Note "documents-without-words" DocumentsWithoutWords [] {documents}
        "left out: {documents} without words"
    Warning "domain" Domain [statistic] {events}
        "{statistic} left the domain of T: {events}"
    Note "draws-cut" DrawsCut [law] {range, draws}
        "draws of `{law}` were cut to what there is ({range}): {draws}"
    Note "draws-cut-to-a-year" DrawsCutToAYear [] {}
        "draws beyond a year are cut to a year"
    Note "early-end" EarlyEnd [field] {round}
        "the run ended before round {round} of `record.{field}`"
    Warning "early-rounds" EarlyRounds [] {}
        "rounds can close early: clients that are then still at work contribute less often, and their data count less"
    Note "ended-by-search" EndedBySearch [] {how}
        "a search ended the run early ({how}): how much more it would have taken was not looked for"
    Note "epsilon" Epsilon [adversary] {epsilon, delta}
        "(ε, δ) = ({epsilon}, {delta}) of a client against {adversary}: batches drawn by chance, and replacing a \
         client's data instead of leaving them out (which costs as half of `noise`), are not claimed"
    Warning "failed-otherwise" FailedOtherwise [] {folder, runs}
        "failed otherwise in {folder}, and not taken: {runs}"
    Warning "failed-runs" FailedRuns [] {runs}
        "{runs} failed: what was not reached by then never is"
    Warning "few-at-the-target" FewAtTheTarget [target] {arms}
        "not more than half of the runs got to {target} ({arms}): medians (Kaplan–Meier) count those that the race cut \
         up to what they had cost, as if those that went on were like them"
    Note "few-common" FewCommon [] {replicates}
        "Pareto fronts are over {replicates}: others say nothing of who is better"
    Warning "few-observations" FewObservations [] {observations, effects}
        "no subject has more than {observations}, of {effects}: Ω and σ² may not both follow from the data, and \
         another start may end elsewhere"
    Warning "few-participants" FewParticipants [] {participants}
        "{participants} participants are expected in a round: one contribution counts 1/(n p) times, and a round \
         without any applies H = V alone"
    Note "figure-for-some-arms" FigureForSomeArms [figure, what] {arms}
        "the figure `{figure}`: it is not drawn for {arms}: only the other arms have it ({what})"
    Note "figure-unprobed" FigureUnprobed [figure, quantity] {}
        "the figure `{figure}`: `{quantity}` is not drawn: nothing is probed, which needs `record: (probe_every: …)`"
    Note "figures-not-taken-over" FiguresNotTakenOver [] {}
        "the figures that the runs declare are left out: they speak of axes or arms that are not here"
    Warning "first-come-steps" FirstComeSteps [] {}
        "steps are made of what comes first: clients that are faster contribute more often, and their data count more"
    Note "fits-filtered" FitsFiltered [] {fits}
        "{fits} lay too far from the others, and the mixture was made without"
    Warning "fits-without-density" FitsWithoutDensity [] {fits}
        "{fits} had no density when the server had decoded them, and the mixture was made without"
    Note "foreign-decision" ForeignDecision [] {file}
        "{file} speaks of other arms than the plan and is left out; `fedbits run` writes it anew"
    Warning "large-alpha" LargeAlpha [name] {alpha, bound}
        "{name} = {alpha} is above 1/(1 + ω) = {bound}, the largest value that theorems cover; from twice that on \
         memories can diverge"
    Warning "leak" Leak [steps] {instead}
        "{steps} looked at all clients' data together and sent nothing: a leak, which no federation could have \
         ({instead})"
    Note "line-breaks" LineBreaks [] {rows, place}
        "rows with a line break between double quotes: {rows}, the first at {place}; what stands between two stray \
         quotes is one cell"
    Warning "m-step-unfinished" MStepUnfinished [] {fall}
        "the last M-step was broken off: a further pass lowers its objective by {fall}"
    Note "many-labels" ManyLabels [] {labels, examples}
        "there are {labels} labels of {examples} examples: they hardly say what belongs together, nor do accuracy and \
         the like"
    Warning "mean-of-arrived" MeanOfArrived [] {}
        "contributions can be missing: the server takes the mean of those that arrived, so this is not exact EM"
    Warning "memory-commit" MemoryCommit [] {}
        "memories are committed on send although messages can be lost or late: V drifts from the mean of the V_i"
    Warning "memory-drift" MemoryDrift [] {drift}
        "the memories drifted: ‖V − mean V_i‖² = {drift} at the end"
    Warning "memory-lost" MemoryLost [] {}
        "clients that lose their memory go on without it: V drifts from the mean of the V_i"
    Note "met-at-the-start" MetAtTheStart [target] {count, runs}
        "{target} holds before the first round ({count} of {runs}): compare at another target"
    Warning "missing-contributions" MissingContributions [] {}
        "contributions can be missing: clients that contribute less often than others count less, and so do their data"
    Note "missing-figure" MissingFigure [] {why}
        "a figure is missing: {why}"
    Warning "missing-runs" MissingRuns [] {arms}
        "runs of {arms} are missing; run the scenario again"
    Warning "more-byzantine" MoreByzantine [] {count, f}
        "{count} clients are Byzantine, more than the f = {f} that the robust rule is to withstand"
    Note "more-rounded-variances" MoreRoundedVariances [] {variances, most}
        "{variances} rounding errors of this kind, of at most {most}"
    Note "moved-aside" MovedAside [file] {path}
        "{file} was no file of these runs: it is now {path}"
    Warning "named-clients" NamedClients [] {partition, how}
        "the data name clients, and `partition: {partition}` {how}"
    Note "no-model-file" NoModelFile [] {why}
        "there is no fitted model: {why}"
    Warning "nobody-arrived" NobodyArrived [] {times}
        "clients were selected {times}, and no contribution ever arrived in time"
    Note "not-known-here" NotKnownHere [] {why}
        "what `fedbits run` would do is not known here: {why}"
    Warning "observations-left-out" ObservationsLeftOut [] {observations, subjects}
        "left out: {observations} without a time or a value, and {subjects}"
    Warning "observations-weigh-more" ObservationsWeighMore [] {}
        "observations of small clients weigh more: a step of a low-rank model can be longer than EM's"
    Note "observers-unnamed" ObserversUnnamed [] {}
        "no column names observers: every count is an observer with a matrix of its own"
    Warning "one-item-group" OneItemGroup [group] {}
        "group {group} has one item: its loading cannot be told from what is left of the item"
    Note "one-number" OneNumber [kind] {one, other}
        "`{one}` and `{other}` are two {kind}, and one number"
    Warning "one-replicate" OneReplicate [] {}
        "one replicate: differences have no interval, and may be luck"
    Note "own-columns" OwnColumns [column] {name}
        "the file has a column `{column}`: what the model says stands in `{name}`"
    Note "plan-damaged" PlanDamaged [] {error}
        "{error}; the plan is written anew"
    Note "points-uneven" PointsUneven [axis] {points}
        "the axis `{axis}` has {points} points of a Sobol sequence: only powers of two cover the ranges evenly"
    Note "predicted-by-position" PredictedByPosition [] {}
        "this model has no names of items, which are taken in the order of the file"
    Note "predicted-fills" PredictedFills [] {rows}
        "rows with missing values, filled in as those of the data that the model was fitted to: {rows}"
    Note "predicted-gaps" PredictedGaps [] {rows}
        "rows with a missing value in a column of the model, of which nothing is said: {rows}"
    Warning "principal-components-rounded" PrincipalComponentsRounded [] {share, component}
        "rounding the loadings of the principal components moves scores by about {share} of the standard deviation of \
         component {component}: scales differ much, and `Standardize` before `Pca` makes them alike"
    Note "python-compressor" PythonCompressor [class] {}
        "the bits of the compressor are what `{class}.encode` says: it has no `decode`, so no bit string was checked"
    Note "python-model" PythonModel [class] {source, versions}
        "the model is the Python class `{class}` (source {source}, {versions}): the digests depend on them too"
    Note "python-protocol" PythonProtocol [class] {source, versions}
        "the protocol is the Python class `{class}` (source {source}, {versions}): the digests depend on them too"
    Note "quantized-chain" QuantizedChain [] {}
        "the gradient is quantized inside the chain: 0 bits are saved, chains never travel"
    Warning "raw-squares" RawSquares [what] {distance, error, advice}
        "{what} {distance} standard deviations from 0: what is found from squares, covariances above all, has relative \
         errors of about {error} ({advice})"
    Note "reached-at-start" ReachedAtStart [] {rule}
        "the run ends before its first round: {rule} holds at the start"
    Note "records-left-out" RecordsLeftOut [folder] {names}
        "left out, since only runs directly in {folder} count: {names}"
    Note "reduction-with-sampling" ReductionWithSampling [] {}
        "the paper defines VR-FedEM for full participation; a client's increment here reaches back to its last step \
         (our extension)"
    Note "reduction-without-batches" ReductionWithoutBatches [] {}
        "with `batch: All` the increments telescope to the full statistic: the run is FedEM's, only its cost differs"
    Warning "ridge" Ridge [] {ridge}
        "a ridge of {ridge} is added to every variance: the likelihood need not be monotone"
    Warning "robust-rounds-skipped" RobustRoundsSkipped [] {skipped, rounds}
        "the robust rule skipped {skipped} of {rounds}: fewer contributions arrived than it needs, and nothing of \
         these rounds was used"
    Note "robust-weights" RobustWeights [] {what}
        "clients are of unequal size, and a robust rule counts them alike: {what}"
    Warning "robust-zeros" RobustZeros [] {compressor}
        "{compressor} leaves entries out, which are zeros to a rule on each entry: where most clients send none, the \
         result is 0, or nearly so (`memory: Memory()` repairs it)"
    Warning "rounded-variances" RoundedVariances [variance] {error, meaning, distance, origin, remedy}
        "the variance of {variance} has a relative error of {error} by rounding in one step{meaning}: it is a \
         difference of squares, and the mean lies {distance} of these standard deviations from {origin} ({remedy})"
    Warning "rounds-inexact" RoundsInexact [] {share, most}
        "the rounds left more than 1 % of the differences between roots, in {share} % of the iterations (up to {most} \
         %): sums are not exact"
    Note "run-century" RunCentury [] {}
        "the run ended early: a century of virtual time had passed"
    Warning "run-failed" RunFailed [] {rounds, why}
        "the run failed after {rounds}: {why}"
    Note "run-idle" RunIdle [] {}
        "the run ended early: nothing was left to happen"
    Note "runs-to-come" RunsToCome [] {missing, planned}
        "runs without a result yet: {missing} of {planned}; `fedbits run` goes on"
    Note "search-not-ended" SearchNotEnded [] {}
        "the search has not ended: `fedbits run` decides by these runs what comes next"
    Note "search-unbounded" SearchUnbounded [] {rule}
        "the search counts {rule}, and its runs end by other rules: of one that ends before the target it is only \
         known that it costs more than it had cost by then; `stop: ({rule}: …)` says when it is too much"
    Warning "secure-rounds-failed" SecureRoundsFailed [] {failed, rounds}
        "secure aggregation failed in {failed} of {rounds}: too few clients were left to take off the masks, and \
         nothing of these rounds was used"
    Note "sites-left-out" SitesLeftOut [file] {count, sites, names}
        "{file}: {count} of {sites} are outside the largest piece, and left out: {names}"
    Note "small-clients" SmallClients [] {clients, examples}
        "{clients} fewer than {examples}: their batch is all they have"
    Warning "subjects-twice" SubjectsTwice [] {subjects, subject, time, line}
        "{subjects} observed twice at one time, or anew from an earlier one (first: `{subject}` at {time}, line \
         {line}): if these are several subjects with one number, each needs its own"
    Note "table-on-demand" TableOnDemand [table] {folder}
        "`{table}.csv` has more than 2 000 000 rows and is not written: `fedbits export {folder} --out DIR` writes it"
    Note "times-as-they-came" TimesAsTheyCame [] {time}
        "times are in the order of their first appearance: `{time}` is no number, and not a date as the others are \
         (`2021-03-01`)"
    Note "trace-too-large" TraceTooLarge [] {spans}
        "the traced rounds hold more than {spans} transfers and computations: there is no trace.csv"
    Warning "two-item-group" TwoItemGroup [group] {}
        "group {group} has two items: only the product of their loadings follows from the data"
    Warning "unequal-clients" UnequalClients [] {}
        "clients of unequal size can be missing: the server takes the mean of those that arrived, which on average is \
         not that of all data"
    Warning "unobserved-sites" UnobservedSites [] {sites, times}
        "{sites} and {times} have no observation that is fitted: without a penalty, what is imputed there depends on \
         the start"
    Warning "values-imputed" ValuesImputed [] {values, rows, filling}
        "{values} in {rows}: the {filling} of the column over all clients' data, which no client has, stands there"
    Warning "values-missing" ValuesMissing [] {rows}
        "{rows} left out: a value is missing there"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids are sorted and unique, and a record that keeps a caveat gives it back.
    #[test]
    fn ids_are_sorted_and_values_are_kept() {
        assert!(Caveat::KINDS.windows(2).all(|pair| pair[0].id < pair[1].id));
        let caveat = Caveat::Counter { feature: "row".to_owned() };
        let text = ron::to_string(&caveat).expect("a caveat has only texts");
        assert!(text.contains("\"counter\"") && text.contains(&caveat.to_string()), "{text}");
    }
}

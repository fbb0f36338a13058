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
        #[serde(try_from = "WrittenCaveat")]
        #[allow(missing_docs, reason = "the sentence says what each value is")]
        pub enum Caveat {
            $($name { $($key: String,)* $($value: String),* },)*
        }

        /// Derived code for each of 130 variants would take as long to compile as the rest of a crate.
        impl TryFrom<WrittenCaveat> for Caveat {
            type Error = String;

            fn try_from(WrittenCaveat { id, values }: WrittenCaveat) -> Result<Self, String> {
                let none = |name| format!("the caveat `{id}` has no value `{name}`");
                let value = |name| values.get(name).cloned().ok_or_else(|| none(name));
                Ok(match id.as_str() {
                    $($id => Self::$name {
                        $($key: value(stringify!($key))?,)* $($value: value(stringify!($value))?),*
                    },)*
                    _ => return Err(format!("`{id}` is no id of a caveat")),
                })
            }
        }

        impl Caveat {
            /// All ids, with their sentences.
            pub const KINDS: &[CaveatKind] =
                &[$(CaveatKind { id: $id, severity: CaveatSeverity::$severity, sentence: $sentence }),*];

            /// What it has in common with others of its id.
            #[must_use]
            pub fn kind(&self) -> CaveatKind {
                match self {
                    $(Self::$name { .. } =>
                        CaveatKind { id: $id, severity: CaveatSeverity::$severity, sentence: $sentence },)*
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

/// A caveat as it is read: the id and the values by their names.
#[derive(Deserialize)]
struct WrittenCaveat {
    id: String,
    values: BTreeMap<String, String>,
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
        "another process makes the missing runs, too ({process}): divide them by `--shard 0/2` here and `--shard 1/2` \
         there"
    Note "a-name-and-no-gap" NameAndNoGap [kind] {name, count, total}
        "`{name}` is read as the name of {kind}, for {count} of {total}, not as a missing value"
    Warning "absent-clients" AbsentClients [] {clients}
        "{clients} never took part, and no weighting makes up for their data"
    Warning "adaptive-rounds" AdaptiveRounds [] {rounds, share}
        "adaptive rounds ended at {rounds} before they reached their tolerance, in {share} % of the iterations: sums \
         are less exact"
    Warning "batches-compared" BatchesCompared [] {} "the stopping rule compares log-likelihoods of different batches"
    Warning "biased-compressor" BiasedCompressor [consequence] {} "the compressor is biased: {consequence}"
    Warning "biased-raw" BiasedRaw [] {}
        "a biased compressor acts on whole statistics: the run does not converge to a limit point of SAEM (`memory: \
         Memory()` repairs this)"
    Warning "chains-diverged" ChainsDiverged [] {chains} "{chains} reset to the mode of the prior"
    Note "changed-since" ChangedSince [] {runs}
        "the base, the data files or the program have changed: `fedbits run` would repeat {runs}"
    Warning "choco-step" ChocoStep [] {share, most}
        "CHOCO's rounds increased the differences between roots in {share} % of the iterations (by a factor of up to \
         {most}): sums are wrong; `step` is too large"
    Note "chosen-alike" ChosenAlike [] {}
        "all clients of a round choose the same entries, so their errors do not average out"
    Warning "clients-without-a-row" ClientsWithoutARow [] {clients}
        "clients take no part, because all of their rows lack a value: {clients}"
    Note "clipped-entries" ClippedEntries [statistics] {entries} "T clipped {entries} of {statistics}"
    Note "coarse-probes" CoarseProbes [] {target, rounds, share, arm}
        "{target} was found after {rounds} rounds without a probe: up to {share} % of its cost may follow the time it \
         was reached ({arm}); `record: (every: 1, probe_every: 1)` probes every round"
    Warning "columns-not-read" ColumnsNotRead [column] {rows, line}
        "column `{column}` is not read, but says in {rows} (first: line {line}) that doses or observations differ from \
         those of the fit"
    Warning "combination-inexact" CombinationInexact [] {rounds, share, gamma}
        "{rounds} up to {share} % of the differences between agents, and the step stays at {gamma}: the limit is \
         biased if agents' data differ"
    Note "complete-matrices" CompleteMatrices [] {counts, observers}
        "a cell has {counts} counts by {observers}: there are {counts} complete matrices"
    Warning "component-collapsed" ComponentCollapsed [] {component}
        "component {component} has collapsed: a variance is at the level of rounding, or at the floor of `Clip`"
    Warning "component-empty" ComponentEmpty [] {component, size, weight}
        "component {component} is empty: its expected number of examples is {size}{weight}"
    Warning "components-counted" ComponentsCounted [what] {count} "{count} {what}; components.csv has them"
    Warning "components-mixed" ComponentsMixed [] {arms}
        "components are numbered by the random start of each replicate (of {arms}): medians and bands of their \
         parameters can mix them"
    Warning "components-refilled" ComponentsRefilled [] {components}
        "{components} of the reduced mixture had no nearest component in any fit, and took over another one"
    Warning "components-same" ComponentsSame [] {one, other, distance}
        "components {one} and {other} are the same: their Bhattacharyya distance is {distance}"
    Note "components-uncompared" ComponentsUncompared [] {count}
        "{count} components are too many for pairwise comparison"
    Warning "connections-given-up" ConnectionsGivenUp [] {}
        "`Tcp` gives up connections after repeated losses, and this protocol ends with the first message lost"
    Warning "consensus-inexact" ConsensusInexact [] {rounds, share, slem}
        "{rounds} up to {share} % of the differences between agents (SLEM {slem}): sums are not exact"
    Warning "consensus-lost" ConsensusLost [] {share}
        "{share} % of the awaited messages were lost or late: sums are not exact"
    Note "constant-held-out" ConstantHeldOut [] {clients, column}
        "a column is constant in {clients} held out, and 0 when the fit is evaluated (first: `{column}`)"
    Note "constant-in-clients" ConstantInClients [] {clients, client, column}
        "a column is constant in {clients}, and 0 in the fit (first: client {client}, `{column}`)"
    Warning "counter" Counter [feature] {}
        "the feature `{feature}` numbers the rows: `columns: […]` without it leaves it out"
    Note "cut-runs-go-on" CutRunsGoOn [] {} "a search has cut some of these runs, but here they run to their ends"
    Warning "damaged-store" DamagedStore [file] {bytes, start, damage}
        "{file}: {bytes} bytes from byte {start} on {damage}; a run stored there counts as not run"
    Note "data-not-here" DataNotHere [] {what, names}
        "{what} not here: put {names} beside the scenario, or name the folder by --data DIR"
    Warning "deadline-too-short" DeadlineTooShort [] {deadline, trip, client, broadcast, work, contribution}
        "the deadline of {deadline} s is below the shortest round trip of {trip} s (client {client}: broadcast \
         {broadcast} s, work {work} s, contribution {contribution} s): no contribution can arrive"
    Warning "degenerate-fit" DegenerateFit [] {defects}
        "the final fit is degenerate ({defects}): the run counts as not having reached a target"
    Warning "degenerate-runs" DegenerateRuns [] {count, runs, arms}
        "{count} of {runs} ended with a degenerate fit and count as not reaching a target ({arms})"
    Note "differ-in-case" DifferInCase [kind] {one, other}
        "`{one}` and `{other}` are two {kind}, though their names differ only in case"
    Warning "different-problems" DifferentProblems [] {arm}
        "the search decides between arms with different problems (data, clients or model): `{arm}` and perhaps others"
    Warning "divisor-clock" DivisorClock [] {estimate}
        "the divisor n·p is a mean over all time, but rounds take place while clients are available: more contribute, \
         and {estimate} overshoots"
    Warning "divisor-cohort" DivisorCohort [] {estimate}
        "the divisor is min(m, mean number of available clients), but fewer contribute on average: {estimate} is \
         biased towards V"
    Warning "divisor-expected" DivisorExpected [] {estimate}
        "the divisor is the expected number n·p although contributions can be missing: {estimate} is biased towards V"
    Note "documents-without-words" DocumentsWithoutWords [] {documents} "left out: {documents} without words"
    Warning "domain" Domain [statistic] {events} "{statistic} left the domain of T: {events}"
    Note "draws-cut" DrawsCut [law] {range, draws} "draws of `{law}` were clipped to the valid range ({range}): {draws}"
    Note "draws-cut-to-a-year" DrawsCutToAYear [] {} "draws above one year are clipped to one year"
    Note "early-end" EarlyEnd [field] {round} "the run ended before round {round} of `record.{field}`"
    Warning "early-rounds" EarlyRounds [] {}
        "rounds can close early: clients still at work contribute less often, and their data count less"
    Note "ended-by-search" EndedBySearch [] {how} "a search ended the run early ({how}): its remaining cost is unknown"
    Note "epsilon" Epsilon [adversary] {epsilon, delta}
        "(ε, δ) = ({epsilon}, {delta}) of a client against {adversary}: not claimed are random batches, and \
         replacement instead of removal of a client's data (which costs as half of `noise`)"
    Warning "failed-otherwise" FailedOtherwise [] {folder, runs}
        "runs with a different failure in {folder}, not merged: {runs}"
    Warning "failed-runs" FailedRuns [] {runs} "{runs} failed: targets not reached by then count as never reached"
    Warning "few-at-the-target" FewAtTheTarget [target] {arms}
        "at most half of the runs reached {target} ({arms}): medians (Kaplan–Meier) assume that cut runs would have \
         continued like the others"
    Note "few-common" FewCommon [] {replicates}
        "Pareto fronts use {replicates}: other replicates do not show which arm is better"
    Warning "few-observations" FewObservations [] {observations, effects}
        "no subject has more than {observations}, with {effects}: Ω and σ² may not be identifiable"
    Warning "few-participants" FewParticipants [] {participants}
        "{participants} participants are expected per round: a contribution counts 1/(n p) times, and a round without \
         any applies H = V"
    Note "figure-for-some-arms" FigureForSomeArms [figure, what] {arms}
        "the figure `{figure}` omits {arms}: only the other arms have its quantity ({what})"
    Note "figure-unprobed" FigureUnprobed [figure, quantity] {}
        "the figure `{figure}` omits `{quantity}`: nothing is probed, which needs `record: (probe_every: …)`"
    Warning "figures-not-redrawn" FiguresNotRedrawn [folder] {what, names}
        "{folder}: {what} not what the runs give now, and not in the archive: {names}"
    Note "figures-not-taken-over" FiguresNotTakenOver [] {}
        "the declared figures are omitted: they refer to axes or arms that are not here"
    Warning "first-come-steps" FirstComeSteps [] {}
        "steps use what arrives first: faster clients contribute more often, and their data count more"
    Note "fits-filtered" FitsFiltered [] {fits} "the mixture was made without {fits} that lay too far from the others"
    Warning "fits-without-density" FitsWithoutDensity [] {fits}
        "the mixture was made without {fits} that had no valid density after decoding"
    Note "foreign-decision" ForeignDecision [] {file}
        "{file} names other arms than the plan and is ignored; `fedbits run` writes it anew"
    Warning "identical-replicates" IdenticalReplicates [] {arms}
        "the replicates of {arms} are identical: nothing random differs between them, and intervals say nothing of \
         other data"
    Warning "large-alpha" LargeAlpha [name] {alpha, bound}
        "{name} = {alpha} is above 1/(1 + ω) = {bound}, the largest that theorems cover; above twice this, memories \
         can diverge"
    Warning "leak" Leak [steps] {instead}
        "{steps} used all clients' data together without sending anything: a leak, impossible in a federation \
         ({instead})"
    Note "line-breaks" LineBreaks [] {rows, place}
        "rows with a line break between double quotes: {rows}, the first at {place}"
    Warning "m-step-unfinished" MStepUnfinished [] {fall}
        "the last M-step stopped early: a further pass lowers its objective by {fall}"
    Note "many-labels" ManyLabels [] {labels, examples}
        "{examples} examples have {labels} labels: these, and accuracy by them, say little about groups"
    Warning "mean-of-arrived" MeanOfArrived [] {}
        "contributions can be missing: the server averages those that arrived, so this is not exact EM"
    Warning "memory-commit" MemoryCommit [] {}
        "memories are committed on sending although messages can be lost or late: V drifts from the mean of the V_i"
    Warning "memory-drift" MemoryDrift [] {drift} "the memories drifted: ‖V − mean V_i‖² = {drift} at the end"
    Warning "memory-lost" MemoryLost [] {}
        "clients that lose their memory continue without it: V drifts from the mean of the V_i"
    Warning "messages-overlap" MessagesOverlap [] {sharing}
        "`{sharing}` overlaps messages that a connection sends in turn: times of agents may be up to 94 % too long"
    Note "met-at-the-start" MetAtTheStart [target] {count, runs}
        "{target} holds before the first round ({count} of {runs}): start farther away, or lower the target and `stop`"
    Warning "missing-contributions" MissingContributions [] {}
        "contributions can be missing: clients that contribute less often count less, and so do their data"
    Note "missing-figure" MissingFigure [] {why} "a figure is missing: {why}"
    Warning "missing-runs" MissingRuns [] {arms} "runs of {arms} are missing; run the scenario again"
    Warning "more-byzantine" MoreByzantine [] {count, f}
        "{count} clients are Byzantine, more than the f = {f} that the robust rule tolerates"
    Note "more-rounded-variances" MoreRoundedVariances [] {variances, most}
        "{variances} rounding errors of this kind, at most {most}"
    Note "moved-aside" MovedAside [file] {path} "{file} did not belong to these runs: it was moved to {path}"
    Warning "named-clients" NamedClients [] {partition, how} "the data name clients, but `partition: {partition}` {how}"
    Note "no-model-file" NoModelFile [] {why} "there is no fitted model: {why}"
    Warning "nobody-arrived" NobodyArrived [] {times}
        "clients were selected {times}, but no contribution arrived in time"
    Note "not-known-here" NotKnownHere [] {why} "`fedbits run` cannot be planned here: {why}"
    Warning "observations-left-out" ObservationsLeftOut [] {observations, subjects}
        "left out: {observations} without a time or a value, and {subjects}"
    Warning "observations-weigh-more" ObservationsWeighMore [] {}
        "observations of small clients weigh more: a low-rank step can be longer than EM's"
    Note "observers-unnamed" ObserversUnnamed [] {}
        "no column names observers: every count has its own observer and matrix"
    Warning "one-item-group" OneItemGroup [group] {}
        "group {group} has one item: its specific loading is not identifiable"
    Note "one-number" OneNumber [kind] {one, other}
        "`{one}` and `{other}` are two {kind}, though they are the same number"
    Warning "one-replicate" OneReplicate [] {} "one replicate: differences have no interval and may be chance"
    Note "own-columns" OwnColumns [column] {name}
        "the file has a column `{column}`: the model's prediction is in `{name}`"
    Note "plan-damaged" PlanDamaged [] {error} "{error}; the plan is rewritten"
    Note "points-uneven" PointsUneven [axis] {points}
        "the axis `{axis}` has {points} points of a Sobol sequence: only powers of two cover the ranges evenly"
    Note "predicted-by-position" PredictedByPosition [] {} "this model has no item names: items are taken in file order"
    Note "predicted-fills" PredictedFills [] {rows}
        "rows with missing values, filled in as in the data of the fit: {rows}"
    Note "predicted-gaps" PredictedGaps [] {rows}
        "rows with a missing value in a column of the model, left without a prediction: {rows}"
    Warning "principal-components-rounded" PrincipalComponentsRounded [] {share, component}
        "rounding of the loadings moves scores by about {share} of the standard deviation of component {component}: \
         scales differ too much; use `Standardize` before `Pca`"
    Note "python-compressor" PythonCompressor [class] {}
        "the bits of the compressor are those that `{class}.encode` states: without `decode`, no bit string was \
         checked"
    Note "python-model" PythonModel [class] {source, versions}
        "the model is the Python class `{class}` (source {source}, {versions}): digests depend on these, too"
    Note "python-protocol" PythonProtocol [class] {source, versions}
        "the protocol is the Python class `{class}` (source {source}, {versions}): digests depend on these, too"
    Note "quantized-chain" QuantizedChain [] {}
        "the gradient is quantized inside the chain, which saves 0 bits: chains stay at the clients"
    Warning "raw-squares" RawSquares [what] {distance, error, advice}
        "{what} {distance} standard deviations from 0: values found from squares, above all covariances, have relative \
         errors of about {error} ({advice})"
    Note "reached-at-start" ReachedAtStart [] {rule} "the run ends before its first round: {rule} already holds"
    Note "records-left-out" RecordsLeftOut [folder] {names}
        "omitted, because only runs directly in {folder} count: {names}"
    Note "reduction-with-sampling" ReductionWithSampling [] {}
        "the paper defines VR-FedEM for full participation; here increments reach back to a client's last step (our \
         extension)"
    Note "reduction-without-batches" ReductionWithoutBatches [] {}
        "with `batch: All` the run is FedEM's, at a higher cost"
    Warning "ridge" Ridge [] {ridge} "a ridge of {ridge} is added to every variance: the likelihood may decrease"
    Warning "robust-rounds-skipped" RobustRoundsSkipped [] {skipped, rounds}
        "the robust rule skipped {skipped} of {rounds}: too few contributions arrived, and none was used"
    Note "robust-weights" RobustWeights [] {what}
        "a robust rule counts clients equally, and these are of unequal size: {what}"
    Warning "robust-zeros" RobustZeros [] {compressor}
        "{compressor} leaves entries out, and a rule on each entry takes them for zeros: where most clients send none, \
         the result is about 0 (`memory: Memory()` repairs it)"
    Warning "rounded-variances" RoundedVariances [variance] {error, meaning, distance, origin, remedy}
        "the variance of {variance} has a relative error of {error} by rounding in one step{meaning}: the mean lies \
         {distance} of these standard deviations from {origin} ({remedy})"
    Warning "rounds-inexact" RoundsInexact [] {share, most}
        "the rounds left more than 1 % of the differences between roots in {share} % of the iterations (up to {most} \
         %): sums are not exact"
    Note "run-century" RunCentury [] {} "the run ended early, after a century of virtual time"
    Warning "run-diverged" RunDiverged [] {defects}
        "the run diverged ({defects}), usually by too large a step: it counts as not having reached a target"
    Warning "run-failed" RunFailed [] {rounds, why} "the run failed after {rounds}: {why}"
    Note "run-idle" RunIdle [] {} "the run ended early: no events were left"
    Note "runs-to-come" RunsToCome [] {missing, planned}
        "runs without a result: {missing} of {planned}; `fedbits run` makes them"
    Note "search-not-ended" SearchNotEnded [] {}
        "the search has not ended: `fedbits run` decides the next runs from these"
    Note "search-unbounded" SearchUnbounded [] {rule}
        "the search counts {rule}, but other rules end its runs: those that miss the target only give a lower bound of \
         the cost; set `stop: ({rule}: …)`"
    Warning "secure-rounds-failed" SecureRoundsFailed [] {failed, rounds}
        "secure aggregation failed in {failed} of {rounds}: too few clients remained, and nothing was used"
    Note "sites-left-out" SitesLeftOut [file] {count, sites, names}
        "{file}: {count} of {sites} are outside the largest piece and omitted: {names}"
    Note "small-clients" SmallClients [] {clients, examples}
        "{clients} fewer than {examples}: their batch is all they have"
    Warning "subjects-twice" SubjectsTwice [] {subjects, subject, time, line}
        "{subjects} observed twice at one time, or again from an earlier time (first: `{subject}` at {time}, line \
         {line}): different subjects need different numbers"
    Note "table-on-demand" TableOnDemand [table] {folder}
        "`{table}.csv` has more than 2 000 000 rows: `fedbits export {folder} --out DIR` writes it"
    Note "times-as-they-came" TimesAsTheyCame [] {time}
        "times are in order of first appearance: `{time}` is neither a number nor a date like the others \
         (`2021-03-01`)"
    Note "trace-too-large" TraceTooLarge [] {spans}
        "the traced rounds have more than {spans} transfers and computations: there is no trace.csv"
    Warning "two-item-group" TwoItemGroup [group] {}
        "group {group} has two items: only the product of their loadings is identifiable"
    Warning "unequal-clients" UnequalClients [] {}
        "clients of unequal size can be missing: the mean over those that arrived is biased"
    Warning "unobserved-sites" UnobservedSites [] {sites, times}
        "{sites} and {times} have no fitted observation: without a penalty, values imputed there depend on the start"
    Warning "values-imputed" ValuesImputed [] {values, rows, filling}
        "the {filling} of the column over all clients' data, which no client has, replaces {values} in {rows}"
    Warning "values-missing" ValuesMissing [] {rows} "{rows} left out: a value is missing there"
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
        assert_eq!(ron::from_str(&text), Ok(caveat));
        let unknown = ron::from_str::<Caveat>(&text.replace("counter", "account")).unwrap_err().to_string();
        assert!(unknown.contains("`account` is no id"), "{unknown}");
        let incomplete = ron::from_str::<Caveat>(&text.replace("\"feature\"", "\"column\"")).unwrap_err().to_string();
        assert!(incomplete.contains("no value `feature`"), "{incomplete}");
    }
}

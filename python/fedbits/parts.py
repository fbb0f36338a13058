"""The parts of scenarios and studies as classes.

Written from the program's own description of them (`scenarios/tests/guide`); do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from fedbits._part import UNSET, Part

if TYPE_CHECKING:
    import numpy.typing as npt

    from fedbits._objects import PythonCompressor, PythonModel, PythonProtocol

    Array: TypeAlias = npt.NDArray[Any]
    Character: TypeAlias = str


class Data(Part):
    """The source of the examples."""


class Covariances(Part):
    """Covariances of a mixture."""


class Columns(Part):
    """A choice of columns."""


class Column(Part):
    """One column of a text file."""


class MissingValues(Part):
    """Rows with missing values in used cells: empty, `?`, `.`, Excel errors, `missing_values`, or words that pandas
    reads as missing (`NA`, …). Labels and clients are missing only if empty or in `missing_values`: a name may be `NA`.
    """


class Filling(Part):
    """Statistic of a column's present values over all clients."""


class Factors(Part):
    """Feature columns whose first value is text. Numbers among texts are refused."""


class Doses(Part):
    """Location of doses."""


class MissingObservations(Part):
    """Observations without a value, and documents without words."""


class Arrangement(Part):
    """Layout of a file of counts."""


class Family(Part):
    """Distribution of an observation with natural parameter θ."""


class Preprocess(Part):
    """A preprocessing step. Steps that pool all clients' data run before the partition, with a caveat."""


class Holdout(Part):
    """Examples withheld from the clients."""


class Partition(Part):
    """Which client holds which example."""


class Model(Part):
    """The model, in terms of its sufficient statistics."""


class Covariance(Part):
    """Covariance structure; sets the statistic's length q (d features, G components)."""


class MixturePrior(Part):
    """Prior of a mixture's parameters."""


class Curve(Part):
    """Curve of a subject."""


class Effects(Part):
    """Covariance of the random effects."""


class ResidualError(Part):
    """Residual error."""


class Matrices(Part):
    """Number M of complete matrices. A larger M makes EM slower and `lambda` stronger; without a penalty the estimate
    does not depend on M.
    """


class ResponseLaw(Part):
    """Response given η = intercept + general · z₀ + specific · z_g."""


class RegressionLoss(Part):
    """Loss of a linear score."""


class Penalty(Part):
    """Added to the mean loss; intercepts are not penalized."""


class StepSize(Part):
    """ρ in x − ρ ∇f(x)."""


class Noise(Part):
    """Residual variance of the regressions."""


class Initial(Part):
    """Starting point θ₀, free of charge. FedEM, its baselines, FedMissEM and EM in one place begin one EM step further,
    at Ŝ₀ = s̄(θ₀). FL-SAEM and similar, VP-EM, diffusion EM, and FedEM with `privacy` begin at θ₀, Ŝ₀ = T⁻¹(θ₀). If T⁻¹
    is unknown (models in Python), round 0 of diffusion EM shows s̄(θ₀) and T(s̄(θ₀)).
    """


class Protocol(Part):
    """The algorithm."""


class Schedule(Part):
    """A step size γ_k of round k = 1, 2, …"""


class Alpha(Part):
    """Step α of the memories."""


class Memory(Part):
    """The memories V_i."""


class MemoryStart(Part):
    """Initial value V_{0,i} of the memories."""


class Commit(Part):
    """Time of the memory update V_i ← V_i + α Quant(Δ_i)."""


class Recovery(Part):
    """Memory of a client that has lost its state (`dropout`)."""


class VarianceReduction(Part):
    """Variance reduction of local statistics."""


class InnerSteps(Part):
    """Inner steps of an outer loop."""


class Previous(Part):
    """Source of the values s̄_ij(T(Ŝ)) at the Ŝ of the client's current estimate; affects the cost of a step, not its
    result.
    """


class Participation(Part):
    """Available clients that take part in a round."""


class Batch(Part):
    """Examples of a local step."""


class DivideBy(Part):
    """Divisor of the sum of contributions."""


class Compressor(Part):
    """Compressor: a map from vectors to messages."""


class Norm(Part):
    """Norm that scales a dithered vector."""


class LevelCode(Part):
    """Code of signed levels −s…s."""


class Indices(Part):
    """Coding of k positions."""


class Mask(Part):
    """Coding of a random selection of coordinates."""


class Floats(Part):
    """Width of floats in messages. Both ends use the rounded values."""


class Broadcast(Part):
    """Content of the broadcast."""


class Downlink(Part):
    """Downlink messages of FedEM."""


class DownMemory(Part):
    """Memory of a compressed downlink."""


class Domain(Part):
    """Treatment of statistics outside the domain of T, which have no parameters."""


class Weighting(Part):
    """Weights wᵢ of clients in F = n⁻¹ Σ wᵢ Fᵢ and h = n⁻¹ Σ wᵢ hᵢ."""


class Local(Part):
    """Computation for the subjects in a round."""


class Kernel(Part):
    """A transition kernel."""


class ChainStart(Part):
    """Starting point of the chains in a round."""


class Steps(Part):
    """Step sizes of the kernels."""


class Sends(Part):
    """Content of messages."""


class Coordinates(Part):
    """Coordinates of uplink compression and clipping (`privacy`)."""


class Architecture(Part):
    """Who sums the agents' terms."""


class Ties(Part):
    """Ties between hubs."""


class HubSearch(Part):
    """Search for the hubs."""


class Weights(Part):
    """Consensus weights W."""


class Consensus(Part):
    """Averaging among agents."""


class Missing(Part):
    """Treatment of missing messages."""


class Duration(Part):
    """A duration, such as `Ms(20)`: 0 to 584 years, in steps of 1 ns."""


class VpBatch(Part):
    """Examples of an iteration (incremental EM of Neal and Hinton)."""


class Singular(Part):
    """Treatment of singular covariances."""


class Stopping(Part):
    """Stopping rule on the increase of an agent's log-likelihood per example and iteration."""


class VpLink(Part):
    """Coding of terms in one direction: a vector of K numbers per visited example."""


class VpSurrogate(Part):
    """Surrogate Ĝ of a vector Q of terms."""


class FirstTerms(Part):
    """First message of a surrogate."""


class MissingBlocks(Part):
    """Simulated missing blocks of features."""


class GapTreatment(Part):
    """Treatment of incomplete examples. The objective covers all observed values."""


class Combine(Part):
    """Combination of agents' values."""


class Averages(Part):
    """Quantity that neighbours average."""


class ControlVariate(Part):
    """Update of SCAFFOLD's control variates."""


class Relaxation(Part):
    """Step of LoCoDL's consensus."""


class Merging(Part):
    """Merging of mixtures into one."""


class Within(Part):
    """Largest distance of a near fit from the median fit, in median distances."""


class Round(Part):
    """When the server closes a round and makes its step. If the draw selects no available client, the round lasts until
    its deadline (without one, a second).
    """


class Late(Part):
    """Contributions that arrive after their round has closed."""


class Staleness(Part):
    """Weight ω(τ) of a contribution to the broadcast of τ steps ago. FedEM has H = ω̄ V + Σ ω(τ_i) D_i / d, d from
    `divide_by`. Here ω̄ is the mean ω of the arrivals (1 if none); memories add α D_i unweighted.
    """


class Aggregation(Part):
    """How the server sums the clients' messages."""


class Neighbours(Part):
    """Pairs of clients that share masks."""


class RobustRule(Part):
    """Rule on m vectors x_i, as in ByzFL. For medians and `CentredClipping`, f sets only the required arrivals."""


class Preaggregation(Part):
    """Transformation of vectors before a rule."""


class Privacy(Part):
    """Differential privacy of clients."""


class Granularity(Part):
    """Unit of protection of differential privacy."""


class Against(Part):
    """The adversary."""


class Liars(Part):
    """Byzantine clients; at least one client is honest."""


class Attack(Part):
    """Reported vector in place of x."""


class Attacked(Part):
    """Entries that a Byzantine client replaces; the others stay as they are."""


class Shape(Part):
    """Topology of a network."""


class Sites(Part):
    """Sites and links. Random graphs are redrawn, up to 100 times, until connected."""


class Reach(Part):
    """Linked sites of `Geometric`."""


class Rate(Part):
    """A data rate, such as `Mbps(5)`; above 0. Links round to whole bit/s."""


class Piece(Part):
    """Used sites of a file."""


class LinkCapacity(Part):
    """Capacity of links between sites."""


class RateLaw(Part):
    """Distribution of rates: `Mbps(5)`, `LogNormal(median: Mbps(10), sigma: 0.5)`."""


class LinkLatency(Part):
    """One-way delay of links between sites."""


class DurationLaw(Part):
    """Distribution of durations: `Ms(20)`, `LogNormal(median: Ms(40), sigma: 0.5)`, `Column(path: "rtt.csv", column:
    Name("n0"), unit: Us(500))`.
    """


class Loss(Part):
    """Packet losses of a link."""


class SiteName(Part):
    """A site."""


class Background(Part):
    """Background traffic."""


class Size(Part):
    """An amount of data, such as `MiB(100)`."""


class Queue(Part):
    """Queue in front of a link."""


class Placement(Part):
    """Sites of clients: client i is at the (i modulo their number)-th."""


class RateTrace(Part):
    """Time-varying rates of access links."""


class TraceStart(Part):
    """Starting point in the trace."""


class Delivery(Part):
    """Treatment of lost packets."""


class Repair(Part):
    """Delay of retransmissions after the transfer's last packet."""


class Connections(Part):
    """Connections between two nodes."""


class Sharing(Part):
    """Sharing of links among transfers."""


class Unit(Part):
    """Stored and forwarded unit of `Fifo`."""


class Congestion(Part):
    """Congestion control."""


class LatencyOrder(Part):
    """Order of latency and transmission."""


class Headers(Part):
    """Packet sizes, for timing and charges."""


class Availability(Part):
    """When a client can be selected; only `dropout` interrupts a selected client."""


class Durations(Part):
    """Distribution of durations."""


class Dropout(Part):
    """Dropouts of clients."""


class State(Part):
    """State of a client after a dropout."""


class PowerLaw(Part):
    """Distribution of powers: `W(2.5)`, `Uniform(min: MilliW(300), max: W(1))`."""


class Power(Part):
    """A power, such as `W(2.5)`; 0 to 10⁶ W."""


class Energy(Part):
    """An energy, such as `KJ(3)`; above 0."""


class Measure(Part):
    """Measure of a probe."""


class Axis(Part):
    """A varied setting; values as in `--set path=value`."""


class Values(Part):
    """Levels of a setting. Between the ends, `Linear` and `Log` round to six digits of the distance, or to whole
    numbers if required.
    """


class Amount(Part):
    """A number, with or without a unit."""


class Which(Part):
    """Levels of an axis."""


class Law(Part):
    """Distribution of values, with six digits relative to the spread. For whole-number settings, `Uniform` and
    `LogUniform` give whole numbers between the ends, the others round.
    """


class Target(Part):
    """A target, reached at the first recorded row that meets it, else censored at the end."""


class Objective(Part):
    """A cost to minimize."""


class Constraint(Part):
    """A constraint on runs."""


class FigureKind(Part):
    """Kind of figure."""


class XAxis(Part):
    """Horizontal axis, cumulative."""


class Panels(Part):
    """Content of a panel."""


class ShownArm(Part):
    """An arm, or several as one."""


class Scale(Part):
    """Scale of an axis."""


class Band(Part):
    """Band around a line."""


class Mark(Part):
    """An additional line."""


class Cost(Part):
    """A cost of reaching the target."""


class ForestOrder(Part):
    """Order of arms."""


class Timed(Part):
    """A measured duration."""


class ClientAxis(Part):
    """Horizontal axis over clients."""


class MixtureView(Part):
    """View of a mixture."""


class Scenario(Part, kw_only=True):
    """Everything a run depends on.

    Attributes:
        name: Name in results; not empty.
        about: Purpose, assumptions and results, in words. Default `""`.
        base: Scenario that this one modifies: a name in the library, or a `.ron` file in the same folder. `name` and
            what the base lacks remain required. Values with the base's name (`FedEm(…)`) or none (`stop: (…)`) are
            merged by field, others replaced, lists included. Default `None`.
        seed: Seed of all random draws. Default `1`.
        replicate: Index of the replicate, with its own draws; at most 10¹². Default `0`.
        replicates: Runs of each arm, from `replicate` on. Replicate r has the same data and environment in all arms. 1
            to 1 000 000, with `search` to 1 000; intervals need 3. Default `1`.
        data: The examples.
        preprocess: Preprocessing steps, in order. Default `[]`.
        holdout: Examples withheld from all clients and evaluated at every probe (columns `held_out_…`). Counts and
            documents have their own fields. Default `None`.
        clients: n, 1 to 10⁷; required, except with `ClientColumn`, which sets it. Default `None`.
        partition: Which client holds which example. Default `Iid`.
        model: Model to fit.
        initial: Starting point. Default `KMeansPlusPlus(iterations: 0, restarts: 1)`.
        protocol: The algorithm.
        round: When a round closes. Default `WaitForAll`.
        late: Treatment of contributions after their round. Default `Discard`.
        staleness: Weight of a contribution to an older broadcast, not of memory updates. FedEM scales V by a step's
            mean weight. Default `Constant`.
        aggregation: How the server obtains the sum of messages. Default `Plain`.
        privacy: Differential privacy of clients. Default `None`.
        byzantine: Byzantine clients. Default `None`.
        network: The network; default a star. Default `(shape: Star, server_up: Gbps(1.0), server_down: Gbps(1.0),
            client_up: Mbps(10.0), client_down: Mbps(50.0), latency: None, up_trace: None, down_trace: None, loss:
            Never, background: Quiet, jitter: None, transport: (delivery: Datagram, set_up: 1, slow_start: 10,
            connections: Kept, restart_after_idle: true, acknowledgements: false), sharing: FairShare, queues:
            (server_up: Fair, server_down: Endless, client_up: Fair, client_down: Endless, links: Endless),
            latency_order: AtServer, headers: Ip)`.
        compute: Durations of computations. Default `(expectation: Us(10.0), server_expectation: Us(1.0), variation:
            0.0, slow: None, coding: (client_send: Ns(0.0), client_receive: Ns(0.0), server_send: Ns(0.0),
            server_receive: Ns(0.0), server_lanes: 1), server_step: Ns(0.0), client_step: Ns(0.0))`.
        availability: When clients can be selected. Default `Always`.
        dropout: Whether clients drop out while busy. Default `Never`.
        energy: Powers; without them no energy is counted. Default `None`.
        stop: When the run ends; at least one rule.
        record: What a run records. Default `(every: 1, probe_every: 10, theta: false, statistics: false, quality: true,
            clients: None, clients_at: [], trace: [])`.
        arms: Variants to compare; none: the scenario itself. With `axes` they form the slowest axis, `arms`. Default
            `[]`.
        axes: Varied settings; arms run once per combination of levels. Default `[]`.
        exclude: Combinations of levels, by axis, that are left out. Default `[]`.
        baseline: Levels of the reference arm by axis (for arms `{"arms": "NAME"}`); none: the first. Default `{}`.
        targets: Targets to which bits, time and rounds are measured. Default `[]`.
        search: Adaptive choice of runs; default: all. Default `None`.
        offer: Paths of settings that a page of `fedbits report --page run` offers besides axes, arms and seed. Default
            `[]`.
        figures: Figures, the most important first; none: one of curves, chosen from the results. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    name: str = UNSET
    about: str = UNSET
    base: str | None = UNSET
    seed: int = UNSET
    replicate: int = UNSET
    replicates: int = UNSET
    data: Data = UNSET
    preprocess: Sequence[Preprocess] = UNSET
    holdout: Holdout | float | None = UNSET
    clients: int | None = UNSET
    partition: Partition = UNSET
    model: Model | PythonModel = UNSET
    initial: Initial = UNSET
    protocol: Protocol | PythonProtocol = UNSET
    round: Round = UNSET
    late: Late = UNSET
    staleness: Staleness = UNSET
    aggregation: Aggregation = UNSET
    privacy: Privacy | None = UNSET
    byzantine: Byzantine | None = UNSET
    network: Network = UNSET
    compute: Compute = UNSET
    availability: Availability = UNSET
    dropout: Dropout = UNSET
    energy: Powers | None = UNSET
    stop: Stop = UNSET
    record: Record = UNSET
    arms: Sequence[Arm] = UNSET
    axes: Sequence[Axis] = UNSET
    exclude: Sequence[Mapping[str, object]] = UNSET
    baseline: Mapping[str, object] = UNSET
    targets: Sequence[Target] = UNSET
    search: Race | None = UNSET
    offer: Sequence[str] = UNSET
    figures: Sequence[Figure] = UNSET


class GaussianMixtureData(Data):
    """Draws from a Gaussian mixture, the known truth.

    Attributes:
        examples: N, over all clients. Range: 1 to 1 000 000 000.
        weights: π, G positive weights of sum 1 (± 1e-9).
        means: μ, G rows of d coordinates.
        covariance: Σ, symmetric and positive definite.
        pool: Size of a pool from which all replicates sample without replacement; `examples` to 10⁹. Default: new draws
            per replicate. Default `None`.
    """

    _written: ClassVar[str | None] = "GaussianMixture"

    examples: int
    weights: Sequence[float] | Array
    means: Sequence[Sequence[float] | Array] | Array
    covariance: Covariances
    pool: int | None = UNSET


class RandomMixture(Data):
    """A random Gaussian mixture with weights Dirichlet(5, …) and means N(0, `separation`² I). Covariances are
    `correlated` · A Aᵀ / d + (1 − `correlated`) I, A standard normal.

    Attributes:
        examples: N, over all clients. Range: 1 to 1 000 000 000.
        features: d. Range: 1 to 2 000.
        components: G. Range: 1 to 1 000.
        separation: Standard deviation of the means; components have variances of about 1. Range: above 0.
        correlated: Share of the correlated part. Range: (0, 1]. Default `0.8`.
    """

    _written: ClassVar[str | None] = "RandomMixture"

    examples: int
    features: int
    components: int
    separation: float
    correlated: float = UNSET


class ClientMixtures(Data):
    """One mixture per client: weights Dirichlet(`concentration`, …), means at distance `shift` from common ones in
    random directions, covariances I. The last clients can be normal outliers. Use `partition: ClientColumn`.

    Attributes:
        clients: K, outliers included. Range: 1 to 1 000 000.
        points: n, examples per client. Range: 1 to 1 000 000.
        means: µ̄, R rows of p coordinates.
        shift: h, distance from `means`. Range: 0 to 10⁶, in units of the data.
        concentration: a; large values give equal weights. Range: above 0. Default `5.0`.
        outliers: Outliers, at most `clients` − 1. Default `0`.
        outlier_mean: m, mean of outliers' coordinates. Range: finite. Default `2.5`.
        outlier_deviation: s, standard deviation of outliers' coordinates. Range: above 0. Default `2.0`.
    """

    _written: ClassVar[str | None] = "ClientMixtures"

    clients: int
    points: int
    means: Sequence[Sequence[float] | Array] | Array
    shift: float
    concentration: float = UNSET
    outliers: int = UNSET
    outlier_mean: float = UNSET
    outlier_deviation: float = UNSET


class RegressionMixtureData(Data):
    """K linear regressions with one latent label per client: x ~ N(0, I), y = ⟨β_k, x⟩ + σ ε. An example holds one
    client's sums (`partition: ClientColumn`).

    Attributes:
        clients: M. Range: 1 to 100 000 000.
        points: n, points per client. Range: 1 to 1 000 000.
        weights: π, K positive weights of sum 1 (± 1e-9).
        coefficients: β, K rows of p coefficients.
        noise: σ, in units of y. Range: above 0.
    """

    _written: ClassVar[str | None] = "RegressionMixture"

    clients: int
    points: int
    weights: Sequence[float] | Array
    coefficients: Sequence[Sequence[float] | Array] | Array
    noise: float


class Csv(Data):
    """A text file with one example per line.

    Attributes:
        path: Text (plain, gzip or zstd) or, in a program built with it, Parquet. A pattern (`*`, `?`) names one file
            per client (`partition: ClientColumn`), with equal columns, in order of names. Range: not empty.
        header: Does the first line hold names? Default: detected. Default `None`.
        columns: Features. Default `All`.
        label: Class labels. Default `None`.
        client: Client of each example. Default `None`.
        delimiter: Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
            Range: an ASCII character that is not part of a number. Default `None`.
        missing: Missing values. Default `Error`.
        missing_values: Further texts for missing values: `["-999", "-"]`. A number covers all its spellings. Each text
            must occur. Default `[]`.
        factors: Text columns. Default `Refuse`.
    """

    _written: ClassVar[str | None] = "Csv"

    path: str
    header: bool | None = UNSET
    columns: Columns | Sequence[object] = UNSET
    label: Column | float | str | None = UNSET
    client: Column | float | str | None = UNSET
    delimiter: Character | None = UNSET
    missing: MissingValues = UNSET
    missing_values: Sequence[str] = UNSET
    factors: Factors = UNSET


class Longitudinal(Data):
    """Subjects over time: a text file with one row per observation.

    Attributes:
        path: File name. Range: not empty.
        subject: Subjects.
        time: Times, in any unit.
        value: Observed values; with doses concentrations, at least 0.
        header: Does the first line hold names? Default: detected. Default `None`.
        delimiter: Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
            Range: an ASCII character that is not part of a number. Default `None`.
        doses: Location of doses. Default `NoDoses`.
        only: Observation rows; doses are read from all rows. Default: all rows without a dose. Default `None`.
        after: Leaves out observations up to this time. Range: finite. Default `None`.
        missing: Observations without time or value (missing as in `Csv`). `Drop` also removes subjects without other
            observations. Default `Error`.
        missing_values: Further texts for missing values: `["-999", "-"]`. A number covers all its spellings. Each text
            must occur. Default `[]`.
    """

    _written: ClassVar[str | None] = "Longitudinal"

    path: str
    subject: Column | float | str
    time: Column | float | str
    value: Column | float | str
    header: bool | None = UNSET
    delimiter: Character | None = UNSET
    doses: Doses = UNSET
    only: Rows | None = UNSET
    after: float | None = UNSET
    missing: MissingObservations = UNSET
    missing_values: Sequence[str] = UNSET


class Counts(Data):
    """Counts by site, time and observer, from a text file. A missing cell (as in `Csv`) is no count.

    Attributes:
        path: File name. Range: not empty.
        site: Sites.
        arrangement: Layout.
        header: Does the first line hold names? Default: detected. Default `None`.
        held_out: Share of observations withheld to evaluate the fit (`held_out_log_likelihood`, `held_out_rmse`).
            Range: 0 to 0.9. Default `0.0`.
        delimiter: Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
            Range: an ASCII character that is not part of a number. Default `None`.
        missing_values: Further texts for missing values: `["-999", "-"]`. A number covers all its spellings. Each text
            must occur. Default `[]`.
    """

    _written: ClassVar[str | None] = "Counts"

    path: str
    site: Column | float | str
    arrangement: Arrangement
    header: bool | None = UNSET
    held_out: float = UNSET
    delimiter: Character | None = UNSET
    missing_values: Sequence[str] = UNSET


class Visits(Data):
    """Simulated counts by site, time and observer from a low-rank matrix, observed by few irregular visits.

    Attributes:
        sites: J. Range: 1 to 1 000 000.
        times: L, with seasons of 12 times; J L below 2³². Range: 1 to 100 000.
        observers: I. Range: 1 to 1 000 000.
        observations: N; at most half of the I J L possible. Range: 1 to 10 000 000.
        rank: Rank of the natural parameters. Range: 1 to 12.
        level: Mean natural parameter. Range: -100 to 100.
        spread: Standard deviation of each factor of the sites. Range: 0 to 100.
        skew: Standard deviation of log popularity of sites and observers; 0: even visits. Range: 0 to 10.
        family: Distribution of an observation. Default `Gaussian`.
        held_out: Share of observations withheld to evaluate the fit (`held_out_log_likelihood`, `held_out_rmse`).
            Range: 0 to 0.9. Default `0.0`.
    """

    _written: ClassVar[str | None] = "Visits"

    sites: int
    times: int
    observers: int
    observations: int
    rank: int
    level: float
    spread: float
    skew: float
    family: Family = UNSET
    held_out: float = UNSET


class Responses(Data):
    """Responses to items: a text file with one row per person or response pattern, without missing values.

    Attributes:
        path: File name. Range: not empty.
        header: Does the first line hold names? Default: detected. Default `None`.
        items: Items. Default `All`.
        frequency: Persons per row. Default: one. Default `None`.
        delimiter: Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
            Range: an ASCII character that is not part of a number. Default `None`.
    """

    _written: ClassVar[str | None] = "Responses"

    path: str
    header: bool | None = UNSET
    items: Columns | Sequence[object] = UNSET
    frequency: Column | float | str | None = UNSET
    delimiter: Character | None = UNSET


class Corpus(Data):
    """Bags of words in LDA-C format (`M id:count …` per line), plain, gzip or zstd.

    Attributes:
        path: File name. Range: not empty.
        vocabulary: File of words, one per line in order of ids. Default: ids serve as words. Range: not empty. Default
            `None`.
        hold_out_every: Withholds every n-th token to measure perplexity. In document d (from 0) these are j ≥ 1, by
            word id, with n dividing j + d. Range: 2 to 4 294 967 295. Default `None`.
        missing: Documents without words. Default `Error`.
    """

    _written: ClassVar[str | None] = "Corpus"

    path: str
    vocabulary: str | None = UNSET
    hold_out_every: int | None = UNSET
    missing: MissingObservations = UNSET


class Documents(Data):
    """Documents drawn from latent Dirichlet allocation (Blei, Ng and Jordan 2003): topics Dirichlet(`concentration`,
    …), proportions Dirichlet(`alpha`, …).

    Attributes:
        documents: N. Range: 1 to 100 000 000.
        words: V, the size of the vocabulary. Range: 2 to 1 000 000.
        topics: K. Range: 1 to 1 000.
        length: Mean number of tokens per document: one plus a Poisson number. Range: 1 to 100 000 tokens.
        alpha: Small values give few topics per document. Range: above 0.
        concentration: Small values give few words per topic. Range: above 0.
        hold_out_every: Withholds every n-th token to measure perplexity. In document d (from 0) these are j ≥ 1, by
            word id, with n dividing j + d. Range: 2 to 4 294 967 295. Default `None`.
    """

    _written: ClassVar[str | None] = "Documents"

    documents: int
    words: int
    topics: int
    length: float
    alpha: float
    concentration: float
    hold_out_every: int | None = UNSET


class Idx(Data):
    """Images in the IDX format (MNIST), plain, gzip or zstd.

    Attributes:
        images: Images. Range: not empty.
        labels: Labels. Range: not empty. Default `None`.
    """

    _written: ClassVar[str | None] = "Idx"

    images: str
    labels: str | None = UNSET


class LibSvm(Data):
    """LIBSVM format (`label index:value …` per line), plain, gzip or zstd.

    Attributes:
        path: File name. Range: not empty.
        features: d. Default: the largest index in the file. Range: 1 to 1 000 000 000. Default `None`.
        hash: Columns for feature hashing with random signs. Default: no hashing. Range: 1 to 1 000 000. Default `None`.
    """

    _written: ClassVar[str | None] = "LibSvm"

    path: str
    features: int | None = UNSET
    hash: int | None = UNSET


class Npy(Data):
    """A NumPy array (`.npy`, plain, gzip or zstd, or in a `.npz`), one example per row.

    Attributes:
        path: Features, also in dimensions after the second. Range: not empty.
        array: Array in an `.npz` file with several. Default `None`.
        labels: Labels: one whole number per example. Range: not empty. Default `None`.
        labels_array: Label array in the `.npz` file `labels` or, without it, `path`. Default `None`.
    """

    _written: ClassVar[str | None] = "Npy"

    path: str
    array: str | None = UNSET
    labels: str | None = UNSET
    labels_array: str | None = UNSET


class Common(Covariances):
    """One d × d matrix for all components.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Common"
    _items: ClassVar[bool] = True

    value: Sequence[Sequence[float] | Array] | Array


class PerComponent(Covariances):
    """G matrices, d × d.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "PerComponent"
    _items: ClassVar[bool] = True

    value: Sequence[Sequence[Sequence[float] | Array] | Array] | Array


class AllColumns(Columns):
    """Every column without another use, in file order."""

    _written: ClassVar[str | None] = "All"


class ColumnsColumns(Columns):
    """These, in this order; at least one.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Columns"
    _items: ClassVar[bool] = True

    value: Sequence[Column | float | str]


class IndexColumn(Column):
    """By position, counted from 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Index"
    _items: ClassVar[bool] = True

    value: int


class NameColumn(Column):
    """By its name in the header line.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Name"
    _items: ClassVar[bool] = True

    value: str


class ErrorMissingValues(MissingValues):
    """An error."""

    _written: ClassVar[str | None] = "Error"


class DropMissingValues(MissingValues):
    """Leaves these rows out, with a caveat."""

    _written: ClassVar[str | None] = "Drop"


class ImputeMissingValues(MissingValues):
    """Fills cells by column from all clients' data, with a caveat; withheld examples take the statistics of the others.
    Labels and clients are never filled.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Impute"
    _items: ClassVar[bool] = True

    value: Filling


class MeanFilling(Filling):
    """The mean."""

    _written: ClassVar[str | None] = "Mean"


class Median(Filling):
    """The median, or the mean of the middle two values."""

    _written: ClassVar[str | None] = "Median"


class Mode(Filling):
    """The most frequent value; of ties the smallest, or a factor's first level."""

    _written: ClassVar[str | None] = "Mode"


class Refuse(Factors):
    """Refused."""

    _written: ClassVar[str | None] = "Refuse"


class OneHot(Factors):
    """One 0/1 column `name=level` per level, in alphabetical order. Their joint covariance is singular."""

    _written: ClassVar[str | None] = "OneHot"


class Treatment(Factors):
    """`OneHot` without the first level."""

    _written: ClassVar[str | None] = "Treatment"


class NoDoses(Doses):
    """None, as in growth curves."""

    _written: ClassVar[str | None] = "NoDoses"


class RowsDoses(Doses):
    """In separate rows without observations (NONMEM, Monolix, nlmixr2).

    Attributes:
        amount: Amounts; 0, `.`, `NA` and the like in observation rows.
    """

    _written: ClassVar[str | None] = "Rows"

    amount: Column | float | str


class PerSubject(Doses):
    """One per subject; each of its rows has the amount.

    Attributes:
        amount: Amounts, above 0.
        time: Time of the dose, in the unit of the times. Range: finite. Default `0.0`.
    """

    _written: ClassVar[str | None] = "PerSubject"

    amount: Column | float | str
    time: float = UNSET


class Rows(Part):
    """Rows selected by the text in a column.

    Attributes:
        column: The column.
        text: Required text.
    """

    _written: ClassVar[str | None] = None

    column: Column | float | str
    text: str


class ErrorMissingObservations(MissingObservations):
    """An error."""

    _written: ClassVar[str | None] = "Error"


class DropMissingObservations(MissingObservations):
    """Leaves them out, with a caveat."""

    _written: ClassVar[str | None] = "Drop"


class Long(Arrangement):
    """One count per line.

    Attributes:
        time: At least one column of time, most significant first (year, month). Order: numbers, else dates of one form
            (`2021-03-01`), else first appearance.
        count: Counts.
        observer: Observers. Default: one per line. Default `None`.
    """

    _written: ClassVar[str | None] = "Long"

    time: Sequence[Column | float | str]
    count: Column | float | str
    observer: Column | float | str | None = UNSET


class Wide(Arrangement):
    """One line per site, one column of counts per time.

    Attributes:
        counts: At least one, in order of time.
        observers: One column for all times, or one per time. Default: one observer per count. Default `[]`.
    """

    _written: ClassVar[str | None] = "Wide"

    counts: Sequence[Column | float | str]
    observers: Sequence[Column | float | str] = UNSET


class GaussianFamily(Family):
    """Normal with mean θ and variance 1 (FedEM paper)."""

    _written: ClassVar[str | None] = "Gaussian"


class Poisson(Family):
    """Log-intensity θ."""

    _written: ClassVar[str | None] = "Poisson"


class Binomial(Family):
    """Log-odds θ; one trial is presence or absence.

    Attributes:
        trials: m. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Binomial"

    trials: int


class DropConstant(Preprocess):
    """Drop constant features."""

    _written: ClassVar[str | None] = "DropConstant"


class Center(Preprocess):
    """Subtract each feature's mean."""

    _written: ClassVar[str | None] = "Center"


class Standardize(Preprocess):
    """Subtract each feature's mean and divide by its standard deviation (divisor N − 1)."""

    _written: ClassVar[str | None] = "Standardize"


class LogPreprocess(Preprocess):
    """Natural logarithm of these columns of the file, above 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Log"
    _items: ClassVar[bool] = True

    value: Columns | Sequence[object]


class StandardizePerClient(Preprocess):
    """`Standardize` within each client, where constant features become 0; nothing is sent."""

    _written: ClassVar[str | None] = "StandardizePerClient"


class StandardizeFederated(Preprocess):
    """`Standardize` by moments that clients upload first: (2 d + 1) · 64 bits up, 2 d · 64 bits down."""

    _written: ClassVar[str | None] = "StandardizeFederated"


class Pca(Preprocess):
    """Project onto this many principal components; at most d.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Pca"
    _items: ClassVar[bool] = True

    value: int


class RowsHoldout(Holdout):
    """This share of the examples (subjects, persons), drawn at random and rounded.

    Attributes:
        value: The value. Range: (0, 1).
    """

    _written: ClassVar[str | None] = "Rows"
    _items: ClassVar[bool] = True

    value: float


class ClientsHoldout(Holdout):
    """All examples of this share of the clients, drawn likewise; the others are renumbered. Needs `partition:
    ClientColumn`.

    Attributes:
        value: The value. Range: (0, 1).
    """

    _written: ClassVar[str | None] = "Clients"
    _items: ClassVar[bool] = True

    value: float


class Iid(Partition):
    """Random order, cut into equal shares; the only choice for subjects, persons and documents."""

    _written: ClassVar[str | None] = "Iid"


class InOrder(Partition):
    """Order of the data, cut into equal shares, client 0 first."""

    _written: ClassVar[str | None] = "InOrder"


class SortedByLabel(Partition):
    """Sorted by label, cut into equal shares. Integers, and labels predicted as numbers, are sorted by value, others by
    first appearance.
    """

    _written: ClassVar[str | None] = "SortedByLabel"


class Dirichlet(Partition):
    """Each label spread over clients by Dirichlet(`alpha`, …), redrawn (at most 1 000 times) until every client has an
    example.

    Attributes:
        alpha: Small values give heterogeneous clients, large values iid ones. Range: above 0.
    """

    _written: ClassVar[str | None] = "Dirichlet"

    alpha: float


class Observers(Partition):
    """Whole observers, dealt at random in equal numbers."""

    _written: ClassVar[str | None] = "Observers"


class ClientColumn(Partition):
    """By the client column of the file, without `clients`."""

    _written: ClassVar[str | None] = "ClientColumn"


class EvenFeatures(Partition):
    """Features, not examples: consecutive blocks of nearly equal size. For `VpEm` and `KMeans`."""

    _written: ClassVar[str | None] = "EvenFeatures"


class Features(Partition):
    """Features, not examples: each client's list, from 0. For `VpEm` and `KMeans`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Features"
    _items: ClassVar[bool] = True

    value: Sequence[Sequence[int] | Array] | Array


class GaussianMixture(Model):
    """A mixture of G Gaussians.

    Attributes:
        components: G. Range: 1 to 10 000.
        covariance: Covariance structure. Default `Full`.
        prior: Prior. Default `Flat`.
    """

    _written: ClassVar[str | None] = "GaussianMixture"

    components: int
    covariance: Covariance = UNSET
    prior: MixturePrior = UNSET


class MixedEffects(Model):
    """Mixed effects: curves whose parameters vary between subjects; for `Longitudinal` data.

    Attributes:
        curve: The curve.
        effects: Covariance of the curve's parameters. Default `Full`.
        error: Residual error. Default `Constant`.
    """

    _written: ClassVar[str | None] = "MixedEffects"

    curve: Curve
    effects: Effects = UNSET
    error: ResidualError = UNSET


class LowRank(Model):
    """Counts from a low-rank matrix of sites × times: q = J·L.

    Attributes:
        rank: r; at most the smaller side of the matrix.
        lambda_: λ, weight of the nuclear norm against the mean over M matrices (λM against all observations). Range: 0
            to 1 000 000 000. Default `0.0`.
        family: Distribution of an observation. Default `Gaussian`.
        matrices: M, complete matrices. Default `PerObserver`.
    """

    _written: ClassVar[str | None] = "LowRank"

    rank: int
    lambda_: float = UNSET
    family: Family = UNSET
    matrices: Matrices = UNSET


class BiFactor(Model):
    """A general factor and a specific one per group, for `Responses` data.

    Attributes:
        groups: Group of each item, from 1 without gaps.
        law: Distribution of a response. Default `Logit`.
    """

    _written: ClassVar[str | None] = "BiFactor"

    groups: Sequence[int] | Array
    law: ResponseLaw = UNSET


class Topics(Model):
    """Latent Dirichlet allocation, for `Corpus` and `Documents`: q = V·K for V words.

    Attributes:
        topics: K. Range: 2 to 1 000.
        alpha: α, Dirichlet concentration of a document's proportions. Range: above 0.
        smoothing: ε, pseudo-count per word and topic: prior Dirichlet(1 + ε). Range: above 0.
    """

    _written: ClassVar[str | None] = "Topics"

    topics: int
    alpha: float
    smoothing: float


class Regression(Model):
    """Regression by gradient steps, for tables: FedEM becomes gradient descent or DIANA.

    Attributes:
        loss: Loss.
        penalty: Penalty. Default `NoPenalty`.
        step: ρ, the gradient step. Default `Auto`.
        intercept: Adds an unpenalized constant; a column of ones in the data is penalized. Default `false`.
    """

    _written: ClassVar[str | None] = "Regression"

    loss: RegressionLoss
    penalty: Penalty = UNSET
    step: StepSize = UNSET
    intercept: bool = UNSET


class Dictionary(Model):
    """Dictionary learning with K atoms, min ½‖z − θh‖² + λ‖h‖₁ + η/2 ‖θ‖² (FedMM, Dieuleveut et al. 2025; Mairal et al.
    2010). The fit starts at normalized examples.

    Attributes:
        atoms: K. Range: 1 to 1 000.
        lambda_: λ, in units of the data times units of an atom. Range: above 0.
        eta: η; keeps T defined if an atom is unused. Range: above 0.
    """

    _written: ClassVar[str | None] = "Dictionary"

    atoms: int
    lambda_: float
    eta: float


class RegressionMixture(Model):
    """K linear regressions with one latent label per client (arXiv 2408.05819), for `data: RegressionMixture(…)` or a
    table with its columns.

    Attributes:
        components: K. Range: 1 to 1 000.
        covariates: p. Range: 1 to 1 000.
        noise: Residual variance. Default `Unknown`.
    """

    _written: ClassVar[str | None] = "RegressionMixture"

    components: int
    covariates: int
    noise: Noise = UNSET


class Known(Covariance):
    """One known d × d matrix: q = G + G·d.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Known"
    _items: ClassVar[bool] = True

    value: Sequence[Sequence[float] | Array] | Array


class Tied(Covariance):
    """One unknown matrix: q = G + G·d."""

    _written: ClassVar[str | None] = "Tied"


class Diagonal(Covariance):
    """Variances per component and feature: q = G + 2·G·d."""

    _written: ClassVar[str | None] = "Diagonal"


class Full(Covariance):
    """A matrix per component: q = G·(1 + d + d(d + 1)/2)."""

    _written: ClassVar[str | None] = "Full"


class Flat(MixturePrior):
    """None: T maximizes the likelihood."""

    _written: ClassVar[str | None] = "Flat"


class Conjugate(MixturePrior):
    """Dirichlet and normal-Wishart priors, ν₀ = d; the objective is −ELBO per example. Empty components keep their
    prior weight. Needs `covariance: Full`.

    Attributes:
        concentration: α₀, prior examples per component; small values empty components. Range: 10⁻⁹ to 10⁹.
        strength: β₀, prior examples of each mean, at the overall mean. Range: 10⁻⁹ to 10⁹. Default `1.0`.
        scatter: Ψ₀ as a multiple of the overall covariance. Range: 10⁻⁹ to 10⁹. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Conjugate"

    concentration: float
    strength: float = UNSET
    scatter: float = UNSET


class PolynomialCurve(Curve):
    """f(t) = Σ_k z_k t^k, with z normal.

    Attributes:
        degree: Highest power. Range: 0 to 7.
    """

    _written: ClassVar[str | None] = "Polynomial"

    degree: int


class OneCompartmentOral(Curve):
    """Concentration after oral doses: one compartment, first-order absorption; (Tlag,) ka, V, Cl log-normal.

    Attributes:
        lag: Includes an absorption lag Tlag. Default `false`.
    """

    _written: ClassVar[str | None] = "OneCompartmentOral"

    lag: bool = UNSET


class FullEffects(Effects):
    """Unrestricted: q = p + p(p + 1)/2 + 1."""

    _written: ClassVar[str | None] = "Full"


class DiagonalEffects(Effects):
    """Independent effects: q = 2p + 1."""

    _written: ClassVar[str | None] = "Diagonal"


class ConstantResidualError(ResidualError):
    """Constant, in the unit of the values: g = 1."""

    _written: ClassVar[str | None] = "Constant"


class Proportional(ResidualError):
    """Proportional to the curve: g = f, σ is a fraction; values of 0 are refused. Chains seldom cross zeros of the
    curve: if signs differ, start with a large `sigma`.
    """

    _written: ClassVar[str | None] = "Proportional"


class PerObserver(Matrices):
    """One matrix per observer, as in the FedEM paper."""

    _written: ClassVar[str | None] = "PerObserver"


class Fewest(Matrices):
    """The most observations of one cell; if one, EM is hard- or soft-impute."""

    _written: ClassVar[str | None] = "Fewest"


class GaussianResponseLaw(ResponseLaw):
    """Normal with mean η and a variance per item."""

    _written: ClassVar[str | None] = "Gaussian"


class Probit(ResponseLaw):
    """0 or 1: the sign of a normal variable around η."""

    _written: ClassVar[str | None] = "Probit"


class Logit(ResponseLaw):
    """0 or 1 with log-odds η (two-parameter logistic)."""

    _written: ClassVar[str | None] = "Logit"


class Logistic(RegressionLoss):
    """log(1 + exp(−b aᵀx)), b = 1 for the second class of the data, else −1."""

    _written: ClassVar[str | None] = "Logistic"


class Squares(RegressionLoss):
    """½(aᵀx − b)² with numeric labels; generated data have ±1."""

    _written: ClassVar[str | None] = "Squares"


class Softmax(RegressionLoss):
    """−log p of the example's class, p_c ∝ exp(aᵀx_c)."""

    _written: ClassVar[str | None] = "Softmax"


class Huber(RegressionLoss):
    """`Squares` for |aᵀx − b| up to this δ, linear beyond.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Huber"
    _items: ClassVar[bool] = True

    value: float


class NoPenalty(Penalty):
    """None."""

    _written: ClassVar[str | None] = "NoPenalty"


class RidgePenalty(Penalty):
    """½λ ‖x‖², λ-strongly convex.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Ridge"
    _items: ClassVar[bool] = True

    value: float


class NonConvex(Penalty):
    """λ Σ x²/(1 + x²), smooth and nonconvex.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "NonConvex"
    _items: ClassVar[bool] = True

    value: float


class L1(Penalty):
    """λ ‖x‖₁: soft thresholding after each gradient step.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "L1"
    _items: ClassVar[bool] = True

    value: float


class ElasticNet(Penalty):
    """λ₁ ‖x‖₁ + ½λ₂ ‖x‖².

    Attributes:
        l1: λ₁. Range: above 0.
        ridge: λ₂. Range: above 0.
    """

    _written: ClassVar[str | None] = "ElasticNet"

    l1: float
    ridge: float


class AutoStepSize(StepSize):
    """1/L, L the smoothness constant over all clients, computed before the clock starts."""

    _written: ClassVar[str | None] = "Auto"


class ConstantStepSize(StepSize):
    """This value.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class Unknown(Noise):
    """σ² is estimated, common to all clients and components."""

    _written: ClassVar[str | None] = "Unknown"


class KnownNoise(Noise):
    """σ, in units of y.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Known"
    _items: ClassVar[bool] = True

    value: float


class Theta(Initial):
    """Parameters of a mixture.

    Attributes:
        weights: π₀, G positive weights of sum 1 (± 1e-9).
        means: μ₀, G rows of d coordinates.
        covariance: Σ₀. Default: the known covariance, or that of all examples. Default `None`.
    """

    _written: ClassVar[str | None] = "Theta"

    weights: Sequence[float] | Array
    means: Sequence[Sequence[float] | Array] | Array
    covariance: Covariances | None = UNSET


class Typical(Initial):
    """Typical subject of a mixed-effects model.

    Attributes:
        values: The curve's p parameters, untransformed (ka, not log ka); log-normal ones above 0.
        deviations: Standard deviations between subjects, on the scale of normal parameters. Range: each above 0.
        sigma: σ, residual standard deviation (a fraction for proportional error). Range: above 0.
    """

    _written: ClassVar[str | None] = "Typical"

    values: Sequence[float] | Array
    deviations: Sequence[float] | Array
    sigma: float


class Loadings(Initial):
    """Identical items of a bi-factor model.

    Attributes:
        general: Loading on the general factor. Range: above 0.
        specific: Loading on the group's factor. Range: above 0.
        intercept: Intercept. Range: finite. Default `0.0`.
        variance: Residual variance of `Gaussian` responses. Range: above 0. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Loadings"

    general: float
    specific: float
    intercept: float = UNSET
    variance: float = UNSET


class RandomTopics(Initial):
    """Topics drawn from Dirichlet(`concentration`, …).

    Attributes:
        concentration: Large values give similar topics. Range: above 0. Default `1.0`.
    """

    _written: ClassVar[str | None] = "RandomTopics"

    concentration: float = UNSET


class ZeroInitial(Initial):
    """θ₀ = 0, for regression and low-rank matrices."""

    _written: ClassVar[str | None] = "Zero"


class Margins(Initial):
    """Cells of a low-rank matrix at mean × site ratio × time ratio, ratios shrunk towards 1."""

    _written: ClassVar[str | None] = "Margins"


class RandomExamples(Initial):
    """Means at G distinct random examples, equal weights, covariance of all examples."""

    _written: ClassVar[str | None] = "RandomExamples"


class KMeansPlusPlus(Initial):
    """Means by k-means++ and Lloyd iterations.

    Attributes:
        iterations: Lloyd iterations. Range: 0 to 10 000. Default `0`.
        restarts: Attempts, of which the best is kept. Range: 1 to 10 000. Default `1`.
    """

    _written: ClassVar[str | None] = "KMeansPlusPlus"

    iterations: int = UNSET
    restarts: int = UNSET


class ModelInitial(Initial):
    """Final parameters of another run, from its model file. Only mixtures are converted to the units of the prepared
    columns.

    Attributes:
        value: The value. Range: not empty.
    """

    _written: ClassVar[str | None] = "Model"
    _items: ClassVar[bool] = True

    value: str


class ParametersInitial(Initial):
    """θ₀ in the order of `theta.csv`, for the prepared data.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Parameters"
    _items: ClassVar[bool] = True

    value: Sequence[float] | Array


class KMeansInitial(Initial):
    """Weights, means and covariances of k-means clusters, as in scikit-learn.

    Attributes:
        iterations: Maximum number of Lloyd iterations. Range: 1 to 10 000. Default `300`.
        restarts: Attempts, of which the best is kept. Range: 1 to 10 000. Default `10`.
    """

    _written: ClassVar[str | None] = "KMeans"

    iterations: int = UNSET
    restarts: int = UNSET


class FedEm(Protocol):
    """FedEM (Algorithm 1); without memory, its naive variant.

    Attributes:
        gamma: γ, server step: Ŝ ← Ŝ + γ H.
        alpha: α, step of the memories. Default `Auto`.
        memory: Memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery: Restore)`.
        variance_reduction: SPIDER: VR-FedEM (Algorithm 2). Default `NoReduction`.
        participation: Clients of a round. Default `All`.
        batch: Examples per client and round. Default `All`.
        divide_by: Divisor of the sum. Default `Expected`.
        compressor: Uplink compressor of Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats. Default `F64`.
        broadcast: Content of broadcasts. Default `Statistic`.
        downlink: Downlink compression. Default `Whole`.
        domain: Statistics outside the domain of T. Default `Error`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "FedEm"

    gamma: Schedule | float
    alpha: Alpha | float = UNSET
    memory: Memory = UNSET
    variance_reduction: VarianceReduction = UNSET
    participation: Participation = UNSET
    batch: Batch = UNSET
    divide_by: DivideBy = UNSET
    compressor: Compressor | PythonCompressor = UNSET
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    broadcast: Broadcast = UNSET
    downlink: Downlink = UNSET
    domain: Domain = UNSET
    weighting: Weighting = UNSET


class FedMissEm(Protocol):
    """FedEM for low-rank imputation: messages carry residuals of the client's own observations. `broadcast`, `domain`
    and `weighting` have no effect. V_{0,i} is always uploaded, so that all arms begin with equal bits.

    Attributes:
        gamma: γ, server step: Ŝ ← Ŝ + γ H.
        alpha: α, step of the memories. Default `Auto`.
        memory: Memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery: Restore)`.
        variance_reduction: SPIDER: VR-FedEM (Algorithm 2). Default `NoReduction`.
        participation: Clients of a round. Default `All`.
        batch: Examples per client and round. Default `All`.
        divide_by: Divisor of the sum. Default `Expected`.
        compressor: Uplink compressor of Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats. Default `F64`.
        broadcast: Content of broadcasts. Default `Statistic`.
        downlink: Downlink compression. Default `Whole`.
        domain: Statistics outside the domain of T. Default `Error`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "FedMissEm"

    gamma: Schedule | float
    alpha: Alpha | float = UNSET
    memory: Memory = UNSET
    variance_reduction: VarianceReduction = UNSET
    participation: Participation = UNSET
    batch: Batch = UNSET
    divide_by: DivideBy = UNSET
    compressor: Compressor | PythonCompressor = UNSET
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    broadcast: Broadcast = UNSET
    downlink: Downlink = UNSET
    domain: Domain = UNSET
    weighting: Weighting = UNSET


class CentralizedEm(Protocol):
    """EM on all data in one place, without messages.

    Attributes:
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "CentralizedEm"

    domain: Domain = UNSET


class OnlineEm(Protocol):
    """Online (mini-batch) EM in one place (Cappé and Moulines 2009).

    Attributes:
        gamma: γ_k.
        batch: Examples of an iteration. Range: at most the number of examples. Default `All`.
        silent: Initial iterations that keep θ and record no ‖h‖², so that stop rules on values do not apply; about 20
            for small batches. Default `0`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "OnlineEm"

    gamma: Schedule | float
    batch: Batch = UNSET
    silent: int = UNSET
    domain: Domain = UNSET


class SemVr(Protocol):
    """sEM-vr in one place (Chen et al. 2018).

    Attributes:
        gamma: γ_k.
        refresh: Iterations between full passes. Range: at least 1 (iterations).
        batch: Examples of an iteration. Range: at most the number of examples. Default `All`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "SemVr"

    gamma: Schedule | float
    refresh: int
    batch: Batch = UNSET
    domain: Domain = UNSET


class IncrementalEm(Protocol):
    """Incremental EM in one place (Neal and Hinton 1998).

    Attributes:
        batch: Examples of an iteration. Range: at most the number of examples. Default `All`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "IncrementalEm"

    batch: Batch = UNSET
    domain: Domain = UNSET


class Fiem(Protocol):
    """FIEM in one place (Karimi et al. 2019; Fort et al. 2021).

    Attributes:
        gamma: γ_k.
        batch: Examples of each of two draws per iteration. Range: at most the number of examples. Default `All`.
        lambda_: λ, weight of the control variate; 0: online EM. Range: [0, 1]. Default `1.0`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Fiem"

    gamma: Schedule | float
    batch: Batch = UNSET
    lambda_: float = UNSET
    domain: Domain = UNSET


class DistributedEm(Protocol):
    """Exact EM from uncompressed statistics, γ = 1. If contributions are missing, Ŝ is the mean of those that arrived.

    Attributes:
        floats: Width of floats. Default `F64`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "DistributedEm"

    floats: Floats = UNSET
    domain: Domain = UNSET


class Ef21(Protocol):
    """FedEM with EF21's error feedback (Richtárik et al. 2021), for contractions such as Top-k. Absent clients keep
    their V_i (EF21-PP). `batch` and `momentum` give EF21-SGDM (Fatkhullin et al. 2023). `lazy` gives CLAG or, with
    `Identity`, LAG (Richtárik et al. 2022).

    Attributes:
        gamma: γ, server step.
        compressor: C, a contraction.
        participation: Clients of a round. Default `All`.
        batch: Examples per client and round. Default `All`.
        momentum: η of EF21-SGDM: x_i ← (1 − η) x_i + η h_i. 1: EF21. Range: (0, 1]. Default `1.0`.
        lazy: ζ of LAG and CLAG. A client sends one bit instead of a message if ‖x_i − V_i‖² ≤ ζ ‖x_i − y_i‖², y_i its
            last x_i. 0: every message is sent, without this bit. Range: 0 to 10⁶. Default `0.0`.
        floats: Width of floats. Default `F64`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Ef21"

    gamma: Schedule | float
    compressor: Compressor | PythonCompressor
    participation: Participation = UNSET
    batch: Batch = UNSET
    momentum: float = UNSET
    lazy: float = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class Marina(Protocol):
    """FedEM with MARINA's estimator (Gorbunov et al. 2021): compressed changes of h_i or, by a shared coin and in the
    first round, whole h_i. Every round needs all clients and uses all examples.

    Attributes:
        gamma: γ, server step.
        probability: p, probability of a round of whole messages. Range: (0, 1].
        compressor: Compressor of changes.
        allow_biased: Permits a biased compressor, which the theory excludes. Default `false`.
        floats: Width of floats. Default `F64`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Marina"

    gamma: Schedule | float
    probability: float
    compressor: Compressor | PythonCompressor
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class FedAvgEm(Protocol):
    """Clients run EM steps, and the server averages their parameters.

    Attributes:
        local_steps: E, EM steps per client and round. Range: 1 to 1 000. Default `1`.
        participation: Clients of a round. Default `All`.
        match_components: Matches components with the server's nearest by Kullback-Leibler divergence before averaging.
            Default `true`.
        floats: Width of floats. Default `F64`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "FedAvgEm"

    local_steps: int = UNSET
    participation: Participation = UNSET
    match_components: bool = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class FedGmm(Protocol):
    """FedGMM without classifiers (Wu et al., ICML 2023): FedEM on mixtures with common components and personal weights.
    Refuses `batch` and `variance_reduction`. `clients.csv` has the weights (`weight_0`, …), θ and the model file their
    mean; ‖h‖² includes their change by an EM step. Label agreement and held-out values are not measured.

    Attributes:
        gamma: γ, server step: Ŝ ← Ŝ + γ H.
        alpha: α, step of the memories. Default `Auto`.
        memory: Memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery: Restore)`.
        variance_reduction: SPIDER: VR-FedEM (Algorithm 2). Default `NoReduction`.
        participation: Clients of a round. Default `All`.
        batch: Examples per client and round. Default `All`.
        divide_by: Divisor of the sum. Default `Expected`.
        compressor: Uplink compressor of Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats. Default `F64`.
        broadcast: Content of broadcasts. Default `Statistic`.
        downlink: Downlink compression. Default `Whole`.
        domain: Statistics outside the domain of T. Default `Error`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "FedGmm"

    gamma: Schedule | float
    alpha: Alpha | float = UNSET
    memory: Memory = UNSET
    variance_reduction: VarianceReduction = UNSET
    participation: Participation = UNSET
    batch: Batch = UNSET
    divide_by: DivideBy = UNSET
    compressor: Compressor | PythonCompressor = UNSET
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    broadcast: Broadcast = UNSET
    downlink: Downlink = UNSET
    domain: Domain = UNSET
    weighting: Weighting = UNSET


class FedGrEm(Protocol):
    """FedGrEM (Tian, Weng and Feng 2024): personal weights and means; the server pulls nearby means together. Needs a
    known covariance. θ has the initial weights and the common part v of the means; `clients.csv` has each client's
    parameters. No ‖h‖², label agreement or held-out value.

    Attributes:
        step: C_η, step of the means relative to the EM step at the client's first weights. Range: above 0. Default
            `0.95`.
        penalty: C. 0: gradient EM of each client alone, once λ has decayed. Range: 0 to 10⁶. Default `2.0`.
        decay: κ₀, decay of the initial λ. Range: 0 to 0.999. Default `0.1`.
        sweeps: Server alternations per round after the first pass. Range: 0 to 10 000. Default `20`.
        local_steps: Local EM steps before the first message. Range: 0 to 10 000. Default `10`.
        floats: Width of floats. Default `F64`.
    """

    _written: ClassVar[str | None] = "FedGrEm"

    step: float = UNSET
    penalty: float = UNSET
    decay: float = UNSET
    sweeps: int = UNSET
    local_steps: int = UNSET
    floats: Floats = UNSET


class GradientAscent(Protocol):
    """Gradient ascent on the marginal likelihood with FedEM's messages (DIANA; Mishchenko et al. 2019), in x = (log π,
    µ, log variances). γ has no natural scale. Refuses `variance_reduction`; `domain` concerns only the start. ‖h(Ŝ)‖²
    is that of EM at θ(x), ‖H‖² that of the estimated gradient.

    Attributes:
        gamma: γ, server step: Ŝ ← Ŝ + γ H.
        alpha: α, step of the memories. Default `Auto`.
        memory: Memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery: Restore)`.
        variance_reduction: SPIDER: VR-FedEM (Algorithm 2). Default `NoReduction`.
        participation: Clients of a round. Default `All`.
        batch: Examples per client and round. Default `All`.
        divide_by: Divisor of the sum. Default `Expected`.
        compressor: Uplink compressor of Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats. Default `F64`.
        broadcast: Content of broadcasts. Default `Statistic`.
        downlink: Downlink compression. Default `Whole`.
        domain: Statistics outside the domain of T. Default `Error`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "GradientAscent"

    gamma: Schedule | float
    alpha: Alpha | float = UNSET
    memory: Memory = UNSET
    variance_reduction: VarianceReduction = UNSET
    participation: Participation = UNSET
    batch: Batch = UNSET
    divide_by: DivideBy = UNSET
    compressor: Compressor | PythonCompressor = UNSET
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    broadcast: Broadcast = UNSET
    downlink: Downlink = UNSET
    domain: Domain = UNSET
    weighting: Weighting = UNSET


class FlSaem(Protocol):
    """Clients sample latent variables, and the server runs stochastic approximation. Also D-SAEM and distributed
    gradients.

    Attributes:
        gamma: γ_r, gain of the stochastic approximation or step of gradients; 1 gives MCEM.
        local: Local computation.
        sends: Content of messages. Default `Statistics`.
        local_steps: Local EM steps per round with `sends: Parameters`, counted by the sampler's `growth` and `steps`.
            Range: 1 to 10 000. Default `1`.
        alpha: α, step of the memories. Default `Auto`.
        memory: Memories V_i of sent statistics. `initial: Zero` starts at w_i S_0, w_i the share of subjects; with
            `MeanField` clients sample and upload w_i x_i before round 1. Default `NoMemory`.
        divide_by: Divisor of the sum. Default `Auto`.
        compressor: Uplink compressor. Default `Identity`.
        coordinates: Coordinates of compression and clipping. Default `Natural`.
        participation: Clients of a round. Default `All`.
        floats: Width of floats. Default `F64`.
        domain: S outside the domain of T. `Clip` and `SkipRound` also restart diverging chains. Default `Error`.
        likelihood_draws: Importance draws per subject for the likelihood at probes, without closed form or quadrature.
            Default: 200 for low-dimensional z, except topics. 0: no objective. Range: 0 to 10 000 000. Default `None`.
    """

    _written: ClassVar[str | None] = "FlSaem"

    gamma: Schedule | float
    local: Local
    sends: Sends = UNSET
    local_steps: int = UNSET
    alpha: Alpha | float = UNSET
    memory: Memory = UNSET
    divide_by: DivideBy = UNSET
    compressor: Compressor | PythonCompressor = UNSET
    coordinates: Coordinates = UNSET
    participation: Participation = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET
    likelihood_draws: int | None = UNSET


class CentralizedSaem(Protocol):
    """SAEM, MCEM or exact EM in one place.

    Attributes:
        gamma: γ_r, gain of the stochastic approximation.
        local: Computation of an iteration.
        domain: S outside the domain of T. `Clip` and `SkipRound` also restart diverging chains. Default `Error`.
        likelihood_draws: Importance draws per subject for the likelihood at probes, without closed form or quadrature.
            Default: 200 for low-dimensional z, except topics. 0: no objective. Range: 0 to 10 000 000. Default `None`.
    """

    _written: ClassVar[str | None] = "CentralizedSaem"

    gamma: Schedule | float
    local: Local
    domain: Domain = UNSET
    likelihood_draws: int | None = UNSET


class VpEm(Protocol):
    """VP-EM for data divided by features (`partition: EvenFeatures` or `Features([…])`). Needs a mixture with
    `covariance: Full`, whose entries between blocks are 0.

    Attributes:
        setting: Algorithm.
        batch: Examples of an iteration; the first one visits all. Default `All`.
        singular: Singular block covariances. Default `Error`.
        stopping: Stopping rule. Default `Never`.
        uplink: Coding of terms sent to the server (`Federated`). Default `Whole`.
        downlink: Coding of sums on the way back. Default `Whole`.
        exact_own: Clients use their own terms uncompressed, as in EF-VFL, so that π and likelihoods differ between
            clients. Needs `stopping: Never`. Default `false`.
        missing_blocks: Missing blocks of features. Needs `Federated` with whole terms. Default `Complete`.
    """

    _written: ClassVar[str | None] = "VpEm"

    setting: Architecture
    batch: VpBatch = UNSET
    singular: Singular = UNSET
    stopping: Stopping = UNSET
    uplink: VpLink = UNSET
    downlink: VpLink = UNSET
    exact_own: bool = UNSET
    missing_blocks: MissingBlocks = UNSET


class DiffusionEm(Protocol):
    """Diffusion or gossip EM on data divided by examples. Agents are the sites of `shape: Graph(…)`, as many as
    `clients`. Access links, the server and the placement of clients are unused.

    Attributes:
        gamma: γ, step towards the statistic of the agent's own examples, from the second iteration on. Below 1 with one
            round: diffusion EM; 1 with many rounds: gossip EM.
        weights: W. Default `Metropolis`.
        combine: Combination of statistics. Default `Rounds(1)`.
        averages: Quantity that neighbours average. Default `Statistics`.
        domain: Statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "DiffusionEm"

    gamma: Schedule | float
    weights: Weights = UNSET
    combine: Combine = UNSET
    averages: Averages = UNSET
    domain: Domain = UNSET


class Scaffold(Protocol):
    """Local steps with control variates against client drift (Karimireddy et al. 2020).

    Attributes:
        local_steps: K, local steps per client and round. Range: 1 to 100 000.
        gamma: γ_l, local step along h_i (for gradients the paper's η_l is ρ γ_l). Range: above 0.
        server_step: γ_g, server step along the clients' mean change. Range: above 0. Default `1.0`.
        control: Control variates. Default `Steps`.
        batch: Examples of a local step. Default `All`.
        participation: Clients of a round. Default `All`.
        floats: Width of floats. Default `F64`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "Scaffold"

    local_steps: int
    gamma: float
    server_step: float = UNSET
    control: ControlVariate = UNSET
    batch: Batch = UNSET
    participation: Participation = UNSET
    floats: Floats = UNSET
    weighting: Weighting = UNSET


class ProxSkip(Protocol):
    """Scaffnew: local steps, with messages by a shared coin (Mishchenko et al. 2022). For gradient steps ρ γ ≤ 1/L, L
    the clients' largest, and p = √(ρ γ µ).

    Attributes:
        gamma: γ, local step along h_i (for gradients the paper's is ρ γ). Range: above 0.
        probability: p, probability of a message after a local step; mean 1/p steps per round. Range: 0.0001 to 1.
        floats: Width of floats. Default `F64`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "ProxSkip"

    gamma: float
    probability: float
    floats: Floats = UNSET
    weighting: Weighting = UNSET


class LoCoDl(Protocol):
    """Local steps, with compressed messages by a shared coin (Condat, Maranjyan and Richtárik 2025). For gradient steps
    ρ γ < 2/L, L the clients' largest.

    Attributes:
        gamma: γ, local step along h_i (for gradients the paper's is ρ γ). Range: above 0.
        probability: p, probability of a message after a local step; mean 1/p steps per round. Range: 0.0001 to 1.
        compressor: Compressor of x_i − y, y the shared state. Default `Identity`.
        allow_biased: Permits a biased compressor, which the theory excludes. Default `false`.
        chi: χ, step of the corrections. Default `Auto`.
        rho: ϱ, step towards consensus (ρ in the paper). Default `Auto`.
        shared: σ, strong convexity of the shared function; for gradient steps ρ times the paper's. Range: 0 to 1.
            Default `0.0`.
        floats: Width of floats. Default `F64`.
        weighting: Weights of clients. Default `Examples`.
    """

    _written: ClassVar[str | None] = "LoCoDl"

    gamma: float
    probability: float
    compressor: Compressor | PythonCompressor = UNSET
    allow_biased: bool = UNSET
    chi: Relaxation | float = UNSET
    rho: Relaxation | float = UNSET
    shared: float = UNSET
    floats: Floats = UNSET
    weighting: Weighting = UNSET


class OneRound(Protocol):
    """Clients run EM on their own examples from a common θ₀ and send one fit each; the server merges these, and the run
    ends. For Gaussian mixtures.

    Attributes:
        local: Local EM. Default `(iterations: 1000, tolerance: 1e-6)`.
        combine: Merging of the fits. Default `Reduction(starts: 10)`.
        participation: Clients that send a fit. Default `All`.
        compressor: Compressor of θ_i − θ₀, which may be biased. Default `Identity`.
        floats: Width of floats. Default `F64`.
        domain: Statistics outside the domain of T; with `SkipRound` EM ends at the last θ. Default `Error`.
        weighting: Weights of fits in the pool. Default `Examples`.
    """

    _written: ClassVar[str | None] = "OneRound"

    local: LocalEm = UNSET
    combine: Merging = UNSET
    participation: Participation = UNSET
    compressor: Compressor | PythonCompressor = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET
    weighting: Weighting = UNSET


class KMeans(Protocol):
    """k-means with the model's number of components, in one place or in one round on data divided by features (Ding et
    al. 2016).

    Attributes:
        vertical: Features divided over clients (`partition: EvenFeatures` or `Features([…])`).
        iterations: Maximum number of Lloyd iterations. Range: 1 to 10 000. Default `300`.
        restarts: Attempts, of which the best is kept. Range: 1 to 10 000. Default `10`.
    """

    _written: ClassVar[str | None] = "KMeans"

    vertical: bool
    iterations: int = UNSET
    restarts: int = UNSET


class ConstantSchedule(Schedule):
    """Constant over rounds.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class PowerSchedule(Schedule):
    """γ_k = initial / (1 + (k − 1) / offset)^exponent.

    Attributes:
        initial: γ₁. Range: (0, 1].
        exponent: Exponent; stochastic approximation theory requires more than 0.5. Range: (0, 1].
        offset: Time scale of the decay, in rounds. Range: above 0.
    """

    _written: ClassVar[str | None] = "Power"

    initial: float
    exponent: float
    offset: float


class Saem(Schedule):
    """`first` for k ≤ k1, then `first` / (k − k1)^exponent (Delyon, Lavielle and Moulines 1999).

    Attributes:
        k1: K₁, length of the first phase in rounds.
        first: Step of the first phase. Range: (0, 1]. Default `1.0`.
        exponent: Exponent; stochastic approximation theory requires more than 0.5. Range: (0, 1]. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Saem"

    k1: int
    first: float = UNSET
    exponent: float = UNSET


class AutoAlpha(Alpha):
    """1 / (1 + ω) for unbiased compressors (Theorem 1), 1 for contractions (EF21)."""

    _written: ClassVar[str | None] = "Auto"


class ConstantAlpha(Alpha):
    """This value.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class MemoryMemory(Memory):
    """Each client keeps V_i; the server keeps their mean V.

    Attributes:
        initial: Initial value. Default `MeanField`.
        commit: Time of the update. Default `OnAcknowledgement`.
        recovery: V_i after a client has lost its state. Default `Restore`.
    """

    _written: ClassVar[str | None] = "Memory"

    initial: MemoryStart = UNSET
    commit: Commit = UNSET
    recovery: Recovery = UNSET


class NoMemory(Memory):
    """V_i = 0: clients compress their statistics themselves."""

    _written: ClassVar[str | None] = "NoMemory"


class MeanField(MemoryStart):
    """h_i(S₀): a full local pass and an uncompressed, charged upload by every client before round 1, despite
    availability, participation, deadlines and dropouts.
    """

    _written: ClassVar[str | None] = "MeanField"


class ZeroMemoryStart(MemoryStart):
    """0: free, except for `FedMissEm`, which uploads the zeros with the cells."""

    _written: ClassVar[str | None] = "Zero"


class OnAcknowledgement(Commit):
    """When the server acknowledges that it used the message: V remains the mean of the V_i."""

    _written: ClassVar[str | None] = "OnAcknowledgement"


class OnSend(Commit):
    """On sending, as in the paper: lost or late messages make V drift from the mean of the V_i."""

    _written: ClassVar[str | None] = "OnSend"


class Resynchronized(Commit):
    """On sending. At least n rounds after the last copy, a broadcast also carries the server's V_i (64 bits per number,
    charged), which replaces the client's. A lost copy waits for the next interval.

    Attributes:
        every: n, rounds between copies. Range: at least 1 (rounds).
    """

    _written: ClassVar[str | None] = "Resynchronized"

    every: int


class Restore(Recovery):
    """The server keeps all V_i. It adds the client's to broadcasts (64 bits per number, charged) until a contribution
    confirms it.
    """

    _written: ClassVar[str | None] = "Restore"


class ZeroRecovery(Recovery):
    """V_i = 0: V is no longer the mean of the V_i."""

    _written: ClassVar[str | None] = "Zero"


class NoReduction(VarianceReduction):
    """Minibatch means, as in FedEM."""

    _written: ClassVar[str | None] = "NoReduction"


class Spider(VarianceReduction):
    """VR-FedEM: outer loops start with a full local pass; inner steps update its statistic by minibatch differences.

    Attributes:
        inner: k_in.
        previous: Values at the previous Ŝ. Default `Recomputed`.
    """

    _written: ClassVar[str | None] = "Spider"

    inner: InnerSteps
    previous: Previous = UNSET


class FixedInnerSteps(InnerSteps):
    """Fixed.

    Attributes:
        value: The value. Range: 1 to 1 000 000 000 of inner steps.
    """

    _written: ClassVar[str | None] = "Fixed"
    _items: ClassVar[bool] = True

    value: int


class GeometricInnerSteps(InnerSteps):
    """Geometric on 1, 2, … with this mean, redrawn per outer loop from a shared seed (Geom-SPIDER-EM).

    Attributes:
        value: The value. Range: 1 to 1 000 000 000 of inner steps.
    """

    _written: ClassVar[str | None] = "Geometric"
    _items: ClassVar[bool] = True

    value: int


class Recomputed(Previous):
    """Recomputed: 2 b expectations per inner step, m + 2 b in the first of an outer loop, as in the paper's K_CE."""

    _written: ClassVar[str | None] = "Recomputed"


class Cached(Previous):
    """Stored: only newly drawn examples cost expectations."""

    _written: ClassVar[str | None] = "Cached"


class AllParticipation(Participation):
    """Every client."""

    _written: ClassVar[str | None] = "All"


class BernoulliParticipation(Participation):
    """Each client independently with probability p.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class Cohort(Participation):
    """m clients, drawn without replacement.

    Attributes:
        value: The value. Range: 1 to the number of clients.
    """

    _written: ClassVar[str | None] = "Cohort"
    _items: ClassVar[bool] = True

    value: int


class AllBatch(Batch):
    """All local examples."""

    _written: ClassVar[str | None] = "All"


class WithReplacement(Batch):
    """b examples, drawn with replacement.

    Attributes:
        value: The value. Range: 1 to 1 000 000 000.
    """

    _written: ClassVar[str | None] = "WithReplacement"
    _items: ClassVar[bool] = True

    value: int


class WithoutReplacement(Batch):
    """b different examples, or all if the client has fewer; at most the largest client's number.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "WithoutReplacement"
    _items: ClassVar[bool] = True

    value: int


class Expected(DivideBy):
    """The expected number: n a for all clients, n a p for `Bernoulli(p)`, min(m, n a) for `Cohort(m)`. Here a is the
    share of time or rounds in which a client is available (1 for a trace that does not repeat). `First(m)` and
    `Buffered(m)` cap it at m; asynchronous steps use 1. Biased by lost or late messages and by a varying number of
    clients (cohort, first m). Availability by the clock biases slightly.
    """

    _written: ClassVar[str | None] = "Expected"


class Arrived(DivideBy):
    """The number that arrived."""

    _written: ClassVar[str | None] = "Arrived"


class Estimated(DivideBy):
    """Per contribution, n times its client's share of steps so far: in the long run, unequal participation causes no
    bias.
    """

    _written: ClassVar[str | None] = "Estimated"


class ClientsDivideBy(DivideBy):
    """n. With α = 1 the estimate is the mean of the updated memories (EF21)."""

    _written: ClassVar[str | None] = "Clients"


class WeightsDivideBy(DivideBy):
    """Total weight of the arrived clients; without memories the estimate is their weighted mean."""

    _written: ClassVar[str | None] = "Weights"


class AutoDivideBy(DivideBy):
    """`Weights` without memories; with them `Expected` if unbiased, `Clients` for a contraction."""

    _written: ClassVar[str | None] = "Auto"


class Identity(Compressor):
    """All coordinates as floats: ω = 0."""

    _written: ClassVar[str | None] = "Identity"


class NonZeros(Compressor):
    """Nonzero coordinates as floats, with indices: ω = 0."""

    _written: ClassVar[str | None] = "NonZeros"


class Dithering(Compressor):
    """Random dithering of |x_j| / ‖x‖_r on s levels (Alistarh et al. 2017 for r = 2, Horváth et al. 2022). ω = min(A/s,
    B/(4 s²)), for s = 1 A − 1. A = q^max(1/2, 1/r), for `Infinity` (1 + √q)/2; B = q^max(1, 2/r).

    Attributes:
        levels: s, levels above zero. Range: 1 to 65 535.
        norm: Norm r. Default `L(2.0)`.
        code: Code of levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Dithering"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Correlated(Compressor):
    """Dithering with uniforms stratified over a round's clients (Suresh et al. 2022). For nearly equal vectors, the
    mean has an error of order 1/n², not 1/n. Alone it has the ω of `Dithering`.

    Attributes:
        levels: s, levels above zero. Range: 1 to 65 535.
        norm: Norm r. Default `L(2.0)`.
        code: Code of levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Correlated"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Qsgd(Compressor):
    """QSGD, dithering in the 2-norm (Alistarh et al. 2017): ω = min(√q/s, q/(4 s²)), for s = 1 √q − 1. `code: Fixed`
    takes 4 bits per entry with `levels: 7`, 8 with `levels: 127`.

    Attributes:
        levels: s, levels above zero. Range: 1 to 65 535.
        code: Code of levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Qsgd"

    levels: int
    code: LevelCode = UNSET


class TernGrad(Compressor):
    """Without clipping (Wen et al. 2017): signs of some entries times the largest magnitude, log₂ 3 bits per entry; ω =
    (√q − 1)/2.
    """

    _written: ClassVar[str | None] = "TernGrad"


class BlockQuantization(Compressor):
    """One norm per block, a sign or zero per entry (Mishchenko et al. 2019, DIANA). ω = d^max(1/2, 1/p) − 1, for
    `Infinity` (√d − 1)/2, d entries in the largest block.

    Attributes:
        block: Entries per block. Range: 1 to q, the length of the vector.
        norm: Norm p. Default `L(2.0)`.
        code: Code of levels. Default `Mask`.
    """

    _written: ClassVar[str | None] = "BlockQuantization"

    block: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Natural(Compressor):
    """Signs and exponents (Horváth et al. 2022): 9 bits per entry, 12 with `floats: F64`; ω = 1/8."""

    _written: ClassVar[str | None] = "Natural"


class NaturalDithering(Compressor):
    """Dithering on powers of two (Horváth et al. 2022): ω = 1/8 + t min(1, t), t = 2^(1 − s) q^max(1/2, 1/r).

    Attributes:
        levels: s, levels above zero. Range: 1 to 60.
        norm: Norm r. Default `L(2.0)`.
        code: Code of levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "NaturalDithering"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class RandK(Compressor):
    """k of q coordinates, drawn uniformly and scaled by q/k: ω = q/k − 1 (Stich et al. 2018, unscaled).

    Attributes:
        k: Kept coordinates. Range: 1 to q, the length of the vector.
        indices: Coding of indices. Default `Enumerative`.
    """

    _written: ClassVar[str | None] = "RandK"

    k: int
    indices: Indices = UNSET


class Bernoulli(Compressor):
    """Each coordinate with a probability, divided by it: ω = 1/probability − 1 (Konečný and Richtárik 2018).

    Attributes:
        probability: Probability of keeping a coordinate. Range: (0, 1].
        mask: Coding of kept positions. Default `Sent`.
    """

    _written: ClassVar[str | None] = "Bernoulli"

    probability: float
    mask: Mask = UNSET


class Lazy(Compressor):
    """The whole vector with a probability, divided by it, else nothing: ω = 1/probability − 1 (Burlachenko et al.
    2021).

    Attributes:
        probability: Probability of sending. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Lazy"

    probability: float


class RandSeqK(Compressor):
    """k consecutive coordinates from a random one, scaled by q/k: ω = q/k − 1 (Burlachenko and Richtárik 2024).

    Attributes:
        k: Kept coordinates. Range: 1 to q, the length of the vector.
        first: Coding of the first coordinate. Default `Sent`.
    """

    _written: ClassVar[str | None] = "RandSeqK"

    k: int
    first: Mask = UNSET


class PermK(Compressor):
    """All clients split the coordinates of a round by a shared permutation (Szlendak et al. 2022). Alone ω = n − 1; the
    mean has the error n⁻¹ Σ ‖x_i‖² − ‖n⁻¹ Σ x_i‖².
    """

    _written: ClassVar[str | None] = "PermK"


class TopK(Compressor):
    """The k largest magnitudes; of ties the first. Biased: δ = k/q (Stich et al. 2018).

    Attributes:
        k: Kept coordinates. Range: 1 to q, the length of the vector.
        indices: Coding of indices. Default `Enumerative`.
    """

    _written: ClassVar[str | None] = "TopK"

    k: int
    indices: Indices = UNSET


class TopLEK(Compressor):
    """At most the k largest magnitudes: the fewest that give δ = k/q, exactly so by a random draw (Burlachenko and
    Richtárik 2024).

    Attributes:
        k: Largest number of kept coordinates. Range: 1 to q, the length of the vector.
    """

    _written: ClassVar[str | None] = "TopLEK"

    k: int


class ScaledSign(Compressor):
    """Signs times the mean magnitude. Biased: δ ≥ 1/q (Karimireddy et al. 2019)."""

    _written: ClassVar[str | None] = "ScaledSign"


class LloydMax(Compressor):
    """A scale, and per coordinate the nearest of 2^`bits` levels fitted to a normal distribution (Max 1960). Biased:
    for normal entries δ ≈ 0.64, 0.88, 0.97, 0.99 with 1 to 4 bits.

    Attributes:
        bits: Bits per coordinate. Range: 1 to 4.
    """

    _written: ClassVar[str | None] = "LloydMax"

    bits: int


class Rotated(Compressor):
    """A compressor after a random rotation: Hadamard matrix, random signs from a shared seed. With `ScaledSign` it is
    DRIVE, with `LloydMax` EDEN (Vargaftik et al. 2021, 2022). ω and δ are those at the next power of two of q.

    Attributes:
        of: Compressor of the rotated vector.
    """

    _written: ClassVar[str | None] = "Rotated"

    of: Compressor | PythonCompressor


class RankR(Compressor):
    """Low-rank approximation of the vector as a matrix, row by row. Biased: δ = rank / min(rows, q / rows) (Safaryan et
    al. 2022, FedNL).

    Attributes:
        rank: At most the smaller side of the matrix.
        rows: A divisor of q.
    """

    _written: ClassVar[str | None] = "RankR"

    rank: int
    rows: int


class CountSketch(Compressor):
    """Sums of coordinates with random signs in `rows` × `columns` cells, redrawn per message and averaged over rows. ω
    = (q − 1)/(rows · columns) (Charikar et al. 2002; Ivkin et al. 2019).

    Attributes:
        rows: Independent sketches. Range: 1 to 64.
        columns: Cells per row. Range: 1 to 1 073 741 824.
    """

    _written: ClassVar[str | None] = "CountSketch"

    rows: int
    columns: int


class Composition(Compressor):
    """One compressor, then another on the coordinates that the first keeps (`RandK`, `Bernoulli`, `TopK`). Unbiased: ω
    = (1 + ω₁)(1 + ω₂) − 1, ω₂ at the remaining length (Horváth et al. 2022). After `TopK`: δ = (1 − ω₂) k/q if ω₂ < 1
    (Basu et al. 2019).

    Attributes:
        first: Acts on the vector.
        then: Acts on the kept coordinates.
    """

    _written: ClassVar[str | None] = "Composition"

    first: Compressor | PythonCompressor
    then: Compressor | PythonCompressor


class Induced(Compressor):
    """C, made unbiased by an unbiased compressor of x − C(x) (Horváth and Richtárik 2021). ω is (1 − δ) times the ω of
    `rest`.

    Attributes:
        contraction: C, a deterministic contraction, such as `TopK`.
        rest: Compressor of x − C(x).
    """

    _written: ClassVar[str | None] = "Induced"

    contraction: Compressor | PythonCompressor
    rest: Compressor | PythonCompressor


class L(Norm):
    """‖x‖_r = (Σ |x_j|^r)^{1/r}.

    Attributes:
        value: The value. Range: 1 to 1000, the order of a norm.
    """

    _written: ClassVar[str | None] = "L"
    _items: ClassVar[bool] = True

    value: float


class Infinity(Norm):
    """max |x_j|."""

    _written: ClassVar[str | None] = "Infinity"


class FixedLevelCode(LevelCode):
    """Per entry a sign bit (0 for level 0) and ⌈log₂(s + 1)⌉ bits."""

    _written: ClassVar[str | None] = "Fixed"


class EliasSparse(LevelCode):
    """QSGD's code for few nonzero levels: per nonzero entry Elias ω(gap), a sign bit, ω(level). No end mark."""

    _written: ClassVar[str | None] = "EliasSparse"


class EliasDense(LevelCode):
    """QSGD's code for many nonzero levels: per entry Elias ω(level + 1), and a sign bit if nonzero."""

    _written: ClassVar[str | None] = "EliasDense"


class MaskLevelCode(LevelCode):
    """One bit per entry (zero or not); a sign and ⌈log₂ s⌉ bits per nonzero entry."""

    _written: ClassVar[str | None] = "Mask"


class Packed(LevelCode):
    """Numbers to base 2s + 1: log₂(2s + 1) bits per entry, plus at most 1 % and less than one bit."""

    _written: ClassVar[str | None] = "Packed"


class Arithmetic(LevelCode):
    """Adaptive binary arithmetic coding, the practical lower limit. No end mark."""

    _written: ClassVar[str | None] = "Arithmetic"


class Enumerative(Indices):
    """Rank among all subsets of size k: ⌈log₂ C(q, k)⌉ bits."""

    _written: ClassVar[str | None] = "Enumerative"


class ListIndices(Indices):
    """⌈log₂ q⌉ bits per index."""

    _written: ClassVar[str | None] = "List"


class MaskIndices(Indices):
    """One bit per coordinate."""

    _written: ClassVar[str | None] = "Mask"


class SharedSeedIndices(Indices):
    """Free: drawn from a shared seed."""

    _written: ClassVar[str | None] = "SharedSeed"


class Sent(Mask):
    """One bit per coordinate; for `RandSeqK` one index."""

    _written: ClassVar[str | None] = "Sent"


class SharedSeedMask(Mask):
    """Free: drawn from a shared seed."""

    _written: ClassVar[str | None] = "SharedSeed"


class F64(Floats):
    """IEEE binary64, lossless."""

    _written: ClassVar[str | None] = "F64"


class F32(Floats):
    """IEEE binary32: relative error up to 2⁻²⁴ (values above 1.2e-38)."""

    _written: ClassVar[str | None] = "F32"


class Statistic(Broadcast):
    """Ŝ: q floats; clients compute T(Ŝ)."""

    _written: ClassVar[str | None] = "Statistic"


class StatisticAndParameters(Broadcast):
    """Ŝ and T(Ŝ), as in the paper."""

    _written: ClassVar[str | None] = "StatisticAndParameters"


class WholeDownlink(Downlink):
    """`broadcast`, uncompressed."""

    _written: ClassVar[str | None] = "Whole"


class CompressedDownlink(Downlink):
    """Compressed updates of Ŝ, after Artemis. A client receives all missed updates or, if shorter, Ŝ (with D after the
    first step) in 64 bits per number. One bit tells which; another acknowledges the last contribution, unless memories
    send it. Codes without end mark carry a continuation bit and their length.

    Attributes:
        compressor: Compressor of the server's direction H.
        allow_biased: Permits a biased compressor, which the theory excludes. Default `false`.
        memory: Memory D of H at both ends: only H − D is compressed. Default `NoDownMemory`.
    """

    _written: ClassVar[str | None] = "Compressed"

    compressor: Compressor | PythonCompressor
    allow_biased: bool = UNSET
    memory: DownMemory = UNSET


class NoDownMemory(DownMemory):
    """None: H itself is compressed."""

    _written: ClassVar[str | None] = "NoDownMemory"


class DownMemoryDownMemory(DownMemory):
    """D ← D + α' Ω with this step α'.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "DownMemory"
    _items: ClassVar[bool] = True

    value: Alpha | float


class ErrorDomain(Domain):
    """Stops the run."""

    _written: ClassVar[str | None] = "Error"


class Clip(Domain):
    """Raises weights and variances below the floor to it (for topics, probabilities not above 0), and counts them. A
    raised weight moves its component's mean towards the origin: choose a floor below every expected weight. With local
    M-steps (`FedAvgEm`, D-SAEM) an entry can count twice.

    Attributes:
        floor: The floor. Range: (0, 0.1].
    """

    _written: ClassVar[str | None] = "Clip"

    floor: float


class SkipRound(Domain):
    """Drops and counts the round's update."""

    _written: ClassVar[str | None] = "SkipRound"


class Examples(Weighting):
    """wᵢ = n mᵢ / N: the likelihood of all data."""

    _written: ClassVar[str | None] = "Examples"


class ClientsWeighting(Weighting):
    """wᵢ = 1, as in the paper."""

    _written: ClassVar[str | None] = "Clients"


class Expect(Local):
    """Conditional expectations: exact EM, for models with closed forms."""

    _written: ClassVar[str | None] = "Expect"


class Sample(Local):
    """Sampling of latent variables.

    Attributes:
        kernel: Transition kernel.
        chains: Chains per subject. Range: 1 to 1 000. Default `1`.
        burn_in: Discarded transitions at the start of a round. Range: 0 to 1 000 000. Default `0`.
        iterations: Transitions after the burn-in. Range: 1 to 1 000 000. Default `1`.
        keep: Last states per chain in the statistic; 1 to `iterations`. Default `1`.
        growth: Increase of kept transitions per round (MCEM). Range: 0 to 10 000. Default `0`.
        start: Start of the chains in a round. Default `Warm`.
        steps: Adaptation of the steps. Default `Fixed`.
    """

    _written: ClassVar[str | None] = "Sample"

    kernel: Kernel
    chains: int = UNSET
    burn_in: int = UNSET
    iterations: int = UNSET
    keep: int = UNSET
    growth: int = UNSET
    start: ChainStart = UNSET
    steps: Steps = UNSET


class Langevin(Kernel):
    """Unadjusted Langevin: z ← z + (γ/2) g + √γ ξ. Biased by order γ.

    Attributes:
        step: γ; in squared units of z. Range: above 0.
        quantize: Compressor of g inside the chain (Algorithm 3 of the draft), which costs accuracy and saves no bits.
            Default `Identity`.
    """

    _written: ClassVar[str | None] = "Langevin"

    step: float
    quantize: Compressor | PythonCompressor = UNSET


class Mala(Kernel):
    """Langevin proposals with Metropolis–Hastings correction.

    Attributes:
        step: γ; in squared units of z. Range: above 0.
    """

    _written: ClassVar[str | None] = "Mala"

    step: float


class RandomWalk(Kernel):
    """Random walks as in saemix; repetitions per transition, at least one in all.

    Attributes:
        prior: Proposals from p(z; θ). Range: 0 to 1 000. Default `2`.
        single: One component at a time. Range: 0 to 1 000. Default `2`.
        block: All components together. Range: 0 to 1 000. Default `2`.
    """

    _written: ClassVar[str | None] = "RandomWalk"

    prior: int = UNSET
    single: int = UNSET
    block: int = UNSET


class Gibbs(Kernel):
    """The model's Gibbs sweep: an exact draw for mixtures and linear mixed models."""

    _written: ClassVar[str | None] = "Gibbs"


class Warm(ChainStart):
    """The chain's last state."""

    _written: ClassVar[str | None] = "Warm"


class Restart(ChainStart):
    """The mode of p(z; θ)."""

    _written: ClassVar[str | None] = "Restart"


class FixedSteps(Steps):
    """Fixed."""

    _written: ClassVar[str | None] = "Fixed"


class Adapt(Steps):
    """Each chain adapts its steps to an acceptance rate.

    Attributes:
        rounds: Last round with adaptation. Range: at least 1 (rounds).
        target: Target acceptance rate (MALA: usually 0.574). Range: (0, 1]. Default `0.4`.
    """

    _written: ClassVar[str | None] = "Adapt"

    rounds: int
    target: float = UNSET


class StatisticsSends(Sends):
    """S̃_i, the mean statistic of the samples (Algorithms 2 and 5)."""

    _written: ClassVar[str | None] = "Statistics"


class ParametersSends(Sends):
    """T(S̃_i), local models, which the server averages (Algorithm 1, D-SAEM)."""

    _written: ClassVar[str | None] = "Parameters"


class GradientSends(Sends):
    """Gradients of the samples' log-density in θ (Fisher's identity)."""

    _written: ClassVar[str | None] = "Gradient"


class NaturalCoordinates(Coordinates):
    """Coordinates of the statistic."""

    _written: ClassVar[str | None] = "Natural"


class Centred(Coordinates):
    """Differences from the broadcast θ (for statistics, from one that T maps to θ). Gradients, and differences from
    memories, remain `Natural`.
    """

    _written: ClassVar[str | None] = "Centred"


class Standardized(Coordinates):
    """`Centred`, divided by the standard deviations of θ (gradients: multiplied). For mixed-effects models."""

    _written: ClassVar[str | None] = "Standardized"


class Federated(Architecture):
    """Algorithm 1: a server sums. Needs `shape: Star`."""

    _written: ClassVar[str | None] = "Federated"


class Decentralized(Architecture):
    """Algorithm 2: agents average with neighbours over direct links. Agents and unused settings are those of
    `DiffusionEm`.

    Attributes:
        hops: h: a hub holds the agents within h hops of its root. Range: 0 to 1 000. Default `1`.
        ties: Choice among largest hubs of equal size. Default `SmallestIndex`.
        clustering: Search for the hubs. Default `Central`.
        weights: W. Default `Metropolis`.
        consensus: Averaging, by default as in the paper. Default `Rounds(100)`.
    """

    _written: ClassVar[str | None] = "Decentralized"

    hops: int = UNSET
    ties: Ties = UNSET
    clustering: HubSearch = UNSET
    weights: Weights = UNSET
    consensus: Consensus = UNSET


class SmallestIndex(Ties):
    """The smallest root."""

    _written: ClassVar[str | None] = "SmallestIndex"


class RandomTies(Ties):
    """A random hub."""

    _written: ClassVar[str | None] = "Random"


class Outcome(Ties):
    """The outcome with this index among those that ties allow.

    Attributes:
        value: The value. Range: 0 to 9 999.
    """

    _written: ClassVar[str | None] = "Outcome"
    _items: ClassVar[bool] = True

    value: int


class Central(HubSearch):
    """Known before the start, free."""

    _written: ClassVar[str | None] = "Central"


class Flooding(HubSearch):
    """By a flooding protocol with charged messages."""

    _written: ClassVar[str | None] = "Flooding"


class Metropolis(Weights):
    """1 / (1 + the larger degree) (Xiao, Boyd and Lall 2005)."""

    _written: ClassVar[str | None] = "Metropolis"


class Laplacian(Weights):
    """I − α L; α below 2/λ_max(L).

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Laplacian"
    _items: ClassVar[bool] = True

    value: float


class BestConstant(Weights):
    """I − α L with the α that averages fastest, 2 / (λ₂ + λ_max) (Xiao and Boyd 2004)."""

    _written: ClassVar[str | None] = "BestConstant"


class Given(Weights):
    """Given weights: symmetric, rows sum to 1, 0 between non-neighbours.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Given"
    _items: ClassVar[bool] = True

    value: Sequence[Sequence[float] | Array] | Array


class RoundsConsensus(Consensus):
    """S rounds z ← W z.

    Attributes:
        value: The value. Range: 0 to 100 000.
    """

    _written: ClassVar[str | None] = "Rounds"
    _items: ClassVar[bool] = True

    value: int


class ChebyshevConsensus(Consensus):
    """S rounds of Chebyshev's iteration.

    Attributes:
        value: The value. Range: 0 to 100 000.
    """

    _written: ClassVar[str | None] = "Chebyshev"
    _items: ClassVar[bool] = True

    value: int


class Adaptive(Consensus):
    """Rounds until no agent's state changes by more than `tolerance`, plus as many as the diameter to inform all.

    Attributes:
        tolerance: Root mean square change, relative to the initial state. Range: above 0.
        at_most: Maximum number of rounds. Range: 1 to 100 000.
        chebyshev: Chebyshev's iteration. Default `false`.
    """

    _written: ClassVar[str | None] = "Adaptive"

    tolerance: float
    at_most: int
    chebyshev: bool = UNSET


class Lossy(Consensus):
    """S rounds that tolerate lost and late messages. Needs `stopping: Never`.

    Attributes:
        rounds: S. Range: 1 to 100 000.
        missing: Missing messages. Default `PushSum`.
        patience: Wait for a message. Default: until it arrives or is lost. Range: at least 1 ns. Default `None`.
    """

    _written: ClassVar[str | None] = "Lossy"

    rounds: int
    missing: Missing = UNSET
    patience: Duration | str | None = UNSET


class Choco(Consensus):
    """CHOCO-gossip.

    Attributes:
        rounds: S. Range: 1 to 100 000.
        step: γ. Coarser compressors need smaller steps; with too large ones differences between agents grow. Range: (0,
            1].
        compressor: Compressor of differences, 32 examples at a time.
        tracking: Keeps states between iterations. Needs `batch: All`. Default `true`.
    """

    _written: ClassVar[str | None] = "Choco"

    rounds: int
    step: float
    compressor: Compressor | PythonCompressor
    tracking: bool = UNSET


class PushSum(Missing):
    """Push-sum with running sums: the next message makes up for a lost one."""

    _written: ClassVar[str | None] = "PushSum"


class Substitute(Missing):
    """The receiver's own state replaces the missing one: averages drift."""

    _written: ClassVar[str | None] = "Substitute"


class NsDuration(Duration):
    """Nanoseconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Ns"
    _items: ClassVar[bool] = True

    value: float


class UsDuration(Duration):
    """Microseconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Us"
    _items: ClassVar[bool] = True

    value: float


class MsDuration(Duration):
    """Milliseconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Ms"
    _items: ClassVar[bool] = True

    value: float


class SecDuration(Duration):
    """Seconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Sec"
    _items: ClassVar[bool] = True

    value: float


class MinDuration(Duration):
    """Minutes.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Min"
    _items: ClassVar[bool] = True

    value: float


class AllVpBatch(VpBatch):
    """All."""

    _written: ClassVar[str | None] = "All"


class InTurn(VpBatch):
    """This many, in the order of the data.

    Attributes:
        value: The value. Range: 1 to the number of examples.
    """

    _written: ClassVar[str | None] = "InTurn"
    _items: ClassVar[bool] = True

    value: int


class RandomVpBatch(VpBatch):
    """This many, without replacement, from a shared seed.

    Attributes:
        value: The value. Range: 1 to the number of examples.
    """

    _written: ClassVar[str | None] = "Random"
    _items: ClassVar[bool] = True

    value: int


class ErrorSingular(Singular):
    """Stops the run."""

    _written: ClassVar[str | None] = "Error"


class RidgeSingular(Singular):
    """Adds this to every variance in every M-step, in squared units of the data.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Ridge"
    _items: ClassVar[bool] = True

    value: float


class NeverStopping(Stopping):
    """Only `stop` ends a run."""

    _written: ClassVar[str | None] = "Never"


class Alone(Stopping):
    """Below `tolerance` − `margin` a root freezes its parameters and only passes terms on; the run ends when all do. A
    margin of twice the largest difference between roots keeps all below `tolerance`.

    Attributes:
        tolerance: Per example. Range: above 0.
        margin: At least 0, below the tolerance. Default `0.0`.
    """

    _written: ClassVar[str | None] = "Alone"

    tolerance: float
    margin: float = UNSET


class Flood(Stopping):
    """The first root below `tolerance` floods the index of a last iteration that all agents hear of in time.

    Attributes:
        tolerance: Per example. Range: above 0.
    """

    _written: ClassVar[str | None] = "Flood"

    tolerance: float


class WholeVpLink(VpLink):
    """Uncompressed, 64 bits per number."""

    _written: ClassVar[str | None] = "Whole"


class CompressedVpLink(VpLink):
    """Compressed.

    Attributes:
        compressor: C.
        floats: Width of floats. Default `F64`.
        surrogate: Surrogates of terms. Default `Surrogate(alpha: Auto, first: Compressed)`.
    """

    _written: ClassVar[str | None] = "Compressed"

    compressor: Compressor | PythonCompressor
    floats: Floats = UNSET
    surrogate: VpSurrogate = UNSET


class Surrogate(VpSurrogate):
    """Both ends keep Ĝ ← Ĝ + α C(Q − Ĝ) per example (EF-VFL): the error of C vanishes as θ converges.

    Attributes:
        alpha: α. Default `Auto`.
        first: First message, from Ĝ = 0. Default `Compressed`.
    """

    _written: ClassVar[str | None] = "Surrogate"

    alpha: Alpha | float = UNSET
    first: FirstTerms = UNSET


class NoSurrogate(VpSurrogate):
    """None: receivers use C(Q) (CVFL), whose error remains."""

    _written: ClassVar[str | None] = "NoSurrogate"


class CompressedFirstTerms(FirstTerms):
    """Compressed: Ĝ = α C(Q)."""

    _written: ClassVar[str | None] = "Compressed"


class WholeFirstTerms(FirstTerms):
    """Uncompressed, 64 bits per number: Ĝ = Q."""

    _written: ClassVar[str | None] = "Whole"


class CompleteMissingBlocks(MissingBlocks):
    """None."""

    _written: ClassVar[str | None] = "Complete"


class Drawn(MissingBlocks):
    """Each block of an example is missing with equal probability; examples without blocks are redrawn. `initial` sees
    observed means in place of missing values.

    Attributes:
        share: Probability. Range: (0, 0.95].
        treatment: Treatment of incomplete examples. Default `Marginalize`.
    """

    _written: ClassVar[str | None] = "Drawn"

    share: float
    treatment: GapTreatment = UNSET


class Marginalize(GapTreatment):
    """Exact EM over observed blocks. Agents send the terms of examples with their block, and once one bit per example."""

    _written: ClassVar[str | None] = "Marginalize"


class ImputeGapTreatment(GapTreatment):
    """Missing values become the mean of the observed ones."""

    _written: ClassVar[str | None] = "Impute"


class DropGapTreatment(GapTreatment):
    """Drops incomplete examples; agents send one bit per example once."""

    _written: ClassVar[str | None] = "Drop"


class RoundsCombine(Combine):
    """S rounds x ← W x per iteration.

    Attributes:
        value: The value. Range: 1 to 100 000.
    """

    _written: ClassVar[str | None] = "Rounds"
    _items: ClassVar[bool] = True

    value: int


class ChebyshevCombine(Combine):
    """S rounds of Chebyshev's iteration.

    Attributes:
        value: The value. Range: 1 to 100 000.
    """

    _written: ClassVar[str | None] = "Chebyshev"
    _items: ClassVar[bool] = True

    value: int


class StatisticsAverages(Averages):
    """Statistics; with small γ and one round MNEM."""

    _written: ClassVar[str | None] = "Statistics"


class ParametersAverages(Averages):
    """Parameters after a local EM step, with γ the step towards them; γ = 1 is network EM (NEM). If agents' data
    differ, the limit is not that of EM. For mixtures.
    """

    _written: ClassVar[str | None] = "Parameters"


class StepsControlVariate(ControlVariate):
    """Option II: the mean of the local steps, which the server derives from the client's change. Messages have q
    numbers.
    """

    _written: ClassVar[str | None] = "Steps"


class GradientControlVariate(ControlVariate):
    """Option I: h_i(Ŝ), another local pass. Messages have 2 q numbers."""

    _written: ClassVar[str | None] = "Gradient"


class NoControl(ControlVariate):
    """None, c = c_i = 0: FedAvg on statistics, with one vector per broadcast."""

    _written: ClassVar[str | None] = "NoControl"


class AutoRelaxation(Relaxation):
    """1/(1 + ω_av) with ω_av = ω max w_i / n, for `PermK` 1. If ω is unknown, 1."""

    _written: ClassVar[str | None] = "Auto"


class ConstantRelaxation(Relaxation):
    """This value.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class LocalEm(Part):
    """EM until an iteration lowers the mean −log p by less than `tolerance`.

    Attributes:
        iterations: Maximum number of iterations. Range: 1 to 100 000. Default `1000`.
        tolerance: Per example. Range: above 0. Default `1e-6`.
    """

    _written: ClassVar[str | None] = None

    iterations: int = UNSET
    tolerance: float = UNSET


class Reduction(Merging):
    """Reduction of all components to G by Kullback-Leibler divergence (Zhang and Chen 2022).

    Attributes:
        starts: Fits used as starts, beside one of distant components; the result nearest to the pool is kept. Range: 0
            to 1 000. Default `10`.
    """

    _written: ClassVar[str | None] = "Reduction"

    starts: int = UNSET


class Filtered(Merging):
    """Reduction of the fits near the median fit in L² distance (DFMR: Zhang, Tan and Chen 2026), robust to arbitrary
    messages.

    Attributes:
        within: Definition of near. Default `Auto`.
    """

    _written: ClassVar[str | None] = "Filtered"

    within: Within | float = UNSET


class Resampling(Merging):
    """EM from θ₀ on examples drawn from the pool (FedGenGMM), with the limits of `local`; the server's time is charged.

    Attributes:
        examples: Drawn examples. Range: 1 to 10 000 000.
    """

    _written: ClassVar[str | None] = "Resampling"

    examples: int


class MeanMerging(Merging):
    """Mean of parameters, after matching components with those of θ₀ as in `FedAvgEm`."""

    _written: ClassVar[str | None] = "Mean"


class AutoWithin(Within):
    """max(1, ½ ln(n/2) ln ln n) for n fits, as in DFMR's code."""

    _written: ClassVar[str | None] = "Auto"


class Medians(Within):
    """This many median distances.

    Attributes:
        value: The value. Range: 1 to 1000.
    """

    _written: ClassVar[str | None] = "Medians"
    _items: ClassVar[bool] = True

    value: float


class WaitForAll(Round):
    """When every selected client has responded or is known to be lost."""

    _written: ClassVar[str | None] = "WaitForAll"


class Deadline(Round):
    """`WaitForAll`, but at most this long; later contributions are late.

    Attributes:
        value: The value. Range: at least 1 ns.
    """

    _written: ClassVar[str | None] = "Deadline"
    _items: ClassVar[bool] = True

    value: Duration | str


class FirstRound(Round):
    """When m clients have responded; 1 to the cohort size.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "First"
    _items: ClassVar[bool] = True

    value: int


class Asynchronous(Round):
    """At every contribution, whatever its broadcast. `participation` sets the clients at work: all, or a cohort that
    idle clients refill after each step. For FedEM and gradient ascent.
    """

    _written: ClassVar[str | None] = "Asynchronous"


class Buffered(Round):
    """`Asynchronous` at every K-th contribution (FedBuff); 1 to the number at work.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Buffered"
    _items: ClassVar[bool] = True

    value: int


class Discard(Late):
    """Neither end uses them, and clients learn this; a new broadcast ends older work."""

    _written: ClassVar[str | None] = "Discard"


class Apply(Late):
    """Both ends use them in the round of arrival; clients at work are not selected again, and rounds wait for them. For
    FedEM and gradient ascent.
    """

    _written: ClassVar[str | None] = "Apply"


class ConstantStaleness(Staleness):
    """1."""

    _written: ClassVar[str | None] = "Constant"


class PolynomialStaleness(Staleness):
    """(1 + τ)^(−a) with this a (Xie, Koyejo and Gupta 2019).

    Attributes:
        value: The value. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "Polynomial"
    _items: ClassVar[bool] = True

    value: float


class Plain(Aggregation):
    """The server sees each message."""

    _written: ClassVar[str | None] = "Plain"


class SecureAggregation(Aggregation):
    """The server sees only the sum, after four exchanges with pairwise masks. Needs `floats: F64`, also for the
    broadcast.

    Attributes:
        neighbours: Pairs of clients that share masks. Default `All`.
        threshold: Answers must exceed this share and be at least two; otherwise the round makes no step. `All`: of the
            cohort, in every exchange. `Degree(k)`: in the last exchange, of the k neighbours of every client in the
            sum. Cohorts of at most k + 1 use `All`. Range: 0 to 0.999. Default `0.5`.
        field_bits: Bits per masked entry, modulo 2 to this power. Range: 8 to 53. Default `32`.
        fraction_bits: Fractional bits to which entries are rounded before masking. Range: 0 to 52. Default `16`.
        key_bits: Bits of a public key. Range: 1 to 100 000. Default `256`.
        share_bits: Bits of a secret's share. Range: 1 to 100 000. Default `256`.
        overhead_bits: Bits of a ciphertext's nonce and authentication tag. Range: 0 to 100 000. Default `224`.
    """

    _written: ClassVar[str | None] = "SecureAggregation"

    neighbours: Neighbours = UNSET
    threshold: float = UNSET
    field_bits: int = UNSET
    fraction_bits: int = UNSET
    key_bits: int = UNSET
    share_bits: int = UNSET
    overhead_bits: int = UNSET


class Robust(Aggregation):
    """A robust rule against Byzantine clients replaces the sum. Not with masks.

    Attributes:
        rule: Rule for the arrived vectors.
        f: f, the tolerated Byzantine clients per round, fewer than half of the arrivals; rounds with too few arrivals
            are skipped. Range: 0 to 1 000 000.
        mixing: Transformation before the rule. Default `NoMixing`.
    """

    _written: ClassVar[str | None] = "Robust"

    rule: RobustRule
    f: int
    mixing: Preaggregation = UNSET


class AllNeighbours(Neighbours):
    """All pairs (Bonawitz et al. 2017)."""

    _written: ClassVar[str | None] = "All"


class Degree(Neighbours):
    """Each client with this even number of others, redrawn in each round (Bell et al. 2020).

    Attributes:
        value: The value. Range: 2 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Degree"
    _items: ClassVar[bool] = True

    value: int


class TrimmedMean(RobustRule):
    """Coordinate-wise mean without the f largest and f smallest values."""

    _written: ClassVar[str | None] = "TrimmedMean"


class CoordinateMedian(RobustRule):
    """Coordinate-wise median."""

    _written: ClassVar[str | None] = "CoordinateMedian"


class GeometricMedian(RobustRule):
    """Geometric median.

    Attributes:
        smoothing: ν, lower bound of distances. Range: above 0. Default `0.1`.
        iterations: Steps. Range: 1 to 10 000. Default `3`.
    """

    _written: ClassVar[str | None] = "GeometricMedian"

    smoothing: float = UNSET
    iterations: int = UNSET


class Krum(RobustRule):
    """The vector with the least mean squared distance to its m − f − 1 nearest; m > 2 f + 2."""

    _written: ClassVar[str | None] = "Krum"


class MultiKrum(RobustRule):
    """Mean of the m − f vectors that Krum ranks first; m > 2 f + 2."""

    _written: ClassVar[str | None] = "MultiKrum"


class CentredClipping(RobustRule):
    """The last result (first 0) plus the mean of the differences from it, each clipped to `radius`.

    Attributes:
        radius: τ, the largest norm of a difference. Range: above 0.
        iterations: Steps. Range: 1 to 10 000. Default `1`.
    """

    _written: ClassVar[str | None] = "CentredClipping"

    radius: float
    iterations: int = UNSET


class NoMixing(Preaggregation):
    """Nothing."""

    _written: ClassVar[str | None] = "NoMixing"


class NearestNeighbours(Preaggregation):
    """Replaces each vector by the mean of the m − f nearest ones, itself included."""

    _written: ClassVar[str | None] = "NearestNeighbours"


class GaussianPrivacy(Privacy):
    """Gaussian mechanism on the clients' vectors before coding. The column `epsilon` has its cost.

    Attributes:
        clip: C, the clipping norm. Range: above 0.
        noise: z, standard deviation of the noise per entry, divided by C. Range: 0.01 to 1 000 000.
        delta: δ of the reported (ε, δ). Range: above 0, to 0.5. Default `1e-5`.
        granularity: Unit of protection. Default `Client`.
        against: The adversary. Default `Server`.
    """

    _written: ClassVar[str | None] = "Gaussian"

    clip: float
    noise: float
    delta: float = UNSET
    granularity: Granularity = UNSET
    against: Against = UNSET


class Client(Granularity):
    """All contributions of a client."""

    _written: ClassVar[str | None] = "Client"


class Server(Against):
    """The server, which sees participation and messages (with secure aggregation only sums). No amplification by
    subsampling.
    """

    _written: ClassVar[str | None] = "Server"


class Outsiders(Against):
    """Observers of broadcasts and the final model; the server is trusted. `Bernoulli(p)` participation amplifies
    privacy if every contribution arrives and the downlink is uncompressed.
    """

    _written: ClassVar[str | None] = "Outsiders"


class Byzantine(Part):
    """Byzantine clients and their attack.

    Attributes:
        clients: Byzantine clients.
        attack: Reported vector.
        on: Replaced entries of x_i. Default `Everything`.
    """

    _written: ClassVar[str | None] = None

    clients: Liars
    attack: Attack
    on: Attacked = UNSET


class FirstLiars(Liars):
    """This many, by lowest number.

    Attributes:
        value: The value. Range: 1 to 10 000 000.
    """

    _written: ClassVar[str | None] = "First"
    _items: ClassVar[bool] = True

    value: int


class ClientsLiars(Liars):
    """Clients with these numbers, from 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Clients"
    _items: ClassVar[bool] = True

    value: Sequence[int] | Array


class Share(Liars):
    """This share of all, rounded to whole clients, by lowest number.

    Attributes:
        value: The value. Range: 0 to 1.
    """

    _written: ClassVar[str | None] = "Share"
    _items: ClassVar[bool] = True

    value: float


class SignFlip(Attack):
    """−x."""

    _written: ClassVar[str | None] = "SignFlip"


class Scaled(Attack):
    """x times this factor.

    Attributes:
        value: The value. Range: finite.
    """

    _written: ClassVar[str | None] = "Scaled"
    _items: ClassVar[bool] = True

    value: float


class RandomAttack(Attack):
    """Independent Gaussian entries with mean 0.

    Attributes:
        deviation: Standard deviation. Range: 0 to 10¹⁵⁰.
    """

    _written: ClassVar[str | None] = "Random"

    deviation: float


class InnerProduct(Attack):
    """−τ times the mean of the round's honest clients (inner-product manipulation: Xie et al., UAI 2019).

    Attributes:
        value: The value. Range: finite.
    """

    _written: ClassVar[str | None] = "InnerProduct"
    _items: ClassVar[bool] = True

    value: float


class LittleIsEnough(Attack):
    """Per coordinate the honest clients' mean plus τ standard deviations (Baruch et al., NeurIPS 2019).

    Attributes:
        value: The value. Range: finite.
    """

    _written: ClassVar[str | None] = "LittleIsEnough"
    _items: ClassVar[bool] = True

    value: float


class Everything(Attacked):
    """All."""

    _written: ClassVar[str | None] = "Everything"


class Means(Attacked):
    """Means of components, which leave a valid mixture. For `OneRound` and `FedAvgEm`, whose clients send θ_i."""

    _written: ClassVar[str | None] = "Means"


class Network(Part):
    """Network between server and clients.

    Attributes:
        shape: Topology. Default `Star`.
        server_up: Rate out of the server, shared by transfers. Range: 1 bit/s to 10 Tbit/s. Default `Gbps(1.0)`.
        server_down: Rate into the server, shared by transfers. Range: 1 bit/s to 10 Tbit/s. Default `Gbps(1.0)`.
        client_up: Rate from a client. Default `Mbps(10.0)`.
        client_down: Rate to a client. Default `Mbps(50.0)`.
        latency: One-way delay of access links; default 40 ms in a star, 5 ms in a graph. Default `None`.
        up_trace: Time-varying rate, in place of `client_up`. Default `None`.
        down_trace: Time-varying rate, in place of `client_down`. Default `None`.
        loss: Losses on access links. Default `Never`.
        background: Background traffic per direction, on the server's link of a star or all links between sites of a
            graph. Default `Quiet`.
        jitter: Additional random delay per message. Default `None`.
        transport: Connections and repair of losses. Default `(delivery: Datagram, set_up: 1, slow_start: 10,
            connections: Kept, restart_after_idle: true, acknowledgements: false)`.
        sharing: Sharing of links among transfers. Default `FairShare`.
        queues: Queues, for packet-level `sharing` such as `Tcp()`. Default `(server_up: Fair, server_down: Endless,
            client_up: Fair, client_down: Endless, links: Endless)`.
        latency_order: Order of latency and transmission. Default `AtServer`.
        headers: Packet headers. Default `Ip`.
    """

    _written: ClassVar[str | None] = None

    shape: Shape = UNSET
    server_up: Rate | str = UNSET
    server_down: Rate | str = UNSET
    client_up: RateLaw | str = UNSET
    client_down: RateLaw | str = UNSET
    latency: DurationLaw | str | None = UNSET
    up_trace: RateTrace | None = UNSET
    down_trace: RateTrace | None = UNSET
    loss: Loss | float = UNSET
    background: Background | str = UNSET
    jitter: DurationLaw | str | None = UNSET
    transport: Transport = UNSET
    sharing: Sharing = UNSET
    queues: Queues = UNSET
    latency_order: LatencyOrder = UNSET
    headers: Headers = UNSET


class Star(Shape):
    """One server and an access link per client."""

    _written: ClassVar[str | None] = "Star"


class Graph(Shape):
    """Sites joined by links; access links attach server and clients. Routes have the least latency.

    Attributes:
        sites: Sites and links.
        link_capacity: Capacity of links between sites, per direction. Default `Law(Gbps(1.0))`.
        link_latency: One-way delay of links between sites. Default `Law(Ms(5.0))`.
        link_loss: Losses on links between sites. Default `Never`.
        links: Exceptions for single links between sites. Default `[]`.
        server: Site of the server. Default `Index(0)`.
        clients: Sites of the clients. Default `Others`.
    """

    _written: ClassVar[str | None] = "Graph"

    sites: Sites
    link_capacity: LinkCapacity | str = UNSET
    link_latency: LinkLatency | str = UNSET
    link_loss: Loss | float = UNSET
    links: Sequence[LinkSettings] = UNSET
    server: SiteName | float | str = UNSET
    clients: Placement = UNSET


class StarSites(Sites):
    """Site 0 linked to all others.

    Attributes:
        value: The value. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Star"
    _items: ClassVar[bool] = True

    value: int


class Path(Sites):
    """Each site linked to the next.

    Attributes:
        value: The value. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Path"
    _items: ClassVar[bool] = True

    value: int


class Ring(Sites):
    """A closed path.

    Attributes:
        value: The value. Range: 3 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Ring"
    _items: ClassVar[bool] = True

    value: int


class CompleteSites(Sites):
    """All pairs linked.

    Attributes:
        value: The value. Range: 1 to 2 000.
    """

    _written: ClassVar[str | None] = "Complete"
    _items: ClassVar[bool] = True

    value: int


class GridSites(Sites):
    """Rows and columns in the plane, one unit apart, with neighbours linked.

    Attributes:
        rows: Rows. Range: 1 to 1 000.
        columns: Columns. Range: 1 to 1 000.
    """

    _written: ClassVar[str | None] = "Grid"

    rows: int
    columns: int


class KRegular(Sites):
    """Random regular graph: uniform pairing, without loops and double links.

    Attributes:
        sites: `sites` · `degree` is even. Range: 2 to 100 000.
        degree: Links per site; 1 to `sites` − 1.
    """

    _written: ClassVar[str | None] = "KRegular"

    sites: int
    degree: int


class GeometricSites(Sites):
    """Uniform points in the unit square, near pairs linked.

    Attributes:
        sites: Sites. Range: 1 to 5 000.
        reach: Linked pairs.
    """

    _written: ClassVar[str | None] = "Geometric"

    sites: int
    reach: Reach


class ErdosRenyi(Sites):
    """Each pair linked independently.

    Attributes:
        sites: Sites. Range: 1 to 20 000.
        probability: Probability. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "ErdosRenyi"

    sites: int
    probability: float


class BarabasiAlbert(Sites):
    """From a star of `links` + 1 sites, new sites link to `links` older ones, drawn by degree.

    Attributes:
        sites: Sites. Range: 2 to 1 000 000.
        links: Links of each new site; 1 to `sites` − 1.
    """

    _written: ClassVar[str | None] = "BarabasiAlbert"

    sites: int
    links: int


class Hierarchical(Sites):
    """A tree below site 0, the `cloud`: `[3, 4]` has three sites there and four below each. `clients: Leaves` attaches
    clients to the lowest level.

    Attributes:
        fan_out: Children per site, by level; one to four levels, up to 1 000 000 sites. Range: each 1 to 1 000.
    """

    _written: ClassVar[str | None] = "Hierarchical"

    fan_out: Sequence[int] | Array


class Gml(Sites):
    """A file in GML (Internet Topology Zoo).

    Attributes:
        path: File name. Range: not empty.
        capacity: Edge attribute of capacities, for `link_capacity: File()`. Default `(name: "LinkSpeedRaw", unit:
            Bps(1.0))`.
        latency: Edge attribute of latencies, for `link_latency: File()`. Default `None`.
        piece: Used sites if the network is not connected. Default `Connected`.
    """

    _written: ClassVar[str | None] = "Gml"

    path: str
    capacity: RateAttribute = UNSET
    latency: DurationAttribute | None = UNSET
    piece: Piece = UNSET


class Radius(Reach):
    """All pairs up to this distance.

    Attributes:
        value: The value. Range: (0, 2].
    """

    _written: ClassVar[str | None] = "Radius"
    _items: ClassVar[bool] = True

    value: float


class MeanDegree(Reach):
    """The closest pairs, up to about this mean degree.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "MeanDegree"
    _items: ClassVar[bool] = True

    value: float


class RateAttribute(Part):
    """An attribute with rates.

    Attributes:
        name: Name.
        unit: Unit of the values. Range: 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = None

    name: str
    unit: Rate | str


class BpsRate(Rate):
    """bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Bps"
    _items: ClassVar[bool] = True

    value: float


class KbpsRate(Rate):
    """10³ bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Kbps"
    _items: ClassVar[bool] = True

    value: float


class MbpsRate(Rate):
    """10⁶ bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Mbps"
    _items: ClassVar[bool] = True

    value: float


class GbpsRate(Rate):
    """10⁹ bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Gbps"
    _items: ClassVar[bool] = True

    value: float


class DurationAttribute(Part):
    """An attribute with durations.

    Attributes:
        name: Name.
        unit: Unit of the values. Range: 0 to 584 years.
    """

    _written: ClassVar[str | None] = None

    name: str
    unit: Duration | str


class Connected(Piece):
    """All; the network must be connected."""

    _written: ClassVar[str | None] = "Connected"


class Largest(Piece):
    """The largest connected component, or the first of equals; a caveat names the rest."""

    _written: ClassVar[str | None] = "Largest"


class LawLinkCapacity(LinkCapacity):
    """Drawn for each link.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Law"
    _items: ClassVar[bool] = True

    value: RateLaw | str


class FileLinkCapacity(LinkCapacity):
    """From the file.

    Attributes:
        otherwise: For links without one in the file; default: an error. Range: 1 bit/s to 10 Tbit/s. Default `None`.
    """

    _written: ClassVar[str | None] = "File"

    otherwise: Rate | str | None = UNSET


class BpsRateLaw(RateLaw):
    """bit/s, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Bps"
    _items: ClassVar[bool] = True

    value: float


class KbpsRateLaw(RateLaw):
    """10³ bit/s, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Kbps"
    _items: ClassVar[bool] = True

    value: float


class MbpsRateLaw(RateLaw):
    """10⁶ bit/s, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Mbps"
    _items: ClassVar[bool] = True

    value: float


class GbpsRateLaw(RateLaw):
    """10⁹ bit/s, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Gbps"
    _items: ClassVar[bool] = True

    value: float


class UniformRateLaw(RateLaw):
    """Uniform on [min, max].

    Attributes:
        min: Lower end; at most `max`. Range: 1 bit/s to 10 Tbit/s.
        max: Upper end. Range: 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Uniform"

    min: Rate | str
    max: Rate | str


class LogNormalRateLaw(RateLaw):
    """median · exp(sigma · Z), Z standard normal.

    Attributes:
        median: Median. Range: 1 bit/s to 10 Tbit/s.
        sigma: Standard deviation of the logarithm. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Rate | str
    sigma: float


class GammaRateLaw(RateLaw):
    """Gamma; its standard deviation is mean / √shape.

    Attributes:
        mean: Mean. Range: 1 bit/s to 10 Tbit/s.
        shape: Shape. Range: 0.001 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Rate | str
    shape: float


class ExponentialRateLaw(RateLaw):
    """Exponential.

    Attributes:
        mean: Mean. Range: 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Exponential"

    mean: Rate | str


class ValuesRateLaw(RateLaw):
    """One of these, equally likely; at least one.

    Attributes:
        value: The value. Range: each from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Values"
    _items: ClassVar[bool] = True

    value: Sequence[Rate | str]


class EachRateLaw(RateLaw):
    """Client or link i has the i-th value; one for each.

    Attributes:
        value: The value. Range: each from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Rate | str]


class ColumnRateLaw(RateLaw):
    """From a table row drawn per client, jointly for columns with the same `path` and `only`. Rows with an empty
    requested cell are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd. Range: not empty.
        column: Column of values.
        unit: Unit of values; above 0.
        inverse: `unit` ÷ value, for scores where more is faster. Default `false`.
        skip_zero: Skips rows with 0, "not measured". Default `false`.
        only: Used rows. Default `None`.
        in_order: No draw: client or link i has the i-th used row; there must be enough. No requested cell may be empty,
            or 0 with `skip_zero`; the same in all columns of the table. Default `false`.
    """

    _written: ClassVar[str | None] = "Column"

    path: str
    column: Column | float | str
    unit: Rate | str
    inverse: bool = UNSET
    skip_zero: bool = UNSET
    only: Only | None = UNSET
    in_order: bool = UNSET


class Only(Part):
    """Rows with this text in a column.

    Attributes:
        column: Column of the text.
        is_: Required text.
    """

    _written: ClassVar[str | None] = None

    column: Column | float | str
    is_: str


class LawLinkLatency(LinkLatency):
    """Drawn for each link.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Law"
    _items: ClassVar[bool] = True

    value: DurationLaw | str


class Distance(LinkLatency):
    """Distance ÷ speed: great-circle distance for files, in the plane for `Grid` and `Geometric`.

    Attributes:
        km_per_ms: Signal speed; 200 is light in fibre. Range: (0, 300], in km per millisecond. Default `200.0`.
        unit_km: Length of a unit of the plane in km. Range: above 0. Default `1000.0`.
        otherwise: For links with an end at an unknown place; default: an error. Range: 0 to a year (365.25 days).
            Default `None`.
    """

    _written: ClassVar[str | None] = "Distance"

    km_per_ms: float = UNSET
    unit_km: float = UNSET
    otherwise: Duration | str | None = UNSET


class FileLinkLatency(LinkLatency):
    """From the file.

    Attributes:
        otherwise: For links without one in the file; default: an error. Range: 0 to a year (365.25 days). Default
            `None`.
    """

    _written: ClassVar[str | None] = "File"

    otherwise: Duration | str | None = UNSET


class NsDurationLaw(DurationLaw):
    """Nanoseconds, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Ns"
    _items: ClassVar[bool] = True

    value: float


class UsDurationLaw(DurationLaw):
    """Microseconds, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Us"
    _items: ClassVar[bool] = True

    value: float


class MsDurationLaw(DurationLaw):
    """Milliseconds, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Ms"
    _items: ClassVar[bool] = True

    value: float


class SecDurationLaw(DurationLaw):
    """Seconds, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Sec"
    _items: ClassVar[bool] = True

    value: float


class MinDurationLaw(DurationLaw):
    """Minutes, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Min"
    _items: ClassVar[bool] = True

    value: float


class UniformDurationLaw(DurationLaw):
    """Uniform on [min, max].

    Attributes:
        min: Lower end; at most `max`. Range: 0 to a year (365.25 days).
        max: Upper end. Range: 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Uniform"

    min: Duration | str
    max: Duration | str


class LogNormalDurationLaw(DurationLaw):
    """median · exp(sigma · Z), Z standard normal.

    Attributes:
        median: Median. Range: 1 ns to a year (365.25 days).
        sigma: Standard deviation of the logarithm. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Duration | str
    sigma: float


class GammaDurationLaw(DurationLaw):
    """Gamma; its standard deviation is mean / √shape.

    Attributes:
        mean: Mean. Range: 1 ns to a year (365.25 days).
        shape: Shape. Range: 0.001 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Duration | str
    shape: float


class ExponentialDurationLaw(DurationLaw):
    """Exponential.

    Attributes:
        mean: Mean. Range: 1 ns to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Exponential"

    mean: Duration | str


class ValuesDurationLaw(DurationLaw):
    """One of these, equally likely; at least one.

    Attributes:
        value: The value. Range: each from 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Values"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class EachDurationLaw(DurationLaw):
    """Client or link i has the i-th value; one for each.

    Attributes:
        value: The value. Range: each from 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class ColumnDurationLaw(DurationLaw):
    """From a table row drawn per client, jointly for columns with the same `path` and `only`. Rows with an empty
    requested cell are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd. Range: not empty.
        column: Column of values.
        unit: Unit of values; above 0.
        inverse: `unit` ÷ value, for scores where more is faster. Default `false`.
        skip_zero: Skips rows with 0, "not measured". Default `false`.
        only: Used rows. Default `None`.
        in_order: No draw: client or link i has the i-th used row; there must be enough. No requested cell may be empty,
            or 0 with `skip_zero`; the same in all columns of the table. Default `false`.
    """

    _written: ClassVar[str | None] = "Column"

    path: str
    column: Column | float | str
    unit: Duration | str
    inverse: bool = UNSET
    skip_zero: bool = UNSET
    only: Only | None = UNSET
    in_order: bool = UNSET


class NeverLoss(Loss):
    """No losses."""

    _written: ClassVar[str | None] = "Never"


class BernoulliLoss(Loss):
    """Each packet independently with this probability; 0 acts as `Never`.

    Attributes:
        value: The value. Range: [0, 1).
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class GilbertElliott(Loss):
    """Bursts: the link turns bad or good before a packet. Mean loss: π · `in_bad` + (1 − π) · `in_good`, π = `to_bad` /
    (`to_bad` + `to_good`).

    Attributes:
        to_bad: Probability per packet that a good link turns bad. Range: (0, 1].
        to_good: Probability per packet that a bad link turns good. Range: (0, 1].
        in_good: Probability of loss on a good link. Range: [0, 1). Default `0.0`.
        in_bad: Probability of loss on a bad link. Range: (0, 1]. Default `1.0`.
    """

    _written: ClassVar[str | None] = "GilbertElliott"

    to_bad: float
    to_good: float
    in_good: float = UNSET
    in_bad: float = UNSET


class LinkSettings(Part):
    """Settings of all links between two sites, in both directions; at least one.

    Attributes:
        from_: One end.
        to: The other end.
        capacity: Capacity. Range: 1 bit/s to 10 Tbit/s. Default `None`.
        latency: One-way delay. Range: 0 to a year (365.25 days). Default `None`.
        loss: Losses. Default `None`.
        background: Background traffic. Default `None`.
        queue: Queue, for `sharing: Tcp()`. Default `None`.
    """

    _written: ClassVar[str | None] = None

    from_: SiteName | float | str
    to: SiteName | float | str
    capacity: Rate | str | None = UNSET
    latency: Duration | str | None = UNSET
    loss: Loss | float | None = UNSET
    background: Background | str | None = UNSET
    queue: Queue | None = UNSET


class IndexSiteName(SiteName):
    """By number, from 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Index"
    _items: ClassVar[bool] = True

    value: int


class NameSiteName(SiteName):
    """By name; generated names are `s0`, …, in a grid `r0c0`, …, in a hierarchy `cloud`, `e0`, `e0.0`, ….

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Name"
    _items: ClassVar[bool] = True

    value: str


class Quiet(Background):
    """None."""

    _written: ClassVar[str | None] = "Quiet"


class RateBackground(Background):
    """A constant rate, subtracted from the capacity and below it.

    Attributes:
        value: The value. Range: 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Rate"
    _items: ClassVar[bool] = True

    value: Rate | str


class OnOffBackground(Background):
    """On-off flows that share links like ours, with exponential pauses and sizes. A transfer first waits for the link's
    latency (the mean of others' if it has none), without taking capacity.

    Attributes:
        flows: Flows per link and direction. Range: 1 to 1 000.
        mean_off: Mean pause between transfers of a flow. Range: at least 1 ns.
        mean_size: Mean size of a transfer. Range: at least 1 bit.
    """

    _written: ClassVar[str | None] = "OnOff"

    flows: int
    mean_off: Duration | str
    mean_size: Size | str


class Bits(Size):
    """Bits.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Bits"
    _items: ClassVar[bool] = True

    value: float


class BytesSize(Size):
    """Bytes of 8 bits.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Bytes"
    _items: ClassVar[bool] = True

    value: float


class KiB(Size):
    """2¹⁰ bytes.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "KiB"
    _items: ClassVar[bool] = True

    value: float


class MiB(Size):
    """2²⁰ bytes.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "MiB"
    _items: ClassVar[bool] = True

    value: float


class GiB(Size):
    """2³⁰ bytes.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "GiB"
    _items: ClassVar[bool] = True

    value: float


class Fair(Queue):
    """A queue per flow, served in turn, as in a sending host."""

    _written: ClassVar[str | None] = "Fair"


class Endless(Queue):
    """One unlimited queue."""

    _written: ClassVar[str | None] = "Endless"


class Room(Queue):
    """Tail drop at this size, as in a modem or router.

    Attributes:
        value: The value. Range: at least 1 bit.
    """

    _written: ClassVar[str | None] = "Room"
    _items: ClassVar[bool] = True

    value: Size | str


class Delay(Queue):
    """Tail drop at what the link sends in this duration.

    Attributes:
        value: The value. Range: 1 ns to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Delay"
    _items: ClassVar[bool] = True

    value: Duration | str


class Others(Placement):
    """All except the server's, unless there is no other."""

    _written: ClassVar[str | None] = "Others"


class Everywhere(Placement):
    """All."""

    _written: ClassVar[str | None] = "Everywhere"


class Leaves(Placement):
    """Sites with one neighbour, except the server's."""

    _written: ClassVar[str | None] = "Leaves"


class SitesPlacement(Placement):
    """These sites; at least one.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Sites"
    _items: ClassVar[bool] = True

    value: Sequence[SiteName | float | str]


class StepsRateTrace(RateTrace):
    """Given steps.

    Attributes:
        rows: Client i repeats row i modulo their number.
    """

    _written: ClassVar[str | None] = "Steps"

    rows: Sequence[Sequence[Step]]


class TableRateTrace(RateTrace):
    """A CSV file, plain or packed, with a row per interval in order of time. Clients repeat random traces, the same in
    both directions if these have the same names.

    Attributes:
        path: File name. Range: not empty.
        column: Column of rates; 0 is an outage.
        unit: Unit of the values. Range: 1 bit/s to 10 Tbit/s.
        interval: Duration of a row. Range: 1 ms to a year.
        by: Column of trace names. Default: the file is one trace. Default `None`.
        only: Used rows. Default `None`.
        start: Starting point in the trace. Default `Anywhere`.
    """

    _written: ClassVar[str | None] = "Table"

    path: str
    column: Column | float | str
    unit: Rate | str
    interval: Duration | str
    by: Column | float | str | None = UNSET
    only: Only | None = UNSET
    start: TraceStart = UNSET


class Step(Part):
    """A rate and its duration.

    Attributes:
        rate: Rate; 0 is an outage. Range: 0, or from 1 bit/s to 10 Tbit/s.
        lasts: Duration. Range: 1 ms to a year.
    """

    _written: ClassVar[str | None] = None

    rate: Rate | str
    lasts: Duration | str


class Anywhere(TraceStart):
    """Uniform, per client, the same in both directions."""

    _written: ClassVar[str | None] = "Anywhere"


class Beginning(TraceStart):
    """At its beginning."""

    _written: ClassVar[str | None] = "Beginning"


class Transport(Part):
    """Connections and repair of losses.

    Attributes:
        delivery: Treatment of lost packets. Default `Datagram`.
        set_up: Round trips of connection set-up, each with two charged headers that take no time (with `Tcp` normal
            packets). Range: 0 to 10 round trips. Default `1`.
        slow_start: Initial window, doubled each round trip until links limit the sender. `None`: no window. Range: 1 to
            1 000 000 segments. Default `10`.
        connections: Connections between two nodes. Default `Kept`.
        restart_after_idle: Idle senders halve their window per round trip plus 200 ms, down to the initial one (RFC
            2861). Default `true`.
        acknowledgements: Charges a header per second packet of the other direction (`Tcp`: per packet for the first 16
            of a connection or after a rest). Uses capacity, except with `Ideal` and `Fifo`. Default `false`.
    """

    _written: ClassVar[str | None] = None

    delivery: Delivery = UNSET
    set_up: int = UNSET
    slow_start: int | None = UNSET
    connections: Connections = UNSET
    restart_after_idle: bool = UNSET
    acknowledgements: bool = UNSET


class Datagram(Delivery):
    """A lost packet loses its message."""

    _written: ClassVar[str | None] = "Datagram"


class Reliable(Delivery):
    """Lost packets are retransmitted until they arrive (at most 1000 times), charged and timed.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Reliable"
    _items: ClassVar[bool] = True

    value: Repair


class RoundTrip(Repair):
    """Latency of the return route."""

    _written: ClassVar[str | None] = "RoundTrip"


class Timeout(Repair):
    """A fixed duration.

    Attributes:
        value: The value. Range: 1 ns to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Timeout"
    _items: ClassVar[bool] = True

    value: Duration | str


class KeptConnections(Connections):
    """One, with its window, until a message on it is cut off."""

    _written: ClassVar[str | None] = "Kept"


class PerMessage(Connections):
    """One per message."""

    _written: ClassVar[str | None] = "PerMessage"


class Ideal(Sharing):
    """No contention: latency + bits / slowest link."""

    _written: ClassVar[str | None] = "Ideal"


class FairShare(Sharing):
    """Max–min fair rates, updated whenever a transfer starts or ends."""

    _written: ClassVar[str | None] = "FairShare"


class WeightedFairShare(Sharing):
    """Max–min fair rates weighted by 1 / route latency (at least 1 ns), as in SimGrid's CM02."""

    _written: ClassVar[str | None] = "WeightedFairShare"


class Fifo(Sharing):
    """Store and forward: each link direction sends one unit after another.

    Attributes:
        unit: Stored and forwarded unit. Default `Packet`.
        buffer: Queue of each link after the first, without the unit being sent; overflow is lost. `None`: unlimited.
            Range: at least 1 bit. Default `None`.
    """

    _written: ClassVar[str | None] = "Fifo"

    unit: Unit = UNSET
    buffer: Size | str | None = UNSET


class Tcp(Sharing):
    """Packet-level TCP: acknowledged windows, finite queues (`queues`), losses and their repair. Slower than the flow
    models, and closest to Linux hosts.

    Attributes:
        congestion: Congestion control. Default `Cubic`.
    """

    _written: ClassVar[str | None] = "Tcp"

    congestion: Congestion = UNSET


class Packet(Unit):
    """A segment with its header."""

    _written: ClassVar[str | None] = "Packet"


class Message(Unit):
    """A whole message."""

    _written: ClassVar[str | None] = "Message"


class Reno(Congestion):
    """RFC 5681, counting packets as Linux does."""

    _written: ClassVar[str | None] = "Reno"


class Cubic(Congestion):
    """RFC 9438 with HyStart, as in Linux."""

    _written: ClassVar[str | None] = "Cubic"


class Queues(Part):
    """Queues in front of links, for packet-level models (`Tcp`).

    Attributes:
        server_up: Out of the server. Default `Fair`.
        server_down: Into the server. Default `Endless`.
        client_up: Out of a client. Default `Fair`.
        client_down: Into a client. Default `Endless`.
        links: On links between sites. Default `Endless`.
    """

    _written: ClassVar[str | None] = None

    server_up: Queue = UNSET
    server_down: Queue = UNSET
    client_up: Queue = UNSET
    client_down: Queue = UNSET
    links: Queue = UNSET


class AtServer(LatencyOrder):
    """Transfers from the server flow at once and arrive after their latency; others wait for it first."""

    _written: ClassVar[str | None] = "AtServer"


class FirstLatencyOrder(LatencyOrder):
    """Every transfer waits for its latency first, as in SimGrid."""

    _written: ClassVar[str | None] = "First"


class Ip(Headers):
    """TCP over IPv4 without options: 40 bytes per 1460 of payload."""

    _written: ClassVar[str | None] = "Ip"


class IpTimestamps(Headers):
    """With time stamps, as Linux sends: 52 bytes per 1448."""

    _written: ClassVar[str | None] = "IpTimestamps"


class Ethernet(Headers):
    """The same in Ethernet frames, closest to Linux hosts: 66 bytes per 1448."""

    _written: ClassVar[str | None] = "Ethernet"


class BytesHeaders(Headers):
    """Other sizes.

    Attributes:
        header: Bytes of headers per segment. Range: 0 to 10 000 (bytes).
        segment: Bytes of payload per segment. Range: 1 to 1 000 000 (bytes).
    """

    _written: ClassVar[str | None] = "Bytes"

    header: int
    segment: int


class Compute(Part):
    """Durations of computations.

    Attributes:
        expectation: Client's time per conditional expectation (one example), drawn per client. Default `Us(10.0)`.
        server_expectation: Server's time per conditional expectation, in protocols that compute them there. Range: 0 to
            584 years. Default `Us(1.0)`.
        variation: σ of a log-normal factor (median 1) on work, per round and client; unused by VP-EM, k-means and
            diffusion EM. Range: 0 to 10. Default `0.0`.
        slow: Slow clients; without effect on agents of a graph. Default `None`.
        coding: Durations of coding and decoding. Default `(client_send: Ns(0.0), client_receive: Ns(0.0), server_send:
            Ns(0.0), server_receive: Ns(0.0), server_lanes: 1)`.
        server_step: From a round's end, or an iteration's last message, to the next broadcast or answer; in one place,
            overhead per iteration. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        client_step: Overhead of a client's or agent's computation beside expectations, such as T(Ŝ). Range: 0 to a year
            (365.25 days). Default `Ns(0.0)`.
    """

    _written: ClassVar[str | None] = None

    expectation: DurationLaw | str = UNSET
    server_expectation: Duration | str = UNSET
    variation: float = UNSET
    slow: Slow | None = UNSET
    coding: CodingTimes = UNSET
    server_step: Duration | str = UNSET
    client_step: Duration | str = UNSET


class Slow(Part):
    """Slow clients, on top of drawn speeds.

    Attributes:
        share: Share of clients, rounded: the last (with `SortedByLabel`, of the last labels). Range: (0, 1].
        factor: Factor on durations of computing and coding. Range: above 0.
    """

    _written: ClassVar[str | None] = None

    share: float
    factor: float


class CodingTimes(Part):
    """Durations per byte of charged payload, for each recipient. Clients handle one message at a time, in parallel with
    computing; the server does not code during a step.

    Attributes:
        client_send: Per byte sent by a client or agent. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        client_receive: Per byte received by a client or agent. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        server_send: Per byte sent by the server. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        server_receive: Per byte received by the server. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        server_lanes: Parallel messages at the server; others wait in order of arrival. Range: 1 to 1 000 000
            (messages). Default `1`.
    """

    _written: ClassVar[str | None] = None

    client_send: Duration | str = UNSET
    client_receive: Duration | str = UNSET
    server_send: Duration | str = UNSET
    server_receive: Duration | str = UNSET
    server_lanes: int = UNSET


class Always(Availability):
    """In every round."""

    _written: ClassVar[str | None] = "Always"


class BernoulliAvailability(Availability):
    """Independently per round, with this probability.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class OnOffAvailability(Availability):
    """Alternating independent periods, stationary at the start.

    Attributes:
        on: Durations of presence.
        off: Durations of absence.
    """

    _written: ClassVar[str | None] = "OnOff"

    on: Durations
    off: Durations


class Diurnal(Availability):
    """In a daily window of local time; runs begin at midnight of zone 0.

    Attributes:
        from_: Local hour of its start; below 24. Range: 0 to 24 (hours of the day).
        to: Local hour of its end, other than `from`; if less, on the next day. Range: 0 to 24 (hours of the day).
        zones: Time zones, one of which each client draws. Range: each from -14 to 14 (hours). Default `[0.0]`.
        probability: Probability of a client's window on a day. Range: (0, 1]. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Diurnal"

    from_: float
    to: float
    zones: Sequence[float] | Array = UNSET
    probability: float = UNSET


class Trace(Availability):
    """In given intervals.

    Attributes:
        rows: Sorted, disjoint intervals; client i has row i modulo their number.
        repeat: Period, at least the end of the last interval. Range: at least 1 ns. Default `None`.
    """

    _written: ClassVar[str | None] = "Trace"

    rows: Sequence[Sequence[Interval]]
    repeat: Duration | str | None = UNSET


class ExponentialDurations(Durations):
    """Exponential with this mean.

    Attributes:
        value: The value. Range: at least 1 ms.
    """

    _written: ClassVar[str | None] = "Exponential"
    _items: ClassVar[bool] = True

    value: Duration | str


class Empirical(Durations):
    """One of these, equally likely; at least one.

    Attributes:
        value: The value. Range: each of at least 1 ms.
    """

    _written: ClassVar[str | None] = "Empirical"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class Interval(Part):
    """Half-open interval since the start of the run.

    Attributes:
        from_: Start. Range: 0 to 584 years.
        to: End; after `from`. Range: 0 to 584 years.
    """

    _written: ClassVar[str | None] = None

    from_: Duration | str
    to: Duration | str


class NeverDropout(Dropout):
    """No dropouts."""

    _written: ClassVar[str | None] = "Never"


class Hazard(Dropout):
    """Constant hazard while busy, so that dropouts differ between compressors. Cuts off the transfer in flight; sent
    bits stay charged.

    Attributes:
        per_second: Dropouts per second of busy time. Range: above 0.
        restart: Time until the client can be selected again. Range: 0 to 584 years. Default `Sec(0.0)`.
        state: State (memory V_i) after the restart. Default `Kept`.
    """

    _written: ClassVar[str | None] = "Hazard"

    per_second: float
    restart: Duration | str = UNSET
    state: State = UNSET


class PerRound(Dropout):
    """Between computing and sending, alike in all arms: the broadcast is charged, no contribution is.

    Attributes:
        probability: Per selected client and round, independently. Range: (0, 1].
        restart: Time until the client can be selected again. Range: 0 to 584 years. Default `Sec(0.0)`.
        state: State (memory V_i) after the restart. Default `Kept`.
    """

    _written: ClassVar[str | None] = "PerRound"

    probability: float
    restart: Duration | str = UNSET
    state: State = UNSET


class KeptState(State):
    """Kept."""

    _written: ClassVar[str | None] = "Kept"


class Lost(State):
    """Lost: see `protocol.memory.recovery`."""

    _written: ClassVar[str | None] = "Lost"


class Powers(Part):
    """Power of a client, drawn once. Concurrent activities add up; unavailable or restarting clients use none.

    Attributes:
        compute: While computing.
        send: While its message is under way.
        receive: While a message to it is under way.
        idle: While available without these activities. Default `W(0.0)`.
        server: Power of the server; without it none is counted. Default `None`.
    """

    _written: ClassVar[str | None] = None

    compute: PowerLaw | str
    send: PowerLaw | str
    receive: PowerLaw | str
    idle: PowerLaw | str = UNSET
    server: ServerPower | None = UNSET


class MilliWPowerLaw(PowerLaw):
    """10⁻³ watts, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "MilliW"
    _items: ClassVar[bool] = True

    value: float


class WPowerLaw(PowerLaw):
    """Watts, constant.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "W"
    _items: ClassVar[bool] = True

    value: float


class UniformPowerLaw(PowerLaw):
    """Uniform on [min, max].

    Attributes:
        min: Lower end; at most `max`. Range: 0 to 10⁶ W.
        max: Upper end. Range: 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Uniform"

    min: Power | str
    max: Power | str


class LogNormalPowerLaw(PowerLaw):
    """median · exp(sigma · Z), Z standard normal.

    Attributes:
        median: Median. Range: above 0, to 10⁶ W.
        sigma: Standard deviation of the logarithm. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Power | str
    sigma: float


class GammaPowerLaw(PowerLaw):
    """Gamma; its standard deviation is mean / √shape.

    Attributes:
        mean: Mean. Range: above 0, to 10⁶ W.
        shape: Shape. Range: 0.001 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Power | str
    shape: float


class ExponentialPowerLaw(PowerLaw):
    """Exponential.

    Attributes:
        mean: Mean. Range: above 0, to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Exponential"

    mean: Power | str


class ValuesPowerLaw(PowerLaw):
    """One of these, equally likely; at least one.

    Attributes:
        value: The value. Range: each from 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Values"
    _items: ClassVar[bool] = True

    value: Sequence[Power | str]


class EachPowerLaw(PowerLaw):
    """Client or link i has the i-th value; one for each.

    Attributes:
        value: The value. Range: each from 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Power | str]


class ColumnPowerLaw(PowerLaw):
    """From a table row drawn per client, jointly for columns with the same `path` and `only`. Rows with an empty
    requested cell are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd. Range: not empty.
        column: Column of values.
        unit: Unit of values; above 0.
        inverse: `unit` ÷ value, for scores where more is faster. Default `false`.
        skip_zero: Skips rows with 0, "not measured". Default `false`.
        only: Used rows. Default `None`.
        in_order: No draw: client or link i has the i-th used row; there must be enough. No requested cell may be empty,
            or 0 with `skip_zero`; the same in all columns of the table. Default `false`.
    """

    _written: ClassVar[str | None] = "Column"

    path: str
    column: Column | float | str
    unit: Power | str
    inverse: bool = UNSET
    skip_zero: bool = UNSET
    only: Only | None = UNSET
    in_order: bool = UNSET


class MilliWPower(Power):
    """10⁻³ watts.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "MilliW"
    _items: ClassVar[bool] = True

    value: float


class WPower(Power):
    """Watts.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "W"
    _items: ClassVar[bool] = True

    value: float


class ServerPower(Part):
    """Power of the server.

    Attributes:
        compute: In one place, and in timed steps, coding and decoding. Range: 0 to 10⁶ W. Default `W(0.0)`.
        send: While a message to any client is under way. Range: 0 to 10⁶ W. Default `W(0.0)`.
        receive: While receiving. Range: 0 to 10⁶ W. Default `W(0.0)`.
        idle: While idle. Range: 0 to 10⁶ W. Default `W(0.0)`.
    """

    _written: ClassVar[str | None] = None

    compute: Power | str = UNSET
    send: Power | str = UNSET
    receive: Power | str = UNSET
    idle: Power | str = UNSET


class Stop(Part):
    """The first rule that holds ends the run; at least one is required. Checked after each round or iteration, so runs
    can exceed limits. Costs before the first round count.

    Attributes:
        rounds: After this many rounds. Range: at least 1. Default `None`.
        epochs: After this many conditional expectations ÷ examples; with sampling, evaluations of densities and
            gradients ÷ subjects. Range: above 0. Default `None`.
        time: After this simulated time. Range: at least 1 ns. Default `None`.
        bits: After this many bits in all directions, with headers. Range: at least 1 bit. Default `None`.
        energy: After this energy of clients and, if its power is given, the server; needs `energy`. Range: above 0.
            Default `None`.
        mean_field_sq: When a probe finds ‖h(Ŝ)‖² at most this. Range: above 0. Default `None`.
        objective_change: When the objective changes by at most this between probes separated by a step. Range: above 0.
            Default `None`.
        patience: When consecutive probes bring no improvement. Default `None`.
    """

    _written: ClassVar[str | None] = None

    rounds: int | None = UNSET
    epochs: float | None = UNSET
    time: Duration | str | None = UNSET
    bits: Size | str | None = UNSET
    energy: Energy | str | None = UNSET
    mean_field_sq: float | None = UNSET
    objective_change: float | None = UNSET
    patience: Patience | None = UNSET


class J(Energy):
    """Joules.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "J"
    _items: ClassVar[bool] = True

    value: float


class KJ(Energy):
    """10³ joules.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "KJ"
    _items: ClassVar[bool] = True

    value: float


class Wh(Energy):
    """Watt hours: 3600 joules.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Wh"
    _items: ClassVar[bool] = True

    value: float


class Patience(Part):
    """Early stopping after consecutive probes without a new best. The final θ is that of the last probe.

    Attributes:
        of: Measure.
        probes: Probes without improvement. Range: 1 to 1 000 000.
        least: Least change that counts, in the unit of the measure. Range: at least 0. Default `0.0`.
    """

    _written: ClassVar[str | None] = None

    of: Measure
    probes: int
    least: float = UNSET


class ObjectiveMeasure(Measure):
    """Mean of −log p(y; θ)."""

    _written: ClassVar[str | None] = "Objective"


class MeanFieldSqMeasure(Measure):
    """‖h(Ŝ)‖²."""

    _written: ClassVar[str | None] = "MeanFieldSq"


class AccuracyMeasure(Measure):
    """Share of examples in the right component; needs labels."""

    _written: ClassVar[str | None] = "Accuracy"


class HeldOutMeasure(Measure):
    """Mean log-likelihood of withheld examples; needs `holdout` or `held_out`."""

    _written: ClassVar[str | None] = "HeldOut"


class Record(Part):
    """What a run records.

    Attributes:
        every: Rounds per recorded row. Range: at least 1 (rounds). Default `1`.
        probe_every: Rounds per probe of ‖h(Ŝ)‖² and objective, a multiple of `every`; a pass over all data without bits
            or simulated time. `None`: only start and end, which are always probed. Range: at least 1 (rounds), or
            `None`. Default `10`.
        theta: Writes θ per row (`theta.csv`). Default `false`.
        statistics: Writes Ŝ per row (`statistics.csv`). Default `false`.
        quality: Compares components with labels at probes (`accuracy`, …; at most half a pass over all data each) and
            writes `components.csv`. Default `true`.
        accept_degenerate: Lets degenerate final fits reach targets: empty or collapsed components, or an objective more
            than 0.25 above the start's. Default `false`.
        clients: Writes `clients.csv`. Default: for up to 1 000 clients. Default `None`.
        clients_at: Rounds with the same rows in `clients_at.csv`, each for a pass over all data; at most 100,
            increasing. Needs `clients`. Default `[]`.
        trace: Rounds whose activities go to `trace.csv`, for the figure `round`; at most 100, increasing. Default `[]`.
        links_every: Rounds per interval of `links_over_time.csv`, for links of a `Graph`. Range: at least 1 (rounds),
            or `None`. Default `None`.
        marginals: Bins of `marginals.csv`, for the figure of a mixture. Reveals each column's distribution and range.
            Range: 1 to 1 000 (bins), or `None`. Default `None`.
    """

    _written: ClassVar[str | None] = None

    every: int = UNSET
    probe_every: int | None = UNSET
    theta: bool = UNSET
    statistics: bool = UNSET
    quality: bool = UNSET
    accept_degenerate: bool = UNSET
    clients: bool | None = UNSET
    clients_at: Sequence[int] | Array = UNSET
    trace: Sequence[int] | Array = UNSET
    links_every: int | None = UNSET
    marginals: int | None = UNSET


class Arm(Part):
    """A variant, given by the settings that differ.

    Attributes:
        name: Unique name, valid as a folder name.
        set: Paths and values as in a scenario file (a text keeps its quotes: `"\\"10 kbps\\""`). Default `{}`.
    """

    _written: ClassVar[str | None] = None

    name: str
    set: Mapping[str, object] = UNSET


class GridAxis(Axis):
    """One setting takes each value.

    Attributes:
        path: Path, for example `protocol.compressor`.
        values: A list, `Linear(…)` or `Log(…)`.
        labels: Names of the levels; none: the values. Default `[]`.
        name: Name; default: the last part of the path. Default `None`.
        when: Only arms with these levels of earlier axes vary by it; none: all arms. Default `{}`.
    """

    _written: ClassVar[str | None] = "Grid"

    path: str
    values: Values | Sequence[object]
    labels: Sequence[str] = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Zip(Axis):
    """Several settings vary together: level j gives every path its j-th value.

    Attributes:
        name: Name.
        labels: Names of the levels; at least one.
        paths: Values of each path, one per level.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Zip"

    name: str
    labels: Sequence[str]
    paths: Mapping[str, Sequence[object]]
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Cases(Axis):
    """Levels with their own settings.

    Attributes:
        name: Name.
        levels: Levels; at least one.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Cases"

    name: str
    levels: Sequence[Arm]
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class RandomAxis(Axis):
    """Random search: independent draws, without repetitions.

    Attributes:
        points: Number, 1 to 10 000.
        paths: Distribution of each path's values.
        seed: Seed of these draws. Default `1`.
        name: Name of the axis and its levels `point 1`, …; default `point`. Default `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Random"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Sobol(Axis):
    """Sobol sequence (Joe and Kuo), shifted by the seed. Balanced for powers of two; at most 32 paths.

    Attributes:
        points: Number, 1 to 10 000.
        paths: Distribution of each path's values.
        seed: Seed of these draws. Default `1`.
        name: Name of the axis and its levels `point 1`, …; default `point`. Default `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Sobol"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class LatinHypercube(Axis):
    """Each path has one of n points in every n-th part of its range.

    Attributes:
        points: Number, 1 to 10 000.
        paths: Distribution of each path's values.
        seed: Seed of these draws. Default `1`.
        name: Name of the axis and its levels `point 1`, …; default `point`. Default `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "LatinHypercube"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class ListValues(Values):
    """At least one, as in a scenario file. Numbers may omit quotes; a text keeps its own: `"\\"10 kbps\\""`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "List"
    _items: ClassVar[bool] = True

    value: Sequence[str]


class LinearValues(Values):
    """This many, equally spaced, ends included.

    Attributes:
        first: The value.
        second: The value.
        third: The value. Range: 2 to 10 000.
    """

    _written: ClassVar[str | None] = "Linear"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str
    third: int


class LogValues(Values):
    """This many, with equal ratios, ends included; both above 0.

    Attributes:
        first: The value.
        second: The value.
        third: The value. Range: 2 to 10 000.
    """

    _written: ClassVar[str | None] = "Log"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str
    third: int


class Number(Amount):
    """A number.

    Attributes:
        value: The value. Range: finite.
    """

    _written: ClassVar[str | None] = "Number"
    _items: ClassVar[bool] = True

    value: float


class With(Amount):
    """A number and its unit.

    Attributes:
        first: The value. Range: finite.
        second: The value.
    """

    _written: ClassVar[str | None] = "With"
    _items: ClassVar[bool] = True

    first: float
    second: str


class OneOf(Which):
    """One of these.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "OneOf"
    _items: ClassVar[bool] = True

    value: Sequence[str]


class UniformLaw(Law):
    """Between the two.

    Attributes:
        first: The value.
        second: The value.
    """

    _written: ClassVar[str | None] = "Uniform"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str


class LogUniform(Law):
    """Uniform in the logarithm; both above 0.

    Attributes:
        first: The value.
        second: The value.
    """

    _written: ClassVar[str | None] = "LogUniform"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str


class Normal(Law):
    """Mean and standard deviation, in the unit of the mean.

    Attributes:
        first: The value.
        second: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Normal"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: float


class LogNormalLaw(Law):
    """Median and standard deviation of the logarithm, both above 0.

    Attributes:
        first: The value.
        second: The value. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: float


class Choice(Law):
    """One of these, equally likely, as in a scenario file; at least one.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Choice"
    _items: ClassVar[bool] = True

    value: Sequence[str]


class MeanFieldSqTarget(Target):
    """‖h(Ŝ)‖² at most this; above 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "MeanFieldSq"
    _items: ClassVar[bool] = True

    value: float


class ObjectiveTarget(Target):
    """Objective at most this.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Objective"
    _items: ClassVar[bool] = True

    value: float


class AccuracyTarget(Target):
    """`accuracy` at least this; in (0, 1].

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Accuracy"
    _items: ClassVar[bool] = True

    value: float


class HeldOutTarget(Target):
    """`held_out_log_likelihood` at least this, in nats.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "HeldOut"
    _items: ClassVar[bool] = True

    value: float


class ColumnTarget(Target):
    """A measured column of `rounds.csv`, but no cost (time, epochs, bits).

    Attributes:
        name: Column, for example `parameter_error_sq`.
        at_most: Upper limit; either this or `at_least`. Default `None`.
        at_least: Lower limit. Default `None`.
    """

    _written: ClassVar[str | None] = "Column"

    name: str
    at_most: float | None = UNSET
    at_least: float | None = UNSET


class Race(Part):
    """A race for the best arm: arms get replicates in turn, and are dropped once paired evidence shows that they are
    not the best.

    Attributes:
        objective: Cost to minimize.
        error: Probability of dropping an arm better than the chosen one by more than `margin`. Range: (0, 0.5]. Default
            `0.05`.
        margin: Negligible share of the cost, default 0.02. For `Best` of a column that can be negative a difference of
            values, and required. Range: from 0 on. Default `None`.
        futility: Ends the race when remaining replicates would drop an arm with less than this probability; 0: never.
            Range: [0, 1). Default `0.3`.
        cut: Ends a run at this multiple of the leading arm's cost in the same replicate (in the first, the baseline's).
            It counts as not reaching the target. Not for the baseline, for `Best`, or if the leader missed the target.
            Range: above 1. Default `8.0`.
        constraints: Constraints; too many violations drop an arm. Cut runs count as meeting them. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    objective: Objective
    error: float = UNSET
    margin: float | None = UNSET
    futility: float = UNSET
    cut: float | None = UNSET
    constraints: Sequence[Constraint] = UNSET


class BitsTo(Objective):
    """All bits with headers, until the target.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "BitsTo"
    _items: ClassVar[bool] = True

    value: Target


class UploadTo(Objective):
    """Uploaded bits with retransmissions, until the target.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "UploadTo"
    _items: ClassVar[bool] = True

    value: Target


class TimeTo(Objective):
    """Simulated time until the target.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "TimeTo"
    _items: ClassVar[bool] = True

    value: Target


class RoundsTo(Objective):
    """Rounds until the target.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "RoundsTo"
    _items: ClassVar[bool] = True

    value: Target


class Best(Objective):
    """Last value of this column, minimized, or maximized if higher is better.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Best"
    _items: ClassVar[bool] = True

    value: str


class TimeConstraint(Constraint):
    """Target within this simulated time, in all runs or the share of `Reached`.

    Attributes:
        value: The value. Range: at least 1 ns.
    """

    _written: ClassVar[str | None] = "Time"
    _items: ClassVar[bool] = True

    value: Duration | str


class Reached(Constraint):
    """Share of an arm's runs that reach the target.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Reached"
    _items: ClassVar[bool] = True

    value: float


class Figure(Part):
    """A declared figure.

    Attributes:
        name: Name, also of its files: letters, digits, `-` and `_`.
        kind: Kind of figure.
        arms: Arms in this order; none: all. Default `[]`.
        columns: Panels per row, if they fit; default as many as fit. Range: 1 to 6. Default `None`.
        aspect: Height ÷ width of a panel; default the venue's. Range: 0.1 to 3. Default `None`.
        caption: Text before the generated caption. Default `""`.
        x_label: Horizontal label without the unit, if panels share the quantity. Default `""`.
        y_label: Vertical label, likewise. Default `""`.
    """

    _written: ClassVar[str | None] = None

    name: str
    kind: FigureKind
    arms: Sequence[ShownArm | str] = UNSET
    columns: int | None = UNSET
    aspect: float | None = UNSET
    caption: str = UNSET
    x_label: str = UNSET
    y_label: str = UNSET


class Curves(FigureKind):
    """Quantities against a cost.

    Attributes:
        y: Measured columns of `rounds.csv` (costs belong to `x`), `objective_gap`, or parameters (`theta.mean_0_1`,
            `theta.mean_*`); none: those of the stop rules, or what was measured. Default `[]`.
        x: Horizontal axes; none: `BitsTotal` or `Time`, whichever separates the arms' ends more. Default `[]`.
        panels: Content of a panel. Default `Axes`.
        x_scale: Horizontal scale; `Auto`: logarithmic if the arms' ends differ tenfold or more. Default `Auto`.
        y_scale: Vertical scale; `Auto`: by the quantity. Default `Auto`.
        x_limits: Horizontal range in rounds, bits, seconds or joules; default: to the slowest arm at the target, else
            all. Default `(from: None, to: None)`.
        y_limits: Vertical range; default all. Default `(from: None, to: None)`.
        free_x: Separate limits for panels over one axis. Default `false`.
        free_y: A vertical axis per quantity. Default `true`.
        band: Band over replicates; by default single runs for up to five. Default `Quartiles`.
        marks: Additional lines. Default `[]`.
    """

    _written: ClassVar[str | None] = "Curves"

    y: Sequence[str] = UNSET
    x: Sequence[XAxis] = UNSET
    panels: Panels = UNSET
    x_scale: Scale = UNSET
    y_scale: Scale = UNSET
    x_limits: Limits = UNSET
    y_limits: Limits = UNSET
    free_x: bool = UNSET
    free_y: bool = UNSET
    band: Band = UNSET
    marks: Sequence[Mark] = UNSET


class CostFigureKind(FigureKind):
    """Cost of a target for every arm.

    Attributes:
        target: Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules. Default `None`.
        costs: Costs, one panel each; none: all bits and time. Default `[]`.
        baseline: Reference arm; default: the study's if shown, else the first. Default `None`.
    """

    _written: ClassVar[str | None] = "Cost"

    target: Target | None = UNSET
    costs: Sequence[Cost] = UNSET
    baseline: str | None = UNSET


class Forest(FigureKind):
    """Ratios of arms to a baseline.

    Attributes:
        target: Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs. Default
            `None`.
        costs: Costs, one panel each; none: all bits and time. Default `[]`.
        baseline: Reference arm; default: the study's if shown, else the first. Default `None`.
        order: Order of the arms. Default `Plan`.
    """

    _written: ClassVar[str | None] = "Forest"

    target: Target | None = UNSET
    costs: Sequence[Cost] = UNSET
    baseline: str | None = UNSET
    order: ForestOrder = UNSET


class ReachFigureKind(FigureKind):
    """Share of runs at a target, against the cost.

    Attributes:
        target: Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules. Default `None`.
        costs: Costs, one panel each; none: all bits and time. Default `[]`.
    """

    _written: ClassVar[str | None] = "Reach"

    target: Target | None = UNSET
    costs: Sequence[Cost] = UNSET


class TradeOff(FigureKind):
    """Cost of a target, or final values, against an axis.

    Attributes:
        axis: Axis, or path that a search varies. Levels that differ in one number (`75 %`, `rand-6`) are placed by it.
            Default: the numeric axis with the most levels, else the first. Default `None`.
        target: Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs. Default
            `None`.
        costs: Costs, one panel each; none: all bits and time. Default `[]`.
        ends: Final values instead of costs, a panel each, with degenerate fits: measured columns of `rounds.csv`,
            `objective_gap` or `seconds_per_round`. Default `[]`.
        reported: Values to compare the one quantity in `ends` with, such as published ones. Default `None`.
    """

    _written: ClassVar[str | None] = "TradeOff"

    axis: str | None = UNSET
    target: Target | None = UNSET
    costs: Sequence[Cost] = UNSET
    ends: Sequence[str] = UNSET
    reported: Reported | None = UNSET


class Heat(FigureKind):
    """Cost of a target over two axes.

    Attributes:
        rows: Axis of the rows; default: of the first two varying axes the one with more levels. A search's points only
            by name. Default `None`.
        columns: Axis of the columns; default: the other of these two. Default `None`.
        costs: Costs, one panel each; none: all bits and time. Default `[]`.
    """

    _written: ClassVar[str | None] = "Heat"

    rows: str | None = UNSET
    columns: str | None = UNSET
    costs: Sequence[Cost] = UNSET


class Ecdf(FigureKind):
    """Distribution of durations.

    Attributes:
        of: Durations, a panel each; none: all measured but waiting. Default `[]`.
    """

    _written: ClassVar[str | None] = "Ecdf"

    of: Sequence[Timed] = UNSET


class ParticipationFigureKind(FigureKind):
    """Contributions and results of clients.

    Attributes:
        y: Columns of `clients.csv`; none: contributions, objective and accuracy. Default `[]`.
        x: Horizontal axis; none: the one in which clients differ. Default `[]`.
    """

    _written: ClassVar[str | None] = "Participation"

    y: Sequence[str] = UNSET
    x: Sequence[ClientAxis] = UNSET


class Mixture(FigureKind):
    """Fitted and true mixtures.

    Attributes:
        view: View of the mixture. Default `Ellipses`.
        columns: Data columns, two for ellipses; none: the first two. Default `[]`.
    """

    _written: ClassVar[str | None] = "Mixture"

    view: MixtureView = UNSET
    columns: Sequence[str] = UNSET


class RaceFigureKind(FigureKind):
    """When and why a race dropped arms.

    Attributes:
        rows: Arms with their own row, best first; default 15. Range: 1 to 60. Default `None`.
    """

    _written: ClassVar[str | None] = "Race"

    rows: int | None = UNSET


class Named(FigureKind):
    """A kind from `report --all`, by name: `Named("ledger")`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Named"
    _items: ClassVar[bool] = True

    value: str


class RoundsXAxis(XAxis):
    """Rounds."""

    _written: ClassVar[str | None] = "Rounds"


class Epochs(XAxis):
    """Passes over all data."""

    _written: ClassVar[str | None] = "Epochs"


class BitsUpXAxis(XAxis):
    """Uploaded payload, and retransmissions with headers."""

    _written: ClassVar[str | None] = "BitsUp"


class BitsTotalXAxis(XAxis):
    """Payload in all directions and headers."""

    _written: ClassVar[str | None] = "BitsTotal"


class TimeXAxis(XAxis):
    """Simulated time."""

    _written: ClassVar[str | None] = "Time"


class EnergyXAxis(XAxis):
    """Joules, if powers are given."""

    _written: ClassVar[str | None] = "Energy"


class Epsilon(XAxis):
    """ε of differential privacy, if used."""

    _written: ClassVar[str | None] = "Epsilon"


class Axes(Panels):
    """One horizontal axis and one quantity."""

    _written: ClassVar[str | None] = "Axes"


class Together(Panels):
    """One horizontal axis; quantities differ in their dashes."""

    _written: ClassVar[str | None] = "Together"


class Arms(Panels):
    """One arm; a line per quantity."""

    _written: ClassVar[str | None] = "Arms"


class Levels(Panels):
    """Arms of one level of this axis.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Levels"
    _items: ClassVar[bool] = True

    value: str


class Split(Panels):
    """Given panels.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Split"
    _items: ClassVar[bool] = True

    value: Sequence[ArmsPanel]


class ArmsPanel(Part):
    """Arms of a panel.

    Attributes:
        heading: Heading.
        arms: Arms.
        y: Quantities, on a separate vertical axis; none: those of the figure. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    heading: str
    arms: Sequence[ShownArm | str]
    y: Sequence[str] = UNSET


class ArmShownArm(ShownArm):
    """This arm.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Arm"
    _items: ClassVar[bool] = True

    value: str


class Labelled(ShownArm):
    """The arm under another label.

    Attributes:
        arm: Name of the arm.
        label: Label; not empty.
    """

    _written: ClassVar[str | None] = "Labelled"

    arm: str
    label: str


class Group(ShownArm):
    """Several arms as one line with one band; not in figures that compare single arms.

    Attributes:
        label: Label; not empty.
        arms: Names; a final `*` matches any text.
    """

    _written: ClassVar[str | None] = "Group"

    label: str
    arms: Sequence[str]


class AutoScale(Scale):
    """Chosen from the values."""

    _written: ClassVar[str | None] = "Auto"


class LogScale(Scale):
    """Logarithmic."""

    _written: ClassVar[str | None] = "Log"


class LinearScale(Scale):
    """Linear."""

    _written: ClassVar[str | None] = "Linear"


class Limits(Part):
    """Shown range of an axis.

    Attributes:
        from_: Lower end; default that of the values. Range: finite. Default `None`.
        to: Upper end; default that of the values. Range: finite. Default `None`.
    """

    _written: ClassVar[str | None] = None

    from_: float | None = UNSET
    to: float | None = UNSET


class Quartiles(Band):
    """Median and quartiles of the replicates."""

    _written: ClassVar[str | None] = "Quartiles"


class Mean95(Band):
    """Mean and its 95 % confidence interval (Student's t)."""

    _written: ClassVar[str | None] = "Mean95"


class Range(Band):
    """Median, minimum and maximum."""

    _written: ClassVar[str | None] = "Range"


class Nothing(Band):
    """No band."""

    _written: ClassVar[str | None] = "Nothing"


class Value(Mark):
    """A horizontal line.

    Attributes:
        y: Value, in the unit of the quantity. Range: finite.
        label: Label.
    """

    _written: ClassVar[str | None] = "Value"

    y: float
    label: str


class End(Mark):
    """An arm's final value.

    Attributes:
        arm: Name of the arm.
        label: Label; default `end of ARM`. Default `""`.
    """

    _written: ClassVar[str | None] = "End"

    arm: str
    label: str = UNSET


class Slope(Mark):
    """An arm's contraction rate, on logarithmic axes over rounds and epochs.

    Attributes:
        arm: Name of the arm.
        decades: Decades per round; default: fitted to the curve's second half. Range: above 0. Default `None`.
    """

    _written: ClassVar[str | None] = "Slope"

    arm: str
    decades: float | None = UNSET


class Optimum(Mark):
    """The objective of exact EM's limit, the lowest over a problem's runs."""

    _written: ClassVar[str | None] = "Optimum"


class BitsTotalCost(Cost):
    """Payload in all directions and headers."""

    _written: ClassVar[str | None] = "BitsTotal"


class BitsUpCost(Cost):
    """Uploaded payload, and retransmissions with headers."""

    _written: ClassVar[str | None] = "BitsUp"


class TimeCost(Cost):
    """Simulated time."""

    _written: ClassVar[str | None] = "Time"


class RoundsCost(Cost):
    """Rounds."""

    _written: ClassVar[str | None] = "Rounds"


class Plan(ForestOrder):
    """As in the study or scenario."""

    _written: ClassVar[str | None] = "Plan"


class Ratio(ForestOrder):
    """By increasing ratio of the first cost."""

    _written: ClassVar[str | None] = "Ratio"


class Reported(Part):
    """Values from elsewhere.

    Attributes:
        label: Label.
        values: One per level. Range: each that is finite.
        within: Half width of their intervals. Range: 0 to 10¹⁰⁰. Default `0.0`.
    """

    _written: ClassVar[str | None] = None

    label: str
    values: Sequence[float] | Array
    within: float = UNSET


class RoundTimed(Timed):
    """A round."""

    _written: ClassVar[str | None] = "Round"


class Download(Timed):
    """A transfer to a client."""

    _written: ClassVar[str | None] = "Download"


class Computing(Timed):
    """A computation of a client."""

    _written: ClassVar[str | None] = "Computing"


class Upload(Timed):
    """A transfer to the server."""

    _written: ClassVar[str | None] = "Upload"


class Waiting(Timed):
    """From a contribution's arrival to the round's end."""

    _written: ClassVar[str | None] = "Waiting"


class ClientTimed(Timed):
    """A client's computing, sending and receiving in a run."""

    _written: ClassVar[str | None] = "Client"


class Seconds(ClientAxis):
    """Seconds of computing, sending and receiving per selected round."""

    _written: ClassVar[str | None] = "Seconds"


class ExamplesClientAxis(ClientAxis):
    """Examples of the client."""

    _written: ClassVar[str | None] = "Examples"


class Ellipses(MixtureView):
    """Means, their recorded paths, and ellipses of one and two standard deviations; a panel per arm."""

    _written: ClassVar[str | None] = "Ellipses"


class Marginals(MixtureView):
    """Densities of columns: a panel each, a line per arm."""

    _written: ClassVar[str | None] = "Marginals"


__all__ = [
    "AccuracyMeasure",
    "AccuracyTarget",
    "Adapt",
    "Adaptive",
    "Against",
    "Aggregation",
    "AllBatch",
    "AllColumns",
    "AllNeighbours",
    "AllParticipation",
    "AllVpBatch",
    "Alone",
    "Alpha",
    "Always",
    "Amount",
    "Anywhere",
    "Apply",
    "Architecture",
    "Arithmetic",
    "Arm",
    "ArmShownArm",
    "Arms",
    "ArmsPanel",
    "Arrangement",
    "Arrived",
    "Asynchronous",
    "AtServer",
    "Attack",
    "Attacked",
    "AutoAlpha",
    "AutoDivideBy",
    "AutoRelaxation",
    "AutoScale",
    "AutoStepSize",
    "AutoWithin",
    "Availability",
    "Averages",
    "Axes",
    "Axis",
    "Background",
    "Band",
    "BarabasiAlbert",
    "Batch",
    "Beginning",
    "Bernoulli",
    "BernoulliAvailability",
    "BernoulliLoss",
    "BernoulliParticipation",
    "Best",
    "BestConstant",
    "BiFactor",
    "Binomial",
    "Bits",
    "BitsTo",
    "BitsTotalCost",
    "BitsTotalXAxis",
    "BitsUpCost",
    "BitsUpXAxis",
    "BlockQuantization",
    "BpsRate",
    "BpsRateLaw",
    "Broadcast",
    "Buffered",
    "BytesHeaders",
    "BytesSize",
    "Byzantine",
    "Cached",
    "Cases",
    "Center",
    "Central",
    "CentralizedEm",
    "CentralizedSaem",
    "Centred",
    "CentredClipping",
    "ChainStart",
    "ChebyshevCombine",
    "ChebyshevConsensus",
    "Choco",
    "Choice",
    "Client",
    "ClientAxis",
    "ClientColumn",
    "ClientMixtures",
    "ClientTimed",
    "ClientsDivideBy",
    "ClientsHoldout",
    "ClientsLiars",
    "ClientsWeighting",
    "Clip",
    "CodingTimes",
    "Cohort",
    "Column",
    "ColumnDurationLaw",
    "ColumnPowerLaw",
    "ColumnRateLaw",
    "ColumnTarget",
    "Columns",
    "ColumnsColumns",
    "Combine",
    "Commit",
    "Common",
    "CompleteMissingBlocks",
    "CompleteSites",
    "Composition",
    "CompressedDownlink",
    "CompressedFirstTerms",
    "CompressedVpLink",
    "Compressor",
    "Compute",
    "Computing",
    "Congestion",
    "Conjugate",
    "Connected",
    "Connections",
    "Consensus",
    "ConstantAlpha",
    "ConstantRelaxation",
    "ConstantResidualError",
    "ConstantSchedule",
    "ConstantStaleness",
    "ConstantStepSize",
    "Constraint",
    "ControlVariate",
    "CoordinateMedian",
    "Coordinates",
    "Corpus",
    "Correlated",
    "Cost",
    "CostFigureKind",
    "CountSketch",
    "Counts",
    "Covariance",
    "Covariances",
    "Csv",
    "Cubic",
    "Curve",
    "Curves",
    "Data",
    "Datagram",
    "Deadline",
    "Decentralized",
    "Degree",
    "Delay",
    "Delivery",
    "Diagonal",
    "DiagonalEffects",
    "Dictionary",
    "DiffusionEm",
    "Dirichlet",
    "Discard",
    "Distance",
    "DistributedEm",
    "Dithering",
    "Diurnal",
    "DivideBy",
    "Documents",
    "Domain",
    "Doses",
    "DownMemory",
    "DownMemoryDownMemory",
    "Downlink",
    "Download",
    "Drawn",
    "DropConstant",
    "DropGapTreatment",
    "DropMissingObservations",
    "DropMissingValues",
    "Dropout",
    "Duration",
    "DurationAttribute",
    "DurationLaw",
    "Durations",
    "EachDurationLaw",
    "EachPowerLaw",
    "EachRateLaw",
    "Ecdf",
    "Ef21",
    "Effects",
    "ElasticNet",
    "EliasDense",
    "EliasSparse",
    "Ellipses",
    "Empirical",
    "End",
    "Endless",
    "Energy",
    "EnergyXAxis",
    "Enumerative",
    "Epochs",
    "Epsilon",
    "ErdosRenyi",
    "ErrorDomain",
    "ErrorMissingObservations",
    "ErrorMissingValues",
    "ErrorSingular",
    "Estimated",
    "Ethernet",
    "EvenFeatures",
    "Everything",
    "Everywhere",
    "Examples",
    "ExamplesClientAxis",
    "Expect",
    "Expected",
    "ExponentialDurationLaw",
    "ExponentialDurations",
    "ExponentialPowerLaw",
    "ExponentialRateLaw",
    "F32",
    "F64",
    "Factors",
    "Fair",
    "FairShare",
    "Family",
    "Features",
    "FedAvgEm",
    "FedEm",
    "FedGmm",
    "FedGrEm",
    "FedMissEm",
    "Federated",
    "Fewest",
    "Fiem",
    "Fifo",
    "Figure",
    "FigureKind",
    "FileLinkCapacity",
    "FileLinkLatency",
    "Filling",
    "Filtered",
    "FirstLatencyOrder",
    "FirstLiars",
    "FirstRound",
    "FirstTerms",
    "FixedInnerSteps",
    "FixedLevelCode",
    "FixedSteps",
    "FlSaem",
    "Flat",
    "Floats",
    "Flood",
    "Flooding",
    "Forest",
    "ForestOrder",
    "Full",
    "FullEffects",
    "GammaDurationLaw",
    "GammaPowerLaw",
    "GammaRateLaw",
    "GapTreatment",
    "GaussianFamily",
    "GaussianMixture",
    "GaussianMixtureData",
    "GaussianPrivacy",
    "GaussianResponseLaw",
    "GbpsRate",
    "GbpsRateLaw",
    "GeometricInnerSteps",
    "GeometricMedian",
    "GeometricSites",
    "GiB",
    "Gibbs",
    "GilbertElliott",
    "Given",
    "Gml",
    "GradientAscent",
    "GradientControlVariate",
    "GradientSends",
    "Granularity",
    "Graph",
    "GridAxis",
    "GridSites",
    "Group",
    "Hazard",
    "Headers",
    "Heat",
    "HeldOutMeasure",
    "HeldOutTarget",
    "Hierarchical",
    "Holdout",
    "HubSearch",
    "Huber",
    "Ideal",
    "Identity",
    "Idx",
    "Iid",
    "ImputeGapTreatment",
    "ImputeMissingValues",
    "InOrder",
    "InTurn",
    "IncrementalEm",
    "IndexColumn",
    "IndexSiteName",
    "Indices",
    "Induced",
    "Infinity",
    "Initial",
    "InnerProduct",
    "InnerSteps",
    "Interval",
    "Ip",
    "IpTimestamps",
    "J",
    "KJ",
    "KMeans",
    "KMeansInitial",
    "KMeansPlusPlus",
    "KRegular",
    "KbpsRate",
    "KbpsRateLaw",
    "KeptConnections",
    "KeptState",
    "Kernel",
    "KiB",
    "Known",
    "KnownNoise",
    "Krum",
    "L",
    "L1",
    "Labelled",
    "Langevin",
    "Laplacian",
    "Largest",
    "Late",
    "LatencyOrder",
    "LatinHypercube",
    "Law",
    "LawLinkCapacity",
    "LawLinkLatency",
    "Lazy",
    "Leaves",
    "LevelCode",
    "Levels",
    "Liars",
    "LibSvm",
    "Limits",
    "LinearScale",
    "LinearValues",
    "LinkCapacity",
    "LinkLatency",
    "LinkSettings",
    "ListIndices",
    "ListValues",
    "LittleIsEnough",
    "LloydMax",
    "LoCoDl",
    "Loadings",
    "Local",
    "LocalEm",
    "LogNormalDurationLaw",
    "LogNormalLaw",
    "LogNormalPowerLaw",
    "LogNormalRateLaw",
    "LogPreprocess",
    "LogScale",
    "LogUniform",
    "LogValues",
    "Logistic",
    "Logit",
    "Long",
    "Longitudinal",
    "Loss",
    "Lossy",
    "Lost",
    "LowRank",
    "Mala",
    "Marginalize",
    "Marginals",
    "Margins",
    "Marina",
    "Mark",
    "Mask",
    "MaskIndices",
    "MaskLevelCode",
    "Matrices",
    "MbpsRate",
    "MbpsRateLaw",
    "Mean95",
    "MeanDegree",
    "MeanField",
    "MeanFieldSqMeasure",
    "MeanFieldSqTarget",
    "MeanFilling",
    "MeanMerging",
    "Means",
    "Measure",
    "Median",
    "Medians",
    "Memory",
    "MemoryMemory",
    "MemoryStart",
    "Merging",
    "Message",
    "Metropolis",
    "MiB",
    "MilliWPower",
    "MilliWPowerLaw",
    "MinDuration",
    "MinDurationLaw",
    "Missing",
    "MissingBlocks",
    "MissingObservations",
    "MissingValues",
    "MixedEffects",
    "Mixture",
    "MixturePrior",
    "MixtureView",
    "Mode",
    "Model",
    "ModelInitial",
    "MsDuration",
    "MsDurationLaw",
    "MultiKrum",
    "NameColumn",
    "NameSiteName",
    "Named",
    "Natural",
    "NaturalCoordinates",
    "NaturalDithering",
    "NearestNeighbours",
    "Neighbours",
    "Network",
    "NeverDropout",
    "NeverLoss",
    "NeverStopping",
    "NoControl",
    "NoDoses",
    "NoDownMemory",
    "NoMemory",
    "NoMixing",
    "NoPenalty",
    "NoReduction",
    "NoSurrogate",
    "Noise",
    "NonConvex",
    "NonZeros",
    "Norm",
    "Normal",
    "Nothing",
    "Npy",
    "NsDuration",
    "NsDurationLaw",
    "Number",
    "Objective",
    "ObjectiveMeasure",
    "ObjectiveTarget",
    "Observers",
    "OnAcknowledgement",
    "OnOffAvailability",
    "OnOffBackground",
    "OnSend",
    "OneCompartmentOral",
    "OneHot",
    "OneOf",
    "OneRound",
    "OnlineEm",
    "Only",
    "Optimum",
    "Others",
    "Outcome",
    "Outsiders",
    "Packed",
    "Packet",
    "Panels",
    "ParametersAverages",
    "ParametersInitial",
    "ParametersSends",
    "Participation",
    "ParticipationFigureKind",
    "Partition",
    "Path",
    "Patience",
    "Pca",
    "Penalty",
    "PerComponent",
    "PerMessage",
    "PerObserver",
    "PerRound",
    "PerSubject",
    "PermK",
    "Piece",
    "Placement",
    "Plain",
    "Plan",
    "Poisson",
    "PolynomialCurve",
    "PolynomialStaleness",
    "Power",
    "PowerLaw",
    "PowerSchedule",
    "Powers",
    "Preaggregation",
    "Preprocess",
    "Previous",
    "Privacy",
    "Probit",
    "Proportional",
    "ProxSkip",
    "PushSum",
    "Qsgd",
    "Quartiles",
    "Queue",
    "Queues",
    "Quiet",
    "Race",
    "RaceFigureKind",
    "Radius",
    "RandK",
    "RandSeqK",
    "RandomAttack",
    "RandomAxis",
    "RandomExamples",
    "RandomMixture",
    "RandomTies",
    "RandomTopics",
    "RandomVpBatch",
    "RandomWalk",
    "Range",
    "RankR",
    "Rate",
    "RateAttribute",
    "RateBackground",
    "RateLaw",
    "RateTrace",
    "Ratio",
    "Reach",
    "ReachFigureKind",
    "Reached",
    "Recomputed",
    "Record",
    "Recovery",
    "Reduction",
    "Refuse",
    "Regression",
    "RegressionLoss",
    "RegressionMixture",
    "RegressionMixtureData",
    "Relaxation",
    "Reliable",
    "Reno",
    "Repair",
    "Reported",
    "Resampling",
    "ResidualError",
    "ResponseLaw",
    "Responses",
    "Restart",
    "Restore",
    "Resynchronized",
    "RidgePenalty",
    "RidgeSingular",
    "Ring",
    "Robust",
    "RobustRule",
    "Room",
    "Rotated",
    "Round",
    "RoundTimed",
    "RoundTrip",
    "RoundsCombine",
    "RoundsConsensus",
    "RoundsCost",
    "RoundsTo",
    "RoundsXAxis",
    "Rows",
    "RowsDoses",
    "RowsHoldout",
    "Saem",
    "Sample",
    "Scaffold",
    "Scale",
    "Scaled",
    "ScaledSign",
    "Scenario",
    "Schedule",
    "SecDuration",
    "SecDurationLaw",
    "Seconds",
    "SecureAggregation",
    "SemVr",
    "Sends",
    "Sent",
    "Server",
    "ServerPower",
    "Shape",
    "Share",
    "SharedSeedIndices",
    "SharedSeedMask",
    "Sharing",
    "ShownArm",
    "SignFlip",
    "Singular",
    "SiteName",
    "Sites",
    "SitesPlacement",
    "Size",
    "SkipRound",
    "Slope",
    "Slow",
    "SmallestIndex",
    "Sobol",
    "Softmax",
    "SortedByLabel",
    "Spider",
    "Split",
    "Squares",
    "Staleness",
    "Standardize",
    "StandardizeFederated",
    "StandardizePerClient",
    "Standardized",
    "Star",
    "StarSites",
    "State",
    "Statistic",
    "StatisticAndParameters",
    "StatisticsAverages",
    "StatisticsSends",
    "Step",
    "StepSize",
    "Steps",
    "StepsControlVariate",
    "StepsRateTrace",
    "Stop",
    "Stopping",
    "Substitute",
    "Surrogate",
    "TableRateTrace",
    "Target",
    "Tcp",
    "TernGrad",
    "Theta",
    "Tied",
    "Ties",
    "TimeConstraint",
    "TimeCost",
    "TimeTo",
    "TimeXAxis",
    "Timed",
    "Timeout",
    "Together",
    "TopK",
    "TopLEK",
    "Topics",
    "Trace",
    "TraceStart",
    "TradeOff",
    "Transport",
    "Treatment",
    "TrimmedMean",
    "Typical",
    "UniformDurationLaw",
    "UniformLaw",
    "UniformPowerLaw",
    "UniformRateLaw",
    "Unit",
    "Unknown",
    "Upload",
    "UploadTo",
    "UsDuration",
    "UsDurationLaw",
    "Value",
    "Values",
    "ValuesDurationLaw",
    "ValuesPowerLaw",
    "ValuesRateLaw",
    "VarianceReduction",
    "Visits",
    "VpBatch",
    "VpEm",
    "VpLink",
    "VpSurrogate",
    "WPower",
    "WPowerLaw",
    "WaitForAll",
    "Waiting",
    "Warm",
    "WeightedFairShare",
    "Weighting",
    "Weights",
    "WeightsDivideBy",
    "Wh",
    "Which",
    "WholeDownlink",
    "WholeFirstTerms",
    "WholeVpLink",
    "Wide",
    "With",
    "WithReplacement",
    "Within",
    "WithoutReplacement",
    "XAxis",
    "ZeroInitial",
    "ZeroMemoryStart",
    "ZeroRecovery",
    "Zip",
]

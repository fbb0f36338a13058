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
    """Covariances of the components of a mixture."""


class Columns(Part):
    """A choice of columns."""


class Column(Part):
    """One column of a text file."""


class MissingValues(Part):
    """Treatment of rows with missing values in used cells: empty, `?`, `.`, `NA`, other words that pandas reads as
    missing, Excel errors, or one of `missing_values`. Labels and clients are missing only if empty or listed there,
    since a name may be `NA` (a caveat reports this).
    """


class Filling(Part):
    """Replacement of a missing value: a statistic of its column's present values over all clients."""


class Factors(Part):
    """Treatment of feature columns whose first value is text. Numbers among texts are refused."""


class Doses(Part):
    """Location of doses in a longitudinal file."""


class MissingObservations(Part):
    """Treatment of observations without a value, and of documents without words."""


class Arrangement(Part):
    """Layout of a text file of counts."""


class Family(Part):
    """Distribution of an observation, given its natural parameter θ."""


class Preprocess(Part):
    """A preprocessing step, applied to all examples in the order written. Steps that pool all clients' data run before
    the partition and are a caveat, since no federation could do this.
    """


class Holdout(Part):
    """What is withheld from the clients."""


class Partition(Part):
    """Which client holds which example."""


class Model(Part):
    """The model, in terms of its sufficient statistics."""


class Covariance(Part):
    """Covariance structure of the mixture, which sets the length q of the statistic (d features, G components)."""


class MixturePrior(Part):
    """Prior of the parameters of a mixture."""


class Curve(Part):
    """The curve of a subject."""


class Effects(Part):
    """Covariance of the random effects."""


class ResidualError(Part):
    """The residual error."""


class Matrices(Part):
    """The number M of complete matrices in low-rank imputation. EM is valid if each matrix holds each cell at most
    once. A larger M makes EM slower and `lambda` stronger; without a penalty the estimate does not depend on M.
    """


class ResponseLaw(Part):
    """Distribution of a response, given its linear predictor η = intercept + general · z₀ + specific · z_g."""


class RegressionLoss(Part):
    """Loss of a linear score."""


class Penalty(Part):
    """Penalty added to the mean loss. Intercepts are not penalized."""


class StepSize(Part):
    """ρ in x − ρ ∇f(x)."""


class Noise(Part):
    """Residual variance of the regressions."""


class Initial(Part):
    """Starting point θ₀. Nothing is charged for it, even if it uses all clients' examples. FedEM, its baselines,
    FedMissEM and EM in one place begin with Ŝ₀ = s̄(θ₀) over all examples and θ = T(Ŝ₀), one EM step further. FL-SAEM
    and similar, VP-EM, diffusion EM, and FedEM with `privacy` begin at θ₀ and Ŝ₀ = T⁻¹(θ₀). Round 0 therefore differs
    between the two groups. If T⁻¹ is unknown, as for every model in Python, round 0 of diffusion EM shows s̄(θ₀) and
    T(s̄(θ₀)).
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
    """Initial value of the memories."""


class Commit(Part):
    """Time of the memory update V_i ← V_i + α Quant(Δ_i)."""


class Recovery(Part):
    """Treatment of the memory of a client that has lost its state."""


class VarianceReduction(Part):
    """Variance reduction of local statistics."""


class InnerSteps(Part):
    """The number of inner steps of an outer loop."""


class Previous(Part):
    """Values s̄_ij(T(Ŝ)) of a batch at the Ŝ of the client's current estimate. The choice changes the cost of a step,
    not its result.
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
    """Code of a vector of signed levels −s…s."""


class Indices(Part):
    """Coding of the positions of k sent entries."""


class Mask(Part):
    """Coding of randomly kept coordinates."""


class Floats(Part):
    """Width of floats in messages. Values are rounded before use, so that both ends hold the sent value."""


class Broadcast(Part):
    """Content of the broadcast."""


class Downlink(Part):
    """Downlink messages of FedEM."""


class DownMemory(Part):
    """The memory of a compressed downlink."""


class Domain(Part):
    """Treatment of statistics outside the domain of T, which have no parameters."""


class Weighting(Part):
    """Weights of the clients in the objective F = n⁻¹ Σ wᵢ Fᵢ and the mean field h = n⁻¹ Σ wᵢ hᵢ."""


class Local(Part):
    """Computation for the subjects in a round."""


class Kernel(Part):
    """A transition kernel."""


class ChainStart(Part):
    """Starting point of the chains in a round."""


class Steps(Part):
    """Step sizes of the kernels."""


class Sends(Part):
    """Content of a client's message."""


class Coordinates(Part):
    """Coordinates for uplink compression and for clipping (`privacy`)."""


class Architecture(Part):
    """The two algorithms of the paper."""


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
    """A duration, for example `Ms(20)`: 0 to 584 years, with a resolution of 1 ns."""


class VpBatch(Part):
    """Examples of an iteration (incremental EM of Neal and Hinton)."""


class Singular(Part):
    """Treatment of singular covariances."""


class Stopping(Part):
    """Stopping rule on the increase of an agent's log-likelihood per example and iteration."""


class VpLink(Part):
    """Coding of terms between client and server in one direction. A message has one vector of K numbers per visited
    example.
    """


class VpSurrogate(Part):
    """Surrogate Ĝ of a repeatedly sent vector Q of terms."""


class FirstTerms(Part):
    """First message of a surrogate."""


class MissingBlocks(Part):
    """Simulated missing blocks of features."""


class GapTreatment(Part):
    """Treatment of examples with missing blocks. The objective always covers all observed values."""


class Combine(Part):
    """Combination of the agents' values."""


class Averages(Part):
    """Quantity that neighbours average."""


class ControlVariate(Part):
    """Update of SCAFFOLD's control variates."""


class Relaxation(Part):
    """Step of LoCoDL's consensus."""


class Merging(Part):
    """Merging of several mixtures into one."""


class Within(Part):
    """Largest distance of a near fit from the median fit, in units of the median distance."""


class Round(Part):
    """When the server closes a round and makes its step. If all clients are unavailable and none is awaited, the round
    lasts until a client is available and makes no step. If clients are available but the draw selects none, it lasts
    until its deadline (without one, a second) and makes a step without contributions.
    """


class Late(Part):
    """Treatment of contributions that arrive after their round has closed."""


class Staleness(Part):
    """ω(τ), the weight of a contribution to the broadcast of τ steps ago. FedEM has H = ω̄ V + Σ ω(τ_i) D_i / d with ω̄
    the mean weight of the arrived ones (1 if none) and d by `divide_by`: old contributions shorten the step, without
    pulling it towards V. Memories add α D_i unweighted.
    """


class Aggregation(Part):
    """How the server obtains the sum of the clients' messages."""


class Neighbours(Part):
    """Pairs of clients that share masks."""


class RobustRule(Part):
    """Rule on m vectors x_i, as in ByzFL."""


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
    """Entries of a vector that a Byzantine client replaces; it reports the others as they are."""


class Shape(Part):
    """Topology of a network."""


class Sites(Part):
    """Sites and links of a network. Random graphs are redrawn, up to 100 times, until connected."""


class Reach(Part):
    """Linked sites of `Geometric`."""


class Rate(Part):
    """A data rate, for example `Mbps(5)`; above 0. Prefixes are decimal. Links round rates to whole bit/s."""


class Piece(Part):
    """Used sites of a file."""


class LinkCapacity(Part):
    """Capacity of the links between sites."""


class RateLaw(Part):
    """Distribution of rates, for example `Mbps(5)` or `LogNormal(median: Mbps(10), sigma: 0.5)`."""


class LinkLatency(Part):
    """One-way delay of the links between sites."""


class DurationLaw(Part):
    """Distribution of durations, for example `Ms(20)`, `LogNormal(median: Ms(40), sigma: 0.5)`, `Values([Ms(20),
    Ms(70)])` or `Column(path: "rtt.csv", column: Name("n0"), unit: Us(500))`.
    """


class Loss(Part):
    """Packet losses of a link."""


class SiteName(Part):
    """A site."""


class Background(Part):
    """Background traffic. A flow of `OnOff` has its link's latency; on a link without latency (the server's in a star),
    the mean of the links that have one.
    """


class Size(Part):
    """An amount of data, for example `MiB(100)`. Prefixes are binary (1 KiB = 1024 bytes = 8192 bits)."""


class Queue(Part):
    """Queue in front of a link."""


class Placement(Part):
    """Sites of the clients: client i is attached to the (i modulo their number)-th."""


class RateTrace(Part):
    """Time-varying rates of the clients' access links."""


class TraceStart(Part):
    """Starting point of a client in its trace."""


class Delivery(Part):
    """Treatment of lost packets."""


class Repair(Part):
    """Delay of retransmissions after the last packet of the transfer arrived, or should have."""


class Connections(Part):
    """Sharing of connections between two nodes."""


class Sharing(Part):
    """Sharing of links among concurrent transfers."""


class Unit(Part):
    """Stored and forwarded unit of `Fifo`."""


class Congestion(Part):
    """Congestion control."""


class LatencyOrder(Part):
    """Order of latency and transmission."""


class Headers(Part):
    """Headers and payload per packet, for timing and charges."""


class Availability(Part):
    """When a client can be selected. A selected client continues after its window ends; only `dropout` interrupts it."""


class Durations(Part):
    """Distribution of durations."""


class Dropout(Part):
    """Dropouts of clients."""


class State(Part):
    """State of a client after a dropout."""


class PowerLaw(Part):
    """Distribution of powers, for example `W(2.5)` or `Uniform(min: MilliW(300), max: W(1))`."""


class Power(Part):
    """A power, for example `W(2.5)`; 0 to 10⁶ W."""


class Energy(Part):
    """An energy, for example `KJ(3)`; above 0."""


class Measure(Part):
    """Measure of a probe."""


class Axis(Part):
    """A varied setting. Values are RON in text, as in `--set path=value`."""


class Values(Part):
    """Levels of a setting. `Linear` and `Log` round levels to six digits of their distance, or to whole numbers if the
    setting requires them, and keep the ends as written.
    """


class Amount(Part):
    """A number, or a number with its unit in double quotes: `0.1`, `"10 Mbps"`."""


class Which(Part):
    """One or several levels of an axis."""


class Law(Part):
    """Distribution of a setting's values, which are drawn from it or mapped from a sequence. Values have six digits
    relative to the spread. For whole-number settings, `Uniform` and `LogUniform` give whole numbers between the ends,
    the others round.
    """


class Target(Part):
    """Target of a run, reached at the first recorded row that meets it (without interpolation). A run that never
    reaches it is censored at its end.
    """


class Objective(Part):
    """A cost to minimize."""


class Constraint(Part):
    """A constraint on runs."""


class FigureKind(Part):
    """Kind of figure."""


class XAxis(Part):
    """Horizontal axis of a figure; all are cumulative."""


class Panels(Part):
    """Content of a panel."""


class ShownArm(Part):
    """An arm of a figure, or several arms as one."""


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
    """Horizontal axis of a figure of clients."""


class MixtureView(Part):
    """View of a mixture."""


class Scenario(Part, kw_only=True):
    """A scenario: everything a run depends on.

    Attributes:
        name: Name in results; not empty.
        about: Purpose, assumptions and measured results, in words. Default `""`.
        base: The scenario that this one modifies: its name in the library, or a file (`.ron`) in the same folder.
            `name` and everything that the base lacks remain required. If a value has the same name as in the base
            (`FedEm(…)`), or neither has a name (`stop: (…)`), fields are merged; otherwise the new value replaces the
            old one, lists included. Default `None`.
        seed: Seed of all random draws. Default `1`.
        replicate: Index of the replicate, which has its own draws under the same seed; at most 10¹². Default `0`.
        replicates: Number of runs of each arm, with replicates `replicate`, `replicate` + 1, …. Replicate r of every
            arm has the same data and environment. 1 to 1 000 000, with `search` at most 1 000; intervals need at least
            3. Default `1`.
        data: The examples.
        preprocess: Preprocessing steps, in order. Default `[]`.
        holdout: Examples withheld from all clients to evaluate the fit at every probe (`held_out_log_likelihood`; with
            labels `held_out_accuracy`; for subjects `held_out_minus_2ll`, for curves `held_out_rmse`). Counts and
            documents have hold-out fields of their own. Default `None`.
        clients: n, the number of clients; 1 to 10⁷. Required, except with `ClientColumn`, which sets it. Default
            `None`.
        partition: Which client holds which example. Default `Iid`.
        model: Model to fit.
        initial: Starting point of the fit. Default `KMeansPlusPlus(iterations: 0, restarts: 1)`.
        protocol: The algorithm.
        round: When a round closes. Default `WaitForAll`.
        late: Treatment of contributions that arrive after their round has closed. Default `Discard`.
        staleness: Weight of a contribution to an older broadcast. FedEM scales V by the mean weight of a step; memories
            are updated without weights. Default `Constant`.
        aggregation: How the server obtains the sum of the clients' messages. Default `Plain`.
        privacy: Differential privacy of clients. Default `None`.
        byzantine: Byzantine clients. Default `None`.
        network: The network; default a star. Default `(shape: Star, server_up: Gbps(1.0), server_down: Gbps(1.0),
            client_up: Mbps(10.0), client_down: Mbps(50.0), latency: None, up_trace: None, down_trace: None, loss:
            Never, background: Quiet, jitter: None, transport: (delivery: Datagram, set_up: 1, slow_start: 10,
            connections: Kept, restart_after_idle: true, acknowledgements: false), sharing: FairShare, queues:
            (server_up: Fair, server_down: Endless, client_up: Fair, client_down: Endless, links: Endless),
            latency_order: AtServer, headers: Ip)`.
        compute: Computing speed; durations of coding, decoding and steps. Default `(expectation: Us(10.0),
            server_expectation: Us(1.0), variation: 0.0, slow: None, coding: (client_send: Ns(0.0), client_receive:
            Ns(0.0), server_send: Ns(0.0), server_receive: Ns(0.0), server_lanes: 1), server_step: Ns(0.0), client_step:
            Ns(0.0))`.
        availability: When clients can be selected. Default `Always`.
        dropout: Whether clients drop out while busy. Default `Never`.
        energy: Power of clients and server; without it no energy is counted. Default `None`.
        stop: When the run ends; at least one rule.
        record: What a run records. Default `(every: 1, probe_every: 10, theta: false, statistics: false, quality: true,
            clients: None, clients_at: [], trace: [])`.
        arms: Named variants to run and compare; none: the scenario itself. With `axes` they form an axis called `arms`,
            which varies slowest. Default `[]`.
        axes: Varied settings: each arm runs once per combination of levels. Default `[]`.
        exclude: Excluded combinations, by axis name and level: an arm is left out if it has all levels of one entry.
            Default `[]`.
        baseline: The reference arm: the level of every axis, by axis name (for arms `{"arms": "NAME"}`). Default: the
            first level of each axis. Default `{}`.
        targets: Targets, to each of which bits, time and rounds are measured. Default `[]`.
        search: Adaptive choice of the runs to make. Default: all. Default `None`.
        offer: Settings that a page of `fedbits report --page run` offers to change, by path. Levels of axes,
            differences of arms and the seed are offered anyway. They change no result. Default `[]`.
        figures: Figures to draw, the most important first; none: one figure of curves, chosen from the results. Figures
            change no result. Default `[]`.
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
    """Draws from a Gaussian mixture, whose parameters are the known truth.

    Attributes:
        examples: N, the number of examples over all clients. Range: 1 to 1 000 000 000.
        weights: π, the G weights of the components; each above 0, sum 1 (± 1e-9).
        means: μ, G rows of d coordinates.
        covariance: Σ, one for all components or one each; symmetric, positive definite, d × d.
        pool: Size of a pool shared by all replicates, from which examples are sampled without replacement; `examples`
            to 10⁹. Without it each replicate draws new examples from the mixture. Default `None`.
    """

    _written: ClassVar[str | None] = "GaussianMixture"

    examples: int
    weights: Sequence[float] | Array
    means: Sequence[Sequence[float] | Array] | Array
    covariance: Covariances
    pool: int | None = UNSET


class RandomMixture(Data):
    """Draws from a random Gaussian mixture: weights Dirichlet(5, …, 5), means N(0, `separation`² I), covariances
    `correlated` · A Aᵀ / d + (1 − `correlated`) I with standard normal d × d matrices A.

    Attributes:
        examples: N, the number of examples. Range: 1 to 1 000 000 000.
        features: d. Range: 1 to 2 000.
        components: G. Range: 1 to 1 000.
        separation: Standard deviation of the means' coordinates; the components have variances of about 1. Range: above
            0.
        correlated: Share of the correlated part. Range: (0, 1]. Default `0.8`.
    """

    _written: ClassVar[str | None] = "RandomMixture"

    examples: int
    features: int
    components: int
    separation: float
    correlated: float = UNSET


class ClientMixtures(Data):
    """Draws from one mixture per client: weights Dirichlet(`concentration`, …), means at distance `shift` from common
    means in random directions, covariances I. The last clients can be outliers, whose examples follow one normal
    distribution. Use `partition: ClientColumn`.

    Attributes:
        clients: K, the number of clients with outliers. Range: 1 to 1 000 000.
        points: n, examples per client. Range: 1 to 1 000 000.
        means: µ̄, R rows of p coordinates.
        shift: h, distance of a client's means from `means`. Range: 0 to 10⁶, in units of the data.
        concentration: a, the Dirichlet concentration of the weights; large values give equal weights. Range: above 0.
            Default `5.0`.
        outliers: Number of outliers, at most `clients` − 1. Default `0`.
        outlier_mean: m, mean of the outliers' coordinates. Range: finite. Default `2.5`.
        outlier_deviation: s, standard deviation of the outliers' coordinates. Range: above 0. Default `2.0`.
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
    """Points from K linear regressions with one latent label per client: x ~ N(0, I), y = ⟨β_k, x⟩ + σ ε. An example
    holds the sums over a client's points: with `partition: ClientColumn` each client has one.

    Attributes:
        clients: M, the number of clients. Range: 1 to 100 000 000.
        points: n, points per client. Range: 1 to 1 000 000.
        weights: π, the K weights of the regressions; each above 0, sum 1 (± 1e-9).
        coefficients: β, K rows of p coefficients.
        noise: σ, the standard deviation of the noise, in units of y. Range: above 0.
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
        path: File name: UTF-8 text, plain, gzip or zstd, or Parquet (in a program built with it). A pattern with `*` or
            `?` names several files, each with the examples of one client (`partition: ClientColumn`), in the order of
            their names and with the same columns. Range: not empty.
        header: Does the first line hold column names? Default: detected. Default `None`.
        columns: Feature columns; `All`: every column except label and client. Default `All`.
        label: Column of class labels. Default `None`.
        client: Column that names each example's client. Default `None`.
        delimiter: Field separator; `' '` stands for any number of blanks and tabs. Default: detected among comma,
            semicolon, tab, bar and blank. Range: an ASCII character that is not part of a number. Default `None`.
        missing: Treatment of missing values. Default `Error`.
        missing_values: Further texts for missing values in this file: `["-999", "-"]`. A number covers all its
            spellings. Each text must occur. Default `[]`.
        factors: Treatment of text columns. Default `Refuse`.
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
    """Subjects observed over time: a text file with one row per observation.

    Attributes:
        path: File name. Range: not empty.
        subject: Column of subjects.
        time: Column of times, in any unit.
        value: Column of observed values; with doses these are concentrations, at least 0.
        header: Does the first line hold column names? Default: detected. Default `None`.
        delimiter: Field separator; `' '` stands for any number of blanks and tabs. Default: detected among comma,
            semicolon, tab, bar and blank. Range: an ASCII character that is not part of a number. Default `None`.
        doses: Location of doses. Default `NoDoses`.
        only: Rows that are observations (doses are read from all rows). Default: all rows without a dose. Default
            `None`.
        after: Observations up to this time are left out. Default: none. Range: finite. Default `None`.
        missing: Treatment of observations without a time or a value (`NA` and the like as in `Csv`, and
            `missing_values`). `Drop` also removes subjects that have no other observations. Default `Error`.
        missing_values: Further texts for missing values in this file: `["-999", "-"]`. A number covers all its
            spellings. Each text must occur. Default `[]`.
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
    """Counts by site, time and observer, from a text file. Cells that are empty, or `NA` and the like as in `Csv`, are
    missing counts.

    Attributes:
        path: File name. Range: not empty.
        site: Column of sites.
        arrangement: Location of the counts.
        header: Does the first line hold column names? Default: detected. Default `None`.
        held_out: Share of observations withheld from the fit and used to evaluate it (`held_out_log_likelihood`,
            `held_out_rmse`). Range: 0 to 0.9. Default `0.0`.
        delimiter: Field separator; `' '` stands for any number of blanks and tabs. Default: detected among comma,
            semicolon, tab, bar and blank. Range: an ASCII character that is not part of a number. Default `None`.
        missing_values: Further texts for missing counts in this file: `["-999", "-"]`. A number covers all its
            spellings. Each text must occur. Default `[]`.
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
        sites: J, the number of sites. Range: 1 to 1 000 000.
        times: L, the number of times (months: seasons have 12 of them); J L below 2³². Range: 1 to 100 000.
        observers: I, the number of observers. Range: 1 to 1 000 000.
        observations: N, the number of observations; at most half of the I J L possible. Range: 1 to 10 000 000.
        rank: Rank of the natural parameters. Range: 1 to 12.
        level: Mean natural parameter. Range: -100 to 100.
        spread: Standard deviation of each factor of the sites. Range: 0 to 100.
        skew: Standard deviation of the log popularity of sites and observers; 0 gives even visits. Range: 0 to 10.
        family: Distribution of an observation. Default `Gaussian`.
        held_out: Share of observations withheld from the fit and used to evaluate it (`held_out_log_likelihood`,
            `held_out_rmse`). Range: 0 to 0.9. Default `0.0`.
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
    """Responses of persons to items: a text file with one row per person, or per response pattern. No value may be
    missing.

    Attributes:
        path: File name. Range: not empty.
        header: Does the first line hold column names? Default: detected. Default `None`.
        items: Item columns; `All`: every column except the frequency. Default `All`.
        frequency: Column with the number of persons per row. Default: one person per row. Default `None`.
        delimiter: Field separator; `' '` stands for any number of blanks and tabs. Default: detected among comma,
            semicolon, tab, bar and blank. Range: an ASCII character that is not part of a number. Default `None`.
    """

    _written: ClassVar[str | None] = "Responses"

    path: str
    header: bool | None = UNSET
    items: Columns | Sequence[object] = UNSET
    frequency: Column | float | str | None = UNSET
    delimiter: Character | None = UNSET


class Corpus(Data):
    """Documents as bags of words, in the format of LDA-C (`M id:count …` per line), plain, gzip or zstd.

    Attributes:
        path: File name. Range: not empty.
        vocabulary: File of the words, one per line in the order of their ids. Default: ids serve as words. Range: not
            empty. Default `None`.
        hold_out_every: Every n-th token of a document is withheld, to measure perplexity: in document d (from 0) the
            tokens j ≥ 1, ordered by word id, with j + d divisible by n. Range: 2 to 4 294 967 295. Default `None`.
        missing: Treatment of documents without words. Default `Error`.
    """

    _written: ClassVar[str | None] = "Corpus"

    path: str
    vocabulary: str | None = UNSET
    hold_out_every: int | None = UNSET
    missing: MissingObservations = UNSET


class Documents(Data):
    """Documents simulated from latent Dirichlet allocation (Blei, Ng and Jordan 2003): topics
    Dirichlet(`concentration`, …), proportions of a document Dirichlet(`alpha`, …).

    Attributes:
        documents: N, the number of documents. Range: 1 to 100 000 000.
        words: V, the number of words. Range: 2 to 1 000 000.
        topics: Number of topics. Range: 1 to 1 000.
        length: Mean number of tokens per document: one plus a Poisson number. Range: 1 to 100 000 tokens.
        alpha: Concentration of a document's proportions; small values give few topics per document. Range: above 0.
        concentration: Concentration of a topic's words; small values give few words per topic. Range: above 0.
        hold_out_every: Every n-th token of a document is withheld, to measure perplexity: in document d (from 0) the
            tokens j ≥ 1, ordered by word id, with j + d divisible by n. Range: 2 to 4 294 967 295. Default `None`.
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
        images: File of images. Range: not empty.
        labels: File of labels. Range: not empty. Default `None`.
    """

    _written: ClassVar[str | None] = "Idx"

    images: str
    labels: str | None = UNSET


class LibSvm(Data):
    """Examples in LIBSVM format (`label index:value …` per line), plain, gzip or zstd. Storage is sparse until a model
    needs dense rows.

    Attributes:
        path: File name. Range: not empty.
        features: d, the number of features. Default: the largest index in the file. Range: 1 to 1 000 000 000. Default
            `None`.
        hash: Number of columns for feature hashing with random signs. Default: no hashing. Range: 1 to 1 000 000.
            Default `None`.
    """

    _written: ClassVar[str | None] = "LibSvm"

    path: str
    features: int | None = UNSET
    hash: int | None = UNSET


class Npy(Data):
    """A NumPy array (`.npy`, plain, gzip or zstd, or in a `.npz`) of floats, integers or booleans; each row is an
    example.

    Attributes:
        path: File of features. Dimensions after the second are features, too. Range: not empty.
        array: Name of the array in an `.npz` file; optional if it holds one array. Default `None`.
        labels: File of labels: one whole number per example. Range: not empty. Default `None`.
        labels_array: Name of the label array in the `.npz` file `labels` or, without `labels`, in `path`. Default
            `None`.
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
    """G matrices d × d, one per component.

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
    """The file is refused; the error shows the first such cell and their number."""

    _written: ClassVar[str | None] = "Error"


class DropMissingValues(MissingValues):
    """These rows are left out; a caveat counts them."""

    _written: ClassVar[str | None] = "Drop"


class ImputeMissingValues(MissingValues):
    """Cells are filled in by column before data are partitioned, from all clients' data; a caveat notes that a
    federation would have to communicate for this. Withheld examples take the statistics of the others; labels and
    clients are never filled in.

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
    """The median; for an even number of values the mean of the middle two."""

    _written: ClassVar[str | None] = "Median"


class Mode(Filling):
    """The most frequent value; ties go to the smallest (of a factor the first level)."""

    _written: ClassVar[str | None] = "Mode"


class Refuse(Factors):
    """Text columns are refused."""

    _written: ClassVar[str | None] = "Refuse"


class OneHot(Factors):
    """One 0/1 column `name=level` per level, in alphabetical order. These sum to 1, so their joint covariance is
    singular.
    """

    _written: ClassVar[str | None] = "OneHot"


class Treatment(Factors):
    """`OneHot` without the first level, whose examples are 0 in all columns."""

    _written: ClassVar[str | None] = "Treatment"


class NoDoses(Doses):
    """No doses, as in growth curves."""

    _written: ClassVar[str | None] = "NoDoses"


class RowsDoses(Doses):
    """In separate rows without observations (NONMEM, Monolix, nlmixr2).

    Attributes:
        amount: Column of amounts; 0, `.`, `NA` and the like in observation rows.
    """

    _written: ClassVar[str | None] = "Rows"

    amount: Column | float | str


class PerSubject(Doses):
    """One dose per subject; its amount stands in every row of the subject.

    Attributes:
        amount: Column of amounts; above 0.
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
    """The file is refused; the error shows the first of them."""

    _written: ClassVar[str | None] = "Error"


class DropMissingObservations(MissingObservations):
    """They are left out; a caveat counts them."""

    _written: ClassVar[str | None] = "Drop"


class Long(Arrangement):
    """One count per line.

    Attributes:
        time: Columns of the time, most significant first (year, month); at least one. Times are ordered as numbers,
            else as dates of one form (`2021-03-01`), else by first appearance.
        count: Column of counts.
        observer: Column of observers. Default: one observer per line. Default `None`.
    """

    _written: ClassVar[str | None] = "Long"

    time: Sequence[Column | float | str]
    count: Column | float | str
    observer: Column | float | str | None = UNSET


class Wide(Arrangement):
    """One line per site, one column of counts per time.

    Attributes:
        counts: Columns of counts, in order of time; at least one.
        observers: Columns of observers: one for all times, or one per time. Default: one observer per count. Default
            `[]`.
    """

    _written: ClassVar[str | None] = "Wide"

    counts: Sequence[Column | float | str]
    observers: Sequence[Column | float | str] = UNSET


class GaussianFamily(Family):
    """Normal with mean θ and variance 1, as in the paper for bird counts."""

    _written: ClassVar[str | None] = "Gaussian"


class Poisson(Family):
    """Poisson with log-intensity θ."""

    _written: ClassVar[str | None] = "Poisson"


class Binomial(Family):
    """Binomial with log-odds θ; one trial means presence or absence.

    Attributes:
        trials: m, the number of trials. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Binomial"

    trials: int


class DropConstant(Preprocess):
    """Drop features that are constant over all examples."""

    _written: ClassVar[str | None] = "DropConstant"


class Center(Preprocess):
    """Subtract the mean of each feature."""

    _written: ClassVar[str | None] = "Center"


class Standardize(Preprocess):
    """Subtract each feature's mean and divide by its standard deviation (divisor N − 1)."""

    _written: ClassVar[str | None] = "Standardize"


class LogPreprocess(Preprocess):
    """Natural logarithm of these features (above 0), by name or by position from 0 in the file.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Log"
    _items: ClassVar[bool] = True

    value: Columns | Sequence[object]


class StandardizePerClient(Preprocess):
    """As `Standardize` within each client; nothing is sent. Features that are constant in a client become 0 there."""

    _written: ClassVar[str | None] = "StandardizePerClient"


class StandardizeFederated(Preprocess):
    """As `Standardize`, from counts, sums and sums of squares that each client uploads before anything else ((2 d + 1)
    · 64 bits); the server returns means and deviations (2 d · 64 bits).
    """

    _written: ClassVar[str | None] = "StandardizeFederated"


class Pca(Preprocess):
    """Project onto this many leading principal components; at most the number of features.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Pca"
    _items: ClassVar[bool] = True

    value: int


class RowsHoldout(Holdout):
    """This share of the examples (subjects, persons), drawn without replacement and rounded to whole ones.

    Attributes:
        value: The value. Range: (0, 1).
    """

    _written: ClassVar[str | None] = "Rows"
    _items: ClassVar[bool] = True

    value: float


class ClientsHoldout(Holdout):
    """All examples of this share of the clients, drawn likewise; the remaining clients are renumbered. Needs
    `partition: ClientColumn`.

    Attributes:
        value: The value. Range: (0, 1).
    """

    _written: ClassVar[str | None] = "Clients"
    _items: ClassVar[bool] = True

    value: float


class Iid(Partition):
    """Random order, cut into equal shares. The only choice for subjects, persons and documents, whose files have no
    client column.
    """

    _written: ClassVar[str | None] = "Iid"


class InOrder(Partition):
    """Order of the data, cut into equal shares, client 0 first."""

    _written: ClassVar[str | None] = "InOrder"


class SortedByLabel(Partition):
    """Sorted by label, cut into equal shares: the most heterogeneous partition. Integer labels, and labels predicted as
    numbers, are sorted by value, others by first appearance. Needs labels.
    """

    _written: ClassVar[str | None] = "SortedByLabel"


class Dirichlet(Partition):
    """Each label is spread over the clients by Dirichlet(alpha, …, alpha), redrawn (at most 1 000 times) until every
    client has an example. Needs labels.

    Attributes:
        alpha: Concentration; small values give heterogeneous clients, large values iid ones. Range: above 0.
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
    """Features instead of examples are divided: consecutive blocks of nearly equal size. For VP-EM."""

    _written: ClassVar[str | None] = "EvenFeatures"


class Features(Partition):
    """Features instead of examples are divided: each client's list of features, from 0. For VP-EM.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Features"
    _items: ClassVar[bool] = True

    value: Sequence[Sequence[int] | Array] | Array


class GaussianMixture(Model):
    """A mixture of G Gaussians.

    Attributes:
        components: G, the number of components. Range: 1 to 10 000.
        covariance: Structure of the covariances. Default `Full`.
        prior: Prior of the parameters. Default `Flat`.
    """

    _written: ClassVar[str | None] = "GaussianMixture"

    components: int
    covariance: Covariance = UNSET
    prior: MixturePrior = UNSET


class MixedEffects(Model):
    """Mixed effects: curves whose parameters vary between subjects; for longitudinal data.

    Attributes:
        curve: The curve.
        effects: Covariance of the curve's parameters. Default `Full`.
        error: The residual error. Default `Constant`.
    """

    _written: ClassVar[str | None] = "MixedEffects"

    curve: Curve
    effects: Effects = UNSET
    error: ResidualError = UNSET


class LowRank(Model):
    """Counts from a low-rank matrix of sites × times: q = J·L.

    Attributes:
        rank: r, the largest rank; at most the smaller side of the matrix.
        lambda_: λ, the weight of the nuclear norm in T against the mean over M matrices; equivalent to λM against the
            log-likelihood of all observations. Range: 0 to 1 000 000 000. Default `0.0`.
        family: Distribution of an observation. Default `Gaussian`.
        matrices: M, the number of complete matrices. Default `PerObserver`.
    """

    _written: ClassVar[str | None] = "LowRank"

    rank: int
    lambda_: float = UNSET
    family: Family = UNSET
    matrices: Matrices = UNSET


class BiFactor(Model):
    """Item responses with a general factor and one specific factor per group; for `Responses` data.

    Attributes:
        groups: Group of each item, numbered from 1 without gaps.
        law: Distribution of a response given the factors. Default `Logit`.
    """

    _written: ClassVar[str | None] = "BiFactor"

    groups: Sequence[int] | Array
    law: ResponseLaw = UNSET


class Topics(Model):
    """Latent Dirichlet allocation, for `Corpus` and `Documents`: q = V·K for V words.

    Attributes:
        topics: K. Range: 2 to 1 000.
        alpha: α, concentration of a document's proportions; small values give few topics per document. Range: above 0.
        smoothing: ε, pseudo-count of each word in each topic: the prior of a topic is Dirichlet(1 + ε). Range: above 0.
    """

    _written: ClassVar[str | None] = "Topics"

    topics: int
    alpha: float
    smoothing: float


class Regression(Model):
    """Regression by gradient steps, for tables: FedEM becomes gradient descent, DIANA or MARINA, and FedAvg-EM becomes
    FedAvg.

    Attributes:
        loss: Loss of an example.
        penalty: Penalty on the coefficients. Default `NoPenalty`.
        step: ρ, the step of a gradient. Default `Auto`.
        intercept: Adds an unpenalized constant; a column of ones in the data is penalized. Default `false`.
    """

    _written: ClassVar[str | None] = "Regression"

    loss: RegressionLoss
    penalty: Penalty = UNSET
    step: StepSize = UNSET
    intercept: bool = UNSET


class Dictionary(Model):
    """Dictionary learning: each example is a sparse combination of K atoms, min ½‖z − θh‖² + λ‖h‖₁ + η/2 ‖θ‖², as in
    FedMM (Dieuleveut, Fort, Hegazy and Wai 2025; Mairal et al., JMLR 2010). The fit starts at normalized examples.

    Attributes:
        atoms: K, the number of atoms. Range: 1 to 1 000.
        lambda_: λ, the weight of ‖h‖₁, in units of the data times units of an atom. Range: above 0.
        eta: η, the weight of ½‖θ‖²; keeps T defined if an atom is unused. Range: above 0.
    """

    _written: ClassVar[str | None] = "Dictionary"

    atoms: int
    lambda_: float
    eta: float


class RegressionMixture(Model):
    """K linear regressions with one latent label per client ("EM for the federated mixture of linear regressions",
    arXiv 2408.05819). For `data: RegressionMixture(…)`, or a table with the same columns.

    Attributes:
        components: K, the number of regressions. Range: 1 to 1 000.
        covariates: p, the number of covariates. Range: 1 to 1 000.
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
    """One unknown matrix for all components: q = G + G·d."""

    _written: ClassVar[str | None] = "Tied"


class Diagonal(Covariance):
    """Unknown variances per component and feature: q = G + 2·G·d."""

    _written: ClassVar[str | None] = "Diagonal"


class Full(Covariance):
    """An unknown matrix per component: q = G·(1 + d + d(d + 1)/2)."""

    _written: ClassVar[str | None] = "Full"


class Flat(MixturePrior):
    """No prior: T maximizes the likelihood."""

    _written: ClassVar[str | None] = "Flat"


class Conjugate(MixturePrior):
    """Dirichlet and normal-Wishart priors with ν₀ = d, centred at the mean of all data. T gives the variational
    posterior; the objective is −ELBO per example. Empty components keep their prior weight. Needs the covariance
    `Full`.

    Attributes:
        concentration: α₀, prior examples per component; small values empty components. Range: 10⁻⁹ to 10⁹.
        strength: β₀, prior examples of each mean, at the mean of all data. Range: 10⁻⁹ to 10⁹. Default `1.0`.
        scatter: Ψ₀ as a multiple of the covariance of all data. Range: 10⁻⁹ to 10⁹. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Conjugate"

    concentration: float
    strength: float = UNSET
    scatter: float = UNSET


class PolynomialCurve(Curve):
    """f(t) = Σ_k z_k t^k, with z normal.

    Attributes:
        degree: The highest power. Range: 0 to 7.
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
    """Proportional to the curve: g = f, σ is a fraction. Values of 0 are refused, because their likelihood is
    unbounded. Chains seldom cross zeros of the curve: start with a large `sigma` if the curve and the values differ in
    sign.
    """

    _written: ClassVar[str | None] = "Proportional"


class PerObserver(Matrices):
    """One matrix per observer, as in the FedEM paper."""

    _written: ClassVar[str | None] = "PerObserver"


class Fewest(Matrices):
    """The smallest number, that is, the most observations of one cell. With one observation per cell EM becomes hard-
    or soft-impute.
    """

    _written: ClassVar[str | None] = "Fewest"


class GaussianResponseLaw(ResponseLaw):
    """Normal with mean η and a variance per item, for finite numbers."""

    _written: ClassVar[str | None] = "Gaussian"


class Probit(ResponseLaw):
    """Response 0 or 1: the sign of a normal variable around η."""

    _written: ClassVar[str | None] = "Probit"


class Logit(ResponseLaw):
    """Response 0 or 1 with log-odds η: the two-parameter logistic model."""

    _written: ClassVar[str | None] = "Logit"


class Logistic(RegressionLoss):
    """log(1 + exp(−b aᵀx)) with two classes, b = −1 and b = +1 (the second class of the data)."""

    _written: ClassVar[str | None] = "Logistic"


class Squares(RegressionLoss):
    """½(aᵀx − b)². Labels are numbers; generated data have −1 and +1."""

    _written: ClassVar[str | None] = "Squares"


class Softmax(RegressionLoss):
    """Multinomial: −log p of the example's class, p_c ∝ exp(aᵀx_c), with one vector x_c per class."""

    _written: ClassVar[str | None] = "Softmax"


class Huber(RegressionLoss):
    """Quadratic for |aᵀx − b| up to δ and linear beyond, so that outliers weigh less. Labels as for `Squares`.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Huber"
    _items: ClassVar[bool] = True

    value: float


class NoPenalty(Penalty):
    """Nothing."""

    _written: ClassVar[str | None] = "NoPenalty"


class RidgePenalty(Penalty):
    """½λ ‖x‖²: the objective is λ-strongly convex.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Ridge"
    _items: ClassVar[bool] = True

    value: float


class NonConvex(Penalty):
    """λ Σ x²/(1 + x²): smooth and nonconvex, as in papers on compressed gradients.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "NonConvex"
    _items: ClassVar[bool] = True

    value: float


class L1(Penalty):
    """λ ‖x‖₁: each gradient step is followed by soft thresholding, which sets coefficients to 0.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "L1"
    _items: ClassVar[bool] = True

    value: float


class ElasticNet(Penalty):
    """λ₁ ‖x‖₁ + ½λ₂ ‖x‖².

    Attributes:
        l1: λ₁, the weight of the ℓ₁ norm. Range: above 0.
        ridge: λ₂, the weight of the squared ℓ₂ norm. Range: above 0.
    """

    _written: ClassVar[str | None] = "ElasticNet"

    l1: float
    ridge: float


class AutoStepSize(StepSize):
    """1/L, with L the smoothness constant of the mean over all clients, computed before the clock starts."""

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
    """σ², common to all clients and components, is estimated."""

    _written: ClassVar[str | None] = "Unknown"


class KnownNoise(Noise):
    """σ, the standard deviation, in units of y.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Known"
    _items: ClassVar[bool] = True

    value: float


class Theta(Initial):
    """Given parameters of a mixture.

    Attributes:
        weights: π₀, G weights; each above 0, sum 1 (± 1e-9).
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
        values: The curve's p parameters on their natural scale (ka, not its logarithm); log-normal ones above 0.
        deviations: Standard deviations between subjects, on the scale on which parameters are normal. Range: each above
            0.
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
        variance: Residual variance; for `Gaussian` responses only. Range: above 0. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Loadings"

    general: float
    specific: float
    intercept: float = UNSET
    variance: float = UNSET


class RandomTopics(Initial):
    """Topics drawn from Dirichlet(concentration, …).

    Attributes:
        concentration: Concentration; large values give similar topics. Range: above 0. Default `1.0`.
    """

    _written: ClassVar[str | None] = "RandomTopics"

    concentration: float = UNSET


class ZeroInitial(Initial):
    """θ₀ = 0, for a low-rank matrix: missing Gaussian entries start as zeros."""

    _written: ClassVar[str | None] = "Zero"


class Margins(Initial):
    """For a low-rank matrix: each cell starts at mean × site ratio × time ratio, with ratios shrunk towards 1."""

    _written: ClassVar[str | None] = "Margins"


class RandomExamples(Initial):
    """Means at G distinct random examples, equal weights, covariance of all examples."""

    _written: ClassVar[str | None] = "RandomExamples"


class KMeansPlusPlus(Initial):
    """Means by k-means++ seeding and Lloyd iterations.

    Attributes:
        iterations: Lloyd iterations after the seeding. Range: 0 to 10 000. Default `0`.
        restarts: Independent attempts, of which the best is kept. Range: 1 to 10 000. Default `1`.
    """

    _written: ClassVar[str | None] = "KMeansPlusPlus"

    iterations: int = UNSET
    restarts: int = UNSET


class ModelInitial(Initial):
    """Final parameters of another run: its model file. A mixture is converted to the units of the prepared columns;
    other models are taken as they are.

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
        restarts: Independent attempts, of which the best is kept. Range: 1 to 10 000. Default `10`.
    """

    _written: ClassVar[str | None] = "KMeans"

    iterations: int = UNSET
    restarts: int = UNSET


class FedEm(Protocol):
    """FedEM (Algorithm 1), with partial participation and compression; without memory, its naive variant.

    Attributes:
        gamma: γ, step of the server update Ŝ ← Ŝ + γ H.
        alpha: α, step of the memory updates; unused without memory. Default `Auto`.
        memory: The clients' memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery:
            Restore)`.
        variance_reduction: SPIDER estimates of local statistics, that is, VR-FedEM (Algorithm 2). Default
            `NoReduction`.
        participation: Clients that take part in a round. Default `All`.
        batch: Examples that a client uses in a round. Default `All`.
        divide_by: Divisor of the sum of contributions. Default `Expected`.
        compressor: Uplink compressor, applied to Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats in messages. Default `F64`.
        broadcast: Content of the broadcast. Default `Statistic`.
        downlink: Compression of the downlink. Default `Whole`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
        weighting: Weights of the clients in the mean. Default `Examples`.
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
    """FedEM for low-rank imputation; messages carry only the residuals of a client's own observations. `broadcast`,
    `domain` and `weighting` have no effect. V_{0,i} is uploaded before the first round even if it is 0 or there is no
    memory, so that all arms begin with equal bits.

    Attributes:
        gamma: γ, step of the server update Ŝ ← Ŝ + γ H.
        alpha: α, step of the memory updates; unused without memory. Default `Auto`.
        memory: The clients' memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery:
            Restore)`.
        variance_reduction: SPIDER estimates of local statistics, that is, VR-FedEM (Algorithm 2). Default
            `NoReduction`.
        participation: Clients that take part in a round. Default `All`.
        batch: Examples that a client uses in a round. Default `All`.
        divide_by: Divisor of the sum of contributions. Default `Expected`.
        compressor: Uplink compressor, applied to Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats in messages. Default `F64`.
        broadcast: Content of the broadcast. Default `Statistic`.
        downlink: Compression of the downlink. Default `Whole`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
        weighting: Weights of the clients in the mean. Default `Examples`.
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
    """EM on all data in one place: the reference that costs no bits.

    Attributes:
        domain: Treatment of statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "CentralizedEm"

    domain: Domain = UNSET


class OnlineEm(Protocol):
    """Online (mini-batch) EM in one place (Cappé and Moulines 2009).

    Attributes:
        gamma: γ_k, the step.
        batch: Examples of an iteration, among all. Range: at most the number of examples. Default `All`.
        silent: Initial iterations that keep θ and record no ‖h‖², so that rules on values do not apply. About 20 are
            advised for small batches. Default `0`.
        domain: Treatment of statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "OnlineEm"

    gamma: Schedule | float
    batch: Batch = UNSET
    silent: int = UNSET
    domain: Domain = UNSET


class SemVr(Protocol):
    """sEM-vr in one place: mini-batches with variance reduction by an anchor (Chen et al. 2018).

    Attributes:
        gamma: γ_k, the step.
        refresh: Iterations between two full passes. Range: at least 1 (iterations).
        batch: Examples of an iteration, among all. Range: at most the number of examples. Default `All`.
        domain: Treatment of statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "SemVr"

    gamma: Schedule | float
    refresh: int
    batch: Batch = UNSET
    domain: Domain = UNSET


class IncrementalEm(Protocol):
    """Incremental EM in one place, which stores a statistic per example (Neal and Hinton 1998).

    Attributes:
        batch: Examples of an iteration, among all. Range: at most the number of examples. Default `All`.
        domain: Treatment of statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "IncrementalEm"

    batch: Batch = UNSET
    domain: Domain = UNSET


class Fiem(Protocol):
    """FIEM in one place (Karimi et al. 2019; Fort et al. 2021).

    Attributes:
        gamma: γ_k, the step.
        batch: Examples of each of the two draws per iteration, among all. Range: at most the number of examples.
            Default `All`.
        lambda_: λ, the weight of the control variate; 0 is online EM. Range: [0, 1]. Default `1.0`.
        domain: Treatment of statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Fiem"

    gamma: Schedule | float
    batch: Batch = UNSET
    lambda_: float = UNSET
    domain: Domain = UNSET


class DistributedEm(Protocol):
    """Distributed exact EM: uncompressed statistics of all examples, γ = 1. Iterates equal those of EM in one place up
    to rounding; if contributions are missing, Ŝ is the mean of those that arrived.

    Attributes:
        floats: Width of floats in messages. Default `F64`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "DistributedEm"

    floats: Floats = UNSET
    domain: Domain = UNSET


class Ef21(Protocol):
    """FedEM with EF21's error feedback instead of DIANA's memories (Richtárik, Sokolov and Fatkhullin, NeurIPS 2021),
    for contractions C such as Top-k: E‖C(x) − x‖² ≤ (1 − δ)‖x‖², δ > 0. Absent clients keep their V_i (EF21-PP).
    Batches and momentum give EF21-SGDM (Fatkhullin, Tyurin and Richtárik, NeurIPS 2023); `lazy` gives CLAG or, with the
    identity, LAG (Richtárik et al., ICML 2022).

    Attributes:
        gamma: γ, step of the server.
        compressor: C, a contraction.
        participation: Clients that take part in a round. Default `All`.
        batch: Examples that a client uses in a round. Default `All`.
        momentum: η of EF21-SGDM: clients compress x_i ← (1 − η) x_i + η h_i. 1 gives EF21, with x_i = h_i. Range: (0,
            1]. Default `1.0`.
        lazy: ζ of LAG and CLAG: a client sends nothing but one bit if ‖x_i − V_i‖² ≤ ζ times the squared change of x_i
            since its last round. 0: every message is sent, without this bit. Range: 0 to 10⁶. Default `0.0`.
        floats: Width of floats in messages. Default `F64`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
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
    """FedEM with MARINA's estimator (Gorbunov, Burlachenko, Li and Richtárik, ICML 2021): compressed changes of h_i,
    and with a shared random coin the whole h_i (always in the first round). Every round uses all examples and needs
    every client.

    Attributes:
        gamma: γ, step of the server.
        probability: p, probability of a round with uncompressed messages. Range: (0, 1].
        compressor: Compressor of the changes of h_i.
        allow_biased: Permits a biased compressor, which violates an assumption of the estimator. Default `false`.
        floats: Width of floats in messages. Default `F64`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Marina"

    gamma: Schedule | float
    probability: float
    compressor: Compressor | PythonCompressor
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class FedAvgEm(Protocol):
    """FedAvg-EM: clients run EM steps, and the server averages their parameters.

    Attributes:
        local_steps: E, EM steps per client and round. Range: 1 to 1 000. Default `1`.
        participation: Clients that take part in a round. Default `All`.
        match_components: Matches components before averaging: each with the server's nearest by Kullback-Leibler
            divergence. Default `true`.
        floats: Width of floats in messages. Default `F64`.
        domain: Treatment of statistics outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "FedAvgEm"

    local_steps: int = UNSET
    participation: Participation = UNSET
    match_components: bool = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class FedGmm(Protocol):
    """The part of FedGMM (Wu et al., ICML 2023) that models examples: FedEM on mixtures with common components and
    personal weights, p_i(y) = Σ_g π_ig N(y; µ_g, Σ_g). `batch` and `variance_reduction` are refused. Each client
    updates its weights from the statistic that it sends; before its first round it uses those of T(Ŝ). Whole messages,
    `gamma: Constant(1)` and all clients give EM of this model. Measures use each client's weights, which `clients.csv`
    has as `weight_0`, …; θ and the model file have their mean, and ‖h‖² includes their change by an EM step. Label
    agreement and held-out values are not measured.

    Attributes:
        gamma: γ, step of the server update Ŝ ← Ŝ + γ H.
        alpha: α, step of the memory updates; unused without memory. Default `Auto`.
        memory: The clients' memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery:
            Restore)`.
        variance_reduction: SPIDER estimates of local statistics, that is, VR-FedEM (Algorithm 2). Default
            `NoReduction`.
        participation: Clients that take part in a round. Default `All`.
        batch: Examples that a client uses in a round. Default `All`.
        divide_by: Divisor of the sum of contributions. Default `Expected`.
        compressor: Uplink compressor, applied to Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats in messages. Default `F64`.
        broadcast: Content of the broadcast. Default `Statistic`.
        downlink: Compression of the downlink. Default `Whole`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
        weighting: Weights of the clients in the mean. Default `Examples`.
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
    """FedGrEM (Tian, Weng and Feng 2024): personal weights and means, where the server pulls nearby means together. For
    mixtures with a known covariance. Weights stay with the clients; θ has the initial weights and the common part v of
    the means. Measures use each client's parameters, which `clients.csv` has; there is no ‖h‖², label agreement or
    held-out value.

    Attributes:
        step: C_η, step of the means, relative to the EM step at the client's first weights. Range: above 0. Default
            `0.95`.
        penalty: C, strength of the penalty. 0 gives gradient EM of each client alone, once λ has decayed. Range: 0 to
            10⁶. Default `2.0`.
        decay: κ₀, decay rate of the initial λ. Range: 0 to 0.999. Default `0.1`.
        sweeps: Alternations of the server per round, after the first pass. Range: 0 to 10 000. Default `20`.
        local_steps: Local EM steps of each client before its first message. Range: 0 to 10 000. Default `10`.
        floats: Width of floats in messages. Default `F64`.
    """

    _written: ClassVar[str | None] = "FedGrEm"

    step: float = UNSET
    penalty: float = UNSET
    decay: float = UNSET
    sweeps: int = UNSET
    local_steps: int = UNSET
    floats: Floats = UNSET


class GradientAscent(Protocol):
    """Gradient ascent on the marginal likelihood with FedEM's messages (DIANA; Mishchenko, Gorbunov, Takáč and
    Richtárik, arXiv 1901.09269). The coordinates, our choice, are x = (log π up to a constant, µ, log variances);
    Fisher's identity gives gradients from the E-step. γ is the step, which has no natural scale. `variance_reduction`
    is refused; `domain` concerns only the start. The record has Ŝ, the statistic of θ(x), and ‖h(Ŝ)‖² as for EM; ‖H‖²
    is that of the estimated gradient.

    Attributes:
        gamma: γ, step of the server update Ŝ ← Ŝ + γ H.
        alpha: α, step of the memory updates; unused without memory. Default `Auto`.
        memory: The clients' memories V_i. Default `Memory(initial: MeanField, commit: OnAcknowledgement, recovery:
            Restore)`.
        variance_reduction: SPIDER estimates of local statistics, that is, VR-FedEM (Algorithm 2). Default
            `NoReduction`.
        participation: Clients that take part in a round. Default `All`.
        batch: Examples that a client uses in a round. Default `All`.
        divide_by: Divisor of the sum of contributions. Default `Expected`.
        compressor: Uplink compressor, applied to Δ. Default `Identity`.
        allow_biased: Permits a biased compressor, which violates assumption A6. Default `false`.
        floats: Width of floats in messages. Default `F64`.
        broadcast: Content of the broadcast. Default `Statistic`.
        downlink: Compression of the downlink. Default `Whole`.
        domain: Treatment of Ŝ outside the domain of T. Default `Error`.
        weighting: Weights of the clients in the mean. Default `Examples`.
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
    """FL-SAEM: clients sample latent variables, and the server runs stochastic approximation. Also D-SAEM and
    distributed gradients.

    Attributes:
        gamma: γ_r, gain of the stochastic approximation, or step of gradients. 1 gives MCEM, as in the draft's text.
        local: Local computation of a client in a round.
        sends: Content of a client's message. Default `Statistics`.
        local_steps: Local EM steps between two averages of models, with `sends: Parameters`. `growth` and `steps` of
            the sampler then count these steps. Range: 1 to 10 000. Default `1`.
        alpha: α, step of the memory updates; unused without memory. Default `Auto`.
        memory: The clients' memories V_i of sent statistics. `initial: Zero` starts at w_i S_0, with w_i the share of
            subjects; with `MeanField` each client samples and uploads w_i x_i before the first round. Default
            `NoMemory`.
        divide_by: Divisor of the sum of contributions. Default `Auto`.
        compressor: Uplink compressor. Default `Identity`.
        coordinates: Coordinates in which the compressor and clipping act. Default `Natural`.
        participation: Clients that take part in a round. Default `All`.
        floats: Width of floats in messages. Default `F64`.
        domain: Treatment of S outside the domain of T. `Clip` and `SkipRound` also restart diverging chains. Default
            `Error`.
        likelihood_draws: Importance draws per subject to estimate the likelihood at probes, if it has no closed form
            and the model no quadrature. Default: 200 for low-dimensional z, except topics. 0: no objective is recorded
            in this case. Range: 0 to 10 000 000. Default `None`.
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
    """SAEM, MCEM or exact EM in one place: the reference that costs no bits.

    Attributes:
        gamma: γ_r, gain of the stochastic approximation.
        local: Computation for the subjects in an iteration.
        domain: What happens when S leaves the domain of T. Default `Error`.
        likelihood_draws: Importance draws per subject, as for `FlSaem`. Range: 0 to 10 000 000. Default `None`.
    """

    _written: ClassVar[str | None] = "CentralizedSaem"

    gamma: Schedule | float
    local: Local
    domain: Domain = UNSET
    likelihood_draws: int | None = UNSET


class VpEm(Protocol):
    """VP-EM, federated or decentralized, for data divided by features: `partition: EvenFeatures` or `Features([…])`
    over `clients` agents. The model is a mixture with `covariance: Full`, whose entries between blocks are 0.

    Attributes:
        setting: Who sums the agents' terms.
        batch: Examples of an iteration; the first one visits all. Default `All`.
        singular: Treatment of singular block covariances. Default `Error`.
        stopping: Stopping rule of the agents. Default `Never`.
        uplink: Coding of terms sent to the server of `Federated`. Default `Whole`.
        downlink: Coding of their sums on the way back. Default `Whole`.
        exact_own: A client with compressed terms uses its own terms uncompressed, as in EF-VFL; π and likelihoods then
            differ between clients. Needs `stopping: Never`. Default `false`.
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
    """Decentralized diffusion or gossip EM for data divided by examples. Agents are the sites of `shape: Graph(…)`, as
    many as `clients`; access links, the server and the placement of clients are unused.

    Attributes:
        gamma: γ, step of an agent's statistic towards that of its own examples, from the second iteration on. A
            constant below 1 with one round is diffusion EM; 1 with many rounds is gossip EM.
        weights: W, the weights. Default `Metropolis`.
        combine: Combination of the agents' statistics. Default `Rounds(1)`.
        averages: Quantity that neighbours average. Default `Statistics`.
        domain: Treatment of an agent's statistic outside the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "DiffusionEm"

    gamma: Schedule | float
    weights: Weights = UNSET
    combine: Combine = UNSET
    averages: Averages = UNSET
    domain: Domain = UNSET


class Scaffold(Protocol):
    """SCAFFOLD: local steps with control variates, which correct client drift (Karimireddy et al. 2020). With `control:
    NoControl` it is FedAvg on statistics.

    Attributes:
        local_steps: K, local steps per client and round. Range: 1 to 100 000.
        gamma: γ_l, local step along h_i; for gradient steps the paper's η_l is ρ γ_l. Range: above 0.
        server_step: γ_g, step of the server along the clients' mean change. Range: above 0. Default `1.0`.
        control: Update of a client's control variate. Default `Steps`.
        batch: Examples of a local step. Default `All`.
        participation: Clients that take part in a round. Default `All`.
        floats: Width of floats in messages. Default `F64`.
        weighting: Weights of the clients in the mean. Default `Examples`.
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
    """ProxSkip over clients (Scaffnew): local steps, with messages at the toss of a shared coin (Mishchenko et al.
    2022). For gradient steps the theory has ρ γ ≤ 1/L, L the clients' largest, and p = √(ρ γ µ).

    Attributes:
        gamma: γ, local step along h_i; for gradient steps the paper's γ is ρ times this. Range: above 0.
        probability: p, probability of a message after a local step: a round has 1/p steps on average. Range: 0.0001 to
            1.
        floats: Width of floats in messages. Default `F64`.
        weighting: Weights of the clients in the mean. Default `Examples`.
    """

    _written: ClassVar[str | None] = "ProxSkip"

    gamma: float
    probability: float
    floats: Floats = UNSET
    weighting: Weighting = UNSET


class LoCoDl(Protocol):
    """LoCoDL: local steps, with compressed messages at the toss of a shared coin (Condat, Maranjyan and Richtárik
    2025). For gradient steps the theory has ρ γ < 2/L.

    Attributes:
        gamma: γ, local step along h_i; for gradient steps the paper's γ is ρ times this. Range: above 0.
        probability: p, probability of a message after a local step: a round has 1/p steps on average. Range: 0.0001 to
            1.
        compressor: Compressor of the difference from the shared state. Default `Identity`.
        allow_biased: Run a biased compressor although the algorithm needs an unbiased one. Default `false`.
        chi: χ, step of the corrections. Default `Auto`.
        rho: ϱ, step towards consensus (ρ in the paper). Default `Auto`.
        shared: σ, strong convexity of the shared function; for gradient steps ρ times the paper's. Range: 0 to 1.
            Default `0.0`.
        floats: Width of floats in messages. Default `F64`.
        weighting: Weights of the clients in the mean. Default `Examples`.
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
    """One round of local fits: clients run EM on their own examples from a common θ₀ and send the result once; the
    server merges them. The run ends with this round. For Gaussian mixtures of every covariance.

    Attributes:
        local: EM at each client. Default `(iterations: 1000, tolerance: 1e-6)`.
        combine: How the server merges the fits. Default `Reduction(starts: 10)`.
        participation: Clients that send a fit. Default `All`.
        compressor: Compressor of θ_i − θ₀. It may be biased, because no mean of messages is estimated. Default
            `Identity`.
        floats: Width of floats in messages. Default `F64`.
        domain: Treatment of statistics outside the domain of T; with `SkipRound` EM ends at the last θ that exists.
            Default `Error`.
        weighting: Weight of a client's fit in the pool. Default `Examples`.
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
    """k-means in one place, or in one round on data divided by features (Ding et al. 2016). It has as many clusters as
    the model has components.

    Attributes:
        vertical: Features are divided over clients (`partition: EvenFeatures` or `Features([…])`); otherwise all data
            are in one place.
        iterations: Maximum number of Lloyd iterations. Range: 1 to 10 000. Default `300`.
        restarts: Independent attempts, of which the best is kept. Range: 1 to 10 000. Default `10`.
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
        exponent: Exponent of the decay; stochastic approximation theory requires more than 0.5. Range: (0, 1].
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
        exponent: Exponent of the decay; stochastic approximation theory requires more than 0.5. Range: (0, 1]. Default
            `1.0`.
    """

    _written: ClassVar[str | None] = "Saem"

    k1: int
    first: float = UNSET
    exponent: float = UNSET


class AutoAlpha(Alpha):
    """α = 1 / (1 + ω) for an unbiased compressor (Theorem 1); 1 for a biased contraction (EF21)."""

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
        initial: V_{0,i}. Default `MeanField`.
        commit: Time at which a client adds α D_i to V_i. Default `OnAcknowledgement`.
        recovery: Treatment of V_i after a client has lost its state (`dropout`). Default `Restore`.
    """

    _written: ClassVar[str | None] = "Memory"

    initial: MemoryStart = UNSET
    commit: Commit = UNSET
    recovery: Recovery = UNSET


class NoMemory(Memory):
    """No memory, V_i = 0: clients compress their statistics themselves."""

    _written: ClassVar[str | None] = "NoMemory"


class MeanField(MemoryStart):
    """V_{0,i} = h_i(S₀): one full local pass and one uncompressed, charged upload per client. All clients do this
    before the first round, regardless of availability, participation, deadlines and dropouts.
    """

    _written: ClassVar[str | None] = "MeanField"


class ZeroMemoryStart(MemoryStart):
    """V_{0,i} = 0: free, except for `FedMissEm`, which uploads the zeros with the client's cells."""

    _written: ClassVar[str | None] = "Zero"


class OnAcknowledgement(Commit):
    """After the server's acknowledgement that it used the message: V remains the mean of the V_i."""

    _written: ClassVar[str | None] = "OnAcknowledgement"


class OnSend(Commit):
    """On sending, as in the paper: lost or late messages make V drift from the mean of the V_i."""

    _written: ClassVar[str | None] = "OnSend"


class Resynchronized(Commit):
    """On sending. In addition, n rounds or more after a client's last copy, a broadcast carries the server's copy of
    V_i (64 bits per number, charged), which replaces the client's. A lost copy is not repeated before the next
    interval.

    Attributes:
        every: n, rounds between copies. Range: at least 1 (rounds).
    """

    _written: ClassVar[str | None] = "Resynchronized"

    every: int


class Restore(Recovery):
    """The server keeps copies of all V_i. It adds the client's V_i to its broadcasts (64 bits per number, charged)
    until a contribution confirms it.
    """

    _written: ClassVar[str | None] = "Restore"


class ZeroRecovery(Recovery):
    """The client continues with V_i = 0: V is no longer the mean of the V_i."""

    _written: ClassVar[str | None] = "Zero"


class NoReduction(VarianceReduction):
    """Plain minibatch means, as in FedEM."""

    _written: ClassVar[str | None] = "NoReduction"


class Spider(VarianceReduction):
    """VR-FedEM: outer loops start with a full local pass; inner steps update its statistic by minibatch differences.
    Partial participation is our extension of the paper.

    Attributes:
        inner: k_in, inner steps per outer loop.
        previous: Source and cost of the values at the previous Ŝ. Default `Recomputed`.
    """

    _written: ClassVar[str | None] = "Spider"

    inner: InnerSteps
    previous: Previous = UNSET


class FixedInnerSteps(InnerSteps):
    """A fixed number.

    Attributes:
        value: The value. Range: 1 to 1 000 000 000 of inner steps.
    """

    _written: ClassVar[str | None] = "Fixed"
    _items: ClassVar[bool] = True

    value: int


class GeometricInnerSteps(InnerSteps):
    """Geometric on 1, 2, … with this mean, redrawn for each outer loop from a shared seed (Geom-SPIDER-EM).

    Attributes:
        value: The value. Range: 1 to 1 000 000 000 of inner steps.
    """

    _written: ClassVar[str | None] = "Geometric"
    _items: ClassVar[bool] = True

    value: int


class Recomputed(Previous):
    """Recomputed: 2 b expectations per inner step, and m + 2 b in the first of an outer loop; the paper counts K_CE = n
    m + k_out (n m + 2 n b k_in).
    """

    _written: ClassVar[str | None] = "Recomputed"


class Cached(Previous):
    """Stored, so that only newly drawn examples cost expectations. With b = m each step costs m."""

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
    """b different examples, or all if the client holds fewer; at most the largest number that a client holds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "WithoutReplacement"
    _items: ClassVar[bool] = True

    value: int


class Expected(DivideBy):
    """The expected number of contributions: n a for all clients, n a p for `Bernoulli(p)` (n p in Algorithm 1), min(m,
    n a) for `Cohort(m)`. Here a is the share of time or rounds in which a client is available (1 for a trace that does
    not repeat). `First(m)` and `Buffered(m)` cap it at m; asynchronous steps use 1. It is unbiased if this is the
    actual mean. That fails for lost or late messages, for a cohort or the first m out of a varying number of clients,
    and slightly for availability by the clock.
    """

    _written: ClassVar[str | None] = "Expected"


class Arrived(DivideBy):
    """The number of contributions that arrived."""

    _written: ClassVar[str | None] = "Arrived"


class Estimated(DivideBy):
    """Per contribution, n times the share of steps in which its client took part so far. Unequal participation then
    causes no bias in the long run.
    """

    _written: ClassVar[str | None] = "Estimated"


class ClientsDivideBy(DivideBy):
    """n, the number of clients. With α = 1 the estimate is the mean of the updated memories (EF21)."""

    _written: ClassVar[str | None] = "Clients"


class WeightsDivideBy(DivideBy):
    """The total weight of the arrived clients. Without memories the estimate is their weighted mean."""

    _written: ClassVar[str | None] = "Weights"


class AutoDivideBy(DivideBy):
    """`Weights` without memories; with them `Expected` for an unbiased operator and `Clients` for a contraction."""

    _written: ClassVar[str | None] = "Auto"


class Identity(Compressor):
    """All coordinates as floats: ω = 0."""

    _written: ClassVar[str | None] = "Identity"


class NonZeros(Compressor):
    """Nonzero coordinates as floats, with their indices: ω = 0. For sparse vectors."""

    _written: ClassVar[str | None] = "NonZeros"


class Dithering(Compressor):
    """Random dithering of |x_j| / ‖x‖_r on s levels, with sign (Alistarh et al. 2017 for r = 2, Horváth et al. 2022). ω
    = min(A/s, B/(4 s²)), and A − 1 for s = 1, with A = q^max(1/2, 1/r), for `Infinity` (1 + √q)/2, and B = q^max(1,
    2/r). `levels: 1, code: Packed` takes 1.6 bits per entry (−1, 0 or 1); `code: Fixed` with s = 2^(b − 1) − 1 takes b
    bits.

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 65 535.
        norm: The norm r. Default `L(2.0)`.
        code: Code of the levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Dithering"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Correlated(Compressor):
    """Dithering with uniforms stratified over the clients of a round, whose errors then cancel in the mean (Suresh,
    Sun, Ro and Yu 2022). Alone it has the ω of `Dithering`; for nearly equal vectors the error of the mean is of order
    1/n² instead of 1/n.

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 65 535.
        norm: The norm r. Default `L(2.0)`.
        code: Code of the levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Correlated"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Qsgd(Compressor):
    """QSGD, dithering in the 2-norm (Alistarh et al. 2017): ω = min(√q/s, q/(4 s²)), and √q − 1 for s = 1. `code:
    Fixed` takes 4 bits per entry with `levels: 7`, 8 bits with `levels: 127`.

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 65 535.
        code: Code of the levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Qsgd"

    levels: int
    code: LevelCode = UNSET


class TernGrad(Compressor):
    """TernGrad without clipping (Wen et al. 2017): signs of some entries times the largest magnitude, log₂ 3 bits each;
    ω = (√q − 1)/2.
    """

    _written: ClassVar[str | None] = "TernGrad"


class BlockQuantization(Compressor):
    """Block-p-quantization (Mishchenko et al. 2019, DIANA): one norm per block, and a sign or zero per entry. ω =
    d^max(1/2, 1/p) − 1, for `Infinity` (√d − 1)/2, with d entries in the largest block.

    Attributes:
        block: Entries per block. Range: 1 to q, the length of the vector.
        norm: The norm p of a block. Default `L(2.0)`.
        code: Code of the levels. Default `Mask`.
    """

    _written: ClassVar[str | None] = "BlockQuantization"

    block: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Natural(Compressor):
    """Natural compression (Horváth et al. 2022): signs and exponents, 9 bits per entry (12 with `floats: F64`); ω =
    1/8.
    """

    _written: ClassVar[str | None] = "Natural"


class NaturalDithering(Compressor):
    """Natural dithering, whose levels are powers of two (Horváth et al. 2022): ω = 1/8 + t min(1, t), t = 2^(1 − s)
    q^max(1/2, 1/r).

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 60.
        norm: The norm r. Default `L(2.0)`.
        code: Code of the levels. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "NaturalDithering"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class RandK(Compressor):
    """k of q coordinates, drawn uniformly and scaled by q/k: ω = q/k − 1 (Stich, Cordonnier and Jaggi 2018, without the
    scaling).

    Attributes:
        k: Kept coordinates. Range: 1 to q, the length of the vector.
        indices: Coding of their indices. Default `Enumerative`.
    """

    _written: ClassVar[str | None] = "RandK"

    k: int
    indices: Indices = UNSET


class Bernoulli(Compressor):
    """Each coordinate with a probability, divided by it: ω = 1/probability − 1 (Konečný and Richtárik 2018).

    Attributes:
        probability: Probability of keeping a coordinate. Range: (0, 1].
        mask: Coding of the kept coordinates. Default `Sent`.
    """

    _written: ClassVar[str | None] = "Bernoulli"

    probability: float
    mask: Mask = UNSET


class Lazy(Compressor):
    """The whole vector with a probability, divided by it, else nothing: ω = 1/probability − 1 (FL_PyTorch: Burlachenko,
    Horváth and Richtárik 2021).

    Attributes:
        probability: Probability of sending. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Lazy"

    probability: float


class RandSeqK(Compressor):
    """k consecutive coordinates from a random one, scaled by q/k, with one index per message: ω = q/k − 1 (Burlachenko
    and Richtárik 2024).

    Attributes:
        k: Kept coordinates. Range: 1 to q, the length of the vector.
        first: Coding of the first coordinate. Default `Sent`.
    """

    _written: ClassVar[str | None] = "RandSeqK"

    k: int
    first: Mask = UNSET


class PermK(Compressor):
    """All clients split the coordinates of a round by a shared permutation (Szlendak, Tyurin and Richtárik 2022). Alone
    ω = n − 1; the mean of all has the error n⁻¹ Σ ‖x_i‖² − ‖n⁻¹ Σ x_i‖², which is 0 for equal vectors, and n/(n − 1)
    times that of independent operators for vectors that cancel.
    """

    _written: ClassVar[str | None] = "PermK"


class TopK(Compressor):
    """The k coordinates largest in magnitude; ties go to the first ones. Biased: a contraction with δ = k/q (Stich,
    Cordonnier and Jaggi 2018).

    Attributes:
        k: Kept coordinates. Range: 1 to q, the length of the vector.
        indices: Coding of their indices. Default `Enumerative`.
    """

    _written: ClassVar[str | None] = "TopK"

    k: int
    indices: Indices = UNSET


class TopLEK(Compressor):
    """At most the k largest coordinates: the fewest that give a contraction with δ = k/q, exactly so by a random draw
    (Burlachenko and Richtárik 2024).

    Attributes:
        k: Maximum number of kept coordinates. Range: 1 to q, the length of the vector.
    """

    _written: ClassVar[str | None] = "TopLEK"

    k: int


class ScaledSign(Compressor):
    """Signs times the mean magnitude. Biased: a contraction with δ ≥ 1/q (Karimireddy et al. 2019)."""

    _written: ClassVar[str | None] = "ScaledSign"


class LloydMax(Compressor):
    """The scale, and per coordinate the nearest of 2^`bits` levels fitted to a normal distribution (Max 1960). Biased:
    for normal entries δ is about 0.64, 0.88, 0.97, 0.99 with 1 to 4 bits. `Rotated(of: LloydMax(…))` is EDEN (Vargaftik
    et al. 2022).

    Attributes:
        bits: Bits per coordinate. Range: 1 to 4.
    """

    _written: ClassVar[str | None] = "LloydMax"

    bits: int


class Rotated(Compressor):
    """A random rotation, then another compressor. The rotation is a Hadamard matrix with random signs from a shared
    seed. With `ScaledSign` it is DRIVE (Vargaftik et al. 2021), with `LloydMax` EDEN (2022). ω or δ are those at length
    D, the next power of two.

    Attributes:
        of: Compressor of the rotated vector.
    """

    _written: ClassVar[str | None] = "Rotated"

    of: Compressor | PythonCompressor


class RankR(Compressor):
    """Low-rank approximation of the vector, read as a matrix row by row. Biased: δ = rank / min(rows, q / rows)
    (Safaryan et al. 2022, FedNL).

    Attributes:
        rank: Rank; at most the smaller side of the matrix.
        rows: Rows of the matrix; a divisor of q.
    """

    _written: ClassVar[str | None] = "RankR"

    rank: int
    rows: int


class CountSketch(Compressor):
    """Count sketch: sums of coordinates with random signs in `rows` × `columns` cells, drawn anew for each message and
    averaged over rows. ω = (q − 1)/(rows · columns) (Charikar, Chen and Farach-Colton 2002; Ivkin et al. 2019).

    Attributes:
        rows: Independent sketches. Range: 1 to 64.
        columns: Cells per row. Range: 1 to 1 073 741 824.
    """

    _written: ClassVar[str | None] = "CountSketch"

    rows: int
    columns: int


class Composition(Compressor):
    """One compressor, then another, which acts only on the coordinates that the first keeps (`RandK`, `Bernoulli`,
    `TopK`). For two unbiased ones ω = (1 + ω₁)(1 + ω₂) − 1 (Horváth et al. 2022), with ω₂ at the remaining length;
    after `TopK` δ = (1 − ω₂) k/q for ω₂ below 1 (Basu et al. 2019).

    Attributes:
        first: Acts on the vector.
        then: Acts on the output of the first.
    """

    _written: ClassVar[str | None] = "Composition"

    first: Compressor | PythonCompressor
    then: Compressor | PythonCompressor


class Induced(Compressor):
    """A deterministic contraction C, made unbiased by sending x − C(x) with an unbiased compressor: ω = (1 − δ) times
    the ω of `rest` (Horváth and Richtárik 2021).

    Attributes:
        contraction: C: a deterministic biased compressor, such as `TopK`, `ScaledSign` or `RankR`.
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
    """QSGD's sparse code, short if few levels are nonzero: per nonzero entry Elias ω(gap to the previous one), a sign
    bit, ω(level). The length is known from the framing.
    """

    _written: ClassVar[str | None] = "EliasSparse"


class EliasDense(LevelCode):
    """QSGD's dense code, short if most levels are nonzero: per entry Elias ω(level + 1), and a sign bit if nonzero."""

    _written: ClassVar[str | None] = "EliasDense"


class MaskLevelCode(LevelCode):
    """One bit per entry (zero or not); a sign and ⌈log₂ s⌉ bits per nonzero entry."""

    _written: ClassVar[str | None] = "Mask"


class Packed(LevelCode):
    """Numbers to base 2s + 1: log₂(2s + 1) bits per entry, plus at most 1 %, and less than a bit at the end."""

    _written: ClassVar[str | None] = "Packed"


class Arithmetic(LevelCode):
    """Adaptive binary arithmetic coding, the practical lower limit. The length is known from the framing."""

    _written: ClassVar[str | None] = "Arithmetic"


class Enumerative(Indices):
    """Rank of the subset among all of size k: ⌈log₂ C(q, k)⌉ bits."""

    _written: ClassVar[str | None] = "Enumerative"


class ListIndices(Indices):
    """⌈log₂ q⌉ bits per index."""

    _written: ClassVar[str | None] = "List"


class MaskIndices(Indices):
    """One bit per coordinate."""

    _written: ClassVar[str | None] = "Mask"


class SharedSeedIndices(Indices):
    """Free: both ends draw them from a shared seed."""

    _written: ClassVar[str | None] = "SharedSeed"


class Sent(Mask):
    """One bit per coordinate."""

    _written: ClassVar[str | None] = "Sent"


class SharedSeedMask(Mask):
    """Free: both ends draw the mask from a shared seed."""

    _written: ClassVar[str | None] = "SharedSeed"


class F64(Floats):
    """IEEE binary64, lossless."""

    _written: ClassVar[str | None] = "F64"


class F32(Floats):
    """IEEE binary32: relative error up to 2⁻²⁴ (values above 1.2e-38)."""

    _written: ClassVar[str | None] = "F32"


class Statistic(Broadcast):
    """Ŝ: q floats; clients compute T(Ŝ) themselves."""

    _written: ClassVar[str | None] = "Statistic"


class StatisticAndParameters(Broadcast):
    """Ŝ and T(Ŝ), as in the paper."""

    _written: ClassVar[str | None] = "StatisticAndParameters"


class WholeDownlink(Downlink):
    """The content of `broadcast`, uncompressed."""

    _written: ClassVar[str | None] = "Whole"


class CompressedDownlink(Downlink):
    """Compressed updates of Ŝ, after Artemis. A client receives all updates that it has missed or, if shorter, Ŝ itself
    (with D after the first step) in 64 bits per number; one bit tells which. A further bit says whether the last
    contribution was used, unless memories already send it. Updates whose code has no end mark (dithering with
    `EliasSparse` or `Arithmetic`, `Lazy`) carry a continuation bit and their length.

    Attributes:
        compressor: Compressor of the server's direction H.
        allow_biased: Permits a biased compressor, which violates an assumption of the theory. Default `false`.
        memory: Memory D of H at both ends, so that only H − D is compressed. Default `NoDownMemory`.
    """

    _written: ClassVar[str | None] = "Compressed"

    compressor: Compressor | PythonCompressor
    allow_biased: bool = UNSET
    memory: DownMemory = UNSET


class NoDownMemory(DownMemory):
    """No memory: H itself is compressed."""

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
    """The run stops with an error."""

    _written: ClassVar[str | None] = "Error"


class Clip(Domain):
    """Weights and variances below the floor are raised to it (for topics, probabilities not above 0), and counted.
    Raising a weight moves its component's mean towards the origin: choose a floor below every expected weight. For
    local M-steps (`FedAvgEm`, D-SAEM) the server clips the mean, too, so an entry can be clipped and counted twice.

    Attributes:
        floor: The floor. Range: (0, 0.1].
    """

    _written: ClassVar[str | None] = "Clip"

    floor: float


class SkipRound(Domain):
    """The update of the round is dropped and counted."""

    _written: ClassVar[str | None] = "SkipRound"


class Examples(Weighting):
    """By numbers of examples, wᵢ = n mᵢ / N: the objective is the likelihood of all data."""

    _written: ClassVar[str | None] = "Examples"


class ClientsWeighting(Weighting):
    """Equal, wᵢ = 1, as in the paper (where clients hold equal numbers)."""

    _written: ClassVar[str | None] = "Clients"


class Expect(Local):
    """Conditional expectations: exact EM, for models with closed forms."""

    _written: ClassVar[str | None] = "Expect"


class Sample(Local):
    """Sampling of the latent variables.

    Attributes:
        kernel: Transition kernel.
        chains: Chains per subject. Range: 1 to 1 000. Default `1`.
        burn_in: Discarded transitions at the start of a round. Range: 0 to 1 000 000. Default `0`.
        iterations: Transitions after the burn-in. Range: 1 to 1 000 000. Default `1`.
        keep: Last states of a chain that enter the statistic; 1 to `iterations`. Default `1`.
        growth: Increase of kept transitions per round (MCEM). Range: 0 to 10 000. Default `0`.
        start: Starting point of the chains in a round. Default `Warm`.
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
        quantize: Compressor of the gradient g inside the chain (Algorithm 3 of the draft). It costs accuracy and saves
            no bits, since chains stay at the clients. Default `Identity`.
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
    """Random walks as in saemix: repetitions of each kernel per transition, at least one in all.

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
    """The model's Gibbs sweep (an exact draw for mixtures and linear mixed models)."""

    _written: ClassVar[str | None] = "Gibbs"


class Warm(ChainStart):
    """At the chain's last state."""

    _written: ClassVar[str | None] = "Warm"


class Restart(ChainStart):
    """At the mode of p(z; θ)."""

    _written: ClassVar[str | None] = "Restart"


class FixedSteps(Steps):
    """Fixed steps."""

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
    """Centred at the broadcast θ and divided by its standard deviations (gradients: multiplied), which equalizes
    scales. For mixed-effects models.
    """

    _written: ClassVar[str | None] = "Standardized"


class Federated(Architecture):
    """Algorithm 1: a server sums the terms. Needs `shape: Star`."""

    _written: ClassVar[str | None] = "Federated"


class Decentralized(Architecture):
    """Algorithm 2: agents are the sites of `shape: Graph(…)`, as many as `clients`, and average with neighbours over
    direct links. Access links, the server and the placement of clients are unused.

    Attributes:
        hops: h: a hub holds the agents within h hops of its root. Range: 0 to 1 000. Default `1`.
        ties: Choice among largest hubs of equal size. Default `SmallestIndex`.
        clustering: Cost of finding the hubs. Default `Central`.
        weights: W, the weights. Default `Metropolis`.
        consensus: Averaging; 100 rounds as in the paper. Default `Rounds(100)`.
    """

    _written: ClassVar[str | None] = "Decentralized"

    hops: int = UNSET
    ties: Ties = UNSET
    clustering: HubSearch = UNSET
    weights: Weights = UNSET
    consensus: Consensus = UNSET


class SmallestIndex(Ties):
    """The hub with the smallest root."""

    _written: ClassVar[str | None] = "SmallestIndex"


class RandomTies(Ties):
    """A random hub."""

    _written: ClassVar[str | None] = "Random"


class Outcome(Ties):
    """The outcome with this index among all that ties allow.

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
    """Rounds until the states of all agents change by less than a tolerance, plus as many as the diameter to inform all
    agents.

    Attributes:
        tolerance: Root mean square of the change, relative to the initial state. Range: above 0.
        at_most: Maximum number of rounds. Range: 1 to 100 000.
        chebyshev: Chebyshev's iteration instead of z ← W z. Default `false`.
    """

    _written: ClassVar[str | None] = "Adaptive"

    tolerance: float
    at_most: int
    chebyshev: bool = UNSET


class Lossy(Consensus):
    """S rounds that tolerate lost and late messages. Needs `stopping: Never`.

    Attributes:
        rounds: S. Range: 1 to 100 000.
        missing: Treatment of missing messages. Default `PushSum`.
        patience: Waiting time for a message. Default: until it arrives or is lost. Range: at least 1 ns. Default
            `None`.
    """

    _written: ClassVar[str | None] = "Lossy"

    rounds: int
    missing: Missing = UNSET
    patience: Duration | str | None = UNSET


class Choco(Consensus):
    """Quantized differences with error compensation (CHOCO-gossip).

    Attributes:
        rounds: S. Range: 1 to 100 000.
        step: γ, the step. Coarser compressors need smaller steps; with too large a step differences between agents
            grow. Range: (0, 1].
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
    """This many, drawn without replacement from a shared seed.

    Attributes:
        value: The value. Range: 1 to the number of examples.
    """

    _written: ClassVar[str | None] = "Random"
    _items: ClassVar[bool] = True

    value: int


class ErrorSingular(Singular):
    """The run stops with an error."""

    _written: ClassVar[str | None] = "Error"


class RidgeSingular(Singular):
    """This constant is added to every variance in every M-step, in squared units of the data.

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
    """Each root alone: below `tolerance` − `margin` it freezes its parameters and only passes terms on. The run ends
    when all are frozen. A margin of twice the largest difference between roots ensures that all others are below the
    tolerance, too.

    Attributes:
        tolerance: Per example; no unit. Range: above 0.
        margin: At least 0, below the tolerance. Default `0.0`.
    """

    _written: ClassVar[str | None] = "Alone"

    tolerance: float
    margin: float = UNSET


class Flood(Stopping):
    """The first root below the tolerance floods the index of a last iteration that all agents hear of in time.

    Attributes:
        tolerance: Per example; no unit. Range: above 0.
    """

    _written: ClassVar[str | None] = "Flood"

    tolerance: float


class WholeVpLink(VpLink):
    """Uncompressed, 64 bits per number."""

    _written: ClassVar[str | None] = "Whole"


class CompressedVpLink(VpLink):
    """Compressed.

    Attributes:
        compressor: C, the compressor.
        floats: Width of floats in messages. Default `F64`.
        surrogate: Compression of terms, or of their differences from surrogates. Default `Surrogate(alpha: Auto, first:
            Compressed)`.
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
    """No surrogate: receivers use C(Q) (CVFL), whose error remains."""

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
    """Each block of each example is missing with the same probability; examples without any block are redrawn. The
    start (`initial`) uses the table with observed means in place of missing values, whatever the treatment.

    Attributes:
        share: Probability. Range: (0, 0.95].
        treatment: Treatment of examples with missing blocks. Default `Marginalize`.
    """

    _written: ClassVar[str | None] = "Drawn"

    share: float
    treatment: GapTreatment = UNSET


class Marginalize(GapTreatment):
    """Exact EM: sums run over observed blocks, M-steps over the examples with the block. Agents send terms of these
    examples, and once one bit per example.
    """

    _written: ClassVar[str | None] = "Marginalize"


class ImputeGapTreatment(GapTreatment):
    """Missing values become the mean of the observed ones."""

    _written: ClassVar[str | None] = "Impute"


class DropGapTreatment(GapTreatment):
    """Incomplete examples are dropped; agents send one bit per example once and learn which are complete."""

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
    """Statistics; with a small γ and one round, their momentum is that of MNEM."""

    _written: ClassVar[str | None] = "Statistics"


class ParametersAverages(Averages):
    """Parameters after a local EM step, with γ the step towards them; γ = 1 is network EM (NEM). If agents' data
    differ, the limit is not one of EM. For mixtures.
    """

    _written: ClassVar[str | None] = "Parameters"


class StepsControlVariate(ControlVariate):
    """Option II: the mean of the local steps. The server derives it from the client's change; messages have q numbers."""

    _written: ClassVar[str | None] = "Steps"


class GradientControlVariate(ControlVariate):
    """Option I: h_i(Ŝ), which costs another pass over the client's examples. Messages have 2 q numbers."""

    _written: ClassVar[str | None] = "Gradient"


class NoControl(ControlVariate):
    """No control variates, c = c_i = 0: FedAvg on statistics, with one vector per broadcast."""

    _written: ClassVar[str | None] = "NoControl"


class AutoRelaxation(Relaxation):
    """1/(1 + ω_av), as in the paper: ω_av = ω max w_i / n for independent compressors, 1 for `PermK`. 1 if ω is
    unknown.
    """

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
    """EM until an iteration lowers the objective (mean −log p) by less than a tolerance.

    Attributes:
        iterations: Maximum number of iterations. Range: 1 to 100 000. Default `1000`.
        tolerance: Per example; no unit. Range: above 0. Default `1e-6`.
    """

    _written: ClassVar[str | None] = None

    iterations: int = UNSET
    tolerance: float = UNSET


class Reduction(Merging):
    """Reduction of all components to G by Kullback-Leibler divergences and moment matching (Zhang and Chen 2022).

    Attributes:
        starts: Number of fits used as starts, beside one of mutually distant components; the result nearest to the pool
            is kept. Range: 0 to 1 000. Default `10`.
    """

    _written: ClassVar[str | None] = "Reduction"

    starts: int = UNSET


class Filtered(Merging):
    """Reduction of the fits near the median fit by L² distance of densities (DFMR: Zhang, Tan and Chen 2026), robust to
    arbitrary messages.

    Attributes:
        within: Definition of near. Default `Auto`.
    """

    _written: ClassVar[str | None] = "Filtered"

    within: Within | float = UNSET


class Resampling(Merging):
    """EM from θ₀ on examples drawn from the pool (FedGenGMM). Its iterations end as those of the clients; the server's
    time is charged.

    Attributes:
        examples: Number of drawn examples. Range: 1 to 10 000 000.
    """

    _written: ClassVar[str | None] = "Resampling"

    examples: int


class MeanMerging(Merging):
    """Mean of the parameters, after matching components with those of θ₀ as in `FedAvgEm`."""

    _written: ClassVar[str | None] = "Mean"


class AutoWithin(Within):
    """max(1, ½ ln(n/2) ln ln n) for n fits, as in the public code of DFMR; keeps at least the nearer half."""

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
    """As `WaitForAll`, but at most this long after the start; later contributions are late.

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
    """At every contribution, whatever its broadcast. `participation` sets the number at work: all, or a cohort that
    idle clients refill after each step. For FedEM and gradient ascent.
    """

    _written: ClassVar[str | None] = "Asynchronous"


class Buffered(Round):
    """As `Asynchronous`, at every K-th contribution (FedBuff); 1 to the number at work.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Buffered"
    _items: ClassVar[bool] = True

    value: int


class Discard(Late):
    """Neither end uses them; clients learn this, and a new broadcast ends older work."""

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
    """The server sees only the sum, after four exchanges with masks between pairs of clients. Needs `floats: F64`, also
    for the broadcast.

    Attributes:
        neighbours: Pairs of clients that share masks. Default `All`.
        threshold: Required answers, at least two. `All`: more than this share of the cohort in every exchange.
            `Degree(k)`: two of the cohort in each exchange, and in the last more than this share of the k neighbours of
            every client in the sum; `All` applies to cohorts of at most k + 1. Otherwise the round fails and is not
            used. Range: 0 to 0.999. Default `0.5`.
        field_bits: Bits per entry of a masked vector, modulo 2 to this power. Range: 8 to 53. Default `32`.
        fraction_bits: Fractional bits to which entries are rounded before masking. Range: 0 to 52. Default `16`.
        key_bits: Bits of a public key. Range: 1 to 100 000. Default `256`.
        share_bits: Bits of a share of a secret. Range: 1 to 100 000. Default `256`.
        overhead_bits: Bits of a ciphertext beyond its plaintext: nonce and authentication tag. Range: 0 to 100 000.
            Default `224`.
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
    """The server applies a robust rule to the messages, which a few Byzantine clients cannot move far. Not with masks.

    Attributes:
        rule: Rule that combines the arrived vectors.
        f: f, the tolerated number of Byzantine clients per round, fewer than half of those that arrive. Rounds with too
            few arrivals are skipped. Range: 0 to 1 000 000.
        mixing: Transformation of the vectors before the rule. Default `NoMixing`.
    """

    _written: ClassVar[str | None] = "Robust"

    rule: RobustRule
    f: int
    mixing: Preaggregation = UNSET


class AllNeighbours(Neighbours):
    """All pairs (Bonawitz et al. 2017)."""

    _written: ClassVar[str | None] = "All"


class Degree(Neighbours):
    """Each client with this even number of others, redrawn in each round (Bell et al. 2020); all pairs in cohorts too
    small for it.

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
    """Coordinate-wise median; f sets only the required arrivals."""

    _written: ClassVar[str | None] = "CoordinateMedian"


class GeometricMedian(RobustRule):
    """Geometric median; f sets only the required arrivals.

    Attributes:
        smoothing: ν, lower bound of distances. Range: above 0. Default `0.1`.
        iterations: Number of steps. Range: 1 to 10 000. Default `3`.
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
    """The last result (first 0) plus the mean of the differences from it, each clipped to the radius; f sets only the
    required arrivals.

    Attributes:
        radius: τ, the largest norm of a difference; longer ones are scaled down. Range: above 0.
        iterations: Number of steps. Range: 1 to 10 000. Default `1`.
    """

    _written: ClassVar[str | None] = "CentredClipping"

    radius: float
    iterations: int = UNSET


class NoMixing(Preaggregation):
    """Nothing."""

    _written: ClassVar[str | None] = "NoMixing"


class NearestNeighbours(Preaggregation):
    """Each vector is replaced by the mean of the m − f nearest ones, itself included."""

    _written: ClassVar[str | None] = "NearestNeighbours"


class GaussianPrivacy(Privacy):
    """Gaussian mechanism on the clients' vectors before coding; the column `epsilon` records its cost.

    Attributes:
        clip: C, the clipping norm; longer vectors are scaled down. Range: above 0.
        noise: z, the noise multiplier: standard deviation of the noise per entry, divided by C. Range: 0.01 to 1 000
            000.
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
    subsampling is claimed.
    """

    _written: ClassVar[str | None] = "Server"


class Outsiders(Against):
    """Those who see only broadcasts and the final model; the server is trusted. Random participation (`Bernoulli(p)`)
    amplifies privacy if every contribution arrives and broadcasts are the same for all, so not with a compressed
    downlink.
    """

    _written: ClassVar[str | None] = "Outsiders"


class Byzantine(Part):
    """Byzantine clients and their attack.

    Attributes:
        clients: Byzantine clients.
        attack: Reported vector in place of x_i.
        on: The entries of x_i that they replace. Default `Everything`.
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
    """This share of all, rounded to whole clients, by lowest number; with 0 nobody.

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
    """Inner-product manipulation: −τ times the mean of the round's honest clients (Xie et al., UAI 2019).

    Attributes:
        value: The value. Range: finite.
    """

    _written: ClassVar[str | None] = "InnerProduct"
    _items: ClassVar[bool] = True

    value: float


class LittleIsEnough(Attack):
    """A little is enough: per coordinate the mean of the round's honest clients plus τ standard deviations (Baruch et
    al., NeurIPS 2019).

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
    """The means of the components of θ: a mixture with false means has a density, of which the server can tell nothing
    by itself. For `OneRound` and `FedAvgEm`, whose clients send θ_i.
    """

    _written: ClassVar[str | None] = "Means"


class Network(Part):
    """Network between server and clients.

    Attributes:
        shape: Topology. Default `Star`.
        server_up: Rate out of the server, shared by all its transfers. Range: 1 bit/s to 10 Tbit/s. Default
            `Gbps(1.0)`.
        server_down: Rate into the server, shared by all transfers to it. Range: 1 bit/s to 10 Tbit/s. Default
            `Gbps(1.0)`.
        client_up: Rate from a client. Default `Mbps(10.0)`.
        client_down: Rate to a client. Default `Mbps(50.0)`.
        latency: One-way delay of a client's access link. Default: 40 ms in a star, 5 ms in a graph. Default `None`.
        up_trace: Time-varying rate from a client, in place of `client_up`. Default `None`.
        down_trace: Time-varying rate to a client, in place of `client_down`. Default `None`.
        loss: Losses on the clients' access links. Default `Never`.
        background: Background traffic in each direction: on the server's link of a star, on every link between sites of
            a graph. Default `Quiet`.
        jitter: Additional random delay per message. Default `None`.
        transport: Connection set-up, slow start, acknowledgements and repair of losses. Default `(delivery: Datagram,
            set_up: 1, slow_start: 10, connections: Kept, restart_after_idle: true, acknowledgements: false)`.
        sharing: Sharing of links among transfers. Default `FairShare`.
        queues: Queues; only for `sharing` with queues, such as `Tcp()`. Default `(server_up: Fair, server_down:
            Endless, client_up: Fair, client_down: Endless, links: Endless)`.
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
    """One server and an access link per client, with separate rates per direction."""

    _written: ClassVar[str | None] = "Star"


class Graph(Shape):
    """Sites joined by links. Access links attach server and clients to sites. Routes have the least latency.

    Attributes:
        sites: Sites and links.
        link_capacity: Capacity of the links between sites, per direction. Default `Law(Gbps(1.0))`.
        link_latency: One-way delay of the links between sites. Default `Law(Ms(5.0))`.
        link_loss: Losses on the links between sites. Default `Never`.
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
        rows: Number of rows. Range: 1 to 1 000.
        columns: Number of columns. Range: 1 to 1 000.
    """

    _written: ClassVar[str | None] = "Grid"

    rows: int
    columns: int


class KRegular(Sites):
    """A random regular graph: uniform pairing of link ends, without loops and double links.

    Attributes:
        sites: Number of sites; `sites` · `degree` is even. Range: 2 to 100 000.
        degree: Links per site; 1 to `sites` − 1.
    """

    _written: ClassVar[str | None] = "KRegular"

    sites: int
    degree: int


class GeometricSites(Sites):
    """Random geometric graph: uniform points in the unit square, near pairs linked.

    Attributes:
        sites: Number of sites. Range: 1 to 5 000.
        reach: Linked pairs.
    """

    _written: ClassVar[str | None] = "Geometric"

    sites: int
    reach: Reach


class ErdosRenyi(Sites):
    """Erdős–Rényi graph: each pair linked independently with equal probability.

    Attributes:
        sites: Number of sites. Range: 1 to 20 000.
        probability: Probability. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "ErdosRenyi"

    sites: int
    probability: float


class BarabasiAlbert(Sites):
    """Barabási–Albert graph: starting from a star of `links` + 1 sites, each new site links to `links` older ones,
    drawn in proportion to their degrees.

    Attributes:
        sites: Number of sites. Range: 2 to 1 000 000.
        links: Links of each new site; 1 to `sites` − 1.
    """

    _written: ClassVar[str | None] = "BarabasiAlbert"

    sites: int
    links: int


class Hierarchical(Sites):
    """A tree below site 0, the `cloud`: `fan_out: [3, 4]` has three sites there and four below each of these. `clients:
    Leaves` attaches clients to the lowest level: clients – edge servers – cloud.

    Attributes:
        fan_out: Children per site, level by level; one to four levels, at most 1 000 000 sites. Range: each 1 to 1 000.
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
    """The closest pairs, as many as come nearest to this mean degree.

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
    """The largest connected component, with ties going to the first; a caveat names the sites left out."""

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
        otherwise: Value for links without one in the file, which are otherwise an error. Range: 1 bit/s to 10 Tbit/s.
            Default `None`.
    """

    _written: ClassVar[str | None] = "File"

    otherwise: Rate | str | None = UNSET


class BpsRateLaw(RateLaw):
    """A constant: bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Bps"
    _items: ClassVar[bool] = True

    value: float


class KbpsRateLaw(RateLaw):
    """A constant: 10³ bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Kbps"
    _items: ClassVar[bool] = True

    value: float


class MbpsRateLaw(RateLaw):
    """A constant: 10⁶ bit/s.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Mbps"
    _items: ClassVar[bool] = True

    value: float


class GbpsRateLaw(RateLaw):
    """A constant: 10⁹ bit/s.

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
        median: The median. Range: 1 bit/s to 10 Tbit/s.
        sigma: Standard deviation of the logarithm. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Rate | str
    sigma: float


class GammaRateLaw(RateLaw):
    """Gamma with the given mean and shape; its standard deviation is mean / √shape.

    Attributes:
        mean: The mean. Range: 1 bit/s to 10 Tbit/s.
        shape: The shape. Range: 0.001 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Rate | str
    shape: float


class ExponentialRateLaw(RateLaw):
    """Exponential with the given mean.

    Attributes:
        mean: The mean. Range: 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Exponential"

    mean: Rate | str


class ValuesRateLaw(RateLaw):
    """One of these with equal probabilities; at least one.

    Attributes:
        value: The value. Range: each from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Values"
    _items: ClassVar[bool] = True

    value: Sequence[Rate | str]


class EachRateLaw(RateLaw):
    """Client i (or link i) has the i-th value; as many values as clients (or links).

    Attributes:
        value: The value. Range: each from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Rate | str]


class ColumnRateLaw(RateLaw):
    """A value of a table row that is drawn for each client. Columns with the same `path` and `only` are drawn jointly,
    from one row per client; rows with an empty requested cell are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd. Range: not empty.
        column: Column of the values.
        unit: Unit of the values; above 0.
        inverse: `unit` ÷ value instead of `unit` · value, for scores where more is faster. Default `false`.
        skip_zero: Skips rows with 0, which means "not measured". Default `false`.
        only: Uses only rows with this text in a column. Default `None`.
        in_order: No draw: client i (or link i) has the i-th row that is not skipped; there must be enough. Default
            `false`.
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
    """Used rows of a table.

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
    """Distance divided by speed: great-circle distance for files, in the plane for `Grid` and `Geometric`.

    Attributes:
        km_per_ms: Signal speed; 200 is light in fibre. Range: (0, 300], in km per millisecond. Default `200.0`.
        unit_km: Length of a unit of the plane in km; unused for files. Range: above 0. Default `1000.0`.
        otherwise: Value for links with an end at an unknown place, which are otherwise an error. Range: 0 to a year
            (365.25 days). Default `None`.
    """

    _written: ClassVar[str | None] = "Distance"

    km_per_ms: float = UNSET
    unit_km: float = UNSET
    otherwise: Duration | str | None = UNSET


class FileLinkLatency(LinkLatency):
    """From the file.

    Attributes:
        otherwise: Value for links without one in the file, which are otherwise an error. Range: 0 to a year (365.25
            days). Default `None`.
    """

    _written: ClassVar[str | None] = "File"

    otherwise: Duration | str | None = UNSET


class NsDurationLaw(DurationLaw):
    """A constant: nanoseconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Ns"
    _items: ClassVar[bool] = True

    value: float


class UsDurationLaw(DurationLaw):
    """A constant: microseconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Us"
    _items: ClassVar[bool] = True

    value: float


class MsDurationLaw(DurationLaw):
    """A constant: milliseconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Ms"
    _items: ClassVar[bool] = True

    value: float


class SecDurationLaw(DurationLaw):
    """A constant: seconds.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Sec"
    _items: ClassVar[bool] = True

    value: float


class MinDurationLaw(DurationLaw):
    """A constant: minutes.

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
        median: The median. Range: 1 ns to a year (365.25 days).
        sigma: Standard deviation of the logarithm. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Duration | str
    sigma: float


class GammaDurationLaw(DurationLaw):
    """Gamma with the given mean and shape; its standard deviation is mean / √shape.

    Attributes:
        mean: The mean. Range: 1 ns to a year (365.25 days).
        shape: The shape. Range: 0.001 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Duration | str
    shape: float


class ExponentialDurationLaw(DurationLaw):
    """Exponential with the given mean.

    Attributes:
        mean: The mean. Range: 1 ns to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Exponential"

    mean: Duration | str


class ValuesDurationLaw(DurationLaw):
    """One of these with equal probabilities; at least one.

    Attributes:
        value: The value. Range: each from 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Values"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class EachDurationLaw(DurationLaw):
    """Client i (or link i) has the i-th value; as many values as clients (or links).

    Attributes:
        value: The value. Range: each from 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class ColumnDurationLaw(DurationLaw):
    """A value of a table row that is drawn for each client. Columns with the same `path` and `only` are drawn jointly,
    from one row per client; rows with an empty requested cell are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd. Range: not empty.
        column: Column of the values.
        unit: Unit of the values; above 0.
        inverse: `unit` ÷ value instead of `unit` · value, for scores where more is faster. Default `false`.
        skip_zero: Skips rows with 0, which means "not measured". Default `false`.
        only: Uses only rows with this text in a column. Default `None`.
        in_order: No draw: client i (or link i) has the i-th row that is not skipped; there must be enough. Default
            `false`.
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
    """Bursts: the link is good or bad and can change before each packet. The mean loss is π · `in_bad` + (1 − π) ·
    `in_good`, with π = `to_bad` / (`to_bad` + `to_good`) the share of packets on a bad link.

    Attributes:
        to_bad: Probability per packet that a good link turns bad. Range: (0, 1].
        to_good: Probability per packet that a bad link turns good. Range: (0, 1].
        in_good: Probability of loss of a packet that finds the link good. Range: [0, 1). Default `0.0`.
        in_bad: Probability of loss of a packet that finds the link bad. Range: (0, 1]. Default `1.0`.
    """

    _written: ClassVar[str | None] = "GilbertElliott"

    to_bad: float
    to_good: float
    in_good: float = UNSET
    in_bad: float = UNSET


class LinkSettings(Part):
    """Settings of the link or links between two sites, in both directions; at least one. Other settings are as for all
    links.

    Attributes:
        from_: One end.
        to: The other end.
        capacity: Capacity. Range: 1 bit/s to 10 Tbit/s. Default `None`.
        latency: One-way delay. Range: 0 to a year (365.25 days). Default `None`.
        loss: Losses. Default `None`.
        background: Background traffic. Default `None`.
        queue: Queue; only for `sharing: Tcp()`. Default `None`.
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
    """By name. Generated sites are called `s0`, `s1`, …, those of a grid `r0c0`, …, of a hierarchy `cloud`, `e0`,
    `e0.0`, ….

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
    """On-off flows that share links like ours: exponential pauses and exponential sizes. A flow takes no capacity
    during the latency before its bits.

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
    """One queue per flow, served in turn, as in a sending host or a router that separates flows."""

    _written: ClassVar[str | None] = "Fair"


class Endless(Queue):
    """One unlimited queue."""

    _written: ClassVar[str | None] = "Endless"


class Room(Queue):
    """One queue of this size with tail drop, as in a modem or router.

    Attributes:
        value: The value. Range: at least 1 bit.
    """

    _written: ClassVar[str | None] = "Room"
    _items: ClassVar[bool] = True

    value: Size | str


class Delay(Queue):
    """One queue that holds what the link sends in this duration.

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
        rows: Rows of steps; client i repeats row i modulo their number.
    """

    _written: ClassVar[str | None] = "Steps"

    rows: Sequence[Sequence[Step]]


class TableRateTrace(RateTrace):
    """Measured rates: a CSV file, plain or packed, with one row per interval, in order of time. Each client repeats a
    randomly drawn trace; if the traces of both directions have the same names, it is the same in both.

    Attributes:
        path: File name. Range: not empty.
        column: Column of rates; 0 is an outage.
        unit: Unit of the values. Range: 1 bit/s to 10 Tbit/s.
        interval: Duration of a row. Range: 1 ms to a year.
        by: Column of trace names. Default: the file is one trace. Default `None`.
        only: Uses only rows with this text in a column. Default `None`.
        start: Starting point of a client in its trace. Default `Anywhere`.
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
    """A uniform random time per client, the same in both directions."""

    _written: ClassVar[str | None] = "Anywhere"


class Beginning(TraceStart):
    """At its beginning."""

    _written: ClassVar[str | None] = "Beginning"


class Transport(Part):
    """Connection set-up, slow start, acknowledgements and repair of losses.

    Attributes:
        delivery: Treatment of lost packets. Default `Datagram`.
        set_up: Round trips of connection set-up, each with two headers. A round trip takes the latency of both
            directions; its headers are charged but take no time (with `Tcp` they are normal packets). Range: 0 to 10
            round trips. Default `1`.
        slow_start: Slow start: initial window in segments, doubled each round trip until links limit the sender.
            `None`: no window. Range: 1 to 1 000 000 segments. Default `10`.
        connections: Sharing of connections between two nodes. Default `Kept`.
        restart_after_idle: An idle sender halves its window for each period of the round trip plus 200 ms, down to the
            initial window (RFC 2861, Linux's default). Default `true`.
        acknowledgements: Charges acknowledgements: one header per second packet of the other direction (with `Tcp` as
            in Linux: one per packet for the first 16 packets of a connection or after a rest). They use capacity,
            except with `Ideal` and `Fifo`. Default `false`.
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
    """Latency of the return route, for the receiver's report."""

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
    """One connection with its window, until a message on it is cut off."""

    _written: ClassVar[str | None] = "Kept"


class PerMessage(Connections):
    """One connection per message."""

    _written: ClassVar[str | None] = "PerMessage"


class Ideal(Sharing):
    """No contention: latency + bits / slowest link."""

    _written: ClassVar[str | None] = "Ideal"


class FairShare(Sharing):
    """Max–min fair rates, updated whenever a transfer starts or ends."""

    _written: ClassVar[str | None] = "FairShare"


class WeightedFairShare(Sharing):
    """Max–min fair rates weighted by 1 / route latency (at least 1 ns), as TCP shares (model CM02 of SimGrid)."""

    _written: ClassVar[str | None] = "WeightedFairShare"


class Fifo(Sharing):
    """Store and forward: each link direction sends one unit after another.

    Attributes:
        unit: Stored and forwarded unit. Default `Packet`.
        buffer: Queue size of each link after the first, without the unit being sent; overflow is lost. `None`:
            unlimited. Range: at least 1 bit. Default `None`.
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
    """Beyond the server's link, where most transfers meet: transfers from the server flow at once and arrive after
    their latency; others wait for their latency first.
    """

    _written: ClassVar[str | None] = "AtServer"


class FirstLatencyOrder(LatencyOrder):
    """Before the bits of every transfer, as in SimGrid."""

    _written: ClassVar[str | None] = "First"


class Ip(Headers):
    """TCP over IPv4 without options: 40 bytes per 1460 of payload."""

    _written: ClassVar[str | None] = "Ip"


class IpTimestamps(Headers):
    """TCP over IPv4 with time stamps, as Linux sends: 52 bytes per 1448."""

    _written: ClassVar[str | None] = "IpTimestamps"


class Ethernet(Headers):
    """With time stamps in Ethernet frames: 66 bytes per 1448, closest to Linux hosts."""

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
        expectation: Client's time per conditional expectation (one example), drawn once per client. Default `Us(10.0)`.
        server_expectation: Server's time per conditional expectation, in protocols that run in one place or draw
            examples there. Range: 0 to 584 years. Default `Us(1.0)`.
        variation: Standard deviation of the log of a factor with median 1 on a client's work, drawn per round and
            client. Unused by VP-EM, k-means and diffusion EM, which have no such rounds. Range: 0 to 10. Default `0.0`.
        slow: Slow clients; without effect on agents of a graph. Default `None`.
        coding: Durations of coding and decoding. Default `(client_send: Ns(0.0), client_receive: Ns(0.0), server_send:
            Ns(0.0), server_receive: Ns(0.0), server_lanes: 1)`.
        server_step: Duration of a server step, from the end of a round or the last message of an iteration to the next
            broadcast or answer. In one place: overhead per iteration. Range: 0 to a year (365.25 days). Default
            `Ns(0.0)`.
        client_step: Overhead of each client or agent computation beside expectations, such as T(Ŝ). Range: 0 to a year
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
    """Slow clients, in addition to their drawn speed.

    Attributes:
        share: Share of slow clients, rounded to whole clients: the last ones. With `SortedByLabel` they hold the last
            labels. Range: (0, 1].
        factor: Factor on their durations of expectations, steps, coding and decoding. Range: above 0.
    """

    _written: ClassVar[str | None] = None

    share: float
    factor: float


class CodingTimes(Part):
    """Durations of coding and decoding per byte of charged payload. Each message is coded separately, also if it goes
    to many. Clients handle one message at a time, in parallel with computing; the server does not code during a step.

    Attributes:
        client_send: Time per sent byte at a client or agent. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        client_receive: Time per received byte at a client or agent. Range: 0 to a year (365.25 days). Default
            `Ns(0.0)`.
        server_send: Time per sent byte at the server. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        server_receive: Time per received byte at the server. Range: 0 to a year (365.25 days). Default `Ns(0.0)`.
        server_lanes: Messages that the server codes or decodes in parallel; others wait in order of arrival. Range: 1
            to 1 000 000 (messages). Default `1`.
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
    """In each round independently, with this probability.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class OnOffAvailability(Availability):
    """Alternating periods of presence and absence with independent durations, stationary at the start.

    Attributes:
        on: Durations of presence.
        off: Durations of absence.
    """

    _written: ClassVar[str | None] = "OnOff"

    on: Durations
    off: Durations


class Diurnal(Availability):
    """In a daily window of local time. The run begins at midnight of zone 0.

    Attributes:
        from_: Local hour of the window's start; below 24. Range: 0 to 24 (hours of the day).
        to: Local hour of its end, other than `from`; below `from` it is on the next day. Range: 0 to 24 (hours of the
            day).
        zones: Offsets of time zones in hours, one of which each client draws. Range: each from -14 to 14 (hours).
            Default `[0.0]`.
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
        rows: Rows of sorted, disjoint intervals; client i has row i modulo their number.
        repeat: Period of repetition, at least the end of the last interval. Default: no repetition. Range: at least 1
            ns. Default `None`.
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
    """A half-open interval of time since the start of the run.

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
    """Constant hazard while busy. The transfer in flight is cut off; its sent bits stay charged. Dropouts per round
    depend on busy time, and so differ between compressors.

    Attributes:
        per_second: Dropouts per second of busy time. Range: above 0.
        restart: Time until the client can be selected again. Range: 0 to 584 years. Default `Sec(0.0)`.
        state: The client's state (its memory V_i) after the restart. Default `Kept`.
    """

    _written: ClassVar[str | None] = "Hazard"

    per_second: float
    restart: Duration | str = UNSET
    state: State = UNSET


class PerRound(Dropout):
    """Equal probability in each selected round, after computing and before sending: the broadcast is charged, no
    contribution is. Dropouts are the same in all arms.

    Attributes:
        probability: Probability per selected client and round, drawn independently. Range: (0, 1].
        restart: Time until the client can be selected again. Range: 0 to 584 years. Default `Sec(0.0)`.
        state: The client's state (its memory V_i) after the restart. Default `Kept`.
    """

    _written: ClassVar[str | None] = "PerRound"

    probability: float
    restart: Duration | str = UNSET
    state: State = UNSET


class KeptState(State):
    """State is kept."""

    _written: ClassVar[str | None] = "Kept"


class Lost(State):
    """State is lost: see `protocol.memory.recovery`."""

    _written: ClassVar[str | None] = "Lost"


class Powers(Part):
    """Power of a client, drawn once per client. Concurrent activities add up; a client that is unavailable or
    restarting uses none.

    Attributes:
        compute: While computing.
        send: While its message is under way.
        receive: While a message to it is under way.
        idle: While available without these activities. Default `W(0.0)`.
        server: Power of the server; without it no server energy is counted. Default `None`.
    """

    _written: ClassVar[str | None] = None

    compute: PowerLaw | str
    send: PowerLaw | str
    receive: PowerLaw | str
    idle: PowerLaw | str = UNSET
    server: ServerPower | None = UNSET


class MilliWPowerLaw(PowerLaw):
    """A constant: 10⁻³ watts.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "MilliW"
    _items: ClassVar[bool] = True

    value: float


class WPowerLaw(PowerLaw):
    """A constant: watts.

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
        median: The median. Range: above 0, to 10⁶ W.
        sigma: Standard deviation of the logarithm. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Power | str
    sigma: float


class GammaPowerLaw(PowerLaw):
    """Gamma with the given mean and shape; its standard deviation is mean / √shape.

    Attributes:
        mean: The mean. Range: above 0, to 10⁶ W.
        shape: The shape. Range: 0.001 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Power | str
    shape: float


class ExponentialPowerLaw(PowerLaw):
    """Exponential with the given mean.

    Attributes:
        mean: The mean. Range: above 0, to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Exponential"

    mean: Power | str


class ValuesPowerLaw(PowerLaw):
    """One of these with equal probabilities; at least one.

    Attributes:
        value: The value. Range: each from 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Values"
    _items: ClassVar[bool] = True

    value: Sequence[Power | str]


class EachPowerLaw(PowerLaw):
    """Client i (or link i) has the i-th value; as many values as clients (or links).

    Attributes:
        value: The value. Range: each from 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Power | str]


class ColumnPowerLaw(PowerLaw):
    """A value of a table row that is drawn for each client. Columns with the same `path` and `only` are drawn jointly,
    from one row per client; rows with an empty requested cell are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd. Range: not empty.
        column: Column of the values.
        unit: Unit of the values; above 0.
        inverse: `unit` ÷ value instead of `unit` · value, for scores where more is faster. Default `false`.
        skip_zero: Skips rows with 0, which means "not measured". Default `false`.
        only: Uses only rows with this text in a column. Default `None`.
        in_order: No draw: client i (or link i) has the i-th row that is not skipped; there must be enough. Default
            `false`.
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
    """Power of the server, which sends while a message to any client is under way.

    Attributes:
        compute: While computing: in protocols that run in one place, and in timed steps, coding and decoding. Range: 0
            to 10⁶ W. Default `W(0.0)`.
        send: While sending. Range: 0 to 10⁶ W. Default `W(0.0)`.
        receive: While receiving. Range: 0 to 10⁶ W. Default `W(0.0)`.
        idle: While idle. Range: 0 to 10⁶ W. Default `W(0.0)`.
    """

    _written: ClassVar[str | None] = None

    compute: Power | str = UNSET
    send: Power | str = UNSET
    receive: Power | str = UNSET
    idle: Power | str = UNSET


class Stop(Part):
    """The first rule that holds ends the run; at least one is required. Rules are checked at the end of a round or
    iteration, so the last one can exceed a limit. Costs before the first round count.

    Attributes:
        rounds: After this many rounds. Range: at least 1. Default `None`.
        epochs: After this many epochs (conditional expectations / examples; with sampling, evaluations of densities and
            gradients / subjects). Range: above 0. Default `None`.
        time: After this simulated time. Range: at least 1 ns. Default `None`.
        bits: After this many bits: up, down and between agents, headers included. Range: at least 1 bit. Default
            `None`.
        energy: After this energy of the clients, and of the server if its power is given. Needs `energy`. Range: above
            0. Default `None`.
        mean_field_sq: When a probe finds ‖h(Ŝ)‖² at or below this. Needs probes. Range: above 0. Default `None`.
        objective_change: When the objective changes by at most this between probes separated by a step. Needs probes.
            Range: above 0. Default `None`.
        patience: When consecutive probes bring no improvement. Needs probes. Default `None`.
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
    """Early stopping: ends the run after consecutive probes without improvement on the best one. The final θ is that of
    the last probe.

    Attributes:
        of: Improving measure.
        probes: Probes without improvement. Range: 1 to 1 000 000.
        least: Least change that counts as improvement, in the unit of the measure. Range: at least 0. Default `0.0`.
    """

    _written: ClassVar[str | None] = None

    of: Measure
    probes: int
    least: float = UNSET


class ObjectiveMeasure(Measure):
    """Objective, the mean of −log p(y; θ); lower is better."""

    _written: ClassVar[str | None] = "Objective"


class MeanFieldSqMeasure(Measure):
    """‖h(Ŝ)‖²; lower is better."""

    _written: ClassVar[str | None] = "MeanFieldSq"


class AccuracyMeasure(Measure):
    """Share of examples in the right component; higher is better. Needs labels."""

    _written: ClassVar[str | None] = "Accuracy"


class HeldOutMeasure(Measure):
    """Mean log-likelihood of withheld examples; higher is better. Needs `holdout`, or `held_out` of counts."""

    _written: ClassVar[str | None] = "HeldOut"


class Record(Part):
    """What a run records.

    Attributes:
        every: Rounds per recorded row. Range: at least 1 (rounds). Default `1`.
        probe_every: Rounds per probe (‖h(Ŝ)‖², objective), a multiple of `every`. A probe is a pass over all data
            without bits or simulated time. Start and end are always probed; `None`: only these. Range: at least 1
            (rounds), or `None`. Default `10`.
        theta: Writes θ with every row (`theta.csv`). Default `false`.
        statistics: Writes Ŝ with every row (`statistics.csv`). Default `false`.
        quality: Compares components with labels at each probe (`accuracy`, `adjusted_rand_index`,
            `normalized_mutual_information`, `purity`) and writes `components.csv` at the end. Each costs at most half a
            pass over all data. Default `true`.
        accept_degenerate: Lets runs with a degenerate final fit reach targets: empty or collapsed components, or an
            objective more than 0.25 above the start's. Changes only the count. Default `false`.
        clients: Writes `clients.csv` at the end: activity, bits and time of each client. Default: for up to 1 000
            clients. Default `None`.
        clients_at: Rounds after which `clients_at.csv` gets the same rows, at most 100, increasing. Each costs a pass
            over all data, but no bits or simulated time. Needs `clients`. Default `[]`.
        trace: Rounds whose transfers, computations and waits go to `trace.csv`, for the figure `round`; at most 100,
            increasing. The run is unchanged; `fedbits trace` makes the same later. Default `[]`.
        links_every: Rounds per interval of `links_over_time.csv`, the traffic of each link between sites of a `Graph`;
            `None`: no file. Range: at least 1 (rounds), or `None`. Default `None`.
        marginals: Bins of the histograms in `marginals.csv`, for the figure of a mixture; `None`: no file. It reveals
            the distribution of the examples' columns, with the smallest and largest values. Range: 1 to 1 000 (bins),
            or `None`. Default `None`.
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
    """A variant of the scenario, given by the settings that differ.

    Attributes:
        name: Unique name in results and figures, valid as a folder name.
        set: Paths and values, written as in a scenario file (a text keeps its quotes: `"\\"10 kbps\\""`); none: the
            scenario itself. Default `{}`.
    """

    _written: ClassVar[str | None] = None

    name: str
    set: Mapping[str, object] = UNSET


class GridAxis(Axis):
    """One setting takes each value.

    Attributes:
        path: Path of the setting, for example `protocol.compressor`.
        values: Values: a list, `Linear(…)` or `Log(…)`.
        labels: Names of the levels, one per value; default: the values as written. Default `[]`.
        name: Name of the axis; default: the last part of the path. Default `None`.
        when: Restricts the axis to arms with these levels of earlier axes; other arms are not multiplied by it.
            Default: all arms. Default `{}`.
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
        name: Name of the axis.
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
    """Individual levels, each with its settings; other settings are those of the base.

    Attributes:
        name: Name of the axis.
        levels: Levels by name, with their settings; at least one.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Cases"

    name: str
    levels: Sequence[Arm]
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class RandomAxis(Axis):
    """Random search: each level is one draw of all paths. Repeated draws are redrawn.

    Attributes:
        points: Number of points, 1 to 10 000.
        paths: Distribution of each path's values.
        seed: Seed of these draws. Default `1`.
        name: Name of the axis and prefix of its levels: `point 1`, `point 2`, …; default `point`. Default `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Random"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Sobol(Axis):
    """Points that cover the ranges evenly: a Sobol sequence (direction numbers of Joe and Kuo), shifted by the seed.
    Balanced for powers of two; at most 32 paths.

    Attributes:
        points: Number of points, 1 to 10 000.
        paths: Distribution of each path's values.
        seed: Seed of these draws. Default `1`.
        name: Name of the axis and prefix of its levels: `point 1`, `point 2`, …; default `point`. Default `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Sobol"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class LatinHypercube(Axis):
    """Latin hypercube: each path has one of n points in every n-th part of its range.

    Attributes:
        points: Number of points, 1 to 10 000.
        paths: Distribution of each path's values.
        seed: Seed of these draws. Default `1`.
        name: Name of the axis and prefix of its levels: `point 1`, `point 2`, …; default `point`. Default `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "LatinHypercube"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class ListValues(Values):
    """These values, as in a scenario file; numbers may omit quotes. At least one. A text keeps its own quotes: `"\\"10
    kbps\\""`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "List"
    _items: ClassVar[bool] = True

    value: Sequence[str]


class LinearValues(Values):
    """This many from the first to the second inclusive, equally spaced.

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
    """This many from the first to the second inclusive, with equal ratios; both above 0.

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
    """Uniform between the two.

    Attributes:
        first: The value.
        second: The value.
    """

    _written: ClassVar[str | None] = "Uniform"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str


class LogUniform(Law):
    """Log-uniform between the two; both above 0.

    Attributes:
        first: The value.
        second: The value.
    """

    _written: ClassVar[str | None] = "LogUniform"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str


class Normal(Law):
    """Normal with this mean and standard deviation (above 0, in the unit of the mean).

    Attributes:
        first: The value.
        second: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Normal"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: float


class LogNormalLaw(Law):
    """Log-normal with this median and standard deviation of the natural logarithm, both above 0.

    Attributes:
        first: The value.
        second: The value. Range: 0 to 10.
    """

    _written: ClassVar[str | None] = "LogNormal"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: float


class Choice(Law):
    """One of these, as in a scenario file and equally likely; at least one.

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
    """A measured column of `rounds.csv`: `objective`, `mean_field_sq`, `field_sq`, `parameter_error_sq`, or one of the
    protocol. Time, epochs and bits are costs, not targets.

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
    """A race for the best arm by the objective: all arms get replicates one after the other, and an arm is dropped as
    soon as paired evidence shows that it is not the best.

    Attributes:
        objective: Cost to minimize.
        error: Probability of dropping an arm that is better than the chosen one by more than `margin`, over the whole
            race. Range: (0, 0.5]. Default `0.05`.
        margin: Negligible difference: a share of the cost, default 0.02. For `Best` of a column that can be negative it
            is a difference of values, and required. Range: from 0 on. Default `None`.
        futility: Ends the race when the remaining replicates would drop an arm with less than this probability. 0: only
            when all replicates are made or one arm is left. Range: [0, 1). Default `0.3`.
        cut: Ends a run that costs this many times as much as the leading arm in the same replicate (in the first one,
            the baseline); it counts as not reaching the target. Exempt are the baseline, `Best`, and replicates in
            which the leader missed the target. `None`: no run is cut. Range: above 1. Default `8.0`.
        constraints: Constraints on runs; an arm is dropped once too many of its runs violate them. Cut runs count as
            meeting them. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    objective: Objective
    error: float = UNSET
    margin: float | None = UNSET
    futility: float = UNSET
    cut: float | None = UNSET
    constraints: Sequence[Constraint] = UNSET


class BitsTo(Objective):
    """All bits until the target: payload in all directions and headers.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "BitsTo"
    _items: ClassVar[bool] = True

    value: Target


class UploadTo(Objective):
    """Uploaded payload bits and retransmissions with headers, until the target.

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
    """The last value of this column, minimized or, if higher is better, maximized: the best model within `stop`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Best"
    _items: ClassVar[bool] = True

    value: str


class TimeConstraint(Constraint):
    """The target is reached within this simulated time, in all runs or in the share given by `Reached`.

    Attributes:
        value: The value. Range: at least 1 ns.
    """

    _written: ClassVar[str | None] = "Time"
    _items: ClassVar[bool] = True

    value: Duration | str


class Reached(Constraint):
    """This share of an arm's runs reaches the target.

    Attributes:
        value: The value. Range: (0, 1].
    """

    _written: ClassVar[str | None] = "Reached"
    _items: ClassVar[bool] = True

    value: float


class Figure(Part):
    """A declared figure.

    Attributes:
        name: Name of the figure and its files: letters, digits, `-` and `_`.
        kind: Kind of figure.
        arms: Arms to show, in this order; default all. Default `[]`.
        columns: Panels per row, if the venue's page has room; default as many as fit. Range: 1 to 6. Default `None`.
        aspect: Height of a panel relative to its width, instead of the venue's. Range: 0.1 to 3. Default `None`.
        caption: Start of the caption, before the generated text. Default `""`.
        x_label: Label of the horizontal axis, before the unit; default generated. For figures whose panels share this
            quantity. Default `""`.
        y_label: Label of the vertical axis, likewise. Default `""`.
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
        y: Quantities: measured columns of `rounds.csv` (costs belong to `x`), `objective_gap`, or a parameter
            (`theta.mean_0_1`, or `theta.mean_*` for all with this prefix). Default: those of the stop rules, or what
            was measured. Default `[]`.
        x: Horizontal axes; default: `BitsTotal` or `Time`, whichever separates the arms' ends more. Default `[]`.
        panels: Content of a panel. Default `Axes`.
        x_scale: Scale of the horizontal axes; `Auto` is logarithmic if the arms' ends differ by a factor of ten or
            more. Default `Auto`.
        y_scale: Scale of the vertical axis; `Auto` depends on the quantity. Default `Auto`.
        x_limits: Shown range of the horizontal axes, in rounds, bits, seconds or joules; default: to the end of the
            slowest arm that reaches the target, else all. Default `(from: None, to: None)`.
        y_limits: Shown range of the vertical axis; default all. Default `(from: None, to: None)`.
        free_x: Separate limits for panels over the same axis. Default `false`.
        free_y: Separate vertical axes for different quantities. Default `true`.
        band: Band over replicates; up to five replicates are shown as single runs by default. Default `Quartiles`.
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
    """Cost of a target for every arm: runs, medians, and ratios to a baseline.

    Attributes:
        target: Target; default: the study's last target, else ‖h(Ŝ)‖² of the stop rules. Default `None`.
        costs: Costs, one panel each; default all bits and time. Default `[]`.
        baseline: Reference arm; default: the study's baseline if shown, else the first arm. Default `None`.
    """

    _written: ClassVar[str | None] = "Cost"

    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET
    baseline: str | None = UNSET


class Forest(FigureKind):
    """Every arm against a baseline: ratios with intervals.

    Attributes:
        target: Target; default: the study's last target, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs.
            Default `None`.
        costs: Costs, one panel each; default all bits and time. Default `[]`.
        baseline: Reference arm; default: the study's baseline if shown, else the first arm. Default `None`.
        order: Order of the arms. Default `Plan`.
    """

    _written: ClassVar[str | None] = "Forest"

    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET
    baseline: str | None = UNSET
    order: ForestOrder = UNSET


class ReachFigureKind(FigureKind):
    """Share of runs that have reached a target, against the cost.

    Attributes:
        target: Target; default: the study's last target, else ‖h(Ŝ)‖² of the stop rules. Default `None`.
        costs: Costs, one panel each; default all bits and time. Default `[]`.
    """

    _written: ClassVar[str | None] = "Reach"

    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET


class TradeOff(FigureKind):
    """Cost of a target against an axis of a study.

    Attributes:
        axis: Horizontal axis: an axis of the study, or the path of a setting that a search varies. Levels that differ
            in one number (`75 %`, `rand-6`, `8`) are placed by it, others side by side. Default: the numeric axis with
            the most levels, else the first. Default `None`.
        target: Target; default: the study's last target, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs.
            Default `None`.
        costs: Costs, one panel each; default all bits and time. Default `[]`.
        ends: Instead of costs, quantities at the ends of the runs, a panel each: measured columns of `rounds.csv`,
            `objective_gap` or `seconds_per_round`. Also those of degenerate fits, whose number the details tell.
            Default `[]`.
        reported: Values from elsewhere to compare with, such as published ones; default none. They need one quantity in
            `ends`. Default `None`.
    """

    _written: ClassVar[str | None] = "TradeOff"

    axis: str | None = UNSET
    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET
    ends: Sequence[str] = UNSET
    reported: Reported | None = UNSET


class Heat(FigureKind):
    """Cost of a target over two axes of a study.

    Attributes:
        rows: Axis of the study for the rows; default: of the first two varying axes the one with more levels. A
            search's points are an axis only by name. Default `None`.
        columns: Axis of the study for the columns; default: the other of the first two varying axes. Default `None`.
    """

    _written: ClassVar[str | None] = "Heat"

    rows: str | None = UNSET
    columns: str | None = UNSET


class Ecdf(FigureKind):
    """Distribution of durations of rounds, transfers or clients.

    Attributes:
        of: Durations, one panel each; default all measured except waiting. Default `[]`.
    """

    _written: ClassVar[str | None] = "Ecdf"

    of: Sequence[Timed] = UNSET


class ParticipationFigureKind(FigureKind):
    """Contributions and results of clients, against their speed or data size.

    Attributes:
        y: Columns of `clients.csv`; default: contributions, and objective and accuracy if measured. Default `[]`.
        x: Horizontal axis; default: the one in which clients differ. Default `[]`.
    """

    _written: ClassVar[str | None] = "Participation"

    y: Sequence[str] = UNSET
    x: Sequence[ClientAxis] = UNSET


class Mixture(FigureKind):
    """Fitted mixtures of normal distributions, with the true one.

    Attributes:
        view: View of the mixture. Default `Ellipses`.
        columns: Columns of the data: two for ellipses, any number for marginals; default the first two. Default `[]`.
    """

    _written: ClassVar[str | None] = "Mixture"

    view: MixtureView = UNSET
    columns: Sequence[str] = UNSET


class RaceFigureKind(FigureKind):
    """Time and reason at which a race dropped arms.

    Attributes:
        rows: Arms with a separate row, best first; the others share one row. Default 15. Range: 1 to 60. Default
            `None`.
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
    """Uploaded payload bits and retransmissions with headers."""

    _written: ClassVar[str | None] = "BitsUp"


class BitsTotalXAxis(XAxis):
    """All bits: payload in all directions and headers."""

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
    """One arm, with a line per quantity."""

    _written: ClassVar[str | None] = "Arms"


class Levels(Panels):
    """Arms with the same level on this axis of the study.

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
        y: Quantities of the panel, as in `y` of the figure, on a separate vertical axis; default those of the figure.
            Several of one arm give a line each. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    heading: str
    arms: Sequence[ShownArm | str]
    y: Sequence[str] = UNSET


class ArmShownArm(ShownArm):
    """The arm with this name.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Arm"
    _items: ClassVar[bool] = True

    value: str


class Labelled(ShownArm):
    """The arm under another label.

    Attributes:
        arm: Name in the scenario or study.
        label: Label in the figure; not empty.
    """

    _written: ClassVar[str | None] = "Labelled"

    arm: str
    label: str


class Group(ShownArm):
    """Runs of several arms, as one line with one band; not in figures that compare single arms.

    Attributes:
        label: Label in the figure; not empty.
        arms: Names; a final `*` stands for any text.
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
    """Quartiles of the replicates, around the median."""

    _written: ClassVar[str | None] = "Quartiles"


class Mean95(Band):
    """95 % confidence interval of the mean by Student's t, around the mean."""

    _written: ClassVar[str | None] = "Mean95"


class Range(Band):
    """Minimum to maximum of the replicates, around the median."""

    _written: ClassVar[str | None] = "Range"


class Nothing(Band):
    """None."""

    _written: ClassVar[str | None] = "Nothing"


class Value(Mark):
    """A horizontal line at a value.

    Attributes:
        y: Value, in the unit of the quantity. Range: finite.
        label: Label.
    """

    _written: ClassVar[str | None] = "Value"

    y: float
    label: str


class End(Mark):
    """A horizontal line at an arm's final value.

    Attributes:
        arm: Name of the arm.
        label: Label; default `end of ARM`. Default `""`.
    """

    _written: ClassVar[str | None] = "End"

    arm: str
    label: str = UNSET


class Slope(Mark):
    """Contraction rate of an arm: a straight line on logarithmic axes over rounds and epochs.

    Attributes:
        arm: Name of the arm.
        decades: Decades per round; default: least-squares fit to the second half of the arm's curve. Range: above 0.
            Default `None`.
    """

    _written: ClassVar[str | None] = "Slope"

    arm: str
    decades: float | None = UNSET


class Optimum(Mark):
    """A horizontal line at the objective of exact EM's limit, the lowest over the runs of a problem."""

    _written: ClassVar[str | None] = "Optimum"


class Goal(Part):
    """A target, reached at the first recorded row that meets it.

    Attributes:
        column: A measured column of `rounds.csv`: `mean_field_sq`, `accuracy`, …
        value: Lower limit if higher is better (accuracy, likelihood), else upper limit. Range: finite.
    """

    _written: ClassVar[str | None] = None

    column: str
    value: float


class BitsTotalCost(Cost):
    """All bits: payload in all directions and headers."""

    _written: ClassVar[str | None] = "BitsTotal"


class BitsUpCost(Cost):
    """Uploaded payload bits and retransmissions with headers."""

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
    """Values of a quantity from elsewhere.

    Attributes:
        label: What they are called.
        values: One for each level of the axis, in the unit of the quantity. Range: each that is finite.
        within: How far they can be off; default 0. Range: 0 to 10¹⁰⁰. Default `0.0`.
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
    """A client's wait for the end of a round after its contribution has arrived."""

    _written: ClassVar[str | None] = "Waiting"


class ClientTimed(Timed):
    """A client's total computing, sending and receiving in a run."""

    _written: ClassVar[str | None] = "Client"


class Seconds(ClientAxis):
    """Seconds of computing, sending and receiving per selected round."""

    _written: ClassVar[str | None] = "Seconds"


class ExamplesClientAxis(ClientAxis):
    """Number of the client's examples."""

    _written: ClassVar[str | None] = "Examples"


class Ellipses(MixtureView):
    """Means and ellipses of one and two standard deviations over two columns, one panel per arm, with the paths of the
    means if θ was recorded.
    """

    _written: ClassVar[str | None] = "Ellipses"


class Marginals(MixtureView):
    """Densities of single columns, one panel each and one line per arm."""

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
    "Goal",
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

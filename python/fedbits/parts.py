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
    """What happens to rows in which a cell that is used has no value: it is empty or `?`, `.`, `NA`, another word of
    pandas or an error of Excel, or one of `missing_values`; of labels and clients only where it is empty or one of
    these, as one may be called `NA` (a caveat says so).
    """


class Filling(Part):
    """What replaces a missing value: a statistic of the present values of its column, over all clients."""


class Factors(Part):
    """What happens to columns of features whose first value is a text. Numbers among the texts are refused."""


class Doses(Part):
    """Where doses stand in a longitudinal file."""


class MissingObservations(Part):
    """What happens to observations that have no value, and to documents without words."""


class Arrangement(Part):
    """Where the counts of a text file stand."""


class Family(Part):
    """The law of an observation, given its natural parameter θ."""


class Preprocess(Part):
    """One step of preparation, applied to all examples in the order written. Steps that use all clients' data together
    run before the data are divided, as no federation could do, and are a caveat.
    """


class Holdout(Part):
    """What is held out."""


class Partition(Part):
    """Which client holds which example."""


class Model(Part):
    """The model, in the sufficient-statistics form of EM."""


class Covariance(Part):
    """The covariance structure of the mixture; it decides the length q of the statistic (d features, G components)."""


class MixturePrior(Part):
    """What is known of the parameters of a mixture before the data."""


class Curve(Part):
    """The curve of a subject."""


class Effects(Part):
    """The covariance of the random effects."""


class ResidualError(Part):
    """The residual error."""


class Matrices(Part):
    """The complete data of low-rank imputation. EM is valid for every M that holds each cell at most once per matrix.
    The larger M is the slower EM is, and the more `lambda` weighs; without a penalty the estimate is the same for all
    M.
    """


class ResponseLaw(Part):
    """The law of a response, given its linear predictor η = intercept + general · z₀ + specific · z_g."""


class RegressionLoss(Part):
    """What a score costs whose example has another class or number."""


class Penalty(Part):
    """What is added to the mean loss, for coefficients to be small. Intercepts are free of it."""


class StepSize(Part):
    """ρ in x − ρ ∇f(x)."""


class Noise(Part):
    """The variance around regressions."""


class Initial(Part):
    """Where the fit starts: θ₀. FedEM, its baselines, FedMissEM and EM in one place begin at the statistic of all
    examples there, Ŝ₀ = s̄(θ₀), and at θ = T(Ŝ₀), which is one step of EM on; FL-SAEM and its like, VP-EM and diffusion
    EM begin at θ₀ and Ŝ₀ = T⁻¹(θ₀), and so does FedEM with `privacy`. Round 0 of arms with protocols of both kinds is
    not the same point. Of a model whose T⁻¹ is not known, as of all in Python, round 0 of diffusion EM shows s̄(θ₀) and
    its T. Nothing is charged for finding θ₀: everybody knows it before the clock starts, also where it is made from the
    examples of all clients together.
    """


class Protocol(Part):
    """The algorithm."""


class Schedule(Part):
    """A step size γ_k of round k = 1, 2, …"""


class Alpha(Part):
    """The step α of the memories."""


class Memory(Part):
    """The memories V_i."""


class MemoryStart(Part):
    """The first value of the memories."""


class Commit(Part):
    """When a client's memory follows its message, V_i ← V_i + α Quant(Δ_i)."""


class Recovery(Part):
    """What happens to the memory of a client that has lost its state."""


class VarianceReduction(Part):
    """The variance reduction of local statistics."""


class InnerSteps(Part):
    """The number of inner steps of an outer loop."""


class Previous(Part):
    """Values s̄_ij(T(Ŝ)) of a batch at the Ŝ where a client's estimate stands. It changes what a step costs, never what
    it computes.
    """


class Participation(Part):
    """Who takes part in a round, of those who are available."""


class Batch(Part):
    """The examples of a local step."""


class DivideBy(Part):
    """The divisor of the sum of contributions."""


class Compressor(Part):
    """The operator on what is sent: a map from vectors to messages."""


class Norm(Part):
    """The norm that scales a dithered vector."""


class LevelCode(Part):
    """How a vector of signed levels −s…s is written."""


class Indices(Part):
    """How the receiver of a sparse message with k entries knows which were sent."""


class Mask(Part):
    """How the coordinates of the Bernoulli sparsifier are written."""


class Floats(Part):
    """How floats are sent. A value is rounded to it before use, so that both ends hold what the wire carries."""


class Broadcast(Part):
    """What the server sends to the clients of a round."""


class Downlink(Part):
    """What FedEM sends down."""


class DownMemory(Part):
    """The memory of a compressed downlink."""


class Domain(Part):
    """What happens when a statistic has no parameters (T is not defined there)."""


class Weighting(Part):
    """The weights of clients in the objective F = n⁻¹ Σ wᵢ Fᵢ and in the mean field h = n⁻¹ Σ wᵢ hᵢ."""


class Local(Part):
    """What is done with the subjects in a round."""


class Kernel(Part):
    """A transition kernel."""


class ChainStart(Part):
    """Where the chains of a round start."""


class Steps(Part):
    """The steps of kernels."""


class Sends(Part):
    """What a client sends."""


class Coordinates(Part):
    """The coordinates of the operator on the uplink, and in which vectors are clipped (`privacy`)."""


class Architecture(Part):
    """The two algorithms of the paper."""


class Ties(Part):
    """Ties between hubs."""


class HubSearch(Part):
    """Who finds the hubs."""


class Weights(Part):
    """Weights of the consensus."""


class Consensus(Part):
    """How agents average."""


class Missing(Part):
    """What is done about missing messages."""


class Duration(Part):
    """A duration, for example `Ms(20)`. Range: 0 to 584 years; resolution 1 ns."""


class VpBatch(Part):
    """The examples of an iteration (incremental EM of Neal and Hinton)."""


class Singular(Part):
    """Singular covariances."""


class Stopping(Part):
    """When agents stop, by the increase of their own log-likelihood per example from one iteration to the next."""


class VpLink(Part):
    """How terms travel between a client and the server, in one direction: a message is one vector of K numbers for each
    visited example.
    """


class VpSurrogate(Part):
    """The surrogate Ĝ of a vector Q of terms that is sent again and again."""


class FirstTerms(Part):
    """The first message of a surrogate."""


class MissingBlocks(Part):
    """Blocks of features that examples lack, in a study of gaps."""


class GapTreatment(Part):
    """What is done about examples that lack blocks. The objective is in any case that of all that was observed."""


class Combine(Part):
    """How agents combine what they have."""


class Averages(Part):
    """What neighbours average."""


class ControlVariate(Part):
    """How a client of SCAFFOLD renews its control variate."""


class Relaxation(Part):
    """A step of LoCoDL's consensus."""


class Merging(Part):
    """How a server makes one mixture of several."""


class Within(Part):
    """The distance up to which a fit is near the middle, in median distances from there."""


class Round(Part):
    """When the server closes a round, that is, makes its step. If no client can be selected (all are away by the clock,
    or restart after a dropout) and no client is waited for, the round lasts until one can be selected, and makes no
    step. If clients could be selected but a draw chose none, it lasts until its deadline or, without one, a second of
    virtual time, and its step is that without contributions.
    """


class Late(Part):
    """What happens to contributions that arrive after their round has closed."""


class Staleness(Part):
    """ω(τ), the weight of a contribution that answers the broadcast of τ steps ago. The step of FedEM is H = ω̄ V + Σ
    ω(τ_i) D_i / d over those that arrived, with ω̄ the mean of their ω(τ_i) (1 if none did) and d as `divide_by` says:
    old contributions shorten the step, and do not pull it towards V. Memories follow α D_i, unweighted.
    """


class Aggregation(Part):
    """How the server learns the sum of what clients send."""


class Neighbours(Part):
    """Who shares masks with whom."""


class RobustRule(Part):
    """A rule on m vectors x_i, as ByzFL has it."""


class Preaggregation(Part):
    """What is done to vectors before a rule."""


class Privacy(Part):
    """Noise that hides a client."""


class Granularity(Part):
    """What differential privacy hides."""


class Against(Part):
    """The adversary, who should learn little about a client."""


class Liars(Part):
    """Which clients lie; some are honest."""


class Attack(Part):
    """What a Byzantine client reports in place of x."""


class Attacked(Part):
    """Entries of a vector that a Byzantine client replaces; it reports the others as they are."""


class Shape(Part):
    """The shape of a network."""


class Sites(Part):
    """The sites of a network and who is joined to whom. Random ones are drawn again, up to 100 times, until they are
    connected.
    """


class Reach(Part):
    """Which sites of `Geometric` are joined."""


class Rate(Part):
    """A data rate, for example `Mbps(5)`. Range: above 0; decimal prefixes (1 kbit/s = 1000 bit/s). Links have whole
    bit/s: it is rounded to the nearest.
    """


class Piece(Part):
    """Which sites of a file are used."""


class LinkCapacity(Part):
    """Capacity of the links between sites."""


class RateLaw(Part):
    """A law of rates: `Mbps(5)`, or a distribution as for durations, for example `LogNormal(median: Mbps(10), sigma:
    0.5)`.
    """


class LinkLatency(Part):
    """One-way delay of the links between sites."""


class DurationLaw(Part):
    """A law of durations: `Ms(20)`, `Uniform(min: Ms(10), max: Ms(100))`, `LogNormal(median: Ms(40), sigma: 0.5)`,
    `Gamma(mean: Ms(40), shape: 2.0)`, `Exponential(mean: Ms(40))`, `Values([Ms(20), Ms(70)])`, `Each([Ms(20), Ms(70),
    Ms(20)])` or `Column(path: "rtt.csv", column: Name("n0"), unit: Us(500))`.
    """


class Loss(Part):
    """How a link loses packets."""


class SiteName(Part):
    """Which site is meant."""


class Background(Part):
    """Background traffic. A flow of `OnOff` has the latency of its link or, on a link without latency (the server's in
    a star), the mean latency of the links that have one.
    """


class Size(Part):
    """An amount of data, for example `MiB(100)`. Binary prefixes (1 KiB = 1024 bytes = 8192 bits)."""


class Queue(Part):
    """Where packets wait for a link."""


class Placement(Part):
    """The sites to which the clients are attached: client i to the (i modulo their number)-th."""


class RateTrace(Part):
    """How the rate of clients' access links changes in time."""


class TraceStart(Part):
    """Where in its trace a client begins."""


class Delivery(Part):
    """What happens to lost packets."""


class Repair(Part):
    """When lost packets are sent again, counted from when the last packet of the transfer arrived or should have."""


class Connections(Part):
    """Whether messages between two nodes share a connection."""


class Sharing(Part):
    """How concurrent transfers share links."""


class Unit(Part):
    """What `Fifo` stores and sends as a whole."""


class Congestion(Part):
    """How the window grows and shrinks."""


class LatencyOrder(Part):
    """Where the latency of a transfer lies."""


class Headers(Part):
    """How much of a packet is header and how much payload: what a link carries, and what is charged."""


class Availability(Part):
    """Whether a client can be selected. It decides about that moment only: a selected client receives, works and sends
    even if its window ends meanwhile, and is interrupted only by a dropout (`dropout`).
    """


class Durations(Part):
    """A law of durations."""


class Dropout(Part):
    """Whether clients drop out."""


class State(Part):
    """The state of a client that restarts after a dropout."""


class PowerLaw(Part):
    """A law of powers: `W(2.5)`, or a distribution as for durations, for example `Uniform(min: MilliW(300), max:
    W(1))`.
    """


class Power(Part):
    """A power, for example `W(2.5)`. Range: 0 to 10⁶ W."""


class Energy(Part):
    """An energy, for example `KJ(3)`. Range: above 0."""


class Measure(Part):
    """What probes measure."""


class Axis(Part):
    """Something that is varied. The values are RON in text, as in `--set path=value`."""


class Values(Part):
    """The levels of one setting. A level of a rule is rounded to six digits of its distance to the next one, the ends
    are kept as they are written, and where the setting takes whole numbers only it is rounded to the nearest.
    """


class Amount(Part):
    """A number, or a number with its unit in double quotes: `0.1`, `"10 Mbps"`."""


class Which(Part):
    """One level of an axis, or several of them."""


class Law(Part):
    """The law of one setting's values: they are drawn from it, or the points of a sequence are mapped to it. Numbers
    are rounded to six digits of their spread. Where the setting takes whole numbers only, `Uniform` and `LogUniform`
    give those between the ends, the others are rounded to the nearest.
    """


class Target(Part):
    """A target of a run. The first recorded row that meets it counts (rows are not interpolated); a run that never
    reaches it is censored at its end.
    """


class Objective(Part):
    """A cost to minimize."""


class Constraint(Part):
    """A constraint on runs."""


class FigureKind(Part):
    """What a figure draws."""


class XAxis(Part):
    """The horizontal axis of a figure; all are cumulative."""


class Panels(Part):
    """What is in a panel of its own."""


class ShownArm(Part):
    """An arm of a figure, or several as one."""


class Scale(Part):
    """How values become positions."""


class Band(Part):
    """What the band around a line shows."""


class Mark(Part):
    """A line that is no arm."""


class Cost(Part):
    """A cost of reaching the target."""


class ForestOrder(Part):
    """The order of arms."""


class Timed(Part):
    """What takes time."""


class ClientAxis(Part):
    """In what clients differ."""


class MixtureView(Part):
    """What is drawn of a mixture."""


class Scenario(Part, kw_only=True):
    """One scenario: everything a run depends on.

    Attributes:
        name: Its name in results; not empty.
        about: What it shows, what is assumed, what was measured. Default `""`.
        base: The scenario that this one changes, by its name in the library or as a file (ending `.ron`) in the same
            folder. Then `name` is required, and what the base lacks. Of a value with the same name as the base's
            (`FedEm(…)`), or without one (`stop: (…)`), the fields that are written replace those of the base; all other
            values, lists among them, replace the base's as a whole. Default `None`.
        seed: The root of all random draws. Default `1`.
        replicate: Which repetition: other draws under the same seed; up to 10¹². Default `0`.
        replicates: How often every arm is run, with replicates `replicate`, `replicate` + 1, … under the same seed:
            replicate r of every arm meets the same data and the same environment. 1 to 1 000 000, with `search` to 1
            000; intervals need at least 3. Default `1`.
        data: The examples.
        preprocess: Preparation of the examples, in order. Default `[]`.
        holdout: Examples that no client has, by which the fit is judged (`held_out_log_likelihood`, and
            `held_out_accuracy` with labels, at every probe; of subjects `held_out_minus_2ll`, and `held_out_rmse` of
            curves). Not of counts and documents, which are held out by fields of their own. Default `None`.
        clients: n, the number of clients; 1 to 10⁷. Not given with `ClientColumn`, else required. Default `None`.
        partition: Which client holds which example. Default `Iid`.
        model: The model that is fitted.
        initial: Where the fit starts. Default `KMeansPlusPlus(iterations: 0, restarts: 1)`.
        protocol: The algorithm.
        round: When a round closes. Default `WaitForAll`.
        late: What happens to contributions to a round that is closed. Default `Discard`.
        staleness: The weight of a contribution that answers an older broadcast. In FedEM the mean of the weights of a
            step scales V, too; memories are updated without weights. Default `Constant`.
        aggregation: How the server learns the sum of what clients send. Default `Plain`.
        privacy: Noise that hides a client. Default `None`.
        byzantine: Clients that lie to the server; default none. Default `None`.
        network: The network; default a star with the defaults of its fields. Default `(shape: Star, server_up:
            Gbps(1.0), server_down: Gbps(1.0), client_up: Mbps(10.0), client_down: Mbps(50.0), latency: None, up_trace:
            None, down_trace: None, loss: Never, background: Quiet, jitter: None, transport: (delivery: Datagram,
            set_up: 1, slow_start: 10, connections: Kept, restart_after_idle: true, acknowledgements: false), sharing:
            FairShare, queues: (server_up: Fair, server_down: Endless, client_up: Fair, client_down: Endless, links:
            Endless), latency_order: AtServer, headers: Ip)`.
        compute: The speed of computing; times to code and decode messages, and of steps. Default `(expectation:
            Us(10.0), server_expectation: Us(1.0), variation: 0.0, slow: None, coding: (client_send: Ns(0.0),
            client_receive: Ns(0.0), server_send: Ns(0.0), server_receive: Ns(0.0), server_lanes: 1), server_step:
            Ns(0.0), client_step: Ns(0.0))`.
        availability: Whether clients can be selected. Default `Always`.
        dropout: Whether clients drop out while busy. Default `Never`.
        energy: Power of clients and server, from which energy is counted; `None`: it is not. Default `None`.
        stop: When the run ends; at least one rule.
        record: What is written down. Default `(every: 1, probe_every: 10, theta: false, statistics: false, quality:
            true, clients: None, clients_at: [], trace: [])`.
        arms: Variants to run and compare, by name; none: the scenario as it is. With `axes` they are an axis called
            `arms`, which changes slowest. Default `[]`.
        axes: Settings that are varied: every arm is made once per combination of the axes' levels. Default `[]`.
        exclude: Combinations that are left out, by axis name and level: an arm is left out when it has all the levels
            of one of the entries. Default `[]`.
        baseline: The arm that the others are compared with: the level of every axis, by axis name (`{"arms": "NAME"}`
            of arms). Default: the first of each. Default `{}`.
        targets: The targets: bits, time and rounds until each one are measured. Default `[]`.
        search: How runs are chosen if not all are made. Default: all are made. Default `None`.
        figures: The figures to draw, the most important one first; none: one figure of curves, chosen from the results.
            They change no result. Default `[]`.
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
    figures: Sequence[Figure] = UNSET


class GaussianMixtureData(Data):
    """Drawn from a Gaussian mixture whose parameters are thereby the known truth.

    Attributes:
        examples: Number of examples N over all clients. Range: 1 to 1 000 000 000.
        weights: π, the G weights of the components; each above 0, sum 1 (± 1e-9).
        means: μ, G rows of d coordinates.
        covariance: Σ, one for all components or one each; symmetric, positive definite, d × d.
        pool: The size of a pool that all replicates share, from which the examples are sampled without replacement;
            `examples` to 10⁹. None: every replicate draws its examples from the mixture. Default `None`.
    """

    _written: ClassVar[str | None] = "GaussianMixture"

    examples: int
    weights: Sequence[float] | Array
    means: Sequence[Sequence[float] | Array] | Array
    covariance: Covariances
    pool: int | None = UNSET


class RandomMixture(Data):
    """Drawn from a Gaussian mixture that is itself drawn: weights Dirichlet(5, …, 5), means N(0, `separation`² I),
    covariances `correlated` · A Aᵀ / d + (1 − `correlated`) I with standard normal d × d matrices A.

    Attributes:
        examples: Number of examples. Range: 1 to 1 000 000 000.
        features: d. Range: 1 to 2 000.
        components: G. Range: 1 to 1 000.
        separation: Standard deviation of the means' coordinates; no unit (variances of the components are about 1).
            Range: above 0.
        correlated: Share of the correlated part. Range: in (0, 1], no unit. Default `0.8`.
    """

    _written: ClassVar[str | None] = "RandomMixture"

    examples: int
    features: int
    components: int
    separation: float
    correlated: float = UNSET


class ClientMixtures(Data):
    """Drawn from mixtures that are each client's own: weights Dirichlet(`concentration`, …), means at the distance
    `shift` from common ones in random directions, covariances I. The last clients may be outliers, whose examples come
    from one normal distribution. `partition: ClientColumn` divides the examples so.

    Attributes:
        clients: K, the number of clients, outliers included. Range: 1 to 1 000 000.
        points: n, the number of examples of a client. Range: 1 to 1 000 000.
        means: µ̄, R rows of p coordinates.
        shift: h, the distance of a client's means from these. Range: from 0 to 10⁶, in units of the data.
        concentration: a, the concentration of the weights; large is equal weights. No unit. Range: above 0. Default
            `5.0`.
        outliers: The number of outliers, at most `clients` − 1. Default `0`.
        outlier_mean: m, the mean of the coordinates of outliers. Range: that is finite. Default `2.5`.
        outlier_deviation: s, their standard deviation. Range: above 0. Default `2.0`.
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
    """Points of clients, each from one of K linear regressions: a latent label per client, x ~ N(0, I), y = ⟨β_k, x⟩ +
    σ ε. An example is what a client's points sum up to: with `partition: ClientColumn` a client has one.

    Attributes:
        clients: M, the number of clients. Range: 1 to 100 000 000.
        points: n, the number of points of a client. Range: 1 to 1 000 000.
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
    """A text file of numbers, one example per line.

    Attributes:
        path: File name, looked up beside the scenario, then in the data directories; UTF-8 text, packed with gzip or
            zstd or not, or Parquet (in a program with that feature). With `*` or `?` in the name several files, each
            the examples of one client (`partition: ClientColumn`), in the order of their names and with the same
            columns. Range: not empty.
        header: Whether the first line holds column names; none: recognized. Default `None`.
        columns: The columns that are features; `All`: every column but the label's and the client's. Default `All`.
        label: The column of class labels. Default `None`.
        client: The column that names the client of an example. Default `None`.
        delimiter: The character between fields, `' '` for any number of blanks and tabulators; none: recognized, among
            commas, semicolons, tabulators, bars and blanks. Range: an ASCII character that is no part of a number.
            Default `None`.
        missing: What happens to missing values. Default `Error`.
        missing_values: Texts that stand for missing values in this file, beside those that always do: `["-999", "-"]`.
            A number stands for all ways to write it. Each has to occur. Default `[]`.
        factors: What happens to columns of texts. Default `Refuse`.
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
    """Subjects observed over time, from a text file: one row per observation.

    Attributes:
        path: File name, looked up beside the scenario, then in the data directories. Range: not empty.
        subject: The column that names the subject.
        time: The column of times, in any unit.
        value: The column of observed values; with doses these are concentrations and at least 0.
        header: Whether the first line holds column names; none: recognized. Default `None`.
        delimiter: The character between fields, `' '` for any number of blanks and tabulators; none: recognized, among
            commas, semicolons, tabulators, bars and blanks. Range: an ASCII character that is no part of a number.
            Default `None`.
        doses: Where doses stand. Default `NoDoses`.
        only: Which rows are observations (doses are read from all rows); none: all that are no doses. Default `None`.
        after: Observations at this time or before are left out; none: all are kept. Range: that is finite. Default
            `None`.
        missing: What happens to observations without a time or a value: the cell is empty, or says `NA` or alike as in
            `Csv`, or one of `missing_values`. With `Drop` subjects without other observations are left out, too.
            Default `Error`.
        missing_values: Texts that stand for missing values in this file, beside those that always do: `["-999", "-"]`.
            A number stands for all ways to write it. Each has to occur. Default `[]`.
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
    """Counts by site, time and observer, from a text file; a cell that is empty, or says `NA` or alike as in `Csv`, is
    a missing count.

    Attributes:
        path: File name, looked up beside the scenario, then in the data directories. Range: not empty.
        site: The column of the site.
        arrangement: Where the counts stand.
        header: Whether the first line holds column names; none: recognized. Default `None`.
        held_out: The share of the observations that the fit does not see, by which it is judged
            (`held_out_log_likelihood`, `held_out_rmse`). Range: from 0 to 0.9, no unit. Default `0.0`.
        delimiter: The character between fields, `' '` for any number of blanks and tabulators; none: recognized, among
            commas, semicolons, tabulators, bars and blanks. Range: an ASCII character that is no part of a number.
            Default `None`.
        missing_values: Texts that stand for missing counts in this file, beside those that always do: `["-999", "-"]`.
            A number stands for all ways to write it. Each has to occur. Default `[]`.
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
    """Counts by site, time and observer drawn from a low-rank matrix that few irregular visits look at.

    Attributes:
        sites: J, the number of sites. Range: 1 to 1 000 000.
        times: L, the number of times (months: seasons have 12 of them); J L below 2³². Range: 1 to 100 000.
        observers: I, the number of observers. Range: 1 to 1 000 000.
        observations: N, the number of observations; at most half of the I J L possible ones. Range: 1 to 10 000 000.
        rank: The rank of the natural parameters. Range: 1 to 12.
        level: The mean natural parameter. Range: from -100 to 100, no unit.
        spread: Standard deviation of each factor of the sites. Range: from 0 to 100, no unit.
        skew: Standard deviation of the logarithms of the popularity of sites and observers; 0 visits evenly. Range:
            from 0 to 10, no unit.
        family: The law of an observation. Default `Gaussian`.
        held_out: The share of the observations that the fit does not see, by which it is judged
            (`held_out_log_likelihood`, `held_out_rmse`). Range: from 0 to 0.9, no unit. Default `0.0`.
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
    """Responses of persons to items, from a text file: one row per person, or per pattern of responses. None may be
    missing.

    Attributes:
        path: File name, looked up beside the scenario, then in the data directories. Range: not empty.
        header: Whether the first line holds column names; none: recognized. Default `None`.
        items: The columns of the items; `All`: every column but that of the frequency. Default `All`.
        frequency: The column that says how many persons gave the responses of a row; none: one each. Default `None`.
        delimiter: The character between fields, `' '` for any number of blanks and tabulators; none: recognized, among
            commas, semicolons, tabulators, bars and blanks. Range: an ASCII character that is no part of a number.
            Default `None`.
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
        path: File name, looked up beside the scenario, then in the data directories. Range: not empty.
        vocabulary: The file of the words, one per line in the order of their ids; none: words are called by their ids.
            Range: not empty. Default `None`.
        hold_out_every: One of this many tokens of a document is set aside, for measuring perplexity. Of document d
            (from 0) those tokens j ≥ 1 (in the order of word ids) for which j + d is a multiple. Range: 2 to 4 294 967
            295. Default `None`.
        missing: What happens to documents without words. Default `Error`.
    """

    _written: ClassVar[str | None] = "Corpus"

    path: str
    vocabulary: str | None = UNSET
    hold_out_every: int | None = UNSET
    missing: MissingObservations = UNSET


class Documents(Data):
    """Documents drawn from latent Dirichlet allocation: topics from Dirichlet(`concentration`, …), the proportions of a
    document from Dirichlet(`alpha`, …), of each of its tokens a topic, and of that topic a word (Blei, Ng and Jordan
    2003).

    Attributes:
        documents: N, the number of documents. Range: 1 to 100 000 000.
        words: V, the number of words. Range: 2 to 1 000 000.
        topics: The number of topics that the documents are drawn from. Range: 1 to 1 000.
        length: The mean number of tokens of a document; each has one and a Poisson number of others. Range: from 1 to
            100 000 tokens.
        alpha: The concentration of a document's proportions; small is few topics per document. No unit. Range: above 0.
        concentration: The concentration of a topic's words; small is few words per topic. No unit. Range: above 0.
        hold_out_every: One of this many tokens of a document is set aside, for measuring perplexity. Of document d
            (from 0) those tokens j ≥ 1 (in the order of word ids) for which j + d is a multiple. Range: 2 to 4 294 967
            295. Default `None`.
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
        images: The file of images. Range: not empty.
        labels: The file of labels. Range: not empty. Default `None`.
    """

    _written: ClassVar[str | None] = "Idx"

    images: str
    labels: str | None = UNSET


class LibSvm(Data):
    """Examples in the format of LIBSVM (`label index:value …` per line), plain, gzip or zstd. They are kept without
    their zeros until a model needs rows with all numbers.

    Attributes:
        path: File name, looked up beside the scenario, then in the data directories. Range: not empty.
        features: d, the number of features; none: the largest index that occurs. Range: 1 to 1 000 000 000. Default
            `None`.
        hash: The number of columns into which the features are hashed, each with a random sign (feature hashing); none:
            each feature is a column. Range: 1 to 1 000 000. Default `None`.
    """

    _written: ClassVar[str | None] = "LibSvm"

    path: str
    features: int | None = UNSET
    hash: int | None = UNSET


class Npy(Data):
    """An array of NumPy (`.npy`, plain, gzip or zstd, or in a `.npz`): floats, integers or truth values; a row is an
    example.

    Attributes:
        path: The file of the features, looked up beside the scenario, then in the data directories. Dimensions behind
            the second are features too. Range: not empty.
        array: The name of the array in a file of several (`.npz`); not needed where there is one. Default `None`.
        labels: The file of the labels: one whole number per example. Range: not empty. Default `None`.
        labels_array: The name of the labels in a file of several arrays: in `labels`, or in `path` where that is left
            out. Default `None`.
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
    """Every column that has no other use, in the order of the file."""

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
    """The file is refused, with the first such cell and how many there are."""

    _written: ClassVar[str | None] = "Error"


class DropMissingValues(MissingValues):
    """These rows are left out; how many is a caveat."""

    _written: ClassVar[str | None] = "Drop"


class ImputeMissingValues(MissingValues):
    """The cells are filled in, column by column, before data are divided among clients; a caveat says so, because no
    federation could do it without sending. What is held out is filled in by the values of the others. Labels and
    clients are not filled in.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Impute"
    _items: ClassVar[bool] = True

    value: Filling


class MeanFilling(Filling):
    """Their mean."""

    _written: ClassVar[str | None] = "Mean"


class Median(Filling):
    """Their median; of an even number of values the mean of the middle two."""

    _written: ClassVar[str | None] = "Median"


class Mode(Filling):
    """The most frequent one, the smallest of several; of a factor the most frequent level, the first of several."""

    _written: ClassVar[str | None] = "Mode"


class Refuse(Factors):
    """They are refused."""

    _written: ClassVar[str | None] = "Refuse"


class OneHot(Factors):
    """A column `name=level` of 0 and 1 for each level, in alphabetical order. They sum to 1: the covariance of all of
    them is singular.
    """

    _written: ClassVar[str | None] = "OneHot"


class Treatment(Factors):
    """The same without the first level, whose examples have 0 in all of them."""

    _written: ClassVar[str | None] = "Treatment"


class NoDoses(Doses):
    """There are none: the data are growth curves or the like."""

    _written: ClassVar[str | None] = "NoDoses"


class RowsDoses(Doses):
    """In rows of their own, which are no observations (NONMEM, Monolix, nlmixr2).

    Attributes:
        amount: The column of amounts; 0, `.`, `NA` or alike in rows of observations.
    """

    _written: ClassVar[str | None] = "Rows"

    amount: Column | float | str


class PerSubject(Doses):
    """In every row of a subject the same amount, given once.

    Attributes:
        amount: The column of amounts; above 0.
        time: When it was given, in the unit of the times. Range: that is finite. Default `0.0`.
    """

    _written: ClassVar[str | None] = "PerSubject"

    amount: Column | float | str
    time: float = UNSET


class Rows(Part):
    """A choice of rows by the text in a column.

    Attributes:
        column: The column.
        text: What must stand in it.
    """

    _written: ClassVar[str | None] = None

    column: Column | float | str
    text: str


class ErrorMissingObservations(MissingObservations):
    """The file is refused, with the first of them."""

    _written: ClassVar[str | None] = "Error"


class DropMissingObservations(MissingObservations):
    """They are left out; how many is a caveat."""

    _written: ClassVar[str | None] = "Drop"


class Long(Arrangement):
    """One count per line.

    Attributes:
        time: The columns that name the time, most significant first: year, month; at least one. Times are in the order
            of their numbers, or of their texts where these are dates of one form (`2021-03-01`), else of their first
            appearance.
        count: The column of the count.
        observer: The column of the observer; none: every line has an observer of its own. Default `None`.
    """

    _written: ClassVar[str | None] = "Long"

    time: Sequence[Column | float | str]
    count: Column | float | str
    observer: Column | float | str | None = UNSET


class Wide(Arrangement):
    """One line per site, one column of counts per time.

    Attributes:
        counts: The columns of counts, in the order of time; at least one.
        observers: The column of the observer: one for all times, or one per time; none: every count has its own.
            Default `[]`.
    """

    _written: ClassVar[str | None] = "Wide"

    counts: Sequence[Column | float | str]
    observers: Sequence[Column | float | str] = UNSET


class GaussianFamily(Family):
    """Normal with mean θ and variance 1: the paper's choice for its bird counts."""

    _written: ClassVar[str | None] = "Gaussian"


class Poisson(Family):
    """Poisson with log-intensity θ."""

    _written: ClassVar[str | None] = "Poisson"


class Binomial(Family):
    """Binomial with log-odds θ; one trial is presence or absence.

    Attributes:
        trials: m, the number of trials. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Binomial"

    trials: int


class DropConstant(Preprocess):
    """Drop the features whose value is the same in every example."""

    _written: ClassVar[str | None] = "DropConstant"


class Center(Preprocess):
    """Subtract each feature's mean."""

    _written: ClassVar[str | None] = "Center"


class Standardize(Preprocess):
    """Subtract each feature's mean and divide by its standard deviation (divisor N − 1)."""

    _written: ClassVar[str | None] = "Standardize"


class LogPreprocess(Preprocess):
    """Take the natural logarithm of these features, by name or by position from 0 in the file; above 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Log"
    _items: ClassVar[bool] = True

    value: Columns | Sequence[object]


class StandardizePerClient(Preprocess):
    """Subtract each feature's mean and divide by its standard deviation within each client: nothing is sent. What is
    constant in a client becomes 0 there.
    """

    _written: ClassVar[str | None] = "StandardizePerClient"


class StandardizeFederated(Preprocess):
    """As `Standardize`, by the number, the sums and the sums of squares that every client sends before everything else
    ((2 d + 1) · 64 bits), and the means and deviations that the server answers (2 d · 64 bits).
    """

    _written: ClassVar[str | None] = "StandardizeFederated"


class Pca(Preprocess):
    """Project on this many of the first principal components; 1 to the number of features.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Pca"
    _items: ClassVar[bool] = True

    value: int


class RowsHoldout(Holdout):
    """This share of the examples (of longitudinal data the subjects, of responses the persons), drawn without
    replacement, rounded to a whole number.

    Attributes:
        value: The value. Range: in (0, 1), no unit.
    """

    _written: ClassVar[str | None] = "Rows"
    _items: ClassVar[bool] = True

    value: float


class ClientsHoldout(Holdout):
    """All examples of this share of the clients of the client column, drawn in the same way; the others are renumbered.
    Needs `partition: ClientColumn`.

    Attributes:
        value: The value. Range: in (0, 1), no unit.
    """

    _written: ClassVar[str | None] = "Clients"
    _items: ClassVar[bool] = True

    value: float


class Iid(Partition):
    """A uniformly random order, cut into equal shares. Subjects, persons and documents have no other one: their files
    have no client column.
    """

    _written: ClassVar[str | None] = "Iid"


class InOrder(Partition):
    """The order of the data, cut into equal shares: the first examples are those of client 0."""

    _written: ClassVar[str | None] = "InOrder"


class SortedByLabel(Partition):
    """Sorted by label, cut into equal shares: the most heterogeneous clients. Labels that are all integers by number,
    others in the order of their first appearance; those that a model predicts as numbers by these. Needs labels.
    """

    _written: ClassVar[str | None] = "SortedByLabel"


class Dirichlet(Partition):
    """Each label is spread over clients by a draw of Dirichlet(alpha, …, alpha); draws are repeated, at most 1 000
    times, until every client has an example. Needs labels.

    Attributes:
        alpha: Concentration; small is heterogeneous, large is iid. No unit. Range: above 0.
    """

    _written: ClassVar[str | None] = "Dirichlet"

    alpha: float


class Observers(Partition):
    """Whole observers (groups of the data), dealt out at random in equal numbers. Needs counts."""

    _written: ClassVar[str | None] = "Observers"


class ClientColumn(Partition):
    """The client column of the file; then `clients` is not given."""

    _written: ClassVar[str | None] = "ClientColumn"


class EvenFeatures(Partition):
    """Features, not examples, are divided: consecutive ones, in shares that differ by at most one. For VP-EM."""

    _written: ClassVar[str | None] = "EvenFeatures"


class Features(Partition):
    """Features, not examples, are divided: the lists of the clients' features, counted from 0. For VP-EM.

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
        covariance: Which covariances are known or shared. Default `Full`.
        prior: What is known of the parameters before the data. Default `Flat`.
    """

    _written: ClassVar[str | None] = "GaussianMixture"

    components: int
    covariance: Covariance = UNSET
    prior: MixturePrior = UNSET


class MixedEffects(Model):
    """A curve per subject whose parameters vary between subjects; for longitudinal data.

    Attributes:
        curve: The curve.
        effects: The covariance of its parameters. Default `Full`.
        error: The residual error. Default `Constant`.
    """

    _written: ClassVar[str | None] = "MixedEffects"

    curve: Curve
    effects: Effects = UNSET
    error: ResidualError = UNSET


class LowRank(Model):
    """A low-rank matrix of sites × times behind counts: q = J·L.

    Attributes:
        rank: r, the largest rank; 1 to the smaller side of the matrix.
        lambda_: λ, the weight of the nuclear norm in T, beside a mean over M matrices: the fit is that of λM beside the
            log-likelihood of all observations. Range: from 0 to 1 000 000 000, no unit. Default `0.0`.
        family: The law of an observation. Default `Gaussian`.
        matrices: M, how many complete matrices the observations are part of. Default `PerObserver`.
    """

    _written: ClassVar[str | None] = "LowRank"

    rank: int
    lambda_: float = UNSET
    family: Family = UNSET
    matrices: Matrices = UNSET


class BiFactor(Model):
    """Item responses with a general factor and one more per group of items; for `Responses` data.

    Attributes:
        groups: The group of every item, from 1 without gaps.
        law: The law of a response given the factors. Default `Logit`.
    """

    _written: ClassVar[str | None] = "BiFactor"

    groups: Sequence[int] | Array
    law: ResponseLaw = UNSET


class Topics(Model):
    """Latent Dirichlet allocation: topics behind the words of documents; for documents (`Corpus`, `Documents`). q = V·K
    for V words.

    Attributes:
        topics: K. Range: 2 to 1 000.
        alpha: α, the concentration of a document's proportions; small is few topics per document. No unit. Range: above
            0.
        smoothing: ε, tokens of every word that every topic is given beforehand. Dirichlet(1 + ε) is the prior of a
            topic. Range: above 0.
    """

    _written: ClassVar[str | None] = "Topics"

    topics: int
    alpha: float
    smoothing: float


class Regression(Model):
    """Regression on the columns of a table by gradient steps: with it FedEM is gradient descent, DIANA or MARINA, and
    FedAvg-EM is FedAvg.

    Attributes:
        loss: What an example costs.
        penalty: What coefficients cost. Default `NoPenalty`.
        step: ρ, the step of a gradient. Default `Auto`.
        intercept: Is a constant, which is not penalized, added to the columns? A column of ones in the data is
            penalized. Default `false`.
    """

    _written: ClassVar[str | None] = "Regression"

    loss: RegressionLoss
    penalty: Penalty = UNSET
    step: StepSize = UNSET
    intercept: bool = UNSET


class Dictionary(Model):
    """Dictionary learning: every example is a sparse combination of K atoms, min ½‖z − θh‖² + λ‖h‖₁ + η/2 ‖θ‖². The
    experiment of FedMM (Dieuleveut, Fort, Hegazy and Wai 2025), after Mairal et al. (JMLR 2010). The fit starts at
    examples of length 1.

    Attributes:
        atoms: K, the number of atoms. Range: 1 to 1 000.
        lambda_: λ, the weight of ‖h‖₁, in units of the data times units of an atom. Range: above 0.
        eta: η, the weight of ½‖θ‖²; keeps T defined where an atom is not used. Range: above 0.
    """

    _written: ClassVar[str | None] = "Dictionary"

    atoms: int
    lambda_: float
    eta: float


class RegressionMixture(Model):
    """K linear regressions with one latent label per client: each of its points follows the same one ("EM for the
    federated mixture of linear regressions", arXiv 2408.05819). For `data: RegressionMixture(…)`, or a table with the
    same columns.

    Attributes:
        components: K, the number of regressions. Range: 1 to 1 000.
        covariates: p, the number of covariates. Range: 1 to 1 000.
        noise: The variance around the regressions. Default `Unknown`.
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
    """Nothing: T maximizes the likelihood."""

    _written: ClassVar[str | None] = "Flat"


class Conjugate(MixturePrior):
    """A Dirichlet and a normal-Wishart distribution with ν₀ = d, around the mean of all data: T gives the variational
    posterior, and the objective is −ELBO per example. Components without examples get the weight that the prior leaves
    them. Needs the covariance `Full`.

    Attributes:
        concentration: α₀, the examples that the prior counts in each component. A small number empties components.
            Range: from 10⁻⁹ to 10⁹, no unit.
        strength: β₀, the examples that it counts at the mean of all data, for each mean. Range: from 10⁻⁹ to 10⁹, no
            unit. Default `1.0`.
        scatter: Ψ₀ is this times the covariance of all data. Range: from 10⁻⁹ to 10⁹, no unit. Default `1.0`.
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
    """Concentration after oral doses in one compartment with first-order absorption; (Tlag,) ka, V, Cl log-normal.

    Attributes:
        lag: Whether absorption begins after a lag Tlag. Default `false`.
    """

    _written: ClassVar[str | None] = "OneCompartmentOral"

    lag: bool = UNSET


class FullEffects(Effects):
    """Any: q = p + p(p + 1)/2 + 1."""

    _written: ClassVar[str | None] = "Full"


class DiagonalEffects(Effects):
    """Independent effects: q = 2p + 1."""

    _written: ClassVar[str | None] = "Diagonal"


class ConstantResidualError(ResidualError):
    """The same everywhere, in the unit of the values: g = 1."""

    _written: ClassVar[str | None] = "Constant"


class Proportional(ResidualError):
    """In proportion to the curve: g = f, σ is a fraction. Where the curve is 0 the density of other values is 0. Chains
    seldom step over it: a start whose curve has other signs than the values needs a large `sigma`. Values of 0 are
    refused: their likelihood has no bound.
    """

    _written: ClassVar[str | None] = "Proportional"


class PerObserver(Matrices):
    """One matrix per observer, as in the FedEM paper."""

    _written: ClassVar[str | None] = "PerObserver"


class Fewest(Matrices):
    """The smallest number that holds all observations: the most observations of one cell. With one observation per cell
    EM becomes hard- or soft-impute.
    """

    _written: ClassVar[str | None] = "Fewest"


class GaussianResponseLaw(ResponseLaw):
    """Normal with mean η and a variance per item: any finite number."""

    _written: ClassVar[str | None] = "Gaussian"


class Probit(ResponseLaw):
    """0 or 1, by a normal variable around η that is positive or not."""

    _written: ClassVar[str | None] = "Probit"


class Logit(ResponseLaw):
    """0 or 1 with log-odds η: the two-parameter logistic model."""

    _written: ClassVar[str | None] = "Logit"


class Logistic(RegressionLoss):
    """log(1 + exp(−b aᵀx)) with two classes, b = −1 and b = +1 (the second class of the data)."""

    _written: ClassVar[str | None] = "Logistic"


class Squares(RegressionLoss):
    """½(aᵀx − b)². Labels are read as numbers; the two classes of generated data count as −1 and +1."""

    _written: ClassVar[str | None] = "Squares"


class Softmax(RegressionLoss):
    """−log of the probability of an example's class, p_c ∝ exp(aᵀx_c): as many vectors x_c as classes."""

    _written: ClassVar[str | None] = "Softmax"


class Huber(RegressionLoss):
    """Squares up to a distance δ of aᵀx and b, beyond it linear, so that outliers weigh less. Labels are as of
    `Squares`.

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
    """λ Σ x²/(1 + x²), which is smooth and not convex: the problem of the papers on compressed gradients.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "NonConvex"
    _items: ClassVar[bool] = True

    value: float


class L1(Penalty):
    """λ ‖x‖₁, which makes coefficients 0. A gradient step is followed by a soft threshold.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "L1"
    _items: ClassVar[bool] = True

    value: float


class ElasticNet(Penalty):
    """λ₁ ‖x‖₁ + ½λ₂ ‖x‖².

    Attributes:
        l1: λ₁, of the absolute values. Range: above 0.
        ridge: λ₂, of the squares. Range: above 0.
    """

    _written: ClassVar[str | None] = "ElasticNet"

    l1: float
    ridge: float


class AutoStepSize(StepSize):
    """1/L, where L is the smoothness of the mean over all clients, computed to machine precision before the clock
    starts.
    """

    _written: ClassVar[str | None] = "Auto"


class ConstantStepSize(StepSize):
    """This one.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class Unknown(Noise):
    """σ², the same for all clients and components, is estimated."""

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
    """Given parameters.

    Attributes:
        weights: π₀, G weights; each above 0, sum 1 (± 1e-9).
        means: μ₀, G rows of d coordinates.
        covariance: Σ₀; none: the known one, or the covariance of all examples. Default `None`.
    """

    _written: ClassVar[str | None] = "Theta"

    weights: Sequence[float] | Array
    means: Sequence[Sequence[float] | Array] | Array
    covariance: Covariances | None = UNSET


class Typical(Initial):
    """The typical subject of a mixed-effects model.

    Attributes:
        values: The curve's p parameters, on their natural scale (ka, not its logarithm); above 0 where they are
            log-normal.
        deviations: Standard deviations between subjects, on the scale where parameters are normal. Range: each above 0.
        sigma: σ, the residual standard deviation (proportional error: a fraction). Range: above 0.
    """

    _written: ClassVar[str | None] = "Typical"

    values: Sequence[float] | Array
    deviations: Sequence[float] | Array
    sigma: float


class Loadings(Initial):
    """The same item for all items of a bi-factor model.

    Attributes:
        general: Loading on the general factor (the sign of a factor is free). Range: above 0.
        specific: Loading on the group's factor. Range: above 0.
        intercept: Intercept. Range: that is finite. Default `0.0`.
        variance: Variance of a response given the factors. Has no effect without `Gaussian` responses. Range: above 0.
            Default `1.0`.
    """

    _written: ClassVar[str | None] = "Loadings"

    general: float
    specific: float
    intercept: float = UNSET
    variance: float = UNSET


class RandomTopics(Initial):
    """Topics drawn from Dirichlet(concentration, …) over the words.

    Attributes:
        concentration: The concentration; large is similar topics. No unit. Range: above 0. Default `1.0`.
    """

    _written: ClassVar[str | None] = "RandomTopics"

    concentration: float = UNSET


class ZeroInitial(Initial):
    """θ₀ = 0, for a low-rank matrix: Gaussian entries that are missing start as zeros."""

    _written: ClassVar[str | None] = "Zero"


class Margins(Initial):
    """For a low-rank matrix: every cell starts at (mean) × (ratio of its site) × (ratio of its time), ratios shrunk
    towards 1.
    """

    _written: ClassVar[str | None] = "Margins"


class RandomExamples(Initial):
    """Means at G distinct random examples, equal weights, the covariance of all examples."""

    _written: ClassVar[str | None] = "RandomExamples"


class KMeansPlusPlus(Initial):
    """Means by k-means++ seeding and Lloyd iterations.

    Attributes:
        iterations: Lloyd iterations after the seeding. Range: 0 to 10 000. Default `0`.
        restarts: Independent attempts, the best kept. Range: 1 to 10 000. Default `1`.
    """

    _written: ClassVar[str | None] = "KMeansPlusPlus"

    iterations: int = UNSET
    restarts: int = UNSET


class ModelInitial(Initial):
    """Where another run ended: its `model.json`, looked up beside the scenario, then in the data directories. A mixture
    is carried over from the units of its data to those of the prepared columns here; other models as they are.

    Attributes:
        value: The value. Range: not empty.
    """

    _written: ClassVar[str | None] = "Model"
    _items: ClassVar[bool] = True

    value: str


class ParametersInitial(Initial):
    """θ₀ entry by entry, in the order of `theta.csv`, for the prepared data.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Parameters"
    _items: ClassVar[bool] = True

    value: Sequence[float] | Array


class KMeansInitial(Initial):
    """Weights, means and covariances of the clusters of k-means, as scikit-learn starts its mixtures.

    Attributes:
        iterations: Lloyd iterations at most. Range: 1 to 10 000. Default `300`.
        restarts: Independent attempts, the best kept. Range: 1 to 10 000. Default `10`.
    """

    _written: ClassVar[str | None] = "KMeans"

    iterations: int = UNSET
    restarts: int = UNSET


class FedEm(Protocol):
    """FedEM (Algorithm 1), with partial participation and compression; without memory, its naive variant.

    Attributes:
        gamma: γ, the step of the server's update Ŝ ← Ŝ + γ H.
        alpha: α, the step of the memories' update. Has no effect without memory. Default `Auto`.
        memory: The clients' memories V_i, which they keep by default. Default `Memory(initial: MeanField, commit:
            OnAcknowledgement, recovery: Restore)`.
        variance_reduction: Whether local statistics are SPIDER estimates, which makes it VR-FedEM (Algorithm 2).
            Default `NoReduction`.
        participation: Who takes part in a round. Default `All`.
        batch: The examples a client uses in a round. Default `All`.
        divide_by: What the sum of contributions is divided by. Default `Expected`.
        compressor: The operator on the uplink Δ. Default `Identity`.
        allow_biased: Run a biased compressor although the algorithm needs an unbiased one (assumption A6). Default
            `false`.
        floats: The width of a float on the wire. Default `F64`.
        broadcast: What the server sends down each round. Default `Statistic`.
        downlink: Whether the downlink is compressed too. Default `Whole`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
        weighting: How clients are weighted in the mean. Default `Examples`.
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
    """FedEM for low-rank imputation, with messages that carry only the residuals of a client's own observations.
    `broadcast`, `domain` and `weighting` have no effect; V_{0,i} travels with the client's cells before the first
    round, as zeros where it is 0 or there is no memory: arms with other memories begin with the same bits.

    Attributes:
        gamma: γ, the step of the server's update Ŝ ← Ŝ + γ H.
        alpha: α, the step of the memories' update. Has no effect without memory. Default `Auto`.
        memory: The clients' memories V_i, which they keep by default. Default `Memory(initial: MeanField, commit:
            OnAcknowledgement, recovery: Restore)`.
        variance_reduction: Whether local statistics are SPIDER estimates, which makes it VR-FedEM (Algorithm 2).
            Default `NoReduction`.
        participation: Who takes part in a round. Default `All`.
        batch: The examples a client uses in a round. Default `All`.
        divide_by: What the sum of contributions is divided by. Default `Expected`.
        compressor: The operator on the uplink Δ. Default `Identity`.
        allow_biased: Run a biased compressor although the algorithm needs an unbiased one (assumption A6). Default
            `false`.
        floats: The width of a float on the wire. Default `F64`.
        broadcast: What the server sends down each round. Default `Statistic`.
        downlink: Whether the downlink is compressed too. Default `Whole`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
        weighting: How clients are weighted in the mean. Default `Examples`.
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
        domain: What happens when the statistic leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "CentralizedEm"

    domain: Domain = UNSET


class OnlineEm(Protocol):
    """Online (mini-batch) EM in one place (Cappé and Moulines 2009).

    Attributes:
        gamma: γ_k, the step.
        batch: The examples of an iteration, among all. Range: at most the number of examples. Default `All`.
        silent: First iterations in which θ stays, without a value of ‖h‖²: no value ends the run in them. About 20 are
            advised with small batches. Default `0`.
        domain: What happens when the statistic leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "OnlineEm"

    gamma: Schedule | float
    batch: Batch = UNSET
    silent: int = UNSET
    domain: Domain = UNSET


class SemVr(Protocol):
    """sEM-vr in one place: mini-batches with an anchor (Chen et al. 2018).

    Attributes:
        gamma: γ_k, the step.
        refresh: Iterations between two full passes. Range: at least 1 (iterations).
        batch: The examples of an iteration, among all. Range: at most the number of examples. Default `All`.
        domain: What happens when the statistic leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "SemVr"

    gamma: Schedule | float
    refresh: int
    batch: Batch = UNSET
    domain: Domain = UNSET


class IncrementalEm(Protocol):
    """Incremental EM in one place, with a statistic kept for every example (Neal and Hinton 1998).

    Attributes:
        batch: The examples of an iteration, among all. Range: at most the number of examples. Default `All`.
        domain: What happens when the statistic leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "IncrementalEm"

    batch: Batch = UNSET
    domain: Domain = UNSET


class Fiem(Protocol):
    """FIEM in one place (Karimi et al. 2019; Fort et al. 2021).

    Attributes:
        gamma: γ_k, the step.
        batch: The examples of each of the two draws of an iteration, among all. Range: at most the number of examples.
            Default `All`.
        lambda_: λ, the weight of the control variate; 0 is online EM. Range: in [0, 1], no unit. Default `1.0`.
        domain: What happens when the statistic leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Fiem"

    gamma: Schedule | float
    batch: Batch = UNSET
    lambda_: float = UNSET
    domain: Domain = UNSET


class DistributedEm(Protocol):
    """Distributed exact EM: uncompressed statistics of all examples, γ = 1. The iterates of EM in one place up to the
    rounding of sums; where contributions are missing, Ŝ is the mean of those that arrived.

    Attributes:
        floats: The width of a float on the wire. Default `F64`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "DistributedEm"

    floats: Floats = UNSET
    domain: Domain = UNSET


class Ef21(Protocol):
    """FedEM with EF21's error feedback instead of DIANA's memories: for biased compressors such as Top-k. After
    Richtárik, Sokolov and Fatkhullin, "EF21: a new, simpler, theoretically better, and practically faster error
    feedback" (NeurIPS 2021). C is a contraction, E‖C(x) − x‖² ≤ (1 − δ)‖x‖² with δ > 0; clients that are absent or lost
    keep their V_i (EF21-PP). With batches and momentum it is EF21-SGDM (Fatkhullin, Tyurin and Richtárik, NeurIPS
    2023), with `lazy` CLAG, and LAG where the compressor is the identity (Richtárik et al., "3PC: three point
    compressors", ICML 2022).

    Attributes:
        gamma: γ, the step of the server.
        compressor: C, a contraction.
        participation: Who takes part in a round. Default `All`.
        batch: The examples a client uses in a round. Default `All`.
        momentum: η of EF21-SGDM: clients send of x_i ← (1 − η) x_i + η h_i. 1 is EF21, where x_i = h_i. Range: in (0,
            1], no unit. Default `1.0`.
        lazy: ζ of LAG and CLAG: no message where ‖x_i − V_i‖² ≤ ζ times the squared change of x_i since its last round.
            Then a bit says whether there is one. 0: every message is sent, without that bit. Range: from 0 to 10⁶, no
            unit. Default `0.0`.
        floats: The width of a float on the wire. Default `F64`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
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
    """FedEM with MARINA's estimator: changes of h_i are compressed, and now and then h_i is sent whole. After Gorbunov,
    Burlachenko, Li and Richtárik, "MARINA: faster non-convex distributed learning with compression" (ICML 2021). The
    coin comes from a seed that all share, and is 1 in the first round. Every round is a pass over all examples; H is
    carried on from round to round: every client is needed in every round.

    Attributes:
        gamma: γ, the step of the server.
        probability: p, the probability of a round with uncompressed messages. Range: in (0, 1], no unit.
        compressor: The operator on the changes of h_i.
        allow_biased: Run a biased compressor although the estimate needs an unbiased one. Default `false`.
        floats: The width of a float on the wire. Default `F64`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "Marina"

    gamma: Schedule | float
    probability: float
    compressor: Compressor | PythonCompressor
    allow_biased: bool = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class FedAvgEm(Protocol):
    """FedAvg-EM: clients make EM steps, the server averages their parameters.

    Attributes:
        local_steps: E, EM steps of a client in a round. Range: 1 to 1 000. Default `1`.
        participation: Who takes part in a round. Default `All`.
        match_components: Whether components are matched before the mean is taken: each with the nearest of the
            server's, by Kullback-Leibler divergences, whatever the units of the data. Default `true`.
        floats: The width of a float on the wire. Default `F64`.
        domain: What happens when a statistic has no parameters. Default `Error`.
    """

    _written: ClassVar[str | None] = "FedAvgEm"

    local_steps: int = UNSET
    participation: Participation = UNSET
    match_components: bool = UNSET
    floats: Floats = UNSET
    domain: Domain = UNSET


class FedGmm(Protocol):
    """FedEM on mixtures whose components are common, and whose weights each client has of its own, p_i(y) = Σ_g π_ig
    N(y; µ_g, Σ_g): the part of FedGMM (Wu et al., ICML 2023) that models examples. `batch` and `variance_reduction` are
    refused. With whole messages, `gamma: Constant(1)` and all clients it is EM of this model. Each client finds its
    weights from the statistic that it sends, and keeps them while it does not take part. Before it takes part it has
    those of T(Ŝ), the mean over clients. All that is measured is measured at each client's weights: θ and the model
    file have the mean, `clients.csv` has `weight_0`, `weight_1`, … of each. ‖h‖² includes what an EM step changes in
    them. Agreement with labels and values on held-out examples are not measured.

    Attributes:
        gamma: γ, the step of the server's update Ŝ ← Ŝ + γ H.
        alpha: α, the step of the memories' update. Has no effect without memory. Default `Auto`.
        memory: The clients' memories V_i, which they keep by default. Default `Memory(initial: MeanField, commit:
            OnAcknowledgement, recovery: Restore)`.
        variance_reduction: Whether local statistics are SPIDER estimates, which makes it VR-FedEM (Algorithm 2).
            Default `NoReduction`.
        participation: Who takes part in a round. Default `All`.
        batch: The examples a client uses in a round. Default `All`.
        divide_by: What the sum of contributions is divided by. Default `Expected`.
        compressor: The operator on the uplink Δ. Default `Identity`.
        allow_biased: Run a biased compressor although the algorithm needs an unbiased one (assumption A6). Default
            `false`.
        floats: The width of a float on the wire. Default `F64`.
        broadcast: What the server sends down each round. Default `Statistic`.
        downlink: Whether the downlink is compressed too. Default `Whole`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
        weighting: How clients are weighted in the mean. Default `Examples`.
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
    """FedGrEM (Tian, Weng and Feng 2024): each client has weights and means of its own, and the server draws means that
    are near each other together. For mixtures with a known covariance. Weights stay with the clients: θ has those of
    the start, and the common part v of the means. What is measured is measured at each client's parameters, which
    `clients.csv` has. There is no ‖h‖², agreement with labels or value on held-out examples.

    Attributes:
        step: C_η, the step of the means, in units of that of EM at the client's first weights. Range: above 0. Default
            `0.95`.
        penalty: C, the strength of the penalty. 0 is gradient EM of each client alone, after some rounds in which λ
            vanishes. Range: from 0 to 10⁶, no unit. Default `2.0`.
        decay: κ₀, by which λ forgets its start. Range: from 0 to 0.999, no unit. Default `0.1`.
        sweeps: How often the server alternates in a round, after its first pass. Range: 0 to 10 000. Default `20`.
        local_steps: EM steps of each client alone from the start, before its first message. Range: 0 to 10 000. Default
            `10`.
        floats: The width of a float on the wire. Default `F64`.
    """

    _written: ClassVar[str | None] = "FedGrEm"

    step: float = UNSET
    penalty: float = UNSET
    decay: float = UNSET
    sweeps: int = UNSET
    local_steps: int = UNSET
    floats: Floats = UNSET


class GradientAscent(Protocol):
    """Gradient ascent on the marginal likelihood with FedEM's (DIANA's) messages. `variance_reduction` is refused; γ is
    its step; `domain` is about the start, the only statistic of which it needs the parameters. After Mishchenko,
    Gorbunov, Takáč and Richtárik, "Distributed learning with compressed gradient differences" (arXiv 1901.09269). The
    coordinates are x = (log π up to a constant, µ, log variances), which is our choice. Fisher's identity gives the
    gradients from the E-step, one conditional expectation each. The record has Ŝ, the statistic of θ(x), and ‖h(Ŝ)‖² as
    for EM; ‖H‖² is that of the estimated gradient. The step has no natural scale, unlike γ = 1 in EM.

    Attributes:
        gamma: γ, the step of the server's update Ŝ ← Ŝ + γ H.
        alpha: α, the step of the memories' update. Has no effect without memory. Default `Auto`.
        memory: The clients' memories V_i, which they keep by default. Default `Memory(initial: MeanField, commit:
            OnAcknowledgement, recovery: Restore)`.
        variance_reduction: Whether local statistics are SPIDER estimates, which makes it VR-FedEM (Algorithm 2).
            Default `NoReduction`.
        participation: Who takes part in a round. Default `All`.
        batch: The examples a client uses in a round. Default `All`.
        divide_by: What the sum of contributions is divided by. Default `Expected`.
        compressor: The operator on the uplink Δ. Default `Identity`.
        allow_biased: Run a biased compressor although the algorithm needs an unbiased one (assumption A6). Default
            `false`.
        floats: The width of a float on the wire. Default `F64`.
        broadcast: What the server sends down each round. Default `Statistic`.
        downlink: Whether the downlink is compressed too. Default `Whole`.
        domain: What happens when Ŝ leaves the domain of T. Default `Error`.
        weighting: How clients are weighted in the mean. Default `Examples`.
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
    """FL-SAEM: clients sample their latent variables, the server approximates stochastically. D-SAEM, distributed
    gradients.

    Attributes:
        gamma: γ_r, the gain of the stochastic approximation, or the step of gradients. 1 is MCEM, and the text of the
            draft.
        local: What a client computes for its subjects in a round.
        sends: What a client sends. Default `Statistics`.
        local_steps: EM steps that a client makes on its own model between two averages of models. With `sends:
            Parameters`; `growth` and `steps` of the sampler then count these steps. Range: 1 to 10 000. Default `1`.
        alpha: α, the step of the memories' update. Has no effect without memory. Default `Auto`.
        memory: The clients' memories V_i of what they have sent. With `initial: Zero` they begin at w_i S_0, w_i the
            share of the subjects; with `MeanField` each client samples before the first round, and uploads w_i x_i.
            Default `NoMemory`.
        divide_by: What the sum of contributions is divided by. Default `Auto`.
        compressor: The operator on the uplink. Default `Identity`.
        coordinates: The coordinates in which the operator acts, and clipping. Default `Natural`.
        participation: Who takes part in a round. Default `All`.
        floats: The width of a float on the wire. Default `F64`.
        domain: What happens when S leaves the domain of T. With `Clip` and `SkipRound` diverging chains start anew.
            Default `Error`.
        likelihood_draws: Importance draws per subject by which probes estimate the likelihood where it has no closed
            form and the model no quadrature; none: 200 where z is short (not of topics); with 0 no objective is
            recorded then. Range: 0 to 10 000 000. Default `None`.
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
        gamma: γ_r, the gain of the stochastic approximation.
        local: What is done with the subjects in an iteration.
        domain: What happens when S leaves the domain of T. Default `Error`.
        likelihood_draws: Importance draws per subject for probes of the likelihood, as for `FlSaem`. Range: 0 to 10 000
            000. Default `None`.
    """

    _written: ClassVar[str | None] = "CentralizedSaem"

    gamma: Schedule | float
    local: Local
    domain: Domain = UNSET
    likelihood_draws: int | None = UNSET


class VpEm(Protocol):
    """VP-EM, federated or decentralized: data divided by features. The features are divided over `clients` agents by
    `partition: EvenFeatures` or `Features([…])`; the model is a mixture with `covariance: Full`, of which the entries
    between blocks are 0.

    Attributes:
        setting: Who adds the terms of the agents.
        batch: The examples of an iteration after the first, which visits all. Default `All`.
        singular: What happens when a block's covariance is singular. Default `Error`.
        stopping: When agents stop by themselves. Default `Never`.
        uplink: How terms travel to the server of `Federated`. Default `Whole`.
        downlink: How their sums travel back from it. Default `Whole`.
        exact_own: Whether a client whose terms are compressed uses its own as they are, as in EF-VFL: then clients see
            sums of their own, and weights π and likelihoods differ between them. Needs `stopping: Never`. Default
            `false`.
        missing_blocks: Blocks of features that examples lack. `Federated`, with whole terms. Default `Complete`.
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
    """Diffusion or gossip EM, decentralized: data divided by examples. The sites of `shape: Graph(…)` are the agents,
    as many as `clients`; access links, the server and the placement of clients have no meaning then.

    Attributes:
        gamma: γ, the step of an agent's statistic towards that of its own examples, from the second iteration on (the
            first one has nothing to remember). With a constant below 1 and one round it is diffusion EM, with 1 and
            many rounds gossip EM.
        weights: W. Default `Metropolis`.
        combine: How statistics are combined. Default `Rounds(1)`.
        averages: What neighbours average. Default `Statistics`.
        domain: What happens when an agent's statistic leaves the domain of T. Default `Error`.
    """

    _written: ClassVar[str | None] = "DiffusionEm"

    gamma: Schedule | float
    weights: Weights = UNSET
    combine: Combine = UNSET
    averages: Averages = UNSET
    domain: Domain = UNSET


class Scaffold(Protocol):
    """SCAFFOLD: local steps with control variates, which correct what makes a client differ from all (Karimireddy et
    al. 2020). For FedAvg with averaged statistics leave them out by `control: NoControl`.

    Attributes:
        local_steps: K, steps of a client in a round. Range: 1 to 100 000.
        gamma: γ_l, the step of a client on h_i: of gradient steps the paper's η_l is ρ γ_l. Range: above 0.
        server_step: γ_g, the step of the server on the mean of what clients have moved. Range: above 0. Default `1.0`.
        control: How a client renews its control variate. Default `Steps`.
        batch: The examples of a local step. Default `All`.
        participation: Who takes part in a round. Default `All`.
        floats: The width of a float on the wire. Default `F64`.
        weighting: How clients are weighted in the mean. Default `Examples`.
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
    """ProxSkip over clients (Scaffnew): local steps, and a message when a common coin says so (Mishchenko et al. 2022).
    Of gradient steps the paper has ρ γ ≤ 1/L, L the largest of the clients, and p = √(ρ γ µ).

    Attributes:
        gamma: γ, the step of a client on h_i: of gradient steps the paper's γ is ρ times that. Range: above 0.
        probability: p, the probability of a message after a local step: a round has 1/p of them on average. Range: from
            0.0001 to 1, no unit.
        floats: The width of a float on the wire. Default `F64`.
        weighting: How clients are weighted in the mean. Default `Examples`.
    """

    _written: ClassVar[str | None] = "ProxSkip"

    gamma: float
    probability: float
    floats: Floats = UNSET
    weighting: Weighting = UNSET


class LoCoDl(Protocol):
    """LoCoDL: local steps, and compressed messages when a common coin says so (Condat, Maranjyan and Richtárik 2025).
    Of gradient steps the paper has ρ γ < 2/L.

    Attributes:
        gamma: γ, the step of a client on h_i: of gradient steps the paper's γ is ρ times that. Range: above 0.
        probability: p, the probability of a message after a local step: a round has 1/p of them on average. Range: from
            0.0001 to 1, no unit.
        compressor: Quant, on the difference to what all know. Default `Identity`.
        allow_biased: Run a biased compressor although the algorithm needs an unbiased one. Default `false`.
        chi: χ, the step of the corrections. Default `Auto`.
        rho: ϱ, the step towards consensus (ρ in the paper). Default `Auto`.
        shared: σ, how strongly convex the function is that all know; of gradient steps ρ times the paper's. Range: from
            0 to 1, no unit. Default `0.0`.
        floats: The width of a float on the wire. Default `F64`.
        weighting: How clients are weighted in the mean. Default `Examples`.
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
    """One round of local fits: clients run EM on their own examples from a common θ₀ and send what they found, once;
    the server makes one mixture of all. The run ends with that round. For Gaussian mixtures of every covariance.

    Attributes:
        local: EM at each client. Default `(iterations: 1000, tolerance: 1e-6)`.
        combine: How the server makes one mixture of the fits. Default `Reduction(starts: 10)`.
        participation: Who is asked for a fit. Default `All`.
        compressor: The operator on θ_i − θ₀. A biased one is taken as well: no mean of messages is estimated. Default
            `Identity`.
        floats: The width of a float on the wire. Default `F64`.
        domain: What happens when a statistic has no parameters; with `SkipRound` EM ends at the last θ that has some.
            Default `Error`.
        weighting: What the fit of a client counts in the pool. Default `Examples`.
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
    """k-means, in one place or from data divided by features (Ding et al. 2016): a baseline of one round. Its number of
    clusters is that of the model's components.

    Attributes:
        vertical: Whether features are divided over clients (`partition: EvenFeatures` or `Features([…])`); otherwise
            all is in one place.
        iterations: Lloyd iterations at most. Range: 1 to 10 000. Default `300`.
        restarts: Independent attempts, the best kept. Range: 1 to 10 000. Default `10`.
    """

    _written: ClassVar[str | None] = "KMeans"

    vertical: bool
    iterations: int = UNSET
    restarts: int = UNSET


class ConstantSchedule(Schedule):
    """The same in every round.

    Attributes:
        value: The value. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class PowerSchedule(Schedule):
    """γ_k = initial / (1 + (k − 1) / offset)^exponent.

    Attributes:
        initial: γ₁. Range: in (0, 1], no unit.
        exponent: The power of the decay; above 0.5 for the classical conditions of stochastic approximation. Range: in
            (0, 1], no unit.
        offset: The number of rounds before the decay sets in. Range: above 0.
    """

    _written: ClassVar[str | None] = "Power"

    initial: float
    exponent: float
    offset: float


class Saem(Schedule):
    """`first` for k ≤ k1, then `first` / (k − k1)^exponent (Delyon, Lavielle and Moulines 1999).

    Attributes:
        k1: K₁, the length of the first phase; rounds.
        first: The step of the first phase. Range: in (0, 1], no unit. Default `1.0`.
        exponent: The power of the decay; above 0.5 for the classical conditions. Range: in (0, 1], no unit. Default
            `1.0`.
    """

    _written: ClassVar[str | None] = "Saem"

    k1: int
    first: float = UNSET
    exponent: float = UNSET


class AutoAlpha(Alpha):
    """α = 1 / (1 + ω), ω the variance constant of an unbiased compressor (Theorem 1; also under partial participation);
    1 for a biased one that is a contraction (EF21).
    """

    _written: ClassVar[str | None] = "Auto"


class ConstantAlpha(Alpha):
    """This value.

    Attributes:
        value: The value. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class MemoryMemory(Memory):
    """Each client keeps V_i; the server keeps V, their mean.

    Attributes:
        initial: V_{0,i}. Default `MeanField`.
        commit: When a client adds α D_i to its V_i. Default `OnAcknowledgement`.
        recovery: What happens to V_i when a client loses its state (`dropout`). Default `Restore`.
    """

    _written: ClassVar[str | None] = "Memory"

    initial: MemoryStart = UNSET
    commit: Commit = UNSET
    recovery: Recovery = UNSET


class NoMemory(Memory):
    """V_i = 0 forever: what clients send is compressed as it is."""

    _written: ClassVar[str | None] = "NoMemory"


class MeanField(MemoryStart):
    """V_{0,i} = h_i(S₀): one full local pass, and one uncompressed upload per client, which is charged. It precedes the
    first round and is of all clients: availability, participation, deadlines and dropouts begin after it.
    """

    _written: ClassVar[str | None] = "MeanField"


class ZeroMemoryStart(MemoryStart):
    """V_{0,i} = 0: free, but for `FedMissEm`, where zeros travel with the client's cells."""

    _written: ClassVar[str | None] = "Zero"


class OnAcknowledgement(Commit):
    """When the server has acknowledged that it used the message: V stays the mean of the V_i."""

    _written: ClassVar[str | None] = "OnAcknowledgement"


class OnSend(Commit):
    """At once, as in the paper: V drifts from the mean of the V_i when messages are lost or late."""

    _written: ClassVar[str | None] = "OnSend"


class Resynchronized(Commit):
    """At once; and a broadcast to a client n rounds or more after its last copy (that of `Restore` is one; before the
    first: from round n on) carries the server's copy of its V_i (64 bits per number, charged), which it takes over. One
    that is lost is not repeated before that.

    Attributes:
        every: Rounds from one copy to the next. Range: at least 1 (rounds).
    """

    _written: ClassVar[str | None] = "Resynchronized"

    every: int


class Restore(Recovery):
    """The server keeps copies of all V_i and sends it with the next broadcast (64 bits per number, charged), until a
    contribution shows that it arrived.
    """

    _written: ClassVar[str | None] = "Restore"


class ZeroRecovery(Recovery):
    """The client goes on with V_i = 0: V is no longer the mean of the V_i."""

    _written: ClassVar[str | None] = "Zero"


class NoReduction(VarianceReduction):
    """FedEM: means over minibatches."""

    _written: ClassVar[str | None] = "NoReduction"


class Spider(VarianceReduction):
    """VR-FedEM: outer loops that begin with a full local pass, whose statistic inner steps update by minibatch
    differences. With participation below all clients this is our extension of the paper.

    Attributes:
        inner: k_in, the inner steps of an outer loop.
        previous: How values at the previous Ŝ are obtained, and what they cost. Default `Recomputed`.
    """

    _written: ClassVar[str | None] = "Spider"

    inner: InnerSteps
    previous: Previous = UNSET


class FixedInnerSteps(InnerSteps):
    """This number.

    Attributes:
        value: The value. Range: 1 to 1 000 000 000 of inner steps.
    """

    _written: ClassVar[str | None] = "Fixed"
    _items: ClassVar[bool] = True

    value: int


class GeometricInnerSteps(InnerSteps):
    """Geometric with this mean on 1, 2, …, drawn anew for every outer loop from a seed that all share (Geom-SPIDER-EM).

    Attributes:
        value: The value. Range: 1 to 1 000 000 000 of inner steps.
    """

    _written: ClassVar[str | None] = "Geometric"
    _items: ClassVar[bool] = True

    value: int


class Recomputed(Previous):
    """Computed again: 2 b expectations per inner step, m + 2 b in the first of an outer loop, the paper's count K_CE =
    n m + k_out (n m + 2 n b k_in).
    """

    _written: ClassVar[str | None] = "Recomputed"


class Cached(Previous):
    """Kept where they were computed, so that only values of newly drawn examples are computed again. With b = m every
    step costs m.
    """

    _written: ClassVar[str | None] = "Cached"


class AllParticipation(Participation):
    """Every client."""

    _written: ClassVar[str | None] = "All"


class BernoulliParticipation(Participation):
    """Each client independently with this probability p.

    Attributes:
        value: The value. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class Cohort(Participation):
    """This many clients, drawn without replacement.

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
    """b different examples; 1 to the number a client holds (fewer there: all of them).

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "WithoutReplacement"
    _items: ClassVar[bool] = True

    value: int


class Expected(DivideBy):
    """The expected number: n a of all, n a p of `Bernoulli(p)` (n p in Algorithm 1), the smaller of m and n a of
    `Cohort(m)`. a is the probability that a client is available, by `availability` (a share of all time for on/off,
    days and repeating traces; 1 for a trace that does not repeat). With `First(m)` and `Buffered(m)` it is at most m,
    asynchronously 1. Unbiased if this many contribute on average: while no message is lost or late; not for a cohort of
    some of the clients, or the first m, if the number that can take part varies (fewer do on average); and not exactly
    if availability follows the clock (rounds begin when some client is available, and last as long as their clients
    need).
    """

    _written: ClassVar[str | None] = "Expected"


class Arrived(DivideBy):
    """The number that arrived."""

    _written: ClassVar[str | None] = "Arrived"


class Estimated(DivideBy):
    """For each contribution n times the share of the steps so far in which its client took part: what is rare counts
    more, and unequal participation biases nothing in the long run.
    """

    _written: ClassVar[str | None] = "Estimated"


class ClientsDivideBy(DivideBy):
    """n, the number of clients: with α = 1 the estimate is the mean of the memories after the round (EF21)."""

    _written: ClassVar[str | None] = "Clients"


class WeightsDivideBy(DivideBy):
    """The weights of the clients that arrived: without memories the estimate is their weighted mean."""

    _written: ClassVar[str | None] = "Weights"


class AutoDivideBy(DivideBy):
    """`Weights` without memories; with them `Expected` for an unbiased operator and `Clients` for a contraction."""

    _written: ClassVar[str | None] = "Auto"


class Identity(Compressor):
    """Every coordinate as a float: ω = 0."""

    _written: ClassVar[str | None] = "Identity"


class NonZeros(Compressor):
    """Every coordinate that is not zero, as a float, and its index: ω = 0. For vectors that are sparse by themselves."""

    _written: ClassVar[str | None] = "NonZeros"


class Dithering(Compressor):
    """Random dithering of |x_j| / ‖x‖_r on s levels, with the sign (Alistarh et al. 2017 for r = 2, Horváth et al.
    2022). ω = min(A/s, B/(4 s²)), and A − 1 for s = 1, where A = q^max(1/2, 1/r), for `Infinity` (1 + √q)/2, and B =
    q^max(1, 2/r). One level is not one bit: `levels: 1, code: Packed` takes 1.6 bits per entry (−1, 0 or 1), and b bits
    are s = 2^(b − 1) − 1 with `code: Fixed`.

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 65 535.
        norm: The norm r. Default `L(2.0)`.
        code: How levels are written. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Dithering"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Correlated(Compressor):
    """Dithering whose uniforms the clients of a round stratify together, so that their errors cancel in the mean: ω
    alone is that of `Dithering`, and the mean of clients that send nearly the same has an error of order 1/n² in place
    of 1/n (Suresh, Sun, Ro and Yu 2022).

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 65 535.
        norm: The norm r. Default `L(2.0)`.
        code: How levels are written. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Correlated"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Qsgd(Compressor):
    """QSGD: dithering in the 2-norm (Alistarh et al. 2017): ω = min(√q/s, q/(4 s²)), for s = 1 √q − 1. b bits per entry
    are s = 2^(b − 1) − 1 with `code: Fixed`: 4 bits `levels: 7`, 8 bits `levels: 127`.

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 65 535.
        code: How levels are written. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "Qsgd"

    levels: int
    code: LevelCode = UNSET


class TernGrad(Compressor):
    """TernGrad without clipping: signs of some entries times the largest magnitude, log₂ 3 bits each (Wen et al. 2017):
    ω = (√q − 1)/2.
    """

    _written: ClassVar[str | None] = "TernGrad"


class BlockQuantization(Compressor):
    """Block-p-quantization: one norm per block, and a sign or zero for every entry (Mishchenko et al. 2019, DIANA): ω =
    d^max(1/2, 1/p) − 1, for `Infinity` (√d − 1)/2, with d entries in the largest block.

    Attributes:
        block: Entries per block: a longer block would be the whole vector under another label. Range: 1 to q, the
            length of the vector.
        norm: The norm p of a block. Default `L(2.0)`.
        code: How levels are written. Default `Mask`.
    """

    _written: ClassVar[str | None] = "BlockQuantization"

    block: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class Natural(Compressor):
    """Natural compression: signs and exponents, 9 bits per entry (12 with `floats: F64`), ω = 1/8 (Horváth et al.
    2022).
    """

    _written: ClassVar[str | None] = "Natural"


class NaturalDithering(Compressor):
    """Natural dithering: dithering whose levels are powers of two (Horváth et al. 2022): ω = 1/8 + t min(1, t), where t
    = 2^(1 − s) q^max(1/2, 1/r).

    Attributes:
        levels: s, the number of levels above zero. Range: 1 to 60.
        norm: The norm r. Default `L(2.0)`.
        code: How levels are written. Default `EliasSparse`.
    """

    _written: ClassVar[str | None] = "NaturalDithering"

    levels: int
    norm: Norm = UNSET
    code: LevelCode = UNSET


class RandK(Compressor):
    """k of the q coordinates, drawn uniformly, times q/k: ω = q/k − 1 (Stich, Cordonnier and Jaggi 2018, without q/k).

    Attributes:
        k: Kept entries. Range: 1 to q, the length of the vector.
        indices: How the receiver knows which they are. Default `Enumerative`.
    """

    _written: ClassVar[str | None] = "RandK"

    k: int
    indices: Indices = UNSET


class Bernoulli(Compressor):
    """Each coordinate kept with a probability and divided by it: ω = 1/probability − 1 (Konečný and Richtárik 2018).

    Attributes:
        probability: Probability to keep an entry. Range: in (0, 1], no unit.
        mask: How the receiver knows which entries are kept. Default `Sent`.
    """

    _written: ClassVar[str | None] = "Bernoulli"

    probability: float
    mask: Mask = UNSET


class Lazy(Compressor):
    """The whole vector with a probability, divided by it, otherwise nothing: ω = 1/probability − 1 (so called by
    Burlachenko, Horváth and Richtárik 2021, FL_PyTorch).

    Attributes:
        probability: Probability to send. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Lazy"

    probability: float


class RandSeqK(Compressor):
    """k coordinates in sequence from a uniform one, times q/k: ω = q/k − 1, and one index a message (Burlachenko and
    Richtárik 2024).

    Attributes:
        k: Kept entries. Range: 1 to q, the length of the vector.
        first: How the receiver knows the first of them. Default `Sent`.
    """

    _written: ClassVar[str | None] = "RandSeqK"

    k: int
    first: Mask = UNSET


class PermK(Compressor):
    """All clients share out the coordinates of a round by a common permutation: ω = n − 1 alone; the mean of all has
    the error n⁻¹ Σ ‖x_i‖² − ‖n⁻¹ Σ x_i‖², none where they send the same, and n/(n − 1) times that of independent
    operators where they cancel out (Szlendak, Tyurin and Richtárik 2022).
    """

    _written: ClassVar[str | None] = "PermK"


class TopK(Compressor):
    """The k coordinates that are largest in magnitude; of equal ones, those that come first. Biased: a contraction with
    δ = k/q (Stich, Cordonnier and Jaggi 2018).

    Attributes:
        k: Kept entries. Range: 1 to q, the length of the vector.
        indices: How the receiver knows which they are. Default `Enumerative`.
    """

    _written: ClassVar[str | None] = "TopK"

    k: int
    indices: Indices = UNSET


class TopLEK(Compressor):
    """At most the k largest coordinates: as few as a contraction with δ = k/q needs, by a draw exactly that
    (Burlachenko and Richtárik 2024).

    Attributes:
        k: Kept entries, at most. Range: 1 to q, the length of the vector.
    """

    _written: ClassVar[str | None] = "TopLEK"

    k: int


class ScaledSign(Compressor):
    """The mean magnitude times the signs. Biased: a contraction with δ ≥ 1/q (Karimireddy et al. 2019)."""

    _written: ClassVar[str | None] = "ScaledSign"


class LloydMax(Compressor):
    """The scale, and for each coordinate the nearest of 2^`bits` levels that fit a normal distribution (Max 1960).
    Biased: a contraction, with δ near 0.64, 0.88, 0.97, 0.99 for normal entries and 1 to 4 bits. After a rotation
    (`Rotated(of: LloydMax(bits: …))`) it is EDEN (Vargaftik et al. 2022).

    Attributes:
        bits: Bits of a coordinate. Range: 1 to 4.
    """

    _written: ClassVar[str | None] = "LloydMax"

    bits: int


class Rotated(Compressor):
    """Another operator on the vector after a random rotation, a Hadamard matrix with random signs from a seed that both
    ends share: with `ScaledSign` DRIVE (Vargaftik et al. 2021), with `LloydMax` EDEN (2022). The rotated vector has the
    next power of two as its length, D; ω or δ are those of the operator at D.

    Attributes:
        of: The operator on the rotated vector.
    """

    _written: ClassVar[str | None] = "Rotated"

    of: Compressor | PythonCompressor


class RankR(Compressor):
    """The vector as a matrix, row by row, approximated by one of this rank. Biased: δ = rank / min(rows, q / rows)
    (Safaryan et al. 2022, FedNL).

    Attributes:
        rank: The rank; at most the smaller side of the matrix.
        rows: The rows of the matrix that the vector is read as; a divisor of q.
    """

    _written: ClassVar[str | None] = "RankR"

    rank: int
    rows: int


class CountSketch(Compressor):
    """Sums of coordinates with random signs in `rows` × `columns` cells, of which the mean over rows is read, in cells
    of each message's own: ω = (q − 1)/(rows · columns) (Charikar, Chen and Farach-Colton 2002; Ivkin et al. 2019,
    sketched SGD).

    Attributes:
        rows: Independent sketches, whose estimates are averaged. Range: 1 to 64.
        columns: Cells per row. Range: 1 to 1 073 741 824.
    """

    _written: ClassVar[str | None] = "CountSketch"

    rows: int
    columns: int


class Composition(Compressor):
    """One operator, then another: on the kept coordinates alone if the first keeps some (`RandK`, `Bernoulli`, `TopK`).
    Of two unbiased ones ω = (1 + ω₁)(1 + ω₂) − 1 (Horváth et al. 2022), ω₂ at the length that is left; after `TopK` δ =
    (1 − ω₂) k/q, where ω₂ is below 1 (Basu et al. 2019).

    Attributes:
        first: Works on the vector.
        then: Works on what the first leaves.
    """

    _written: ClassVar[str | None] = "Composition"

    first: Compressor | PythonCompressor
    then: Compressor | PythonCompressor


class Induced(Compressor):
    """A contraction C without randomness made unbiased: C(x), and what it leaves out through an unbiased operator: ω =
    (1 − δ) times the ω of `rest` (Horváth and Richtárik 2021).

    Attributes:
        contraction: C: a biased operator without randomness, such as `TopK`, `ScaledSign` or `RankR`.
        rest: The operator on x − C(x).
    """

    _written: ClassVar[str | None] = "Induced"

    contraction: Compressor | PythonCompressor
    rest: Compressor | PythonCompressor


class L(Norm):
    """‖x‖_r = (Σ |x_j|^r)^{1/r}.

    Attributes:
        value: The value. Range: from 1 to 1000, the order of a norm.
    """

    _written: ClassVar[str | None] = "L"
    _items: ClassVar[bool] = True

    value: float


class Infinity(Norm):
    """max |x_j|."""

    _written: ClassVar[str | None] = "Infinity"


class FixedLevelCode(LevelCode):
    """Every entry: a sign bit (0 for level 0) and ⌈log₂(s + 1)⌉ bits."""

    _written: ClassVar[str | None] = "Fixed"


class EliasSparse(LevelCode):
    """QSGD's sparse code: for every entry that is not zero ω(gap to the one before), a sign bit, ω(level). The list
    ends with the message, whose length is known from its framing. Short when few levels are not zero.
    """

    _written: ClassVar[str | None] = "EliasSparse"


class EliasDense(LevelCode):
    """QSGD's dense code: for every entry ω(level + 1), and a sign bit if it is not zero. Short when most are not."""

    _written: ClassVar[str | None] = "EliasDense"


class MaskLevelCode(LevelCode):
    """One bit per entry, zero or not; a sign and ⌈log₂ s⌉ bits for those that are not."""

    _written: ClassVar[str | None] = "Mask"


class Packed(LevelCode):
    """Numbers to base 2s + 1: log₂(2s + 1) bits per entry, at most 1 % more, and less than a bit for the last number."""

    _written: ClassVar[str | None] = "Packed"


class Arithmetic(LevelCode):
    """An adaptive binary arithmetic coder: the practical floor. Its string ends with the message."""

    _written: ClassVar[str | None] = "Arithmetic"


class Enumerative(Indices):
    """The subset's number among all of its size: ⌈log₂ C(q, k)⌉ bits."""

    _written: ClassVar[str | None] = "Enumerative"


class ListIndices(Indices):
    """Every index in ⌈log₂ q⌉ bits."""

    _written: ClassVar[str | None] = "List"


class MaskIndices(Indices):
    """One bit per coordinate."""

    _written: ClassVar[str | None] = "Mask"


class SharedSeedIndices(Indices):
    """Free: both ends draw them from a seed they share."""

    _written: ClassVar[str | None] = "SharedSeed"


class Sent(Mask):
    """One bit per coordinate."""

    _written: ClassVar[str | None] = "Sent"


class SharedSeedMask(Mask):
    """Free: both ends draw the mask from a seed they share."""

    _written: ClassVar[str | None] = "SharedSeed"


class F64(Floats):
    """IEEE binary64: nothing is lost."""

    _written: ClassVar[str | None] = "F64"


class F32(Floats):
    """IEEE binary32: relative error at most 2⁻²⁴ (values above 1.2e-38)."""

    _written: ClassVar[str | None] = "F32"


class Statistic(Broadcast):
    """Ŝ: q floats; clients compute T(Ŝ) themselves."""

    _written: ClassVar[str | None] = "Statistic"


class StatisticAndParameters(Broadcast):
    """Ŝ and T(Ŝ), as the paper writes it."""

    _written: ClassVar[str | None] = "StatisticAndParameters"


class WholeDownlink(Downlink):
    """What `broadcast` says, whole."""

    _written: ClassVar[str | None] = "Whole"


class CompressedDownlink(Downlink):
    """Compressed updates of Ŝ, after Artemis: clients follow Ŝ by them, and are sent all that they have missed, or Ŝ
    (and D, after the first step) as they are, 64 bits per number, where that is shorter; one bit says which. Where
    memories have no bit of acknowledgement, another one says whether the last contribution was used. An update whose
    string does not end itself (dithering with `EliasSparse` or `Arithmetic`, `Lazy`) begins with a bit that says
    whether another follows, and then with its length.

    Attributes:
        compressor: The operator on the server's direction H.
        allow_biased: Run a biased compressor although the theory needs an unbiased one. Default `false`.
        memory: A memory D of H at both ends, so that only H − D is compressed. Default `NoDownMemory`.
    """

    _written: ClassVar[str | None] = "Compressed"

    compressor: Compressor | PythonCompressor
    allow_biased: bool = UNSET
    memory: DownMemory = UNSET


class NoDownMemory(DownMemory):
    """None: H itself is compressed."""

    _written: ClassVar[str | None] = "NoDownMemory"


class DownMemoryDownMemory(DownMemory):
    """D ← D + α' Ω, α' with this step.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "DownMemory"
    _items: ClassVar[bool] = True

    value: Alpha | float


class ErrorDomain(Domain):
    """The run stops with that error."""

    _written: ClassVar[str | None] = "Error"


class Clip(Domain):
    """Weights and variances below the floor are raised to it (of topics the probabilities that are not above 0), and
    the times are counted. The raised weight divides the sums of its component, whose mean moves towards the origin:
    take a floor below every weight that you expect. Of clients that make M-steps of their own (`FedAvgEm`, D-SAEM) the
    server clips the mean, too: what they have raised can be raised, and counted, once more.

    Attributes:
        floor: The floor. Range: in (0, 0.1], no unit.
    """

    _written: ClassVar[str | None] = "Clip"

    floor: float


class SkipRound(Domain):
    """The update of the round is dropped, and the rounds are counted."""

    _written: ClassVar[str | None] = "SkipRound"


class Examples(Weighting):
    """By their numbers of examples, wᵢ = n mᵢ / N: the objective is the likelihood of all data."""

    _written: ClassVar[str | None] = "Examples"


class ClientsWeighting(Weighting):
    """Equally, wᵢ = 1, as the paper has it (its clients hold equal numbers)."""

    _written: ClassVar[str | None] = "Clients"


class Expect(Local):
    """Their conditional expectations are computed: exact EM, for models that have them in closed form."""

    _written: ClassVar[str | None] = "Expect"


class Sample(Local):
    """Their latent variables are sampled.

    Attributes:
        kernel: The transition kernel.
        chains: Chains per subject. Range: 1 to 1 000. Default `1`.
        burn_in: Transitions of a round that only move. Range: 0 to 1 000 000. Default `0`.
        iterations: Transitions after these. Range: 1 to 1 000 000. Default `1`.
        keep: The number of last states of a chain that enter the statistic; 1 to `iterations`. Default `1`.
        growth: Kept transitions that every round has more than the last (MCEM). Range: 0 to 10 000. Default `0`.
        start: Where the chains of a round start. Default `Warm`.
        steps: Whether steps are adapted. Default `Fixed`.
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
        quantize: The operator on the gradient g inside the chain (Algorithm 3 of the draft): it costs accuracy and
            saves no bit, chains never travel. Default `Identity`.
    """

    _written: ClassVar[str | None] = "Langevin"

    step: float
    quantize: Compressor | PythonCompressor = UNSET


class Mala(Kernel):
    """Langevin proposals with Metropolis and Hastings' correction.

    Attributes:
        step: γ; in squared units of z. Range: above 0.
    """

    _written: ClassVar[str | None] = "Mala"

    step: float


class RandomWalk(Kernel):
    """Random walks as in saemix, each kernel this number of times per transition; at least one in all.

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
    """The model's own Gibbs sweep (labels of mixtures, linear mixed models: an exact draw)."""

    _written: ClassVar[str | None] = "Gibbs"


class Warm(ChainStart):
    """Where the subject's last round left them."""

    _written: ClassVar[str | None] = "Warm"


class Restart(ChainStart):
    """At the mode of p(z; θ)."""

    _written: ClassVar[str | None] = "Restart"


class FixedSteps(Steps):
    """They stay."""

    _written: ClassVar[str | None] = "Fixed"


class Adapt(Steps):
    """Each chain adapts them to a target acceptance rate up to a round.

    Attributes:
        rounds: The last round in which steps change. Range: at least 1 (rounds).
        target: The target (MALA: 0.574 is usual). Range: in (0, 1], no unit. Default `0.4`.
    """

    _written: ClassVar[str | None] = "Adapt"

    rounds: int
    target: float = UNSET


class StatisticsSends(Sends):
    """S̃_i, the mean statistic of its samples (Algorithms 2 and 5)."""

    _written: ClassVar[str | None] = "Statistics"


class ParametersSends(Sends):
    """T(S̃_i), its own model, which the server averages (Algorithm 1, D-SAEM)."""

    _written: ClassVar[str | None] = "Parameters"


class GradientSends(Sends):
    """The gradient of its samples' log-density in θ (Fisher's identity)."""

    _written: ClassVar[str | None] = "Gradient"


class NaturalCoordinates(Coordinates):
    """Those of the statistic."""

    _written: ClassVar[str | None] = "Natural"


class Centred(Coordinates):
    """Differences to the broadcast: to a statistic that T maps to θ, or of models to θ. Of gradients, and where
    memories keep what was sent, they are `Natural`.
    """

    _written: ClassVar[str | None] = "Centred"


class Standardized(Coordinates):
    """Centred at the broadcast θ and divided by its standard deviations: all of about the same size. Gradients are
    multiplied by them. For mixed-effects models.
    """

    _written: ClassVar[str | None] = "Standardized"


class Federated(Architecture):
    """Algorithm 1: a server adds the terms. Needs `shape: Star`."""

    _written: ClassVar[str | None] = "Federated"


class Decentralized(Architecture):
    """Algorithm 2: the sites of `shape: Graph(…)` are the agents, as many as `clients`; they average among neighbours.
    A message to a neighbour goes over the link between them, also where a detour would be faster. Access links, the
    server and the placement of clients have no meaning then.

    Attributes:
        hops: h: hubs hold agents within h hops of their root. Range: 0 to 1 000. Default `1`.
        ties: Which of several largest hubs is taken. Default `SmallestIndex`.
        clustering: Whether finding the hubs is charged. Default `Central`.
        weights: W. Default `Metropolis`.
        consensus: How agents average; 100 rounds as in the paper. Default `Rounds(100)`.
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
    """Drawn."""

    _written: ClassVar[str | None] = "Random"


class Outcome(Ties):
    """The outcome of this number in the list of all that ties allow.

    Attributes:
        value: The value. Range: 0 to 9 999.
    """

    _written: ClassVar[str | None] = "Outcome"
    _items: ClassVar[bool] = True

    value: int


class Central(HubSearch):
    """Known before the start: free."""

    _written: ClassVar[str | None] = "Central"


class Flooding(HubSearch):
    """A flooding protocol, whose messages are charged."""

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
    """These; symmetric, rows sum to 1, 0 between agents that are not neighbours.

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
    """Rounds until the states of all agents change by less than a tolerance, and as many more as the diameter, so that
    all agents know it.

    Attributes:
        tolerance: Root mean square of the change, relative to the initial state. Range: above 0.
        at_most: Rounds at most. Range: 1 to 100 000.
        chebyshev: Chebyshev's iteration instead of z ← W z. Default `false`.
    """

    _written: ClassVar[str | None] = "Adaptive"

    tolerance: float
    at_most: int
    chebyshev: bool = UNSET


class Lossy(Consensus):
    """S rounds that go on when messages are missing, because links lose or because they are late. Needs `stopping:
    Never`.

    Attributes:
        rounds: S. Range: 1 to 100 000.
        missing: What an agent does about messages that it misses. Default `PushSum`.
        patience: How long a message of a round is waited for; without it forever, unless it is lost. Range: of at least
            1 ns. Default `None`.
    """

    _written: ClassVar[str | None] = "Lossy"

    rounds: int
    missing: Missing = UNSET
    patience: Duration | str | None = UNSET


class Choco(Consensus):
    """Quantized differences with error compensation (CHOCO-gossip).

    Attributes:
        rounds: S. Range: 1 to 100 000.
        step: γ, the step; the coarser the compressor, the smaller: differences between agents grow where it is too
            large. Range: in (0, 1], no unit.
        compressor: What differences are sent with, 32 examples at a time.
        tracking: Whether states stay from one iteration to the next. Needs `batch: All`. Default `true`.
    """

    _written: ClassVar[str | None] = "Choco"

    rounds: int
    step: float
    compressor: Compressor | PythonCompressor
    tracking: bool = UNSET


class PushSum(Missing):
    """Push-sum with running sums: what was lost is in the next message."""

    _written: ClassVar[str | None] = "PushSum"


class Substitute(Missing):
    """An agent's own state stands for the missing one: averages drift."""

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
    """This number, the next ones in the order of the data.

    Attributes:
        value: The value. Range: 1 to the number of examples.
    """

    _written: ClassVar[str | None] = "InTurn"
    _items: ClassVar[bool] = True

    value: int


class RandomVpBatch(VpBatch):
    """This number, drawn without replacement by a seed that all share.

    Attributes:
        value: The value. Range: 1 to the number of examples.
    """

    _written: ClassVar[str | None] = "Random"
    _items: ClassVar[bool] = True

    value: int


class ErrorSingular(Singular):
    """The run stops with that error."""

    _written: ClassVar[str | None] = "Error"


class RidgeSingular(Singular):
    """This is added to every variance in every M-step; in squared units of the data.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Ridge"
    _items: ClassVar[bool] = True

    value: float


class NeverStopping(Stopping):
    """Only `stop` ends the run."""

    _written: ClassVar[str | None] = "Never"


class Alone(Stopping):
    """Every root for itself: below `tolerance` − `margin` it freezes its parameters and goes on passing terms. The run
    ends when all have. With a margin of twice the largest difference between roots, a root that freezes knows that
    every other one sees an increase below the tolerance, too.

    Attributes:
        tolerance: Per example; no unit. Range: above 0.
        margin: At least 0, below the tolerance. Default `0.0`.
    """

    _written: ClassVar[str | None] = "Alone"

    tolerance: float
    margin: float = UNSET


class Flood(Stopping):
    """The first root below the tolerance floods the number of the last iteration, late enough for all agents to hear.

    Attributes:
        tolerance: Per example; no unit. Range: above 0.
    """

    _written: ClassVar[str | None] = "Flood"

    tolerance: float


class WholeVpLink(VpLink):
    """As they are, 64 bits per number."""

    _written: ClassVar[str | None] = "Whole"


class CompressedVpLink(VpLink):
    """Compressed.

    Attributes:
        compressor: C, the operator.
        floats: The width of a float on the wire. Default `F64`.
        surrogate: Whether terms are coded, or what they differ by from surrogates at both ends. Default
            `Surrogate(alpha: Auto, first: Compressed)`.
    """

    _written: ClassVar[str | None] = "Compressed"

    compressor: Compressor | PythonCompressor
    floats: Floats = UNSET
    surrogate: VpSurrogate = UNSET


class Surrogate(VpSurrogate):
    """Both ends keep Ĝ ← Ĝ + α C(Q − Ĝ) (EF-VFL), example by example: the error of C vanishes when θ comes to rest.

    Attributes:
        alpha: α. Default `Auto`.
        first: The first message, from Ĝ = 0. Default `Compressed`.
    """

    _written: ClassVar[str | None] = "Surrogate"

    alpha: Alpha | float = UNSET
    first: FirstTerms = UNSET


class NoSurrogate(VpSurrogate):
    """None: receivers have C(Q) (CVFL), whose error stays."""

    _written: ClassVar[str | None] = "NoSurrogate"


class CompressedFirstTerms(FirstTerms):
    """As all others: Ĝ = α C(Q)."""

    _written: ClassVar[str | None] = "Compressed"


class WholeFirstTerms(FirstTerms):
    """Q, 64 bits per number: Ĝ = Q."""

    _written: ClassVar[str | None] = "Whole"


class CompleteMissingBlocks(MissingBlocks):
    """None."""

    _written: ClassVar[str | None] = "Complete"


class Drawn(MissingBlocks):
    """Every block of every example is missing with the same probability, drawn again where an example would lack all.
    Nobody reads what is missing: the start (`initial`) is that of a table in which it has the mean of the observed
    values of its feature, whatever the treatment.

    Attributes:
        share: The probability. Range: in (0, 0.95], no unit.
        treatment: What is done about gaps. Default `Marginalize`.
    """

    _written: ClassVar[str | None] = "Drawn"

    share: float
    treatment: GapTreatment = UNSET


class Marginalize(GapTreatment):
    """Exact EM: sums run over the observed blocks, and the M-step of a block over the examples that have it. An agent
    sends the terms of its examples, and once a bit per example that says which they are.
    """

    _written: ClassVar[str | None] = "Marginalize"


class ImputeGapTreatment(GapTreatment):
    """Missing values are replaced by the mean of the observed ones."""

    _written: ClassVar[str | None] = "Impute"


class DropGapTreatment(GapTreatment):
    """Examples with gaps are dropped: agents send a bit per example once, and are told which ones are complete."""

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
    """Statistics: with a small γ and one round the momentum of MNEM acts on them."""

    _written: ClassVar[str | None] = "Statistics"


class ParametersAverages(Averages):
    """Parameters after an EM step on an agent's own examples, γ being the step towards them: network EM (NEM) with γ =
    1. Where agents' data differ its limit is none of EM's. For mixtures.
    """

    _written: ClassVar[str | None] = "Parameters"


class StepsControlVariate(ControlVariate):
    """Option II: by the mean of its steps. The server works the change out of what the client has moved, q numbers."""

    _written: ClassVar[str | None] = "Steps"


class GradientControlVariate(ControlVariate):
    """Option I: by h_i(Ŝ) over all its examples, another pass over them. The message has two vectors, 2 q numbers."""

    _written: ClassVar[str | None] = "Gradient"


class NoControl(ControlVariate):
    """There is none, c = c_i = 0: FedAvg on statistics. The broadcast has one vector."""

    _written: ClassVar[str | None] = "NoControl"


class AutoRelaxation(Relaxation):
    """1/(1 + ω_av), the paper's choice: ω_av = ω max w_i / n of operators that draw independently, 1 of `PermK`. Where
    no ω is known, 1.
    """

    _written: ClassVar[str | None] = "Auto"


class ConstantRelaxation(Relaxation):
    """This value.

    Attributes:
        value: The value. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Constant"
    _items: ClassVar[bool] = True

    value: float


class LocalEm(Part):
    """EM until an iteration lowers the objective, the mean of −log p over the examples, by less than a tolerance.

    Attributes:
        iterations: Iterations at most. Range: 1 to 100 000. Default `1000`.
        tolerance: Per example; no unit. Range: above 0. Default `1e-6`.
    """

    _written: ClassVar[str | None] = None

    iterations: int = UNSET
    tolerance: float = UNSET


class Reduction(Merging):
    """Reduction of all components of all fits to G, by Kullback-Leibler divergences and moments (Zhang and Chen 2022).

    Attributes:
        starts: From how many of the fits it is tried, beside a start of components that are far from each other. The
            result nearest to the pool is taken. Range: 0 to 1 000. Default `10`.
    """

    _written: ClassVar[str | None] = "Reduction"

    starts: int = UNSET


class Filtered(Merging):
    """The same of those fits that lie near the fit in the middle of all, by L² distances of densities (DFMR, Zhang, Tan
    and Chen 2026): for clients that send anything.

    Attributes:
        within: Which fits are near. Default `Auto`.
    """

    _written: ClassVar[str | None] = "Filtered"

    within: Within | float = UNSET


class Resampling(Merging):
    """EM on examples that the server draws of the pool, from θ₀ (FedGenGMM). Its iterations end as those of clients do;
    its work takes the server's time, and is counted.

    Attributes:
        examples: How many it draws. Range: 1 to 10 000 000.
    """

    _written: ClassVar[str | None] = "Resampling"

    examples: int


class MeanMerging(Merging):
    """The mean of parameters, whose components are matched with those of θ₀ first, as in `FedAvgEm`."""

    _written: ClassVar[str | None] = "Mean"


class AutoWithin(Within):
    """max(1, ½ ln(n/2) ln ln n) of n fits: the rule in the public code of DFMR, which keeps at least the nearer half."""

    _written: ClassVar[str | None] = "Auto"


class Medians(Within):
    """This many.

    Attributes:
        value: The value. Range: from 1 to 1000, no unit.
    """

    _written: ClassVar[str | None] = "Medians"
    _items: ClassVar[bool] = True

    value: float


class WaitForAll(Round):
    """When every selected client has responded or is known to be lost."""

    _written: ClassVar[str | None] = "WaitForAll"


class Deadline(Round):
    """As `WaitForAll`, but at the latest this long after the start of the round; later contributions are late.

    Attributes:
        value: The value. Range: of at least 1 ns.
    """

    _written: ClassVar[str | None] = "Deadline"
    _items: ClassVar[bool] = True

    value: Duration | str


class FirstRound(Round):
    """When the first m have responded; 1 to the size of the cohort.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "First"
    _items: ClassVar[bool] = True

    value: int


class Asynchronous(Round):
    """At every contribution, whatever broadcast it answers, in FedEM and gradient ascent. `participation` says how many
    are at work: all, or a cohort, which is filled up after each step with clients that have nothing to do.
    """

    _written: ClassVar[str | None] = "Asynchronous"


class Buffered(Round):
    """The same at every K-th contribution (FedBuff); 1 to the number at work.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Buffered"
    _items: ClassVar[bool] = True

    value: int


class Discard(Late):
    """Neither end uses them, and clients learn that they were not acknowledged; a new broadcast ends older work."""

    _written: ClassVar[str | None] = "Discard"


class Apply(Late):
    """Both ends use them, in FedEM and gradient ascent: they count in the round in which they arrive, and clients at
    work are not selected again. A round waits for them as for those it has selected.
    """

    _written: ClassVar[str | None] = "Apply"


class ConstantStaleness(Staleness):
    """1."""

    _written: ClassVar[str | None] = "Constant"


class PolynomialStaleness(Staleness):
    """(1 + τ)^(−a) with this a (Xie, Koyejo, Gupta 2019).

    Attributes:
        value: The value. Range: from 0 to 10, no unit.
    """

    _written: ClassVar[str | None] = "Polynomial"
    _items: ClassVar[bool] = True

    value: float


class Plain(Aggregation):
    """It sees each message."""

    _written: ClassVar[str | None] = "Plain"


class SecureAggregation(Aggregation):
    """It sees the sum alone, after four exchanges with masks between pairs of clients. `floats` is `F64` then, also for
    the broadcast.

    Attributes:
        neighbours: Who shares masks with whom. Default `All`.
        threshold: How many must answer, and two at the least. `All`: more than this share of the cohort in every
            exchange. `Degree(k)`: two of the cohort in each, and in the last more than this share of the k neighbours
            of every client whose masks are in the sum; in a cohort of k + 1 or fewer as with `All`. Else the round
            fails and nothing of it is used. Range: from 0 to 0.999, no unit. Default `0.5`.
        field_bits: Bits of an entry of a masked vector: numbers modulo 2 to this power. Range: 8 to 53. Default `32`.
        fraction_bits: An entry is rounded to the nearest multiple of 2 to the minus this before it is masked. Range: 0
            to 52. Default `16`.
        key_bits: Bits of a public key. Range: 1 to 100 000. Default `256`.
        share_bits: Bits of a share of a secret. Range: 1 to 100 000. Default `256`.
        overhead_bits: Bits of a ciphertext beyond its plain text: nonce and authentication tag. Range: 0 to 100 000.
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
    """It sees each message, and does not add them: a robust rule makes one vector of them, which few Byzantine clients
    cannot move far. A masked sum shows no vector to apply it to.

    Attributes:
        rule: How the server makes one vector of those that arrived.
        f: f, the number of Byzantine clients in a round that it is to withstand: fewer than half of those that arrive.
            A round in which too few arrive for that is skipped. Range: 0 to 1 000 000.
        mixing: What is done to the vectors before. Default `NoMixing`.
    """

    _written: ClassVar[str | None] = "Robust"

    rule: RobustRule
    f: int
    mixing: Preaggregation = UNSET


class AllNeighbours(Neighbours):
    """All clients with all others (Bonawitz et al. 2017)."""

    _written: ClassVar[str | None] = "All"


class Degree(Neighbours):
    """Each with this many of the cohort, an even number, drawn anew in each round (Bell et al. 2020); as `All` does, in
    a cohort in which no client can have more neighbours than that.

    Attributes:
        value: The value. Range: 2 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Degree"
    _items: ClassVar[bool] = True

    value: int


class TrimmedMean(RobustRule):
    """In each coordinate the mean without the f largest and the f smallest numbers."""

    _written: ClassVar[str | None] = "TrimmedMean"


class CoordinateMedian(RobustRule):
    """In each coordinate the median; f decides only how many must arrive."""

    _written: ClassVar[str | None] = "CoordinateMedian"


class GeometricMedian(RobustRule):
    """The point with the least sum of distances; f decides only how many must arrive.

    Attributes:
        smoothing: ν: smaller distances count as this. Range: above 0. Default `0.1`.
        iterations: Number of steps. Range: 1 to 10 000. Default `3`.
    """

    _written: ClassVar[str | None] = "GeometricMedian"

    smoothing: float = UNSET
    iterations: int = UNSET


class Krum(RobustRule):
    """The vector with the least mean squared distance to its m − f − 1 nearest. m > 2 f + 2."""

    _written: ClassVar[str | None] = "Krum"


class MultiKrum(RobustRule):
    """The mean of the m − f vectors that Krum finds best. m > 2 f + 2."""

    _written: ClassVar[str | None] = "MultiKrum"


class CentredClipping(RobustRule):
    """The last result moved by the mean of differences to it, each shortened to the radius; at first from 0. f decides
    only how many must arrive.

    Attributes:
        radius: τ: a longer difference is shortened to this norm. Range: above 0.
        iterations: Number of steps. Range: 1 to 10 000. Default `1`.
    """

    _written: ClassVar[str | None] = "CentredClipping"

    radius: float
    iterations: int = UNSET


class NoMixing(Preaggregation):
    """Nothing."""

    _written: ClassVar[str | None] = "NoMixing"


class NearestNeighbours(Preaggregation):
    """Each is replaced by the mean of the m − f nearest to it, itself among them."""

    _written: ClassVar[str | None] = "NearestNeighbours"


class GaussianPrivacy(Privacy):
    """The Gaussian mechanism on what clients send, before it is coded; the column `epsilon` says what it has cost.

    Attributes:
        clip: C: a longer vector is shortened to this norm. Range: above 0.
        noise: z: the standard deviation of the noise in each entry, divided by C. Range: from 0.01 to 1 000 000, no
            unit.
        delta: δ of the reported (ε, δ). Range: above 0, to 0.5, no unit. Default `1e-5`.
        granularity: What is hidden. Default `Client`.
        against: From whom. Default `Server`.
    """

    _written: ClassVar[str | None] = "Gaussian"

    clip: float
    noise: float
    delta: float = UNSET
    granularity: Granularity = UNSET
    against: Against = UNSET


class Client(Granularity):
    """All that a client contributes."""

    _written: ClassVar[str | None] = "Client"


class Server(Against):
    """The server, which sees who takes part and each message, or with secure aggregation the sums. No amplification by
    random participation is claimed.
    """

    _written: ClassVar[str | None] = "Server"


class Outsiders(Against):
    """Who sees broadcasts and the final model, and neither messages nor who takes part: the server is trusted.
    Participation by chance (`Bernoulli(p)`) counts where every contribution arrives, and where broadcasts are the same
    for all: a compressed downlink tells each client what it has missed.
    """

    _written: ClassVar[str | None] = "Outsiders"


class Byzantine(Part):
    """Clients that lie, and how.

    Attributes:
        clients: Who they are.
        attack: What they report in place of their vector x_i.
        on: The entries of x_i that they replace. Default `Everything`.
    """

    _written: ClassVar[str | None] = None

    clients: Liars
    attack: Attack
    on: Attacked = UNSET


class FirstLiars(Liars):
    """The first so many.

    Attributes:
        value: The value. Range: 1 to 10 000 000.
    """

    _written: ClassVar[str | None] = "First"
    _items: ClassVar[bool] = True

    value: int


class ClientsLiars(Liars):
    """Those with these numbers, which count from 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Clients"
    _items: ClassVar[bool] = True

    value: Sequence[int] | Array


class Share(Liars):
    """The first ones: this share of all, rounded to whole clients; with 0 nobody.

    Attributes:
        value: The value. Range: from 0 to 1, no unit.
    """

    _written: ClassVar[str | None] = "Share"
    _items: ClassVar[bool] = True

    value: float


class SignFlip(Attack):
    """−x."""

    _written: ClassVar[str | None] = "SignFlip"


class Scaled(Attack):
    """This factor times x.

    Attributes:
        value: The value. Range: that is finite.
    """

    _written: ClassVar[str | None] = "Scaled"
    _items: ClassVar[bool] = True

    value: float


class RandomAttack(Attack):
    """Independent Gaussian entries with mean 0.

    Attributes:
        deviation: Their standard deviation. Range: from 0 to 10¹⁵⁰.
    """

    _written: ClassVar[str | None] = "Random"

    deviation: float


class InnerProduct(Attack):
    """−τ times the mean of the honest clients of the round: inner-product manipulation (Xie et al., UAI 2019).

    Attributes:
        value: The value. Range: that is finite.
    """

    _written: ClassVar[str | None] = "InnerProduct"
    _items: ClassVar[bool] = True

    value: float


class LittleIsEnough(Attack):
    """In each coordinate the mean of the honest clients of the round plus τ of their standard deviations: a little is
    enough (Baruch et al., NeurIPS 2019).

    Attributes:
        value: The value. Range: that is finite.
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
    """The network between the server and the clients.

    Attributes:
        shape: Who is joined to whom. Default `Star`.
        server_up: Rate out of the server, shared by all its transfers. Range: from 1 bit/s to 10 Tbit/s. Default
            `Gbps(1.0)`.
        server_down: Rate into the server, shared by all transfers to it. Range: from 1 bit/s to 10 Tbit/s. Default
            `Gbps(1.0)`.
        client_up: Rate from a client. Default `Mbps(10.0)`.
        client_down: Rate to a client. Default `Mbps(50.0)`.
        latency: One-way delay of a client's access link. `None`: 40 ms in a star, 5 ms in a graph. Default `None`.
        up_trace: How the rate from a client changes in time, in place of `client_up`. Default `None`.
        down_trace: How the rate to a client changes in time, in place of `client_down`. Default `None`.
        loss: Losses on the clients' access links. Default `Never`.
        background: Background traffic, in either direction: in a star on the server's link, in a graph on every link
            between sites. Default `Quiet`.
        jitter: A further delay of each message, drawn anew. Default `None`.
        transport: Connection set-up, slow start, acknowledgements and repair of losses. Default `(delivery: Datagram,
            set_up: 1, slow_start: 10, connections: Kept, restart_after_idle: true, acknowledgements: false)`.
        sharing: How transfers share links. Default `FairShare`.
        queues: Where packets wait; only for models of sharing with queues, such as `Tcp()`. Default `(server_up: Fair,
            server_down: Endless, client_up: Fair, client_down: Endless, links: Endless)`.
        latency_order: Where the latency of a transfer lies. Default `AtServer`.
        headers: How much of a packet is header. Default `Ip`.
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
    """One server, an access link per client, in each direction its own rate."""

    _written: ClassVar[str | None] = "Star"


class Graph(Shape):
    """Sites joined by links; the server and the clients are attached to sites by access links. Routes are the shortest
    by latency.

    Attributes:
        sites: The sites and who is joined to whom.
        link_capacity: Capacity of the links between sites, in either direction. Default `Law(Gbps(1.0))`.
        link_latency: One-way delay of the links between sites. Default `Law(Ms(5.0))`.
        link_loss: Losses on the links between sites. Default `Never`.
        links: Links between sites that differ from the others. Default `[]`.
        server: The server's site. Default `Index(0)`.
        clients: The clients' sites. Default `Others`.
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
    """Site 0 joined to all others.

    Attributes:
        value: The value. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Star"
    _items: ClassVar[bool] = True

    value: int


class Path(Sites):
    """Each site joined to the next.

    Attributes:
        value: The value. Range: 1 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Path"
    _items: ClassVar[bool] = True

    value: int


class Ring(Sites):
    """A path whose ends are joined.

    Attributes:
        value: The value. Range: 3 to 1 000 000.
    """

    _written: ClassVar[str | None] = "Ring"
    _items: ClassVar[bool] = True

    value: int


class CompleteSites(Sites):
    """Every pair joined.

    Attributes:
        value: The value. Range: 1 to 2 000.
    """

    _written: ClassVar[str | None] = "Complete"
    _items: ClassVar[bool] = True

    value: int


class GridSites(Sites):
    """Rows and columns, neighbours joined; in the plane, one unit apart.

    Attributes:
        rows: Number of rows. Range: 1 to 1 000.
        columns: Number of columns. Range: 1 to 1 000.
    """

    _written: ClassVar[str | None] = "Grid"

    rows: int
    columns: int


class KRegular(Sites):
    """Every site joined to `degree` others: a uniform pairing of link ends, without loops and double links.

    Attributes:
        sites: Number of sites; `sites` · `degree` is even. Range: 2 to 100 000.
        degree: Links per site; 1 to `sites` − 1.
    """

    _written: ClassVar[str | None] = "KRegular"

    sites: int
    degree: int


class GeometricSites(Sites):
    """Uniform points of the unit square, near ones joined.

    Attributes:
        sites: Number of sites. Range: 1 to 5 000.
        reach: Which pairs are joined.
    """

    _written: ClassVar[str | None] = "Geometric"

    sites: int
    reach: Reach


class ErdosRenyi(Sites):
    """Every pair joined with the same probability, independently (Erdős–Rényi).

    Attributes:
        sites: Number of sites. Range: 1 to 20 000.
        probability: The probability. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "ErdosRenyi"

    sites: int
    probability: float


class BarabasiAlbert(Sites):
    """Preferential attachment (Barabási–Albert): from a star of `links` + 1 sites on, each new site joins `links`
    different older ones, drawn in proportion to their degrees.

    Attributes:
        sites: Number of sites. Range: 2 to 1 000 000.
        links: Links of each new site; 1 to `sites` − 1.
    """

    _written: ClassVar[str | None] = "BarabasiAlbert"

    sites: int
    links: int


class Hierarchical(Sites):
    """A tree below site 0, the `cloud`: `fan_out: [3, 4]` has three sites below it and four below each of those. With
    `clients: Leaves` the clients are attached to the lowest level: clients – edge servers – cloud.

    Attributes:
        fan_out: Sites below each site, level by level; one to four levels, at most 1 000 000 sites. Range: each 1 to 1
            000.
    """

    _written: ClassVar[str | None] = "Hierarchical"

    fan_out: Sequence[int] | Array


class Gml(Sites):
    """A file in GML (Internet Topology Zoo).

    Attributes:
        path: File name, looked up beside the scenario, then in the data directories. Range: not empty.
        capacity: The attribute of an edge that is its capacity, for `link_capacity: File()`. Default `(name:
            "LinkSpeedRaw", unit: Bps(1.0))`.
        latency: The attribute of an edge that is its latency, for `link_latency: File()`. Default `None`.
        piece: Which sites of a network that is not connected. Default `Connected`.
    """

    _written: ClassVar[str | None] = "Gml"

    path: str
    capacity: RateAttribute = UNSET
    latency: DurationAttribute | None = UNSET
    piece: Piece = UNSET


class Radius(Reach):
    """All pairs not farther apart than this.

    Attributes:
        value: The value. Range: in (0, 2], no unit.
    """

    _written: ClassVar[str | None] = "Radius"
    _items: ClassVar[bool] = True

    value: float


class MeanDegree(Reach):
    """The closest pairs, as many as give the mean degree nearest to this.

    Attributes:
        value: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "MeanDegree"
    _items: ClassVar[bool] = True

    value: float


class RateAttribute(Part):
    """An attribute that is a rate.

    Attributes:
        name: Its name.
        unit: What 1 of it is. Range: from 1 bit/s to 10 Tbit/s.
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
    """An attribute that is a duration.

    Attributes:
        name: Its name.
        unit: What 1 of it is. Range: from 0 to 584 years.
    """

    _written: ClassVar[str | None] = None

    name: str
    unit: Duration | str


class Connected(Piece):
    """All: the network must be connected."""

    _written: ClassVar[str | None] = "Connected"


class Largest(Piece):
    """The largest connected piece, of several the one with the first site; which sites are left out is a caveat."""

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
    """As the file says.

    Attributes:
        otherwise: For links of which the file does not say it; without it such a link is an error. Range: from 1 bit/s
            to 10 Tbit/s. Default `None`.
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
        min: Lower end; at most `max`. Range: from 1 bit/s to 10 Tbit/s.
        max: Upper end. Range: from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Uniform"

    min: Rate | str
    max: Rate | str


class LogNormalRateLaw(RateLaw):
    """median · exp(sigma · Z), Z standard normal.

    Attributes:
        median: The median. Range: from 1 bit/s to 10 Tbit/s.
        sigma: Standard deviation of the logarithm. Range: from 0 to 10, no unit.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Rate | str
    sigma: float


class GammaRateLaw(RateLaw):
    """Gamma with the given mean and shape; its standard deviation is mean / √shape.

    Attributes:
        mean: The mean. Range: from 1 bit/s to 10 Tbit/s.
        shape: The shape. Range: from 0.001 to 1 000 000, no unit.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Rate | str
    shape: float


class ExponentialRateLaw(RateLaw):
    """Exponential with the given mean.

    Attributes:
        mean: The mean. Range: from 1 bit/s to 10 Tbit/s.
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
    """No draw: client i (or link i) has the i-th value; there must be as many as clients (or links).

    Attributes:
        value: The value. Range: each from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Rate | str]


class ColumnRateLaw(RateLaw):
    """A number of a row of a table that is drawn for each client: one row per client and table, so that columns of one
    table (same `path`, same `only`) are drawn jointly. Rows in which one of the requested columns is empty are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd, looked up beside the scenario, then in the data
            directories. Range: not empty.
        column: Which column.
        unit: What 1 of it is; above 0.
        inverse: `unit` ÷ value instead of `unit` · value: for scores where more is faster. Default `false`.
        skip_zero: 0 means "not measured": the row is skipped. Default `false`.
        only: Only rows in which a column has this text. Default `None`.
        in_order: No draw: client i (or link i) has the i-th of the rows that are not skipped, of which there must be
            enough. Default `false`.
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
    """Which rows of a table count.

    Attributes:
        column: The column that is looked at.
        is_: The text it must have.
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
    """Distance over speed: along great circles for files, in the plane for `Grid` and `Geometric`.

    Attributes:
        km_per_ms: Speed of the signal in km per millisecond; 200 is that of light in fibre. Range: in (0, 300], in km
            per millisecond. Default `200.0`.
        unit_km: Length of one unit of the plane in km. Without effect for files. Range: above 0. Default `1000.0`.
        otherwise: For links with an end of unknown place; without it such a link is an error. Range: from 0 to a year
            (365.25 days). Default `None`.
    """

    _written: ClassVar[str | None] = "Distance"

    km_per_ms: float = UNSET
    unit_km: float = UNSET
    otherwise: Duration | str | None = UNSET


class FileLinkLatency(LinkLatency):
    """As the file says.

    Attributes:
        otherwise: For links of which the file does not say it; without it such a link is an error. Range: from 0 to a
            year (365.25 days). Default `None`.
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
        min: Lower end; at most `max`. Range: from 0 to a year (365.25 days).
        max: Upper end. Range: from 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Uniform"

    min: Duration | str
    max: Duration | str


class LogNormalDurationLaw(DurationLaw):
    """median · exp(sigma · Z), Z standard normal.

    Attributes:
        median: The median. Range: from 1 ns to a year (365.25 days).
        sigma: Standard deviation of the logarithm. Range: from 0 to 10, no unit.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Duration | str
    sigma: float


class GammaDurationLaw(DurationLaw):
    """Gamma with the given mean and shape; its standard deviation is mean / √shape.

    Attributes:
        mean: The mean. Range: from 1 ns to a year (365.25 days).
        shape: The shape. Range: from 0.001 to 1 000 000, no unit.
    """

    _written: ClassVar[str | None] = "Gamma"

    mean: Duration | str
    shape: float


class ExponentialDurationLaw(DurationLaw):
    """Exponential with the given mean.

    Attributes:
        mean: The mean. Range: from 1 ns to a year (365.25 days).
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
    """No draw: client i (or link i) has the i-th value; there must be as many as clients (or links).

    Attributes:
        value: The value. Range: each from 0 to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class ColumnDurationLaw(DurationLaw):
    """A number of a row of a table that is drawn for each client: one row per client and table, so that columns of one
    table (same `path`, same `only`) are drawn jointly. Rows in which one of the requested columns is empty are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd, looked up beside the scenario, then in the data
            directories. Range: not empty.
        column: Which column.
        unit: What 1 of it is; above 0.
        inverse: `unit` ÷ value instead of `unit` · value: for scores where more is faster. Default `false`.
        skip_zero: 0 means "not measured": the row is skipped. Default `false`.
        only: Only rows in which a column has this text. Default `None`.
        in_order: No draw: client i (or link i) has the i-th of the rows that are not skipped, of which there must be
            enough. Default `false`.
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
    """Not at all."""

    _written: ClassVar[str | None] = "Never"


class BernoulliLoss(Loss):
    """Each packet with this probability, independently; 0 is as `Never`, for an axis that begins there.

    Attributes:
        value: The value. Range: in [0, 1), no unit.
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class GilbertElliott(Loss):
    """In bursts: the link is good or bad, and changes between packets. In the long run it loses the share π · `in_bad`
    + (1 − π) · `in_good` with π = `to_bad` / (`to_bad` + `to_good`), the share of packets that find it bad.

    Attributes:
        to_bad: Probability per packet that a good link turns bad. Range: in (0, 1], no unit.
        to_good: Probability per packet that a bad link turns good. Range: in (0, 1], no unit.
        in_good: Probability of loss of a packet that finds the link good. Range: in [0, 1), no unit. Default `0.0`.
        in_bad: Probability of loss of a packet that finds the link bad. Range: in (0, 1], no unit. Default `1.0`.
    """

    _written: ClassVar[str | None] = "GilbertElliott"

    to_bad: float
    to_good: float
    in_good: float = UNSET
    in_bad: float = UNSET


class LinkSettings(Part):
    """What is different about the link between two sites, in both directions (all links between the two, where there
    are several). At least one setting; what is not given is as for the other links.

    Attributes:
        from_: One of its ends.
        to: The other.
        capacity: Its capacity. Range: from 1 bit/s to 10 Tbit/s. Default `None`.
        latency: Its one-way delay. Range: from 0 to a year (365.25 days). Default `None`.
        loss: Its losses. Default `None`.
        background: Background traffic on it. Default `None`.
        queue: Where packets wait for it; only for `sharing: Tcp()`. Default `None`.
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
    """The site of this number, from 0.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Index"
    _items: ClassVar[bool] = True

    value: int


class NameSiteName(SiteName):
    """The site of this name; generated sites are called `s0`, `s1`, …, those of a grid `r0c0`, …, of a hierarchy
    `cloud`, `e0`, `e0.0`, ….

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
    """A constant rate that is taken off the capacity; below it.

    Attributes:
        value: The value. Range: from 1 bit/s to 10 Tbit/s.
    """

    _written: ClassVar[str | None] = "Rate"
    _items: ClassVar[bool] = True

    value: Rate | str


class OnOffBackground(Background):
    """Flows that come and go and share like ours: off for an exponential duration, then an exponential number of bits,
    and so on. As with any transfer its latency passes before its bits flow, in which it takes nothing from us.

    Attributes:
        flows: Flows per link and direction. Range: 1 to 1 000.
        mean_off: Mean duration between two transfers of a flow. Range: of at least 1 ns.
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
    """A queue for each flow, served in turn: in the sending host, or in a router that keeps flows apart."""

    _written: ClassVar[str | None] = "Fair"


class Endless(Queue):
    """One queue with room for everything."""

    _written: ClassVar[str | None] = "Endless"


class Room(Queue):
    """One queue with this much room, as in a modem or a router; what finds too little is dropped.

    Attributes:
        value: The value. Range: at least 1 bit.
    """

    _written: ClassVar[str | None] = "Room"
    _items: ClassVar[bool] = True

    value: Size | str


class Delay(Queue):
    """One queue with room for what the link sends in this duration.

    Attributes:
        value: The value. Range: from 1 ns to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Delay"
    _items: ClassVar[bool] = True

    value: Duration | str


class Others(Placement):
    """All but the server's; that too when there is no other."""

    _written: ClassVar[str | None] = "Others"


class Everywhere(Placement):
    """All."""

    _written: ClassVar[str | None] = "Everywhere"


class Leaves(Placement):
    """Those with one neighbour, but not the server's."""

    _written: ClassVar[str | None] = "Leaves"


class SitesPlacement(Placement):
    """These; at least one.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Sites"
    _items: ClassVar[bool] = True

    value: Sequence[SiteName | float | str]


class StepsRateTrace(RateTrace):
    """Given steps.

    Attributes:
        rows: Rows of steps; client i has row i modulo their number, and begins it anew after its last step.
    """

    _written: ClassVar[str | None] = "Steps"

    rows: Sequence[Sequence[Step]]


class TableRateTrace(RateTrace):
    """Measured rates: a CSV file, plain or packed, with a row for each interval of time, in order. A client follows one
    of its traces, which is drawn, and begins it anew after its last row. Where the traces of both directions have the
    same names, it follows the same one in both.

    Attributes:
        path: The file, looked up beside the scenario, then in the data directories. Range: not empty.
        column: The column of rates; 0 is an outage.
        unit: What 1 of it is. Range: from 1 bit/s to 10 Tbit/s.
        interval: How long a row lasts. Range: from 1 ms to a year.
        by: The column that names the trace that a row belongs to. `None`: the file is one trace. Default `None`.
        only: Only rows in which a column has this text. Default `None`.
        start: Where in its trace a client begins. Default `Anywhere`.
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
    """A rate and how long it lasts.

    Attributes:
        rate: The rate; 0 is an outage. Range: 0, or from 1 bit/s to 10 Tbit/s.
        lasts: How long it lasts. Range: from 1 ms to a year.
    """

    _written: ClassVar[str | None] = None

    rate: Rate | str
    lasts: Duration | str


class Anywhere(TraceStart):
    """Anywhere, each instant as likely, drawn for each client; the same in both directions."""

    _written: ClassVar[str | None] = "Anywhere"


class Beginning(TraceStart):
    """At its beginning."""

    _written: ClassVar[str | None] = "Beginning"


class Transport(Part):
    """Connection set-up, slow start, acknowledgements and repair of losses.

    Attributes:
        delivery: What happens to lost packets. Default `Datagram`.
        set_up: Round trips to set up a connection, with two headers each. A round trip here is the latency of both
            directions: the headers are charged as bits, and take no time on the links (with `Tcp` they are packets as
            others are). Range: 0 to 10 round trips. Default `1`.
        slow_start: Slow start: the first window of a connection in segments, doubled each round trip until the links
            limit the sender and not the window. `None`: no window. Range: 1 to 1 000 000 segments. Default `10`.
        connections: Whether messages between two nodes share a connection. Default `Kept`.
        restart_after_idle: A sender that has sent nothing for longer than the round trip and 200 ms halves its window
            for each of these, down to the first window (RFC 2861, the default of Linux). Default `true`.
        acknowledgements: Acknowledgements are charged, a header for every second packet of the other direction (with
            `Tcp` as Linux sends them: the first 16 packets of a connection or after a rest one by one), and take room
            on the links (not with `Ideal` and `Fifo`, where they are charged alone); else they are free. Default
            `false`.
    """

    _written: ClassVar[str | None] = None

    delivery: Delivery = UNSET
    set_up: int = UNSET
    slow_start: int | None = UNSET
    connections: Connections = UNSET
    restart_after_idle: bool = UNSET
    acknowledgements: bool = UNSET


class Datagram(Delivery):
    """Nothing: a lost packet loses its message."""

    _written: ClassVar[str | None] = "Datagram"


class Reliable(Delivery):
    """They are sent again until they arrive (at most 1000 times); retransmissions are charged and take time.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Reliable"
    _items: ClassVar[bool] = True

    value: Repair


class RoundTrip(Repair):
    """When the receiver has reported what is missing: after the latency of the route back."""

    _written: ClassVar[str | None] = "RoundTrip"


class Timeout(Repair):
    """After a fixed duration.

    Attributes:
        value: The value. Range: from 1 ns to a year (365.25 days).
    """

    _written: ClassVar[str | None] = "Timeout"
    _items: ClassVar[bool] = True

    value: Duration | str


class KeptConnections(Connections):
    """One connection, which lasts until a message on it is cut off; its windows last as long."""

    _written: ClassVar[str | None] = "Kept"


class PerMessage(Connections):
    """Nothing: each message has a connection of its own."""

    _written: ClassVar[str | None] = "PerMessage"


class Ideal(Sharing):
    """No contention: latency + bits / slowest link."""

    _written: ClassVar[str | None] = "Ideal"


class FairShare(Sharing):
    """Max–min fair rates, updated whenever a transfer starts or ends."""

    _written: ClassVar[str | None] = "FairShare"


class WeightedFairShare(Sharing):
    """Max–min fair rates in proportion to 1 / latency of the route, 0 counted as 1 ns, as TCP shares (the model CM02 of
    SimGrid).
    """

    _written: ClassVar[str | None] = "WeightedFairShare"


class Fifo(Sharing):
    """Store and forward: each direction of a link sends one unit after the other.

    Attributes:
        unit: What is stored and sent as a whole. Default `Packet`.
        buffer: Room of the queue of each link on the route, beside the unit being sent; the sender's own is its memory.
            What finds no room is lost. `None`: room for everything. Range: at least 1 bit. Default `None`.
    """

    _written: ClassVar[str | None] = "Fifo"

    unit: Unit = UNSET
    buffer: Size | str | None = UNSET


class Tcp(Sharing):
    """Every packet of TCP connections: windows that acknowledgements move on, queues with room (`queues`), losses and
    their repair. Slower than the others, which know flows, and nearest to what Linux hosts do.

    Attributes:
        congestion: How windows grow and shrink. Default `Cubic`.
    """

    _written: ClassVar[str | None] = "Tcp"

    congestion: Congestion = UNSET


class Packet(Unit):
    """A segment with its header."""

    _written: ClassVar[str | None] = "Packet"


class Message(Unit):
    """A message."""

    _written: ClassVar[str | None] = "Message"


class Reno(Congestion):
    """RFC 5681, with Linux's counting of packets."""

    _written: ClassVar[str | None] = "Reno"


class Cubic(Congestion):
    """RFC 9438 with HyStart, as Linux has it."""

    _written: ClassVar[str | None] = "Cubic"


class Queues(Part):
    """Where packets wait for the links of a network. Only models that know packets and queues ask (`Tcp`).

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
    """On the far side of the server's link, where most transfers meet: what the server sends flows at once and arrives
    after its latency; everything else waits for its latency and flows then.
    """

    _written: ClassVar[str | None] = "AtServer"


class FirstLatencyOrder(LatencyOrder):
    """Before the bits of every transfer, as in SimGrid."""

    _written: ClassVar[str | None] = "First"


class Ip(Headers):
    """TCP over IPv4 without options: 40 bytes per 1460 of payload."""

    _written: ClassVar[str | None] = "Ip"


class IpTimestamps(Headers):
    """TCP over IPv4 with the time stamps that Linux sends: 52 bytes per 1448."""

    _written: ClassVar[str | None] = "IpTimestamps"


class Ethernet(Headers):
    """With time stamps, in Ethernet frames: 66 bytes per 1448. Nearest to what Linux hosts put on a wire."""

    _written: ClassVar[str | None] = "Ethernet"


class BytesHeaders(Headers):
    """Others.

    Attributes:
        header: Bytes of headers per segment. Range: 0 to 10 000 (bytes).
        segment: Bytes of payload per segment. Range: 1 to 1 000 000 (bytes).
    """

    _written: ClassVar[str | None] = "Bytes"

    header: int
    segment: int


class Compute(Part):
    """How long computing takes.

    Attributes:
        expectation: A client's duration per conditional expectation (one example); drawn once per client. Default
            `Us(10.0)`.
        server_expectation: The server's duration per conditional expectation (protocols that run in one place, or draw
            examples there). Range: from 0 to 584 years. Default `Us(1.0)`.
        variation: Standard deviation of the logarithm of a factor with median 1, drawn for every round of every client,
            by which the duration of its work varies. VP-EM, k-means and diffusion EM have no such rounds. Range: from 0
            to 10, no unit. Default `0.0`.
        slow: Clients that are slower than the others. Of a server: agents of a graph are as fast as `expectation` says.
            Default `None`.
        coding: How long it takes to code and decode messages. Default `(client_send: Ns(0.0), client_receive: Ns(0.0),
            server_send: Ns(0.0), server_receive: Ns(0.0), server_lanes: 1)`.
        server_step: What a step of the server takes: from the end of a round, or the last message of an iteration, to
            the next broadcast or answer. In one place: what each iteration takes beside its expectations. Range: from 0
            to a year (365.25 days). Default `Ns(0.0)`.
        client_step: What each computation of a client or agent takes beside its expectations, such as T(Ŝ) where
            clients compute it. Range: from 0 to a year (365.25 days). Default `Ns(0.0)`.
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
    """Clients that are slower than the others, whatever their own draw.

    Attributes:
        share: Their share of all clients, rounded to whole clients: the last ones. Sorted by label they hold the last
            labels. Range: in (0, 1], no unit.
        factor: The factor on the duration of each of their expectations and steps, and on their times to code and
            decode; no unit. Range: above 0.
    """

    _written: ClassVar[str | None] = None

    share: float
    factor: float


class CodingTimes(Part):
    """How long it takes to code a message before it is sent and to decode it when it has arrived: per byte of what is
    charged as payload, without headers. Every message is coded by itself, also one that goes to many. Clients code and
    decode one message at a time, beside what they compute; the server does not while it makes a step.

    Attributes:
        client_send: A client's or agent's time to code a byte that it sends. Range: from 0 to a year (365.25 days).
            Default `Ns(0.0)`.
        client_receive: A client's or agent's time to decode a byte that it receives. Range: from 0 to a year (365.25
            days). Default `Ns(0.0)`.
        server_send: The server's time to code a byte that it sends. Range: from 0 to a year (365.25 days). Default
            `Ns(0.0)`.
        server_receive: The server's time to decode a byte that it receives. Range: from 0 to a year (365.25 days).
            Default `Ns(0.0)`.
        server_lanes: How many messages the server codes or decodes at a time; others wait in the order in which they
            came. Range: 1 to 1 000 000 (messages). Default `1`.
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
    """In each round independently with this probability.

    Attributes:
        value: The value. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Bernoulli"
    _items: ClassVar[bool] = True

    value: float


class OnOffAvailability(Availability):
    """Periods of presence and absence in turn, of independent durations, begun long before the run.

    Attributes:
        on: Durations of presence.
        off: Durations of absence.
    """

    _written: ClassVar[str | None] = "OnOff"

    on: Durations
    off: Durations


class Diurnal(Availability):
    """In a window of each local day (such as the night, when phones are charged). The run begins at midnight of zone 0.

    Attributes:
        from_: Local hour at which the window begins; below 24. Range: from 0 to 24 (hours of the day).
        to: Local hour at which it ends; not `from`; below `from`: on the next day. Range: from 0 to 24 (hours of the
            day).
        zones: Offsets of the time zones in hours; each client draws one of them. Range: each from -14 to 14 (hours).
            Default `[0.0]`.
        probability: Probability that a client has its window on a given day. Range: in (0, 1], no unit. Default `1.0`.
    """

    _written: ClassVar[str | None] = "Diurnal"

    from_: float
    to: float
    zones: Sequence[float] | Array = UNSET
    probability: float = UNSET


class Trace(Availability):
    """In given intervals.

    Attributes:
        rows: Rows of intervals; client i has row i modulo their number. In a row they are sorted and do not overlap.
        repeat: After this duration everything repeats; not before the end of the last interval. `None`: it does not.
            Range: of at least 1 ns. Default `None`.
    """

    _written: ClassVar[str | None] = "Trace"

    rows: Sequence[Sequence[Interval]]
    repeat: Duration | str | None = UNSET


class ExponentialDurations(Durations):
    """Exponential with this mean.

    Attributes:
        value: The value. Range: of at least 1 ms.
    """

    _written: ClassVar[str | None] = "Exponential"
    _items: ClassVar[bool] = True

    value: Duration | str


class Empirical(Durations):
    """One of these, each equally likely; at least one.

    Attributes:
        value: The value. Range: each of at least 1 ms.
    """

    _written: ClassVar[str | None] = "Empirical"
    _items: ClassVar[bool] = True

    value: Sequence[Duration | str]


class Interval(Part):
    """An interval of time from the start of the run, the end not included.

    Attributes:
        from_: Its beginning. Range: from 0 to 584 years.
        to: Its end; after `from`. Range: from 0 to 584 years.
    """

    _written: ClassVar[str | None] = None

    from_: Duration | str
    to: Duration | str


class NeverDropout(Dropout):
    """They do not."""

    _written: ClassVar[str | None] = "Never"


class Hazard(Dropout):
    """At a constant hazard while they are busy; the transfer in flight is cut off and its bits stay charged. How many
    drop out of a round depends on how long they compute and send: arms with other compressors have other shares.

    Attributes:
        per_second: Dropouts per second of busy time. Range: above 0.
        restart: The duration until the client can be selected again. Range: from 0 to 584 years. Default `Sec(0.0)`.
        state: Whether the client's state (its memory V_i) survives the restart. Default `Kept`.
    """

    _written: ClassVar[str | None] = "Hazard"

    per_second: float
    restart: Duration | str = UNSET
    state: State = UNSET


class PerRound(Dropout):
    """With the same probability in each round in which they are selected, when they have computed and before they send:
    the broadcast is charged, no contribution is. Who drops out of which round is the same in all arms.

    Attributes:
        probability: Probability that a selected client drops out of a round; draws of clients and rounds are
            independent. Range: in (0, 1], no unit.
        restart: The duration until the client can be selected again. Range: from 0 to 584 years. Default `Sec(0.0)`.
        state: Whether the client's state (its memory V_i) survives the restart. Default `Kept`.
    """

    _written: ClassVar[str | None] = "PerRound"

    probability: float
    restart: Duration | str = UNSET
    state: State = UNSET


class KeptState(State):
    """All of it."""

    _written: ClassVar[str | None] = "Kept"


class Lost(State):
    """Nothing of it: see `protocol.memory.recovery`."""

    _written: ClassVar[str | None] = "Lost"


class Powers(Part):
    """Power of a client, drawn once per client. A client that does two things at once uses the power of both; one that
    is away (unavailable by the clock, or restarting after a dropout) uses none.

    Attributes:
        compute: While it computes.
        send: While a message of its own is on its way.
        receive: While a message to it is on its way.
        idle: While it does none of these and is not away. Default `W(0.0)`.
        server: The server's; `None`: its energy is not counted. Default `None`.
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
        min: Lower end; at most `max`. Range: from 0 to 10⁶ W.
        max: Upper end. Range: from 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Uniform"

    min: Power | str
    max: Power | str


class LogNormalPowerLaw(PowerLaw):
    """median · exp(sigma · Z), Z standard normal.

    Attributes:
        median: The median. Range: above 0, to 10⁶ W.
        sigma: Standard deviation of the logarithm. Range: from 0 to 10, no unit.
    """

    _written: ClassVar[str | None] = "LogNormal"

    median: Power | str
    sigma: float


class GammaPowerLaw(PowerLaw):
    """Gamma with the given mean and shape; its standard deviation is mean / √shape.

    Attributes:
        mean: The mean. Range: above 0, to 10⁶ W.
        shape: The shape. Range: from 0.001 to 1 000 000, no unit.
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
    """No draw: client i (or link i) has the i-th value; there must be as many as clients (or links).

    Attributes:
        value: The value. Range: each from 0 to 10⁶ W.
    """

    _written: ClassVar[str | None] = "Each"
    _items: ClassVar[bool] = True

    value: Sequence[Power | str]


class ColumnPowerLaw(PowerLaw):
    """A number of a row of a table that is drawn for each client: one row per client and table, so that columns of one
    table (same `path`, same `only`) are drawn jointly. Rows in which one of the requested columns is empty are skipped.

    Attributes:
        path: A CSV file with a header, plain, gzip or zstd, looked up beside the scenario, then in the data
            directories. Range: not empty.
        column: Which column.
        unit: What 1 of it is; above 0.
        inverse: `unit` ÷ value instead of `unit` · value: for scores where more is faster. Default `false`.
        skip_zero: 0 means "not measured": the row is skipped. Default `false`.
        only: Only rows in which a column has this text. Default `None`.
        in_order: No draw: client i (or link i) has the i-th of the rows that are not skipped, of which there must be
            enough. Default `false`.
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
    """Power of the server, which sends while a message to any client is on its way.

    Attributes:
        compute: While it computes: in protocols that run in one place, and where its steps, coding or decoding take
            time. Range: from 0 to 10⁶ W. Default `W(0.0)`.
        send: While it sends. Range: from 0 to 10⁶ W. Default `W(0.0)`.
        receive: While it receives. Range: from 0 to 10⁶ W. Default `W(0.0)`.
        idle: While it does none of these. Range: from 0 to 10⁶ W. Default `W(0.0)`.
    """

    _written: ClassVar[str | None] = None

    compute: Power | str = UNSET
    send: Power | str = UNSET
    receive: Power | str = UNSET
    idle: Power | str = UNSET


class Stop(Part):
    """The first rule that holds ends the run; at least one is given. Rules are checked when a round or an iteration
    ends, so the last one can exceed a limit; costs before the first round count, too.

    Attributes:
        rounds: After this many rounds. Range: at least 1. Default `None`.
        epochs: After this many epochs (conditional expectations / examples). Where latent variables are sampled,
            evaluations of densities and gradients count instead, and subjects are the examples. Range: above 0. Default
            `None`.
        time: After so much simulated time. Range: of at least 1 ns. Default `None`.
        bits: After this many bits: up, down and between agents, headers included. Range: at least 1 bit. Default
            `None`.
        energy: After the clients have used so much energy, and the server where its power is given. Needs `energy`.
            Range: above 0. Default `None`.
        mean_field_sq: When a probe finds ‖h(Ŝ)‖² at most this. Needs probes. Range: above 0. Default `None`.
        objective_change: When the objective changes by at most this between probes that a step lies between. Needs
            probes. Range: above 0. Default `None`.
        patience: When probes in a row bring no improvement. Needs probes. Default `None`.
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
    """The run ends when this many probes in a row have not improved on the best one before them. The final θ is that of
    the last probe, not of the best.

    Attributes:
        of: What must improve.
        probes: Probes without improvement. Range: 1 to 1 000 000.
        least: The least change that counts as one, in the unit of the measure. Range: at least 0. Default `0.0`.
    """

    _written: ClassVar[str | None] = None

    of: Measure
    probes: int
    least: float = UNSET


class ObjectiveMeasure(Measure):
    """The objective, the mean of −log p(y; θ); less is better."""

    _written: ClassVar[str | None] = "Objective"


class MeanFieldSqMeasure(Measure):
    """‖h(Ŝ)‖²; less is better."""

    _written: ClassVar[str | None] = "MeanFieldSq"


class AccuracyMeasure(Measure):
    """The share of examples in the right component; more is better. Needs labels."""

    _written: ClassVar[str | None] = "Accuracy"


class HeldOutMeasure(Measure):
    """The mean log-likelihood of the examples held out; more is better. Needs `holdout`, or `held_out` of counts."""

    _written: ClassVar[str | None] = "HeldOut"


class Record(Part):
    """What is written down.

    Attributes:
        every: A row every n rounds. Range: at least 1 (rounds). Default `1`.
        probe_every: A probe (‖h(Ŝ)‖², objective) every n rounds: a full pass over all data that costs no bits and no
            simulated time; a multiple of `every`. The start and the end of a run are always probed; `None`: only these.
            Range: at least 1 (rounds), or `None`. Default `10`.
        theta: Whether θ is written with every row (`theta.csv`). Default `false`.
        statistics: Whether the statistic is written at each recorded round. Default `false`.
        quality: Whether each probe compares components with labels (`accuracy`, `adjusted_rand_index`,
            `normalized_mutual_information`, `purity`), where data and model have them, and the end of the run writes
            `components.csv`: at most half a pass over all data each. Default `true`.
        accept_degenerate: Whether a run may count as having reached a target although its final fit is degenerate:
            components are empty or have collapsed, or the objective lies more than 0.25 above that of the start. It
            changes no result but the count. Default `false`.
        clients: Whether `clients.csv` is written at the end: what each client did, sent and spent its time on. `None`:
            for up to 1 000 clients. Default `None`.
        clients_at: Rounds after which the same is written to `clients_at.csv`, at most 100, increasing. A pass over all
            data each, that costs no bits and no simulated time. Needs `clients`. Default `[]`.
        trace: Rounds whose transfers, computations and waits are written to `trace.csv`, at most 100, increasing. For
            the figure `round`; `fedbits trace` makes the same of a record later. Nothing of the run changes. Default
            `[]`.
        links_every: The number of rounds in an interval of `links_over_time.csv`, which says what each link between the
            sites of a `Graph` carried in it; `None`: the file is not written. Range: at least 1 (rounds), or `None`.
            Default `None`.
        marginals: Bins of the histograms of the examples' columns in `marginals.csv`, for the figure of a mixture;
            `None`: the file is not written. It reveals the distribution of the clients' examples, with the smallest and
            the largest value. Range: 1 to 1 000 (bins), or `None`. Default `None`.
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
    """One variant of the scenario, by the settings that differ.

    Attributes:
        name: Its name in results and figures; not empty, different from the others', fit to name a folder.
        set: Paths and their values, written as in a scenario file (a text has its own quotes: `"\\"10 kbps\\""`); none:
            the scenario as it is. Default `{}`.
    """

    _written: ClassVar[str | None] = None

    name: str
    set: Mapping[str, object] = UNSET


class GridAxis(Axis):
    """One setting takes each of the values.

    Attributes:
        path: The setting, for example `protocol.compressor`.
        values: Its values: a list, `Linear(…)` or `Log(…)`.
        labels: Names of the levels in tables and figures, one per value; default: the values as they are written.
            Default `[]`.
        name: The axis' name; default: the last part of the path. Default `None`.
        when: The axis exists only in arms with these levels of axes that stand before it; other arms do not multiply by
            it. Default: in all arms. Default `{}`.
    """

    _written: ClassVar[str | None] = "Grid"

    path: str
    values: Values | Sequence[object]
    labels: Sequence[str] = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Zip(Axis):
    """Several settings move together: level j gives every path its value j.

    Attributes:
        name: The axis' name.
        labels: Names of the levels in tables and figures; at least one.
        paths: The values of each path, one per level.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Zip"

    name: str
    labels: Sequence[str]
    paths: Mapping[str, Sequence[object]]
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Cases(Axis):
    """Levels given one by one, each with settings of its own: what an arm does not set is as in the base.

    Attributes:
        name: The axis' name.
        levels: The levels by name, with what they set; at least one.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Cases"

    name: str
    levels: Sequence[Arm]
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class RandomAxis(Axis):
    """Random search: every level is one draw of all paths. A draw that has come before is drawn again.

    Attributes:
        points: How many; 1 to 10 000.
        paths: The law of each path's values.
        seed: The root of these draws alone. Default `1`.
        name: The axis' name, by which its levels are called too: `point 1`, `point 2`, …; default `point`. Default
            `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Random"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class Sobol(Axis):
    """The same with points that cover the ranges evenly: a Sobol sequence (Joe and Kuo's direction numbers), shifted by
    the seed. Balanced where the number of points is a power of two; of at most 32 paths.

    Attributes:
        points: How many; 1 to 10 000.
        paths: The law of each path's values.
        seed: The root of these draws alone. Default `1`.
        name: The axis' name, by which its levels are called too: `point 1`, `point 2`, …; default `point`. Default
            `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "Sobol"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class LatinHypercube(Axis):
    """The same with a Latin hypercube: of n points each path has one in every n-th part of its range.

    Attributes:
        points: How many; 1 to 10 000.
        paths: The law of each path's values.
        seed: The root of these draws alone. Default `1`.
        name: The axis' name, by which its levels are called too: `point 1`, `point 2`, …; default `point`. Default
            `None`.
        when: As for `Grid`. Default `{}`.
    """

    _written: ClassVar[str | None] = "LatinHypercube"

    points: int
    paths: Mapping[str, Law]
    seed: int = UNSET
    name: str | None = UNSET
    when: Mapping[str, Which | Sequence[object] | str] = UNSET


class ListValues(Values):
    """These, each as in a scenario file, numbers without quotes too; at least one. A text has quotes of its own:
    `"\\"10 kbps\\""`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "List"
    _items: ClassVar[bool] = True

    value: Sequence[str]


class LinearValues(Values):
    """From the first to the second, both included, so many at equal distances.

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
    """From the first to the second, both included, so many at equal ratios; both above 0.

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
        value: The value. Range: that is finite.
    """

    _written: ClassVar[str | None] = "Number"
    _items: ClassVar[bool] = True

    value: float


class With(Amount):
    """A number and its unit.

    Attributes:
        first: The value. Range: that is finite.
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
    """Any number between the two, each as likely.

    Attributes:
        first: The value.
        second: The value.
    """

    _written: ClassVar[str | None] = "Uniform"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str


class LogUniform(Law):
    """Between the two, with a uniform logarithm; both above 0.

    Attributes:
        first: The value.
        second: The value.
    """

    _written: ClassVar[str | None] = "LogUniform"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: Amount | float | str


class Normal(Law):
    """Normal with this mean and this standard deviation, which is above 0 and in the unit of the mean.

    Attributes:
        first: The value.
        second: The value. Range: above 0.
    """

    _written: ClassVar[str | None] = "Normal"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: float


class LogNormalLaw(Law):
    """Log-normal with this median, above 0, and this standard deviation of the natural logarithm, above 0.

    Attributes:
        first: The value.
        second: The value. Range: from 0 to 10, no unit.
    """

    _written: ClassVar[str | None] = "LogNormal"
    _items: ClassVar[bool] = True

    first: Amount | float | str
    second: float


class Choice(Law):
    """One of these, each as in a scenario file and as likely as the others; at least one.

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
    """The objective at most this.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Objective"
    _items: ClassVar[bool] = True

    value: float


class AccuracyTarget(Target):
    """The share of examples in the right component (`accuracy`) at least this; in (0, 1].

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Accuracy"
    _items: ClassVar[bool] = True

    value: float


class HeldOutTarget(Target):
    """The mean log-likelihood of the examples held out (`held_out_log_likelihood`) at least this; in nats.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "HeldOut"
    _items: ClassVar[bool] = True

    value: float


class ColumnTarget(Target):
    """A measured column of `rounds.csv` at most or at least this: `objective`, `mean_field_sq`, `field_sq`,
    `parameter_error_sq`, or one of the protocol's own. Time, epochs and bits are costs, not targets.

    Attributes:
        name: The column, for example `parameter_error_sq`.
        at_most: The value from above; either this or `at_least`. Default `None`.
        at_least: The value from below. Default `None`.
    """

    _written: ClassVar[str | None] = "Column"

    name: str
    at_most: float | None = UNSET
    at_least: float | None = UNSET


class Race(Part):
    """A race, which finds the arm that is best by the objective: replicates are given to all arms, one after the other,
    and an arm gets no more as soon as paired evidence says that it is not the best.

    Attributes:
        objective: The cost to minimize.
        error: The probability that an arm is dropped which is better than the one that is chosen, by more than
            `margin`. It holds for the whole race, however many replicates there are. Range: in (0, 0.5], no unit.
            Default `0.05`.
        margin: Differences that do not matter: a share of the cost, by default 0.02; for `Best` of a column that can be
            negative a difference of its values, which is to be given. Range: from 0 on. Default `None`.
        futility: The race ends early when the probability that the replicates to come would drop an arm is less than
            this, given those that were made. 0: only when all replicates are made, or one arm is left. Range: in [0,
            1), no unit. Default `0.3`.
        cut: A run ends early when it has cost this many times what the arm that leads costs in the same replicate, in
            the first one what the baseline costs: it counts as one that did not reach the target before. Runs of the
            baseline do not; nor is there a cut where that other run did not reach the target, or of `Best`. `None`:
            none does. Range: above 1. Default `8.0`.
        constraints: Constraints on every run: an arm is dropped as soon as too many of its runs break them. Runs that
            end at the `cut` count as if they met them. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    objective: Objective
    error: float = UNSET
    margin: float | None = UNSET
    futility: float = UNSET
    cut: float | None = UNSET
    constraints: Sequence[Constraint] = UNSET


class BitsTo(Objective):
    """All bits until the target is reached: payload in all directions, and headers.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "BitsTo"
    _items: ClassVar[bool] = True

    value: Target


class UploadTo(Objective):
    """Payload bits from clients to the server, and packets sent again with their headers, until then.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "UploadTo"
    _items: ClassVar[bool] = True

    value: Target


class TimeTo(Objective):
    """Simulated time until then.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "TimeTo"
    _items: ClassVar[bool] = True

    value: Target


class RoundsTo(Objective):
    """Rounds until then.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "RoundsTo"
    _items: ClassVar[bool] = True

    value: Target


class Best(Objective):
    """The last value of this column, where more is better the largest: the best model within `stop`.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Best"
    _items: ClassVar[bool] = True

    value: str


class TimeConstraint(Constraint):
    """The target is reached within this simulated time, in all runs, or in the share of them that `Reached` gives.

    Attributes:
        value: The value. Range: of at least 1 ns.
    """

    _written: ClassVar[str | None] = "Time"
    _items: ClassVar[bool] = True

    value: Duration | str


class Reached(Constraint):
    """This share of an arm's runs reaches the target.

    Attributes:
        value: The value. Range: in (0, 1], no unit.
    """

    _written: ClassVar[str | None] = "Reached"
    _items: ClassVar[bool] = True

    value: float


class Figure(Part):
    """A figure that a scenario declares.

    Attributes:
        name: Its name, that of its files: letters, digits, `-` and `_`.
        kind: What is drawn.
        arms: The arms shown, in this order; default all. Default `[]`.
        columns: Panels side by side, if the venue's page has room for so many; default as many as it has room for.
            Range: 1 to 6. Default `None`.
        aspect: Height of a panel's frame as a share of its width, instead of the venue's. Range: from 0.1 to 3, no
            unit. Default `None`.
        caption: The beginning of its caption, before the generated text; default nothing. Default `""`.
        x_label: Label of its horizontal axis, before the unit in parentheses; default that of the program. For figures
            whose panels all have the same quantity there. Default `""`.
        y_label: Label of its vertical axis, in the same way. Default `""`.
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
        y: The quantities: measured columns of `rounds.csv` (`mean_field_sq`, `accuracy`, …; what a run spends is `x`),
            `objective_gap`, or a parameter (`theta.mean_0_1`; `theta.mean_*` stands for every parameter whose name
            begins so). Default: what the stop rules ask for, or what was measured. Default `[]`.
        x: The horizontal axes; default: that of `BitsTotal` and `Time` on which the arms' ends differ most. Default
            `[]`.
        panels: What is in a panel of its own; default `Axes`. Default `Axes`.
        x_scale: Scale of the horizontal axes; default `Auto`: logarithmic where the arms' ends differ by a factor of
            ten or more. Default `Auto`.
        y_scale: Scale of the vertical axis; default `Auto`: that of the quantity. Default `Auto`.
        x_limits: The part of the horizontal axes that is shown, in rounds, bits, seconds, joules; default: up to the
            end of the arm that takes longest to get to the target where some do, else all. Default `(from: None, to:
            None)`.
        y_limits: The part of the vertical axis that is shown; default all. Default `(from: None, to: None)`.
        free_x: Have panels over the same axis limits of their own? Default false. Default `false`.
        free_y: Have panels of different quantities vertical axes of their own? Default true. Default `true`.
        band: What the band of several replicates shows; default `Quartiles`, and up to five replicates the single runs.
            Default `Quartiles`.
        marks: Lines that are no arms; default none. Default `[]`.
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
    """What it takes every arm to get to a target: runs, medians, and ratios to a baseline.

    Attributes:
        target: The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules. Default `None`.
        costs: The costs, a panel each; default all bits and time. Default `[]`.
        baseline: The arm that the others are divided by; default: the study's baseline where it is shown, else the
            first arm. Default `None`.
    """

    _written: ClassVar[str | None] = "Cost"

    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET
    baseline: str | None = UNSET


class Forest(FigureKind):
    """Every arm against a baseline: ratios with intervals.

    Attributes:
        target: The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules, else the ends of the
            runs are compared. Default `None`.
        costs: The costs, a panel each; default all bits and time. Default `[]`.
        baseline: The arm that the others are divided by; default: the study's baseline where it is shown, else the
            first arm. Default `None`.
        order: The order of the arms; default `Plan`. Default `Plan`.
    """

    _written: ClassVar[str | None] = "Forest"

    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET
    baseline: str | None = UNSET
    order: ForestOrder = UNSET


class ReachFigureKind(FigureKind):
    """The share of runs that have reached a target, against the cost.

    Attributes:
        target: The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules. Default `None`.
        costs: The costs, a panel each; default all bits and time. Default `[]`.
    """

    _written: ClassVar[str | None] = "Reach"

    target: Goal | None = UNSET
    costs: Sequence[Cost] = UNSET


class TradeOff(FigureKind):
    """The cost of a target against an axis of a study.

    Attributes:
        axis: The axis of the study to the right, or the path of a setting that a search varies. Levels that differ in
            one number (`75 %`, `rand-6`, `8`) are placed by it, others side by side. Default: the axis of numbers with
            the most levels, else the first. Default `None`.
        target: The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules, else the ends of the
            runs are compared. Default `None`.
        costs: The costs, a panel each; default all bits and time. Default `[]`.
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
    """What it takes to reach a target over two axes of a study.

    Attributes:
        rows: The axis of the study for the rows; default: of the first two axes that vary the one with more levels. The
            points of a search are an axis only by name. Default `None`.
        columns: The axis of the study for the columns; default: the other one of the first two axes that vary. Default
            `None`.
    """

    _written: ClassVar[str | None] = "Heat"

    rows: str | None = UNSET
    columns: str | None = UNSET


class Ecdf(FigureKind):
    """The distribution of durations of rounds, transfers or clients.

    Attributes:
        of: The durations, a panel each; default everything that was measured except waiting. Default `[]`.
    """

    _written: ClassVar[str | None] = "Ecdf"

    of: Sequence[Timed] = UNSET


class ParticipationFigureKind(FigureKind):
    """What clients contribute and get, against their speed or the size of their data.

    Attributes:
        y: Columns of `clients.csv`; default: contributions, and the client's objective and accuracy where these were
            measured. Default `[]`.
        x: The horizontal axis; default: that of the two in which clients differ. Default `[]`.
    """

    _written: ClassVar[str | None] = "Participation"

    y: Sequence[str] = UNSET
    x: Sequence[ClientAxis] = UNSET


class Mixture(FigureKind):
    """Fitted mixtures of normal distributions, with the true one.

    Attributes:
        view: What is drawn; default `Ellipses`. Default `Ellipses`.
        columns: Columns of the data: two for ellipses, any number of marginal densities; default the first two. Default
            `[]`.
    """

    _written: ClassVar[str | None] = "Mixture"

    view: MixtureView = UNSET
    columns: Sequence[str] = UNSET


class RaceFigureKind(FigureKind):
    """When and why arms of a race were dropped.

    Attributes:
        rows: Arms with a row of their own, the best first; the others are one row. Default 15. Range: 1 to 60. Default
            `None`.
    """

    _written: ClassVar[str | None] = "Race"

    rows: int | None = UNSET


class Named(FigureKind):
    """A kind of figures as `report --all` draws it, by its name in the list of kinds: `Named("ledger")`.

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
    """Payload bits from clients to the server, and packets sent again with their headers."""

    _written: ClassVar[str | None] = "BitsUp"


class BitsTotalXAxis(XAxis):
    """All bits: payload up, down and between peers, and packet headers."""

    _written: ClassVar[str | None] = "BitsTotal"


class TimeXAxis(XAxis):
    """Simulated time."""

    _written: ClassVar[str | None] = "Time"


class EnergyXAxis(XAxis):
    """Joules, where powers are given."""

    _written: ClassVar[str | None] = "Energy"


class Epsilon(XAxis):
    """ε of differential privacy, where there is a mechanism."""

    _written: ClassVar[str | None] = "Epsilon"


class Axes(Panels):
    """Each horizontal axis and each quantity."""

    _written: ClassVar[str | None] = "Axes"


class Together(Panels):
    """Each horizontal axis; quantities share a panel and differ in the dashes."""

    _written: ClassVar[str | None] = "Together"


class Arms(Panels):
    """Each arm; quantities are lines in it."""

    _written: ClassVar[str | None] = "Arms"


class Levels(Panels):
    """The arms with the same level on this axis of the study.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Levels"
    _items: ClassVar[bool] = True

    value: str


class Split(Panels):
    """These.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Split"
    _items: ClassVar[bool] = True

    value: Sequence[ArmsPanel]


class ArmsPanel(Part):
    """The arms of a panel.

    Attributes:
        heading: What stands above it.
        arms: Its arms.
        y: The quantities that it shows, as in `y` of the figure, on a vertical axis of their own; default those of the
            figure. Several of one arm are a line each. Default `[]`.
    """

    _written: ClassVar[str | None] = None

    heading: str
    arms: Sequence[ShownArm | str]
    y: Sequence[str] = UNSET


class ArmShownArm(ShownArm):
    """The arm of this name.

    Attributes:
        value: The value.
    """

    _written: ClassVar[str | None] = "Arm"
    _items: ClassVar[bool] = True

    value: str


class Labelled(ShownArm):
    """The arm under another name.

    Attributes:
        arm: Its name in the scenario or the study.
        label: What it is called in the figure; not empty.
    """

    _written: ClassVar[str | None] = "Labelled"

    arm: str
    label: str


class Group(ShownArm):
    """The runs of several arms as one line with one band; not where a figure compares single arms.

    Attributes:
        label: What they are called in the figure; not empty.
        arms: Their names; a `*` at the end of a name stands for any text.
    """

    _written: ClassVar[str | None] = "Group"

    label: str
    arms: Sequence[str]


class AutoScale(Scale):
    """As the values ask for."""

    _written: ClassVar[str | None] = "Auto"


class LogScale(Scale):
    """Logarithmic."""

    _written: ClassVar[str | None] = "Log"


class LinearScale(Scale):
    """Linear."""

    _written: ClassVar[str | None] = "Linear"


class Limits(Part):
    """The part of an axis that is shown.

    Attributes:
        from_: Where it begins; default where the values do. Range: that is finite. Default `None`.
        to: Where it ends; default where the values do. Range: that is finite. Default `None`.
    """

    _written: ClassVar[str | None] = None

    from_: float | None = UNSET
    to: float | None = UNSET


class Quartiles(Band):
    """From the lower to the upper quartile of the replicates, around their median."""

    _written: ClassVar[str | None] = "Quartiles"


class Mean95(Band):
    """The 95 % interval of the replicates' mean by Student's t, around the mean."""

    _written: ClassVar[str | None] = "Mean95"


class Range(Band):
    """From the least to the most of the replicates, around their median."""

    _written: ClassVar[str | None] = "Range"


class Nothing(Band):
    """None."""

    _written: ClassVar[str | None] = "Nothing"


class Value(Mark):
    """A horizontal line at a value.

    Attributes:
        y: Where, in the unit of the quantity. Range: that is finite.
        label: What it is called.
    """

    _written: ClassVar[str | None] = "Value"

    y: float
    label: str


class End(Mark):
    """A horizontal line where an arm ends.

    Attributes:
        arm: The arm's name.
        label: What it is called; default `end of ARM`. Default `""`.
    """

    _written: ClassVar[str | None] = "End"

    arm: str
    label: str = UNSET


class Slope(Mark):
    """The line by which an arm contracts: on logarithmic axes over rounds and epochs a straight one.

    Attributes:
        arm: The arm's name.
        decades: How many decades it falls per round; default: fitted to the second half of the arm's curve by least
            squares. Range: above 0. Default `None`.
    """

    _written: ClassVar[str | None] = "Slope"

    arm: str
    decades: float | None = UNSET


class Optimum(Mark):
    """A horizontal line at the objective at which exact EM rests: of the runs of one problem the least."""

    _written: ClassVar[str | None] = "Optimum"


class Goal(Part):
    """A target of a run: the first recorded row that meets it counts.

    Attributes:
        column: A measured column of `rounds.csv`: `mean_field_sq`, `accuracy`, …
        value: Its value: at least this where more is better (accuracy, likelihood), else at most this. Range: that is
            finite.
    """

    _written: ClassVar[str | None] = None

    column: str
    value: float


class BitsTotalCost(Cost):
    """All bits: payload up, down and between peers, and packet headers."""

    _written: ClassVar[str | None] = "BitsTotal"


class BitsUpCost(Cost):
    """Payload bits from clients to the server, and packets sent again with their headers."""

    _written: ClassVar[str | None] = "BitsUp"


class TimeCost(Cost):
    """Simulated time."""

    _written: ClassVar[str | None] = "Time"


class RoundsCost(Cost):
    """Rounds."""

    _written: ClassVar[str | None] = "Rounds"


class Plan(ForestOrder):
    """As in the study or the scenario."""

    _written: ClassVar[str | None] = "Plan"


class Ratio(ForestOrder):
    """From the least ratio of the first cost to the largest."""

    _written: ClassVar[str | None] = "Ratio"


class Reported(Part):
    """Values of a quantity from elsewhere.

    Attributes:
        label: What they are called.
        values: One for each level of the axis, in the unit of the quantity. Range: each that is finite.
        within: How far they can be off; default 0. Range: from 0 to 10¹⁰⁰. Default `0.0`.
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
    """What a client waits for the end of a round after its contribution has arrived."""

    _written: ClassVar[str | None] = "Waiting"


class ClientTimed(Timed):
    """All that a client computes, sends and receives in a run."""

    _written: ClassVar[str | None] = "Client"


class Seconds(ClientAxis):
    """Seconds that the client computes, sends and receives per round for which it is selected."""

    _written: ClassVar[str | None] = "Seconds"


class ExamplesClientAxis(ClientAxis):
    """The number of its examples."""

    _written: ClassVar[str | None] = "Examples"


class Ellipses(MixtureView):
    """The mean of each component and its ellipses of one and two standard deviations over two columns, a panel per arm;
    and, if θ was recorded, the paths of the means.
    """

    _written: ClassVar[str | None] = "Ellipses"


class Marginals(MixtureView):
    """The densities of single columns, a panel each and a line per arm."""

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

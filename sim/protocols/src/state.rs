//! The state of an algorithm as the record sees it, and what a probe of it finds.

/// The state that a probe looks at.
pub struct State<'a> {
    /// Ŝ.
    pub s_hat: &'a [f64],
    /// θ = T(Ŝ).
    pub theta: &'a [f64],
}

/// Ŝ and θ, kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnedState {
    /// Ŝ.
    pub s_hat: Vec<f64>,
    /// θ.
    pub theta: Vec<f64>,
}

impl OwnedState {
    /// A look at it.
    #[must_use]
    pub fn as_state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }
}

/// What a full pass over all data finds. Values that a protocol does not have stay empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// ‖h(Ŝ)‖².
    pub mean_field_sq: Option<f64>,
    /// F(θ), the mean over examples of −log p(y; θ).
    pub objective: Option<f64>,
    /// ‖θ − θ*‖² up to the model's symmetries.
    pub parameter_error_sq: Option<f64>,
    /// The mean of the objectives of the ⌈n/10⌉ clients with the largest ones.
    pub objective_worst_tenth: Option<f64>,
    /// ‖(θ − T(s̄(θ)))/ρ‖² of gradient steps with ρ: ‖∇f(θ)‖² where T is the identity.
    pub gradient_sq: Option<f64>,
}

impl Probe {
    /// What is found at a mean of clients' parameters. It is T(Ŝ), but not where T has constants of a client's own
    /// (`own_constants`): of a tied covariance Ŝ has nothing, and ‖h(Ŝ)‖² would say nothing of θ.
    pub(crate) fn at_mean_of_parameters(self, own_constants: bool) -> Self {
        Self { mean_field_sq: self.mean_field_sq.filter(|_| !own_constants), ..self }
    }
}

/// The mean of the ⌈n/10⌉ largest of n numbers, summed from the largest down; none of no numbers.
pub(crate) fn worst_tenth(mut values: Vec<f64>) -> Option<f64> {
    let count = values.len().div_ceil(10);
    let descending = |a: &f64, b: &f64| b.total_cmp(a);
    values.select_nth_unstable_by(count.checked_sub(1)?, descending);
    values.truncate(count);
    values.sort_unstable_by(descending);
    Some(values.iter().fold(0.0, |sum, value| sum + value) / count as f64)
}

/// ‖x − y‖², summed in order.
pub(crate) fn distance_sq(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// ‖x‖², summed in order.
pub fn norm_sq(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

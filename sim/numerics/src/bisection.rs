//! Bisection to the last bit: the same on every machine.

/// Where what holds at the lower end and not at the upper one ends to hold. `middle` gives a number between two, or one
/// of them where there is none.
pub fn bisected((mut low, mut high): (f64, f64), middle: impl Fn(f64, f64) -> f64, holds: impl Fn(f64) -> bool) -> f64 {
    loop {
        let at = middle(low, high);
        if !(low < at && at < high) {
            return at;
        }
        if holds(at) {
            low = at;
        } else {
            high = at;
        }
    }
}

//! Quantities: exact arithmetic, one rounding, no wrap, readable units.

use fedbits_kernel::{Bits, NodeId, QuantityError, Rate, Speed, Time, TimeDelta};
use num_bigint::BigUint;
use proptest::prelude::*;

proptest! {
    /// The duration t for b bits at r bit/s is the least whole number of nanoseconds with t · r ≥ b · 10^9; and ⌊r · t⌋
    /// inverts it.
    #[test]
    fn time_for_rounds_up_once(bits in 0..1u64 << 50, rate in 1..=10_000_000_000_000u64) {
        let r = Rate::new(rate).unwrap();
        let (work, rate) = (u128::from(bits) * 1_000_000_000, u128::from(rate));
        if work > rate * u128::from(u64::MAX) {
            let too_long = std::panic::catch_unwind(|| r.time_for(Bits::new(bits)));
            prop_assert!(too_long.is_err());
            return Ok(());
        }
        let duration = r.time_for(Bits::new(bits));
        let t = u128::from(duration.as_nanos());
        prop_assert!(t * rate >= work && (t == 0 || (t - 1) * rate < work));
        prop_assert!(r.bits_in(duration) >= Bits::new(bits));
        prop_assert!(duration == TimeDelta::ZERO || r.bits_in(duration - TimeDelta::from_nanos(1)) < Bits::new(bits.max(1)));
    }
}

/// ⌈product of the digits · 10^exponent⌉ as nanoseconds; none beyond the clock.
fn exact_span(factors: &[u64], exponent: i32) -> Option<TimeDelta> {
    let digits: BigUint = factors.iter().map(|&factor| BigUint::from(factor)).product();
    let power = BigUint::from(10_u32).pow(exponent.unsigned_abs());
    let nanoseconds = if exponent >= 0 { digits * power } else { (digits + &power - 1_u32) / power };
    u64::try_from(nanoseconds).ok().map(TimeDelta::from_nanos)
}

proptest! {
    /// A duration per unit of a few digits, of a client that is slower by a factor of a few, times any usual work: the
    /// exact product, rounded up once, never twice.
    #[test]
    fn work_is_rounded_up_once(
        digits in 1..1_000_000u64,
        exponent in -6..1i32,
        unit in prop::sample::select(vec![1u64, 1_000]),
        factor in 1..100u64,
        decimals in 0..2i32,
        work in 0..1_000u64,
    ) {
        let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let slower: f64 = format!("{factor}e-{decimals}").parse().unwrap();
        let speed = Speed::new(value, unit).and_then(|speed| speed.times(slower)).unwrap();
        prop_assert_eq!(speed.duration(work), exact_span(&[digits, unit, factor, work], exponent - decimals));
    }

    /// Of drawn numbers the duration is within a nanosecond and a relative 2 · 10⁻¹⁵ of the product.
    #[test]
    fn drawn_spans_are_rounded_up_once(seconds in 1e-9..1e3f64, work in 1..1_000_000u64) {
        let duration = Speed::from_seconds_per_unit(seconds).unwrap().duration(work).unwrap().as_nanos() as f64;
        let product = seconds * 1e9 * work as f64;
        prop_assert!(duration >= product * (1.0 - 2e-15) && duration < product * (1.0 + 2e-15) + 1.0, "{duration} for {product}");
    }
}

/// What was a nanosecond too long, and what is no speed.
#[test]
fn durations_of_work_in_whole_nanoseconds() {
    let duration = |value, unit, work| Speed::new(value, unit).unwrap().duration(work).unwrap().as_nanos();
    assert_eq!(duration(123_457.0, 1, 80), 9_876_560);
    assert_eq!(duration(0.1, 1, 10), 1);
    assert_eq!(duration(0.1, 1_000, 80), 8_000);
    assert_eq!(duration(16.1, 1_000, 5), 80_500);
    assert_eq!(duration(100.0, 1, 1), 100);
    assert_eq!(duration(0.0, 1_000, u64::MAX), 0);
    assert_eq!(duration(1e-300, 1, u64::MAX), 1);
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!((Speed::new(wrong, 1), Speed::new(1.0, 1).unwrap().times(wrong)), (None, None));
    }
    assert_eq!(Speed::new(-0.0, 1).unwrap().duration(5), Some(TimeDelta::ZERO));
    assert_eq!(Speed::new(1e300, 1).unwrap().duration(1), None);
}

/// Seconds become the nearest nanosecond; what is no time is a typed error.
#[test]
fn seconds_are_checked() {
    assert_eq!(TimeDelta::from_seconds(1.5), Ok(TimeDelta::from_nanos(1_500_000_000)));
    assert_eq!(TimeDelta::from_seconds(0.000_000_001_4), Ok(TimeDelta::from_nanos(1)));
    assert!(matches!(TimeDelta::from_seconds(f64::NAN), Err(QuantityError::NotFinite(_))));
    assert_eq!(TimeDelta::from_seconds(f64::INFINITY), Err(QuantityError::NotFinite(f64::INFINITY)));
    assert!(matches!(TimeDelta::from_seconds(-1.0), Err(QuantityError::Negative(_))));
    assert!(matches!(TimeDelta::from_seconds(1.9e10), Err(QuantityError::TooLarge { .. })));
    assert_eq!(Rate::from_bits_per_second(0.4), Err(QuantityError::ZeroRate));
    assert!(matches!(Rate::from_bits_per_second(1.1e13), Err(QuantityError::TooLarge { .. })));
    assert_eq!(Rate::from_bits_per_second(5e6), Rate::new(5_000_000));
}

/// Every checked operation reports the overflow it meets.
#[test]
fn checked_operations_report() {
    assert_eq!(Time::MAX.checked_add(TimeDelta::from_nanos(1)), None);
    assert_eq!(TimeDelta::MAX.checked_add(TimeDelta::from_nanos(1)), None);
    assert_eq!(TimeDelta::MAX.checked_mul(2), None);
    assert_eq!(Bits::MAX.checked_add(Bits::new(1)), None);
    assert_eq!(Time::ZERO.checked_since(Time::MAX), None);
    assert_eq!(TimeDelta::ZERO.checked_sub(TimeDelta::MAX), None);
}

/// The operators stop instead of wrapping, whatever the build.
#[test]
fn operators_never_wrap() {
    let stops = |operation: fn() -> u64| std::panic::catch_unwind(operation).is_err();
    assert!(stops(|| (Time::MAX + TimeDelta::from_nanos(1)).as_nanos()));
    assert!(stops(|| (Time::ZERO - Time::MAX).as_nanos()));
    assert!(stops(|| (TimeDelta::MAX + TimeDelta::from_nanos(1)).as_nanos()));
    assert!(stops(|| (TimeDelta::ZERO - TimeDelta::MAX).as_nanos()));
    assert!(stops(|| (TimeDelta::MAX * 2).as_nanos()));
    assert!(stops(|| (Bits::MAX + Bits::new(1)).count()));
    assert!(stops(|| (Bits::ZERO - Bits::new(1)).count()));
    assert!(stops(|| (Bits::MAX * 2).count()));
    assert!(stops(|| Rate::new(1).unwrap().time_for(Bits::MAX).as_nanos()));
}

/// Units are chosen by size and no digit is lost.
#[test]
fn units_are_human() {
    assert_eq!(Time::from_nanos(0).to_string(), "0 ns");
    assert_eq!(Time::from_nanos(999).to_string(), "999 ns");
    assert_eq!(TimeDelta::from_nanos(1_050).to_string(), "1.05 µs");
    assert_eq!(TimeDelta::from_nanos(20_000_000).to_string(), "20 ms");
    assert_eq!(Time::from_nanos(90_000_000_001).to_string(), "90.000000001 s");
    assert_eq!(Bits::new(18_480).to_string(), "18.48 kbit");
    assert_eq!(Rate::new(5_500_000).unwrap().to_string(), "5.5 Mbit/s");
}

#[test]
fn clients_are_counted_from_0_beside_a_server() {
    let (names, server) = (|node: u32, server| NodeId(node).name(server), Some(NodeId(0)));
    assert_eq!([names(0, server), names(3, server), names(0, None)], ["server", "client-2", "node-0"]);
}

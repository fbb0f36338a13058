//! Quantities: exact arithmetic, one rounding, no wrap, readable units.

use fedbits_kernel::{Bits, QuantityError, Rate, Span, Time};
use proptest::prelude::*;

proptest! {
    /// The span t for b bits at r bit/s is the least whole number of nanoseconds with t · r ≥ b · 10^9; and ⌊r · t⌋ inverts it.
    #[test]
    fn time_for_rounds_up_once(bits in 0..1u64 << 50, rate in 1..=10_000_000_000_000u64) {
        let r = Rate::new(rate).unwrap();
        let (work, rate) = (u128::from(bits) * 1_000_000_000, u128::from(rate));
        let Ok(span) = r.checked_time_for(Bits::new(bits)) else {
            prop_assert!(work > rate * u128::from(u64::MAX));
            return Ok(());
        };
        let t = u128::from(span.as_nanos());
        prop_assert!(t * rate >= work && (t == 0 || (t - 1) * rate < work));
        prop_assert!(r.bits_in(span) >= Bits::new(bits));
        prop_assert!(span == Span::ZERO || r.bits_in(span - Span::from_nanos(1)) < Bits::new(bits.max(1)));
    }
}

/// Seconds become the nearest nanosecond; what is no time is a typed error.
#[test]
fn seconds_are_checked() {
    assert_eq!(Time::from_seconds(1.5), Ok(Time::from_nanos(1_500_000_000)));
    assert_eq!(Span::from_seconds(0.000_000_001_4), Ok(Span::from_nanos(1)));
    assert!(matches!(Span::from_seconds(f64::NAN), Err(QuantityError::NotFinite(_))));
    assert_eq!(Span::from_seconds(f64::INFINITY), Err(QuantityError::NotFinite(f64::INFINITY)));
    assert!(matches!(Time::from_seconds(-1.0), Err(QuantityError::Negative(_))));
    assert!(matches!(Time::from_seconds(1.9e10), Err(QuantityError::TooLarge { .. })));
    assert_eq!(Rate::from_bits_per_second(0.4), Err(QuantityError::ZeroRate));
    assert!(matches!(Rate::from_bits_per_second(1.1e13), Err(QuantityError::TooLarge { .. })));
    assert_eq!(Rate::from_bits_per_second(5e6), Rate::new(5_000_000));
}

/// Every checked operation reports the overflow it meets.
#[test]
fn checked_operations_report() {
    assert!(matches!(Time::MAX.checked_add(Span::from_nanos(1)), Err(QuantityError::TooLarge { .. })));
    assert!(matches!(Span::MAX.checked_add(Span::from_nanos(1)), Err(QuantityError::TooLarge { .. })));
    assert!(matches!(Span::MAX.checked_mul(2), Err(QuantityError::TooLarge { .. })));
    assert!(matches!(Bits::MAX.checked_add(Bits::new(1)), Err(QuantityError::TooLarge { .. })));
    assert!(matches!(Bits::MAX.checked_mul(2), Err(QuantityError::TooLarge { .. })));
    assert!(matches!(Bits::from_bytes(u64::MAX), Err(QuantityError::TooLarge { .. })));
    assert_eq!(Time::ZERO.checked_since(Time::MAX), Err(QuantityError::NegativeDifference("instant")));
    assert_eq!(Span::ZERO.checked_sub(Span::MAX), Err(QuantityError::NegativeDifference("span")));
    assert_eq!(Bits::ZERO.checked_sub(Bits::MAX), Err(QuantityError::NegativeDifference("number of bits")));
}

/// The operators stop instead of wrapping, whatever the build.
#[test]
fn operators_never_wrap() {
    let stops = |operation: fn() -> u64| std::panic::catch_unwind(operation).is_err();
    assert!(stops(|| (Time::MAX + Span::from_nanos(1)).as_nanos()));
    assert!(stops(|| (Time::ZERO - Time::MAX).as_nanos()));
    assert!(stops(|| (Span::MAX + Span::from_nanos(1)).as_nanos()));
    assert!(stops(|| (Span::ZERO - Span::MAX).as_nanos()));
    assert!(stops(|| (Span::MAX * 2).as_nanos()));
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
    assert_eq!(Span::from_nanos(1_050).to_string(), "1.05 µs");
    assert_eq!(Span::from_nanos(20_000_000).to_string(), "20 ms");
    assert_eq!(Time::from_nanos(90_000_000_001).to_string(), "90.000000001 s");
    assert_eq!(Bits::new(18_480).to_string(), "18.48 kbit");
    assert_eq!(Rate::new(5_500_000).unwrap().to_string(), "5.5 Mbit/s");
}

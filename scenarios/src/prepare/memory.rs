//! Whether drawn examples fit into the memory of this machine. It is asked before the first is drawn: an allocation that fails ends a
//! program without a word.

use super::{PrepareError, misfit};

/// Bytes of an example beside its features: its label, its client, its place among the client's.
const BESIDE: u64 = 12;

/// Refuses so many examples of `features` numbers where they need more memory than the machine has to give, as far as it tells.
pub(super) fn fits(path: &str, examples: u64, features: usize) -> Result<(), PrepareError> {
    match std::fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(available) {
        Some(available) => fits_into(path, examples, features, available),
        None => Ok(()),
    }
}

fn fits_into(path: &str, examples: u64, features: usize, available: u64) -> Result<(), PrepareError> {
    let each = 8 * features as u64 + BESIDE;
    if examples.saturating_mul(each) <= available {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let message = format!(
        "{examples} examples of {features} numbers need {:.1} GiB, and this machine has {:.1} GiB to give",
        gib(examples.saturating_mul(each)),
        gib(available)
    );
    Err(misfit(path, message, format!("expected at most {} examples", available / each)))
}

/// Bytes that Linux says programs can still have.
fn available(meminfo: &str) -> Option<u64> {
    let kib: u64 = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?
        .trim()
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let bytes = available("MemTotal:  24000000 kB\nMemAvailable:   20971520 kB\nBuffers: 1 kB\n").unwrap();
        assert_eq!(bytes, 20 << 30);
        assert_eq!(available("MemTotal: 24000000 kB\n"), None);
        // An example of five features takes 8 · 5 + 12 bytes.
        let most = (20 << 30) / 52;
        assert!(fits_into("data.examples", most, 5, bytes).is_ok());
        let error = fits_into("data.examples", most + 1, 5, bytes).unwrap_err().to_string();
        assert!(
            error.ends_with(&format!("this machine has 20.0 GiB to give: expected at most {most} examples")),
            "{error}"
        );
        assert!(fits_into("data.examples", u64::MAX, 5, bytes).is_err());
    }
}

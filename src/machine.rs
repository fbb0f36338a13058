//! The machine that simulates: its clock and its memory. Nothing of it enters a result.

/// Host time since a start; none passes in a browser, whose page has a clock of its own.
pub(crate) struct Stopwatch(#[cfg(not(target_family = "wasm"))] std::time::Instant);

impl Stopwatch {
    #[cfg(not(target_family = "wasm"))]
    #[expect(clippy::disallowed_methods, reason = "host time, for progress and the manifest's host part only")]
    pub(crate) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn start() -> Self {
        Self()
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn seconds(&self) -> f64 {
        0.0
    }
}

/// Peak resident memory of this process in bytes, where the system reports it.
pub(crate) fn peak_memory_bytes() -> Option<u64> {
    let status = fedbits_spec::files::read_text("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Ticks of the processor's clock in a second, as Linux shows them to programs.
const TICKS: f64 = 100.0;

/// Seconds that the processor has worked for this process, all threads together; where the system does not report it,
/// seconds of the clock, of which there are not fewer for a busy thread.
pub(crate) fn processor_seconds() -> f64 {
    let ticks = fedbits_spec::files::read_text("/proc/self/stat").ok().and_then(|stat| {
        // The name of the program, in parentheses, may hold anything.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let [user, system] = [fields.get(11)?, fields.get(12)?].map(|field| field.parse::<f64>().ok());
        Some(user? + system?)
    });
    static CLOCK: std::sync::LazyLock<Stopwatch> = std::sync::LazyLock::new(Stopwatch::start);
    ticks.map_or_else(|| CLOCK.seconds(), |ticks| ticks / TICKS)
}

//! What memory there is, and who has how much of it. This file must not know what it is for.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use fedbits_models::data::packed::MemoryLimit;
use fedbits_spec::Finding;

use super::{Estimate, shown};
use crate::prepare::PrepareError;

/// Memory that runs may take together.
#[derive(Debug)]
pub struct Budget {
    /// Bytes; none where the system does not tell and nobody has set it.
    limit: Option<u64>,
    taken: Mutex<u64>,
    freed: Condvar,
}

/// A run's share of a budget, given back when it is dropped.
#[derive(Debug, Default)]
pub struct Reserved {
    estimate: Estimate,
    from: Option<Arc<Budget>>,
}

/// Of an address space not all can be used: threads, files and gaps between allocations are in it, too.
const USABLE_ADDRESSES: f64 = 0.75;

impl Budget {
    /// This many bytes.
    #[must_use]
    pub fn of(limit: Option<u64>) -> Arc<Self> {
        Arc::new(Self { limit, taken: Mutex::new(0), freed: Condvar::new() })
    }

    /// What this machine has to give to this process: the least of the memory that is available, the limit of the
    /// control groups, and the limit of the address space. Linux tells these; elsewhere there is no limit.
    #[must_use]
    pub fn of_machine() -> Arc<Self> {
        let limits = [available_memory(), control_group(), address_space()];
        Self::of(limits.into_iter().flatten().min())
    }

    /// Bytes in all.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Bytes that what is read from a file may take: it is kept at least twice, as it stands in the file and in the
    /// order of the clients.
    #[must_use]
    pub fn of_a_file(&self) -> MemoryLimit {
        self.limit.map_or_else(MemoryLimit::default, |limit| MemoryLimit::new(limit / 2))
    }

    /// Whether a run of this size can be run at all.
    ///
    /// # Errors
    /// When it cannot, at the path of its largest part.
    pub(in crate::prepare) fn fits(&self, estimate: &Estimate) -> Result<(), PrepareError> {
        let Some(limit) = self.limit.filter(|&limit| estimate.total() > limit) else { return Ok(()) };
        let path = estimate.parts().first().map_or("name", |part| part.path);
        let (total, can_be_had) = (shown(estimate.total()), shown(limit));
        let message = format!(
            "this run takes about {total} of memory, and {can_be_had} can be had: {}",
            estimate.largest_parts()
        );
        let expected = "expected a smaller run, or more memory (`--max-memory` says how much it may take)";
        Err(PrepareError::TooLarge(vec![Finding::error(path, message, expected)]))
    }

    /// Takes what a run needs, and waits until others have given back enough for it.
    pub(in crate::prepare) fn reserve(self: &Arc<Self>, estimate: Estimate) -> Result<Reserved, PrepareError> {
        self.fits(&estimate)?;
        let limit = self.limit.unwrap_or(u64::MAX);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 && estimate.total() > limit.saturating_sub(*taken) {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken = taken.saturating_add(estimate.total());
        Ok(Reserved { estimate, from: Some(Arc::clone(self)) })
    }
}

impl Reserved {
    /// What was reserved, part by part.
    #[must_use]
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let Some(budget) = &self.from else { return };
        let mut taken = budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.estimate.total());
        budget.freed.notify_all();
    }
}

/// Bytes that Linux says programs can still have.
fn available_memory() -> Option<u64> {
    field(&fedbits_spec::files::read_text("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A field of /proc in kB, as bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// What is left of the limits of the control groups that this process is in.
fn control_group() -> Option<u64> {
    let read = |path: &str| fedbits_spec::files::read_text(path).ok();
    let groups = read("/proc/self/cgroup")?;
    VERSIONS.iter().filter_map(|version| version.left(&groups, &read)).min()
}

/// The files in which a version of control groups tells of memory.
struct Version {
    /// What stands for it in a line of `/proc/self/cgroup`.
    controller: &'static str,
    root: &'static str,
    limit: &'static str,
    used: &'static str,
    /// In `memory.stat`: pages of files, which count as used and are given back when memory is needed.
    files: [&'static str; 2],
}

const VERSIONS: [Version; 2] = [
    Version {
        controller: "",
        root: "/sys/fs/cgroup",
        limit: "memory.max",
        used: "memory.current",
        files: ["active_file", "inactive_file"],
    },
    Version {
        controller: "memory",
        root: "/sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        files: ["total_active_file", "total_inactive_file"],
    },
];

impl Version {
    /// What is left of a group and of those that it is in. In a container the root may be the group itself.
    fn left(&self, groups: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
        let group = groups.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|controller| controller == self.controller).then_some(path)
        })?;
        let ends = group.match_indices('/').map(|(end, _)| end).chain([group.len()]);
        ends.filter_map(|end| self.left_of(&group[..end], read)).min()
    }

    fn left_of(&self, group: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
        let read = |name: &str| read(&format!("{}{group}/{name}", self.root));
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let (limit, used) = (number(&read(self.limit)?)?, number(&read(self.used)?)?);
        let stat = read("memory.stat").unwrap_or_default();
        let pages = stat.lines().filter_map(|line| line.split_once(' '));
        let files = pages.filter(|(name, _)| self.files.contains(name)).filter_map(|(_, bytes)| number(bytes));
        Some(limit.saturating_sub(used.saturating_sub(files.sum())))
    }
}

/// What is left of the limit of the address space (`ulimit -v`).
fn address_space() -> Option<u64> {
    let limits = fedbits_spec::files::read_text("/proc/self/limits").ok()?;
    let most = soft_limit(&limits)?;
    let used = field(&fedbits_spec::files::read_text("/proc/self/status").ok()?, "VmSize:")?;
    Some((most.saturating_sub(used) as f64 * USABLE_ADDRESSES) as u64)
}

fn soft_limit(limits: &str) -> Option<u64> {
    limits.lines().find_map(|line| line.strip_prefix("Max address space"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::memory::Part;

    fn estimate(bytes: u64) -> Estimate {
        Estimate::new(vec![Part { what: "examples".to_owned(), path: "data.examples", bytes }])
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_numbers() {
        let budget = Budget::of(Some(1 << 30));
        assert!(budget.fits(&estimate(1 << 30)).is_ok());
        let error = budget.fits(&estimate(3 << 30)).unwrap_err().to_string();
        let said = "this run takes about 3.0 GiB of memory, and 1.0 GiB can be had: examples 3.0 GiB";
        assert!(error.starts_with(said), "{error}");
        assert!(budget.fits(&estimate(u64::MAX)).is_err());
        assert!(Budget::of(None).fits(&estimate(u64::MAX)).is_ok());
    }

    /// A second run waits for the first when both do not fit at a time.
    #[test]
    fn runs_share_the_budget() {
        let budget = Budget::of(Some(100));
        let first = budget.reserve(estimate(60)).unwrap();
        let second = std::thread::spawn({
            let budget = Arc::clone(&budget);
            move || budget.reserve(estimate(60)).map(|reserved| reserved.estimate().total())
        });
        assert_eq!(*budget.taken.lock().unwrap(), 60);
        drop(first);
        assert_eq!(second.join().unwrap().unwrap(), 60);
        assert_eq!(*budget.taken.lock().unwrap(), 0);
    }

    #[test]
    fn what_the_system_tells_is_read() {
        let meminfo = "MemTotal:  24000000 kB\nMemAvailable:   20971520 kB\nBuffers: 1 kB\n";
        assert_eq!(field(meminfo, "MemAvailable:"), Some(20 << 30));
        assert_eq!(field("MemTotal: 24000000 kB\n", "MemAvailable:"), None);
        let limits = "Limit   Soft Limit   Hard Limit   Units\nMax address space  8589934592  unlimited  bytes\n";
        assert_eq!(soft_limit(limits), Some(8 << 30));
        assert_eq!(soft_limit("Max address space  unlimited  unlimited  bytes\n"), None);
    }

    /// Files that were read fill the group's memory up to its limit, and are in nobody's way.
    #[test]
    fn files_that_were_read_take_no_memory_of_a_control_group() {
        let left = |version: &Version, groups: &str, files: &[(&str, &str)]| {
            let read = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
            version.left(groups, &read)
        };
        let stat = "anon 40\nfile 900\nactive_file 400\ninactive_file 500\n";
        let second = [
            ("/sys/fs/cgroup/job/step/memory.max", "1000\n"),
            ("/sys/fs/cgroup/job/step/memory.current", "990\n"),
            ("/sys/fs/cgroup/job/step/memory.stat", stat),
            ("/sys/fs/cgroup/job/memory.max", "max\n"),
            ("/sys/fs/cgroup/job/memory.current", "995\n"),
            ("/sys/fs/cgroup/memory.max", "1100\n"),
            ("/sys/fs/cgroup/memory.current", "200\n"),
        ];
        let [newer, older] = &VERSIONS;
        assert_eq!(left(newer, "1:name=systemd:/\n0::/job/step\n", &second), Some(900));
        assert_eq!(left(newer, "0::/job/step\n", &second[2..]), Some(900));
        assert_eq!(left(newer, "0::/job/step\n", &second[..2]), Some(10));
        assert_eq!(left(older, "0::/job/step\n", &second), None);
        // What the whole group below takes stands in fields of their own.
        let first = [
            ("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n"),
            ("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "990\n"),
            (
                "/sys/fs/cgroup/memory/job/memory.stat",
                "active_file 7\ntotal_active_file 300\ntotal_inactive_file 500\n",
            ),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n"),
        ];
        let groups = "12:pids:/job\n9:cpuacct,memory:/job\n0::/job\n";
        assert_eq!(left(older, groups, &first), Some(810));
        // In a container the groups are named as outside of it.
        let inside = first.map(|(path, text)| (if path.contains("job") { "" } else { path }, text));
        assert_eq!(left(older, groups, &inside), Some(9_223_372_036_854_771_712 - 5000));
        assert_eq!(left(newer, groups, &first), None);
    }
}

//! A ladder queue: a monotone priority queue of keys with constant expected cost, equal keys in insertion order.
//!
//! The axis of keys is cut into three regions. The *bottom* is a short sorted list from which entries leave. Above it
//! lie the *rungs*, arrays of unsorted buckets, each rung covering one bucket of the coarser rung before it.
//! Everything beyond the *horizon* waits unsorted in the *top*. A bucket that is reached is sorted into the bottom
//! when it is small and becomes a finer rung when it is large, so an entry is moved a few times in a row with its
//! neighbours and never alone through a cold heap. A key has one region at any moment and every move keeps the order
//! within a region: that is why ties need no sequence number. (Tang, Goh, Thng: Ladder queue, ACM TOMACS 15(3), 2005;
//! widths are powers of two here.)
//!
//! This file must not know what a key means: entries carry a slot and a generation, and the owner says which are still
//! alive.

/// Largest bucket that is sorted at once; larger ones become rungs.
const SORTED_AT_ONCE: usize = 64;
/// Entries per bucket aimed at when a rung is made.
const PER_BUCKET: usize = 8;
/// Most buckets of a rung: the array of their headers stays in the cache.
const MAX_BUCKETS: usize = 1 << 16;
/// Buckets with more capacity than this give it back when they are emptied.
const KEPT_CAPACITY: usize = 256;

/// A key, and where its owner keeps what belongs to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

/// Buckets of width 2^`shift` from `start`; those before `next` are used up.
#[derive(Debug)]
struct Rung {
    start: u64,
    shift: u32,
    next: usize,
    /// Smallest key of bucket `next`: what lies below belongs to finer rungs or to the bottom.
    current: u64,
    buckets: Vec<Vec<Entry>>,
}

impl Rung {
    fn push(&mut self, entry: Entry) {
        // The last bucket also takes what lies between the rung's own end and the coarser rung's next bucket.
        let index = ((entry.key - self.start) >> self.shift).min(self.buckets.len() as u64 - 1);
        self.buckets[index as usize].push(entry);
    }

    /// Empties the next bucket that holds anything.
    fn take(&mut self, pool: &mut Vec<Vec<Entry>>) -> Option<Vec<Entry>> {
        let skipped = self.buckets[self.next..].iter().position(|bucket| !bucket.is_empty())?;
        let taken = std::mem::replace(&mut self.buckets[self.next + skipped], pool.pop().unwrap_or_default());
        self.next += skipped + 1;
        if self.next < self.buckets.len() {
            self.current = self.start + ((self.next as u64) << self.shift);
        }
        Some(taken)
    }
}

/// The queue. Keys pushed must not lie below a key already popped (the owner asserts it).
#[derive(Debug, Default)]
pub(crate) struct Ladder {
    /// Sorted; those before `head` have left.
    bottom: Vec<Entry>,
    head: usize,
    /// From coarse to fine; their `current` keys descend.
    rungs: Vec<Rung>,
    top: Vec<Entry>,
    /// Largest key that belongs to rungs or bottom; `None` sends everything to the top.
    horizon: Option<u64>,
    /// Entries held, dead ones included.
    pub(crate) stored: usize,
    pool: Vec<Vec<Entry>>,
    /// Room for the buckets of a rung.
    spare_rungs: Vec<Vec<Vec<Entry>>>,
}

impl Ladder {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.bottom.clear();
        self.head = 0;
        while !self.rungs.is_empty() {
            self.drop_finest_rung();
        }
        self.top.clear();
        self.horizon = None;
        self.stored = 0;
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        self.stored += 1;
        match self.horizon {
            Some(horizon) if entry.key <= horizon => self.push_below(entry),
            _ => self.top.push(entry),
        }
    }

    /// The first entry in (key, insertion) order that is alive; dead ones before it are dropped.
    #[inline]
    pub(crate) fn front(&mut self, alive: impl Fn(&Entry) -> bool) -> Option<Entry> {
        loop {
            match self.bottom.get(self.head).copied() {
                Some(entry) if alive(&entry) => return Some(entry),
                Some(_) => self.pop_front(),
                None if self.refill(&alive) => {}
                None => return None,
            }
        }
    }

    /// Removes the entry that [`Ladder::front`] has shown. When pushes since then have moved it into a rung it stays:
    /// its owner must know it as dead.
    #[inline]
    pub(crate) fn pop_front(&mut self) {
        if self.head == self.bottom.len() {
            return;
        }
        self.head += 1;
        self.stored -= 1;
        // Those that have left are forgotten when there are as many as there may be others.
        if self.head >= SORTED_AT_ONCE && 2 * self.head >= self.bottom.len() {
            self.bottom.drain(..self.head);
            self.head = 0;
        }
    }

    /// Drops all dead entries.
    pub(crate) fn sweep(&mut self, alive: impl Fn(&Entry) -> bool) {
        self.bottom.drain(..self.head);
        self.head = 0;
        self.bottom.retain(&alive);
        self.top.retain(&alive);
        let mut stored = self.bottom.len() + self.top.len();
        for bucket in self.rungs.iter_mut().flat_map(|rung| &mut rung.buckets) {
            bucket.retain(&alive);
            stored += bucket.len();
        }
        self.stored = stored;
    }

    fn push_below(&mut self, entry: Entry) {
        let finer = self.rungs.partition_point(|rung| rung.current > entry.key);
        match self.rungs.get_mut(finer) {
            Some(rung) => rung.push(entry),
            None => self.push_bottom(entry),
        }
    }

    fn push_bottom(&mut self, entry: Entry) {
        let held = self.bottom.len() - self.head;
        match self.bottom[self.head..].last() {
            Some(last) if last.key > entry.key => {}
            _ if held < SORTED_AT_ONCE => return self.bottom.push(entry),
            Some(last) if last.key == entry.key => return self.bottom.push(entry),
            _ => {}
        }
        if held >= SORTED_AT_ONCE && self.split_bottom() {
            return self.push_below(entry);
        }
        let place = self.head + self.bottom[self.head..].partition_point(|item| item.key <= entry.key);
        self.bottom.insert(place, entry);
    }

    /// Turns a bottom that has grown long into a rung; false if all its keys are equal (then any place is found at its
    /// ends).
    fn split_bottom(&mut self) -> bool {
        let (Some(first), Some(last)) = (self.bottom.get(self.head), self.bottom.last()) else {
            return false;
        };
        let (min, max) = (first.key, last.key);
        if min == max {
            return false;
        }
        let entries = self.bottom.split_off(self.head);
        self.bottom.clear();
        self.head = 0;
        self.spawn(entries, min, max);
        true
    }

    /// Brings the next entries into the bottom, which all have left; false if there are none.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, alive: &impl Fn(&Entry) -> bool) -> bool {
        self.bottom.clear();
        self.head = 0;
        while self.bottom.is_empty() {
            let Some(entries) = self.next_bucket() else {
                self.horizon = None;
                return false;
            };
            self.settle(entries, alive);
        }
        true
    }

    fn next_bucket(&mut self) -> Option<Vec<Entry>> {
        while let Some(rung) = self.rungs.last_mut() {
            let taken = rung.take(&mut self.pool);
            if taken.is_none() || rung.next == rung.buckets.len() {
                self.drop_finest_rung();
            }
            if taken.is_some() {
                return taken;
            }
        }
        self.horizon = Some(self.top.iter().map(|entry| entry.key).max()?);
        Some(std::mem::take(&mut self.top))
    }

    fn drop_finest_rung(&mut self) {
        if let Some(Rung { mut buckets, .. }) = self.rungs.pop() {
            for bucket in buckets.drain(..) {
                keep(&mut self.pool, bucket);
            }
            self.spare_rungs.push(buckets);
        }
    }

    /// Sorts a small bucket and makes it the bottom, which is empty; makes a rung of a large one.
    fn settle(&mut self, mut entries: Vec<Entry>, alive: &impl Fn(&Entry) -> bool) {
        if entries.len() > SORTED_AT_ONCE {
            let (min, max) = entries.iter().fold((u64::MAX, 0), |(min, max), e| (e.key.min(min), e.key.max(max)));
            if min < max {
                return self.spawn(entries, min, max);
            }
        } else {
            // Asking now, for all of them at once, also lets the owner's cache misses overlap.
            let before = entries.len();
            entries.retain(alive);
            self.stored -= before - entries.len();
            entries.sort_by_key(|entry| entry.key);
        }
        std::mem::swap(&mut self.bottom, &mut entries);
        keep(&mut self.pool, entries);
    }

    /// Adds a finer rung over `entries`, whose keys run from `min` to `max` > `min`.
    fn spawn(&mut self, entries: Vec<Entry>, min: u64, max: u64) {
        let wanted = (entries.len() / PER_BUCKET).next_power_of_two().clamp(4, MAX_BUCKETS);
        let digits = u64::BITS - (max - min).leading_zeros();
        let shift = digits.saturating_sub(wanted.ilog2());
        let count = ((max - min) >> shift) as usize + 1;
        let pool = &mut self.pool;
        let mut buckets = self.spare_rungs.pop().unwrap_or_default();
        buckets.extend(std::iter::repeat_with(|| pool.pop().unwrap_or_default()).take(count));
        let mut rung = Rung { start: min, shift, next: 0, current: min, buckets };
        for &entry in &entries {
            rung.push(entry);
        }
        self.rungs.push(rung);
        if self.top.capacity() == 0 {
            // They were the top: what comes next need not grow its memory again.
            self.top = entries;
            self.top.clear();
        } else {
            keep(&mut self.pool, entries);
        }
    }
}

/// Keeps the memory of a bucket for the next one, unless it has grown large.
fn keep(pool: &mut Vec<Vec<Entry>>, mut bucket: Vec<Entry>) {
    if bucket.capacity() > 0 && bucket.capacity() <= KEPT_CAPACITY && pool.len() < MAX_BUCKETS {
        bucket.clear();
        pool.push(bucket);
    }
}

//! What happens next: for each of many things the time at which it has to be looked at, the least (time, number) first.
//!
//! A heap with four children per place, in which a thing finds its own place: links and timers have at most one entry,
//! however many packets they hold, and what is due at the same time is looked at in the order of numbers. This file
//! must not know what the numbers stand for.

/// Has no entry.
const NOWHERE: u32 = u32::MAX;
const CHILDREN: usize = 4;

#[derive(Default)]
pub(super) struct Agenda {
    heap: Vec<(u64, u32)>,
    /// By number: its place in the heap.
    places: Vec<u32>,
}

impl Agenda {
    /// The numbers below `count` exist.
    pub(super) fn extend(&mut self, count: usize) {
        if count > self.places.len() {
            self.places.resize(count, NOWHERE);
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<(u64, u32)> {
        self.heap.first().copied()
    }

    /// When `number` is looked at.
    #[inline]
    pub(super) fn time(&self, number: u32) -> Option<u64> {
        let place = self.places[number as usize];
        self.heap.get(place as usize).map(|&(time, _)| time)
    }

    /// Looks at `number` at `time`, whenever it was to be looked at before; without a time, never.
    #[inline]
    pub(super) fn set(&mut self, number: u32, time: Option<u64>) {
        let place = self.places[number as usize];
        match (time, place) {
            (None, NOWHERE) => {}
            (None, place) => self.remove(place as usize),
            (Some(time), NOWHERE) => {
                self.heap.push((time, number));
                self.rise(self.heap.len() - 1, (time, number));
            }
            (Some(time), place) => self.settle(place as usize, (time, number)),
        }
    }

    /// Looks at `number` at `time` if not before.
    #[inline]
    pub(super) fn at_latest(&mut self, number: u32, time: u64) {
        if self.time(number).is_none_or(|planned| time < planned) {
            self.set(number, Some(time));
        }
    }

    fn remove(&mut self, place: usize) {
        self.places[self.heap[place].1 as usize] = NOWHERE;
        if let Some(last) = self.heap.pop().filter(|_| place < self.heap.len()) {
            self.settle(place, last);
        }
    }

    /// Puts an entry where it belongs, beginning at a place that is free for it.
    fn settle(&mut self, place: usize, entry: (u64, u32)) {
        if place > 0 && entry < self.heap[(place - 1) / CHILDREN] {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    fn rise(&mut self, mut place: usize, entry: (u64, u32)) {
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.heap[parent] <= entry {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize, entry: (u64, u32)) {
        loop {
            let first = CHILDREN * place + 1;
            let children = first..(first + CHILDREN).min(self.heap.len());
            let Some(least) = children.min_by_key(|&child| self.heap[child]) else { break };
            if entry <= self.heap[least] {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: (u64, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fedbits_random::{DrawPurpose, Streams};

    use super::*;

    /// 20 000 random changes, against a list that is searched.
    #[test]
    fn the_first_is_the_least() {
        for seed in 0..5 {
            let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 0, 0);
            let (mut agenda, mut list) = (Agenda::default(), BTreeMap::new());
            agenda.extend(50);
            for _ in 0..4_000 {
                let (number, time) = (stream.below(50) as u32, stream.below(30));
                match stream.below(4) {
                    0 => {
                        agenda.set(number, None);
                        list.remove(&number);
                    }
                    1 => {
                        agenda.at_latest(number, time);
                        list.entry(number).and_modify(|old: &mut u64| *old = time.min(*old)).or_insert(time);
                    }
                    _ => {
                        agenda.set(number, Some(time));
                        list.insert(number, time);
                    }
                }
                assert_eq!(agenda.first(), list.iter().map(|(&number, &time)| (time, number)).min());
                assert_eq!(agenda.time(number), list.get(&number).copied());
            }
        }
    }
}

//! Numbers of frames by key. Keys are hashes, so that their first bits say where in the sorted list they lie: a million
//! are looked up in a fraction of the time that a tree takes.

use super::Key;

/// The numbers of frames, sorted by the first eight bytes of their keys, and where each stretch of these begins.
pub(super) struct Index {
    places: Vec<Place>,
    /// The first place of each stretch, and the end of the last.
    stretches: Vec<usize>,
    /// How many bits of a prefix its stretch does not tell.
    shift: u32,
}

/// A prefix of a key, and the number of the frame that has it.
pub(super) type Place = (u64, usize);

impl Index {
    /// Of frames in the order of their numbers.
    pub(super) fn of<'a>(keys: impl Iterator<Item = &'a Key>) -> Self {
        let mut places: Vec<Place> = keys.enumerate().map(|(number, key)| (key.prefix(), number)).collect();
        places.sort_unstable();
        let bits = places.len().max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut stretches = vec![0; (1 << bits) + 1];
        places.iter().for_each(|(prefix, _)| stretches[(prefix >> shift) as usize + 1] += 1);
        for next in 1..stretches.len() {
            stretches[next] += stretches[next - 1];
        }
        Self { places, stretches, shift }
    }

    /// The frames whose keys begin like this one, in the order of their numbers.
    pub(super) fn candidates(&self, key: &Key) -> &[Place] {
        let prefix = key.prefix();
        let stretch = (prefix >> self.shift) as usize;
        let near = &self.places[self.stretches[stretch]..self.stretches[stretch + 1]];
        let begin = near.partition_point(|place| place.0 < prefix);
        let length = near[begin..].partition_point(|place| place.0 == prefix);
        &near[begin..begin + length]
    }

    /// All frames, those together whose keys begin alike.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Place]> {
        self.places.chunk_by(|one, next| one.0 == next.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Key};
    use proptest::prelude::*;

    /// Keys of which many are equal, or begin alike.
    fn keys() -> impl Strategy<Value = Vec<Key>> {
        let key = (any::<[bool; 3]>(), any::<u8>()).prop_map(|(begins, end)| {
            let mut bytes = [0; 32];
            begins.iter().enumerate().for_each(|(at, begins)| bytes[3 * at] = u8::from(*begins) * 0x81);
            bytes[31] = end % 4;
            Key::from_bytes(bytes)
        });
        proptest::collection::vec(key, 0..200)
    }

    proptest! {
        /// The numbers of a key are those that a look at every key finds.
        #[test]
        fn candidates_are_those_of_a_search(keys in keys(), other in keys()) {
            let index = Index::of(keys.iter());
            for key in keys.iter().chain(&other) {
                let found: Vec<usize> = index.candidates(key).iter().map(|(_, number)| *number).collect();
                let begins_alike = |other: &Key| other.as_bytes()[..8] == key.as_bytes()[..8];
                let expected: Vec<usize> = (0..keys.len()).filter(|number| begins_alike(&keys[*number])).collect();
                prop_assert_eq!(found, expected);
            }
            prop_assert_eq!(index.groups().map(<[_]>::len).sum::<usize>(), keys.len());
        }
    }
}

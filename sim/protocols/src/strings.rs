//! Bit strings of messages, for a network that carries them and not only their lengths: the auditor leaves here what
//! was written, the network takes it and puts back what has arrived. It must not know protocols or networks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fedbits_codec::{BitReader, BitWriter};

/// Who sends: clients are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The server: what it sends to all in a round.
    Server,
    /// A client.
    Client(u32),
}

/// The strings of one run; several owners look at them.
#[derive(Clone, Debug, Default)]
pub struct Strings(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// What the server has coded for this round, one string behind the other.
    round: u64,
    broadcast: BitWriter,
    /// The last string of each client.
    sent: BTreeMap<u32, BitWriter>,
    /// What arrived of a client's last message.
    arrived: BTreeMap<u32, Vec<u64>>,
}

impl Strings {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The string of `entity`'s message in `round`: a client's number, or one of those that only a server has.
    pub(crate) fn leave(&self, entity: u64, round: u64, string: &BitWriter) {
        let mut kept = self.kept();
        match u32::try_from(entity) {
            Ok(client) => {
                kept.sent.insert(client, string.clone());
            }
            Err(_) => {
                if kept.round != round {
                    (kept.round, kept.broadcast) = (round, BitWriter::new());
                }
                append(&mut kept.broadcast, string);
            }
        }
    }

    /// The bytes, and how many bits of them are meant, of what `sender` is about to send.
    #[must_use]
    pub fn sent(&self, sender: Sender) -> (Vec<u8>, u64) {
        let kept = self.kept();
        let string = match sender {
            Sender::Server => Some(&kept.broadcast),
            Sender::Client(i) => kept.sent.get(&i),
        };
        string.map_or_else(Default::default, |string| (bytes(string), string.length()))
    }

    /// A message of client `i` has arrived as these bytes.
    pub fn put(&self, i: u32, bytes: &[u8]) {
        let word = |part: &[u8]| {
            let mut eight = [0; 8];
            eight[..part.len()].copy_from_slice(part);
            u64::from_be_bytes(eight)
        };
        self.kept().arrived.insert(i, bytes.chunks(8).map(word).collect());
    }

    /// What arrived last of client `i`.
    pub(crate) fn arrived(&self, i: u32) -> Vec<u64> {
        self.kept().arrived.remove(&i).unwrap_or_default()
    }
}

fn append(to: &mut BitWriter, string: &BitWriter) {
    let mut reader = BitReader::new(string.words(), string.length());
    while reader.remaining() > 0 {
        let width = reader.remaining().min(64) as u32;
        to.write(reader.read(width).unwrap_or_default(), width);
    }
}

fn bytes(string: &BitWriter) -> Vec<u8> {
    let mut bytes: Vec<u8> = string.words().iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.truncate(string.length().div_ceil(8) as usize);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(value: u64, width: u32) -> BitWriter {
        let mut string = BitWriter::new();
        string.write(value, width);
        string
    }

    #[test]
    fn strings_of_a_round_stand_one_behind_the_other() {
        let strings = Strings::default();
        strings.leave(u64::MAX, 1, &string(0b101, 3));
        strings.leave(u64::MAX - 1, 1, &string(0xff, 8));
        assert_eq!(strings.sent(Sender::Server), (vec![0b1011_1111, 0b1110_0000], 11));
        strings.leave(u64::MAX, 2, &string(1, 1));
        assert_eq!(strings.sent(Sender::Server), (vec![0b1000_0000], 1));
    }

    #[test]
    fn a_client_has_its_last_string_and_what_arrived_once() {
        let strings = Strings::default();
        assert_eq!(strings.sent(Sender::Client(3)), (Vec::new(), 0));
        strings.leave(3, 1, &string(7, 64));
        strings.leave(3, 2, &string(0x0102_0304_0506, 48));
        let (sent, bits) = strings.sent(Sender::Client(3));
        assert_eq!((&sent[..], bits), (&[1, 2, 3, 4, 5, 6][..], 48));
        strings.put(3, &sent);
        assert_eq!(strings.arrived(3), [0x0102_0304_0506_0000]);
        assert!(strings.arrived(3).is_empty());
    }
}

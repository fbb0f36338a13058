//! The content of messages over sockets: the bit strings that the protocol's auditor wrote.

use fedbits_emulate::Mail;
use fedbits_kernel::NodeId;
use fedbits_protocols::strings::{Sender, Strings};

/// The bit strings of a run.
pub(super) struct CodedMail {
    pub(super) strings: Strings,
    pub(super) server: Option<NodeId>,
}

/// In a star node i + 1 is client i. Without a server there are no strings: messages of neighbours are not coded.
impl Mail for CodedMail {
    fn content(&mut self, from: NodeId, _: NodeId) -> (Vec<u8>, u64) {
        match self.server {
            Some(server) if server == from => self.strings.sent(Sender::Server),
            Some(_) => self.strings.sent(Sender::Client(from.0 - 1)),
            None => (Vec::new(), 0),
        }
    }

    fn delivered(&mut self, from: NodeId, to: NodeId, bytes: &[u8]) {
        if self.server == Some(to) {
            self.strings.put(from.0 - 1, bytes);
        }
    }
}

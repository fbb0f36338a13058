//! Exact accounts of every bit on the wire: by host, direction, purpose and fate. Only the engine charges.
//!
//! Conservation: sent = delivered + late + lost + aborted + in flight, in messages' payload and header bits alike. A
//! message cut off in mid-flight was sent as far as it got.

use std::num::NonZeroU32;

use fedbits_tally::{Direction, Fate, LedgerRow};

use crate::{NodeId, Purpose};

/// Bits and messages of one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// Number of messages.
    pub messages: u64,
    /// Payload bits.
    pub payload: u64,
    /// Header bits.
    pub header: u64,
    /// Bits sent again after a loss.
    pub retransmitted: u64,
}

impl Charge {
    pub(crate) fn add(&mut self, other: Charge) {
        self.messages += other.messages;
        self.payload += other.payload;
        self.header += other.header;
        self.retransmitted += other.retransmitted;
    }

    pub(crate) fn subtract(&mut self, other: Charge) {
        self.messages -= other.messages;
        self.payload -= other.payload;
        self.header -= other.header;
        self.retransmitted -= other.retransmitted;
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Charge::default()
    }
}

impl std::ops::Add for Charge {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        Charge::add(&mut self, other);
        self
    }
}

/// Up to this many purposes of messages have accounts.
pub const MAX_PURPOSES: usize = 16;
const ACCOUNTS: usize = Direction::ALL.len() * MAX_PURPOSES * Fate::ALL.len();

/// The account of a direction, a purpose and a fate as one small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Account(u8);

impl Account {
    pub(crate) fn new(direction: Direction, purpose: Purpose, fate: Fate) -> Self {
        let code = (direction as usize * MAX_PURPOSES + usize::from(purpose.0)) * Fate::ALL.len() + fate as usize;
        Self(code as u8)
    }

    fn parts(self) -> (Direction, Purpose, Fate) {
        let code = usize::from(self.0);
        let (rest, fate) = (code / Fate::ALL.len(), code % Fate::ALL.len());
        (Direction::ALL[rest / MAX_PURPOSES], Purpose((rest % MAX_PURPOSES) as u8), Fate::ALL[fate])
    }
}

/// Whose bits are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerDetail {
    /// One set of accounts for everybody.
    Totals,
    /// Accounts of every host beside the totals. A host costs memory only once it is charged.
    PerHost,
    /// Accounts of hosts, and of the links between sites (see [`crate::LinkLedger`]): those of the first this many ids.
    PerLink(u32),
}

/// The accounts of a run.
#[derive(Clone, Debug)]
pub struct Ledger {
    purposes: &'static [&'static str],
    totals: [Charge; ACCOUNTS],
    /// Each host's list of bookings: 4 bytes for a host that was never charged.
    hosts: Vec<Option<NonZeroU32>>,
    bookings: Vec<Booking>,
    /// What is in the totals and not yet in the hosts' accounts, by account. Posted together, the look-ups of many
    /// hosts, which lie anywhere in memory, wait for each other's cache lines no longer.
    pending: Vec<Vec<(NodeId, Charge)>>,
    sent: Charge,
}

/// This many charges of one account are posted to their hosts together.
const BATCH: usize = 64;

/// One account of one host, and the next of the same host (index + 1).
#[derive(Clone, Copy, Debug)]
struct Booking {
    charge: Charge,
    account: Account,
    next: Option<NonZeroU32>,
}

/// Cumulative settled bits, as a record row wants them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Payload bits from clients to the server, and all bits sent again in this direction.
    pub up: u64,
    /// Payload bits from the server to clients, and all bits sent again in this direction.
    pub down: u64,
    /// Payload bits between peers, and all bits sent again in this direction.
    pub peer: u64,
    /// Header bits of what was sent for the first time, all directions.
    pub header: u64,
    /// Payload and header bits of everything late, lost or aborted, and all retransmitted bits.
    pub wasted: u64,
}

impl Ledger {
    /// Empty accounts for `nodes` hosts and messages with these `purposes`.
    ///
    /// # Panics
    /// If there are more than [`MAX_PURPOSES`].
    pub fn new(nodes: usize, detail: LedgerDetail, purposes: &'static [&'static str]) -> Self {
        assert!(purposes.len() <= MAX_PURPOSES, "up to {MAX_PURPOSES} purposes have accounts");
        let hosts = if detail == LedgerDetail::Totals { 0 } else { nodes };
        Self {
            purposes,
            totals: [Charge::default(); ACCOUNTS],
            hosts: vec![None; hosts],
            bookings: Vec::new(),
            pending: vec![Vec::new(); if hosts > 0 { ACCOUNTS } else { 0 }],
            sent: Charge::default(),
        }
    }

    /// A message sets out.
    #[inline]
    pub(crate) fn depart(&mut self, charge: Charge) {
        self.sent.add(charge);
    }

    /// The part of a departed message that was never sent: it was cut off before.
    pub(crate) fn withdraw(&mut self, unsent: Charge) {
        self.sent.subtract(unsent);
    }

    /// A message, or what was sent of it, has met its fate.
    #[inline]
    pub(crate) fn settle(&mut self, host: NodeId, direction: Direction, purpose: Purpose, fate: Fate, charge: Charge) {
        if charge.is_zero() {
            return;
        }
        self.book(host, Account::new(direction, purpose, fate), charge);
    }

    /// What was delivered turns out to be late: nobody used it.
    pub(crate) fn reclassify_late(&mut self, host: NodeId, direction: Direction, purpose: Purpose, charge: Charge) {
        let delivered = Account::new(direction, purpose, Fate::Delivered);
        self.totals[usize::from(delivered.0)].subtract(charge);
        if !self.hosts.is_empty() {
            self.post(delivered);
            let booked = self.booking(host, delivered);
            booked.expect("a late message was booked as delivered first").charge.subtract(charge);
        }
        self.book(host, Account::new(direction, purpose, Fate::Late), charge);
    }

    #[inline]
    fn book(&mut self, host: NodeId, account: Account, charge: Charge) {
        self.totals[usize::from(account.0)].add(charge);
        if let Some(pending) = self.pending.get_mut(usize::from(account.0)) {
            pending.push((host, charge));
            if pending.len() == BATCH {
                self.post(account);
            }
        }
    }

    /// Books what is pending for an account with its hosts.
    fn post(&mut self, account: Account) {
        let mut pending = std::mem::take(&mut self.pending[usize::from(account.0)]);
        for (host, charge) in pending.drain(..) {
            match self.booking(host, account) {
                Some(booking) => booking.charge.add(charge),
                None => self.open(host, Booking { charge, account, next: None }),
            }
        }
        self.pending[usize::from(account.0)] = pending;
    }

    /// A copy of these accounts with nothing pending.
    fn posted(&self) -> Self {
        let mut posted = self.clone();
        (0..posted.pending.len()).for_each(|code| posted.post(Account(code as u8)));
        posted
    }

    /// The booking of an account of a host; a host has few.
    fn booking(&mut self, host: NodeId, account: Account) -> Option<&mut Booking> {
        let mut place = self.hosts[host.0 as usize];
        while let Some(index) = place.map(index_of) {
            if self.bookings[index].account == account {
                return self.bookings.get_mut(index);
            }
            place = self.bookings[index].next;
        }
        None
    }

    fn open(&mut self, host: NodeId, booking: Booking) {
        let next = self.hosts[host.0 as usize];
        self.bookings.push(Booking { next, ..booking });
        let name = u32::try_from(self.bookings.len()).ok().and_then(NonZeroU32::new);
        self.hosts[host.0 as usize] = Some(name.expect("between 1 and 2^32 - 1 accounts are open"));
    }

    /// The accounts of a host in the order of their codes.
    fn accounts_of(&self, host: NodeId) -> Vec<(Account, Charge)> {
        let bookings = std::iter::successors(self.hosts[host.0 as usize], |&place| self.bookings[index_of(place)].next);
        let mut accounts: Vec<_> =
            bookings.map(|place| &self.bookings[index_of(place)]).map(|b| (b.account, b.charge)).collect();
        accounts.sort_by_key(|(account, _)| account.0);
        accounts
    }

    /// Cumulative settled bits.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (code, charge) in self.totals.iter().enumerate() {
            let (direction, _, fate) = Account(code as u8).parts();
            match direction {
                Direction::Up => totals.up += charge.payload + charge.retransmitted,
                Direction::Down => totals.down += charge.payload + charge.retransmitted,
                Direction::Peer => totals.peer += charge.payload + charge.retransmitted,
            }
            totals.header += charge.header;
            totals.wasted += charge.retransmitted;
            if !matches!(fate, Fate::Delivered | Fate::InFlight) {
                totals.wasted += charge.payload + charge.header;
            }
        }
        totals
    }

    /// Asserts sent = delivered + late + lost + aborted + in flight. To be called when every message has met its fate:
    /// at the end of a run those in flight have it, too.
    ///
    /// # Panics
    /// When bits were created or destroyed: a bug of the engine.
    pub(crate) fn assert_conserved(&self) {
        let mut sum = Charge::default();
        self.totals.iter().for_each(|&charge| sum.add(charge));
        assert_eq!(sum, self.sent, "bits are conserved: the accounts add up to what was sent");
        if !self.hosts.is_empty() {
            let mut hosts = Charge::default();
            self.bookings.iter().for_each(|booking| hosts.add(booking.charge));
            self.pending.iter().flatten().for_each(|&(_, charge)| hosts.add(charge));
            assert_eq!(hosts, sum, "the hosts' accounts add up to the totals");
        }
    }

    /// The rows of `ledger.csv`: every host's accounts, or the totals under the name `all` without that detail.
    pub fn rows(&self, name: impl Fn(NodeId) -> String) -> Vec<LedgerRow> {
        if self.hosts.is_empty() {
            let accounts = (0..ACCOUNTS).map(|code| (Account(code as u8), self.totals[code]));
            return self.rows_of("all", accounts);
        }
        let (whole, mut rows) = (self.posted(), Vec::new());
        for host in (0..self.hosts.len() as u32).map(NodeId) {
            rows.extend(self.rows_of(&name(host), whole.accounts_of(host).into_iter()));
        }
        rows
    }

    /// Goes through the accounts of all hosts; there are none without that detail.
    pub fn each_host(&self, mut see: impl FnMut(NodeId, &LedgerRow)) {
        let whole = if self.hosts.is_empty() { return } else { self.posted() };
        for host in (0..self.hosts.len() as u32).map(NodeId) {
            whole.rows_of("", whole.accounts_of(host).into_iter()).iter().for_each(|row| see(host, row));
        }
    }

    fn rows_of(&self, link: &str, accounts: impl Iterator<Item = (Account, Charge)>) -> Vec<LedgerRow> {
        let charged = accounts.filter(|(_, charge)| !charge.is_zero());
        charged.map(|(account, charge)| row_of(link, account, charge, self.purposes)).collect()
    }
}

fn index_of(place: NonZeroU32) -> usize {
    place.get() as usize - 1
}

pub(crate) fn row_of(link: &str, account: Account, charge: Charge, purposes: &[&str]) -> LedgerRow {
    let (direction, purpose, fate) = account.parts();
    LedgerRow {
        link: link.to_owned(),
        direction,
        purpose: purposes[usize::from(purpose.0)].to_owned(),
        fate,
        messages: charge.messages,
        payload_bits: charge.payload,
        header_bits: charge.header,
        retransmitted_bits: charge.retransmitted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charge(payload: u64) -> Charge {
        Charge { messages: 1, payload, header: 8, retransmitted: 0 }
    }

    #[test]
    fn every_bit_has_one_fate() {
        let mut ledger = Ledger::new(3, LedgerDetail::PerHost, &["broadcast", "update"]);
        for payload in [100, 200, 300] {
            ledger.depart(charge(payload));
        }
        ledger.settle(NodeId(1), Direction::Up, Purpose(1), Fate::Delivered, charge(100));
        ledger.settle(NodeId(2), Direction::Up, Purpose(1), Fate::Delivered, charge(200));
        ledger.reclassify_late(NodeId(2), Direction::Up, Purpose(1), charge(200));
        // The third is cut off after 50 payload bits: 250 were never sent.
        ledger.withdraw(Charge { payload: 250, ..Charge::default() });
        ledger.settle(NodeId(1), Direction::Down, Purpose(0), Fate::Aborted, charge(50));
        ledger.assert_conserved();
        let expected = Totals { up: 300, down: 50, peer: 0, header: 24, wasted: 208 + 58 };
        assert_eq!(ledger.totals(), expected);
        let rows = ledger.rows(|node| format!("client-{}", node.0));
        let fates: Vec<Fate> = rows.iter().map(|row| row.fate).collect();
        assert_eq!(fates, [Fate::Delivered, Fate::Aborted, Fate::Late]);
    }

    #[test]
    #[should_panic(expected = "bits are conserved")]
    fn a_vanished_bit_is_noticed() {
        let mut ledger = Ledger::new(1, LedgerDetail::Totals, &["update"]);
        ledger.depart(charge(100));
        ledger.settle(NodeId(0), Direction::Up, Purpose(0), Fate::Delivered, charge(99));
        ledger.assert_conserved();
    }
}

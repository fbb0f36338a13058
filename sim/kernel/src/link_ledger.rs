//! Accounts of the links between sites: what became of the bits that were to go over each of them.
//!
//! A message is booked on every link of its route, whole or as far as its sender got, as the ledger of hosts books it:
//! these accounts tell what each link carries and do not add up to what was sent. What was lost is booked on the whole
//! route, because the networks that know flows let it use its whole route. This file must not know networks, nor the
//! names of links.

use std::collections::BTreeMap;

use fedbits_tally::LedgerRow;

use crate::ledger::{Account, Charge, row_of};
use crate::network::LinkId;

/// The accounts of links 0, 1, … below a number: the links between sites. Those of hosts have their rows in the ledger.
#[derive(Clone, Debug, Default)]
pub struct LinkLedger {
    links: u32,
    purposes: &'static [&'static str],
    accounts: BTreeMap<(LinkId, Account), Charge>,
}

impl LinkLedger {
    pub(crate) fn new(links: u32, purposes: &'static [&'static str]) -> Self {
        Self { links, purposes, accounts: BTreeMap::new() }
    }

    /// Has any link accounts here?
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.links > 0
    }

    pub(crate) fn book(&mut self, route: &[LinkId], account: Account, charge: Charge) {
        if charge.is_zero() {
            return;
        }
        for &link in route.iter().filter(|link| link.0 < self.links) {
            self.accounts.entry((link, account)).or_default().add(charge);
        }
    }

    /// Moves what was booked from one account to another.
    pub(crate) fn move_to(&mut self, route: &[LinkId], from: Account, to: Account, charge: Charge) {
        for &link in route.iter().filter(|link| link.0 < self.links) {
            let booked = self.accounts.get_mut(&(link, from));
            booked.expect("what is booked anew was booked before").subtract(charge);
        }
        self.book(route, to, charge);
    }

    /// Payload, headers, and bits that were sent again, by link: of all purposes and fates.
    pub fn carried(&self) -> BTreeMap<LinkId, [u64; 3]> {
        let mut all: BTreeMap<LinkId, [u64; 3]> = BTreeMap::new();
        for ((link, _), charge) in &self.accounts {
            let sums = all.entry(*link).or_default();
            for (sum, bits) in sums.iter_mut().zip([charge.payload, charge.header, charge.retransmitted]) {
                *sum += bits;
            }
        }
        all
    }

    /// The accounts with anything in them, by link.
    pub fn rows(&self) -> Vec<(LinkId, LedgerRow)> {
        let charged = self.accounts.iter().filter(|(_, charge)| !charge.is_zero());
        charged
            .map(|(&(link, account), &charge)| {
                (link, row_of(&format!("link-{}", link.0), account, charge, self.purposes))
            })
            .collect()
    }
}

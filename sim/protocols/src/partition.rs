//! Which example belongs to which client.
//!
//! A rule gives every example a client; the data set is then reordered so that each client's examples are contiguous,
//! in their original order.
//!
//! Dirichlet label skew, precisely: for every label ℓ, proportions q_ℓ ~ Dir(α, …, α) over the n clients; client i gets
//! N_ℓ q_ℓi examples of label ℓ, rounded by largest remainders (ties to the smaller client), taken from a uniform
//! permutation of the examples of ℓ. When a client has fewer than `minimum` examples, everything is drawn again, up to
//! 1000 times.

use fedbits_models::data::{DataSet, DataSetError};
use fedbits_models::{Examples, Response};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::POSITIVE;
use fedbits_spec::{Described, so_many};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How often the Dirichlet rule draws before it gives up.
const ATTEMPTS: u64 = 1000;
/// Entity of the permutation of all examples; labels, the other entities, are 32-bit.
const ALL_EXAMPLES: u64 = 1 << 32;
/// Entity of the permutation of all groups.
const ALL_GROUPS: u64 = (1 << 32) + 1;

/// Which client holds which example.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Partition {
    /// Random order, cut into equal shares; the only choice for subjects, persons and documents.
    #[default]
    Iid,
    /// Order of the data, cut into equal shares, client 0 first.
    InOrder,
    /// Sorted by label, cut into equal shares. Integers, and labels predicted as numbers, are sorted by value, others
    /// by first appearance.
    SortedByLabel,
    /// Each label spread over clients by Dirichlet(`alpha`, …), redrawn (at most 1 000 times) until every client has an
    /// example.
    Dirichlet {
        /// Small values give heterogeneous clients, large values iid ones.
        #[range(POSITIVE)]
        alpha: f64,
    },
    /// Whole observers, dealt at random in equal numbers.
    Observers,
    /// By the client column of the file, without `clients`.
    ClientColumn,
    /// Features, not examples: consecutive blocks of nearly equal size. For `VpEm` and `KMeans`.
    EvenFeatures,
    /// Features, not examples: each client's list, from 0. For `VpEm` and `KMeans`.
    Features(Vec<Vec<usize>>),
}

impl Partition {
    /// Are features divided, of examples that everybody has?
    #[must_use]
    pub fn is_by_feature(&self) -> bool {
        matches!(self, Self::EvenFeatures | Self::Features(_))
    }

    /// The rule for this many clients.
    #[must_use]
    pub fn rule(&self, clients: usize) -> Rule {
        // The protocol divides the features.
        let clients = if self.is_by_feature() { 1 } else { clients };
        Rule { partition: self.clone(), clients, minimum: 1 }
    }
}

/// A rule that gives every example a client. Equal shares differ by at most one, the larger first, also those of
/// observers that occur.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Which client holds which example.
    pub partition: Partition,
    /// n, where no client column says it.
    pub clients: usize,
    /// Examples that every client must have where labels are spread (see the head of the file), at least 1.
    pub minimum: usize,
}

/// A data set whose examples are contiguous by client.
#[derive(Clone, Debug, PartialEq)]
pub struct Partitioned {
    data: DataSet,
    offsets: Vec<usize>,
}

/// Why a rule cannot be applied.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PartitionError {
    /// No client.
    #[error("a partition needs at least one client")]
    NoClients,
    /// Some clients would have nothing.
    #[error(
        "{} for {}: every client needs at least {minimum}",
        so_many(.clients, "client"),
        so_many(.examples, "example")
    )]
    TooManyClients {
        /// n.
        clients: usize,
        /// N.
        examples: usize,
        /// Examples per client.
        minimum: usize,
    },
    /// The rule needs labels.
    #[error("a partition by label needs data with labels")]
    NoLabels,
    /// The rule needs groups.
    #[error("a partition by client column needs data with a client column")]
    NoClientColumn,
    /// Some clients would have no group.
    #[error("{} for {}: every client needs at least one", so_many(.clients, "client"), so_many(.groups, "group"))]
    TooFewGroups {
        /// n.
        clients: usize,
        /// Groups that occur.
        groups: usize,
    },
    /// A number of the client column has no example.
    #[error("client {client} of the client column has no example")]
    EmptyClient {
        /// Which.
        client: usize,
    },
    /// α is not positive.
    #[error("the Dirichlet concentration is {0}: it must be positive and finite")]
    Alpha(f64),
    /// A minimum of 0 would leave clients without examples.
    #[error("the minimum is 0: every client needs at least 1 example")]
    NoMinimum,
    /// The redraws are used up.
    #[error(
        "in {attempts} draws with concentration {alpha} some client always had fewer than {} (at best {best}): use a \
         larger concentration, a smaller minimum or fewer clients",
        so_many(.minimum, "example")
    )]
    Unlucky {
        /// Draws made.
        attempts: u64,
        /// α.
        alpha: f64,
        /// What was asked for.
        minimum: usize,
        /// Largest smallest client seen.
        best: usize,
    },
    /// The data set cannot be reordered.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
}

impl Partitioned {
    /// Deals the examples of `data` out by `rule`.
    ///
    /// # Errors
    /// [`PartitionError`].
    pub fn new(data: &DataSet, rule: &Rule, streams: &Streams) -> Result<Self, PartitionError> {
        let clients = rule.check(data)?;
        let client_of = match rule.partition {
            Partition::Iid | Partition::EvenFeatures | Partition::Features(_) => iid(data.len(), clients, streams),
            Partition::InOrder => cut(&(0..data.len() as u32).collect::<Vec<_>>(), clients),
            Partition::SortedByLabel => sorted_by_label(data.response(), clients)?,
            Partition::Dirichlet { alpha } => dirichlet(labels(data)?, clients, alpha, rule.minimum, streams)?,
            Partition::Observers => whole_groups(groups(data)?, clients, streams),
            Partition::ClientColumn => groups(data)?.to_vec(),
        };
        Self::gather(data, &client_of, clients)
    }

    /// Reorders by client, stable.
    fn gather(data: &DataSet, client_of: &[u32], clients: usize) -> Result<Self, PartitionError> {
        let mut offsets = vec![0];
        for size in sizes(client_of, clients) {
            offsets.push(offsets[offsets.len() - 1] + size);
        }
        let mut next = offsets.clone();
        let mut order = vec![0; client_of.len()];
        for (example, &client) in client_of.iter().enumerate() {
            order[next[client as usize]] = example as u32;
            next[client as usize] += 1;
        }
        Ok(Self { data: data.select(&order)?, offsets })
    }

    /// The reordered data set.
    pub fn data(&self) -> &DataSet {
        &self.data
    }

    /// The reordered data set, without its division.
    #[must_use]
    pub fn into_data(self) -> DataSet {
        self.data
    }

    /// The same division of data that were made of these, example by example.
    ///
    /// # Errors
    /// Those of `make`, and [`PartitionError::DataSet`] when it gives another number of examples.
    pub fn with<E: From<PartitionError>>(
        self,
        make: impl FnOnce(DataSet, &[usize]) -> Result<DataSet, E>,
    ) -> Result<Self, E> {
        let (Self { data, offsets }, what) = (self, "numbers of examples");
        let before = data.len();
        let data = make(data, &offsets)?;
        if data.len() != before {
            return Err(PartitionError::DataSet(DataSetError::different(what)).into());
        }
        Ok(Self { data, offsets })
    }

    /// Where each client starts, n + 1 numbers from 0 to N.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// n, the number of clients (at least 1).
    #[expect(clippy::len_without_is_empty, reason = "a partition is never empty")]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The examples of zero-based client `i`.
    ///
    /// # Panics
    /// If `i` is not below [`Partitioned::len`].
    pub fn client(&self, i: usize) -> Examples<'_> {
        self.data.examples().range(self.offsets[i]..self.offsets[i + 1])
    }

    /// Number of examples of every client (each at least 1).
    pub fn sizes(&self) -> Vec<usize> {
        self.offsets.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// BLAKE3 of the digest of the reordered data and of the offsets (little-endian u64).
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.data.digest());
        self.offsets.iter().for_each(|&offset| {
            hasher.update(&(offset as u64).to_le_bytes());
        });
        *hasher.finalize().as_bytes()
    }
}

impl Rule {
    /// Checks the rule against the data; returns n.
    fn check(&self, data: &DataSet) -> Result<usize, PartitionError> {
        let clients = self.clients;
        let minimum = match self.partition {
            Partition::ClientColumn => return count_groups(groups(data)?),
            Partition::Observers => {
                let groups = occurring(groups(data)?).len();
                if clients > groups {
                    return Err(PartitionError::TooFewGroups { clients, groups });
                }
                1
            }
            Partition::Dirichlet { alpha } if !(alpha > 0.0 && alpha.is_finite()) => {
                return Err(PartitionError::Alpha(alpha));
            }
            Partition::Dirichlet { .. } if self.minimum == 0 => return Err(PartitionError::NoMinimum),
            Partition::Dirichlet { .. } => self.minimum,
            _ => 1,
        };
        if clients == 0 {
            return Err(PartitionError::NoClients);
        }
        if clients.saturating_mul(minimum) > data.len() {
            return Err(PartitionError::TooManyClients { clients, examples: data.len(), minimum });
        }
        Ok(clients)
    }
}

fn labels(data: &DataSet) -> Result<&[u32], PartitionError> {
    data.labels().ok_or(PartitionError::NoLabels)
}

fn groups(data: &DataSet) -> Result<&[u32], PartitionError> {
    data.groups().ok_or(PartitionError::NoClientColumn)
}

/// Number of groups, every one of which must occur. A stray large number costs no memory.
fn count_groups(groups: &[u32]) -> Result<usize, PartitionError> {
    let mut occurs = vec![false; groups.len() + 1];
    for &group in groups {
        if let Some(occurs) = occurs.get_mut(group as usize) {
            *occurs = true;
        }
    }
    let first_gap = occurs.iter().position(|&occurs| !occurs).unwrap_or(groups.len());
    match groups.iter().any(|&group| group as usize > first_gap) {
        true => Err(PartitionError::EmptyClient { client: first_gap }),
        false => Ok(first_gap),
    }
}

fn sizes(client_of: &[u32], clients: usize) -> Vec<usize> {
    let mut sizes = vec![0; clients];
    client_of.iter().for_each(|&client| sizes[client as usize] += 1);
    sizes
}

/// Cuts `order` into n blocks; returns the client of every example.
fn cut(order: &[u32], clients: usize) -> Vec<u32> {
    let (size, larger) = (order.len() / clients, order.len() % clients);
    let mut client_of = vec![0; order.len()];
    let mut rest = order;
    for client in 0..clients {
        let (block, after) = rest.split_at(size + usize::from(client < larger));
        block.iter().for_each(|&example| client_of[example as usize] = client as u32);
        rest = after;
    }
    client_of
}

/// The client of every example (or subject): a uniform permutation cut into blocks whose sizes differ by at most one.
pub fn iid(examples: usize, clients: usize, streams: &Streams) -> Vec<u32> {
    let mut order: Vec<u32> = (0..examples as u32).collect();
    streams.at(DrawPurpose::Partition, ALL_EXAMPLES, 0).shuffle(&mut order);
    cut(&order, clients)
}

/// The groups that have examples, increasing.
fn occurring(groups: &[u32]) -> Vec<u32> {
    let mut occurring = groups.to_vec();
    occurring.sort_unstable();
    occurring.dedup();
    occurring
}

fn whole_groups(groups: &[u32], clients: usize, streams: &Streams) -> Vec<u32> {
    let occurring = occurring(groups);
    let mut order: Vec<u32> = (0..occurring.len() as u32).collect();
    streams.at(DrawPurpose::Partition, ALL_GROUPS, 0).shuffle(&mut order);
    let client_of_group = cut(&order, clients);
    let place = |group: &u32| occurring.binary_search(group).unwrap_or(0);
    groups.iter().map(|group| client_of_group[place(group)]).collect()
}

fn sorted_by_label(labels: Response<'_>, clients: usize) -> Result<Vec<u32>, PartitionError> {
    let in_order = |count: usize| (0..count as u32).collect::<Vec<u32>>();
    let order = match labels {
        Response::None => return Err(PartitionError::NoLabels),
        Response::Classes(classes) => {
            let mut order = in_order(classes.len());
            order.sort_by_key(|&example| classes[example as usize]);
            order
        }
        Response::Numbers(numbers) => {
            let mut order = in_order(numbers.len());
            order.sort_by(|&one, &other| numbers[one as usize].total_cmp(&numbers[other as usize]));
            order
        }
    };
    Ok(cut(&order, clients))
}

fn dirichlet(
    labels: &[u32],
    clients: usize,
    alpha: f64,
    minimum: usize,
    streams: &Streams,
) -> Result<Vec<u32>, PartitionError> {
    let mut best = 0;
    for attempt in 0..ATTEMPTS {
        let client_of = deal(labels, clients, alpha, attempt, streams);
        let smallest = sizes(&client_of, clients).into_iter().min().unwrap_or(0);
        if smallest >= minimum {
            return Ok(client_of);
        }
        best = best.max(smallest);
    }
    Err(PartitionError::Unlucky { attempts: ATTEMPTS, alpha, minimum, best })
}

/// One draw of the Dirichlet rule, addressed by (label, attempt).
fn deal(labels: &[u32], clients: usize, alpha: f64, attempt: u64, streams: &Streams) -> Vec<u32> {
    let mut order: Vec<u32> = (0..labels.len() as u32).collect();
    order.sort_by_key(|&example| labels[example as usize]);
    let mut client_of = vec![0; labels.len()];
    let concentrations = vec![alpha; clients];
    let mut proportions = vec![0.0; clients];
    for block in order.chunk_by_mut(|&a, &b| labels[a as usize] == labels[b as usize]) {
        let mut stream = streams.at(DrawPurpose::Partition, u64::from(labels[block[0] as usize]), attempt);
        stream.dirichlet(&concentrations, &mut proportions);
        stream.shuffle(block);
        let mut rest = &block[..];
        for (client, count) in largest_remainders(rest.len(), &proportions).into_iter().enumerate() {
            let (share, after) = rest.split_at(count);
            share.iter().for_each(|&example| client_of[example as usize] = client as u32);
            rest = after;
        }
    }
    client_of
}

/// Whole numbers that sum to `total` and lie within one of `total · proportions`.
fn largest_remainders(total: usize, proportions: &[f64]) -> Vec<usize> {
    let shares: Vec<f64> = proportions.iter().map(|q| q * total as f64).collect();
    let mut counts: Vec<usize> = shares.iter().map(|share| *share as usize).collect();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    let remainder = |i: usize| shares[i] - shares[i].trunc();
    order.sort_by(|&i, &j| remainder(j).total_cmp(&remainder(i)));
    // The shares sum to the total up to rounding far below 1, so the whole parts never exceed it.
    let missing = total - counts.iter().sum::<usize>();
    order.iter().take(missing).for_each(|&i| counts[i] += 1);
    assert_eq!(counts.iter().sum::<usize>(), total, "proportions sum to 1");
    counts
}

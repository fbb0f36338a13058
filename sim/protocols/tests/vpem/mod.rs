//! VP-EM: reference vectors, graphs and consensus, laws of the messages.

mod common;
mod consensus;
mod diffusion;
mod federated;
mod flooding;
mod gaps;
mod golden;
mod lossy;
mod messages;
mod reference_impl;
mod surrogates;
mod twin;

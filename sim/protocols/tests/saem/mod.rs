//! FL-SAEM: golden g9 piece by piece, its variants against exact EM, and what is seen when it fails.

mod golden;
mod lines;
mod variants;

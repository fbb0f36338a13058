//! Transition kernels, one per file.

pub(super) mod gibbs;
pub(super) mod langevin;
pub(super) mod random_walk;

//! The rows that a run writes and the files they live in

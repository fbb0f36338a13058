//! The scenario schema, its checks, and the library of scenarios

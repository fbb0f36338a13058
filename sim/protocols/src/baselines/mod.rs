//! The algorithms that FedEM is compared with, one file each, with the records and axes of all others.
//!
//! On all data in one place ([`pooled`]; they cost no bits): [`centralized`], [`online_em`], [`sem_vr`], [`iem`],
//! [`fiem`]. In the star: [`presets`], which are FedEM with certain settings; [`fed_avg_em`],
//! parameters instead of statistics. A compressed downlink (Artemis) is a setting of FedEM.

pub mod centralized;
pub mod fed_avg_em;
pub mod fiem;
pub mod iem;
pub mod online_em;
pub mod pooled;
pub mod presets;
pub mod sem_vr;

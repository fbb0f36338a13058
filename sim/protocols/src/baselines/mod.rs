//! The algorithms that FedEM is compared with, one file each, with the records and axes of all others.
//!
//! On all data in one place ([`pooled`]; they cost no bits): [`centralized`], [`online_em`], [`sem_vr`], [`iem`],
//! [`fiem`]. In the star: [`distributed_em`] and [`ef21`], which are FedEM with certain settings; [`marina`], another
//! estimate of its H; [`gradient_ascent`], FedEM's messages about gradients; [`fed_avg_em`], parameters instead of
//! statistics. A compressed downlink (Artemis) is a setting of FedEM.

pub mod centralized;
pub mod distributed_em;
pub mod ef21;
pub mod fed_avg_em;
pub mod fiem;
pub mod gradient_ascent;
pub mod iem;
pub mod marina;
pub mod online_em;
pub mod pooled;
pub mod sem_vr;

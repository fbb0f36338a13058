//! What a scenario or a study says of its figures: which kind, which quantities over which axes, which arms. Described
//! once; scenarios read it, records keep it, and the reports draw it. It knows no record and no drawing.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod arms;
mod curves;
mod figure;
mod x_axis;

pub use arms::ShownArm;
pub use curves::{ArmsPanel, Band, Curves, Limits, Mark, Panels, Scale};
pub use figure::{Figure, FigureKind};
pub use x_axis::{AXES, XAxis};

//! Whether columns and preparation that were read from a file belong together.

use crate::data::transform::Transform;

use super::origin::Features;

impl Features {
    /// The file gives the columns, every step takes the columns that the one before leaves, and its numbers make sense.
    ///
    /// # Errors
    /// What is wrong, and with which step.
    pub fn check(&self) -> Result<(), String> {
        self.coding.check(&self.columns)?;
        let mut columns = self.columns.len();
        for (index, step) in self.transformation.iter().enumerate() {
            checked(step, columns).map_err(|problem| format!("step {index} of `transformation`: {problem}"))?;
            columns = step.gives(columns);
        }
        Ok(())
    }
}

fn checked(step: &Transform, columns: usize) -> Result<(), String> {
    let length = |what: &str, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(format!("{found} {what}: expected {expected}")),
    };
    match step {
        Transform::Keep { columns: kept } | Transform::Log { columns: kept } => {
            let increases = kept.windows(2).all(|pair| pair[0] < pair[1]);
            let is_inside = kept.last().is_some_and(|&last| last < columns);
            let expected = || format!("expected increasing numbers of columns below {columns}");
            if increases && is_inside { Ok(()) } else { Err(expected()) }
        }
        Transform::Affine { means, scales } => {
            length("means", means.len(), columns)?;
            length("scales", scales.len(), columns)?;
            let fine = means.iter().all(|mean| mean.is_finite()) && scales.iter().all(|&scale| scale > 0.0);
            if fine { Ok(()) } else { Err("expected finite means and scales above 0".to_owned()) }
        }
        Transform::WithinClients => Ok(()),
        Transform::Project(pca) => {
            length("means of columns", pca.dimension(), columns)?;
            pca.check()
        }
    }
}

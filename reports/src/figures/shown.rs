//! The arms that a declared figure shows: chosen, in its order, under its labels, several as one.

use crate::data::Arm;
use fedbits_figures::ShownArm;

/// The arms as they are shown, all where none are chosen. Chosen arms that the report does not have are left out:
/// [`absent`] names them.
pub(crate) fn shown(arms: &[Arm], chosen: &[ShownArm]) -> Vec<Arm> {
    if chosen.is_empty() {
        return arms.to_vec();
    }
    chosen.iter().filter_map(|one| as_one(arms, one)).collect()
}

/// What a declaration chooses and the report does not have: it is of other arms, by `--arm` for instance.
pub(crate) fn absent(arms: &[Arm], chosen: &[ShownArm]) -> Option<String> {
    let labels = chosen.iter().filter(|one| !arms.iter().any(|arm| one.holds(&arm.name))).map(ShownArm::label);
    let labels: Vec<&str> = labels.collect();
    (!labels.is_empty())
        .then(|| format!("arms of the figure's declaration that the report does not have: {}", labels.join(", ")))
}

/// The arms of a choice as one; none where the report has none of them.
pub(crate) fn as_one(arms: &[Arm], chosen: &ShownArm) -> Option<Arm> {
    let mut own = arms.iter().filter(|arm| chosen.holds(&arm.name));
    let mut one = own.next()?.clone();
    one.runs.extend(own.flat_map(|arm| arm.runs.iter().cloned()));
    if !matches!(chosen, ShownArm::Arm(_)) {
        chosen.label().clone_into(&mut one.label);
    }
    Some(one)
}

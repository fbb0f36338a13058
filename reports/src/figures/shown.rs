//! The arms that a declared figure shows: chosen, in its order, under its labels, several as one.

use crate::data::{Arm, check_labels};
use crate::error::ReportError;
use crate::looks::part_looks;
use fedbits_figures::{Curves, Figure as Declared, FigureKind, Panels, ShownArm};

/// The arms as they are shown, all where none are chosen. Chosen arms that the report does not have are left out:
/// [`absent`] names them.
pub(crate) fn shown(arms: &[Arm], chosen: &[ShownArm]) -> Vec<Arm> {
    if chosen.is_empty() {
        return arms.to_vec();
    }
    let mut shown: Vec<Arm> = chosen.iter().filter_map(|one| as_one(arms, one)).collect();
    let frame = (0..shown.len()).collect();
    recolor(&mut shown, &[frame]);
    shown
}

/// Gives arms that share a frame, by their numbers, different colours.
pub(crate) fn recolor(arms: &mut [Arm], frames: &[Vec<usize>]) {
    let mut styles: Vec<usize> = arms.iter().map(|arm| arm.style).collect();
    part_looks(&mut styles, frames);
    arms.iter_mut().zip(styles).for_each(|(arm, style)| arm.style = style);
}

/// What a declaration chooses and the report does not have: it is of other arms, by `--arm` for instance.
pub(crate) fn absent(arms: &[Arm], chosen: &[ShownArm]) -> Option<String> {
    let labels = chosen.iter().filter(|one| !arms.iter().any(|arm| one.holds(&arm.name))).map(ShownArm::label);
    let labels: Vec<&str> = labels.collect();
    (!labels.is_empty())
        .then(|| format!("arms of the figure's declaration that the report does not have: {}", labels.join(", ")))
}

/// That a figure, or a panel of it, has arms, each of which is called differently, and takes arms as one where it has
/// them.
pub(crate) fn check(arms: &[Arm], figure: &Declared) -> Result<(), ReportError> {
    let name = &figure.name;
    if let Some(label) = figure.unfit_group() {
        let why = format!(
            "the figure `{name}` compares single arms or has intervals of means, and its group `{label}` has several \
             runs of a replicate; `Curves` without `Mean95`, `Reach` and `Ecdf` take groups"
        );
        return Err(ReportError::cannot_show(name, why));
    }
    let chosen = shown(arms, &figure.arms);
    let split = match &figure.kind {
        FigureKind::Curves(Curves { panels: Panels::Split(split), .. }) => &split[..],
        _ => &[],
    };
    let panels: Vec<Vec<Arm>> = split.iter().map(|panel| shown(&chosen, &panel.arms)).collect();
    if chosen.is_empty() || (!panels.is_empty() && panels.iter().all(Vec::is_empty)) {
        let asked = figure.arms.iter().chain(split.iter().flat_map(|panel| &panel.arms));
        let asked: Vec<String> = asked.map(|one| format!("`{}`", one.label())).collect();
        let known: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
        let known = fedbits_text::known("", &known, 30);
        let asked = asked.join(", ");
        let why = format!("the figure `{name}` is of arms that the report does not have: {asked}; there are {known}");
        return Err(ReportError::cannot_show(name, why));
    }
    std::iter::once(&chosen).chain(&panels).try_for_each(|arms| check_labels(arms))
}

/// The arms of a choice as one; none where the report has none of them.
pub(crate) fn as_one(arms: &[Arm], chosen: &ShownArm) -> Option<Arm> {
    let mut members = arms.iter().filter(|arm| chosen.holds(&arm.name));
    let mut one = members.next()?.clone();
    for arm in members {
        one.runs.extend(arm.runs.iter().cloned());
        one.merged.extend(std::iter::once(&arm.levels).chain(&arm.merged).cloned());
    }
    if !matches!(chosen, ShownArm::Arm(_)) {
        chosen.label().clone_into(&mut one.label);
    }
    Some(one)
}

//! Estimates of the theorems' constants at a few points: the first EM steps from Ŝ₀ and the limit they lead to.
//!
//! | constant | estimate |
//! |---|---|
//! | L_i of w_i h_i, L² = n⁻¹ Σ L_i² | largest w_i ‖h_i(S') − h_i(S)‖ / ‖S' − S‖ over neighbouring points |
//! | L_ij of single examples | the same for four examples of every client |
//! | v_min, v_max with ∇W = −B h | smallest and largest ⟨u, B u⟩ over u = h/‖h‖ (a central difference of W = F ∘ T along h), and, at the limit, over the slowest direction, where W'' = (1 − ρ)⟨u, B u⟩ |
//! | L_Ẇ | largest \|W''\| along these directions and three random ones |
//! | σ² | n⁻¹ Σ σ_i², σ_i² the mean w_i² ‖s̄_ij − s̄_i‖² of the four examples at Ŝ₀: the variance of a batch of one |
//! | ρ | power iteration on central differences of s̄ ∘ T at the limit |
//!
//! Steps of differences are shares of ‖s‖, or of the way to the border of the domain of T where that is nearer: of
//! components far from 0 a share of ‖s‖ is many of their variances.
//!
//! The theorems average over clients of equal weight. What FedEM averages is w_i h_i, so these stand in their place.
//!
//! Every one is a lower bound of a Lipschitz constant (v_min: an upper bound of a minimum) over the region that holds
//! the points. v_min and v_max are eigenvalues of a positive definite B only where EM contracts (ρ < 1) and W falls
//! along h and grows away from the limit; elsewhere they have no meaning, and are not given.

use fedbits_models::{DomainError, DomainPolicy};
use fedbits_random::{DrawPurpose, Streams};

use crate::federation::Federation;
use crate::state::norm_sq;

/// v_min and v_max, both above 0 and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigenvalues {
    /// v_min.
    pub min: f64,
    /// v_max.
    pub max: f64,
}

/// The estimates.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalConstants {
    /// Points they come from.
    pub points: usize,
    /// L of Theorem 1.
    pub l: f64,
    /// L of Theorem 3, over single examples.
    pub l_examples: f64,
    /// L_Ẇ.
    pub l_w: f64,
    /// v_min and v_max, or why they have no meaning at these points.
    pub v: Result<Eigenvalues, String>,
    /// σ² of a batch of one example.
    pub sigma_sq: f64,
    /// ρ.
    pub rho: f64,
    /// ‖h(Ŝ₀)‖².
    pub initial_field_sq: f64,
}

/// Numbers that an estimate may look at, an example counting q and what its E-step takes besides: seconds at most.
const AFFORDABLE: f64 = 1e9;
/// What an example costs beside its q numbers.
const E_STEP: f64 = 30.0;
/// The fewest passes that say something.
const FEWEST_PASSES: usize = 40;
/// EM and power iteration have converged long before this many.
const MAX_PASSES: usize = 600;

/// Passes over the data for [`explore`] with statistics of q numbers; none where that would take too long.
pub fn affordable(federation: &Federation, q: usize) -> Option<usize> {
    let passes = AFFORDABLE / (federation.total() as f64 * (q as f64 + E_STEP));
    Some((passes as usize).min(MAX_PASSES)).filter(|&passes| passes >= FEWEST_PASSES)
}

/// EM steps whose points are kept.
const STEPS: usize = 6;
/// Examples of a client that are looked at alone.
const SINGLE: u32 = 4;
/// Relative size of differences.
const STEP: f64 = 1e-4;
/// How many times as far from a point, along the direction of a difference, T must still be defined.
const FARTHER: f64 = 100.0;

/// A point, h and W there.
struct LocalPoint {
    s: Vec<f64>,
    h: Vec<f64>,
    w: f64,
}

/// Explores from Ŝ₀ = `start` with at most about `passes` passes over all data.
///
/// # Errors
/// When EM leaves the domain of T.
pub fn explore(federation: &Federation, start: &[f64], passes: usize) -> Result<LocalConstants, DomainError> {
    let mut path = vec![evaluate(federation, start.to_vec())?];
    let mut limit = step(federation, &path[0])?;
    for _ in 1..(passes / 2).max(STEPS + 1) {
        if path.len() < STEPS {
            path.push(evaluate(federation, limit.s.clone())?);
        }
        if norm_sq(&limit.h) < 1e-24 {
            break;
        }
        limit = step(federation, &limit)?;
    }
    path.push(limit);
    let limit = &path[path.len() - 1];
    let (rho, slowest) = spectral_radius(federation, &limit.s, (passes / 6).max(3))?;
    let (mut v, mut curvatures) = (Vec::new(), Vec::new());
    for point in &path {
        let size = norm_sq(&point.h).sqrt();
        if size > 1e-6 {
            let u: Vec<f64> = point.h.iter().map(|h| h / size).collect();
            let (first, second) = derivatives(federation, point, &u)?;
            v.push(-first / size);
            curvatures.push(second.abs());
        }
    }
    let (_, second) = derivatives(federation, limit, &slowest)?;
    curvatures.push(second.abs());
    for number in 0..3 {
        let (_, curvature) = derivatives(federation, limit, &direction(limit.s.len(), number))?;
        curvatures.push(curvature.abs());
    }
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let l_w = largest(&curvatures);
    Ok(LocalConstants {
        points: path.len(),
        l: lipschitz(federation, &path, None)?,
        l_examples: single(federation, &path)?,
        l_w,
        v: eigenvalues(v, l_w, rho, second),
        sigma_sq: variance(federation, &path[0])?,
        rho,
        initial_field_sq: norm_sq(&path[0].h),
    })
}

/// v_min and v_max of the points on the path (`along`: ⟨u, B u⟩ there) and of the limit, where the second derivative of
/// W along the slowest direction is `second`.
fn eigenvalues(mut along: Vec<f64>, l_w: f64, rho: f64, second: f64) -> Result<Eigenvalues, String> {
    if rho.is_nan() || rho >= 1.0 {
        return Err(format!("EM does not contract at its last point (ρ = {rho:.4})"));
    }
    if second.is_nan() || second <= 0.0 {
        return Err(format!(
            "the last point of EM is not a minimum (the second difference of W along the slowest direction is \
             {second:.1e})"
        ));
    }
    if let Some(v) = along.iter().find(|v| v.is_nan() || **v <= 0.0) {
        return Err(format!("W does not fall along h at some point of the path (⟨u, B u⟩ = {v:.1e})"));
    }
    along.push(second / (1.0 - rho));
    let (min, max) = along.iter().fold((f64::INFINITY, 0.0), |(min, max), &v| (v.min(min), v.max(max)));
    if max.is_finite() && l_w.is_finite() {
        Ok(Eigenvalues { min, max })
    } else {
        Err("the differences of W overflow".to_owned())
    }
}

fn theta_of(federation: &Federation, s: &[f64]) -> Result<Vec<f64>, DomainError> {
    let mut theta = Vec::new();
    federation.model().maximize(s, DomainPolicy::Error, &mut theta)?;
    Ok(theta)
}

fn evaluate(federation: &Federation, s: Vec<f64>) -> Result<LocalPoint, DomainError> {
    let theta = theta_of(federation, &s)?;
    let e_step = federation.model().conditional(&theta)?;
    let mut h = vec![0.0; s.len()];
    let w = federation.mean_field(&s, e_step.as_ref(), &mut h);
    Ok(LocalPoint { s, h, w })
}

/// One EM step.
fn step(federation: &Federation, from: &LocalPoint) -> Result<LocalPoint, DomainError> {
    evaluate(federation, shifted(&from.s, &from.h, 1.0))
}

fn shifted(s: &[f64], direction: &[f64], by: f64) -> Vec<f64> {
    s.iter().zip(direction).map(|(s, d)| s + by * d).collect()
}

/// The largest of ε, ε/10, ε/100, … that lies within a hundredth of the way from `s` along ±`u` to the border of the
/// domain of T.
///
/// # Errors
/// When `s` lies at the border.
fn inside(federation: &Federation, s: &[f64], u: &[f64], mut epsilon: f64) -> Result<f64, DomainError> {
    let is_inside = |by: f64| theta_of(federation, &shifted(s, u, by)).map(|_| ());
    loop {
        match is_inside(FARTHER * epsilon).and_then(|()| is_inside(-FARTHER * epsilon)) {
            Ok(()) => return Ok(epsilon),
            Err(why) if shifted(s, u, epsilon) == s => return Err(why),
            Err(_) => epsilon /= 10.0,
        }
    }
}

/// First and second derivative of W at a point along a unit vector.
fn derivatives(federation: &Federation, point: &LocalPoint, u: &[f64]) -> Result<(f64, f64), DomainError> {
    let epsilon = inside(federation, &point.s, u, STEP * norm_sq(&point.s).sqrt().max(1e-3))?;
    let plus = evaluate(federation, shifted(&point.s, u, epsilon))?.w;
    let minus = evaluate(federation, shifted(&point.s, u, -epsilon))?.w;
    Ok(((plus - minus) / (2.0 * epsilon), (plus - 2.0 * point.w + minus) / (epsilon * epsilon)))
}

/// A random unit vector.
fn direction(q: usize, number: u64) -> Vec<f64> {
    let mut stream = Streams::new(0, 0).at(DrawPurpose::Data, 0, number);
    let raw: Vec<f64> = (0..q).map(|_| stream.normal()).collect();
    let size = norm_sq(&raw).sqrt();
    raw.iter().map(|x| x / size).collect()
}

/// ρ of d(s̄ ∘ T) at `limit`, and its direction.
///
/// # Errors
/// When the limit lies at the border of the domain of T.
pub fn spectral_radius(
    federation: &Federation,
    limit: &[f64],
    iterations: usize,
) -> Result<(f64, Vec<f64>), DomainError> {
    let map = |s: Vec<f64>| -> Result<Vec<f64>, DomainError> {
        let theta = theta_of(federation, &s)?;
        federation.statistics_at(&theta)
    };
    let (mut u, mut rho) = (direction(limit.len(), 0), 0.0_f64);
    for _ in 0..iterations {
        let epsilon = inside(federation, limit, &u, 0.1 * STEP * norm_sq(limit).sqrt())?;
        let (plus, minus) = (map(shifted(limit, &u, epsilon))?, map(shifted(limit, &u, -epsilon))?);
        let image: Vec<f64> = plus.iter().zip(&minus).map(|(a, b)| (a - b) / (2.0 * epsilon)).collect();
        let before = std::mem::replace(&mut rho, norm_sq(&image).sqrt());
        if rho == 0.0 {
            break;
        }
        u = image.iter().map(|x| x / rho).collect();
        if (rho - before).abs() < 1e-7 * rho {
            break;
        }
    }
    Ok((rho, u))
}

/// s̄_i, or s̄_ij with j one of a few places of every client, at a point: n rows.
fn local(federation: &Federation, point: &LocalPoint, example: Option<u32>) -> Result<Vec<f64>, DomainError> {
    let theta = theta_of(federation, &point.s)?;
    let e_step = federation.model().conditional(&theta)?;
    let clients: Vec<u32> = (0..federation.clients()).collect();
    let mut rows = vec![0.0; clients.len() * point.s.len()];
    let pick = |i: u32, indices: &mut Vec<u32>| {
        indices.clear();
        // Evenly spaced places, so that no part of a client's data is left out.
        indices.extend(example.map(|k| k * federation.size(i) / SINGLE));
        example.is_some()
    };
    federation.local_statistics(&clients, e_step.as_ref(), pick, federation.total(), &mut rows);
    Ok(rows)
}

/// √(n⁻¹ Σ L_i²) of w_i h_i, or of examples.
fn lipschitz(federation: &Federation, path: &[LocalPoint], example: Option<u32>) -> Result<f64, DomainError> {
    let (q, n) = (path[0].s.len(), federation.clients() as usize);
    let mut largest = vec![0.0_f64; n];
    let mut before = local(federation, &path[0], example)?;
    for pair in path.windows(2) {
        let now = local(federation, &pair[1], example)?;
        let moved: Vec<f64> = pair[1].s.iter().zip(&pair[0].s).map(|(a, b)| a - b).collect();
        let distance = norm_sq(&moved).sqrt();
        for i in 0..if distance > 1e-9 { n } else { 0 } {
            let (a, b) = (&now[i * q..][..q], &before[i * q..][..q]);
            let change: Vec<f64> = (0..q).map(|j| a[j] - b[j] - moved[j]).collect();
            largest[i] = largest[i].max(norm_sq(&change).sqrt() / distance);
        }
        before = now;
    }
    let weighted = (0..).zip(&largest).map(|(i, l)| federation.weight(i) * l);
    Ok((weighted.map(|l| l * l).sum::<f64>() / n as f64).sqrt())
}

/// L of Theorem 3.
fn single(federation: &Federation, path: &[LocalPoint]) -> Result<f64, DomainError> {
    let mut sum = 0.0;
    for k in 0..SINGLE {
        let l = lipschitz(federation, path, Some(k))?;
        sum += l * l;
    }
    Ok((sum / f64::from(SINGLE)).sqrt())
}

/// n⁻¹ Σ w_i² E_j ‖s̄_ij − s̄_i‖².
fn variance(federation: &Federation, point: &LocalPoint) -> Result<f64, DomainError> {
    let mean = local(federation, point, None)?;
    let mut sum = 0.0;
    for k in 0..SINGLE {
        let rows = local(federation, point, Some(k))?;
        let clients = rows.chunks_exact(point.s.len()).zip(mean.chunks_exact(point.s.len()));
        for (i, (row, mean)) in (0..).zip(clients) {
            let difference: Vec<f64> = row.iter().zip(mean).map(|(a, b)| a - b).collect();
            sum += federation.weight(i) * federation.weight(i) * norm_sq(&difference);
        }
    }
    Ok(sum / f64::from(SINGLE) / f64::from(federation.clients()))
}

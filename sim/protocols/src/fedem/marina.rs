//! MARINA's coin and its H: see [`crate::baselines::presets`].

use fedbits_codec::Compressor;
use fedbits_random::{DrawPurpose, Streams};

use crate::audit::entity;
use crate::error::ProtocolError;
use crate::robust::{Combined, Combiner};
use crate::star::{Contribution, all_arrived};

/// c_k of `round`.
pub(super) fn coin(streams: &Streams, round: u64, p: f64) -> bool {
    round == 1 || streams.at(DrawPurpose::Compression, entity::COIN, round).bernoulli(p)
}

/// H_k from H_{k−1}, which `h` holds, and the contributions of all `clients`, coded by `coder`: their mean is H_k or
/// its change. A robust rule acts on what each says of H_k, as in Byz-VR-MARINA.
///
/// # Errors
/// When a contribution is missing.
pub(super) fn direct<'a>(
    (clients, full, combiner): (u32, bool, Option<&Combiner>),
    coder: impl Fn(u32) -> &'a dyn Compressor,
    arrived: &[Contribution],
    h: &mut Vec<f64>,
) -> Result<Option<Combined>, ProtocolError> {
    all_arrived(clients, arrived)?;
    let mut last = if combiner.is_some() { h.clone() } else { Vec::new() };
    let rows = combiner.map(|_| {
        let row = |Contribution { client, encoded, .. }: &Contribution| {
            let mut row = if full { vec![0.0; h.len()] } else { h.clone() };
            coder(*client).add_decoded(encoded, 1.0, &mut row);
            row
        };
        arrived.iter().map(row).collect()
    });
    let mut sum = vec![0.0; h.len()];
    for Contribution { client, encoded, .. } in arrived {
        coder(*client).add_decoded(encoded, 1.0, &mut sum);
    }
    let n = f64::from(clients);
    for (h, sum) in h.iter_mut().zip(&sum) {
        *h = if full { sum / n } else { *h + sum / n };
    }
    let senders = arrived.iter().map(|contribution| contribution.client);
    Ok(combiner.zip(rows).map(|(combiner, rows)| combiner.combine(senders, rows, &mut last, h)))
}

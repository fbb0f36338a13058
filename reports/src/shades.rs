//! A scale of shades from little (light) to much (dark) whose lightness falls evenly, so that it reads in grey print
//! and by every kind of colour vision, and the colour of text that can be read on it.

/// A colour in sRGB.
pub(crate) type Rgb = (u8, u8, u8);

pub(crate) const BLACK: Rgb = (0, 0, 0);
pub(crate) const WHITE: Rgb = (0xFF, 0xFF, 0xFF);

/// As CSS and SVG write it.
pub(crate) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// From cream over the two blues of Okabe and Ito to a dark blue.
const STOPS: [Rgb; 5] =
    [(0xFF, 0xF7, 0xD6), (0xA9, 0xD6, 0xE5), (0x56, 0xB4, 0xE9), (0x00, 0x72, 0xB2), (0x00, 0x20, 0x4D)];

/// The shade at `share` from 0 (light) to 1 (dark).
pub(crate) fn shade(share: f64) -> Rgb {
    let position = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (position.floor() as usize).min(STOPS.len() - 2);
    let part = position - below as f64;
    let mix = |from: u8, to: u8| (f64::from(from) + part * (f64::from(to) - f64::from(from))).round() as u8;
    let (from, to) = (STOPS[below], STOPS[below + 1]);
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// Black or white, whichever stands out more.
pub(crate) fn text_on(color: Rgb) -> Rgb {
    if contrast(BLACK, color) >= contrast(WHITE, color) { BLACK } else { WHITE }
}

/// Contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").
pub(crate) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance, 0 to 1 (WCAG 2.2).
fn luminance((red, green, blue): Rgb) -> f64 {
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::{BLACK, WHITE, contrast, luminance, shade, text_on};

    /// WCAG asks 4.5 of text of this size; and more is darker everywhere, so that grey print keeps the order (but for
    /// the rounding of colours to 8 bits).
    #[test]
    fn text_is_readable_on_every_shade_and_more_is_darker() {
        let mut before = 1.1;
        for step in 0..=1_000 {
            let color = shade(f64::from(step) / 1_000.0);
            assert!(contrast(text_on(color), color) >= 4.5, "{color:?}");
            assert!(luminance(color) <= before + 0.004, "{color:?}");
            before = luminance(color).min(before);
        }
        assert!((contrast(BLACK, WHITE) - 21.0).abs() < 1e-12);
    }
}

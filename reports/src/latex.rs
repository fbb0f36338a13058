//! Text as LaTeX, for any pdflatex: pure ASCII, commands of the kernel alone, whatever the document's font encoding is.
//!
//! Mathematics becomes math: `‖h(Ŝ)‖² ≤ 10⁻⁸` is `$\|h(\hat{S})\|^{2}$ $\le$ 10$^{-8}$`. A character that has no
//! command stands as `<U+4E2D>`, so that texts that differ still differ.

/// Text that LaTeX sets as it is meant.
#[must_use]
pub fn latex(text: &str) -> String {
    let mut out = LatexWriter::default();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match (character, rest.split_once('‖')) {
            ('‖', Some((inside, after))) => {
                out.put(&LatexPiece::Math(norm(inside)));
                rest = after;
            }
            _ => out.put(&piece(character)),
        }
    }
    out.close();
    out.out
}

/// A character's number, as in `<U+4E2D>`.
pub(crate) fn code_point(character: char) -> String {
    format!("<U+{:04X}>", u32::from(character))
}

/// What a character becomes.
#[derive(Debug, Clone, PartialEq)]
enum LatexPiece {
    Text(String),
    Math(String),
    /// Raised (`^`) or lowered (`_`).
    Script(char, String),
}

/// LaTeX in progress.
#[derive(Default)]
struct LatexWriter {
    out: String,
    /// The pieces of math that stand at the end, not yet written.
    math: Vec<LatexPiece>,
}

impl LatexWriter {
    fn put(&mut self, piece: &LatexPiece) {
        match piece {
            LatexPiece::Text(text) => {
                self.close();
                // These make ligatures with their like and with what may stand before them: `--` is a dash.
                let joins = text.starts_with(['-', ',', '\'']) && self.out.ends_with(text.as_str());
                self.out.push_str(if joins { "{}" } else { "" });
                self.out.push_str(text);
            }
            LatexPiece::Math(_) => self.math.push(piece.clone()),
            LatexPiece::Script(level, script) => match self.math.last_mut() {
                Some(LatexPiece::Script(known, last)) if *known == *level => last.push_str(script),
                _ => self.math.push(piece.clone()),
            },
        }
    }

    /// Ends the formula, if one is in progress.
    fn close(&mut self) {
        if !self.math.is_empty() {
            self.out.push('$');
            self.out.push_str(&formula(&std::mem::take(&mut self.math)));
            self.out.push('$');
        }
    }
}

fn formula(pieces: &[LatexPiece]) -> String {
    let mut out = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let raised = |at: usize| matches!(pieces[at], LatexPiece::Script(..));
        match piece {
            LatexPiece::Text(text) | LatexPiece::Math(text) => {
                let word = out.rsplit('\\').next().is_some_and(|last| last.len() < out.len() && letters(last));
                out.push_str(if word && text.starts_with(|c: char| c.is_ascii_alphabetic()) { " " } else { "" });
                out.push_str(text);
            }
            // A second superscript on one letter is an error.
            LatexPiece::Script(level, script) => {
                let base = if index > 0 && raised(index - 1) { "{}" } else { "" };
                out.push_str(&format!("{base}{level}{{{script}}}"));
            }
        }
    }
    out
}

fn letters(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic())
}

/// What stands between two bars of a norm: letters are variables.
fn norm(inside: &str) -> String {
    let part = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "()+-,/".contains(c) => LatexPiece::Math(c.to_string()),
        c => match piece(c) {
            LatexPiece::Text(text) => LatexPiece::Math(format!("\\mbox{{{text}}}")),
            piece => piece,
        },
    };
    format!("\\|{}\\|", formula(&inside.chars().map(part).collect::<Vec<_>>()))
}

fn piece(character: char) -> LatexPiece {
    if let Some(text) = command(TEXT, character) {
        return LatexPiece::Text(text);
    }
    if let Some(math) = command(MATH, character) {
        return LatexPiece::Math(math);
    }
    if let Some(text) = command(T1, character) {
        return LatexPiece::Text(t1(&text));
    }
    if let Some(raised) = command(SUPERSCRIPTS, character) {
        return LatexPiece::Script('^', raised);
    }
    match character {
        '\u{a0}' => LatexPiece::Text("~".to_owned()),
        '\u{ad}' => LatexPiece::Text("\\-".to_owned()),
        '\u{2009}' => LatexPiece::Text("\\,".to_owned()),
        '\u{2010}' | '\u{2011}' => LatexPiece::Text("-".to_owned()),
        '₀'..='₉' => LatexPiece::Script('_', offset(character, '₀', b'0')),
        '₊' | '₋' | '₌' | '₍' | '₎' => {
            LatexPiece::Script('_', char::from(b"+-=()"[character as usize - '₊' as usize]).to_string())
        }
        '⁴'..='⁹' => LatexPiece::Script('^', offset(character, '⁰', b'0')),
        '𝐴'..='𝑍' => LatexPiece::Math(offset(character, '𝐴', b'A')),
        '𝑎'..='𝑧' => LatexPiece::Math(offset(character, '𝑎', b'a')),
        ' '..='~' => LatexPiece::Text(character.to_string()),
        _ => LatexPiece::Text(accented(character).unwrap_or_else(|| latex(&code_point(character)))),
    }
}

/// What stands behind `CHARACTER=` in a list.
fn command(list: &str, character: char) -> Option<String> {
    let (_, rest) = list.split_once(&format!(" {character}="))?;
    rest.split_whitespace().next().map(str::to_owned)
}

fn offset(character: char, first: char, letter: u8) -> String {
    let offset = u8::try_from(character as u32 - first as u32).unwrap_or(0);
    char::from(letter + offset).to_string()
}

/// A letter with an accent.
fn accented(character: char) -> Option<String> {
    let base = |(accent, letters): &(&str, &str)| {
        let all: Vec<char> = letters.chars().collect();
        let pair = all.chunks_exact(2).find(|pair| pair[0] == character)?;
        let base = match pair[1] {
            dotted @ ('i' | 'j') => format!("\\{dotted}"),
            letter => letter.to_string(),
        };
        let set = format!("\\{accent}{{{base}}}");
        Some(if *accent == "k" { t1(&set) } else { set })
    };
    ACCENTS.iter().find_map(base)
}

/// Of the encoding T1, whatever the document's is.
fn t1(command: &str) -> String {
    format!("{{\\fontencoding{{T1}}\\selectfont{}{command}}}", if command.starts_with('\\') { "" } else { " " })
}

/// An accent's command, and pairs of a letter with it and without.
const ACCENTS: [(&str, &str); 13] = [
    ("`", "ÀAÈEÌIÒOÙUàaèeìiòoùu"),
    ("'", "ÁAÉEÍIÓOÚUÝYáaéeíióoúuýyĆCćcĹLĺlŃNńnŔRŕrŚSśsŹZźz"),
    ("^", "ÂAÊEÎIÔOÛUâaêeîiôoûuĈCĉcĜGĝgĤHĥhĴJĵjŝsŴWŵwŶYŷy"),
    ("~", "ÃAÑNÕOãañnõoĨIĩiŨUũu"),
    ("\"", "ÄAËEÏIÖOÜUäaëeïiöoüuÿyŸY"),
    ("=", "ĀAāaĒEēeĪIīiŌOōoŪUūu"),
    ("u", "ĂAăaĔEĕeĞGğgĬIĭiŎOŏoŬUŭu"),
    (".", "ĊCċcĖEėeĠGġgİIŻZżz"),
    ("v", "ČCčcĎDďdĚEěeĽLľlŇNňnŘRřrŠSšsŤTťtŽZžz"),
    ("c", "ÇCçcĢGģgĶKķkĻLļlŅNņnŖRŗrŞSşsŢTţt"),
    ("H", "ŐOőoŰUűu"),
    ("r", "ÅAåaŮUůu"),
    ("k", "ĄAąaĘEęeĮIįiŲUųu"),
];

/// Characters of text with their commands, each behind a space. `[` and `*` would be arguments of a `\\` before them.
const TEXT: &str = r"
    &=\& %=\% $=\$ #=\# _=\_ {=\{ }=\} [={[} *={*} \=\textbackslash{} ^=\textasciicircum{} ~=\textasciitilde{}
    <=\textless{} >=\textgreater{} |=\textbar{} `=\textasciigrave{} ‒=\textendash{} –=\textendash{} —=\textemdash{}
    ―=\textemdash{} ‘=\textquoteleft{} ’=\textquoteright{} “=\textquotedblleft{} ”=\textquotedblright{}
    ¡=\textexclamdown{} ¿=\textquestiondown{} …=\ldots{} •=\textbullet{} †=\dag{} ‡=\ddag{} ‰=\textperthousand{}
    ¢=\textcent{} £=\pounds{} ¤=\textcurrency{} ¥=\textyen{} ¦=\textbrokenbar{} §=\S{} ¨=\textasciidieresis{}
    ©=\copyright{} ª=\textordfeminine{} ®=\textregistered{} ¯=\textasciimacron{} ´=\textasciiacute{} ¶=\P{} ¸=\c{}
    º=\textordmasculine{} ¼=\textonequarter{} ½=\textonehalf{} ¾=\textthreequarters{} Æ=\AE{} æ=\ae{} Ø=\O{} ø=\o{}
    Œ=\OE{} œ=\oe{} ß=\ss{} Ł=\L{} ł=\l{} ı=\i{} Ĳ=IJ ĳ=ij
";

/// Commands that only the encoding T1 has.
const T1: &str = r#"
    "=\textquotedbl «=\guillemotleft »=\guillemotright ‚=\quotesinglbase „=\quotedblbase Ð=\DH ð=\dh Þ=\TH þ=\th Đ=\DJ
    đ=\dj Ŋ=\NG ŋ=\ng
"#;

const SUPERSCRIPTS: &str = r"
    ¹=1 ²=2 ³=3 ⁰=0 ⁿ=n °=\circ ′=\prime ″=\prime\prime ⁺=+ ⁻=- ⁼== ⁽=( ⁾=)
";

const MATH: &str = r"
    Ŝ=\hat{S} ‖=\| ℎ=h ℓ=\ell ħ=\hbar −=- ±=\pm ×=\times ÷=\div ·=\cdot ⋅=\cdot ¬=\lnot µ=\mu ←=\leftarrow ↑=\uparrow
    →=\rightarrow ↓=\downarrow ∂=\partial ∇=\nabla ∈=\in ∋=\ni ∑=\sum ∕=/ √=\surd ∞=\infty ≈=\approx ≠=\ne ≤=\le ≥=\ge
    ⟨=\langle ⟩=\rangle ⧵=\setminus Α=\mathrm{A} Β=\mathrm{B} Γ=\Gamma Δ=\Delta Ε=\mathrm{E} Ζ=\mathrm{Z} Η=\mathrm{H}
    Θ=\Theta Ι=\mathrm{I} Κ=\mathrm{K} Λ=\Lambda Μ=\mathrm{M} Ν=\mathrm{N} Ξ=\Xi Ο=\mathrm{O} Π=\Pi Ρ=\mathrm{P}
    Σ=\Sigma Τ=\mathrm{T} Υ=\Upsilon Φ=\Phi Χ=\mathrm{X} Ψ=\Psi Ω=\Omega α=\alpha β=\beta γ=\gamma δ=\delta
    ε=\varepsilon ζ=\zeta η=\eta θ=\theta ι=\iota κ=\kappa λ=\lambda μ=\mu ν=\nu ξ=\xi ο=o π=\pi ρ=\rho ς=\varsigma
    σ=\sigma τ=\tau υ=\upsilon φ=\varphi χ=\chi ψ=\psi ω=\omega ϑ=\vartheta ϕ=\phi ϵ=\epsilon
";

#[cfg(test)]
mod tests {
    use super::latex;
    use crate::text::FONT;

    /// Formulas are math, words are text, and what LaTeX would take for a command is not one.
    #[test]
    fn texts() {
        let cases = [
            ("‖h(Ŝ)‖² ≤ 1e-8", r"$\|h(\hat{S})\|^{2}$ $\le$ 1e-8"),
            ("‖𝐻‖", r"$\|H\|$"),
            ("θ = T(Ŝ)", r"$\theta$ = T($\hat{S}$)"),
            ("10⁻⁸ and σ²", r"10$^{-8}$ and $\sigma^{2}$"),
            ("αh, αℎ, x₁²", r"$\alpha$h, $\alpha h$, x$_{1}{}^{2}$"),
            ("100 % of a_b & {c}", r"100 \% of a\_b \& \{c\}"),
            ("--fast, [x]* it''s", r"-{}-fast, {[}x]{*} it'{}'s"),
            ("Ångström, naïve, Łódź", r#"\r{A}ngstr\"{o}m, na\"{\i}ve, \L{}\'{o}d\'{z}"#),
            ("a\\b^~<|>", r"a\textbackslash{}b\textasciicircum{}\textasciitilde{}\textless{}\textbar{}\textgreater{}"),
            ("‖ alone", r"$\|$ alone"),
            ("中\n", r"\textless{}U+4E2D\textgreater{}\textless{}U+000A\textgreater{}"),
        ];
        for (text, expected) in cases {
            assert_eq!(latex(text), expected, "{text}");
        }
    }

    /// Whatever stands in a figure or beside another character: ASCII, with balanced braces and an even number of
    /// dollars.
    #[test]
    fn all_characters_of_the_font() {
        let face = ttf_parser::Face::parse(FONT, 0).unwrap();
        let all: Vec<char> = ('\0'..=char::MAX).filter(|&c| c != '\u{ffff}' && face.glyph_index(c).is_some()).collect();
        assert!(all.len() > 400);
        let without = all.iter().filter(|c| latex(&c.to_string()).contains("U+")).collect::<String>();
        assert_eq!(without, "ĦĸĿŀŉŦŧſ", "characters without a command");
        for &one in &all {
            for &next in &all {
                let set = latex(&format!("{one}{next}"));
                let bare = set.replace("\\$", "").replace("\\{", "").replace("\\}", "");
                let count = |c: char| bare.matches(c).count();
                let whole = count('{') == count('}') && count('$').is_multiple_of(2);
                assert!(set.is_ascii() && whole, "{one}{next}: {set}");
            }
        }
    }
}

//! What LaTeX and papers take: pictures of the drawings that need no other file, captions of a sentence or two. Where
//! pdflatex is installed, documents of the venues are set with them, and pictures are compared with the PDF figures.

use crate::common::{self, ARMS, Invented, text, write_accuracies, write_run};
use crate::golden::every_kind;
use crate::skips::{Lacks, skipped};
use fedbits_reports::{FigureVerdict, Format, ReportOptions, Style, report, verify};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All that the sources may use: LaTeX's kernel, PGF's basic layer, booktabs, and what they define themselves.
const COMMANDS: &str = "varepsilon begin end def begingroup endgroup providecommand fedbitsfont fontencoding fontfamily \
    selectfont fontsize raisebox color definecolor textsuperscript textsubscript circ pi pgfpathmoveto pgfqpoint pgfpathlineto \
    pgfpathcircle pgfpathclose pgfpathrectangle pgfpointorigin pgfusepath pgftext \
    pgfsetfillcolor pgfsetstrokecolor pgfsetfillopacity pgfsetstrokeopacity pgfsetlinewidth pgfsetroundjoin \
    pgfsetroundcap pgfsetrectcap pgfsetdash pgfseteorule fbM fbL fbO fbT fbS sbox ifdim wd resizebox height copy \
    else fi textless textgreater hat le toprule midrule bottomrule cmidrule multicolumn quad ldots textendash \
    rightarrow omega times small footnotesize setlength tabcolsep par smallskip";

/// The paths of the figures of all kinds, without ending.
fn kinds(home: &Path, style: Style) -> Vec<PathBuf> {
    every_kind(home, style, &[Format::Svg, Format::Pdf, Format::Tex]).into_iter().map(|(_, path)| path).collect()
}

fn file(path: &Path, ending: &str) -> String {
    let name = format!("{}{ending}", path.file_name().unwrap().to_string_lossy());
    text(path.parent().unwrap(), &name)
}

/// The lines of a source that are no comments.
fn code(source: &str) -> String {
    source.lines().filter(|line| !line.starts_with('%')).map(|line| format!("{line}\n")).collect()
}

fn commands(source: &str) -> BTreeSet<&str> {
    let names = source.split('\\').skip(1).map(|part| part.split(|c: char| !c.is_ascii_alphabetic()).next());
    names.flatten().filter(|name| !name.is_empty()).collect()
}

/// Every source is ASCII, names no other file and nothing that another one could define too, and draws as many shapes
/// and labels as the SVG has.
#[test]
fn pictures_are_whole_and_plain() {
    let home = tempfile::tempdir().unwrap();
    let known: BTreeSet<&str> = COMMANDS.split_whitespace().collect();
    for style in [Style::Neurips, Style::Ieee] {
        for path in kinds(home.path(), style) {
            let (source, svg, path_shown) = (file(&path, ".tex"), file(&path, ".svg"), path.display());
            let source = code(&source);
            assert!(source.is_ascii(), "{path_shown}");
            let unknown: Vec<_> = commands(&source).difference(&known).copied().collect();
            assert!(unknown.is_empty(), "{path_shown}: {unknown:?}");
            assert!(source.starts_with("\\providecommand") && source.contains("\\begingroup\n"), "{path_shown}");
            // The SVG has a white ground, which the bounding box stands for.
            let shapes = ["<polyline ", "<polygon ", "<circle ", "<rect ", "<path ", "<line "];
            let drawn: usize = shapes.iter().map(|shape| svg.matches(shape).count()).sum();
            assert_eq!(source.matches("\\pgfusepath{").count(), drawn, "{path_shown}");
            let labels = source.lines().filter(|line| line.starts_with("\\fbT")).count();
            assert_eq!(labels, svg.matches("<text ").count(), "{path_shown}");
            let width: f64 = svg.split_once(" width=\"").unwrap().1.split_once("pt\"").unwrap().0.parse().unwrap();
            assert!(source.contains(&format!("{{\\pgfpointorigin}}{{\\pgfqpoint{{{width}bp}}")), "{path_shown}");
        }
    }
}

/// The running medians, of which the caption speaks, are in the picture: a full line over the pale one.
#[test]
fn running_medians_are_in_the_picture() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(home.path(), &ARMS[0], 1, 600).folder;
    let to = home.path().join("figures");
    report(&[run], &ReportOptions::new(Style::Ieee, &[Format::Tex], to.clone())).unwrap();
    assert!(text(&to, "field_sq.txt").contains("running medians over"), "{}", text(&to, "field_sq.txt"));
    let source = text(&to, "field_sq.tex");
    let long = |scope: &&str| scope.matches("\\fbL").count() > 100;
    let scopes: Vec<&str> = source.split("\\begin{pgfscope}").filter(long).collect();
    // In each of the four panels one of each; the pale ones are in groups of their own.
    assert_eq!((scopes.len(), source.matches("\\begin{pgftransparencygroup}").count()), (8, 4));
}

/// However many arms have totals over time, no figure of a venue is higher than its page less a caption, and all arms
/// are shown.
#[test]
fn totals_over_time_fit_on_the_page() {
    // Height of the text on a page in points, and 60 pt for the shortest caption.
    let heights = [("neurips", 648.0), ("icml", 648.0), ("icml-wide", 648.0), ("ieee", 666.0), ("ieee-wide", 666.0)];
    let heights: Vec<(&str, f64)> = heights.into_iter().chain([("jmlr", 612.0), ("slides", 600.0)]).collect();
    let home = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..7).map(|number| home.path().join(format!("species-{number}"))).collect();
    runs.iter().for_each(|run| common::write_trend(run, 24));
    for count in [1, 4, 7] {
        let arms = fedbits_reports::arms(&runs[..count]).unwrap();
        for (venue, height) in &heights {
            let to = home.path().join(format!("{venue}-{count}"));
            let style = Style::from_name(venue).unwrap();
            let options = ReportOptions::new(style, &[Format::Svg, Format::Tex], to.clone());
            report(&runs[..count], &options).unwrap();
            let mut shown = String::new();
            let mut names = (1..).map(|page| if page == 1 { "trend".to_owned() } else { format!("trend-{page}") });
            while let Some(name) = names.next().filter(|name| to.join(format!("{name}.svg")).exists()) {
                let svg = text(&to, &format!("{name}.svg"));
                let measured: f64 =
                    svg.split_once(" height=\"").unwrap().1.split_once("pt\"").unwrap().0.parse().unwrap();
                assert!(measured <= height - 60.0, "{venue}: {name} of {count} arms is {measured} pt high");
                shown.push_str(&svg);
                let caption = text(&to, &format!("{name}.txt"));
                assert_eq!(caption.contains("Part "), to.join("trend-2.svg").exists(), "{venue}: {caption}");
            }
            // A single arm needs no name.
            for label in arms.iter().map(fedbits_reports::Arm::label) {
                let expected = usize::from(count > 1);
                assert_eq!(shown.matches(&format!(">{label}<")).count(), expected, "{venue}: {label}");
            }
            let last = to.join("trend-2.svg");
            let same = !last.exists() || verify(&last, &runs[..count]).unwrap() == FigureVerdict::Same(count);
            assert!(same, "{venue}: trend-2 of {count} arms");
        }
    }
}

/// A caption is a sentence or two of at most 45 words; for LaTeX it is ASCII; the caveats are in the details.
#[test]
fn captions_are_short() {
    let home = tempfile::tempdir().unwrap();
    let mut paths = kinds(home.path(), Style::Icml);
    let runs = home.path().join("classified");
    write_accuracies(&runs, "an arm", 0.9);
    let to = home.path().join("accuracy");
    report(std::slice::from_ref(&runs), &ReportOptions::new(Style::Icml, &[Format::Tex], to.clone())).unwrap();
    paths.extend([to.join("accuracy"), home.path().join("icml/objective_gap")]);
    for path in paths {
        let (caption, path_shown) = (file(&path, ".txt"), path.display());
        let sentences = caption.trim_end().split(". ").count();
        let words = caption.split_whitespace().count();
        assert!(
            (1..=2).contains(&sentences) && words <= 45 && caption.ends_with(".\n"),
            "{path_shown}: {words}, {caption}"
        );
        let latex = code(&file(&path, "-caption.tex"));
        assert!(latex.is_ascii() && latex.lines().count() == 1 && latex.ends_with(".%\n"), "{path_shown}: {latex}");
        let details = file(&path, "-details.txt");
        assert!(details.contains("Runs shown: ") && details.contains("n = 100 clients"), "{path_shown}: {details}");
    }
    let details = file(&home.path().join("icml/mean_field_sq"), "-details.txt");
    assert!(details.contains("Caveat: a biased compressor acts on whole statistics"), "{details}");
    let latex = file(&home.path().join("icml/mean_field_sq"), "-caption.tex");
    assert!(latex.contains(r"field over all data, $\|h(\hat{S})\|^{2}$, against epochs"), "{latex}");
    assert_eq!(verify(&to.join("accuracy-caption.tex"), &[runs]).unwrap(), FigureVerdict::Same(1));
}

/// Names in scripts that the figures' font lacks, and with characters that break comments, XML and LaTeX: all figures
/// are made, and names that differ look different.
#[test]
fn names_hold_any_character() {
    let home = tempfile::tempdir().unwrap();
    let names = ["压缩 50 %", "无压缩_{x}", "a\nb", "--\\end & <é> #~^$"];
    let runs = home.path().join("runs");
    let runs = names.map(|name| {
        let run = write_run(&runs.join(format!("{}", name.len())), &Invented { name, ..ARMS[0] }, 1, 24);
        common::add_network(&run);
        common::add_check(&run, 0.1, "data");
        run.folder
    });
    let to = home.path().join("figures");
    let options = ReportOptions::new(Style::Ieee, &Format::ALL, to.clone());
    let written = report(&runs, &options).unwrap();
    assert!(written.len() > 40);
    for path in written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "tex")) {
        assert!(code(&std::fs::read_to_string(path).unwrap()).is_ascii(), "{}", path.display());
    }
    let table = text(&to, "mean_field_sq.csv");
    assert!(table.lines().find(|line| !line.starts_with('#')).unwrap().starts_with("arm,round,"), "{table}");
    let svg = text(&to, "mean_field_sq.svg");
    let shown = ["&lt;U+538B&gt;&lt;U+7F29&gt; 50 %", "&lt;U+65E0&gt;&lt;U+538B&gt;&lt;U+7F29&gt;_{x}"];
    assert!(shown.iter().all(|name| svg.contains(name)), "{svg}");
    // In words they stay as they are.
    assert!(text(&to, "mean_field_sq-details.txt").contains("压缩 50 %"));
    if installed() {
        let document = format!(
            "\\documentclass{{article}}\\usepackage{{pgf}}\\begin{{document}}\\input{{{0}/mean_field_sq}}\n\\input{{{0}/ledger}}\n\
             \\end{{document}}\n",
            to.display()
        );
        set(home.path(), "names", &document);
    }
}

fn installed() -> bool {
    let kpsewhich =
        |file: &str| Command::new("kpsewhich").arg(file).output().is_ok_and(|output| output.status.success());
    let is = kpsewhich("pgf.sty") && kpsewhich("ptmr8t.tfm") && Command::new("pdftoppm").arg("-v").output().is_ok();
    if !is {
        skipped(
            Lacks::Program,
            "pdflatex with PGF, the Times fonts and pdftoppm (Debian: texlive-latex-base, texlive-pictures, \
                 texlive-fonts-recommended, poppler-utils) are not installed",
        );
    }
    is
}

/// Sets a document in the directory and gives pdflatex's log.
fn set(directory: &Path, name: &str, document: &str) -> String {
    std::fs::write(directory.join(format!("{name}.tex")), document).unwrap();
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", &format!("{name}.tex")])
        .current_dir(directory)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&std::fs::read(directory.join(format!("{name}.log"))).unwrap()).into_owned();
    assert!(output.status.success(), "{name}: {log}");
    log
}

/// Documents of five pages' designs with three figures each, in a folder that is not the figures', with their captions.
#[test]
fn documents_of_the_venues() {
    if !installed() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let page = |class: &str, width: &str, height: &str, between: &str| {
        format!(
            "\\documentclass[{class}]{{article}}\n\\usepackage{{times}}\n\\usepackage[textwidth={width}, textheight={height}]{{geometry}}\n\
             \\setlength{{\\columnsep}}{{{between}}}\n"
        )
    };
    // Widths of text and columns as in icml2024.sty, neurips_2024.sty, IEEEtran.cls and jmlr2e.sty.
    let icml = page("10pt,twocolumn", "6.75in", "9in", "0.25in");
    let ieee = page("10pt,twocolumn", "7.16in", "9.4in", "0.16in");
    let documents = [
        ("icml", Style::Icml, icml.clone(), "figure"),
        ("icml-wide", Style::IcmlWide, icml, "figure*"),
        ("neurips", Style::Neurips, page("10pt", "5.5in", "9in", "10pt"), "figure"),
        ("ieee", Style::Ieee, ieee.clone(), "figure"),
        ("ieee-wide", Style::IeeeWide, ieee, "figure*"),
    ];
    for (name, style, head, float) in documents {
        let figures = kinds(home.path(), style);
        let chosen = ["field_sq", "ledger", "heat-mean_field_sq_0.001"];
        let paths = chosen.map(|name| figures.iter().find(|path| path.ends_with(name)).unwrap());
        let folder = home.path().join("papers").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut document = format!("{head}\\usepackage{{pgf}}\n\\begin{{document}}\n");
        for path in paths {
            let relative = path.strip_prefix(home.path()).unwrap().display();
            document.push_str(&format!(
                "\\begin{{{float}}}\n\\centering\\input{{../../{relative}}}\n\\caption{{\\protect\\input{{../../{relative}-caption}}}}\n\
                 \\end{{{float}}}\n"
            ));
        }
        document.push_str("Some words.\n\\end{document}\n");
        let log = set(&folder, name, &document);
        let clean = !["Overfull", "undefined", "Warning"].iter().any(|word| log.contains(word));
        assert!(clean, "{name}: {log}");
        let message = Command::new("pdftotext").arg(folder.join(format!("{name}.pdf"))).arg("-").output().unwrap();
        let message = String::from_utf8_lossy(&message.stdout).into_owned();
        for word in ["Figure 3", "Mbit", "dithering, s = 4", "Bits sent per run", "no median"] {
            assert!(message.contains(word), "{name}: no `{word}` in {message}");
        }
    }
}

/// The table of accuracies is no wider than a column, with letters as wide as LaTeX's own and long names.
#[test]
fn tables_fit_in_the_columns_of_the_venues() {
    if !installed() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    let arms =
        ["dithering-2-naive-0", "dithering-2-naive-1", "dithering-2-naive-2", "uncompressed", "rand-6 / 25 % of all"];
    arms.iter().for_each(|arm| write_accuracies(&runs, &arm.replace('/', "-"), 0.9));
    for style in [Style::Icml, Style::Ieee, Style::Neurips, Style::Jmlr, Style::IcmlWide] {
        let (name, to) = (style.name(), home.path().join(style.name()));
        report(std::slice::from_ref(&runs), &ReportOptions::new(style, &[Format::Svg], to.clone())).unwrap();
        let size = if style == Style::Jmlr { 11 } else { 10 };
        let document = format!(
            "\\documentclass[{size}pt]{{article}}\\usepackage{{booktabs}}\\usepackage[textwidth={}bp]{{geometry}}\n\
             \\begin{{document}}\\noindent\\input{{accuracy}}\\end{{document}}\n",
            style.width_pt()
        );
        let log = set(&to, "table", &document);
        assert!(!log.contains("Overfull"), "{name}: {log}");
        let (source, halves) = (text(&to, "accuracy.tex"), matches!(style, Style::Icml | Style::Ieee));
        assert_eq!(source.matches("\\begin{tabular}").count(), if halves { 2 } else { 1 }, "{name}: {source}");
        for head in ["lowest", "median", "highest", "objective", "bits", "time"] {
            assert!(source.contains(&format!("& {head}")), "{name}: {source}");
        }
    }
}

/// Set alone, a picture is as large as the PDF figure, and has its ink in the same positions.
#[test]
fn pictures_look_like_the_pdf_figures() {
    if !installed() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    for path in kinds(home.path(), Style::Icml) {
        let path_shown = path.display();
        let document = format!(
            "\\documentclass{{article}}\\usepackage{{pgf}}\\begin{{document}}\\setbox0\\hbox{{\\input{{{path_shown}}}}}\\pdfpagewidth=\\wd0 \
             \\pdfpageheight=\\dimexpr\\ht0+\\dp0\\relax \\pdfhorigin=0pt \\pdfvorigin=0pt \
             \\shipout\\box0\\end{{document}}\n"
        );
        set(home.path(), "alone", &document);
        let (width, height, set) = picture(&home.path().join("alone.pdf"));
        let drawn = path.with_file_name(format!("{}.pdf", path.file_name().unwrap().to_string_lossy()));
        let (own_width, own_height, drawn) = picture(&drawn);
        assert_eq!((width, height), (own_width, own_height), "{path_shown}");
        let likeness = |set: &[u8]| correlation(&cells(width, height, set), &cells(width, height, &drawn));
        // Measured: 0.982 (the front, with its many numbers) to 0.999; two text lines off, it is 0.5 and less.
        let moved: Vec<u8> = set.iter().cycle().skip(16 * width).take(set.len()).copied().collect();
        let likenesses = [&set, &moved].map(|picture| likeness(picture));
        assert!(likenesses[0] > 0.96 && likenesses[1] < 0.9, "{path_shown}: {likenesses:?}");
    }
}

/// In a font with wider letters the labels of ticks stay in their positions, off the label of the axis; exponents are
/// text, because mathematics is wider than Times.
#[test]
fn wide_labels_do_not_meet_the_label_of_the_axis() {
    let home = tempfile::tempdir().unwrap();
    let paths = kinds(home.path(), Style::Icml);
    let path = paths.iter().find(|path| path.ends_with("field_sq")).unwrap();
    let source = file(path, ".tex");
    assert!(source.contains("{\\textendash{}"), "exponents are negative");
    assert!(!source.contains("{$-$"), "exponents are mathematics");
    if !installed() {
        return;
    }
    let document = |font: &str| {
        format!(
            "\\documentclass{{article}}\\usepackage{{pgf}}{font}\\begin{{document}}\\setbox0\\hbox{{\\input{{{}}}}}\\pdfpagewidth=\\wd0 \
             \\pdfpageheight=\\dimexpr\\ht0+\\dp0\\relax \\pdfhorigin=0pt \\pdfvorigin=0pt \
             \\shipout\\box0\\end{{document}}\n",
            path.display()
        )
    };
    // Courier's letters are 0.6 em wide, Times' digits 0.5 em.
    let courier = "\\newcommand{\\fedbitsfont}{\\fontencoding{T1}\\fontfamily{pcr}\\selectfont}";
    for font in ["", courier] {
        set(home.path(), "wide", &document(font));
        let (width, height, pixels) = picture(&home.path().join("wide.pdf"));
        // The label of the axis is one block of columns with ink, not wider than a line of type: labels of ticks, which
        // are wider, begin after a column without ink. The legend stands in the uppermost rows.
        let is_blank = |column: &usize| (40..height).all(|row| pixels[row * width + column] == 0);
        let start = (0..width).find(|column| !is_blank(column)).unwrap();
        let end = (start..width).find(is_blank).unwrap();
        assert!(end - start <= 14, "{font}: from column {start} to {end}");
    }
}

/// Width, height and darkness of the pixels of a page, 72 to the inch.
fn picture(pdf: &Path) -> (usize, usize, Vec<u8>) {
    let output = Command::new("pdftoppm").args(["-r", "72", "-gray", "-singlefile"]).arg(pdf).output().unwrap();
    assert!(output.status.success());
    // Binary PGM: P5, width, height and 255, a white space after each, then a byte per pixel.
    let mut fields = output.stdout.split(u8::is_ascii_whitespace).skip(1);
    let mut number = || std::str::from_utf8(fields.next().unwrap()).unwrap().parse::<usize>().unwrap();
    let (width, height) = (number(), number());
    let pixels = &output.stdout[output.stdout.len() - width * height..];
    (width, height, pixels.iter().map(|pixel| 255 - pixel).collect())
}

/// Ink per cell of 3 × 3 points: letters of two fonts for the same words differ within it only.
fn cells(width: usize, height: usize, pixels: &[u8]) -> Vec<f64> {
    const SIDE: usize = 3;
    let ink = |row: usize, column: usize| -> f64 {
        let pixel = |at: usize| (row * SIDE + at / SIDE) * width + column * SIDE + at % SIDE;
        (0..SIDE * SIDE).map(|at| f64::from(pixels[pixel(at)])).sum()
    };
    let columns = width / SIDE;
    (0..height / SIDE * columns).map(|cell| ink(cell / columns, cell % columns)).collect()
}

/// Pearson's.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (a, b) = (mean(one), mean(other));
    let sum = |value: &dyn Fn(f64, f64) -> f64| one.iter().zip(other).map(|(x, y)| value(x - a, y - b)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

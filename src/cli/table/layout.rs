//! Where the cells of a table stand on a terminal.
//!
//! What is wider than the terminal is first wrapped in the columns of words; when that is not enough the table goes on
//! in blocks below, each with the columns that say what a row is about. No column is left out.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::number::before_point;
use super::{Column, Quantity};
use crate::cli::style::{DIM, HEAD};
use crate::cli::wrap::wrapped;

/// What people see of the cells of each row, and the unit of each column.
pub(super) struct Shown {
    pub(super) rows: Vec<Vec<String>>,
    pub(super) units: Vec<&'static str>,
}

/// Columns between two columns.
const GAP: usize = 2;
/// No column of words is made narrower than this.
const NARROWEST: usize = 14;

pub(super) fn blocks(columns: &[Column], shown: &Shown, width: usize) -> String {
    let measured: Vec<Measured> =
        columns.iter().enumerate().map(|(number, column)| Measured::of(number, column, shown)).collect();
    let keys = (1 + columns.iter().skip(1).take_while(|column| column.is_key).count()).min(columns.len());
    let widths = fitted(&measured, keys, width);
    let blocks = divided(&measured, (&widths, keys), width);
    let texts: Vec<String> = blocks.iter().map(|block| text((keys, block), &measured, (&widths, shown))).collect();
    texts.join("\n")
}

struct Measured {
    number: usize,
    head: String,
    is_text: bool,
    is_joined: bool,
    /// Characters from the decimal point on of the longest numbers.
    after: usize,
    /// The whole column, when nothing is wrapped.
    width: usize,
}

impl Measured {
    fn of(number: usize, column: &Column, shown: &Shown) -> Self {
        let is_text = column.quantity == Quantity::Text;
        let cells = || shown.rows.iter().map(|row| row[number].as_str());
        let widest = |parts: &dyn Fn(&str) -> usize| cells().map(parts).max().unwrap_or(0);
        let before = widest(&|cell| cell[..before_point(cell)].width());
        let after = widest(&|cell| cell[before_point(cell)..].width());
        let body = if is_text { widest(&|cell| cell.width()) } else { before + after };
        let width = body.max(column.head.width()).max(shown.units[number].width());
        Self { number, head: column.head.clone(), is_text, is_joined: column.joined, after, width }
    }

    fn lines(&self, cell: &str, width: usize) -> Vec<String> {
        if self.is_text {
            return wrapped(cell, width).into_iter().map(|line| left(&line, width)).collect();
        }
        let after = self.after.saturating_sub(cell[before_point(cell)..].width());
        vec![right(&format!("{cell}{}", " ".repeat(after)), width)]
    }

    /// The head or the unit above the numbers.
    fn above(&self, text: &str, width: usize) -> String {
        if self.is_text { left(text, width) } else { right(text, width) }
    }
}

fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

/// The widths of all columns: those of words shrink, the widest first, as far as is needed, where that is enough.
fn fitted(columns: &[Measured], keys: usize, width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.width).collect();
    let fits = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1) <= width;
    // Keys that take half of the terminal leave too little for what they are the keys of.
    if columns.len() > keys && !fits(&widths) {
        widths[..keys].iter_mut().for_each(|width_of| *width_of = (*width_of).min((width / (2 * keys)).max(NARROWEST)));
    }
    let mut shrunk = widths.clone();
    while !fits(&shrunk) {
        let wide = columns.iter().filter(|column| column.is_text && shrunk[column.number] > NARROWEST);
        let Some(widest) = wide.max_by_key(|column| shrunk[column.number]) else { break };
        shrunk[widest.number] -= 1;
    }
    if fits(&shrunk) {
        return shrunk;
    }
    // In blocks there is room for whole words again, beside the key.
    let beside = width.saturating_sub(widths[..keys].iter().map(|key| key + GAP).sum()).max(NARROWEST);
    let wide = columns.iter().skip(keys).filter(|column| column.is_text);
    wide.for_each(|column| widths[column.number] = widths[column.number].min(beside));
    widths
}

/// Which columns beside the keys stand in which block: those that are read together stay so where that is possible.
fn divided(columns: &[Measured], (widths, keys): (&[usize], usize), width: usize) -> Vec<Range<usize>> {
    if keys == 0 {
        return Vec::new();
    }
    let key = widths[..keys].iter().sum::<usize>() + GAP * (keys - 1);
    let (mut blocks, mut begin, mut used, mut number) = (Vec::new(), keys, key, keys);
    while number < widths.len() {
        let group = 1 + columns[number + 1..].iter().take_while(|column| column.is_joined).count();
        let need = |count: usize| widths[number..number + count].iter().map(|width_of| GAP + width_of).sum::<usize>();
        // A group that no block can hold is divided like single columns.
        let count = if key + need(group) <= width { group } else { 1 };
        if used + need(count) > width && number > begin {
            blocks.push(begin..number);
            (begin, used) = (number, key);
        }
        used += need(count);
        number += count;
    }
    blocks.push(begin..widths.len());
    blocks
}

fn text((keys, block): (usize, &Range<usize>), columns: &[Measured], (widths, shown): (&[usize], &Shown)) -> String {
    let shown_columns: Vec<&Measured> = columns[..keys].iter().chain(&columns[block.clone()]).collect();
    let above = |of: &dyn Fn(&Measured) -> String| {
        shown_columns
            .iter()
            .map(|column| column.above(&of(column), widths[column.number]))
            .collect::<Vec<_>>()
            .join("  ")
    };
    let mut text = format!("{HEAD}{}{HEAD:#}\n", above(&|column| column.head.clone()).trim_end());
    if shown_columns.iter().any(|column| !shown.units[column.number].is_empty()) {
        text += &format!("{DIM}{}{DIM:#}\n", above(&|column| shown.units[column.number].to_owned()).trim_end());
    }
    for row in &shown.rows {
        let cells: Vec<Vec<String>> =
            shown_columns.iter().map(|column| column.lines(&row[column.number], widths[column.number])).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let part = |(lines, column): (&Vec<String>, &&Measured)| {
                lines.get(line).cloned().unwrap_or_else(|| " ".repeat(widths[column.number]))
            };
            let parts: Vec<String> = cells.iter().zip(&shown_columns).map(part).collect();
            text += parts.join("  ").trim_end();
            text.push('\n');
        }
    }
    text
}

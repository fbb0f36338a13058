//! Optimal assignment: which label of one clustering corresponds to which label of another.
//!
//! The Hungarian method with potentials and shortest augmenting paths (Jonker and Volgenant 1987), O(G² C) for G rows
//! and C columns.

/// The column σ(g) of every row, all different, that minimize Σ_g cost[g·C + σ(g)] over a matrix of G rows and C ≥ G
/// columns in row-major order.
///
/// `cost` has `rows` · `columns` finite entries. Equal optima are resolved by the smallest column met first, the same
/// everywhere. Rows of zeros behind the others would take columns that are left, and change nothing.
pub fn assign(cost: &[f64], rows: usize, columns: usize) -> Vec<usize> {
    assert_eq!(cost.len(), rows * columns, "the cost matrix has an entry for every row and column");
    assert!(rows <= columns, "a column for every row");
    let mut search = Search::new(cost, rows, columns);
    for row in 1..=rows {
        search.insert(row);
    }
    let mut chosen = vec![0; rows];
    for column in (1..=columns).filter(|&column| search.row_of[column] != 0) {
        chosen[search.row_of[column] - 1] = column - 1;
    }
    chosen
}

/// State of the method; rows and columns count from 1, column 0 holds the row that is being inserted.
struct Search<'a> {
    cost: &'a [f64],
    columns: usize,
    row_potential: Vec<f64>,
    column_potential: Vec<f64>,
    row_of: Vec<usize>,
    previous: Vec<usize>,
    slack: Vec<f64>,
    visited: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(cost: &'a [f64], rows: usize, columns: usize) -> Self {
        Self {
            cost,
            columns,
            row_potential: vec![0.0; rows + 1],
            column_potential: vec![0.0; columns + 1],
            row_of: vec![0; columns + 1],
            previous: vec![0; columns + 1],
            slack: vec![0.0; columns + 1],
            visited: vec![false; columns + 1],
        }
    }

    /// Gives `row` a column along the shortest augmenting path.
    fn insert(&mut self, row: usize) {
        self.row_of[0] = row;
        self.slack.fill(f64::INFINITY);
        self.visited.fill(false);
        let mut column = 0;
        while self.row_of[column] != 0 {
            column = self.scan(column);
        }
        while column != 0 {
            let before = self.previous[column];
            self.row_of[column] = self.row_of[before];
            column = before;
        }
    }

    /// Visits `column`, relaxes the slacks from its row and returns the nearest column not yet visited.
    fn scan(&mut self, column: usize) -> usize {
        self.visited[column] = true;
        let row = self.row_of[column];
        let mut nearest = 0;
        let mut distance = f64::INFINITY;
        for j in (1..=self.columns).filter(|&j| !self.visited[j]) {
            let cost = self.cost[(row - 1) * self.columns + j - 1];
            let reduced = cost - self.row_potential[row] - self.column_potential[j];
            if reduced < self.slack[j] {
                self.slack[j] = reduced;
                self.previous[j] = column;
            }
            if self.slack[j] < distance {
                distance = self.slack[j];
                nearest = j;
            }
        }
        self.shift(distance);
        nearest
    }

    /// Moves the potentials so that the edge to the nearest column becomes tight.
    fn shift(&mut self, distance: f64) {
        for j in 0..=self.columns {
            if self.visited[j] {
                self.row_potential[self.row_of[j]] += distance;
                self.column_potential[j] -= distance;
            } else {
                self.slack[j] -= distance;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(cost: &[f64], size: usize, permutation: &[usize]) -> f64 {
        permutation.iter().enumerate().map(|(row, column)| cost[row * size + column]).sum()
    }

    /// The smallest total over all permutations, by trying them all.
    fn brute_force(cost: &[f64], size: usize, taken: &mut Vec<usize>) -> f64 {
        if taken.len() == size {
            return total(cost, size, taken);
        }
        let mut best = f64::INFINITY;
        for column in 0..size {
            if !taken.contains(&column) {
                taken.push(column);
                best = best.min(brute_force(cost, size, taken));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn hand_computed_example() {
        // Rows want columns 1, 0, 2 at costs 1 + 2 + 2 = 5: every other permutation costs at least 6.
        let cost = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
        assert_eq!(assign(&cost, 3, 3), vec![1, 0, 2]);
        assert_eq!(assign(&[], 0, 0), Vec::<usize>::new());
    }

    proptest! {
        /// Optimality: the total of the assignment equals the minimum over all G! permutations. Small integers make
        /// ties and exact sums.
        #[test]
        fn equals_brute_force(size in 1usize..=7, entries in prop::collection::vec(-9i32..10, 49)) {
            let cost: Vec<f64> = entries[..size * size].iter().map(|&x| f64::from(x)).collect();
            let permutation = assign(&cost, size, size);
            let mut sorted = permutation.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..size).collect::<Vec<_>>());
            prop_assert_eq!(total(&cost, size, &permutation), brute_force(&cost, size, &mut Vec::new()));
        }

        /// The reference is a square matrix with rows of zeros below: the same columns, also among equal optima.
        #[test]
        fn more_columns_than_rows(
            rows in 0usize..=5, more in 0usize..=6, entries in prop::collection::vec(0i32..4, 55),
        ) {
            let columns = rows + more;
            let cost: Vec<f64> = entries[..rows * columns].iter().map(|&x| f64::from(-x)).collect();
            let mut square = cost.clone();
            square.resize(columns * columns, 0.0);
            prop_assert_eq!(&assign(&cost, rows, columns)[..], &assign(&square, columns, columns)[..rows]);
        }
    }
}

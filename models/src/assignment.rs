//! Optimal assignment: which label of one clustering corresponds to which label of another.
//!
//! The Hungarian method with potentials and shortest augmenting paths (Jonker and Volgenant 1987), O(G³).

/// The permutation σ that minimizes Σ_g cost[g·G + σ(g)] over a square cost matrix in row-major order.
///
/// `cost` has `size`² finite entries. Equal optima are resolved by the smallest column met first, the same everywhere.
pub fn assign(cost: &[f64], size: usize) -> Vec<usize> {
    assert_eq!(cost.len(), size * size, "the cost matrix is square");
    let mut search = Search::new(cost, size);
    for row in 1..=size {
        search.insert(row);
    }
    let mut permutation = vec![0; size];
    for column in 1..=size {
        permutation[search.row_of[column] - 1] = column - 1;
    }
    permutation
}

/// State of the method; rows and columns count from 1, column 0 holds the row that is being inserted.
struct Search<'a> {
    cost: &'a [f64],
    size: usize,
    row_potential: Vec<f64>,
    column_potential: Vec<f64>,
    row_of: Vec<usize>,
    previous: Vec<usize>,
    slack: Vec<f64>,
    visited: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(cost: &'a [f64], size: usize) -> Self {
        Self {
            cost,
            size,
            row_potential: vec![0.0; size + 1],
            column_potential: vec![0.0; size + 1],
            row_of: vec![0; size + 1],
            previous: vec![0; size + 1],
            slack: vec![0.0; size + 1],
            visited: vec![false; size + 1],
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
        for j in (1..=self.size).filter(|&j| !self.visited[j]) {
            let reduced = self.cost[(row - 1) * self.size + j - 1] - self.row_potential[row] - self.column_potential[j];
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
        for j in 0..=self.size {
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
        assert_eq!(assign(&cost, 3), vec![1, 0, 2]);
        assert_eq!(assign(&[], 0), Vec::<usize>::new());
    }

    proptest! {
        /// Optimality: the total of the assignment equals the minimum over all G! permutations. Small integers make
        /// ties and exact sums.
        #[test]
        fn equals_brute_force(size in 1usize..=7, entries in prop::collection::vec(-9i32..10, 49)) {
            let cost: Vec<f64> = entries[..size * size].iter().map(|&x| f64::from(x)).collect();
            let permutation = assign(&cost, size);
            let mut sorted = permutation.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..size).collect::<Vec<_>>());
            prop_assert_eq!(total(&cost, size, &permutation), brute_force(&cost, size, &mut Vec::new()));
        }
    }
}

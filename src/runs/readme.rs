//! The README of a result folder: what is there, and the lines that read it in other tools.

use std::fmt::Write;

use fedbits_record::results::Results;
use fedbits_spec::so_many;

pub(crate) const README_FILE: &str = "README.md";

pub(crate) fn is_ours(path: &std::path::Path) -> bool {
    fedbits_spec::files::read(path).is_ok_and(|text| String::from_utf8_lossy(&text).contains(WRITTEN))
}

const WRITTEN: &str = "\nWritten by fedbits ";

/// The text, from the plan alone: it says nothing that changes while runs are made.
pub(crate) fn text(record: &Results) -> String {
    let plan = record.plan();
    let about: String = plan.about.lines().map(|line| format!("> {line}\n")).collect();
    let mut text = format!(
        "# {}\n\n{about}{WRITTEN}{}. {} × {}; the baseline is `{}`.\n\n",
        plan.name,
        plan.engine_version,
        so_many(plan.arms.len(), "arm"),
        so_many(plan.replicates, "replicate"),
        plan.arms[plan.baseline].name
    );
    if !plan.axes.is_empty() {
        text.push_str("| axis | changes | levels |\n|---|---|---|\n");
    }
    for axis in &plan.axes {
        let code = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} | {} |", axis.name, code(&axis.paths), code(&axis.levels));
    }
    text.push_str(FILES);
    for target in &plan.targets {
        let (name, column) = (target.name(), target.column_name());
        let _ = writeln!(
            text,
            "- {name} in `runs.csv`: `reached_to_{column}` (1, or 0 where the run ended before or its fit is \
             degenerate), `verdict_to_{column}`, and `rounds_to_`, `time_s_to_`, `bits_up_to_`, \
             `bits_total_to_{column}`: the cost up to the first recorded row that meets the target, or up to the last \
             row (censored)."
        );
    }
    if plan.search.is_some() {
        text.push_str(SEARCH);
    }
    text.push_str(TOOLS);
    text
}

const FILES: &str = "
## Files

| file | holds |
|---|---|
| `runs.csv` | a row per run: totals, why it ended, what it took to reach each target, digests |
| `rounds.csv` | a row per run and recorded round |
| `ledger.csv`, `clients.csv`, … | the other tables of all runs |
| `models/` | the fitted model of the first replicate of each arm, for `fedbits predict` and NumPy |
| `figures/` | figures; `report.html` is an interactive page |
| `plan.json` | the plan: arms with their whole scenarios, axes, replicates, targets |
| `segments/` | the store, from which `fedbits merge` makes the tables and models |
| `damaged/` | damaged bytes of the store, and foreign files that stood in the way; read by no command |

Every table begins with `arm`, the level on each axis (empty where the axis does not exist) and `replicate`. Replicate r
of every arm met the same data and environment: compare arms replicate by replicate (`fedbits compare`). Bits are whole
numbers, times are simulated seconds, an empty cell was not measured. `bits_total` counts payload up, down and between
peers, and headers. A text that a spreadsheet would take for a formula stands behind an apostrophe: `'=A1`.
`fedbits explain COLUMN` explains a column.

";

const SEARCH: &str = "
A race chose the runs: `decision.json` has what it decided and why (`fedbits compare` prints it). A run with the status
`cut` was ended early, because it cost too much to be chosen.
";

const TOOLS: &str = "
## In other tools

pandas

```python
import pandas as pd
texts = {\"keep_default_na\": False, \"na_values\": [\"\"]}  # a level may be called None or NA
runs = pd.read_csv(\"runs.csv\", **texts)
rounds = pd.read_csv(\"rounds.csv\", **texts).merge(runs[[\"arm\", \"replicate\", \"status\"]])
rounds.dropna(subset=[\"mean_field_sq\"]).groupby([\"arm\", \"round\"])[\"mean_field_sq\"].median()
```

polars

```python
import polars as pl
runs = pl.read_csv(\"runs.csv\", infer_schema_length=None)
runs.group_by(\"arm\").agg(pl.col(\"bits_total\", \"time_s\").median())
```

R

```r
runs <- read.csv(\"runs.csv\", na.strings = \"\")
aggregate(cbind(bits_total, time_s) ~ arm, runs, median)
```

DuckDB

```sql
SELECT arm, median(bits_total), median(time_s) FROM 'runs.csv' GROUP BY arm;
```
";

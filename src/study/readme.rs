//! The README that stands in a study's directory: what is there, and the lines that read it in other tools.

use std::fmt::Write;

use fedbits_record::study::StudyRecord;
use fedbits_spec::so_many;

/// Its name.
pub(crate) const README_FILE: &str = "README.md";

/// Whether a file is such a README.
pub(crate) fn is_ours(path: &std::path::Path) -> bool {
    fedbits_spec::files::read(path).is_ok_and(|text| String::from_utf8_lossy(&text).contains(WRITTEN))
}

/// What every such README says.
const WRITTEN: &str = "\nWritten by fedbits ";

/// The text, from the plan alone (it says nothing that changes while a study runs).
pub(crate) fn text(record: &StudyRecord) -> String {
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
            "- {name}: `reached_to_{column}` (1, or 0 when the run ended before or its fit is degenerate), \
             `verdict_to_{column}`, and `rounds_to_`, `time_s_to_`, \
             `bits_up_to_`, `bits_total_to_{column}`: what it took to reach the target, or had taken when it ended \
             (censored)."
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
| `results.csv` | one row per run: arm, the level on each axis (empty where the axis does not exist), the settings of \
searches, replicate, totals, where it ended, digests |
| `curves.csv` | one row per run and recorded round; `arm` and `replicate` join it with `results.csv` |
| `ledger.csv` | bits per arm, direction, purpose and fate, summed over the arm's runs |
| `tables/` | what only some runs leave: their own tables, and the topology of each arm's first run |
| `study.json` | the plan: axes, arms with their resolved scenarios, baseline, targets |
| `segments/` | the store; everything else can be made from it by `fedbits merge` |
| `damaged/` | bytes of the store that were damaged, or files that stood in the way of one of these; \
not read by any command |

Replicate r of every arm met the same data and environment: compare arms replicate by replicate (`fedbits compare`).
A text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break
and is no number) stands behind an apostrophe: `'=A1`. Bits are whole numbers, times are simulated seconds, an
empty cell is a value that was not measured. `bits_total` counts
payload up, down and between peers, and packet headers. Targets are looked for in recorded rows, without interpolation.

";

const SEARCH: &str = "
The study is a search: it made those runs alone that it needed. `decision.json` has what it decided, and why \
(`fedbits compare` says it); it follows from the plan and the results. A run with the status `cut` was ended early, as \
it cost too much to be chosen.
";

const TOOLS: &str = "
## In other tools

pandas

```python
import pandas as pd
texts = {\"keep_default_na\": False, \"na_values\": [\"\"]}  # a level may be called None or NA
results = pd.read_csv(\"results.csv\", **texts)
curves = pd.read_csv(\"curves.csv\", **texts).merge(results[[\"arm\", \"replicate\", \"status\"]])
curves.dropna(subset=[\"mean_field_sq\"]).groupby([\"arm\", \"round\"])[\"mean_field_sq\"].median()
```

polars

```python
import polars as pl
results = pl.read_csv(\"results.csv\", infer_schema_length=None)
results.group_by(\"arm\").agg(pl.col(\"bits_total\", \"time_s\").median())
```

R

```r
results <- read.csv(\"results.csv\", na.strings = \"\")
aggregate(cbind(bits_total, time_s) ~ arm, results, median)
```

DuckDB

```sql
SELECT arm, median(bits_total), median(time_s) FROM 'results.csv' GROUP BY arm;
```
";

"""The page of the Python package's reference: classes and functions by module; the parts of scenarios by kind.

    python site/reference.py FOLDER
"""

import importlib.util
import sys
from pathlib import Path

ABSENT = """# Python reference

The package was not installed where this site was made: `pip install` it there, and its reference stands here.
"""

PRESENT = """# Python reference

[The page on Python](../../docs/python.md) has examples; this one has everything else. Fields of parts are those of
[the reference of fields](../../docs/fields.md).

## Runs

```{eval-rst}
.. autofunction:: fedbits.run
.. autoclass:: fedbits.Run
   :members:
   :exclude-members: __init__
.. autoclass:: fedbits.RunRecord
   :members:
   :exclude-members: __init__
.. autoclass:: fedbits.FittedModel
   :members: read
.. autoclass:: fedbits.FigureImage
   :members: save
.. autofunction:: fedbits.results
.. autofunction:: fedbits.run_shard
.. autofunction:: fedbits.frames
```

## Scenarios

```{eval-rst}
.. autofunction:: fedbits.library
.. autofunction:: fedbits.arms
.. autofunction:: fedbits.show
.. autoclass:: fedbits.Table
.. autoclass:: fedbits.Part
   :members: replace
.. autoclass:: fedbits.PythonModel
   :members:
.. autoclass:: fedbits.PythonCompressor
   :members:
.. autoclass:: fedbits.Protocol
   :members:
.. autoclass:: fedbits.PeerProtocol
   :members:
```

## Errors and warnings

```{eval-rst}
.. autoexception:: fedbits.Error
.. autoexception:: fedbits.ScenarioError
.. autoexception:: fedbits.DomainError
.. autoclass:: fedbits.Problem
.. autoexception:: fedbits.CaveatWarning
.. autoexception:: fedbits.FailedRunWarning
```
"""

SKLEARN = """
## scikit-learn

```{eval-rst}
.. autoclass:: fedbits.sklearn.FederatedGaussianMixture
   :members: fit, predict, predict_proba, score_samples, score, sample, fit_predict
```
"""


def parts() -> str:
    """A table of the classes of each kind."""
    import fedbits as fb

    kinds: dict[str, list[str]] = {}
    for name in fb.parts.__all__:
        part = getattr(fb.parts, name)
        base = part.__bases__[0].__name__
        kinds.setdefault(name if base == "Part" and part._written is None and not part._fields else base, [])
        if part._fields or part._written is not None:
            kinds.setdefault("Part" if base == "Part" else base, []).append(name)
    lines = ["", "## Parts of scenarios", "", "| kind | classes |", "|---|---|"]
    for kind, names in sorted(kinds.items()):
        title = "groups of fields" if kind == "Part" else f"`{kind}`"
        if names:
            lines.append(f"| {title} | {', '.join(f'`{name}`' for name in sorted(names))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    page = ABSENT
    if importlib.util.find_spec("fedbits") is not None:
        page = PRESENT + (SKLEARN if importlib.util.find_spec("sklearn") is not None else "") + parts()
    Path(sys.argv[1], "python-reference.md").write_text(page)


if __name__ == "__main__":
    main()

"""Federated expectation–maximization over a simulated network, exact to the bit.

    import fedbits as fb

    run = fb.run("quickstart", set={"stop.rounds": 30}, seed=2)
    run.rounds                      # a data frame
    run.figure("mean_field_sq")     # shows in a notebook

Scenarios are names of the library (`fb.library()`), files, texts in RON, or made of the classes here: `fb.Scenario`
with `fb.FedEm(…)`, `fb.GaussianMixture(…)`, `fb.TopK(…)`, …; `fb.Table` takes data from memory. Models, compressors and
protocols can be classes of your own (`fb.PythonModel`, `fb.PythonCompressor`, `fb.Protocol` and `fb.PeerProtocol` say
what they need).
"""

from __future__ import annotations

from fedbits import _exit, export, parts
from fedbits._check import check
from fedbits._errors import Caveat, CaveatWarning, DomainError, Error, FailedRunWarning, Problem, ScenarioError
from fedbits._fedbits import __version__
from fedbits._figure import Figure as FigureImage
from fedbits._frame import frames
from fedbits._library import arms, library, show
from fedbits._model import FittedModel
from fedbits._objects import PeerProtocol, Protocol, PythonCompressor, PythonModel
from fedbits._part import UNSET, Part
from fedbits._run import Run, RunRecord, results, run, run_shard, study
from fedbits._table import Table
from fedbits._verify import verify
from fedbits.optimize import Optimization, optimize
from fedbits.parts import *

__all__ = [
    "UNSET",
    "Caveat",
    "CaveatWarning",
    "DomainError",
    "Error",
    "FailedRunWarning",
    "FigureImage",
    "FittedModel",
    "Optimization",
    "Part",
    "PeerProtocol",
    "Problem",
    "Protocol",
    "PythonCompressor",
    "PythonModel",
    "Run",
    "RunRecord",
    "ScenarioError",
    "Table",
    "__version__",
    "arms",
    "check",
    "export",
    "frames",
    "library",
    "optimize",
    "parts",
    "results",
    "run",
    "run_shard",
    "show",
    "study",
    "verify",
]
__all__ += parts.__all__
_exit.add()

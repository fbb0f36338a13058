"""Data from memory, and tables as data frames."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array

import fedbits as fb
from fedbits import _fedbits
from fedbits._part import UNSET


def fit(data: fb.Table, out: Path | None = None, **fields: Any) -> fb.Run:
    scenario = fb.Scenario(
        name="table", data=data, model=fb.GaussianMixture(2), protocol=fb.FedEm(gamma=0.5), stop=fb.Stop(rounds=20)
    )
    return fb.run(scenario.replace(**fields), out=out)


def test_a_table_gives_what_its_file_gives(groups: tuple[Array, Any], tmp_path: Path) -> None:
    X, y = groups
    np.savetxt(tmp_path / "x.csv", np.c_[X, y], delimiter=",", header="x0,x1,y", comments="", fmt="%.17g")
    csv = fb.Csv(path="x.csv", label=fb.NameColumn("y"))
    fields = {"model": fb.GaussianMixture(2), "protocol": fb.FedEm(gamma=0.5), "stop": fb.Stop(rounds=20)}
    of_file = fb.run(fb.Scenario(name="table", data=csv, clients=5, **fields), data=tmp_path)
    of_table = fit(fb.Table(X, label=y), clients=5)
    assert of_table.digests[0]["state"] == of_file.digests[0]["state"]
    assert of_table.rounds["accuracy"].dropna().iloc[-1] > 0.95


def test_clients_come_from_a_column(groups: tuple[Array, Any]) -> None:
    X, y = groups
    run = fit(fb.Table(X, label=y, client=[f"site {number % 7}" for number in range(len(X))]))
    assert run[0].manifest["clients"] == 7


def test_clients_that_are_not_looked_at_are_told(groups: tuple[Array, Any]) -> None:
    table = fb.Table(groups[0], client=np.arange(600) % 7)
    mapping: dict[str, Any] = {
        "data": table,
        "model": fb.GaussianMixture(2),
        "protocol": fb.FedEm(gamma=0.5),
        "stop": {"rounds": 2},
    }
    assert fb.run(mapping)[0].manifest["clients"] == 7
    drawn = fb.RandomMixture(examples=90, features=2, components=2, separation=3.0)
    other = fb.Scenario(**{**mapping, "data": drawn, "stop": fb.Stop(rounds=2), "clients": 5})
    caveat = "the data name clients, but `partition: Iid` deals their examples out without a look at them"
    for scenario, change in (
        (other, {"data": table}),
        (other.replace(arms=[fb.Arm(name="own", set={"data": table})]), {}),
        (str(other.replace(name="text")), {"data": table}),
        ({**mapping, "clients": 5, "partition": "Iid"}, {}),
    ):
        assert all(caveat in arm.caveats for arm in fb.arms(scenario, change))
    (arm,) = fb.arms(other, {"data": table, "partition": fb.ClientColumn(), "clients": "None"})
    assert caveat not in arm.caveats


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_names_in_tables_are_what_they_are_called(groups: tuple[Array, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = groups
    for one, other in (("01", "1e3"), ("#a", "-b"), ("+a", "@b")):
        data = fb.Table(X, label=np.where(y == 0, one, other), columns=["#rooms", "=size"])
        run = fit(data, clients=5, record=fb.Record(marginals=3))
        assert set(run.table("components")["class"]) == {one, other}
        marginals = run[0].table("marginals")
        assert list(marginals["column"]) == ["#rooms"] * 3 + ["=size"] * 3
        assert pandas.api.types.is_numeric_dtype(marginals["count"])


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_items_are_called_as_their_file_says(tmp_path: Path) -> None:
    items, answers = ["a", "2", "1e3", "04"], np.random.default_rng(4).integers(0, 2, (40, 4))
    np.savetxt(tmp_path / "x.csv", answers, fmt="%d", delimiter=",", header=",".join(items), comments="")
    scenario = fb.Scenario(
        base="papers/flsaem-bifactor",
        arms=[],
        data=fb.Responses(path="x.csv", header=True),
        clients=4,
        model=fb.BiFactor(groups=[1, 1, 2, 2], law=fb.Logit()),
        stop=fb.Stop(rounds=2),
    )
    loadings = fb.run(scenario, data=tmp_path).table("loadings")
    assert list(loadings["item"]) == items and list(loadings["group"]) == [1, 1, 2, 2]


def test_columns_have_the_types_of_their_cells() -> None:
    """Seeds have 64 bits; whole numbers with a gap are numbers with a gap."""
    seeds = [15485726423518077190, 7, 2**64 - 1]
    columns = {
        "seed": seeds,
        "whole": [1, -2, 3],
        "gap": [1, None, 3],
        "truth": [True, None, False],
        "text": ["1", None, ""],
    }
    table = _fedbits.table_of_json([*columns], json.dumps(list(zip(*columns.values()))))
    polars = pytest.importorskip("polars").DataFrame(table)
    assert {name: polars[name].to_list() for name in columns} == columns
    assert table["whole"].dtype == float and np.isnan(table["gap"][1])
    pandas = pytest.importorskip("pandas").DataFrame(table.take_dict())
    assert pandas["seed"].tolist() == seeds and pandas["text"].isna().tolist() == [False, True, False]


def test_a_table_is_compared_with_all_arms_before_one_runs(groups: tuple[Array, Any], tmp_path: Path) -> None:
    table = fb.Table(groups[0], client=np.arange(600) % 20)
    arms = [fb.Arm(name="all"), fb.Arm(name="some", set={"protocol.participation": "Cohort(30)"})]
    with pytest.raises(fb.ScenarioError, match="from 1 to 20, at most the number of clients"):
        fit(table, arms=arms, partition=fb.ClientColumn(), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    constant = fb.Table(np.c_[groups[0], np.ones(600)], client=np.arange(600) % 20)
    fit(constant, preprocess=[fb.DropConstant()], partition=fb.ClientColumn())
    with pytest.raises(fb.ScenarioError, match="column `x2` is constant"):
        fit(constant, partition=fb.ClientColumn())


def test_a_table_copies_its_numbers_once(groups: tuple[Array, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    X = groups[0]
    given: list[Any] = []
    monkeypatch.setattr(fb.Table, "_keep", lambda _, *values: given.append(values[0]))
    fb.Table(X)
    fb.Table(np.asfortranarray(X))
    assert np.shares_memory(given[0], X) and given[1].flags.c_contiguous


def test_the_digest_of_a_table_is_that_of_all_its_bytes() -> None:
    X, places = np.arange(10_000.0).reshape(5_000, 2), np.arange(5_000)
    table = fb.Table(X, label=places % 3, client=places % 7, columns=["a", "b"])
    assert 'digest: "3292abf47824267f34530d0d4ecfaaacf939a43194ebf9555bcb3506c05185a6"' in repr(table)


def test_data_frames_are_taken_and_given(groups: tuple[Array, Any]) -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    X, y = groups
    columns = {"height": X[:, 0], "width": X[:, 1], "kind": y.astype(str)}
    runs = [
        fit(fb.Table(make(columns), label="kind"), clients=5)
        for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table)
    ]
    assert runs[0].digests == runs[1].digests == runs[2].digests
    assert runs[0].model.columns == ["height", "width"]
    assert isinstance(runs[0].rounds, pandas.DataFrame)
    try:
        fb.frames("polars")
        of_polars = runs[0].table("rounds")
        assert isinstance(of_polars, polars.DataFrame)
        assert isinstance(runs[0].rounds, polars.DataFrame) and runs[0][0].rounds is runs[0][0].rounds
        fb.frames("arrow")
        plain = runs[0].rounds
        assert pyarrow.table(plain).column_names == plain.columns
        assert list(plain["round"]) == list(range(21)) and "21 rows" in repr(plain)
        with pytest.raises(KeyError, match="there are arm, replicate, round"):
            plain["rounds"]
    finally:
        fb.frames(None)
    of_pandas = runs[0].table("rounds")
    assert isinstance(of_pandas, pandas.DataFrame)
    assert list(of_pandas.columns) == of_polars.columns
    for name in of_pandas.columns.drop("arm"):
        ours, theirs = (
            of_pandas[name].to_numpy(float),
            of_polars[name].cast(polars.Float64).fill_null(np.nan).to_numpy(),
        )
        np.testing.assert_array_equal(ours, theirs)
    assert of_pandas["bits_up"].dtype == np.int64


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected \(N, d\)"):
        fb.Table(np.zeros(4))
    with pytest.raises(ValueError, match="one for each example"):
        fb.Table(np.zeros((4, 2)), label=[1, 2])
    with pytest.raises(ValueError, match="finite"):
        fb.Table([[1.0, np.nan]])
    with pytest.raises(ValueError, match="1 name for 2 columns"):
        fb.Table(np.eye(2), columns=["one"])
    with pytest.raises(ValueError, match="two columns are called `one`"):
        fb.Table(np.eye(2), columns=["one", "one"])
    with pytest.raises(ValueError, match="polers"):
        fb.frames("polers")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"X": np.ma.masked_greater(np.eye(2), 0.5)}, "X has 2 masked values, the first in row 0, column 0"),
        (
            {"X": np.eye(2), "label": np.ma.array([1, 2], mask=[0, 1])},
            "`label` has 1 masked value, the first in row 1",
        ),
        ({"X": np.eye(2), "client": ["a", None]}, "`client` has no value in 1 of 2 rows, first in row 1"),
        ({"X": np.eye(2), "client": ["a", np.nan]}, "`client` has no value in 1 of 2 rows, first in row 1"),
        ({"X": np.eye(2), "label": np.array([np.nan, 1.0])}, "`label` has no value in 1 of 2 rows, first in row 0"),
        ({"X": np.eye(2), "label": np.array(["2020", "NaT"], "M8[D]")}, "`label` has no value in 1 of 2 rows"),
        ({"X": np.eye(2), "label": np.array([1, "a"], dtype=object)}, "`label` cannot be sorted"),
        ({"X": np.eye(2), "label": "y"}, "`label` is the name `y`, and the columns of X have no names"),
        ({"X": np.eye(2) * 1j}, "X has no numbers .it has complex numbers"),
        ({"X": np.array([["2020"], ["2021"]], dtype="M8[D]")}, "X has no numbers .it has times"),
        ({"X": np.array([["01234"], ["99999"]])}, "X has no numbers .it has texts"),
        ({"X": np.array([[1.0], ["2"]], dtype=object)}, "X has no numbers .it has texts"),
        ({"X": np.array([[np.timedelta64(1, "D")], [2.0]], dtype=object)}, "X has no numbers .it has times"),
        ({"X": np.array([[np.complex128(1j)], [2.0]], dtype=object)}, "X has no numbers .it has complex numbers"),
        ({"X": [[10**400]]}, "X has no numbers .int too large"),
        ({"X": np.eye(2), "client": [np.ma.masked, 1]}, "`client` has no value in 1 of 2 rows, first in row 0"),
    ],
)
def test_what_would_be_lost_or_made_up_is_refused(fields: dict[str, Any], message: str) -> None:
    assert fb.Table(np.ma.array(np.eye(2), mask=False)) == fb.Table(np.eye(2))
    with pytest.raises(ValueError, match=message):
        fb.Table(**fields)


@pytest.mark.parametrize("others", [[0.5, 7], [-1, 7]])
def test_large_numbers_of_a_list_are_told_apart(others: list[Any]) -> None:
    for one in (2**53, 2**63):
        numbers = [one, one + 1, *others]
        assert fb.Table(np.eye(4), client=numbers) == fb.Table(np.eye(4), client=np.array(numbers, dtype=object))
        assert fb.Table(np.eye(4), client=numbers) != fb.Table(np.eye(4), client=[one, one, *others])


def test_gaps_and_times_of_data_frames_are_refused() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for values in (["a", None, "b"], [1, None, 2], [1.5, None, 2.5]):
        frames = [
            make({"x": [1.0, 2.0, 3.0], "y": values}) for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table)
        ]
        for frame in [*frames, frames[0].convert_dtypes()]:
            with pytest.raises(
                ValueError, match=r"the column `y` \(label\) has no value in 1 of 3 rows, first in row 1"
            ):
                fb.Table(frame, label="y")
    days = pandas.DataFrame({"x": [1.0, 2.0], "day": pandas.date_range("2020", periods=2)})
    for frame in (days, polars.DataFrame(days), pyarrow.table(days), days.assign(day=days["day"] - days["day"][0])):
        with pytest.raises(ValueError, match="the column `day` has no numbers .it has times"):
            fb.Table(frame)
    assert fb.Table(days, label="day") == fb.Table(days[["x"]], label=days["day"])


def test_gaps_of_categories_are_refused() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    names, X = pyarrow.array(["a", None, "b"]).dictionary_encode(), {"x": [1.0, 2.0, 3.0]}
    table = pyarrow.table({**X, "y": names})
    lazy = pandas.DataFrame(X).assign(y=pandas.Series(names, dtype=pandas.ArrowDtype(names.type)))
    frames = [table, pyarrow.concat_tables([table, table]).slice(0, 3), lazy]
    frames += [pandas.DataFrame({**X, "y": pandas.Categorical(["a", None, "b"])})]
    frames += [polars.DataFrame({**X, "y": ["a", None, "b"]}, schema_overrides={"y": polars.Categorical})]
    for frame in frames:
        for what in ("label", "client"):
            with pytest.raises(
                ValueError, match=rf"the column `y` \({what}\) has no value in 1 of 3 rows, first in row 1"
            ):
                fb.Table(frame, **{what: "y"})
    for column in (names, table["y"]):
        with pytest.raises(ValueError, match="`label` has no value in 1 of 3 rows, first in row 1"):
            fb.Table(np.eye(3), label=column)
    whole = table.set_column(1, "y", pyarrow.array(["b", "a", "b"]).dictionary_encode())
    assert fb.Table(whole, label="y") == fb.Table(table.drop_columns("y"), label=["b", "a", "b"])
    numbers = pyarrow.table({"x": pyarrow.array([1.0, None, 3.0]).dictionary_encode()})
    with pytest.raises(ValueError, match=r"example 1 \(counted from 0\) has NaN in column `x`"):
        fb.Table(numbers)


@pytest.mark.parametrize(
    "labels",
    [[str(number) for number in range(11, -1, -1)], ["b", "a"] * 6, [2.5, 1.5] * 6, [10.0, 9.0] * 6, ["01", "1"] * 6],
    ids=str,
)
def test_classes_are_numbered_as_those_of_a_file(labels: list[Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(at, 1, (60, 2)) for at in (-3, 3)])
    labels *= 10
    rows = [
        f"{x[0]!r},{x[1]!r},{label:g}" if isinstance(label, float) else f"{x[0]!r},{x[1]!r},{label}"
        for x, label in zip(X.tolist(), labels)
    ]
    (tmp_path / "x.csv").write_text("\n".join(["x0,x1,y", *rows]))
    scenario = fb.Scenario(
        name="table",
        clients=4,
        partition=fb.SortedByLabel(),
        model=fb.GaussianMixture(2),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=3),
    )
    of_file = fb.run(scenario.replace(data=fb.Csv(path="x.csv", label=fb.NameColumn("y"))), data=tmp_path)
    table = fb.Table(X, label=labels)
    assert pickle.loads(pickle.dumps(table)) == table
    of_table = fb.run(scenario.replace(data=table))
    assert of_table.digests[0]["data"] == of_file.digests[0]["data"]
    assert of_table.digests[0]["state"] == of_file.digests[0]["state"]
    assert of_table.model.content["classes"] == of_file.model.content["classes"]
    by_client = scenario.replace(clients=UNSET, partition=fb.ClientColumn())
    of_file = fb.run(by_client.replace(data=fb.Csv(path="x.csv", client=fb.NameColumn("y"))), data=tmp_path)
    of_table = fb.run(by_client.replace(data=fb.Table(X, client=labels)))
    assert of_table.digests[0]["state"] == of_file.digests[0]["state"]


def test_integers_that_are_floats_are_numbered_as_those_of_a_file(tmp_path: Path) -> None:
    """As pandas writes a column that had a gap once."""
    rng = np.random.default_rng(5)
    X, clients = rng.normal(size=(60, 2)), rng.permutation(np.repeat([10.0, 2.0, 1.0], [30, 20, 10]))
    rows = [f"{x[0]!r},{x[1]!r},{client}" for x, client in zip(X.tolist(), clients.tolist())]
    (tmp_path / "x.csv").write_text("\n".join(["x0,x1,c", *rows]))
    fields = {"model": fb.GaussianMixture(2), "protocol": fb.FedEm(gamma=0.5), "stop": fb.Stop(rounds=3)}
    scenario = fb.Scenario(partition=fb.ClientColumn(), **fields)
    csv = fb.Csv(path="x.csv", client=fb.NameColumn("c"))
    runs = [fb.run(scenario.replace(data=own), data=tmp_path) for own in (csv, fb.Table(X, client=clients))]
    for run in runs:
        assert list(run.table("clients")["examples"]) == [10, 20, 30]
    assert runs[0].digests == runs[1].digests


def test_columns_do_not_choose_those_of_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"height": [1.0, 2.0], "weight": [70.0, 80.0]})
    for columns in (["weight", "height"], ["weight", "size"], ["weight"]):
        with pytest.raises(ValueError, match=r"`columns` names all of them; `X\[\[…\]\]` chooses and orders"):
            fb.Table(frame, columns=columns)
    assert fb.Table(frame, columns=["height", "mass"]) == fb.Table(frame.to_numpy(), columns=["height", "mass"])


def test_columns_of_data_frames_are_known_by_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    numbered = pandas.DataFrame(np.arange(6.0).reshape(2, 3))
    assert fb.Table(numbered, label=2) == fb.Table(numbered[[0, 1]], label=numbered[2])
    with pytest.raises(ValueError, match="`3` is not a column of the table: expected one of 0, 1, 2"):
        fb.Table(numbered, label=3)
    for frame in (numbered.set_axis(["a", "a", "b"], axis=1), pyarrow.table([[1.0], [2.0]], names=["a", "a"])):
        with pytest.raises(ValueError, match="two columns are called `a`"):
            fb.Table(frame)
    levels = numbered.set_axis(pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), axis=1)
    with pytest.raises(ValueError, match="names of several levels"):
        fb.Table(levels)
    with pytest.raises(TypeError, match=r"a LazyFrame: expected a data frame, `X.collect\(\)`"):
        fb.Table(polars.DataFrame({"a": [1.0]}).lazy())
    for one in (numbered[0], polars.Series([1.0])):
        with pytest.raises(TypeError, match=r"a Series, one column: expected a data frame, `X.to_frame\(\)`"):
            fb.Table(one)
    with pytest.raises(TypeError, match=r"a sparse matrix: expected a dense one, `X.toarray\(\)`"):
        fb.Table(pytest.importorskip("scipy.sparse").eye(2))
    table = pyarrow.table({"a": [1.0]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="a Table is read with pyarrow: pip install pyarrow"):
        fb.Table(table)


def test_a_scenario_with_a_table_goes_to_other_processes(groups: tuple[Array, Any]) -> None:
    X, y = groups
    scenario = fb.Scenario(
        name="sent",
        data=fb.Table(X, label=y, client=np.arange(len(X)) % 3, columns=["length", "width"]),
        model=fb.GaussianMixture(2),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=2),
    )
    digests, sent = fb.run(scenario).digests, pickle.dumps(scenario)
    assert copy.deepcopy(scenario) == scenario
    assert copy.deepcopy(scenario).data.has_clients
    del scenario
    assert fb.run(pickle.loads(sent)).digests == digests


def test_a_table_that_is_gone_is_missed(groups: tuple[Array, Any]) -> None:
    text = str(
        fb.Scenario(
            name="gone",
            data=fb.Table(groups[0]),
            clients=2,
            model=fb.GaussianMixture(2),
            protocol=fb.FedEm(gamma=0.5),
            stop=fb.Stop(rounds=2),
        )
    )
    with pytest.raises(fb.Error, match="none like it in this process"):
        fb.run(text)


def test_a_record_of_a_table_is_verified(groups: tuple[Array, Any]) -> None:
    run = fit(fb.Table(groups[0]), clients=3)
    run.verify()


def test_numbers_are_not_copied(groups: tuple[Array, Any]) -> None:
    """pandas and polars have the memory that the table had."""
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    run = fit(fb.Table(groups[0]), clients=3, record=fb.Record(probe_every=2))
    frame = run._files.table("rounds")
    names = [name for name in ("round", "bits_up", "time_s", "mean_field_sq") if name in frame.columns]
    assert len(names) == 4

    def address(name: str) -> int:
        return int(pyarrow.table(frame)[name].chunk(0).buffers()[1].address)

    addresses = {name: address(name) for name in names}
    of_polars = polars.DataFrame(frame)
    assert {name: of_polars[name].to_arrow().buffers()[1].address for name in names} == addresses
    missing = of_polars["mean_field_sq"].null_count()
    assert 0 < missing < len(of_polars)
    # Others have the memory now: NumPy gets another.
    assert not {array.ctypes.data for array in frame.to_dict().values() if hasattr(array, "ctypes")} & {
        *addresses.values()
    }
    del of_polars
    columns = frame.take_dict()
    of_pandas = pandas.DataFrame(columns, copy=False)
    assert {name: of_pandas[name].to_numpy().ctypes.data for name in names} == addresses
    assert of_pandas["mean_field_sq"].isna().sum() == missing
    of_pandas.loc[0, "time_s"] = -1.0
    assert len(frame) == 0 and frame.columns == []


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
def test_missing_values_of_pandas_are_named(dtype: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.array([1, None, 0], dtype=dtype), "b": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"example 1 \(counted from 0\) has NaN in column `a`"):
        fb.Table(frame)

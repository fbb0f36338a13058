"""The archive of `fedbits artifact` is an RO-Crate, as a validator of others sees it."""

from __future__ import annotations

import email.message
import importlib.resources
import io
import os
import subprocess
import urllib.request
import urllib.response
import zipfile
from pathlib import Path

import pytest
from protocols import FedEM

import fedbits as fb

PROFILE = "process-run-crate-0.5"
TERMS = "https://w3id.org/ro/crate/"


class _Terms(urllib.request.BaseHandler):
    """Answers requests for the terms of RO-Crate from an installed package: tests ask no server."""

    handler_order = 10

    def __init__(self, content: bytes) -> None:
        self.content = content

    def https_open(self, request: urllib.request.Request) -> urllib.response.addinfourl:
        assert request.full_url.startswith(TERMS), request.full_url
        headers = email.message.Message()
        headers["Content-Type"] = "application/ld+json"
        answer = urllib.response.addinfourl(io.BytesIO(self.content), headers, request.full_url, 200)
        answer.msg = "OK"  # type: ignore[attr-defined]
        return answer


def test_an_archive_of_python_has_its_data_and_says_what_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(f"{i % 7},{i % 5}" for i in range(60)) + "\n")
    scenario = fb.Scenario(
        name="half",
        data=fb.Csv(path="t.csv"),
        clients=3,
        model=fb.GaussianMixture(components=2),
        protocol=fb.FedEm(gamma=0.1),
        stop=fb.Stop(rounds=2),
        arms=[fb.Arm("fedem"), fb.Arm("half", {"protocol": FedEM(0.5)})],
    )
    fb.run(scenario, out=tmp_path / "runs", data=tmp_path, progress=False)
    command = [os.environ["FEDBITS_PROGRAM"], "-q", "artifact", "runs", "--data", ".", "--out", "half.zip"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    with zipfile.ZipFile(tmp_path / "half.zip") as archive:
        readme, script = (archive.read(name).decode() for name in ("README.md", "reproduce.sh"))
        assert "data/t.csv" in archive.namelist()
    assert "1 file, in `data/`" in readme
    assert "fedbits.verify" in readme
    assert "FedEM" in script


def test_an_archive_is_a_crate_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rocrate")
    services, models = (
        pytest.importorskip("rocrate_validator.services"),
        pytest.importorskip("rocrate_validator.models"),
    )
    http, requests = pytest.importorskip("rocrate_validator.utils.http"), pytest.importorskip("requests")

    def fedbits(*arguments: str) -> None:
        subprocess.run([os.environ["FEDBITS_PROGRAM"], "-q", *arguments], cwd=tmp_path, check=True, timeout=120)

    (tmp_path / "a table.csv").write_text("x,y\n" + "\n".join(f"{i % 7},{i % 5}" for i in range(60)) + "\n")
    (tmp_path / "mine.ron").write_text(
        '(name: "mine", data: Csv(path: "a table.csv"), clients: 3, model: GaussianMixture(components: 2),'
        " protocol: FedEm(gamma: 0.1), stop: (rounds: 3))"
    )
    fedbits("run", "mine.ron", "--no-figures", "--out", "a b")
    fedbits("run", "quickstart", "--no-figures", "--set", "stop.rounds=3", "--out", "plain")
    people = ["--author", "Ada Lovelace", "--author", "Alan Turing", "--license", "CC-BY-4.0"]
    fedbits("artifact", "a b", "plain", "--out", "whole.zip", *people)
    fedbits("artifact", "a b", "--without-data", "--out", "blind.zip")

    content = (importlib.resources.files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()
    opener = urllib.request.build_opener(_Terms(content))
    monkeypatch.setattr(urllib.request, "_opener", opener)

    def get(_: object, address: str, **_options: object) -> object:
        assert address.startswith(TERMS), address
        answer = requests.Response()
        answer.status_code, answer.url, answer._content = 200, address, content
        answer.headers["Content-Type"] = "application/ld+json"
        return answer

    monkeypatch.setattr(http.HttpRequester, "get", get, raising=False)
    for name in ["whole.zip", "blind.zip"]:
        settings = services.ValidationSettings(
            rocrate_uri=str(tmp_path / name), profile_identifier=PROFILE, requirement_severity=models.Severity.REQUIRED
        )
        issues = services.validate(settings).get_issues()
        assert not issues, [f"{issue.check.identifier}: {issue.message}" for issue in issues]

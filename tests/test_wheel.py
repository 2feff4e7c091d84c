"""The wheel holds all that an installed trucostats needs: it runs in an environment of its own, away from this folder, offline."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "trucostats"
LOG = (
    '{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],"deal":["7c 5c 12e",null],"events":["0 truc","1 no-quiero"]}\n'
    '{"v":1}\n'
)


def run(*call: str | Path, cwd: Path, code: int = 0) -> str:
    # Numba would compile the engine once more for its new place.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {
        "NUMBA_DISABLE_JIT": "1"
    }
    done = subprocess.run(
        [str(part) for part in call], capture_output=True, text=True, cwd=cwd, env=env, check=False, timeout=120
    )
    assert done.returncode == code, f"{call}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `trucostats` command of an environment that has the wheel, and everything else from this one."""
    folder = tmp_path_factory.mktemp("environment with a space")
    venv.create(folder / "venv", symlinks=True)
    scheme = sysconfig.get_preferred_scheme("prefix")
    at = {"base": str(folder / "venv"), "platbase": str(folder / "venv")}
    scripts, site = (Path(sysconfig.get_path(name, scheme, vars=at)) for name in ("scripts", "purelib"))
    # A path file that is found by a path file is not read, so the editable install of this folder stays out.
    (site / "lent.pth").write_text(
        "\n".join(dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))))
    )
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        scripts / "python",
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        wheel,
        cwd=folder,
    )
    return scripts / "trucostats"


def test_it_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == files
    assert {"trucostats/py.typed", "trucostats/sql/hand_win.sql", "trucostats/rules/data/argentino.toml"} <= names


def test_it_carries_the_licence(wheel: Path) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def test_it_runs_somewhere_else(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "club.jsonl").write_text(LOG)
    code = "import trucostats; print(trucostats.__file__)"
    assert not Path(run(installed.parent / "python", "-c", code, cwd=tmp_path).strip()).is_relative_to(ROOT)
    assert run(installed, "--version", cwd=tmp_path).startswith("trucostats ")
    assert "argentino" in run(installed, "rules", "list", cwd=tmp_path)
    assert "hand_win" in run(installed, "stats", "list", cwd=tmp_path).replace("-", "_")
    assert "1 hand accepted, 1 line rejected" in run(
        installed, "ingest", "club.jsonl", "--out", "tables", cwd=tmp_path, code=1
    )
    assert "ana" in run(installed, "stats", "player-table", "--tables", "tables", cwd=tmp_path)

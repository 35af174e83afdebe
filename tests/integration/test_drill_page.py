"""The page of `tenure drill --html`, as a browser has it."""

import re
import shutil
import subprocess

import pytest
from drilling import PASSED, Drill

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: no page was looked at"
)


def browse(folder, page, *flags):
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu"]
        + ["--disable-dev-shm-usage", f"--user-data-dir={folder / 'profile'}"]
        + ["--enable-logging=stderr", "--window-size=1100,1400", *flags]
        + [page.as_uri()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not console, console
    return done.stdout


@pytest.fixture
def page(tmp_path, started):
    path = tmp_path / "drill.html"
    one = Drill(tmp_path, "--html", str(path))
    started.append(one)
    assert one.wait() == PASSED, one.stdout
    return path


def bands(dom, kind):
    pattern = rf'class="band {kind} c\d" data-who="(\w+)" data-generation="(\d+)"'
    return re.findall(pattern, dom)


def test_a_browser_shows_who_held_when_and_what_was_refused(tmp_path, page):
    dom = browse(tmp_path, page, "--dump-dom")
    held = bands(dom, "held")
    holders = [who for who, _ in held]
    assert "one" in holders and "two" in holders
    generations = [int(generation) for _, generation in held]
    assert max(generations) > min(generations) > 0
    assert bands(dom, "frozen"), "the pause is not in the picture"
    assert re.search(r'class="mark refused stale', dom)
    assert dom.count("<svg") >= 1 and "REFUSED" in dom
    steps = dom.count("<li>") + dom.count("<li class")
    assert steps == dom.count('<g class="step') > 3

    picture = tmp_path / "page.png"
    browse(tmp_path, page, f"--screenshot={picture}", "--hide-scrollbars")
    assert picture.stat().st_size > 20_000
    dark = tmp_path / "dark.png"
    browse(tmp_path, page, f"--screenshot={dark}",
           "--blink-settings=preferredColorScheme=0")
    assert dark.read_bytes() != picture.read_bytes()
    paper = tmp_path / "page.pdf"
    browse(tmp_path, page, f"--print-to-pdf={paper}")
    assert paper.read_bytes().startswith(b"%PDF")

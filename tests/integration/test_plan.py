"""`tenure plan`: the sums people ask for, and what it reads and writes."""

import json
import xml.etree.ElementTree

import pytest
from process import run
from waiting import eventually

OK, TOO_SMALL, USAGE, UNREACHABLE, CONFIGURATION = 0, 1, 64, 69, 78
WORKED = (
    "--p99-work", "8s", "--p99-pause", "2s", "--max-network-delay", "500ms",
    "--renew-interval", "3s", "--safety-margin", "2s",
)
TIGHT = (
    "--lease-duration", "10s", "--renew-interval", "3s", "--p99-pause", "4s",
    "--max-network-delay", "1s",
)
SVG = "{http://www.w3.org/2000/svg}svg"


def plan(*flags, **options):
    return run("plan", *flags, **options)


def plan_json(*flags, **options):
    return json.loads(plan(*flags, "-o", "json", **options).stdout)


def test_the_minimum_is_worked_and_rounded_up():
    done = plan(*WORKED)
    assert (done.returncode, done.stderr) == (OK, "")
    assert "15.5 s -> 20 s" in done.stdout
    assert plan_json(*WORKED)["durationsMs"]["lease"] == 20_000


def test_a_margin_that_is_too_small_exits_1_and_says_what_would_do():
    done = plan(*TIGHT)
    assert done.returncode == TOO_SMALL
    assert "Too small: 2 s of margin" in done.stdout
    document = plan_json(*TIGHT)
    assert (document["marginMs"], document["enough"]) == (2_000, False)
    would_do = f"{document['wouldDoMs'] // 1000}s"
    assert plan("--lease-duration", would_do, *TIGHT[2:]).returncode == OK


@pytest.mark.parametrize(
    ("lease", "work"), [("10s", "12s"), ("10s", "8s"), ("20s", "15s")]
)
def test_work_that_leaves_no_time_to_renew_gets_the_whole_sum(lease, work):
    asked = ("--renew-interval", "3s", "--p99-work", work)
    done = plan("--lease-duration", lease, *asked)
    assert (done.returncode, done.stderr) == (TOO_SMALL, "")
    assert "p99 work" in done.stdout
    assert "would do" in done.stdout
    document = plan_json("--lease-duration", lease, *asked)
    assert document["enough"] is False
    would_do = f"{document['wouldDoMs'] // 1000}s"
    assert plan("--lease-duration", would_do, *asked).returncode == OK


def test_a_duration_that_no_sidecar_takes_is_refused_without_a_deadline():
    done = plan("--lease-duration", "4s", "--renew-interval", "3s")
    assert (done.returncode, done.stdout) == (TOO_SMALL, "")
    assert done.stderr == (
        "tenure: --lease-duration: expected room for three tries at a renew "
        "interval of 3 s, found 4 s, too small to run; 9 s would do\n"
    )
    for wrong, found in (("2500ms", "2.5 s"), ("1s", "1 s"), ("169h", "169 h")):
        done = plan("--lease-duration", wrong, "--p99-work", "1s")
        assert done.returncode == USAGE
        assert done.stderr == (
            "tenure: --lease-duration: expected whole seconds from 2 s to "
            f"168 h, found {found}\n"
        )


def test_a_switch_is_true_or_false_and_nothing_else():
    done = plan("--observe=maybe")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr == (
        'tenure: --observe: expected true or false, found "maybe"\n'
    )
    assert plan("--observe=False").returncode == OK


@pytest.mark.parametrize(
    "checked",
    [
        ("--lease-duration", "10s", "--renew-deadline", "9s",
         "--renew-interval", "2s", "--p99-work", "5s"),
        ("--preset", "fast", "--p99-work", "2s"),
    ],
)
def test_a_stop_budget_below_the_work_is_too_small(checked):
    done = plan(*checked)
    assert done.returncode == TOO_SMALL
    assert "Too small: stop budget" in done.stdout
    flags = plan_json(*checked)["flags"].split()
    work = checked[-2:]
    assert plan(*flags, *work).returncode == OK
    assert " ".join(flags) in done.stdout
    assert done.stdout.count("tenure run") == 1


def test_a_sidecar_takes_the_flags_that_are_proposed():
    document = plan_json(*WORKED)
    done = run(
        "run", "--embedded", "--print-config", *document["flags"].split(),
        environment={"XDG_RUNTIME_DIR": "/run/user/1"},
    )
    assert done.returncode == OK
    assert "leaseDuration: 20s" in done.stdout


def test_a_preset_or_a_file_is_checked_as_run_would_take_it(tmp_path):
    assert plan_json("--preset", "patient")["durationsMs"]["lease"] == 137_000
    file = tmp_path / "tenure.yaml"
    file.write_text(
        "apiVersion: tenure.dev/v1alpha1\nkind: SidecarConfig\nrideOut: 30s\n"
    )
    document = plan_json("--config", str(file))
    assert document["survivesMs"]["outageHeld"] == 30_000
    environment = {"TENURE_PRESET": "fast"}
    assert plan_json(environment=environment)["durationsMs"]["lease"] == 3_000
    refused = plan("--renew-deadline", "20s")
    assert (refused.returncode, refused.stdout) == (CONFIGURATION, "")
    assert "expected less than" in refused.stderr


def test_a_lease_that_outlives_the_job_is_warned_of_in_text_and_json():
    assert "Warning: lease duration 15 s" in plan("--job-timeout", "15s").stdout
    assert plan_json("--job-timeout", "15s")["warnings"]
    assert not plan_json("--job-timeout", "1m")["warnings"]


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_the_picture_is_well_formed_and_replaces_the_one_before(tmp_path, ending):
    path = tmp_path / f"lease.{ending}"
    done = plan(*WORKED, "--picture", str(path))
    assert done.returncode == OK
    assert str(path) in done.stderr
    root = xml.etree.ElementTree.fromstring(path.read_text())
    picture = root if ending == "svg" else root.find(f".//{SVG}")
    assert picture.tag == SVG
    words = " ".join(picture.itertext())
    assert "valid_until  19.8 s" in words
    assert "another may hold  20.2 s" in words

    drawn = path.read_text()
    path.write_text("older")
    again = plan(*WORKED, "--picture", str(path))
    assert again.returncode == OK
    assert again.stderr == f"tenure: wrote {path}\n"
    assert path.read_text() == drawn
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_picture_that_cannot_be_written_is_said_after_the_answer(tmp_path):
    done = plan("--picture", str(tmp_path / "none" / "lease.svg"))
    assert done.returncode == CONFIGURATION
    assert "No such file" in done.stderr
    assert "15 s" in done.stdout


def test_a_running_sidecar_is_observed(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    eventually(lambda: one.status()["roundTripMs"]["p99"] > 0)
    document = plan_json("--observe", "--socket", one.status_socket)
    served = one.status()
    assert document["durationsMs"]["lease"] == 3_000
    assert document["inputsMs"]["maxNetworkDelay"] > 0
    assert document["warnings"] == []
    # The sidecar's own margin, within what its p99s moved meanwhile.
    assert abs(document["marginMs"] - served["marginMs"]) < 1_000
    asked = plan_json(
        "--observe", "--socket", one.status_socket, "--lease-duration", "30s"
    )
    assert asked["durationsMs"]["lease"] == 30_000


def test_nobody_to_observe_is_69(tmp_path):
    done = plan("--observe", "--socket", str(tmp_path / "none.sock"))
    assert (done.returncode, done.stdout) == (UNREACHABLE, "")
    assert len(done.stderr.splitlines()) == 1


def test_of_several_leases_one_is_to_be_named(sidecar):
    one = sidecar("one", "--absent-lease", "take", "--lease", "a", "--lease", "b")
    one.wait("held", lease="b")
    done = plan("--observe", "--socket", one.status_socket)
    assert done.returncode == UNREACHABLE
    assert "--lease" in done.stderr
    named = plan("--observe", "--socket", one.status_socket, "--lease", "b")
    assert named.returncode in (OK, TOO_SMALL)
    assert named.stdout

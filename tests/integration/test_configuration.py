"""Flags, environment and file: every mistake is told, all at once."""

import signal

import pytest
from credential_plugin import config_with_plugin
from process import run
from waiting import eventually

CONFIG, USAGE = 78, 64


def write(tmp_path, text):
    path = tmp_path / "tenure.yaml"
    path.write_text(text)
    return str(path)


def test_every_error_of_a_file_is_told_at_once_with_its_line(tmp_path):
    path = write(
        tmp_path,
        "lease: [job]\n"
        "leaseDuraton: 15s\n"
        "renewInterval: soon\n"
        "statusPort: 99999\n"
        "readinessPolicy: maybe\n",
    )
    done = run("run", "--config", path)
    assert done.returncode == CONFIG
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    for line, word in ((2, "leaseDuraton"), (3, "soon"), (4, "99999"), (5, "maybe")):
        assert any(f"{path}:{line}" in text and word in text for text in lines), word
    assert "leaseDuration" in done.stderr  # what was probably meant


@pytest.mark.parametrize(
    "arguments,told",
    [
        (("--lease", "job", "--lease-duration", "5s", "--renew-deadline", "6s"), "5s"),
        (("--lease", "Not_A_Name"), "not-a-name"),
        (("--lease", "job", "--lease-duration", "1500ms"), "whole"),
        (("--lease", "job", "--min-generation", "9007199254740992"), "minGeneration"),
    ],
)
def test_an_impossible_setting_is_refused_with_the_way_out(arguments, told):
    done = run("run", "--embedded", *arguments)
    assert done.returncode == CONFIG
    text = done.stderr.lower().replace("-", "")
    assert told.lower().replace("-", "") in text, done.stderr


def test_an_unknown_flag_is_a_usage_error_with_the_one_meant():
    done = run("run", "--lease-durration", "5s")
    assert done.returncode == USAGE
    assert "--lease-duration" in done.stderr


@pytest.mark.parametrize("arguments", [("runn",), ("run", "stray"), ("run", "--lease")])
def test_other_wrong_usage_exits_64(arguments):
    assert run(*arguments).returncode == USAGE


def test_flags_beat_the_environment_which_beats_the_file(tmp_path):
    path = write(
        tmp_path,
        "apiVersion: tenure.dev/v1alpha1\n"
        "kind: SidecarConfig\n"
        "lease: [from-file]\n"
        "statusPort: 1001\n"
        "probePort: 2001\n",
    )
    done = run(
        "run", "--config", path, "--embedded", "--print-config",
        "--probe-port", "2003",
        environment={"TENURE_STATUS_PORT": "1002", "TENURE_PROBE_PORT": "2002"},
    )
    assert done.returncode == 0, done.stderr
    for text in ("from-file", "1002", "2003"):
        assert text in done.stdout
    for text in ("1001", "2001", "2002"):
        assert f": {text}" not in done.stdout


def test_what_print_config_prints_is_a_configuration(tmp_path):
    first = run("run", "--embedded", "--lease", "job", "--preset", "patient",
                "--print-config")
    assert first.returncode == 0
    again = run("run", "--config", write(tmp_path, first.stdout), "--print-config")
    assert again.returncode == 0, again.stderr

    def settings(text):
        lines = (line.split("#")[0].rstrip() for line in text.splitlines())
        return [line for line in lines if line]

    assert settings(again.stdout) == settings(first.stdout)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "lease: job: x", "\x00\x01", "a: &a [*a, *a]", "lease: " + "[" * 10_000,
     "lease: !!binary x", "- lease", "lease: job\nlease: other"],
    ids=["empty", "list", "colons", "bytes", "loop", "deep", "tag", "dash", "twice"],
)
def test_a_broken_file_is_an_error_not_a_crash(tmp_path, text):
    done = run("run", "--config", write(tmp_path, text), "--print-config")
    assert done.returncode in (0, CONFIG), done.stderr


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path):
        done = run("run", "--config", str(path))
        assert done.returncode == CONFIG
        assert str(path) in done.stderr


def test_without_any_way_to_an_api_server_the_ways_are_told(tmp_path):
    done = run("run", "--lease", "job", folder=tmp_path)
    assert done.returncode == CONFIG
    assert "--kubeconfig" in done.stderr
    assert "KUBECONFIG" in done.stderr


@pytest.mark.parametrize("verb", ["run", "dev", "version"])
def test_help_is_complete_and_has_an_example(verb):
    done = run(verb, "--help")
    assert done.returncode == 0
    assert f"tenure {verb}" in done.stdout


def test_version_says_one():
    done = run("version")
    assert done.returncode == 0
    assert any(part.isdigit() for part in done.stdout.replace(".", " ").split())


def test_what_follows_from_several_settings_comes_with_the_rest(tmp_path):
    path = write(
        tmp_path,
        "apiVersion: tenure.dev/v1alpha1\n"
        "kind: SidecarConfig\n"
        "lease: [job]\n"
        "leaseDuration: 10s\n"
        "renewDeadline: 12s\n"
        "statusPort: 99999\n",
    )
    done = run("run", "--config", path, "--probe-port", "no")
    assert done.returncode == CONFIG
    places = f"{path}:4:16 leaseDuration, {path}:5:16 renewDeadline: "
    assert places in done.stderr
    assert f"{path}:6:13 statusPort: " in done.stderr
    assert "--probe-port: " in done.stderr


def test_wrong_names_of_every_place_and_mistyped_variables_come_together(tmp_path):
    path = write(tmp_path, 'lease: [Billing, a..b, ""]\n')
    done = run(
        "run", "--config", path, folder=tmp_path,
        environment={"TENURE_LEASE": "UP", "TENURE_FOO": "1"},
    )
    assert done.returncode == CONFIG
    for told in ('"Billing"', '"a..b"', '""', "TENURE_LEASE: ", "TENURE_FOO is not"):
        assert told in done.stderr, told


@pytest.mark.parametrize("namespace", ["Team A", "a/leases/b?x=1\\r\\nX-Evil: 1"])
def test_a_namespace_of_a_context_is_checked(tmp_path, namespace):
    config = tmp_path / "config"
    config.write_text(
        "current-context: c\n"
        f'contexts: [{{name: c, context: {{cluster: c, namespace: "{namespace}"}}}}]\n'
        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
    )
    done = run("run", "--lease", "job", "--kubeconfig", str(config), folder=tmp_path)
    assert done.returncode == CONFIG
    assert len(done.stderr.splitlines()) == 1
    assert "namespace" in done.stderr and "--namespace" in done.stderr


def test_dev_replaces_no_file_that_another_program_wrote(tmp_path):
    config = tmp_path / "config"
    config.write_text("credentials")
    config.chmod(0o600)
    done = run("dev", "--port", "0", "--kubeconfig-out", str(config))
    assert done.returncode == CONFIG
    assert (done.stdout, config.read_text()) == ("", "credentials")
    assert str(config) in done.stderr and "--force" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["config"]


def test_a_credential_plugin_that_hangs_ends_with_the_sidecar(tmp_path, process):
    pids = tmp_path / "pid"
    _, config = config_with_plugin(
        tmp_path,
        f"#!/bin/sh\nsleep 600 &\necho $$ $! > {pids}.new\n"
        f"mv {pids}.new {pids}\nwait\n",
    )
    one = process("one", "run", "--lease", "job", "--kubeconfig", config)
    eventually(pids.exists, what="the plugin runs")
    one.signal(signal.SIGTERM)
    assert one.wait() == 128 + signal.SIGTERM
    for pid in pids.read_text().split():
        eventually(lambda pid=pid: ended(pid), what=f"plugin process {pid} ended")


def ended(pid):
    """Gone, or dead and only waiting for somebody to ask how."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True

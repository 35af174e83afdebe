"""The manifests of the examples say what their pages promise, and their command
lines are ones that the program takes."""

import re

import pytest
import yaml
from pod import EXAMPLES
from process import run


def documents(name):
    with open(EXAMPLES / name, encoding="utf-8") as file:
        return {item["kind"]: item for item in yaml.safe_load_all(file)}


@pytest.fixture
def cron():
    return documents("nightly-billing/cronjob.yaml")["CronJob"]["spec"]


def test_the_cron_job_makes_duplicates_rare(cron):
    job = cron["jobTemplate"]["spec"]
    assert cron["concurrencyPolicy"] == "Forbid"
    assert cron["timeZone"] == "Etc/UTC"
    assert job["podReplacementPolicy"] == "Failed"
    assert job["template"]["spec"]["restartPolicy"] == "Never"
    assert job["activeDeadlineSeconds"] > 600  # the wait for the lease


def test_lost_authority_fails_the_job_by_the_apps_own_exit_code(cron):
    job = cron["jobTemplate"]["spec"]
    names = [one["name"] for one in job["template"]["spec"]["containers"]]
    rules = job["podFailurePolicy"]["rules"]
    by_code = {
        code: rule["action"]
        for rule in rules
        for code in rule.get("onExitCodes", {}).get("values", [])
    }
    assert by_code == {79: "FailJob", 69: "Count", 75: "Count"}
    for rule in rules:
        codes = rule.get("onExitCodes")
        # Without a name the sidecar's own exit code would count.
        assert codes is None or codes["containerName"] in names
        assert codes is None or codes["values"] == sorted(codes["values"])


def pods():
    found = {
        "nightly-billing/cronjob.yaml": lambda d: d["CronJob"]["spec"]["jobTemplate"],
        "leader-election/deployment.yaml": lambda d: d["Deployment"],
    }
    return [pytest.param(name, at, id=name.split("/")[0]) for name, at in found.items()]


@pytest.mark.parametrize("name,at", pods())
def test_the_sidecar_alone_has_a_token_and_may_do_what_it_needs(name, at):
    found = documents(name)
    spec = at(found)["spec"]["template"]["spec"]
    (sidecar,) = spec["initContainers"]
    (app,) = spec["containers"]
    assert sidecar["restartPolicy"] == "Always"
    assert spec["automountServiceAccountToken"] is False
    assert "token" in [mount["name"] for mount in sidecar["volumeMounts"]]
    assert "token" not in [mount["name"] for mount in app["volumeMounts"]]
    (rule,) = found["Role"]["rules"]
    lease = next(a for a in sidecar["args"] if a.startswith("--lease=")).split("=")[1]
    assert rule["resourceNames"] == [lease]
    assert set(rule["verbs"]) == {"get", "create", "update", "watch"}
    assert spec["serviceAccountName"] == found["ServiceAccount"]["metadata"]["name"]
    volumes = {volume["name"] for volume in spec["volumes"]}
    for container in (sidecar, app):
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


@pytest.mark.parametrize("name,at", pods())
def test_the_program_takes_the_sidecars_command_line(name, at, tmp_path):
    spec = at(documents(name))["spec"]["template"]["spec"]
    args = spec["initContainers"][0]["args"]
    done = run(*args, "--print-config", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    seconds = re.search(r"drainTimeout: (\d+)s", done.stdout)[1]
    assert int(seconds) < spec.get("terminationGracePeriodSeconds", 30)

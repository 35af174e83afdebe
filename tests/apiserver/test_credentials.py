"""Tokens and authorities that change under a running sidecar."""

import os
import shutil

import oracle
import pytest
from certificates import CertificateAuthority
from scene import Scene
from sidecar import in_pod_access, kubeconfig_access
from workload import replace_file

TOKEN_CACHE = 10.0  # seconds for which the API server remembers a token


def need_root():
    if os.geteuid() != 0:
        pytest.skip("a mount namespace needs root")


@pytest.mark.trial
def test_a_rotated_token_file_is_read_before_the_old_token_is_refused(plane):
    with Scene(plane) as scene:
        token = scene.work.folder / "token"
        replace_file(token, scene.work.token(bound_to="first"))
        access = kubeconfig_access(scene.work.kubeconfig("files", token_file=token))
        sidecar = scene.sidecar("a", access=access)
        sidecar.wait_for("held", 15)
        generation = sidecar.status()["generation"]
        replace_file(token, scene.work.token(bound_to="second"))
        scene.work.revoke("first")
        scene.settle(TOKEN_CACHE + 3)
        assert sidecar.status()["generation"] == generation
        assert sidecar.certainty() == "held"


@pytest.mark.trial
def test_an_expired_token_ends_the_claim_and_a_new_one_brings_it_back(plane):
    with Scene(plane) as scene:
        token = scene.work.folder / "token"
        replace_file(token, scene.work.short_token(4))
        access = kubeconfig_access(scene.work.kubeconfig("files", token_file=token))
        sidecar = scene.sidecar("a", access=access)
        sidecar.wait_for("held", 15)
        generation = int(sidecar.status()["generation"])
        sidecar.wait_for("uncertain", 4 + TOKEN_CACHE + 6)
        scene.settle(1.5)
        assert sidecar.certainty() != "held"
        assert "401" in sidecar.log() or "Unauthorized" in sidecar.log()
        replace_file(token, scene.work.token())
        sidecar.wait_for("held", 10)
        assert int(sidecar.status()["generation"]) > generation


@pytest.mark.trial
def test_in_a_pod_the_mounted_account_is_used_and_its_rotation_followed(plane):
    need_root()
    with Scene(plane) as scene:
        mount = scene.work.mount(token=scene.work.token(bound_to="first"))
        sidecar = scene.sidecar("a", access=in_pod_access(scene.work, mount))
        sidecar.wait_for("held", 15)
        generation = sidecar.status()["generation"]
        scene.work.mount(token=scene.work.token(bound_to="second"))
        scene.work.revoke("first")
        scene.settle(TOKEN_CACHE + 3)
        assert sidecar.status()["generation"] == generation


def test_a_rotated_authority_loses_no_term_and_a_wrong_one_is_refused(plane):
    need_root()
    flags = ("--absent-lease", "take")
    with Scene(plane, flags=flags, renew_deadline=10 * oracle.SECOND) as scene:
        mount = scene.work.mount()
        sidecar = scene.sidecar("a", access=in_pod_access(scene.work, mount))
        sidecar.wait_for("held", 15)
        generation = sidecar.status()["generation"]
        old = plane.authority.certificate.read_text()
        newer = CertificateAuthority(plane.folder / "pki2", "tenure-test-ca-2")
        new = newer.certificate.read_text()
        try:
            replace_file(plane.ca_bundle, old + new)
            replace_file(mount / "ca.crt", old + new)
            scene.settle(3)
            plane.replace_serving_certificate(newer)
            plane.wait_presented(newer)
            replace_file(mount / "ca.crt", new)
            scene.settle(8)
            assert sidecar.status()["generation"] == generation
            assert sidecar.certainty() == "held"

            replace_file(mount / "ca.crt", old)
            sidecar.wait_for("uncertain", 30)
            assert "certificate" in sidecar.log()
            replace_file(mount / "ca.crt", new)
            sidecar.wait_for("held", 30)
        finally:
            plane.replace_serving_certificate(plane.authority)
            plane.wait_presented(plane.authority)
            shutil.copyfile(plane.authority.certificate, plane.ca_bundle)

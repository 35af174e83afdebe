"""The manifests of examples/, as a real API server reads them."""

import pathlib

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
MANIFESTS = sorted(EXAMPLES.glob("*/*.yaml"))


def test_there_are_manifests():
    assert MANIFESTS


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_the_server_takes_it_with_every_field_known(plane, manifest):
    done = plane.kubectl(
        "create", "--dry-run=server", "--validate=strict", "-f", str(manifest)
    )
    assert "created" in done.stdout
    assert "warning" not in done.stderr.lower(), done.stderr

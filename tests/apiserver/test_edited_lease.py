"""The Lease deleted, edited and garbled by kubectl under a running sidecar."""

import json

import pytest
from control_plane import ApiError
from scene import Scene

GENERATION = "tenure.dev/generation"


def patch(scene, document):
    scene.plane.kubectl(
        "patch", "lease", scene.lease, "-n", scene.namespace,
        "--type=merge", "-p", json.dumps(document),
    )  # fmt: skip


def annotate(scene, value):
    patch(scene, {"metadata": {"annotations": {GENERATION: value}}})


@pytest.mark.trial
def test_a_deleted_lease_ends_the_term_and_the_next_generation_is_higher(plane):
    with Scene(plane) as scene:
        holder, standby = scene.holder_and_standby()
        before = int(holder.status()["generation"])
        scene.plane.kubectl("delete", "lease", scene.lease, "-n", scene.namespace)
        scene.settle(1)
        assert holder.certainty() != "held"
        for _ in range(150):
            if "held" in (holder.certainty(), standby.certainty()):
                break
            scene.settle(0.1)
        now = next(p for p in (holder, standby) if p.certainty() == "held")
        assert int(now.status()["generation"]) > before


@pytest.mark.trial
def test_a_lease_deleted_and_made_again_by_hand_ends_the_term(plane):
    with Scene(plane) as scene:
        holder = scene.sidecar("a")
        holder.wait_for("held", 15)
        before = int(holder.status()["generation"])
        document = scene.get()
        for key in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
            document["metadata"].pop(key, None)
        for _ in range(20):  # until we are quicker than the sidecar
            scene.delete()
            try:
                scene.create(document)
                break
            except ApiError as error:
                assert error.status == 409
        scene.settle(1)
        holder.wait_for("held", 15)
        assert int(holder.status()["generation"]) > before


@pytest.mark.trial
def test_another_holder_written_by_hand_is_believed_for_its_duration(plane):
    with Scene(plane) as scene:
        holder = scene.sidecar("a")
        holder.wait_for("held", 15)
        before = int(holder.status()["generation"])
        patch(scene, {"spec": {"holderIdentity": "somebody-else"}})
        holder.wait_for("standby", 3)
        assert holder.status()["holder"] == "somebody-else"
        scene.settle(1.5)
        assert holder.certainty() == "standby"
        holder.wait_for("held", 8)
        assert int(holder.status()["generation"]) > before


@pytest.mark.trial
def test_a_holder_emptied_by_hand_ends_the_term_and_is_waited_out(plane):
    with Scene(plane) as scene:
        holder, standby = scene.holder_and_standby()
        before = int(holder.status()["generation"])
        patch(scene, {"spec": {"holderIdentity": ""}})
        scene.settle(1)
        assert holder.certainty() != "held"
        assert standby.certainty() != "held"  # D is not 1: not a release
        for _ in range(100):
            if "held" in (holder.certainty(), standby.certainty()):
                break
            scene.settle(0.1)
        now = next(p for p in (holder, standby) if p.certainty() == "held")
        assert int(now.status()["generation"]) > before


@pytest.mark.trial
@pytest.mark.parametrize("value", ["abc", "9" * 30, "-5", "9007199254740993", ""])
def test_a_garbled_generation_is_refused_with_the_way_out(plane, value):
    with Scene(plane) as scene:
        holder = scene.sidecar("a")
        holder.wait_for("held", 15)
        before = int(holder.status()["generation"])
        holder.terminate()
        assert holder.wait(10) == 0
        annotate(scene, value)
        next_one = scene.sidecar("b")
        scene.settle(5)
        assert next_one.certainty() != "held"
        status = next_one.status()
        assert "minGeneration" in status["refusal"] or (
            "min-generation" in status["refusal"]
        )
        assert scene.get()["metadata"]["annotations"][GENERATION] == value
        next_one.terminate()
        next_one.wait(10)
        way_out = scene.sidecar("c", "--min-generation", before + 1000)
        way_out.wait_for("held", 10)
        assert int(way_out.status()["generation"]) > before + 1000


@pytest.mark.trial
def test_a_generation_garbled_under_the_holder_is_not_adopted(plane):
    with Scene(plane) as scene:
        holder = scene.sidecar("a")
        holder.wait_for("held", 15)
        generation = int(holder.status()["generation"])
        annotate(scene, "abc")
        scene.settle(2)
        status = holder.status()
        if status["certainty"] == "held":
            assert int(status["generation"]) >= generation
        assert holder.process.poll() is None


@pytest.mark.trial
def test_a_higher_generation_written_by_hand_ends_the_term(plane):
    with Scene(plane) as scene:
        holder = scene.sidecar("a")
        holder.wait_for("held", 15)
        generation = int(holder.status()["generation"])
        annotate(scene, str(generation + 500))
        holder.wait_for("held", 15)
        for _ in range(150):
            status = holder.status()
            if int(status.get("generation") or 0) > generation + 500:
                break
            scene.settle(0.1)
        assert int(holder.status()["generation"]) > generation + 500


@pytest.mark.trial
def test_labels_and_unknown_annotations_are_kept_and_end_nothing(plane):
    with Scene(plane) as scene:
        holder, standby = scene.holder_and_standby()
        generation = holder.status()["generation"]
        for number in range(5):
            patch(scene, {"metadata": {
                "labels": {"team": f"t{number}"},
                "annotations": {"example.com/note": "kept"},
            }})  # fmt: skip
            scene.settle(0.4)
        scene.settle(1)
        assert holder.status()["generation"] == generation
        assert holder.certainty() == "held"
        holder.terminate()
        standby.wait_for("held", 3)
        metadata = scene.get()["metadata"]
        assert metadata["labels"]["team"] == "t4"
        assert metadata["annotations"]["example.com/note"] == "kept"


@pytest.mark.trial
def test_relabelling_does_not_make_a_standby_wait_longer(plane):
    with Scene(plane) as scene:
        holder, standby = scene.holder_and_standby()
        holder.kill()
        for number in range(6):
            patch(scene, {"metadata": {"labels": {"n": str(number)}}})
            scene.settle(0.3)
        standby.wait_for("held", 3.5)


@pytest.mark.trial
def test_a_longer_duration_written_by_hand_is_waited_for(plane):
    with Scene(plane) as scene:
        holder, standby = scene.holder_and_standby()
        holder.freeze()
        patch(scene, {"spec": {"leaseDurationSeconds": 8}})
        scene.settle(6.5)
        assert standby.certainty() == "standby"
        standby.wait_for("held", 6)
        holder.thaw()
        scene.settle(1)
        assert holder.certainty() == "standby"


@pytest.mark.trial
def test_a_lease_without_spec_is_waited_for_and_then_taken(plane):
    with Scene(plane) as scene:
        scene.make_lease()
        sidecar = scene.sidecar("a")
        scene.settle(2)
        assert sidecar.certainty() == "standby"
        sidecar.wait_for("held", 8)

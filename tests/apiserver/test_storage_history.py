"""Storage whose history is not what it was, and objects that are not as written.
Not marked `trial`: they change the one control plane."""

import oracle
from control_plane import ControlPlane
from scene import Scene
from sidecar import in_pod_access
from test_credentials import need_root

ADMISSION = "/apis/admissionregistration.k8s.io/v1"


def test_a_restored_backup_does_not_bring_an_old_generation_back(plane):
    with Scene(plane, judged=False) as scene:
        sidecar = scene.sidecar("a")
        sidecar.wait_for("held", 15)
        plane.save_storage()
        for _ in range(2):  # generations that the backup knows nothing of
            sidecar.wait_for("held", 20)
            scene.delete()
            scene.settle(1)
            sidecar.wait_for("held", 20)
        given = int(sidecar.status()["generation"])
        plane.restore_storage()
        scene.settle(1)
        sidecar.wait_for("held", 20)
        assert int(sidecar.status()["generation"]) > given
        history = {"a": list(scene.samples(sidecar))}
        assert oracle.unordered_generations(history) == []


def make_policy(plane, namespace, expression):
    """A MutatingAdmissionPolicy on the Leases of one namespace."""
    plane.request(
        "POST",
        f"{ADMISSION}/mutatingadmissionpolicies",
        {
            "metadata": {"name": namespace},
            "spec": {
                "failurePolicy": "Fail",
                "reinvocationPolicy": "Never",
                "matchConstraints": {
                    "namespaceSelector": {
                        "matchLabels": {"kubernetes.io/metadata.name": namespace}
                    },
                    "resourceRules": [
                        {
                            "apiGroups": ["coordination.k8s.io"],
                            "apiVersions": ["v1"],
                            "operations": ["CREATE", "UPDATE"],
                            "resources": ["leases"],
                        }
                    ],
                },
                "mutations": [
                    {
                        "patchType": "ApplyConfiguration",
                        "applyConfiguration": {"expression": expression},
                    }
                ],
            },
        },
    )
    plane.request(
        "POST",
        f"{ADMISSION}/mutatingadmissionpolicybindings",
        {"metadata": {"name": namespace}, "spec": {"policyName": namespace}},
    )


def drop_policy(plane, name):
    for kind in ("mutatingadmissionpolicybindings", "mutatingadmissionpolicies"):
        plane.request("DELETE", f"{ADMISSION}/{kind}/{name}")


def test_a_write_that_admission_changed_is_not_believed(plane):
    expression = "Object{spec: Object.spec{leaseDurationSeconds: 2}}"
    with Scene(plane) as scene:
        sidecar = scene.sidecar("a")
        sidecar.wait_for("held", 15)
        make_policy(plane, scene.namespace, expression)
        try:
            # In force a moment later; a shorter duration would let others in.
            sidecar.wait_for("uncertain", 20)
            scene.settle(4)
            assert sidecar.certainty() != "held"
            assert sidecar.process.poll() is None
        finally:
            drop_policy(plane, scene.namespace)
        sidecar.wait_for("held", 30)


def test_an_api_server_on_ipv6_is_held_on_by_polling_if_need_be(programs):
    need_root()
    with ControlPlane(host="::1") as plane, Scene(plane) as scene:
        access = in_pod_access(scene.work, scene.work.mount())
        holder = scene.sidecar("a", access=access)
        holder.wait_for("held", 15)
        standby = scene.sidecar("b", access=access)
        standby.wait_for("standby", 10)
        scene.settle(1)
        holder.terminate()
        assert holder.wait(10) == 0
        standby.wait_for("held", 5)

"""Where the control plane's programs are.

Looked for in this order: KUBEBUILDER_ASSETS (the ecosystem's convention), the
cache that build_binaries.sh fills, and PATH, where Debian's etcd is.
"""

import os
import pathlib
import re
import shutil

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Missing(Exception):
    """A program is not there; the message says which and the way out."""


def kubernetes_version():
    text = (HERE / "go" / "go.mod").read_text()
    return re.search(r"^\s*k8s\.io/kubernetes (v\S+)", text, re.M).group(1)


def cache_folder():
    base = os.environ.get("TENURE_CACHE")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        base = os.path.join(home, "tenure")
    return pathlib.Path(base) / "kubernetes" / kubernetes_version()


def find(name):
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and os.access(os.path.join(assets, name), os.X_OK):
        return os.path.join(assets, name)
    # The cache before PATH: its version is the one pinned in go.mod.
    cached = cache_folder() / name
    if os.access(cached, os.X_OK):
        return str(cached)
    found = shutil.which(name)
    if found:
        return found
    raise Missing(
        f"{name} was not found in KUBEBUILDER_ASSETS, PATH or {cached.parent}; "
        "build it once with tests/apiserver/build_binaries.sh (needs Go), or "
        "install etcd with: apt-get install etcd-server"
    )


def find_tenure():
    """The sidecar under test: TENURE_BINARY, else the development build."""
    path = os.environ.get("TENURE_BINARY") or str(
        ROOT / "build" / "dev" / "sidecar" / "cli" / "tenure"
    )
    if not os.access(path, os.X_OK):
        raise Missing(
            f"no sidecar at {path}; build it with make build, or name one in "
            "TENURE_BINARY"
        )
    return path

"""Each check can fail: a small tree with one breach is reported, and the same
tree without it is not."""

import subprocess

import documents
import includes
import purity
import pytest
import sources
import words
from tree import write

# rule, file, text that keeps it, text that breaks it
BREACHES = [
    (
        includes.direction,
        "sidecar/authority/a.cc",
        '#include "sidecar/base/b.h"\n',
        '#include "sidecar/kube/k.h"\n',
    ),
    (
        includes.direction,
        "sidecar/kube/a.cc",
        '#include "sidecar/coordinator/b.h"\n',
        '#include "sidecar/server/k.h"\n',
    ),
    (
        includes.direction,
        "sidecar/authority/a.cc",
        '#include "sidecar/authority/b.h"\n',
        '#include "sidecar/clock/system_clock.h"\n',
    ),
    (
        includes.direction,
        "sidecar/server/a.cc",
        '#include "sidecar/server/b.h"\n',
        '#include "b.h"\n',
    ),
    (
        includes.direction,
        "sidecar/base/a.cc",
        "#include <string>\n",
        '#include "sidecar/extra/b.h"\n',
    ),
    (
        sources.not_built,
        "sidecar/base/CMakeLists.txt",
        "tenure_library(base SOURCES built.cc)\n",
        "tenure_library(base SOURCES rebuilt.cc)  # built.cc\n",
    ),
    (sources.too_long, "sidecar/base/a.h", "\n" * 150, "\n" * 151),
    (sources.too_long, "sidecar/base/a.cc", "\n" * 400, "\n" * 401),
    (sources.too_long, "tests/unit/a_test.cc", "\n" * 400, "\n" * 401),
    (
        words.machine_paths,
        "docs/a.md",
        "see /var/run/tenure and $HOME/work/x\n",
        "see /wo" "rk/main/a\n",
    ),
    (words.machine_paths, "Makefile", "a: /usr/bin/python3\n", "a: /ro" "ot/x\n"),
    (words.registry_hosts, "a.sh", "apt-get install x\n", "get deb.deb" "ian.org\n"),
    (
        words.clock_reads,
        "sidecar/kube/a.cc",
        "time_point last_time(now);\n",
        "auto t = std::chrono::steady_clock::now();\n",
    ),
    (words.clock_reads, "sidecar/kube/a.cc", "time_(0);\n", "time(nullptr);\n"),
    (words.sleeps, "sidecar/kube/a.cc", "Oversleep(3);\n", "sleep(3);\n"),
    (words.left_for_later, "sidecar/a.h", "// done\n", "// TO" "DO: more\n"),
    (
        documents.unknown_commands,
        "README.md",
        "Run `make run`, and make sure.\n",
        "Run `make believe`.\n",
    ),
    (
        documents.broken_links,
        "docs/a.md",
        "[make](../Makefile#run) [out](https://example.com)\n",
        "[gone](gone.md)\n",
    ),
    (
        documents.unknown_tests,
        "docs/safety.md",
        "| S1 | `held` only once. | golden `a_story…` |\n",
        "| S1 | `held` only once. | golden `a_story` |\n",
    ),
]


def small_tree(root):
    write(root, "Makefile", "run: build\nbuild:\n")
    write(root, "sidecar/base/built.cc", "")
    write(root, "tests/golden/a_story_told.txt", "")
    write(root, "sidecar/base/CMakeLists.txt", "tenure_library(base built.cc)\n")
    for name in documents.REQUIRED:
        write(root, name, "")


@pytest.mark.parametrize("rule,path,kept,broken", BREACHES)
def test_a_breach_is_reported_and_only_a_breach(rule, path, kept, broken, tmp_path):
    small_tree(tmp_path)
    write(tmp_path, path, kept)
    assert rule(tmp_path) == []
    write(tmp_path, path, broken)
    assert len(rule(tmp_path)) == 1


def test_a_missing_document_is_reported(tmp_path):
    small_tree(tmp_path)
    (tmp_path / "SECURITY.md").unlink()
    assert documents.missing_documents(tmp_path) == ["SECURITY.md is missing"]


def test_a_vague_name_is_reported(tmp_path):
    write(tmp_path, "sidecar/base/time_utils.cc", "")
    assert len(sources.vague_names(tmp_path)) == 1


def test_an_exception_no_longer_needed_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "EXCEPTIONS", {"sidecar/a.cc": (500, "why")})
    write(tmp_path, "sidecar/a.cc", "\n" * 450)
    assert sources.stale_exceptions(tmp_path) == []
    assert sources.too_long(tmp_path) == []
    write(tmp_path, "sidecar/a.cc", "\n" * 400)
    assert len(sources.stale_exceptions(tmp_path)) == 1


def test_another_librarys_header_stays_in_its_folder(tmp_path):
    private = "// Private to this folder.\n#include <boost/asio.hpp>\n"
    write(tmp_path, "sidecar/kube/connection.h", private)
    write(tmp_path, "sidecar/kube/a.cc", '#include "sidecar/kube/connection.h"\n')
    assert includes.external_headers(tmp_path) == []

    write(tmp_path, "sidecar/cli/b.cc", '#include "sidecar/kube/connection.h"\n')
    assert len(includes.external_headers(tmp_path)) == 1


def test_another_librarys_header_is_seen_through_a_second_one(tmp_path):
    private = "// Private to this folder.\n#include <boost/asio.hpp>\n"
    write(tmp_path, "sidecar/kube/connection.h", private)
    outer = '// Private to this folder.\n#include "sidecar/kube/connection.h"\n'
    write(tmp_path, "sidecar/kube/outer.h", outer)
    write(tmp_path, "sidecar/cli/b.cc", '#include "sidecar/kube/outer.h"\n')
    assert len(includes.external_headers(tmp_path)) == 1


def test_a_private_header_says_so(tmp_path):
    write(tmp_path, "sidecar/kube/connection.h", "#include <boost/asio.hpp>\n")
    assert len(includes.external_headers(tmp_path)) == 1


IMPURE = {
    "clock": "#include <chrono>\nlong f() { return"
    " std::chrono::steady_clock::now().time_since_epoch().count(); }",
    "file": "#include <fstream>\nvoid f() { std::ofstream(\"x\") << 1; }",
    "print": "#include <cstdio>\nvoid f() { std::puts(\"x\"); }",
    "thread": "#include <thread>\nvoid f() { std::thread([] {}).join(); }",
    "chance": "#include <random>\nunsigned f() { return std::random_device()(); }",
    "socket": "#include <sys/socket.h>\nint f() { return socket(1, 1, 0); }",
    "environment": "#include <cstdlib>\nchar* f() { return std::getenv(\"x\"); }",
}
PURE = (
    "#include <map>\n#include <string>\n#include <memory>\n"
    "std::shared_ptr<std::map<std::string, int>> f(std::string s) {"
    " auto m = std::make_shared<std::map<std::string, int>>();"
    " (*m)[s + std::to_string(m->size())] = 1; return m; }"
)


def archive_of(folder, text):
    write(folder, "a.cc", text)
    subprocess.run(
        ["g++", "-std=c++23", "-c", "a.cc", "-o", "a.o"], cwd=folder, check=True
    )
    subprocess.run(["ar", "rcs", "a.a", "a.o"], cwd=folder, check=True)
    return folder / "a.a"


@pytest.mark.parametrize("what", IMPURE)
def test_an_impure_archive_is_reported(what, tmp_path):
    assert purity.impurities(archive_of(tmp_path, IMPURE[what]))


def test_a_pure_archive_is_not_reported(tmp_path):
    assert purity.impurities(archive_of(tmp_path, PURE)) == []

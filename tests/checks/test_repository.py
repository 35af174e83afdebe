"""The repository keeps its own rules."""

import os
import pathlib

import documents
import includes
import purity
import pytest
import sources
import tree
import words

RULES = [
    includes.direction,
    includes.external_headers,
    sources.not_built,
    sources.too_long,
    sources.stale_exceptions,
    sources.vague_names,
    words.machine_paths,
    words.registry_hosts,
    words.clock_reads,
    words.sleeps,
    words.left_for_later,
    documents.missing_documents,
    documents.unknown_commands,
    documents.broken_links,
    documents.unknown_tests,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_repository_has_no(rule):
    problems = rule(tree.ROOT)
    assert not problems, "\n" + "\n".join(problems)


@pytest.mark.parametrize("folder", ["base", "authority"])
def test_the_core_is_pure_by_its_symbols(folder):
    build = pathlib.Path(os.environ.get("TENURE_BUILD", tree.ROOT / "build/dev"))
    archive = build / "sidecar" / folder / f"libtenure_{folder}.a"
    assert archive.exists(), f"{archive} is not built: run `make build`"
    assert list(purity.undefined(archive)), "nm shows no symbols"
    problems = purity.impurities(archive)
    assert not problems, "\n" + "\n".join(problems)


def test_the_rules_have_files_to_read():
    assert len(tree.files(tree.ROOT, ".cc", under=("sidecar",))) > 10
    assert len(tree.files(tree.ROOT, ".h", under=("sidecar",))) > 10

"""table.py writes what was measured, where it belongs, and nothing else."""

import json

import table

PAGE = (
    "a\n<!-- measured x -->\nrow of before\n<!-- end -->\n"
    "b\n<!-- measured y -->\nkept\n<!-- end -->\n"
)


def test_a_store_that_was_measured_gets_its_rows_and_others_keep_theirs(tmp_path):
    fence = {"store": "x", "lock": "the fence", "trials": 2, "landed": {"any": 0}}
    lock = {"store": "x", "lock": "L", "trials": 2, "landed": {"any": 2}}
    lock |= {"took_over": 1.0, "p50": 0.0001, "p99": 0.02}
    (tmp_path / "x-0.json").write_text(json.dumps(fence))
    (tmp_path / "x-L.json").write_text(json.dumps(lock))
    page = table.rewrite(PAGE, tmp_path)
    assert "| the fence | 0 of 2 | – | – | – |\n" in page
    assert "| L | **2 of 2** | 1.00 s | 0.10 ms | 20.00 ms |\n" in page
    assert "row of before" not in page
    assert page.endswith("b\n<!-- measured y -->\nkept\n<!-- end -->\n")
    assert table.rewrite(page, tmp_path) == page

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


def test_what_the_drills_said_has_a_column_for_each_store_of_a_soak(tmp_path):
    said = {"pause": "passed", "api-restart": "passed"}
    for store in ("redis", "etcd", "file"):
        (tmp_path / f"drills-{store}.json").write_text(json.dumps(said))
    for store in ("redis", "etcd"):
        (tmp_path / f"pauses-{store}.json").write_text("20\n")
    page = table.rewrite("<!-- measured drills -->\nold\n<!-- end -->\n", tmp_path)
    assert page == (
        "<!-- measured drills -->\n| drill | etcd | redis |\n| --- | --- | --- |\n"
        "| `pause` | passed, 20 times again | passed, 20 times again |\n"
        "| `api-restart` | passed | passed |\n<!-- end -->\n"
    )

"""The fields of the spec: types, ranges, times."""

import pytest

from api_client import expect

TIMES = ("acquireTime", "renewTime")


@pytest.mark.parametrize("field", TIMES)
def test_six_digits_round_trip(leases, field):
    time = "2026-11-29T20:48:00.123456Z"
    assert leases.create("a", {field: time}).spec == {field: time}


def test_offsets_are_accepted_and_printed_in_utc(leases):
    made = leases.create("a", {"renewTime": "2026-11-29T20:48:00.123456+02:00"})
    assert made.spec == {"renewTime": "2026-11-29T18:48:00.123456Z"}


def test_the_zero_time_prints_as_null(leases):
    made = leases.create("a", {"renewTime": "0001-01-01T00:00:00.000000Z"})
    assert made.code == 201 and made.spec == {"renewTime": None}


def test_times_that_go_accepts(leases):
    made = leases.create("a", {"renewTime": "2026-11-29T3:48:00,123456Z"})
    assert made.spec == {"renewTime": "2026-11-29T03:48:00.123456Z"}


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-29T20:48:00.123Z",
        "2026-11-29T20:48:00Z",
        "2026-11-29T20:48:00.12345Z",
        "2026-11-29T20:48:00.1234567Z",
        "2026-11-29T20:48:00.123456789Z",
        "2026-11-29T20:48:00.123456z",
        "2026-11-29T20:48:00.123456",
        "2026-11-29 20:48:00.123456Z",
        "2026-13-29T20:48:00.123456Z",
        "2026-02-30T20:48:00.123456Z",
        "2026-11-29T24:00:00.000000Z",
        "2026-11-29T23:59:60.123456Z",
        "2026-11-29T20:48:00.123456+99:00",
        "",
        "now",
        5,
        {},
    ],
)
def test_other_times_are_bad_requests(leases, time):
    expect(leases.create("a", {"renewTime": time}), 400, "BadRequest")
    assert leases.get("a").code == 404


@pytest.mark.parametrize("duration", [1, 15, 2**31 - 1])
def test_durations_are_positive(leases, duration):
    spec = {"leaseDurationSeconds": duration}
    assert leases.create("a", spec).spec == spec


@pytest.mark.parametrize("duration", [0, -1, -(2**31)])
def test_other_durations_are_invalid(leases, duration):
    causes = [("spec.leaseDurationSeconds", "FieldValueInvalid")]
    reply = leases.create("a", {"leaseDurationSeconds": duration})
    expect(reply, 422, "Invalid", causes, "a", "Lease")


@pytest.mark.parametrize("transitions", [0, 1, 2**31 - 1])
def test_transitions_are_not_negative(leases, transitions):
    spec = {"leaseTransitions": transitions}
    assert leases.create("a", spec).spec == spec


def test_negative_transitions_are_invalid(leases):
    causes = [("spec.leaseTransitions", "FieldValueInvalid")]
    reply = leases.create("a", {"leaseTransitions": -1})
    expect(reply, 422, "Invalid", causes, "a", "Lease")


@pytest.mark.parametrize("field", ["leaseDurationSeconds", "leaseTransitions"])
@pytest.mark.parametrize(
    "value", [2**31, -(2**31) - 1, 10**20, 1.5, 15.0, "15", True, [], {}]
)
def test_what_is_no_int32_is_a_bad_request(leases, field, value):
    expect(leases.create("a", {field: value}), 400, "BadRequest")


@pytest.mark.parametrize("holder", ["", "x", "x" * 10_000, "ümläut \u2603 \" \\ \n"])
def test_holders_are_any_text(leases, holder):
    assert leases.create("a", {"holderIdentity": holder}).spec == {
        "holderIdentity": holder
    }
    assert leases.get("a").spec == {"holderIdentity": holder}


@pytest.mark.parametrize("holder", [5, True, [], {}])
def test_other_holders_are_bad_requests(leases, holder):
    expect(leases.create("a", {"holderIdentity": holder}), 400, "BadRequest")


def test_the_release_form_is_kept(leases):
    made = leases.create("a", {"holderIdentity": "x", "leaseDurationSeconds": 15})
    released = {"holderIdentity": "", "leaseDurationSeconds": 1}
    kept = leases.put("a", released, resourceVersion=made.version)
    assert kept.code == 200 and kept.spec == released

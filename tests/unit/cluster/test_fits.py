import pytest

from skyx_core.cluster.fits import check_fit
from skyx_core.errors import MismatchError
from skyx_core.models import Request
from skyx_core.state.records import ClusterRecord


def record(**changes):
    fields = {
        "name": "a",
        "uid": "u",
        "handle_json": "{}",
        "cloud": "c",
        "region": "r",
        "zone": "z",
        "instance_type": "t",
        "accelerators": {"A100": 8.0},
        "num_nodes": 2,
    }
    return ClusterRecord(**(fields | changes))


@pytest.mark.parametrize(
    "request_",
    [
        Request(),
        Request(cloud="c", region="r", zone="z", instance_type="t", num_nodes=2),
        Request(num_nodes=1, accelerators={"A100": 4.0}),
        Request(accelerators={"A100": 0.5}),
    ],
)
def test_a_request_that_fits_is_let_through(request_):
    check_fit(record(), [request_])


@pytest.mark.parametrize(
    ("request_", "field", "words"),
    [
        (Request(cloud="d"), "cloud", ("d", "c")),
        (Request(region="x"), "region", ("x", "r")),
        (Request(instance_type="big"), "instance_type", ("big", "t")),
        (Request(use_spot=True), "use_spot", ("spot", "on-demand")),
        (Request(num_nodes=3), "num_nodes", ("3", "2")),
        (Request(accelerators={"A100": 16.0}), "accelerators", ("A100:16", "A100:8")),
        (Request(accelerators={"H100": 1.0}), "accelerators", ("H100:1", "none")),
    ],
)
def test_a_misfit_names_the_field_what_was_asked_and_what_is_there(request_, field, words):
    with pytest.raises(MismatchError) as caught:
        check_fit(record(), [request_])
    assert caught.value.where == field
    assert all(word in caught.value.why for word in words)


def test_one_fitting_alternative_is_enough():
    check_fit(record(), [Request(cloud="d"), Request(cloud="c")])

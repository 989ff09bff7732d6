"""Texts that can't be stored as they are must not end a launch."""

from skyx_core.errors import CloudError, SkyxError
from skyx_core.models import Event, EventKind
from skyx_core.plugin_faults import describe_exception


def test_errors_hold_only_text_that_can_be_stored():
    odd = "a\udcffb"
    error = SkyxError(odd, where=odd, why=odd, hint=odd)
    cloud = CloudError("c", "run", code=odd, message=odd)
    for text in (error.what, error.where, error.why, error.hint, str(cloud), describe_exception(ValueError(odd))):
        assert "\\udcff" in text
        Event(kind=EventKind.WARNING, time=0, message=text).model_dump_json()
    assert SkyxError("größer 名前").what == "größer 名前"

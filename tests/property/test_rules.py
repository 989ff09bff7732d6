"""Whatever a cloud answers: a verdict, which blocks what was tried, aborts, or retries a bounded number of times."""

from __future__ import annotations

import importlib
import json
import pkgutil
import time
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import skyx_rules_extra
from builders import candidate
from engine_blocks import covers
from examples import examples
from skyx_core.errors import CloudError, CloudErrorDetail
from skyx_core.failover.recorded import BadRecord, answer, parse
from skyx_core.failover.rules import Rulebook
from skyx_core.models import Category, ErrorRule, Place, Retry, RuleTable, Scope

ERRORS = Path(__file__).parents[1] / "data" / "errors"
WORDS = [
    *(
        "InsufficientInstanceCapacity",
        "QuotaExceeded",
        "quota 'GPUS_ALL_REGIONS' exceeded",
        "unavailable",
        "Throttling",
    ),
    *("AuthFailure", "403", "ZONE_RESOURCE_POOL_EXHAUSTED", "us-east-1", "us-east-10", "{", "[", "\\", '"', "\ud800"),
    *("\x00", "😀", "İ", "ﬀ", "%s{region}", "\n", "Regions with capacity available: us-east-1, us-east-10."),
]
KEYS = [
    "code",
    "message",
    "error",
    "errors",
    "status",
    "details",
    "Errors",
    "reason",
    "AvailabilityZone",
    "InstanceType",
]
texts = st.text(max_size=40) | st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
nested = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)
data = st.dictionaries(st.sampled_from(KEYS), texts, max_size=3)
details = st.lists(
    st.builds(CloudErrorDetail, code=texts, message=texts, status=st.integers(0, 599), data=data), max_size=4
)
errors = st.builds(
    CloudError,
    cloud=st.just("c"),
    operation=texts,
    code=texts | st.sampled_from(["", "QuotaExceeded", "AuthFailure", "NO_STOCK"]),
    message=texts | nested.map(json.dumps) | st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
    status=st.sampled_from([0, 0, 400, 401, 403, 404, 409, 429, 500, 503]),
    details=details.map(tuple),
    data=data,
    body=st.just("") | texts | nested.map(json.dumps),
    nodes_may_exist=st.booleans(),
)
patterns = st.sampled_from([None, ".*", "Quota.*", r"(?i)auth.*", "[A-Z_]+", ""])
messages = st.sampled_from(
    [None, "quota", r"'(?P<bucket>[^']+)'", r"available: (?P<places>.*)", r"(?P<word>\S+)$", "", "ı|ﬀ"]
)


@st.composite
def rule(draw, name):
    retry = draw(st.sampled_from([None, None, Retry(max=3, wait=1), Retry(max=100, wait=0)]))
    return ErrorRule(
        id=name,
        code=draw(patterns),
        message=draw(messages),
        status=draw(st.sampled_from([None, None, 403, 500])),
        use_spot=draw(st.sampled_from([None, True])),
        zone=draw(st.sampled_from([None, True, False])),
        category=draw(st.sampled_from(list(Category))),
        block=draw(st.sampled_from(list(Scope))),
        block_after=draw(st.sampled_from([None, *Scope])),
        ttl=draw(st.sampled_from([None, 0.0, 60.0, "until_fixed"])),
        retry=retry,
        abort=draw(st.sampled_from([False, False, False, True])),
        any_accelerator=draw(st.booleans()),
        account_wide=draw(st.booleans()),
        hint=draw(st.sampled_from(["", "{word} {region} {zone}", "{", "{0} {a.b}"])),
    )


tables = st.integers(0, 5).flatmap(lambda n: st.tuples(*(rule(f"r{i}") for i in range(n))))
summaries = st.sampled_from([(), ("Quota.*",), (".*",)])
places = st.sampled_from([(), ("r1-a",), ("r1-a", "r1-b")]).map(lambda z: Place(cloud="c", region="r1", zones=z))
tried = st.builds(
    candidate,
    use_spot=st.booleans(),
    accelerators=st.sampled_from([{}, {"T4": 1.0}, {"A1": 2.0, "T4": 1.0}]),
    quota_buckets=st.sampled_from([(), ("GPUS_ALL_REGIONS",), ("f", "g")]),
    reservation=st.sampled_from([None, "mine"]),
)


def check_verdict(verdict, place, met):
    """It blocks all that was tried, or aborts, or retries and blocks it then; and can be stored."""
    assert verdict.rule
    json.loads(verdict.model_dump_json())
    if verdict.abort:
        assert verdict.blocks == ()
        return "abort"
    blocks = verdict.blocks_after if verdict.retry else verdict.blocks
    assert not (verdict.retry and verdict.blocks)
    for zone in place.zones or (met.zone,):
        failed = met.model_copy(update={"zone": zone})
        assert any(covers(block.key, failed) for block in blocks), f"{failed} is not blocked by {blocks}"
    for block in blocks:
        assert block.key.cloud == "c", "never more than the cloud"
        assert block.until is not None
        assert len(block.reason) <= 500
        assert block.since <= block.until <= block.since + 24 * 3600
    assert verdict.retry is None or verdict.retry.max <= 100
    return "retry" if verdict.retry else "block"


def test_any_error_gives_a_verdict_that_can_not_loop():
    met: Counter[str] = Counter()

    @given(errors, tables, summaries, places, tried)
    @examples(250, 10_000)
    def check(error, rows, announcing, place, failed):
        book = Rulebook([RuleTable(rules=rows, summaries=announcing)])
        verdict = book.classify(error, place=place, candidate=failed, now=100.0)
        met[check_verdict(verdict, place, failed)] += 1
        met["known"] += verdict.rule.startswith("r")
        met["prefers"] += bool(verdict.prefer)
        assert book.classify(error, place=place, candidate=failed, now=100.0) == verdict, "the same every time"

    check()
    print(dict(met))
    for case in ("abort", "retry", "block", "known"):
        assert met[case], f"no example met: {case}"


RANKED = [Category.AUTH, Category.PERMISSION, Category.CONFIG, Category.NOT_FOUND, Category.QUOTA, Category.UNSUPPORTED]
RANKED += [Category.CAPACITY, Category.USER_ERROR, Category.RATE_LIMIT, Category.TRANSIENT]


@given(st.lists(st.sampled_from(RANKED), min_size=1, max_size=6), st.sampled_from(RANKED), st.randoms())
@examples(60, 10_000)
def test_one_more_error_in_an_answer_never_makes_it_less_certain_and_their_order_means_nothing(many, one, random):
    book = Rulebook([RuleTable(rules=tuple(ErrorRule(id=c, code=c, category=c, block=Scope.ZONE) for c in RANKED))])

    def decided(categories):
        told = tuple(CloudErrorDetail(code=c, message=str(n)) for n, c in enumerate(categories))
        error = CloudError("c", "run", code="Sum", details=told)
        return book.classify(error, place=Place(cloud="c", region="r1"), candidate=candidate(), now=0).category

    before = decided(many)
    assert RANKED.index(before) == min(map(RANKED.index, many))
    assert RANKED.index(decided([*many, one])) <= RANKED.index(before)
    assert decided(random.sample(many, len(many))) is before


def installed():
    found = {}
    for module in pkgutil.iter_modules(skyx_rules_extra.__path__):
        table = getattr(importlib.import_module(f"skyx_rules_extra.{module.name}"), "TABLE", None)
        if isinstance(table, RuleTable):
            found[module.name] = Rulebook([table])
    return found


def known_errors(books):
    """Errors as the clouds word them, each with the name of its table."""
    for name in books:
        file = ERRORS / f"{name.removesuffix('_cloud')}.jsonl"
        yield from ((name, line) for line in file.read_text().splitlines() if line.strip()) if file.exists() else ()


def test_every_installed_table_answers_anything():
    books = installed()
    assert books
    met: Counter[str] = Counter()

    lines = st.sampled_from(sorted(known_errors(books)))

    @given(lines, errors | st.none(), places, tried)
    @examples(150, 10_000)
    def check(line, other, place, failed):
        name, text = line
        error = parse(text).error
        if other is not None:
            error.details, error.data = (*error.details, *other.details), {**other.data, **error.data}
        verdict = books[name].classify(error, place=place, candidate=failed, now=100.0)
        met[check_verdict(verdict, place, failed)] += 1
        met["prefers"] += bool(verdict.prefer)

    check()
    print(dict(met))
    assert min(met["abort"], met["retry"], met["block"]) > 0


def test_no_installed_table_takes_long_over_a_huge_answer():
    huge = ["quota " * 100_000, "us-east-1, " * 40_000, "\n" * 300_000, "0" * 300_000, "'" * 200_000]
    for name, book in installed().items():
        for text in huge:
            began = time.process_time()
            book.classify(
                CloudError("c", "run", code="", message=text, body=text),
                place=Place(cloud="c", region="r1"),
                candidate=candidate(),
                now=0,
            )
            assert time.process_time() - began < 10, f"{name} over {text[:30]!r}"


def test_any_line_of_a_file_is_a_record_or_says_why_not():
    met: Counter[str] = Counter()
    fields = st.fixed_dictionaries(
        {"cloud": st.just("c") | nested, "error": nested},
        optional={
            "id": nested,
            "api": nested,
            "context": st.dictionaries(
                st.sampled_from(["region", "zone", "instance_type", "accelerators", "use_spot"]), nested, max_size=5
            )
            | nested,
        },
    )
    lines = fields.map(json.dumps) | nested.map(json.dumps) | st.text(max_size=80)

    @given(lines)
    @examples(200, 10_000)
    def check(line):
        try:
            one = parse(line)
        except BadRecord as error:
            met["bad"] += 1
            met["told"] += bool(str(error))
            return
        verdict = Rulebook([]).classify(one.error, place=one.place, candidate=one.candidate, now=0)
        row = answer(one, verdict)
        json.dumps(row, allow_nan=False).encode("utf-8")
        met["read"] += 1

    check()
    assert min(met["bad"], met["read"]) > 0
    assert met["told"] == met["bad"]

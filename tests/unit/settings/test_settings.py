"""Where settings come from, which wins, and what is refused."""

import pytest
from pydantic import BaseModel, ConfigDict

from skyx_core.dirs import Dirs
from skyx_core.errors import SettingsError
from skyx_core.settings import TABLE, Settings


@pytest.fixture
def load(tmp_path):
    """``load(project=..., user=..., system=..., environ=..., flags=...)``; files are given as text."""
    dirs = Dirs.under(tmp_path / "home")
    dirs.config.mkdir()
    files = {"project": tmp_path / ".skyx.yaml", "user": dirs.settings_file, "system": tmp_path / "system.yaml"}

    def load(environ=None, flags=None, **texts):
        for kind, text in texts.items():
            files[kind].write_bytes(text if isinstance(text, bytes) else text.encode())
        return Settings.load(dirs, environ or {}, tmp_path, flags, system_file=files["system"])

    load.files = files
    return load


def test_defaults_need_no_file(load):
    settings = load()
    assert (settings.wait_seconds, settings.on_interrupt, settings.input, settings.executor) == (
        600,
        "ask",
        True,
        "",
    )
    assert (settings.disable_plugins, settings.cloud("aws"), settings.get("clouds.aws.x")) == ((), {}, None)
    assert settings.origin("wait_seconds") == "default"


def test_each_source_wins_over_the_next_and_is_named(load):
    texts = {"system": "wait_seconds: 1\n", "user": "# mine\nwait_seconds: 2\n", "project": "\nwait_seconds: 3\n"}
    steps = [
        ({}, {}, 3.0, f"{load.files['project']}:2"),
        ({"SKYX_WAIT": "4"}, {}, 4.0, "env SKYX_WAIT"),
        ({"SKYX_WAIT": "4", "SKYX_WAIT_SECONDS": "5"}, {}, 5.0, "env SKYX_WAIT_SECONDS"),
        ({"SKYX_WAIT": "4"}, {"wait_seconds": 0}, 0.0, "flag --wait"),
        ({"SKYX_WAIT": ""}, {"wait_seconds": None}, 3.0, f"{load.files['project']}:2"),
    ]
    for environ, flags, value, origin in steps:
        settings = load(environ, flags, **texts)
        assert (settings.wait_seconds, settings.origin("wait_seconds")) == (value, origin)
    load.files["project"].unlink()
    assert load().origin("wait_seconds") == f"{load.files['user']}:2"
    load.files["user"].unlink()
    assert load().wait_seconds == 1


def test_variables_are_parsed_by_type(load):
    settings = load(
        {"SKYX_DISABLE_PLUGINS": "a, b,", "SKYX_INPUT": "no", "SKYX_COLOR": "never", "SKYX_PROGRESS": "plain"}
    )
    assert settings.disable_plugins == ("a", "b")
    assert (settings.input, settings.color, settings.progress) == (False, "never", "plain")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SKYX_WAIT", "soon"),
        ("SKYX_WAIT_SECONDS", "-1"),
        ("SKYX_CALL_TIMEOUT_S", "nan"),
        ("SKYX_CALL_TIMEOUT_S", "inf"),
        ("SKYX_INPUT", "perhaps"),
        ("SKYX_COLOR", "blue"),
    ],
)
def test_a_bad_variable_is_named_with_what_would_do(load, name, value):
    with pytest.raises(SettingsError, match=f"{name} must be") as caught:
        load({name: value})
    assert value in caught.value.why
    assert name in caught.value.hint
    assert caught.value.exit_code == 2


def test_what_a_job_is_given_is_never_a_setting(load):
    given = ["NODE_RANK", "NODE_IPS", "NUM_NODES", "NUM_GPUS_PER_NODE", "TASK_ID", "INTERNAL_JOB_ID", "CLUSTER_INFO"]
    given += ["SETUP_NODE_IPS", "SETUP_NODE_RANK", "HOME", "FAILPOINT", "TEST_CLOCK", "TRACE_HOOKS", "LOCAL_LEDGER"]
    settings = load({f"SKYX_{name}": "nonsense" for name in given})
    assert all(origin == "default" for _, _, origin in settings.rows())
    assert settings.warnings == ()
    assert not {f"SKYX_{name}" for name in given} & {each for row in TABLE.values() for each in row.variables}


def test_a_variable_that_is_almost_a_setting_is_warned_of(load):
    (warning,) = load({"SKYX_WAIT_SECOND": "3", "SKYX_SOMETHING_ELSE_ENTIRELY": "x"}).warnings
    assert "did you mean SKYX_WAIT_SECONDS?" in warning


def test_an_unknown_or_bad_flag_is_an_error(load):
    with pytest.raises(SettingsError, match="unknown setting 'wait_second'") as caught:
        load(flags={"wait_second": 3})
    assert "wait_seconds" in caught.value.hint
    with pytest.raises(SettingsError, match="must be one of ask, cleanup, keep"):
        load(flags={"on_interrupt": "explode"})


def test_an_unknown_key_is_refused_with_line_column_and_suggestion(load):
    with pytest.raises(SettingsError, match="wait_second: unknown setting") as caught:
        load(project="color: never\nwait_second: 3\n")
    assert caught.value.where == f"{load.files['project']}:2:1"
    assert "did you mean 'wait_seconds'?" in caught.value.hint


def test_all_mistakes_of_all_files_come_at_once(load):
    with pytest.raises(SettingsError, match="4 mistakes") as caught:
        load(project="colour: never\ninput: maybe\n", user="clouds: [aws]\nexecutors: {ray: 3}\n")
    assert len(caught.value.why.splitlines()) == 4
    assert f"{load.files['project']}:2:1: input: must be true or false" in caught.value.why


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a, b]", "must be a mapping"),
        ("just text", "must be a mapping"),
        ("color: never\n\tinput: true\n", "not YAML"),
        ("color: [", "not YAML"),
        ("color: never\ncolor: always\n", "color: is given twice"),
        (b"color: \xff\n", "not UTF-8"),
        (b"color: \x00\n", "not YAML"),
        ("1: 2\n", "unknown setting"),
        ("? [a]\n: b\n", "keys must be plain names"),
        ("clouds: {aws: {since: 2024-01-01}}", "put it in quotes"),
        ("clouds: &a {aws: *a}", "not YAML"),
        ("x: " + "[" * 1500, "not YAML"),
        ("clouds: {a: {x: !!python/object:os.system {}}}", "the tag .* is not allowed"),
        ("x: " + "a" * 300_000, "larger than"),
        ("--- {}\n--- {}\n", "not YAML"),
    ],
)
def test_files_that_cannot_be_used_are_one_clear_error(load, text, message):
    with pytest.raises(SettingsError, match=message) as caught:
        load(user=text)
    assert str(load.files["user"]) in str(caught.value)


def test_many_aliases_do_not_fill_the_memory(load):
    lines = ["clouds:", "  c0: &l0 {x: [a, a, a, a, a, a, a, a, a, a]}"]
    lines += [f"  c{n}: &l{n} {{" + ", ".join(f"k{i}: *l{n - 1}" for i in range(10)) + "}" for n in range(1, 9)]
    with pytest.raises(SettingsError, match="too many"):
        load(user="\n".join(lines))


def test_empty_files_and_empty_keys_are_nothing(load):
    settings = load(project="", user="# only a comment\n", system="wait_seconds:\nclouds:\nexecutors: {ray: }\n")
    assert settings.wait_seconds == 600


def test_a_folder_in_place_of_a_file_is_refused(load):
    load.files["project"].mkdir()
    with pytest.raises(SettingsError, match="is not a file"):
        load()


class CloudSettings(BaseModel):
    model_config = ConfigDict(extra="forbid")
    region: str = "r1"
    slots: int = 4
    net: dict[str, str] = {}


def test_settings_of_a_cloud_are_put_together_key_by_key(load):
    settings = load(
        system="clouds: {mine: {region: r1, slots: 1, net: {a: x, b: y}}}",
        user="clouds:\n  mine:\n    slots: 2\n    net: {b: z}\n",
        project="clouds: {other: {region: r9}}",
    )
    assert settings.cloud("mine") == {"region": "r1", "slots": 2, "net": {"a": "x", "b": "z"}}
    assert settings.cloud_model("mine", CloudSettings) == CloudSettings(slots=2, net={"a": "x", "b": "z"})
    assert settings.cloud_model("none", CloudSettings) == CloudSettings()
    assert settings.origin("clouds.mine.slots") == f"{load.files['user']}:3"
    assert settings.origin("clouds.mine.region") == f"{load.files['system']}:1"


def test_what_the_drivers_model_refuses_is_named_with_its_line(load):
    settings = load(user="clouds:\n  mine:\n    regoin: r1\n    slots: many\n")
    with pytest.raises(SettingsError, match="settings of 'mine'") as caught:
        settings.cloud_model("mine", CloudSettings)
    lines = caught.value.why.splitlines()
    assert any(line.startswith(f"{load.files['user']}:3: clouds.mine.regoin: unknown") for line in lines)
    assert any("did you mean 'region'?" in line for line in lines)
    assert any(line.startswith(f"{load.files['user']}:4: clouds.mine.slots: ") for line in lines)


def test_rows_hold_everything_with_its_origin_but_no_secret(load):
    settings = load(
        {"SKYX_COLOR": "never"}, user="clouds: {mine: {api_token: hunter2, region: r1, list: [{password: hunter2}]}}"
    )
    rows = settings.rows()
    assert [key for key, _, _ in rows][: len(TABLE)] == list(TABLE)
    assert ("color", "never", "env SKYX_COLOR") in rows
    assert ("clouds.mine.api_token", "***", f"{load.files['user']}:1") in rows
    assert "hunter2" not in str(rows)
    assert settings.cloud("mine")["api_token"] == "hunter2"


def test_the_table_names_each_setting_once():
    variables = [name for row in TABLE.values() for name in row.variables]
    assert len(set(variables)) == len(variables)
    assert all(row.help and row.kind for row in TABLE.values())
    assert all(hasattr(Settings, key) for key in TABLE)


def test_every_setting_is_read_by_something():
    from pathlib import Path

    import skyx_core
    from skyx_core.settings import TABLE

    root = Path(skyx_core.__file__).parent
    sources = [p.read_text(encoding="utf-8") for p in root.rglob("*.py") if p.parent.name != "settings"]
    unread = [key for key in TABLE if not any(key in source for source in sources)]
    assert unread == []

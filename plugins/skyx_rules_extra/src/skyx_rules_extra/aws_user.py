"""AWS: requests that no place can meet."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.aws_codes import BOTOCORE, EC2, SPOT_STATUS, codes, raised

_wrong = partial(ErrorRule, category=Category.USER_ERROR, block=Scope.NONE, abort=True, source=EC2)

USER_ERRORS = (
    _wrong(
        id="aws.user.disk-size",
        code=codes("InvalidBlockDeviceMapping", "InvalidParameter(?:Value|Combination)?", "InvalidVolume\\w*"),
        message=r"smaller than (?:the )?snapshot.{0,300}?(?:>=|at least)\s*(?P<size>\d+ ?[kmgt]i?b)",
        hint="disk_size must be at least {size} for this image",
    ),
    _wrong(
        id="aws.user.disk",
        code=codes("InvalidBlockDeviceMapping", "InvalidVolumeSize"),
        hint="the disk that is asked for does not fit the image; see disk_size and disk_tier",
    ),
    _wrong(
        id="aws.user.user-data",
        code=codes(r"InvalidUserData(?:\.\w+)?", "InvalidParameterValue"),
        message=r"user data",
        hint="the start script is too long or malformed for AWS (16 KB at most)",
    ),
    _wrong(
        id="aws.user.malformed",
        code=codes(
            r"Invalid\w+\.(?:Malformed|Format)",
            r"InvalidTagKey(?:\.\w+)?",
            "TagLimitExceeded",
            "InvalidKey",
            "InvalidSpotDatafeed",
        ),
        hint="a name, an id, a key or a label in the request is not as AWS wants it",
    ),
    _wrong(
        id="aws.user.request",
        code=codes(
            "InvalidParameter(?:Value|Combination|Dependency)?",
            "InvalidParameter(?:Value)?Exception",
            "MissingParameter",
            "UnknownParameter",
            "MissingAction",
            "InvalidAction",
            "InvalidInput",
            "InvalidInputException",
            "InvalidRequest",
            "InvalidCharacter",
            "InvalidFleetConfig(?:uration)?",
            "InvalidQueryParameter",
            "MissingInput",
            "MalformedQueryString",
            "MalformedPolicyDocument(?:Exception)?",
            "NoSuchVersion",
            "Validation(?:Error|Exception)",
            "InvalidDisk\\w*",
        ),
        hint="AWS refuses the request as it is; no place will take it: correct what the message names",
    ),
    _wrong(
        id="aws.user.client",
        code=raised(
            "ParamValidationError",
            "UnknownParameterError",
            "MissingParametersError",
            "DataNotFoundError",
            "UnknownServiceError",
        ),
        hint="the request was put together wrongly before it was sent; correct what the message names",
        source=BOTOCORE,
    ),
    _wrong(
        id="aws.user.spot-parameters",
        code=codes("bad-parameters"),
        hint="the spot request's parameters are not valid",
        source=SPOT_STATUS,
    ),
    _wrong(
        id="aws.user.ended",
        code=r"Client\.UserInitiatedShutdown|Client\.UserInitiatedHibernate",
        hint="someone ended the instance while it was starting",
        source="EC2 API, StateReason, docs.aws.amazon.com/AWSEC2, read 2026-11-30",
    ),
)

"""What an SDK would be: one HTTP call with a time limit; what goes wrong becomes a ``CloudError``."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

from skyx_core.api import CloudError

# Codes with which the cloud says that the call has made nothing. A 5xx never says so.
_REFUSED = frozenset(
    {
        "InsufficientNodeCapacity",
        "QuotaExceeded",
        "InvalidParameter",
        "UnsupportedType",
        "UnsupportedOperation",
        "Unauthorized",
    }
)


class Client:
    """One cloud's endpoint. Thread-safe: a connection per call."""

    def __init__(self, cloud: str, url: str, timeout_s: float) -> None:
        self._cloud = cloud
        self._url = url
        self._timeout_s = timeout_s

    def call(
        self,
        operation: str,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, object]:
        """The answer's object. Raises ``CloudError``, at the latest after the time limit."""
        status, data = self._exchange(operation, method, path, body, query)
        try:
            answer = json.loads(data)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise CloudError(
                self._cloud, operation, "UnreadableAnswer", f"{len(data)} bytes that are no JSON object", status
            )
        if status >= 400:
            raise self._refused(operation, status, answer)
        return answer

    def _exchange(
        self,
        operation: str,
        method: str,
        path: str,
        body: Mapping[str, object] | None,
        query: Mapping[str, str] | None,
    ) -> tuple[int, bytes]:
        target = quote(path) + (f"?{urlencode(query)}" if query else "")
        host = urlsplit(self._url)
        connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=self._timeout_s)
        sent = False
        try:
            connection.connect()
            sent = True
            connection.request(method, target, json.dumps(body).encode() if body is not None else None)
            response = connection.getresponse()
            return response.status, response.read()
        except TimeoutError as error:
            raise self._lost(operation, "RequestTimeout", f"no answer within {self._timeout_s:g} s", sent) from error
        except (OSError, http.client.HTTPException) as error:
            code = "ConnectionLost" if sent else "EndpointUnreachable"
            raise self._lost(operation, code, f"{self._url}: {error or type(error).__name__}", sent) from error
        finally:
            connection.close()

    def _lost(self, operation: str, code: str, message: str, sent: bool) -> CloudError:
        return CloudError(self._cloud, operation, code, message, nodes_may_exist=sent, unanswered=sent)

    def _refused(self, operation: str, status: int, answer: Mapping[str, object]) -> CloudError:
        error = answer.get("error")
        facts = error if isinstance(error, dict) else {}
        code = str(facts.get("code", ""))
        return CloudError(
            self._cloud,
            operation,
            code,
            str(facts.get("message", "")),
            status,
            request_id=str(answer.get("request_id", "")),
            nodes_may_exist=not (status < 500 and code in _REFUSED),
        )


def objects(answer: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """A list of objects out of an answer; anything else in it is left out."""
    value = answer.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

from __future__ import annotations

import copy
import http.client
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import _types as t
from ._tool_methods import ToolMethods

numpy: Any = None
try:
    import numpy  # type: ignore[no-redef]
except ImportError:
    pass  # arrays are lists

_WAIT_S = 20  # for which one request waits for a computation
_SPARE_S = 15.0  # of the time limit of a connection beside it
_PAGE_ROWS = 10_000


class SlipstickError(Exception):
    """The problem document of a rejected or failed request (RFC 9457)."""

    def __init__(self, problem: t.Problem, retry_after_s: float = 0) -> None:
        super().__init__(problem["detail"])
        self.problem = problem
        self.status = problem["status"]
        self.retry_after_s = retry_after_s  # of the response; 0: none


@dataclass(frozen=True)
class Event:
    """A server-sent event."""

    id: str  # of the latest event that has one
    name: str
    data: str


@dataclass(frozen=True)
class Rows:
    """The finished runs of a batch by column: index, varied fields, collected names, error.

    A column of numbers is an array with NaN for a value that a run lacks.
    """

    columns: dict[str, Any]
    count: int
    total: int


class Client(ToolMethods):
    """Calls a service. Each tool is a method; the fields of its input are keyword arguments.

    timeout_s limits the time of each call, None: no limit; TimeoutError is raised after it, and a
    queued computation is cancelled. on_progress is called with each state of a queued computation.
    A request is sent attempts times at most: again after 429, 503 and a lost connection. A longer
    Retry-After than max_retry_s raises SlipstickError at once.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout_s: float | None = None,
        on_progress: Callable[[t.Job], object] | None = None,
        attempts: int = 4,
        max_retry_s: float = 30,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._key = api_key
        self._timeout_s = timeout_s
        self._on_progress = on_progress
        self._attempts = max(1, attempts)
        self._max_retry_s = max_retry_s

    def with_options(self, **options: Any) -> Client:
        """Returns a client with other options: api_key, timeout_s, on_progress, attempts, max_retry_s."""
        other = copy.copy(self)
        names = {"api_key": "_key"} | {n: "_" + n for n in ("timeout_s", "on_progress", "attempts", "max_retry_s")}
        for name, value in options.items():
            if name not in names:
                raise TypeError(f"no option {name!r}, only {', '.join(names)}")
            setattr(other, names[name], value)
        return other

    def call(self, tool: str, values: Mapping[str, Any]) -> t.Envelope:
        """Calls a tool by its name. The response has the result, tool, version, time and chain."""
        end = self._deadline()
        prefer = "respond-async" if self._on_progress else f"wait={_WAIT_S}"
        with self._send("POST", f"/api/{tool}", values, {"Prefer": prefer}, end=end) as response:
            body = json.load(response)
        return _with_arrays(self._finish(body, end) if response.status == 202 else body)

    def _finish(self, accepted: t.Job, end: float) -> Any:
        """Waits for the job of a 202 response."""
        if self._on_progress:
            self._on_progress(accepted)
        try:
            job = self._follow(accepted["id"], end)
        except (TimeoutError, KeyboardInterrupt):
            self._abandon(accepted["id"])
            raise
        if job["problem"]:
            raise SlipstickError(job["problem"])
        return job["result"]

    def _call(self, tool: str, values: Any) -> Any:
        return self.call(tool, values)["result"]

    def _follow(self, job_id: str, end: float) -> t.Job:
        path = f"/api/jobs/{job_id}"
        if self._on_progress:
            try:
                for event in self._events(path + "/events", end):
                    if event.name == "job":
                        self._on_progress(json.loads(event.data))
            except (SlipstickError, ConnectionError):
                pass  # polling reports the error
        while True:
            with self._send("GET", path, None, {"Prefer": f"wait={_WAIT_S}"}, end=end) as response:
                job = json.load(response)
            if job["finished_at"]:
                return job
            if self._on_progress:
                self._on_progress(job)
            if not response.headers["Preference-Applied"]:  # the service has not waited
                _sleep(_retry_after(response.headers["Retry-After"]), end)

    def _abandon(self, job_id: str) -> None:
        try:
            self._once("DELETE", f"/api/jobs/{job_id}", None, {}, 2).close()
        except (OSError, http.client.HTTPException):
            pass  # the computation ends at its time limit

    def issue_key(self, label: str) -> t.IssuedKey:
        """Issues a free API key."""
        return self._json("POST", "/api/keys", {"label": label}, _idempotency_key())

    def create_batch(self, request: t.BatchRequest) -> t.Batch:
        """Starts a batch. A request repeated after a lost connection makes one batch."""
        return self._json("POST", "/api/batches", request, _idempotency_key())

    def dry_run_batch(self, request: t.BatchRequest) -> t.DryRun:
        """Validates the input of every run. Nothing is computed or counted."""
        return self._json("POST", "/api/batches", {**request, "dry_run": True})

    def batch(self, batch_id: str) -> t.Batch:
        """Returns the state of a batch."""
        return self._json("GET", f"/api/batches/{batch_id}")

    def cancel_batch(self, batch_id: str) -> t.Batch:
        """Cancels a batch. Its rows are kept."""
        return self._json("DELETE", f"/api/batches/{batch_id}")

    def wait_batch(self, batch_id: str, on_progress: Callable[[t.Batch], object] | None = None) -> t.Batch:
        """Waits for the end of a batch. It continues after TimeoutError; cancel_batch cancels it."""
        end, wait = self._deadline(), 0.05
        while True:
            batch = self.batch(batch_id)
            if on_progress:
                on_progress(batch)
            if batch["state"] not in ("queued", "running") and "summary" in batch:
                return batch
            _sleep(wait, end)
            wait = min(2 * wait, 2.0)

    def batch_rows(self, batch_id: str) -> Rows:
        """Returns all rows of a batch up to the first run that is not finished."""
        columns: dict[str, list[Any]] = {}
        count = 0
        while True:
            page = self._json("GET", f"/api/batches/{batch_id}/results?from={count}&limit={_PAGE_ROWS}")
            for name, values in page["columns"].items():
                columns.setdefault(name, []).extend(values)
            count += page["count"]
            if page["count"] == 0 or count >= page["total"]:
                arrays = {n: v if n == "error" else _numbers(v) for n, v in columns.items()}
                return Rows(arrays, count, page["total"])

    def batch_run(self, batch_id: str, index: int) -> t.BatchRun:
        """Computes a run again and returns its full result."""
        end = self._deadline()
        while True:
            with self._send("GET", f"/api/batches/{batch_id}/runs/{index}", None, {}, end=end) as response:
                body = json.load(response)
            if response.status != 202:
                return _with_arrays(body)
            # The job of the run has its result, but not its input: the run is then asked for again.
            self._finish(body, end)

    def batch_events(self, batch_id: str) -> Iterator[Event]:
        """Returns the events of a batch until its end: progress, rows, summary, end."""
        return self._events(f"/api/batches/{batch_id}/events", self._deadline())

    def _events(self, path: str, end: float) -> Iterator[Event]:
        """Reads events up to "end". An interrupted stream is resumed after its last event."""
        last, failed = "", 0
        while failed < self._attempts:
            failed += 1
            headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
            try:
                with self._send("GET", path, None, headers, end=end) as response:
                    for event in _read_events(response, last):
                        _sleep(0, end)
                        last, failed = event.id, 0
                        yield event
                        if event.name == "end":
                            return
            except (ConnectionError, TimeoutError, http.client.HTTPException):
                _sleep(0, end)
        raise ConnectionError("the stream of events ended early")

    def _deadline(self) -> float:
        return math.inf if self._timeout_s is None else time.monotonic() + self._timeout_s

    def _json(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] = {}) -> Any:
        with self._send(method, path, body, headers, end=self._deadline()) as response:
            return json.load(response)

    def _send(
        self, method: str, path: str, body: Any, headers: Mapping[str, str], *, end: float
    ) -> http.client.HTTPResponse:
        """Sends a request until it gets a response. Tools are pure, others have an Idempotency-Key."""
        attempt = 0
        while True:
            attempt += 1
            wait = 0.1 * 2**attempt
            try:
                return self._once(method, path, body, headers, min(_WAIT_S + _SPARE_S, _left(end)))
            except urllib.error.HTTPError as response:
                wait = _retry_after(response.headers["Retry-After"])
                error: Exception = SlipstickError(_problem(response), wait)
                if not wait or response.code not in (409, 429, 503) or wait > self._max_retry_s:
                    raise error from None
            except (OSError, http.client.HTTPException) as lost:
                _left(end)
                error = lost
            if attempt >= self._attempts:
                raise error
            _sleep(wait, end)

    def _once(
        self, method: str, path: str, body: Any, headers: Mapping[str, str], timeout_s: float
    ) -> http.client.HTTPResponse:
        request = urllib.request.Request(self._base + path, method=method, headers=dict(headers))
        if body is not None:
            request.data = json.dumps(body, allow_nan=False).encode()
            request.add_header("Content-Type", "application/json")
        if self._key:
            request.add_header("X-Api-Key", self._key)
        return urllib.request.urlopen(request, timeout=timeout_s)


def _idempotency_key() -> dict[str, str]:
    return {"Idempotency-Key": f'"{uuid.uuid4()}"'}


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time of the call is over")
    return left


def _sleep(seconds: float, end: float) -> None:
    time.sleep(min(seconds, _left(end)))
    _left(end)


def _retry_after(text: str | None) -> float:
    return float(text) if text and text.isdigit() else 0.0


def _problem(response: urllib.error.HTTPError) -> t.Problem:
    with response:
        try:
            problem = json.load(response)
            if isinstance(problem, dict) and problem.get("detail"):
                return {**problem, "status": response.code}  # type: ignore[typeddict-item]
        except ValueError:
            pass  # of a proxy
    text = f"{response.code} {response.reason}"
    return {"type": "about:blank", "title": text, "status": response.code, "detail": text, "instance": "", "request_id": ""}


def _read_events(lines: Iterator[bytes], last: str) -> Iterator[Event]:
    name, data = "message", []
    for raw in lines:
        line = raw.decode().rstrip("\r\n")
        if not line:
            if data:
                yield Event(last, name, "\n".join(data))
            name, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif field == "id":
            last = value


def _numbers(values: list[Any]) -> Any:
    if not all(v is None or type(v) in (int, float) for v in values):
        return values
    floats = [math.nan if v is None else float(v) for v in values]
    return floats if numpy is None else numpy.array(floats, dtype=float)


def _with_arrays(envelope: Any) -> Any:
    if envelope["tool"] == "spice_simulate":
        result = envelope["result"]
        for analysis in [result, *result.get("analyses", [])]:
            analysis["vectors"] = {name: _numbers(v) for name, v in analysis["vectors"].items()}
    return envelope

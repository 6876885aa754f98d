"""The SDK's errors as ours: what happened, what is safe, what to do; with names and hosts, never with the key."""

from __future__ import annotations

import email.utils
import math
from collections.abc import Mapping
from datetime import UTC
from typing import Final

import httpx2
import openai

from memtui.clock import wall_now
from memtui.errors import MindBusyError, MindError, MindMalformedError, MindRefusedError, MindUnreachableError
from memtui.memory.texts import clean, one_line
from memtui.minds.presets import Connection

TRANSPORT_ERRORS: Final = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    UnicodeError,
    ValueError,
)
"""All that a call through the SDK raises for what the network or the server did (broken JSON and bytes are ValueErrors)."""
SAFE: Final = "Your message and your memories are kept."
LONGEST_WAIT_S: Final = 60.0
"""Seconds of a Retry-After that are waited; if the server asks for more, the call fails and says so."""
FIRST_WAIT_S: Final = 0.5
_MOST_BACK_OFF_S: Final = 8.0


class BrokenOffError(Exception):
    """A stream ended without its end, or began and said nothing."""


class BrokenReplyError(MindUnreachableError):
    """The connection was lost after a part of the answer had come."""


def wait_before_retry(error: Exception, tried: int, max_retries: int) -> float | None:
    """Seconds to wait before the next try, or None if there is none.

    429, 5xx and lost connections are tried again, with doubling back-off or as long as Retry-After says; a connection that
    can't be made once only (nobody is there), a time-out not at all (it has taken its time already).

    Args:
        error: what the last try raised.
        tried: how many tries failed before it.
        max_retries: how many retries there may be.
    """
    if tried >= max_retries or isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return None
    back_off = min(_MOST_BACK_OFF_S, FIRST_WAIT_S * float(2**tried))
    if isinstance(error, openai.APIStatusError):
        if error.status_code not in (408, 409, 429) and error.status_code < 500:
            return None
        if _out_of_credit(error):
            return None
        asked = retry_after(error.response.headers)
        if asked is None:
            return back_off
        return asked if asked <= LONGEST_WAIT_S else None
    if isinstance(error, openai.APIConnectionError):
        if isinstance(error.__cause__, httpx2.ConnectError):
            return back_off if tried == 0 else None
        return back_off
    if isinstance(error, BrokenOffError | httpx2.TransportError):
        return back_off
    return back_off if _in_stream(error) else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a server asks to wait (`Retry-After-Ms`, or `Retry-After` as seconds or a date), or None."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - wall_now()).total_seconds())


def mind_error(error: Exception, connection: Connection, model: str, *, timeout_s: float, said: bool = False) -> MindError:
    """What a person is told of `error`.

    Args:
        said: whether a part of the reply had already come.
    """
    who = f"{connection.provider} at {connection.host}"
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return MindUnreachableError(
            f"{who} did not answer for {timeout_s:g} s.",
            safe=SAFE,
            todo="Try again; if the model is only slow, raise mind.timeout_s.",
        )
    if isinstance(error, openai.APIStatusError):
        return _status_error(error, connection, model, who)
    if isinstance(error, openai.APIConnectionError | BrokenOffError | httpx2.TransportError | httpx2.StreamError):
        return _unreachable(error, connection, who, said=said)
    if _in_stream(error):
        return MindBusyError(
            f"{who} broke off with an error: {_excerpt(error, connection)}",
            safe=SAFE,
            todo="Try again; the server's own log may say more.",
        )
    return MindMalformedError(
        f"{who} answered with something that is not the API's format ({type(error).__name__}).",
        safe=SAFE,
        todo="Check that mind.base_url is an OpenAI-compatible API (it usually ends in /v1).",
    )


def _unreachable(error: Exception, connection: Connection, who: str, *, said: bool) -> MindError:
    if said:
        return BrokenReplyError(
            f"{who} hung up in the middle of the reply.", safe=f"{SAFE} What was said so far is kept too.", todo="Ask again."
        )
    if isinstance(error.__cause__, httpx2.ConnectError):
        start = "Start it, or check" if connection.local else "Check the network and"
        return MindUnreachableError(f"{who} can't be reached: no connection.", safe=SAFE, todo=f"{start} mind.base_url.")
    return MindUnreachableError(f"{who} hung up without an answer.", safe=SAFE, todo="Try again.")


def _status_error(error: openai.APIStatusError, connection: Connection, model: str, who: str) -> MindError:
    code, told = error.status_code, _excerpt(error, connection)
    if code in (401, 403):
        key = f"the key in ${connection.key_env}" if connection.key is not None else "a call without a key"
        return MindRefusedError(
            f"{who} refused {key} ({code}): {told}",
            safe=SAFE,
            todo=f"Check ${connection.key_env}."
            if connection.key_env
            else "Set mind.api_key_env to the variable with the key.",
        )
    if code == 404 and "model" in told.casefold():
        return MindRefusedError(
            f"{who} has no model '{model}': {told}", safe=SAFE, todo="Set mind.model; `memtui doctor` lists what is there."
        )
    if code == 404:
        return MindRefusedError(
            f"{who} knows no such address (404): {told}", safe=SAFE, todo="Check mind.base_url (it usually ends in /v1)."
        )
    if code == 429 and _out_of_credit(error):
        return MindRefusedError(f"{who} says that the quota is used up: {told}", safe=SAFE, todo="Check the account there.")
    if code in (408, 409, 429) or code >= 500:
        asked = retry_after(error.response.headers)
        later = f"Try again in {asked:.0f} s." if asked is not None and asked >= 1 else "Try again in a while."
        kind = "is busy" if code == 429 else "has trouble"
        return MindBusyError(f"{who} {kind} ({code}): {told}", safe=SAFE, todo=later)
    return MindRefusedError(
        f"{who} refused the request to '{model}' ({code}): {told}",
        safe=SAFE,
        todo="If the message was too long for the model, send a shorter one; else check mind.model with `memtui doctor`.",
    )


def _out_of_credit(error: openai.APIStatusError) -> bool:
    return error.status_code == 429 and error.code in ("insufficient_quota", "Arrearage", "billing_hard_limit_reached")


def _in_stream(error: Exception) -> bool:
    """Whether the server sent an error event inside a stream it had begun."""
    return isinstance(error, openai.APIError) and not isinstance(error, openai.APIStatusError | openai.APIConnectionError)


def _excerpt(error: Exception, connection: Connection) -> str:
    """What the server said, on one line, without the key."""
    told = ""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error")
        source = inner if isinstance(inner, dict) else body
        told = str(source.get("message") or source.get("detail") or inner or "")
    elif isinstance(error, openai.APIError):
        told = error.message
    return one_line(connection.redact(clean(told)), 200) or "no reason given."

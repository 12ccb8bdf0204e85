"""HTTP calls that are held until something happens, and end when their caller hangs up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    from starlette.types import Receive

__all__ = ["HungUp", "beside", "until_gone"]

T = TypeVar("T")


class HungUp(Exception):
    """The caller is gone; there is nobody to answer."""


async def until_gone(receive: Receive) -> None:
    """Wait for the caller to hang up; to be called when the body was read.

    Raises:
        HungUp: always.
    """
    while (await receive())["type"] != "http.disconnect":
        pass
    raise HungUp


async def beside(work: Awaitable[T], *companions: Coroutine[object, object, None]) -> T:
    """Await the work; the first exception of it or of a companion ends all of them."""
    results: list[T] = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(companion) for companion in companions]
            results.append(await work)
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return results[0]

"""A measured run from its beginning to its end: who thinks, where its results are kept, and that both are closed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from memtui.bench.checkpoint import Checkpoint, run_name
from memtui.bench.faults import MechanismError
from memtui.config import Settings
from memtui.errors import InputError, MindError
from memtui.minds.base import Mind

Say = Callable[[str], None]


@asynccontextmanager
async def kept_run(
    measured: Path, mind: Mind, settings: Settings, *, folder: Path, chosen: Path | None, say: Say
) -> AsyncIterator[Checkpoint | None]:
    """The checkpoint of a run of `measured` with `mind`; None for a local mind, which is asked anew in no time.

    Args:
        folder: where checkpoints lie that nobody named; the name is a hash of file, mind, settings and prompts.
        chosen: a checkpoint the user named.
        say: gets a sentence on where it is.

    Raises:
        MechanismError: the endpoint does not even list its models.
        InputError: `chosen` is no checkpoint of this run.
        StoreBusyError: another process runs the same.
    """
    checkpoint: Checkpoint | None = None
    try:
        if not mind.local:
            await _know_model(mind)
            run = run_name(measured, mind.label, settings)
            path = chosen or folder / f"{measured.stem}-{run}.jsonl"
            checkpoint = Checkpoint.open(path, title=f"bench {measured.name}", mind=mind.label, run=run)
            found = f"; {checkpoint.found} results of an earlier run are taken" if checkpoint.found else ""
            say(f"checkpoint: {path}{found}")
        yield checkpoint
    finally:
        if checkpoint is not None:
            checkpoint.close()
        await mind.aclose()


def only_for_models(chosen: Path | None, mind: str, files: int = 1) -> None:
    """Raise InputError where a named checkpoint makes no sense."""
    if chosen is not None and mind == "offline":
        raise InputError("--checkpoint: the offline mind asks nobody, so there is nothing to keep.", todo="Leave it out.")
    if chosen is not None and files > 1:
        raise InputError(
            "--checkpoint: one file holds one run, and several scenarios were given.",
            todo="Leave it out: each run gets its own in the home's bench folder.",
        )


async def _know_model(mind: Mind) -> None:
    """Where no model is configured the endpoint's first is taken; its name belongs to the run's."""
    endpoint = getattr(mind, "endpoint", None)
    if endpoint is None:
        return
    try:
        await endpoint.model()
    except MindError as error:
        raise MechanismError(
            f"The endpoint does not answer: {error.what}",
            safe="No figures were made up.",
            todo=error.todo or "`memtui doctor` tells what works.",
        ) from error

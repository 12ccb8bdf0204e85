"""What is wrong with a text frame."""

from __future__ import annotations

from lineup_srv.contract.errors import ErrorCode, LineUpError

__all__ = ["EnvelopeError"]


class EnvelopeError(LineUpError):
    """A text frame that is no message of the protocol. Carries nothing of its values.

    Args:
        code: the stable code.
        message: what is wrong, for people.
        field: the path of what is wrong; empty for the frame as a whole.
        malformed: the frame is no envelope at all; these are counted.
        ref: the envelope's id if it could be read.
    """

    def __init__(
        self, code: ErrorCode, message: str, field: str = "", *, malformed: bool, ref: str
    ) -> None:
        """Keep the data in attributes; see the class for the arguments."""
        super().__init__(code, message, field=field)
        self.malformed = malformed
        self.ref = ref

"""Client of the Slipstick service: typed calls of its tools, waiting for long computations,
progress, and batches. It needs the standard library alone; with numpy installed, vectors and
columns are numpy arrays, else lists of floats.

    client = Client("http://localhost:8080")
    loss = client.fspl(freq_mhz=915, dist_km=5)["fspl_db"]
"""

from . import _types as types
from ._client import Client, Event, Rows, SlipstickError

__all__ = ["Client", "Event", "Rows", "SlipstickError", "types"]

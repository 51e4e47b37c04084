"""`bench` and `show`: the page over a learner's own model, in a browser or in a notebook."""

from __future__ import annotations

import gzip
import html
import importlib.util
import json
import os
import sys
import threading
import zipfile
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional
from urllib.parse import urlencode

from . import settings as settings_module
from .asked import Asked, Superseded, ask_logits, ask_model, settings_for_page
from .checks import check_boolean, check_integer
from .engine import load
from .errors import refuse

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .server import Server
    from .types import Ids, Settings

_HERE = os.path.dirname(os.path.abspath(__file__))
#: The built page, an archive that `make python` puts beside this file.
_SITE = os.path.join(_HERE, "site.zip")
_SINGLE = "logitscope.html"
#: The name under which the notebook's page opens a comm.
_COMM = "logitscope"
#: Height of a frame in a notebook, in pixels.
_HEIGHT = 720


def _files() -> Dict[str, bytes]:
    """The files of the page, by name."""
    if not os.path.isfile(_SITE):
        refuse("load_failed", "no_page")
    with zipfile.ZipFile(_SITE) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _kernel() -> Any:
    """The kernel of the notebook that runs this program; None elsewhere."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None)


def _checked(settings: Dict[str, Any]) -> Dict[str, Any]:
    """Checks the settings as `warp` does; returns those that the page gets."""
    for name in ("own", "end_tokens", "constraint_start", "top"):
        if settings.get(name) is not None:
            refuse("unsupported", "not_here", name=name)
    resolved = settings_module.resolve(settings)
    load().warp([0.0, 0.0], **{**settings, "logit_bias": None})
    return settings_for_page(resolved, settings)


class Bench:
    """An open bench: `url` is its address, `close` ends it. A notebook shows it after its cell.

    As a context manager it closes at the end of the block.
    """

    def __init__(self, source: Asked, query: Dict[str, str], height: int) -> None:
        from .server import Server  # its modules would take half of the package's start

        files = _files()
        self._single = files.pop(_SINGLE, b"")
        self._source = source
        self._query = query
        self._height = height
        self._server: "Optional[Server]" = Server(source, files)
        self.url: str = self._server.url + "?" + urlencode({"source": "asked", **query})
        kernel = _kernel()
        if kernel is not None:
            _listen(kernel)
            _BENCHES[self._server.token] = self

    def close(self) -> None:
        """Ends the server. A second call does nothing."""
        server, self._server = self._server, None
        if server is not None:
            _BENCHES.pop(server.token, None)
            server.close()

    def wait(self) -> None:
        """Waits for Ctrl+C, then closes."""
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()
        finally:
            self.close()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Logitscope at {self.url}>" if self._server else "<Logitscope, closed>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """An anywidget if that package is there, else HTML."""
        if self._server is not None and importlib.util.find_spec("anywidget") is not None:
            return _widget(self, self._server.token)._repr_mimebundle_()
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        """A frame of the page. Its script is notebook.js, which takes messages in place of the
        server if the browser is on another machine."""
        if self._server is None:
            return html.escape(repr(self))
        script, token = _script(), self._server.token
        facts = json.dumps({"frame": f"logitscope-{token}", "token": token, "query": self._query})
        return (
            f'<iframe id="logitscope-{token}" src="{html.escape(self.url)}" title="Logitscope" '
            f'width="100%" height="{self._height}" style="border: 0" '
            'allow="clipboard-write; fullscreen"></iframe>\n'
            f"<script>(() => {{\n{script}\nshowClassic({facts});\n}})();</script>"
        )

    def _answer(self, what: str, body: bytes) -> Any:
        """The answer to a message of the notebook's page: a dict, or bytes."""
        if what == "page":
            return gzip.compress(self._single, mtime=0)
        return self._source.answer(what, body)


#: The open benches of a notebook, by token.
_BENCHES: Dict[str, Bench] = {}


def _listen(kernel: Any) -> None:
    """Answers the comms that notebook.js opens: { ask, what } and a buffer for the body."""

    def opened(comm: Any, message: Dict[str, Any]) -> None:
        token = message["content"]["data"].get("token")

        def heard(message: Dict[str, Any]) -> None:
            data, buffers = message["content"]["data"], message.get("buffers") or [b""]
            answer, body = answer_message(token, data, bytes(buffers[0]))
            comm.send(answer, buffers=body)

        comm.on_msg(heard)

    kernel.comm_manager.register_target(_COMM, opened)


def _script() -> str:
    with open(os.path.join(_HERE, "notebook.js"), encoding="utf-8") as file:
        return file.read()


def _widget(bench: Bench, token: str) -> Any:
    """The bench as an anywidget, for notebooks without the comms of Jupyter Notebook 6."""
    import anywidget
    import traitlets

    class Frame(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = _script() + "\nexport default { render };\n"
        url = traitlets.Unicode().tag(sync=True)
        query = traitlets.Dict().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    def heard(widget: Any, data: Dict[str, Any], buffers: Any) -> None:
        answer, body = answer_message(token, data, bytes(buffers[0]) if buffers else b"")
        widget.send(answer, body)

    widget = Frame(url=bench.url, query=bench._query, height=bench._height)
    widget.on_msg(heard)
    return widget


def answer_message(token: Any, data: Dict[str, Any], body: bytes) -> Any:
    """Answers one message of the host page: a dict, and a list with at most one buffer."""
    ask, what = data.get("ask"), data.get("what")
    bench = _BENCHES.get(token) if isinstance(token, str) else None
    if bench is None:
        return {"ask": ask, "fault": {"code": "asked", "message": "the bench is closed"}}, []
    if what not in ("info", "pieces", "encode", "logits", "page"):
        return {"ask": ask, "fault": {"code": "asked", "message": "unknown question"}}, []
    try:
        result = bench._answer(what, body)
    except Superseded:
        fault = {"code": "superseded", "key": "superseded", "values": {}}
        return {"ask": ask, "fault": fault}, []
    except Exception as error:
        fault = {"code": "asked", "message": bench._source.tell(error)}
        return {"ask": ask, "fault": fault}, []
    if isinstance(result, dict):
        return {"ask": ask, "result": result}, []
    return {"ask": ask}, [result]


def _open(
    make: Callable[[Dict[str, Any]], Asked],
    query: Dict[str, str],
    settings: Dict[str, Any],
    height: int,
    browser: bool,
    block: Optional[bool],
) -> Bench:
    """Makes the source and its bench; outside a notebook it opens the browser and may block."""
    check_integer("height", height, 100, 10_000)
    check_boolean("browser", browser)
    if block is not None:
        check_boolean("block", block)
    if not os.path.isfile(_SITE):
        refuse("load_failed", "no_page")
    bench = Bench(make(_checked(settings)), query, height)
    if _kernel() is not None:
        return bench
    is_script = "IPython" not in sys.modules and not hasattr(sys, "ps1")
    blocks = is_script if block is None else block
    print(f"Logitscope is at {bench.url}" + (", until Ctrl+C" if blocks else ""), flush=True)
    if browser:
        import webbrowser

        webbrowser.open(bench.url)
    if blocks:
        bench.wait()
    return bench


def bench(
    model: Any,
    encode: Any,
    decode: Any = None,
    *,
    prompt: str = "",
    context_length: Optional[int] = None,
    name: Optional[str] = None,
    bos_token_id: Optional[int] = None,
    eos_token_id: Optional[int] = None,
    height: int = _HEIGHT,
    browser: bool = True,
    block: Optional[bool] = None,
    **settings: "Unpack[Settings]",
) -> Bench:
    """Shows the page over a model of yours; the page asks it for logits when the text changes.

    `model`: a function from a list of ids to logits, or an nn.Module, which gets a tensor (1, T) on
    its device, in eval mode and without gradients, and its modes back afterwards. Logits are
    (V,), (T, V) or (1, T, V), alone, first in a tuple, or `.logits`; the last row counts.
    `encode`, `decode`: functions, the dicts `stoi` and `itos`, or a tokenizer with both, alone.
    `context_length`: number of ids that the model gets at most; by default its `block_size` or the
    like, else no limit. `settings` are the first settings of the page.

    In a notebook the cell shows the frame, of `height` pixels. Elsewhere a browser opens, and a
    script waits for Ctrl+C unless `block` is False. Only the page that it served may ask. Raises
    LogitscopeError for a wrong argument, and the model's own exception for the first text.
    """
    return _open(
        lambda page: ask_model(
            model,
            encode,
            decode,
            prompt=prompt,
            context_length=context_length,
            name=name,
            bos_token_id=bos_token_id,
            eos_token_id=eos_token_id,
            settings=page,
        ),
        {},
        dict(settings),
        height,
        browser,
        block,
    )


def show(
    logits: Any,
    tokens: Any = None,
    *,
    history: "Ids" = (),
    height: int = _HEIGHT,
    browser: bool = True,
    block: Optional[bool] = None,
    **settings: "Unpack[Settings]",
) -> Bench:
    """Shows the page over given logits, as `bench` does; of several rows the last.

    `tokens`: the texts or bytes of the ids, `itos`, a tokenizer or a function; by default the ids.
    `history`: the ids before, for penalties; without it the least probable token stands there.
    """
    return _open(
        lambda page: ask_logits(logits, tokens, history=history, settings=page),
        {"view": "bench", "controls": "distribution,chain,draw"},
        dict(settings),
        height,
        browser,
        block,
    )

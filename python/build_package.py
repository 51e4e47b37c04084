"""Builds the package with the standard library and a C compiler: PEP 517's hooks, and a command.

    python3 build_package.py assemble FOLDER LIBRARY    # the package with a compiled library
    python3 build_package.py site FILE SITE             # the archive of a built site
    python3 build_package.py wheel FOLDER PACKAGE [SITE]    # a wheel of an assembled package

The package holds Python files, the compiled engine, and facts that the repository states once for
all languages: `data.json` has the version, the sentences of errors, the order of a preset and the
fields of C's structs; `_settings.py` has the type of the settings with their descriptions. If the
site was built, `site.zip` has its page. A source distribution carries these, FACTS and `src/`
beside this file.
"""

import ast
import base64
import concurrent.futures
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
#: The folder that has `src/`: the repository, or an unpacked source distribution.
ROOT = HERE if (HERE / "src").is_dir() else HERE.parent
FACTS = ["package.json"]
FACTS += [f"web/engine/{name}.js" for name in ("sentences", "presets", "types", "layout")]
LIBRARY = "_engine.so"
SITE = "site.zip"
#: Files of the site that the package leaves out because `bench` does not need them: models,
#: lessons, the service worker, the elements, the engine with threads (its page is not isolated).
LEFT_OUT = re.compile(
    r"(models|lessons)/|(sw|anywidget|logitscope|update)\.js$|preview\.png$|_headers$"
    r"|logitscope-threads[\w-]*\.wasm$|sbom\.cdx\.json$|SHA256SUMS$"
)
#: The compiler flags of the native build in the Makefile.
FLAGS = "-std=c11 -O2 -ffp-contract=off -fPIC -fvisibility=hidden".split()
LINK = "-shared -s -lm".split()
#: The time of every file in an archive. It is fixed, so that the same sources give the same bytes.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def _need_sources():
    if not (ROOT / "src" / "wasm.c").is_file():
        sys.exit(
            "logitscope: the C sources are not here: install from the repository with pip 21.3 or "
            "newer, or from a wheel of `make python`"
        )


def _package_files():
    return [p for p in (HERE / "logitscope").iterdir() if p.suffix in (".py", ".js", ".typed")]


def _version():
    return json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]


def _sentences():
    """Returns the sentences of errors by key, read from a file that is a table of string
    literals."""
    text = (ROOT / "web" / "engine" / "sentences.js").read_text(encoding="utf-8")
    literal = r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
    row = rf"^  (\w+):\s+((?:{literal})(?:\s*\+\s*(?:{literal}))*),$"
    found = re.findall(row, text, re.MULTILINE)
    if len(found) < 300:
        sys.exit(f"logitscope: only {len(found)} sentences in sentences.js")
    return {
        key: "".join(ast.literal_eval(part) for part in re.findall(literal, value))
        for key, value in found
    }


def _order():
    """Returns the order of samplers in the preset llama.cpp, read from the JavaScript source."""
    text = (ROOT / "web" / "engine" / "presets.js").read_text(encoding="utf-8")
    [names] = re.findall(r"^const LLAMA_CPP = (\[[^\]]*\]);$", text, re.MULTILINE)
    return ast.literal_eval(names)


def _structs():
    """The fields of C's structs: their names and types."""
    text = (ROOT / "web" / "engine" / "layout.js").read_text(encoding="utf-8")
    structs = re.findall(r"^/\* struct (\w+) \*/\n((?:export .*\n)+)", text, re.MULTILINE)
    return {
        struct: [
            (name.lower()[len(struct) + 1 :], type)
            for name, type in re.findall(r"^export const (\w+) = \d+; // (.*)$", fields, re.MULTILINE)
        ]
        for struct, fields in structs
    }


def _settings():
    """Returns the Python type of the settings, made from its JSDoc. Python checks only the types of
    numbers and texts."""
    text = (ROOT / "web" / "engine" / "types.js").read_text(encoding="utf-8")
    text = text[text.index(" * @typedef {object} Settings\n") :]
    row = r" \* @property \{(.*?)\} \[(\w+)\] ((?:.*\n \*   )*.*)"
    rows = re.findall(row, text[: text.index(" */")])
    words = {"`false`": "`False`", "`ownInput`": "`own_input`", "null": "None"}
    types = {"number": "float", "string": "str"}
    lines = [
        '"""The type of the settings, made by build_package.py of web/engine/types.js."""',
        "from typing import Any, TypedDict",
        "class Settings(TypedDict, total=False):",
        '    """The settings. Each description begins with the neutral value, which changes',
        "    nothing; p is a token's probability before the sampler runs. `logitscope.table` has",
        '    the ranges, docs/samplers.md the rules and sources. None means not given."""',
    ]
    for type, name, about in rows:
        about = re.sub(r"\s*\n \*   ", " ", about)
        for word, ours in words.items():
            about = about.replace(word, ours)
        lines += [f"    {name}: {types.get(type, 'Any')}", f"    {json.dumps(about)}"]
    return "\n".join(lines) + "\n"


def _entry(path):
    """Returns an entry for an archive, with the fixed time and the same rights everywhere."""
    entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def site_archive(site):
    """Packs the page of a built site into an archive. The page may connect to its own origin only.
    It includes no model, because the logits come from Python."""
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            if LEFT_OUT.match(name):
                continue
            data = files[name].read_bytes()
            if name == "index.html":
                data = re.sub(rb"connect-src 'self'[^;\"]*", b"connect-src 'self'", data)
                data = re.sub(rb' *<link rel="serviceworker"[^>]*>\n', b"", data)
            if name == "logitscope.html":
                data = re.sub(
                    rb'<script [^>]*data-file="(?:models|lessons)/[^<]*</script>\n', b"", data
                )
            archive.writestr(_entry(name), data)
    return packed.getvalue()


def _site():
    """Returns the packed site of a source distribution, or packs the site that was built here; None
    if there is neither."""
    carried, built = HERE / SITE, ROOT / "dist"
    if carried.is_file():
        return carried.read_bytes()
    return site_archive(built) if (built / "index.html").is_file() else None


def _compile(target):
    """Compiles the engine for each processor that the host's compiler supports."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory() as folder:

        def compile_one(source):
            made = os.path.join(folder, source.stem + ".o")
            include = f"-I{ROOT / 'src'}"
            subprocess.run([*compiler, *FLAGS, include, "-c", str(source), "-o", made], check=True)
            return made

        sources = sorted((ROOT / "src").glob("*.c"))
        try:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                objects = list(pool.map(compile_one, sources))
            subprocess.run([*compiler, *objects, *LINK, "-o", str(target)], check=True)
        except FileNotFoundError:
            sys.exit(f"logitscope: a C compiler is needed, and there is no {compiler[0]}")


def assemble(folder, library=None):
    """Writes the package into an empty folder. If no library is given, compiles the engine."""
    _need_sources()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for source in _package_files():
        shutil.copyfile(source, folder / source.name)
    (folder / "_settings.py").write_text(_settings(), encoding="utf-8")
    data = {"version": _version(), "order": _order(), "structs": _structs()}
    data["sentences"] = _sentences()
    (folder / "data.json").write_text(json.dumps(data, indent=0) + "\n", encoding="utf-8")
    if library:
        shutil.copyfile(library, folder / LIBRARY)
    else:
        _compile(folder / LIBRARY)


def _metadata():
    project = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    lines = {
        "Metadata-Version": "2.1",
        "Name": "logitscope",
        "Version": _version(),
        "Summary": re.search(r'^description = "(.*)"$', project, re.MULTILINE)[1],
        "License": "MIT",
        "Requires-Python": ">=3.9",
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def make_wheel(folder, package, site=None):
    """Writes a wheel of an assembled package and returns its file name. `site` is the packed
    page."""
    tag = f"py3-none-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    info = f"logitscope-{_version()}.dist-info"
    paths = sorted(path for path in package.iterdir() if path.is_file())
    files = {f"logitscope/{path.name}": path.read_bytes() for path in paths}
    if site:
        files[f"logitscope/{SITE}"] = site
    files[f"{info}/METADATA"] = _metadata().encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: build_package\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files[f"{info}/WHEEL"] = wheel.encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"logitscope-{_version()}-{tag}.whl"
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(_entry(path), data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        assemble(folder)
        return make_wheel(wheel_directory, pathlib.Path(folder), _site())


def build_sdist(sdist_directory, config_settings=None):
    _need_sources()
    base = f"logitscope-{_version()}"
    paths = {path: path.name for path in (HERE / "pyproject.toml", HERE / "build_package.py")}
    paths.update({path: f"logitscope/{path.name}" for path in _package_files()})
    kept = [*(ROOT / "src").glob("*.[ch]"), ROOT / "LICENSE", *(ROOT / name for name in FACTS)]
    paths.update({path: path.relative_to(ROOT).as_posix() for path in kept})
    files = {name: path.read_bytes() for path, name in paths.items()}
    files["PKG-INFO"] = _metadata().encode()
    site = _site()
    if site:
        files[SITE] = site
    name = f"{base}.tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as raw:
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=TIME) as packed:
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for path, data in sorted(files.items()):
                    entry = tarfile.TarInfo(f"{base}/{path}")
                    entry.size, entry.mtime, entry.mode = len(data), TIME, 0o644
                    archive.addfile(entry, io.BytesIO(data))
    return name


def main(what, folder, source, site=None):
    if what == "assemble":
        assemble(folder, source)
    elif what == "site":
        pathlib.Path(folder).write_bytes(site_archive(pathlib.Path(source)))
    elif what == "wheel":
        page = site_archive(pathlib.Path(site)) if site else None
        print(os.path.join(folder, make_wheel(folder, pathlib.Path(source), page)))
    else:
        sys.exit(f"unknown command: {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Runs clang-tidy over every source of a built tree, on all cores, and remembers what was clean.

    tests/architecture/tidy.py BUILD_DIR [FILE...]

A file is remembered under a hash of everything that decides its result: the tool, .clang-tidy, the
compiler's arguments, and the content of the source and of each header it includes, as the build's
own dependency records name them. So a second run costs seconds, and a changed header brings back
exactly the files that see it. Exits 1 when there is a finding, 2 when it cannot run.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("core/", "sipplugin/", "tests/")
# Findings differ between versions, so one of them is the one of record.
TOOL = "clang-tidy-14"
# GCC's warnings are unknown to clang. The path analysis looks at our code: what it does inside the
# standard library takes three quarters of its time and finds nothing that is ours.
EXTRA = ["-Wno-unknown-warning-option"]
for setting in ("c++-stdlib-inlining=false", "max-nodes=75000"):
    EXTRA += ["-Xclang", "-analyzer-config", "-Xclang", setting]
DROPPED_ALONE = {"-MD", "-MMD", "-c"}
DROPPED_WITH_VALUE = {"-o", "-MT", "-MF"}


def fail(message):
    print(f"tidy.py: {message}", file=sys.stderr)
    sys.exit(2)


def includes_of(header):
    """-include of that header; of one that CMake has precompiled, with GCC, the headers in it."""
    if not header.endswith("cmake_pch.hxx"):
        return ["-include", header]
    lines = pathlib.Path(header).read_text().splitlines()
    names = [line.split('"')[1] for line in lines if line.startswith("#include \"")]
    return [word for name in names for word in ("-include", name)]


def parsed_command(entry):
    """(arguments after the compiler's name, less what only writes files; the object file)."""
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if word.endswith(("++", "cc", "clang")) and "ccache" not in word)
    made = words[words.index("-o") + 1]
    arguments, rest = [], iter(words[compiler + 1 :])
    for word in rest:
        if word in DROPPED_WITH_VALUE:
            next(rest)
        elif word == "-include":
            arguments += includes_of(next(rest))
        elif word not in DROPPED_ALONE and word != entry["file"]:
            arguments.append(word)
    return arguments, made


def sources(build):
    """file relative to the checkout -> (compiler arguments, object file)."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(SOURCE) and not path.is_relative_to(build):
            name = str(path.relative_to(SOURCE))
            if name.startswith(FOLDERS):
                found.setdefault(name, parsed_command(entry))
    return found


def dependencies(build):
    """object file -> the files it was made of, as ninja recorded them."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found, current = {}, None
    for line in listing.splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = found.setdefault(line.split(": #deps")[0], [])
    return found


@functools.lru_cache(maxsize=None)
def digest_of(path):
    return hashlib.sha256(path.read_bytes()).digest()


def key_of(name, arguments, files, version, build):
    key = hashlib.sha256(version)
    for config in sorted({SOURCE / ".clang-tidy", *SOURCE.glob("*/.clang-tidy")}):
        key.update(digest_of(config))
    key.update("\0".join([name, *arguments, *EXTRA]).replace(str(SOURCE), ".").encode())
    for file in files:
        key.update(digest_of((build / file).resolve()))
    return key.hexdigest()


def inspect(tool, build, name, arguments):
    command = [tool, "--quiet", str(SOURCE / name), "--", *arguments, *EXTRA]
    result = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
    # On standard error are only counts of suppressed warnings, unless the tool itself failed.
    return result.returncode == 0, result.stdout or result.stderr


def main():
    if len(sys.argv) < 2:
        fail("usage: tidy.py BUILD_DIR [FILE...]")
    build = pathlib.Path(sys.argv[1]).resolve()
    tool = shutil.which(TOOL) or fail(f"{TOOL} is not installed")
    version = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "restante-tidy"
    cache.mkdir(parents=True, exist_ok=True)

    wanted, made_of, pending = sources(build), dependencies(build), []
    chosen = sys.argv[2:] or sorted(wanted)
    for name in chosen:
        arguments, made = wanted[name]
        files = made_of.get(made) or fail(f"{name} is not built yet: cmake --build {build}")
        key = key_of(name, arguments, files, version, build)
        if not (cache / key).exists():
            pending.append((name, arguments, cache / key))

    print(f"{len(chosen)} files, {len(pending)} to inspect", flush=True)
    findings = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:

        def work(item):
            begun = time.monotonic()
            clean, output = inspect(tool, build, item[0], item[1])
            return clean, output, time.monotonic() - begun

        for item, (clean, output, seconds) in zip(pending, pool.map(work, pending)):
            print(f"{'clean' if clean else 'FOUND'} {seconds:5.1f} s  {item[0]}", flush=True)
            if clean:
                item[2].touch()
            else:
                findings += 1
                print(output.replace(f"{SOURCE}/", ""), flush=True)
    print(f"{findings} of {len(chosen)} files have findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Counts what Redis needs for a message, in instructions, which do not change with what else the machine does.

    tests/bench/script_instructions.py [--lua FOLDER] [--profile FOLDER] [WORK ...]

Starts a redis-server of its own under valgrind's callgrind, set up as the embedded one is, and sends it
calls as core/redis/store composes them: batches of 32, whole conversations from socket to socket. WORK:

    bare       the loop of the bare SIP server: a script of SET and ZADD for each message
    push       push_mailbox.lua, a mailbox of 1,000 for each message in turn
    arguments  a script that is given the arguments of `push` and returns
    writes     what `push` writes, as plain commands, taken from the append-only file
    arrive     arrive.lua, of recipients for each of whom one message waits
    finish     finish.lua, of these messages
    register   arrive.lua, of recipients who have no mail
    claim      claim.lua, sixteen workers in a call who want one job each
    done       finish.lua, of these jobs, as many in a call

All of them unless some are named. --lua is the folder of the repository's core and sipplugin with other
scripts, for a comparison; --profile gets what callgrind_annotate says about each. Needs the packages
valgrind and redis-server.
"""

import argparse
import hashlib
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BATCH = 32
MAILBOXES = 1_000
K = "rst:{s0}:"
NOW = int(time.time() * 1000)  # what lives until a time would be gone at once in the past
BODY = 256
FIRST_PORT = 45_678


def script(root, path):
    """The text of a script, put together as resources/cmake/EmbedLua.cmake does it."""
    folder, seen = (root / path).parent, set()

    def part(match):
        name = match[1]
        if name in seen:
            return ""
        seen.add(name)
        file = folder / name
        return (file if file.exists() else root / "core/lua" / name).read_text()

    text = (root / path).read_text()
    while re.search(r"--#include ([a-z_/]+[.]lua)\n", text):
        text = re.sub(r"--#include ([a-z_/]+[.]lua)\n", part, text, count=1)
    return text


def big_endian(number, size):
    return number.to_bytes(size, "big")


def text(value):
    return value if isinstance(value, bytes) else str(value).encode()


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in map(text, words))


class Server:
    """A redis-server under callgrind. The counts are those of all its threads."""

    def __init__(self, folder):
        self.folder = folder
        address = folder / "redis.sock"
        self.out = folder / "callgrind.out"
        # The embedded server's settings; its timer, which counts by the clock, as seldom as it can be.
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.out}", "redis-server",
             "--port", "0", "--unixsocket", address, "--dir", folder, "--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
             "--auto-aof-rewrite-percentage", "0", "--hash-max-listpack-value", "1024",
             "--lazyfree-lazy-expire", "yes", "--hz", "1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + 60
        while self.socket.connect_ex(str(address)) != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("script_instructions: redis-server did not start under valgrind")
            time.sleep(0.1)
        self.stream = self.socket.makefile("rb")

    def read(self):
        line = self.stream.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            sys.exit("script_instructions: Redis answers " + rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.stream.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        return rest

    def send(self, calls):
        self.socket.sendall(b"".join(calls))
        return [self.read() for _ in calls]

    def control(self, what):
        subprocess.run(["callgrind_control", what, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def count(self, batches, profile=None):
        """The instructions of these batches, a list of calls each."""
        self.control("--instr=on")
        for calls in batches:
            self.send(calls)
        self.control("--dump")
        file = pathlib.Path(f"{self.out}.1")
        total = int(re.findall(r"^(?:totals|summary): (\d+)", file.read_text(), re.M)[-1])
        if profile:
            for name, more in {"self": [], "inclusive": ["--inclusive=yes"]}.items():
                with open(f"{profile}.{name}", "w") as report:
                    subprocess.run(["callgrind_annotate", "--threshold=100", *more, str(file)], stdout=report, check=True)
        return total

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Ids:
    """As JobIdGenerator makes them: sixteen neighbours differ in their last character."""

    def __init__(self):
        self.made = 5  # calls do not begin where sixteen ids do

    def next(self):
        block, slot = divmod(self.made, 16)
        self.made += 1
        random = hashlib.sha256(b"%d" % (block // 64)).hexdigest().upper()[:7]
        return f"01KA{block // 64:06X}0000{random}{block % 64:04X}{slot:X}"


def record(recipient, number, lane=b"sip:5:sip"):
    """docs/redis-schema.md, "The record", of what the benchmark sends."""
    def field(tag, value):
        size = len(value)
        varint = bytes([size]) if size < 128 else bytes([size % 128 + 128, size // 128])
        return bytes([tag]) + varint + value

    to = recipient.encode()
    out = b"\1\0" + big_endian(120_000, 4) + big_endian(NOW + number // 8 + 7 * 86_400_000, 6)
    out += big_endian(NOW + number // 8, 6) + bytes([len(lane)]) + lane + big_endian(len(to), 2) + to
    out += field(1, b"text/plain")
    out += field(2, b"From\0<sip:alice@127.0.0.1>") + field(2, b"To\0<" + to + b">")
    out += field(2, b"Date\0Fri, 21 Nov 2025 04:40:00 GMT") + field(3, b"sip:alice@127.0.0.1")
    out += field(4, b"bench-%d-%d" % (FIRST_PORT, number))
    return out + field(7, (b"%d " % number + b"x" * BODY)[:BODY])


def packed_options():
    """mailboxPushOptionsOf() of core/redis/store/redis_job_store.cpp with the default limits."""
    def entry(name, number):
        return bytes([0xA0 | len(name)]) + name + b"\xcf" + big_endian(number, 8)

    pairs = {b"ms": 86_400_000, b"limit": 10_000, b"bytes": 64 << 20, b"total": 1_000_000, b"totalBytes": 2 << 30}
    return bytes([0x80 | len(pairs)]) + b"".join(entry(*pair) for pair in pairs.items())


class Calls:
    """Calls as ScriptQueue composes them, for one Redis."""

    def __init__(self, server, root):
        self.server = server
        self.ids = Ids()
        self.sha = {}
        for path in ("core/lua/push.lua", "core/lua/claim.lua", "core/lua/push_mailbox.lua", "core/lua/finish.lua", "sipplugin/lua/arrive.lua"):
            self.load(pathlib.Path(path).stem, script(root, path))
        self.load("arguments", "#!lua\nlocal now = tonumber(ARGV[1])\nreturn 'ok'")
        self.load("bare", "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])")
        server.send([command("SET", K + "serving:token", "1")])

    def load(self, name, body):
        self.sha[name] = self.server.send([command("SCRIPT", "LOAD", body)])[0]

    def call(self, name, now, items, common=()):
        words = [*common, *(word for item in items for word in item)]
        return command("EVALSHA", self.sha[name], 2, K, K + "serving:token", now, 100_000, "host/1234", *words)

    def pushes(self, name, first, count, mailboxes=MAILBOXES):
        """Batches of one call; and the ids with their recipients."""
        batches, pushed = [], []
        for start in range(first, first + count, BATCH):
            items = []
            for number in range(start, start + BATCH):
                recipient, id = f"sip:u{number % mailboxes}@127.0.0.1", self.ids.next()
                once = hashlib.sha256(b"once %d" % number).digest()[:16]
                items.append([id, NOW + number // 8 + 600_000, record(recipient, number), once])
                pushed.append((id, recipient))
            batches.append([self.call(name, NOW + start // 8, items, [packed_options()])])
        return batches, pushed

    def arrivals(self, recipients):
        def binding(user):
            def counted(value):
                return big_endian(len(value), 4) + value
            contact = b"<sip:%b@127.0.0.1:%d>" % (user, FIRST_PORT)
            out = b"\1" + big_endian(NOW + 600_000, 6) + big_endian(NOW, 6) + big_endian(1, 4)
            out += counted(b"reg-%b-%d" % (user, FIRST_PORT)) + counted(b"udp:127.0.0.1:5060") + counted(b"")
            out += big_endian(1_000, 2) + b"\0"
            for value in (b"UDP", b"127.0.0.1:%d" % FIRST_PORT, contact, b"", b""):
                out += counted(value)
            return contact, out + b"\0"

        batches = []
        for start in range(0, len(recipients), BATCH):
            items = []
            for recipient in recipients[start:start + BATCH]:
                user = recipient.split("@")[0][4:].encode()
                contact, bound = binding(user)
                items.append([recipient, "some", b"reg-%b-%d" % (user, FIRST_PORT), 1, 10, 1, 1, 0, 1, contact, "", bound])
            batches.append([self.call("arrive", NOW + 60_000 + start // 8, items)])
        return batches

    def finishes(self, pushed, batch=BATCH, at=NOW + 61_000):
        items = [[id, 1, recipient, 0, 0, "", ""] for id, recipient in pushed]
        return [[self.call("finish", at, items[n:n + batch])] for n in range(0, len(items), batch)]

    def jobs(self, count):
        """Pushes of jobs to be pulled, in batches of one call; and the ids, without recipients."""
        batches, pushed = [], []
        for start in range(0, count, BATCH):
            items = [[self.ids.next(), NOW + number // 8, record("", number, b"pull:5:order"), ""]
                     for number in range(start, start + BATCH)]
            pushed += [(item[0], "") for item in items]
            batches.append([self.call("push", NOW + start // 8, items)])
        return batches, pushed

    def claims(self, count):
        request = ["pull", 1, "", 1, "order"]
        return [[self.call("claim", NOW + 60_000 + n, [request] * WORKERS)] for n in range(0, count, WORKERS)]

    def bare(self, first, count):
        def one(number):
            body = (b"%d " % number + b"x" * BODY)[:BODY]
            return command("EVALSHA", self.sha["bare"], 2, f"bare:{{s0}}:j:{number}", "bare:{s0}:due", body, NOW, number)
        return [[one(number) for number in range(start, start + BATCH)] for start in range(first, first + count, BATCH)]


def logged_writes(server, already):
    """The commands behind the first `already` bytes of the append-only file, in batches of one transaction."""
    data = max((server.folder / "appendonlydir").glob("*.incr.aof")).read_bytes()[already:]
    batches, at = [[]], 0
    while at < len(data):
        end = data.index(b"\r\n", at)
        begin, words, at = at, [], end + 2
        for _ in range(int(data[begin + 1:end])):
            end = data.index(b"\r\n", at)
            size = int(data[at + 1:end])
            words.append(data[end + 2:end + 2 + size])
            at = end + 4 + size
        if words[0] == b"MULTI":
            batches.append([])
        elif words[0] not in (b"EXEC", b"SELECT"):
            if words[0] == b"XADD":  # the stream has later ids by then
                words = [b"*" if re.fullmatch(rb"\d+-\d+", word) else word for word in words]
            batches[-1].append(command(*words))
    return [batch for batch in batches if batch]


WARM, COUNTED, RETURNING, PULLED = 125 * BATCH, 250 * BATCH, 64 * BATCH, 64 * BATCH
WORKERS = 16


def work_of(name, root, server):
    """What is done before, what is counted, and for how many messages."""
    calls = Calls(server, root)
    if name == "bare":
        return calls.bare(0, WARM), calls.bare(WARM, COUNTED), COUNTED
    if name in ("push", "arguments"):
        script_name = "push_mailbox" if name == "push" else name
        warm, _ = calls.pushes(script_name, 0, WARM)
        counted, _ = calls.pushes(script_name, WARM, COUNTED)
        return warm, counted, COUNTED
    if name == "writes":
        warm, _ = calls.pushes("push_mailbox", 0, WARM)
        counted, _ = calls.pushes("push_mailbox", WARM, COUNTED)
        for batch in warm:
            server.send(batch)
        log = max((server.folder / "appendonlydir").glob("*.incr.aof"))
        server.send([command("PING")])
        already = log.stat().st_size
        for batch in counted:
            server.send(batch)
        server.send([command("PING")])
        writes = logged_writes(server, already)
        # The same state as before them.
        server.send([command("FLUSHALL"), command("SET", K + "serving:token", "1")])
        return warm, writes, COUNTED
    if name in ("claim", "done"):
        pushes, pushed = calls.jobs(PULLED)
        claims = calls.claims(PULLED)
        if name == "claim":
            return pushes, claims, PULLED
        return pushes + claims, calls.finishes(pushed, WORKERS, NOW + 70_000), PULLED
    warm, pushed = calls.pushes("push_mailbox", 0, RETURNING, RETURNING)
    arrive = calls.arrivals([recipient for _, recipient in pushed])
    if name == "register":
        return [], arrive, RETURNING
    if name == "arrive":
        return warm, arrive, RETURNING
    return warm + arrive, calls.finishes(pushed), RETURNING


def main():
    works = ["bare", "push", "arguments", "writes", "arrive", "finish", "register", "claim", "done"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", nargs="*", metavar="WORK")
    parser.add_argument("--lua", type=pathlib.Path, default=SOURCE)
    parser.add_argument("--profile", type=pathlib.Path)
    asked = parser.parse_args()
    for name in asked.work:
        if name not in works:
            parser.error(f"unknown work {name}; there are {', '.join(works)}")
    for needed in ("valgrind", "callgrind_control", "redis-server"):
        if not shutil.which(needed):
            sys.exit(f"script_instructions: {needed} is missing: apt-get install valgrind redis-server")
    if asked.profile:
        asked.profile.mkdir(parents=True, exist_ok=True)
    for name in asked.work or works:
        with tempfile.TemporaryDirectory(prefix="instructions-") as folder:
            server = Server(pathlib.Path(folder))
            try:
                before, counted, messages = work_of(name, asked.lua, server)
                for batch in before:
                    server.send(batch)
                total = server.count(counted, asked.profile and asked.profile / name)
                print(f"{name:10} {total / messages / 1000:8.1f} k instructions a message", flush=True)
            finally:
                server.stop()


if __name__ == "__main__":
    main()

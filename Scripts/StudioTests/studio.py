"""A studio that runs for a test, and what is sent to it without a browser."""

import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["CLEANPLATE_STUDIO"])
COMMAND = pathlib.Path(os.environ["CLEANPLATE"])


def memory(process):
    """The most bytes that a process has had in memory."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024


def children(process):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(path.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def state_of(process):
    """As the kernel calls it: "T" is stopped, "Z" waits to be asked how it ended, None is not there."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_alive(process):
    return state_of(process) not in (None, "Z")


class Studio:
    """Runs the program in a folder of its own; ends it by Ctrl-C and looks whether anything is left behind."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="studio-test-")
        self.work = pathlib.Path(self.folder.name, "work")
        self.keep = pathlib.Path(self.folder.name, "kept")
        self.work.mkdir()
        environment = dict(os.environ, TMPDIR=str(self.work))
        self.process = subprocess.Popen(
            [PROGRAM, "--port", "0", "--keep", str(self.keep), *map(str, arguments)], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the studio ended: " + "".join(self.lines))
            self.lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        text = "".join(self.lines)
        self.address = re.search(r"at (https?://\S+)", text).group(1)
        self.scheme, self.port = re.match(r"(https?)://127.0.0.1:(\d+)", self.address).groups()
        self.port = int(self.port)
        self.host = f"127.0.0.1:{self.port}"
        code = re.search(r"#([a-z0-9]+)(?:&|$)", self.address)
        self.code = code.group(1) if code else None

    def connection(self, timeout=60):
        if self.scheme == "http":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        context = ssl._create_unverified_context()
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)

    def ask(self, method, path, body=None, headers=None, own=True):
        """One request; returns the status, the headers and the body."""
        connection = self.connection()
        sent = {"X-Cleanplate": "1"} if own else {}
        sent.update(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        bytes_ = answer.read()
        connection.close()
        return answer.status, answer.headers, bytes_

    def json(self, method, path, body=None, **more):
        status, _, bytes_ = self.ask(method, path, body, **more)
        assert 200 <= status < 300, (status, bytes_)
        return json.loads(bytes_) if bytes_ else None

    def wait(self, session, isDone, seconds=180):
        """Follows a session's events until a state is as wanted."""
        connection = self.connection(timeout=seconds)
        connection.request("GET", f"/api/sessions/{session}/events")
        answer = connection.getresponse()
        for line in answer:
            if line.startswith(b"data: "):
                state = json.loads(line[6:])
                if "id" in state and isDone(state):
                    connection.close()
                    return state
        raise AssertionError("the stream ended")

    @property
    def memory(self):
        """The most bytes that the process that is asked has had in memory."""
        return memory(self.process.pid)

    @property
    def workers(self):
        """The processes of its sessions."""
        return children(self.process.pid)

    def worker(self, session):
        """The process that does a session's work: the one that holds its socket."""
        sockets = [line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines()]
        ours = {f"socket:[{line[6]}]" for line in sockets if line[-1].endswith(session.upper())}
        for process in self.workers:
            for path in pathlib.Path(f"/proc/{process}/fd").iterdir():
                try:
                    if os.readlink(path) in ours:
                        return process
                except FileNotFoundError:
                    continue
        raise AssertionError(f"nobody works for {session}")

    def end(self):
        """Ctrl-C; returns the exit code, and what lies in its temporary folder and works for it then."""
        workers = self.workers
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        left = list(self.work.iterdir()) + [process for process in workers if is_alive(process)]
        self.folder.cleanup()
        return code, left

    def __enter__(self):
        return self

    def __exit__(self, *_):
        code, left = self.end()
        assert code == 0, code
        assert left == [], left

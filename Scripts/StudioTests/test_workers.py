"""Sessions work in processes of their own: what ends one of them ends no other, and nothing outlives the studio."""

import concurrent.futures
import json
import os
import signal
import socket
import tempfile
import time
import unittest

from browser import Browser
from studio import ROOT, Studio, is_alive, state_of

PLAZA = sorted((ROOT / "TestData/plaza").glob("*.jpg"))


def until(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.02)


def fill(studio):
    session = studio.json("POST", "/api/sessions")["id"]
    for path in PLAZA:
        studio.json("POST", f"/api/sessions/{session}/frames?name={path.name}", path.read_bytes())
    return session


def make(studio, session):
    studio.json("POST", f"/api/sessions/{session}/plate", {})
    return studio.wait(session, lambda state: state["phase"] == "ready" or "problem" in state)


class Events:
    """The lines of a session's events, while others are asked."""

    def __init__(self, studio, session):
        self.connection = studio.connection(timeout=120)
        self.connection.request("GET", f"/api/sessions/{session}/events")
        self.answer = self.connection.getresponse()
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.lines = self.pool.submit(lambda: self.answer.read().decode())

    def text(self, seconds=20):
        text = self.lines.result(timeout=seconds)
        self.connection.close()
        return text


class Faults(unittest.TestCase):
    def test_a_fault_ends_one_session_alone(self):
        with Studio() as studio:
            for number in [signal.SIGKILL, signal.SIGSEGV]:
                with self.subTest(number):
                    broken, other = fill(studio), fill(studio)
                    events = Events(studio, broken)
                    # Both are at work when one of them breaks off.
                    for session in [broken, other]:
                        studio.json("POST", f"/api/sessions/{session}/plate", {})
                    os.kill(studio.worker(broken), number)
                    text = events.text()
                    self.assertIn("\n\nevent: broken\ndata: {", text)
                    for event in text.split("\n\n"):
                        for line in event.splitlines():
                            if line.startswith("data: "):
                                json.loads(line[6:])
                    self.assertIn("work broke off", text)
                    for method, path in [("GET", ""), ("GET", "/events"), ("POST", "/undo"), ("GET", "/tile?level=0&x=0&y=0")]:
                        status, _, body = studio.ask(method, f"/api/sessions/{broken}{path}")
                        self.assertEqual(status, 410, path)
                        self.assertIn("broke off", json.loads(body)["problem"])
                    self.assertEqual([one["id"] for one in studio.json("GET", "/api/sessions")["open"]], [other])
                    self.assertEqual(len(list(studio.work.iterdir())), 1, "its files are gone")
                    state = studio.wait(other, lambda state: state["phase"] == "ready" or "problem" in state)
                    self.assertEqual(len(state["plate"]["frames"]), len(PLAZA))
                    self.assertEqual(studio.ask("GET", f"/api/sessions/{other}/plate")[0], 200)
                    studio.ask("DELETE", f"/api/sessions/{other}")

    def test_places_are_given_back(self):
        with Studio() as studio:
            made = [studio.json("POST", "/api/sessions")["id"] for _ in range(12)]
            self.assertEqual(studio.ask("POST", "/api/sessions")[0], 429)
            for process in studio.workers:
                os.kill(process, signal.SIGKILL)
            until(lambda: studio.json("GET", "/api/sessions")["open"] == [], "all are told")
            self.assertEqual(list(studio.work.iterdir()), [])
            for session in made[:2]:
                self.assertEqual(studio.ask("GET", f"/api/sessions/{session}")[0], 410)
            for _ in range(12):
                studio.json("POST", "/api/sessions")

    def test_many_at_once_fill_no_more_places_than_there_are(self):
        with Studio() as studio, concurrent.futures.ThreadPoolExecutor(30) as pool:
            told = list(pool.map(lambda _: studio.ask("POST", "/api/sessions")[0], range(30)))
            self.assertEqual(sorted(told), [201] * 12 + [429] * 18)

    def test_one_that_does_nothing_more_holds_up_no_other(self):
        with Studio() as studio:
            stuck, other = fill(studio), studio.json("POST", "/api/sessions")["id"]
            self.assertEqual({one["id"]: one["frames"] for one in studio.json("GET", "/api/sessions")["open"]},
                             {stuck: len(PLAZA), other: 0})
            process = studio.worker(stuck)
            os.kill(process, signal.SIGSTOP)
            until(lambda: state_of(process) == "T", "it is stopped")
            begun = time.monotonic()
            listed = studio.json("GET", "/api/sessions")["open"]
            self.assertLess(time.monotonic() - begun, 5)
            self.assertEqual({one["id"]: one["frames"] for one in listed}, {stuck: len(PLAZA), other: 0}, "as told before")
            self.assertEqual(studio.ask("GET", f"/api/sessions/{other}")[0], 200)
            self.assertEqual(studio.ask("DELETE", f"/api/sessions/{stuck}")[0], 204)
            self.assertEqual([one["id"] for one in studio.json("GET", "/api/sessions")["open"]], [other])
            self.assertEqual(len(studio.workers), 1)

    def test_what_was_kept_is_opened_again(self):
        with Studio() as studio:
            session = fill(studio)
            made = make(studio, session)
            studio.json("POST", f"/api/sessions/{session}/keep")
            crop = made["plate"]["crop"]
            points = [[crop["x"] + crop["width"] / 2 + 20 * step, crop["y"] + crop["height"] / 2] for step in range(4)]
            stroke = {"radius": 40, "points": points}
            edited = studio.json("POST", f"/api/sessions/{session}/edits", {"do": "take", "frame": 1, "stroke": stroke})
            plate = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
            os.kill(studio.worker(session), signal.SIGKILL)
            until(lambda: studio.ask("GET", f"/api/sessions/{session}")[0] == 410, "told")
            self.assertIn("open it again", json.loads(studio.ask("GET", f"/api/sessions/{session}")[2])["advice"])
            self.assertEqual(studio.json("POST", f"/api/kept/{session}")["id"], session)
            state = studio.wait(session, lambda state: state["phase"] == "ready" or "problem" in state)
            self.assertEqual(state["edits"], edited["edits"])
            self.assertEqual(studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2], plate)

    def test_a_fault_while_it_is_kept_leaves_nothing_half_kept(self):
        with Studio() as studio:
            session = fill(studio)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                kept = pool.submit(studio.ask, "POST", f"/api/sessions/{session}/keep")
                until(lambda: studio.keep.exists() and list(studio.keep.iterdir()) or kept.done(), "it has begun")
                os.kill(studio.worker(session), signal.SIGKILL)
                status = kept.result()[0]
            until(lambda: studio.ask("GET", f"/api/sessions/{session}")[0] == 410, "told")
            # Either all of it or nothing.
            names = [path.name for path in studio.keep.iterdir()]
            self.assertIn(names, [[], [session]])
            self.assertIn(status, (200, 410))

    def test_the_page_is_told(self):
        with Studio() as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            browser.run("document.getElementById('files').hidden = false")
            browser.find("#files").send_keys("\n".join(map(str, PLAZA)))
            browser.wait("window.studio.state?.frames.length > 1 && window.studio.uploads === 0", "sent")
            session = browser.run("return window.studio.state.id")
            os.kill(studio.worker(session), signal.SIGSEGV)
            browser.wait("document.querySelector('#start .alert') && !document.getElementById('start').hidden", "told")
            browser.shot("workers-1-broken")
            self.assertIn("This session's work broke off.", browser.find("#start .alert").text)
            # Another one begins as if nothing had been.
            browser.run("document.getElementById('files').hidden = false")
            browser.find("#files").send_keys("\n".join(map(str, PLAZA)))
            browser.wait(f"window.studio.state?.frames.length === {len(PLAZA)} && window.studio.uploads === 0", "sent again")
            # Who comes back to the old address is told as well.
            browser.open("about:blank")
            browser.open(f"{studio.address}#session={session}")
            browser.wait("document.querySelector('#start .alert')", "told again")
            self.assertIn("broke off", browser.find("#start .alert").text)
            self.assertEqual(browser.errors, [])


class Ends(unittest.TestCase):
    def at_work(self):
        """A studio, one of whose two sessions makes its plate, and their processes."""
        studio = Studio()
        busy = fill(studio)
        fill(studio)
        studio.json("POST", f"/api/sessions/{busy}/plate", {})
        workers = studio.workers
        self.assertEqual(len(workers), 2)
        return studio, workers

    def test_nothing_outlives_a_studio_that_is_killed(self):
        studio, workers = self.at_work()
        studio.process.kill()
        studio.process.wait()
        until(lambda: not any(map(is_alive, workers)), "they end by themselves")
        self.assertEqual(list(studio.work.iterdir()), [])
        studio.end()

    def test_ctrl_c_and_kill_end_all(self):
        for number, code in [(signal.SIGINT, 0), (signal.SIGTERM, 143)]:
            studio, workers = self.at_work()
            studio.process.send_signal(number)
            self.assertEqual(studio.process.wait(timeout=20), code)
            self.assertFalse(any(map(is_alive, workers)))
            self.assertEqual(studio.end()[1], [])

    def test_a_deep_temporary_folder_holds_sockets_too(self):
        before = os.environ.get("TMPDIR")
        try:
            os.environ["TMPDIR"] = f"/tmp/{'d' * 100}"
            os.makedirs(os.environ["TMPDIR"], exist_ok=True)
            tempfile.tempdir = None
            with Studio() as studio:
                self.assertGreater(len(str(studio.work)), 108)
                fill(studio)
        finally:
            os.rmdir(f"/tmp/{'d' * 100}")
            os.environ.pop("TMPDIR") if before is None else os.environ.__setitem__("TMPDIR", before)
            tempfile.tempdir = None


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.studio = Studio()
        cls.session = fill(cls.studio)
        make(cls.studio, cls.session)

    @classmethod
    def tearDownClass(cls):
        code, left = cls.studio.end()
        assert code == 0 and left == [], (code, left)

    def line(self, request, buffer=None):
        line = socket.socket()
        if buffer:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        line.connect(("127.0.0.1", self.studio.port))
        line.sendall(f"{request}\r\nHost: {self.studio.host}\r\nX-Cleanplate: 1\r\n".encode())
        return line

    @property
    def files(self):
        return len(list(os.scandir(f"/proc/{self.studio.process.pid}/fd")))

    def test_who_goes_away_while_sending_leaves_nothing(self):
        before = self.files
        for kind in ["video", "frames"]:
            for _ in range(10):
                with self.line(f"POST /api/sessions/{self.session}/{kind}?name=x HTTP/1.1") as line:
                    line.sendall(b"Content-Length: 50000000\r\n\r\n" + bytes(2_000_000))
        until(lambda: not [path for path in self.studio.work.rglob("video_*")], "what was half sent is gone")
        until(lambda: self.files <= before + 4, "connections end", seconds=30)
        self.assertEqual(self.studio.ask("GET", f"/api/sessions/{self.session}")[0], 200)

    def test_who_goes_away_while_reading_holds_up_nobody(self):
        before = self.files
        for path in ["aligned.tar", "plate?format=png", "events"]:
            for _ in range(5):
                with self.line(f"GET /api/sessions/{self.session}/{path} HTTP/1.1") as line:
                    line.sendall(b"\r\n")
                    self.assertTrue(line.recv(1000).startswith(b"HTTP/1.1 200"))
        # Who followed events is missed at the next word, at most 15 s later.
        until(lambda: self.files <= before + 4, "connections end", seconds=50)
        self.assertEqual(self.studio.ask("GET", f"/api/sessions/{self.session}/plate")[0], 200)

    def test_who_reads_slowly_is_waited_for_and_nothing_piles_up(self):
        whole = self.studio.ask("GET", f"/api/sessions/{self.session}/aligned.tar")[2]
        before = self.studio.memory
        with self.line(f"GET /api/sessions/{self.session}/aligned.tar HTTP/1.1", buffer=4096) as line:
            line.sendall(b"Connection: close\r\n\r\n")
            taken = len(line.recv(1000))
            for _ in range(20):
                time.sleep(0.05)
                taken += len(line.recv(4096))
                self.assertEqual(self.studio.ask("GET", f"/api/sessions/{self.session}")[0], 200)
            while part := line.recv(1 << 16):
                taken += len(part)
        self.assertGreater(taken, len(whole))
        self.assertLess(self.studio.memory - before, 16 << 20)

    def test_large_bodies_are_never_held_whole(self):
        before = self.studio.memory
        size = 300 << 20
        with self.line(f"POST /api/sessions/{self.session}/video?name=x.mp4 HTTP/1.1") as line:
            line.sendall(f"Content-Length: {size}\r\n\r\n".encode())
            part = os.urandom(1 << 20)
            for _ in range(size >> 20):
                line.sendall(part)
            line.settimeout(60)
            self.assertRegex(line.recv(200).decode(), "HTTP/1.1 422")
        grown = self.studio.memory - before
        self.assertLess(grown, 32 << 20, f"{grown >> 20} MiB for 300")

    def test_whoever_sends_in_chunks_is_taken_too(self):
        picture = PLAZA[0].read_bytes()
        session = self.studio.json("POST", "/api/sessions")["id"]
        with self.line(f"POST /api/sessions/{session}/frames?name=x.jpg HTTP/1.1") as line:
            line.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
            for start in range(0, len(picture), 10_000):
                part = picture[start:start + 10_000]
                line.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            line.sendall(b"0\r\n\r\n")
            line.settimeout(20)
            self.assertRegex(line.recv(200).decode(), "HTTP/1.1 201")
        self.studio.ask("DELETE", f"/api/sessions/{session}")

    def test_a_refusal_comes_before_all_is_sent_and_the_connection_goes_on(self):
        connection = self.studio.connection()
        session = f"/api/sessions/{self.session}"
        connection.request("POST", f"{session}/plate", body=b"{" + bytes(5_000_000), headers={"X-Cleanplate": "1"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 413)
        answer.read()
        for _ in range(3):
            connection.request("GET", session)
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            answer.read()
        connection.close()

    def test_sockets_are_for_this_user_alone(self):
        folders = list(self.studio.work.iterdir())
        self.assertTrue(folders)
        for folder in folders:
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""What somebody tries who is not the page: other names, other sites, no code, too much, too slowly."""

import concurrent.futures
import json
import pathlib
import re
import socket
import ssl
import time
import unittest

from studio import ROOT, Studio

PLAZA = sorted((ROOT / "TestData/plaza").glob("*.jpg"))


class Loopback(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.studio = Studio()

    @classmethod
    def tearDownClass(cls):
        code, left = cls.studio.end()
        assert code == 0 and left == [], (code, left)

    def test_other_names_of_the_host_are_refused(self):
        for host in ["evil.example", f"evil.example:{self.studio.port}", "127.0.0.1", "127.0.0.1:1", "", "localhost.evil"]:
            status, _, body = self.studio.ask("GET", "/api/sessions", headers={"Host": host})
            self.assertIn(status, (400, 421), (host, body))
        for host in [self.studio.host, f"localhost:{self.studio.port}", f"LOCALHOST:{self.studio.port}"]:
            self.assertEqual(self.studio.ask("GET", "/api/sessions", headers={"Host": host})[0], 200, host)

    def test_a_request_without_a_host_is_refused(self):
        with socket.create_connection(("127.0.0.1", self.studio.port)) as line:
            line.sendall(b"GET /api/sessions HTTP/1.1\r\n\r\n")
            self.assertRegex(line.recv(100).decode(), "HTTP/1.1 4")

    def test_other_sites_change_nothing(self):
        before = len(self.studio.json("GET", "/api/sessions")["open"])
        for headers, own in [
            ({"Origin": "http://evil.example"}, True), ({"Origin": "null"}, True), ({}, False),
            ({"Content-Type": "text/plain"}, False), ({"Sec-Fetch-Site": "cross-site"}, True),
            ({"Sec-Fetch-Site": "same-site"}, True), ({"Origin": f"https://{self.studio.host}"}, True),
        ]:
            self.assertEqual(self.studio.ask("POST", "/api/sessions", headers=headers, own=own)[0], 403, headers)
        self.assertEqual(len(self.studio.json("GET", "/api/sessions")["open"]), before)
        status, headers, _ = self.studio.ask(
            "OPTIONS", "/api/sessions", own=False,
            headers={"Origin": "http://evil.example", "Access-Control-Request-Headers": "x-cleanplate"})
        self.assertGreaterEqual(status, 400)
        self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_answers_bind_the_browser(self):
        for path in ["/", "/app.js", "/api/sessions", "/nothing"]:
            _, headers, body = self.studio.ask("GET", path)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertIn("frame-ancestors 'none'", policy)
        page = self.studio.ask("GET", "/")[2].decode()
        self.assertNotRegex(page, r"<script(?![^>]*src=)|\son[a-z]+=|style=|https?://(?!www.w3.org)")

    def test_no_address_leads_into_the_file_system(self):
        for path in ["/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd",
                     "/Page/index.html", "/api/sessions/..%2f..%2fetc", "/style.css/../../../etc/passwd", "/app.js%00"]:
            status, _, body = self.studio.ask("GET", path)
            self.assertGreaterEqual(status, 400, path)
            self.assertNotIn(b"root:", body)
        self.assertEqual(self.studio.ask("POST", "/api/kept/..%2f..%2f..%2fetc")[0], 404)

    def test_names_of_uploads_are_words_only(self):
        session = self.studio.json("POST", "/api/sessions")["id"]
        for name in ["../../../tmp/owned.jpg", "/etc/cron.d/x", "a%00b.jpg", "..", "<img src=x onerror=1>.jpg", "x" * 4000]:
            from urllib.parse import quote
            self.studio.json("POST", f"/api/sessions/{session}/frames?name={quote(name)}", PLAZA[0].read_bytes())
        names = [frame["name"] for frame in self.studio.json("GET", f"/api/sessions/{session}")["frames"]]
        self.assertTrue(all("/" not in name and "\0" not in name and len(name) <= 120 for name in names), names)
        files = [path.name for path in self.studio.work.rglob("*") if path.is_file()]
        self.assertTrue(all(re.fullmatch(r"frame_\d+\.jpg", name) for name in files), files)
        self.assertFalse(pathlib.Path("/tmp/owned.jpg").exists())
        self.studio.ask("DELETE", f"/api/sessions/{session}")

    def test_what_is_no_picture_is_refused_in_words(self):
        session = self.studio.json("POST", "/api/sessions")["id"]
        bomb = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (60000).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0" + b"\0" * 40
        for body in [b"", b"hello", PLAZA[0].read_bytes()[:300], bomb]:
            status, _, told = self.studio.ask("POST", f"/api/sessions/{session}/frames?name=x", body)
            self.assertEqual(status, 422, told)
            self.assertIn("problem", json.loads(told))
        self.assertEqual(self.studio.json("GET", f"/api/sessions/{session}")["frames"], [])
        self.studio.ask("DELETE", f"/api/sessions/{session}")

    def test_too_much_is_refused_before_it_is_read(self):
        session = self.studio.json("POST", "/api/sessions")["id"]
        with socket.create_connection(("127.0.0.1", self.studio.port)) as line:
            line.sendall(f"POST /api/sessions/{session}/frames HTTP/1.1\r\nHost: {self.studio.host}\r\nX-Cleanplate: 1\r\n"
                         f"Content-Length: 99999999999\r\n\r\n".encode())
            line.settimeout(10)
            self.assertRegex(line.recv(200).decode(), "HTTP/1.1 413")
        for path in ["edits", "plate", "live"]:
            for body in ["{", "[]", '{"do":"take"}', "[" * 100_000, '{"do":"keep","point":[1e999,0]}', "\0\0"]:
                status = self.studio.ask("POST", f"/api/sessions/{session}/{path}", body)[0]
                self.assertIn(status, (400, 409, 413, 422), (path, body[:40]))
        for query in ["level=99&x=0&y=0", "level=0&x=-1&y=0", "level=0&x=99999999999999999999&y=0", "level=0", ""]:
            self.assertIn(self.studio.ask("GET", f"/api/sessions/{session}/tile?{query}")[0], (400, 404))
        self.studio.ask("DELETE", f"/api/sessions/{session}")

    def test_sessions_are_bounded(self):
        made = []
        for _ in range(40):
            status, _, body = self.studio.ask("POST", "/api/sessions")
            if status != 201:
                break
            made.append(json.loads(body)["id"])
        self.assertEqual(status, 429)
        for session in made:
            self.studio.ask("DELETE", f"/api/sessions/{session}")

    def test_the_slow_and_the_many_hold_up_nobody(self):
        session = self.studio.json("POST", "/api/sessions")["id"]
        address = ("127.0.0.1", self.studio.port)
        lines = [socket.create_connection(address) for _ in range(200)]
        for number, line in enumerate(lines):
            if number % 4 == 0:
                line.sendall(b"GET / HT")
            elif number % 4 == 1:
                line.sendall(f"GET /api/sessions/{session}/events HTTP/1.1\r\nHost: {self.studio.host}\r\n\r\n".encode())
            elif number % 4 == 2:
                line.sendall(f"POST /api/sessions/{session}/frames HTTP/1.1\r\nHost: {self.studio.host}\r\nX-Cleanplate: 1\r\n"
                             f"Content-Length: 1000000\r\n\r\nabc".encode())
        try:
            for path in PLAZA:
                self.studio.json("POST", f"/api/sessions/{session}/frames?name={path.name}", path.read_bytes())
            self.studio.json("POST", f"/api/sessions/{session}/plate", {})
            state = self.studio.wait(session, lambda state: state["phase"] == "ready" or "problem" in state)
            self.assertNotIn("problem", state)
            self.assertEqual(len(state["plate"]["frames"]), len(PLAZA))
        finally:
            for line in lines:
                line.close()
        self.studio.ask("DELETE", f"/api/sessions/{session}")


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.studio = Studio("--lan")

    @classmethod
    def tearDownClass(cls):
        code, left = cls.studio.end()
        assert code == 0 and left == [], (code, left)

    def test_only_the_code_lets_in_and_only_once(self):
        studio = self.studio
        self.assertEqual(studio.scheme, "https")
        self.assertEqual(studio.ask("GET", "/")[0], 200)
        for method, path in [("GET", "/api/sessions"), ("POST", "/api/sessions"), ("POST", "/api/kept/x")]:
            self.assertEqual(studio.ask(method, path)[0], 401)
            self.assertEqual(studio.ask(method, path, headers={"Cookie": "__Host-cleanplate=guess"})[0], 401)
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            wrong = list(pool.map(lambda code: studio.ask("POST", "/api/enter", {"code": code})[0], ["a", "", studio.code[:-1], "z" * 100]))
        self.assertEqual(wrong, [401] * 4)
        self.assertGreater(time.monotonic() - begun, 2, "who guesses waits, one after another")
        status, headers, _ = studio.ask("POST", "/api/enter", {"code": studio.code})
        self.assertEqual(status, 204)
        cookie = headers["Set-Cookie"]
        for part in ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"]:
            self.assertIn(part, cookie)
        self.assertEqual(studio.ask("POST", "/api/enter", {"code": studio.code})[0], 401, "it was good for one")
        value = cookie.split(";")[0]
        self.assertEqual(studio.ask("GET", "/api/sessions", headers={"Cookie": value})[0], 200)
        self.assertEqual(studio.ask("GET", "/api/sessions", headers={"Cookie": value, "Origin": "https://evil.example"})[0], 403)
        self.assertEqual(studio.ask("GET", "/api/sessions", headers={"Cookie": value, "Host": "evil.example"})[0], 421)

    def test_plain_http_and_old_tls_are_not_spoken(self):
        with socket.create_connection(("127.0.0.1", self.studio.port)) as line:
            line.sendall(f"GET / HTTP/1.1\r\nHost: {self.studio.host}\r\n\r\n".encode())
            line.settimeout(10)
            try:
                answer = line.recv(100)
            except ConnectionResetError:
                answer = b""
            self.assertFalse(answer.startswith(b"HTTP/"), answer)
        context = ssl._create_unverified_context()
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            with socket.create_connection(("127.0.0.1", self.studio.port)) as line:
                context.wrap_socket(line)

    def test_the_certificate_is_for_this_machine(self):
        text = "".join(self.studio.lines)
        self.assertRegex(text, r"SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}")
        import hashlib
        der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", self.studio.port)))
        shown = hashlib.sha256(der).hexdigest().upper()
        self.assertIn(":".join(shown[i:i + 2] for i in range(0, 64, 2)), text)


if __name__ == "__main__":
    unittest.main(verbosity=2)

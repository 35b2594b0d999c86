"""Tests of an integration, to be copied: how a sandbox answers each outcome, asked for by the server's sample.

    VIVACE_URL=https://liveness.example VIVACE_TOKEN=… python3 test/clients/sandbox_suite.py

The company has a collection, and its server may send webhooks to this machine.
"""

import http.server
import json
import os
import pathlib
import queue
import threading
import time
import unittest

import urllib3

URL = os.environ["VIVACE_URL"]
TOKEN = {"X-Forensic-Access-Token": os.environ["VIVACE_TOKEN"]}
TYPES = ("quality", "biometry", "documents", "collection")
# What ends otherwise than with SUCCESS, by type: a resolution, or the error code of an analysis that fails.
OUTCOMES = json.loads(pathlib.Path(__file__).with_name("sandbox-outcomes.json").read_text())

pool = urllib3.PoolManager()


def call(method, path, **sent):
    answer = pool.request(method, f"{URL}/api/{path}", headers=TOKEN, **sent)
    return answer.status, json.loads(answer.data)


def submit(name, **payload):
    """Sends a folder with the sample as selfie and as document."""
    sample = pool.request("GET", f"{URL}/samples/{name}.png")
    assert sample.status == 200
    tags = {"selfie": ["photo_selfie"], "id": ["photo_id_front"]}
    file = (f"{name}.png", sample.data)
    fields = {"payload": json.dumps({"media:tags": tags, **payload}), "selfie": file, "id": file}
    return call("POST", "folders", fields=fields)


def gravest(ends):
    if any(isinstance(end, int) for end in ends):
        return "FAILED"
    return next((end for end in ("DECLINED", "OPERATOR_REQUIRED") if end in ends), "SUCCESS")


class Receiver(http.server.BaseHTTPRequestHandler):
    received = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.received.put((self.headers, json.loads(body)))

    def log_message(self, *_):
        pass


class SandboxTest(unittest.TestCase):
    def test_every_outcome_of_the_server_is_checked(self):
        status, refusal = submit("success", **{"folder:meta_data": {"sandbox": "unknown"}})
        self.assertEqual((status, refusal["error_code"]), (400, 4))
        self.assertEqual(list(OUTCOMES), refusal["details"]["expected"].split(", "))

    def test_each_sample_ends_as_it_is_called(self):
        for name in OUTCOMES.keys() - {"slow"}:
            with self.subTest(name):
                status, folder = submit(name, analyses=[{"type": kind} for kind in TYPES])
                self.assertEqual(status, 201)
                analyses = folder["analyses"]
                wanted = [OUTCOMES[name].get(kind.upper(), "SUCCESS") for kind in TYPES]
                self.assertEqual([analysis["error_code"] or analysis["resolution"] for analysis in analyses], wanted)
                self.assertEqual(folder["system_resolution"], gravest(wanted))
                for analysis in analyses:
                    told = analysis["technical_meta_data"]
                    reasons = [] if analysis["resolution"] == "SUCCESS" else [name]
                    self.assertEqual((told["sandbox"], [reason["code"] for reason in told["reasons"]]), (name, reasons))

    def test_a_slow_analysis_is_waited_for(self):
        _, folder = submit("slow")
        path = f"folders/{folder['folder_id']}"
        call("POST", f"{path}/analyses", body=json.dumps({"analyses": [{"type": "quality"}]}))
        resolutions = []
        while resolutions[-1:] in ([], ["PROCESSING"]):
            resolutions.append(call("GET", path)[1]["system_resolution"])
            time.sleep(0.5)
        self.assertEqual((resolutions[0], resolutions[-1]), ("PROCESSING", "SUCCESS"))

    def test_a_webhook_that_comes_twice_is_known_by_its_id(self):
        receiver = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        self.addCleanup(receiver.server_close)
        threading.Thread(target=receiver.serve_forever).start()
        self.addCleanup(receiver.shutdown)
        endpoint = f"http://127.0.0.1:{receiver.server_port}/"
        _, folder = submit("webhook_retried", resolution_endpoint=endpoint, analyses=[{"type": "quality"}])
        (first, told), (second, again) = (Receiver.received.get(timeout=120) for _ in range(2))
        self.assertEqual((first["X-Vivace-Attempt"], second["X-Vivace-Attempt"]), ("1", "2"))
        self.assertEqual(first["X-Vivace-Event-Id"], second["X-Vivace-Event-Id"])
        self.assertEqual(told, again)
        self.assertEqual((told["folder_id"], told["system_resolution"]), (folder["folder_id"], "SUCCESS"))


if __name__ == "__main__":
    unittest.main()

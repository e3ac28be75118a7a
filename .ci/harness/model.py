"""An HTTP server that answers like the server of a model, with the steps of a script. Each API has a module."""

import argparse
import gzip
import json
import os
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from script import Script

DECODE = {"": lambda body: body, "gzip": gzip.decompress, "deflate": zlib.decompress}


class Model(BaseHTTPRequestHandler):
    """Reads requests and writes answers. Modules of APIs define answer(path, body, log)."""

    protocol_version = "HTTP/1.1"
    script = None

    def log_message(self, *args):
        pass  # requests have a log of their own

    def do_GET(self):
        self.respond({})

    def do_HEAD(self):
        self.json({})

    def do_POST(self):
        body = self.read()
        self.respond(json.loads(DECODE[self.headers.get("Content-Encoding", "")](body) or "{}"))

    def respond(self, body):
        def log(role, **more):
            self.script.log(kind="request", method=self.command, path=self.path, role=role, body=body, **more)
        try:
            self.answer(self.path.split("?")[0], body, log)
        except (BrokenPipeError, ConnectionResetError):
            self.script.log(kind="note", note="the client closed its connection early")

    def read(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def json(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def unknown(self, log):
        log("other")
        self.json({"error": {"type": "not_found_error", "message": "no such path here"}}, 404)

    def stream(self):
        """Begins an answer in events, which ends with its connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, value, name=None):
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {json.dumps(value)}\n\n".encode())
        self.wfile.flush()


def serve(model):
    """Serves a model on loopback until it is killed, and writes its port into a file once it listens."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", required=True)
    options = parser.parse_args()
    model.script = Script(options.script, options.log)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), model)
    server.daemon_threads = True
    with open(options.port_file + ".new", "w", encoding="utf-8") as f:
        f.write(str(server.server_address[1]))
    os.rename(options.port_file + ".new", options.port_file)
    server.serve_forever()

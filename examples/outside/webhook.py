#!/usr/bin/env python3
"""Takes webhooks: POST /NAME runs in/NAME.sh with the body on standard input, and answers with its output.

WEBHOOK_SECRET proves the sender: it signs the body (header X-Hub-Signature-256, as GitHub, Gitea and Forgejo do), or
sends the header "Authorization: Bearer SECRET". The script gets WEBHOOK_KEY, a hash of the body: a body that comes
twice has the same. Scripts run in the current directory, whose project gets the work. The server listens on
127.0.0.1, at the port in the first argument: put a proxy with TLS before it.
"""
import hashlib, hmac, http.server, os, re, subprocess, sys

SECRET = os.environ.pop("WEBHOOK_SECRET", "").encode() or sys.exit("WEBHOOK_SECRET is not set")
LIMIT = 1 << 20  # bytes of a body
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in")


class Webhook(http.server.BaseHTTPRequestHandler):
    timeout = 20  # seconds for each read

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LIMIT:
            return self.send_error(413)
        body = self.rfile.read(length)
        if not self.proven(body):
            return self.send_error(403)
        script = SCRIPTS + self.path + ".sh"
        if not re.fullmatch(r"/[a-z-]+", self.path) or not os.path.exists(script):
            return self.send_error(404)
        key = "webhook-" + hashlib.sha256(body).hexdigest()
        done = subprocess.run([script], input=body, stdout=-1, env={**os.environ, "WEBHOOK_KEY": key})
        self.send_response(500 if done.returncode else 200)
        self.end_headers()
        self.wfile.write(done.stdout)

    def proven(self, body):
        signature = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        given = self.headers.get("X-Hub-Signature-256"), self.headers.get("Authorization")
        wanted = signature.encode(), b"Bearer " + SECRET
        return any(hmac.compare_digest((g or "").encode(), w) for g, w in zip(given, wanted))


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Webhook)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()

"""Runs a built handoff that serves over HTTP, in a home of its own, and leaves no process of it behind."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

START = 10  # seconds until it listens
END = 2  # seconds from SIGTERM until it is gone


@contextlib.contextmanager
def serving(handoff, home):
    """Returns the URL of a server. If the calls succeeded, the server has to end well, too."""
    log = os.path.join(home, "serve.log")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # the default action of a signal cleans up nothing
    with open(log, "w") as out:
        command = [os.path.abspath(handoff), "serve", "--http", "127.0.0.1:0", "--workspace", "ci"]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment(home), cwd=home)
    try:
        yield listening(server, log)
        end(server, log)
    finally:
        server.kill()  # a signal to an ended process does nothing
        server.wait()


def environment(home):
    return {"PATH": os.environ["PATH"]} | dict.fromkeys(["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"], home)


def listening(server, log):
    """Waits for the line with the URL of the server."""
    deadline = time.monotonic() + START
    while server.poll() is None and time.monotonic() < deadline:
        if url := re.search(r"http://\S+/mcp(?=\n)", read(log)):
            return url.group()
        time.sleep(0.02)
    state = "runs on" if server.poll() is None else f"ended with exit code {server.returncode}"
    sys.exit(f"the server does not listen, and {state}\n{read(log)}")


def end(server, log):
    server.terminate()
    try:
        code = server.wait(END)
    except subprocess.TimeoutExpired:
        sys.exit(f"the server runs on {END} s after SIGTERM\n{read(log)}")
    if code != 0:
        sys.exit(f"the server ended with exit code {code} at SIGTERM\n{read(log)}")


def read(path):
    with open(path) as file:
        return file.read()

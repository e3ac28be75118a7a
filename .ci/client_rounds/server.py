"""A server for sessions on other machines."""

import os
import re
import subprocess

from .checks import Stuck


class Server:
    """The workspace of the repository, for sessions on other machines."""

    def __init__(self, office):
        self.log = os.path.join(office.root, "server.txt")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([office.handoff, "serve", "--http", "127.0.0.1:0"], env=office.env, cwd=office.repository,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def url(self):
        """Its URL, when it listens."""
        if self.process.poll() is not None:
            raise Stuck(f"the server ended with exit code {self.process.returncode}: {self.said()}")
        found = re.search(r"^serving (\S+)\n", self.said(), re.MULTILINE)
        return found and found[1]

    def end(self):
        """Ends it as a service manager does, and returns its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "none within 10 seconds"

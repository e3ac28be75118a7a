"""A person at the terminal of a client: a list of keys, played in a pseudo terminal.

Each key is one of {"sleep": SECONDS}, {"send": TEXT} and {"wait": REGEX, "timeout": SECONDS, "optional": true}. What the client
draws is matched without its escape sequences.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import threading
import time

ESCAPES = re.compile(r"\x1b(\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])")


class Terminal:
    """A client in a terminal of 50 lines of 160 columns."""

    def __init__(self, command, env, cwd, log):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=cwd, preexec_fn=take_terminal)
        os.close(slave)
        self.drawn, self.seen, self.over = b"", 0, threading.Event()
        self.reader = threading.Thread(target=self.read, args=(log,), daemon=True)
        self.reader.start()

    def read(self, log):
        with open(log, "wb", 0) as f:
            while not self.over.is_set():
                if not select.select([self.master], [], [], 0.2)[0]:
                    continue
                try:
                    new = os.read(self.master, 65536)
                except OSError:  # the client closed its side
                    return
                self.drawn += new
                f.write(new)

    def play(self, keys):
        """Plays keys, and returns the text for which it waited in vain."""
        missed = []
        for key in keys:
            time.sleep(key.get("sleep", 0))
            if "wait" in key and not self.wait(key["wait"], key.get("timeout", 20)):
                missed += [] if key.get("optional") else [f"never saw {key['wait']!r} on the screen"]
                continue
            for part in re.split("(\r)", key.get("send", "")):
                if part and self.process.poll() is None:
                    os.write(self.master, part.encode())
                    time.sleep(0.3)  # so that a client does not take text and Enter for one paste
        return missed

    def wait(self, pattern, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if re.search(pattern, plain(self.drawn[self.seen:])):
                self.seen = len(self.drawn)
                return True
            time.sleep(0.1)
        return False

    def close(self):
        """Waits for the client a moment, and writes no more to the log."""
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            pass  # the caller of the run ends it
        self.over.set()
        self.reader.join(2)


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def plain(drawn):
    text = re.sub(r"\x1b\[\d*C", " ", drawn.decode("utf-8", "replace"))
    return ESCAPES.sub("", text)

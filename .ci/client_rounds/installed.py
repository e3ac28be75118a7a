"""A new user with a package of a release and an empty home: after two commands, two sessions pass work on."""

import glob
import json
import os
import time

from .checks import until
from .steps import finish, step, take

RELEASE = os.environ.get("HANDOFF_RELEASE")  # a folder that cmd/release has filled
SOON = 120  # seconds from the first command to the end of the work: 6 alone, 34 beside all stages on a slow one


def of_npm(office):
    """Installs the npm package and sets it up. Codex passes work to Claude Code."""
    prefix = os.path.join(office.home, ".npm-global")
    office.type("npm", "install", "-g", "--offline", "--no-audit", "--no-fund", "--prefix", prefix, *made("*-handoff-*.tgz"))
    return os.path.join(prefix, "bin")


def of_debian(office):
    """The same with the package for Debian, in a system without other programs."""
    system = os.path.join(office.root, "system")
    os.makedirs(os.path.join(system, "var/lib/dpkg/info"))
    os.mkdir(os.path.join(system, "var/lib/dpkg/updates"))
    with open(os.path.join(system, "var/lib/dpkg/status"), "w", encoding="utf-8"):
        pass
    office.type("dpkg", "--root", system, "--force-not-root", "--install", *made("*_linux_amd64.deb"))
    return os.path.join(system, "usr/bin")


def of_archive(office):
    """The same with the archive."""
    programs = os.path.join(office.home, "bin")
    os.mkdir(programs)
    office.type("tar", "-xzf", *made("*_linux_amd64.tar.gz"), "-C", programs, "--strip-components", "1")
    return programs


def made(pattern):
    """The files of the release for this machine, and the npm package that people install."""
    found = glob.glob(os.path.join(RELEASE, pattern))
    return sorted(path for path in found if not any(word in path for word in ("-win32-", "-darwin-", "-arm64-")))


def from_package(install):
    def installed(office, checks):
        os.unlink(office.handoff)
        began = time.monotonic()
        programs = install(office)
        office.handoff = os.path.join(programs, "handoff")
        office.env["PATH"] = programs + ":" + office.env["PATH"]
        said = office.type("handoff", "setup", "--yes")
        for name in "claude-code", "codex":
            checks.holds(f"handoff setup: You are {name}", f" tools. You are {name} in workspace " in said)
        claude = office.as_set_up("claude", [take("work"), finish("work")])
        codex = office.as_set_up("codex", [
            step("sent", "send_handoff", to="claude-code", task="the first handoff"),
            step("outcome", "get_handoff", handoff_id="{{sent.handoff_id}}", view="outcome", wait_seconds=50)])
        until("the end of both", lambda: claude.ended() and codex.ended())
        took = time.monotonic() - began
        checks.same("both ended well", claude.errors() + codex.errors(), [])
        checks.same("codex is told that it is done", codex.result("outcome").get("status"), "completed")
        checks.holds(f"after two commands and {took:.1f} s", took <= SOON)
        states = [item["status"] for item in json.loads(office.run("list", "--all", "--json"))["items"]]
        checks.same("and that is all there is", states, ["completed"])

    installed.__doc__, installed.__name__ = install.__doc__, "installed_" + install.__name__
    return installed


ROUNDS = tuple(map(from_package, (of_npm, of_debian, of_archive))) if RELEASE else ()

"""A Windows of Wine in a folder of its own, with the functions that programs of Go need and Wine 8 lacks.

That is one function, ProcessPrng, which is made here, and a way to remove files. Go's own package
internal/syscall/windows knows an older way for where the newer one is not supported, but not the status with which
Wine 8 says so. Programs are built with that status in the package, and with nothing else that is not as usual.
"""

import json
import os
import subprocess
import sys

PRNG = """#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }
"""
OLDER = "case STATUS_INVALID_INFO_CLASS,", "case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,"


def told(*command, **how):
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=True, text=True, stdout=subprocess.PIPE, **how).stdout


class Wine:
    """A Windows of its own below a folder."""

    def __init__(self, place):
        self.place = place
        self.drive = f"{place}/prefix/drive_c"
        self.environ = {**os.environ, "WINEPREFIX": f"{place}/prefix", "WINEDEBUG": "-all"}
        self.environ["WINEDLLOVERRIDES"] = "mscoree,mshtml="  # Wine would search for it on the network
        told("wineboot", "-i", env=self.environ, stderr=subprocess.DEVNULL)
        with open(f"{place}/prng.c", "w") as source:
            source.write(PRNG)
        library = f"{self.drive}/windows/system32/bcryptprimitives.dll"
        told("x86_64-w64-mingw32-gcc", "-shared", "-O", f"{place}/prng.c", "-ladvapi32", "-o", library)
        self.overlay()

    def overlay(self):
        path = told("go", "env", "GOROOT").strip() + "/src/internal/syscall/windows/at_windows.go"
        with open(path) as source, open(f"{self.place}/at_windows.go", "w") as changed:
            text = source.read()
            changed.write(text.replace(*OLDER))
        if OLDER[0] not in text:
            sys.exit(f"{path} is not as this script knows it")
        with open(f"{self.place}/overlay.json", "w") as overlay:
            json.dump({"Replace": {path: f"{self.place}/at_windows.go"}}, overlay)

    def build(self, *what):
        """Builds with go build or go test -c, and returns the path of the program."""
        program = f"{self.place}/{what[-1].removeprefix('./').replace('/', '-')}.exe"
        environ = {**self.environ, "GOOS": "windows", "GOARCH": "amd64", "CGO_ENABLED": "0"}
        told("go", *what[:-1], "-overlay", f"{self.place}/overlay.json", "-ldflags=-s -w", "-o", program, what[-1], env=environ)
        return program

    def end(self):
        """Ends all programs of this Windows, and no others."""
        told("wineboot", "-e", "-f", env=self.environ, stderr=subprocess.DEVNULL)

#!/usr/bin/env python3
"""qemu_platform with a guest: GEMV, a reboot and again, by polling and by interrupts; and peers that are no QEMU.

qemu_test.py PLATFORM SOURCES"""
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
HANGS = 600  # seconds
FLAGS = ["-m32", "-ffreestanding", "-fno-pie", "-no-pie", "-fno-stack-protector", "-fno-strict-aliasing", "-mno-sse",
         "-nostdlib", "-static", "-O2", "-Wall", "-Wextra", "-Wl,--build-id=none"]


class Platform:
    def __init__(self, executable, sources, folder):
        self.executable = executable
        self.layout = str(sources / "examples/gemv_stream/layout.json")
        self.report = folder / "report.json"

    def run(self, *options, layout=None):
        """Exit code, what it printed, the report."""
        self.report.unlink(missing_ok=True)
        command = [self.executable, layout or self.layout, "--quiet", "--report", str(self.report), *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANGS)
        report = json.loads(self.report.read_text()) if self.report.exists() else {}
        return result.returncode, result.stdout + result.stderr, report


def counter(report, name):
    return report["counters"][name]["value"]


def check_guest(platform, guest):
    options = ["--guest", guest, "--expect-exit", "33"]
    runs = []
    for _ in range(2):
        code, text, report = platform.run(*options)
        assert code == 0, text
        assert text.count("guest: y is right\n") == 2 and "once more, after a reboot" in text, text
        assert counter(report, "guest_refused") == 0 and counter(report, "guest_resets") == 1
        del report["wall"]
        runs.append(report)
    assert runs[0] == runs[1], "two runs of the same guest differ"
    code, text, report = platform.run(*options, "--structure", "dense")
    assert code == 0 and report["digest"] == runs[0]["digest"], text
    code, text, _ = platform.run("--guest", guest)
    assert code == 1 and "QEMU ended with status 33, expected 0 (--expect-exit)" in text, text
    print(f"guest: y twice, {counter(runs[0], 'guest_reads')} reads, {runs[0]['cycles']} cycles in every run")


def check_interrupts(platform, guest):
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        print("interrupts: skipped, there is no KVM")
        return
    code, text, report = platform.run("--guest", guest, "--expect-exit", "33", "--accel", "kvm", "--qemu-arg", "-append",
                                      "--qemu-arg", "irq")
    if "failed to initialize kvm" in text.lower():
        print("interrupts: skipped, KVM does not start here")
        return
    assert code == 0 and text.count("told by an interrupt") == 2, text
    assert counter(report, "guest_interrupts") >= 2
    print("interrupts: y twice")


def check_wrong_device(platform, sources, guest):
    """The guest finds another machine: it fails, and says so."""
    code, text, _ = platform.run("--guest", guest, "--expect-exit", "33",
                                 layout=str(sources / "examples/hello_wavelet/layout.json"))
    assert code == 1 and "guest: a machine of another size, width 0x00000002" in text and "QEMU ended with status 3, expected 33" in text, text


# --- peers that are no QEMU: this script, started by qemu_platform as --qemu ---

def message(command, payload=b"", size=None):
    return struct.pack("=iiQ", command, 0, len(payload) if size is None else size) + payload


def answer(peer):
    header = peer.recv(16, socket.MSG_WAITALL)
    command, _, size = struct.unpack("=iiQ", header)
    assert (command, size) == (1, 8)
    return struct.unpack("=Q", peer.recv(8, socket.MSG_WAITALL))[0]


def config(peer, command, offset, value, size):
    peer.sendall(message(command, struct.pack("=IIi", offset, value, size)))
    return answer(peer)


def bar(peer, command, address, value, size, is_memory=1):
    peer.sendall(message(command, struct.pack("=QQIB3x", address, value, size, is_memory)))
    return answer(peer)


def driver(peer):
    """Sizes and places the windows, then uses them: what QEMU and a driver do, byte by byte."""
    assert config(peer, 3, 0, 0, 4) == 0x7E551234
    assert config(peer, 3, 0x0B, 0, 1) == 0x12
    config(peer, 2, 0x10, 0xFFFFFFFF, 4)
    assert config(peer, 3, 0x10, 0, 4) == 0xFE000000  # 32 MB
    config(peer, 2, 0x18, 0xFFFFFFFF, 4)
    assert config(peer, 3, 0x18, 0, 4) == 0xFFF00000  # 12 tiles: 1 MB
    config(peer, 2, 0x10, 0xE0000000, 4)
    config(peer, 2, 0x18, 0xE2000000, 4)
    ones = 2 ** 64 - 1
    assert bar(peer, 5, 0xE0000000, 0, 4) == ones  # memory is still disabled
    config(peer, 2, 4, 2, 2)
    assert bar(peer, 5, 0xE0000000, 0, 4) == 0x52535354
    assert bar(peer, 5, 0xE0000000, 0, 2) == ones  # registers are words
    assert bar(peer, 5, 0xE0000000, 0, 4, is_memory=0) == ones
    assert bar(peer, 5, 0xE00000FC, 0, 4) == ones  # reserved
    assert bar(peer, 5, 0x1000, 0, 4) == ones  # no window
    bar(peer, 4, 0xE2000400, 0x0123456789ABCDEF, 8)
    assert bar(peer, 5, 0xE2000401, 0, 1) == 0xCD
    bar(peer, 4, 0xE000005C, 77, 4)  # scratch
    peer.sendall(message(7))
    answer(peer)
    assert config(peer, 3, 0x10, 0, 4) == 0
    config(peer, 2, 0x10, 0xE0000000, 4)
    config(peer, 2, 4, 2, 2)
    assert bar(peer, 5, 0xE000005C, 0, 4) == 0
    assert config(peer, 3, 0x200, 0, 4) == 0xFFFFFFFF


PEERS = {
    "driver": (driver, 0, ""),
    "leaves": (lambda peer: None, 0, ""),
    "fails": (lambda peer: sys.exit(7), 1, "QEMU ended with status 7, expected 0"),
    "is killed": (lambda peer: os.kill(os.getpid(), 9), 1, "QEMU ended with status 137, expected 0"),
    "garbage": (lambda peer: (peer.sendall(bytes(range(64))), time.sleep(10 * HANGS)), 1, "does not speak the wire of x-pci-proxy"),
    "command": (lambda peer: (peer.sendall(message(99)), time.sleep(10 * HANGS)), 1, "QEMU sends command 99, which is no request"),
    "version": (lambda peer: (peer.sendall(message(4, bytes(32))), time.sleep(10 * HANGS)), 1, "has 32 bytes, expected 24"),
    "huge": (lambda peer: (peer.sendall(message(3, b"", 2 ** 63)), time.sleep(10 * HANGS)), 1, "bytes, expected 12"),
    "size": (lambda peer: (peer.sendall(message(5, struct.pack("=QQIB3x", 0, 0, 3, 1))), time.sleep(10 * HANGS)), 1,
             "QEMU asks for 3 bytes"),
    "lines": (lambda peer: (peer.sendall(message(6)), time.sleep(10 * HANGS)), 1, "come with 0 files, expected 2"),
    "half": (lambda peer: (peer.sendall(message(3)[:9]), time.sleep(10 * HANGS)), 1, "stopped in the middle of a message"),
    "closes": (lambda peer: (peer.close(), time.sleep(10 * HANGS)), 1, "QEMU has closed the socket, but still runs"),
    "silence": (lambda peer: time.sleep(10 * HANGS), 1, "has asked for nothing for 1 seconds"),
}


def be_peer(arguments):
    fd = int(re.search(r"x-pci-proxy-dev,.*fd=(\d+)", " ".join(arguments)).group(1))
    play, status, _ = PEERS[os.environ["TESSERA_TEST_PEER"]]
    play(socket.socket(fileno=fd))
    sys.exit(status if status == 0 else 1)


def check_peers(platform):
    for name, (_, expected, words) in PEERS.items():
        os.environ["TESSERA_TEST_PEER"] = name
        silence = "1" if name == "silence" else "30"  # a peer takes a while to start on a busy machine
        code, text, _ = platform.run("--qemu", __file__, "--silence", silence)
        assert code == expected and words in text, f"peer '{name}': exit code {code}\n{text}"
    code, text, _ = platform.run("--qemu", "/does/not/exist")
    assert code == 2 and "'/does/not/exist' cannot be started" in text, text
    print(f"peers: {len(PEERS) + 1}")


def build_guest(platform, sources, folder):
    code, text, _ = platform.run("--validate", "--driver-header", str(folder / "device.h"))
    assert code == 0, text
    example = sources / "examples/qemu_guest"
    guest = folder / "guest.elf"
    result = subprocess.run(["gcc", *FLAGS, "-I", folder, "-T", example / "guest.ld", example / "boot.S", example / "guest.c", "-o", guest],
                            capture_output=True, text=True, check=False)
    return str(guest) if result.returncode == 0 else None


def main():
    sources = Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        platform = Platform(sys.argv[1], sources, folder)
        check_peers(platform)
        if shutil.which("qemu-system-x86_64") is None:
            print("skipped: qemu-system-x86_64 is not installed; scripts/test.sh --all installs it")
            sys.exit(SKIPPED)
        guest = build_guest(platform, sources, folder)
        if guest is None:
            print("skipped: gcc -m32 does not build a guest here")
            sys.exit(SKIPPED)
        check_guest(platform, guest)
        check_wrong_device(platform, sources, guest)
        check_interrupts(platform, guest)


if __name__ == "__main__":
    if "TESSERA_TEST_PEER" in os.environ and any("x-pci-proxy-dev" in word for word in sys.argv):
        be_peer(sys.argv)
    main()

"""Bad programs and what tessera_cslc says about them: each errors/NAME.csl has its message in errors/NAME.txt.

    errors_test.py CSLC [--update] [NAME...]

The arguments of the compiler follow `// cslc:` in the first line of a program. --update writes the messages.
"""
import concurrent.futures
import difflib
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "errors"


def message(cslc, program):
    """The text on stderr, without the notes in front of it."""
    line = re.match(r"// cslc: *(.*)", program.read_text())
    with tempfile.TemporaryDirectory() as out:
        given = shlex.split(line[1] if line else "")
        command = [cslc, program.name, *given, *([] if "-o" in given else ["-o", out])]
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=600)
    text = re.sub(r"^[^\n]*: note: [^\n]*\n", "", done.stderr, flags=re.M)
    text = re.sub(r"the libraries are <.*?(?= \[csl-)", "the libraries are ..", text)  # there will be more
    return text if done.returncode == 2 else f"{text}exit status {done.returncode}\n"


def main():
    cslc, *names = sys.argv[1:]
    updates = "--update" in names
    names = [n for n in names if n != "--update"]
    programs = sorted(p for p in FOLDER.glob("*.csl") if not names or p.stem in names)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda p: message(str(Path(cslc).resolve()), p), programs))
    failures = 0
    for program, text in zip(programs, texts):
        golden = program.with_suffix(".txt")
        if "exit status" in text:
            print(f"{program.name} gives no message:\n{text}")
            failures += 1
        elif updates:
            golden.write_text(text)
        elif not golden.exists() or golden.read_text() != text:
            wanted = golden.read_text() if golden.exists() else ""
            print("".join(difflib.unified_diff(wanted.splitlines(True), text.splitlines(True), golden.name, "found")))
            failures += 1
    if not names:
        # An id that no program has would be a message that nobody has seen.
        page = (FOLDER.parents[3] / "docs/csl-errors.md").read_text()
        seen = set(re.findall(r"\[(csl-\d+)\]", "".join(texts)))
        for number in re.findall(r"^## (csl-\d+):", page, re.M):
            if number not in seen:
                print(f"no bad program has the message {number}")
                failures += 1
    print(f"{len(programs) - failures} of {len(programs)} bad programs have their message")
    return failures > 0 or (len(programs) < 120 and not names)


if __name__ == "__main__":
    sys.exit(main())

"""The page of the messages (docs/csl-errors.md): its programs give what they say, and every golden message has an id of it.

    messages_test.py CSLC PAGE [ID...]
"""
import concurrent.futures
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDENS = Path(__file__).resolve().parent / "errors"
END = re.compile(r"\[(csl-\d{4})\]$")
LAYOUT = "layout { @set_rectangle(1, 1); @set_tile_code(0, 0);%s }\n"


def sections(page):
    """(id, text of the section) in the order of the page."""
    found = re.split(r"^## (csl-\d{4}): .*\n", page, flags=re.M)[1:]
    return list(zip(found[::2], found[1::2]))


def programs(section):
    """The wrong and the right program of a section."""
    both = dict(re.findall(r"^```csl\n// (wrong|right)\n(.*?)^```", section, flags=re.M | re.S))
    return both.get("wrong"), both.get("right")


def completed(program):
    """The program with the layout and the export that the page leaves out."""
    if re.search(r"^layout ", program, flags=re.M):
        return program
    has_run = re.search(r"^fn run\(\) void", program, flags=re.M)
    export = "comptime { @export_symbol(run); }\n" if has_run else ""
    return program + export + LAYOUT % (' @export_name("run", fn() void);' if has_run else "")


def compiled(cslc, program):
    """Exit status and the ids of the messages, in their order; None: a message has none."""
    arguments = shlex.split(" ".join(re.findall(r"^// cslc: (.*)", program, flags=re.M)))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in re.findall(r"^// (\S+\.json): (.*)", program, flags=re.M):
            (Path(folder) / name).write_text(text)
        (Path(folder) / "program.csl").write_text(completed(program))
        done = subprocess.run([cslc, "program.csl", *arguments], cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode, ids_of(done.stderr), done.stderr


def ids_of(text):
    heads = [line for line in text.splitlines() if line.startswith("error: ") or ": warning: " in line]
    heads = [line for line in heads if line != "error: there may be more mistakes; the analysis ends here"]
    return [found[1] if (found := END.search(line)) else None for line in heads]


def section_problem(cslc, name, section):
    wrong, right = programs(section)
    if wrong is None or right is None:
        return f"{name}: a wrong or a right program is missing"
    status, ids, text = compiled(cslc, wrong)
    is_warning = "warning" in text.splitlines()[0] if text else False
    if set(ids) != {name} or status != (0 if is_warning else 2):
        return f"{name}: the wrong program gives {ids}, exit status {status}\n{text}"
    status, ids, text = compiled(cslc, right)
    if ids or status != 0:
        return f"{name}: the right program gives {ids}, exit status {status}\n{text}"
    return ""


def explain_problem(cslc, name, section):
    done = subprocess.run([cslc, "--explain", name], capture_output=True, text=True, timeout=60)
    text = done.stdout.split("\n", 1)[-1]
    return "" if done.returncode == 0 and text.strip() == section.strip() else f"--explain {name} does not print its section"


def main():
    cslc, page, *chosen = sys.argv[1:]
    cslc = str(Path(cslc).resolve())
    all_sections = sections(Path(page).read_text())
    known = {name for name, _ in all_sections}
    work = [s for s in all_sections if not chosen or s[0] in chosen]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda s: section_problem(cslc, *s) or explain_problem(cslc, *s), work))
    for golden in sorted(GOLDENS.glob("*.txt")):
        ids = ids_of(golden.read_text())
        if not ids or not set(ids) <= known:
            problems.append(f"{golden.name}: a message has no id of the page: {ids}")
    refused = subprocess.run([cslc, "--explain", "csl-9999"], capture_output=True, text=True, timeout=60)
    if refused.returncode != 2 or "csl-9999" not in refused.stderr:
        problems.append("--explain takes an id that does not exist")
    problems = [p for p in problems if p]
    print("\n".join(problems))
    print(f"{len(work)} sections, {len(problems)} problems")
    return bool(problems) or (len(work) < 100 and not chosen)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the house rules of docs/architecture.md#folders: who may include whom, and what nobody may use.

    scripts/check_includes.py               checks the repository, prints one line a violation, exits 1 if there is one
    scripts/check_includes.py --self-test   proves on small violating trees that each rule bites
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("tlm_ifaces", "models", "frontends", "platforms", "sc_main", "tests", "bench", "examples")
SUFFIXES = (".h", ".hpp", ".cpp")

# Layer: the layers below that it may include. A layer may always include itself.
MAY_INCLUDE = {
    "tlm_ifaces": (),
    "models": ("tlm_ifaces",),
    "frontends": ("models", "tlm_ifaces"),
    "platforms": ("frontends", "models", "tlm_ifaces"),
    "sc_main": ("platforms", "frontends", "models", "tlm_ifaces"),
}
# What front-ends know of models: the program types, which operands they may have, of what steps an operation is made, and
# what an instruction computes of constants.
FRONTEND_MODELS = re.compile(r"models/(pe/(isa|program|half|arithmetic)|cluster/program/(program|operand_rules|fix_rules|vector_sequence|thread_function|vector_body)|scheduled/(program|phase|operator)s?)\.h")

# frontends/text serves all front-ends and knows none of them, nor any model. The room of a language knows itself and text.
TEXT_ROOM = "text"
# Rooms that need no program types of models. The code generator of CSL makes tile programs.
ROOMS_WITHOUT_MODELS = (TEXT_ROOM, "csl")
MAY_MAKE_PROGRAMS = ("frontends/csl/ir/", "frontends/csl/codegen/")
# What uses other languages: a compiled CSL program is tile programs in a layout, and the calls of a kernel in C++ are lowered as
# operations of PTO.
ROOMS_ABOVE_LANGUAGES = ("compiled", "pto_cpp")

# Rooms of frontends/csl, lowest first, with what each builds on. Headers point down only. One evaluator serves two modes, at
# compile time and for the running program; so sources of sema and lower may include the rooms above that make the code.
CSL_ROOMS = {
    "messages": (),
    "syntax": ("messages",),
    "ir": (),
    "codegen": ("messages", "ir"),
    "sema": ("messages", "syntax", "ir"),
    "lower": ("messages", "syntax", "ir", "sema"),
    "builtins": ("messages", "syntax", "ir", "sema", "lower"),
    "library": (),
}
CSL_SOURCES_ALSO = {"sema": ("lower", "builtins"), "lower": ("builtins",)}

# Blocks inside models: everything may use timing, observe and state; a block may use itself and those named here.
MODELS_COMMON = ("timing", "observe", "state")
MODELS_SIDEWAYS = {
    "host": ("fabric",),  # the sender's half of the link protocol: credits and arbiter
    "wafer": ("fabric", "queue", "pe", "host"),
}

# Rooms of platforms that all platforms share, lowest first: a room may include itself and those before it. Every other
# folder of platforms is a platform and may include all rooms.
PLATFORM_ROOMS = ("report", "config", "data", "cli", "run", "debug")

KERNEL = re.compile(r"(systemc|tlm)(\.h)?$|(tlm_core|tlm_utils|sysc)/")
HEADER_ONLY_IN_CPP = re.compile(r"boost/(json|program_options)([./]|$)")
BANNED_WORDS = re.compile(r"\b(SC_THREAD|SC_CTHREAD|sc_clock|sc_fifo|simple_(?:target|initiator)_socket\w*)\b")
NO_KERNEL_PROCESSES = ("models", "tlm_ifaces", "platforms")
# A processor waits inside b_transport, in the middle of its program: one thread a platform.
MAY_HAVE_A_THREAD = ("platforms/vp/script_host.cpp", "platforms/qemu/guest_bridge.cpp")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def without_comments(text):
    """The text with comments blanked (lines kept); strings stay, an include is one."""
    def blank(match):
        found = match.group(0)
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)
    return COMMENT_OR_STRING.sub(blank, text)


class Source:
    """One file: its path from the root, its includes and its text without comments."""

    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.text = without_comments(path.read_text(encoding="utf-8", errors="replace"))
        self.includes = [(self.text.count("\n", 0, m.start()) + 1, m.group(2)) for m in INCLUDE.finditer(self.text)]
        self.is_header = not self.path.endswith(".cpp")
        parts = self.path.split("/")
        self.layer = parts[0]
        self.block = parts[1] if len(parts) > 2 else ""


def read_tree(root):
    files = (f for folder in FOLDERS for f in sorted((root / folder).rglob("*")) if f.suffix in SUFFIXES)
    sources = (Source(root, f) for f in files)
    return {s.path: s for s in sources}


def module_stems(root):
    """models/<block>/<name> of every SC_MODULE: the list in models/CMakeLists.txt, without suffix."""
    listing = (root / "models/CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"set\(TESSERA_MODULE_SOURCES([^)]*)\)", listing)
    return {"models/" + name.rsplit(".", 1)[0] for name in found.group(1).split()} if found else set()


def check_layers(source):
    allowed = MAY_INCLUDE.get(source.layer)
    if allowed is None:
        return
    for line, name in source.includes:
        target = name.split("/")[0]
        if "/" not in name or target not in FOLDERS or target == source.layer:
            continue
        if target not in allowed:
            yield line, f"{source.layer} must not include {target} ({name})"
        elif source.layer == "frontends" and target == "models" and not FRONTEND_MODELS.fullmatch(name):
            yield line, f"frontends may include only the program types of models, not {name}"


def check_front_end_rooms(source):
    if source.layer != "frontends" or not source.block:
        return
    allowed = (source.block, TEXT_ROOM)
    for line, name in source.includes:
        parts = name.split("/")
        is_above = source.block in ROOMS_ABOVE_LANGUAGES
        if len(parts) > 2 and parts[0] == "frontends" and parts[1] not in allowed and not is_above:
            yield line, f"frontends/{source.block} must not include other front-ends ({name})"
        makes_programs = source.path.startswith(MAY_MAKE_PROGRAMS)
        if parts[0] == "models" and source.block in ROOMS_WITHOUT_MODELS and not makes_programs:
            yield line, f"frontends/{source.block} must not include models ({name})"


def check_csl_rooms(source):
    """compile.* and option_text.* stand above all rooms."""
    parts = source.path.split("/")
    if source.layer != "frontends" or source.block != "csl" or len(parts) < 4:
        return
    room = parts[2]
    if room not in CSL_ROOMS:
        yield 1, f"frontends/csl has no room {room}"
        return
    allowed = CSL_ROOMS[room] + (() if source.is_header else CSL_SOURCES_ALSO.get(room, ()))
    for line, name in source.includes:
        target = name.split("/")
        if target[:2] != ["frontends", "csl"] or target[2] == room or target[2] in allowed:
            continue
        yield line, f"{'headers of ' if source.is_header else ''}frontends/csl/{room} must not include {name}"


def check_blocks(source):
    if source.layer != "models" or not source.block:
        return
    allowed = MODELS_COMMON + MODELS_SIDEWAYS.get(source.block, ()) + (source.block,)
    for line, name in source.includes:
        parts = name.split("/")
        if len(parts) > 2 and parts[0] == "models" and parts[1] not in allowed:
            yield line, f"models/{source.block} must not include models/{parts[1]} ({name})"


def check_platform_rooms(source):
    if source.layer != "platforms" or source.block not in PLATFORM_ROOMS:
        return
    allowed = PLATFORM_ROOMS[:PLATFORM_ROOMS.index(source.block) + 1]
    for line, name in source.includes:
        parts = name.split("/")
        if len(parts) > 2 and parts[0] == "platforms" and parts[1] not in allowed:
            yield line, f"platforms/{source.block} must not include platforms/{parts[1]} ({name})"


def check_own_paths(source, sources):
    """Our own headers are written from the root, so that every file can be found by its include."""
    for line, name in source.includes:
        if name.split("/")[0] in FOLDERS and name.endswith(SUFFIXES) and name not in sources:
            yield line, f"{name} does not exist"


def kernel_path(source, sources, seen):
    """The chain of includes from `source` to SystemC or TLM, or None."""
    for _, name in source.includes:
        if KERNEL.match(name):
            return [source.path, f"<{name}>"]
        if name in sources and name not in seen:
            seen.add(name)
            below = kernel_path(sources[name], sources, seen)
            if below:
                return [source.path] + below
    return None


def must_be_free_of_kernel(source, modules):
    if source.layer == "frontends":
        return True
    if source.layer == "tlm_ifaces":
        return source.block == "vocabulary"
    return source.layer == "models" and source.path.rsplit(".", 1)[0] not in modules


def check_core(source, sources, modules):
    if not must_be_free_of_kernel(source, modules):
        return
    chain = kernel_path(source, sources, {source.path})
    if chain:
        yield 1, "must not reach SystemC, but does: " + " > ".join(chain)


def check_words(source):
    for line, name in source.includes:
        if name == "systemc.h":
            yield line, "include <systemc>, not <systemc.h> (it brings a global using)"
        if source.is_header and HEADER_ONLY_IN_CPP.match(name):
            yield line, f"{name} belongs in a .cpp, not in a header"
    if source.layer not in NO_KERNEL_PROCESSES:
        return
    for match in BANNED_WORDS.finditer(source.text):
        if match.group(1) == "SC_THREAD" and source.path in MAY_HAVE_A_THREAD:
            continue
        yield source.text.count("\n", 0, match.start()) + 1, f"{match.group(1)} is not used in this house"


def violations(root):
    sources = read_tree(root)
    modules = module_stems(root)
    for source in sources.values():
        checks = (check_layers(source), check_front_end_rooms(source), check_csl_rooms(source), check_blocks(source), check_platform_rooms(source),
                  check_own_paths(source, sources), check_core(source, sources, modules), check_words(source))
        for check in checks:
            for line, problem in check:
                yield f"{source.path}:{line}: {problem}"


MODULE_LIST = "set(TESSERA_MODULE_SOURCES\n  fabric/router.cpp\n)\n"
LINK_IF = "#include <systemc>\n"
# Name of the case: files of the tree, and what the one violation says (None: the tree is clean).
SELF_TESTS = {
    "clean": ({
        "tlm_ifaces/link/link_kit.h": LINK_IF,
        "models/fabric/router_core.h": "#include <vector>\n",
        "models/fabric/router.h": '#include <tlm>\n#include "models/fabric/router_core.h"\n',
        "models/fabric/router.cpp": '#include "models/fabric/router.h"\n#include "tlm_ifaces/link/link_kit.h"\n',
        "models/pe/program.h": "// never an SC_THREAD\n/* nor <systemc.h>:\n#include <systemc.h>\n*/\n",
        "frontends/tasm/parser.cpp": '#include "models/pe/program.h"\n#include <boost/json.hpp>\n',
    }, None),
    "model includes platform": ({"models/pe/a_core.cpp": '#include "platforms/wse/b.h"\n',
                                 "platforms/wse/b.h": ""}, "models must not include platforms"),
    "kit includes model": ({"tlm_ifaces/link/a.h": '#include "models/pe/isa.h"\n',
                            "models/pe/isa.h": ""}, "tlm_ifaces must not include models"),
    "front-end includes platform": ({"frontends/tasm/a.h": '#include "platforms/wse/b.h"\n',
                                     "platforms/wse/b.h": ""}, "frontends must not include platforms"),
    "front-end includes a core": ({"frontends/tasm/a.cpp": '#include "models/pe/engine_core.h"\n',
                                   "models/pe/engine_core.h": ""}, "only the program types"),
    "text includes front-end": ({"frontends/text/a.h": '#include "frontends/tasm/b.h"\n',
                                 "frontends/tasm/b.h": ""}, "frontends/text must not include"),
    "text includes model": ({"frontends/text/a.h": '#include "models/pe/isa.h"\n',
                             "models/pe/isa.h": ""}, "frontends/text must not include"),
    "header of CSL points up": ({"frontends/csl/sema/a.h": '#include "frontends/csl/lower/b.h"\n',
                                 "frontends/csl/lower/b.h": ""}, "headers of frontends/csl/sema must not include"),
    "source of CSL makes code": ({"frontends/csl/sema/a.cpp": '#include "frontends/csl/lower/b.h"\n',
                                  "frontends/csl/lower/b.h": ""}, None),
    "code generator knows values": ({"frontends/csl/codegen/a.cpp": '#include "frontends/csl/sema/b.h"\n',
                                     "frontends/csl/sema/b.h": ""}, "frontends/csl/codegen must not include"),
    "CSL has another room": ({"frontends/csl/run_time/a.cpp": ""}, "has no room run_time"),
    "language includes language": ({"frontends/csl/a.h": '#include "frontends/tasm/b.h"\n',
                                    "frontends/tasm/b.h": ""}, "frontends/csl must not include other front-ends"),
    "CSL includes model": ({"frontends/csl/a.h": '#include "models/pe/isa.h"\n',
                            "models/pe/isa.h": ""}, "frontends/csl must not include models"),
    "machine includes machine": ({"models/cluster/a_core.h": '#include "models/pe/isa.h"\n',
                                  "models/pe/isa.h": ""}, "models/cluster must not include models/pe"),
    "fabric includes pe": ({"models/fabric/a_core.h": '#include "models/pe/isa.h"\n',
                            "models/pe/isa.h": ""}, "models/fabric must not include models/pe"),
    "observe includes fabric": ({"models/observe/a.h": '#include "models/fabric/route.h"\n',
                                 "models/fabric/route.h": ""}, "models/observe must not include models/fabric"),
    "shared room includes a platform": ({"platforms/run/a.cpp": '#include "platforms/wse/b.h"\n',
                                         "platforms/wse/b.h": ""}, "platforms/run must not include platforms/wse"),
    "core includes SystemC": ({"models/pe/a_core.h": "#  include  <systemc>\n"}, "must not reach SystemC"),
    "core includes TLM utilities": ({"models/pe/a.cpp": "#include <tlm_utils/tlm_quantumkeeper.h>\n"},
                                    "must not reach SystemC"),
    "core reaches SystemC": ({"models/pe/a_core.cpp": '#include "tlm_ifaces/link/link_kit.h"\n',
                              "tlm_ifaces/link/link_kit.h": LINK_IF},
                             "models/pe/a_core.cpp > tlm_ifaces/link/link_kit.h > <systemc>"),
    "vocabulary includes SystemC": ({"tlm_ifaces/vocabulary/a.h": "#include <systemc>\n"}, "must not reach SystemC"),
    "front-end includes SystemC": ({"frontends/pto/a.cpp": "#include <systemc>\n"}, "must not reach SystemC"),
    "systemc.h": ({"sc_main/a.cpp": "#include <systemc.h>\n"}, "not <systemc.h>"),
    "JSON in a header": ({"platforms/wse/a.h": "#include <boost/json.hpp>\n"}, "belongs in a .cpp"),
    "options in a header": ({"sc_main/a.h": "#include <boost/program_options/options_description.hpp>\n"},
                            "belongs in a .cpp"),
    "SC_THREAD": ({"platforms/wse/a.cpp": "void f() { SC_THREAD(run); }\n"}, "SC_THREAD is not used"),
    "thread of the host": ({"platforms/vp/script_host.cpp": "void f() { SC_THREAD(run); }\n"}, None),
    "SC_CTHREAD": ({"models/fabric/router.cpp": "SC_CTHREAD(run, clk);\n"}, "SC_CTHREAD is not used"),
    "sc_clock": ({"tlm_ifaces/link/a.h": "sc_core::sc_clock clk;\n"}, "sc_clock is not used"),
    "sc_fifo": ({"models/fabric/router.h": "sc_core::sc_fifo<int> f;\n"}, "sc_fifo is not used"),
    "simple_target_socket": ({"platforms/wse/a.h": "tlm_utils::simple_target_socket<A> s;\n"},
                             "simple_target_socket is not used"),
    "missing header": ({"tests/models/a_test.cpp": '#include "models/pe/gone.h"\n'}, "does not exist"),
}


def self_test():
    failures = 0
    for name, (files, expected) in SELF_TESTS.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in {"models/CMakeLists.txt": MODULE_LIST, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            found = list(violations(root))
        as_expected = not found if expected is None else len(found) == 1 and expected in found[0]
        if not as_expected:
            failures += 1
            print(f"self-test '{name}': expected {expected!r}, found {found}")
    print(f"{len(SELF_TESTS) - failures} of {len(SELF_TESTS)} self-tests hold")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="check the checker on violating snippets")
    arguments = parser.parse_args()
    if arguments.self_test:
        return 1 if self_test() else 0
    found = list(violations(ROOT))
    print("\n".join(found) if found else "include directions hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Projects outside of the tree that build on an installed Tessera, with nothing but that and Debian packages.

consumer_test.py CASE --prefix PREFIX --work FOLDER [--build BUILD] [--cmake ..] [--generator ..] [--compiler ..]
                 [--launcher ..] [--flags ..]

Case `install` installs BUILD to PREFIX; the others need it, but `api_docs`. `api_docs` and `rtl` exit with 77 where
Doxygen or Verilator is missing.
Projects are copied to FOLDER and built there.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent
ROOT = SOURCES.parent.parent


def run(command, expected=0, cwd=None, env=None):
    """Runs a command, which must end with code `expected`; answers what it printed."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, env={**os.environ, **(env or {})},
                          capture_output=True, text=True, timeout=600, check=False)
    output = done.stdout + done.stderr
    if done.returncode != expected:
        sys.exit(f"{shlex.join(map(str, command))}\nended with {done.returncode}, expected {expected}:\n{output}")
    return output


def require(text, expected):
    if expected not in " ".join(text.split()):
        sys.exit(f"expected '{expected}' in:\n{text}")


def configure(a, folder, expected=0, options=()):
    cache = {"CMAKE_PREFIX_PATH": a.prefix, "CMAKE_CXX_COMPILER": a.compiler, "CMAKE_CXX_FLAGS": a.flags,
             "CMAKE_CXX_COMPILER_LAUNCHER": a.launcher, "CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}
    defines = [f"-D{name}={value}" for name, value in cache.items() if value]
    return run([a.cmake, "-G", a.generator, "-S", folder, "-B", folder / "build", *defines, *options], expected)


def build_project(a, name):
    """Copies, configures and builds tests/consumer/NAME; answers its build folder."""
    folder = a.work / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCES / name, folder)
    configure(a, folder)
    commands = folder / "build/compile_commands.json"  # a project of kernels in C++ has none
    for entry in json.loads(commands.read_text(encoding="utf-8")) if commands.exists() else []:
        for argument in shlex.split(entry["command"]):
            if argument.startswith("-I") and pathlib.Path(argument[2:]).resolve() == ROOT:
                sys.exit(f"{name} sees the source tree: {entry['command']}")
    run([a.cmake, "--build", folder / "build"])
    return folder / "build"


def case_install(a):
    staged = a.prefix.with_name(a.prefix.name + ".staged")
    shutil.rmtree(staged, ignore_errors=True)
    shutil.rmtree(a.prefix, ignore_errors=True)
    run([a.cmake, "--install", a.build, "--prefix", staged])
    staged.rename(a.prefix)  # an installation may be moved


def manual_shows_the_project():
    manual = (ROOT / "docs/building-on-tessera.md").read_text(encoding="utf-8")
    shown = manual.split("```cmake\n")[1].split("```")[0]
    if shown not in (SOURCES / "wse/CMakeLists.txt").read_text(encoding="utf-8"):
        sys.exit(f"docs/building-on-tessera.md shows a project that tests/consumer/wse/CMakeLists.txt is not:\n{shown}")


def case_wse(a):
    manual_shows_the_project()
    built = build_project(a, "wse")
    require(run([built / "my_platform"]), "row 0: 46 row 1: 86")
    require(run([built / "my_router"]), "sum 15 after")
    require(run([built / "mistakes"]), "nothing was reported")
    for mistake, message in {
            "open router": "/tessera/link/unbound: tile (3, 1), EAST input is not bound",
            "open stub": "/tessera/link/unbound: spare closes nothing",
            "open tap": "/tessera/link/unbound: tap.out is not bound",
            "twice": "/tessera/link/bound_twice: router.east_out is bound already",
            "other side": "/tessera/link/bound_twice: router.east_in is bound already",
            "width": "/tessera/kit/width: router.east_out has 32 bits and narrow.in has 16",
            "protocol": "/tessera/kit/protocol: router.east_out and router.config speak different"}.items():
        require(run([built / "mistakes", mistake], expected=3), "mistakes: " + message)


def case_cxx20(a):
    built = build_project(a, "cxx20")
    require(run([built / "my_cluster"]), "digest")
    require(run([built / "my_sender"]), "the receiver has room for 2 of this color and holds 2")


def case_numesh(a):
    require(run([build_project(a, "numesh") / "my_mesh"]), "cycles")


def case_ascend_kernel(a):
    """A project compiles a kernel of its own with tessera_add_ascend_kernel, again when a header of it changes, and runs it."""
    built = build_project(a, "ascend_kernel")
    kernel, header = built / "scale.so", built.parent / "factor.h"
    command = [a.prefix / "bin/ascend_platform", kernel, "--arg", "x=f32[64]", "--arg", "y=f32[64]", "--output", f"y={built}/y.npy"]
    require(run(command), "machine a2a3")

    def first():
        run(command)
        return struct.unpack("<f", (built / "y.npy").read_bytes()[-256:-252])[0]
    if first() != 3:
        sys.exit(f"the kernel gave {first()}, expected 3")
    header.write_text("#define FACTOR 5\n", encoding="utf-8")
    run([a.cmake, "--build", built])
    if first() != 5:
        sys.exit("a kernel was not compiled again when its header had changed")
    run([*command, "--preset", "a5"], 2)
    require(run(command[:2] + ["--function", "other"], 2), "the kernel was compiled for the function scale")
    (built / "no.so").write_bytes(b"x" * 1000)
    require(run([command[0], built / "no.so"], 2), "is no kernel that ascend-cxx has written")
    require(run([a.prefix / "bin/ascend-cxx", built.parent / "scale.cpp", "--function", "scale", "-DADDEND=3",
                 "-o", built / "none/x.so"], 2), "cannot be written")
    require(run([a.prefix / "bin/ascend-cxx", "a.cpp", "b.cpp"], 2), "a kernel is one file")


def case_vp(a):
    """A platform with its own bus and two accelerators, of which a driver resets one in the middle; and mistakes."""
    examples = a.prefix / "share/tessera/examples"
    built, layout = build_project(a, "vp"), examples / "gemv_stream/layout.json"
    require(run([built / "my_prototype", layout, examples / "vp/twice.pto"]), "both are right after a reset in the middle")
    for nothing in ("pins", "port"):
        require(run([built / "mistakes", nothing, layout]), "nothing was reported")
    for mistake, message in {
            "open port": "/tessera/host/unbound: host port 'port', socket is not bound: bind an initiator or a bus",
            "open interrupt": "/tessera/host/unbound: host port 'port', irq is not bound: bind an sc_signal<bool>",
            "twice": "/tessera/host/bound_twice: host port 'port', socket is bound 2 times: put a bus in between",
            "width": "/tessera/host/width: wide.socket is 64 bits wide, and port.socket is 32: use sockets of 32 bits, or "
                     "put a host::WidthAdapter in between",
            "open pin": "/tessera/link/unbound: rtl.clock is a pin that nothing is bound to",
            "pin width": "/tessera/link/pin: rtl: its pin 'west_in_data' has 33 to 64 bits, expected 32 bits",
            "fast clock": "/tessera/link/pin_clock: west: its clock rises twice in cycle 1; it must rise once in each cycle "
                          "of the fabric, which takes 1 ns"}.items():
        require(run([built / "mistakes", mistake, layout], expected=3), "mistakes: " + message)


def case_capi(a):
    """The installed C interface: a C program and the Python package."""
    folder = a.work / "capi"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(a.prefix / "share/tessera/examples/consumers/capi", folder)
    library = next(a.prefix.glob("lib*/**/libtessera.so"))
    run(["bash", "-c", f"cc -std=c99 mine.c $(pkg-config --cflags --libs tessera-c) -Wl,-rpath,{library.parent} -o mine"], cwd=folder,
        env={"PKG_CONFIG_PATH": str(next(a.prefix.glob("lib*/**/pkgconfig")))})
    layout = a.prefix / "share/tessera/examples/hello_wavelet/layout.json"
    require(run([folder / "mine", layout]), '"status": "finished"')
    script = f"import tessera; m = tessera.Machine('{layout}'); m.launch('main'); m.run(); print(m.read('answer', 1)[0])"
    require(run([sys.executable, "-B", "-c", script], env={"PYTHONPATH": str(a.prefix / "share/tessera/python")}), "42")
    # Packages have it where every Python finds it, and the modules of host programs elsewhere.
    alone = a.work / "alone"
    shutil.rmtree(alone, ignore_errors=True)
    shutil.copytree(a.prefix / "share/tessera/python/tessera", alone / "tessera")
    require(run([sys.executable, "-B", "-c", script], env={"PYTHONPATH": str(alone), "TESSERA_LIBRARY": str(library)}), "42")


def case_pkg_config(a):
    """One command, as people type it."""
    folder = a.work / "pkg_config"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCES / "wse", folder)
    found = {"PKG_CONFIG_PATH": next(a.prefix.glob("lib*/**/pkgconfig"))}
    env = {name: str(value) for name, value in found.items()}
    run(["bash", "-c", f"{a.compiler} -std=c++17 {a.flags} my_platform.cpp -o my_platform "
                       "$(pkg-config --cflags --libs tessera)"], cwd=folder, env=env)
    require(run([folder / "my_platform"]), "row 1: 86")
    flags = run(["pkg-config", "--cflags", "--libs", "tessera-ifaces"], env=env)
    require(flags, "-lsystemc")
    if "-ltessera" in flags or "boost" in flags:
        sys.exit(f"the protocol kits need SystemC only, but tessera-ifaces says {flags}")


def try_find(a, name, what, expected):
    folder = a.work / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(Find LANGUAGES CXX)\n" + what + "\n", encoding="utf-8")
    return configure(a, folder, expected)


def case_package(a):
    """What find_package takes and refuses."""
    text = try_find(a, "unknown", "find_package(Tessera CONFIG REQUIRED COMPONENTS wse wafer)", 1)
    require(text, "Tessera has no component 'wafer'; its components are tlm_ifaces, wse, ascend, numesh.")
    text = try_find(a, "newer", "find_package(Tessera 99 CONFIG REQUIRED)", 1)
    require(text, 'compatible with requested version "99"')
    other = a.work / "other_systemc/lib/cmake/Tessera"  # as if Tessera had been built with another SystemC
    shutil.rmtree(a.work / "other_systemc", ignore_errors=True)
    shutil.copytree(next(a.prefix.glob("lib*/**/cmake/Tessera")), other)
    config = other / "TesseraConfig.cmake"
    config.write_text(re.sub(r"SYSTEMC_RELEASE STREQUAL \"[\d.]+\"", 'SYSTEMC_RELEASE STREQUAL "2.3.1"', config.read_text(encoding="utf-8")),
                      encoding="utf-8")
    text = try_find(a, "systemc", f"set(Tessera_DIR {other})\nfind_package(Tessera CONFIG REQUIRED COMPONENTS wse)", 1)
    require(text, "and this project uses SystemC")
    require(text, "or build Tessera with yours")
    try_find(a, "optional", "\n".join((
        "set(CMAKE_DISABLE_FIND_PACKAGE_TesseraBoost ON)  # the kits do without",
        "find_package(Tessera 1.0 CONFIG REQUIRED COMPONENTS tlm_ifaces OPTIONAL_COMPONENTS wafer)",
        "if(NOT TARGET Tessera::tlm_ifaces OR NOT Tessera_tlm_ifaces_FOUND OR Tessera_wafer_FOUND)",
        '  message(FATAL_ERROR "wrong answers")',
        "endif()")), 0)
    try_find(a, "all", "\n".join((
        "find_package(Tessera CONFIG REQUIRED)",
        "foreach(component tlm_ifaces wse ascend numesh)",
        "  if(NOT TARGET Tessera::${component})",
        '    message(FATAL_ERROR "no target for ${component}")',
        "  endif()",
        "endforeach()")), 0)


def case_executables(a):
    """Installed executables run from anywhere, with the presets that they carry and those that lie beside them."""
    share, nowhere = a.prefix / "share/tessera", a.work / "nowhere"
    nowhere.mkdir(parents=True, exist_ok=True)
    layout = share / "examples/hello_wavelet/layout.json"
    wse = a.prefix / "bin/wse_platform"
    require(run([wse, layout], cwd=nowhere), "answer passed the element agrees")
    by_name = run([wse, layout, "--preset", "wse2", "--print-config"], cwd=nowhere)
    by_file = run([wse, layout, "--config", share / "presets/wse2.json", "--print-config"], cwd=nowhere)
    values = [[line.split("[")[0] for line in text.splitlines()] for text in (by_name, by_file)]
    if values[0] != values[1]:
        sys.exit("the installed preset wse2 is not the one that wse_platform carries")
    run([a.prefix / "bin/numesh_platform", share / "examples/numesh/tour.json"], cwd=nowhere)
    run([a.prefix / "bin/ascend_platform", share / "examples/ascend/c2v_a5.pto", "--param", "TILES=2"], cwd=nowhere)
    # The scripts for users find these executables and each other.
    run([a.prefix / "bin/tessera-sweep", share / "examples/gemv_stream/layout.json", "--param", "W=2,4", "--out", "sweep"], cwd=nowhere)
    report = sorted((nowhere / "sweep/reports").glob("*.json"))[0]
    require(run([a.prefix / "bin/tessera", "diff", report, report]), "results are equal")


def case_rtl(a):
    """The installed example with a router in Verilog is a project by itself."""
    if not shutil.which("verilator"):
        print("skipped: Verilator is not installed; scripts/test.sh --all installs it")
        sys.exit(77)
    folder, examples = a.work / "rtl_router", a.prefix / "share/tessera/examples"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(examples / "rtl_router", folder)
    configure(a, folder)
    run([a.cmake, "--build", folder / "build"])
    require(run([folder / "build/rtl_router", examples / "gemv_stream/layout.json", "--replace", "router[1,1]=verilog"]),
            "y passed all 6 elements agree")


def case_sdk(a):
    """The commands of host programs find the rest of an installation, also through a link."""
    tools = a.prefix / "libexec/tessera/sdk/bin"
    require(run([tools / "cslc", "--version"]), "tessera_cslc ")
    link = a.work / "cs_python"
    link.unlink(missing_ok=True)
    link.symlink_to(tools / "cs_python")
    script = ("from cerebras.sdk.runtime import sdkruntimepybind as sdk; from tessera_csl.platform import tool; "
              "print(sdk.__file__, tool('tessera_csl_server'))")
    output = run([link, "-c", script])
    require(output, str(a.prefix.resolve() / "share/tessera/python/cerebras"))
    require(output, "tessera_csl_server")


def case_api_docs(a):
    """Doxygen reads the public headers without a warning, and knows every name on the main page."""
    if not shutil.which("doxygen"):
        print("skipped: doxygen is not installed")
        sys.exit(77)
    folder = a.work / "api"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    doxyfile = folder / "Doxyfile"
    settings = (a.build / "Doxyfile").read_text(encoding="utf-8")
    doxyfile.write_text(f'{settings}OUTPUT_DIRECTORY = "{folder}"\n', encoding="utf-8")
    run(["doxygen", doxyfile])
    main_page = (folder / "html/index.html").read_text(encoding="utf-8")
    named = re.findall(r"tessera::[\w:]*\w", (ROOT / "cmake/api_main_page.md").read_text(encoding="utf-8"))
    for name in named:
        if f">{name}</a>" not in main_page:
            sys.exit(f"cmake/api_main_page.md names {name}, which no public header declares")


def main():
    parser = argparse.ArgumentParser()
    cases = {name[len("case_"):]: function for name, function in globals().items() if name.startswith("case_")}
    parser.add_argument("case", choices=cases)
    parser.add_argument("--prefix", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path)
    for option, default in (("cmake", "cmake"), ("generator", "Ninja"), ("compiler", "g++"), ("launcher", ""),
                            ("flags", "")):
        parser.add_argument("--" + option, default=default)
    arguments = parser.parse_args()
    cases[arguments.case](arguments)


if __name__ == "__main__":
    main()

"""Completion, manual pages and syntax files: shell_test.py FOLDER_OF_EXECUTABLES SOURCE_TREE

Runs the completion in bash, lets groff judge the manual pages, and compares the syntax files with the words that the
front-ends know. Vim looks at a sample if it is installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BIN, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
EDITORS = SOURCE / "scripts/editors"
PLATFORMS = ("wse_platform", "ascend_platform", "ascend-cxx", "numesh_platform", "vp_platform")


def output(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=600, check=True, **more).stdout


def completed(*words):
    """What bash offers for the last of `words`."""
    script = f"""source <({BIN}/{words[0]} --completion)
        compopt() {{ :; }}
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _{words[0]}; printf '%s\\n' "${{COMPREPLY[@]}}" """
    line = [BIN / words[0], *words[1:]]
    return output("bash", "-c", script, "bash", *line, cwd=SOURCE).split()


class Completion(unittest.TestCase):
    def test_options_begin_as_what_is_typed(self):
        self.assertEqual(completed("wse_platform", "--max"), ["--max-cycles"])

    def test_every_option_of_help_is_offered(self):
        for name in PLATFORMS:
            known = set(re.findall(r"^  (?:-h \[ )?(--[a-z0-9-]+)", output(BIN / name, "--help"), re.M))
            self.assertEqual(known - set(completed(name, "--")), {"--help", "--version", "--man", "--completion"})

    def test_values_and_files(self):
        self.assertEqual(completed("wse_platform", "--preset", ""), ["wse2", "wse3", "wse2_silicon", "wse3_silicon"])
        self.assertEqual(completed("wse_platform", "--structure", "d"), ["dense"])
        self.assertEqual(completed("wse_platform", "--report", "READ"), ["README.md"])
        self.assertEqual(completed("wse_platform", "exam"), ["examples"])

    def test_keys_are_those_of_the_preset(self):
        self.assertEqual(completed("wse_platform", "--set", "fabric.hop"), ["fabric.hop_latency="])
        self.assertEqual(completed("ascend_platform", "--preset", "a5", "--set", "clock"), ["clock.khz="])


class ManualPages(unittest.TestCase):
    def test_pages_name_every_option(self):
        for name in PLATFORMS:
            page = output(BIN / name, "--man").replace("\\-", "-")
            for option in completed(name, "--"):
                self.assertIn(option, page)

    def test_groff_has_nothing_to_say(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for name in PLATFORMS:
            done = subprocess.run(["groff", "-man", "-ww", "-z"], input=output(BIN / name, "--man"), capture_output=True,
                                  text=True, timeout=600, check=True)
            self.assertEqual(done.stderr, "")


def words(text):
    return set(re.findall(r"[a-z_0-9]+", text))


def patterns(language):
    grammar = json.loads((EDITORS / f"vscode/syntaxes/{language}.tmLanguage.json").read_text())
    return {p["name"]: p for p in grammar["patterns"]}


class SyntaxFiles(unittest.TestCase):
    def test_files_of_vscode_are_complete_and_compile(self):
        package = json.loads((EDITORS / "vscode/package.json").read_text())
        for language in package["contributes"]["languages"]:
            json.loads((EDITORS / "vscode" / language["configuration"]).read_text())
        for grammar in package["contributes"]["grammars"]:
            for pattern in patterns(grammar["language"]).values():
                re.compile(pattern.get("match", pattern.get("begin")))

    def test_keywords_of_csl_are_those_of_the_lexer(self):
        lexer = (SOURCE / "frontends/csl/syntax/lexer.cpp").read_text()
        known = words(re.search(r"kReserved\[\] = \{(.*?)\}", lexer, re.S)[1])
        found = patterns("csl")
        marked = words(found["keyword.control"]["match"].replace("\\b", "")) | words(found["constant.language"]["match"].replace("\\b", ""))
        self.assertEqual(marked, known)
        vim = (EDITORS / "vim/syntax/csl.vim").read_text()
        self.assertEqual(words(re.search(r"cslKeyword (.*)", vim)[1]) | words(re.search(r"cslBoolean (.*)", vim)[1]), known)

    def test_declarations_of_tile_assembly_are_those_of_the_parser(self):
        parser = (SOURCE / "frontends/tasm/parser.cpp").read_text()
        declarations = set(re.findall(r'\{"([a-z_]+)", parse_', parser))
        directives = words(re.search(r"kDirectives = \{(.*?)\}", parser, re.S)[1])
        found = patterns("tasm")
        vim = (EDITORS / "vim/syntax/tasm.vim").read_text()
        for name, group, known in (("storage.type.declaration", "tasmDeclaration", declarations),
                                   ("keyword.control.directive", "tasmDirective", directives)):
            self.assertEqual(words(re.search(r"\((.*?)\)", found[name]["match"])[1]), known)
            self.assertEqual(words(re.search(group + r" .*?\\\((.*?)\\\)\\>", vim)[1].replace("\\|", " ")), known)

    def test_vim_colors_a_sample(self):
        if not shutil.which("vim"):
            self.skipTest("vim is not installed")
        samples = {"csl": ("const n = @as(u16, 0x10); // note", {1: "cslKeyword", 11: "cslBuiltin", 20: "cslNumber", 30: "cslComment"}),
                   "tasm": ("    fmacs dds1, s0ds1 ; note", {5: "tasmInstruction", 11: "tasmRegister", 24: "tasmComment"}),
                   "pto": ("  %a = pto.alloc_tile : !mat", {3: "ptoValue", 8: "ptoOperation", 25: "ptoType"})}
        for language, (line, groups) in samples.items():
            look = "".join(f"call writefile([synIDattr(synID(1, {column}, 1), 'name')], '/dev/stdout', 'a')|" for column in groups)
            done = subprocess.run(["vim", "-es", "-u", "NONE", "-N", "+set runtimepath^=" + str(EDITORS / "vim"), "+syntax on",
                                   f"+call setline(1, {json.dumps(line)})", f"+set syntax={language}", "+" + look.rstrip("|"), "+q!"],
                                  capture_output=True, text=True, timeout=600, check=False)
            self.assertEqual(done.stdout.split(), list(groups.values()), language + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/csl_wild.py: which recipe a checked-out repository has, and that every recipe can be read."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
import csl_wild  # pylint: disable=wrong-import-position

PLAIN = {"repository": "somebody/things", "programs": []}
BRANCH = {"repository": "somebody/things", "branch": "try/it", "programs": []}
OTHER = {"repository": "else/other", "branch": "only", "programs": []}


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)

    def checkout(self, name, branch=None, remote=None):
        folder = self.top / name
        folder.mkdir()
        if branch:
            subprocess.run(["git", "init", "-q", "-b", branch, str(folder)], check=True)
        if remote:
            subprocess.run(["git", "-C", str(folder), "config", "remote.origin.url", remote], check=True)
        return folder

    def recipe(self, *args, **named):
        return csl_wild.recipe_of(self.checkout(*args, **named), [PLAIN, BRANCH, OTHER])

    def test_a_folder_is_found_by_its_name_or_remote(self):
        self.assertIs(self.recipe("things"), PLAIN)
        self.assertIs(self.recipe("somebody+things"), PLAIN)
        self.assertIs(self.recipe("elsewhere", "main", "https://example.com/somebody/things.git"), PLAIN)
        self.assertIsNone(self.recipe("nothing"))

    def test_a_branch_has_a_recipe_of_its_own(self):
        self.assertIs(self.recipe("somebody_things", "try/it"), BRANCH)
        self.assertIs(self.recipe("somebody+things@try_it"), BRANCH)
        self.assertIsNone(self.recipe("things@another"))  # the recipe of the usual branch is not that of another one
        self.assertIsNone(self.recipe("other"))
        self.assertIsNone(self.recipe("else+other", "main"))
        self.assertIs(self.recipe("else_other", "only"), OTHER)

    def test_every_recipe_can_be_read(self):
        seen = set()
        for recipe in csl_wild.recipes():
            title = csl_wild.title_of(recipe)
            self.assertNotIn(title, seen)
            seen.add(title)
            names = [program["name"] for program in recipe["programs"]]
            self.assertEqual(len(names), len(set(names)), title)
            self.assertTrue(all(program["commands"] for program in recipe["programs"]), title)
        self.assertGreater(len(seen), 30)


if __name__ == "__main__":
    unittest.main()

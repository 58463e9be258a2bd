# SPDX-License-Identifier: Apache-2.0
"""Pictures of sweeps and of the validation: no word lies on another one, and nothing connects what has nothing between it."""
import itertools
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from sweeps import plots  # noqa: E402
from validation.chart import Chart, Series  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"t": 16, "a": 11}
WIDTH, HEIGHT = 0.56, 0.8  # of a letter, in its size: less than that of most, so that what is found does overlap


def boxes(svg):
    """(left, top, right, bottom, words) of each text."""
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        size = SIZES.get(text.get("class"), 12)
        x, y, long = float(text.get("x")), float(text.get("y")), WIDTH * size * len(text.text)
        left = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor"), 0)
        box = left, y - HEIGHT * size, left + long, y
        turned = re.match(r"rotate\(-90", text.get("transform", ""))
        if turned:  # about (x, y): what went right goes up
            box = x + box[1] - y, y + x - box[2], x + box[3] - y, y + x - box[0]
        yield (*box, text.text)


def overlapping(svg):
    return [(a[4], b[4]) for a, b in itertools.combinations(boxes(svg), 2) if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]]


class Pictures(unittest.TestCase):
    def test_the_words_of_a_roofline_have_places_of_their_own(self):
        for scale in (1, 1e3, 1e5):
            rows = [{"cycles": 100 * n, "roofline": {"operations": 50 * scale * n * n, "bytes": 7 * scale * n, "peak": 5 * scale, "bandwidth": 2 * scale}} for n in range(1, 7)]
            with tempfile.TemporaryDirectory() as folder:
                plots.roofline(rows, pathlib.Path(folder))
                svg = (pathlib.Path(folder) / "roofline.svg").read_text(encoding="utf-8")
            self.assertEqual(overlapping(svg), [], scale)

    def test_rows_of_a_table_are_dots_above_their_circles(self):
        values = [(1, 3), (2, 6), (3, 2)]
        chart = Chart("c", "Rows", "row", "cycles", [Series("model", values, dots=True), Series("published", values, points=True, like="model")])
        drawn = ElementTree.fromstring(chart.svg())
        self.assertEqual(list(drawn.iter(f"{SVG}polyline")), [])
        places = [(circle.get("cx"), circle.get("cy"), circle.get("fill")) for circle in drawn.iter(f"{SVG}circle")]
        pairs = [[fill for *there, fill in places if there == [x, y]] for x, y, fill in places if fill == "white"]
        self.assertEqual(sum(len(pair) == 2 and pair[1] != "white" for pair in pairs), len(values), places)  # the others are of the legend


if __name__ == "__main__":
    unittest.main()

"""Pictures of fabrics of any size: well-formed, of a size that a screen shows, and with what they promise.

pictures_test.py EXECUTABLE EXAMPLES"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 2_000_000
MOST_PIXELS = 1400  # on a side


def draw(executable, option, layout, params, file):
    command = [executable, layout, "--quiet", option, file, *(f for p in params for f in ("--param", p))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    assert file.stat().st_size < MOST_BYTES, (command, file.stat().st_size)
    picture = ElementTree.parse(file).getroot()
    assert picture.tag == SVG + "svg"
    for side in ("width", "height"):
        assert 100 < float(picture.get(side)) <= MOST_PIXELS, (command, side, picture.get(side))
    return picture


def texts(picture):
    return ["".join(text.itertext()) for text in picture.iter(SVG + "text")]


def titles(picture):
    return ["".join(title.itertext()) for title in picture.iter(SVG + "title")]


def check_routes(executable, examples, file):
    chain = examples / "reduce_chain" / "layout.json"
    small = draw(executable, "--routes", chain, ["W=4", "H=4"], file)
    maps = [re.fullmatch(r"color (\d+): (\d+) tiles?", text) for text in texts(small)]
    assert {int(m[1]): int(m[2]) for m in maps if m} == {2: 8, 3: 16, 4: 2, 5: 4}, texts(small)
    assert "tile (2, 0); position 0: from RAMP to WEST" in titles(small), titles(small)
    assert "tile (1, 0); position 0: from EAST to RAMP" in titles(small), titles(small)
    assert any("switch positions" in text for text in texts(small))
    many = draw(executable, "--routes", chain, ["W=400", "H=300", "B=1"], file)
    assert any("most of 2 x 2 tiles" in text for text in texts(many)), texts(many)
    assert not titles(many)
    ring = draw(executable, "--routes", examples / "ring_allreduce" / "layout.json", [], file)
    assert any("position 1" in title for title in titles(ring)), titles(ring)


def check_heat_maps(executable, examples, file):
    layout = examples / "exchange" / "layout.json"
    for width, height in ((2, 2), (30, 2), (300, 2), (700, 3)):
        picture = draw(executable, "--heatmap", layout, [f"W={width}", f"H={height}", "ITER=1"], file)
        assert any(f"{width} x {height} tiles" in text for text in texts(picture)), texts(picture)
        assert bool(titles(picture)) == (width * height <= 4096)


def main():
    executable, examples = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "picture.svg"
        check_routes(executable, examples, file)
        check_heat_maps(executable, examples, file)


if __name__ == "__main__":
    main()

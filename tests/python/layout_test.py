#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SdkLayout: what a script asks for, and where it is placed."""
import inspect
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))

from cerebras.geometry.geometry import IntRectangle, IntVector  # noqa: E402
from cerebras.sdk.runtime import sdkruntimepybind as sdk  # noqa: E402
from tessera_csl import initial  # noqa: E402
from tessera_csl.placement import OPPOSITE, Placement, _beside  # noqa: E402


class Layout(unittest.TestCase):
    def setUp(self):
        file = tempfile.NamedTemporaryFile(suffix=".csl")
        self.addCleanup(file.close)
        self.layout = sdk.SdkLayout(sdk.get_platform("", sdk.SimfabConfig(), sdk.SdkTarget.WSE2))
        self.region = self.layout.create_code_region(file.name, "r", 2, 3)
        self.file = file.name

    def test_what_a_script_asks_for_is_recorded(self):
        color, own = sdk.Color("c", 5), self.region.color("c")
        east = sdk.RoutingPosition().set_input([sdk.Route.WEST]).set_output([sdk.Route.EAST])
        ramp = sdk.RoutingPosition().add_input(sdk.Route.WEST).add_output(sdk.Route.RAMP)
        self.region.set_param_all("n", np.int16(4))
        self.region.set_param_range(IntRectangle(IntVector(0, 1), IntVector(2, 3)), own)
        self.region.paint_all(color, [east], [sdk.get_edge_routing(sdk.Edge.RIGHT, [ramp])])
        self.region.set_symbol_all("A", np.arange(12, dtype=np.uint16), 4, 3)
        record = self.layout.record()
        region = record["regions"][0]
        self.assertEqual(record["colors"], [{"name": "r_c", "value": None}, {"name": "c", "value": 5}])
        self.assertEqual(region["params"], [{"name": "n", "rect": [0, 0, 2, 3], "value": 4},
                                            {"name": "c", "rect": [0, 1, 2, 2], "color": "r_c"}])
        self.assertEqual([(p["rect"], p["positions"]) for p in region["paint"]],
                         [([0, 0, 2, 3], [{"rx": ["WEST"], "tx": ["EAST"]}]), ([1, 0, 1, 3], [{"rx": ["WEST"], "tx": ["RAMP"]}])])
        self.assertEqual(region["symbols"][0]["blocks"].tolist(), [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]])
        self.assertEqual((own.get_global_name(), own.get_value(), color.get_value()), ("r_c", None, 5))

    def test_values_of_a_region_are_one_array(self):
        """What it costs to read them must not grow with an array of each PE."""
        self.region.place(4, 1)
        self.region.set_symbol_all("A", np.arange(12, dtype=np.uint16), 4, 3)
        self.region.set_symbol_all("B", np.arange(6, dtype=np.float32), 2, 3)
        self.region.set_symbol_all("A", np.arange(6, dtype=np.uint16), 2, 3)  # later, so it counts
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "tessera.json").write_text("{}", encoding="utf-8")
            initial.write(folder, [self.region.record])
            with np.load(Path(folder, initial.FILE)) as arrays:
                self.assertEqual(len(arrays.files), 4)
            found = [(key, values.tolist()) for key, values in initial.read(folder)]
        self.assertEqual(len(found), 18)
        self.assertEqual(found[:3], [((4, 1, "A"), [0, 1]), ((5, 1, "A"), [2, 3]), ((4, 2, "A"), [4, 5])])
        self.assertEqual(dict(found)[5, 3, "A"], [5])
        self.assertEqual(np.array(dict(found)[5, 3, "B"], np.uint32).view(np.float32).tolist(), [5.0])

    def test_regions_are_stacked_from_an_origin(self):
        first, second = self.one("a", 4, 2, w=3), self.one("b", 0, 0, h=2)
        places = lambda: [first.record["place"], second.record["place"]]  # noqa: E731
        self.assertEqual(self.layout.hstack([first, second]), first.width + second.width)
        self.assertEqual(places(), [[4, 2], [7, 2]])
        self.assertEqual(self.layout.vstack([second, first], IntVector(1, 1)), first.height + second.height)
        self.assertEqual(places(), [[1, 3], [1, 1]])
        self.layout.hstack([first, second], 5, 6)
        self.assertEqual(places(), [[5, 6], [8, 6]])
        with self.assertRaises(ValueError):
            self.layout.vstack([])

    def test_arguments_have_the_names_of_the_documents(self):
        """SdkRuntime and SdkLayout, SDK 2.10 (csl.md 13)."""
        documented = {
            sdk.SdkRuntime: {
                "memcpy_d2h": "dest src px py w h elem_per_pe", "memcpy_h2d": "dest src px py w h elem_per_pe",
                "memcpy_h2d_rowbcast": "dest src px py w h elem_per_pe", "memcpy_h2d_colbcast": "dest src px py w h elem_per_pe",
                "memcpy_h2d_stride": "dest src px py w h elem_per_pe row_stride col_stride", "launch": "symbol",
                "read_symbol": "x y symbol_name dtype", "receive": "port dest n_wavelets", "send": "port src n_wavelets",
                "receive_tofile": "port outfile", "get_id": "symbol", "get_port_id": "port_name", "is_task_done": "task_handle",
                "task_wait": "task_handle", "dump_core": "corefile", "coord_logical_to_physical": "logical_coords"},
            sdk.SdkLayout: {
                "compile": "out_prefix libs cslc_prefix save_port_map f16_type", "connect": "tx rx",
                "create_code_region": "source name width height", "create_input_stream": "port io_loc io_buffer_size",
                "create_output_stream": "port io_loc io_buffer_size", "create_input_stream_from_loc": "loc color prefix",
                "hstack": "children origin", "vstack": "children origin"},
            sdk.CodeRegion: {
                "create_input_port": "color edge routes data_size prefix", "create_output_port": "color edge routes data_size prefix",
                "paint": "coord color routes", "paint_all": "color routes edge_routes", "paint_range": "rect color routes", "place": "x y",
                "set_symbol_all": "symbol data width height", "color": "name value"},
            sdk: {"get_platform": "cmaddr config target", "get_simulator": "config target", "get_system": "cmaddr",
                  "get_edge_routing": "edge routes"},
            sdk.SdkCompileArtifacts: {"__init__": "artifacts_path"}}
        for owner, functions in documented.items():
            for name, arguments in functions.items():
                found = [a for a in inspect.signature(getattr(owner, name)).parameters if a != "self"]
                self.assertEqual(found[:len(arguments.split())], arguments.split(), name)

    def test_rectangles_by_name_have_a_size(self):
        corners = IntRectangle(IntVector(1, 1), IntVector(3, 4))
        self.assertEqual(IntRectangle(origin=IntVector(1, 1), dims=IntVector(2, 3)), corners)
        self.assertEqual((corners.width, corners.height), (2, 3))
        for wrong in (lambda: IntRectangle(IntVector(1, 1)), lambda: IntRectangle(dims=IntVector(1, 1))):
            with self.assertRaises(TypeError):
                wrong()

    def test_members_are_numbers_and_names_of_the_module(self):
        self.assertEqual((int(sdk.MemcpyDataType.MEMCPY_16BIT), int(sdk.Edge.RIGHT), int(sdk.Route.SOUTH)), (1, 3, 4))
        self.assertIs(sdk.MemcpyOrder(1), sdk.COL_MAJOR)
        self.assertEqual((sdk.WSE3.name, sdk.BF16.value), ("WSE3", 1))

    def test_a_layout_is_for_a_platform_or_a_target(self):
        platform = sdk.get_platform(addr=None, target=sdk.SdkTarget.WSE2)
        self.assertTrue(platform.is_simulation() and not platform.is_system())
        sdk.SdkLayout(sdk.SdkTarget.WSE2, msg_level="INFO")
        for wrong, kind in (("folder", RuntimeError), (3, TypeError)):
            with self.assertRaises(kind):
                sdk.SdkLayout(wrong)
        with self.assertRaises(RuntimeError):
            self.layout.create_input_stream_from_loc(IntVector(1, 1), sdk.Color("c"))
        for wrong in ({"f16_type": "bf16"}, {"libs": "folder"}):
            with self.assertRaises(TypeError):
                self.layout.compile("out", **wrong)

    def one(self, name, x, y, **sizes):
        region = self.layout.create_code_region(self.file, name, sizes.get("w", 1), sizes.get("h", 1))
        region.place(x, y)
        return region

    def ports(self, source, target, out_edge, in_edge):
        """Connected ports, the colors of which have the names of their regions."""
        ramp_in, ramp_out = (sdk.RoutingPosition().set_input([sdk.Route.RAMP]), sdk.RoutingPosition().set_output([sdk.Route.RAMP]))
        self.layout.connect(source.create_output_port(source.color("c"), out_edge, [ramp_in], 4),
                            target.create_input_port(target.color("c"), in_edge, [ramp_out], 4))

    def test_paths_lead_around_regions(self):
        self.region.place(3, 0)  # in between
        self.ports(self.one("a", 1, 1), self.one("b", 6, 1), sdk.Edge.RIGHT, sdk.Edge.LEFT)
        placement = Placement(self.layout.record())
        self.assertEqual(placement.value_of("a_c"), placement.value_of("b_c"))
        route = placement.routes["a_c"]
        tile, came, steps = (1, 1), "RAMP", []
        while tile != (6, 1):
            (position,) = route[tile]
            self.assertEqual(position["rx"], [came])
            steps.append(position["tx"][0])
            tile = _beside(tile, steps[-1])
            came = OPPOSITE[steps[-1]]
            self.assertTrue(tile == (6, 1) or tile not in placement.code)
        self.assertEqual(route[tile], [{"rx": ["WEST"], "tx": ["RAMP"]}])
        self.assertEqual(len(steps), 9)  # five columns, and two rows down and up

    def test_neighbours_need_no_path(self):
        self.ports(self.one("a", 3, 0, h=2), self.one("b", 4, 0, h=2), sdk.Edge.RIGHT, sdk.Edge.LEFT)
        placement = Placement(self.layout.record())
        self.assertEqual(set(placement.routes["a_c"]), {(3, 0), (3, 1), (4, 0), (4, 1)})

    def test_streams_go_to_the_nearest_rim_or_to_the_place_that_is_named(self):
        inner = self.one("a", 4, 5)
        ramp = sdk.RoutingPosition().set_output([sdk.Route.RAMP])
        first = self.layout.create_input_stream(inner.create_input_port(sdk.Color("x"), sdk.Edge.RIGHT, [ramp], 4))
        second = self.layout.create_output_stream(
            inner.create_output_port(sdk.Color("y"), sdk.Edge.TOP, [sdk.RoutingPosition().set_input([sdk.Route.RAMP])], 4, "_out"),
            IntVector(4, 0))
        placement = Placement(self.layout.record())
        self.assertEqual((first, second), ("a_x", "a_y_out"))
        self.assertEqual([stream[:4] for stream in placement.streams],
                         [("a_x", "in", (5, 5), "EAST"), ("a_y_out", "out", (4, 0), "NORTH")])
        self.assertEqual(placement.routes["x"][5, 5], [{"rx": ["EAST"], "tx": ["WEST"]}])
        self.assertEqual(placement.stream_options()[0], "--host-stream=a_x:in:5,5:EAST:0")

    def test_ports_are_joined_once(self):
        ramp_out = sdk.RoutingPosition().set_output([sdk.Route.RAMP])
        ramp_in = sdk.RoutingPosition().set_input([sdk.Route.RAMP])
        region, other = self.one("a", 1, 1), self.one("b", 5, 1)
        entry = region.create_input_port(region.color("c"), sdk.Edge.LEFT, [ramp_out], 4)
        leave = other.create_output_port(other.color("c"), sdk.Edge.RIGHT, [ramp_in], 4)
        self.layout.create_input_stream(entry)
        for call in (lambda: self.layout.create_input_stream(entry), lambda: self.layout.connect(leave, entry)):
            with self.assertRaisesRegex(ValueError, "the input port of color 'a_c' has a stream already"):
                call()
        with self.assertRaisesRegex(ValueError, "0 wavelets"):
            region.create_output_port(region.color("d"), sdk.Edge.LEFT, [ramp_in], 0)
        with self.assertRaisesRegex(ValueError, r"\(-1, 0\)"):
            region.place(-1, 0)
        with self.assertRaisesRegex(ValueError, "24; a color has one of 0 to 23"):
            sdk.Color("e", 24)

    def test_colors_that_meet_on_a_pe_differ(self):
        east = sdk.RoutingPosition().set_input([sdk.Route.WEST]).set_output([sdk.Route.EAST])
        apart = self.one("a", 5, 5)
        for name, value in (("p", None), ("q", 0), ("r", None)):
            self.region.paint_all(sdk.Color(name, value), [east])
        apart.paint_all(sdk.Color("s"), [east])
        self.assertEqual(Placement(self.layout.record()).values, {"p": 1, "q": 0, "r": 2, "s": 0})
        self.region.paint_all(sdk.Color("t", 0), [east])
        with self.assertRaisesRegex(ValueError, "two colors on one PE have the value 0"):
            Placement(self.layout.record())

    def test_the_layout_block(self):
        ramp, east = (sdk.RoutingPosition().set_input([sdk.Route.WEST]).set_output([route]) for route in (sdk.Route.RAMP, sdk.Route.EAST))
        self.region.set_param_all("flag", True)
        self.region.set_param(IntVector(1, 2), "level", -0.5)
        self.region.set_param_all(sdk.Color("c", 7))
        self.region.paint(IntVector(0, 0), sdk.Color("c"), [ramp, east])
        text = Placement(self.layout.record()).text()
        self.assertIn("@set_rectangle(3, 4);", text)
        self.assertIn(f'@set_tile_code(1, 2, "{self.file}", .{{ .flag = true, .level = -0.5, .c = @get_color(7) }});', text)
        self.assertIn('@set_tile_code(2, 3, "<empty>");', text)
        self.assertIn("@set_color_config(0, 0, @get_color(7), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, "
                      ".switches = .{ .pos1 = .{ .tx = .{ EAST } } } });", text)

    def test_places_that_clash(self):
        self.one("a", 1, 1)
        with self.assertRaisesRegex(ValueError, "'r' and 'a' both have the PE"):
            Placement(self.layout.record())

    def test_no_path(self):
        for x, y in ((4, 5), (6, 5), (5, 4), (5, 6)):
            self.one(f"wall{x}{y}", x, y)
        self.ports(self.one("a", 5, 5), self.one("b", 9, 9), sdk.Edge.RIGHT, sdk.Edge.LEFT)
        with self.assertRaisesRegex(ValueError, "no free path from the region 'a'"):
            Placement(self.layout.record())

    def test_bad_use(self):
        ramp = sdk.RoutingPosition().set_output([sdk.Route.RAMP])
        color = sdk.Color("c")
        region, layout = self.region, self.layout
        entry = region.create_input_port(color, sdk.Edge.LEFT, [ramp], 4)
        source = region.create_output_port(color, sdk.Edge.RIGHT, [sdk.RoutingPosition().set_input([sdk.Route.RAMP])], 5)
        cases = [
            (ValueError, "exists", lambda: layout.create_code_region("nowhere.csl", "s", 1, 1)),
            (ValueError, "already", lambda: layout.create_code_region(self.file, "r", 1, 1)),
            (ValueError, "do not lie in the region", lambda: region.set_param(IntVector(2, 0), "n", 1)),
            (TypeError, "number or a color", lambda: region.set_param_all("n", "text")),
            (TypeError, "no Color", lambda: region.set_param_all("n")),
            (ValueError, "give outputs only", lambda: region.create_input_port(sdk.Color("d"), sdk.Edge.LEFT, [
                sdk.RoutingPosition().set_input([sdk.Route.WEST])], 4)),
            (ValueError, "already", lambda: region.create_input_port(color, sdk.Edge.TOP, [ramp], 4)),
            (ValueError, "sizes 5 and 4", lambda: layout.connect(source, entry)),
            (TypeError, "output port", lambda: layout.connect(entry, entry)),
            (ValueError, "port on one PE", lambda: layout.create_input_stream(entry)),
            (ValueError, "equal blocks", lambda: region.set_symbol_all("A", np.zeros(9, np.int32), 3, 3)),
            (ValueError, "has the value 1 and shall have 2", lambda: [region.paint_all(sdk.Color("e", n), [ramp]) for n in (1, 2)]),
        ]
        for kind, words, call in cases:
            with self.assertRaises(kind) as raised:
                call()
            if words != "exists":
                self.assertIn(words, str(raised.exception))


if __name__ == "__main__":
    unittest.main()

// From an evaluated CSL program to the fabric (csl.md 5, 10, 15).
#include "frontends/compiled/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/compiled/folder.h"
#include "frontends/compiled/listing.h"
#include "frontends/compiled/routes.h"
#include "frontends/csl/option_text.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/tasm/assembler.h"
#include "tests/frontends/csl/sema/project.h"
#include "tests/support/csl_program.h"

namespace tessera::compiled {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHost = "tests/platforms/wse/programs/csl_host/layout.csl";

/// Routes of color 1 and 2 on PE (0, 0), whose layout block ends with `body`, as layout JSON.
Program linked(const std::string& declarations, const std::string& body,
               const std::string& tile = "", csl::Options options = {}) {
  csl::Project project;
  project.layout(declarations, body).file("pe.csl", tile);
  std::ostringstream messages;
  csl::Engine engine(options, messages);
  engine.evaluate(project.path("layout.csl"));
  csl::Compiler compiler(engine);
  return link(engine, project.path("layout.csl"), {}, std::ref(compiler));
}

std::string route(const std::string& config) {
  const Program program = linked("", "@set_color_config(0, 0, @get_color(3), " + config + ");");
  EXPECT_EQ(program.layout.tile_routes.size(), 1U);
  return route_text(program.layout.routes.at(0).route);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CompiledLink, RoutesKeepAllThatAColorHas) {
  EXPECT_EQ(route(".{ .routes = .{ .rx = WEST, .tx = .{ RAMP, EAST } } }"),
            R"({"rx":["WEST"],"tx":["EAST","RAMP"]})");
  EXPECT_EQ(route(".{ .routes = .{ .rx = WEST, .tx = RAMP }, .switches = .{ .pos1 = .{ .tx = "
                  "EAST }, .pos2 = .{ .rx = RAMP }, .current_switch_pos = 1, .ring_mode = true, "
                  ".pop_mode = .{ .pop_on_advance = true } } }"),
            R"({"rx":["WEST"],"tx":["RAMP"],"switches":{"pos1":{"tx":["EAST"]},)"
            R"("pos2":{"rx":["RAMP"]},"current_switch_pos":1,"ring_mode":true,)"
            R"("pop_mode":"pop_on_advance"}})");
  EXPECT_EQ(route(".{ .routes = .{ .rx = WEST, .tx = RAMP, .color_swap_x = true }, .teardown = "
                  "true, .filter = .{ .kind = .{ .counter = true }, .count_data = true, "
                  ".init_counter = 1, .limit1 = 5, .max_counter = 2 } }"),
            R"({"rx":["WEST"],"tx":["RAMP"],"filter":{"kind":"counter","count_data":true,)"
            R"("count_control":false,"init_counter":1,"limit1":5,"max_counter":2,)"
            R"("filter_control":false},"color_swap_x":true,"teardown":true})");
  EXPECT_EQ(route(".{ .routes = .{ .rx = WEST, .tx = RAMP }, .filter = .{ .kind = .{ .range = "
                  "true }, .min_idx = 3, .max_idx = 9 } }"),
            R"({"rx":["WEST"],"tx":["RAMP"],"filter":{"kind":"range","min_idx":3,"max_idx":9}})");
}

TEST(CompiledLink, LayoutAndTileConfigureColorsTogether) {
  const std::string config = ".{ .routes = .{ .rx = WEST, .tx = RAMP } });";
  const std::string tile = "comptime { @set_local_color_config(@get_color(4), " + config + " }";
  const std::string body = "@set_color_config(0, 0, @get_color(3), " + config;
  const Program program = linked("", body, tile);
  ASSERT_EQ(program.layout.tile_routes.size(), 2U);
  EXPECT_EQ(program.layout.tile_routes[0].color, Color(3));
  EXPECT_EQ(program.layout.tile_routes[1].color, Color(4));
  EXPECT_EQ(program.layout.routes.size(), 1U) << "equal routes are one";
}

TEST(CompiledLink, TheProgramLiesInTheFabric) {
  csl::Options options;
  options.fabric = {9, 4};
  options.offsets = {5, 2};
  const Program program = linked("", "", "", options);
  EXPECT_EQ(program.layout.width, 9);
  EXPECT_EQ(program.layout.height, 4);
  EXPECT_EQ(program.rectangle, (layout::Rect{5, 2, 1, 1}));
  EXPECT_EQ(program.layout.program_of_tile[program.layout.tile_index({5, 2})], 0);
  EXPECT_EQ(program.layout.program_of_tile[program.layout.tile_index({4, 2})], -1);
  options.fabric = {5, 4};
  EXPECT_THAT(message_of([&] { linked("", "", "", options); }),
              HasSubstr("does not fit into the fabric; --fabric-dims must be at least 6,3"));
}

TEST(CompiledLink, ExportsAndStreamsAreThoseOfTheProgram) {
  const Program program = test::csl_program(kHost, "wse3", "width:2,height:1");
  EXPECT_TRUE(program.has_memcpy);
  EXPECT_EQ(program.streams_in, 1U << 1);
  EXPECT_EQ(program.streams_out, 1U << 2);
  const Export& add = *program.find_export("add");
  EXPECT_TRUE(add.is_function);
  EXPECT_THAT(add.parameters, ElementsAre("u16", "f32"));
  EXPECT_EQ(program.find_export("h")->element, pe::ElementType::kI16);
  EXPECT_TRUE(program.find_export("a")->is_mutable);
  EXPECT_EQ(program.find_export("nothing"), nullptr);
  const Symbols& symbols = program.symbols_of({4, 1});
  EXPECT_EQ(symbols.pointers.count("a"), 1U);
  EXPECT_EQ(symbols.functions.count("missing"), 0U);
}

TEST(CompiledFolder, AProgramIsReadAsItWasWritten) {
  const Program program = test::csl_program(kHost, "wse2", "width:3,height:2");
  const test::TemporaryFolder folder;
  write_folder(program, folder.path().string(), "1.2");
  const Program read = read_folder(folder.path().string(), "1.2");
  EXPECT_EQ(read.rectangle, program.rectangle);
  EXPECT_EQ(read.generation, Generation::kWse2);
  EXPECT_EQ(read.has_memcpy, program.has_memcpy);
  EXPECT_EQ(read.streams_in, program.streams_in);
  EXPECT_EQ(read.params, program.params);
  ASSERT_EQ(read.exports.size(), program.exports.size());
  EXPECT_EQ(read.find_export("add")->parameters, program.find_export("add")->parameters);
  EXPECT_EQ(read.symbols_of({4, 1}).pointers, program.symbols_of({4, 1}).pointers);
  EXPECT_EQ(read.symbols_of({4, 1}).functions, program.symbols_of({4, 1}).functions);
  EXPECT_EQ(read.layout.program_of_tile, program.layout.program_of_tile);
  for (int y = 0; y < read.layout.height; ++y) {
    for (int x = 0; x < read.layout.width; ++x) {
      const auto texts = [&](const Program& of) {
        std::string text;
        for (const layout::TileRoute& route : of.layout.routes_of({x, y}))
          text +=
              std::to_string(route.color.value()) + route_text(of.layout.routes[route.route].route);
        return text;
      };
      EXPECT_EQ(texts(read), texts(program)) << x << ", " << y;
    }
  }
}

TEST(CompiledFolder, CodeKeepsItsPlaces) {
  const Program program = test::csl_program(kHost, "wse3", "width:1,height:1");
  const pe::Image& image = *program.layout.programs.at(0).image;
  const test::TemporaryFolder folder;
  test::write_file(folder.file("pe.elf"), listing(image));
  const pe::Image read = tasm::assemble_file(folder.file("pe.elf"), {});
  ASSERT_EQ(read.code.size(), image.code.size());
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc)
    EXPECT_EQ(read.place_of(pc), image.place_of(pc)) << pc;
  EXPECT_THAT(listing(image), HasSubstr(" 25  ; a[n] = a[n] + v;"));
}

TEST(CompiledFolder, SaysWhatIsWrongWithAFolder) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_THAT(message_of([&] { read_folder(path, "1.2"); }),
              HasSubstr("tessera.json: there is no compiled program; make one with tessera_cslc"));
  write_folder(test::csl_program(kHost, "wse3", "width:1,height:1"), path, "1.1");
  EXPECT_THAT(message_of([&] { read_folder(path, "1.2"); }),
              HasSubstr("the program was compiled by Tessera 1.1; this is 1.2, compile it again"));
  test::write_file(folder.file("file"), "");
  EXPECT_THAT(message_of([&] {
                write_folder(test::csl_program(kHost, "wse3", "width:1,height:1"),
                             folder.file("file"), "1");
              }),
              HasSubstr("the folder cannot be made"));
}

TEST(CslOptionText, SaysWhatIsWrong) {
  csl::NamedNumbers numbers;
  csl::add_option_numbers("a:1,b:0x10", "--params", numbers);
  EXPECT_EQ(numbers, (csl::NamedNumbers{{"a", 1}, {"b", 16}}));
  EXPECT_EQ(message_of([&] { csl::add_option_numbers("a:2", "--params", numbers); }),
            "--params: 'a' is given twice");
  EXPECT_EQ(message_of([] { csl::option_pair("3", "--fabric-dims"); }),
            "--fabric-dims: '3' is not of the form A,B");
  EXPECT_EQ(message_of([] { csl::option_number("-1", "--channels"); }),
            "--channels: '-1' is no unsigned integer");
}

}  // namespace
}  // namespace tessera::compiled

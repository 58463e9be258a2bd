#include <filesystem>
#include <limits>

#include "frontends/compiled/folder.h"
#include "frontends/compiled/folder_files.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/text/json.h"

namespace tessera::compiled {
namespace {

namespace fs = std::filesystem;
using text::Node;

constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();

template <class T = std::uint32_t>
T number(const Node& node) {
  return node.integer_in<T>({}, 0, kMost, "a number");
}

layout::Rect read_rect(const Node& node) {
  const std::vector<Node> parts = node.items();
  if (parts.size() != 4) node.fail("four numbers were expected");
  return {number<int>(parts[0]), number<int>(parts[1]), number<int>(parts[2]),
          number<int>(parts[3])};
}

Export read_export(const Node& node) {
  constexpr std::array kElements = {pe::ElementType::kI16, pe::ElementType::kU16,
                                    pe::ElementType::kI32, pe::ElementType::kU32,
                                    pe::ElementType::kF16, pe::ElementType::kF32};
  Export made;
  made.name = node.at("name").text("a name");
  made.type = node.at("type").text("a type");
  made.is_function = node.at("function").boolean();
  made.is_mutable = node.find("mutable").has_value();
  if (const auto element = node.find("element")) {
    for (const pe::ElementType type : kElements) {
      if (element->text("a type") == pe::to_string(type)) made.element = type;
    }
  }
  for (const Node& parameter : node.items_of("parameters"))
    made.parameters.push_back(parameter.text("a type"));
  return made;
}

/// Reads "tile" and "side" of a link or a port.
template <class Place>
Place read_place(const Node& node) {
  Place place;
  const std::vector<Node> tile = node.at("tile").items();
  if (tile.size() != 2) node.fail("the tile has two coordinates");
  place.tile = {number<int>(tile[0]), number<int>(tile[1])};
  std::vector<std::string> sides;
  for (const Direction d : kAllDirections) sides.emplace_back(to_string(d));
  place.side = kAllDirections[node.at("side").word(sides, "side")];
  return place;
}

Port read_port(const Node& node) {
  auto port = read_place<Port>(node);
  port.name = node.at("name").text("a name");
  port.color = Color(number(node.at("color")));
  port.is_out = node.at("output").boolean();
  return port;
}

layout::HostLink read_link(const Node& node) {
  auto link = read_place<layout::HostLink>(node);
  link.in_colors = number(node.at("in"));
  link.out_colors = number(node.at("out"));
  return link;
}

void check_version(const Node& root, const std::string& version) {
  const Node node = root.at("version");
  const std::string written = node.text("a version");
  if (written == version) return;
  node.fail("the program was compiled by Tessera ", written, "; this is ", version,
            ", compile it again");
}

std::vector<std::pair<std::string, std::uint64_t>> read_numbers(const Node& root,
                                                                const std::string& key) {
  std::vector<std::pair<std::string, std::uint64_t>> numbers;
  for (const auto& [name, value] : root.members_of(key))
    numbers.emplace_back(name, std::stoull(value.text("a number")));
  return numbers;
}

void read_codes(const Node& root, Program& program) {
  // The layout has programs in the order of its tiles.
  program.symbols.resize(program.layout.programs.size());
  for (const Node& code : root.at("codes").items()) {
    const fs::path file(code.at("code").text("a file"));
    for (std::size_t i = 0; i < program.layout.programs.size(); ++i) {
      if (fs::path(program.layout.programs[i].code).filename() != file.filename()) continue;
      for (const auto& [name, address] : code.members_of("pointers"))
        program.symbols[i].pointers.emplace(name, number(address));
      for (const auto& [name, function] : code.members_of("functions"))
        program.symbols[i].functions.emplace(name, function.text("a function"));
      for (const auto& [name, variable] : code.members_of("variables"))
        program.symbols[i].variables.emplace(name, variable.text("a variable"));
    }
  }
}

}  // namespace

Program read_folder(const std::string& folder, const std::string& version) {
  const fs::path root_path(folder);
  const std::string file = (root_path / kProgramFile).string();
  if (!fs::is_regular_file(file))
    throw UserError(file, "", "there is no compiled program; make one with tessera_cslc -o");
  const text::Document document(text::read_file(file, "compiled program"), file, kSchema);
  const Node root = document.root();
  check_version(root, version);
  Program program;
  program.file = root.at("file").text("a file");
  program.generation = root.at("arch").word({"wse2", "wse3"}, "generation") == 0
                           ? Generation::kWse2
                           : Generation::kWse3;
  program.layout = layout::read_layout((root_path / kLayoutFile).string());
  program.rectangle = read_rect(root.at("rectangle"));
  program.has_memcpy = root.at("memcpy").boolean();
  program.streams_in = number(root.at("streams_in"));
  program.streams_out = number(root.at("streams_out"));
  for (const Node& link : root.at("links").items()) program.links.push_back(read_link(link));
  for (const Node& port : root.at("ports").items()) program.ports.push_back(read_port(port));
  program.params = read_numbers(root, "params");
  program.colors = read_numbers(root, "colors");
  for (const Node& e : root.at("exports").items()) program.exports.push_back(read_export(e));
  read_codes(root, program);
  for (const Node& source : root.at("sources").items())
    program.sources.push_back(
        {source.at("file").text("a file"), source.at("digest").text("a digest")});
  return program;
}

}  // namespace tessera::compiled

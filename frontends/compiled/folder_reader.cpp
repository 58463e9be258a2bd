#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "frontends/compiled/check.h"
#include "frontends/compiled/folder.h"
#include "frontends/compiled/folder_files.h"
#include "frontends/csl/option_text.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/text/files_read.h"
#include "frontends/text/folder_lock.h"
#include "frontends/text/json.h"

namespace tessera::compiled {
namespace {

namespace fs = std::filesystem;
using text::Node;

template <class T = std::uint32_t>
T number(const Node& node) {
  return node.integer_in<T>({}, 0, std::numeric_limits<T>::max(), "a number");
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
    std::vector<std::string> names;
    for (const pe::ElementType type : kElements) names.emplace_back(pe::to_string(type));
    made.element = kElements[element->word(names, "type")];
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
  port.color =
      Color(node.at("color").integer_in<unsigned>({}, 0, kColorCount - 1, "the number of a color"));
  port.is_out = node.at("output").boolean();
  return port;
}

layout::HostLink read_link(const Node& node) {
  auto link = read_place<layout::HostLink>(node);
  link.in_colors = number(node.at("in"));
  link.out_colors = number(node.at("out"));
  if (const std::optional<Node> dropped = node.find("dropped"))
    link.dropped_colors = number(*dropped);
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
    numbers.emplace_back(name, csl::option_number(value.text("a number"), name));
  return numbers;
}

template <class Type>
Type type_named(const Node& node, std::initializer_list<Type> types) {
  const std::string name = node.text("a type");
  for (const Type type : types) {
    if (name == to_string(type)) return type;
  }
  node.fail("'", name, "' is no type of an element");
}

Local read_local(const Node& node) {
  using E = pe::ElementType;
  using P = pe::PackedType;
  Local local;
  local.name = node.at("name").text("a name");
  local.type = node.at("type").text("a type");
  local.file = node.at("file").text("a file");
  const std::vector<Node> lines = node.at("lines").items();
  if (lines.size() != 2) node.fail("expected the first line and the last");
  local.line = number(lines[0]);
  local.last_line = number(lines[1]);
  local.element =
      type_named(node.at("element"), {E::kI16, E::kU16, E::kI32, E::kU32, E::kF16, E::kF32});
  if (const auto count = node.find("count")) local.count = number(*count);
  const std::vector<Node> packed = node.items_of("packed");
  if (packed.size() == 2) {
    local.packed = type_named(packed[0], {P::kI8, P::kU8, P::kI64, P::kU64});
    local.packed_count = number(packed[1]);
  }
  for (const Node& place : node.items_of("places")) {
    const std::vector<Node> parts = place.items();
    if (parts.size() != 4) place.fail("expected a kind and three numbers");
    const std::string kind = parts[0].text("a kind");
    local.places.push_back(
        {kind.empty() ? 'r' : kind.front(), number(parts[1]), number(parts[2]), number(parts[3])});
  }
  if (const auto inlined = node.find("inlined")) local.inlined = number(*inlined);
  if (const auto global = node.find("global")) local.global = number(*global);
  return local;
}

std::shared_ptr<const Inlined> read_inlined(const Node& code) {
  auto all = std::make_shared<Inlined>();
  const auto there = code.find("inlined");
  if (!there) return all;
  for (const Node& call : there->at("calls").items()) {
    const std::uint32_t parent = number(call.at("parent"));
    if (parent > all->calls.size()) call.fail("expected the number of a call before it");
    all->calls.push_back({call.at("function").text("a name"), call.at("file").text("a file"),
                          number(call.at("line")), parent});
  }
  for (const Node& range : there->at("code").items()) {
    const std::vector<Node> parts = range.items();
    if (parts.size() != 3) range.fail("expected three numbers");
    const Inlined::Range made = {number(parts[0]), number(parts[1]), number(parts[2])};
    if (made.call > all->calls.size()) range.fail("expected the number of a call");
    all->code.push_back(made);
  }
  return all;
}

Locals read_locals(const Node& code) {
  auto all = std::make_shared<std::vector<Local>>();
  for (const Node& local : code.items_of("locals")) all->push_back(read_local(local));
  return all;
}

/// Reads the names of each code. The layout has programs in the order of its tiles.
void read_codes(const Node& root, Program& program) {
  program.symbols.resize(program.layout.programs.size());
  std::vector<bool> is_read(program.symbols.size());
  std::map<std::string, std::vector<std::size_t>> codes_of;  // by the name of their file
  for (std::size_t i = 0; i < program.layout.programs.size(); ++i)
    codes_of[fs::path(program.layout.programs[i].code).filename().string()].push_back(i);
  for (const Node& code : root.at("codes").items()) {
    const fs::path file(code.at("code").text("a file"));
    const Locals locals = read_locals(code);
    const std::shared_ptr<const Inlined> inlined = read_inlined(code);
    for (const std::size_t i : codes_of[file.filename().string()]) {
      is_read[i] = true;
      program.symbols[i].locals = locals;
      program.symbols[i].inlined = inlined;
      for (const auto& [name, address] : code.members_of("pointers"))
        program.symbols[i].pointers.emplace(name, number(address));
      for (const Node& name : code.items_of("constants"))
        program.symbols[i].constants.insert(name.text("a name"));
      for (const auto& [name, function] : code.members_of("functions"))
        program.symbols[i].functions.emplace(name, function.text("a function"));
      for (const auto& [name, variable] : code.members_of("variables"))
        program.symbols[i].variables.emplace(name, variable.text("a variable"));
    }
  }
  for (std::size_t i = 0; i < is_read.size(); ++i) {
    if (!is_read[i])
      root.at("codes").fail("the code ", program.layout.programs[i].code, " is not there");
  }
}

/// The files of a folder as they are now, each compared with the digest that the compiler gave it.
class FolderFiles {
 public:
  explicit FolderFiles(fs::path root) : root_(std::move(root)) {}

  /// Throws UserError unless the digest in `text`, that of kProgramFile, is its own.
  void read_digests(const Node& root, const std::string& text) {
    const std::string file = (root_ / kProgramFile).string();
    const std::string digest = root.at("digest").text("a digest");
    std::string without = text;
    const std::size_t at = text.find(digest);
    const std::string zeros(kNoDigest);
    if (digest.size() == zeros.size() && at != std::string::npos)
      without.replace(at, zeros.size(), zeros);
    if (text::digest_of(without) != digest) refuse(file);
    for (const auto& [name, of_file] : root.members_of("digests"))
      digests_[(root_ / name).lexically_normal().string()] = of_file.text("a digest");
  }

  /// The text of a file, the same for all codes that are made of it.
  std::shared_ptr<const std::string> read(const std::string& path) {
    std::shared_ptr<const std::string>& text = texts_[path];
    if (text != nullptr) return text;
    text = std::make_shared<const std::string>(text::read_file(path, "part of a compiled program"));
    const auto known = digests_.find(fs::path(path).lexically_normal().string());
    if (known == digests_.end() || text::digest_of(*text) != known->second) refuse(path);
    return text;
  }

 private:
  [[noreturn]] static void refuse(const std::string& file) {
    throw UserError(file, "",
                    "the file is not as tessera_cslc has written it; compile the program again");
  }

  const fs::path root_;
  std::map<std::string, std::string> digests_;
  std::map<std::string, std::shared_ptr<const std::string>> texts_;
};

}  // namespace

Program read_folder(const std::string& folder, const std::string& version) {
  const fs::path root_path(folder);
  const std::string file = (root_path / kProgramFile).string();
  if (!fs::is_regular_file(file))
    throw UserError(file, "", "there is no compiled program; make one with tessera_cslc -o");
  const text::FolderLock lock(folder, text::FolderLock::Use::kRead);
  const std::string text = text::read_file(file, "compiled program");
  const text::Document document(text, file, kSchema);
  const Node root = document.root();
  check_version(root, version);
  FolderFiles files(root_path);
  files.read_digests(root, text);
  Program program;
  program.file = root.at("file").text("a file");
  program.generation = root.at("arch").word({"wse2", "wse3"}, "generation") == 0
                           ? Generation::kWse2
                           : Generation::kWse3;
  const fs::path layout = root_path / kLayoutFile;
  program.layout = layout::read_layout_text(*files.read(layout.string()), layout.string(), folder);
  for (layout::Program& code : program.layout.programs) code.text = files.read(code.code);
  program.rectangle = read_rect(root.at("rectangle"));
  program.has_memcpy = root.at("memcpy").boolean();
  program.channels = number(root.at("channels"));
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
  check_program(program, file);
  return program;
}

}  // namespace tessera::compiled

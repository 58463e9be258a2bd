// "arrays", "symbols" and "host": what the host holds, where it lies on the tiles, and what the host
// does, step by step.
#include <algorithm>
#include <set>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

constexpr std::size_t kMaxRank = 3;

const std::vector<std::pair<std::string, pe::ElementType>> kDtypes = {
    {"f32", pe::ElementType::kF32}, {"f16", pe::ElementType::kF16}, {"i32", pe::ElementType::kI32},
    {"u32", pe::ElementType::kU32}, {"i16", pe::ElementType::kI16}, {"u16", pe::ElementType::kU16}};

pe::ElementType read_dtype(const Node& node) {
  return text::read_choice(node, kDtypes, "dtype");
}

void read_shape(const Node& node, const Layout& layout, Array& array) {
  const std::vector<Node> items = node.items();
  if (items.empty() || items.size() > kMaxRank)
    node.fail("a shape has 1 to ", kMaxRank, " dimensions, but ", items.size(), " are given");
  std::int64_t elements = 1;
  for (const Node& item : items) {
    const std::int64_t size = item.integer_in(layout.params, 1, kMaxArrayElements, "the dimension");
    elements *= size;  // both at most 2^31
    if (elements > kMaxArrayElements) {
      node.fail("the array has more than ", kMaxArrayElements,
                " elements, the most that are allowed");
    }
    array.shape.push_back(static_cast<std::size_t>(size));
    array.shape_text.push_back(item.is_string() ? item.text("") : std::to_string(size));
  }
}

void check_array_name(const Node& node, const std::string& name, const Layout& layout) {
  text::check_name(node, name, "an array");
  if (name == "idle")
    node.fail("\"idle\" cannot be the name of an array; {\"wait\": \"idle\"} waits for the whole "
              "machine");
  if (layout.params.count(name) != 0) {
    node.fail("\"", name,
              "\" is already a parameter; arrays and parameters are used in the same expressions");
  }
}

Array read_array(const Node& node, const std::string& name, const Layout& layout) {
  node.allow_keys({"dtype", "shape", "init", "input"});
  check_array_name(node, name, layout);
  Array array;
  array.name = name;
  array.place = node.place();
  array.dtype = read_dtype(node.at("dtype"));
  read_shape(node.at("shape"), layout, array);
  if (const std::optional<Node> init = node.find("init"))
    array.init = init->text("an array expression in quotes");
  if (const std::optional<Node> input = node.find("input")) array.input = input->boolean();
  return array;
}

Symbol read_symbol(const Node& node, const std::string& name, const Layout& layout) {
  node.allow_keys({"symbol", "rect", "dtype", "order"});
  const Array& array = find_array(node, name, layout);
  Symbol symbol;
  symbol.name = name;
  symbol.place = node.place();
  const Node symbol_node = node.at("symbol");
  symbol.symbol = symbol_node.text("the name of a symbol of the tile programs");
  if (symbol.symbol.empty()) symbol_node.fail("the name of the symbol is empty");
  symbol.rect = read_filled_rect(node.at("rect"), layout);
  symbol.dtype = array.dtype;
  const std::optional<Node> dtype = node.find("dtype");
  if (dtype && read_dtype(*dtype) != array.dtype) {
    dtype->fail("the symbol has dtype ", dtype->text(""), ", but the host array (", array.place,
                ") has ", to_string(array.dtype), "; both must be the same");
  }
  if (const std::optional<Node> order = node.find("order")) {
    symbol.order =
        text::read_choice<Order>(*order, {{"row", Order::kRow}, {"col", Order::kColumn}}, "order");
  }
  return symbol;
}

const std::vector<std::string> kStepKinds = {"copy_in", "launch",   "stream_in", "stream_out",
                                             "wait",    "copy_out", "check"};

/// rtol and atol of a check that gives none: as numpy.allclose, but integers are compared exactly.
std::pair<double, double> default_tolerances(pe::ElementType dtype) {
  if (dtype == pe::ElementType::kF32) return {1e-5, 1e-8};
  // A rounding to f16 changes a number by up to 5e-4 of its size; twenty of them are allowed.
  if (dtype == pe::ElementType::kF16) return {1e-2, 1e-3};
  return {0, 0};
}

/// Whether an edge of the grid is a column.
bool is_column(Direction edge) {
  return edge == Direction::kWest || edge == Direction::kEast;
}

/// The column or row of tiles at an edge of the grid.
int rim_of(Direction edge, const Layout& layout) {
  if (edge == Direction::kEast) return layout.width - 1;
  return edge == Direction::kSouth ? layout.height - 1 : 0;
}

bool lies_on(const Rect& rect, Direction edge, const Layout& layout) {
  return is_column(edge) ? rect.w == 1 && rect.x == rim_of(edge, layout)
                         : rect.h == 1 && rect.y == rim_of(edge, layout);
}

/// The steps of one host section; later steps refer to earlier ones.
class HostReader {
 public:
  HostReader(const std::string& directory, Layout& layout)
      : directory_(directory), layout_(layout) {}

  void read(const Node& node) { layout_.host.push_back(read_step(node, kind_of(node))); }

 private:
  std::string kind_of(const Node& node) const {
    std::string kind;
    for (const std::string& key : node.keys()) {
      if (std::find(kStepKinds.begin(), kStepKinds.end(), key) == kStepKinds.end()) continue;
      if (!kind.empty())
        node.fail("a host step does one thing, but both \"", kind, "\" and \"", key,
                  "\" are given");
      kind = key;
    }
    if (!kind.empty()) return kind;
    std::vector<std::string> keys = node.keys();
    keys.erase(std::remove(keys.begin(), keys.end(), "comment"), keys.end());
    if (keys.empty())
      node.fail("the host step is empty; a step is one of ", text::listed(kStepKinds));
    node.fail("unknown host step \"", keys[0], "\"",
              text::suggestion(keys[0], kStepKinds, "steps"));
  }

  HostStep read_step(const Node& node, const std::string& kind) {
    if (kind == "launch") return read_launch(node);
    node.allow_keys({kind});
    const Node value = node.at(kind);
    if (kind == "copy_in") return CopyIn{read_symbol_name(value), node.place()};
    if (kind == "copy_out") return CopyOut{read_symbol_name(value), node.place()};
    if (kind == "stream_in") return StreamIn{read_stream(value, node.place())};
    if (kind == "stream_out") return StreamOut{read_stream(value, node.place())};
    if (kind == "wait") return read_wait(value, node.place());
    return read_check(value, node.place());
  }

  /// An array that a symbol maps to tiles.
  std::string read_symbol_name(const Node& node) const {
    std::string name = read_array_name(node, layout_);
    if (layout_.find_symbol(name) != nullptr) return name;
    std::vector<std::string> known;
    for (const Symbol& symbol : layout_.symbols) known.push_back(symbol.name);
    node.fail("the host array \"", name,
              "\" has no symbol on the tiles; arrays with a symbol: ", text::listed(known));
  }

  Launch read_launch(const Node& node) const {
    node.allow_keys({"launch", "args", "rect"});
    Launch launch;
    launch.place = node.place();
    const Node function = node.at("launch");
    launch.function = function.text("the name of a function of the tile programs");
    if (function.text("").empty()) function.fail("the name of the function is empty");
    if (const std::optional<Node> rect = node.find("rect"))
      launch.rect = read_filled_rect(*rect, layout_);
    const std::optional<Node> args = node.find("args");
    if (!args) return launch;
    for (const Node& arg : args->items()) {
      if (arg.is_double()) {
        launch.args.emplace_back(arg.number("a number"));
      } else {
        launch.args.emplace_back(arg.integer(layout_.params));
      }
    }
    return launch;
  }

  Stream read_stream(const Node& node, const std::string& place) {
    node.allow_keys({"color", "rect", "name", "edge", "simd"});
    Stream stream;
    stream.place = place;
    stream.color = read_color(node.at("color"), layout_);
    stream.name = read_array_name(node.at("name"), layout_);
    const Node rect = node.at("rect");
    stream.rect = read_filled_rect(rect, layout_);
    if (const std::optional<Node> edge = node.find("edge")) {
      stream.edge = read_edge(*edge, stream.rect);
    } else if (!on_some_edge(stream.rect)) {
      rect.fail("the rect ", to_string(stream.rect),
                " of a stream is not on the rim; it must be one column wide at x = 0 or x = ",
                layout_.width - 1, ", or one row high at y = 0 or y = ", layout_.height - 1);
    }
    if (const std::optional<Node> simd = node.find("simd"))
      stream.simd = read_simd(*simd, *layout_.find_array(stream.name));
    streamed_.insert(stream.name);
    return stream;
  }

  static bool read_simd(const Node& node, const Array& array) {
    if (pe::bytes_of(array.dtype) == 2) return node.boolean();
    node.fail("\"simd\" is about arrays with elements of 16 bits, but \"", array.name, "\" (",
              array.place, ") is ", pe::to_string(array.dtype), ", one element a wavelet");
  }

  bool on_some_edge(const Rect& rect) const {
    return std::any_of(kCardinalDirections.begin(), kCardinalDirections.end(),
                       [&](Direction edge) { return lies_on(rect, edge, layout_); });
  }

  Direction read_edge(const Node& node, const Rect& rect) const {
    std::vector<std::pair<std::string, Direction>> edges;
    edges.reserve(kCardinalDirections.size());
    for (Direction d : kCardinalDirections) edges.emplace_back(to_string(d), d);
    const Direction edge = text::read_choice<Direction>(node, edges, "edge");
    if (!lies_on(rect, edge, layout_)) {
      node.fail("the rect ", to_string(rect), " of the stream is not on the ", to_string(edge),
                " edge; it must be ",
                (is_column(edge) ? "one column wide, at x = " : "one row high, at y = "),
                rim_of(edge, layout_));
    }
    return edge;
  }

  Wait read_wait(const Node& node, const std::string& place) const {
    const std::string name = node.text("the name of a streamed host array, or \"idle\",");
    if (name == "idle") return {std::nullopt, place};
    if (streamed_.count(name) != 0) return {name, place};
    if (layout_.find_array(name) != nullptr) {
      node.fail("no step before this one streams the host array \"", name,
                "\"; wait for a streamed array or for \"idle\"");
    }
    std::vector<std::string> known(streamed_.begin(), streamed_.end());
    known.emplace_back("idle");
    node.fail("cannot wait for \"", name, "\"", text::suggestion(name, known, "it can wait for"));
  }

  Check read_check(const Node& node, const std::string& place) const {
    node.allow_keys({"name", "expect", "value", "rtol", "atol"});
    Check check;
    check.place = place;
    const Node name = node.at("name");
    const std::string text = name.text("the name of a host array");
    const std::size_t end = std::min(text.find('['), text.size());
    check.name = find_array(name, text.substr(0, end), layout_).name;
    check.part = text.substr(end);
    const std::optional<Node> expect = node.find("expect");
    const std::optional<Node> value = node.find("value");
    if (expect.has_value() == value.has_value())
      node.fail("a check has either \"expect\" (a .npy file) or \"value\" (an array expression)");
    if (expect) check.expect = read_path(*expect, directory_, "a .npy file");
    if (value) check.value = value->text("an array expression in quotes");
    const auto [rtol_default, atol_default] =
        default_tolerances(layout_.find_array(check.name)->dtype);
    check.rtol = read_tolerance(node.find("rtol"), rtol_default);
    const std::optional<Node> atol = node.find("atol");
    if (atol && atol->is_string()) {
      check.atol_value = atol->text("a number or an array expression");
    } else {
      check.atol = read_tolerance(atol, atol_default);
    }
    return check;
  }

  static double read_tolerance(const std::optional<Node>& node, double otherwise) {
    if (!node) return otherwise;
    const double tolerance = node->number("a number");
    if (tolerance < 0) node->fail("a tolerance cannot be negative; it is 0 or more");
    return tolerance;
  }

  const std::string& directory_;
  Layout& layout_;
  std::set<std::string> streamed_;
};

}  // namespace

void read_arrays(const Node& root, Layout& layout) {
  for (const auto& [name, node] : root.members_of("arrays"))
    layout.arrays.push_back(read_array(node, name, layout));
}

void read_symbols(const Node& root, Layout& layout) {
  for (const auto& [name, node] : root.members_of("symbols"))
    layout.symbols.push_back(read_symbol(node, name, layout));
}

void read_host(const Node& root, const std::string& directory, Layout& layout) {
  HostReader reader(directory, layout);
  for (const Node& node : root.items_of("host")) reader.read(node);
}

}  // namespace tessera::layout

// "arrays" and "symbols": what the host holds, and where it lies on the tiles.
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

std::string text_of(const Node& node, std::int64_t value) {
  return node.is_string() ? node.text("") : std::to_string(value);
}

void read_shape(const Node& node, const Layout& layout, Array& array) {
  const std::vector<Node> items = node.items();
  if (items.empty() || items.size() > kMaxRank) {
    node.fail("a shape has 1 to " + std::to_string(kMaxRank) + " dimensions, but " +
              std::to_string(items.size()) + " are given");
  }
  std::int64_t elements = 1;
  for (const Node& item : items) {
    const std::int64_t size = item.integer_in(layout.params, 1, kMaxArrayElements, "the dimension");
    elements *= size;  // both at most 2^31
    if (elements > kMaxArrayElements) {
      node.fail("the array has more than " + std::to_string(kMaxArrayElements) +
                " elements, the most that are allowed");
    }
    array.shape.push_back(static_cast<std::size_t>(size));
    array.shape_text.push_back(text_of(item, size));
  }
}

void check_array_name(const Node& node, const std::string& name, const Layout& layout) {
  text::check_name(node, name, "an array");
  if (name == "idle")
    node.fail("\"idle\" cannot be the name of an array; {\"wait\": \"idle\"} waits for the whole "
              "machine");
  if (layout.params.count(name) != 0) {
    node.fail("\"" + name +
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
    dtype->fail("the symbol has dtype " + dtype->text("") + ", but the host array (" + array.place +
                ") has " + std::string(to_string(array.dtype)) + "; both must be the same");
  }
  if (const std::optional<Node> order = node.find("order")) {
    symbol.order =
        text::read_choice<Order>(*order, {{"row", Order::kRow}, {"col", Order::kColumn}}, "order");
  }
  return symbol;
}

}  // namespace

void read_arrays(const Node& root, Layout& layout) {
  const std::optional<Node> section = root.find("arrays");
  if (!section) return;
  for (const auto& [name, node] : section->members()) {
    layout.arrays.push_back(read_array(node, name, layout));
  }
}

void read_symbols(const Node& root, Layout& layout) {
  const std::optional<Node> section = root.find("symbols");
  if (!section) return;
  for (const auto& [name, node] : section->members()) {
    layout.symbols.push_back(read_symbol(node, name, layout));
  }
}

}  // namespace tessera::layout

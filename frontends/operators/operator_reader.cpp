// "operators".
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "frontends/operators/reader_parts.h"

namespace tessera::operators {
namespace {

constexpr std::int64_t kMaxCycles = 1000000;
constexpr std::uint32_t kMaxDenominator = 256;

const std::vector<std::pair<std::string, Kind>> kKinds = {
    {"stream", Kind::kStream}, {"broadcast", Kind::kBroadcast},
    {"shift", Kind::kShift},   {"circular_shift", Kind::kCircularShift},
    {"reduce", Kind::kReduce}, {"prefix", Kind::kPrefix},
    {"online", Kind::kOnline}};

const std::vector<std::pair<std::string, Technique>> kTechniques = {
    {"auto", Technique::kAuto},           {"message", Technique::kMessage},
    {"processor", Technique::kProcessor}, {"marker", Technique::kMarker},
    {"barrier", Technique::kBarrier},     {"none", Technique::kNone}};

const std::vector<std::pair<std::string, Combine>> kCombines = {{"replace", Combine::kReplace},
                                                                {"sum", Combine::kAdd},
                                                                {"max", Combine::kMax},
                                                                {"min", Combine::kMin}};

/// The fraction with a small denominator that a share such as 0.667 was rounded from.
Ratio nearest_ratio(const Node& node, double share) {
  if (!(share > 0 && share <= 1)) {
    std::ostringstream given;
    given << share;
    node.fail("the bandwidth ", given.str(),
              " is out of range; expected more than 0 and at most 1");
  }
  constexpr double kRounding = 0.0005;
  for (std::uint32_t den = 1; den <= kMaxDenominator; ++den) {
    const double num = std::round(share * den);
    if (num >= 1 && std::abs(num / den - share) <= kRounding)
      return {static_cast<std::uint32_t>(num), den};
  }
  node.fail("the bandwidth is less than one word in ", kMaxDenominator,
            " cycles, the least that can be asked for");
}

Ratio read_ratio(const Node& node, const Program& program) {
  if (!node.is_string()) return nearest_ratio(node, node.number("a share such as 0.5 or \"2/3\""));
  const std::string text = node.text("");
  const std::size_t slash = text.find('/');
  const auto part = [&](const std::string& expression) {
    try {
      return text::Expression::parse(expression, program.params).evaluate();
    } catch (const text::ExpressionError&) {
      node.fail("\"", text::shown(text),
                "\" is no share; expected a number or \"A/B\", such as \"2/3\"");
    }
  };
  const std::int64_t num = part(text.substr(0, slash));
  const std::int64_t den = slash == std::string::npos ? 1 : part(text.substr(slash + 1));
  if (num < 1 || den < num || den > kMaxDenominator) {
    node.fail("the bandwidth ", text::shown(text),
              " is out of range; expected A/B with 1 <= A <= B <= ", kMaxDenominator);
  }
  return {static_cast<std::uint32_t>(num), static_cast<std::uint32_t>(den)};
}

/// Reads one operator; its members are the parts that kinds have in common.
class OperatorReader {
 public:
  OperatorReader(const Node& node, const std::string& name, Reading& reading)
      : node_(node), reading_(reading) {
    op_.name = name;
    op_.place = node.place();
  }

  Operator read() {
    op_.kind = text::read_choice(node_.at("kind"), kKinds, "kind of operator");
    allow_keys();
    read_nodes_of_kind();
    check_instances();
    read_numbers();
    read_technique();
    read_arrays_of_operator();
    return std::move(op_);
  }

 private:
  const text::Constants& params() const { return reading_.program.params; }

  void allow_keys() const {
    std::vector<std::string> keys = {"kind", "in", "out", "technique", "compute", "bandwidth"};
    if (op_.kind == Kind::kOnline) {
      keys.emplace_back("messages");
    } else {
      for (const char* key : {"words", "delay", "echo", "slot", "combine"}) keys.emplace_back(key);
    }
    const bool has_from = op_.kind == Kind::kStream || op_.kind == Kind::kBroadcast;
    if (has_from) keys.emplace_back("from");
    if (op_.kind == Kind::kStream || op_.kind == Kind::kReduce) keys.emplace_back("to");
    if (op_.kind != Kind::kStream && op_.kind != Kind::kOnline) {
      for (const char* key : {"nodes", "subsets", "each"}) keys.emplace_back(key);
    }
    if (op_.kind == Kind::kShift || op_.kind == Kind::kCircularShift) keys.emplace_back("by");
    node_.allow_keys(keys);
  }

  void read_nodes_of_kind() {
    if (op_.kind == Kind::kOnline) return read_messages();
    if (op_.kind == Kind::kStream) return read_pairs();
    op_.instances = read_subsets();
    if (op_.kind == Kind::kBroadcast) put_first("from");
    if (op_.kind == Kind::kReduce) put_first("to");
    if (node_.find("by")) turn();
  }

  /// Streams: the n-th node of "from" sends to the n-th node of "to".
  void read_pairs() {
    const Nodes from = read_nodes(node_.at("from"), reading_);
    const Nodes to = read_nodes(node_.at("to"), reading_);
    if (from.size() != to.size()) {
      node_.fail("\"from\" has ", from.size(), " nodes and \"to\" has ", to.size(),
                 "; each of the first sends to one of the second");
    }
    for (std::size_t i = 0; i < from.size(); ++i) op_.instances.push_back({from[i], to[i]});
  }

  std::vector<Nodes> read_subsets() const {
    const std::optional<Node> subsets = node_.find("subsets");
    const std::optional<Node> nodes = node_.find("nodes");
    const std::optional<Node> each = node_.find("each");
    if (subsets && (nodes || each)) subsets->fail("give \"subsets\", or \"nodes\", not both");
    if (subsets) {
      std::vector<Nodes> sets;
      for (const Node& set : subsets->items()) sets.push_back(read_nodes(set, reading_));
      if (sets.empty()) subsets->fail("there must be at least one subset");
      return sets;
    }
    const Node set = node_.at("nodes");
    if (each) return read_lines(set, *each, reading_);
    return {read_nodes(set, reading_)};
  }

  /// The node of each instance that "from" or "to" names comes first.
  void put_first(const char* key) {
    const Node node = node_.at(key);
    const Nodes roots = read_nodes(node, reading_);
    for (Nodes& instance : op_.instances) {
      std::size_t found = 0;
      for (const NodeIndex root : roots) {
        const auto it = std::find(instance.begin(), instance.end(), root);
        if (it == instance.end()) continue;
        ++found;
        std::rotate(instance.begin(), it, it + 1);
      }
      if (found == 1) continue;
      node.fail("of the nodes ", listed(reading_.program.mesh, instance), " ",
                (found == 0 ? "none" : std::to_string(found)),
                " are named here; one of them must be");
    }
  }

  void turn() {
    const Node node = node_.at("by");
    const std::int64_t by = node.integer(params());
    if (by != 1 && by != -1)
      node.fail("a shift is by 1 or -1 along the order of its nodes, but ", by, " is given");
    if (by == 1) return;
    for (Nodes& instance : op_.instances) std::reverse(instance.begin(), instance.end());
  }

  void read_messages() {
    const Node section = node_.at("messages");
    for (const Node& item : section.items()) {
      item.allow_keys({"from", "to", "words"});
      Message message;
      message.from = read_place(item.at("from"), reading_);
      message.to = read_place(item.at("to"), reading_);
      message.words =
          item.at("words").integer_in<std::uint32_t>(params(), 1, kMaxWords, "the message length");
      if (message.from == message.to)
        item.fail("the message goes to the node that sends it; it needs another one");
      op_.messages.push_back(message);
    }
    if (op_.messages.empty()) section.fail("there must be at least one message");
  }

  /// Two instances may not read from or write to the same node (numesh.md 2.1).
  void check_instances() const {
    std::set<NodeIndex> writers;
    std::set<NodeIndex> readers;
    for (const Nodes& instance : op_.instances) {
      if (instance.size() < 2)
        node_.fail("an operator needs at least 2 nodes, but an instance has only ",
                   listed(reading_.program.mesh, instance));
      const bool pair = op_.kind == Kind::kStream;
      if (pair && instance[0] == instance[1])
        node_.fail("a stream from ", reading_.program.mesh.name(instance[0]),
                   " to itself; it needs another destination");
      for (std::size_t i = 0; i < instance.size(); ++i) {
        std::set<NodeIndex>& used = pair && i == 0 ? writers : readers;
        if (used.insert(instance[i]).second) continue;
        node_.fail("the node ", reading_.program.mesh.name(instance[i]),
                   " is in two instances; instances may not read from or write to the same node");
      }
    }
  }

  void read_numbers() {
    const auto number = [&](const char* key, auto& to, std::int64_t lowest, std::int64_t highest,
                            const char* what) {
      if (const auto node = node_.find(key))
        to = node->integer_in<std::uint32_t>(params(), lowest, highest, what);
    };
    number("words", op_.words, 1, kMaxWords, "the message length");
    number("compute", op_.compute, 0, kMaxCycles, "the compute cost per word");
    if (const auto node = node_.find("bandwidth"))
      op_.bandwidth = read_ratio(*node, reading_.program);
    number("delay", op_.delay, 0, kMaxCycles, "the delay");
    number("slot", op_.slot, 0, 4095, "the slot");
    const bool folds = op_.kind == Kind::kReduce || op_.kind == Kind::kPrefix;
    if (folds) op_.how = Combine::kAdd;
    if (const auto node = node_.find("combine")) {
      op_.how = text::read_choice(*node, kCombines, "way to combine");
      if (folds && op_.how == Combine::kReplace)
        node->fail("a reduce or prefix combines words; allowed: sum, max, min");
    }
  }

  void read_technique() {
    if (const auto node = node_.find("technique"))
      op_.technique = text::read_choice(*node, kTechniques, "technique");
    if (const auto node = node_.find("echo")) {
      const std::vector<std::pair<std::string, bool>> places = {{"last", false}, {"first", true}};
      op_.echo_first = text::read_choice(*node, places, "place of the echo");
    }
  }

  /// Arrays that are not named get made for the operator.
  void read_arrays_of_operator() {
    std::uint32_t words = op_.words;
    for (const Message& message : op_.messages) words = std::max(words, message.words);
    op_.in = array_of("in", ".in", words, "1000 * (node + 1) + k");
    // No word that is lost may look like one that came.
    op_.out = array_of("out", ".out", words, op_.how == Combine::kMin ? "2147483647" : "0");
    if (op_.in != op_.out || op_.kind == Kind::kStream || op_.kind == Kind::kBroadcast) return;
    node_.fail("\"in\" and \"out\" are the same array; a node would send words that it has just "
               "received");
  }

  std::size_t array_of(const char* key, const char* suffix, std::uint32_t words,
                       const std::string& init) {
    std::vector<Array>& arrays = reading_.program.arrays;
    const std::optional<Node> node = node_.find(key);
    if (!node) {
      arrays.push_back({op_.name + suffix, words, init, op_.place});
      return arrays.size() - 1;
    }
    const std::string name = node->text("the name of an array");
    std::vector<std::string> known;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      known.push_back(arrays[i].name);
      if (arrays[i].name != name) continue;
      if (arrays[i].words >= words) return i;
      node->fail("the array \"", name, "\" has ", arrays[i].words,
                 " words, but the operator moves ", words);
    }
    node->fail("unknown array \"", text::shown(name), "\"",
               text::suggestion(name, known, "declared in arrays"));
  }

  const Node& node_;
  Reading& reading_;
  Operator op_;
};

}  // namespace

void read_operators(const Node& root, Reading& reading) {
  for (const auto& [name, node] : root.at("operators").members()) {
    text::check_name(node, name, "an operator");
    reading.program.operators.push_back(OperatorReader(node, name, reading).read());
  }
  Program& program = reading.program;
  if (program.operators.empty()) root.at("operators").fail("there must be at least one operator");
  std::int64_t words = 0;
  for (const Array& array : program.arrays) words += array.words;
  const auto nodes = static_cast<std::int64_t>(program.mesh.node_count());
  if (words * nodes > kMaxMemory) {
    root.at("operators")
        .fail("all arrays of all nodes have ", words * nodes, " words; at most ", kMaxMemory,
              " are allowed");
  }
}

}  // namespace tessera::operators

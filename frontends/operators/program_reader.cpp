#include "frontends/operators/program_reader.h"

#include "frontends/operators/reader_parts.h"

namespace tessera::operators {
namespace {

constexpr std::int64_t kMaxTimes = 100000;
constexpr std::int64_t kMaxCycle = std::int64_t{1} << 40;
constexpr std::int64_t kMaxLength = 4096;

const std::vector<std::pair<std::string, PhaseChoice>> kChoices = {
    {"auto", PhaseChoice::kAuto},
    {"shared", PhaseChoice::kShared},
    {"separate", PhaseChoice::kSeparate}};

class GroupReader {
 public:
  explicit GroupReader(Reading& reading) : reading_(reading) {}

  Group read(const Node& node) {
    if (node.is_string()) return read_use(node);
    if (!node.is_object())
      node.wrong_type("the name of an operator, or a group {\"sequential\": [..]}, "
                      "{\"parallel\": [..]}, {\"loop\": N, \"body\": [..]} or {\"work\": N}");
    check_kind(node);
    if (node.find("work")) return read_work(node);
    Group group;
    group.place = node.place();
    std::optional<Node> members;
    if (const auto loop = node.find("loop")) {
      node.allow_keys({"loop", "body", "phases", "length"});
      group.kind = Group::Kind::kLoop;
      group.times = loop->integer_in<std::uint32_t>(reading_.program.params, 1, kMaxTimes,
                                                    "the number of rounds");
      members = node.at("body");
    } else if (const auto parallel = node.find("parallel")) {
      node.allow_keys({"parallel", "length"});
      group.kind = Group::Kind::kParallel;
      members = parallel;
    } else {
      node.allow_keys({"sequential", "phases", "length"});
      group.kind = Group::Kind::kSequential;
      members = node.at("sequential");
    }
    if (const auto phases = node.find("phases"))
      group.phases = text::read_choice(*phases, kChoices, "choice of phases");
    if (const auto length = node.find("length"))
      group.length = length->integer_in<std::uint32_t>(reading_.program.params, 1, kMaxLength,
                                                       "the length of the schedule");
    for (const Node& member : members->items()) group.members.push_back(read(member));
    if (group.members.empty()) members->fail("a group needs at least one member");
    return group;
  }

 private:
  /// Fails unless the node has one of the keys that say what kind of group it is.
  static void check_kind(const Node& node) {
    std::vector<std::string> found;
    for (const char* key : {"sequential", "parallel", "loop", "work"}) {
      if (node.find(key)) found.emplace_back(key);
    }
    if (found.size() == 1) return;
    if (found.empty())  // names the misspelt key
      node.allow_keys(
          {"sequential", "parallel", "loop", "work", "body", "nodes", "phases", "length"});
    node.fail("a group has one of the keys sequential, parallel, loop and work, but this one has ",
              text::listed(found));
  }

  Group read_use(const Node& node) {
    const std::string name = node.text("");
    std::vector<std::string> known;
    const std::vector<Operator>& operators = reading_.program.operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      known.push_back(operators[i].name);
      if (operators[i].name != name) continue;
      Group use;
      use.index = i;
      use.place = node.place();
      return use;
    }
    node.fail("unknown operator \"", text::shown(name), "\"",
              text::suggestion(name, known, "operators"));
  }

  Group read_work(const Node& node) {
    node.allow_keys({"work", "nodes"});
    Work work;
    work.place = node.place();
    work.cycles = node.at("work").integer_in<std::uint32_t>(reading_.program.params, 1, 1000000,
                                                            "the work in cycles");
    work.nodes = read_nodes(node.at("nodes"), reading_);
    Group group;
    group.kind = Group::Kind::kWork;
    group.index = reading_.program.works.size();
    group.place = node.place();
    reading_.program.works.push_back(std::move(work));
    return group;
  }

  Reading& reading_;
};

std::size_t count_uses(const Group& group) {
  if (group.members.empty()) return 1;
  std::size_t count = 0;
  for (const Group& member : group.members) count += count_uses(member);
  return count > kMaxUses ? count : count * group.times;
}

Cycle read_cycle(const Node& node, const Reading& reading, Cycle lowest) {
  return node.integer_in<Cycle>(reading.program.params, static_cast<std::int64_t>(lowest),
                                kMaxCycle, "the number of cycles");
}

/// "program".
void read_group(const Node& root, Reading& reading) {
  const Node node = root.at("program");
  reading.program.group = GroupReader(reading).read(node);
  const std::size_t uses = count_uses(reading.program.group);
  if (uses > kMaxUses)
    node.fail("the program uses operators more than ", kMaxUses,
              " times with its loops unrolled, the most that are allowed");
}

/// "starts" and "interruptions".
void read_skews(const Node& root, Reading& reading) {
  for (const Node& item : root.items_of("starts")) {
    item.allow_keys({"nodes", "at"});
    reading.program.starts.push_back(
        {read_nodes(item.at("nodes"), reading), read_cycle(item.at("at"), reading, 0)});
  }
  for (const Node& item : root.items_of("interruptions")) {
    item.allow_keys({"nodes", "at", "cycles"});
    reading.program.interruptions.push_back({read_nodes(item.at("nodes"), reading),
                                             read_cycle(item.at("at"), reading, 0),
                                             read_cycle(item.at("cycles"), reading, 1)});
  }
}

}  // namespace

Program read_program_text(const std::string& text, const std::string& file,
                          const ParamOverrides& param_overrides) {
  const std::string place = "it has one in init of arrays, where every node has its own";
  const text::Document document(
      text, file, kSchema,
      {{"node", place}, {"x", place}, {"y", place}, {"z", place}, {"k", place}});
  const Node root = document.root();
  root.allow_keys({"schema", "params", "mesh", "sets", "arrays", "operators", "program", "starts",
                   "interruptions"});
  Program program;
  program.file = file;
  Reading reading{program};
  read_mesh(root, param_overrides, program);
  read_sets(root, reading);
  read_arrays(root, program);
  read_operators(root, reading);
  read_group(root, reading);
  read_skews(root, reading);
  return program;
}

Program read_program(const std::string& path, const ParamOverrides& param_overrides) {
  return read_program_text(text::read_file(path, "communication program"), path, param_overrides);
}

}  // namespace tessera::operators

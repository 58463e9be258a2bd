#include "platforms/numesh/debug_target.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platforms/debug/causes.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::numesh {

using debug::Value;
using debug::Variable;

namespace {

constexpr std::uint32_t kMostInLine = 8;  // elements in one line
constexpr std::uint32_t kBytesOfWord = 4;

Value value_of(std::uint32_t word) {
  return Value::of(static_cast<std::int32_t>(word));
}

}  // namespace

DebugTarget::DebugTarget(Machine& machine, run::View& view, const CompiledProgram& program)
    : machine_(machine), view_(view), program_(program), points_(program), told_(place_count()),
      seen_(place_count()) {}

// --- places

std::optional<std::uint32_t> DebugTarget::place_at(const std::vector<int>& at) const {
  const operators::Mesh& mesh = program_.source.mesh;
  operators::Coordinates coordinates = {0, 0, 0};
  if (at.size() != mesh.rank) return {};
  std::copy(at.begin(), at.end(), coordinates.begin());
  if (!mesh.contains(coordinates)) return {};
  return mesh.index(coordinates);
}

std::string DebugTarget::name_of(std::uint32_t place) const {
  return "node " + program_.source.mesh.name(place);
}

std::string DebugTarget::instruction_text(std::uint32_t program, std::uint32_t pc) const {
  return points_.name_of(program, pc) + " in phase " + points_.phase_of(program, pc);
}

// --- stops

std::optional<std::size_t> DebugTarget::turn(std::uint32_t place) const {
  if (processor(place).finished()) return {};
  return processor(place).turn();
}

void DebugTarget::note_turns() {
  for (std::uint32_t place = 0; place < place_count(); ++place) seen_[place] = turn(place);
}

void DebugTarget::set_stops(observe::PlaceWatch& watch,
                            const std::vector<observe::StopSet>& stops) {
  told_.set_watch(watch);
  note_turns();
  is_asked_ = true;
  for (std::uint32_t place = 0; place < place_count(); ++place) {
    const auto program = program_of(place);
    told_.set_stops(place, program ? &stops[*program] : nullptr);
  }
}

void DebugTarget::follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) {
  told_.set_watch(watch);
  if (!is_asked_ && place) note_turns();
  is_asked_ = is_asked_ || place;
  told_.follow(place);
}

void DebugTarget::set_now(Cycle now) {
  now_ = now;
  if (!is_asked_) return;
  for (std::uint32_t place = 0; place < place_count(); ++place) {
    const auto present = turn(place);
    if (present == seen_[place]) continue;
    seen_[place] = present;
    if (!present) continue;
    for (const std::uint32_t point : points_.points(place, *present)) {
      told_.leave(place);
      told_.come(place, point, now);
    }
  }
}

// --- what is there

std::vector<std::uint32_t> DebugTarget::stands_at(std::uint32_t place) {
  const auto present = turn(place);
  if (!present) return {};
  return points_.points(place, *present);
}

std::optional<std::uint32_t> DebugTarget::pc(std::uint32_t place) {
  const std::vector<std::uint32_t> points = stands_at(place);
  if (points.empty()) return {};
  return points.front();
}

std::vector<debug::Frame> DebugTarget::frames(std::uint32_t place) {
  std::vector<debug::Frame> frames;
  const auto region = program_of(place);
  for (const std::uint32_t point : stands_at(place))
    frames.push_back({instruction_text(*region, point), programs()[*region].line_of(point), point});
  return frames;
}

std::string DebugTarget::at_rest(std::uint32_t place) {
  if (!program_of(place)) return "no part in the program";
  return turn(place) ? "no part in the present phase" : "its program is over";
}

std::vector<std::string> DebugTarget::state(std::uint32_t place) {
  return run::sentences_about(view_, place, now_);
}

std::vector<Variable> DebugTarget::variables(std::uint32_t place, const std::string& scope) {
  if (scope == "Task") return tasks(place);
  if (scope == "Queues") return queues(place);
  std::vector<Variable> all;
  for (std::size_t a = 0; a < program_.source.arrays.size(); ++a) all.push_back(shown(place, a));
  return all;
}

std::vector<Variable> DebugTarget::tasks(std::uint32_t place) const {
  std::vector<Variable> all;
  const scheduled::Node& node = program_.lowered.nodes[place];
  const auto present = turn(place);
  if (!present || node.turns.empty()) return all;
  const scheduled::NodePhase& phase = node.phases[node.turns[*present].phase];
  all.push_back({"phase",
                 phase.name + ", " + std::to_string(*present + 1) + " of " +
                     std::to_string(node.turns.size()),
                 "",
                 {},
                 0});
  for (std::size_t task = 0; task < phase.tasks.size(); ++task) {
    const Cycle returned = processor(place).returned_at(*present, task);
    const bool is_over = returned != kNever && returned <= now_;
    all.push_back({phase.tasks[task].name,
                   is_over ? "has returned in cycle " + std::to_string(returned) : "under way",
                   "",
                   {},
                   0});
  }
  return all;
}

std::vector<Variable> DebugTarget::queues(std::uint32_t place) const {
  std::vector<Variable> all;
  const scheduled::Node& node = program_.lowered.nodes[place];
  const scheduled::Interface& interface = machine_.view().interface(place);
  const auto add = [&all](const char* kind, const std::vector<scheduled::Address>& addresses,
                          const std::vector<scheduled::InterfaceQueue>& queues) {
    for (std::size_t q = 0; q < queues.size(); ++q) {
      std::string words;
      for (unsigned i = 0; i < queues[q].size(); ++i)
        words += (i == 0 ? ": " : ", ") + to_string(value_of(queues[q][i].data));
      all.push_back({std::string(kind) + " " + std::to_string(q) + " (" + addresses[q].name + ")",
                     std::to_string(queues[q].size()) + " of " + std::to_string(queues[q].depth()) +
                         " words" + words,
                     "",
                     {},
                     0});
    }
  };
  add("output", node.outputs, interface.outputs);
  add("input", node.inputs, interface.inputs);
  return all;
}

// --- memory

std::pair<std::uint32_t, std::uint32_t> DebugTarget::array(const std::string& name) const {
  const std::vector<operators::Array>& arrays = program_.source.arrays;
  std::vector<std::string> known;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].name == name) return {program_.map.array[a], arrays[a].words};
    known.push_back(arrays[a].name);
  }
  throw UserError("", "", "the node has no '" + name + "'" + did_you_mean(name, known));
}

std::uint32_t DebugTarget::word_of(const debug::Name& name) const {
  const auto [first, words] = array(name.text);
  if (!name.index && words != 1)
    throw UserError("", "",
                    name.text + " has " + std::to_string(words) + " words; name one, such as " +
                        name.text + "[0]");
  const std::int64_t index = name.index.value_or(0);
  if (index < 0 || index >= std::int64_t{words})
    throw UserError("", "",
                    name.text + "[" + std::to_string(index) + "] is no word of " + name.text +
                        ", which has " + std::to_string(words));
  return first + static_cast<std::uint32_t>(index);
}

Variable DebugTarget::shown(std::uint32_t place, std::size_t number) const {
  const operators::Array& array = program_.source.arrays[number];
  const std::uint32_t first = program_.map.array[number];
  Variable variable{array.name, "", "[" + std::to_string(array.words) + "]i32",
                    first * kBytesOfWord, array.words};
  for (std::uint32_t k = 0; k < array.words && k < kMostInLine; ++k)
    variable.value +=
        (k == 0 ? "" : ", ") + to_string(value_of(processor(place).memory()[first + k]));
  variable.value = "[" + variable.value + (array.words > kMostInLine ? ", ..]" : "]");
  return variable;
}

std::vector<Variable> DebugTarget::elements(std::uint32_t place, const std::string& name,
                                            std::uint32_t first, std::uint32_t count) {
  const auto [begin, words] = array(name);
  std::vector<Variable> all;
  for (std::uint32_t k = first; k < words && k - first < count; ++k)
    all.push_back({name + "[" + std::to_string(k) + "]",
                   to_string(value_of(processor(place).memory()[begin + k])), "i32",
                   (begin + k) * kBytesOfWord, 0});
  return all;
}

Variable DebugTarget::variable(std::uint32_t place, const debug::Name& name) {
  const std::vector<operators::Array>& arrays = program_.source.arrays;
  for (std::size_t a = 0; a < arrays.size() && !name.index; ++a) {
    if (arrays[a].name == name.text) return shown(place, a);
  }
  const std::string index = name.index ? "[" + std::to_string(*name.index) + "]" : "";
  return {name.text + index, to_string(value(place, name)), "", {}, 0};
}

Value DebugTarget::value(std::uint32_t place, const debug::Name& name) {
  if (!name.index) {
    if (name.text == "turn") return Value::of(static_cast<std::int64_t>(processor(place).turn()));
    if (name.text == "written")
      return Value::of(static_cast<std::int64_t>(processor(place).words_written()));
    if (name.text == "read")
      return Value::of(static_cast<std::int64_t>(processor(place).words_read()));
  }
  return value_of(processor(place).memory()[word_of(name)]);
}

Value DebugTarget::length(std::uint32_t /*place*/, const std::string& name) {
  return Value::of(array(name).second);
}

debug::Bytes DebugTarget::bytes_of(std::uint32_t /*place*/, const debug::Name& name) {
  const std::vector<operators::Array>& arrays = program_.source.arrays;
  const bool is_array = std::any_of(arrays.begin(), arrays.end(),
                                    [&name](const auto& a) { return a.name == name.text; });
  if (!is_array) return {};
  const auto [first, words] = array(name.text);
  if (!name.index) return {first * kBytesOfWord, words * kBytesOfWord};
  return {word_of(name) * kBytesOfWord, kBytesOfWord};
}

void DebugTarget::assign(std::uint32_t place, const debug::Name& name, const Value& value) {
  machine_.memory(place)[word_of(name)] = debug::word_of(value, 32);
}

std::vector<std::byte> DebugTarget::read(std::uint32_t place, std::uint32_t address,
                                         std::uint32_t count) {
  const std::vector<std::uint32_t>& words = processor(place).memory();
  const std::size_t size = words.size() * kBytesOfWord;
  if (address >= size) return {};
  std::vector<std::byte> bytes(std::min<std::size_t>(count, size - address));
  std::memcpy(bytes.data(), reinterpret_cast<const std::byte*>(words.data()) + address,
              bytes.size());
  return bytes;
}

void DebugTarget::write(std::uint32_t place, std::uint32_t address,
                        const std::vector<std::byte>& bytes) {
  std::vector<std::uint32_t>& words = machine_.memory(place);
  const std::size_t size = words.size() * kBytesOfWord;
  if (address > size || bytes.size() > size - address)
    throw UserError("", "", "the bytes lie outside of the memory");
  std::memcpy(reinterpret_cast<std::byte*>(words.data()) + address, bytes.data(), bytes.size());
}

std::vector<std::string> DebugTarget::names(std::uint32_t /*place*/) {
  std::vector<std::string> all = {"turn", "written", "read"};
  for (const operators::Array& array : program_.source.arrays) all.push_back(array.name);
  return all;
}

std::vector<std::string> DebugTarget::routes(std::uint32_t /*place*/) {
  return {"the schedules of nodes are what --print-program shows"};
}

std::vector<std::string> DebugTarget::why() {
  return debug::causes_of(view_);
}

}  // namespace tessera::numesh

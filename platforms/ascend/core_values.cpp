#include "platforms/ascend/core_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "platforms/ascend/wait_summary.h"
#include "platforms/cli/option.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::ascend {

using cluster::NamedValue;
using debug::Value;
using debug::Variable;
using sync::Pipe;

namespace {

constexpr std::uint32_t kMostInLine = 8;       // elements in one line
constexpr std::int64_t kMostInTile = 1 << 20;  // elements; no buffer holds more
constexpr unsigned kLocationShift = 24;

std::optional<Pipe> pipe_of(const std::string& name) {
  for (const Pipe pipe : sync::kPipes) {
    if (name == to_string(pipe)) return pipe;
  }
  return {};
}

/// "MTE2.V.0", the flag from MTE2 to V with event 0.
std::optional<cluster::Flag> flag_of(const std::string& name) {
  const std::size_t first = name.find('.');
  const std::size_t second = first == std::string::npos ? first : name.find('.', first + 1);
  if (second == std::string::npos) return {};
  const auto from = pipe_of(name.substr(0, first));
  const auto to = pipe_of(name.substr(first + 1, second - first - 1));
  const auto id = cli::whole_number_in(name.substr(second + 1));
  if (!from || !to || !id || *id < 0 || *id >= cluster::FlagTable::kMaxEvents) return {};
  return cluster::Flag{*from, *to, static_cast<std::uint8_t>(*id)};
}

std::string sizes_text(const cluster::ResolvedOperand& o) {
  std::string text;
  for (unsigned d = 0; d < o.dimensions; ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(o.sizes[d]);
  return "[" + text + "]" + to_string(o.element);
}

}  // namespace

// --- names

// A core that has ended shows what was known at the end of its program.
bool CoreValues::is_here(const NamedValue& named) const {
  const auto last = static_cast<std::uint32_t>(core_.program()->code.size() - 1);
  const std::uint32_t pc = core_.pc().value_or(last);
  return named.from <= pc && pc < named.end;
}

const NamedValue* CoreValues::find(const std::string& name) const {
  if (core_.program() == nullptr) return nullptr;
  const std::vector<NamedValue>& all = core_.program()->names;
  const std::string bare = name.substr(name.compare(0, 1, "%") == 0 ? 1 : 0);
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const NamedValue& named) {
    return named.name == bare && is_here(named);
  });
  return found == all.rend() ? nullptr : &*found;
}

std::vector<const NamedValue*> CoreValues::names_here() const {
  std::vector<const NamedValue*> here;
  if (core_.program() == nullptr) return here;
  for (const NamedValue& named : core_.program()->names) {
    if (is_here(named) && find(named.name) == &named) here.push_back(&named);
  }
  return here;
}

std::vector<std::string> CoreValues::names() const {
  std::vector<std::string> all;
  for (const NamedValue* named : names_here()) all.push_back(named->name);
  for (const cluster::GmArray& array : data_.arrays()) all.push_back(array.name);
  for (const Pipe pipe : sync::kPipes) all.emplace_back(to_string(pipe));
  return all;
}

void CoreValues::refuse(const std::string& name) const {
  if (core_.program() != nullptr) {
    for (const NamedValue& named : core_.program()->names) {
      if (named.name == name && !is_here(named))
        throw UserError("", "", "'" + name + "' has no value at this instruction");
    }
  }
  throw UserError("", "", "the core has no '" + name + "'" + did_you_mean(name, names()));
}

// --- scalars

Value CoreValues::scalar(const NamedValue& named) const {
  const bool is_real = named.kind == NamedValue::Kind::kReal;
  if (!named.scalar.is_register)
    return is_real ? Value::of_float(named.number) : Value::of(named.scalar.value);
  const std::int64_t word = core_.reg(static_cast<unsigned>(named.scalar.value));
  return is_real ? Value::of_float(cluster::real_of(word)) : Value::of(word);
}

std::vector<Variable> CoreValues::scalars() const {
  std::vector<Variable> all;
  for (const NamedValue* named : names_here()) {
    if (named->kind > NamedValue::Kind::kReal) continue;
    const bool is_known = !named->scalar.is_register;
    all.push_back(
        {named->name, to_string(scalar(*named)), is_known ? "constant" : "register", {}, 0});
  }
  return all;
}

std::vector<Variable> CoreValues::registers() const {
  std::vector<Variable> all;
  if (core_.pc()) all.push_back({"pc", std::to_string(*core_.pc()), "", {}, 0});
  const std::vector<std::int64_t>& registers = core_.registers();
  for (std::size_t r = 0; r < registers.size(); ++r)
    all.push_back({"r" + std::to_string(r), std::to_string(registers[r]), "i64", {}, 0});
  return all;
}

// --- tiles and arrays

CoreValues::Elements CoreValues::tile(const NamedValue& named) const {
  cluster::TileOperation operation;
  operation.operands.push_back(named.place);
  cluster::ResolvedOperation resolved;
  cluster::resolve(operation, core_.registers(), resolved);
  Elements of{named.name, resolved.operands[0], false, 0, ""};
  if (of.operand.boxes != nullptr) of.operand.boxes = &named.place.boxes;
  const auto fits = [](std::int64_t n) { return n >= 0 && n <= kMostInTile; };
  if (!fits(of.operand.sizes[0]) || !fits(of.operand.sizes[1]) ||
      !fits(of.operand.sizes[0] * of.operand.sizes[1]) || of.operand.first < 0)
    throw UserError("", "", "the sizes of '" + named.name + "' are not known here");
  of.count = static_cast<std::uint32_t>(of.operand.sizes[0] * of.operand.sizes[1]);
  of.type = sizes_text(of.operand) + " in " + to_string(of.operand.location);
  return of;
}

std::optional<CoreValues::Elements> CoreValues::array(const std::string& name) const {
  for (std::size_t n = 0; n < data_.arrays().size(); ++n) {
    const cluster::GmArray& array = data_.arrays()[n];
    if (array.name != name) continue;
    Elements of{name, {}, true, 0, ""};
    of.operand.location = cluster::Location::kGm;
    of.operand.array = static_cast<std::uint16_t>(n);
    of.operand.element = array.element;
    of.operand.dimensions = 1;
    of.operand.strides[0] = 1;
    const std::size_t count = data_.size(n) * 8 / bits_of(array.element);
    of.count = static_cast<std::uint32_t>(std::min<std::size_t>(count, 0xFFFFFFFFU));
    of.operand.sizes[0] = of.count;
    of.type = sizes_text(of.operand) + " in GM";
    return of;
  }
  return {};
}

std::optional<CoreValues::Elements> CoreValues::elements_of(const std::string& name) const {
  if (const NamedValue* const named = find(name)) {
    if (named->kind == NamedValue::Kind::kTile) return tile(*named);
    if (named->kind != NamedValue::Kind::kArray) return {};
    if (named->place.array < data_.arrays().size())
      return array(data_.arrays()[named->place.array].name);
  }
  return array(name);
}

// A tile is read as a whole, because its elements need not lie in a row.
std::vector<Value> CoreValues::values(const Elements& of, std::uint32_t first,
                                      std::uint32_t count) const {
  if (!data_.has_tiles() || (of.is_array && !data_.is_known(of.operand.array)))
    throw UserError("", "", "a run with --no-data has no values of '" + of.name + "'");
  if (!has_values(of.operand.element))
    throw UserError("", "", "elements of type i4 have sizes and no values");
  if (first >= of.count) return {};
  count = std::min(count, of.count - first);
  cluster::ResolvedOperand operand = of.operand;
  if (of.is_array) {
    operand.sizes[0] = count;
    operand.address = std::int64_t{first} * bits_of(operand.element) / 8;
    first = 0;
  }
  const cluster::TileValues all = data_.values_at(operand, core_.id(), now_);
  std::vector<Value> some;
  for (std::size_t i = first; i < first + std::size_t{count} && i < all.size(); ++i)
    some.push_back(is_float(all.element) ? Value::of_float(all.numbers[i])
                                         : Value::of(all.integers[i]));
  return some;
}

Variable CoreValues::shown(const Elements& of) const {
  Variable variable{of.name, "", of.type, {}, of.count};
  try {
    for (const Value& value : values(of, 0, kMostInLine))
      variable.value += (variable.value.empty() ? "" : ", ") + to_string(value);
    variable.value = "[" + variable.value + (of.count > kMostInLine ? ", ..]" : "]");
  } catch (const UserError& error) {
    variable.value = error.what();
    variable.elements = 0;
  }
  if (!of.is_array) variable.address = bytes_of({of.name, {}}).address;
  return variable;
}

std::vector<Variable> CoreValues::tiles() const {
  std::vector<Variable> all;
  for (const NamedValue* named : names_here()) {
    if (named->kind != NamedValue::Kind::kTile) continue;
    try {
      all.push_back(shown(tile(*named)));
    } catch (const UserError& error) {
      all.push_back({named->name, error.what(), "", {}, 0});
    }
  }
  return all;
}

std::vector<Variable> CoreValues::arrays() const {
  std::vector<Variable> all;
  for (const cluster::GmArray& of : data_.arrays()) all.push_back(shown(*array(of.name)));
  return all;
}

std::vector<Variable> CoreValues::elements(const std::string& name, std::uint32_t first,
                                           std::uint32_t count) const {
  const auto of = elements_of(name);
  if (!of) refuse(name);
  std::vector<Variable> all;
  for (const Value& value : values(*of, first, count))
    all.push_back({name + "[" + std::to_string(first++) + "]",
                   to_string(value),
                   to_string(of->operand.element),
                   {},
                   0});
  return all;
}

debug::Bytes CoreValues::bytes_of(const debug::Name& name) const {
  const auto of = elements_of(name.text);
  if (!of || of->is_array || name.index || of->operand.holder != cluster::Holder::kSelf) return {};
  const auto location = static_cast<std::uint32_t>(of->operand.location);
  return {location << kLocationShift | static_cast<std::uint32_t>(of->operand.first),
          static_cast<std::uint32_t>(of->operand.bytes)};
}

std::vector<std::byte> CoreValues::memory(std::uint32_t address, std::uint32_t count) const {
  const std::uint32_t location = address >> kLocationShift;
  if (location == 0 || location >= cluster::kLocationCount || !data_.has_tiles()) return {};
  return data_.buffer_at(core_.id(), static_cast<cluster::Location>(location),
                         address & ((1U << kLocationShift) - 1), count, now_);
}

// --- pipes and flags

std::vector<Variable> CoreValues::pipes() const {
  std::vector<Variable> all;
  for (const Pipe pipe : sync::kPipes) {
    const cluster::PipeState& p = core_.pipe(pipe);
    std::string text = core_.is_busy(pipe, now_) ? "busy" : "";
    if (p.blocked != cluster::WaitReason::kNone && !core_.is_busy(pipe, now_))
      text = "has waited since cycle " + std::to_string(p.blocked_since) + " for " +
             what_waits_for(core_.program()->code[p.blocked_pc], p.blocked) + " (" +
             core_.program()->where(p.blocked_pc) + ")";
    if (text.empty()) text = "idle";
    if (!p.queue.empty()) {
      const std::uint32_t head = p.queue.front().pc;
      text += "; " + std::to_string(p.queue.size()) + " in its queue, first " +
              to_string(core_.program()->code[head]) + " (" + core_.program()->where(head) + ")";
    }
    all.push_back({to_string(pipe), text, "", {}, 0});
  }
  return all;
}

std::vector<Variable> CoreValues::flags() const {
  std::vector<Variable> all;
  for (const Pipe from : sync::kPipes) {
    for (const Pipe to : sync::kPipes) {
      for (unsigned id = 0; id < cluster::FlagTable::kMaxEvents; ++id) {
        const unsigned sets = core_.sync().flags().count({from, to, static_cast<std::uint8_t>(id)});
        if (sets > 0)
          all.push_back(
              {std::string(to_string(from)) + "." + to_string(to) + "." + std::to_string(id),
               std::to_string(sets),
               "",
               {},
               0});
      }
    }
  }
  return all;
}

std::optional<unsigned> CoreValues::register_in(const std::string& name) const {
  const auto number =
      name.size() > 1 && name.front() == 'r' ? cli::whole_number_in(name.substr(1)) : std::nullopt;
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(core_.registers().size()))
    return {};
  return static_cast<unsigned>(*number);
}

std::optional<Value> CoreValues::state_value(const std::string& name) const {
  if (name == "pc" && core_.pc()) return Value::of(*core_.pc());
  if (const auto flag = flag_of(name)) return Value::of(core_.sync().flags().count(*flag));
  if (const auto pipe = pipe_of(name.substr(0, name.find('.')))) {
    const std::string field = name.substr(std::min(name.find('.'), name.size()));
    const bool is_busy = core_.is_busy(*pipe, now_);
    const bool waits = core_.pipe(*pipe).blocked != cluster::WaitReason::kNone;
    if (field == ".busy") return Value::of(is_busy ? 1 : 0);
    if (field == ".waits") return Value::of(waits && !is_busy ? 1 : 0);
    return {};
  }
  if (const auto number = register_in(name)) return Value::of(core_.reg(*number));
  return {};
}

// --- what may be changed

namespace {

std::int64_t whole(const std::string& name, const Value& value) {
  if (!value.is_float) return value.whole;
  throw UserError("", "", "'" + name + "' takes a whole number");
}

/// One element. Throws UserError for a number that the type does not hold.
cluster::TileValues element_of(const std::string& name, cluster::Element type, const Value& value) {
  cluster::TileValues one = cluster::TileValues::zeros(type, 1, 1);
  if (is_float(type)) {
    one.numbers[0] = cluster::rounded(value.as_float(), type);
    return one;
  }
  one.integers[0] = cluster::to_integer(whole(name, value), type, false);
  if (one.integers[0] == value.whole) return one;
  throw UserError("", "", to_string(value) + " is no number of type " + to_string(type));
}

}  // namespace

std::optional<std::pair<unsigned, std::int64_t>> CoreValues::register_of(const debug::Name& name,
                                                                         const Value& value) const {
  if (elements_of(name.text)) return {};
  if (name.index) refuse(name.text);
  if (const NamedValue* const named = find(name.text)) {
    if (!named->scalar.is_register)
      throw UserError("", "", "'" + name.text + "' cannot be set: it was known before the run");
    const bool is_real = named->kind == NamedValue::Kind::kReal;
    return std::pair(static_cast<unsigned>(named->scalar.value),
                     is_real ? cluster::bits_of_real(value.as_float()) : whole(name.text, value));
  }
  if (const auto number = register_in(name.text))
    return std::pair(*number, whole(name.text, value));
  if (!state_value(name.text)) refuse(name.text);
  throw UserError("", "",
                  "'" + name.text +
                      "' cannot be set: only numbers in registers, and elements of "
                      "tiles and arrays can");
}

void CoreValues::set_element(const debug::Name& name, const Value& value) const {
  const auto of = elements_of(name.text);
  if (!of) refuse(name.text);
  const std::uint32_t index = index_in(*of, name);
  values(*of, index, 1);  // refuses what has no values
  data_.set_element(of->operand, core_.id(), index,
                    element_of(name.text, of->operand.element, value), now_);
}

void CoreValues::set_memory(std::uint32_t address, const std::vector<std::byte>& bytes) const {
  const std::uint32_t location = address >> kLocationShift;
  const bool is_buffer = location > 0 && location < cluster::kLocationCount && data_.has_tiles();
  if (!is_buffer || !data_.set_buffer(core_.id(), static_cast<cluster::Location>(location),
                                      address & ((1U << kLocationShift) - 1), bytes, now_))
    throw UserError("", "", "the bytes lie outside of the buffers of the core");
}

// --- what expressions ask

std::uint32_t CoreValues::index_in(const Elements& of, const debug::Name& name) const {
  if (!name.index)
    throw UserError("", "",
                    name.text + " has " + std::to_string(of.count) + " elements; name one, " +
                        "such as " + name.text + "[0]");
  if (*name.index >= 0 && *name.index < std::int64_t{of.count})
    return static_cast<std::uint32_t>(*name.index);
  throw UserError("", "",
                  name.text + "[" + std::to_string(*name.index) + "] is no element of " +
                      name.text + ", which has " + std::to_string(of.count));
}

Value CoreValues::value(const debug::Name& name) const {
  if (const auto of = elements_of(name.text)) return values(*of, index_in(*of, name), 1).front();
  if (name.index) refuse(name.text);
  if (const NamedValue* const named = find(name.text)) return scalar(*named);
  if (const auto state = state_value(name.text)) return *state;
  refuse(name.text);
}

Variable CoreValues::variable(const debug::Name& name) const {
  if (!name.index) {
    if (const auto of = elements_of(name.text)) return shown(*of);
    for (const std::vector<Variable>& scope : {scalars(), pipes()}) {
      for (const Variable& v : scope) {
        if (v.name == name.text) return v;
      }
    }
  }
  const std::string index = name.index ? "[" + std::to_string(*name.index) + "]" : "";
  return {name.text + index, to_string(value(name)), "", {}, 0};
}

Value CoreValues::length(const std::string& name) const {
  if (const auto pipe = pipe_of(name))
    return Value::of(static_cast<std::int64_t>(core_.pipe(*pipe).queue.size()));
  const auto of = elements_of(name);
  if (!of) throw UserError("", "", "'" + name + "' is no pipe, tile or array of the core");
  return Value::of(of->count);
}

}  // namespace tessera::ascend

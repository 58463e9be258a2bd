// Declarations: params and consts, settings of the whole program, and the names of everything else.
#include <algorithm>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

void declare(Assembly& a, const ParamStatement& s) {
  const auto given = a.options.params.find(s.name.text);
  if (given != a.options.params.end()) {
    a.names.add(s.name, NameKind::kParam, 0, {false, given->second, 0});
    return;
  }
  if (!s.value) {
    a.fail(s.name.place, "expected a value for param ", in_quotes(s.name.text),
           ", found none; give one in the layout or a default after '='");
  }
  a.names.add(s.name, NameKind::kParam, 0, a.evaluator().number(*s.value));
}

void declare(Assembly& a, const ConstStatement& s) {
  a.names.add(s.name, NameKind::kConst, 0, a.evaluator().number(*s.value));
}

/// Before any value is asked for: a mistyped name is why another param has none.
void check_given_params(const Assembly& a, const std::vector<Statement>& statements) {
  std::vector<std::string> declared;
  for_each<ParamStatement>(statements, [&](const ParamStatement& param, std::size_t) {
    declared.push_back(param.name.text);
  });
  for (const auto& given : a.options.params) {
    if (std::find(declared.begin(), declared.end(), given.first) != declared.end()) continue;
    std::string hint = did_you_mean(given.first, declared);
    if (register_name(given.first)) hint = kReadsAsRegister;
    if (hint.empty() && declared.empty()) hint = "; the program has no params";
    a.diagnostics.fail("expected the name of a param of this program, found " +
                       in_quotes(given.first) + hint);
  }
}

class Settings {
 public:
  explicit Settings(Assembly& a) : a_(a) {}

  void operator()(const HalfStatement& s) {
    require_once("half", s.place);
    a_.image.half = s.format;
  }

  void operator()(const ControlTableStatement& s) {
    a_.refuse_on(Generation::kWse2, &s, "control_table line", "all tasks of wse2 are in one table");
    require_once("control_table", s.place);
    pe::ControlTable table;
    table.line = s.place.line;
    if (s.instructions) table.instructions = instructions(*s.instructions);
    if (s.stride) table.stride = a_.integer<std::uint8_t>(*s.stride, "a number of entries", 1, 7);
    a_.image.control_table = table;
  }

  void operator()(const MainThreadStatement& s) {
    require_once("main_thread", s.place);
    a_.image.main_priority = s.priority->value;
  }

  void operator()(const RoutingRegistersStatement& s) {
    require_once("routing_registers", s.place);
    a_.image.routing_unused = true;
  }

  void operator()(const ControlTransformStatement& s) {
    require_once("control_transform", s.place);
    a_.image.control_mask = a_.integer<std::uint8_t>(*s.mask, "a control transform mask", 0, 0x3F);
  }

  void operator()(const MicrothreadStatement& s) {
    a_.refuse_on(Generation::kWse2, &s, "microthread line",
                 "a wse2 microthread is blocked with its queue");
    const std::int64_t id = a_.integer(*s.id, "a microthread", 0, kMicrothreadCount - 1);
    const unsigned bit = 1U << static_cast<unsigned>(id);
    if ((a_.image.blocked_microthreads & bit) != 0)
      a_.fail(s.id->place, "expected each microthread once, found ", id, " again");
    a_.image.blocked_microthreads |= static_cast<std::uint8_t>(bit);
  }

  template <class Other>
  void operator()(const Other&) {}

 private:
  /// wse.md 3.1.
  std::uint8_t instructions(const Expression& e) const {
    const Number n = a_.evaluator().number(e);
    if (n.is_real || (n.integer != 2 && n.integer != 4 && n.integer != 8))
      a_.fail(e.place, "expected 2, 4 or 8 instructions an entry, found ", to_string(n));
    return static_cast<std::uint8_t>(n.integer);
  }

  void require_once(const char* keyword, Place place) {
    const auto [first, is_new] = lines_.emplace(keyword, place.line);
    if (is_new) return;
    a_.fail(place, "expected one ", keyword, " line, found another; the first is line ",
            a_.diagnostics.line_text(first->second));
  }

  Assembly& a_;
  std::map<std::string, unsigned> lines_;  // by keyword
};

class Declarer {
 public:
  explicit Declarer(Assembly& a) : a_(a) {}

  void operator()(const DataStatement& s) const {
    pe::Symbol symbol = declared<pe::Symbol>(s.name, NameKind::kData, a_.image.symbols.size());
    symbol.type = s.type;
    symbol.count = a_.integer<std::uint32_t>(*s.count, "a number of elements", 1);
    if (s.align) symbol.align = alignment(*s.align, s.type);
    set_packed(s, symbol);
    a_.image.symbols.push_back(symbol);
  }

  void operator()(const StringStatement& s) const {
    auto string = declared<pe::PrintedString>(s.name, NameKind::kString, a_.image.strings.size());
    string.text = s.text;
    a_.image.strings.push_back(string);
  }

  void operator()(const QueueStatement& s) const {
    auto queue = declared<pe::QueueBinding>(s.name, NameKind::kQueue, a_.image.queues.size());
    queue.input = s.input;
    queue.id = queue_id(s);
    queue.color = color(s);
    set_options(s, queue);
    a_.image.queues.push_back(queue);
  }

  void operator()(const DsdStatement& s) const {
    a_.image.dsds.push_back(declared<pe::Dsd>(s.name, NameKind::kDsd, a_.image.dsds.size()));
    a_.image.dsds.back().kind = s.kind;
  }

  void operator()(const FifoStatement& s) const {
    a_.image.fifos.push_back(declared<pe::Fifo>(s.name, NameKind::kFifo, a_.image.fifos.size()));
  }

  void operator()(const TaskStatement& s) const {
    auto task = declared<pe::TaskBinding>(s.name, NameKind::kTask, a_.image.tasks.size());
    task.kind = s.kind;
    task.active = s.active.has_value();
    task.blocked = s.blocked.has_value();
    if (s.priority) task.priority = s.priority->value;
    a_.image.tasks.push_back(task);
  }

  void operator()(const FunctionStatement& s) const {
    a_.names.add(s.name, NameKind::kFunction, a_.image.functions.size());
    a_.image.functions.push_back({s.name.text, 0, s.name.place.line});
  }

  template <class Other>
  void operator()(const Other&) const {}

 private:
  void set_packed(const DataStatement& s, pe::Symbol& symbol) const {
    if (!s.packed && !s.elements) return;
    if (!s.packed || !s.elements)
      a_.fail(s.packed ? s.packed->place : s.elements->place,
              "expected packed= and elements= together");
    symbol.packed = s.packed->value;
    symbol.packed_count = a_.integer<std::uint32_t>(*s.elements, "a number of elements", 1);
    const std::uint64_t held = std::uint64_t{symbol.count} * bytes_of(symbol.type);
    const std::uint64_t needed = std::uint64_t{symbol.packed_count} * bytes_of(symbol.packed);
    if (needed > held)
      a_.fail(s.elements->place, "expected elements that ", held, " bytes hold, found ", needed,
              " bytes of them");
  }
  /// Entry `index` of a list of the image, with the name and line of its declaration.
  template <class T>
  T declared(const Name& name, NameKind kind, std::size_t index) const {
    a_.names.add(name, kind, index);
    T entry;
    entry.name = name.text;
    entry.line = name.place.line;
    return entry;
  }

  std::uint32_t alignment(const Expression& e, pe::ElementType type) const {
    const std::int64_t bytes = pe::bytes_of(type);
    const std::int64_t value = a_.integer(e, "an alignment in bytes", bytes, pe::kSramBytes);
    if ((value & (value - 1)) != 0)
      a_.fail(e.place, "expected a power of two as alignment, found ", value);
    return static_cast<std::uint32_t>(value);
  }

  QueueId queue_id(const QueueStatement& s) const {
    const std::string word = s.input ? "input" : "output";
    const unsigned count = queue_count(a_.options.generation, s.input);
    const QueueId id(
        s.shares ? a_.integer<unsigned>(*s.id, "a receiver", kMaxQueues, pe::kMaxReceivers - 1)
                 : a_.integer<unsigned>(
                       *s.id, "an " + word + " queue of " + to_string(a_.options.generation), 0,
                       count - 1));
    if (const pe::QueueBinding* other = a_.image.find_queue(s.input, id)) {
      a_.fail(s.id->place, "expected each queue once, found ", word, " queue ", id.value(),
              " again; it is ", named(a_, *other));
    }
    return id;
  }

  // wse.md 2.2: output queues of WSE-2 get their color from the descriptor; an input queue without
  // one receives nothing.
  std::optional<Color> color(const QueueStatement& s) const {
    if (!s.color) {
      if (s.input || a_.is_wse2()) return std::nullopt;
      a_.fail(s.name.place, "expected color= for queue ", in_quotes(s.name.text),
              ", found none; a wse3 output queue sends one color");
    }
    const Color color(a_.integer<unsigned>(*s.color, "a color", 0, kColorCount - 1));
    if (s.input) require_unused(s, color);
    return color;
  }

  /// wse.md 2.2.
  void set_options(const QueueStatement& s, pe::QueueBinding& queue) const {
    a_.refuse_on(Generation::kWse3, s.priority,
                 "priority=", "on wse3 the dsd or fifo has the priority");
    a_.refuse_on(Generation::kWse2, s.control_table,
                 "control_table=", "all tasks of wse2 are in one table");
    a_.refuse_on(Generation::kWse2, s.dense, "dense", "wse2 has no half wavelets");
    queue.unblocked = s.unblocked.has_value();
    queue.dense = s.dense.has_value();
    if (s.priority) queue.priority = s.priority->value;
    if (s.shares) set_shared(s, queue);
    if (!s.control_table) return;
    const std::int64_t table = a_.integer(*s.control_table, "a sub-table", 0, 7);
    if (table != 0 && !a_.image.control_table) {
      a_.fail(s.control_table->place, "expected a control_table line for control_table=", table,
              ", found none; without it there are no sub-tables");
    }
    queue.control_table = static_cast<std::uint8_t>(table);
  }

  void set_shared(const QueueStatement& s, pe::QueueBinding& queue) const {
    queue.shares = QueueId(a_.integer<unsigned>(*s.shares, "an input queue", 0, kMaxQueues - 1));
    if (!queue.color) a_.fail(s.shares->place, "expected color= with shares=, found none");
    a_.refuse_on(Generation::kWse3, s.unblocked,
                 "unblocked with shares=", "on wse3 the queue has the channel, not the color");
  }

  void require_unused(const QueueStatement& s, Color color) const {
    for (const pe::QueueBinding& other : a_.image.queues) {
      if (!other.input || other.color != color) continue;
      a_.fail(s.color->place, "expected a color that no other input queue receives, found ",
              color.value(), ", the color of ", named(a_, other));
    }
  }

  Assembly& a_;
};

}  // namespace

Evaluator Assembly::evaluator() const {
  const auto value_of = [this](const Name& name) {
    if (known != Known::kAddresses) {
      return names
          .require(name, {NameKind::kParam, NameKind::kConst},
                   known == Known::kNumbersAbove ? "a number, or a param or const of a line above"
                                                 : "a number, param or const")
          .value;
    }
    const Entity& entity = names.require(
        name,
        {NameKind::kParam, NameKind::kConst, NameKind::kData, NameKind::kDsd, NameKind::kString},
        "a number, param, const, data symbol, dsd or string");
    if (entity.kind == NameKind::kDsd || entity.kind == NameKind::kString)
      return Number{false, static_cast<std::int64_t>(entity.index), 0};
    if (entity.kind != NameKind::kData) return entity.value;
    return Number{false, image.symbols[entity.index].address, 0};
  };
  return Evaluator(value_of, diagnostics);
}

void declare_numbers_above(Assembly& a, const std::vector<Statement>& statements) {
  for (; a.numbers_declared < statements.size(); ++a.numbers_declared) {
    const Statement& statement = statements[a.numbers_declared];
    if (const auto* param = std::get_if<ParamStatement>(&statement)) declare(a, *param);
    if (const auto* constant = std::get_if<ConstStatement>(&statement)) declare(a, *constant);
  }
}

void declare_numbers(Assembly& a, const std::vector<Statement>& statements) {
  check_given_params(a, statements);
  declare_numbers_above(a, statements);
  a.known = Known::kNumbers;
}

void declare_settings(Assembly& a, const std::vector<Statement>& statements) {
  Settings settings(a);
  for (const Statement& statement : statements) std::visit(settings, statement);
}

void declare_names(Assembly& a, const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) std::visit(Declarer(a), statement);
}

}  // namespace tessera::tasm

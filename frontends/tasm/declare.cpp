#include <limits>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/limits.h"

namespace tessera::tasm {
namespace {

class Declarer {
 public:
  explicit Declarer(Assembly& a) : a_(a) {}

  void operator()(const DataStatement& s) const {
    pe::Symbol symbol = named<pe::Symbol>(s.name, NameKind::kData, a_.image.symbols.size());
    symbol.type = s.type;
    symbol.count = static_cast<std::uint32_t>(
        a_.integer(*s.count, "a number of elements", 1, std::numeric_limits<std::uint32_t>::max()));
    if (s.align) symbol.align = alignment(*s.align, s.type);
    a_.image.symbols.push_back(symbol);
  }

  void operator()(const QueueStatement& s) const {
    auto queue = named<pe::QueueBinding>(s.name, NameKind::kQueue, a_.image.queues.size());
    queue.input = s.input;
    queue.id = queue_id(s);
    queue.color = color(s);
    set_options(s, queue);
    a_.image.queues.push_back(queue);
  }

  void operator()(const DsdStatement& s) const {
    a_.image.dsds.push_back(named<pe::Dsd>(s.name, NameKind::kDsd, a_.image.dsds.size()));
    a_.image.dsds.back().kind = s.kind;
  }

  void operator()(const FifoStatement& s) const {
    a_.image.fifos.push_back(named<pe::Fifo>(s.name, NameKind::kFifo, a_.image.fifos.size()));
  }

  void operator()(const TaskStatement& s) const {
    auto task = named<pe::TaskBinding>(s.name, NameKind::kTask, a_.image.tasks.size());
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
  /// Entry `index` of a list of the image, with the name and line of its declaration.
  template <class T>
  T named(const Name& name, NameKind kind, std::size_t index) const {
    a_.names.add(name, kind, index);
    T entry;
    entry.name = name.text;
    entry.line = name.place.line;
    return entry;
  }

  std::uint32_t alignment(const Expression& e, pe::ElementType type) const {
    const std::int64_t bytes = pe::bytes_of(type);
    const std::int64_t value = a_.integer(e, "an alignment in bytes", bytes, pe::kSramBytes);
    if ((value & (value - 1)) != 0) {
      fail(e.place, "expected a power of two as alignment, found " + std::to_string(value));
    }
    return static_cast<std::uint32_t>(value);
  }

  QueueId queue_id(const QueueStatement& s) const {
    const std::string word = s.input ? "input" : "output";
    const Range ids = queue_ids(a_.options.generation, s.input);
    const std::string expected = "an " + word + " queue of " + to_string(a_.options.generation);
    const QueueId id(static_cast<unsigned>(a_.integer(*s.id, expected, ids.low, ids.high)));
    if (const pe::QueueBinding* other = a_.image.find_queue(s.input, id)) {
      fail(s.id->place, "expected each queue once, found " + word + " queue " +
                            std::to_string(id.value()) + " again; it is " + quoted(other->name) +
                            " of line " + std::to_string(other->line));
    }
    return id;
  }

  // wse.md 2.2: every queue has a color, except output queues of WSE-2, where the descriptor brings
  // it.
  std::optional<Color> color(const QueueStatement& s) const {
    if (!s.color) {
      if (!s.input && a_.options.generation == Generation::kWse2) return std::nullopt;
      fail(s.name.place, "expected color= for queue " + quoted(s.name.text) + ", found none; " +
                             (s.input ? "an input queue receives one color"
                                      : "a wse3 output queue sends one color"));
    }
    const Color color(static_cast<unsigned>(a_.integer(*s.color, "a color", 0, kColorCount - 1)));
    if (s.input) require_unused(s, color);
    return color;
  }

  /// wse.md 2.2.
  void set_options(const QueueStatement& s, pe::QueueBinding& queue) const {
    const bool wse2 = a_.options.generation == Generation::kWse2;
    if (s.priority && !wse2) {
      fail(s.priority->place,
           "expected no priority=, found one; on wse3 the dsd or fifo has the priority");
    }
    if (s.control_table && wse2) {
      fail(s.control_table->place,
           "expected no control_table=, found one; all tasks of wse2 are in one table");
    }
    if (s.dense && wse2) fail(*s.dense, "expected no dense, found one; wse2 has no half wavelets");
    queue.unblocked = s.unblocked.has_value();
    queue.dense = s.dense.has_value();
    if (s.priority) queue.priority = s.priority->value;
    if (!s.control_table) return;
    const std::int64_t table = a_.integer(*s.control_table, "a sub-table", 0, 7);
    if (table != 0 && !a_.image.control_table) {
      fail(s.control_table->place,
           "expected a control_table line for control_table=" + std::to_string(table) +
               ", found none; without it there are no sub-tables");
    }
    queue.control_table = static_cast<std::uint8_t>(table);
  }

  void require_unused(const QueueStatement& s, Color color) const {
    for (const pe::QueueBinding& other : a_.image.queues) {
      if (!other.input || other.color != color) continue;
      fail(s.color->place, "expected a color that no other input queue receives, found " +
                               std::to_string(color.value()) + ", the color of " +
                               quoted(other.name) + " of line " + std::to_string(other.line));
    }
  }

  [[noreturn]] void fail(Place place, const std::string& problem) const {
    a_.diagnostics.fail(place, problem);
  }

  Assembly& a_;
};

}  // namespace

void declare_names(Assembly& a, const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) std::visit(Declarer(a), statement);
}

}  // namespace tessera::tasm

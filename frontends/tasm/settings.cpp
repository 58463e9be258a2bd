#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

class Settings {
 public:
  explicit Settings(Assembly& a) : a_(a) {}

  void operator()(const HalfStatement& s) {
    require_once(half_, "half", s.place);
    a_.image.half = s.format;
  }

  void operator()(const ControlTableStatement& s) {
    require_wse3(s.place, "control_table", "all tasks of wse2 are in one table");
    require_once(control_table_, "control_table", s.place);
    pe::ControlTable table;
    table.line = s.place.line;
    if (s.instructions) table.instructions = instructions(*s.instructions);
    if (s.stride)
      table.stride = static_cast<std::uint8_t>(a_.integer(*s.stride, "a number of entries", 1, 7));
    a_.image.control_table = table;
  }

  void operator()(const MainThreadStatement& s) {
    require_once(main_thread_, "main_thread", s.place);
    a_.image.main_priority = s.priority->value;
  }

  void operator()(const ControlTransformStatement& s) {
    require_once(control_transform_, "control_transform", s.place);
    a_.image.control_mask =
        static_cast<std::uint8_t>(a_.integer(*s.mask, "a control transform mask", 0, 0x3F));
  }

  void operator()(const MicrothreadStatement& s) {
    require_wse3(s.place, "microthread", "a wse2 microthread is blocked with its queue");
    const std::int64_t id = a_.integer(*s.id, "a microthread", 0, kMicrothreadCount - 1);
    const unsigned bit = 1U << static_cast<unsigned>(id);
    if ((a_.image.blocked_microthreads & bit) != 0) {
      a_.diagnostics.fail(s.id->place,
                          "expected each microthread once, found " + std::to_string(id) + " again");
    }
    a_.image.blocked_microthreads |= static_cast<std::uint8_t>(bit);
  }

  template <class Other>
  void operator()(const Other&) {}

 private:
  /// wse.md 3.1.
  std::uint8_t instructions(const Expression& e) const {
    const Number n = a_.evaluator().number(e);
    if (n.is_real || (n.integer != 2 && n.integer != 4 && n.integer != 8)) {
      a_.diagnostics.fail(e.place,
                          "expected 2, 4 or 8 instructions an entry, found " + to_string(n));
    }
    return static_cast<std::uint8_t>(n.integer);
  }

  void require_once(unsigned& line, const char* keyword, Place place) const {
    if (line != 0) {
      a_.diagnostics.fail(place, std::string("expected one ") + keyword +
                                     " line, found another; the first is line " +
                                     std::to_string(line));
    }
    line = place.line;
  }

  void require_wse3(Place place, const char* keyword, const char* reason) const {
    if (a_.options.generation == Generation::kWse3) return;
    a_.diagnostics.fail(place,
                        std::string("expected no ") + keyword + " line, found one; " + reason);
  }

  Assembly& a_;
  // Lines; 0: none so far.
  unsigned half_ = 0;
  unsigned control_table_ = 0;
  unsigned main_thread_ = 0;
  unsigned control_transform_ = 0;
};

}  // namespace

void declare_settings(Assembly& a, const std::vector<Statement>& statements) {
  Settings settings(a);
  for (const Statement& statement : statements) std::visit(settings, statement);
}

}  // namespace tessera::tasm

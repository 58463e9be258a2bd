// The code and the data of a program, and where in SRAM they lie.
#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

bool leaves_section(pe::Opcode op) {
  return op == pe::Opcode::kEnd || op == pe::Opcode::kRet || op == pe::Opcode::kJmp ||
         op == pe::Opcode::kBrk;
}

class CodeLayout {
 public:
  explicit CodeLayout(Assembly& a) : a_(a) {}

  void operator()(const TaskStatement& s) {
    open("task ", s.name);
    a_.image.tasks[next_task_++].entry = next_instruction();
  }

  void operator()(const FunctionStatement& s) {
    open("fn ", s.name);
    a_.image.functions[next_function_++].entry = next_instruction();
  }

  void operator()(const LabelStatement& s) {
    require_section("the label " + in_quotes(s.name.text), s.name.place);
    a_.names.require_new(s.name);
    if (!a_.sections.back().labels.emplace(s.name.text, next_instruction()).second) {
      a_.fail(s.name.place, "expected each label once, found ", in_quotes(s.name.text),
              " again in ", a_.sections.back().title);
    }
    a_.image.labels.push_back({s.name.text, next_instruction()});
    open_label_ = s.name;
  }

  void operator()(const InstructionStatement& s) {
    require_section(in_quotes(s.info->mnemonic), s.place);
    a_.instructions.push_back({&s, a_.sections.size() - 1});
    open_label_.reset();
  }

  template <class Other>
  void operator()(const Other&) {}

  /// The section must have instructions, the last of which does not go on to the next one.
  void close() {
    if (a_.sections.empty()) return;
    const Section& section = a_.sections.back();
    const std::string expected =
        "expected end, ret, jmp or brk as the last instruction of " + section.title + ", found ";
    if (first_instruction_ == a_.instructions.size())
      a_.fail(section.place, expected, "no instruction");
    if (open_label_)
      a_.fail(open_label_->place, expected, "the label ", in_quotes(open_label_->text));
    const InstructionStatement& last = *a_.instructions.back().statement;
    if (!leaves_section(last.info->op))
      a_.fail(last.place, expected, in_quotes(last.info->mnemonic));
  }

 private:
  void open(const char* word, const Name& name) {
    close();
    a_.sections.push_back({word + name.text, name.place, {}});
    first_instruction_ = a_.instructions.size();
  }

  std::uint32_t next_instruction() const {
    return static_cast<std::uint32_t>(a_.instructions.size());
  }

  void require_section(const std::string& what, Place place) const {
    if (a_.sections.empty()) a_.fail(place, "expected a task or fn above, found ", what);
  }

  Assembly& a_;
  std::size_t next_task_ = 0;
  std::size_t next_function_ = 0;
  std::size_t first_instruction_ = 0;
  std::optional<Name> open_label_;  ///< no instruction after it yet
};

struct Segments {
  std::uint64_t tables = 0;
  std::uint64_t code = 0;
  std::uint64_t end = 0;
};

[[noreturn]] void fail_full(const Assembly& a, Place place, const Segments& s) {
  const std::uint64_t data = s.end - s.code - s.tables;
  a.fail(place, "expected a program of at most ", pe::kSramBytes, " bytes, found one that needs ",
         s.end, "; the task table takes ", s.tables, ", the code ", s.code, ", the data ", data);
}

std::uint64_t aligned(std::uint64_t address, unsigned bytes) {
  return (address + bytes - 1) / bytes * bytes;
}

std::uint32_t initial_value(const Assembly& a, pe::ElementType type, const Expression& e) {
  if (type == pe::ElementType::kF32) return a.evaluator().f32(e);
  if (type == pe::ElementType::kF16) return a.evaluator().half(e, a.image.half);
  const bool is_signed = type == pe::ElementType::kI16 || type == pe::ElementType::kI32;
  const std::int64_t span = std::int64_t{1} << (8 * pe::bytes_of(type));
  const std::int64_t low = is_signed ? -span / 2 : 0;
  const std::int64_t high = is_signed ? span / 2 - 1 : span - 1;
  const std::string expected = (is_signed ? "an " : "a ") + std::string(to_string(type));
  const std::int64_t value = a.integer(e, expected, low, high);
  return static_cast<std::uint32_t>(value & (span - 1));
}

}  // namespace

void lay_out_code(Assembly& a, const std::vector<Statement>& statements) {
  CodeLayout layout(a);
  for (const Statement& statement : statements) std::visit(layout, statement);
  layout.close();
}

void place_data(Assembly& a, const std::vector<Statement>& statements) {
  Segments s;
  s.code = a.instructions.size() * std::uint64_t{pe::kInstructionBytes};
  s.tables = a.image.task_table_bytes();
  s.end = s.tables + s.code;
  const DataStatement* first_outside = nullptr;
  for_each<DataStatement>(statements, [&](const DataStatement& data, std::size_t index) {
    pe::Symbol& symbol = a.image.symbols[index];
    const unsigned bytes = pe::bytes_of(symbol.type);
    s.end = aligned(s.end, symbol.align == 0 ? bytes : symbol.align);
    symbol.address = static_cast<std::uint32_t>(s.end);
    s.end += std::uint64_t{symbol.count} * bytes;
    if (s.end > pe::kSramBytes && first_outside == nullptr) first_outside = &data;
  });
  if (first_outside != nullptr) fail_full(a, first_outside->name.place, s);
  if (s.end > pe::kSramBytes) fail_full(a, a.instructions.back().statement->place, s);
  a.image.data_end = static_cast<std::uint32_t>(s.end);
  a.known = Known::kAddresses;
}

void initialise_data(Assembly& a, const std::vector<Statement>& statements) {
  for_each<DataStatement>(statements, [&](const DataStatement& data, std::size_t index) {
    pe::Symbol& symbol = a.image.symbols[index];
    if (data.init.size() > symbol.count) {
      a.fail(data.init[symbol.count]->place, "expected at most ", symbol.count, " values for ",
             in_quotes(symbol.name), ", found ", data.init.size());
    }
    for (const ExpressionPtr& e : data.init)
      symbol.init.push_back(initial_value(a, symbol.type, *e));
  });
}

}  // namespace tessera::tasm

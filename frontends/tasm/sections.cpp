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
    require_section("the label " + quoted(s.name.text), s.name.place);
    if (const Entity* entity = a_.names.find(s.name.text)) {
      a_.fail(s.name.place, "expected a new name, found ", quoted(s.name.text), ", which is the ",
              to_string(entity->kind), " of line ", entity->line);
    }
    if (!a_.sections.back().labels.emplace(s.name.text, next_instruction()).second) {
      a_.fail(s.name.place, "expected each label once, found ", quoted(s.name.text), " again in ",
              a_.sections.back().title);
    }
    a_.image.labels.push_back({s.name.text, next_instruction()});
    open_label_ = s.name;
  }

  void operator()(const InstructionStatement& s) {
    require_section(quoted(s.info->mnemonic), s.place);
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
    if (open_label_) {
      a_.fail(open_label_->place, expected, "the label ", quoted(open_label_->text));
    }
    const InstructionStatement& last = *a_.instructions.back().statement;
    if (!leaves_section(last.info->op)) a_.fail(last.place, expected, quoted(last.info->mnemonic));
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
  std::optional<Name> open_label_;  ///< no instruction behind it yet
};

}  // namespace

void lay_out_code(Assembly& a, const std::vector<Statement>& statements) {
  CodeLayout layout(a);
  for (const Statement& statement : statements) std::visit(layout, statement);
  layout.close();
}

}  // namespace tessera::tasm

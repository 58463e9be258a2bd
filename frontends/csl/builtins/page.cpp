// The table of builtins as docs/csl-builtins.md has it.
#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {
namespace {

std::string machines_text(Machines machines) {
  return machines == Machines::kBoth ? "" : machines == Machines::kWse2 ? " (WSE-2)" : " (WSE-3)";
}

/// A text that may have the sign that divides cells.
std::string cell(std::string_view text) {
  std::string made;
  for (const char c : text) made += c == '|' ? "\\|" : std::string(1, c);
  return made;
}

std::string choices_text(const std::vector<ChoiceRow>& choices) {
  std::string all;
  for (const ChoiceRow& choice : choices)
    all += (all.empty() ? "" : ", ") + std::string(choice.name) + machines_text(choice.machines);
  return all;
}

std::string kind_text(const OperandRow& row) {
  if (!row.of.empty()) return choices_text(row.of);
  switch (row.takes) {
  case Takes::kInteger:
    return row.lowest == row.highest ? "an integer" : text::joined(row.lowest, "..", row.highest);
  case Takes::kBool:
    return "bool";
  case Takes::kText:
    return "a text";
  case Takes::kType:
    return "a type";
  case Takes::kStruct:
    return "a struct";
  case Takes::kFunction:
    return "a function or task";
  case Takes::kDsd:
    return "a descriptor";
  case Takes::kFields:
    return "a struct, see below";
  case Takes::kUnread:
    return "not evaluated";
  default:
    return "";
  }
}

std::string operand_text(const OperandRow& row) {
  std::string made = std::string(row.may_run ? "~" : "") + std::string(row.name);
  if (const std::string kind = kind_text(row);
      !kind.empty() && kind != row.name && kind != "a " + std::string(row.name))
    made += ": " + kind;
  if (row.repeats) return "[" + made + " ..]";
  return row.is_optional ? "[" + made + "]" : made;
}

std::string where_text(std::uint8_t where) {
  if ((where & kAnywhere) == kAnywhere) return "anywhere";
  std::string all;
  for (const auto& [bit, name] : {std::pair{kInLayout, "layout"},
                                  {kInTile, "comptime block"},
                                  {kInCode, "function"},
                                  {kInConstants, "constant"}}) {
    if ((where & bit) != 0) all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return all;
}

std::string field_text(const FieldRow& row) {
  switch (row.kind) {
  case FieldKind::kFlag:
    return "bool";
  case FieldKind::kChoice:
    return "one of " + choices_text(row.choices);
  case FieldKind::kNumber:
    return text::joined(row.lowest, "..", row.highest);
  case FieldKind::kIndex:
    return "~u16";
  case FieldKind::kHandle:
  case FieldKind::kDsr:
    return std::string(row.handle);
  case FieldKind::kLocalTask:
    return "local_task_id or a local task";
  case FieldKind::kUnblocked:
    return "color (WSE-2), input_queue (WSE-3), data_task_id, local_task_id, a data or local task";
  case FieldKind::kShape:
    return "where the elements lie";
  case FieldKind::kStruct:
    break;
  }
  return "a struct";
}

}  // namespace

std::string builtins_page() {
  std::string page =
      "# Builtins of CSL\n\n"
      "Made from the table of the compiler (`frontends/csl/builtins`). An operand with `~` may be "
      "known "
      "to the running program only;\nthe others are known at compile time. `[ ]` may be left out. "
      "*Stands in*: *layout* is a layout block and what it calls, *comptime\nblock* one of the "
      "code "
      "of a PE, *function* code that runs, *constant* everything else that is evaluated at compile "
      "time.\n\n| Builtin | Stands in | Meaning |\n| --- | --- | --- |\n";
  for (const BuiltinRow* row : all_builtins()) {
    if (row->name.substr(0, 8) == "tessera_") continue;
    std::string operands;
    for (const OperandRow& operand : row->operands)
      operands += (operands.empty() ? "" : ", ") + operand_text(operand);
    page += "| `@" + std::string(row->name) + "(" + operands + ")` | " +
            (row->handler == nullptr ? "nowhere" : where_text(row->where)) + " | " +
            cell(row->about) + machines_text(row->machines) + " |\n";
  }
  page += "\n## Fields of options\n\nA field that its struct does not have is refused.\n\n"
          "| Of | Field | Takes |\n| --- | --- | --- |\n";
  for (const OptionsTable* table : all_options()) {
    for (const FieldRow& row : table->rows)
      page += "| " + std::string(table->whose) + " | `." + std::string(row.name) + "` | " +
              field_text(row) + machines_text(row.machines) + " |\n";
  }
  return page;
}

}  // namespace tessera::csl

// The tables of the structs of options (options.h).
#include "frontends/csl/builtins/options.h"

namespace tessera::csl {
namespace {

using Of = FieldKind;

FieldRow flag(std::string_view name) {
  FieldRow row;
  row.name = name;
  return row;
}

FieldRow field(std::string_view name, FieldKind kind) {
  FieldRow row;
  row.name = name;
  row.kind = kind;
  return row;
}

FieldRow handle(std::string_view name, std::string_view type) {
  FieldRow row = field(name, Of::kHandle);
  row.handle = type;
  return row;
}

FieldRow dsr(std::string_view name, std::string_view kind) {
  FieldRow row = field(name, Of::kDsr);
  row.handle = kind;
  return row;
}

FieldRow number(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  FieldRow row = field(name, Of::kNumber);
  row.lowest = lowest;
  row.highest = highest;
  return row;
}

FieldRow choice(std::string_view name, std::vector<ChoiceRow> choices) {
  FieldRow row = field(name, Of::kChoice);
  row.choices = std::move(choices);
  return row;
}

FieldRow on(Machines machines, std::string_view instead, FieldRow row) {
  row.machines = machines;
  row.instead = instead;
  return row;
}

FieldRow may_run(FieldRow row) {
  row.may_run = true;
  return row;
}

const OptionsTable& on_control_table() {
  static const OptionsTable kTable = {"the option .on_control",
                                      "field",
                                      {flag("terminate"),
                                       may_run(field("activate", Of::kLocalTask)),
                                       may_run(field("unblock", Of::kUnblocked))},
                                      {"terminate", "activate", "unblock"}};
  return kTable;
}

/// What operations and the loads of DSRs have in common.
std::vector<FieldRow> completion_rows() {
  FieldRow on_control = field("on_control", Of::kStruct);
  on_control.fields = &on_control_table();
  on_control.may_run = true;
  return {flag("async"),
          may_run(field("activate", Of::kLocalTask)),
          may_run(field("unblock", Of::kUnblocked)),
          std::move(on_control),
          on(Machines::kWse3, "a microthread of WSE-2 is that of the queue",
             may_run(handle("ut_id", "ut_id"))),
          on(Machines::kWse2, "on WSE-3 the field .priority of the fabric descriptor has it",
             choice("priority", priority_choices()))};
}

OptionsTable with(std::string_view whose, std::vector<FieldRow> rows, std::vector<FieldRow> more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return {whose, "option", std::move(rows), {"activate", "unblock"}};
}

std::vector<FieldRow> with_shape(const std::vector<std::string_view>& names,
                                 const std::vector<FieldRow>& more) {
  std::vector<FieldRow> rows;
  for (const std::string_view name : names) rows.push_back(field(name, Of::kShape));
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

FieldRow simd_field() {
  // Which of them a generation has depends on the version of the language: simd_of() in dsd_values.cpp.
  return choice("simd_mode",
                {{"simd_32"}, {"simd_64"}, {"simd_32_or_64"}, {"simd_off"}, {"simd_max"}});
}

std::vector<FieldRow> fabric_rows(bool is_input) {
  std::vector<FieldRow> rows = {
      may_run(handle(is_input ? "input_queue" : "output_queue",
                     is_input ? "input_queue" : "output_queue")),
      may_run(handle("fabric_color", "color")), simd_field(), flag("control_transform"),
      on(Machines::kWse3, "on WSE-2 the option .priority of the operation has it",
         choice("priority", priority_choices()))};
  if (!is_input) {
    const std::vector<FieldRow> more = {flag("control"), flag("wavelet_index_offset"),
                                        flag("advance_switch"),
                                        choice("zero", {{"first_source"}, {"second_source"}})};
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace

const std::vector<ChoiceRow>& priority_choices() {
  static const std::vector<ChoiceRow> kChoices = {{"high"}, {"medium"}, {"low"}};
  return kChoices;
}

const OptionsTable& operation_options_table() {
  static const OptionsTable kTable =
      with("an operation", completion_rows(), {field("index", Of::kIndex)});
  return kTable;
}

const OptionsTable& load_options_table() {
  static const OptionsTable kTable =
      with("the load of a DSR", completion_rows(), {flag("save_address"), flag("single_step")});
  return kTable;
}

const OptionsTable& fifo_options_table() {
  static const std::vector<ChoiceRow> kActions = {
      {"test_or_suspend"}, {"terminate"}, {"suspend", Machines::kWse3}, {"fault", Machines::kWse3}};
  static const OptionsTable kTable = {
      "a FIFO",
      "option",
      {field("activate_push", Of::kLocalTask), field("activate_pop", Of::kLocalTask),
       choice("empty_action", kActions),
       on(Machines::kWse3, "a full FIFO of WSE-2 is always .test_or_suspend",
          choice("full_action", kActions)),
       on(Machines::kWse3, "on WSE-2 the operation or the input queue has the priority",
          choice("priority", priority_choices())),
       on(Machines::kWse2, "FIFOs of WSE-3 have no mode",
          choice("simd_mode", {{"simd_32"}, {"simd_64"}, {"simd_32_or_64"}})),
       dsr("dest", "dsr_dest"), dsr("src", "dsr_src1"), dsr("xdsr", "xdsr")},
      {}};
  return kTable;
}

const OptionsTable& queue_options_table() {
  static const OptionsTable kTable = {
      "a queue",
      "option",
      {handle("color", "color"),
       on(Machines::kWse2, "on WSE-3 the field .priority of the fabric descriptor has it",
          choice("priority", priority_choices())),
       on(Machines::kWse3, "all tasks of WSE-2 are in one table", number("ctrl_table_id", 0, 7)),
       on(Machines::kWse3, "WSE-2 has no half wavelets", flag("dense_mode"))},
      {}};
  return kTable;
}

const OptionsTable& control_table_options_table() {
  static const OptionsTable kTable = {"the table of control tasks",
                                      "option",
                                      {number("stride", 1, 7), number("instructions", 2, 8)},
                                      {}};
  return kTable;
}

const OptionsTable& rotation_options_table() {
  static const OptionsTable kTable = {
      "a rotation of tasks", "option", {number("init", 0, 0xffff), number("limit", 0, 0xffff)}, {}};
  return kTable;
}

const OptionsTable& dsd_fields_table(std::string_view kind) {
  static const OptionsTable kMemory = {
      "a memory descriptor",
      "field",
      with_shape({"tensor_access", "base_address", "extent", "stride", "offset"},
                 {flag("wavelet_index_offset")}),
      {}};
  static const OptionsTable kCircular = {
      "a circular buffer",
      "field",
      with_shape({"base_address", "extent"}, {number("wraparound", 1, 0xffff)}),
      {}};
  static const OptionsTable kInput = {
      "a fabric input", "field", with_shape({"extent"}, fabric_rows(true)), {}};
  static const OptionsTable kOutput = {
      "a fabric output", "field", with_shape({"extent"}, fabric_rows(false)), {}};
  return kind == "fabin_dsd"     ? kInput
         : kind == "fabout_dsd"  ? kOutput
         : kind == "circbuf_dsd" ? kCircular
                                 : kMemory;
}

const std::vector<const OptionsTable*>& all_options() {
  static const std::vector<const OptionsTable*> kAll = {&operation_options_table(),
                                                        &load_options_table(),
                                                        &on_control_table(),
                                                        &fifo_options_table(),
                                                        &queue_options_table(),
                                                        &control_table_options_table(),
                                                        &rotation_options_table(),
                                                        &dsd_fields_table("mem1d_dsd"),
                                                        &dsd_fields_table("circbuf_dsd"),
                                                        &dsd_fields_table("fabin_dsd"),
                                                        &dsd_fields_table("fabout_dsd")};
  return kAll;
}

}  // namespace tessera::csl

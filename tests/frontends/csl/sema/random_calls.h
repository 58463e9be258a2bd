// Random programs of calls of builtins, drawn from the table of builtins and the tables of their options: a builtin or an option that
// somebody adds is called without another word. Most operands are what the rows say, some are anything.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/builtins/builtins.h"
#include "models/pe/isa.h"
#include "tests/frontends/csl/sema/random_things.h"

namespace tessera::csl::calls {

class RandomCalls : private RandomThings {
 public:
  RandomCalls(std::uint32_t seed, bool is_wse3) : RandomThings(seed), is_wse3_(is_wse3) {}

  /// A program as a bundle (tests/support/csl_bundle.h).
  std::string make() {
    declare_handles();
    declare_memory();
    declare_descriptors();
    declare_registers();
    std::string constants, blocks, bodies, layout;
    if (chance(25)) constants = constant();
    if (chance(40)) blocks = "  " + statement(kInTile);
    has_code_ = true;
    bodies = functions();
    has_code_ = false;
    things_ = {{"color0", "color", ""}};
    if (chance(20)) layout = "  " + statement(kInLayout);
    const bool is_wide = layout.find("@set_tile_code") != std::string::npos;
    text_ = std::string("//// layout.csl\nconst color0 = @get_color(2);\nlayout {\n") +
            "  @set_rectangle(" + (is_wide ? "2" : "1") + ", 1);\n" +
            "  @set_tile_code(0, 0, \"pe.csl\", .{});\n"
            "  @export_name(\"x_u16\", [*]u16, true);\n  @export_name(\"main\", fn() void);\n"
            "  @export_name(\"other\", fn() void);\n" +
            layout + "}\n//// pe.csl\n" + declarations_ + constants + bodies + "comptime {\n" +
            bindings_ + "  @export_symbol(x_u16_ptr, \"x_u16\");\n  @export_symbol(main);\n" +
            blocks + "}\n";
    return text_;
  }
  /// Whether the program calls a builtin.
  bool calls(std::string_view builtin) const {
    return text_.find("@" + std::string(builtin) + "(") != std::string::npos;
  }

 private:
  void declare(const std::string& name, const std::string& type, const std::string& text,
               const std::string& element = "") {
    declarations_ += "const " + name + " = " + text + ";\n";
    things_.push_back({name, type, element});
  }

  /// Different numbers from a range, mostly.
  std::string id(const std::string& kind, int lowest, int highest) {
    for (unsigned tries = 0; tries < 20; ++tries) {
      const auto number =
          lowest + static_cast<int>(below(static_cast<unsigned>(highest - lowest + 1)));
      if (ids_.emplace(kind, number).second || chance(3)) return std::to_string(number);
    }
    return std::to_string(lowest);
  }

  void declare_handles() {
    for (const char* name : {"color0", "color1", "color2"})
      declare(name, "color", "@get_color(" + id("color", 0, 23) + ")");
    for (const char* name : {"iq0", "iq1"})
      declare(name, "input_queue", "@get_input_queue(" + id("iq", 0, 7) + ")");
    for (const char* name : {"oq0", "oq1"})
      declare(name, "output_queue", "@get_output_queue(" + id("oq", 0, is_wse3_ ? 7 : 5) + ")");
    for (const char* name : {"local0", "local1", "spare_local"})
      declare(name, "local_task_id", "@get_local_task_id(" + id("task", 24, 30) + ")");
    declare("data0", "data_task_id",
            std::string("@get_data_task_id(") + (is_wse3_ ? "iq0" : "color0") + ")");
    declare("spare_data", "data_task_id",
            std::string("@get_data_task_id(") + (is_wse3_ ? "iq1" : "color1") + ")");
    for (const char* name : {"control0", "spare_control"})
      declare(name, "control_task_id", "@get_control_task_id(" + id("control", 32, 63) + ")");
    if (is_wse3_) declare("ut0", "ut_id", "@get_ut_id(" + id("ut", 0, 7) + ")");
    if (chance(90)) bindings_ += "  @bind_local_task(t_local, local0);\n";
    if (chance(60)) bindings_ += "  @bind_local_task(t_other, local1);\n";
    if (chance(70)) bindings_ += "  @bind_data_task(t_data, data0);\n";
    if (chance(60)) bindings_ += "  @bind_control_task(t_control, control0);\n";
    for (const char* queue : {"iq0", "iq1", "oq0", "oq1"}) {
      if (!chance(is_wse3_ ? 92 : queue[0] == 'i' ? 60 : 2)) continue;
      bindings_ += std::string("  @initialize_queue(") + queue + ", " +
                   (chance(92) ? ".{ .color = color" + std::to_string(queue[2] - '0') + " }"
                               : fields("initialize_queue")) +
                   ");\n";
    }
  }

  void declare_memory() {
    for (const std::string& element : elements()) {
      declarations_ += "var x_" + element + " = @zeros([32]" + element + ");\n";
      declarations_ +=
          "var n_" + element + ": " + element + " = " + (element[0] == 'f' ? "1.5" : "3") + ";\n";
      things_.push_back({"x_" + element, "array", element});
      things_.push_back({"n_" + element, "number", element});
    }
    declarations_ += "var x_u16_ptr: [*]u16 = &x_u16;\nvar grid = @zeros([4, 8]f32);\n"
                     "const table = [4]u16{ 1, 2, 3, 4 };\nvar yes = true;\n";
    things_.push_back({"grid", "array", "f32"});
    things_.push_back({"table", "array", "u16"});
    things_.push_back({"x_u16_ptr", "pointer", "u16"});
    things_.push_back({"yes", "bool", ""});
    things_.push_back({"f", "function", "f16"});
    things_.push_back({"g", "function", "f32"});
    things_.push_back({"g2", "function", "f32"});
    things_.push_back({"main", "function", ""});
    things_.push_back({"h", "handler", ""});
    for (const char* task : {"t_local", "t_other", "t_data", "t_control"})
      things_.push_back({task, "task", ""});
  }

  std::string name_of_dsd() { return "dsd" + std::to_string(things_.size()); }

  void declare_descriptors() {
    for (const std::string& element : elements()) {
      for (unsigned i = 0, n = 1 + below(2); i < n; ++i)
        declare(name_of_dsd(), "mem1d_dsd", "@get_dsd(mem1d_dsd, " + shape("x_" + element) + ")",
                element);
    }
    if (chance(60))
      declare(name_of_dsd(), "mem4d_dsd",
              "@get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{4, 8} -> grid[i, j] })", "f32");
    if (chance(50))
      declare(name_of_dsd(), "circbuf_dsd",
              "@get_dsd(circbuf_dsd, .{ .base_address = &x_f32, .extent = " +
                  std::to_string(1 + below(64)) + " })",
              "f32");
    declare("in0", "fabin_dsd", fabric("fabin_dsd", "iq0", "color0"));
    declare("in1", "fabin_dsd", fabric("fabin_dsd", "iq1", "color1"));
    declare("out0", "fabout_dsd", fabric("fabout_dsd", "oq0", "color0"));
    declare("out1", "fabout_dsd", fabric("fabout_dsd", "oq1", "color1"));
  }

  /// Where a vector lies.
  std::string shape(const std::string& array) {
    const std::string length = std::to_string(chance(90) ? 1 + below(16) : below(70000));
    switch (below(4)) {
    case 0:
      return ".{ .tensor_access = |i|{" + length + "} -> " + array + "[i] }";
    case 1:
      return ".{ .tensor_access = |i|{" + std::to_string(1 + below(8)) + "} -> " + array + "[" +
             std::to_string(1 + below(4)) + " * i + " + std::to_string(below(4)) + "] }";
    case 2:
      return ".{ .base_address = &" + array + ", .extent = " + length + " }";
    default:
      return ".{ .base_address = &" + array + ", .extent = " + std::to_string(1 + below(8)) +
             ", .stride = " + std::to_string(static_cast<int>(below(6)) - 1) +
             ", .offset = " + std::to_string(4 + below(5)) + " }";
    }
  }

  std::string fabric(const std::string& kind, const std::string& queue, const std::string& color) {
    const std::string field = kind == "fabin_dsd" ? "input_queue" : "output_queue";
    std::string text = "@get_dsd(" + kind + ", .{ .extent = " + std::to_string(1 + below(32));
    if (chance(90)) text += ", .fabric_color = " + color;
    if (chance(is_wse3_ ? 97 : 60)) text += ", ." + field + " = " + queue;
    for (const FieldRow& row : dsd_fields_table(kind).rows) {
      const bool is_given =
          row.name == field || row.name == "fabric_color" || row.kind == FieldKind::kShape;
      const bool fits = has(row.machines, is_wse3_) || chance(3);
      if (!is_given && fits && chance(12))
        text += ", ." + std::string(row.name) + " = " + value(row);
    }
    return text + " })";
  }

  void declare_registers() {
    for (const char* kind : {"dsr_dest", "dsr_src0", "dsr_src1"})
      declare(std::string("r_") + kind, kind,
              std::string("@get_dsr(") + kind + ", " + id(kind, 0, 15) + ")");
    const std::string of_fifo = id("dsr_dest", 2, 15);
    declare("r_push", "dsr_dest", "@get_dsr(dsr_dest, " + of_fifo + ")");
    declare("r_pop", "dsr_src1", "@get_dsr(dsr_src1, " + of_fifo + ")");
    declare("r_xdsr", "xdsr", "@get_xdsr(" + std::to_string(below(8)) + ")");
    declare("r_sr", "sr", "@get_sr(" + std::to_string(below(8)) + ")");
    for (unsigned i = 0, n = below(3); i < n; ++i) {
      const std::string number = std::to_string(i), element = one_of(elements());
      declarations_ += "var buffer" + number + (chance(90) ? " align(16)" : "") + " = @zeros([" +
                       std::to_string(chance(90) ? 64 : 1 + below(100)) + "]" + element + ");\n";
      declare("fifo" + number, "fifo",
              "@allocate_fifo(buffer" + number +
                  (chance(50) ? "" : ", " + options(fifo_options_table())) + ")",
              element);
    }
  }

  std::string number(std::int64_t lowest, std::int64_t highest, bool may_run) {
    if (may_run && has_code_ && chance(30)) return thing("number", chance(70) ? "u16" : "i16");
    if (chance(5)) return one_of(std::vector<std::string>{"-1", "65536", "true", "1.5", "0"});
    if (highest <= lowest) return std::to_string(below(9));
    const auto range = static_cast<std::uint64_t>(highest - lowest) + 1;
    if (chance(10)) return std::to_string(chance(50) ? lowest : highest);
    return std::to_string(lowest + static_cast<std::int64_t>(random_() % range));
  }

  std::string value(const FieldRow& row) {
    switch (row.kind) {
    case FieldKind::kFlag:
      return chance(80) ? "true" : "false";
    case FieldKind::kChoice:
      return ".{ ." + std::string(one_of(row.choices).name) + " = true }";
    case FieldKind::kNumber:
      return number(row.lowest, row.highest, row.may_run);
    case FieldKind::kIndex:
      return has_code_ && chance(50) ? "n_u16" : std::to_string(below(8));
    case FieldKind::kHandle:
    case FieldKind::kDsr:
      return thing(std::string(row.handle));
    case FieldKind::kLocalTask:
      return chance(60) ? "local0" : thing(chance(50) ? "local_task_id" : "task");
    case FieldKind::kUnblocked:
      return chance(40) ? "local0"
                        : thing(chance(30)   ? "data_task_id"
                                : chance(30) ? "task"
                                : is_wse3_   ? "input_queue"
                                             : "color");
    case FieldKind::kStruct:
      return options(*row.fields);
    case FieldKind::kShape:
      return "&x_f32";
    }
    return "0";
  }

  std::string options(const OptionsTable& table) {
    std::string text;
    for (const FieldRow& row : table.rows) {
      const bool fits = has(row.machines, is_wse3_) || chance(5);
      const bool is_named =
          row.kind == FieldKind::kDsr && !chance(2);  // those of a FIFO come together
      if (!fits || is_named || !chance(table.rows.size() < 4 ? 40 : 20)) continue;
      text += (text.empty() ? " ." : ", .") + std::string(row.name) + " = " + value(row);
    }
    if (&table == &fifo_options_table() && chance(25))
      text += std::string(text.empty() ? "" : ",") +
              " .dest = " + (chance(90) ? "r_push" : "r_dsr_dest") +
              ", .src = " + (chance(90) ? "r_pop" : "r_dsr_src1") + ", .xdsr = r_xdsr";
    if (chance(1)) text += text.empty() ? " .nothing = 1" : ", .nothing = 1";
    return ".{" + text + " }";
  }

  const OptionsTable& table_of(std::string_view builtin) {
    return builtin == "initialize_queue"            ? queue_options_table()
           : builtin == "allocate_fifo"             ? fifo_options_table()
           : builtin == "set_control_task_table"    ? control_table_options_table()
           : builtin == "bind_rotating_tasks"       ? rotation_options_table()
           : builtin.substr(0, 11) == "load_to_dsr" ? load_options_table()
                                                    : operation_options_table();
  }

  std::string fields(std::string_view builtin) {
    if (builtin == "set_color_config" || builtin == "set_local_color_config") return routes();
    if (builtin == "load_to_dsr_xdsr_sr" && chance(70)) return ".{ r_sr }";
    if (builtin == "initialize_queue" && chance(95)) {
      const std::string others = options(table_of(builtin));
      const bool has_color = others.find(".color") != std::string::npos;
      return has_color ? others
                       : ".{ .color = " + thing("color") +
                             (others == ".{ }" ? " }" : "," + others.substr(2));
    }
    if (builtin == "field") return ".{ .a = n_u16, .b = 2 }";
    if (builtin == "set_tile_code" && chance(95)) return ".{}";
    if (builtin == "concat_structs") return ".{ .a" + std::to_string(below(3)) + " = 1 }";
    return options(table_of(builtin));
  }

  std::string routes() {
    const std::vector<std::string> sides = {"RAMP", "EAST", "WEST", "NORTH", "SOUTH"};
    std::string text =
        ".{ .routes = .{ .rx = .{ " + one_of(sides) + " }, .tx = .{ " + one_of(sides) + " } }";
    if (chance(30))
      text += ", .switches = .{ .pos1 = .{ ." + std::string(chance(50) ? "rx" : "tx") + " = " +
              one_of(sides) + " }, .ring_mode = " + (chance(50) ? "true" : "false") + " }";
    if (chance(10)) text += ", .teardown = true";
    return text + " }";
  }

  /// Whether it works on descriptors.
  static bool is_operation(const BuiltinRow& row) { return pe::find_opcode(row.name) != nullptr; }

  /// What slot `i` of an operation takes.
  std::string element_of(const BuiltinRow& row, std::size_t i, const std::string& element) {
    const pe::OpcodeInfo* info = pe::find_opcode(row.name);
    if (info == nullptr || i >= info->operand_count || chance(3)) return element;
    switch (info->types[i]) {
    case pe::ValueType::kHalf:
      return "f16";
    case pe::ValueType::kSingle:
      return "f32";
    case pe::ValueType::k32:
      return chance(50) ? "u32" : "i32";
    default:
      return chance(50) ? "u16" : "i16";
    }
  }

  std::string element_of(std::string_view builtin) {
    if (builtin.empty() || chance(5)) return one_of(elements());
    if (builtin.find("32") != std::string_view::npos) return chance(50) ? "u32" : "i32";
    if (builtin.back() == 's' && builtin[0] == 'f') return "f32";
    if (builtin.back() == 'h' && builtin[0] == 'f') return "f16";
    if (builtin == "map") return chance(50) ? "f32" : "f16";
    return chance(50) ? "u16" : "i16";
  }

  /// An operand of an operation on descriptors.
  std::string vector(const std::string& element, bool is_destination) {
    if (chance(12)) return thing(is_destination ? "fabout_dsd" : "fabin_dsd");
    if (chance(6)) return thing("fifo", element);
    if (chance(6)) return thing(is_destination ? "dsr_dest" : chance(50) ? "dsr_src0" : "dsr_src1");
    if (chance(4)) return thing(chance(50) ? "mem4d_dsd" : "circbuf_dsd", element);
    if (is_destination && chance(6)) return "&" + thing("number", element);
    if (!is_destination && chance(15)) return thing("number", element);
    if (!is_destination && chance(15)) return element[0] == 'f' ? "2.0" : std::to_string(below(9));
    return thing("mem1d_dsd", element);
  }

  std::string operand(const BuiltinRow& row, const OperandRow& operand, std::size_t i,
                      const std::string& element) {
    if (chance(2)) return one_of(things_).name;
    if (chance(95)) {
      const std::string special = operand_of(row.name, i);
      if (!special.empty()) return special;
    }
    switch (operand.takes) {
    case Takes::kValue:
    case Takes::kAny: {
      if (is_operation(row)) return vector(element_of(row, i, element), i == 0);
      if (row.name == "map") return vector(element, i == row.operands.size() - 1);
      if (row.name == "get_dsr") return std::to_string(below(16));
      if (row.name == "ptrcast") return "&x_" + element;
      if (row.name == "get_int" || row.name == "get_color_id") return "color1";
      if (row.name.substr(0, 6) == "range_") return "@range(u16, 4)";
      return !has_code_ || chance(50) ? std::to_string(below(16)) : thing("number", element);
    }
    case Takes::kInteger:
      return row.where == kInLayout ? std::to_string(i == 0 && row.name == "set_tile_code" ? 1 : 0)
                                    : number(operand.lowest, operand.highest, operand.may_run);
    case Takes::kBool:
      return operand.may_run && has_code_ && chance(50) ? "yes" : "true";
    case Takes::kText:
      return row.name == "set_tile_code"
                 ? "\"pe.csl\""
                 : one_of(std::vector<std::string>{"\"x_u16\"", "\"main\"", "\"<math>\"", "\"a\""});
    case Takes::kType:
      if (row.name == "get_dsr") return one_of(std::vector<std::string>{"dsr_dest", "dsr_src1"});
      if (row.name == "get_dsd") return "mem1d_dsd";
      if (row.name == "ptrcast") return chance(50) ? "[*]u16" : "*[8]i16";
      if (row.name.substr(0, 5) == "range" || row.name == "as") return chance(50) ? "u16" : "i16";
      if (row.name == "increment_dsd_offset") return element;
      return chance(30) ? "[4]" + one_of(elements()) : one_of(elements());
    case Takes::kStruct:
    case Takes::kFields:
      return row.name == "get_dsd" ? shape("x_" + element) : fields(row.name);
    case Takes::kFunction:
      return row.name == "map" ? thing("function", element)
                               : thing(chance(80) ? "task" : "function");
    case Takes::kHandle:
    case Takes::kTaskId:
    case Takes::kDsr:
    case Takes::kDsd: {
      if (operand.of.empty()) return vector(element, chance(50));
      const ChoiceRow& choice = one_of(operand.of);
      return has(choice.machines, is_wse3_) ? thing(std::string(choice.name))
                                            : thing("local_task_id");
    }
    case Takes::kFifo:
      return thing("fifo");
    case Takes::kPlace:
      return (chance(50) ? "&" : "") + thing("array", chance(50) ? element : "");
    case Takes::kUnread:
      return chance(50) ? "x_u16_ptr" : one_of(things_).name;
    }
    return "0";
  }

  /// What fits an operand of which the row says less than the program has to know; empty: nothing special.
  std::string operand_of(std::string_view builtin, std::size_t i) {
    const bool binds = builtin.substr(0, 5) == "bind_";
    if (binds && builtin != "bind_rotating_tasks" && chance(80))
      return i == 0 ? builtin == "bind_local_task" ? "t_spare" : "t_spare_data"
             : builtin == "bind_task"
                 ? one_of(std::vector<std::string>{"color2", "spare_data"})
                 : "spare_" + std::string(builtin.substr(5, builtin.find('_', 5) - 5));
    if (builtin == "bind_rotating_tasks")
      return i < 2 ? i == 0 ? "t_spare_data" : "t_turn" : i == 2 ? "spare_data" : "";
    if (builtin.substr(0, 4) == "set_" && builtin.find("_handler") != std::string_view::npos &&
        i == 0)
      return "h";
    if (builtin == "export_name") return i == 0 ? "\"new\"" : i == 1 ? "fn() void" : "";
    if (builtin == "export_symbol") return i == 0 ? "main" : "\"other\"";
    if (builtin == "import_module") return i == 0 ? "\"<math>\"" : ".{}";
    if (builtin == "get_symbol_id" || builtin == "is_arch") return i == 0 ? "\"x_u16\"" : "";
    if (builtin == "get_symbol_value") return i == 0 ? "[*]u16" : "@get_symbol_id(\"x_u16\")";
    if (builtin == "get_tensor_ptr") return "@get_symbol_id(\"x_u16\")";
    if (builtin == "get_int" && chance(70)) return "local0";
    const bool wants_array = builtin == "zeros" || builtin == "constants" ||
                             builtin == "element_type" || builtin == "element_count" ||
                             builtin == "rank" || builtin == "dimensions";
    if (wants_array && i == 0) return "[4]" + one_of(elements());
    if (builtin == "field" || builtin == "has_field")
      return i == 0 ? ".{ .a = 1, .b = 2 }" : chance(50) ? "\"a\"" : "\"b\"";
    return "";
  }

  std::string call(const BuiltinRow& row) {
    const std::string element = element_of(row.name);
    std::string text;
    for (std::size_t i = 0; i < row.operands.size(); ++i) {
      const OperandRow& of = row.operands[i];
      if (of.is_optional && chance(50)) break;
      text += (text.empty() ? "" : ", ") + operand(row, of, i, element);
    }
    return "@" + std::string(row.name) + "(" + text + ")";
  }

  const BuiltinRow& row_for(std::uint8_t where) {
    while (true) {
      const BuiltinRow& row = *one_of(all_builtins());
      const bool is_special = (row.where & where) != 0 && row.where != kOfOperands;
      const bool is_taken = is_special || (row.where == kOfOperands && chance(12));
      const bool is_declared = row.name == "allocate_fifo" || row.name == "import_module" ||
                               row.name == "export_name" || row.name == "export_symbol";
      if (is_taken && (!is_declared || chance(15)) && row.handler != nullptr &&
          row.name != "set_rectangle" && row.name.substr(0, 8) != "tessera_" &&
          (has(row.machines, is_wse3_) || chance(1)))
        return row;
    }
  }

  std::string constant() {
    return "const k" + std::to_string(below(1000000)) + " = " + call(row_for(kInConstants)) + ";\n";
  }

  std::string statement(std::uint8_t where) {
    const BuiltinRow& row = row_for(where);
    const bool has_value = row.where == kOfOperands || (row.where & kInConstants) != 0 ||
                           row.name.substr(0, 4) == "get_" || row.name == "random16";
    if (row.name == "set_dsr_base_addr" && chance(90)) return moved_register();
    const bool gives_nothing =
        row.name == "comptime_print" || row.name == "comptime_assert" || row.name == "assert";
    if (!has_value || gives_nothing) return call(row) + ";\n";
    return "const v" + std::to_string(below(1000000)) + " = " + call(row) + ";\n";
  }

  /// A register keeps its descriptor at another address.
  std::string moved_register() {
    const std::string element = one_of(elements()), dsr = one_of(std::vector<std::string>{
                                                        "r_dsr_dest", "r_dsr_src0", "r_dsr_src1"});
    return "@load_to_dsr(" + dsr + ", " + thing("mem1d_dsd", element) +
           ");\n  @set_dsr_base_addr(" + dsr + ", &x_" + element + ");\n";
  }

  std::string body() {
    std::string text;
    for (unsigned i = 0, n = 1 + below(2); i < n; ++i) text += "  " + statement(kInCode);
    if (chance(15)) text = "  if (n_u16 == 3) {\n" + text + "  }\n";
    if (chance(8)) text = "  for (@range(u16, n_u16)) |i| {\n" + text + "  }\n";
    return text;
  }

  std::string functions() {
    const std::string second = chance(50) ? "" : ", y: u16";
    return "fn f(a: f16) f16 { return a; }\nfn g(a: f32) f32 { return a; }\n"
           "fn g2(a: f32, b: f32) f32 { return a + b; }\n"
           "task t_local() void {\n" +
           (chance(40) ? body() : "") + "}\ntask t_other() void {\n  n_u16 += 1;\n}\n" +
           "task t_data(x: u16" + (chance(95) ? "" : second) + ") void {\n  n_u16 = x;\n" +
           (chance(30) ? body() : "") + "}\ntask t_control(" +
           (chance(50) ? "" : "x: u16" + second) +
           ") void {\n  n_u16 += 2;\n}\nfn h() void {}\ntask t_spare() void {}\n"
           "task t_spare_data(x: u16) void {\n  n_u16 = x;\n}\ntask t_turn(x: u16) void {\n  n_u16 "
           "-= x;\n}\n"
           "fn main() void {\n" +
           body() + "}\n";
  }

  const bool is_wse3_;
  bool has_code_ = false;  ///< names of variables stand for values
  std::string declarations_, bindings_;
  std::set<std::pair<std::string, int>> ids_;
  std::string text_;
};

}  // namespace tessera::csl::calls

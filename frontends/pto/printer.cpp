#include "frontends/pto/printer.h"

#include <sstream>

#include "frontends/pto/operations.h"

namespace tessera::pto {

namespace {

using Role = Argument::Role;

std::string size_text(std::int64_t size) {
  return size == kDynamic ? "?" : std::to_string(size);
}

std::string type_shape_text(const Type& type) {
  std::string text;
  for (const std::int64_t size : type.shape) text += size_text(size) + "x";
  return text + type.element;
}

std::string options_text(const Type& type) {
  std::string text;
  for (const Attribute& o : type.options)
    text += ", " + o.key + (o.value.empty() ? "" : "=" + o.value);
  return text;
}

std::string types_text(const std::vector<Type>& types, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += (i > from ? ", " : "") + to_string(types[i]);
  return text;
}

/// Whether the text may stand without quotes.
bool is_plain(const std::string& word) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !word.empty() && std::string(kLetters).find(word[0]) != std::string::npos &&
         word.find_first_not_of(std::string(kLetters) + ".$0123456789") == std::string::npos;
}

std::string attributes_text(const std::vector<Attribute>& attributes) {
  std::string text;
  for (const Attribute& a : attributes) {
    text += text.empty() ? "{" : ", ";
    text += is_plain(a.key) ? a.key : "\"" + a.key + "\"";
    if (!a.value.empty()) text += " = " + a.value;
  }
  return text.empty() ? text : text + "}";
}

class Printer {
 public:
  std::string run(const Module& module) {
    out_ << "module ";
    if (!module.attributes.empty())
      out_ << "attributes " << attributes_text(module.attributes) << ' ';
    out_ << "{\n";
    for (const Function& function : module.functions) print(function);
    out_ << "}\n";
    return out_.str();
  }

 private:
  void print(const Function& f) {
    out_ << "  func.func " << (f.is_private ? "private " : "") << '@' << f.name;
    print_parameters(f.parameters);
    if (f.results.size() == 1) out_ << " -> " << to_string(f.results[0]);
    if (f.results.size() > 1) out_ << " -> (" << types_text(f.results, 0, f.results.size()) << ')';
    if (!f.attributes.empty()) out_ << " attributes " << attributes_text(f.attributes);
    if (f.has_body) {
      out_ << ' ';
      print(f.body, 1);
    }
    out_ << '\n';
  }

  void print_parameters(const std::vector<Parameter>& parameters) {
    out_ << '(';
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& p = parameters[i];
      out_ << (i > 0 ? ", " : "") << p.name << (p.name.empty() ? "" : ": ") << to_string(p.type);
    }
    out_ << ')';
  }

  void print(const Region& region, unsigned indent) {
    out_ << "{\n";
    if (!region.parameters.empty()) {
      out_ << std::string(2 * indent, ' ') << "^bb0";
      print_parameters(region.parameters);
      out_ << ":\n";
    }
    for (const Operation& op : region.operations) {
      out_ << std::string(2 * (indent + 1), ' ');
      print(op, indent + 1);
      out_ << '\n';
    }
    out_ << std::string(2 * indent, ' ') << '}';
  }

  void print(const Operation& op, unsigned indent) {
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      const Result& r = op.results[i];
      out_ << (i > 0 ? ", " : "") << r.name;
      if (r.count > 1) out_ << ':' << r.count;
    }
    out_ << (op.results.empty() ? "" : " = ") << op.name;
    const OperationInfo& info = operation_info(op.name);
    if (info.meaning == Meaning::kUnknown) {
      out_ << (op.raw.empty() ? "" : " ") << op.raw;
      return;
    }
    print_arguments(op);
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      out_ << (i == 0 ? " " : info.form == Form::kWhile ? " do " : " else ");
      print(op.regions[i], indent);
    }
    if (!op.attributes.empty()) out_ << ' ' << attributes_text(op.attributes);
  }

  void print_arguments(const Operation& op) {
    switch (operation_info(op.name).form) {
    case Form::kTile:
      return print_tile(op);
    case Form::kTileView:
      out_ << ' ' << list(op, Role::kOperand);
      print_list("[", op, Role::kOffset);
      print_list(" sizes [", op, Role::kSize);
      print_list(" valid [", op, Role::kValid);
      return print_types(op);
    case Form::kFor:
      return print_for(op);
    case Form::kFlag:
      out_ << '[' << list(op, Role::kPipe) << ", " << list(op, Role::kId) << ']';
      return print_types(op);
    case Form::kPipe:
      if (!list(op, Role::kIn).empty()) return print_tile(op);
      out_ << ' ' << list(op, Role::kPipe);
      return;
    case Form::kPipeIds:
      out_ << ' ' << list(op, Role::kPipe) << (list(op, Role::kPipe).empty() ? "" : ", ")
           << list(op, Role::kId);
      return print_types(op);
    case Form::kWhile:
      return print_while(op);
    case Form::kCondition:
      out_ << " (" << list(op, Role::kPredicate) << ')';
      return print_plain(op, false);
    case Form::kCall:
      return print_call(op);
    case Form::kGroup:
      return print_group(op);
    case Form::kLists:
      return print_lists(op);
    case Form::kPrintText:
      out_ << " ins(\"" << op.arguments[0].text << "\", " << op.arguments[1].text;
      print_types(op);
      out_ << ')';
      return;
    case Form::kIndexed:
    case Form::kStoreTo:
      return print_indexed(op);
    case Form::kRegister:
      return print_register(op);
    case Form::kCleanCache:
      return print_clean_cache(op);
    case Form::kTensorView:
      return print_view(op, "shape", Role::kShape, "strides", Role::kStride);
    case Form::kPartition:
      return print_view(op, "offsets", Role::kOffset, "sizes", Role::kSize);
    case Form::kMemrefPart:
      out_ << ' ' << list(op, Role::kOperand) << '[' << list(op, Role::kOffset) << "] ["
           << list(op, Role::kSize) << "] [" << list(op, Role::kStride) << ']';
      return print_types(op);
    case Form::kReinterpret:
      out_ << ' ' << list(op, Role::kOperand) << " to offset: [" << list(op, Role::kOffset)
           << "], sizes: [" << list(op, Role::kShape) << "], strides: [" << list(op, Role::kStride)
           << ']';
      return print_types(op);
    case Form::kAllocTile:
      print_named(op, "addr", Role::kAddress);
      print_named(op, "valid_row", Role::kValidRow);
      print_named(op, "valid_col", Role::kValidColumn);
      return print_types(op);
    default:
      return print_plain(op);
    }
  }

  void print_plain(const Operation& op, bool with_predicate = true) {
    const std::string predicate = with_predicate ? list(op, Role::kPredicate) : "";
    const std::string operands = list(op, Role::kOperand);
    if (!predicate.empty()) out_ << ' ' << predicate << ',';
    if (!operands.empty()) out_ << ' ' << operands;
    print_types(op);
  }

  void print_types(const Operation& op) {
    if (!op.types.empty()) out_ << " : " << types_text(op.types, 0, op.types.size());
    if (op.result_types.empty()) return;
    const std::string types = types_text(op.result_types, 0, op.result_types.size());
    const Form form = operation_info(op.name).form;
    if (form == Form::kCast || form == Form::kReinterpret || form == Form::kMemrefPart) {
      out_ << " to " << types;
    } else if (op.result_types.size() > 1) {
      out_ << " -> (" << types << ')';
    } else {
      out_ << " -> " << types;
    }
  }

  void print_for(const Operation& op) {
    const std::vector<Argument>& a = op.arguments;
    out_ << ' ' << a[0].text << " = " << a[1].text << " to " << a[2].text << " step " << a[3].text;
    for (std::size_t i = 4; i + 1 < a.size(); i += 2)
      out_ << (i == 4 ? " iter_args(" : ", ") << a[i].text << " = " << a[i + 1].text;
    if (a.size() > 4)
      out_ << ") -> (" << types_text(op.result_types, 0, op.result_types.size()) << ')';
    if (!op.types.empty()) out_ << " : " << types_text(op.types, 0, op.types.size());
  }

  void print_while(const Operation& op) {
    const std::vector<Argument>& a = op.arguments;
    for (std::size_t i = 0; i + 1 < a.size(); i += 2)
      out_ << (i == 0 ? " (" : ", ") << a[i].text << " = " << a[i + 1].text;
    out_ << (a.empty() ? "" : ")");
    print_signature(op);
  }

  void print_call(const Operation& op) {
    out_ << ' ' << op.arguments[0].text << '(' << list(op, Role::kOperand) << ')';
    print_signature(op);
  }

  // : (T, T) -> (T)
  void print_signature(const Operation& op) {
    out_ << " : (" << types_text(op.types, 0, op.types.size()) << ") -> ";
    const std::string results = types_text(op.result_types, 0, op.result_types.size());
    out_ << (op.result_types.size() == 1 ? results : "(" + results + ")");
  }

  void print_group(const Operation& op) {
    const std::vector<Argument>& a = op.arguments;
    const bool typed = a.size() == op.types.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
      out_ << (i == 0 ? "(" : ", ") << a[i].key << (a[i].key.empty() ? "" : " = ") << a[i].text;
      if (typed) out_ << " : " << to_string(op.types[i]);
    }
    out_ << (a.empty() ? "" : ")");
    if (!op.result_types.empty())
      out_ << " -> " << types_text(op.result_types, 0, op.result_types.size());
  }

  void print_lists(const Operation& op) {
    std::string key;
    for (const Argument& a : op.arguments) {
      const bool first = &a == &op.arguments.front();
      if (a.key != key && !key.empty()) out_ << ')';
      out_ << (first ? "(" : ", ");
      if (a.key != key && !a.key.empty()) out_ << a.key << '(';
      out_ << a.text;
      key = a.key;
    }
    out_ << (key.empty() ? "" : ")") << " : " << types_text(op.types, 0, op.types.size()) << ')';
    if (!op.result_types.empty())
      out_ << " -> " << types_text(op.result_types, 0, op.result_types.size());
  }

  void print_indexed(const Operation& op) {
    const std::vector<Argument>& a = op.arguments;
    const bool stores = operation_info(op.name).form == Form::kStoreTo;
    const std::size_t base = stores ? 1 : 0;
    out_ << ' ' << (stores ? a[0].text + ", " : "") << a[base].text << '[' << list(op, Role::kIndex)
         << ']';
    if (!stores && a.back().role == Role::kOperand && a.size() > 2)
      out_ << ", " << text_of(a.back());
    print_types(op);
  }

  // %a[%i, %j], "WORD", key(%b, word) : T -> T, T
  void print_register(const Operation& op) {
    std::string key;
    bool in_index = false;
    for (std::size_t n = 0; n < op.arguments.size(); ++n) {
      const Argument& a = op.arguments[n];
      if (in_index && a.role != Role::kIndex) out_ << ']';
      if (a.key != key && !key.empty()) out_ << ')';
      const bool opens = a.key != key && !a.key.empty();
      const bool indexes = a.role == Role::kIndex && !in_index;
      out_ << (n == 0 ? " " : indexes ? "[" : ", ");
      if (opens) out_ << a.key << '(';
      in_index = a.role == Role::kIndex;
      key = a.key;
      if (a.role == Role::kPredicate)
        out_ << '"' << a.text << '"';
      else
        out_ << text_of(a);
    }
    out_ << (in_index ? "]" : "") << (key.empty() ? "" : ")");
    if (!op.types.empty()) out_ << " : " << types_text(op.types, 0, op.types.size());
    if (!op.result_types.empty())
      out_ << " -> " << types_text(op.result_types, 0, op.result_types.size());
  }

  void print_clean_cache(const Operation& op) {
    const bool dcci = op.name == "pto.dcci";
    bool first = true;
    for (const Argument& a : op.arguments) {
      if (a.role == Role::kOperand) {
        out_ << ' ' << a.text;
        continue;
      }
      out_ << (first ? " " : ", ") << (dcci ? "\"" + a.text + "\"" : a.text);
      if (a.text == "all") out_ << " #pto.address_space<gm>";
      first = false;
    }
    print_types(op);
  }

  void print_view(const Operation& op, const char* first, Role first_role, const char* second,
                  Role second_role) {
    out_ << ' ' << list(op, Role::kOperand) << ", " << first << " = [" << list(op, first_role)
         << "], " << second << " = [" << list(op, second_role) << ']';
    print_types(op);
  }

  void print_list(const char* before, const Operation& op, Role role) {
    const std::string values = list(op, role);
    if (!values.empty()) out_ << before << values << ']';
  }

  void print_named(const Operation& op, const char* key, Role role) {
    const std::string value = list(op, role);
    if (!value.empty()) out_ << ' ' << key << " = " << value;
  }

  void print_tile(const Operation& op) {
    std::size_t ins = 0;
    for (const Argument& a : op.arguments) ins += a.role == Role::kIn ? 1 : 0;
    out_ << " ins(" << list(op, Role::kIn) << " : " << types_text(op.types, 0, ins) << ')';
    if (!op.result_types.empty()) {
      out_ << " outs : " << to_string(op.result_types[0]);
    } else if (op.types.size() > ins) {
      out_ << " outs(" << list(op, Role::kOut) << " : "
           << types_text(op.types, ins, op.types.size()) << ')';
    }
  }

  static std::string text_of(const Argument& a) {
    if (a.kind == Argument::Kind::kInteger && a.text.empty()) return std::to_string(a.number);
    if (a.kind != Argument::Kind::kWord) return a.text;
    if (!is_plain(a.text)) return "\"" + a.text + "\"";
    return a.role == Role::kPredicate ? a.text : "<" + a.text + ">";
  }
  static std::string list(const Operation& op, Role role) {
    std::string text;
    for (const Argument& a : op.arguments)
      if (a.role == role) text += (text.empty() ? "" : ", ") + text_of(a);
    return text;
  }

  std::ostringstream out_;
};

}  // namespace

std::string to_string(const Type& type) {
  switch (type.kind) {
  case Type::Kind::kScalar:
    return type.element;
  case Type::Kind::kPointer:
    return "!pto.ptr<" + type.element + options_text(type) + ">";
  case Type::Kind::kTensorView:
    return "!pto.tensor_view<" + type_shape_text(type) + options_text(type) + ">";
  case Type::Kind::kPartition:
    return "!pto.partition_tensor_view<" + type_shape_text(type) + options_text(type) + ">";
  case Type::Kind::kMemref:
    return "memref<" + type_shape_text(type) + options_text(type) + ">";
  case Type::Kind::kOpaque:
    return type.element + (type.options.empty() ? "" : "<" + options_text(type).substr(2) + ">");
  case Type::Kind::kRegister: {
    if (type.location == "!pto.align") return type.location;
    const std::string lanes = type.location == "!pto.mask" ? type.element : type_shape_text(type);
    return type.location + "<" + lanes + options_text(type) + ">";
  }
  case Type::Kind::kTile:
    break;
  }
  return "!pto.tile_buf<loc=" + type.location + ", dtype=" + type.element +
         ", rows=" + size_text(type.shape[0]) + ", cols=" + size_text(type.shape[1]) +
         ", v_row=" + size_text(type.valid_rows) + ", v_col=" + size_text(type.valid_columns) +
         options_text(type) + ">";
}

std::string print(const Module& module) {
  return Printer().run(module);
}

}  // namespace tessera::pto

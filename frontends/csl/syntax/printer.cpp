#include "frontends/csl/syntax/printer.h"

#include "frontends/csl/syntax/statement_printer.h"
#include "frontends/csl/syntax/visit.h"

namespace tessera::csl {

namespace {

/// The declarations of a file.
class FilePrinter {
 public:
  FilePrinter() : statements_(out_), expressions_(statements_.expressions()) {}

  std::string run(const SourceFile& file) {
    for (const Item* item : file.items()) {
      visit(*item, [this](const auto& node) { write(node); });
      out_ << "\n";
    }
    return out_.text();
  }
  std::string run(const Expr& expression) {
    expressions_.print(expression);
    return out_.text();
  }

 private:
  void write(const Param& item) {
    out_ << (item.is_color ? "color " : "param ") << item.name.text;
    if (item.type != nullptr) {
      out_ << ": ";
      expressions_.print_type(*item.type);
    }
    if (item.value != nullptr) {
      out_ << " = ";
      expressions_.print(*item.value);
    }
    out_ << ";";
  }

  void write(const Global& item) {
    write(item.variable.linkage);
    statements_.print(item.variable);
  }

  void write(Linkage linkage) {
    constexpr std::string_view kWords[] = {"", "export ", "extern "};
    out_ << kWords[static_cast<unsigned>(linkage)];
  }

  void write(const Function& item) {
    constexpr std::string_view kInlining[] = {"", "inline ", "noinline "};
    write(item.linkage);
    out_ << kInlining[static_cast<unsigned>(item.inlining)] << (item.is_task ? "task " : "fn ")
         << item.name.text << "(";
    for (const Parameter& p : item.parameters) {
      out_ << (&p != item.parameters.begin() ? ", " : "") << (p.is_comptime ? "comptime " : "");
      if (!p.name.text.empty()) out_ << p.name.text << ": ";
      expressions_.print_type(*p.type);
    }
    out_ << ") ";
    expressions_.print_type(*item.result);
    statements_.print_attributes(item.attributes);
    if (item.body == nullptr) {
      out_ << ";";
      return;
    }
    out_ << " ";
    statements_.print(*item.body);
  }

  void write(const BlockItem& item) {
    out_ << (item.is_layout ? "layout " : "comptime ");
    statements_.print(*item.block);
  }

  Output out_;
  StatementPrinter statements_;
  ExpressionPrinter& expressions_;
};

}  // namespace

std::string print(const SourceFile& file) {
  return FilePrinter().run(file);
}

std::string print(const Expr& expression) {
  return FilePrinter().run(expression);
}

}  // namespace tessera::csl

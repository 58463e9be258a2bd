// A module of intermediate code with a function `main`, for tests of what passes make of it: the code, and what it
// computes. Every image is verified after each pass.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/dsd.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"
#include "tests/models/pe/bench.h"

namespace tessera::csl::codegen {

class ModuleFixture : public testing::Test {
 protected:
  ModuleFixture() { clear(); }
  void clear() {
    module = ir::Module();
    module.files = {"a.csl"};
    main = function("main");
  }
  ir::FunctionId function(const char* name) {
    ir::Function f;
    f.name = name;
    f.exported = true;
    return add_function(module, f);
  }
  /// `count`: elements, if they are not those of `init`.
  ir::VariableId global(const char* name, ir::Type type, std::vector<std::uint32_t> init,
                        std::uint32_t count = 0) {
    ir::Variable v;
    v.name = name;
    v.type = type;
    v.count = count != 0 ? count : static_cast<std::uint32_t>(init.size());
    v.init = std::move(init);
    return add_variable(module, v);
  }
  static ir::Value number(std::uint32_t n) { return constant(ir::Type::kU16, n); }

  pe::Image image(Style style = Style::kVendor) const {
    Options options;
    options.style = style;
    options.verify = true;
    return generate(module, options);
  }
  /// From the first function on.
  std::string code(Style style = Style::kVendor) const {
    const std::string text = tasm::disassemble(image(style));
    return text.substr(text.find("\nfn ") + 1);
  }
  /// An element after a run of `main`.
  std::uint32_t result(const char* name, std::uint32_t element = 0) const {
    pe::test::Bench bench(image());
    bench.launch("main", {}, 1);
    EXPECT_EQ(rule_broken_by(bench, 100000).text, "");
    return bench.bits(name, element);
  }
  static unsigned count(const std::string& text, const std::string& word) {
    unsigned found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      ++found;
    return found;
  }

  ir::Module module;
  ir::FunctionId main = 0;
};

}  // namespace tessera::csl::codegen

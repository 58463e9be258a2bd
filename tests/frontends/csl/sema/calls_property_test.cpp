// What compiles, loads: random calls of every builtin with random options, in the places where they may stand and in code of the
// running program. The compiler refuses a program with a message, or the loader takes it.
//
// TESSERA_CSL_CALLS: how many programs, instead of 2,000; TESSERA_CSL_CALL: the seed of the first one. A single one is shown.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>

#include "tests/frontends/csl/sema/random_calls.h"
#include "tests/support/csl_bundle.h"
#include "tests/support/number_from.h"
#include "tests/support/temporary_folder.h"

namespace tessera::csl {
namespace {

TEST(CslCallsProperty, WhatCompilesLoads) {
  const test::TemporaryFolder folder;
  const auto first = test::number_from("TESSERA_CSL_CALL", 1),
             count = test::number_from("TESSERA_CSL_CALLS", 2000);
  unsigned loaded = 0;
  std::set<std::string_view> loaded_of;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const bool is_wse3 = seed % 2 == 0;
    calls::RandomCalls program(seed, is_wse3);
    const std::string text = program.make();
    std::string message;
    const test::CslEnd end =
        test::compile_and_load(text, is_wse3 ? "wse3" : "wse2", folder.path().string(), message);
    EXPECT_NE(end, test::CslEnd::kFault) << "seed " << seed << ": " << message;
    if (count == 1) std::cout << text << message << '\n';
    if (end != test::CslEnd::kLoads) continue;
    ++loaded;
    for (const BuiltinRow* row : all_builtins()) {
      if (program.calls(row->name)) loaded_of.insert(row->name);
    }
  }
  RecordProperty("loaded", static_cast<int>(loaded));
  if (count < 2000) return;
  EXPECT_GT(loaded, count / 10);
  unsigned never = 0;
  for (const BuiltinRow* row : all_builtins()) {
    const bool is_hidden = row->name.substr(0, 8) == "tessera_";  // only the library calls it
    if (row->handler == nullptr || is_hidden || loaded_of.count(row->name) != 0) continue;
    ++never;
    std::cout << "in no program that loads: @" << row->name << '\n';
  }
  EXPECT_LT(never, all_builtins().size() / 16);
}

}  // namespace
}  // namespace tessera::csl

// One input of the fuzz tests of CSL (tests/frontends/csl/fuzz_test.cpp, tests/fuzz/csl_fuzzer.cpp),
// also a file of a corpus.
#pragma once

#include <string>

namespace tessera::test {

/// Parses the text, prints the tree, parses and prints that again. Whether the text is accepted;
/// `problem`, if it is not empty afterwards: what is wrong with the front-end, or with the text if it
/// is refused and `wants_all` is set. What is no UserError goes through.
bool parses_csl(const std::string& text, std::string& problem, bool wants_all = false);

}  // namespace tessera::test

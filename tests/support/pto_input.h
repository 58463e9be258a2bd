// One input of the fuzz tests of PTO text (tests/frontends/pto/fuzz_test.cpp, tests/fuzz/pto_fuzzer.cpp).
#pragma once

#include <string>

namespace tessera::test {

/// Reads the text, prints it, reads and prints that again, and lowers it; `choice` says for which profile
/// and whether unknown operations are taken. Whether it is accepted; `problem`, if it is not empty
/// afterwards: what is wrong with the front-end. What is no UserError goes through.
bool lowers(const std::string& text, unsigned choice, std::string& problem);

}  // namespace tessera::test

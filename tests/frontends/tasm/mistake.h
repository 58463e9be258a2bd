// A text that does not assemble and the message it ends in, for table-driven tests.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {

struct Mistake {
  const char* name;
  const char* text;
  const char* message;  ///< whole: place and problem
};

inline void PrintTo(const Mistake& m, std::ostream* os) {
  *os << m.name;
}

inline std::string name_of(const ::testing::TestParamInfo<Mistake>& info) {
  return info.param.name;
}

}  // namespace tessera::tasm

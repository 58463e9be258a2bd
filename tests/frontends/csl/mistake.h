// A text that the parser refuses and the message, for table-driven tests.
#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "tests/frontends/csl/csl_text.h"

namespace tessera::csl {

struct Mistake {
  const char* name;
  const char* text;
  const char* message;  ///< whole, after the name of the file
};

inline void PrintTo(const Mistake& m, std::ostream* os) {
  *os << m.name;
}

inline std::string name_of(const ::testing::TestParamInfo<Mistake>& info) {
  return info.param.name;
}

}  // namespace tessera::csl

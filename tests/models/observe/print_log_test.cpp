// The log of printed lines: order, ends of lines, what is dropped.
#include <gtest/gtest.h>

#include <sstream>

#include "models/observe/print_log.h"

namespace tessera::observe::print_log_test {
namespace {

Print text(Cycle cycle, std::uint32_t place, std::string_view words) {
  return {cycle, place, PrintFormat::kText, 0, words};
}

TEST(PrintLog, LinesComeByCycleThenByPlaceWhateverTheOrderOfCalls) {
  std::ostringstream out;
  PrintLog log(out);
  log.add(text(3, 9, "late "));
  log.add(text(5, 2, "two\n"));
  log.add(text(5, 1, "one\nmore\n"));
  log.add(text(6, 9, "place\nnever ended"));
  log.finish();
  EXPECT_EQ(out.str(), "@5 one\n@5 more\n@5 two\n@6 late place\n");
}

TEST(PrintLog, FullLinesAreWritten) {
  std::ostringstream out;
  PrintLog log(out);
  const std::string long_text(PrintLog::kLongestLine + 1, 'x');
  log.add(text(7, 0, long_text));
  log.add(text(8, 0, "\n"));
  log.finish();
  EXPECT_EQ(out.str(), "@7 " + std::string(PrintLog::kLongestLine, 'x') + "\n@8 x\n");
}

}  // namespace
}  // namespace tessera::observe::print_log_test

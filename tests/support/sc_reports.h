// SystemC reports in tests: a warning or error that a test did not announce fails the test.
#pragma once

#include <cstddef>
#include <string>

namespace tessera::test {

/// Announces that the code under test reports `id` (a SystemC message id such as
/// "/tessera/link/unbound") with severity warning or error, at least once before this object dies;
/// otherwise the test fails. An expected error still throws sc_core::sc_report, as everywhere.
class ExpectReport {
 public:
  explicit ExpectReport(std::string id);
  ~ExpectReport();
  ExpectReport(const ExpectReport&) = delete;
  ExpectReport& operator=(const ExpectReport&) = delete;

  /// How often the report came since this object was made.
  std::size_t count() const;

 private:
  std::string id_;
};

}  // namespace tessera::test

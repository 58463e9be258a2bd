// What the device reports for what stops a kernel here (reference ascend.md 7, last row): the numbers
// that people search for. Only rules whose consequence on the device is documented have one.
#pragma once

#include <string>
#include <vector>

#include "platforms/report/report.h"

namespace tessera::ascend {

/// Nothing moves any more.
inline constexpr const char* kDeadlock = "deadlock";

struct DeviceErrorRow {
  std::string rule;  ///< kDeadlock, or an id of models/cluster/program/illegal.h
  report::DeviceError error;
  std::string why;  ///< what the documents say
};
const std::vector<DeviceErrorRow>& device_errors();

/// "/tessera/cluster/access" of a message that ends with "[/tessera/cluster/access]"; "": none.
std::string rule_of(const std::string& message);

/// Adds the device's error for `rule` to the report and to its message, in front of the rule, if there is
/// one.
void name_device_error(report::Report& report, const std::string& rule);

}  // namespace tessera::ascend

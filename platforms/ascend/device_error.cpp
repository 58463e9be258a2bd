#include "platforms/ascend/device_error.h"

#include "models/cluster/program/legality.h"

namespace tessera::ascend {

// 507000 (runtime internal) is seen, too; no rule here is known to cause it.
const std::vector<DeviceErrorRow>& device_errors() {
  static const report::DeviceError kTimeOut{507014, "AI-core time-out"};
  static const report::DeviceError kException{507015, "AI-core exception"};
  static const std::vector<DeviceErrorRow> rows = {
      {kDeadlock, kTimeOut, "a wait that nobody ends is ended by the time-out"},
      {cluster::kOverflowId, kTimeOut, "a counter above 15 hangs (guide)"},
      {cluster::kDoubleSetId, kTimeOut, "the barrier after the second set hangs"},
      {cluster::kFftsId, kTimeOut, "flags without a base address hang"},
      {cluster::kControlId, kTimeOut, "the load hangs the chip"},
      {cluster::kAccessId, kException, "an address beyond its memory"},
      {cluster::kSizeId, kException, "an operand that the instruction does not have"},
      {cluster::kUnitFlagId, kException, "sizes that differ are an execution error"},
  };
  return rows;
}

std::string rule_of(const std::string& message) {
  const std::size_t begin = message.rfind("[/tessera/");
  if (begin == std::string::npos || message.back() != ']') return "";
  return message.substr(begin + 1, message.size() - begin - 2);
}

void name_device_error(report::Report& report, const std::string& rule) {
  for (const DeviceErrorRow& row : device_errors()) {
    if (row.rule != rule) continue;
    report.device_error = row.error;
    const std::string text =
        "; the device would report " + std::to_string(row.error.number) + ", " + row.error.name;
    // A message ends with its rule.
    const bool ends = rule_of(report.message) == rule;
    report.message.insert(report.message.size() - (ends ? rule.size() + 3 : 0), text);
    return;
  }
}

}  // namespace tessera::ascend

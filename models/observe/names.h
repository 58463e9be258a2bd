// Words that only the program knows (task names, opcode mnemonics), handed to recorders as
// callbacks so that the recorders need to know no machine.
#pragma once

#include <functional>
#include <string>

#include "models/observe/event_fields.h"
#include "models/observe/wait_book.h"

namespace tessera::observe {

struct Names {
  /// Name of task `task` of tile `place`. Absent, or an empty answer: the number is shown.
  std::function<std::string(std::uint32_t place, unsigned task)> task;
  /// Mnemonic of an opcode. Absent, or an empty answer: the number is shown.
  std::function<std::string(unsigned opcode)> opcode;
  /// Source line of an instruction, "gemv.tasm:31". Absent, or an empty answer: it is not shown.
  std::function<std::string(std::uint32_t place, std::uint32_t pc)> line;
  /// What a wait is for, "a wavelet on input queue 3 (color 4)". Absent: the reason alone is shown.
  std::function<std::string(std::uint32_t place, WaitReason reason, std::uint8_t number)> wait;

  std::string task_name(std::uint32_t place, unsigned number) const {
    std::string name = task ? task(place, number) : std::string();
    if (!name.empty()) return name;
    if (number == kHostAccess) return "command of the host";
    return number == kLaunchedTask ? "launched function" : "task " + std::to_string(number);
  }
  std::string opcode_name(unsigned number) const {
    std::string name = opcode ? opcode(number) : std::string();
    return name.empty() ? "op" + std::to_string(number) : name;
  }
};

}  // namespace tessera::observe

#include "platforms/ascend/coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera::ascend {

namespace {

using Line = report::Coverage::Line;
using cluster::AiCore;
using cluster::Instruction;
using cluster::Program;
using cluster::WaitReason;

const std::string& file_of(const Program& program, std::uint32_t pc) {
  const auto other = program.other_files.find(pc);
  return other == program.other_files.end() ? program.file : other->second;
}

bool begins_line(const Program& program, std::uint32_t pc) {
  return pc == 0 || program.code[pc - 1].line != program.code[pc].line ||
         file_of(program, pc - 1) != file_of(program, pc);
}

void add_waits(Line& line, const cluster::LineStats& stats) {
  for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r) {
    if (stats.waits[r] != 0) line.waits[to_string(static_cast<WaitReason>(r))] += stats.waits[r];
  }
}

void add(const AiCore& core, bool is_native, report::Coverage& coverage) {
  const Program& program = *core.program();
  std::map<Line*, std::uint64_t> begun;
  std::map<std::pair<Line*, cluster::Opcode>, std::uint64_t> of_opcode;
  for (std::uint32_t pc = 0; pc < core.lines().size() && pc < program.code.size(); ++pc) {
    const Instruction& i = program.code[pc];
    const cluster::LineStats& stats = core.lines()[pc];
    if (i.line == 0) {
      coverage.without_line += stats.executions;
      continue;
    }
    Line& line = coverage.files[file_of(program, pc)].lines[i.line];
    line.instructions += stats.executions;
    add_waits(line, stats);
    begun[&line] += begins_line(program, pc) ? stats.executions : 0;
    of_opcode[{&line, i.op}] += stats.executions;
  }
  std::map<Line*, std::uint64_t> most;
  for (const auto& [key, executions] : of_opcode)
    most[key.first] = std::max(most[key.first], executions);
  for (const auto& [line, executions] : begun) {
    const std::uint64_t times = is_native || executions == 0 ? most[line] : executions;
    line->executions += times;
    ++line->of_places;
    line->places += times > 0 ? 1 : 0;
  }
}

}  // namespace

report::Coverage coverage_of(const cluster::MachineView& machine, bool is_native) {
  report::Coverage coverage;
  coverage.unit = "core";
  for (const AiCore* core : machine.cores())
    if (core->program() != nullptr) add(*core, is_native, coverage);
  return coverage;
}

}  // namespace tessera::ascend

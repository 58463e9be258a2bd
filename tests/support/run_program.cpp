#include "tests/support/run_program.h"

#include <stdexcept>

#include "models/scheduled/program.h"

namespace tessera::test {

namespace {

std::string first_wrong_word(const operators::Program& program, const operators::Compiled& compiled,
                             const operators::MemoryMap& map, const scheduled::MeshCore& mesh) {
  const operators::Memory expected = operators::expected_memory(
      program, compiled.plan, map, operators::initial_memory(program, map));
  for (operators::NodeIndex node = 0; node < expected.size(); ++node) {
    for (std::size_t a = 0; a < program.arrays.size(); ++a) {
      for (std::uint32_t k = 0; k < program.arrays[a].words; ++k) {
        const std::size_t at = map.array[a] + k;
        const std::uint32_t found = mesh.processor(node).memory()[at];
        if (found == expected[node][at]) continue;
        return program.arrays[a].name + "[" + std::to_string(k) + "] of node " +
               program.mesh.name(node) + " is " + std::to_string(found) + ", expected " +
               std::to_string(expected[node][at]);
      }
    }
  }
  return "";
}

}  // namespace

std::string ProgramRun::problem() const {
  std::string text;
  if (!finished()) text += "not finished: " + first_wait + "; ";
  if (findings > 0) text += std::to_string(findings) + " findings: " + first_finding + "; ";
  return text + wrong;
}

const operators::Decision& ProgramRun::decision(const std::string& op, std::size_t phase) const {
  for (const operators::Decision& d : compiled.phases.at(phase).decisions) {
    if (program.operators[d.op].name == op) return d;
  }
  throw std::out_of_range(op);
}

operators::Target default_target() {
  operators::Target target;
  target.rules.skew = scheduled::SkewPolicy::kTag;
  target.max_vfsms = 100000;
  target.max_addresses = 100000;
  return target;
}

ProgramRun run_program(const std::string& text, const operators::Target& target,
                       const std::function<void(operators::Compiled&)>& change, Cycle end) {
  ProgramRun run;
  run.program = operators::read_program_text(text, "test.json");
  run.compiled = operators::compile(run.program, target);
  if (change) change(run.compiled);
  const operators::MemoryMap map = operators::map_memory(run.program);
  const scheduled::Program lowered = operators::lower(run.program, run.compiled, target, map);
  scheduled::validate(lowered);
  scheduled::WordChecker checker(lowered);
  scheduled::MeshCore mesh(lowered, nullptr, &checker);
  run.status = mesh.run(end);
  run.findings = checker.total();
  if (run.findings > 0) run.first_finding = checker.text(checker.findings().front());
  if (run.finished()) {
    run.cycles = mesh.finished_at();
    run.wrong = first_wrong_word(run.program, run.compiled, map, mesh);
    return run;
  }
  observe::Waits waits(1);
  mesh.describe_waits(waits);
  for (const observe::Wait& wait : waits) run.first_wait = wait.who + " waits for " + wait.what;
  return run;
}

std::string program_text(const std::string& mesh, const std::string& operators,
                         const std::string& program, const std::string& more) {
  return R"({"schema": "tessera-numesh-program-1", "mesh": )" + mesh + R"(, "operators": {)" +
         operators + R"(}, "program": )" + program + (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace tessera::test

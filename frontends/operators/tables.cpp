#include "frontends/operators/compiler.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace tessera::operators {
namespace {

constexpr std::size_t kShownDelays = 8;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string turns_text(const Compiled& compiled, std::size_t phase) {
  std::size_t count = 0;
  for (const Region& region : compiled.plan.regions)
    count += static_cast<std::size_t>(std::count(region.turns.begin(), region.turns.end(), phase));
  return count == 1 ? "" : ", entered " + std::to_string(count) + " times";
}

void print_decision(std::ostream& out, const Program& program, const Decision& d,
                    std::size_t width) {
  const Operator& op = program.operators[d.op];
  out << "  " << padded(op.name, width) << "  " << padded(to_string(d.outcome), 15) << "  " << d.why
      << '\n';
  const std::string indent(width + 21, ' ');
  if (!d.cost.empty()) out << indent << "cost: " << d.cost << '\n';
  const bool said = d.outcome == Outcome::kProcessor || d.outcome == Outcome::kMessage;
  if (d.threshold && !said && d.outcome != Outcome::kLast)
    out << indent << "message-bound from " << *d.threshold << " words on; it has " << op.words
        << '\n';
  if (d.delays.empty()) return;
  out << indent << "delays:";
  for (std::size_t i = 0; i < std::min(d.delays.size(), kShownDelays); ++i)
    out << (i == 0 ? " " : ", ") << program.mesh.name(d.delays[i].first) << ' '
        << d.delays[i].second;
  if (d.delays.size() > kShownDelays)
    out << " and " << d.delays.size() - kShownDelays << " more nodes";
  out << '\n';
}

class ScheduleTable {
 public:
  ScheduleTable(const Program& program, const CompiledPhase& phase)
      : mesh_(program.mesh), phase_(phase) {
    for (std::size_t op = 0; op < phase.operators.size(); ++op) {
      for (std::size_t s = 0; s < phase.operators[op].streams.size(); ++s)
        add(phase.operators[op].streams[s], phase.slots[op][s]);
    }
  }

  void print(std::ostream& out) const {
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (std::uint32_t slot = 0; slot < phase_.length; ++slot) {
      titles.push_back("slot " + std::to_string(slot));
      widths.push_back(titles.back().size());
    }
    std::size_t names = 4;
    for (const auto& [node, cells] : rows_) {
      names = std::max(names, mesh_.name(node).size());
      for (std::uint32_t slot = 0; slot < phase_.length; ++slot)
        widths[slot] = std::max(widths[slot], cells[slot].size());
    }
    print_row(out, padded("node", names), titles, widths);
    for (const auto& [node, cells] : rows_)
      print_row(out, padded(mesh_.name(node), names), cells, widths);
  }

 private:
  static void print_row(std::ostream& out, const std::string& name,
                        const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) {
    std::string line = "  " + name;
    for (std::size_t slot = 0; slot < cells.size(); ++slot)
      line += "  " + padded(cells[slot].empty() ? "." : cells[slot], widths[slot]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }

  void put(NodeIndex node, std::uint32_t slot, const std::string& text) {
    std::vector<std::string>& cells = rows_[node];
    cells.resize(phase_.length);
    std::string& cell = cells[slot % phase_.length];
    cell += (cell.empty() ? "" : ", ") + text;
  }

  void add(const StreamPlan& stream, const StreamSlots& slots) {
    for (std::size_t i = 0; i < stream.stops.size(); ++i) {
      const Stop& stop = stream.stops[i];
      for (const std::uint32_t start : slots.starts) {
        if (slots.stops[i].hold > 0)
          put(stop.node, start + slots.stops[i].entry, stream.name + " hold");
        for (std::size_t b = 0; b < stop.branches.size(); ++b) {
          const Branch& branch = stop.branches[b];
          const std::string to =
              branch.deliver ? "me"
                             : to_string(mesh_.port(stop.node, stream.stops[branch.stop].node));
          put(stop.node, start + slots.stops[i].branches[b], stream.name + " >" + to);
        }
      }
    }
  }

  const Mesh& mesh_;
  const CompiledPhase& phase_;
  std::map<NodeIndex, std::vector<std::string>> rows_;
};

}  // namespace

void print_decisions(std::ostream& out, const Program& program, const Compiled& compiled) {
  for (const std::string& note : compiled.plan.notes) out << note << '\n';
  std::size_t width = 0;
  for (const Operator& op : program.operators) width = std::max(width, op.name.size());
  for (std::size_t p = 0; p < compiled.phases.size(); ++p) {
    const CompiledPhase& phase = compiled.phases[p];
    out << "phase " << p << " '" << compiled.plan.phases[p].name << "': schedule of "
        << text::plural(phase.length, "slot") << turns_text(compiled, p) << '\n';
    for (const Decision& d : phase.decisions) print_decision(out, program, d, width);
    if (!phase.barrier_why.empty()) out << "  barrier at its end: " << phase.barrier_why << '\n';
  }
}

void print_schedules(std::ostream& out, const Program& program, const Compiled& compiled) {
  for (std::size_t p = 0; p < compiled.phases.size(); ++p) {
    out << (p == 0 ? "" : "\n") << "phase " << p << " '" << compiled.plan.phases[p].name
        << "': " << text::plural(compiled.phases[p].length, "slot") << '\n';
    ScheduleTable(program, compiled.phases[p]).print(out);
  }
}

}  // namespace tessera::operators

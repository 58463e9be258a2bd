#include "platforms/numesh/debug_points.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "frontends/text/json_lines.h"

namespace tessera::numesh {

DebugPoints::DebugPoints(const CompiledProgram& program)
    : program_(program), region_of_node_(program.source.mesh.node_count(), -1) {
  const operators::Program& source = program.source;
  std::stringstream text;
  text << std::ifstream(source.file).rdbuf();
  lines_ = text::lines_of_json(text.str());
  const auto marked = [this](const operators::Nodes& nodes, std::vector<bool>& marks) {
    marks.resize(region_of_node_.size());
    for (const operators::NodeIndex node : nodes) marks[node] = true;
  };
  for (const operators::Operator& op : source.operators) {
    std::vector<bool>& marks = of_operator_.emplace_back();
    marked({}, marks);
    for (const operators::Nodes& instance : op.instances) marked(instance, marks);
    for (const operators::Message& message : op.messages) marked({message.from, message.to}, marks);
  }
  for (const operators::Work& work : source.works) marked(work.nodes, of_work_.emplace_back());
  for (std::size_t r = 0; r < program.compiled.plan.regions.size(); ++r) add_region(r, source.file);
}

const std::string& DebugPoints::place_of(const operators::Use& use) const {
  return use.is_work ? program_.source.works[use.index].place
                     : program_.source.operators[use.index].place;
}

void DebugPoints::add_point(Region& region, const Point& point, debug::ProgramText& text) const {
  const auto line = lines_.find(place_of(point.use));
  region.points.push_back(point);
  text.lines.emplace_back(0, line == lines_.end() ? 0 : line->second);
}

void DebugPoints::add_region(std::size_t number, const std::string& file) {
  const operators::PhasePlan& plan = program_.compiled.plan;
  Region& region = regions_.emplace_back();
  debug::ProgramText& text = texts_.emplace_back();
  text.name = file;
  text.files.push_back(file);
  for (std::size_t turn = 0; turn < plan.regions[number].turns.size(); ++turn) {
    const operators::Phase& phase = plan.phases[plan.regions[number].turns[turn]];
    region.first.push_back(static_cast<std::uint32_t>(region.points.size()));
    text.functions.push_back({phase.name, region.first.back(), true});
    std::vector<operators::Use> uses = phase.uses();
    for (const std::size_t op : phase.continuing) uses.push_back({false, op});
    for (const operators::Use& use : uses) {
      const std::string& name =
          use.is_work ? phase.name : program_.source.operators[use.index].name;
      if (name != phase.name)
        text.functions.push_back({name, static_cast<std::uint32_t>(region.points.size()), false});
      add_point(region, {turn, use}, text);
    }
  }
  region.first.push_back(static_cast<std::uint32_t>(region.points.size()));
  for (const operators::NodeIndex node : program_.compiled.region_nodes[number])
    region_of_node_[node] = static_cast<std::int32_t>(number);
}

std::optional<std::uint32_t> DebugPoints::region_of(std::uint32_t node) const {
  if (region_of_node_[node] < 0) return {};
  return static_cast<std::uint32_t>(region_of_node_[node]);
}

bool DebugPoints::takes_part(std::uint32_t node, const operators::Use& use) const {
  return use.is_work ? of_work_[use.index][node] : of_operator_[use.index][node];
}

std::vector<std::uint32_t> DebugPoints::points(std::uint32_t node, std::size_t turn) const {
  std::vector<std::uint32_t> found;
  const auto number = region_of(node);
  if (!number || turn + 1 >= regions_[*number].first.size()) return found;
  const Region& region = regions_[*number];
  for (std::uint32_t point = region.first[turn]; point < region.first[turn + 1]; ++point) {
    if (takes_part(node, region.points[point].use)) found.push_back(point);
  }
  return found;
}

std::string DebugPoints::name_of(std::uint32_t region, std::uint32_t point) const {
  const operators::Use& use = regions_[region].points[point].use;
  return use.is_work ? "work" : program_.source.operators[use.index].name;
}

const std::string& DebugPoints::phase_of(std::uint32_t region, std::uint32_t point) const {
  const operators::PhasePlan& plan = program_.compiled.plan;
  return plan.phases[plan.regions[region].turns[regions_[region].points[point].turn]].name;
}

}  // namespace tessera::numesh

#include "frontends/operators/streams.h"

#include <map>
#include <set>

namespace tessera::operators {
namespace {

std::string short_name(const Mesh& mesh, NodeIndex node) {
  std::string text;
  for (const int n : mesh.place(node)) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

class StreamMaker {
 public:
  StreamMaker(const Program& program, std::size_t op, const StreamOptions& options)
      : mesh_(program.mesh), op_(program.operators[op]), options_(options) {
    result_.op = op;
  }

  OperatorStreams make() {
    for (const Nodes& instance : op_.instances) {
      for (const NodeIndex node : instance) role(node).member = true;
    }
    for (const Nodes& instance : op_.instances) make_instance(instance);
    if (op_.kind == Kind::kOnline) make_links();
    finish();
    return std::move(result_);
  }

 private:
  NodeRole& role(NodeIndex node) {
    NodeRole& role = roles_[node];
    role.node = node;
    return role;
  }

  void make_instance(const Nodes& nodes) {
    switch (op_.kind) {
    case Kind::kStream:
    case Kind::kBroadcast:
      add(nodes.front(), {nodes.begin() + 1, nodes.end()}, options_.echo);
      return;
    case Kind::kShift:
      return make_chain(nodes, options_.echo);
    case Kind::kCircularShift:
      make_chain(nodes, options_.echo);
      add(nodes.back(), {nodes.front()}, options_.echo);
      return;
    case Kind::kReduce:
      return make_fan_in(nodes);
    case Kind::kPrefix:
      // Who has the total knows that everything before has been read, so only the total needs an
      // echo.
      make_chain(nodes, false);
      add(nodes.back(), {nodes.begin(), nodes.end() - 1}, options_.echo);
      result_.streams.back().total = true;
      return;
    case Kind::kOnline:
      return;
    }
  }

  void make_chain(const Nodes& nodes, bool echo) {
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) add(nodes[i], {nodes[i + 1]}, echo);
  }

  /// Everybody sends to the next member on its way to the root, nodes[0].
  void make_fan_in(const Nodes& nodes) {
    const std::set<NodeIndex> members(nodes.begin(), nodes.end());
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      Nodes route = mesh_.route(nodes[0], nodes[i]);
      route.pop_back();
      const auto next = std::find_if(route.rbegin(), route.rend(),
                                     [&](NodeIndex n) { return members.count(n) != 0; });
      add(nodes[i], {*next}, options_.echo);
    }
  }

  /// Between all neighbours: which way a message goes is known when it comes.
  void make_links() {
    for (NodeIndex node = 0; node < mesh_.node_count(); ++node) role(node).member = true;
    for (NodeIndex node = 0; node < mesh_.node_count(); ++node) {
      for (unsigned d = 0; d < mesh_.rank; ++d) {
        for (const int step : {-1, 1}) {
          Coordinates next = mesh_.at(node);
          next[d] += step;
          if (mesh_.contains(next)) add(node, {mesh_.index(next)}, false);
        }
      }
    }
  }

  /// A tree of the routes to all destinations. Where one node has several branches, those to
  /// neighbours come first: who reads its last word then knows that its router has no other.
  void add(NodeIndex source, const Nodes& destinations, bool echo) {
    StreamPlan plan;
    plan.name = op_.name + " " + short_name(mesh_, source) + ">" +
                (destinations.size() == 1 ? short_name(mesh_, destinations.front()) : "*");
    plan.stops.push_back({source, 0, 0, {}});
    std::map<NodeIndex, std::size_t> stop_of = {{source, 0}};
    for (const NodeIndex destination : destinations) {
      const Nodes route = mesh_.route(source, destination);
      for (std::size_t i = 1; i < route.size(); ++i) {
        if (!stop_of.emplace(route[i], plan.stops.size()).second) continue;
        const std::size_t parent = stop_of.at(route[i - 1]);
        plan.stops[parent].branches.push_back({false, {}, plan.stops.size()});
        plan.stops.push_back({route[i], parent, i, {}});
      }
    }
    deliver(plan, {destinations.begin(), destinations.end()}, echo);
    role(source).writes.push_back(result_.streams.size());
    result_.streams.push_back(std::move(plan));
  }

  void deliver(StreamPlan& plan, const std::set<NodeIndex>& destinations, bool echo) {
    const std::size_t stream = result_.streams.size();
    for (std::size_t i = 0; i < plan.stops.size(); ++i) {
      Stop& stop = plan.stops[i];
      if (destinations.count(stop.node) != 0) {
        stop.branches.push_back({true, Delivery::kData, 0});
        role(stop.node).reads.push_back(stream);
      } else if (i == 0 && echo) {
        const Branch branch = {true, Delivery::kEcho, 0};
        stop.branches.insert(options_.echo_first ? stop.branches.begin() : stop.branches.end(),
                             branch);
        role(stop.node).proofs.push_back(stream);
      } else if (i > 0 && branches_at(stop.node)) {
        stop.branches.push_back({true, Delivery::kCross, 0});
        role(stop.node).proofs.push_back(stream);
      }
    }
  }

  bool branches_at(NodeIndex node) const {
    const auto it = roles_.find(node);
    const bool is_member = it != roles_.end() && it->second.member;
    return is_member ? options_.branch_members : options_.branch_outsiders;
  }

  void finish() {
    std::set<NodeIndex> touched;
    for (const StreamPlan& stream : result_.streams) {
      for (const Stop& stop : stream.stops) touched.insert(stop.node);
    }
    result_.touched.assign(touched.begin(), touched.end());
    for (auto& [node, role] : roles_) result_.roles.push_back(std::move(role));
  }

  const Mesh& mesh_;
  const Operator& op_;
  const StreamOptions& options_;
  OperatorStreams result_;
  std::map<NodeIndex, NodeRole> roles_;
};

}  // namespace

const NodeRole* OperatorStreams::role_of(NodeIndex node) const {
  const auto it = std::lower_bound(roles.begin(), roles.end(), node,
                                   [](const NodeRole& r, NodeIndex n) { return r.node < n; });
  return it != roles.end() && it->node == node ? &*it : nullptr;
}

OperatorStreams make_streams(const Program& program, std::size_t op, const StreamOptions& options) {
  return StreamMaker(program, op, options).make();
}

}  // namespace tessera::operators

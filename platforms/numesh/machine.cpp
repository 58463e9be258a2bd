#include "platforms/numesh/machine.h"

#include "models/scheduled/mesh.h"

namespace tessera::numesh {

namespace {

bool is_dense(const std::string& structure, const scheduled::Program& program) {
  if (structure != "auto") return structure == "dense";
  return program.nodes.size() > kAutoModuleNodes;
}

}  // namespace

Machine::Machine(const std::string& structure, unsigned clock_period_ps,
                 const scheduled::Program& program, observe::EventStream& events,
                 scheduled::WordChecker& checker)
    : dense_(is_dense(structure, program)), domain_("clock", clock_period_ps) {
  if (dense_) {
    auto mesh = std::make_unique<scheduled::Mesh>("mesh", domain_, program, &events, &checker);
    view_ = &mesh->core();
    mesh_ = std::move(mesh);
  } else {
    auto mesh = std::make_unique<scheduled::NodeMesh>("mesh", domain_, program, &events, &checker);
    view_ = mesh.get();
    mesh_ = std::move(mesh);
  }
}

Machine::~Machine() = default;

}  // namespace tessera::numesh

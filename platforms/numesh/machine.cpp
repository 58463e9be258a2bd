#include "platforms/numesh/machine.h"

#include "models/scheduled/mesh.h"

namespace tessera::numesh {

Machine::Machine(const std::string& structure, unsigned clock_period_ps,
                 const scheduled::Program& program, observe::EventStream& events,
                 scheduled::WordChecker& checker)
    : dense_(structure == "auto" ? program.nodes.size() > kAutoModuleNodes : structure == "dense"),
      domain_("clock", clock_period_ps) {
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

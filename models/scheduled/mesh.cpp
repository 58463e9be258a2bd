#include "models/scheduled/mesh.h"

namespace tessera::scheduled {

Mesh::Mesh(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
           observe::EventStream* events, WordChecker* checker)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)),
      core_(program, events, checker) {}

}  // namespace tessera::scheduled

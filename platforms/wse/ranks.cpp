#include "platforms/wse/ranks.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "platforms/run/signals.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

constexpr const char* kLibrary = "libtessera_mpi.so";

// Open MPI and MPICH tell the processes they start how many they are.
bool is_started_by_mpirun() {
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const size = std::getenv(variable);
    if (size != nullptr && std::atoi(size) > 1) return true;
  }
  return false;
}

// In lib, beside the folder of the executable, or where the system looks.
void* open_library() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = executable.parent_path().parent_path() / "lib" / kLibrary;
  void* const library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return library != nullptr ? library : ::dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

std::unique_ptr<Ranks> start_ranks() {
  if (!is_started_by_mpirun()) return nullptr;
  void* const library = open_library();
  void* const start = library == nullptr ? nullptr : ::dlsym(library, kStartRanks);
  if (start == nullptr) {
    throw UserError("", "mpirun",
                    std::string(kLibrary) + " cannot be loaded (" + ::dlerror() +
                        "); it is built where MPI is installed");
  }
  std::unique_ptr<Ranks> ranks(reinterpret_cast<StartRanks>(start)(&run::must_stop));
  // One process speaks for all.
  if (ranks->number() > 0) {
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    static_cast<void>(std::freopen("/dev/null", "w", stderr));
  }
  return ranks;
}

}  // namespace tessera::wse

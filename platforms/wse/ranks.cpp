#include "platforms/wse/ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "models/wafer/sharing/serve.h"
#include "platforms/run/signals.h"
#include "platforms/wse/options.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

constexpr const char* kLibrary = "libtessera_mpi.so";
constexpr const char* kStartedFile = "TESSERA_RANKS";
constexpr std::string_view kAlone = "0";  // each process of mpirun has a machine of its own

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

void require_one_process_for(const cli::Options& options, const FabricOptions& fabric) {
  const auto refuse = [](const std::string& what) {
    throw UserError("", "mpirun", what + " needs all tiles in one process; use --threads instead");
  };
  if (fabric.coverage.is_asked()) refuse("coverage");
  if (!fabric.check_memory.empty()) refuse("--check-memory");
  if (options.serve) refuse("--serve");
  if (!options.debug.empty()) refuse("--debug");
  if (!options.live_page_file.empty()) refuse("--live-page");
}

void serve_tiles(Ranks& ranks, const wafer::Plan& plan) {
  const unsigned number = ranks.number();
  wafer::serve({ranks.channel_to(0), number > 1 ? &ranks.channel_to(number - 1) : nullptr,
                number + 1 < ranks.count() ? &ranks.channel_to(number + 1) : nullptr},
               plan);
}

std::unique_ptr<Ranks> start_ranks_once() {
  const char* const file = std::getenv(kStartedFile);
  if (file == nullptr || kAlone == file || !is_started_by_mpirun()) return nullptr;
  const int made = ::open(file, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (made < 0) return nullptr;
  ::close(made);
  return start_ranks();
}

bool were_ranks_started() {
  const char* const file = std::getenv(kStartedFile);
  return file != nullptr && kAlone != file && std::filesystem::exists(file);
}

}  // namespace tessera::wse

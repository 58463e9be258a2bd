// libtessera_mpi.so: the processes of mpirun as wse::Ranks. Nothing else of Tessera knows MPI.
#define OMPI_SKIP_MPICXX
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "platforms/wse/ranks.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

// mpirun sends SIGTERM when a process is lost, and SIGKILL a second later.
constexpr std::chrono::milliseconds kPatience{200};
constexpr unsigned kSpins = 20000;  // looks until the process sleeps between two looks
constexpr unsigned kSleepMicroseconds = 50;

class MpiChannel final : public wafer::Channel {
 public:
  MpiChannel(int rank, bool (*must_stop)(), bool& broken)
      : rank_(rank), must_stop_(must_stop), broken_(broken) {}

  void send(const wafer::Packet& packet) override {
    if (broken_) give_up();
    used_ = true;
    MPI_Request request;
    MPI_Isend(packet.bytes().data(), static_cast<int>(packet.bytes().size()), MPI_BYTE, rank_, 0,
              MPI_COMM_WORLD, &request);
    int sent = 0;
    wait_until([&] {
      MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
      return sent != 0;
    });
  }
  wafer::Packet receive() override {
    if (broken_) give_up();
    const int count = wait_for_message();
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    MPI_Recv(bytes.data(), count, MPI_BYTE, rank_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return wafer::Packet(std::move(bytes));
  }
  bool was_used() const { return used_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Answers the bytes of the next message.
  int wait_for_message() {
    int found = 0;
    MPI_Status status;
    wait_until([&] {
      MPI_Iprobe(rank_, 0, MPI_COMM_WORLD, &found, &status);
      return found != 0;
    });
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    return count;
  }
  /// Looks until `done`; a lost process does not answer, and does not take what is sent to it.
  template <class Done>
  void wait_until(Done done) {
    Clock::time_point asked_to_stop{};
    for (unsigned looks = 0; !done(); ++looks) {
      if (looks < kSpins) continue;
      ::usleep(kSleepMicroseconds);
      if (!must_stop_()) continue;
      if (asked_to_stop == Clock::time_point{}) asked_to_stop = Clock::now();
      if (Clock::now() - asked_to_stop > kPatience) give_up();
    }
  }
  // Where one process is lost, mpirun ends the others: MPI is of no use any more.
  [[noreturn]] void give_up() {
    broken_ = true;
    throw IllegalBehaviour("rank " + std::to_string(rank_) + " does not answer any more",
                           "/tessera/ranks/lost");
  }

  const int rank_;
  bool (*const must_stop_)();
  bool& broken_;
  bool used_ = false;
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(bool (*must_stop)()) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    for (int rank = 0; rank < count_; ++rank) channels_.emplace_back(rank, must_stop, broken_);
  }
  // The processes that nobody has used still wait for a request.
  ~MpiRanks() override {
    if (broken_) return;
    for (int rank = 1; number_ == 0 && rank < count_; ++rank) {
      MpiChannel& channel = channels_[static_cast<std::size_t>(rank)];
      if (!channel.was_used()) channel.send(wafer::Packet());
    }
    MPI_Finalize();
  }
  unsigned number() const override { return static_cast<unsigned>(number_); }
  unsigned count() const override { return static_cast<unsigned>(count_); }
  wafer::Channel& channel_to(unsigned rank) override { return channels_[rank]; }

 private:
  int number_ = 0;
  int count_ = 1;
  bool broken_ = false;
  std::vector<MpiChannel> channels_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Ranks* tessera_start_ranks(bool (*must_stop)()) {
  return new MpiRanks(must_stop);
}

}  // namespace tessera::wse

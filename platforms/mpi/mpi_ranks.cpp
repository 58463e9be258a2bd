// libtessera_mpi.so: the processes of mpirun as wse::Ranks. Nothing else of Tessera knows MPI.
#define OMPI_SKIP_MPICXX
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "platforms/wse/ranks.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

// mpirun sends SIGTERM when a process is lost, and SIGKILL a second later.
constexpr std::chrono::milliseconds kPatience{200};
// So long a process looks again at once. On a busy computer a single look takes as long: MPI lets others run.
constexpr std::chrono::milliseconds kSpinning{2};
constexpr unsigned kSleepMicroseconds = 50;

class MpiChannel final : public wafer::Channel {
 public:
  MpiChannel(int rank, bool (*must_stop)(), bool& broken)
      : rank_(rank), must_stop_(must_stop), broken_(broken) {}

  void send(const wafer::Packet& packet) override {
    if (broken_) give_up();
    MPI_Request request;
    MPI_Isend(packet.bytes().data(), static_cast<int>(packet.bytes().size()), MPI_BYTE, rank_, 0,
              MPI_COMM_WORLD, &request);
    int sent = 0;
    wait_until([&] {
      MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
      return sent != 0;
    });
  }
  // What is on its way stays where it is until MPI has taken it.
  void post(wafer::Packet packet) override {
    if (broken_) give_up();
    for (int sent = 1; !posted_.empty() && sent != 0;) {
      MPI_Test(&posted_.front().request, &sent, MPI_STATUS_IGNORE);
      if (sent != 0) posted_.pop_front();
    }
    Posted& posted = posted_.emplace_back(Posted{std::move(packet), MPI_REQUEST_NULL});
    const std::vector<std::byte>& bytes = posted.packet.bytes();
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank_, 0, MPI_COMM_WORLD,
              &posted.request);
  }
  wafer::Packet receive() override {
    if (broken_) give_up();
    const int count = wait_for_message();
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    MPI_Recv(bytes.data(), count, MPI_BYTE, rank_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    is_released_ = is_released_ || bytes.empty();
    return wafer::Packet(std::move(bytes));
  }
  /// The other process needs this one no more: it has sent an empty message.
  bool is_released() const { return is_released_; }

  /// After the last message: nobody waits for what was posted.
  void forget_posted() {
    for (Posted& posted : posted_) {
      if (posted.request != MPI_REQUEST_NULL) MPI_Request_free(&posted.request);
    }
  }

 private:
  struct Posted {
    wafer::Packet packet;
    MPI_Request request;
  };
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
    const Clock::time_point begin = Clock::now();
    Clock::time_point asked_to_stop{};
    while (!done()) {
      const Clock::time_point now = Clock::now();
      if (now - begin > kSpinning) ::usleep(kSleepMicroseconds);
      if (!must_stop_()) continue;
      if (asked_to_stop == Clock::time_point{}) asked_to_stop = now;
      if (now - asked_to_stop > kPatience) give_up();
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
  bool is_released_ = false;
  std::deque<Posted> posted_;
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
  // Process 0 releases the others, whatever it has used them for.
  ~MpiRanks() override {
    try {
      for (int rank = 1; number_ == 0 && rank < count_; ++rank)
        channels_[static_cast<std::size_t>(rank)].send(wafer::Packet());
      while (number_ > 0 && !channels_[0].is_released()) channels_[0].receive();
    } catch (const IllegalBehaviour&) {
      // A process is lost, and broken_ says so.
    }
    if (broken_) return;
    for (MpiChannel& channel : channels_) channel.forget_posted();
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

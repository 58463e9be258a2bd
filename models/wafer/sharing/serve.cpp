#include "models/wafer/sharing/serve.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/state/archive.h"
#include "models/wafer/sharing/requests.h"
#include "models/wafer/sharing/strips.h"

namespace tessera::wafer {

namespace {

class Server final : private Outside, private observe::Diagnoses {
 public:
  Server(Channel& channel, const Plan& plan) : channel_(channel), plan_(plan) {}

  void run() {
    while (!ended_) {
      Packet requests = channel_.receive();
      if (requests.at_end()) return;  // the leading process has no use for this one
      while (!requests.at_end()) guarded(requests);
    }
  }

 private:
  // What fails without an answer is told with the next one.
  void guarded(Packet& requests) {
    const auto request = requests.get<Request>();
    answer_.clear();
    bool answered = false;
    try {
      answered = handle(request, requests);
    } catch (...) {
      if (failure_ == nullptr) failure_ = std::current_exception();
      requests.clear();
      answered = has_answer(request);
      answer_.clear();
    }
    if (!answered) return;
    Packet whole;
    put_failure(whole, std::exchange(failure_, nullptr));
    whole.append(answer_);
    channel_.send(whole);
  }

  static bool has_answer(Request request) {
    switch (request) {
    case Request::kRoomsAt:
    case Request::kStart:
    case Request::kStep:
    case Request::kStage:
    case Request::kEndAhead:
    case Request::kHeld:
    case Request::kDescribeWaits:
    case Request::kCapacity:
    case Request::kRead:
    case Request::kCollect:
    case Request::kCollectWaits:
    case Request::kRestore:
    case Request::kGoOn:
      return true;
    default:
      return false;
    }
  }

  // Whether the request has an answer, which is in answer_ then.
  bool handle(Request request, Packet& from) {
    switch (request) {
    case Request::kBuild:
      build(from);
      break;
    case Request::kRoomsAt:
      answer_.put_all(strips_->rooms_at(from.get<Direction>()));
      break;
    case Request::kSetRooms: {
      const auto side = from.get<Direction>();
      strips_->set_rooms(side, from.get_all<std::uint16_t>());
      break;
    }
    case Request::kPortRooms:
      port_rooms_ = from.get_all<std::uint16_t>();
      break;
    case Request::kStart:
      strips_->start();
      break;
    case Request::kStep:
      step(from.get<Cycle>());
      break;
    case Request::kStage:
      step_stage(from);
      break;
    case Request::kEndAhead:
      end_ahead(from);
      break;
    case Request::kShuffle:
      strips_->shuffle_step_order(from.get<std::uint64_t>());
      break;
    case Request::kLaunch:
      launch(from);
      break;
    case Request::kTake: {
      const auto side = from.get<Direction>();
      now_ = from.get<Cycle>();
      auto crossings = from.get_all<Crossing>();
      strips_->take(side, crossings, now_);
      break;
    }
    case Request::kEnd:
      ended_ = true;
      break;
    default:
      handle_host(request, from);
    }
    return has_answer(request);
  }

  // What the host does between cycles.
  void handle_host(Request request, Packet& from) {
    switch (request) {
    case Request::kHeld:
      answer_.put(strips_->wavelets_held());
      break;
    case Request::kDescribeWaits:
      describe_waits(from.get<Cycle>());
      break;
    case Request::kCapacity: {
      const auto port = from.get<std::uint32_t>();
      answer_.put(strips_->capacity(port, from.get<Color>()));
      break;
    }
    case Request::kPut: {
      const auto port = from.get<std::uint32_t>();
      const auto w = from.get<link::Wavelet>();
      strips_->put(port, w, from.get<Cycle>());
      break;
    }
    case Request::kCredit: {
      const auto port = from.get<std::uint32_t>();
      const auto color = from.get<Color>();
      strips_->credit(port, color, from.get<Cycle>());
      break;
    }
    case Request::kRead:
    case Request::kWrite:
      access_memory(request, from);
      break;
    case Request::kCatchUp: {
      const auto end = from.get<Cycle>();
      for_all_engines([end](std::uint32_t, pe::ComputeEngineCore& e) { e.catch_up(end); });
      break;
    }
    case Request::kAccountWaits:
      account_waits(from.get<bool>());
      break;
    case Request::kCollect:
      collect();
      break;
    case Request::kCollectWaits:
      collect_waits(from);
      break;
    default:
      handle_state(request, from);
    }
  }

  // What a run that goes on from a saved state begins with.
  void handle_state(Request request, Packet& from) {
    switch (request) {
    case Request::kRestore:
      restore(from);
      break;
    case Request::kTakeAnnouncements:
      strips_->take_announcements(from.get_all<WaferCore::Announcements::value_type>());
      break;
    case Request::kGoOn: {
      const auto next = from.get<Cycle>();
      now_ = next - 1;
      answer_.put(strips_->go_on_at(next, false));
      break;
    }
    case Request::kPutWaits: {
      const auto place = from.get<std::uint32_t>();
      state::Archive archive(from.get_all<std::uint8_t>());
      archive(*book_->tile(place));
      break;
    }
    default:
      links_->put(rows_->first_place, from.get_all<observe::LinkWaits::Tile>());
    }
  }

  void restore(Packet& from) {
    const auto what = from.get<StateOf>();
    state::Archive archive([this] {
      Packet ask;
      put_failure(ask, nullptr);
      ask.put(true);
      channel_.send(ask);
      return channel_.receive().get_all<std::uint8_t>();
    });
    Visit visit{archive};
    visit.next = from.get<Cycle>();
    visit.is_due = from.get<bool>();
    visit.has_idents = from.get<bool>();
    visit.has_waits = from.get<bool>();
    strips_->visit_locals(what, visit);
    answer_.put(false);
    answer_.put(archive.unread());
  }

  void build(Packet& from) {
    const auto first = from.get<int>();
    const auto end = from.get<int>();
    threads_ = from.get<Threads>();
    const auto kept = from.get_all<observe::Counter>();
    strips_.reset();
    const auto width = static_cast<unsigned>(plan_.width);
    const auto height = static_cast<unsigned>(plan_.height);
    stream_ = std::make_unique<observe::EventStream>(
        kept.empty() ? observe::Counters() : observe::Counters(width, height, kept));
    stream_->set_end(from.get<Cycle>());
    rows_ = std::make_unique<Strip>(plan_, first, end);
    strips_ =
        std::make_unique<Strips>(*rows_, threads_, static_cast<Outside&>(*this), stream_.get());
    strips_->set_diagnoses(this);
  }

  void step(Cycle now) {
    now_ = now;
    Cycle next = kNever;
    try {
      next = strips_->step(now);
    } catch (...) {
      if (failure_ == nullptr) failure_ = std::current_exception();
      next = strips_->next_due(now);
    }
    answer_.put(next);
    put_sent();
    answer_.append(told_);
    told_.clear();
  }

  void put_sent() {
    for (const Direction side : {Direction::kNorth, Direction::kSouth}) {
      answer_.put_all(strips_->sent(side));
      strips_->sent(side).clear();
    }
  }

  void step_stage(Packet& from) {
    const auto begin = from.get<Cycle>();
    const Window window(threads_.skew, plan_.width, begin, from.get<Cycle>());
    strips_->step_stage(window, from.get<unsigned>());
    answer_.put(strips_->failed_at());
    answer_.put(strips_->last_ahead());
    put_sent();
  }

  void end_ahead(Packet& from) {
    const auto begin = from.get<Cycle>();
    const auto end = from.get<Cycle>();
    strips_->end_ahead(begin, end);
    answer_.put(strips_->next_due(end - 1));
    for (Cycle at = strips_->next_told(); at != kNever; at = strips_->next_told()) {
      strips_->hand_on(at);
      answer_.put(at);
      answer_.put_all(told_.bytes());
      told_.clear();
    }
    try {
      strips_->report_failure();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void launch(Packet& from) {
    const auto tile = from.get<TileCoord>();
    const std::string name = from.get_text();
    const auto arguments = from.get_all<std::uint32_t>();
    const auto at = from.get<Cycle>();
    strips_->launch(tile, *strips_->engine(tile)->image().find_function(name), arguments, at);
  }

  void access_memory(Request request, Packet& from) {
    pe::ComputeEngineCore& engine = *strips_->engine(from.get<TileCoord>());
    const auto address = from.get<std::uint32_t>();
    std::vector<std::byte> bytes;
    if (request == Request::kWrite) {
      bytes = from.get_all<std::byte>();
    } else {
      bytes.resize(from.get<std::uint32_t>());
    }
    engine.catch_up(from.get<Cycle>());
    const auto count = static_cast<std::uint32_t>(bytes.size());
    if (request == Request::kWrite) return engine.sram().write_bytes(address, count, bytes.data());
    engine.sram().read_bytes(address, count, bytes.data());
    answer_.put_all(bytes);
  }

  void describe_waits(Cycle now) {
    observe::Waits waits;
    strips_->describe_waits(waits, now);
    for (const observe::Wait& wait : waits) {
      answer_.put(wait.place);
      answer_.put(wait.blocks);
      answer_.put(wait.idle);
      answer_.put_text(wait.who);
      answer_.put_text(wait.what);
      answer_.put(static_cast<std::uint64_t>(wait.shared));
      answer_.put(wait.gives);
      answer_.put(static_cast<std::uint32_t>(wait.needs.size()));
      for (const observe::Resource& need : wait.needs) answer_.put(need);
    }
  }

  template <class Visit>
  void for_all_engines(Visit visit) {
    for (std::uint32_t place = rows_->first_place; place < rows_->end_place; ++place) {
      if (pe::ComputeEngineCore* const engine = strips_->engine(plan_.tile_of(place)))
        visit(place, *engine);
    }
  }

  std::size_t program_of(std::uint32_t place) const {
    return static_cast<std::size_t>(plan_.image_of_tile[place]);
  }

  void account_waits(bool links) {
    if (links) strips_->set_link_waits(links_.emplace(plan_.tile_count()));
    book_ = std::make_unique<observe::WaitBook>(plan_.tile_count(), nullptr);
    for_all_engines([this](std::uint32_t place, pe::ComputeEngineCore& engine) {
      const std::size_t thread = strips_->strip_of(plan_.tile_of(place));
      engine.set_waits(&book_->open(place, program_of(place) + thread * plan_.images.size()));
    });
  }

  void collect() {
    answer_.put(stream_->digest().value());
    const observe::Counters::State counters = stream_->counters().state();
    answer_.put_all(counters.totals);
    answer_.put(counters.last);
    answer_.put_all(counters.tiles);
  }

  void collect_waits(Packet& from) {
    const auto cycles = from.get<Cycle>();
    const auto stepped = from.get<Cycle>();
    for_all_engines(
        [cycles](std::uint32_t, pe::ComputeEngineCore& engine) { engine.finish_waits(cycles); });
    book_->finish(cycles, stepped);
    std::size_t tiles = 0;
    for_all_engines([&tiles](std::uint32_t, pe::ComputeEngineCore&) { ++tiles; });
    answer_.put(tiles);
    for_all_engines([this](std::uint32_t place, pe::ComputeEngineCore&) {
      answer_.put(place);
      answer_.put(program_of(place));
      answer_.put(book_->tile(place)->all_cycles());
    });
    answer_.put(book_->programs());
    for (std::size_t program = 0; program < book_->programs(); ++program) {
      answer_.put(program % plan_.images.size());
      answer_.put_all(book_->lines(program).entries());
    }
    if (!links_) return;
    strips_->add_lasting_waits(*links_, std::min(cycles, stepped));
    const auto tiles_of = links_->tiles().begin();
    answer_.put_all(std::vector<observe::LinkWaits::Tile>(tiles_of + rows_->first_place,
                                                          tiles_of + rows_->end_place));
  }

  // Outside
  unsigned capacity(std::uint32_t port, Color color) const override {
    return port_rooms_[std::size_t{port} * kColorCount + color.value()];
  }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    tell_port(Told::kPut, port, w, due);
  }
  void credit(std::uint32_t port, Color color, Cycle due) override {
    link::Wavelet w;
    w.color = color;
    tell_port(Told::kCredit, port, w, due);
  }
  void tell_port(Told told, std::uint32_t port, const link::Wavelet& w, Cycle due) {
    told_.put(told);
    told_.put(port);
    told_.put(w);
    told_.put(due);
  }

  // observe::Diagnoses
  void on_diagnosis(const observe::Diagnosis& diagnosis) override {
    told_.put(Told::kDiagnosis);
    told_.put(diagnosis.cycle);
    told_.put(diagnosis.place);
    told_.put_text(diagnosis.id);
    told_.put_text(diagnosis.text);
    told_.put(diagnosis.once);
  }
  void on_print(const observe::Print& print) override {
    told_.put(Told::kPrint);
    told_.put(print.cycle);
    told_.put(print.place);
    told_.put(print.format);
    told_.put(print.value);
    told_.put_text(std::string(print.text));
  }
  void on_ready(std::uint32_t place) override {
    told_.put(Told::kReady);
    told_.put(place);
  }

  Channel& channel_;
  const Plan& plan_;
  bool ended_ = false;
  Cycle now_ = 0;
  std::exception_ptr failure_;
  Threads threads_;
  Packet answer_;
  Packet told_;
  std::vector<std::uint16_t> port_rooms_;
  std::unique_ptr<Strip> rows_;
  std::unique_ptr<observe::EventStream> stream_;
  std::unique_ptr<observe::WaitBook> book_;
  std::optional<observe::LinkWaits> links_;
  std::unique_ptr<Strips> strips_;
};

}  // namespace

void serve(Channel& channel, const Plan& plan) {
  Server(channel, plan).run();
}

}  // namespace tessera::wafer

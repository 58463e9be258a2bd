#include "models/wafer/sharing/serve.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/state/archive.h"
#include "models/wafer/sharing/host_order.h"
#include "models/wafer/sharing/requests.h"
#include "models/wafer/sharing/served_records.h"
#include "models/wafer/sharing/strips.h"

namespace tessera::wafer {

namespace {

class Server final : private Outside, private observe::Diagnoses {
 public:
  Server(const ServedBy& processes, const Plan& plan)
      : channel_(processes.leader), processes_(processes), plan_(plan) {}

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
    case Request::kReadMany:
    case Request::kStateOf:
    case Request::kCollect:
    case Request::kCollectWaits:
    case Request::kSave:
    case Request::kSaved:
    case Request::kAnnouncements:
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
    case Request::kOrder:
      order(from);
      break;
    case Request::kTake: {
      const auto side = from.get<Direction>();
      now_ = from.get<Cycle>();
      auto crossings = from.get_all<Crossing>();
      strips_->take(side, crossings, now_);
      break;
    }
    case Request::kTakeDirectly: {
      const auto side = from.get<Direction>();
      now_ = from.get<Cycle>();
      Channel& neighbour = side == Direction::kNorth ? *processes_.north : *processes_.south;
      auto crossings = neighbour.receive().get_all<Crossing>();
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
    case Request::kReadMany:
      read_half_words(from);
      break;
    case Request::kCatchUp:
      records_->catch_up(from.get<Cycle>());
      break;
    case Request::kObserve:
      records_->observe(from);
      break;
    case Request::kStateOf: {
      const auto place = from.get<std::uint32_t>();
      answer_.put_text(records_->state_of(place, from.get<Cycle>()));
      break;
    }
    case Request::kCollect:
      records_->collect(answer_);
      break;
    case Request::kCollectWaits:
      records_->collect_waits(from, answer_);
      break;
    default:
      handle_state(request, from);
    }
  }

  // What a run that goes on from a saved state begins with.
  void handle_state(Request request, Packet& from) {
    switch (request) {
    case Request::kSave:
      save(from);
      break;
    case Request::kSaved: {
      const auto begin = saved_.begin() + static_cast<std::ptrdiff_t>(from.get<std::size_t>());
      const auto left = static_cast<std::size_t>(saved_.end() - begin);
      const auto count = static_cast<std::ptrdiff_t>(std::min(left, state::Archive::kChunk));
      answer_.put_all(std::vector<std::uint8_t>(begin, begin + count));
      break;
    }
    case Request::kAnnouncements:
      answer_.put_all(strips_->announcements(from.get<Cycle>()));
      break;
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
      records_->restore_waits(place, from.get_all<std::uint8_t>());
      break;
    }
    default:
      records_->restore_link_waits(from.get_all<observe::LinkWaits::Tile>());
    }
  }

  static Visit get_visit(Packet& from, state::Archive& archive) {
    Visit visit{archive};
    visit.next = from.get<Cycle>();
    visit.is_due = from.get<bool>();
    visit.has_idents = from.get<bool>();
    visit.has_waits = from.get<bool>();
    return visit;
  }

  void save(Packet& from) {
    const auto what = from.get<StateOf>();
    state::Archive archive;
    strips_->visit_locals(what, get_visit(from, archive));
    saved_ = archive.take_bytes();
    answer_.put(saved_.size());
    records_->put_events(answer_);  // those of engines that were caught up for this
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
    strips_->visit_locals(what, get_visit(from, archive));
    answer_.put(false);
    answer_.put(archive.unread());
  }

  void build(Packet& from) {
    const auto first = from.get<int>();
    const auto end = from.get<int>();
    neighbours_ = from.get<RemotePart::Neighbours>();
    threads_ = from.get<Threads>();
    strips_.reset();
    records_ = std::make_unique<ServedRecords>(plan_, from);
    rows_ = std::make_unique<Strip>(plan_, first, end);
    strips_ = std::make_unique<Strips>(*rows_, threads_, static_cast<Outside&>(*this),
                                       &records_->stream());
    records_->set_tiles(*rows_, *strips_);
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
    answer_.append(taken_);
    records_->put_events(answer_);
    told_.clear();
    taken_.clear();
  }

  void put_sent() {
    put_sent(Direction::kNorth, neighbours_.north ? processes_.north : nullptr);
    put_sent(Direction::kSouth, neighbours_.south ? processes_.south : nullptr);
  }

  // A neighbour gets what crosses the border, and the leading process learns that there is something.
  void put_sent(Direction side, Channel* neighbour) {
    std::vector<Crossing>& sent = strips_->sent(side);
    if (neighbour == nullptr) {
      answer_.put_all(sent);
    } else {
      Cycle due = kNever;
      for (const Crossing& crossing : sent) due = std::min(due, crossing.due);
      answer_.put(due);
      Packet packet;
      packet.put_all(sent);
      if (!sent.empty()) neighbour->post(std::move(packet));
    }
    sent.clear();
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

  // PEs of several strips may take orders at the same time, but Strips lets one of them act at a time.
  void order(Packet& from) {
    const auto tile = from.get<TileCoord>();
    const auto at = from.get<Cycle>();
    const auto number = from.get<std::uint64_t>();
    const auto order = std::make_shared<HostOrder>(HostOrder::get(from));
    pe::HostAccess access;
    access.cycles = order->cycles;
    access.writes = order->writes;
    const pe::Image* const image = &strips_->engine(tile)->image();
    if (order->is_copy || order->is_told) {
      access.act = [this, image, number, order](pe::Sram& sram, Cycle now) {
        const OrderTaken taken = carry_out(*order, *image, sram, now);
        if (!order->is_told) return;
        taken_.put(Told::kTaken);
        taken_.put(number);
        taken.put(taken_);
      };
    }
    strips_->access(tile, std::move(access), at);
  }

  void read_half_words(Packet& from) {
    const auto places = from.get_all<RemotePart::HalfWord>();
    const auto end = from.get<Cycle>();
    std::vector<std::uint16_t> words;
    for (const RemotePart::HalfWord& place : places) {
      pe::ComputeEngineCore& engine = *strips_->engine(place.tile);
      engine.catch_up(end);
      words.push_back(static_cast<std::uint16_t>(engine.sram().read(place.address, 2)));
    }
    answer_.put_all(words);
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
  const ServedBy processes_;
  RemotePart::Neighbours neighbours_;
  const Plan& plan_;
  bool ended_ = false;
  Cycle now_ = 0;
  std::exception_ptr failure_;
  Threads threads_;
  Packet answer_;
  Packet told_;
  Packet taken_;  // orders of the host, in the present cycle
  std::vector<std::uint16_t> port_rooms_;
  std::vector<std::uint8_t> saved_;  // what the leading process takes piece by piece
  std::unique_ptr<Strip> rows_;
  std::unique_ptr<ServedRecords> records_;
  std::unique_ptr<Strips> strips_;
};

}  // namespace

void serve(const ServedBy& processes, const Plan& plan) {
  Server(processes, plan).run();
}

}  // namespace tessera::wafer

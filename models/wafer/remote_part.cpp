#include "models/wafer/remote_part.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/wafer/strips.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wafer {

namespace {

constexpr std::size_t kManyBytes = 1U << 20;  // of requests: they are sent without waiting for more

// --- failures

enum class FailureKind : std::uint8_t { kNone, kIllegal, kMemory, kInput, kLogic };

void put_failure(Packet& packet, const std::exception_ptr& failure) {
  const auto put = [&packet](FailureKind kind, const std::string& text,
                             const std::string& id = {}) {
    packet.put(kind);
    packet.put_text(text);
    packet.put_text(id);
  };
  if (failure == nullptr) return put(FailureKind::kNone, "");
  try {
    std::rethrow_exception(failure);
  } catch (const IllegalBehaviour& e) {
    const std::string tail = e.id().empty() ? "" : " [" + e.id() + "]";
    const std::string what = e.what();
    put(FailureKind::kIllegal, what.substr(0, what.size() - tail.size()), e.id());
  } catch (const std::bad_alloc&) {
    put(FailureKind::kMemory, "");
  } catch (const UserError& e) {
    put(FailureKind::kInput, e.what());
  } catch (const std::exception& e) {
    put(FailureKind::kLogic, e.what());
  }
}

std::exception_ptr get_failure(Packet& packet) {
  const auto kind = packet.get<FailureKind>();
  const std::string text = packet.get_text();
  const std::string id = packet.get_text();
  switch (kind) {
  case FailureKind::kNone:
    return nullptr;
  case FailureKind::kIllegal:
    return std::make_exception_ptr(IllegalBehaviour(text, id));
  case FailureKind::kMemory:
    return std::make_exception_ptr(std::bad_alloc());
  case FailureKind::kInput:
    return std::make_exception_ptr(UserError("", "", text));
  case FailureKind::kLogic:
    break;
  }
  return std::make_exception_ptr(std::logic_error(text));
}

// --- what a strip has for the outside

enum class Told : std::uint8_t { kNothing, kPut, kCredit, kDiagnosis, kPrint, kReady };

}  // namespace

enum class RemotePart::Request : std::uint8_t {
  kBuild,
  kRoomsAt,
  kSetRooms,
  kPortRooms,
  kStart,
  kStep,
  kShuffle,
  kLaunch,
  kHeld,
  kDescribeWaits,
  kCapacity,
  kPut,
  kCredit,
  kTake,
  kRead,
  kWrite,
  kCatchUp,
  kAccountWaits,
  kCollect,
  kCollectWaits,
  kEnd,
};

// --- the process that leads

RemotePart::RemotePart(Channel& channel, const Strip& rows, unsigned threads, bool when_busy,
                       Outside& outside, const observe::EventStream* events)
    : channel_(channel), rows_(rows), outside_(outside) {
  Packet& packet = post(Request::kBuild);
  packet.put(rows.first_row);
  packet.put(rows.end_row);
  packet.put(threads);
  packet.put(when_busy);
  packet.put(events != nullptr && events->counters().has_tiles());
  packet.put(events == nullptr ? kNever : events->end());
  channel_.send(out_);
  out_.clear();
}

RemotePart::~RemotePart() {
  if (lost_) return;
  try {
    post(Request::kEnd);
    channel_.send(out_);
  } catch (...) {
    // It is lost, and nothing is to be ended.
  }
}

Packet& RemotePart::post(Request request) {
  out_.put(request);
  return out_;
}

void RemotePart::send_soon() {
  if (out_.bytes().size() < kManyBytes) return;
  channel_.send(out_);
  out_.clear();
}

Packet RemotePart::call() {
  if (lost_) throw IllegalBehaviour("a process is lost", "/tessera/ranks/lost");
  channel_.send(out_);
  out_.clear();
  Packet answer = channel_.receive();
  if (const std::exception_ptr failure = get_failure(answer)) std::rethrow_exception(failure);
  return answer;
}

std::vector<std::uint16_t> RemotePart::rooms_at(Direction side) {
  post(Request::kRoomsAt).put(side);
  return call().get_all<std::uint16_t>();
}

void RemotePart::set_rooms(Direction side, const std::vector<std::uint16_t>& rooms) {
  Packet& packet = post(Request::kSetRooms);
  packet.put(side);
  packet.put_all(rooms);
}

void RemotePart::start() {
  const std::vector<PortPlan>& ports = rows_.plan.ports;
  std::vector<std::uint16_t> rooms(ports.size() * kColorCount);
  for (std::uint32_t p = 0; p < ports.size(); ++p) {
    if (!rows_.has(rows_.plan.place_of(ports[p].tile))) continue;
    for (unsigned c = 0; c < kColorCount; ++c)
      rooms[std::size_t{p} * kColorCount + c] =
          static_cast<std::uint16_t>(outside_.capacity(p, Color(c)));
  }
  post(Request::kPortRooms).put_all(rooms);
  post(Request::kStart);
  call();
  wake(0);
}

void RemotePart::begin_step(Cycle now) {
  if (next_due() > now) return;
  post(Request::kStep).put(now);
  channel_.send(out_);
  out_.clear();
  stepping_ = true;
}

void RemotePart::step(Cycle) {
  if (!stepping_) return;
  stepping_ = false;
  try {
    Packet answer = channel_.receive();
    set_failure(get_failure(answer));
    set_next_due(answer.get<Cycle>());
    for (std::vector<Crossing>& sent : sent_) sent = answer.get_all<Crossing>();
    kept_ = std::move(answer);
  } catch (...) {
    lost_ = true;
    set_failure(std::current_exception());
    set_next_due(kNever);
  }
}

void RemotePart::hand_on() {
  for (auto told = Told::kNothing; !kept_.at_end();) {
    told = kept_.get<Told>();
    if (told == Told::kPut || told == Told::kCredit) {
      const auto port = kept_.get<std::uint32_t>();
      const auto w = kept_.get<link::Wavelet>();
      const auto due = kept_.get<Cycle>();
      if (told == Told::kPut) {
        outside_.put(port, w, due);
      } else {
        outside_.credit(port, w.color, due);
      }
    } else if (told == Told::kDiagnosis) {
      observe::Diagnosis diagnosis;
      diagnosis.cycle = kept_.get<Cycle>();
      diagnosis.place = kept_.get<std::uint32_t>();
      diagnosis.id = kept_.get_text();
      diagnosis.text = kept_.get_text();
      if (listener_ != nullptr) listener_->on_diagnosis(diagnosis);
    } else if (told == Told::kPrint) {
      observe::Print print;
      print.cycle = kept_.get<Cycle>();
      print.place = kept_.get<std::uint32_t>();
      print.format = kept_.get<observe::PrintFormat>();
      print.value = kept_.get<std::uint32_t>();
      const std::string text = kept_.get_text();
      print.text = text;
      if (listener_ != nullptr) listener_->on_print(print);
    } else {
      const auto place = kept_.get<std::uint32_t>();
      if (listener_ != nullptr) listener_->on_ready(place);
    }
  }
}

void RemotePart::shuffle_step_order(std::uint64_t seed) {
  post(Request::kShuffle).put(seed);
}

void RemotePart::launch(TileCoord tile, const pe::Function& function,
                        const std::vector<std::uint32_t>& arguments, Cycle at) {
  Packet& packet = post(Request::kLaunch);
  packet.put(tile);
  packet.put_text(function.name);
  packet.put_all(arguments);
  packet.put(at);
  send_soon();
  wake(at);
}

std::size_t RemotePart::wavelets_held() {
  post(Request::kHeld);
  return call().get<std::size_t>();
}

void RemotePart::describe_waits(observe::Waits& waits, Cycle now) {
  post(Request::kDescribeWaits).put(now);
  for (Packet answer = call(); !answer.at_end();) {
    observe::Wait wait;
    wait.place = answer.get<std::uint32_t>();
    wait.blocks = answer.get<bool>();
    wait.idle = answer.get<bool>();
    wait.who = answer.get_text();
    wait.what = answer.get_text();
    waits.push_back(std::move(wait));
  }
}

unsigned RemotePart::capacity(std::uint32_t port, Color color) {
  Packet& packet = post(Request::kCapacity);
  packet.put(port);
  packet.put(color);
  return call().get<unsigned>();
}

void RemotePart::put(std::uint32_t port, const link::Wavelet& w, Cycle due) {
  Packet& packet = post(Request::kPut);
  packet.put(port);
  packet.put(w);
  packet.put(due);
  wake(due);
}

void RemotePart::credit(std::uint32_t port, Color color, Cycle due) {
  Packet& packet = post(Request::kCredit);
  packet.put(port);
  packet.put(color);
  packet.put(due);
  wake(due);
}

void RemotePart::take(Direction side, std::vector<Crossing>& crossings, Cycle now) {
  if (crossings.empty()) return;
  Packet& packet = post(Request::kTake);
  packet.put(side);
  packet.put(now);
  packet.put_all(crossings);
  for (const Crossing& crossing : crossings) wake(crossing.due);
  crossings.clear();
}

std::vector<std::byte> RemotePart::read_memory(TileCoord tile, std::uint32_t address,
                                               std::uint32_t bytes, Cycle end) {
  Packet& packet = post(Request::kRead);
  packet.put(tile);
  packet.put(address);
  packet.put(bytes);
  packet.put(end);
  return call().get_all<std::byte>();
}

void RemotePart::write_memory(TileCoord tile, std::uint32_t address,
                              const std::vector<std::byte>& bytes, Cycle end) {
  Packet& packet = post(Request::kWrite);
  packet.put(tile);
  packet.put(address);
  packet.put_all(bytes);
  packet.put(end);
  send_soon();
}

void RemotePart::catch_up(Cycle end) {
  post(Request::kCatchUp).put(end);
}

void RemotePart::account_waits() {
  post(Request::kAccountWaits);
}

void RemotePart::collect(observe::EventStream& events) {
  post(Request::kCollect);
  Packet answer = call();
  const auto digest = answer.get<std::uint64_t>();
  observe::Counters::State counters;
  counters.totals = answer.get_all<std::uint64_t>();
  counters.last = answer.get<Cycle>();
  counters.tiles = answer.get_all<std::uint32_t>();
  events.add(digest, counters);
}

void RemotePart::collect_waits(observe::WaitBook& book, Cycle cycles) {
  post(Request::kCollectWaits).put(cycles);
  Packet answer = call();
  for (auto tiles = answer.get<std::size_t>(); tiles > 0; --tiles) {
    const auto place = answer.get<std::uint32_t>();
    const auto program = answer.get<std::size_t>();
    book.open(place, program).restore(answer.get<observe::TileWaits::Cycles>());
  }
  for (auto programs = answer.get<std::size_t>(); programs > 0; --programs) {
    const auto program = answer.get<std::size_t>();
    for (const auto& entry : answer.get_all<observe::LineWaits::Entry>())
      book.add_line(program, entry);
  }
}

// --- the process that serves

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
  using Request = RemotePart::Request;

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
    case Request::kHeld:
    case Request::kDescribeWaits:
    case Request::kCapacity:
    case Request::kRead:
    case Request::kCollect:
    case Request::kCollectWaits:
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
      account_waits();
      break;
    case Request::kCollect:
      collect();
      break;
    default:
      collect_waits(from.get<Cycle>());
    }
  }

  void build(Packet& from) {
    const auto first = from.get<int>();
    const auto end = from.get<int>();
    Threads threads;
    threads.count = from.get<unsigned>();
    threads.when_busy = from.get<bool>();
    const auto per_tile = from.get<bool>();
    strips_.reset();
    stream_ = std::make_unique<observe::EventStream>(static_cast<unsigned>(plan_.width),
                                                     static_cast<unsigned>(plan_.height), per_tile);
    stream_->set_end(from.get<Cycle>());
    rows_ = std::make_unique<Strip>(plan_, first, end);
    strips_ =
        std::make_unique<Strips>(*rows_, threads, static_cast<Outside&>(*this), stream_.get());
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
    for (const Direction side : {Direction::kNorth, Direction::kSouth}) {
      answer_.put_all(strips_->sent(side));
      strips_->sent(side).clear();
    }
    answer_.append(told_);
    told_.clear();
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

  void account_waits() {
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

  void collect_waits(Cycle cycles) {
    for_all_engines(
        [cycles](std::uint32_t, pe::ComputeEngineCore& engine) { engine.finish_waits(cycles); });
    book_->finish(cycles);
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
  Packet answer_;
  Packet told_;
  std::vector<std::uint16_t> port_rooms_;
  std::unique_ptr<Strip> rows_;
  std::unique_ptr<observe::EventStream> stream_;
  std::unique_ptr<observe::WaitBook> book_;
  std::unique_ptr<Strips> strips_;
};

void serve(Channel& channel, const Plan& plan) {
  Server(channel, plan).run();
}

}  // namespace tessera::wafer

#include "models/wafer/sharing/remote_part.h"

#include <exception>
#include <string>
#include <utility>

#include "models/state/archive.h"
#include "models/wafer/sharing/requests.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wafer {

namespace {

constexpr std::size_t kManyBytes = 1U << 20;  // so many are sent without waiting for more

}  // namespace

RemotePart::RemotePart(Channel& channel, Neighbours neighbours, const Strip& rows,
                       const Threads& threads, Outside& outside, observe::EventStream* events)
    : channel_(channel), rows_(rows), outside_(outside), neighbours_(neighbours) {
  Packet& packet = post(Request::kBuild);
  packet.put(rows.first_row);
  packet.put(rows.end_row);
  packet.put(neighbours);
  packet.put(threads);
  packet.put_all(events == nullptr ? std::vector<observe::Counter>{} : events->counters().kept());
  packet.put(events == nullptr ? kNever : events->end());
  packet.put(events != nullptr && (events->is_traced() || threads.hands_on_events));
  traces_.events = events;
  send_now();
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

void RemotePart::send_now() {
  channel_.send(out_);
  out_.clear();
}

void RemotePart::send_soon() {
  if (out_.bytes().size() >= kManyBytes) send_now();
}

Packet RemotePart::call() {
  if (lost_) throw IllegalBehaviour("a process is lost", "/tessera/ranks/lost");
  send_now();
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
  send_now();
  stepping_ = true;
}

// What it answers last, if it does.
template <class Take>
void RemotePart::take_answer(Take&& take) {
  try {
    Packet answer = channel_.receive();
    set_failure(get_failure(answer));
    take(answer);
  } catch (...) {
    lost_ = true;
    set_failure(std::current_exception());
    set_next_due(kNever);
  }
}

void RemotePart::take_sent(Packet& answer) {
  for (const unsigned side : {0U, 1U}) {
    if (side == 0 ? neighbours_.north : neighbours_.south)
      sent_directly_[side] = answer.get<Cycle>();
    else
      sent_[side] = answer.get_all<Crossing>();
  }
}

void RemotePart::step(Cycle) {
  if (!stepping_) return;
  stepping_ = false;
  take_answer([this](Packet& answer) {
    set_next_due(answer.get<Cycle>());
    take_sent(answer);
    kept_.push_back({0, std::move(answer)});
  });
}

void RemotePart::begin_stage(const Window& window, unsigned stage) {
  if (lost_) return;
  Packet& packet = post(Request::kStage);
  packet.put(window.begin());
  packet.put(window.end());
  packet.put(stage);
  send_now();
}

void RemotePart::step_stage(const Window& window, unsigned) {
  if (lost_) return;
  take_answer([this](Packet& answer) {
    failed_at_ = answer.get<Cycle>();
    last_ahead_ = answer.get<Cycle>();
    take_sent(answer);
  });
  if (lost_) failed_at_ = window.begin();
}

void RemotePart::end_ahead(Cycle begin, Cycle end) {
  if (lost_) return;
  Packet& packet = post(Request::kEndAhead);
  packet.put(begin);
  packet.put(end);
  send_now();
  take_answer([this](Packet& answer) {
    set_next_due(answer.get<Cycle>());
    while (!answer.at_end()) {
      const auto at = answer.get<Cycle>();
      kept_.push_back({at, Packet(answer.get_all<std::byte>())});
    }
  });
}

void RemotePart::hand_on(Cycle now) {
  auto kept = kept_.begin();
  for (; kept != kept_.end() && kept->at <= now; ++kept) tell(kept->told);
  kept_.erase(kept_.begin(), kept);
}

void RemotePart::tell(Packet& told) {
  for (auto what = Told::kNothing; !told.at_end();) {
    what = told.get<Told>();
    if (what == Told::kPut || what == Told::kCredit) {
      const auto port = told.get<std::uint32_t>();
      const auto w = told.get<link::Wavelet>();
      const auto due = told.get<Cycle>();
      if (what == Told::kPut) {
        outside_.put(port, w, due);
      } else {
        outside_.credit(port, w.color, due);
      }
    } else if (what == Told::kDiagnosis) {
      tell_diagnosis(told);
    } else if (what == Told::kPrint) {
      tell_print(told);
    } else if (what == Told::kEvents) {
      TracedEvents::tell(told, traces_);
    } else if (what == Told::kTaken) {
      const auto found = orders_.find(told.get<std::uint64_t>());
      const OrderTaken taken = OrderTaken::get(told);
      const TakenListener listener = std::move(found->second);
      orders_.erase(found);
      listener(taken);
    } else {
      const auto place = told.get<std::uint32_t>();
      if (listener_ != nullptr) listener_->on_ready(place);
    }
  }
}

void RemotePart::tell_diagnosis(Packet& told) {
  observe::Diagnosis diagnosis;
  diagnosis.cycle = told.get<Cycle>();
  diagnosis.place = told.get<std::uint32_t>();
  diagnosis.id = told.get_text();
  diagnosis.text = told.get_text();
  diagnosis.once = told.get<bool>();
  if (listener_ != nullptr) listener_->on_diagnosis(diagnosis);
}

void RemotePart::tell_print(Packet& told) {
  observe::Print print;
  print.cycle = told.get<Cycle>();
  print.place = told.get<std::uint32_t>();
  print.format = told.get<observe::PrintFormat>();
  print.value = told.get<std::uint32_t>();
  const std::string text = told.get_text();
  print.text = text;
  if (listener_ != nullptr) listener_->on_print(print);
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

void RemotePart::order(TileCoord tile, const HostOrder& order, Cycle at, TakenListener listener) {
  Packet& packet = post(Request::kOrder);
  packet.put(tile);
  packet.put(at);
  packet.put(next_order_);
  order.put(packet);
  if (order.is_told) orders_.emplace(next_order_, std::move(listener));
  ++next_order_;
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
    wait.shared = static_cast<std::size_t>(answer.get<std::uint64_t>());
    wait.gives = answer.get<observe::Resource>();
    wait.needs.resize(answer.get<std::uint32_t>());
    for (observe::Resource& need : wait.needs) need = answer.get<observe::Resource>();
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

void RemotePart::take_directly(Direction side, Cycle due, Cycle now) {
  Packet& packet = post(Request::kTakeDirectly);
  packet.put(side);
  packet.put(now);
  wake(due);
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

std::vector<std::uint16_t> RemotePart::read_half_words(const std::vector<HalfWord>& places,
                                                       Cycle end) {
  Packet& packet = post(Request::kReadMany);
  packet.put_all(places);
  packet.put(end);
  return call().get_all<std::uint16_t>();
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

void RemotePart::observe(const ObservedParts& what, const std::vector<std::uint32_t>& shown,
                         const TraceListeners& listeners) {
  traces_.stalls = listeners.stalls;
  traces_.waits = listeners.waits;
  Packet& packet = post(Request::kObserve);
  packet.put(what);
  packet.put_all(shown);
}

std::string RemotePart::state_of(std::uint32_t place, Cycle now) {
  Packet& packet = post(Request::kStateOf);
  packet.put(place);
  packet.put(now);
  return call().get_text();
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
  tell(answer);
}

void RemotePart::collect_waits(observe::WaitBook& book, observe::LinkWaits* links, Cycle cycles,
                               Cycle stepped) {
  Packet& packet = post(Request::kCollectWaits);
  packet.put(cycles);
  packet.put(stepped);
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
  if (links != nullptr) links->put(rows_.first_place, answer.get_all<observe::LinkWaits::Tile>());
  tell(answer);
}

// --- saving and restoring

void RemotePart::put_visit(Packet& packet, StateOf what, const Visit& visit) {
  packet.put(what);
  packet.put(visit.next);
  packet.put(visit.is_due);
  packet.put(visit.has_idents);
  packet.put(visit.has_waits);
}

void RemotePart::visit(StateOf what, const Visit& visit) {
  return visit.archive.saving() ? save(what, visit) : restore(what, visit);
}

void RemotePart::save(StateOf what, const Visit& visit) {
  put_visit(post(Request::kSave), what, visit);
  Packet answer = call();
  const auto size = answer.get<std::size_t>();
  tell(answer);
  for (std::size_t at = 0; at < size;) {
    post(Request::kSaved).put(at);
    std::vector<std::uint8_t> piece = call().get_all<std::uint8_t>();
    visit.archive.block(piece.data(), piece.size());
    at += piece.size();
  }
}

WaferCore::Announcements RemotePart::announcements(Cycle next) {
  post(Request::kAnnouncements).put(next);
  return call().get_all<WaferCore::Announcements::value_type>();
}

// How much of the archive is for it, only the other process knows: it asks for pieces, and says what it has not read of
// the last one.
void RemotePart::restore(StateOf what, const Visit& visit) {
  put_visit(post(Request::kRestore), what, visit);
  Packet answer = call();
  while (answer.get<bool>()) {
    out_.put_all(visit.archive.take_piece(state::Archive::kChunk));
    answer = call();
  }
  visit.archive.put_back(answer.get<std::size_t>());
}

void RemotePart::take_announcements(const WaferCore::Announcements& all) {
  post(Request::kTakeAnnouncements).put_all(all);
}

void RemotePart::go_on_at(Cycle next) {
  post(Request::kGoOn).put(next);
  set_next_due(call().get<Cycle>());
}

void RemotePart::put_waits(std::uint32_t place, observe::TileWaits& waits) {
  state::Archive archive;
  archive(waits);
  Packet& packet = post(Request::kPutWaits);
  packet.put(place);
  packet.put_all(archive.take_bytes());
  send_soon();
}

void RemotePart::put_link_waits(const std::vector<observe::LinkWaits::Tile>& tiles) {
  const auto all = tiles.begin();
  post(Request::kPutLinkWaits)
      .put_all(
          std::vector<observe::LinkWaits::Tile>(all + rows_.first_place, all + rows_.end_place));
}

}  // namespace tessera::wafer

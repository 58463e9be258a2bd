#include "platforms/vp/script_host.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ostream>

#include "tlm_ifaces/kit/process.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::vp {

namespace {

using Kind = Statement::Kind;
using sc_core::sc_time;

sc_time time_of(std::uint64_t ps) {
  return sc_time(static_cast<double>(ps), sc_core::SC_PS);
}

/// What a statement takes of the processor itself.
const std::uint64_t kStatementPs = 10'000;

std::string hex(std::uint32_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

/// As many digits as tell two f32 apart.
std::string decimal(std::uint32_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "%.9g", double{bit_cast<float>(bits)});
  return text;
}

/// As scripts name an answer of the bus.
const char* name_of(tlm::tlm_response_status status) {
  // From TLM_BYTE_ENABLE_ERROR_RESPONSE, -5, to TLM_OK_RESPONSE, 1.
  constexpr std::array<const char*, 7> kNames = {"byte_enable", "burst",      "command", "address",
                                                 "generic",     "incomplete", "ok"};
  return kNames.at(static_cast<std::size_t>(status - tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE));
}

}  // namespace

ScriptHost::ScriptHost(sc_core::sc_module_name name, std::string file,
                       const std::vector<Statement>& script, std::ostream* out)
    : sc_core::sc_module(name), file_(std::move(file)), script_(script), out_(out) {
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  TESSERA_HAS_PROCESS(ScriptHost);
  SC_THREAD(run);
}

void ScriptHost::end_of_elaboration() {
  host::require_bound_once(socket.get_base_port(), std::string("host '") + name() + "', socket",
                           "a bus or a target");
}

tlm::tlm_sync_enum ScriptHost::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                               sc_time&) {
  return tlm::TLM_COMPLETED;  // never: it calls b_transport only
}

void ScriptHost::invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) {
  const auto overlaps = [=](const Direct& d) {
    return d.dmi.get_start_address() <= end && begin <= d.dmi.get_end_address();
  };
  direct_.erase(std::remove_if(direct_.begin(), direct_.end(), overlaps), direct_.end());
}

bool ScriptHost::is_done(run::Stop stop, const observe::Waits& waits) {
  const bool has_failed = std::any_of(checks_.begin(), checks_.end(),
                                      [](const report::Check& check) { return !check.passed; });
  return stop == run::Stop::kIdle && done_ && (waits.blocking() == 0 || has_failed);
}

std::string ScriptHost::describe_stop(const std::string& stopped,
                                      const report::Report& report) const {
  if (next_ >= script_.size())
    return stopped + "; the host is at the end of its script" + run::first_wait(report);
  const Statement& statement = script_[next_];
  return stopped + "; the host is at line " + std::to_string(statement.line) + " (" +
         statement.text + ")";
}

std::string ScriptHost::describe_failure(const report::Check& check) const {
  return file_ + ", " + check.name + ": " + check.detail;
}

void ScriptHost::finish(report::Report& report) {
  const double end_ps = end_time_ / sc_time(1, sc_core::SC_PS);
  report.counters.insert(
      report.counters.begin(),
      {{"host_end_ps", static_cast<std::uint64_t>(std::llround(end_ps)), "ps",
        "simulated time at which the host script ended"},
       {"bus_accesses", bus_accesses_, "transactions", "of the host through the bus"},
       {"direct_accesses", direct_accesses_, "transactions", "of the host through DMI pointers"}});
}

void ScriptHost::run() {
  keeper_.reset();
  for (; next_ < script_.size(); ++next_) {
    advance(time_of(kStatementPs));
    if (!carry_out(script_[next_])) break;
  }
  keeper_.sync();
  end_time_ = sc_core::sc_time_stamp();
  done_ = true;
}

// Local time moves on; the others get their turn when the quantum is used up.
void ScriptHost::advance(const sc_time& time) {
  keeper_.inc(time);
  if (keeper_.need_sync()) keeper_.sync();
}

bool ScriptHost::carry_out(const Statement& statement) {
  switch (statement.kind) {
  case Kind::kWrite:
  case Kind::kPush:
  case Kind::kRead:
    return move(statement);
  case Kind::kPeek:
    peek(statement);
    return true;
  case Kind::kExpect:
    return expect(statement);
  case Kind::kPoll:
    return poll(statement);
  case Kind::kCopy:
    return copy(statement);
  case Kind::kWait:
    advance(time_of(statement.duration_ps));
    return true;
  case Kind::kWaitIrq:
    return wait_irq(statement);
  case Kind::kDmi:
    use_direct_ = statement.on;
    return true;
  case Kind::kPrint:
    if (out_ != nullptr) *out_ << statement.text << '\n';
    return true;
  }
  return true;
}

bool ScriptHost::move(const Statement& statement) {
  const bool reads = statement.kind == Kind::kRead;
  Words words = reads ? Words(statement.count) : statement.words;
  const auto command = reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
  const auto status = access(command, statement.at, words, statement.kind == Kind::kPush);
  if (reads && status == tlm::TLM_OK_RESPONSE) show(statement, words);
  return answered(statement, status);
}

// A wrong value does not end the script, an access that fails does.
bool ScriptHost::expect(const Statement& statement) {
  Words found(statement.words.size());
  const auto status = access(tlm::TLM_READ_COMMAND, statement.at, found, false);
  if (status != tlm::TLM_OK_RESPONSE) return answered(statement, status);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint32_t expected = statement.words[i];
    const bool as_f32 = statement.tolerance >= 0;
    const double distance =
        std::fabs(double{bit_cast<float>(found[i])} - double{bit_cast<float>(expected)});
    if (as_f32 ? distance <= statement.tolerance : found[i] == expected) continue;
    const auto text = as_f32 ? decimal : hex;
    const std::string what = "expected " + text(expected) + ", found " + text(found[i]);
    check(statement, false, "word " + std::to_string(i) + ": " + what);
    return true;
  }
  return check(statement, true, std::to_string(found.size()) + " words");
}

bool ScriptHost::poll(const Statement& statement) {
  Words found(1);
  for (std::uint64_t attempt = 0; attempt < statement.limit; ++attempt) {
    const auto status = access(tlm::TLM_READ_COMMAND, statement.at, found, false);
    if (status != tlm::TLM_OK_RESPONSE) return answered(statement, status);
    if ((found[0] & statement.mask) == statement.words[0]) return check(statement, true, "came");
    advance(time_of(statement.duration_ps));
  }
  return check(statement, false,
               "the limit of " + std::to_string(statement.limit) + " attempts was reached; last " +
                   hex(found[0]));
}

bool ScriptHost::copy(const Statement& statement) {
  Words words(statement.count);
  const auto from = access(tlm::TLM_READ_COMMAND, statement.at, words, false);
  if (from != tlm::TLM_OK_RESPONSE) return answered(statement, from);
  return answered(statement, access(tlm::TLM_WRITE_COMMAND, statement.to, words, false));
}

bool ScriptHost::interrupted() const {
  for (int i = 0; i < irq.size(); ++i)
    if (irq[i]->read()) return true;
  return false;
}

bool ScriptHost::wait_irq(const Statement& statement) {
  keeper_.sync();
  const sc_time end = sc_core::sc_time_stamp() + time_of(statement.duration_ps);
  sc_core::sc_event_or_list changes;
  for (int i = 0; i < irq.size(); ++i) changes |= irq[i]->value_changed_event();
  while (!interrupted()) {
    if (statement.duration_ps == 0) {
      sc_core::wait(changes);
      continue;
    }
    if (sc_core::sc_time_stamp() >= end) {
      check(statement, false, "no interrupt came");
      return false;
    }
    sc_core::wait(end - sc_core::sc_time_stamp(), changes);
  }
  keeper_.reset();
  return true;
}

// At the host's time, and after all that happens at it: what is seen is the same with any quantum.
void ScriptHost::peek(const Statement& statement) {
  keeper_.sync();
  sc_core::wait(sc_core::SC_ZERO_TIME);
  Words words(statement.count);
  tlm::tlm_generic_payload payload;
  set(payload, tlm::TLM_READ_COMMAND, statement.at, words);
  words.resize(socket->transport_dbg(payload) / 4);
  show(statement, words);
  if (words.size() < statement.count && out_ != nullptr)
    *out_ << "line " << statement.line << ": there are " << words.size() << " of "
          << statement.count << " words\n";
}

// Whether the answer is the one that the statement asks for; if not, the script ends.
bool ScriptHost::answered(const Statement& statement, tlm::tlm_response_status status) {
  const std::string found = name_of(status);
  if (statement.refused.empty()) {
    if (status == tlm::TLM_OK_RESPONSE) return true;
    return check(statement, false, "the bus answered '" + found + "'");
  }
  return check(statement, found == statement.refused,
               "expected '" + statement.refused + "', the bus answered '" + found + "'");
}

bool ScriptHost::check(const Statement& statement, bool passed, const std::string& detail) {
  checks_.push_back({"line " + std::to_string(statement.line), passed, detail});
  return passed;
}

void ScriptHost::set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Address at,
                     Words& words) {
  payload.set_command(command);
  payload.set_address(at);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
  payload.set_data_length(static_cast<unsigned>(4 * words.size()));
  payload.set_streaming_width(payload.get_data_length());
}

tlm::tlm_response_status ScriptHost::access(tlm::tlm_command command, Address at, Words& words,
                                            bool push) {
  if (!push && use_direct_ && access_directly(command, at, words)) return tlm::TLM_OK_RESPONSE;
  ++bus_accesses_;
  tlm::tlm_generic_payload payload;
  set(payload, command, at, words);
  if (push) payload.set_streaming_width(4);
  sc_time delay = keeper_.get_local_time();
  socket->b_transport(payload, delay);
  keeper_.set(delay);
  if (keeper_.need_sync()) keeper_.sync();
  if (use_direct_ && payload.is_dmi_allowed()) ask_for_direct(payload);
  return payload.get_response_status();
}

void ScriptHost::ask_for_direct(tlm::tlm_generic_payload& payload) {
  Direct direct;
  if (socket->get_direct_mem_ptr(payload, direct.dmi)) direct_.push_back(direct);
}

bool ScriptHost::access_directly(tlm::tlm_command command, Address at, Words& words) {
  const std::uint64_t bytes = 4 * words.size();
  const auto found = std::find_if(direct_.begin(), direct_.end(),
                                  [=](const Direct& d) { return d.holds(at, bytes); });
  if (found == direct_.end()) return false;
  ++direct_accesses_;
  const tlm::tlm_dmi& dmi = found->dmi;
  unsigned char* const memory = dmi.get_dmi_ptr() + (at - dmi.get_start_address());
  if (command == tlm::TLM_READ_COMMAND)
    std::memcpy(words.data(), memory, bytes);
  else
    std::memcpy(memory, words.data(), bytes);
  advance(static_cast<double>(bytes) *
          (command == tlm::TLM_READ_COMMAND ? dmi.get_read_latency() : dmi.get_write_latency()));
  return true;
}

void ScriptHost::show(const Statement& statement, const Words& words) const {
  if (out_ == nullptr) return;
  *out_ << "line " << statement.line << ':';
  for (const std::uint32_t word : words) {
    char text[40];
    std::snprintf(text, sizeof text, " %s (%g)", hex(word).c_str(), double{bit_cast<float>(word)});
    *out_ << text;
  }
  *out_ << '\n';
}

}  // namespace tessera::vp

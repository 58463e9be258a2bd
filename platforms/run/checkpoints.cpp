#include "platforms/run/checkpoints.h"

#include <systemc>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "frontends/text/files_read.h"
#include "models/state/archive.h"
#include "platforms/cli/manifest.h"
#include "platforms/run/saved_state.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::run {

namespace {

constexpr Cycle kMostCyclesBetweenLooks = 1 << 20;

/// "1000", or "60s" of wall time.
void take_every(CheckpointOptions& given, const std::string& text) {
  const bool is_seconds = !text.empty() && text.back() == 's';
  if (is_seconds) {
    given.every_s = cli::finite_number_in(text.substr(0, text.size() - 1));
    constexpr double kMostSeconds = 1e9;  // thirty years
    if (given.every_s && *given.every_s > 0 && *given.every_s <= kMostSeconds) return;
  } else {
    const auto cycles = cli::whole_number_in(text);
    if (cycles && *cycles > 0) {
      given.every_cycles = static_cast<std::uint64_t>(*cycles);
      return;
    }
  }
  throw UserError(
      "", "--checkpoint-every",
      "'" + text + "' is neither a number of cycles, such as 100000, nor of seconds, such as 60s");
}

}  // namespace

cli::OptionGroup CheckpointOptions::group() {
  const auto with_file = [](cli::Option option) {
    return cli::needing(std::move(option), {"checkpoint"});
  };
  cli::Option every{"checkpoint-every", "N[s]",
                    "save the state every N cycles, or every N seconds of wall time, e.g. "
                    "--checkpoint-every 600s",
                    [this](const std::string& text) { take_every(*this, text); }};
  return {kHeading,
          {cli::needing(cli::file("checkpoint", "FILE", file, cli::Option::File::kWritten,
                                  "where the state is saved; the one before it becomes FILE.1"),
                        {"checkpoint-at", "checkpoint-every", "checkpoint-on-stop"}),
           with_file(cli::whole_number(
               "checkpoint-at", at, "save the state before cycle N, e.g. --checkpoint-at 900000")),
           with_file(every),
           with_file(cli::flag(
               "checkpoint-on-stop", on_stop,
               "save the state when SIGTERM, SIGINT, --timeout or --max-cycles end the run")),
           cli::file("restore", "FILE", restore_file, cli::Option::File::kNone,
                     "go on from a saved state; everything else as in the run that saved it")}};
}

void CheckpointOptions::check(const cli::Options& options) const {
  const auto refuse = [](const std::string& option, const std::string& why) {
    throw UserError("", option, why);
  };
  if (is_used() && !options.debug.empty())
    refuse(name(), "a run that a debugger holds cannot be saved or restored; leave out --debug");
  if (at && *at == 0)
    refuse("--checkpoint-at", "0 is the beginning of the run; take a later cycle");
}

CheckpointHeader header_of(const std::string& platform, const std::string& structure,
                           const cli::Options& options, const report::Run& run,
                           const std::string& commit) {
  CheckpointHeader header;
  std::map<std::string, std::string>& same = header.same;
  same["platform"] = platform;
  if (structure != kAnyStructure) same["structure"] = structure;
  same["version"] = TESSERA_VERSION;
  if (!commit.empty()) same["commit"] = commit;
  for (const auto& [name, value] : run.params) same["parameter " + name] = value;
  report::Run files;
  if (const text::FilesRead* const read = text::FilesRead::current())
    cli::describe_run({}, {}, options, *read, files);
  for (const auto& [name, digest] : files.files) same["program " + name] = digest;
  for (const auto& [name, digest] : files.inputs) same["input " + name] = digest;
  header.told["program"] = std::filesystem::path(options.program).filename().string();
  return header;
}

Checkpoints::Checkpoints(const CheckpointOptions& given, const cli::Options& options,
                         CheckpointHeader same)
    : given_(given), same_(std::move(same)) {
  if (given.restore_file.empty()) return;
  restored_ = read_checkpoint(given.restore_file);
  const Cycle cycle = restored_->header.cycle;
  const auto refuse_before = [cycle](const char* option, std::optional<std::uint64_t> bound) {
    if (bound && *bound <= cycle) {
      throw UserError("", option,
                      std::to_string(*bound) + " is not after the checkpoint, which is of cycle " +
                          std::to_string(cycle));
    }
  };
  refuse_before("--max-cycles", options.max_cycles);
  refuse_before("--checkpoint-at", given.at);
  const auto refuse_unseen = [cycle](const char* option, std::optional<std::uint64_t> last) {
    if (last && *last < cycle)
      throw UserError("", option,
                      "cycle " + std::to_string(*last) +
                          " lies before the checkpoint, which is of cycle " +
                          std::to_string(cycle));
  };
  if (options.why_at) refuse_unseen("--why", options.why_at->cycle);
  refuse_unseen("--trace-to", options.trace_to);
}

bool Checkpoints::begin(RunControl& control) {
  next_s_ = given_.every_s.value_or(0);
  const Cycle max = control.limits().max_cycles.value_or(kNever);
  if (!restored_) {
    if (max <= kAnnouncedAhead) watch_beyond(max);
    return false;
  }
  check_restored();
  if (of_.events != nullptr && max < restored_->header.cycle + kAnnouncedAhead)
    throw UserError("", "--max-cycles",
                    std::to_string(max) + " is less than " + std::to_string(kAnnouncedAhead) +
                        " cycles after the checkpoint, which is of cycle " +
                        std::to_string(restored_->header.cycle) +
                        " and has counted what is announced for later ones");
  control.elaborate([this] { restore(); });
  begun_at_ = restored_->header.cycle;
  return true;
}

void Checkpoints::restore() {
  try {
    state::Archive archive(std::move(restored_->state));
    of_.visit(archive, restored_->header.cycle);
    archive.finish();
  } catch (const state::Mismatch& e) {
    throw UserError(given_.restore_file, "",
                    std::string("the checkpoint does not fit this run: ") + e.what());
  }
}

void Checkpoints::check_restored() const {
  const std::string differs = difference(restored_->header, same_);
  if (!differs.empty()) throw UserError(given_.restore_file, "", differs);
}

void Checkpoints::watch_beyond(Cycle max) {
  if (of_.events != nullptr && given_.saves() && beyond_ == nullptr)
    beyond_ = std::make_unique<EventsBeyond>(*of_.events, max);
}

void Checkpoints::end() {
  if (beyond_ != nullptr) beyond_->drop();
}

// The next cycle before which the run pauses.
Cycle Checkpoints::next_bound(const RunControl& control) {
  // Time may have come to a later cycle, which a bound has kept from being stepped.
  const Cycle now = of_.domain->now();
  const Cycle done =
      std::max({now, saved_.value_or(0), begun_at_, passed_});  // nothing is saved twice
  const Cycle max = control.limits().max_cycles.value_or(kNever);
  Cycle bound = is_late_ ? of_.saved_from() : kNever;
  if (bound != kNever) bound = std::max(bound, done + 1);
  if (given_.at && *given_.at > done) bound = std::min(bound, Cycle{*given_.at});
  if (given_.every_cycles)
    bound = std::min(bound, (done / *given_.every_cycles + 1) * *given_.every_cycles);
  if (given_.on_stop && max > done) bound = std::min(bound, max);
  if (given_.every_s) {
    clock_bound_ = done + clock_cycles_;
    bound = std::min(bound, clock_bound_);
  }
  return bound > max ? kNever : bound;
}

// The run is before the first step of cycle `bound`, or of a later one.
void Checkpoints::reach(Cycle bound, const RunControl& control) {
  passed_ = bound;
  if (bound != clock_bound_) return save(bound);
  const double now_s = control.elapsed_s();
  const double took_s = now_s - looked_s_;
  looked_s_ = now_s;
  if (took_s < *given_.every_s / 32)
    clock_cycles_ = std::min(2 * clock_cycles_, kMostCyclesBetweenLooks);
  else if (took_s > *given_.every_s / 8)
    clock_cycles_ = std::max(clock_cycles_ / 2, Cycle{1});
  const bool is_multiple = given_.every_cycles && bound % *given_.every_cycles == 0;
  const bool is_end = given_.on_stop && control.limits().max_cycles == bound;
  if (now_s < next_s_ && given_.at != bound && !is_multiple && !is_end && !is_late_) return;
  save(bound);
  next_s_ = control.elapsed_s() + *given_.every_s;
}

Checkpoints::Stop Checkpoints::run(RunControl& control, const std::function<bool()>& done,
                                   bool unwatched) {
  if (!given_.saves())
    return unwatched ? control.run_unwatched_until(done) : control.run_until(done);
  timing::ClockDomain& domain = *of_.domain;
  const Cycle max = control.limits().max_cycles.value_or(kNever);
  while (true) {
    // What is announced for cycle `max` and later ones is kept from here on.
    const Cycle kept_from = max == kNever || of_.events == nullptr || beyond_ != nullptr
                                ? kNever
                                : max - kAnnouncedAhead;
    const Cycle saved_before = next_bound(control);
    const Cycle bound = std::min(saved_before, kept_from);
    domain.set_bound(std::min(bound, max));
    const auto is_reached = [&] {
      return bound != kNever && domain.next_due() != kNever && domain.next_due() >= bound;
    };
    bool ended = false;
    const auto pauses = [&] {
      ended = done();
      return ended || is_reached();
    };
    const Stop stop = unwatched ? control.run_unwatched_until(pauses) : control.run_until(pauses);
    if (stop == Stop::kCondition && !ended) {
      if (bound == kept_from) watch_beyond(max);
      if (bound == saved_before) reach(bound, control);
      continue;
    }
    const bool is_stop = stop == Stop::kTimeout || stop == Stop::kSignal;
    const Cycle next = domain.next_free_cycle();
    if (is_stop && given_.on_stop && next > std::max(saved_.value_or(0), begun_at_)) save(next);
    if (is_stop && is_late_) why_not_ = "a copy or a stream of the host was under way";
    domain.set_bound(max);
    return stop;
  }
}

void Checkpoints::save(Cycle next) {
  is_late_ = of_.saved_from() == kNever;
  if (is_late_) return;
  of_.catch_up(next);
  CheckpointHeader header = same_;
  header.cycle = next;
  header.told["recorded"] = of_.recorded();
  SavedState saved;
  try {
    of_.visit(saved.archive(), next);
    saved.write(given_.file, header);
  } catch (const state::Mismatch& e) {
    throw StateNotWritten(
        UserError("", "--checkpoint", std::string("the state cannot be saved: ") + e.what()));
  } catch (const UserError& e) {
    throw StateNotWritten(e);
  }
  saved_ = next;
}

void Checkpoints::tell(const std::string& executable, bool quiet, report::Report& report) const {
  if (restored_) {
    report::Group group{"checkpoint", {}};
    group.add("restored_from_cycle", static_cast<double>(begun_at_));
    report.groups.push_back(std::move(group));
  }
  const std::string text = remark(report.cycles);
  const bool is_refusal = given_.at && !saved_;  // the run did not do what was asked
  if ((!quiet || is_refusal) && !text.empty()) std::cerr << executable << ": " << text << '\n';
}

std::string Checkpoints::remark(Cycle cycles) const {
  if (saved_) return "the state before cycle " + std::to_string(*saved_) + " is in " + given_.file;
  if (!given_.saves()) return {};
  if (!why_not_.empty()) return "no state was saved: " + why_not_;
  if (is_late_ || (given_.at && *given_.at < cycles))
    return "no state was saved: after it was asked for, no function ran without a copy or a stream "
           "of the host under way";
  return given_.at ? "no state was saved: the run ended before cycle " + std::to_string(*given_.at)
                   : "";
}

}  // namespace tessera::run

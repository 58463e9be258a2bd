#include "platforms/debug/server.h"

#include <algorithm>
#include <iostream>

#include "platforms/run/signals.h"

namespace tessera::debug {

namespace {
constexpr std::chrono::milliseconds kLook{100};        // time between two looks for a signal
constexpr std::chrono::milliseconds kBetweenLooks{5};  // for requests, while the run goes on
constexpr std::chrono::milliseconds kFarewell{3000};   // without a request, after the run
constexpr unsigned kMostCyclesBetween = 1024;
}  // namespace

Server::Server(const std::string& where, Target& target)
    : target_(target), channel_(where), debugger_(target), session_(debugger_, channel_) {
  if (!channel_.is_stdio())
    std::cerr << "debugger: tessera attach " << channel_.path() << std::endl;
}

void Server::configure() {
  while (!session_.is_configured() && !session_.is_over() && !run::must_stop())
    session_.serve(kLook);
  if (session_.ends_run()) run::end_debugged_run();
}

void Server::before_run() {
  configure();
  if (session_.stops_on_entry() && !session_.is_over()) {
    Stop entry;
    entry.text = "before the first cycle";
    hold(entry);
  }
  if (session_.is_over() || run::must_stop()) return;
  const auto stop = debugger_.before_run([this](const std::string& text) { session_.print(text); });
  if (stop && channel_.is_connected()) hold(*stop);
}

void Server::hold(const Stop& stop) {
  session_.stopped(stop);
  while (session_.is_held() && channel_.is_connected() && !run::must_stop()) session_.serve(kLook);
  if (session_.ends_run()) run::end_debugged_run();
}

void Server::after_cycle(Cycle now) {
  const auto stop =
      debugger_.after_cycle(now, [this](const std::string& text) { session_.print(text); });
  if (stop && channel_.is_connected()) return hold(*stop);
  if (--cycles_to_look_ > 0) return;
  const auto present = std::chrono::steady_clock::now();
  const bool is_early = present - looked_ < kBetweenLooks;
  cycles_between_ = is_early ? std::min(2 * cycles_between_, kMostCyclesBetween)
                             : std::max(cycles_between_ / 2, 1U);
  cycles_to_look_ = cycles_between_;
  looked_ = present;
  if (!channel_.has_input()) return;
  session_.serve(std::chrono::milliseconds(0));
  // A client that has come holds the run until it is ready.
  if (channel_.is_connected() && !session_.is_over() && !session_.is_configured()) configure();
  if (session_.ends_run()) run::end_debugged_run();
}

void Server::after_run(Cycle now, const report::Report& report) {
  target_.set_now(now);
  const bool is_stuck =
      report.status != report::Status::kFinished && !run::must_stop() && !session_.is_over();
  if (is_stuck && channel_.is_connected() && session_.is_configured()) {
    Stop end;
    end.reason = Stop::Reason::kEnd;
    end.cycle = now;
    end.text = report.message;
    hold(end);
  }
  if (!channel_.is_connected()) return;
  if (!session_.is_over()) session_.ended(report::exit_code(report.status));
  auto until = std::chrono::steady_clock::now() + kFarewell;
  while (!session_.is_over() && channel_.is_connected() && !run::must_stop() &&
         std::chrono::steady_clock::now() < until)
    if (session_.serve(kLook)) until = std::chrono::steady_clock::now() + kFarewell;
}

}  // namespace tessera::debug

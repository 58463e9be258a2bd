#include "platforms/server/session.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/text/files_read.h"
#include "models/state/archive.h"
#include "platforms/cli/main.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/signals.h"
#include "platforms/server/mapped_data.h"
#include "platforms/server/memory_dump.h"
#include "platforms/wse/command_stream.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::server {

namespace {

namespace json = boost::json;
using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

/// A command with its header. The functions throw UserError for a member that is missing or is something else.
class Request {
 public:
  Request(const Frame& frame, const json::object& header) : frame_(frame), header_(header) {}

  /// A whole number from `lowest` to `highest`.
  std::int64_t number(const char* name, std::int64_t lowest, std::int64_t highest) const {
    return number(member(name), name, lowest, highest);
  }
  std::size_t count(const char* name) const {
    return static_cast<std::size_t>(number(name, 0, kMostWords));
  }
  std::string text(const char* name) const {
    const json::value& value = member(name);
    if (!value.is_string()) refuse(name, "is no text");
    return json::value_to<std::string>(value);
  }
  bool has(const char* name) const { return header_.contains(name); }
  /// The place of the value among `words`; 0, the first word, if it is not there.
  std::size_t choice(const char* name, const std::vector<std::string>& words) const {
    if (!has(name)) return 0;
    const auto found = std::find(words.begin(), words.end(), text(name));
    if (found == words.end()) refuse(name, "is '" + text(name) + "', which is none of its words");
    return static_cast<std::size_t>(found - words.begin());
  }
  /// False if the header does not have it.
  bool flag(const char* name) const {
    const json::value* value = header_.if_contains(name);
    if (value != nullptr && !value->is_bool()) refuse(name, "is no truth value");
    return value != nullptr && value->get_bool();
  }
  template <class Number>
  std::vector<Number> numbers(const char* name, std::int64_t lowest = 0) const {
    const json::value& value = member(name);
    if (!value.is_array()) refuse(name, "is no list");
    std::vector<Number> numbers;
    for (const json::value& one : value.get_array())
      numbers.push_back(
          static_cast<Number>(number(one, name, lowest, std::numeric_limits<Number>::max())));
    return numbers;
  }
  const Bytes& data() const { return frame_.data; }

 private:
  static constexpr std::int64_t kMostWords = std::int64_t{1} << 40;

  [[noreturn]] static void refuse(const std::string& name, const std::string& problem) {
    throw UserError("", "", "the member '" + name + "' of the command " + problem);
  }
  const json::value& member(const char* name) const {
    const json::value* value = header_.if_contains(name);
    if (value == nullptr) refuse(name, "is missing");
    return *value;
  }
  static std::int64_t number(const json::value& value, const char* name, std::int64_t lowest,
                             std::int64_t highest) {
    if (!value.is_int64() && !value.is_uint64()) refuse(name, "is no whole number");
    const bool fits =
        value.is_int64() && value.get_int64() >= lowest && value.get_int64() <= highest;
    if (!fits)
      refuse(name, "is " + json::serialize(value) + "; " + std::to_string(lowest) + " to " +
                       std::to_string(highest) + " are possible");
    return value.get_int64();
  }

  const Frame& frame_;
  const json::object& header_;
};

struct Reply {
  json::object header;
  Bytes data;
  Bytes in_file = {};  ///< what stands in the file of the host instead
};

Words words_of(const Bytes& bytes) {
  if (bytes.size() % sizeof(std::uint32_t) != 0)
    throw UserError("", "", "the data are no whole words of 32 bits");
  Words words(bytes.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

Words words_of(const Request& request) {
  if (!request.has("file")) return words_of(request.data());
  const MappedData mapped(request.text("file"), request.count("bytes"));
  Words words(mapped.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), mapped.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

Reply reply_of(const Request& request, const Words& words) {
  Reply reply;
  const std::size_t size = words.size() * sizeof(std::uint32_t);
  if (!request.has("file")) {
    reply.data.resize(size);
    if (size > 0) std::memcpy(reply.data.data(), words.data(), size);
    return reply;
  }
  MappedData mapped(request.text("file"), request.count("bytes"));
  if (mapped.size() != size) throw UserError("", "", "the array of the host has another size");
  std::memcpy(mapped.data(), words.data(), size);
  reply.in_file.assign(mapped.data(), mapped.data() + size);
  return reply;
}

wse::Region region_of(const Request& request) {
  const std::vector<int> rect = request.numbers<int>("region");
  if (rect.size() != 4) throw UserError("", "", "a region has four numbers");
  wse::Region region;
  region.rect = {rect[0], rect[1], rect[2], rect[3]};
  region.elements = request.count("elements");
  region.order = request.choice("order", {"row", "column"}) == 0 ? wse::Region::Order::kRow
                                                                 : wse::Region::Order::kColumn;
  region.copies =
      static_cast<wse::Region::Copies>(request.choice("broadcast", {"", "row", "column"}));
  const std::int64_t bits = request.number("bits", 16, 32);
  if (bits != 16 && bits != 32) throw UserError("", "", "elements have 16 or 32 bits");
  region.narrow = bits == 16;
  if (request.has("strides")) {
    const std::vector<int> strides = request.numbers<int>("strides", 1);
    if (strides.size() != 2) throw UserError("", "", "there are two strides");
    region.column_stride = strides[0];
    region.row_stride = strides[1];
  }
  return region;
}

Color color_of(const Request& request) {
  return Color{static_cast<unsigned>(request.number("color", 0, kColorCount - 1))};
}

TileCoord tile_of(const Request& request) {
  constexpr std::int64_t kLast = std::numeric_limits<int>::max();
  return {static_cast<int>(request.number("x", 0, kLast)),
          static_cast<int>(request.number("y", 0, kLast))};
}

Frame frame_of(std::int64_t id, Reply reply) {
  reply.header["id"] = id;
  return {json::serialize(reply.header), std::move(reply.data)};
}

}  // namespace

Frame failure_frame(std::int64_t id, const Failure& failure) {
  const char* kind = failure.kind == Failure::Kind::kValue ? "value" : "runtime";
  const json::object error = {{"kind", kind}, {"text", failure.text}, {"fatal", failure.is_fatal}};
  return {json::serialize(json::object{{"id", id}, {"error", error}}), {}};
}

Frame reply_frame(std::int64_t id, const std::string& members) {
  return {"{\"id\":" + std::to_string(id) + (members.empty() ? "" : ",") + members + "}", {}};
}

Command command_of(const Frame& frame) {
  try {
    const json::object header = json::parse(frame.header).as_object();
    return {json::value_to<std::string>(header.at("cmd")),
            header.at("id").to_number<std::int64_t>()};
  } catch (const std::exception&) {
    throw std::runtime_error("what the host sends is no command: " + frame.header.substr(0, 80));
  }
}

/// The commands of a running machine, by name.
class Session::Commands {
 public:
  /// A command of the host, what stands for its arguments, and the answer.
  struct Logged {
    std::string name;
    std::uint64_t digest = 0;
    std::string error;  ///< a mistake in the command
    std::string header;
    Bytes data;
    void visit(state::Archive& archive) { archive(name, digest, error, header, data); }
  };

  Commands(const compiled::Program& program, const wse::Workload& workload,
           const wse::WseConfig& config, wse::ObservedMachine& observed, run::RunControl& control,
           wse::Checkpoints* checkpoints)
      : program_(program), workload_(workload), keeps_log_(checkpoints != nullptr),
        stream_(program, workload, config, observed, control, checkpoints) {
    stream_.allow_silent_launch();
  }

  wse::CommandStream& stream() { return stream_; }
  Reply carry_out(const std::string& name, const Frame& frame) {
    const auto found = kByName.find(name);
    if (found == kByName.end()) throw UserError("", "", "there is no command '" + name + "'");
    const json::object header = json::parse(frame.header).as_object();
    const Request request(frame, header);
    if (!keeps_log_) return (this->*found->second)(request);
    present_ = {name, digest_of(header, request), {}, {}, {}};
    if (replayed_ < log_.size()) return replay(log_[replayed_++], request);
    if (std::exchange(is_under_way_, false)) {
      require_same(under_way_);
      is_launched_ = name == "launch";
    }
    return log(found->second, request);
  }
  /// The last command of a host. Answers who waits for ever.
  std::string stop() {
    present_ = {"stop", 0, {}, {}, {}};
    if (replayed_ < log_.size()) require_same(log_[replayed_]);
    if (std::exchange(is_under_way_, false)) require_same(under_way_);
    return stream_.finish();
  }
  /// Saves or restores the commands so far (models/state/archive.h).
  void visit(state::Archive& archive) {
    log_.resize(archive.count(log_.size()));
    for (Logged& logged : log_) archive(logged);
    under_way_ = present_;
    archive(under_way_, stream_);
    is_under_way_ = archive.loading();
  }
  Cycle saved_from() const { return has_dumped_ ? kNever : stream_.saved_from(); }

 private:
  using Handler = Reply (Commands::*)(const Request&);
  static const std::map<std::string, Handler> kByName;

  // "stays_open": a stream that cannot end yet goes on beside later commands.
  Reply copy_to(const Request& request) {
    if (!request.has("color")) {
      stream_.copy_to(request.text("symbol"), region_of(request), words_of(request));
      return {};
    }
    stream_.follow(stream_.open_stream_to(color_of(request), region_of(request), words_of(request)),
                   !request.has("stays_open"));
    return {};
  }
  Reply copy_from(const Request& request) {
    const wse::Region region = region_of(request);
    if (!request.has("color"))
      return reply_of(request, stream_.copy_from(request.text("symbol"), region));
    const auto stream = stream_.open_stream_from(color_of(request), region);
    if (stream_.follow(stream, !request.has("stays_open")))
      return reply_of(request, stream_.words_of(stream));
    return {{{"open", stream}}, {}};
  }
  // "must_end" as for wait().
  Reply follow(const Request& request) {
    const std::size_t stream = request.count("open");
    if (!stream_.follow(stream, request.flag("must_end"))) return {{{"done", false}}, {}};
    Reply reply = reply_of(request, stream_.words_of(stream));
    reply.header["done"] = true;
    return reply;
  }
  // The arguments without what differs from run to run: numbers of commands, and names of files.
  static std::uint64_t digest_of(const json::object& header, const Request& request) {
    json::object arguments = header;
    for (const char* member : {"id", "file", "bytes"}) arguments.erase(member);
    std::string text = json::serialize(arguments);
    const auto add = [&text](const void* bytes, std::size_t size) {
      text.append(static_cast<const char*>(bytes), size);
    };
    if (header.contains("file") && header.at("cmd") != "d2h" && header.at("cmd") != "wait") {
      const Words words = words_of(request);
      add(words.data(), words.size() * sizeof(std::uint32_t));
    } else {
      add(request.data().data(), request.data().size());
    }
    return std::stoull(text::digest_of(text), nullptr, 16);
  }
  void require_same(const Logged& saved) const {
    if (saved.name == present_.name && saved.digest == present_.digest) return;
    throw wse::CommandError(run::Stop::kCondition,
                            "--restore: command " + std::to_string(replayed_) +
                                " of the host is '" + present_.name +
                                "'; in the checkpoint it is '" + saved.name + "'" +
                                (saved.name == present_.name ? " with other arguments" : ""));
  }
  Reply replay(const Logged& saved, const Request& request) {
    require_same(saved);
    if (!saved.error.empty()) throw UserError("", "", saved.error);
    Reply reply;
    reply.header = json::parse(saved.header).as_object();
    if (!request.has("file") || saved.data.empty()) {
      reply.data = saved.data;
      return reply;
    }
    MappedData mapped(request.text("file"), request.count("bytes"));
    if (mapped.size() != saved.data.size())
      throw UserError("", "", "the array of the host has another size");
    std::memcpy(mapped.data(), saved.data.data(), saved.data.size());
    return reply;
  }
  Reply log(Handler handler, const Request& request) {
    Logged logged = present_;
    try {
      Reply reply = (this->*handler)(request);
      logged.header = json::serialize(reply.header);
      logged.data = request.has("file") ? reply.in_file : reply.data;
      log_.push_back(std::move(logged));
      ++replayed_;
      return reply;
    } catch (const UserError& error) {
      logged.error = error.what();
      log_.push_back(std::move(logged));
      ++replayed_;
      throw;
    }
  }

  Reply launch(const Request& request) {
    if (std::exchange(is_launched_, false))
      stream_.complete_launch(request.text("function"));
    else if (request.has("color"))
      stream_.launch_on(color_of(request), request.numbers<std::uint32_t>("arguments"));
    else
      stream_.launch(request.text("function"), request.numbers<std::uint32_t>("arguments"));
    if (stream_.silent_launch().empty()) return {};
    return {{{"warning", stream_.silent_launch() + "; no further command can begin"}}, {}};
  }
  Reply read(const Request& request) {
    Reply reply;
    for (const std::byte byte : stream_.read_symbol(tile_of(request), request.text("symbol")))
      reply.data.push_back(static_cast<std::uint8_t>(byte));
    return reply;
  }

  Reply write(const Request& request) {
    const auto* bytes = reinterpret_cast<const std::byte*>(request.data().data());
    stream_.write_symbol(tile_of(request), request.text("symbol"),
                         {bytes, bytes + request.data().size()});
    return {};
  }
  Reply dump(const Request& request) {
    has_dumped_ = true;
    write_memory(program_, workload_, stream_, request.text("folder"));
    return {};
  }
  const compiled::Port& port_of(const Request& request) const {
    const std::string name = request.text("port");
    for (const compiled::Port& port : program_.ports) {
      if (port.name == name) return port;
    }
    throw UserError("", "", "the program has no stream '" + name + "'");
  }
  Reply begin(wse::CommandStream::StreamId stream, bool is_out) {
    is_out_.resize(stream + 1);
    is_out_[stream] = is_out;
    return {{{"transfer", stream}}, {}};
  }
  Reply send(const Request& request) {
    const compiled::Port& port = port_of(request);
    return begin(
        stream_.send(port.tile, port.side, port.color, words_of(request), request.flag("control")),
        false);
  }
  Reply receive(const Request& request) {
    const compiled::Port& port = port_of(request);
    return begin(stream_.receive(port.tile, port.side, port.color, request.count("words")), true);
  }
  // "must_end" false: whether the stream ends without another command. "rest": it ends with the words that come.
  Reply wait(const Request& request) {
    const std::size_t stream = request.count("transfer");
    if (stream >= is_out_.size()) throw UserError("", "", "there is no such transfer");
    try {
      stream_.wait(stream);
    } catch (const wse::CommandError& error) {
      const bool takes_rest = request.flag("rest");
      if ((request.flag("must_end") && !takes_rest) || error.stop != run::Stop::kIdle) throw;
      if (!takes_rest) return {{{"done", false}}, {}};
      stream_.end(stream);
    }
    Reply reply = is_out_[stream] ? reply_of(request, stream_.received(stream)) : Reply{};
    reply.header["done"] = true;
    return reply;
  }

  const compiled::Program& program_;
  const wse::Workload& workload_;
  const bool keeps_log_;
  std::vector<Logged> log_;    // commands and their answers
  std::size_t replayed_ = 0;   // those that the host has had
  Logged present_;             // the command that is carried out
  Logged under_way_;           // that in which the state was saved
  bool is_under_way_ = false;  // it comes next
  bool is_launched_ = false;   // and is a launch
  bool has_dumped_ = false;    // files of the host depend on the run
  wse::CommandStream stream_;
  std::vector<bool> is_out_;  // by transfer
};

const std::map<std::string, Session::Commands::Handler> Session::Commands::kByName = {
    {"h2d", &Commands::copy_to},  {"d2h", &Commands::copy_from},   {"launch", &Commands::launch},
    {"read", &Commands::read},    {"write", &Commands::write},     {"dump", &Commands::dump},
    {"send", &Commands::send},    {"receive", &Commands::receive}, {"wait", &Commands::wait},
    {"follow", &Commands::follow}};

Session::Session(FrameChannel& channel, const compiled::Program& program,
                 const wse::Workload& workload, const wse::WseConfig& config,
                 wse::ObservedMachine& observed, std::string folder)
    : channel_(channel), program_(program), workload_(workload), config_(config),
      observed_(observed), folder_(std::move(folder)) {}

Session::~Session() = default;

run::Stop Session::drive(run::RunControl& control) {
  commands_ =
      std::make_unique<Commands>(program_, workload_, config_, observed_, control, checkpoints_);
  const wse::Checkpoints::Ended ended(checkpoints_);
  try {
    if (!restore(control)) return stop_;
    while (const std::optional<Frame> frame = channel_.read()) {
      if (!carry_out(*frame)) break;
    }
  } catch (const HostHasGone&) {
    last_command_.reset();
  } catch (const sc_core::sc_report& report) {
    failure_ = Failure{Failure::Kind::kRuntime, cli::failure_of(report).message, true};
    throw;  // the report of the run names it too
  }
  if (!last_command_) {
    if (!run::must_stop()) run::abandon_run();
    stop_ = run::Stop::kSignal;
    failure_ = Failure{Failure::Kind::kRuntime, run::stop_reason(), true};
  }
  return stop_;
}

// False: it cannot be; the first command of the host is told why.
bool Session::restore(run::RunControl& control) {
  if (checkpoints_ == nullptr) return true;
  checkpoints_->attach(wse::saved(
      observed_, [this](state::Archive& archive) { commands_->visit(archive); },
      [this] { return commands_->saved_from(); }));
  try {
    checkpoints_->begin(control);
    return true;
  } catch (const UserError& error) {
    failure_ = Failure{Failure::Kind::kRuntime, error.what(), true};
  }
  if (const std::optional<Frame> frame = channel_.read()) last_command_ = command_of(*frame).id;
  return false;
}

bool Session::carry_out(const Frame& frame) {
  const Command command = command_of(frame);
  last_command_ = command.id;
  try {
    if (command.name == "stop") {
      unfinished_ = checkpoints_ == nullptr ? commands_->stream().finish() : commands_->stop();
      return false;
    }
    channel_.write(frame_of(command.id, commands_->carry_out(command.name, frame)));
  } catch (const run::StateNotWritten& error) {
    failure_ = Failure{Failure::Kind::kRuntime, error.what(), true};
    stop_ = run::Stop::kSignal;
    return false;
  } catch (const UserError& error) {
    channel_.write(failure_frame(command.id, {Failure::Kind::kValue, error.what(), false}));
  } catch (const wse::CommandError& error) {
    failure_ = Failure{Failure::Kind::kRuntime, error.what(), true};
    stop_ = error.stop;
    return false;
  }
  last_command_.reset();
  return true;
}

void Session::finish(report::Report&) {
  if (last_command_) memory_lock_ = write_memory(program_, workload_, commands_->stream(), folder_);
}

}  // namespace tessera::server

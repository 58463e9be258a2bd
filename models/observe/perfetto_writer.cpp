#include "models/observe/perfetto_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ostream>

namespace tessera::observe {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;  // bytes that are written at once

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto result = std::to_chars(digits.begin(), digits.end(), value);
  out.append(digits.data(), result.ptr);
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

void PerfettoWriter::Args::begin(std::string_view key) {
  members_ += members_.empty() ? "\"" : ",\"";
  members_ += key;
  members_ += "\":";
}

PerfettoWriter::Args& PerfettoWriter::Args::add(std::string_view key, std::uint64_t value) {
  begin(key);
  append_number(members_, value);
  return *this;
}

PerfettoWriter::Args& PerfettoWriter::Args::add(std::string_view key, std::string_view text) {
  begin(key);
  append_quoted(members_, text);
  return *this;
}

PerfettoWriter::Args& PerfettoWriter::Args::mark(std::string_view key) {
  begin(key);
  members_ += "true";
  return *this;
}

std::string_view PerfettoWriter::Args::find(std::string_view key) const {
  const std::string quoted = '"' + std::string(key) + "\":";
  std::size_t from = members_.find(quoted);
  if (from == std::string::npos) return {};
  from += quoted.size();
  const std::string_view rest = std::string_view(members_).substr(from);
  if (rest.empty() || rest.front() != '"') return rest.substr(0, rest.find(','));
  return rest.substr(1, rest.find('"', 1) - 1);
}

PerfettoWriter::PerfettoWriter(Target target) : target_(target) {
  if (target_.out == nullptr) return;
  text_.reserve(2 * kBlock);
  begin_file();
}

void PerfettoWriter::begin_file() {
  written_ = 0;
  first_ = true;
  text_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us = 1 clock cycle\"},\n"
          "\"traceEvents\":[";
}

// Viewers treat process 0 as "idle", so numbers in the file begin at 1.
void PerfettoWriter::begin(char phase, unsigned process, std::string_view name) {
  if (text_.size() >= kBlock) write_out();
  text_ += first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
  first_ = false;
  text_ += phase;
  text_ += "\",\"name\":";
  append_quoted(text_, name);
  add("pid", std::uint64_t{process} + 1);
}

void PerfettoWriter::add(std::string_view key, std::uint64_t value) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  append_number(text_, value);
}

void PerfettoWriter::end(const Args& args) {
  text_ += ",\"args\":{";
  text_ += args.members_;
  text_ += "}}";
}

void PerfettoWriter::name_process(unsigned process, std::string_view name) {
  if (target_.out == nullptr) return;
  begin('M', process, "process_name");
  end(Args().add("name", name));
  begin('M', process, "process_sort_index");
  end(Args().add("sort_index", process));
}

void PerfettoWriter::name_thread(Track track, std::string_view name) {
  if (target_.listener != nullptr)
    return target_.listener->on_track(track.process, track.thread, name);
  begin('M', track.process, "thread_name");
  add_thread(track);
  end(Args().add("name", name));
  begin('M', track.process, "thread_sort_index");
  add_thread(track);
  end(Args().add("sort_index", std::uint64_t{track.thread} + 1));
}

void PerfettoWriter::slice(Track track, std::string_view name, Cycle start, Cycle end_cycle,
                           const Args& args, const char* color) {
  if (target_.listener != nullptr) {
    std::string_view count = args.find("elements");
    if (count.empty()) count = args.find("wavelets");
    return target_.listener->on_slice(
        track.process, track.thread,
        {name, start, std::max(end_cycle, start + 1), args.find("line"), args.find("for"), count});
  }
  begin('X', track.process, name);
  add_thread(track);
  add("ts", start);
  add("dur", end_cycle > start ? end_cycle - start : 1);
  if (color != nullptr) {
    text_ += ",\"cname\":";
    append_quoted(text_, color);
  }
  end(args);
}

void PerfettoWriter::instant(Track track, std::string_view name, Cycle at, const Args& args) {
  if (target_.out == nullptr) return;
  begin('i', track.process, name);
  add_thread(track);
  text_ += ",\"s\":\"t\"";
  add("ts", at);
  end(args);
}

void PerfettoWriter::flow(std::string_view name, Track from, Cycle sent, Track to, Cycle received) {
  if (target_.out == nullptr) return;
  ++flows_;
  end_flow('s', name, from, sent);
  end_flow('f', name, to, received);
}

void PerfettoWriter::end_flow(char phase, std::string_view name, Track track, Cycle at) {
  begin(phase, track.process, name);
  add_thread(track);
  add("ts", at);
  add("id", flows_);
  text_ += phase == 'f' ? ",\"cat\":\"flow\",\"bp\":\"e\"}" : ",\"cat\":\"flow\"}";
}

void PerfettoWriter::counter(unsigned process, std::string_view name, Cycle at, const Args& args) {
  if (target_.out == nullptr) return;
  begin('C', process, name);
  add("ts", at);
  end(args);
}

void PerfettoWriter::write_out() {
  target_.out->write(text_.data(), static_cast<std::streamsize>(text_.size()));
  written_ += text_.size();
  text_.clear();
}

void PerfettoWriter::begin_part() {
  finish();
  target_.out = &target_.parts->next_part();
  begin_file();
}

void PerfettoWriter::finish() {
  if (target_.out == nullptr) return;
  text_ += "\n]}\n";
  write_out();
  target_.out->flush();
}

}  // namespace tessera::observe

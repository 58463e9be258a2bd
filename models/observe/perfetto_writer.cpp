#include "models/observe/perfetto_writer.h"

#include <cstdio>
#include <ostream>

namespace tessera::observe {

namespace {

// Viewers treat process 0 as "idle", so numbers in the file begin at 1.
std::string pid(unsigned process) {
  return "\"pid\":" + std::to_string(process + 1);
}
std::string ids(PerfettoWriter::Track track) {
  return pid(track.process) + ",\"tid\":" + std::to_string(track.thread + 1);
}

std::string begin(char phase, const std::string& place, const std::string& name) {
  return std::string("{\"ph\":\"") + phase + "\"," + place + ",\"name\":" + json_quote(name);
}

std::string end(const std::string& args) {
  return ",\"args\":{" + args + "}}";
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out = "\"";
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
  return out + '"';
}

PerfettoWriter::PerfettoWriter(std::ostream& out) : out_(out) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us = 1 clock cycle\"},\n"
          "\"traceEvents\":[";
}

void PerfettoWriter::write(const std::string& record) {
  out_ << (first_ ? "\n" : ",\n") << record;
  first_ = false;
}

void PerfettoWriter::name_process(unsigned process, const std::string& name) {
  write(begin('M', pid(process), "process_name") + end("\"name\":" + json_quote(name)));
  write(begin('M', pid(process), "process_sort_index") +
        end("\"sort_index\":" + std::to_string(process)));
}

void PerfettoWriter::name_thread(Track track, const std::string& name) {
  write(begin('M', ids(track), "thread_name") + end("\"name\":" + json_quote(name)));
  write(begin('M', ids(track), "thread_sort_index") +
        end("\"sort_index\":" + std::to_string(track.thread + 1)));
}

void PerfettoWriter::slice(Track track, const std::string& name, Cycle start, Cycle end_cycle,
                           const std::string& args, const char* color) {
  const Cycle duration = end_cycle > start ? end_cycle - start : 1;
  write(begin('X', ids(track), name) + ",\"ts\":" + std::to_string(start) +
        ",\"dur\":" + std::to_string(duration) +
        (color == nullptr ? "" : ",\"cname\":" + json_quote(color)) + end(args));
}

void PerfettoWriter::instant(Track track, const std::string& name, Cycle at,
                             const std::string& args) {
  write(begin('i', ids(track), name) + ",\"s\":\"t\",\"ts\":" + std::to_string(at) + end(args));
}

void PerfettoWriter::counter(unsigned process, const std::string& name, Cycle at,
                             const std::string& args) {
  write(begin('C', pid(process), name) + ",\"ts\":" + std::to_string(at) + end(args));
}

void PerfettoWriter::finish() {
  out_ << "\n]}\n";
  out_.flush();
}

}  // namespace tessera::observe

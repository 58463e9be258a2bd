#include "platforms/report/coverage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>
#include <system_error>

#include "frontends/text/output_file.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::report {

namespace {

namespace fs = std::filesystem;

bool is_library(const std::string& name) {
  return name.size() > 2 && name.front() == '<';
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::size_t executed_lines(const Coverage::File& file) {
  return static_cast<std::size_t>(
      std::count_if(file.lines.begin(), file.lines.end(),
                    [](const auto& line) { return line.second.executions > 0; }));
}

std::uint64_t instructions_of(const Coverage::File& file) {
  std::uint64_t sum = 0;
  for (const auto& [number, line] : file.lines) sum += line.instructions;
  return sum;
}

std::size_t executed_functions(const Coverage::File& file) {
  return static_cast<std::size_t>(std::count_if(file.functions.begin(), file.functions.end(),
                                                [](const auto& f) { return f.second > 0; }));
}

void write_functions(std::ostream& out, const Coverage::File& file) {
  // Readers tell functions of a file by their names.
  std::set<std::string> names;
  std::ostringstream executions;
  for (const auto& [key, count] : file.functions) {
    const auto& [line, name] = key;
    const std::string unique = names.insert(name).second ? name : name + "@" + std::to_string(line);
    out << "FN:" << line << ',' << unique << '\n';
    executions << "FNDA:" << count << ',' << unique << '\n';
  }
  out << executions.str() << "FNF:" << file.functions.size() << '\n'
      << "FNH:" << executed_functions(file) << '\n';
}

/// "bank_conflict 7,680"; empty: the line has not waited.
std::string most_waited(const Coverage::Line& line) {
  const auto most =
      std::max_element(line.waits.begin(), line.waits.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == line.waits.end() || most->second == 0
             ? ""
             : most->first + " " + with_commas(most->second);
}

constexpr int kCount = 14, kPlaces = 18, kWait = 28, kNumber = 7;

void write_counts(std::ostream& out, const Coverage::Line& line) {
  const std::string places = with_commas(line.places) + "/" + with_commas(line.of_places);
  out << std::right << std::setw(kCount)
      << (line.executions > 0 ? with_commas(line.executions) : "#####") << std::setw(kPlaces)
      << places << std::setw(kCount) << with_commas(line.instructions) << "  " << std::left
      << std::setw(kWait) << most_waited(line) << std::right;
}

void write_row(std::ostream& out, const Coverage::Line* line, std::uint32_t number,
               const std::string& text) {
  if (line != nullptr)
    write_counts(out, *line);
  else
    out << std::setw(2 * kCount + kPlaces + 2 + kWait) << "";
  out << std::setw(kNumber) << number << (text.empty() ? "" : "  ") << text << '\n';
}

std::string percent(std::size_t part, std::size_t whole) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1)
       << (whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole))
       << " %";
  return text.str();
}

// The last parts of a path that tell it from the others, with '-' between them: "pe.csl", "a-pe.csl".
std::string listing_name(const std::string& name, const Coverage& coverage) {
  const auto tail = [](const std::string& path, unsigned parts) {
    if (is_library(path)) return "library-" + path.substr(1, path.size() - 2);
    std::string text;
    fs::path rest = fs::path(path).lexically_normal();
    for (unsigned i = 0; i < parts && rest.has_filename(); ++i, rest = rest.parent_path())
      text = rest.filename().string() + (i == 0 ? "" : "-") + text;
    return text;
  };
  constexpr unsigned kMostParts = 64;
  for (unsigned parts = 1; parts < kMostParts; ++parts) {
    std::string text = tail(name, parts);
    std::replace(text.begin(), text.end(), '/', '-');
    const auto is_other = [&](const auto& file) {
      return file.first != name && tail(file.first, parts) == text;
    };
    if (std::none_of(coverage.files.begin(), coverage.files.end(), is_other)) return text;
  }
  return tail(name, kMostParts);
}

/// One line a file, and what all of them have.
void write_summary(std::ostream& out, const Coverage& coverage) {
  std::uint64_t all = coverage.without_line;
  for (const auto& [name, file] : coverage.files) {
    const std::uint64_t instructions = instructions_of(file);
    all += instructions;
    out << name << ": " << executed_lines(file) << " of " << file.lines.size() << " lines, "
        << executed_functions(file) << " of " << file.functions.size() << " functions, "
        << instructions << " instructions\n";
  }
  out << "without a line: " << coverage.without_line << " instructions\n"
      << "all: " << all << " instructions\n";
}

}  // namespace

void write_lcov(std::ostream& out, const Coverage& coverage) {
  for (const auto& [name, file] : coverage.files) {
    if (is_library(name)) continue;
    out << "TN:\nSF:" << name << '\n';
    write_functions(out, file);
    for (const auto& [number, line] : file.lines)
      out << "DA:" << number << ',' << line.executions << '\n';
    out << "LF:" << file.lines.size() << "\nLH:" << executed_lines(file) << "\nend_of_record\n";
  }
}

void write_listing(std::ostream& out, const std::string& name, const Coverage& coverage,
                   const std::string& text) {
  const Coverage::File& file = coverage.files.at(name);
  out << name << ": " << executed_lines(file) << " of " << file.lines.size()
      << " lines with code executed (" << percent(executed_lines(file), file.lines.size()) << "), "
      << executed_functions(file) << " of " << file.functions.size() << " functions and tasks, "
      << with_commas(instructions_of(file)) << " instructions\n"
      << std::setw(kCount) << "executions" << std::setw(kPlaces) << coverage.unit + "s"
      << std::setw(kCount) << "instructions"
      << "  " << std::left << std::setw(kWait) << "waits most" << std::right << std::setw(kNumber)
      << "line" << '\n';
  std::stringstream in(text);
  std::uint32_t number = 0;
  for (std::string row; std::getline(in, row);) {
    const auto line = file.lines.find(++number);
    write_row(out, line == file.lines.end() ? nullptr : &line->second, number, row);
  }
  // The text is not there, or is another one by now.
  for (auto line = file.lines.upper_bound(number); line != file.lines.end(); ++line)
    write_row(out, &line->second, line->first, "");
}

void make_listing_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder))
    throw UserError(folder, "", "is no folder that listings can be written to");
}

void write_listings(const std::string& folder, const Coverage& coverage,
                    const std::function<std::string(const std::string&)>& library) {
  make_listing_folder(folder);
  for (const auto& [name, file] : coverage.files) {
    std::stringstream text;
    if (is_library(name))
      text << library(name.substr(1, name.size() - 2));
    else
      text << std::ifstream(name).rdbuf();
    text::OutputFile out((fs::path(folder) / (listing_name(name, coverage) + ".cov")).string());
    write_listing(out.stream(), name, coverage, text.str());
    out.commit();
  }
  text::OutputFile summary((fs::path(folder) / "summary.txt").string());
  write_summary(summary.stream(), coverage);
  summary.commit();
}

void write_coverage(const std::string& file, const std::string& folder, const Coverage& coverage,
                    const std::function<std::string(const std::string&)>& library) {
  if (!file.empty()) {
    text::OutputFile out(file);
    write_lcov(out.stream(), coverage);
    out.commit();
  }
  if (!folder.empty()) write_listings(folder, coverage, library);
}

}  // namespace tessera::report

// Mistakes after which the analysis of a program goes on, so that one run shows all that do not follow from each other.
#pragma once

#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl {

/// Something cannot be analysed because of a mistake that is already noted.
class FollowUp : public UserError {
 public:
  FollowUp() : UserError("", "", "an earlier mistake stands in the way") {}
};

/// An evaluation at compile time meets what the running program does in its own way or is the only one to know: a call that was
/// evaluated without need becomes code. Thrown where somebody asks so only (Engine::asks), and no mistake of the program.
class NeedsCode : public std::exception {
 public:
  const char* what() const noexcept override { return "this belongs to the running program"; }
};

/// All mistakes of a program, by file and line; what() has one after the other. What ends the analysis.
class Mistakes : public UserError {
 public:
  /// Requires at least one.
  explicit Mistakes(std::vector<UserError> all, bool is_full = false);
  const std::vector<UserError>& all() const { return all_; }
  /// There are as many as a run shows; others may follow.
  bool is_full() const { return is_full_; }

 private:
  std::vector<UserError> all_;
  bool is_full_ = false;
};

/// The mistakes so far.
class MistakeList {
 public:
  /// Notes a mistake, unless one is noted for its place or it follows from one. Throws Mistakes when there are as
  /// many as a run shows. Call with the exception that was caught.
  void note(const UserError& error);
  /// Throws Mistakes if there are any.
  void require_none() const;
  bool has_any() const { return !all_.empty(); }
  /// How often note() was called.
  std::size_t count() const { return count_; }

 private:
  std::vector<UserError> all_;
  std::set<std::pair<std::string, std::string>> places_;
  std::size_t count_ = 0;
};

}  // namespace tessera::csl

// What the blocks of a cluster send each other arrives in a later cycle.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// A message, and the cycle from which on its receiver may see it.
template <class T>
struct Due {
  T item;
  Cycle due;

  template <class Archive>
  void visit(Archive& archive) {
    archive(item, due);
  }
};

/// What one cycle of the sync unit or of GM did: answers, and the cycle in which it wants to be stepped
/// again, or earlier when something arrives.
template <class T>
struct UnitStep {
  std::vector<Due<T>> answers;
  Cycle next = kNever;
};

/// Messages that are not due yet, in the order in which they were added.
template <class T>
class DueList {
 public:
  void add(T item, Cycle due) { list_.push_back({std::move(item), due}); }
  /// Takes out what is due by `now`. The result holds until the next call.
  std::vector<T>& take(Cycle now) {
    taken_.clear();
    const auto is_due = [now](const Due<T>& d) { return d.due <= now; };
    for (const Due<T>& d : list_)
      if (is_due(d)) taken_.push_back(d.item);
    if (!taken_.empty())
      list_.erase(std::remove_if(list_.begin(), list_.end(), is_due), list_.end());
    return taken_;
  }
  bool empty() const { return list_.empty(); }
  /// The one of these that is due first; nullptr: there is none.
  template <class Is>
  const Due<T>* find(Is is) const {
    const Due<T>* first = nullptr;
    for (const Due<T>& d : list_)
      if (is(d.item) && (first == nullptr || d.due < first->due)) first = &d;
    return first;
  }
  /// For checkpoints: by cycle, then by `before`, and no longer by who was stepped first. What one sender has sent stays in
  /// its order.
  template <class Before>
  void sort(Before before) {
    std::stable_sort(list_.begin(), list_.end(), [before](const Due<T>& a, const Due<T>& b) {
      return a.due != b.due ? a.due < b.due : before(a.item, b.item);
    });
  }
  template <class Archive>
  void visit(Archive& archive) {
    archive(list_);
  }
  /// The first cycle after `now` in which something is due, kNever if there is none.
  Cycle next(Cycle now) const {
    Cycle first = kNever;
    for (const Due<T>& d : list_)
      if (d.due > now) first = std::min(first, d.due);
    return first;
  }

 private:
  std::vector<Due<T>> list_;
  std::vector<T> taken_;
};

}  // namespace tessera::cluster

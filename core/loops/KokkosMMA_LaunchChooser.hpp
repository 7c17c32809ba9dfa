// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAUNCH_CHOOSER_HPP
#define KOKKOSMMA_LAUNCH_CHOOSER_HPP

#include <limits>

/// \file
/// The choice between launches of one loop by their times. No device here: who
/// launches asks what to measure and tells how long it took.

namespace KokkosMMA::Impl {

class LaunchChooser {
 public:
  static constexpr int none = -1;

  /// Measurements of each candidate. The least counts: the first launch of a
  /// kernel may load its code, and another stream may have had the device.
  static constexpr int rounds = 3;

  /// How much less time a candidate must take than one before it. Those come in
  /// the order of trust. With 0.99 a loop of 62 us was given a launch that was
  /// 3 % slower in one of two runs (H100, 2026-11-25).
  static constexpr float gain = 0.97f;
  /// And by how many milliseconds less: events tell no shorter times apart.
  static constexpr float resolution = 0.5e-3f;

  /// A candidate that has taken so much more than the fastest one, both twice,
  /// is not measured again.
  static constexpr float hopeless = 1.5f;

  static constexpr int max_candidates = 8;

  /// \param first the candidate to run until the first one is measured
  explicit LaunchChooser(int candidates, int first = 0)
      : m_count(candidates), m_first(first) {}

  /// The candidate to measure by the next call, or `none`. Rounds go over all
  /// candidates, so that a slow phase of the device meets all of them.
  int next() {
    int found = none;
    for (int c = 0; c < m_count; ++c) {
      Candidate const& each = m_all[c];
      if (is_done(each)) continue;
      if (found == none || each.begun < m_all[found].begun) found = c;
    }
    if (found != none) {
      m_all[found].begun += 1;
      m_open += 1;
    }
    return found;
  }

  /// What became of a measurement that next() began.
  void measured(int candidate, float milliseconds) {
    Candidate& each = m_all[candidate];
    m_open -= 1;
    each.samples += 1;
    if (milliseconds < each.least) each.least = milliseconds;
  }
  /// It has no result. It is not begun again: what prevents it may last.
  void lost() { m_open -= 1; }

  /// The candidate is never asked for again.
  void cannot_run(int candidate) { m_all[candidate].cannot_run = true; }

  /// The candidate to run while nothing is measured: of those with two
  /// measurements the fastest, and the one that the constructor was told until
  /// the first one has two.
  int choice() const {
    int chosen = 0;
    while (chosen + 1 < m_count && m_all[chosen].cannot_run) ++chosen;
    if (m_all[chosen].samples < 2 && !m_all[m_first].cannot_run && !settled())
      return m_first;
    for (int c = chosen + 1; c < m_count; ++c) {
      Candidate const& each = m_all[c];
      Candidate const& best = m_all[chosen];
      if (!each.cannot_run && each.samples >= 2 && best.samples >= 2 &&
          each.least < gain * best.least &&
          each.least < best.least - resolution)
        chosen = c;
    }
    return chosen;
  }

  /// Nothing is left to measure, and no measurement is open.
  bool settled() const {
    if (m_open > 0) return false;
    for (int c = 0; c < m_count; ++c)
      if (!is_done(m_all[c])) return false;
    return true;
  }

  /// The least time of a candidate; infinite where there is none.
  float milliseconds(int candidate) const { return m_all[candidate].least; }

 private:
  struct Candidate {
    float least     = std::numeric_limits<float>::infinity();
    int begun       = 0;
    int samples     = 0;
    bool cannot_run = false;
  };

  bool is_done(Candidate const& each) const {
    if (each.cannot_run || each.begun == rounds) return true;
    if (each.samples < 2) return false;
    for (int c = 0; c < m_count; ++c)
      if (m_all[c].samples >= 2 && !m_all[c].cannot_run &&
          each.least > hopeless * m_all[c].least)
        return true;
    return false;
  }

  Candidate m_all[max_candidates];
  int m_count;
  int m_first;
  int m_open = 0;
};

}  // namespace KokkosMMA::Impl

#endif

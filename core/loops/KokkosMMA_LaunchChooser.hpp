// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAUNCH_CHOOSER_HPP
#define KOKKOSMMA_LAUNCH_CHOOSER_HPP

#include <limits>

/// \file
/// Choice among the launches of a loop by their times. Independent of devices:
/// the launching code asks which one to measure and reports the time.

namespace KokkosMMA::Impl {

class LaunchChooser {
 public:
  static constexpr int none = -1;

  /// Measurements per candidate. The shortest counts: the first launch of a
  /// kernel may load its code, and another stream may have used the device.
  static constexpr int rounds = 3;

  /// Largest ratio of a candidate's time to that of an earlier one for which it
  /// is chosen. Candidates come in order of trust. With 0.99 a loop of 62 us
  /// got a launch that was 3 % slower, in one of two runs (H100, 2026-11-25).
  static constexpr float gain = 0.97f;
  /// Least gain in milliseconds: events do not resolve shorter times.
  static constexpr float resolution = 0.5e-3f;

  /// Time relative to the fastest candidate above which a candidate, after two
  /// measurements of both, is not measured again.
  static constexpr float hopeless = 1.5f;

  static constexpr int max_candidates = 8;

  /// Every 13th call of a watched choice is measured. Prime, so that an
  /// application which cycles over arrays samples all of them.
  static constexpr unsigned watch_period = 13;
  /// Time relative to the first candidate that counts as a strike.
  static constexpr float watch_limit = 1.25f;
  static constexpr int watch_strikes = 2;
  /// Milliseconds of the first candidate below which watched choices are not
  /// measured: a gain would not pay for it.
  static constexpr float short_launch = 0.02f;

  /// \param first candidate to run until candidate 0 is measured
  /// \param watched whether a choice other than candidate 0 is abandoned if it
  /// becomes slow, as with other data. For calls that run candidate 0 in about
  /// the same time.
  explicit LaunchChooser(int candidates, int first = 0, bool watched = false)
      : m_count(candidates), m_first(first), m_watched(watched) {}

  /// Candidate that the next call measures, or `none`. Rounds go over all
  /// candidates, so that a slow phase of the device affects all of them.
  int next() {
    int found = none;
    for (int c = 0; c < m_count; ++c) {
      Candidate const& each = m_all[c];
      if (is_done(each)) continue;
      if (found == none || each.begun < m_all[found].begun) found = c;
    }
    if (found == none && m_watched && m_open == 0 && fastest() > 0 &&
        ++m_calls % watch_period == 0)
      found = fastest();
    if (found != none) {
      m_all[found].begun += 1;
      m_open += 1;
    }
    return found;
  }

  /// Result of a measurement that next() began.
  void measured(int candidate, float milliseconds) {
    Candidate& each = m_all[candidate];
    m_open -= 1;
    each.samples += 1;
    if (m_watched && candidate > 0 && each.samples > rounds &&
        milliseconds > watch_limit * m_all[0].least &&
        ++m_strikes == watch_strikes)
      each.cannot_run = true;
    if (milliseconds < each.least) each.least = milliseconds;
  }
  /// A measurement without a result. It is not repeated: its cause may persist.
  void lost() { m_open -= 1; }

  /// Excludes a candidate.
  void cannot_run(int candidate) { m_all[candidate].cannot_run = true; }

  /// Candidate to run without measuring: the fastest of those with two
  /// measurements. Until the first candidate has two: the constructor's
  /// `first`.
  int choice() const {
    int const leading = first_that_runs();
    if (m_all[leading].samples < 2 && !m_all[m_first].cannot_run && !decided())
      return m_first;
    return fastest();
  }

  /// Whether all candidates are measured and no measurement is in progress.
  bool decided() const {
    if (m_open > 0) return false;
    for (int c = 0; c < m_count; ++c)
      if (!is_done(m_all[c])) return false;
    return true;
  }

  /// Whether the choice is final.
  bool is_final() const { return decided() && (!m_watched || fastest() == 0); }

  /// Least time of a candidate; infinite if it has none.
  float milliseconds(int candidate) const { return m_all[candidate].least; }

 private:
  struct Candidate {
    float least     = std::numeric_limits<float>::infinity();
    int begun       = 0;
    int samples     = 0;
    bool cannot_run = false;
  };

  int first_that_runs() const {
    int found = 0;
    while (found + 1 < m_count && m_all[found].cannot_run) ++found;
    return found;
  }

  int fastest() const {
    int chosen = first_that_runs();
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

  bool is_done(Candidate const& each) const {
    if (m_watched && &each != m_all && m_all[0].samples >= 2 &&
        m_all[0].least < short_launch)
      return true;
    if (each.cannot_run || each.begun >= rounds) return true;
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
  bool m_watched;
  int m_open       = 0;
  int m_strikes    = 0;
  unsigned m_calls = 0;  ///< since all candidates were measured
};

}  // namespace KokkosMMA::Impl

#endif

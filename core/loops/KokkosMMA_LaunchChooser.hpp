// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAUNCH_CHOOSER_HPP
#define KOKKOSMMA_LAUNCH_CHOOSER_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// Choice among the launches of a loop by their times. Independent of devices:
/// the launching code asks which one to measure and reports the time.

namespace KokkosMMA::Impl {

/// Kind of candidate 0.
enum class FirstCandidate : unsigned char {
  usual,
  of_caller,     ///< has tiles of the caller. Parts of a loop may cut these, so
                 ///< times of parts exclude it only above `far_slower`
  kept_if_short  ///< is chosen if it takes less than `short_launch`
};

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
  /// measurements of both, is not measured again. The limit also holds for
  /// parts: a candidate whose time by parts exceeds it is never launched for a
  /// whole loop. Of parts of one size the shortest time counts. With a limit of
  /// 2.5 for parts, the first dozen 7-point sweeps of 510^3 doubles and 638^3
  /// floats took 1.66 and 1.22 times as long as a dozen later ones; with a
  /// limit of 1.5, 1.05 times (H200, 2026-11-30).
  static constexpr float hopeless = 1.5f;

  /// Like `hopeless`, after one measurement. The difference must also exceed
  /// least_of_slower, in milliseconds. A loop over LayoutRight Views with the
  /// warp along the wrong dimension takes 17 times as long as along the right
  /// one (H200, 2026-11-29). The candidate that was measured first is exempt:
  /// its first launch may move memory.
  static constexpr float far_slower      = 2.5f;
  static constexpr float least_of_slower = 0.05f;
  /// If the choice takes this many times as long as another candidate, the
  /// other one runs until all are measured. (A host that does not wait makes
  /// 1000 calls until then.) This compares times of parts, or of whole loops.
  /// If the choice has one measurement, the factor is `far_slower`, because a
  /// first launch may be slow. Transposes of 8000^2 doubles took 1.11 ms in
  /// Kokkos and 0.71 in `transpose_shape` (H200, 2026-11-29).
  static constexpr float clearly_slower = 1.2f;
  /// Least difference for `clearly_slower`, in milliseconds. For parts, and for
  /// a single measurement, it is least_of_slower.
  static constexpr float least_of_clearly = 0.01f;

  static constexpr int max_candidates = 15;
  /// Set of candidates, a bit for each.
  using Candidates = std::uint16_t;
  /// Flag in a set of required candidates: the candidate may be measured before
  /// these have results. For those that cannot be far slower than the best.
  static constexpr Candidates at_once = 1u << max_candidates;

  /// Every 13th call of a watched choice is measured. Prime, so that an
  /// application which cycles over arrays samples all of them.
  static constexpr unsigned watch_period = 13;
  /// A watched call is a strike if it takes this many times candidate 0's
  /// shortest time.
  static constexpr float watch_limit = 1.25f;
  static constexpr int watch_strikes = 2;
  /// If candidate 0 takes less than this (milliseconds, two measurements), a
  /// watched chooser measures no other candidate, as a gain would not pay for
  /// it. With kept_if_short it keeps candidate 0.
  static constexpr float short_launch = 0.02f;

  /// \param first candidate to run until candidate 0, or the next one if 0 is
  ///        excluded, has two measurements, or another one clearly leads
  /// \param watched whether a choice other than candidate 0 is abandoned if it
  ///        becomes slow, as with other data. Use it if candidate 0 takes about
  ///        the same time in every call
  /// \param required for each candidate, the earlier ones that must not be
  ///        `hopeless` for it to be measured; null: none
  explicit LaunchChooser(int candidates, int first = 0, bool watched = false,
                         Candidates const* required = nullptr,
                         FirstCandidate kind        = FirstCandidate::usual)
      : m_count(candidates), m_first(first), m_watched(watched), m_kind(kind) {
    if (required == nullptr) return;
    for (int c = 0; c < m_count; ++c) m_all[c].required = required[c];
  }

  /// Candidate that the next call measures, or `none`. Rounds go over all
  /// candidates, so that a slow phase of the device affects all of them. A
  /// candidate is not measured again before its first result is known, except
  /// the one that would run anyway: its second measurement costs nothing.
  int next() {
    int found = none;
    if (m_open_parts > 0) return none;
    int const running = choice();
    for (int c = 0; c < m_count; ++c) {
      Candidate const& each = m_all[c];
      bool const is_open =
          each.results == 0 && each.begun > (c == running ? 1 : 0);
      if (is_done(each) || is_open || waits(each)) continue;
      if (found == none || each.begun < m_all[found].begun ||
          (each.begun == 0 && c == m_first))
        found = c;
    }
    if (found == none && m_watched && m_open == 0 && fastest() > 0 &&
        ++m_calls % watch_period == 0)
      found = fastest();
    if (found != none) {
      if (m_opening == none) m_opening = found;
      m_all[found].begun += 1;
      m_open += 1;
    }
    return found;
  }

  /// Result of a measurement that next() began.
  void measured(int candidate, float milliseconds) {
    Candidate& each = m_all[candidate];
    m_open -= 1;
    each.results += 1;
    each.samples += 1;
    if (each.samples == 1) each.first = milliseconds;
    if (m_watched && candidate > 0 && each.samples > rounds &&
        milliseconds > watch_limit * m_all[0].least &&
        ++m_strikes == watch_strikes) {
      each.cannot_run = true;
      m_strikes       = 0;
    }
    if (milliseconds < each.least) each.least = milliseconds;
  }
  /// A measurement without a result. It is not repeated: its cause may persist.
  void lost(int candidate) {
    m_open -= 1;
    m_all[candidate].results += 1;
  }

  /// Before it measures whole loops, a caller may let candidates run parts of
  /// the loop. A candidate whose shortest part is hopeless is never launched
  /// for a whole loop. Until all parts have a result nothing is measured.
  void begin_part() { m_open_parts += 1; }
  /// \param milliseconds of the whole loop at the rate of the part
  /// \param large a large part. Its launch counts less than that of a small
  ///   one, so its time is scaled: one candidate has parts of both sizes
  void measured_part(int candidate, float milliseconds, bool large = false) {
    m_open_parts -= 1;
    Candidate& each = m_all[candidate];
    float& least    = large ? each.large_part : each.part;
    if (milliseconds < least) least = milliseconds;
    if (each.part < never && each.large_part < never) m_with_both = candidate;
  }
  void lost_part() { m_open_parts -= 1; }
  bool awaits_parts() const { return m_open_parts > 0; }
  /// Candidates whose required ones are neither excluded nor hopeless by parts;
  /// none until all parts have a result. Compared with tiles of the caller, a
  /// candidate is hopeless only if it is `far_slower`: in a transpose square
  /// tiles would exclude both orders, and so `transpose_shape`, which requires
  /// these. 8000^2 doubles with tiles of 32: 1845 GB/s in these, 2870 in
  /// `transpose_shape` (H200, 2026-11-30).
  Candidates promising() const {
    Candidates bad = 0, all = 0;
    if (awaits_parts()) return all;
    int const from = m_kind == FirstCandidate::of_caller ? 1 : 0;
    for (int c = 0; c < m_count; ++c)
      if (m_all[c].cannot_run || lags_by_parts(m_all[c], hopeless, from) ||
          lags_by_parts(m_all[c], far_slower))
        bad = Candidates(bad | 1u << c);
    for (int c = 0; c < m_count; ++c)
      if ((m_all[c].required & bad) == 0) all = Candidates(all | 1u << c);
    return all;
  }

  /// Excludes a candidate.
  void cannot_run(int candidate) { m_all[candidate].cannot_run = true; }

  /// Candidate to run without measuring: the constructor's `first` until
  /// candidate 0 (or, if that is excluded, the next one) has two measurements,
  /// then the fastest of those with two. Until all are measured, a candidate
  /// that clearly leads this one (lead()) runs instead.
  int choice() const {
    bool const is_decided = decided();
    int const leading     = first_that_runs();
    int settled           = leading;
    if (m_all[leading].samples >= 2 || is_decided)
      settled = fastest();
    else if (!is_out(m_all[m_first]))
      settled = m_first;
    if (is_decided) return settled;
    int quickest = settled;
    float most   = 1;
    for (int c = 0; c < m_count; ++c) {
      float const times = is_out(m_all[c]) ? 0 : lead(m_all[c], m_all[settled]);
      if (gain * times > most) {
        most     = times;
        quickest = c;
      }
    }
    return quickest;
  }

  /// Whether no candidate is left to measure and no measurement is in progress.
  bool decided() const {
    if (m_open > 0 || m_open_parts > 0) return false;
    for (int c = 0; c < m_count; ++c)
      if (!is_done(m_all[c])) return false;
    return true;
  }

  /// Whether the choice is final.
  bool is_final() const { return decided() && (!m_watched || fastest() == 0); }

  /// Least time of a candidate; by its parts if it has no measurement; infinite
  /// if it has neither.
  float milliseconds(int candidate) const {
    Candidate const& each = m_all[candidate];
    return each.samples > 0 ? each.least : part_of(each);
  }

 private:
  static constexpr float never = std::numeric_limits<float>::infinity();

  struct Candidate {
    float least         = never;
    float first         = never;
    float part          = never;
    float large_part    = never;
    int begun           = 0;
    int results         = 0;  ///< samples, and measurements without one
    int samples         = 0;
    bool cannot_run     = false;
    Candidates required = 0;
  };

  /// Whether a candidate is slower than another one by factor and difference.
  /// \param samples least number of measurements of the other one
  bool lags(Candidate const& each, float factor, float difference,
            int samples) const {
    auto const time = [&](Candidate const& any) {
      return samples == 1 && each.samples == 1 ? any.first : any.least;
    };
    for (int c = 0; c < m_count; ++c)
      if (m_all[c].samples >= samples && !m_all[c].cannot_run &&
          time(each) > factor * time(m_all[c]) &&
          time(each) > time(m_all[c]) + difference)
        return true;
    return false;
  }
  /// Time by the candidate's parts. That of a large part is multiplied by the
  /// ratio small / large of the candidate that ran both, or by 1 if that is
  /// larger.
  float part_of(Candidate const& each) const {
    if (each.part < never || each.large_part == never || m_with_both == none)
      return each.part;
    // Below 1 if another stream disturbed the large parts.
    Candidate const& both = m_all[m_with_both];
    return each.large_part * std::max(1.f, both.part / both.large_part);
  }
  bool has_part(Candidate const& each) const { return part_of(each) < never; }

  /// Whether a candidate is slower than another by a factor, by their parts.
  bool lags_by_parts(Candidate const& each, float factor, int from = 0) const {
    if (!has_part(each) || m_open_parts > 0) return false;
    for (int c = from; c < m_count; ++c)
      if (!m_all[c].cannot_run && part_of(each) > factor * part_of(m_all[c]) &&
          part_of(each) > part_of(m_all[c]) + least_of_slower)
        return true;
    return false;
  }
  /// Time of `over` divided by that of `each` if `each` leads clearly, else 0.
  /// Times of parts are used unless whole loops show that `each` is not faster.
  float lead(Candidate const& each, Candidate const& over) const {
    bool const by_parts = has_part(each) && has_part(over) && m_open_parts == 0;
    bool const by_whole = each.samples > 0 && over.samples > 0;
    auto const ratio = [](float time, float fast, float factor, float least) {
      return time > factor * fast && time > fast + least ? time / fast : 0;
    };
    if (by_parts && !(by_whole && each.least >= over.least))
      return ratio(part_of(over), part_of(each), clearly_slower,
                   least_of_slower);
    if (!by_whole) return 0;
    return over.samples == 1
               ? ratio(over.least, each.least, far_slower, least_of_slower)
               : ratio(over.least, each.least, clearly_slower,
                       least_of_clearly);
  }
  bool of_caller(Candidate const& each) const {
    return m_kind == FirstCandidate::of_caller && &each == m_all;
  }
  /// Whether a candidate is excluded, hopeless by its parts, or far slower by
  /// its only measurement.
  bool is_out(Candidate const& each) const {
    return each.cannot_run ||
           lags_by_parts(each, of_caller(each) ? far_slower : hopeless) ||
           (each.samples == 1 &&
            (m_opening == none || &each != m_all + m_opening) &&
            lags(each, far_slower, least_of_slower, 1));
  }
  bool is_hopeless(Candidate const& each) const {
    return each.samples >= 2 ? lags(each, hopeless, 0, 2) : is_out(each);
  }

  /// Whether a required candidate has no result yet.
  bool waits(Candidate const& each) const {
    if (has_part(each) || (each.required & at_once)) return false;
    for (int c = 0; c < m_count; ++c)
      if ((each.required >> c & 1) && m_all[c].results == 0 &&
          !is_out(m_all[c]))
        return true;
    return false;
  }

  /// Whether a candidate is not measured because one that it requires is
  /// hopeless, by one measurement or more.
  bool is_spared(Candidate const& each) const {
    if (each.begun > 0 || has_part(each)) return false;
    for (int c = 0; c < m_count; ++c)
      if ((each.required >> c & 1) &&
          (is_hopeless(m_all[c]) ||
           (m_all[c].samples > 0 && lags(m_all[c], hopeless, 0, 1))))
        return true;
    return false;
  }

  int first_that_runs() const {
    int found = 0;
    while (found + 1 < m_count &&
           (is_out(m_all[found]) || is_spared(m_all[found])))
      ++found;
    return found;
  }

  int fastest() const {
    int chosen = first_that_runs();
    if (m_kind == FirstCandidate::kept_if_short && chosen == 0 &&
        m_all[0].samples >= 2 && m_all[0].least < short_launch)
      return 0;
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
    return each.cannot_run || each.begun >= rounds || is_hopeless(each) ||
           is_spared(each);
  }

  Candidate m_all[max_candidates];
  int m_count;
  int m_first;
  bool m_watched;
  FirstCandidate m_kind;
  int m_opening    = none;  ///< measured first
  int m_with_both  = none;  ///< candidate with a small and a large part
  int m_open       = 0;
  int m_open_parts = 0;
  int m_strikes    = 0;
  unsigned m_calls = 0;  ///< since all candidates were measured
};

}  // namespace KokkosMMA::Impl

#endif

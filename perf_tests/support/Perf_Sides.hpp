// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SIDES_HPP
#define KOKKOSMMA_PERF_SIDES_HPP

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/Perf_Data.hpp"

// The sources of bodies are an application's: they include nothing of the
// library and are compiled twice, without and with the drop-in in front. All
// that they define is in the namespace of their side, so that no kernel, and no
// instance of a Kokkos template, has the same name on both.
#if defined(KOKKOSMMA_DROP_IN_HPP)
#define KOKKOSMMA_PERF_SIDE drop_in
#else
#define KOKKOSMMA_PERF_SIDE kokkos
#endif

namespace perf {

class Session;

/// What a body is timed by.
struct Work {
  std::function<void()> call;  ///< submits it once
  double indices            = 0;
  double bytes              = 0;   ///< that a call has to move; 0: no bound
  std::function<void()> cub = {};  ///< the same body by CUB
  /// How far results may be from Kokkos', relative to one and themselves: sums
  /// are added in another order. 0: not a bit.
  double tolerance = 0;
  /// A call ends with a fence, and is timed by the host's clock.
  bool waits = false;
  /// The same loop with indices of type int64_t, of the plain side.
  std::function<void()> int64 = {};
};

/// The memory of the bodies, the same for both sides.
class Arena {
 public:
  Exec exec;

  explicit Arena(Session& session);
  int at_most(int n) const { return std::min(n, m_max_n); }
  /// Elements of an array that no cache holds: 2^28, of 8 bytes 2^27, no more
  /// than --mma-max-n.
  template <class T>
  int elements() const {
    return at_most(sizeof(T) == 8 ? 1 << 27 : 1 << 28);
  }
  /// Random data: twice elements() of T.
  template <class T>
  T* in() const;
  template <class T>
  Vector<T> in(int n) const {
    return Vector<T>(in<T>(), n);
  }
  /// The results, which are poisoned before a checked call and then compared.
  template <class T>
  T* out(std::size_t n) {
    return static_cast<T*>(
        results(n * sizeof(T), std::is_floating_point_v<T> ? sizeof(T) : 0));
  }
  template <class T>
  Vector<T> out_vector(int n) {
    return Vector<T>(out<T>(n), n);
  }

  /// The bits that a call writes over a poison.
  std::uint64_t hash_of(std::function<void()> const& call) const;
  /// The results that are there are those that others are compared with.
  void keep();
  /// How many results are farther from those kept than so.
  std::size_t wrong(double tolerance) const;

 private:
  void* results(std::size_t bytes, std::size_t floating_bytes);

  Session& m_session;
  int m_max_n;
  std::uint32_t* m_results     = nullptr;
  std::size_t m_words          = 0;
  std::size_t m_floating_bytes = 0;  // of a result: 4, 8, else 0
  Vector<std::uint32_t> m_kept;
};

/// One line of the table of bodies.
struct Line {
  char const* type;
  std::string name;
  std::function<Work(Arena&)> make;
  bool has_cub = false, has_int64 = false;
};

using Table = std::vector<Line>();

}  // namespace perf

#endif

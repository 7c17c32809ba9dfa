// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_CASE_HPP
#define KOKKOSMMA_PERF_SEGMENTED_CASE_HPP

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "papers/Perf_PaperSums.hpp"
#include "segmented/Perf_SegmentedCheck.hpp"
#include "segmented/Perf_SegmentedPeers.hpp"
#include "support/Perf_Libraries.hpp"
#include "support/Perf_Program.hpp"

/// What a case of perf_segmented is, and the call of its contender.
namespace perf {

enum class Task { reduce, scan, energy };
enum class Contender {
  kokkos_team,
  kokkos_flat,
  cub_offsets,
  cub_fixed,
  cub_by_key,
  cublas,
  segmented,
  unchecked,
  mma,
  streamed,
  collective,
  wmma
};
enum class Shape { equal, ragged32, ragged64, columns };
enum class Pattern { length, mean, power_law, one_long, columns };

constexpr char const* name_of(Task t) {
  constexpr char const* names[] = {"segmented_reduce", "segmented_scan",
                                   "segmented_energy"};
  return names[static_cast<int>(t)];
}
constexpr char const* name_of(Contender c) {
  constexpr char const* names[] = {"kokkos_team", "kokkos_flat", "cub_offsets",
                                   "cub_fixed",   "cub_by_key",  "cublas",
                                   "segmented",   "unchecked",   "mma",
                                   "streamed",    "collective",  "wmma"};
  return names[static_cast<int>(c)];
}
constexpr char const* name_of(Shape s) {
  constexpr char const* names[] = {"equal", "ragged32", "ragged64", "along0"};
  return names[static_cast<int>(s)];
}
constexpr char const* name_of(Pattern p) {
  constexpr char const* names[] = {"length", "mean", "power_law", "one_long",
                                   "columns"};
  return names[static_cast<int>(p)];
}

/// The label of other contenders; the library's calls have their route there.
constexpr char const* label_of(Contender c) {
  if (c == Contender::kokkos_team || c == Contender::kokkos_flat)
    return "kokkos";
  if (c == Contender::collective) return "collective";
  if (c == Contender::wmma) return "wmma";
  return c == Contender::cublas ? "cublas" : "cub";
}
/// The library's calls, which take a route.
constexpr bool is_ours(Contender c) {
  return c == Contender::segmented || c == Contender::unchecked ||
         c == Contender::mma || c == Contender::streamed;
}

struct Case {
  Task task;
  Contender contender;
  Shape shape;
  Pattern pattern;
  std::size_t parameter;  // length, mean length, shortest, short ones, columns
  std::size_t n;

  bool ragged() const {
    return shape == Shape::ragged32 || shape == Shape::ragged64;
  }
  bool scans() const { return task == Task::scan; }
  std::string cut_name() const {
    return std::string(name_of(shape)) + "/" + name_of(pattern) + ":" +
           std::to_string(parameter);
  }
  template <class T>
  std::string name() const {
    return std::string(name_of(task)) + "/" + name_of(contender) + "/" +
           type_name<T>() + "/" + cut_name() + "/n:" + std::to_string(n);
  }
  /// On hosts there is the generic route alone, and naming another one is an
  /// error.
  KokkosMMA::Settings settings() const {
    KokkosMMA::Settings s;
    if (contender == Contender::unchecked) s.check_offsets = false;
    if (on_cuda && contender == Contender::mma) s.route = KokkosMMA::Route::mma;
    if (on_cuda && contender == Contender::streamed)
      s.route = KokkosMMA::Route::streamed;
    return s;
  }
};

/// Offsets of segments, on the device, in both widths.
struct Offsets {
  std::size_t n = 0, longest = 0;
  Vector<std::int64_t> wide;
  Vector<std::int32_t> narrow;
};

/// What a contender works on.
template <class T>
struct Work {
  Exec exec;
  Case c;
  Cut cut;
  Offsets const* offsets;  // ragged
  Vector<T> x;
  Vector<sum_type<T>> y;   // sums, or prefixes
  Scratch<T> const* ones;  // cublas: as many as a segment has elements
};

/// The library's call of a case, on segments of any kind.
template <class T, class Segments>
Call own_reduce(Work<T> const& w, Segments const& segments) {
  return [w, segments, settings = w.c.settings()] {
    KokkosMMA::segmented_reduce(w.exec, w.x, segments, w.y, settings);
  };
}
template <class T>
Call own_column_reduce(Work<T> const& w) {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const x(
      w.x.data(), w.cut.n / w.cut.length, w.cut.length);
  return [w, x, settings = w.c.settings()] {
    KokkosMMA::segmented_reduce(w.exec, x, KokkosMMA::Axis{0}, w.y, settings);
  };
}
template <class T, class Segments>
Call own_scan(Work<T> const& w, Segments const& segments) {
  return [w, segments, settings = w.c.settings()] {
    KokkosMMA::segmented_inclusive_scan(w.exec, w.x, segments, w.y, settings);
  };
}

template <class T>
Call own_column_scan(Work<T> const& w) {
  using Matrix = Kokkos::View<sum_type<T>**, Kokkos::LayoutRight, Exec>;
  std::size_t const rows = w.cut.n / w.cut.length;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const x(w.x.data(), rows,
                                                       w.cut.length);
  Matrix const y(w.y.data(), rows, w.cut.length);
  return [w, x, y, settings = w.c.settings()] {
    KokkosMMA::segmented_inclusive_scan(w.exec, x, KokkosMMA::Axis{0}, y,
                                        settings);
  };
}

/// Kokkos' teams and threads on segments of any kind.
template <class T, class Rows>
Call kokkos_reduce(Work<T> const& w, Rows const& rows) {
  if (w.c.contender == Contender::kokkos_flat)
    return [w, rows] {
      kokkos_flat_reduce<T>(w.exec, rows, w.cut.segments, w.x, w.y);
    };
  // A single vector of 32 lanes would sum the long segment.
  if (w.c.pattern == Pattern::one_long)
    return [w, rows] {
      kokkos_block_reduce<T>(w.exec, rows, w.cut.segments, w.x, w.y);
    };
  return [w, rows, shape = TeamShape(w.cut.n / w.cut.segments)] {
    kokkos_team_reduce<T>(w.exec, rows, w.cut.segments, shape, w.x, w.y);
  };
}
template <class T, class Rows>
Call kokkos_scan(Work<T> const& w, Rows const& rows) {
  return [w, rows, shape = TeamShape(w.cut.n / w.cut.segments)] {
    kokkos_team_scan<T>(w.exec, rows, w.cut.segments, shape, w.x, w.y);
  };
}

#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
/// Equal segments are the columns of a column-major matrix, columns its rows.
template <class T>
Call cublas_reduce(Work<T> const& w) {
  bool const columns     = w.c.shape == Shape::columns;
  std::size_t const rows = w.cut.length;
  return [w, columns, rows] {
    Cublas::instance().multiply<T>(w.exec, !columns, rows, w.cut.n / rows,
                                   w.x.data(), w.ones->data(), w.y.data());
  };
}
#endif

[[noreturn]] inline void no_such_case(Case const& c) {
  throw std::logic_error(std::string("perf: no ") + name_of(c.contender) +
                         " for " + name_of(c.task) + " " + c.cut_name());
}

template <class T>
Call reduce_call(Work<T> const& w) {
  Case const& c = w.c;
  EqualRows const equal{w.cut.length};
  if (is_ours(c.contender)) {
    switch (c.shape) {
      case Shape::equal: return own_reduce(w, w.cut.length);
      case Shape::ragged32: return own_reduce(w, w.offsets->narrow);
      case Shape::ragged64: return own_reduce(w, w.offsets->wide);
      case Shape::columns: return own_column_reduce(w);
    }
  }
  if (c.contender == Contender::collective && c.shape == Shape::equal)
    return [w, equal] {
      collective_reduce<T>(w.exec, equal, w.cut.segments, w.x, w.y);
    };
  if (c.contender == Contender::kokkos_team ||
      c.contender == Contender::kokkos_flat) {
    if (c.shape == Shape::equal) return kokkos_reduce(w, equal);
    if (c.shape == Shape::ragged32)
      return kokkos_reduce(w,
                           OffsetRows<std::int32_t>{w.offsets->narrow.data()});
    if (c.shape == Shape::ragged64)
      return kokkos_reduce(w, OffsetRows<std::int64_t>{w.offsets->wide.data()});
    std::size_t const rows = w.cut.n / w.cut.length;
    if (c.contender == Contender::kokkos_team)
      return [w, rows] {
        kokkos_team_columns<T>(w.exec, rows, w.cut.length, w.x, w.y);
      };
    return [w, rows] {
      kokkos_flat_columns<T>(w.exec, rows, w.cut.length, w.x, w.y);
    };
  }
#ifdef KOKKOS_ENABLE_CUDA
  if (c.contender == Contender::cub_offsets) {
    if (c.shape == Shape::equal)
      return cub_segmented_reduce<T>(
          w.exec, w.x.data(), w.y.data(), w.cut.segments,
          thrust::make_transform_iterator(
              thrust::counting_iterator<long long>(0),
              TimesLength{static_cast<long long>(w.cut.length)}));
    if (c.shape == Shape::ragged32)
      return cub_segmented_reduce<T>(
          w.exec, w.x.data(), w.y.data(), w.cut.segments,
          static_cast<std::int32_t const*>(w.offsets->narrow.data()));
    if (c.shape == Shape::ragged64)
      return cub_segmented_reduce<T>(
          w.exec, w.x.data(), w.y.data(), w.cut.segments,
          static_cast<std::int64_t const*>(w.offsets->wide.data()));
  }
  if constexpr (has_cub_fixed<T>) {
    if (c.contender == Contender::cub_fixed)
      return cub_fixed_reduce<T>(w.exec, w.x.data(), w.y.data(), w.cut.segments,
                                 static_cast<int>(w.cut.length));
  }
#endif
#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
  if constexpr (!std::is_integral_v<T>) {
    if (c.contender == Contender::cublas) return cublas_reduce(w);
  }
#endif
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_wmma<T>) {
    if (c.contender == Contender::wmma)
      return wmma_segments(w.exec, false, w.x.data(), w.y.data(),
                           w.cut.segments, w.cut.length);
  }
#endif
  no_such_case(c);
}

template <class T>
Call scan_call(Work<T> const& w) {
  Case const& c = w.c;
  if (is_ours(c.contender)) {
    if (c.shape == Shape::equal) return own_scan(w, w.cut.length);
    if (c.shape == Shape::ragged32) return own_scan(w, w.offsets->narrow);
    if (c.shape == Shape::columns) return own_column_scan(w);
  }
  if (c.contender == Contender::kokkos_flat && c.shape == Shape::columns)
    return [w] {
      kokkos_flat_column_scan<T>(w.exec, w.cut.n / w.cut.length, w.cut.length,
                                 w.x, w.y);
    };
  if (c.contender == Contender::kokkos_team) {
    if (c.shape == Shape::equal) return kokkos_scan(w, EqualRows{w.cut.length});
    if (c.shape == Shape::ragged32)
      return kokkos_scan(w, OffsetRows<std::int32_t>{w.offsets->narrow.data()});
  }
#ifdef KOKKOS_ENABLE_CUDA
  if (c.contender == Contender::cub_by_key) {
    if (c.shape == Shape::equal)
      return cub_by_key_scan<T>(
          w.exec,
          thrust::make_transform_iterator(
              thrust::counting_iterator<unsigned>(0),
              OverLength{static_cast<unsigned>(w.cut.length)}),
          w.x.data(), w.y.data(), w.cut.n);
    if (c.shape == Shape::ragged32) {
      Scratch<int> const keys(w.exec, w.cut.n);
      std::size_t const workers = std::size_t(1) << 18;
      Kokkos::parallel_for("perf::keys", IndexRange(w.exec, 0, workers),
                           WriteKeys{w.cut, keys.data(), workers});
      return [keys, call = cub_by_key_scan<T>(
                        w.exec, static_cast<int const*>(keys.data()),
                        w.x.data(), w.y.data(), w.cut.n)] { call(); };
    }
  }
#endif
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_wmma<T>) {
    if (c.contender == Contender::wmma)
      return wmma_segments(w.exec, true, w.x.data(), w.y.data(), w.cut.segments,
                           w.cut.length);
  }
#endif
  no_such_case(c);
}

}  // namespace perf

#endif

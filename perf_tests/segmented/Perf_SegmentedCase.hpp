// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_CASE_HPP
#define KOKKOSMMA_PERF_SEGMENTED_CASE_HPP

#include <array>

#include "papers/Perf_PaperSums.hpp"
#include "segmented/Perf_SegmentedPeers.hpp"

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
enum class Shape { equal, ragged32, ragged64, columns, keys };
enum class Pattern { length, mean, power_law, one_long, columns };

constexpr char const* name_of(Task t) {
  return std::array{"segmented_reduce", "segmented_scan",
                    "segmented_energy"}[static_cast<std::size_t>(t)];
}
constexpr char const* name_of(Contender c) {
  return std::array{"kokkos_team", "kokkos_flat", "cub_offsets", "cub_fixed",
                    "cub_by_key",  "cublas",      "segmented",   "unchecked",
                    "mma",         "streamed",    "collective",  "wmma"}
      [static_cast<std::size_t>(c)];
}
constexpr char const* name_of(Shape s) {
  return std::array{"equal", "ragged32", "ragged64", "along0",
                    "keys"}[static_cast<std::size_t>(s)];
}
constexpr char const* name_of(Pattern p) {
  return std::array{"length", "mean", "power_law", "one_long",
                    "columns"}[static_cast<std::size_t>(p)];
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
  /// On hosts there is only the generic route, and naming another one is an
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
  int* keys;               // of each element; then room for the runs'

  int* unique_keys() const { return keys + cut.n; }
};

/// f(segments) with the segments of a case as the library takes them beside the
/// elements.
template <class T, class F>
Call with_segments(Work<T> const& w, F const& f) {
  if (w.c.shape == Shape::equal) return f(w.cut.length);
  if (w.c.shape == Shape::ragged32) return f(w.offsets->narrow);
  return f(w.offsets->wide);
}
/// f(rows) with the segments as Kokkos' own code walks over them.
template <class T, class F>
Call with_rows(Work<T> const& w, F const& f) {
  if (w.c.shape == Shape::equal) return f(EqualRows{w.cut.length});
  if (w.c.shape == Shape::ragged32)
    return f(OffsetRows<std::int32_t>{w.offsets->narrow.data()});
  return f(OffsetRows<std::int64_t>{w.offsets->wide.data()});
}
template <class T>
ColumnRows columns_of(Work<T> const& w) {
  return {w.cut.n / w.cut.length, w.cut.length};
}
template <class U, class T>
Kokkos::View<U**, Kokkos::LayoutRight, Exec> matrix_of(Work<T> const& w,
                                                       U* data) {
  return Kokkos::View<U**, Kokkos::LayoutRight, Exec>(
      data, w.cut.n / w.cut.length, w.cut.length);
}

/// The library's calls.
template <class T>
Call own_reduce(Work<T> const& w) {
  auto const settings = w.c.settings();
  if (w.c.shape == Shape::columns)
    return [w, settings, x = matrix_of(w, w.x.data())] {
      KokkosMMA::segmented_reduce(w.exec, x, KokkosMMA::Axis{0}, w.y, settings);
    };
  return with_segments(w, [&](auto const& segments) -> Call {
    return [w, segments, settings] {
      KokkosMMA::segmented_reduce(w.exec, w.x, segments, w.y, settings);
    };
  });
}
template <class T>
Call own_scan(Work<T> const& w) {
  auto const settings = w.c.settings();
  if (w.c.shape == Shape::columns)
    return [w, settings, x = matrix_of(w, w.x.data()),
            y = matrix_of(w, w.y.data())] {
      KokkosMMA::segmented_inclusive_scan(w.exec, x, KokkosMMA::Axis{0}, y,
                                          settings);
    };
  return with_segments(w, [&](auto const& segments) -> Call {
    return [w, segments, settings] {
      KokkosMMA::segmented_inclusive_scan(w.exec, w.x, segments, w.y, settings);
    };
  });
}

/// Kokkos' teams, of the fastest shape, and threads.
template <class T>
Call kokkos_reduce(Work<T> const& w) {
  bool const flat = w.c.contender == Contender::kokkos_flat;
  if (w.c.shape == Shape::columns && flat)
    return kokkos_columns_reduce<T>(w.exec, columns_of(w), w.x, w.y);
  if (w.c.shape == Shape::columns)
    return [w, rows = columns_of(w)] {
      kokkos_block_reduce<T>(w.exec, rows, w.cut.segments, 512, w.x, w.y);
    };
  return with_rows(w, [&](auto const& rows) -> Call {
    if (flat)
      return [w, rows] {
        kokkos_flat<false>(w.exec, rows, w.cut.segments, w.x, w.y);
      };
    std::size_t const typical = w.cut.n / w.cut.segments;
    std::vector<Call> calls;
    // A single vector of 32 lanes would sum the long segment.
    if (w.c.pattern != Pattern::one_long)
      for (TeamShape const& shape : TeamShape::all(typical))
        calls.push_back([w, rows, shape] {
          kokkos_team_reduce<T>(w.exec, rows, w.cut.segments, shape, w.x, w.y);
        });
    if (w.c.pattern == Pattern::one_long || typical >= 1024)
      for (int threads : on_cuda ? std::vector{128, 256} : std::vector{1})
        calls.push_back([w, rows, threads] {
          kokkos_block_reduce<T>(w.exec, rows, w.cut.segments, threads, w.x,
                                 w.y);
        });
    return fastest_of(w.exec, calls);
  });
}
template <class T>
Call kokkos_scan(Work<T> const& w) {
  if (w.c.shape == Shape::columns)
    return kokkos_columns_scan<T>(w.exec, columns_of(w), w.x, w.y);
  bool const flat = w.c.contender == Contender::kokkos_flat;
  return with_rows(w, [&](auto const& rows) -> Call {
    if (flat)
      return [w, rows] {
        kokkos_flat<true>(w.exec, rows, w.cut.segments, w.x, w.y);
      };
    std::vector<Call> calls;
    for (TeamShape const& shape : TeamShape::all(w.cut.n / w.cut.segments))
      calls.push_back([w, rows, shape] {
        kokkos_team_scan<T>(w.exec, rows, w.cut.segments, shape, w.x, w.y);
      });
    return fastest_of(w.exec, calls);
  });
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
  if (is_ours(c.contender)) return own_reduce(w);
  if (c.contender == Contender::kokkos_team ||
      c.contender == Contender::kokkos_flat)
    return kokkos_reduce(w);
  if (c.contender == Contender::collective)
    return [w] {
      collective_reduce<T>(w.exec, {w.cut.length}, w.cut.segments, w.x, w.y);
    };
#ifdef KOKKOS_ENABLE_CUDA
  if (c.contender == Contender::cub_offsets) {
    auto const between = [&](auto offsets) {
      return cub_segmented_reduce<T>(w.exec, w.x.data(), w.y.data(),
                                     w.cut.segments, offsets);
    };
    if (c.shape == Shape::ragged32) return between(w.offsets->narrow.data());
    if (c.shape == Shape::ragged64) return between(w.offsets->wide.data());
    return between(thrust::make_transform_iterator(
        thrust::counting_iterator<long long>(0),
        TimesLength{static_cast<long long>(w.cut.length)}));
  }
  if constexpr (has_cub_fixed<T>) {
    if (c.contender == Contender::cub_fixed)
      return cub_fixed_reduce<T>(w.exec, w.x.data(), w.y.data(), w.cut.segments,
                                 static_cast<int>(w.cut.length));
  }
  if constexpr (has_wmma<T>) {
    if (c.contender == Contender::wmma)
      return wmma_segments(w.exec, false, w.x.data(), w.y.data(),
                           w.cut.segments, w.cut.length);
  }
#endif
#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
  if constexpr (!std::is_integral_v<T>) {
    if (c.contender == Contender::cublas) return cublas_reduce(w);
  }
#endif
  no_such_case(c);
}

template <class T>
Call scan_call(Work<T> const& w) {
  Case const& c = w.c;
  if (is_ours(c.contender)) return own_scan(w);
  if (c.contender == Contender::kokkos_team ||
      c.contender == Contender::kokkos_flat)
    return kokkos_scan(w);
#ifdef KOKKOS_ENABLE_CUDA
  if (c.contender == Contender::cub_by_key && c.shape == Shape::equal)
    return cub_by_key_scan<T>(
        w.exec,
        thrust::make_transform_iterator(thrust::counting_iterator<unsigned>(0),
                                        OverLength(w.cut.length)),
        w.x.data(), w.y.data(), w.cut.n);
  if (c.contender == Contender::cub_by_key) {
    Scratch<int> const keys(w.exec, w.cut.n);
    std::size_t const workers = std::size_t(1) << 18;
    Kokkos::parallel_for("perf::keys", IndexRange(w.exec, 0, workers),
                         WriteKeys{w.cut, keys.data(), workers});
    return [keys, call = cub_by_key_scan<T>(
                      w.exec, static_cast<int const*>(keys.data()), w.x.data(),
                      w.y.data(), w.cut.n)] { call(); };
  }
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

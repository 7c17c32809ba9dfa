// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TUNECASES_HPP
#define KOKKOSMMA_PERF_TUNECASES_HPP

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "Perf_Tune.hpp"

/// What perf_tune measures, for one type at a time: on Cuda alone.
namespace perf {

/// Sizes at which both sides are measured, in bytes: launches count in the
/// first, memory alone in the second.
inline constexpr std::size_t tune_bytes[] = {std::size_t(1) << 25,
                                             std::size_t(1) << 29};

template <class T>
using TuneInput =
    Kokkos::View<T const*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T>
using TuneOutput =
    Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T>
struct SumOfResults {
  T const* results;
  KOKKOS_FUNCTION void operator()(std::size_t i, double& sum) const {
    sum += double(results[i]);
  }
};
template <class T>
std::function<double()> sum_of(Exec const& exec, T const* results,
                               std::size_t count) {
  return [=] {
    double sum = 0;
    Kokkos::parallel_reduce("perf::tune", IndexRange(exec, 0, count),
                            SumOfResults<T>{results}, sum);
    return sum;
  };
}

/// Slices of the data that repeated calls walk through, so that small ones too
/// meet data that no cache holds.
template <class T>
struct Slices {
  T const* data;
  std::size_t n;
  std::size_t count;

  Slices(Session& session, std::size_t elements) : n(elements) {
    std::size_t const bytes = std::max(n * sizeof(T), session.rotation_bytes());
    count                   = std::max<std::size_t>(bytes / (n * sizeof(T)), 1);
    data                    = session.data<T>(count * n);
  }
  TuneInput<T> operator()(std::size_t k) const {
    return TuneInput<T>(data + k % count * n, n);
  }
};

inline std::string tune_size(std::size_t bytes) {
  return bytes >= std::size_t(1) << 20 ? std::to_string(bytes >> 20) + " MB"
                                       : std::to_string(bytes >> 10) + " KB";
}

/// Sums of Views and of products of two.
template <class T>
void tune_reduce(Tuner& tuner) {
  using Sum = sum_type<T>;
  std::vector<TuneCase> cases, dots;
  Sum* const result = tuner.session().template results<Sum>(1);
  Kokkos::View<Sum, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const to(
      result);
  Exec const exec = tuner.exec();
  for (std::size_t const bytes : tune_bytes) {
    std::size_t const n = tuner.session().fitting(bytes / sizeof(T), sizeof(T));
    cases.push_back({tune_size(n * sizeof(T)), double(n * sizeof(T))});
    cases.back().call = [exec, to, &tuner, n](std::size_t k) {
      KokkosMMA::reduce(exec, Slices<T>(tuner.session(), n)(k), to);
    };
    cases.back().sum = sum_of(exec, result, 1);
    dots.push_back(cases.back());
    // One View twice would be squares: read once.
    dots.back().call = [exec, to, &tuner, n](std::size_t k) {
      auto const x           = Slices<T>(tuner.session(), n)(k);
      std::size_t const half = n / 2 / 128 * 128;
      TuneInput<T> const a(x.data(), half), b(x.data() + half, half);
      Kokkos::parallel_reduce("perf::dot", IndexRange(exec, 0, half),
                              KokkosMMA::dot(a, b), KokkosMMA::Sum(to));
    };
  }
  tuner.choose_flag<T>(&TuningTable::reduce_mma, cases);
  if constexpr (sizeof(T) <= 2 || std::is_same_v<T, double>) {
    tuner.choose_flag<T>(&TuningTable::dot_mma, dots);
  }
}

/// Scans of Views.
template <class T>
void tune_scan(Tuner& tuner) {
  using Sum = sum_type<T>;
  std::vector<TuneCase> cases;
  Exec const exec = tuner.exec();
  for (std::size_t const bytes : tune_bytes) {
    std::size_t const n =
        tuner.session().fitting(bytes / sizeof(Sum), sizeof(Sum));
    Sum* const y = tuner.session().template results<Sum>(n);
    TuneOutput<Sum> const to(y, n);
    cases.push_back({tune_size(n * sizeof(T)),
                     double(n) * double(sizeof(T) + sizeof(Sum))});
    cases.back().call = [exec, to, &tuner, n](std::size_t k) {
      KokkosMMA::inclusive_scan(exec, Slices<T>(tuner.session(), n)(k), to);
    };
    cases.back().sum = sum_of(exec, y, n);
  }
  tuner.choose_flag<T>(&TuningTable::scan_mma, cases);
}

/// Equal segments.
template <class T>
void tune_segments(Tuner& tuner) {
  using Sum       = sum_type<T>;
  Exec const exec = tuner.exec();
  std::size_t const n =
      tuner.session().fitting((std::size_t(1) << 28) / sizeof(T), sizeof(T));
  // Of segments of three elements, the shortest.
  Sum* const y       = tuner.session().template results<Sum>(n / 3 + 2);
  auto const case_of = [&](std::size_t length) {
    std::size_t const count = (n + length - 1) / length;
    TuneOutput<Sum> const to(y, count);
    TuneCase c{type_name<T>() + (" " + std::to_string(length)),
               double(n * sizeof(T) + count * sizeof(Sum)),
               int(length * sizeof(T))};
    c.call = [exec, to, &tuner, n, length](std::size_t) {
      TuneInput<T> const x(tuner.session().data<T>(n), n);
      KokkosMMA::segmented_reduce(exec, x, length, to);
    };
    c.sum = sum_of(exec, y, count);
    return c;
  };
  std::vector<TuneCase> cases;
  for (std::size_t const bytes : {16, 64, 256, 1024, 4096, 16384})
    if (bytes / sizeof(T) >= 3) cases.push_back(case_of(bytes / sizeof(T)));
  tuner.choose_limit<T>(&TuningTable::segments_mma_bytes, cases);

  // What the types of a size do differs in nothing that takes time.
  if (!std::is_same_v<T, half_type> && !std::is_same_v<T, float> &&
      !std::is_same_v<T, double> && !std::is_same_v<T, std::int8_t>)
    return;
  TuningTable all = tuner.table(), none = tuner.table();
  all.tiny_elements      = 1024;
  all.tiny_bytes         = 8192;
  all.tiny_from_elements = all.tiny_over_bytes = 0;
  none.tiny_elements                           = 0;
  for (std::size_t const length : {3, 5, 6, 7, 9, 12, 15, 17, 20, 24, 31}) {
    if (length * sizeof(T) % 16 == 0) continue;
    TuneCase const c = case_of(length);
    tuner.tiny.push_back(
        {c.name, length, length * sizeof(T), tuner.both(c, all, none)});
  }
  for (std::size_t const bytes : {16, 32, 64, 128, 256, 1024}) {
    if (bytes / sizeof(T) < 3) continue;
    TuneCase const c = case_of(bytes / sizeof(T));
    tuner.kept.push_back(
        {c.name, int(bytes),
         tuner.both(c, tuner.with(&TuningTable::kept_bytes, 8192),
                    tuner.with(&TuningTable::kept_bytes, 0))});
  }
}

/// Columns of a matrix.
template <class T>
void tune_columns(Tuner& tuner) {
  using Sum       = sum_type<T>;
  using Matrix    = Kokkos::View<T const**, Kokkos::LayoutRight, Exec,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Exec const exec = tuner.exec();
  std::vector<TuneCase> cases;
  for (std::size_t const columns : {64, 4096}) {
    std::size_t const n =
        tuner.session().fitting((std::size_t(1) << 28) / sizeof(T), sizeof(T));
    Sum* const y = tuner.session().template results<Sum>(4096);
    TuneOutput<Sum> const to(y, columns);
    cases.push_back({std::to_string(columns) + " columns",
                     double(n * sizeof(T)), int(columns)});
    cases.back().call = [exec, to, &tuner, n, columns](std::size_t) {
      Matrix const x(tuner.session().data<T>(n), n / columns, columns);
      KokkosMMA::segmented_reduce(exec, x, KokkosMMA::Axis{0}, to);
    };
    cases.back().sum = sum_of(exec, y, columns);
  }
  tuner.choose_flag<T>(&TuningTable::columns_mma, cases);
}

/// Segments between offsets, lengths uniform from none to a longest.
template <class T>
void tune_ragged(Tuner& tuner) {
  using Sum                = sum_type<T>;
  Exec const exec          = tuner.exec();
  std::size_t const n      = std::size_t(1) << 26;
  TuningTable plain        = tuner.table();
  plain.tiny_csr_bytes  = 0;
  plain.quads_csr_bytes = 1 << 20;
  TuningTable quads        = plain;
  quads.quads_csr_bytes = 0;
  TuningTable tiny         = plain;
  tiny.tiny_csr_bytes   = 8192;
  for (int const bytes : {8, 16, 32, 64, 128, 256}) {
    int const longest = bytes / int(sizeof(T));
    if (longest < 2) continue;
    std::vector<int> lengths(1, 0);
    for (std::size_t end = 0; end < n;) {
      int const length = int(mix(lengths.size()) % std::uint64_t(longest + 1));
      if (end + std::size_t(length) > n) break;
      end += std::size_t(length);
      lengths.push_back(int(end));
    }
    Kokkos::View<int*, Exec> const offsets("perf::offsets", lengths.size());
    Kokkos::deep_copy(offsets, Kokkos::View<int const*, Kokkos::HostSpace>(
                                   lengths.data(), lengths.size()));
    std::size_t const count = lengths.size() - 1;
    Sum* const y            = tuner.session().template results<Sum>(count);
    TuneOutput<Sum> const to(y, count);
    TuneCase c{type_name<T>() + (" up to " + std::to_string(longest)),
               double(n * sizeof(T) + count * (sizeof(Sum) + sizeof(int))),
               bytes};
    c.call = [exec, to, offsets, &tuner, n](std::size_t) {
      TuneInput<T> const x(tuner.session().data<T>(n), n);
      KokkosMMA::segmented_reduce(exec, x, offsets, to);
    };
    c.sum                     = sum_of(exec, y, count);
    BothWays const by_quads   = tuner.both(c, quads, plain);
    BothWays const by_threads = tuner.both(c, tiny, plain);
    tuner.quads_ragged.push_back({c.name, bytes / 2, by_quads});
    tuner.tiny_ragged.push_back(
        {c.name,
         bytes,
         {by_threads.taken, std::min(by_threads.left, by_quads.taken)}});
  }
}

/// Stencils of a plane: boxes of ones, other outer products, weights of full
/// rank.
template <class T>
void tune_stencil(Tuner& tuner) {
  using Plane         = Kokkos::View<T**, Kokkos::LayoutRight, Exec,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Weights       = KokkosMMA::StencilWeights<2>;
  Exec const exec     = tuner.exec();
  constexpr int side  = 8192;
  std::size_t const n = std::size_t(side) * side;
  T* const y          = tuner.session().template results<T>(n);
  // Into Views, which the limits are of: functors have one of their own.
  auto const case_of = [&](Weights const& weights, int radius, int x) {
    TuneCase c{"radius " + std::to_string(radius), double(2 * n * sizeof(T)),
               x};
    c.call = [exec, weights, y, &tuner, n](std::size_t) {
      KokkosMMA::stencil(
          exec, Plane(tuner.session().data<T>(n), side, side),
          Plane(y, side, side), weights,
          KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic));
    };
    c.sum = sum_of(exec, y, n);
    return c;
  };
  std::vector<TuneCase> boxes, products, dense;
  for (int const radius : {1, 2, 3, 4, 5, 7, 8, 11, 16}) {
    int const width = 2 * radius + 1;
    std::vector<double> one_product, full;
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j) {
        one_product.push_back((1 + i % 2) * (1 + j % 2));
        full.push_back(1 + (i * i + 3 * i * j + 2 * j) % 5);
      }
    boxes.push_back(case_of(Weights::box(radius), radius, radius));
    products.push_back(
        case_of(Weights::dense(radius, one_product), radius, radius));
    if (radius <= 8)
      dense.push_back(
          case_of(Weights::dense(radius, full), radius, width * width));
  }
  if constexpr (sizeof(T) <= 2) {
    tuner.choose_limit<T>(&TuningTable::stencil_box_radius, boxes);
    tuner.choose_limit<T>(&TuningTable::stencil_product_radius, products);
  }
  tuner.choose_limit<T>(&TuningTable::stencil_dense_taps, dense);
}

}  // namespace perf

#endif

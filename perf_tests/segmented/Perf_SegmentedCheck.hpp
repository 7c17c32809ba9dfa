// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_CHECK_HPP
#define KOKKOSMMA_PERF_SEGMENTED_CHECK_HPP

#include "support/Perf_Check.hpp"

/// Checks of segmented sums and scans: the exact sum of every segment, and
/// every prefix against the one before it. No code is shared with a contender.
namespace perf {

/// How n elements are divided into segments.
struct Cut {
  enum class Kind { equal, offsets, columns };
  Kind kind;
  std::size_t n        = 0;
  std::size_t segments = 0;
  std::size_t longest  = 0;
  // equal: of a segment; columns: elements between neighbours of a column
  std::size_t length          = 0;
  std::int64_t const* offsets = nullptr;  // segments + 1, on the device

  KOKKOS_INLINE_FUNCTION std::size_t begin(std::size_t s) const {
    return kind == Kind::equal ? s * length
                               : static_cast<std::size_t>(offsets[s]);
  }
  KOKKOS_INLINE_FUNCTION std::size_t end(std::size_t s) const {
    return begin(s + 1);
  }
  /// Elements from one of a segment to the next.
  KOKKOS_INLINE_FUNCTION std::size_t neighbour() const {
    return kind == Kind::columns ? length : 1;
  }
  /// The segment that holds element i; with columns there is no such row.
  KOKKOS_INLINE_FUNCTION std::size_t segment_of(std::size_t i) const {
    if (kind == Kind::equal) return i / length;
    std::size_t low = 0, high = segments;  // begin(low) <= i < begin(high)
    while (high - low > 1) {
      std::size_t const middle          = low + (high - low) / 2;
      (begin(middle) <= i ? low : high) = middle;
    }
    return low;
  }

  /// visit(s, first, last) for the pieces of segments that worker w has.
  template <class Visit>
  KOKKOS_INLINE_FUNCTION void walk(std::size_t w, std::size_t workers,
                                   Visit const& visit) const {
    constexpr std::size_t piece = 64;
    for (std::size_t first = w * piece; first < n; first += workers * piece) {
      std::size_t const last = first + piece < n ? first + piece : n;
      std::size_t i          = first;
      for (std::size_t s = segment_of(i); i < last; ++s) {
        std::size_t const stop = end(s) < last ? end(s) : last;
        if (i < stop) visit(s, i, stop);
        i = stop;
      }
    }
  }
};

/// A sum of elements of the data as an integer: random_value makes multiples of
/// 2^-24 (double: 2^-53) below one, and 2^28 (2^27) of them fit into one (two)
/// words. Exact, so the order of the additions does not matter.
template <class T>
struct ExactSum {
  static constexpr bool wide         = std::is_same_v<T, double>;
  static constexpr std::size_t words = wide ? 2 : 1;
  std::int64_t high = 0, low = 0;

  KOKKOS_INLINE_FUNCTION void add(T const& element) {
    if constexpr (std::is_integral_v<T>) {
      high += static_cast<std::int64_t>(element);
    } else if constexpr (wide) {
      auto const scaled = static_cast<std::int64_t>(element * 0x1p53);
      high += scaled >> 27;
      low += scaled & ((std::int64_t(1) << 27) - 1);
    } else {
      high += static_cast<std::int64_t>(static_cast<float>(element) * 0x1p24f);
    }
  }
  /// Of floating-point elements. Both words are exact as doubles, so the sum is
  /// rounded once.
  KOKKOS_INLINE_FUNCTION double value() const {
    if constexpr (wide) {
      return static_cast<double>(high) * 0x1p-26 +
             static_cast<double>(low) * 0x1p-53;
    } else {
      return static_cast<double>(high) * 0x1p-24;
    }
  }
};

/// The exact sums of all segments, on the device.
template <class T>
struct ExactSums {
  std::int64_t* high;  // (segments)
  std::int64_t* low;   // double: (segments)

  KOKKOS_INLINE_FUNCTION void add(std::size_t s, ExactSum<T> const& sum) const {
    Kokkos::atomic_add(&high[s], sum.high);
    if constexpr (ExactSum<T>::wide) {
      Kokkos::atomic_add(&low[s], sum.low);
    }
  }
  KOKKOS_INLINE_FUNCTION ExactSum<T> operator()(std::size_t s) const {
    ExactSum<T> sum;
    sum.high = high[s];
    if constexpr (ExactSum<T>::wide) {
      sum.low = low[s];
    }
    return sum;
  }
};

template <class T>
struct SumSegments {
  T const* data;
  Cut cut;
  ExactSums<T> sums;
  std::size_t workers;

  KOKKOS_FUNCTION void operator()(std::size_t w) const {
    if (cut.kind == Cut::Kind::columns) return sum_column(w);
    cut.walk(w, workers,
             [this](std::size_t s, std::size_t first, std::size_t last) {
               ExactSum<T> sum;
               for (std::size_t i = first; i < last; ++i) sum.add(data[i]);
               sums.add(s, sum);
             });
  }

 private:
  // Neighbouring workers have neighbouring columns.
  KOKKOS_FUNCTION void sum_column(std::size_t w) const {
    std::size_t const column = w % cut.segments;
    std::size_t const rows   = cut.n / cut.length;
    ExactSum<T> sum;
    for (std::size_t row = w / cut.segments; row < rows;
         row += workers / cut.segments)
      sum.add(data[row * cut.length + column]);
    sums.add(column, sum);
  }
};

/// Fills \p words, of ExactSum<T>::words * cut.segments.
template <class T>
ExactSums<T> exact_sums(Exec const& exec, T const* data, Cut const& cut,
                        Scratch<std::int64_t> const& words) {
  ExactSums<T> const sums{words.data(), words.data() + cut.segments};
  fill_bytes(exec, words.data(), 0,
             ExactSum<T>::words * cut.segments * sizeof(std::int64_t));
  std::size_t workers = std::size_t(1) << (on_cuda ? 18 : 8);
  if (cut.kind == Cut::Kind::columns)  // a whole number for each column
    workers = std::max<std::size_t>(workers / cut.segments, 1) * cut.segments;
  Kokkos::parallel_for("perf::exact_sums", IndexRange(exec, 0, workers),
                       SumSegments<T>{data, cut, sums, workers});
  return sums;
}

/// How far a sum or prefix of up to `longest` values in [0, 1) may be off,
/// relative to itself. All terms are positive: an addition that rounds to
/// nearest strays like a random walk, by less than eps * sqrt(k) for k of them
/// in a row, and 16 eps cover trees and a tensor core's truncation in chains of
/// up to 32 products. \p in_a_row: the contender adds all of a segment one
/// after another; others spread it over 32 lanes at least.
template <class Sum>
double segment_tolerance(std::size_t longest, bool in_a_row) {
  if constexpr (std::is_integral_v<Sum>) {
    return 0;
  } else {
    double const chain = in_a_row
                             ? static_cast<double>(longest)
                             : std::max(static_cast<double>(longest) / 32, 1.);
    return std::numeric_limits<Sum>::epsilon() * (16 + 4 * std::sqrt(chain));
  }
}

/// Compares result i with an exact sum.
template <class Sum, class T>
KOKKOS_INLINE_FUNCTION void compare(Inspection& found, std::size_t i, Sum value,
                                    ExactSum<T> const& exact, double allowed) {
  if constexpr (std::is_integral_v<Sum>) {
    found.judge(
        i, value == static_cast<Sum>(static_cast<std::uint64_t>(exact.high)));
  } else {
    double const expected = exact.value();
    double const error    = Kokkos::abs(static_cast<double>(value) - expected);
    // A NaN is wrong too.
    found.judge(i, error <= allowed * expected,
                error == 0 ? 0 : error / expected);
  }
}

template <class T>
struct LookAtSums {
  sum_type<T> const* result;
  std::size_t segments;
  ExactSums<T> exact;
  double allowed;

  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(segments, w, workers, [&](std::size_t s) {
      found.take(s, result[s]);
      compare(found, s, result[s], exact(s), allowed);
    });
  }
};

/// Looks at every element of an inclusive scan: it is the one before it and one
/// element of the data, or only that at the start of a segment; the last of a
/// segment is compared with the exact sum.
template <class T>
struct LookAtScans {
  using Sum = sum_type<T>;
  T const* x;
  Sum const* y;
  Cut cut;
  ExactSums<T> exact;
  double allowed;

  KOKKOS_FUNCTION void look(std::size_t i, std::size_t s, bool first, bool last,
                            Inspection& found) const {
    found.take(i, y[i]);
    found.judge(i, follows(y[i], first ? Sum(0) : y[i - cut.neighbour()],
                           static_cast<Sum>(x[i]), allowed));
    if (last) compare(found, i, y[i], exact(s), allowed);
  }
  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    if (cut.kind == Cut::Kind::columns) {
      for (std::size_t i = w; i < cut.n; i += workers)
        look(i, i % cut.length, i < cut.length, i + cut.length >= cut.n, found);
    } else {
      cut.walk(w, workers,
               [&](std::size_t s, std::size_t first, std::size_t last) {
                 for (std::size_t i = first; i < last; ++i)
                   look(i, s, i == cut.begin(s), i + 1 == cut.end(s), found);
               });
    }
  }
};

/// The number of its segment as the key of each element.
struct WriteKeys {
  Cut cut;
  int* keys;
  std::size_t workers;
  KOKKOS_FUNCTION void operator()(std::size_t w) const {
    cut.walk(w, workers,
             [this](std::size_t s, std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i)
                 keys[i] = static_cast<int>(s);
             });
  }
};

struct LookAtKeys {
  int const* unique;
  std::size_t segments;
  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(segments, w, workers, [&](std::size_t s) {
      found.judge(s, unique[s] == static_cast<int>(s));
    });
  }
};

/// Of sums \p y when \p scan is false, of prefixes when it is true.
template <class T>
Inspection inspect_segments(Exec const& exec, bool scan, T const* x,
                            sum_type<T> const* y, Cut const& cut,
                            ExactSums<T> const& exact, double allowed) {
  if (scan)
    return inspect_all(exec, cut.n, LookAtScans<T>{x, y, cut, exact, allowed});
  return inspect_all(exec, cut.segments,
                     LookAtSums<T>{y, cut.segments, exact, allowed});
}

}  // namespace perf

#endif

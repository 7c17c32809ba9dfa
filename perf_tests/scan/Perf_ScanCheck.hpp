// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SCAN_CHECK_HPP
#define KOKKOSMMA_PERF_SCAN_CHECK_HPP

#include "support/Perf_Check.hpp"

/// Checks of scans: exact prefixes at sampled positions, and every element
/// against the one before it. No code is shared with a contender.
namespace perf {

/// The data in at most 2^16 contiguous chunks, one sampled position in each: at
/// random, since tiles may end where chunks do, and in the last chunk its end.
struct Chunks {
  std::size_t n, count;

  explicit Chunks(std::size_t elements)
      : n(elements), count(std::min<std::size_t>(n, std::size_t(1) << 16)) {}

  KOKKOS_INLINE_FUNCTION std::size_t begin(std::size_t c) const {
    return n * c / count;
  }
  KOKKOS_INLINE_FUNCTION std::size_t position(std::size_t c) const {
    std::size_t const length = begin(c + 1) - begin(c);
    return begin(c) + (c + 1 == count ? length - 1 : mix(c) % length);
  }
};

struct ScanSample {
  ReferenceSum before;   // of the chunk's elements before the position; on the
                         // host of all elements before it
  ReferenceSum element;  // the one at the position
  ReferenceSum chunk;
};

/// Worker c sums chunk c by itself.
template <class T>
struct ChunkReference {
  T const* data;
  Chunks chunks;
  ScanSample* samples;  // chunks.count

  KOKKOS_FUNCTION void operator()(std::size_t c) const {
    ScanSample sample;
    std::size_t const position = chunks.position(c), end = chunks.begin(c + 1);
    for (std::size_t i = chunks.begin(c); i < end; ++i) {
      if (i == position) {
        sample.before = sample.chunk;
        sample.element.add_element(data[i]);
      }
      sample.chunk.add_element(data[i]);
    }
    samples[c] = sample;
  }
};

struct ScanReference {
  std::vector<ScanSample> samples;  // one for each chunk
  ReferenceSum total;
};

template <class T>
ScanReference scan_reference(Exec const& exec, T const* data, std::size_t n) {
  Chunks const chunks(n);
  Scratch<ScanSample> const samples(exec, chunks.count);
  Kokkos::parallel_for("perf::reference", IndexRange(exec, 0, chunks.count),
                       ChunkReference<T>{data, chunks, samples.data()});
  ScanReference reference;
  reference.samples = samples.to_host();
  for (ScanSample& sample : reference.samples) {
    ReferenceSum before = reference.total;
    before.add(sample.before);
    sample.before = before;
    reference.total.add(sample.chunk);
  }
  return reference;
}

/// How far a prefix of n or fewer values in [0, 1) may be off, relative to
/// itself. All terms are positive, so an addition that rounds to nearest adds
/// at most eps / 2 of the running sum; k of them one after another stray like a
/// random walk, by less than eps * sqrt(k). A contender carries a running sum
/// through n / concurrency values at most (serially, or tile by tile with fewer
/// additions); eight times that allows for a carry per level (thread, tile,
/// window) and for Kokkos' own, which was seen at half of it for 2^30 floats.
/// 16 eps cover the trees within tiles and a tensor core's truncation in chains
/// of up to 32 products.
template <class Sum>
double scan_tolerance(Exec const& exec, std::size_t n) {
  if constexpr (std::is_integral_v<Sum>) {
    return 0;
  } else {
    double const eps = std::numeric_limits<Sum>::epsilon();
    double const chain =
        static_cast<double>(n) / static_cast<double>(exec.concurrency());
    return eps * (16 + 8 * std::sqrt(chain));
  }
}

/// Looks at every element: y(i) is y(i - 1) and one element of the data.
template <class T>
struct LookAtScan {
  using Sum = sum_type<T>;
  T const* x;
  Sum const* y;
  std::size_t n;
  bool inclusive;
  double allowed;

  KOKKOS_FUNCTION bool is_right(std::size_t i) const {
    if (!inclusive && i == 0) return y[0] == Sum(0);
    return follows(y[i], i > 0 ? y[i - 1] : Sum(0),
                   static_cast<Sum>(x[inclusive ? i : i - 1]), allowed);
  }
  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(n, w, workers, [&](std::size_t i) {
      found.take(i, y[i]);
      found.judge(i, is_right(i));
    });
  }
};

template <class T>
Inspection inspect(Exec const& exec, T const* x, sum_type<T> const* y,
                   std::size_t n, bool inclusive) {
  return inspect_all(
      exec, n,
      LookAtScan<T>{x, y, n, inclusive, scan_tolerance<sum_type<T>>(exec, n)});
}

template <class Sum>
struct Gather {
  Sum const* y;
  Chunks chunks;
  Sum* sampled;  // chunks.count
  KOKKOS_FUNCTION void operator()(std::size_t c) const {
    sampled[c] = y[chunks.position(c)];
  }
};

/// The largest relative error at the sampled positions.
/// \throws std::runtime_error for a prefix that is wrong.
template <class Sum>
double checked_samples(Exec const& exec, Sum const* y, std::size_t n,
                       bool inclusive, ScanReference const& reference) {
  Chunks const chunks(n);
  Scratch<Sum> const sampled(exec, chunks.count);
  Kokkos::parallel_for("perf::gather", IndexRange(exec, 0, chunks.count),
                       Gather<Sum>{y, chunks, sampled.data()});
  std::vector<Sum> const host = sampled.to_host();
  double const allowed        = scan_tolerance<Sum>(exec, n);
  double largest              = 0;
  for (std::size_t c = 0; c < chunks.count; ++c) {
    ReferenceSum expected = reference.samples[c].before;
    if (inclusive) expected.add(reference.samples[c].element);
    largest = std::max(
        largest,
        checked_error(
            [&] { return "prefix at " + std::to_string(chunks.position(c)); },
            host[c], expected, allowed));
  }
  return largest;
}

}  // namespace perf

#endif

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SCAN_CHECK_HPP
#define KOKKOSMMA_PERF_SCAN_CHECK_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support/Perf_Data.hpp"
#include "support/Perf_Timing.hpp"

/// What is right about a scan: exact prefixes at sampled positions, and what
/// can be said of every element of an output. Shares no code with a contender.
namespace perf {

// By bytes, and not by Kokkos::deep_copy: its kernels for every type and layout
// are most of what nvcc would compile here.

/// Enqueues a copy; the host waits for it where there is no stream.
inline void copy_bytes(Exec const& exec, void* to, void const* from,
                       std::size_t bytes) {
#ifdef KOKKOS_ENABLE_CUDA
  check_cuda(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, exec.cuda_stream()),
      "cudaMemcpyAsync");
#else
  exec.fence("perf::copy_bytes");
  std::memcpy(to, from, bytes);
#endif
}

/// Enqueues writing one byte everywhere.
inline void fill_bytes(Exec const& exec, void* to, unsigned char byte,
                       std::size_t bytes) {
#ifdef KOKKOS_ENABLE_CUDA
  check_cuda(cudaMemsetAsync(to, byte, bytes, exec.cuda_stream()),
             "cudaMemsetAsync");
#else
  exec.fence("perf::fill_bytes");
  std::memset(to, byte, bytes);
#endif
}

/// Enqueues writing a pattern that is no right answer: floats of -4e8, integers
/// of -842150451.
inline void poison_bytes(Exec const& exec, void* to, std::size_t bytes) {
  fill_bytes(exec, to, 0xcd, bytes);
}

/// Memory of the device, with whatever is in it.
template <class T>
class Scratch {
 public:
  Scratch(Exec const& exec, std::size_t n)
      : m_exec(exec),
        m_n(n),
        m_bytes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                   "perf::scratch"),
                n * sizeof(T)) {}
  T* data() const { return reinterpret_cast<T*>(m_bytes.data()); }
  std::vector<T> to_host() const {
    std::vector<T> host(m_n);
    copy_bytes(m_exec, host.data(), data(), m_n * sizeof(T));
    m_exec.fence("perf::scratch");
    return host;
  }

 private:
  Exec m_exec;
  std::size_t m_n;
  Kokkos::View<char*, Exec> m_bytes;
};

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

struct Inspection {
  std::uint64_t hash = 0;  // of all bits and their places
  std::size_t wrong  = 0;  // elements that do not follow from the one before
  std::size_t first_wrong = std::numeric_limits<std::size_t>::max();

  KOKKOS_INLINE_FUNCTION void add(Inspection const& other) {
    hash += other.hash;
    wrong += other.wrong;
    if (other.first_wrong < first_wrong) first_wrong = other.first_wrong;
  }
};

/// Looks at every element: y(i) is y(i - 1) and one element of the data. Both
/// are exact within `allowed` of themselves, so their difference within twice
/// that; integers exactly, modulo 2^bits.
template <class T>
struct Inspect {
  using Sum = sum_type<T>;
  T const* x;
  Sum const* y;
  std::size_t n, workers;
  bool inclusive;
  double allowed;
  Inspection* partial;  // workers

  KOKKOS_FUNCTION bool follows(std::size_t i) const {
    Sum const before = i > 0 ? y[i - 1] : Sum(0);
    if (!inclusive && i == 0) return y[0] == Sum(0);
    Sum const element = static_cast<Sum>(x[inclusive ? i : i - 1]);
    if constexpr (std::is_integral_v<Sum>) {
      using Bits = std::make_unsigned_t<Sum>;
      return static_cast<Bits>(y[i]) ==
             static_cast<Bits>(before) + static_cast<Bits>(element);
    } else {
      double const expected =
          static_cast<double>(before) + static_cast<double>(element);
      return Kokkos::abs(static_cast<double>(y[i]) - expected) <=
             2 * allowed * Kokkos::abs(expected);  // false for a NaN
    }
  }
  KOKKOS_FUNCTION void operator()(std::size_t w) const {
    using Bits =
        std::conditional_t<sizeof(Sum) == 8, std::uint64_t, std::uint32_t>;
    Inspection found;
    // Neighbouring device threads read neighbours, a host thread reads on.
    std::size_t const first = on_cuda ? w : n * w / workers;
    std::size_t const end   = on_cuda ? n : n * (w + 1) / workers;
    std::size_t const step  = on_cuda ? workers : 1;
    for (std::size_t i = first; i < end; i += step) {
      found.hash += mix(Kokkos::bit_cast<Bits>(y[i]) ^ (i << 32 | i >> 32));
      if (!follows(i)) {
        ++found.wrong;
        if (i < found.first_wrong) found.first_wrong = i;
      }
    }
    partial[w] = found;
  }
};

template <class T>
Inspection inspect(Exec const& exec, T const* x, sum_type<T> const* y,
                   std::size_t n, bool inclusive) {
  std::size_t const workers = std::min<std::size_t>(n, std::size_t(1) << 16);
  Scratch<Inspection> const partial(exec, workers);
  Kokkos::parallel_for(
      "perf::inspect", IndexRange(exec, 0, workers),
      Inspect<T>{x, y, n, workers, inclusive,
                 scan_tolerance<sum_type<T>>(exec, n), partial.data()});
  Inspection all;
  for (Inspection const& found : partial.to_host()) all.add(found);
  return all;
}

/// Relative error of one value, 0 for integers.
/// \throws std::runtime_error when it is wrong, with what() in its text.
template <class Sum, class What>
double checked_error(What const& what, Sum value, ReferenceSum const& expected,
                     double allowed) {
  if constexpr (std::is_integral_v<Sum>) {
    Sum const exact =
        static_cast<Sum>(static_cast<std::uint64_t>(expected.integer));
    if (value != exact)
      throw std::runtime_error("wrong " + what() + ": " +
                               std::to_string(value) + ", expected " +
                               std::to_string(exact));
    return 0;
  } else {
    long double const exact = expected.floating();
    double const difference =
        static_cast<double>(std::abs(static_cast<long double>(value) - exact));
    double const relative =
        difference == 0 ? 0 : difference / static_cast<double>(exact);
    if (!(relative <= allowed)) {  // a NaN is wrong too
      std::ostringstream text;
      text << std::setprecision(17) << "wrong " << what() << ": " << value
           << ", expected " << static_cast<double>(exact)
           << std::setprecision(3) << "; relative error " << relative
           << ", allowed " << allowed;
      throw std::runtime_error(text.str());
    }
    return relative;
  }
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

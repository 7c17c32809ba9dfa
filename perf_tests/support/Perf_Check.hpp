// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_CHECK_HPP
#define KOKKOSMMA_PERF_CHECK_HPP

#include <cstring>
#include <iomanip>
#include <sstream>

#include "support/Perf_Timing.hpp"

/// Memory for checks, and the inspection of every result. No code is shared
/// with a contender.
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

/// What was seen of all results.
struct Inspection {
  std::uint64_t hash      = 0;  // of all bits and their places
  std::size_t wrong       = 0;
  std::size_t first_wrong = std::numeric_limits<std::size_t>::max();
  double error            = 0;  // relative, the largest of right results

  KOKKOS_INLINE_FUNCTION void add(Inspection const& other) {
    hash += other.hash;
    wrong += other.wrong;
    if (other.first_wrong < first_wrong) first_wrong = other.first_wrong;
    if (other.error > error) error = other.error;
  }
  /// Takes result i, of at most 8 bytes, into the hash.
  template <class T>
  KOKKOS_INLINE_FUNCTION void take(std::size_t i, T value) {
    std::uint64_t bits;
    if constexpr (std::is_integral_v<T>) {
      bits = static_cast<std::uint64_t>(value);
    } else if constexpr (std::is_same_v<T, double>) {
      bits = Kokkos::bit_cast<std::uint64_t>(value);
    } else {
      bits = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    hash += mix(bits ^ (static_cast<std::uint64_t>(i) << 32 | i >> 32));
  }
  /// \p relative counts where the result is right.
  KOKKOS_INLINE_FUNCTION void judge(std::size_t i, bool right,
                                    double relative = 0) {
    if (!right) {
      ++wrong;
      if (i < first_wrong) first_wrong = i;
    } else if (relative > error) {
      error = relative;
    }
  }

  /// \throws std::runtime_error when one of n results is wrong.
  void check(std::size_t n, char const* results) const {
    if (wrong > 0)
      throw std::runtime_error(std::string("wrong ") + results + ": " +
                               std::to_string(wrong) + " of " +
                               std::to_string(n) + ", the first at " +
                               std::to_string(first_wrong));
  }
};

/// f(i) for the items that worker w has of n: neighbouring device threads have
/// neighbours, a host thread has a part of its own.
template <class F>
KOKKOS_INLINE_FUNCTION void for_own_items(std::size_t n, std::size_t w,
                                          std::size_t workers, F const& f) {
  std::size_t const first = on_cuda ? w : n * w / workers;
  std::size_t const end   = on_cuda ? n : n * (w + 1) / workers;
  std::size_t const step  = on_cuda ? workers : 1;
  for (std::size_t i = first; i < end; i += step) f(i);
}

template <class Look>
struct Inspect {
  Look look;
  std::size_t workers;
  Inspection* partial;  // workers
  KOKKOS_FUNCTION void operator()(std::size_t w) const {
    Inspection found;
    look(w, workers, found);
    partial[w] = found;
  }
};
/// look(w, workers, found) is what worker w sees of the items.
template <class Look>
Inspection inspect_all(Exec const& exec, std::size_t items, Look const& look) {
  std::size_t const workers =
      std::min<std::size_t>(items, std::size_t(1) << (on_cuda ? 16 : 8));
  Scratch<Inspection> const partial(exec, workers);
  Kokkos::parallel_for("perf::inspect", IndexRange(exec, 0, workers),
                       Inspect<Look>{look, workers, partial.data()});
  Inspection all;
  for (Inspection const& found : partial.to_host()) all.add(found);
  return all;
}

/// Whether a prefix is the one before it and one element of the data. Both
/// prefixes are exact within `allowed` of themselves, so their difference
/// within twice that; integers exactly, modulo 2^bits.
template <class Sum>
KOKKOS_INLINE_FUNCTION bool follows(Sum prefix, Sum before, Sum element,
                                    double allowed) {
  if constexpr (std::is_integral_v<Sum>) {
    using Bits = std::make_unsigned_t<Sum>;
    return static_cast<Bits>(prefix) ==
           static_cast<Bits>(before) + static_cast<Bits>(element);
  } else {
    double const expected =
        static_cast<double>(before) + static_cast<double>(element);
    return Kokkos::abs(static_cast<double>(prefix) - expected) <=
           2 * allowed * Kokkos::abs(expected);  // false for a NaN
  }
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

}  // namespace perf

#endif

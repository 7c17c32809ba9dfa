// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_FULL_HPP
#define KOKKOSMMA_PERF_PAPER_FULL_HPP

#include "papers/Perf_Paper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "scan/Perf_ScanCheck.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#endif

/// Whole sums and exclusive scans of uniform data against CUB, Thrust and
/// Kokkos. Sums end on the host, as Thrust's do, and are timed there.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
template <class T>
cub_item<T> const* items(T const* x) {
  return reinterpret_cast<cub_item<T> const*>(x);
}

/// A CUB call with the memory that it asks for: call(scratch, bytes).
template <class Function>
Call with_scratch(Exec const& exec, Function const& call) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes), "cub");
  Scratch<char> const scratch(exec, std::max<std::size_t>(bytes, 1));
  exec.fence("perf::cub");
  return [=] {
    std::size_t given = bytes;
    check_cuda(call(scratch.data(), given), "cub");
  };
}
#endif

template <class T>
class FullTables {
  using Sum = sum_type<T>;

 public:
  explicit FullTables(PaperTests& tests) : m_tests(tests) {}

  void register_all() {
    std::vector<std::string> contenders = {"kokkos"};
    if (on_cuda) contenders.insert(contenders.end(), {"cub", "thrust"});
    contenders.push_back("library");
    std::size_t const largest =
        session().fitting(std::size_t(1) << (on_cuda ? 28 : 22), sizeof(Sum));
    for (bool scan : {false, true})
      for (std::size_t n :
           sizes({1 << 10, 1 << 16, 1 << 20, 1 << 24, largest}, largest))
        for (std::string const& contender : contenders)
          m_tests.add((scan ? "paper_scan/" : "paper_reduce/") + contender +
                          "/" + type_name<T>() +
                          (scan ? "/exclusive/n:" : "/scalar/n:") +
                          std::to_string(n),
                      [=, this](benchmark::State& state) {
                        if (scan)
                          run_scan(state, contender, n);
                        else
                          run_reduce(state, contender, n);
                      });
  }

 private:
  Session& session() { return m_tests.session; }
  Exec const& exec() { return session().exec; }

  /// A call that returns the sum of x.
  std::function<Sum()> reduction(std::string const& contender, T const* x,
                                 std::size_t n) {
    Exec const on = exec();
    if (contender == "library") {
      Kokkos::View<T const*, Exec> const in(x, n);
      return [=] {
        Sum sum = 0;
        KokkosMMA::reduce(on, in, sum);
        return sum;
      };
    }
#ifdef KOKKOS_ENABLE_CUDA
    cudaStream_t const stream = on.cuda_stream();
    if (contender == "thrust")
      return [=] {
        return thrust::reduce(thrust::cuda::par.on(stream), items(x),
                              items(x) + n, Sum(0), Plus<Sum>{});
      };
    if (contender == "cub") {
      Scratch<Sum> const result(on, 1);
      Call const call =
          with_scratch(on, [=](void* scratch, std::size_t& bytes) {
            return cub::DeviceReduce::Reduce(
                scratch, bytes, items(x), result.data(),
                static_cast<long long>(n), Plus<Sum>{}, Sum(0), stream);
          });
      Kokkos::View<Sum, Kokkos::CudaHostPinnedSpace> const host("perf::host");
      return [=] {
        call();
        check_cuda(cudaMemcpyAsync(host.data(), result.data(), sizeof(Sum),
                                   cudaMemcpyDeviceToHost, stream),
                   "cudaMemcpyAsync");
        check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        return host();
      };
    }
#endif
    return [=] { return kokkos_reduction(on, x, n); };
  }

 public:
  static Sum kokkos_reduction(Exec const& on, T const* x, std::size_t n) {
    Sum result = 0;
    Kokkos::parallel_reduce(
        "perf_paper", IndexRange(on, 0, n),
        KOKKOS_LAMBDA(std::size_t i, Sum & sum) {
          sum += static_cast<Sum>(x[i]);
        },
        result);
    return result;
  }
  static void kokkos_scan(Exec const& on, T const* x, std::size_t n, Sum* y) {
    Kokkos::parallel_scan(
        "perf_paper", IndexRange(on, 0, n),
        KOKKOS_LAMBDA(std::size_t i, Sum & sum, bool final) {
          if (final) y[i] = sum;
          sum += static_cast<Sum>(x[i]);
        });
  }

 private:
  /// Enqueues the scan of x into y.
  Call scan(std::string const& contender, T const* x, std::size_t n, Sum* y) {
    Exec const on = exec();
    if (contender == "library") {
      Vector<T> const in(const_cast<T*>(x), n);
      Vector<Sum> const out(y, n);
      return [=] { KokkosMMA::exclusive_scan(on, in, out); };
    }
#ifdef KOKKOS_ENABLE_CUDA
    cudaStream_t const stream = on.cuda_stream();
    if (contender == "thrust")
      return [=] {
        thrust::exclusive_scan(thrust::cuda::par_nosync.on(stream), items(x),
                               items(x) + n, y, Sum(0), Plus<Sum>{});
      };
    if (contender == "cub")
      return with_scratch(on, [=](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveScan(
            scratch, bytes, items(x), y, Plus<Sum>{}, Sum(0),
            static_cast<long long>(n), stream);
      });
#endif
    return [=] { kokkos_scan(on, x, n, y); };
  }

  std::string route_of(std::string const& contender) const {
    return contender == "library" ? checked_route(Expectation::library)
                                  : contender;
  }

  void run_reduce(benchmark::State& state, std::string const& contender,
                  std::size_t n) {
    double const ceiling = session().read_bytes_per_second();
    T const* const x     = session().template data<T>(n);
    auto const call      = reduction(contender, x, n);
    // An addition to nearest strays like a random walk; 16 eps cover trees.
    double const chain =
        static_cast<double>(n) / static_cast<double>(exec().concurrency());
    double const error = checked_error(
        [] { return std::string("sum"); }, call(),
        reference_sum<T>(exec(), Vector<T>(const_cast<T*>(x), n)),
        std::numeric_limits<Sum>::epsilon() * (16 + 2 * std::sqrt(chain)));
    std::string const route = route_of(contender);
    report(state,
           sample_host(3 * session().options.samples,
                       [&](std::size_t) { call(); }),
           static_cast<double>(n) * sizeof(T), ceiling, static_cast<double>(n));
    state.counters["relative_error"] = error;
    state.SetLabel(route);
  }

  void run_scan(benchmark::State& state, std::string const& contender,
                std::size_t n) {
    double const ceiling = session().copy_ceiling().bytes_per_second();
    T const* const x     = session().template data<T>(n);
    Sum* const y         = session().template results<Sum>(n);
    Call const call      = scan(contender, x, n, y);
    poison_bytes(exec(), y, n * sizeof(Sum));
    call();
    std::string const route    = route_of(contender);
    Inspection const inspected = inspect<T>(exec(), x, y, n, false);
    if (inspected.wrong > 0)
      throw std::runtime_error(
          "wrong elements: " + std::to_string(inspected.wrong) +
          ", the first at " + std::to_string(inspected.first_wrong));
    double const error = checked_samples<Sum>(exec(), y, n, false,
                                              scan_reference<T>(exec(), x, n));
    report(state,
           sample_briefly(session().timer, session().options.samples,
                          [&](std::size_t) { call(); }),
           static_cast<double>(n) * (sizeof(T) + sizeof(Sum)), ceiling,
           static_cast<double>(n));
    state.counters["relative_error"] = error;
    state.SetLabel(route);
  }

  PaperTests& m_tests;
};

}  // namespace perf

#endif

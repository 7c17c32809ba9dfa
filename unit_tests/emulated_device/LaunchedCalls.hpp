// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_LAUNCHEDCALLS_HPP
#define EMULATEDDEVICE_LAUNCHEDCALLS_HPP

#include "SumReducer.hpp"

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_StreamedScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <KokkosMMA_LastRoute.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// \file
/// Calls as call sites describe them to libkokkosmma.

namespace KokkosMMA::Testing {

inline Kokkos::Cuda const space;

using AddReducer = SumReducer<std::int64_t>;
struct AddIndex {
  void operator()(std::int64_t i, std::int64_t& sum) const {
    sum += i;
    if (i == 0) emulated_clock += 1;
  }
};
struct StorePrefix {
  std::int64_t* prefix;
  void operator()(std::int64_t i, std::int64_t& sum, bool is_final) const {
    sum += i;
    if (is_final) prefix[i] = sum;
  }
};

/// What a closure records: which of its functions ran, and in which order.
struct Ran {
  std::string what;
  static void native(void const* self) { of(self) += "kokkos "; }
  static void mma(void const* self, Impl::Cuda::StreamScratch const&) {
    of(self) += "mma ";
  }
  static void exact(void const* self, Impl::Cuda::StreamScratch const&) {
    of(self) += "exact ";
  }
  static std::string& of(void const* self) {
    return const_cast<Ran*>(static_cast<Ran const*>(self))->what;
  }
};
inline void no_locks() {}

/// A sum of what F adds for the indices below `size`.
template <class Value, class F>
class ReduceCall {
 public:
  static constexpr auto tuning = Impl::streamed_tuning(
      sizeof(Value), 1, true, sizeof(F), 40, sizeof(F) <= 32);
  using Tuning  = Impl::Cuda::tuning_type<tuning>;
  using Reducer = SumReducer<Value>;
  using Running = Impl::Cuda::RunningValue<Reducer, Value>;

  explicit ReduceCall(std::uint64_t size) {
    call.problem.size        = size;
    call.problem.value       = scalar_v<Value>;
    call.problem.sum         = true;
    call.problem.value_bytes = sizeof(Value);
    call.places              = size;
  }

  Ran ran;
  Value result = -1;
  Reducer reducer;
  F functor;
  std::int64_t begin        = 0;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::ErasedReduce call{
      {space,
       &ran,
       &Ran::native,
       Impl::Cuda::kernel_address(
           &Impl::Cuda::streamed_reduce<Running, Tuning, std::int64_t, Value, F,
                                        Reducer>),
       {&functor, &reducer, &begin},
       &result,
       false,
       sizeof(Value),
       &no_locks,
       reported},
      {},
      tuning,
      sizeof(Value),
      nullptr};
};
using SumCall = ReduceCall<std::int64_t, AddIndex>;

class ScanCall {
 public:
  static constexpr auto tuning =
      Impl::streamed_scan_tuning(sizeof(std::int64_t));
  using Tuning  = Impl::Cuda::tuning_type<tuning>;
  using Scanned = Impl::Cuda::ScannedValue<AddReducer, std::int64_t>;

  explicit ScanCall(std::uint64_t size)
      : prefix(size, -1), functor{prefix.data()} {
    call.problem.size        = size;
    call.problem.value_bytes = sizeof(std::int64_t);
  }

  Ran ran;
  std::int64_t total = -1;
  std::vector<std::int64_t> prefix;
  AddReducer reducer;
  StorePrefix functor;
  std::int64_t begin        = 0;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::ErasedScan call{
      {space,
       &ran,
       &Ran::native,
       Impl::Cuda::kernel_address(
           &Impl::Cuda::streamed_scan<Scanned, Tuning, std::int64_t,
                                      std::int64_t, StorePrefix, AddReducer>),
       {&functor, &reducer, &begin},
       &total,
       false,
       sizeof(std::int64_t),
       &no_locks,
       reported},
      {},
      tuning,
      sizeof(Impl::Cuda::StreamedScanMemory<std::int64_t, Tuning>),
      Impl::Cuda::look_back_size<std::int64_t>,
      nullptr};
};

/// A loop that counts its invocations. Its kernel and Kokkos' own code take
/// different times on the emulated clock.
class LoopCall {
 public:
  struct Invoked;

  LoopCall(
      std::uint64_t size, float own_time, float time_of_kokkos,
      Impl::CallTypes const& types = Impl::call_types<Invoked, LoopCall*>())
      : functor{{}, own_time}, cached(types), m_time_of_kokkos(time_of_kokkos) {
    functor.calls.assign(size, 0);
    pointer                      = &functor;
    call.problem.space.extent[0] = size;
    call.problem.functor_bytes   = sizeof(Invoked);
  }

  struct Functor {
    std::vector<int> calls;
    float time;
  };
  struct Invoked {
    Functor* functor;
    void operator()(std::int64_t i) const {
      ++functor->calls[std::size_t(i)];
      if (i == 0) emulated_clock += functor->time;
    }
  };

  inline static void const* const kernel = Impl::Cuda::kernel_address(
      &Impl::Cuda::streamed_for<std::int64_t, Invoked>);

  /// Runs the loop once. Returns whether Kokkos' own code ran.
  bool run() {
    for (int& calls : functor.calls) calls = 0;
    m_kokkos = false;
    run_for(call);
    for (int const calls : functor.calls)
      if (calls != 1) throw std::logic_error("an index was not called once");
    return m_kokkos;
  }

  int throws = 0;  ///< of so many runs of Kokkos' own code
  Functor functor;
  Functor* pointer;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch cached;
  Impl::ErasedFor call{space,  this,     &run_kokkos, [] { return kernel; },
                       kernel, &pointer, &no_locks,   reported,
                       cached, {}};

 private:
  static void run_kokkos(void const* self, Impl::LoopSpace const*) {
    auto& loop    = *const_cast<LoopCall*>(static_cast<LoopCall const*>(self));
    loop.m_kokkos = true;
    if (loop.throws-- > 0) throw std::runtime_error("no memory");
    for (int& calls : loop.functor.calls) ++calls;
    emulated_clock += loop.m_time_of_kokkos;
  }

  float m_time_of_kokkos;
  bool m_kokkos = false;
};

inline Impl::CallPlan plan_of(Route route) {
  Impl::CallPlan plan;
  plan.settings.route = plan.decision.route = route;
  return plan;
}

}  // namespace KokkosMMA::Testing

#endif

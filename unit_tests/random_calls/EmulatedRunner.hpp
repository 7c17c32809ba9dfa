// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_EMULATED_RUNNER_HPP
#define RANDOM_CALLS_EMULATED_RUNNER_HPP

#include "Runners.hpp"

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>
#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ArrayReduce.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_StreamedScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Runs a call by the kernels of the drop-in on the emulated device, as the
/// drop-in launches them: the functor as its tagged call, the index space as
/// the kernel lays it out.

namespace random_calls::RANDOM_CALLS_TWIN {

namespace Impl = KokkosMMA::Impl;

/// What the kernels ask of a reducer.
template <class F>
struct KernelReducer {
  using Value = typename Fold<F>::Value;
  F f;
  explicit KernelReducer(F const& from) : f(from) {}
  void init(Value* value) const { Fold<F>{f}.init(*value); }
  void join(Value* into, Value const* from) const {
    Fold<F>{f}.join(*into, *from);
  }
  void final(Value* value) const { Fold<F>{f}.final(*value); }
  static Value& reference(Value* value) { return *value; }
};
/// Of arrays.
template <class F>
struct ArrayReducer {
  using Value = std::remove_extent_t<typename F::value_type>;
  F f;
  static Value* reference(Value* value) { return value; }
  unsigned value_count() const { return f.value_count; }
  F const& get_functor() const { return f; }
  void init(Value* value) const {
    std::fill(value, value + f.value_count, Value());
  }
  void join(Value* into, Value const* from) const {
    for (unsigned e = 0; e < f.value_count; ++e) into[e] += from[e];
  }
  void final(Value* value) const {
    if constexpr (requires { f.final(value); }) f.final(value);
  }
};

/// Whether each thread has a copy of the functor, as with Kokkos 4.
template <class F>
inline constexpr bool by_value = sizeof(F) < 512;

struct EmulatedRunner {
  static constexpr bool on_kokkos = false;
  Call const& c;
  Kokkos::Cuda space{};

  template <class Body>
  void each_repeat(Body const& body) const {
    for (std::int64_t r = 0; r < c[Parameters::repeats]; ++r) body(r);
  }
  /// Of the values of a launch that change with the device.
  unsigned choice(unsigned count, unsigned digit) const {
    return unsigned(c[Parameters::seed] >> (4 * digit)) % count;
  }

  template <class BoxType, class F>
  void loop(BoxType const& box, F const& functor) const {
    constexpr int rank = BoxType::rank;
    Impl::LoopSpace loop;
    loop.rank = rank;
    for (int d = 0; d < rank; ++d) {
      int const dimension = BoxType::left ? d : rank - 1 - d;
      loop.begin[d]       = box.begin[dimension];
      loop.extent[d]      = std::uint64_t(box.extent[dimension]);
    }
    if (loop.size() == 0) return;
    using TheCall = Impl::TaggedCall<F, typename BoxType::Tag>;
    TheCall const call(functor);
    Impl::LoopGrid grid;
    // As nodes of graphs are launched: threads wait for the kernel before.
    bool const waits  = choice(2, 3) == 0;
    auto const launch = [&](auto kernel, auto const& layout) {
      each_repeat([&](std::int64_t) {
        Impl::Cuda::launch_kernel(space, "loop", kernel,
                                  {grid.blocks, grid.threads, 0, waits}, call,
                                  layout);
      });
    };
    using Index = typename BoxType::Index;
    if constexpr (rank == 1) {
      Impl::LoopShape const shapes[] = {
          {32, 1, 1}, {256, 1, 4}, {128, 1, 1}, {64, 1, 9}};
      auto const range = Impl::lay_out_range(loop, shapes[choice(4, 0)], grid);
      launch(Impl::Cuda::streamed_for<Index, TheCall,
                                      Impl::Cuda::RangePolicyLoop, by_value<F>>,
             range);
    } else {
      Impl::LoopShape const shapes[] = {Impl::grid_shape,      {32, 8, 4},
                                        Impl::transpose_shape, {64, 4, 1},
                                        {32, 16, 4},           {32, 1, 1}};
      Impl::LoopShape shape          = shapes[choice(6, 0)];
      shape.fast                     = int(choice(rank, 1));
      auto const box_of_loop         = Impl::lay_out_box(loop, shape, grid);
      using Loop = Impl::Cuda::MDRangePolicyLoop<rank, BoxType::left>;
      launch(Impl::Cuda::streamed_for<Index, TheCall, Loop, by_value<F>>,
             box_of_loop);
    }
  }

  template <class BoxType, class F>
  void reduce(BoxType const& box, F const& functor) const {
    reduce_to(box, functor, KernelReducer<F>(functor),
              c[Parameters::where] == 2);
  }
  template <class Reducer, class BoxType, class F>
  void reduce_by(BoxType const& box, F const& functor) const {
    using R = typename Reducer::template Of<Kokkos::HostSpace>;
    typename R::value_type unused;
    reduce_to(box, functor, KernelReducer<R>(R(unused)), Reducer::on_device);
  }
  template <class BoxType, class F>
  void reduce_array(BoxType const& box, F const& functor) const {
    using Value = typename ArrayReducer<F>::Value;
    using Tag   = typename BoxType::Tag;
    ArrayReducer<F> const reducer{functor};
    each_repeat([&](std::int64_t r) {
      bool const on_device = c[Parameters::where] == 2;
      Value* const to =
          on_device ? c.device_result<Value>(r) : c.host_result<Value>(r);
      auto const launch = [&]<bool InRegisters, bool SumsNumbers>() {
        launch_arrays<true, InRegisters, SumsNumbers>(
            Impl::TaggedCall<F, Tag>(functor), reducer, box.first(),
            std::uint64_t(box.extent[0]), functor.value_count, to, on_device);
      };
      // Arrays of few values stay in shared memory where the kernel with
      // registers spills (run_arrays()).
      bool const in_registers =
          functor.value_count <= Impl::most_in_registers && choice(4, 5) != 0;
      bool const sums_numbers = choice(3, 4) != 0;
      if (in_registers && sums_numbers)
        launch.template operator()<true, true>();
      else if (in_registers)
        launch.template operator()<true, false>();
      else if (sums_numbers)
        launch.template operator()<false, true>();
      else
        launch.template operator()<false, false>();
    });
  }

  template <bool WithTotal, class BoxType, class F>
  void scan(BoxType const& box, F const& functor) const {
    using Value   = typename F::value_type;
    using Reducer = KernelReducer<F>;
    using TheCall = Impl::TaggedCall<F, typename BoxType::Tag>;
    using Tuning =
        Impl::Cuda::tuning_type<Impl::streamed_scan_tuning(sizeof(Value))>;
    auto const size = std::uint64_t(box.extent[0]);
    if (size == 0) return;
    constexpr unsigned threads = Tuning::value.threads;
    unsigned const rows        = Impl::streamed_scan_rows(Tuning::value, size);
    auto const tiles  = unsigned((size + threads * rows - 1) / threads / rows);
    auto const launch = [&](auto kernel) {
      each_repeat([&](std::int64_t r) {
        Value* const to = !WithTotal ? nullptr
                          : c[Parameters::where] == 2
                              ? c.device_result<Value>(r)
                              : c.host_result<Value>(r);
        Impl::Cuda::launch_kernel(
            space, "streamed_scan", kernel,
            {std::min(tiles, 1 + choice(7, 1)), threads + 32,
             int(sizeof(Impl::Cuda::StreamedScanMemory<Value, Tuning>))},
            Impl::TaggedCall<F, typename BoxType::Tag>(functor),
            Reducer(functor), box.first(), size, rows, tiles,
            Impl::Cuda::StreamScratch(space)->scan(
                Impl::Cuda::look_back_size<Value>.words(tiles)),
            Impl::Cuda::ResultTarget<Value>{to, nullptr});
      });
    };
    using Scanned = Impl::Cuda::ScannedValue<Reducer, Value>;
    using Index   = typename BoxType::Index;
    launch(Impl::Cuda::streamed_scan<Scanned, Tuning, Index, Value, TheCall,
                                     Reducer, by_value<F>>);
  }

 private:
  template <class BoxType, class F, class Reducer>
  void reduce_to(BoxType const& box, F const& functor, Reducer const& reducer,
                 bool on_device) const {
    using Tag          = typename BoxType::Tag;
    using Value        = typename Reducer::Value;
    std::uint64_t size = 1;
    for (std::int64_t const n : box.extent) size *= std::uint64_t(n);
    auto const run = [&](auto const& call, auto begin) {
      each_repeat([&](std::int64_t r) {
        Value* const to =
            on_device ? c.device_result<Value>(r) : c.host_result<Value>(r);
        if constexpr (sizeof(Value) > Impl::max_value_bytes) {
          launch_arrays<false, false, false>(call, reducer, begin, size, 1, to,
                                             on_device);
        } else {
          launch_reduce<F, BoxType::rank>(call, reducer, begin, size, to, r);
        }
      });
    };
    if constexpr (BoxType::rank == 1) {
      run(Impl::TaggedCall<F, Tag>(functor), box.first());
    } else {
      std::int64_t upper[BoxType::rank];
      for (int d = 0; d < BoxType::rank; ++d)
        upper[d] = box.begin[d] + box.extent[d];
      auto const call = Impl::multi_index_call<Impl::TaggedCall<F, Tag>,
                                               typename BoxType::Index,
                                               BoxType::rank, BoxType::left>(
          functor, box.begin, upper,
          tuned_for<F, Value, BoxType::rank>.threads);
      // The kernel goes over the places of all tiles.
      if (size > 0) size = call.places();
      run(call, std::uint32_t(0));
    }
  }
  template <class F, class Value, int Indices>
  static constexpr auto tuned_for = Impl::streamed_tuning(sizeof(Value),
                                                          Indices, true,
                                                          sizeof(F), 40,
                                                          sizeof(F) <= 40);

  template <class F, int Indices, class TheCall, class Reducer, class Index,
            class Value>
  void launch_reduce(TheCall const& call, Reducer const& reducer, Index begin,
                     std::uint64_t size, Value* to, std::int64_t repeat) const {
    constexpr auto tuned  = tuned_for<F, Value, Indices>;
    constexpr auto orders = Impl::call_orders(tuned, Indices > 1);
    using Tuning          = Impl::Cuda::tuning_type<tuned>;
    using Running         = Impl::Cuda::RunningValue<Reducer, Value>;
    unsigned const blocks = 1 + choice(7, 1);
    // A block of another size goes over the places of a box one by one.
    unsigned const threads =
        Indices > 1 && choice(4, 3) == 0 ? 256 : tuned.threads;
    // The bits of all orders are the same.
    unsigned const order =
        (choice(16, 2) + unsigned(repeat)) % unsigned(orders.count);
    auto const launch = [&](auto kernel) {
      Impl::Cuda::launch_kernel(
          space, "streamed_reduce", kernel, {blocks, threads}, call, reducer,
          begin, size, orders[int(order)],
          Impl::Cuda::StreamScratch(space)->grid(
              Impl::Cuda::partials_of_warps(blocks, threads), sizeof(Value)),
          Impl::Cuda::ResultTarget<Value>{to, nullptr});
    };
    launch(Impl::Cuda::streamed_reduce<Running, Tuning, Index, Value, TheCall,
                                       Reducer, by_value<F>>);
  }
  template <bool IsArray, bool InRegisters, bool SumsNumbers, class TheCall,
            class Reducer, class Index, class Value>
  void launch_arrays(TheCall const& call, Reducer const& reducer, Index begin,
                     std::uint64_t size, unsigned count, Value* to,
                     bool on_device) const {
    using Tuning =
        Impl::Cuda::tuning_type<Impl::array_tuning(IsArray, sizeof(Value))>;
    Impl::Cuda::Device const& device = Impl::Cuda::device(0);
    Impl::ArrayShape const shape     = Impl::array_reduce_shape(
            Tuning::value, count,
            Impl::array_stride(count * sizeof(Value), alignof(Value)), size,
            device.multiprocessors,
            KokkosMMA::Testing::EmulatedDevice::max_shared_bytes,
            int(1 + choice(16, 3)) * 128, Impl::Cuda::max_partials);
    Impl::Cuda::StreamScratch const scratch(space);
    scratch.deliver(
        to, count * sizeof(Value), on_device,
        [&](Impl::Cuda::ResultTarget<void> const& target) {
          Impl::Cuda::launch_kernel(
              space, "array_reduce",
              Impl::Cuda::array_reduce<Tuning, InRegisters, SumsNumbers, Index,
                                       Value, TheCall, Reducer>,
              {shape.launch.blocks, shape.launch.threads, shape.shared_bytes()},
              call, reducer, begin, size,
              scratch->grid(shape.launch.blocks, count * sizeof(Value)),
              Impl::Cuda::ResultTarget<Value>{
                  static_cast<Value*>(target.memory), target.words},
              shape.layout);
        });
  }
};

}  // namespace random_calls::RANDOM_CALLS_TWIN

#endif

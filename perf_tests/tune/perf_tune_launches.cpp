// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <memory>

#include "tune/Perf_TuneCases.hpp"

namespace perf {

namespace {

/// Two hundred dependent operations: such functors are why short ranges are
/// spread at all.
struct Expensive {
  KOKKOS_FUNCTION float operator()(float x) const {
    for (int i = 0; i < 200; ++i) x = x * 0.999f + 0.001f;
    return x;
  }
};

struct Cheap {
  KOKKOS_FUNCTION float operator()(float x) const { return x; }
};

/// The time until the host has the sum of n floats, by one route: what the
/// table prefers is another question.
template <class T, class Functor>
TuneCase host_sum(Tuner& tuner, std::string const& name, std::size_t n, int x,
                  KokkosMMA::Route route, Functor const& functor_of) {
  Exec const exec = tuner.exec();
  T* const in     = tuner.session().data<T>(n);
  TuneCase c{name + " " + std::to_string(n), double(n) * sizeof(T), x, true};
  auto const total   = std::make_shared<T>(0);
  auto const functor = functor_of(TuneInput<T>(in, n));
  c.call             = [exec, n, route, total, functor](std::size_t) {
    KokkosMMA::ScopedSettings const scope(KokkosMMA::Settings{route});
    Kokkos::parallel_reduce("perf::tune", IndexRange(exec, 0, n), functor,
                                        *total);
  };
  c.sum = [total] { return double(*total); };
  return c;
}

}  // namespace

void tune_launches(Tuner& tuner) {
  using View           = TuneInput<float>;
  Exec const exec      = tuner.exec();
  int const processors = tuner.session().machine.processors;

  std::vector<TuneCase> spread;
  auto const loads = [](TuneInput<double> const& x) {
    return KokkosMMA::load(x);
  };
  for (int const vectors : {256, 512, 1024, 2048, 4096, 8192, 16384})
    spread.push_back(host_sum<double>(tuner, "sum of",
                                      std::size_t(vectors) * processors * 2,
                                      vectors, KokkosMMA::Route::mma, loads));
  tuner.choose_spread(&TuningTable::reduce_mma_spread, spread);

  spread.clear();
  auto const plain = [](View const& x) {
    return KokkosMMA::transform(x, Cheap{});
  };
  auto const expensive = [](View const& x) {
    return KokkosMMA::transform(x, Expensive{});
  };
  for (int const indices : {256, 512, 1024, 2048, 4096, 8192, 16384}) {
    std::size_t const n = std::size_t(indices) * processors;
    spread.push_back(host_sum<float>(tuner, "cheap", n, indices,
                                     KokkosMMA::Route::streamed, plain));
    spread.push_back(host_sum<float>(tuner, "expensive", n, indices,
                                     KokkosMMA::Route::streamed, expensive));
  }
  tuner.choose_spread(&TuningTable::reduce_spread, spread);

  // A strided View takes the kernel of opaque functors.
  using Strided = Kokkos::View<float const*, Kokkos::LayoutStride, Exec,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::vector<TuneCase> scans;
  for (std::size_t const n :
       {std::size_t(1) << 15, std::size_t(1) << 17, std::size_t(1) << 19}) {
    float* const y        = tuner.session().results<float>(n);
    float const* const in = tuner.session().data<float>(2 * n);
    scans.push_back(
        {"scan of " + std::to_string(n), 12. * double(n), int(n), true});
    scans.back().call = [exec, y, in, n](std::size_t) {
      KokkosMMA::inclusive_scan(exec, Strided(in, Kokkos::LayoutStride(n, 2)),
                                TuneOutput<float>(y, n));
      exec.fence("perf::tune");
    };
    scans.back().sum = sum_of(exec, y, n);
  }
  tuner.choose_value(&TuningTable::scan_spread_tiles, {16, 32, 64, 128, 256},
                     scans);
}

}  // namespace perf

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that follow one another without a fence, also by turns on two
// instances; copies between layouts; sums and scans by key.

#include "Kinds.hpp"
#include "LoopFunctors.hpp"

#if defined(RANDOM_CALLS_INTERCEPTED)
#include <KokkosMMA_Segmented.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

using Int = std::int64_t;

/// A call of a chain: it reads the result of a reduction, and what other blocks
/// of the kernel before wrote. `to` and `from` are the two halves of y.
template <int Rank>
struct Link : Functor<std::int32_t, Rank> {
  using value_type = Int;
  std::uint64_t *to, *from;
  Int const* result;
  std::uint64_t step, size = 1;
  Link(Call const& c, bool back, Int r)
      : Functor<std::int32_t, Rank>(c),
        to(this->y),
        from(this->y),
        result(c.device_result<Int>(0)),
        step(std::uint64_t(2 * r + 3)) {
    for (Int const n : this->place.extent) size *= std::uint64_t(n);
    (back ? to : from) += size;
  }
  KOKKOS_FUNCTION void visit(Int at) const {
    this->count(at);
    to[at] = 3 * to[at] + from[(std::uint64_t(at) * step + 7) % size] +
             std::uint64_t(*result);
  }
  KOKKOS_FUNCTION void visit(Int at, Int& sum) const {
    this->count(at);
    sum += Int(mixed(to[at] + std::uint64_t(at)) >> 20);
  }
  KOKKOS_FUNCTION void operator()(int i) const requires(Rank == 1) {
    visit(this->place.of(i));
  }
  KOKKOS_FUNCTION void operator()(int i, int j) const requires(Rank == 2) {
    visit(this->place.of(i, j));
  }
  KOKKOS_FUNCTION void operator()(int i, Int& sum) const requires(Rank == 1) {
    visit(this->place.of(i), sum);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, Int& sum) const
      requires(Rank == 2) {
    visit(this->place.of(i, j), sum);
  }
  KOKKOS_FUNCTION void operator()(int i, Int& sum, bool final) const
      requires(Rank == 1) {
    Int const at = this->place.of(i);
    sum += Int(to[at] >> 20);
    if (!final) return;
    this->count(at);
    to[at] = std::uint64_t(sum);
  }
};

/// Repetition r of a chain. Its reductions do not wait.
template <int Rank, class Run>
void run_links(Run const& run, Call const& c, Int r) {
  Box<int, Rank> const over(c);
  run.loop(over, Link<Rank>(c, false, r));
  run.loop(Box<int, Rank, Rank == 2>(c), Link<Rank>(c, true, r));
  run.reduce(over, Link<Rank>(c, true, r));
  run.loop(over, Link<Rank>(c, false, r));
  if constexpr (Rank == 1) {
    if (r % 3 == 0)
      run.template scan<false>(over, Link<Rank>(c, r % 2 == 0, r));
  }
}
/// Another stream, which ends with the call.
Exec another_instance([[maybe_unused]] Exec const& space) {
#if defined(KOKKOS_ENABLE_CUDA)
  return Kokkos::Experimental::partition_space(space, 1)[0];
#else
  return space;
#endif
}
Call once(Call const& c) {
  Call one                   = c;
  one.p[Parameters::repeats] = 1;
  one.p[Parameters::where]   = 2;
  return one;
}

template <int Rank>
void add_chain(Table& table, char const* name, Limits limits) {
  limits.rank = Rank;
  add(table, name, limits, [](auto const& run, Call const& c) {
    using Run = std::remove_cvref_t<decltype(run)>;
    // Kokkos writes the results of empty boxes on the host.
    for (int d = 0; d < Rank; ++d)
      if (c[Parameters::extent + d] == 0) return;
    Call const one = once(c);
    run.each_repeat([&](Int r) { run_links<Rank>(Run{one}, one, r); });
  });
}

void add_links(Table& table) {
  Limits chain{.most         = 1 << 18,
               .element      = Element::i32,
               .y_bytes      = 16,
               .result_bytes = 16};
  add_chain<1>(table, "chain", chain);
  add_chain<2>(table, "chain_of_boxes", chain);
  chain.y_bytes      = 32;
  chain.result_bytes = 32;
  add(table, "instances_in_turn", chain, [](auto const& run, Call const& c) {
    using Run       = std::remove_cvref_t<decltype(run)>;
    Call const one  = once(c);
    Call another    = one;
    Exec const next = another_instance(*c.space);
    another.space   = &next;
    another.y_at += 16 * std::size_t(c[Parameters::extent]);
    another.result_at += 16;
    run.each_repeat([&](Int r) {
      run_links<1>(Run{one}, one, r);
      run_links<1>(Run{another}, another, r);
    });
    next.fence();
  });
}

#if !defined(RANDOM_CALLS_EMULATED)

template <class T, int Rank>
using Pointers = std::conditional_t<Rank == 2, T**,
                                    std::conditional_t<Rank == 3, T***, T****>>;

/// deep_copy between Views of rank `Rank`; beside it, loops on the host.
template <class T, int Rank, class To, class From>
void add_copy(Table& table, char const* name, Element element) {
  add<true>(
      table, name,
      {.rank = Rank, .element = element, .y_bytes = int(sizeof(T))},
      [](auto const& run, Call const& c) {
        constexpr bool on_kokkos =
            std::remove_cvref_t<decltype(run)>::on_kokkos;
        using Space =
            std::conditional_t<on_kokkos, DeviceSpace, Kokkos::HostSpace>;
        Call from_zero = c;
        std::size_t n[4];
        for (int d = 0; d < 4; ++d) {
          from_zero.p[Parameters::begin + d] = 0;
          n[d] = std::size_t(d < Rank ? c[Parameters::extent + d]
                                      : KOKKOS_INVALID_INDEX);
        }
        Kokkos::View<Pointers<T const, Rank>, From, Space,
                     Kokkos::MemoryUnmanaged> const x(c.x<T>(),
                                                      From(n[0], n[1], n[2],
                                                           n[3]));
        Kokkos::View<Pointers<T, Rank>, To, Space,
                     Kokkos::MemoryUnmanaged> const y(c.y<T>(), To(n[0], n[1],
                                                                   n[2], n[3]));
        if constexpr (on_kokkos) {
          run.each_repeat([&](Int) { Kokkos::deep_copy(*c.space, y, x); });
        } else {
          for_each_index(Box<Int, Rank>(from_zero),
                         [&](auto const&... i) { y(i...) = x(i...); });
        }
      });
}

/// Runs of keys of up to 2^14 elements.
struct Keys {
  std::uint32_t* keys;
  std::uint64_t length, seed;
  explicit Keys(Call const& c)
      : keys(c.y<std::uint32_t>() + 4 * c[Parameters::extent]),
        length(std::uint64_t(1) << c[Parameters::seed] % 15),
        seed(std::uint64_t(c[Parameters::seed])) {}
  KOKKOS_FUNCTION void operator()(Int i) const {
    keys[i] = mixed(mixed(std::uint64_t(i) / length + seed) * 31 +
                    std::uint64_t(i) / 97) %
              3;
  }
};
/// y: the results, room for the keys of runs, and the keys.
enum class ByKey { sums, inclusive, exclusive };

template <class T>
using RowOf = Kokkos::View<T*, DeviceSpace, Kokkos::MemoryUnmanaged>;

template <ByKey Kind>
void run_by_key(Call const& c, Int repeat) {
  auto const n = c[Parameters::extent];
  Keys const keys(c);
#if defined(RANDOM_CALLS_INTERCEPTED)
  Kokkos::parallel_for("keys", Kokkos::RangePolicy<Exec>(*c.space, 0, n), keys);
  RowOf<std::uint32_t const> const k(keys.keys, std::size_t(n));
  RowOf<Int const> const x(c.x<Int>(), std::size_t(n));
  RowOf<Int> const y(c.y<Int>(), std::size_t(n));
  if constexpr (Kind == ByKey::sums) {
    RowOf<std::uint32_t> const unique(c.y<std::uint32_t>() + 2 * n,
                                      std::size_t(n));
    *c.host_result<Int>(repeat) =
        Int(KokkosMMA::reduce_by_key(*c.space, k, x, unique, y));
  } else if constexpr (Kind == ByKey::inclusive) {
    KokkosMMA::inclusive_scan_by_key(*c.space, k, x, y);
  } else {
    KokkosMMA::exclusive_scan_by_key(*c.space, k, x, y);
  }
#else
  for (Int i = 0; i < n; ++i) keys(i);
  Int run           = -1;
  std::uint64_t sum = 0;
  auto* const y     = c.y<std::uint64_t>();
  for (Int i = 0; i < n; ++i) {
    if (i == 0 || keys.keys[i] != keys.keys[i - 1]) {
      sum = 0;
      if (Kind == ByKey::sums)
        c.y<std::uint32_t>()[2 * n + ++run] = keys.keys[i];
    }
    if (Kind == ByKey::exclusive) y[i] = sum;
    sum += std::uint64_t(c.x<Int>()[i]);
    if (Kind == ByKey::inclusive) y[i] = sum;
    if (Kind == ByKey::sums) y[run] = sum;
  }
  if (Kind == ByKey::sums) *c.host_result<Int>(repeat) = run + 1;
#endif
}
template <ByKey Kind>
void add_by_key(Table& table, char const* name) {
  add<true>(table, name,
            {.element = Element::i64, .y_bytes = 24, .result_bytes = 8},
            [](auto const& run, Call const& c) {
              run.each_repeat([&](Int r) { run_by_key<Kind>(c, r); });
            });
}

#endif

}  // namespace

void add_chains(Table& table) {
  add_links(table);
#if !defined(RANDOM_CALLS_EMULATED)
  using Left  = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  add_copy<double, 2, Left, Right>(table, "copy_2_double", Element::f64);
  add_copy<float, 3, Right, Left>(table, "copy_3_float", Element::f32);
  add_copy<std::uint16_t, 4, Left, Right>(table, "copy_4_uint16",
                                          Element::half);
  add_copy<std::uint8_t, 3, Left, Right>(table, "copy_3_uint8", Element::u8);
  add_by_key<ByKey::sums>(table, "sums_by_key");
  add_by_key<ByKey::inclusive>(table, "inclusive_scan_by_key");
  add_by_key<ByKey::exclusive>(table, "exclusive_scan_by_key");
#endif
}

}  // namespace random_calls::RANDOM_CALLS_TWIN

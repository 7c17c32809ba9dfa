// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_LOOP_FUNCTORS_HPP
#define RANDOM_CALLS_LOOP_FUNCTORS_HPP

#include "Runners.hpp"

#include <cstdint>

/// \file
/// Functors of loops over ranges and boxes. What they write depends on what was
/// there before, so that each repetition counts.

namespace random_calls::RANDOM_CALLS_TWIN {

KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  return value ^ value >> 29;
}

/// The place of an index in memory, the last one fastest.
template <int Rank>
struct Place {
  std::int64_t begin[Rank], extent[Rank];

  explicit Place(Call const& c) {
    for (int d = 0; d < Rank; ++d) {
      begin[d]  = c[Parameters::begin + d];
      extent[d] = c[Parameters::extent + d];
    }
  }
  template <class... Index>
  KOKKOS_FUNCTION std::int64_t of(Index const&... index) const {
    std::int64_t const all[] = {static_cast<std::int64_t>(index)...};
    std::int64_t at          = 0;
    for (int d = 0; d < Rank; ++d) at = at * extent[d] + (all[d] - begin[d]);
    return at;
  }
};

/// What all functors have: the numbers, the place of results and the number of
/// invocations of each index.
template <class Element, int Rank = 1>
struct Functor {
  Element const* x;
  std::uint64_t* y;
  int* calls;
  Place<Rank> place;

  explicit Functor(Call const& c)
      : x(c.x<Element>()),
        y(c.y<std::uint64_t>()),
        calls(c.calls()),
        place(c) {}
  KOKKOS_FUNCTION void count(std::int64_t at) const {
    Kokkos::atomic_inc(calls + at);
  }
  KOKKOS_FUNCTION void write(std::int64_t at, std::uint64_t value) const {
    count(at);
    y[at] = y[at] * 31 + value;
  }
};

template <class Index>
struct Mix : Functor<double> {
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(Index i) const {
    write(place.of(i), mixed(std::uint64_t(i)));
  }
};

struct TagA {};
struct TagB {};
template <int Rank = 1>
struct Tagged : Functor<double, Rank> {
  using Functor<double, Rank>::Functor;
  template <class... I>
  KOKKOS_FUNCTION void operator()(TagA, I... i) const {
    this->write(this->place.of(i...), 3);
  }
  template <class... I>
  KOKKOS_FUNCTION void operator()(TagB const&, I const&... i) const {
    this->write(this->place.of(i...), 5);
  }
};

/// Any bits, and arithmetic that is exact or rounds once.
template <class Element>
struct CopyNumbers : Functor<Element> {
  Element* z;
  explicit CopyNumbers(Call const& c)
      : Functor<Element>(c), z(c.y<Element>()) {}
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const at = this->place.of(i);
    this->count(at);
    z[at] = this->x[at] + this->x[at];
  }
};

/// A cache of the last block of numbers.
struct BlockCache : Functor<double> {
  mutable std::int64_t block = -1;
  mutable double cache[8];
  using Functor<double>::Functor;
  KOKKOS_FUNCTION double of(std::int64_t at) const {
    if (at / 8 != block) {
      block = at / 8;
      for (int k = 0; k < 8; ++k) cache[k] = x[block * 8 + k];
    }
    return cache[at % 8];
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    std::int64_t const at = place.of(i);
    write(at, std::uint64_t(std::int64_t(of(at))));
  }
};
struct ScratchArray : Functor<double> {
  mutable std::uint32_t scratch[16];
  using Functor<double>::Functor;
  KOKKOS_FUNCTION std::uint64_t of(std::uint64_t seed) const {
    for (unsigned k = 0; k < 16; ++k) scratch[k] = unsigned(mixed(seed + k));
    std::uint64_t sum = 0;
    for (unsigned k = 0; k < 16; ++k) sum = sum * 3 + scratch[scratch[k] % 16];
    return sum;
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    write(place.of(i), of(std::uint64_t(i)));
  }
};
struct MutableCounter : Functor<double> {
  mutable int counter = 77;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    counter = 0;
    for (int k = 0; k <= int(i & 7); ++k) ++counter;
    write(place.of(i), std::uint64_t(counter));
  }
};

/// By reference and by pointer, into memory of the device.
struct References : Functor<double> {
  double const& first;
  std::uint64_t (&all)[];
  explicit References(Call const& c)
      : Functor<double>(c),
        first(*c.x<double>()),
        all(*reinterpret_cast<std::uint64_t (*)[]>(c.y<std::uint64_t>())) {}
  KOKKOS_FUNCTION void operator()(int i) const {
    std::int64_t const at = place.of(i);
    count(at);
    all[at] = all[at] * 31 + std::uint64_t(std::int64_t(first));
  }
};

/// Which overload of operator() runs is what is written.
struct Overloads : Functor<double> {
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int const&& i) const {
    write(place.of(i), 2);
  }
  KOKKOS_FUNCTION void operator()(int const& i) const { write(place.of(i), 1); }
};
struct ConstOverload : Functor<double> {
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i) const { write(place.of(i), 1); }
  KOKKOS_FUNCTION void operator()(int i) { write(place.of(i), 2); }
};
template <int Rank = 1>
struct AnyIndex : Functor<double, Rank> {
  using Functor<double, Rank>::Functor;
  template <class... I>
  KOKKOS_FUNCTION void operator()(I&... i) const {
    this->write(this->place.of(i...),
                (10 + ... + (sizeof(I) * (std::is_const_v<I> ? 1 : 3))));
  }
};
struct ExplicitCopy : Functor<double> {
  using Functor<double>::Functor;
  ExplicitCopy()                             = delete;
  explicit ExplicitCopy(ExplicitCopy const&) = default;
  KOKKOS_FUNCTION void operator()(int i) const { write(place.of(i), 4); }
};

/// A table inside the functor that is indexed at run time.
template <int Bytes, int Rank = 1>
struct LargeTable : Functor<double, Rank> {
  static constexpr unsigned words = Bytes / 4;
  std::uint32_t table[words];
  explicit LargeTable(Call const& c) : Functor<double, Rank>(c) {
    for (unsigned k = 0; k < words; ++k)
      table[k] = unsigned(mixed(k + std::uint64_t(c[Parameters::seed])));
  }
  KOKKOS_FUNCTION std::uint64_t of(std::int64_t at) const {
    auto const i = std::uint64_t(at);
    return table[mixed(i) % words] + std::uint64_t(table[i % words]);
  }
  KOKKOS_FUNCTION void operator()(int i) const requires(Rank == 1) {
    this->write(this->place.of(i), of(i));
  }
  KOKKOS_FUNCTION void operator()(int i, int j) const requires(Rank == 2) {
    this->write(this->place.of(i, j), of(i + 7 * std::int64_t(j)));
  }
};

/// Sums of neighbours between strided Views.
struct Strided : Functor<double> {
  using In  = Kokkos::View<double const*, Kokkos::LayoutStride, DeviceSpace,
                          Kokkos::MemoryUnmanaged>;
  using Out = Kokkos::View<std::uint64_t*, Kokkos::LayoutStride, DeviceSpace,
                           Kokkos::MemoryUnmanaged>;
  In in;
  Out out;
  explicit Strided(Call const& c)
      : Functor<double>(c),
        in(x, Kokkos::LayoutStride(std::size_t(c[Parameters::extent]) + 2,
                                   std::size_t(c[Parameters::stride]))),
        out(y, Kokkos::LayoutStride(std::size_t(c[Parameters::extent]),
                                    std::size_t(c[Parameters::stride]))) {}
  KOKKOS_FUNCTION void operator()(int i) const {
    std::int64_t const at = place.of(i);
    count(at);
    double const sum = in(at) + in(at + 1) + in(at + 2);
    out(at)          = out(at) * 31 + std::uint64_t(std::int64_t(sum));
  }
};

/// Atomic updates of a few places.
struct Histogram : Functor<double> {
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i) const {
    std::int64_t const at = place.of(i);
    count(at);
    Kokkos::atomic_add(y + mixed(std::uint64_t(at)) % 13 % place.extent[0],
                       std::uint64_t(at));
  }
};

// Boxes.

template <int Rank>
struct MixBox : Functor<double, Rank> {
  using Functor<double, Rank>::Functor;
  template <class... I>
  KOKKOS_FUNCTION void operator()(I... i) const {
    std::uint64_t hash = 0;
    ((hash = mixed(hash + std::uint64_t(i))), ...);
    this->write(this->place.of(i...), hash);
  }
};
struct OverloadsBox : Functor<double, 2> {
  using Functor<double, 2>::Functor;
  KOKKOS_FUNCTION void operator()(int const&& i, int const&& j) const {
    write(place.of(i, j), 2);
  }
  KOKKOS_FUNCTION void operator()(int const& i, int const& j) const {
    write(place.of(i, j), 1);
  }
};
struct ScratchBox : Functor<double, 2> {
  mutable std::uint32_t scratch[6];
  using Functor<double, 2>::Functor;
  KOKKOS_FUNCTION std::uint32_t of(int i, int j) const {
    for (unsigned k = 0; k < 6; ++k)
      scratch[k] = unsigned(mixed(k + unsigned(i)));
    return scratch[scratch[unsigned(j) % 6] % 6];
  }
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    write(place.of(i, j), of(i, j));
  }
};
/// A stencil between Views of a layout.
template <class Layout>
struct FivePoints : Functor<double, 2> {
  using In  = Kokkos::View<double const**, Layout, DeviceSpace,
                          Kokkos::MemoryUnmanaged>;
  using Out = Kokkos::View<std::uint64_t**, Layout, DeviceSpace,
                           Kokkos::MemoryUnmanaged>;
  In in;
  Out out;
  static Layout layout(Call const& c) {
    auto const n0 = std::size_t(c[Parameters::extent]);
    auto const n1 = std::size_t(c[Parameters::extent + 1]);
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      auto const stride = std::size_t(c[Parameters::stride]);
      return Layout(n0, n1 * stride, n1, stride);
    } else {
      return Layout(n0, n1);
    }
  }
  explicit FivePoints(Call const& c)
      : Functor<double, 2>(c), in(x, layout(c)), out(y, layout(c)) {}
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    auto const r = i - place.begin[0], s = j - place.begin[1];
    auto const n = place.extent[0] - 1, m = place.extent[1] - 1;
    count(place.of(i, j));
    double const sum = in(r, s) + in(r > 0 ? r - 1 : n, s) +
                       in(r < n ? r + 1 : 0, s) + in(r, s > 0 ? s - 1 : m) +
                       in(r, s < m ? s + 1 : 0);
    out(r, s) = out(r, s) * 31 + std::uint64_t(std::int64_t(sum));
  }
};

}  // namespace random_calls::RANDOM_CALLS_TWIN

#endif

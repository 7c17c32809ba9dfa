// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_FOLD_FUNCTORS_HPP
#define RANDOM_CALLS_FOLD_FUNCTORS_HPP

#include "LoopFunctors.hpp"

#include <algorithm>
#include <cstdint>

/// \file
/// Functors and values of reductions and scans. The values of integers and of
/// most floating-point sums do not depend on the order.

namespace random_calls::RANDOM_CALLS_TWIN {

/// A value of several numbers.
template <class T, int Count>
struct Numbers_of {
  T number[Count];
  KOKKOS_FUNCTION Numbers_of() {
    for (int k = 0; k < Count; ++k) number[k] = T(0);
  }
  KOKKOS_FUNCTION Numbers_of& operator+=(Numbers_of const& other) {
    for (int k = 0; k < Count; ++k) number[k] += other.number[k];
    return *this;
  }
};

template <class Value, class Element>
KOKKOS_FUNCTION void add_to(Value& value, Element x, std::int64_t) {
  value += static_cast<Value>(x);
}
template <class T, int Count>
KOKKOS_FUNCTION void add_to(Numbers_of<T, Count>& value, double,
                            std::int64_t at) {
  for (int k = 0; k < Count; ++k)
    value.number[k] += static_cast<T>(mixed(std::uint64_t(at + k)) >> 52);
}
template <class T>
KOKKOS_FUNCTION void add_to(Kokkos::complex<T>& value, double x,
                            std::int64_t at) {
  value += Kokkos::complex<T>(T(x), T(at % 5));
}

/// The default sum; with a tag and with any index.
template <class Element, class Value, int Rank = 1>
struct Sum : Functor<Element, Rank> {
  using value_type = Value;
  using Functor<Element, Rank>::Functor;
  template <class... I>
  KOKKOS_FUNCTION void add(Value& sum, I const&... i) const {
    std::int64_t const at = this->place.of(i...);
    this->count(at);
    add_to(sum, this->x[at], at);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, Value& sum) const
      requires(Rank == 1) {
    add(sum, i);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, Value& sum) const
      requires(Rank == 2) {
    add(sum, i, j);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, Value& sum) const
      requires(Rank == 3) {
    add(sum, i, j, k);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, int l, Value& sum) const
      requires(Rank == 4) {
    add(sum, i, j, k, l);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, int l, int m,
                                  Value& sum) const requires(Rank == 5) {
    add(sum, i, j, k, l, m);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, int l, int m, int n,
                                  Value& sum) const requires(Rank == 6) {
    add(sum, i, j, k, l, m, n);
  }
  KOKKOS_FUNCTION void operator()(TagA, std::int64_t i, Value& sum) const
      requires(Rank == 1) {
    add(sum, i);
    sum += Value(1);
  }
  KOKKOS_FUNCTION void operator()(TagB, int const& i, int const& j,
                                  Value& sum) const requires(Rank == 2) {
    add(sum, i, j);
    sum += Value(2);
  }
};

struct CachedSum : BlockCache {
  using value_type = double;
  using BlockCache::BlockCache;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const {
    std::int64_t const at = place.of(i);
    count(at);
    sum += of(at);
  }
};
struct ScratchSumBox : ScratchBox {
  using value_type = std::uint64_t;
  using ScratchBox::ScratchBox;
  KOKKOS_FUNCTION void operator()(int i, int j, std::uint64_t& sum) const {
    count(place.of(i, j));
    sum += of(i, j);
  }
};
struct OverloadSum : Functor<double> {
  using value_type = std::int64_t;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int const&& i, std::int64_t& sum) const {
    count(place.of(i));
    sum += 1000;
  }
  KOKKOS_FUNCTION void operator()(int const& i, std::int64_t& sum) const {
    count(place.of(i));
    sum += 1;
  }
};
struct AnyIndexSum : Functor<double> {
  using value_type = std::int64_t;
  using Functor<double>::Functor;
  template <class I>
  KOKKOS_FUNCTION void operator()(I& i, std::int64_t& sum) const {
    count(place.of(i));
    sum += std::is_const_v<I> ? 10 : 20;
  }
};
struct ExplicitCopySum : Functor<double, 2> {
  using value_type = std::int64_t;
  using Functor<double, 2>::Functor;
  ExplicitCopySum()                                = delete;
  explicit ExplicitCopySum(ExplicitCopySum const&) = default;
  KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& sum) const {
    count(place.of(i, j));
    sum += i - 3 * std::int64_t(j);
  }
};
template <int Bytes, int Rank = 1>
struct LargeSum : LargeTable<Bytes, Rank> {
  using value_type = std::uint64_t;
  using LargeTable<Bytes, Rank>::LargeTable;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& sum) const
      requires(Rank == 1) {
    this->count(this->place.of(i));
    sum += this->of(i);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, std::uint64_t& sum) const
      requires(Rank == 2) {
    this->count(this->place.of(i, j));
    sum += this->of(i + 7 * std::int64_t(j));
  }
};
/// init(), join() and final() of the functor.
template <int Rank = 1>
struct SmallestAndNumber : Functor<std::int32_t, Rank> {
  struct value_type {
    std::int64_t smallest, number;
  };
  using Functor<std::int32_t, Rank>::Functor;
  template <class... I>
  KOKKOS_FUNCTION void add(value_type& value, I... i) const {
    std::int64_t const at = this->place.of(i...);
    this->count(at);
    value.smallest = Kokkos::min(value.smallest, std::int64_t(this->x[at]));
    ++value.number;
  }
  KOKKOS_FUNCTION void operator()(int i, value_type& value) const
      requires(Rank == 1) {
    add(value, i);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, value_type& value) const
      requires(Rank == 2) {
    add(value, i, j);
  }
  KOKKOS_FUNCTION void init(value_type& value) const { value = {1 << 30, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const {
    into.smallest = Kokkos::min(into.smallest, from.smallest);
    into.number += from.number;
  }
  KOKKOS_FUNCTION void final(value_type& value) const {
    value.number = -value.number;
  }
};

/// Only join(): the value begins with its default constructor.
struct LargestMagnitude : Functor<std::int32_t> {
  using value_type = std::int64_t;
  using Functor<std::int32_t>::Functor;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& value) const {
    std::int64_t const at = place.of(i), number = x[at];
    count(at);
    join(value, number < 0 ? -number : number);
  }
  KOKKOS_FUNCTION void join(std::int64_t& into,
                            std::int64_t const& from) const {
    if (from > into) into = from;
  }
};

/// The smallest of each of so many words, of a reduction and of a scan.
template <class Word, int Words>
struct SmallestWords : Functor<double> {
  struct value_type {
    Word word[Words];
  };
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void take(std::int64_t at, value_type& value) const {
    for (int k = 0; k < Words; ++k) {
      auto const word = static_cast<Word>(mixed(std::uint64_t(at + k)) >> 8);
      if (word < value.word[k]) value.word[k] = word;
    }
  }
  KOKKOS_FUNCTION void operator()(int i, value_type& value) const {
    count(place.of(i));
    take(place.of(i), value);
  }
  KOKKOS_FUNCTION void operator()(int i, value_type& value, bool last) const {
    take(place.of(i), value);
    if (last) write(place.of(i), value.word[0] + 3 * value.word[Words - 1]);
  }
  KOKKOS_FUNCTION void init(value_type& value) const {
    for (auto& word : value.word) word = static_cast<Word>(~Word(0));
  }
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const {
    for (int k = 0; k < Words; ++k)
      if (from.word[k] < into.word[k]) into.word[k] = from.word[k];
  }
};
struct SmallestWithFinal : SmallestWords<std::uint64_t, 25> {
  using SmallestWords<std::uint64_t, 25>::SmallestWords;
  KOKKOS_FUNCTION void final(value_type& value) const { value.word[0] ^= 1; }
};

/// Without a result: final() keeps the value.
struct KeptByFinal : SmallestAndNumber<> {
  std::int64_t* kept;
  explicit KeptByFinal(Call const& c)
      : SmallestAndNumber<>(c), kept(c.device_result<std::int64_t>(0)) {}
  KOKKOS_FUNCTION void final(value_type& value) const {
    kept[0] = value.smallest;
    kept[1] += value.number + 1;  // twice shows
  }
};

/// Arrays of a length that is known at run time.
template <class T>
struct ArraySum : Functor<T> {
  using value_type = T[];
  unsigned value_count;
  explicit ArraySum(Call const& c)
      : Functor<T>(c), value_count(unsigned(c[Parameters::count])) {}
  KOKKOS_FUNCTION void operator()(int i, T* sum) const {
    std::int64_t const at = this->place.of(i);
    this->count(at);
    for (unsigned e = 0; e < value_count; ++e)
      if ((std::uint64_t(at) + e) % 3 == 0) sum[e] += this->x[at];
  }
};

/// Integers that show whether final() was called twice.
struct ArraySumWithFinal : ArraySum<std::uint8_t> {
  using ArraySum<std::uint8_t>::ArraySum;
  KOKKOS_FUNCTION void final(std::uint8_t* sum) const {
    for (unsigned e = 0; e < value_count; ++e) sum[e] ^= 0x55;
  }
};

struct MutableArraySum : ScratchArray {
  using value_type = std::int64_t[];
  unsigned value_count;
  explicit MutableArraySum(Call const& c)
      : ScratchArray(c), value_count(unsigned(c[Parameters::count])) {}
  KOKKOS_FUNCTION void operator()(int i, std::int64_t* sums) const {
    count(place.of(i));
    sums[std::uint64_t(place.of(i)) % value_count] +=
        std::int64_t(of(std::uint64_t(i)) >> 30);
  }
};

// Contributions to Kokkos' reducers.

template <bool Largest>
struct Extreme : Functor<double> {
  using value_type = double;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i, double& value) const {
    std::int64_t const at = place.of(i);
    count(at);
    if (Largest ? x[at] > value : x[at] < value) value = x[at];
  }
};
/// The largest of a box, under a tag.
struct LargestOfBox : Functor<double, 3> {
  using value_type = double;
  using Functor<double, 3>::Functor;
  KOKKOS_FUNCTION void operator()(TagA, int i, int j, int k,
                                  double& value) const {
    std::int64_t const at = place.of(i, j, k);
    count(at);
    if (x[at] > value) value = x[at];
  }
};
/// Values with a place: no two of them are equal.
template <class Value, bool Largest = false>
struct PlacedValues : Functor<double> {
  using value_type = Value;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i, Value& value) const {
    count(place.of(i));
    std::int64_t const number =
        std::uint32_t(std::uint32_t(place.of(i)) * 2654435761u);
    if constexpr (requires { value.max_loc; }) {
      if (number > value.max_val) value.max_val = number, value.max_loc = i;
      if (number < value.min_val) value.min_val = number, value.min_loc = i;
    } else if constexpr (requires { value.max_val; }) {
      if (number > value.max_val) value.max_val = number;
      if (number < value.min_val) value.min_val = number;
    } else {
      if (Largest ? number > value.val : number < value.val)
        value.val = number, value.loc = i;
    }
  }
};
struct Product : Functor<double> {
  using value_type = double;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i, double& value) const {
    std::int64_t const at = place.of(i);
    count(at);
    value *= x[at];
  }
};
/// Of bits, or of truth: all but a few indices leave the value as it is.
template <bool And, class T>
struct Logic : Functor<double> {
  using value_type = T;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i, T& value) const {
    std::int64_t const at = place.of(i);
    count(at);
    std::uint64_t const hash = mixed(std::uint64_t(at));
    T const bits =
        hash % 1000 == 7 ? T(std::int64_t(1) << (hash / 1000 % 31)) : T(0);
    if constexpr (std::is_same_v<T, int>) {  // truth
      value = And ? value && bits == 0 : value || bits != 0;
    } else if constexpr (And) {
      value = T(value & ~bits);
    } else {
      value = T(value | bits);
    }
  }
};
/// Three results, under a tag.
struct Three : Functor<std::int32_t> {
  using Functor<std::int32_t>::Functor;
  KOKKOS_FUNCTION void operator()(TagA, int i, std::int64_t& sum, int& largest,
                                  double& number) const {
    std::int64_t const at = place.of(i);
    count(at);
    sum += x[at];
    if (x[at] > largest) largest = x[at];
    number += 0.5;
  }
};

// Scans.

template <class Element, class Value, bool Inclusive>
struct ScanSum : Functor<Element> {
  using value_type = Value;
  Value* z;
  explicit ScanSum(Call const& c) : Functor<Element>(c), z(c.y<Value>()) {}
  KOKKOS_FUNCTION void operator()(std::int64_t i, Value& sum,
                                  bool final) const {
    std::int64_t const at = this->place.of(i);
    if (final) this->count(at);
    if (!Inclusive && final) z[at] = sum;
    add_to(sum, this->x[at], at);
    if (Inclusive && final) z[at] = sum;
  }
  KOKKOS_FUNCTION void operator()(TagB, int i, Value& sum, bool final) const {
    (*this)(i, sum, final);
    sum += Value(1);
  }
};
struct ScanLargest : Functor<std::int32_t> {
  using value_type = std::int32_t;
  using Functor<std::int32_t>::Functor;
  KOKKOS_FUNCTION void operator()(int i, int& value, bool final) const {
    std::int64_t const at = place.of(i);
    if (x[at] > value) value = x[at];
    if (final) write(at, std::uint64_t(value));
  }
  KOKKOS_FUNCTION void init(int& value) const { value = -2147483647 - 1; }
  KOKKOS_FUNCTION void join(int& into, int const& from) const {
    if (from > into) into = from;
  }
};
/// Joins that do not commute: affine maps modulo a power of two.
template <class Word>
struct ScanAffine : Functor<std::int32_t> {
  struct value_type {
    Word factor, offset;
  };
  using Functor<std::int32_t>::Functor;
  KOKKOS_FUNCTION void operator()(int i, value_type& value, bool final) const {
    std::int64_t const at = place.of(i);
    join(value, {Word(2 * std::uint64_t(x[at]) + 1), Word(at)});
    if (final) write(at, std::uint64_t(value.offset) + value.factor);
  }
  KOKKOS_FUNCTION void init(value_type& value) const { value = {1, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const {
    // 16-bit words would be multiplied as signed integers.
    std::uint64_t const factor = from.factor;
    into                       = {Word(factor * into.factor),
                                  Word(factor * into.offset + from.offset)};
  }
};
/// The last index that had something to say: long stretches of silence, and
/// dense talk.
struct ScanLastSaid : Functor<double> {
  using value_type = std::int16_t;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i, std::int16_t& last, bool final) const {
    std::int64_t const at = place.of(i);
    if (at % 8191 == 17 || (at / 30000 % 2 == 1 && at % 3 == 0))
      last = std::int16_t(at % 30011);
    if (final) write(at, std::uint64_t(last));
  }
  KOKKOS_FUNCTION void init(std::int16_t& last) const { last = -1; }
  KOKKOS_FUNCTION void join(std::int16_t& last,
                            std::int16_t const& later) const {
    if (later != -1) last = later;
  }
};
struct ScanMutable : ScratchArray {
  using value_type = std::uint64_t;
  using ScratchArray::ScratchArray;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& sum, bool final) const {
    sum += of(std::uint64_t(i));
    if (final) write(place.of(i), sum);
  }
};
struct ScanOverloads : Functor<double> {
  using value_type = std::int64_t;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void add(int i, std::int64_t& sum, bool final, int n) const {
    sum += n;
    if (final) write(place.of(i), std::uint64_t(sum));
  }
  KOKKOS_FUNCTION void operator()(int const& i, std::int64_t& sum,
                                  bool final) const {
    add(i, sum, final, 1);
  }
  KOKKOS_FUNCTION void operator()(int const&& i, std::int64_t& sum,
                                  bool final) const {
    add(i, sum, final, 1000);
  }
};
struct ScanAnyIndex : Functor<double> {
  using value_type = std::int64_t;
  using Functor<double>::Functor;
  template <class I>
  KOKKOS_FUNCTION void operator()(I& i, std::int64_t& sum, bool final) const {
    sum += std::is_const_v<I> ? 10 : 20;
    if (final) write(place.of(i), std::uint64_t(sum));
  }
};
template <int Bytes>
struct ScanLarge : LargeTable<Bytes> {
  using value_type = std::uint64_t;
  using LargeTable<Bytes>::LargeTable;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& sum, bool final) const {
    sum += this->of(std::uint64_t(i));
    if (final) this->write(this->place.of(i), sum);
  }
};

}  // namespace random_calls::RANDOM_CALLS_TWIN

#endif

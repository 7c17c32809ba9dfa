// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions by Kokkos' reducers, by reducers of the application and to several
// results at once.

#include "FoldFunctors.hpp"
#include "Kinds.hpp"

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

/// A reducer of Kokkos for a space of the result.
template <bool OnDevice, template <class...> class Reducer, class... Types>
struct Kept {
  static constexpr bool on_device = OnDevice;
  template <class Space>
  using Of = Reducer<Types..., Space>;
};

/// A reducer of the application: the sum modulo 251 and the number of calls.
struct Remainder {
  std::int64_t sum, calls;
};
template <class Space>
struct AddRemainders {
  using reducer    = AddRemainders;
  using value_type = Remainder;
  using result_view_type =
      Kokkos::View<value_type, Space, Kokkos::MemoryUnmanaged>;
  result_view_type result;
  KOKKOS_FUNCTION AddRemainders(value_type& value) : result(&value) {}
  KOKKOS_FUNCTION AddRemainders(result_view_type const& v) : result(v) {}
  KOKKOS_FUNCTION void init(value_type& value) const { value = {0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const {
    into = {(into.sum + from.sum) % 251, into.calls + from.calls};
  }
  KOKKOS_FUNCTION void final(value_type& value) const { value.sum += 1000; }
  KOKKOS_FUNCTION value_type& reference() const { return *result.data(); }
  KOKKOS_FUNCTION result_view_type const& view() const { return result; }
};
struct KeptRemainders {
  static constexpr bool on_device = true;
  template <class Space>
  using Of = AddRemainders<Space>;
};
struct CountRemainders : Functor<double> {
  using value_type = Remainder;
  using Functor<double>::Functor;
  KOKKOS_FUNCTION void operator()(int i, Remainder& value) const {
    count(place.of(i));
    value = {(value.sum + place.of(i)) % 251, value.calls + 1};
  }
};

template <class Reducer, class FunctorType, class BoxType = Box<int>>
void add_by(Table& table, char const* name, Limits limits = {}) {
  limits.rank = BoxType::rank;
  limits.result_bytes =
      int(sizeof(typename Reducer::template Of<Kokkos::HostSpace>::value_type));
  add(table, name, limits, [](auto const& run, Call const& c) {
    run.template reduce_by<Reducer>(BoxType(c), FunctorType(c));
  });
}

#if !defined(RANDOM_CALLS_EMULATED)
/// Several results: a scalar, by a reducer, and in a View.
template <class Run>
void three_results(Run const& run, Call const& c) {
  auto const over = run.policy(Box<int, 1, false, TagA>(c));
  Three const functor(c);
  run.each_repeat([&](std::int64_t r) {
    auto* const sums   = c.host_result<std::int64_t>(r);
    auto* const others = c.host_result<double>(r);
    int largest;
    typename Run::template Result<double, Kokkos::HostSpace> const number(
        others + 1);
    Kokkos::parallel_reduce("random_calls", over, functor, sums[0],
                            Kokkos::Max<int>(largest), number);
    sums[2] = largest;
  });
}
#endif

}  // namespace

void add_reducers(Table& table) {
  using Int          = std::int64_t;
  Limits const sums  = {.numbers = Numbers::sums, .float_results = true};
  Limits const any   = {.numbers = Numbers::ordered, .float_results = true};
  using MinLocation  = Kokkos::ValLocScalar<Int, Int>;
  using TwoLocations = Kokkos::MinMaxLocScalar<Int, Int>;
  using Two          = Kokkos::MinMaxScalar<Int>;
  add_by<Kept<false, Kokkos::Sum, double>, Sum<double, double>>(
      table, "reducer_sum", sums);
  add_by<Kept<true, Kokkos::Prod, double>, Product>(
      table, "reducer_prod",
      {.numbers = Numbers::products, .float_results = true});
  add_by<Kept<true, Kokkos::Min, double>, Extreme<false>>(table, "reducer_min",
                                                          any);
  add_by<Kept<false, Kokkos::Max, double>, Extreme<true>>(table, "reducer_max",
                                                          any);
  using Tagged = Box<int, 3, false, TagA>;
  add_by<Kept<false, Kokkos::Max, double>, LargestOfBox, Tagged>(
      table, "reducer_box_tag", any);
  add_by<Kept<true, Kokkos::MinMax, Int>, PlacedValues<Two>>(table,
                                                             "reducer_minmax");
  add_by<Kept<false, Kokkos::MinLoc, Int, Int>, PlacedValues<MinLocation>>(
      table, "reducer_minloc");
  add_by<Kept<true, Kokkos::MaxLoc, Int, Int>, PlacedValues<MinLocation, true>>(
      table, "reducer_maxloc");
  add_by<Kept<false, Kokkos::MinMaxLoc, Int, Int>, PlacedValues<TwoLocations>>(
      table, "reducer_minmaxloc");
  add_by<Kept<false, Kokkos::LAnd, int>, Logic<true, int>>(table,
                                                           "reducer_land");
  add_by<Kept<true, Kokkos::LOr, int>, Logic<false, int>>(table, "reducer_lor");
  add_by<Kept<true, Kokkos::BAnd, Int>, Logic<true, Int>>(table,
                                                          "reducer_band");
  add_by<Kept<false, Kokkos::BOr, Int>, Logic<false, Int>>(table,
                                                           "reducer_bor");
  add_by<KeptRemainders, CountRemainders>(table, "reducer_of_application");
#if !defined(RANDOM_CALLS_EMULATED)
  add(table, "three_results", {.element = Element::i32, .result_bytes = 24},
      [](auto const& run, Call const& c) { three_results(run, c); });
#endif
}

}  // namespace random_calls::RANDOM_CALLS_TWIN

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An application with functions whose names this library has, too, beside its
// types. A kernel of this library that calls its own functions by unqualified
// names would find these as well, by the types of their arguments. Nothing here
// runs.

#include <Kokkos_Core.hpp>

namespace application {

using Exec  = Kokkos::Cuda;
using Teams = Kokkos::TeamPolicy<Exec>;

struct Moments {
  double sum = 0, squares = 0;
  KOKKOS_FUNCTION Moments& operator+=(Moments const& other) {
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
};

/// A reducer of its own.
template <class T>
struct Add {
  using reducer    = Add;
  using value_type = T;
  using result_view_type =
      Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  T* result;
  KOKKOS_FUNCTION Add(T& to) : result(&to) {}
  KOKKOS_FUNCTION void init(T& value) const { value = T(); }
  KOKKOS_FUNCTION void join(T& into, T const& from) const { into += from; }
  KOKKOS_FUNCTION T& reference() const { return *result; }
  KOKKOS_FUNCTION result_view_type view() const {
    return result_view_type(result);
  }
};

struct Sums {
  KOKKOS_FUNCTION void operator()(int i, Moments& update) const {
    update.sum += i;
  }
  KOKKOS_FUNCTION void operator()(int i, int j, Moments& update) const {
    update.sum += i * j;
  }
  KOKKOS_FUNCTION void operator()(int i, Moments& update, bool) const {
    update.sum += i;
  }
};
struct Arrays {
  using value_type = Moments[];
  unsigned value_count;
  KOKKOS_FUNCTION void operator()(int i, Moments* update) const {
    for (unsigned k = 0; k < value_count; ++k) update[k].sum += i;
  }
};
struct OfTeams {
  KOKKOS_FUNCTION void operator()(Teams::member_type const& member,
                                  Moments& update) const {
    auto const threads = Kokkos::TeamThreadRange(member, 9);
    auto const lanes   = Kokkos::ThreadVectorRange(member, 9);
    auto const all     = Kokkos::TeamVectorRange(member, 9);
    auto const add     = [](int i, Moments& sum) { sum.sum += i; };
    Moments moments;
    double sum;
    Kokkos::parallel_reduce(threads, add, moments);
    Kokkos::parallel_reduce(lanes, add, Add<Moments>(moments));
    Kokkos::parallel_reduce(all, add, moments);
    Kokkos::parallel_scan(
        lanes, [](int i, double& prefix, bool) { prefix += i; },
        Add<double>(sum));
    update += moments;
    update.sum += sum;
  }
};

// By value: as good a match as a reference.
#define APPLICATION_HAS(name)                                     \
  template <class A, class B>                                     \
  KOKKOS_FUNCTION void name(A, B) {}                              \
  template <class A, class B, class C>                            \
  KOKKOS_FUNCTION void name(A, B, C) {}                           \
  template <class A, class B, class C, class D>                   \
  KOKKOS_FUNCTION void name(A, B, C, D) {}                        \
  template <class A, class B, class C, class D, class E>          \
  KOKKOS_FUNCTION void name(A, B, C, D, E) {}                     \
  template <class A, class B, class C, class D, class E, class F> \
  KOKKOS_FUNCTION void name(A, B, C, D, E, F) {}
APPLICATION_HAS(block_reduce)
APPLICATION_HAS(copy_array)
APPLICATION_HAS(copy_bits)
APPLICATION_HAS(join_arrays)
APPLICATION_HAS(join_blocks)
APPLICATION_HAS(join_scattered_warps)
APPLICATION_HAS(join_vector)
APPLICATION_HAS(lane_exclusive)
APPLICATION_HAS(last_block_reduce)
APPLICATION_HAS(load_partial)
APPLICATION_HAS(memcpy)
APPLICATION_HAS(nested_calls)
APPLICATION_HAS(parallel_scan)
APPLICATION_HAS(reduce_arrays)
APPLICATION_HAS(shuffle_down)
APPLICATION_HAS(shuffle_up)
APPLICATION_HAS(store_array)
APPLICATION_HAS(strided_calls)
APPLICATION_HAS(sum_arrays)
APPLICATION_HAS(warp_exclusive)
APPLICATION_HAS(warp_reduce)
#undef APPLICATION_HAS

}  // namespace application

void kernels_names_of_the_application() {
  using namespace application;
  Moments result, results[3];
  Kokkos::RangePolicy<Exec> const range(0, 100);
  Kokkos::parallel_reduce(range, Sums(), result);
  Kokkos::parallel_reduce(range, Sums(), Add<Moments>(result));
  Kokkos::parallel_reduce(
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {10, 10}), Sums(),
      result);
  Kokkos::parallel_scan(range, Sums(), result);
  Kokkos::parallel_reduce(range, Arrays{3}, results);
  Kokkos::parallel_reduce(Teams(10, Kokkos::AUTO, 4), OfTeams(), result);
}

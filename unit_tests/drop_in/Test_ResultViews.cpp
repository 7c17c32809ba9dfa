// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the drop-in takes for granted of this Kokkos: after a reduction it waits
// for the instance but where it hands on a View of the caller's as it is, or
// that of a reducer which does not name a variable.

#include <KokkosMMA_Recorder.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <type_traits>
#include <utility>

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
struct Probe {};
bool is_view_of_caller = false;

struct AddNothing {
  KOKKOS_FUNCTION void operator()(Probe, int, double&) const {}
};
struct AddNoArray {
  using value_type     = double[];
  unsigned value_count = 3;
  KOKKOS_FUNCTION void operator()(Probe, int, double*) const {}
};

}  // namespace

/// A closure that looks at its result and does nothing.
template <class Functor, class Reducer>
class Kokkos::Impl::ParallelReduce<
    Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer>,
    Kokkos::RangePolicy<Host, Probe>, Host> {
 public:
  template <class Result>
  ParallelReduce(CombinedFunctorReducer<Functor, Reducer> const&,
                 Kokkos::RangePolicy<Host, Probe> const&, Result&&) {
    is_view_of_caller = std::is_lvalue_reference_v<Result>;
  }
  void execute() const {}
};

namespace {

using namespace KokkosMMA::Testing;

enum class Waits { never, after_the_call };

/// Without a word from a tool Kokkos waits before and after kernels.
int waits_around_kernels() {
  Recorder const recorder;
  Kokkos::parallel_for("around", Kokkos::RangePolicy<Host>(0, 1),
                       KOKKOS_LAMBDA(int){});
  return Recorder::fences;
}

template <class Functor, class Result>
void expect(bool view_of_caller, Waits waits, Functor const& functor,
            Result&& result) {
  int const around = waits_around_kernels();
  Recorder const recorder;
  Kokkos::parallel_reduce("probe", Kokkos::RangePolicy<Host, Probe>(0, 1),
                          functor, std::forward<Result>(result));
  EXPECT_EQ(view_of_caller, is_view_of_caller);
  EXPECT_EQ(around + (waits == Waits::after_the_call), Recorder::fences);
}

TEST(ResultViews, KokkosWaitsAfterAllOthers) {
  double number = 0;
  Kokkos::View<double, Kokkos::HostSpace> const view("view");
  Kokkos::View<double, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> unmanaged(
      &number);
  expect(true, Waits::never, AddNothing(), view);
  expect(true, Waits::never, AddNothing(), unmanaged);
  expect(false, Waits::after_the_call, AddNothing(), number);
  expect(false, Waits::after_the_call, AddNothing(),
         Kokkos::Sum<double>(number));
  expect(false, Waits::never, AddNothing(),
         Kokkos::Sum<double, Kokkos::HostSpace>(view));
  double array[3] = {};

  expect(false, Waits::after_the_call, AddNoArray(), array);
  Kokkos::View<double*, Kokkos::HostSpace> const views("views", 3);
  expect(true, Waits::never, AddNoArray(), views);
}

}  // namespace

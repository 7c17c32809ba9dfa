// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nodes of graphs, and the standard algorithms.

#include "FoldFunctors.hpp"
#include "Kinds.hpp"

#include <Kokkos_Graph.hpp>
#include <Kokkos_StdAlgorithms.hpp>

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

namespace KE = Kokkos::Experimental;

/// make(root) is called once, and the graph runs for each repetition.
template <class Run, class Make>
void replay(Run const& run, Call const& c, Make const& make) {
  auto graph = KE::create_graph<Exec>(make);
  run.each_repeat([&](std::int64_t) { graph.submit(*c.space); });
  c.space->fence();
}
template <class Value>
auto result_of(Call const& c, std::int64_t number) {
  return Kokkos::View<Value, DeviceSpace, Kokkos::MemoryUnmanaged>(
      c.device_result<Value>(number));
}

/// Adds the result of the node before.
struct AddResult : Functor<std::int32_t> {
  std::int64_t* result;
  explicit AddResult(Call const& c)
      : Functor<std::int32_t>(c), result(c.device_result<std::int64_t>(0)) {}
  KOKKOS_FUNCTION void operator()(int i) const {
    write(place.of(i), std::uint64_t(*result));
  }
};

/// Two reductions side by side.
struct OtherSum : Sum<std::int32_t, std::int64_t> {
  using Sum<std::int32_t, std::int64_t>::Sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const {
    count(place.of(i));
    sum += 3 * x[place.of(i)];
  }
};

template <class T>
struct Largest {
  KOKKOS_FUNCTION T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};
struct PlusOf {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& a, T const& b) const {
    return a + b;
  }
};

// Other types of Views in each twin: Kokkos' own functors are of these.
#if defined(RANDOM_CALLS_INTERCEPTED)
constexpr unsigned traits_of_twin = Kokkos::Unmanaged;
#else
constexpr unsigned traits_of_twin = Kokkos::Unmanaged | Kokkos::Restrict;
#endif
template <class T>
using Row = Kokkos::View<T*, DeviceSpace, Kokkos::MemoryTraits<traits_of_twin>>;

/// body(x, y, r) for each repetition, with a result of r.
template <class T, class Body>
void add_algorithm(Table& table, char const* name, Limits limits, Body const&) {
  limits.low = limits.high = 0;
  add(table, name, limits, [](auto const& run, Call const& c) {
    auto const n = std::size_t(c[Parameters::extent]);
    Row<T const> const x(c.x<T>(), n);
    Row<T> const y(c.y<T>(), n);
    run.each_repeat([&](std::int64_t r) {
      if constexpr (std::is_invocable_r_v<T, Body, Exec const&, Row<T const>>) {
        *c.host_result<T>(r) = Body{}(*c.space, x);
      } else {
        Body{}(*c.space, x, y);
      }
    });
  });
}

void add_graph_nodes(Table& table) {
  Limits const ints{
      .element = Element::i32, .numbers = Numbers::sums, .result_bytes = 8};
  add(table, "graph_chain", ints, [](auto const& run, Call const& c) {
    replay(run, c, [&](auto root) {
      root.then_parallel_reduce("sum", run.node_policy(Box<int>(c)),
                                Sum<std::int32_t, std::int64_t>(c),
                                result_of<std::int64_t>(c, 0))
          .then_parallel_for("add", run.node_policy(Box<int>(c)), AddResult(c))
          .then_parallel_for(run.node_policy(Box<std::int64_t>(c)),
                             Mix<std::int64_t>(c));
    });
  });
  Limits box = ints;
  box.rank   = 2;
  add(table, "graph_boxes", box, [](auto const& run, Call const& c) {
    // Of an empty box Kokkos makes no node, and fails to add its edges.
    for (int d = 0; d < 2; ++d)
      if (c[Parameters::extent + d] == 0) return;
    replay(run, c, [&](auto root) {
      root.then_parallel_for("box", run.node_policy(Box<int, 2, true>(c)),
                             MixBox<2>(c))
          .then_parallel_reduce("sum", run.node_policy(Box<int, 2>(c)),
                                Sum<std::int32_t, std::int64_t, 2>(c),
                                result_of<std::int64_t>(c, 0));
    });
  });
#if KOKKOS_VERSION < 50000
  add(table, "graph_mutable", {}, [](auto const& run, Call const& c) {
    replay(run, c, [&](auto root) {
      root.then_parallel_for("scratch", run.node_policy(Box<int>(c)),
                             ScratchArray(c));
    });
  });
#endif
  add(table, "graph_overloads", {}, [](auto const& run, Call const& c) {
    replay(run, c, [&](auto root) {
      root.then_parallel_for("overloads", run.node_policy(Box<int>(c)),
                             Overloads(c));
    });
  });
  Limits two       = ints;
  two.result_bytes = 16;
  // Kokkos' own nodes share their scratch memory (4.6.01).
  add<true>(
      table, "graph_side_by_side", two, [](auto const& run, Call const& c) {
        Sum<std::int32_t, std::int64_t> const one(c);
        OtherSum const other(c);
        if constexpr (std::remove_cvref_t<decltype(run)>::on_kokkos) {
          auto* const results = c.device_result<std::int64_t>(0);
          using Result =
              Kokkos::View<std::int64_t, DeviceSpace, Kokkos::MemoryUnmanaged>;
          replay(run, c, [&](auto root) {
            root.then_parallel_reduce("one", run.node_policy(Box<int>(c)), one,
                                      Result(results));
            root.then_parallel_reduce("other", run.node_policy(Box<int>(c)),
                                      other, Result(results + 1));
          });
        } else {
          run.each_repeat([&](std::int64_t) {
            auto* const results = c.device_result<std::int64_t>(0);
            Box<int> const over(c);
            results[0] = run.folded(over, one,
                                    Fold<Sum<std::int32_t, std::int64_t>>{one});
            results[1] = run.folded(over, other, Fold<OtherSum>{other});
          });
        }
      });
}

}  // namespace

void add_graphs(Table& table) {
  add_graph_nodes(table);
  Limits const ints{
      .element = Element::i64, .numbers = Numbers::sums, .result_bytes = 8};
  Limits doubles        = ints;
  doubles.element       = Element::f64;
  doubles.float_results = doubles.float_y = true;
  using Int                               = std::int64_t;
  add_algorithm<Int>(table, "std_reduce", ints,
                     [](Exec const& space, Row<Int const> const& x) -> Int {
                       return KE::reduce("random_calls", space, KE::cbegin(x),
                                         KE::cend(x), Int(5));
                     });
  doubles.numbers = Numbers::ordered;
  add_algorithm<double>(
      table, "std_reduce_largest", doubles,
      [](Exec const& space, Row<double const> const& x) -> double {
        return KE::reduce("random_calls", space, x, -5., Largest<double>());
      });
  Limits scans       = ints;
  scans.result_bytes = 0;
  add_algorithm<Int>(table, "std_inclusive_scan", scans,
                     [](Exec const& space, auto const& x, auto const& y) {
                       KE::inclusive_scan("random_calls", space, x, y);
                     });
  add_algorithm<Int>(table, "std_exclusive_scan_of", scans,
                     [](Exec const& space, auto const& x, auto const& y) {
                       KE::exclusive_scan("random_calls", space, x, y, Int(9),
                                          PlusOf());
                     });
}

}  // namespace random_calls::RANDOM_CALLS_TWIN

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Prints docs/developers/routing_table.md: what the route functions say for
/// operations, types and sizes on two GPUs, each with the tuning table that the
/// library uses there. Nothing is launched, so this runs on any host.

#include <core/automaton/KokkosMMA_RouteAutomaton.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;

struct Machine {
  std::string_view name;
  Capability capability;
  std::string_view device;  ///< as its driver names it

  TuningTable const& tuning() const {
    return builtin_tuning_of(device, capability.compute_capability).table;
  }
};
constexpr std::array<Machine, 2> machines{
    Machine{"H200 (9.0)", {true, 90, 132}, "NVIDIA H200"},
    Machine{
        "A100 (8.0)", {true, 80, 108, 163 * 1024}, "NVIDIA A100-SXM4-80GB"}};

// Every call of a route function of this program is one of these.
RouteDecision decide(ReduceProblem const& problem, Machine const& machine) {
  return route_reduce(problem, machine.capability, Settings{},
                      machine.tuning());
}
RouteDecision decide(ScanProblem const& problem, Machine const& machine) {
  return route_scan(problem, machine.capability, Settings{});
}
RouteDecision decide(SegmentedProblem const& problem, Machine const& machine) {
  return route_segmented(problem, machine.capability, Settings{});
}
RouteDecision decide(Impl::StencilProblem const& problem,
                     Machine const& machine) {
  return Impl::route_stencil(problem, machine.capability, Settings{},
                             machine.tuning());
}
RouteDecision decide(Impl::AutomatonProblem const& problem,
                     Machine const& machine) {
  return Impl::route_automaton(problem, machine.capability, Settings{});
}

/// The accumulator of sums by default.
constexpr Scalar own_accumulator(Scalar input) {
  return Impl::is_16bit_float(input) ? Scalar::float32
         : size_of(input) == 1       ? Scalar::int32
                                     : input;
}

/// The type of the elements, and the type of their sum.
struct Types {
  Scalar input       = Scalar::opaque;
  Scalar accumulator = own_accumulator(input);

  std::string label() const {
    if (input == Scalar::opaque) return "any";
    std::string text(to_string(input));
    if (accumulator != own_accumulator(input))
      text += " in " + std::string(to_string(accumulator));
    return text;
  }
};

constexpr Scalar all_scalars[] = {
    Scalar::half,   Scalar::bhalf, Scalar::float32, Scalar::float64,
    Scalar::int8,   Scalar::uint8, Scalar::boolean, Scalar::int32,
    Scalar::uint32, Scalar::int64, Scalar::uint64};

std::vector<Types> element_types() {
  std::vector<Types> types;
  for (Scalar const input : all_scalars) types.push_back({input});
  return types;
}
std::vector<Types> const any_type{Types{}};

std::string size_label(std::uint64_t size) {
  for (int bits = 10; bits < 64; ++bits)
    if (size == std::uint64_t(1) << bits) return "2^" + std::to_string(bits);
  return std::to_string(size);
}

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (std::string const& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A table of Markdown. Types with the same routes share a row; reasons are
/// numbered and listed below.
class Table {
 public:
  /// \param size what the numbers before a colon count
  Table(std::string title, std::string what, std::string size)
      : m_title(std::move(title)),
        m_what(std::move(what)),
        m_size(std::move(size)) {}

  /// \param make the problem of given types and a given size
  template <class Make>
  void add(std::string const& what, std::vector<Types> const& types,
           std::vector<std::uint64_t> const& sizes, Make const& make) {
    struct Group {
      std::vector<std::string> types;
      std::vector<std::vector<std::string>> of_size;
    };
    std::vector<Group> groups;
    for (Types const& type : types) {
      std::vector<std::vector<std::string>> of_size;
      for (std::uint64_t const size : sizes)
        of_size.push_back(cells(make(type, size)));
      auto const alike = std::find_if(
          groups.begin(), groups.end(),
          [&](Group const& group) { return group.of_size == of_size; });
      if (alike == groups.end())
        groups.push_back({{type.label()}, of_size});
      else
        alike->types.push_back(type.label());
    }
    for (Group const& group : groups) {
      std::string const first = by_size(sizes, group.of_size, 0);
      std::string const other = by_size(sizes, group.of_size, 1);
      m_rows +=
          "| " + what + " | " +
          (group.types.size() == std::size(all_scalars) ? "all"
                                                        : joined(group.types)) +
          " | " + first + " | " + (other == first ? "" : other + " ") + "|\n";
    }
  }

  void print(std::ostream& out) const {
    out << "\n## " << m_title << "\n\n";
    if (m_rows.find(": ") != std::string::npos)
      out << "Numbers before a colon: " << m_size << ".\n\n";
    out << "| " << m_what << " | elements | " << machines[0].name << " | "
        << machines[1].name << " if different |\n|---|---|---|---|\n"
        << m_rows << "\n";
    for (std::size_t i = 0; i < m_reasons.size(); ++i)
      out << i + 1 << ". " << m_reasons[i] << "\n";
  }

 private:
  template <class Problem>
  std::vector<std::string> cells(Problem const& problem) {
    std::vector<std::string> column;
    for (Machine const& machine : machines) {
      RouteDecision const decision = decide(problem, machine);
      std::string cell(to_string(decision.route));
      std::vector<std::string> notes;
      for (Refusal const& refusal : {decision.mma, decision.streamed}) {
        if (!refusal) continue;
        std::string const note = note_of(refusal);
        if (std::find(notes.begin(), notes.end(), note) == notes.end())
          notes.push_back(note);
      }
      if (!notes.empty()) cell += " (" + joined(notes) + ")";
      column.push_back(cell);
    }
    return column;
  }

  std::string note_of(Refusal const& refusal) {
    std::string const text = to_string(refusal);
    auto const known     = std::find(m_reasons.begin(), m_reasons.end(), text);
    std::size_t const at = std::size_t(known - m_reasons.begin());
    if (known == m_reasons.end()) m_reasons.push_back(text);
    return std::to_string(at + 1);
  }

  /// The cell of a machine: one route, or one for each range of sizes.
  static std::string by_size(
      std::vector<std::uint64_t> const& sizes,
      std::vector<std::vector<std::string>> const& of_size, int machine) {
    std::string text;
    for (std::size_t first = 0; first < sizes.size();) {
      std::string const& route = of_size[first][machine];
      std::size_t last         = first;
      while (last + 1 < sizes.size() && of_size[last + 1][machine] == route)
        ++last;
      if (first == 0 && last + 1 == sizes.size()) return route;
      if (first != 0) text += "; ";
      text += size_label(sizes[first]);
      if (first != last) text += " to " + size_label(sizes[last]);
      text += ": " + route;
      first = last + 1;
    }
    return text;
  }

  std::string m_title;
  std::string m_what;
  std::string m_size;
  std::string m_rows;
  std::vector<std::string> m_reasons;
};

void print_reductions(std::ostream& out) {
  Table table("Reductions", "what is summed", "indices");
  std::vector<std::uint64_t> const sizes{
      1, 1 << 10, 1 << 30, std::uint64_t(1) << 31, std::uint64_t(1) << 34};
  auto const view = [](Types const& types, std::uint64_t size) {
    ReduceProblem problem;
    problem.source        = Source::view;
    problem.input         = types.input;
    problem.value         = types.accumulator;
    problem.sum           = true;
    problem.contiguous    = true;
    problem.value_bytes   = std::size_t(size_of(types.accumulator));
    problem.functor_bytes = 64;
    problem.size          = size;
    return problem;
  };
  // The same with one thing changed.
  auto const with = [](auto const& make, auto const& change) {
    return [make, change](Types const& types, std::uint64_t size) {
      auto problem = make(types, size);
      change(problem);
      return problem;
    };
  };
  std::vector<Types> const types = element_types();
  table.add("`reduce`, `load(x)`: a View", types, sizes, view);
  table.add("integers into a floating-point result",
            {{Scalar::int8, Scalar::float32},
             {Scalar::int32, Scalar::float64},
             {Scalar::int64, Scalar::float64}},
            sizes, view);
  table.add("a strided View", types, sizes,
            with(view, [](ReduceProblem& p) { p.contiguous = false; }));
  table.add("`load(x)` with another reducer", types, sizes,
            with(view, [](ReduceProblem& p) { p.sum = false; }));
  auto const dot =
      with(view, [](ReduceProblem& p) { p.source = Source::product; });
  table.add("`dot(x, y)`, `squares(x)`", types, sizes, dot);
  table.add("`dot` of Views aligned differently", types, sizes,
            with(dot, [](ReduceProblem& p) { p.same_alignment = false; }));
  table.add("`transform(x, op)`", types, sizes,
            with(view, [](ReduceProblem& p) { p.source = Source::transform; }));

  auto const functor = [](Types const&, std::uint64_t size) {
    ReduceProblem problem;
    problem.value_bytes   = max_value_bytes;
    problem.functor_bytes = max_functor_bytes;
    problem.size          = size;
    return problem;
  };
  table.add("the application's functor, values up to 512 bytes", any_type,
            sizes, with(functor, [](ReduceProblem& p) {
              p.value_bytes = max_shared_value_bytes;
            }));
  table.add("larger values", any_type, sizes,
            with(functor, [](ReduceProblem& p) {
              p.value_bytes = max_shared_value_bytes + 1;
            }));
  auto const arrays = [&](std::size_t bytes) {
    return with(functor, [bytes](ReduceProblem& p) {
      p.fixed_size  = false;
      p.value_bytes = bytes;
    });
  };
  table.add("arrays whose length is known at run time, up to 16384 bytes",
            any_type, sizes, arrays(max_array_bytes));
  table.add("longer arrays", any_type, sizes, arrays(max_array_bytes + 1));
  table.add("the same over `MDRangePolicy`", any_type, {1 << 20},
            with(functor, [](ReduceProblem& p) {
              p.pattern     = Pattern::mdrange;
              p.fixed_size  = false;
              p.value_bytes = 8;
            }));
  table.add("a functor of more than 32400 bytes", any_type, sizes,
            with(functor, [](ReduceProblem& p) {
              p.functor_bytes = max_functor_bytes + 1;
            }));
  table.add(
      "a functor that would [spill](../drop_in.md#what-is-intercepted) too "
      "much",
      any_type, sizes, with(functor, [](ReduceProblem& p) {
        p.local_bytes = max_local_bytes(p) + 1;
      }));
  table.add(
      "`MDRangePolicy`", any_type, sizes,
      with(functor, [](ReduceProblem& p) { p.pattern = Pattern::mdrange; }));
  table.add("a node of a Kokkos graph", any_type, sizes,
            with(functor, [](ReduceProblem& p) { p.in_graph = true; }));
  table.print(out);
}

void print_scans(std::ostream& out) {
  Table table("Scans", "what is scanned", "indices");
  std::vector<std::uint64_t> const sizes{1, 1 << 10, 1 << 20,
                                         std::uint64_t(1) << 34};
  auto const view = [](Types const& types, std::uint64_t size) {
    ScanProblem problem;
    problem.source      = Source::view;
    problem.input       = types.input;
    problem.accumulator = types.accumulator;
    problem.output      = types.accumulator;
    problem.sum         = true;
    problem.contiguous  = true;
    problem.tile_compiled =
        scan_tile_exists(types.input, types.accumulator, types.accumulator);
    problem.mma_compiled  = true;
    problem.value_bytes   = std::size_t(size_of(types.accumulator));
    problem.functor_bytes = 64;
    problem.size          = size;
    return problem;
  };
  table.add("`exclusive_scan`, `inclusive_scan` of Views", element_types(),
            sizes, view);
  table.add("counts into wider offsets",
            {{Scalar::int32, Scalar::int64}, {Scalar::uint32, Scalar::uint64}},
            sizes, view);
  table.add(
      "floats kept in double",
      {{Scalar::half, Scalar::float64}, {Scalar::float32, Scalar::float64}},
      sizes, view);
  table.add("strided Views", element_types(), sizes,
            [&](Types const& types, std::uint64_t size) {
              ScanProblem problem = view(types, size);
              problem.contiguous  = false;
              return problem;
            });
  auto const functor = [](std::size_t value_bytes) {
    return [value_bytes](Types const&, std::uint64_t size) {
      ScanProblem problem;
      problem.value_bytes   = value_bytes;
      problem.functor_bytes = 64;
      problem.size          = size;
      return problem;
    };
  };
  table.add("the application's functor, values up to 64 bytes", any_type, sizes,
            functor(max_value_bytes));
  table.add("larger values", any_type, sizes, functor(max_value_bytes + 1));
  table.print(out);
}

void print_segments(std::ostream& out) {
  Table table("Segments", "what", "elements of a segment");
  std::vector<std::uint64_t> const lengths{1,    8,       17,     64,
                                           1000, 1 << 14, 1 << 20};
  auto const packed = [](Types const& types, std::uint64_t length) {
    SegmentedProblem problem;
    problem.layout       = SegmentLayout::packed;
    problem.input        = types.input;
    problem.accumulator  = types.accumulator;
    problem.output       = types.accumulator;
    problem.segments     = (std::uint64_t(1) << 28) / length;
    problem.mma_compiled = true;
    return problem;
  };
  auto const reduce_with = [packed](auto const& change) {
    return [packed, change](Types const& types, std::uint64_t length) {
      SegmentedProblem problem = packed(types, length);
      change(problem);
      return problem;
    };
  };
  auto const scan_with = [packed](auto const& change) {
    return [packed, change](Types const& types, std::uint64_t length) {
      SegmentedProblem problem = packed(types, length);
      problem.scan             = true;
      change(problem);
      return problem;
    };
  };
  auto const nothing = [](SegmentedProblem&) {};
  auto const columns = [](SegmentedProblem& p) {
    p.layout = SegmentLayout::columns;
  };
  auto const offsets = [](SegmentedProblem& p) { p.csr = true; };
  auto const strided = [](SegmentedProblem& p) {
    p.layout = SegmentLayout::strided;
  };
  std::vector<Types> const types = element_types();
  table.add("sums, one length", types, lengths, packed);
  table.add(
      "minima, maxima, products", types, lengths,
      reduce_with([](SegmentedProblem& p) { p.operation = Operation::max; }));
  table.add("sums between offsets", types, lengths, reduce_with(offsets));
  table.add("sums of columns, `Axis{0}`", types, lengths, reduce_with(columns));
  table.add("gaps between elements or segments", types, lengths,
            reduce_with(strided));
  table.add(
      "floats kept in double",
      {{Scalar::half, Scalar::float64}, {Scalar::float32, Scalar::float64}},
      lengths, packed);
  table.add("scans, one length", types, lengths, scan_with(nothing));
  table.add("scans between offsets", types, lengths, scan_with(offsets));
  table.add("scans of columns", types, lengths, scan_with(columns));
  table.print(out);
}

/// Weights of one outer product that is none of ones: 1 2 .. 2 1 in each
/// dimension.
template <int Rank>
StencilWeights<Rank> tents(int radius) {
  StencilWeights<Rank> const shape = StencilWeights<Rank>::box(radius);
  std::vector<double> values(shape.size(), 1);
  for (std::size_t at = 0; at < values.size(); ++at)
    for (int const offset : shape.offsets(at))
      values[at] *= radius + 1 - std::abs(offset);
  return StencilWeights<Rank>::dense(radius, values);
}

/// Weights of full rank: no sum of few outer products.
template <int Rank>
StencilWeights<Rank> irregular(int radius) {
  StencilWeights<Rank> const shape = StencilWeights<Rank>::box(radius);
  std::vector<double> values(shape.size());
  for (std::size_t at = 0; at < values.size(); ++at)
    values[at] = double(1 + at * at % 61);
  return StencilWeights<Rank>::dense(radius, values);
}

void print_stencils(std::ostream& out) {
  Table table("Stencils", "weights", "radius");
  std::vector<std::uint64_t> radii(16);
  std::iota(radii.begin(), radii.end(), 1);
  auto const of = []<int Rank>(StencilWeights<Rank> (*weights)(int),
                               Impl::MmaOperands operands) {
    return [weights, operands](Types const& types, std::uint64_t radius) {
      Impl::FactoredWeights<Rank> const factored(weights(int(radius)), false);
      using namespace Impl;
      StencilProblem problem;
      problem.rank        = Rank;
      problem.input       = types.input;
      problem.accumulator = types.accumulator;
      problem.radius      = int(radius);
      problem.taps        = int(factored.weights.taps());
      problem.weights     = weight_form(factored);
      if (problem.is_product() &&
          stencil_band_exists(types.input, types.accumulator))
        problem.factors = operands;
      // One product for every row of weights is compiled to this radius.
      if (operands == MmaOperands::exact &&
          stencil_dense_band_exists(types.input, types.accumulator) &&
          radius <= stencil_dense_radius(types.input))
        problem.exact_weights = true;
      problem.source = RowLayout::aligned_16;
      return problem;
    };
  };
  // Wide integers have one route, whatever the weights.
  std::vector<Types> types, wide;
  for (Types const& each : element_types()) {
    bool const is_float =
        each.input == Scalar::float32 || each.input == Scalar::float64;
    (is_float || size_of(each.input) < 4 ? types : wide).push_back(each);
  }
  using W2 = StencilWeights<2>;
  using W3 = StencilWeights<3>;
  table.add("2D, `box`", types, radii,
            of.operator()<2>([](int r) { return W2::box(r); },
                             Impl::MmaOperands::exact));
  table.add("2D, one outer product", types, radii,
            of.operator()<2>(&tents<2>, Impl::MmaOperands::exact));
  // Bytes have no fractions.
  std::vector<Types> fractions;
  for (Types const& each : types)
    if (size_of(each.input) == 2 || each.input == Scalar::float32)
      fractions.push_back(each);
  table.add("2D, one outer product of any fractions", fractions, radii,
            of.operator()<2>(&tents<2>, Impl::MmaOperands::split));
  table.add("2D, `star`", types, radii,
            of.operator()<2>([](int r) { return W2::star(r); },
                             Impl::MmaOperands::exact));
  table.add("2D, any weights", types, radii,
            of.operator()<2>(&irregular<2>, Impl::MmaOperands::exact));
  table.add("2D, weights that are not exact operands", types, radii,
            of.operator()<2>(&irregular<2>, Impl::MmaOperands::none));
  table.add("2D, all of these", wide, radii,
            of.operator()<2>(&irregular<2>, Impl::MmaOperands::exact));
  table.add("1D, any weights", element_types(), radii,
            of.operator()<1>(&irregular<1>, Impl::MmaOperands::exact));
  table.add("3D, `box`", element_types(), radii,
            of.operator()<3>([](int r) { return W3::box(r); },
                             Impl::MmaOperands::exact));
  table.print(out);
}

void print_automata(std::ostream& out) {
  Table table("Automata", "rule", "generations");
  std::vector<std::uint64_t> const steps{1, 2, 3, 1 << 10};
  std::vector<Types> const cells{
      {Scalar::int8}, {Scalar::uint8}, {Scalar::boolean}};
  auto const of = [](Impl::AutomatonProblem problem) {
    return [problem](Types const&, std::uint64_t generations) {
      Impl::AutomatonProblem result = problem;
      result.contiguous             = true;
      result.row                    = 1 << 14;
      result.generations            = std::int64_t(generations);
      return result;
    };
  };
  auto const known = [&](char const* rule) {
    return of(Impl::automaton_problem(parse_rule(rule)));
  };
  table.add("`B3/S23`, two states and radius 1", cells, steps, known("B3/S23"));
  table.add("`R5,C0,M1,S34..58,B34..45,NM`, one range each", cells, steps,
            known("R5,C0,M1,S34..58,B34..45,NM"));
  table.add("`R2,C0,M0,S3-5,7,B4..6,NM`, several ranges", cells, steps,
            known("R2,C0,M0,S3-5,7,B4..6,NM"));
  table.add("`R2,C0,M0,S3..5,B4..6,NN`, von Neumann, radius 2 or more", cells,
            steps, known("R2,C0,M0,S3..5,B4..6,NN"));
  table.add("`345/2/4`, more than two states", cells, steps, known("345/2/4"));
  table.add("the application's functor", cells, steps,
            of(Impl::automaton_problem(Neighbourhood::moore, 1, 0)));
  table.add("neither dimension of stride 1", cells, steps,
            [](Types const&, std::uint64_t) {
              return Impl::automaton_problem(parse_rule("B3/S23"));
            });
  table.print(out);
}

}  // namespace

int main() {
  std::cout << R"(# Routes by call, element type and size

[routing_table.cpp](routing_table.cpp) prints this page from the route functions. `KokkosMMA::explain` prints the
[route](../how_it_works.md#routes) of one call on your device.

Each column uses the [tuning table](tuning.md) of that device. The A100 has none: like every GPU without one it uses `built-in, any GPU`.
Hosts always run `generic`. GPUs below compute capability 8.0 are not supported; there no call runs `mma`, and segments, stencils and automata
run `generic`.

A number in brackets says why a faster route was rejected. Of two numbers the first says why not `mma`.

Unless a row says otherwise, the accumulator is float for 16-bit floats, int32 for one-byte elements and the element type for all others,
and the weights of stencils are exact operands of tensor cores ([Stencils](../calls/stencils.md)).
)";
  print_reductions(std::cout);
  print_scans(std::cout);
  print_segments(std::cout);
  print_stencils(std::cout);
  print_automata(std::cout);
}

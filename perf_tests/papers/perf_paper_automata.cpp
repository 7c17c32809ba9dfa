// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers/Perf_Paper.hpp"

#include "stencil/Perf_StencilCheck.hpp"

/// Life and larger automata on a torus of bytes, as the papers compare them:
/// every neighbour read from memory, every neighbour read from a tile in shared
/// memory, and the library's products.
namespace perf {
namespace {

using Cell = std::uint8_t;

KOKKOS_INLINE_FUNCTION Cell next_state(RangeRule const& rule, Cell state,
                                       int count) {
  int const low  = state ? rule.survive[0] : rule.birth[0];
  int const high = state ? rule.survive[1] : rule.birth[1];
  return low <= count && count <= high;
}

/// An index beyond a boundary, on the torus; the radius is no larger than the
/// grid.
KOKKOS_INLINE_FUNCTION int wrapped(int i, int side) {
  return i < 0 ? i + side : i < side ? i : i - side;
}

/// One cell, each neighbour read from memory. `fixed`: the radius, where it is
/// a constant of the source.
template <int fixed>
KOKKOS_INLINE_FUNCTION Cell next_cell(Cell const* from, int side, int row,
                                      int column, RangeRule const& rule) {
  int const r = fixed > 0 ? fixed : rule.radius;
  int count   = 0;
  if (column >= r && column < side - r) {
    for (int a = -r; a <= r; ++a) {
      Cell const* const line =
          from + static_cast<std::size_t>(wrapped(row + a, side)) * side +
          column;
      for (int b = -r; b <= r; ++b) count += line[b];
    }
  } else {
    for (int a = -r; a <= r; ++a) {
      Cell const* const line =
          from + static_cast<std::size_t>(wrapped(row + a, side)) * side;
      for (int b = -r; b <= r; ++b) count += line[wrapped(column + b, side)];
    }
  }
  return next_state(rule, from[static_cast<std::size_t>(row) * side + column],
                    count);
}

#ifdef KOKKOS_ENABLE_CUDA
inline constexpr int tile_side  = 32;
inline constexpr int tile_reach = 16;
inline constexpr int tile_rows  = 8;  // of threads

template <int fixed>
__global__ void __launch_bounds__(tile_side* tile_rows)
    global_generation(Cell const* __restrict__ from, Cell* __restrict__ to,
                      int side, RangeRule rule) {
  int const column = blockIdx.x * tile_side + threadIdx.x;
  int const row    = blockIdx.y * tile_rows + threadIdx.y;
  if (row < side && column < side)
    to[static_cast<std::size_t>(row) * side + column] =
        next_cell<fixed>(from, side, row, column, rule);
}

/// A tile and what surrounds it in shared memory; the neighbours of a cell are
/// read from there, one by one.
template <int fixed>
__global__ void __launch_bounds__(tile_side* tile_rows)
    shared_generation(Cell const* __restrict__ from, Cell* __restrict__ to,
                      int side, RangeRule rule) {
  constexpr int widest = tile_side + 2 * tile_reach;
  __shared__ Cell tile[widest][widest];
  int const r     = fixed > 0 ? fixed : rule.radius;
  int const width = tile_side + 2 * r;
  int const row0 = blockIdx.y * tile_side, column0 = blockIdx.x * tile_side;
  for (int i = threadIdx.y; i < width; i += tile_rows)
    for (int j = threadIdx.x; j < width; j += tile_side) {
      // A tile may reach beyond the grid by itself, too.
      int const row    = (row0 + i - r + side) % side;
      int const column = (column0 + j - r + side) % side;
      tile[i][j]       = from[static_cast<std::size_t>(row) * side + column];
    }
  __syncthreads();
  int const column = column0 + threadIdx.x;
  for (int i = threadIdx.y; i < tile_side; i += tile_rows) {
    int const row = row0 + i;
    if (row >= side || column >= side) continue;
    int count = 0;
    for (int a = 0; a <= 2 * r; ++a)
      for (int b = 0; b <= 2 * r; ++b) count += tile[i + a][threadIdx.x + b];
    to[static_cast<std::size_t>(row) * side + column] =
        next_state(rule, tile[i + r][threadIdx.x + r], count);
  }
}
#else
struct HostGeneration {
  Cell const* from;
  Cell* to;
  int side;
  RangeRule rule;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    to[i] = next_cell<0>(from, side, static_cast<int>(i / side),
                         static_cast<int>(i % side), rule);
  }
};
#endif

struct LookAtCells {
  Cell const *cells, *exact;
  std::size_t n;
  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(n, w, workers,
                  [&](std::size_t i) { found.judge(i, cells[i] == exact[i]); });
  }
};

class AutomatonTables {
 public:
  explicit AutomatonTables(PaperTests& tests) : m_tests(tests) {}

  void register_all() {
    // Life over the size; larger neighbourhoods over the radius.
    std::vector<int> const life_sides =
        on_cuda ? std::vector<int>{512, 1024, 2048, 4096, 8192, 16384, 32768}
                : std::vector<int>{128, 512};
    std::vector<int> const radii =
        on_cuda ? std::vector<int>{1, 2, 3, 4, 5, 8, 12, 16}
                : std::vector<int>{1, 5};
    int const side = on_cuda ? 16384 : 128;
    for (int radius : {1, 5})
      for (int s : life_sides) add_all(radius, s);
    for (int radius : radii)
      if (radius != 1 && radius != 5) add_all(radius, side);
    if (m_tests.measures_energy())
      for (int radius : {1, 5, 16})
        for (std::string const& contender : contenders())
          if (fits(radius, side)) add(true, contender, radius, side);
  }

 private:
  Session& session() { return m_tests.session; }
  Exec const& exec() { return session().exec; }
  static std::size_t area(int side) {
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  }
  bool fits(int radius, int side) {
    return 2 * radius < side &&
           session().fitting(area(side), sizeof(Cell)) == area(side);
  }

  static std::vector<std::string> contenders() {
    if (!on_cuda) return {"global", "library"};
    return {"global", "shared", "mma", "packed"};
  }

  void add_all(int radius, int side) {
    if (!fits(radius, side)) return;
    for (std::string const& contender : contenders())
      add(false, contender, radius, side);
  }

  void add(bool energy, std::string const& contender, int radius, int side) {
    m_tests.add((energy ? "paper_energy/" : "paper_automaton/") + contender +
                    "/uint8/" + (energy ? "automaton" : "moore") + "/r:" +
                    std::to_string(radius) + "/side:" + std::to_string(side) +
                    "/n:" + std::to_string(area(side)),
                [=, this](benchmark::State& state) {
                  run(state, energy, contender, radius, side);
                });
  }

  static bool is_library(std::string const& contender) {
    return contender != "global" && contender != "shared";
  }

  /// Generations of a call. The library takes these rules on bits from three
  /// on, so on bytes there are two; where every neighbour of many is read, few
  /// will do.
  static int steps_of(std::string const& contender, int radius) {
    if (contender == "packed") return 64;
    if (contender == "mma") return 2;
    return radius >= 5 ? 2 : 8;
  }

  /// An even number of steps, from `cells` to `cells`.
  Call generations(std::string const& contender, RangeRule const& rule,
                   int side, Cell* cells, Cell* other, int steps) {
    Exec const on = exec();
    if (is_library(contender)) {
      auto const extent = static_cast<std::size_t>(side);
      Kokkos::View<Cell**, Exec> const view(cells, extent, extent);
      auto const parsed = KokkosMMA::parse_rule(rule.text());
      auto const torus =
          KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic);
      return [=] { KokkosMMA::automaton(on, view, parsed, torus, steps); };
    }
    auto const step = [=](Cell const* from, Cell* to) {
#ifdef KOKKOS_ENABLE_CUDA
      cudaStream_t const stream = on.cuda_stream();
      auto const blocks         = [=](int each) {
        return static_cast<unsigned>((side + each - 1) / each);
      };
      dim3 const block(tile_side, tile_rows);
      dim3 const by_cell(blocks(tile_side), blocks(tile_rows));
      dim3 const by_tile(blocks(tile_side), blocks(tile_side));
      if (contender == "shared") {
        if (rule.radius == 1)
          shared_generation<1>
              <<<by_tile, block, 0, stream>>>(from, to, side, rule);
        else
          shared_generation<0>
              <<<by_tile, block, 0, stream>>>(from, to, side, rule);
      } else if (rule.radius == 1) {
        global_generation<1>
            <<<by_cell, block, 0, stream>>>(from, to, side, rule);
      } else {
        global_generation<0>
            <<<by_cell, block, 0, stream>>>(from, to, side, rule);
      }
      check_cuda(cudaGetLastError(), "a generation of perf_paper");
#else
      Kokkos::parallel_for("perf_paper", IndexRange(on, 0, area(side)),
                           HostGeneration{from, to, side, rule});
#endif
    };
    return [=] {
      for (int s = 0; s < steps; s += 2) {
        step(cells, other);
        step(other, cells);
      }
    };
  }

  void check(std::string const& contender, RangeRule const& rule, int side,
             Cell* cells, Cell* other) {
    // Cells on bits take three steps at least.
    int const steps     = contender == "packed" ? 4 : 2;
    std::size_t const n = area(side);
    auto const fill     = [&](Cell* to) {
      Kokkos::parallel_for("perf::cells", IndexRange(exec(), 0, n),
                               FillCells{to});
    };
    std::string const key = std::to_string(rule.radius) + " " +
                            std::to_string(side) + " " + std::to_string(steps);
    if (m_key != key) {
      m_key.clear();
      m_exact.reset();
      m_exact.emplace(exec(), n);
      fill(cells);
      Cell const* const last =
          exact_automaton(exec(), cells, other, GridShape<2>{{side, side}},
                          rule, Conditions::periodic, steps);
      copy_bytes(exec(), m_exact->data(), last, n);
      exec().fence("perf::exact");
      m_key = key;
    }
    fill(cells);
    poison_bytes(exec(), other, n);
    generations(contender, rule, side, cells, other, steps)();
    inspect_all(exec(), n, LookAtCells{cells, m_exact->data(), n})
        .check(n, "cells");
  }

  void run(benchmark::State& state, bool energy, std::string const& contender,
           int radius, int side) {
    double const ceiling = session().copy_ceiling().bytes_per_second();
    std::size_t const n  = area(side);
    RangeRule const rule = scaled_rule(true, radius, 2);
    Cell* const cells    = session().results<Cell>(2 * n);
    Cell* const other    = cells + n;
    check(contender, rule, side, cells, other);
    bool const ours = is_library(contender);
    std::string const route =
        ours ? checked_route(Expectation::library) : contender;
    int const steps = steps_of(contender, radius);
    Call const call = generations(contender, rule, side, cells, other, steps);
    double const updates = static_cast<double>(steps) * static_cast<double>(n);
    if (energy) {
      m_tests.measure_energy(state, call, 2 * updates, ceiling, updates);
    } else {
      report(state,
             session().timer.sample_briefly(session().options.samples, call),
             2 * updates, ceiling, updates);
    }
    state.counters["fused_steps"]   = steps;
    state.counters["model_speedup"] = automaton_speedup(radius);
    state.SetLabel(route);
  }

  PaperTests& m_tests;
  std::string m_key;
  std::optional<Scratch<Cell>> m_exact;
};

}  // namespace

void register_paper_automata(PaperTests& tests) {
  tests.keep<AutomatonTables>().register_all();
}

}  // namespace perf

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_STEP_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepLine.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencil.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepSums.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepVolume.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// \param panel_rows 0: chosen by tall_block_height()
template <class Tuning, class Sums, class A, class Element, class Epilogue,
          class Weights, class Update = NoUpdate>
void launch_steps(Stream const& space, StencilGrid<Element, 2> const& grid,
                  Weights const& weights, int steps, Epilogue const& epilogue,
                  Update const& update = {}, std::int64_t panel_rows = 0) {
  constexpr int V       = Tuning::value.columns;
  constexpr int threads = Tuning::value.threads;
  constexpr int warps   = threads / 32;
  auto const kernel = step_stencil<Tuning, A, Element, Epilogue, Sums, Update>;
  int const lead    = steps * Sums::radius;
  StencilAlignment const alignment = stencil_alignment<V>(grid, epilogue);
  StepArguments<A, Element, Epilogue, Sums, Update> in{
      grid,
      epilogue,
      step_strips<StepStrips<2, step_strip_side>>(grid.boundaries, grid.extent,
                                                  Sums::radius, steps),
      0,
      0,
      int(panel_rows),
      0,
      alignment.loads,
      alignment.stores,
      steps,
      typename Sums::Weights(weights),
      update};
  GridBox<2> const& box    = in.strips.rest;
  std::int64_t const width = (32 - 2 * ((lead + V - 1) / V)) * V;
  // Panels begin at whole vectors.
  std::int64_t const origin =
      alignment.origin + (box.begin[1] - alignment.origin) / V * V;
  std::int64_t const rows   = box.end[0] - box.begin[0];
  std::int64_t const panels = (box.end[1] - origin + width - 1) / width;
  in.origin                 = int(origin);
  in.panels                 = checked_blocks(panels);
  KernelFacts const facts   = kernel_facts(space.device, kernel, threads);
  std::int64_t const resident =
      std::int64_t(std::max(facts.resident_blocks, 1)) *
      device(space.device).multiprocessors;
  if (panel_rows == 0)
    in.panel_rows =
        int(tall_block_height(rows, panels, resident * warps, 2 * lead, 1));
  // Tiles are halved if all halves run at once, more than one per
  // multiprocessor. 10^9 updates per second with halves and with whole tiles,
  // constants, star of radius 1 (H100, CUDA 13.0, 2026-11-27): 2048^2 float 781
  // 716, double 600 551, half 775 726; 4096^2 float 1474 1405, half 1380 1410;
  // dense 3x3 557 549, 1183 1142. Too many halves: 4096^2 double 850 856,
  // 8192^2 float 1915 1930. One per multiprocessor, 1024^2: float 272 286, half
  // 331 343, double 270 239. Same with reflecting boundaries. Slower: a
  // separate kernel for these tiles (1024^2 float 208 for 261, 8192^2 1703 for
  // 1775), and a flat index over the elements of a tile (8192^2 1837 for 1913).
  auto halves   = in.strips;
  halves.halved = true;
  if (device(space.device).multiprocessors < halves.tiles() &&
      halves.tiles() <= resident)
    in.strips = halves;
  std::int64_t const pieces = (rows + in.panel_rows - 1) / in.panel_rows;
  in.strip_blocks           = checked_blocks(in.strips.tiles());
  std::int64_t const blocks =
      in.strip_blocks + (panels * pieces + warps - 1) / warps;
  launch_kernel(space, "step_stencil", kernel,
                {checked_blocks(blocks), threads}, in);
}

template <class A, int V, int Radius, StepForm Form>
struct StepSumsOf {
  using type = OrderedSums<A, V, Radius, Form>;
};
template <class A, int V, int Radius>
struct StepSumsOf<A, V, Radius, StepForm::product> {
  using type = ProductSums<A, V, Radius>;
};

/// Launches a sweep of a form. Returns false if the radius exceeds `Largest`.
template <StepForm Form, int Largest, class A, class Element, class Weights,
          class Epilogue, class Update>
bool launch_step_form(Stream const& space, StencilGrid<Element, 2> const& grid,
                      Weights const& weights, int radius, int steps,
                      Epilogue const& epilogue, Update const& update) {
  return with_one_radius<1, Largest>(radius, [&](auto constant) {
    constexpr int Radius = decltype(constant)::value;
    using Tuning         = tuning_type<step_tuning<A, Element>(
        Form, Radius, !std::is_same_v<Update, NoUpdate>)>;
    using Sums =
        typename StepSumsOf<A, Tuning::value.columns, Radius, Form>::type;
    launch_steps<Tuning, Sums, A>(space, grid, weights, steps, epilogue,
                                  update);
    return true;
  });
}

/// Maximum number of steps in a sweep; `updates`: a user's functor updates the
/// sums. In three dimensions rows of `columns` must be whole vectors.
template <class A, class Element, int R>
int steps_of_sweep(StepForm form, int radius, std::int64_t columns,
                   bool updates = false) {
  if (form == StepForm::none) return 1;
  if (R == 3 && columns % step_volume_tuning<A, Element>().columns != 0)
    return 1;
  return R == 1   ? step_line_tuning(radius).steps
         : R == 2 ? step_tuning<A, Element>(form, radius, updates).steps
                  : step_volume_tuning<A, Element>().steps;
}

/// Runs `steps` time steps in one kernel, at most steps_of_sweep() and
/// steps_in_grid().
template <class A, class Element, class Epilogue, class Update = NoUpdate>
void launch_step_stencil(Stream const& space,
                         StencilGrid<Element, 2> const& grid,
                         FactoredWeights<2> const& factored, StepForm form,
                         int steps, Epilogue const& epilogue,
                         Update const& update = {}) {
  int const radius    = factored.kernel_weights.radius(0);
  auto const& weights = factored.kernel_weights;
  auto const launch   = [&]<StepForm Form, int Largest>(auto const& of) {
    return form == Form &&
           launch_step_form<Form, Largest, A>(space, grid, of, radius, steps,
                                              epilogue, update);
  };
  bool launched =
      launch.template operator()<StepForm::star, step_star_radius>(weights) ||
      launch.template operator()<StepForm::dense, 1>(weights) ||
      launch.template operator()<StepForm::sparse, 1>(weights);
  if constexpr (std::is_same_v<Update, NoUpdate>) {
    if (form == StepForm::product)
      launched = launch_step_form<StepForm::product, step_product_radius, A>(
          space, grid, *factored.product, radius, steps, epilogue, update);
  }
  if (!launched) refuse_steps();
}

}  // namespace KokkosMMA::Impl::Cuda

#endif

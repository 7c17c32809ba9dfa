// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PAPER_SETTINGS_HPP
#define KOKKOSMMA_PAPER_SETTINGS_HPP

#include <string_view>

/// \file
/// Parameters of the papers' sums. No call of the library reads them:
/// Cuda::launch_paper_reduce() is called by perf_paper and by tests.

namespace KokkosMMA::Impl {

/// How MMA instructions compute a sum. The library uses `chained`. The others
/// are the formulations of Navarro et al. 2020 ("GPU Tensor Cores for Fast
/// Arithmetic Reductions"), for half_t input only.
enum class Formulation : unsigned char {
  chained,      ///< data times ones; one fp32 addition per R MMA
  recurrence,   ///< two MMA reduce 256 values to one; one launch per level
  single_pass,  ///< R chained MMA, a second MMA per warp, one launch
  split         ///< half of the data by MMA, half by shuffles
};

/// Name of a formulation.
constexpr std::string_view to_string(Formulation formulation) {
  constexpr std::string_view names[] = {"chained", "recurrence", "single_pass",
                                        "split"};
  return names[static_cast<int>(formulation)];
}

/// A sum of half_t in one of the formulations. The chain and the block are the
/// papers' best on a V100.
struct PaperSettings {
  Formulation formulation = Formulation::single_pass;
  int chain_length        = 4;    ///< R: MMA per fp32 addition, 1 to 32
  int block_size          = 128;  ///< B: a multiple of 32 up to 512
};

}  // namespace KokkosMMA::Impl

#endif

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REPORT_CHOICE_HPP
#define KOKKOSMMA_REPORT_CHOICE_HPP

#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/loops/KokkosMMA_LaunchChooser.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace KokkosMMA::Impl {

inline std::string to_string(CallOrder const& order) {
  return concatenate(order.most_calls ? "more " : "",
                     order.neighbours ? "neighbouring" : "strided",
                     order.from_end   ? " one subrange per block, from the end"
                     : order.one_each ? " one subrange per block"
                     : order.scattered_warps ? " scattered"
                     : order.free_running    ? " free-running"
                                             : "");
}

inline std::string to_string(LoopShape const& shape) {
  return shape.calls == 0 ? std::string("Kokkos")
                          : concatenate("LoopShape{width = ", shape.width,
                                        ", height = ", shape.height,
                                        ", calls = ", shape.calls,
                                        ", fast = ", shape.fast, "}");
}

/// Prints the candidate that the first launches of a call selected, and the
/// time of each candidate.
/// \param noun text after a candidate's name: empty, or " invocations"
template <class Candidates>
void report_choice(char const* pattern, std::uint64_t size, char const* noun,
                   Candidates const& candidates, LaunchChooser const& chooser) {
  std::string const label = VerboseLines::seen();
  std::string text =
      concatenate("KokkosMMA: ", pattern, " ", label, label.empty() ? "" : " ",
                  "n=", size, " uses ", to_string(candidates[chooser.choice()]),
                  noun, " from now on; milliseconds:");
  for (int c = 0; c < candidates.count; ++c)
    text += concatenate(c == 0 ? " " : ", ", to_string(candidates[c]), " ",
                        chooser.milliseconds(c));
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace KokkosMMA::Impl

#endif

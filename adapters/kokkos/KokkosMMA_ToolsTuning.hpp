// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TOOLS_TUNING_HPP
#define KOKKOSMMA_TOOLS_TUNING_HPP

#include <core/routing/KokkosMMA_AskedRoute.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// Queries to a tuning tool about the route of a reduction or a scan. They are
/// made only if Kokkos has Kokkos_ENABLE_TUNING and the application was started
/// with --kokkos-tune-internals, as for Kokkos' own team sizes: while a tool
/// tries routes, floating-point results differ in their last bits from call to
/// call. Otherwise none of this is compiled.

namespace KokkosMMA::Impl {

#if defined(KOKKOS_ENABLE_TUNING)

/// Queries through Kokkos Tools. Kokkos numbers contexts with one counter per
/// process, so a program under a tuning tool must make its calls from one host
/// thread, as for everything that Kokkos tunes.
struct KokkosTools {
  static std::size_t begin(RouteQuestion const& question) {
    namespace Tools = Kokkos::Tools::Experimental;
    if (!Kokkos::tune_internals() || !Tools::have_tuning_tool()) return 0;
    static std::array<std::size_t, 3> const inputs = {
        Tools::declare_input_type("KokkosMMA.operation", text_variable()),
        Tools::declare_input_type("KokkosMMA.elements", text_variable()),
        Tools::declare_input_type("KokkosMMA.log2_size", size_variable())};
    std::size_t const context = Tools::get_new_context_id();
    Tools::begin_context(context);
    Tools::VariableValue values[] = {
        Tools::make_variable_value(inputs[0], std::string(question.operation)),
        Tools::make_variable_value(inputs[1],
                                   std::string(to_string(question.input))),
        Tools::make_variable_value(
            inputs[2], std::int64_t(std::bit_width(question.size)))};
    Tools::set_input_values(context, 3, values);
    return context;
  }

  static std::int64_t choose(std::size_t context,
                             RouteQuestion const& question) {
    namespace Tools = Kokkos::Tools::Experimental;
    // One variable for each set of candidates.
    static std::array<std::size_t, 4> const variables = {
        0, route_variable<1>(), route_variable<2>(), route_variable<3>()};
    Tools::VariableValue answer = Tools::make_variable_value(
        variables[question.mma + 2 * question.streamed],
        static_cast<std::int64_t>(question.preferred));
    Tools::request_output_values(context, 1, &answer);
    return answer.value.int_value;
  }

  static void end(std::size_t context) {
    Kokkos::Tools::Experimental::end_context(context);
  }

 private:
  using Info = Kokkos::Tools::Experimental::VariableInfo;

  static Info variable_of(Kokkos::Tools::Experimental::ValueType type) {
    namespace Tools    = Kokkos::Tools::Experimental;
    Info info          = {};
    info.type          = type;
    info.category      = Tools::StatisticalCategory::kokkos_value_categorical;
    info.valueQuantity = Tools::CandidateValueType::kokkos_value_unbounded;
    return info;
  }
  static Info text_variable() {
    return variable_of(
        Kokkos::Tools::Experimental::ValueType::kokkos_value_string);
  }
  static Info size_variable() {
    namespace Tools = Kokkos::Tools::Experimental;
    Info info       = variable_of(Tools::ValueType::kokkos_value_int64);
    info.category   = Tools::StatisticalCategory::kokkos_value_ordinal;
    return info;
  }
  /// Declares a variable of routes; bits of Mask: 0 for mma, 1 for streamed.
  template <int Mask>
  static std::size_t route_variable() {
    namespace Tools = Kokkos::Tools::Experimental;
    static std::array<std::int64_t, 3> candidates{};
    std::size_t count   = 0;
    std::string name    = "KokkosMMA.route";
    auto const consider = [&](Route route) {
      candidates[count++] = static_cast<std::int64_t>(route);
      name += "_" + std::string(to_string(route));
    };
    consider(Route::generic);
    if (Mask & 2) consider(Route::streamed);
    if (Mask & 1) consider(Route::mma);
    Info info          = variable_of(Tools::ValueType::kokkos_value_int64);
    info.valueQuantity = Tools::CandidateValueType::kokkos_value_set;
    info.candidates    = Tools::make_candidate_set(count, candidates.data());
    return Tools::declare_output_type(name, info);
  }
};

inline constexpr RouteTool kokkos_route_tool{
    &KokkosTools::begin, &KokkosTools::choose, &KokkosTools::end};

/// Route of a call: the tool's choice if a tool is queried, else `decision`.
class RouteOfCall : public AskedRoute<RouteTool> {
 public:
  template <class Problem>
  RouteOfCall(Problem const& problem, Capability const& capability,
              Settings const& settings, RouteDecision const& decision)
      : AskedRoute<RouteTool>(
            kokkos_route_tool,
            route_question(problem, capability, settings, decision)) {}
};

#else

class RouteOfCall {
 public:
  template <class Problem>
  constexpr RouteOfCall(Problem const&, Capability const&, Settings const&,
                        RouteDecision const& decision)
      : m_route(decision.route) {}

  constexpr Route route() const { return m_route; }

 private:
  Route m_route;
};

#endif

}  // namespace KokkosMMA::Impl

#endif

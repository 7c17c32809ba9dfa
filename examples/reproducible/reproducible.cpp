// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of the same numbers in two orders, by Kokkos and with level exact: the
// digits of the exact sums are those of every device and every host.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

// Numbers of both signs over 60 binary orders, made of integers: the same on
// every machine.
struct Terms {
  Kokkos::View<double*> x;
  bool backwards;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const n = static_cast<std::int64_t>(x.extent(0));
    std::uint64_t bits =
        (static_cast<std::uint64_t>(backwards ? n - 1 - i : i) + 1) *
        0x9e3779b97f4a7c15u;
    bits              = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits              = bits ^ bits >> 31;
    auto const number = static_cast<double>(bits >> 12);
    double scale      = 1;
    for (unsigned k = 0; k < bits % 60; ++k) scale *= 0.5;
    x(i) = (bits & 64 ? -scale : scale) * number;
  }
};

double plain_sum(Kokkos::View<double*> const& x) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "plain", x.extent(0),
      KOKKOS_LAMBDA(std::size_t i, double& update) { update += x(i); }, sum);
  return sum;
}

double exact_sum(Kokkos::View<double*> const& x) {
  double sum = 0;
  KokkosMMA::reduce(
      Kokkos::DefaultExecutionSpace(), x, sum,
      {.reproducibility = KokkosMMA::Reproducibility::exact, .label = "exact"});
  return sum;
}

int run(std::int64_t size) {
  Kokkos::View<double*> const x = uninitialized<double>("x", size);
  std::printf("n %lld\nexecution_space %s\n", static_cast<long long>(size),
              Kokkos::DefaultExecutionSpace::name());
  double exact[2];
  for (bool const backwards : {false, true}) {
    Kokkos::parallel_for("terms", size, Terms{x, backwards});
    exact[backwards]        = exact_sum(x);
    char const* const order = backwards ? "backwards" : "forwards";
    std::printf("plain_%s %a\nexact_%s %a\n", order, plain_sum(x), order,
                exact[backwards]);
  }
  return exact[0] == exact[1] ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    Arguments arguments(argc, argv);
    for (std::string word; arguments.next(word);) {
      if (word == "--help") {
        std::printf(
            "usage: reproducible [N]\n\nSums N numbers in two orders, by "
            "Kokkos and with level exact.\nN: 1 to 1000000000 (default: "
            "1000003).\n\nOptions that start with --kokkos- go to Kokkos. Exit "
            "code: 0, 1 for exact sums that\ndiffer, 2 for wrong input.\n");
        return 0;
      }
      arguments.refuse();
    }
    std::string const given = arguments.operand("sizes");
    std::int64_t const size =
        given.empty() ? 1000003 : integer_option("N", given, 1, 1000000000);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(size);
  } catch (InputError const& error) {
    std::fprintf(stderr, "reproducible: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "reproducible: %s\n", error.what());
    return 1;
  }
}

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans over ranges.

#include "FoldFunctors.hpp"
#include "Kinds.hpp"

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

template <class BoxType, class FunctorType, bool WithTotal,
          bool HostReference = false>
void add_scan(Table& table, char const* name, Limits limits = {}) {
  limits.result_bytes =
      WithTotal ? int(sizeof(typename FunctorType::value_type)) : 0;
  if (std::is_unsigned_v<typename BoxType::Index>) limits.low = 0;
  if (sizeof(typename BoxType::Index) == 8) limits.high = std::int64_t(1) << 40;
  add<HostReference>(table, name, limits, [](auto const& run, Call const& c) {
    run.template scan<WithTotal>(BoxType(c), FunctorType(c));
  });
}
constexpr Limits of(Element element, int bytes, bool floating) {
  return {.element       = element,
          .numbers       = Numbers::sums,
          .y_bytes       = bytes,
          .float_results = floating,
          .float_y       = floating};
}

}  // namespace

void add_scans(Table& table) {
  using I32 = std::int32_t;
  using I64 = std::int64_t;
  Limits const numbers{.element = Element::i32};
  add_scan<Box<int>, ScanSum<I32, I64, true>, false>(
      table, "scan_inclusive", of(Element::i32, 8, false));
  add_scan<Box<I64>, ScanSum<I32, I64, false>, true>(
      table, "scan_exclusive_total", of(Element::i32, 8, false));
  add_scan<Box<int>, ScanSum<double, double, true>, true>(
      table, "scan_double_total", of(Element::f64, 8, true));
  add_scan<Box<std::uint32_t>, ScanSum<float, float, false>, true>(
      table, "scan_float_total", of(Element::f32, 4, true));
  add_scan<Box<int>, ScanSum<I32, I32, true>, true>(table, "scan_int32_total",
                                                    of(Element::i32, 4, false));
  Limits normal  = of(Element::f64, 8, true);
  normal.numbers = Numbers::normal;
  add_scan<Box<int>, ScanSum<double, double, true>, true>(
      table, "scan_normal_numbers", normal);
  // Of values whose size is no multiple of 4 bytes Kokkos 5.2 loses bytes.
  add_scan<Box<int>, ScanSum<double, Numbers_of<std::uint8_t, 3>, false>, true,
           true>(table, "scan_3_bytes", {.y_bytes = 3});
  add_scan<Box<int>, ScanSum<double, Numbers_of<std::uint16_t, 3>, false>, true,
           true>(table, "scan_6_bytes", {.y_bytes = 6});
  add_scan<Box<int>, ScanSum<double, Numbers_of<I32, 3>, false>, true>(
      table, "scan_12_bytes", {.y_bytes = 12});
  add_scan<Box<int>, SmallestWords<std::uint8_t, 3>, true, true>(
      table, "scan_smallest_3_bytes");
  add_scan<Box<int>, SmallestWords<std::uint64_t, 3>, true>(
      table, "scan_smallest_24_bytes");
  add_scan<Box<int>, ScanSum<double, Numbers_of<I64, 2>, false>, true>(
      table, "scan_16_bytes", {.y_bytes = 16});
  add_scan<Box<int>, ScanSum<double, Numbers_of<I32, 10>, true>, false>(
      table, "scan_40_bytes", {.most = 1 << 17, .y_bytes = 40});
  add_scan<Box<int>, ScanSum<double, Kokkos::complex<double>, false>, true>(
      table, "scan_complex", of(Element::f64, 16, true));
  add_scan<Box<int, 1, false, TagB>, ScanSum<I32, I64, true>, true>(
      table, "scan_tag", of(Element::i32, 8, false));
  add_scan<Box<int>, ScanLargest, true>(table, "scan_init_join", numbers);
  add_scan<Box<int>, ScanAffine<std::uint64_t>, true, true>(
      table, "scan_non_commutative", numbers);
  add_scan<Box<int>, ScanAffine<std::uint32_t>, true, true>(
      table, "scan_non_commutative_32", numbers);
  add_scan<Box<int>, ScanAffine<std::uint16_t>, true, true>(
      table, "scan_non_commutative_16", numbers);
  add_scan<Box<int>, ScanLastSaid, true, true>(table, "scan_last_said");
  add_scan<Box<int>, ScanOverloads, true>(table, "scan_overloads");
#if KOKKOS_VERSION < 50000 || defined(RANDOM_CALLS_EMULATED)
  add_scan<Box<int>, ScanMutable, true>(table, "scan_mutable_scratch");
#endif
  add_scan<Box<I64>, ScanAnyIndex, false>(table, "scan_any_index");
  add_scan<Box<int>, ScanLarge<700>, false>(table, "scan_700_bytes");
  add_scan<Box<int>, ScanLarge<5000>, true>(table, "scan_5000_bytes",
                                            {.most_repeats = 20});
}

}  // namespace random_calls::RANDOM_CALLS_TWIN

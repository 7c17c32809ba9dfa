// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_KERNELSUPPORT_HPP
#define EMULATEDDEVICE_KERNELSUPPORT_HPP

#include "../emulated/EmulatedData.hpp"
#include "DeviceMemory.hpp"

#include <KokkosMMA_RandomTable.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// What the tests of reductions and scans share: elements as bits, the groups
/// of elements that are combined, and the kernels' results.

namespace KokkosMMA::Testing {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan      = std::numeric_limits<double>::quiet_NaN();

/// Elements of a type, and the type that they are combined in.
template <Scalar Input, class ValueType>
struct Combined {
  static constexpr Scalar input  = Input;
  static constexpr int bytes     = size_of(Input);
  static constexpr bool floating = Impl::is_floating(Input);
  using Bits                     = Impl::ElementBits<Input>;
  using Value                    = ValueType;

  static Value value_of(Bits bits) {
    if constexpr (floating) {
      return static_cast<Value>(Format<Input>::decode(bits));
    } else if constexpr (Input == Scalar::int8 || Input == Scalar::int32 ||
                         Input == Scalar::int64) {
      return static_cast<Value>(static_cast<std::make_signed_t<Bits>>(bits));
    } else {
      return static_cast<Value>(bits);
    }
  }
  static Bits bits_of(double number) {
    if constexpr (floating) {
      return Format<Input>::encode(number);
    } else {
      return static_cast<Bits>(static_cast<std::int64_t>(number));
    }
  }
  /// Numbers whose combination is exact in any order: integers of all bits, so
  /// that an element that is lost, or counts twice, changes the result.
  template <Impl::Operation Op>
  static Bits draw(Random& random) {
    if constexpr (floating) {
      double number = double(random.integer(-99, 99));
      if (Op == Impl::Operation::prod) {
        auto const kind = random.integer(0, 127);
        number = kind == 0 ? 2. : kind == 1 ? 0.5 : kind % 2 ? -1. : 1.;
      }
      return bits_of(number);
    } else if constexpr (Input == Scalar::boolean) {
      return Bits(random.integer(0, Op == Impl::Operation::prod ? 40 : 1) != 0);
    } else {
      // Even factors soon leave nothing of a product modulo 2^32.
      return Bits(random.bits() | (Op == Impl::Operation::prod));
    }
  }
  /// Integers wrap; a minimum or maximum passes over NaN, as Kokkos' reducers.
  template <Impl::Operation Op>
  static Value join(Value a, Value b) {
    if constexpr (Op == Impl::Operation::min) {
      return b < a ? b : a;
    } else if constexpr (Op == Impl::Operation::max) {
      return a < b ? b : a;
    } else if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(Op == Impl::Operation::sum
                                    ? std::uint64_t(a) + std::uint64_t(b)
                                    : std::uint64_t(a) * std::uint64_t(b));
    } else {
      return Op == Impl::Operation::sum ? a + b : a * b;
    }
  }
};

/// Every element type, or a few, each with the values that kernels keep it in.
template <template <class> class Of>
using IntegerTypes =
    SampledTypes<::testing::Types<Of<Combined<Scalar::int8, std::int32_t>>>,
                 ::testing::Types<Of<Combined<Scalar::int8, std::int64_t>>,
                                  Of<Combined<Scalar::uint8, std::uint32_t>>,
                                  Of<Combined<Scalar::uint8, std::uint64_t>>,
                                  Of<Combined<Scalar::boolean, std::int32_t>>,
                                  Of<Combined<Scalar::int32, std::int32_t>>,
                                  Of<Combined<Scalar::int32, std::int64_t>>,
                                  Of<Combined<Scalar::uint32, std::uint32_t>>,
                                  Of<Combined<Scalar::uint32, std::uint64_t>>,
                                  Of<Combined<Scalar::int64, std::int64_t>>,
                                  Of<Combined<Scalar::uint64, std::uint64_t>>>>;
// All of them with the others, too: the few have operations that the sample has
// only for integers.
template <template <class> class Of>
using FloatTypes =
    std::conditional_t<!all_types,
                       ::testing::Types<Of<Combined<Scalar::half, float>>,
                                        Of<Combined<Scalar::float64, double>>>,
                       ::testing::Types<Of<Combined<Scalar::half, float>>,
                                        Of<Combined<Scalar::bhalf, float>>,
                                        Of<Combined<Scalar::float32, float>>,
                                        Of<Combined<Scalar::float32, double>>,
                                        Of<Combined<Scalar::float64, double>>>>;

/// Every floating-point type of elements, as a type.
template <Scalar Input>
using Element = std::integral_constant<Scalar, Input>;
using FloatElements =
    ::testing::Types<Element<Scalar::half>, Element<Scalar::bhalf>,
                     Element<Scalar::float32>, Element<Scalar::float64>>;

/// Elements side by side, `before` elements after a 16-byte boundary, all bits
/// set until they are written: NaN or -1. Nothing lies after the last one.
template <class T>
class Row {
 public:
  Row(std::size_t size, int before)
      : m_grid({std::int64_t(size)}, {0}, {0}, Lie{0, before}) {
    std::memset(static_cast<void*>(m_grid.memory()), 0xff,
                std::size_t(m_grid.size()) * sizeof(T));
  }
  std::size_t size() const { return std::size_t(m_grid.extent()[0]); }
  T* data() { return m_grid.data(); }
  T const* data() const { return m_grid.data(); }
  T& operator[](std::size_t i) { return data()[i]; }
  T const& operator[](std::size_t i) const { return data()[i]; }

 private:
  DeviceGrid<T, 1> m_grid;
};

/// All elements, and segments of one length.
struct WholeRange {
  std::size_t size;
  Groups groups() const {
    return {"size " + std::to_string(size), size, 1,
            [](std::size_t) { return 0; }};
  }
};
struct SegmentsOfLength {
  std::size_t size, length;
  Groups groups() const {
    return {"length " + std::to_string(length) + " of " + std::to_string(size),
            size, (size + length - 1) / length,
            [length = length](std::size_t i) {
              return std::ptrdiff_t(i / length);
            }};
  }
  static std::vector<SegmentsOfLength> large(Random&) {
    return {
        {70000, 1}, {70001, 17}, {65000, 3000}, {80000, 32768}, {70000, 70000}};
  }
};

/// What kernels of both suites have alike: a list of cases, a value that
/// prefixes start from, and no products.
template <class CaseType, bool Operations = true>
struct KernelOf {
  using Case                           = CaseType;
  static constexpr bool has_operations = Operations;

  static std::vector<Case> cases(int, Random& random) {
    return Case::all(random);
  }
  static std::vector<Case> few_cases(int, Random&) { return Case::few(); }
  template <class T>
  static typename T::Value init() {
    return 0;
  }
  static double bound(int, std::size_t) { return 0; }
  /// Of kernels that have device_independent.
  static constexpr bool has_level = true;
};

/// Results of groups; each must be stored once.
template <class Value>
class Results {
 public:
  explicit Results(std::size_t count) : m_values(count), m_stores(count) {}
  struct Store {
    Value* value;
    int* stores;
    void operator()(std::uint64_t at, Value result) const {
      value[at] = result;
      ++stores[at];
    }
  };
  Store store() { return {m_values.data(), m_stores.data()}; }
  std::vector<Value> const& values() const {
    EXPECT_EQ(std::vector<int>(m_stores.size(), 1), m_stores)
        << "times that each result was stored";
    return m_values;
  }

 private:
  std::vector<Value> m_values;
  std::vector<int> m_stores;
};

/// Offsets of every type, by the size of the elements.
template <class T>
using OffsetOf = std::conditional_t<
    T::input == Scalar::int64, std::uint64_t,
    std::conditional_t<T::bytes == 8, std::int64_t,
                       std::conditional_t<sizeof(typename T::Value) == 8,
                                          std::uint32_t, std::int32_t>>>;

/// Equal, or both NaN.
template <class T>
bool same_number(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Few or many multiprocessors, the shared memory of compute capability 8.6 or
/// 9.0, and any table of tuning constants: none changes what is exact.
inline void any_tuned_device(Random& random) {
  static Impl::TuningTable table;
  any_device(random);
  int const kilobytes                      = random.integer(0, 1) ? 99 : 227;
  EmulatedDevice::shared_limit             = std::size_t(kilobytes) * 1024;
  Impl::Cuda::device_entry(0).shared_bytes = kilobytes * 1024;
  table =
      random.integer(0, 2) == 0 ? random_table(random) : Impl::builtin_tuning;
  Impl::Cuda::use_tuning(0, table);
}

/// What a suite of tests is run for.
template <class Kernel_, class T_>
struct OfKernel {
  using Kernel = Kernel_;
  using T      = T_;
};

/// Runs Reductions or Scans for a kernel, with integers and with floats, and
/// what is tested of floats only.
#define KOKKOSMMA_KERNEL_TESTS(name, suite, kernel)          \
  template <class T>                                         \
  using name##suite = OfKernel<kernel, T>;                   \
  INSTANTIATE_TYPED_TEST_SUITE_P(name##OfIntegers, suite,    \
                                 IntegerTypes<name##suite>); \
  INSTANTIATE_TYPED_TEST_SUITE_P(name##OfFloats, suite,      \
                                 FloatTypes<name##suite>);   \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, Float##suite, FloatTypes<name##suite>)

/// What both suites of tests share. P is an OfKernel.
template <class P>
class KernelSuite : public ::testing::Test {
 public:
  using Kernel = typename P::Kernel;
  using Case   = typename Kernel::Case;
  using T      = typename P::T;
  using Bits   = typename T::Bits;
  using Value  = typename T::Value;

  Random random;

  /// Elements before the first in its 16 bytes; none half of the time.
  int offset(int element_bytes) {
    return random.integer(0, 1)
               ? 0
               : int(random.integer(0, 16 / element_bytes - 1));
  }
  /// Calls set(element, group, i) for the elements of groups.
  template <class Set>
  Row<Bits> row_of(Groups const& groups, Set const& set) {
    Row<Bits> x(groups.elements, offset(T::bytes));
    for (std::size_t i = 0; i < x.size(); ++i)
      if (auto const group = groups.of(i); group >= 0)
        set(x[i], std::size_t(group), i);
    return x;
  }
  template <class Check>
  void each_of(std::vector<Case> const& cases, Check const& check) {
    for (Case const& c : cases) {
      any_tuned_device(random);
      Settings settings;
      if (Kernel::has_level && random.integer(0, 2) == 0)
        settings.reproducibility = Reproducibility::device_independent;
      ScopedSettings const scope(settings);
      check(c, c.groups());
      if (HasFatalFailure()) return;
    }
  }
  template <class Check>
  void each_few(Check const& check) {
    each_of(Kernel::few_cases(T::bytes, random), check);
  }

  /// run(), which returns the values of each way, has the same bits in a second
  /// call, on scratch that the first has used, and at level device_independent
  /// on devices of any size with any table.
  template <class Run>
  void expect_same_bits(Run const& run) {
    auto const expect = [&](auto const& first) {
      auto const again = run();
      ASSERT_EQ(first.size(), again.size());
      for (std::size_t way = 0; way < first.size(); ++way)
        ASSERT_EQ(0, std::memcmp(first[way].data(), again[way].data(),
                                 first[way].size() * sizeof(Value)));
    };
    expect(run());
    if (HasFatalFailure() || !Kernel::has_level) return;
    ScopedSettings const scope(
        Settings{.reproducibility = Reproducibility::device_independent});
    auto const fixed = run();
    for (int device = 0; device < 3; ++device) {
      any_tuned_device(random);
      expect(fixed);
      if (HasFatalFailure()) return;
    }
  }

  /// Few cases, and such as have work for all multiprocessors of a large
  /// device.
  template <class Check>
  void each_large(Check const& check) {
    auto cases = Kernel::few_cases(T::bytes, random);
    if constexpr (requires { Case::large(random); })
      for (Case const& c : Case::large(random)) cases.push_back(c);
    each_of(cases, check);
  }

  /// Distributions of numbers: the first two have a loop to compare with.
  std::vector<std::function<double(std::size_t)>> distributions() {
    return {[&](std::size_t) { return random.uniform(); },
            [&](std::size_t) { return random.normal(); },
            // pairs that cancel nearly: the sum lies far below its terms
            [&](std::size_t i) {
              if (i % 2 == 0) return m_large = 1000 * random.normal();
              return -m_large * (1 + 0x1p-6 * random.uniform());
            }};
  }
  /// Multiples of the smallest numbers, of floats also of those that bfloat16
  /// has: expect(case, x).
  template <class Expect>
  void each_subnormal(Expect const& expect) {
    constexpr Scalar input = T::input;
    std::vector<int> exponents{input == Scalar::half      ? -24
                               : input == Scalar::float64 ? -1074
                                                          : -133};
    if (input == Scalar::float32) exponents.push_back(-149);
    for (int const least : exponents)
      each_few([&](Case const& c, Groups const& groups) {
        expect(c, row_of(groups, [&](Bits& bits, auto, auto) {
                 bits = Format<input>::encode(
                     std::ldexp(double(random.integer(-99, 99)), least));
               }));
      });
  }

 private:
  double m_large = 0;
};

}  // namespace KokkosMMA::Testing

#endif

// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.hpp"

#include <KokkosMMA.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

namespace random_calls {

namespace {

using P = Parameters;

constexpr std::size_t guard = 512;
constexpr char poison       = char(0xa5);

std::size_t size_of(Element element) {
  switch (element) {
    case Element::f32:
    case Element::i32: return 4;
    case Element::half: return sizeof(Half);
    case Element::u8: return 1;
    default: return 8;
  }
}

double epsilon_of(Element element) {
  return element == Element::f64   ? 0x1p-52
         : element == Element::f32 ? 0x1p-23
                                   : 0x1p-10;
}

double number_at(Element element, char const* at) {
  double number;
  float single;
  Half half;
  switch (element) {
    case Element::f64: std::memcpy(&number, at, 8); return number;
    case Element::f32: std::memcpy(&single, at, 4); return single;
    default:
      std::memcpy(&half, at, sizeof(half));
      return double(static_cast<float>(half));
  }
}

/// Draws the numbers of one call.
class Draw {
 public:
  Draw(Limits const& limits, P const& p, std::size_t number)
      : m_limits(limits),
        m_kind(p[P::values]),
        m_number(number),
        m_engine(std::uint64_t(p[P::seed])) {}

  void put(char* to, std::size_t i) {
    switch (m_limits.element) {
      case Element::f64: store(to, floating(i)); break;
      case Element::f32: store(to, float(floating(i))); break;
      case Element::half: store(to, Half(float(floating(i)))); break;
      case Element::i64: store(to, integer()); break;
      case Element::i32: store(to, std::int32_t(integer())); break;
      case Element::u8: store(to, std::uint8_t(m_engine())); break;
    }
  }

 private:
  template <class T>
  static void store(char* to, T value) {
    std::memcpy(to, static_cast<void const*>(&value), sizeof(T));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + std::int64_t(m_engine() % std::uint64_t(high - low + 1));
  }
  /// Sums of 2^20 of them fit into 32 bits.
  std::int64_t integer() {
    return m_limits.numbers == Numbers::any ? std::int64_t(m_engine())
                                            : between(-1000, 1000);
  }
  /// \param few only those whose sums do not depend on the order
  double special(bool few) {
    constexpr double all[] = {std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(),
                              0.,
                              -0.,
                              0x1p-1074,
                              0x1p-149,
                              0x1p-24,
                              0x1p1023,
                              0x1p127};
    return all[m_engine() % (few ? 3 : std::size(all))];
  }
  double least() const {
    return m_limits.element == Element::f64   ? 0x1p-1074
           : m_limits.element == Element::f32 ? 0x1p-149
                                              : 0x1p-24;
  }
  /// Two of which are an infinity in any order. Those of halves are rounded.
  double largest() const {
    return m_limits.element == Element::f64   ? 0x1.fffffffffffffp1023
           : m_limits.element == Element::f32 ? 0x1.fffffep127
                                              : 1;
  }
  /// Numbers of which many are added: all partial sums are exact. Halves have
  /// 11 bits.
  double term(std::size_t i) {
    double const small =
        m_limits.element == Element::half
            ? (i % (m_number / 1000 + 1) == 0 ? double(between(-1, 1)) : 0.)
            : double(between(-7, 7));
    bool const may_be_special = m_limits.float_results || m_limits.float_y;
    switch (m_kind) {
      case 1: return small * least();
      case 2:
        if (may_be_special && m_engine() % (m_number / 2 + 1) == 0)
          return m_number % 2 ? std::numeric_limits<double>::infinity()
                              : largest();
        return small;
      case 3:
        if (may_be_special && m_engine() % (m_number / 2 + 1) == 0)
          return special(true);
        return small;
      default: return small;
    }
  }
  double floating(std::size_t i) {
    switch (m_limits.numbers) {
      case Numbers::any:
        return m_engine() % 4 == 0 ? special(false)
                                   : std::ldexp(double(between(-999, 999)),
                                                int(between(-60, 60)));
      case Numbers::products:
        if (i % (m_number / 20 + 1) == 0)
          return m_kind == 2 ? std::numeric_limits<double>::infinity()
                             : std::ldexp(1., int(between(-2, 2)));
        return m_engine() % 2 ? -1. : 1.;
      case Numbers::ordered:
        return m_kind == 1 ? double(between(1, 9999)) * least()
               : m_kind == 2
                   ? (m_engine() % 2 ? 1 : -1) *
                         std::numeric_limits<double>::infinity()
                   : double(between(1, 9999)) * (m_engine() % 2 ? 1. : -0.5);
      case Numbers::normal: return std::normal_distribution<double>()(m_engine);
      default: return term(i);
    }
  }

  Limits const& m_limits;
  std::int64_t m_kind;
  std::size_t m_number;
  std::mt19937_64 m_engine;
};

std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Memory of the device that grows.
char* device_arena(std::size_t bytes, unsigned user) {
  // Kept until the process ends: a call has what the one before it had.
  struct Arena {
    char* memory      = nullptr;
    std::size_t bytes = 0;
  };
  static std::vector<Arena> arenas(64);
  Arena& arena = arenas[user];
  if (arena.bytes < bytes) {
    Kokkos::kokkos_free<DeviceSpace>(arena.memory);
    arena.bytes  = bytes * 3 / 2;
    arena.memory = static_cast<char*>(
        Kokkos::kokkos_malloc<DeviceSpace>("random_calls", arena.bytes));
  }
  return arena.memory;
}

}  // namespace

std::int64_t indices_of(Limits const& limits, Parameters const& p) {
  if (limits.teams) return p[P::extent] * p[P::inner];
  std::int64_t all = 1;
  for (int d = 0; d < limits.rank; ++d) all *= p[P::extent + d];
  return all;
}

Plan::Plan(Limits const& limits, Parameters const& p)
    : m_limits(limits), m_p(p) {
  auto const number   = std::size_t(indices_of(limits, p));
  auto const stride   = std::size_t(limits.strided ? p[P::stride] : 1);
  auto const repeats  = std::size_t(p[P::repeats]);
  std::size_t const e = size_of(limits.element);
  std::size_t at      = 0;
  auto const place    = [&](char const* name, std::size_t bytes,
                         std::size_t unit) {
    at += guard + std::size_t(p[P::shift]) * unit;
    Part const part{name, at, bytes};
    at = padded(at + bytes);
    return part;
  };
  std::size_t const result = limits.arrays ? e * std::size_t(p[P::count])
                                           : std::size_t(limits.result_bytes);
  // An array ends where nothing else begins.
  m_result_stride = (result + 15) / 16 * 16 + (limits.arrays ? 16 : 0);
  std::size_t const results = m_result_stride * repeats;
  // Stencils read two elements after the last one, caches a block of eight.
  m_x            = place("x", e * ((number + 16) * stride), e);
  m_y            = place("y", std::size_t(limits.y_bytes) * number * stride,
                         std::size_t(std::min(limits.y_bytes, 16)));
  m_calls        = place("the number of invocations", 4 * number, 4);
  m_result       = place("the result on the device", results, 16);
  m_device_bytes = at + guard;
  at             = 0;
  m_host_result  = place("the result", results, 16);
  m_host_bytes   = at + guard;
}

Image Plan::image() const {
  Image image{std::vector<char>(m_device_bytes, poison),
              std::vector<char>(m_host_bytes, poison)};
  std::size_t const e = size_of(m_limits.element);
  Draw draw(m_limits, m_p, m_x.bytes / e);
  for (std::size_t i = 0; i < m_x.bytes / e; ++i)
    draw.put(image.device.data() + m_x.at + i * e, i);
  std::memset(image.device.data() + m_calls.at, 0, m_calls.bytes);
  return image;
}

void Plan::run(Kind const& kind, Exec const& space, Image& image,
               bool on_host) const {
  Call call;
  call.p              = m_p;
  call.space          = &space;
  call.x_at           = m_x.at;
  call.y_at           = m_y.at;
  call.calls_at       = m_calls.at;
  call.result_at      = m_result.at;
  call.host_result_at = m_host_result.at;
  call.result_stride  = m_result_stride;
  call.host           = image.host.data();
  if (on_host) {
    call.device = image.device.data();
    kind.run(call);
    return;
  }
  KokkosMMA::Settings settings;
  if (m_p[P::level] == 1)
    settings.reproducibility = KokkosMMA::Reproducibility::device_independent;
  if (m_p[P::level] == 2) settings.route = KokkosMMA::Route::streamed;
  KokkosMMA::ScopedSettings const scope(settings);
  using Bytes = Kokkos::View<char*, DeviceSpace, Kokkos::MemoryUnmanaged>;
  using OfHost =
      Kokkos::View<char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  call.device = device_arena(m_device_bytes, unsigned(m_p[P::instance]));
  Bytes const device(call.device, m_device_bytes);
  OfHost const host(image.device.data(), m_device_bytes);
  Kokkos::deep_copy(space, device, host);
  space.fence();
  kind.run(call);
  space.fence();
  Kokkos::deep_copy(space, host, device);
  space.fence();
}

/// Threads of OpenMP join in any order.
#if defined(KOKKOS_ENABLE_CUDA) || defined(RANDOM_CALLS_EMULATED)
constexpr bool repeats_bits = true;
#else
constexpr bool repeats_bits = false;
#endif

std::string Plan::compare(bool on_device, std::vector<char> const& before,
                          std::vector<char> const& ours,
                          std::vector<char> const& theirs) const {
  std::size_t const e = size_of(m_limits.element);
  double bound        = 0;
  if (m_limits.numbers == Numbers::normal) {
    double magnitudes        = 0;
    std::size_t const number = m_x.bytes / e;
    for (std::size_t i = 0; on_device && i < number; ++i)
      magnitudes +=
          std::abs(number_at(m_limits.element, before.data() + m_x.at + i * e));
    // The host's arena has no numbers: those of a normal distribution are below
    // 9.
    if (!on_device) magnitudes = 0.9 * double(number) + 9;
    bound = 2 * epsilon_of(m_limits.element) * double(number + 1) * magnitudes;
  }
  auto const inside = [](Part const& part, std::size_t at) {
    return at >= part.at && at < part.at + part.bytes;
  };
  Part const& result      = on_device ? m_result : m_host_result;
  auto const number_equal = [&](std::size_t at) {
    double const a = number_at(m_limits.element, ours.data() + at);
    double const b = number_at(m_limits.element, theirs.data() + at);
    return a == b || (a != a && b != b) || std::abs(a - b) <= bound;
  };
  std::size_t const first_of = std::size_t(
      std::mismatch(ours.begin(), ours.end(), theirs.begin()).first -
      ours.begin());
  for (std::size_t at = std::min(first_of, ours.size()); at < ours.size();
       ++at) {
    if (ours[at] == theirs[at]) continue;
    bool const number = (m_limits.float_results && inside(result, at)) ||
                        (on_device && m_limits.float_y && inside(m_y, at));
    Part const& part        = inside(result, at)    ? result
                              : !on_device          ? result
                              : inside(m_y, at)     ? m_y
                              : inside(m_calls, at) ? m_calls
                                                    : m_x;
    std::size_t const unit  = number || &part == &m_x ? e : 4;
    std::size_t const first = part.at + (at - part.at) / unit * unit;
    if (number && number_equal(first)) {
      at = first + unit - 1;
      continue;
    }
    std::ostringstream text;
    if (!inside(part, at)) {
      text << "memory outside of all parts differs, byte " << at;
    } else if (number) {
      text << part.name << ", byte " << first - part.at << ": "
           << number_at(m_limits.element, ours.data() + first) << " instead of "
           << number_at(m_limits.element, theirs.data() + first);
    } else {
      std::uint32_t a, b;
      std::memcpy(&a, ours.data() + first, 4);
      std::memcpy(&b, theirs.data() + first, 4);
      text << part.name << ", byte " << first - part.at << ": " << std::hex
           << "0x" << a << " instead of 0x" << b;
    }
    return text.str();
  }
  if (m_limits.one_result && repeats_bits)
    for (std::size_t at = m_result_stride; at < result.bytes; ++at)
      if (ours[result.at + at] != ours[result.at + at - m_result_stride])
        return "a repetition with other bits, byte " + std::to_string(at);
  // Both may have written where neither may.
  Part const parts[] = {m_y, m_calls, m_result};
  for (std::size_t at = 0; at < ours.size(); ++at) {
    bool const written = on_device
                             ? inside(parts[0], at) || inside(parts[1], at) ||
                                   inside(parts[2], at)
                             : inside(result, at);
    if (!written && ours[at] != before[at])
      return "memory that nothing may write, byte " + std::to_string(at) +
             (on_device ? " on the device" : " on the host");
  }
  return {};
}

std::string Plan::difference(Image const& before, Image const& drop_in,
                             Image const& twin) const {
  std::string text = compare(true, before.device, drop_in.device, twin.device);
  return text.empty() ? compare(false, before.host, drop_in.host, twin.host)
                      : text;
}

}  // namespace random_calls

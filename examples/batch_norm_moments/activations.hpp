// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors of activations on the host: from a file in NumPy's format or from a
// generator, and what their moments are. Plain C++20.

#ifndef BATCH_NORM_MOMENTS_ACTIVATIONS_HPP
#define BATCH_NORM_MOMENTS_ACTIVATIONS_HPP

#include "../common/command_line.hpp"
#include "../common/files.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

struct Shape {
  std::int64_t samples  = 0;
  std::int64_t channels = 0;
  std::int64_t height   = 0;
  std::int64_t width    = 0;

  std::int64_t plane() const { return height * width; }
  std::int64_t per_channel() const { return samples * plane(); }
  std::int64_t size() const { return per_channel() * channels; }
};

// The number of elements of one tensor is within 40 bits.
constexpr std::int64_t largest_extent   = std::int64_t(1) << 30;
constexpr std::int64_t largest_elements = std::int64_t(1) << 40;

inline bool too_large(Shape const& shape) {
  std::int64_t size = 1;
  for (std::int64_t const extent :
       {shape.samples, shape.channels, shape.height, shape.width}) {
    if (extent > largest_elements / size) return true;
    size *= extent;
  }
  return false;
}

// "NxCxHxW"
inline Shape parse_shape(std::string const& name, std::string const& text) {
  Shape shape;
  std::string_view rest         = text;
  std::int64_t* const extents[] = {&shape.samples, &shape.channels,
                                   &shape.height, &shape.width};
  for (int i = 0; i < 4; ++i) {
    std::size_t const end = i < 3 ? rest.find('x') : rest.size();
    if (end == rest.npos ||
        !parse_integer(rest.substr(0, end), 1, largest_extent, *extents[i])) {
      throw InputError(name + " " + in_quotes(text) +
                       ": give samples, channels, height and width as "
                       "NxCxHxW, each from 1 to " +
                       std::to_string(largest_extent));
    }
    rest.remove_prefix(i < 3 ? end + 1 : end);
  }
  if (too_large(shape)) {
    throw InputError(name + " " + in_quotes(text) + ": more than " +
                     std::to_string(largest_elements) +
                     " elements; give a smaller shape");
  }
  return shape;
}

// IEEE binary16 in a float, which holds it exactly.
inline float half_to_float(std::uint16_t bits) {
  unsigned const exponent = bits >> 10 & 31u;
  unsigned const fraction = bits & 1023u;
  float magnitude;
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction + 1024u),
                           static_cast<int>(exponent) - 25);
  }
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

// The nearest binary16, ties to even; for finite values in its range.
inline std::uint16_t float_to_half(float value) {
  float const magnitude    = std::abs(value);
  std::uint16_t const sign = std::signbit(value) ? 0x8000u : 0;
  int exponent             = 0;
  std::frexp(magnitude, &exponent);
  // The last place of a binary16 of this size; -24 below the normal ones.
  int const place = std::max(exponent - 11, -24);
  auto const rounded =
      static_cast<unsigned>(std::lrint(std::ldexp(magnitude, -place)));
  // A carry out of the fraction moves the exponent by itself.
  return static_cast<std::uint16_t>(
      sign | (static_cast<unsigned>(place + 24) * 1024u + rounded));
}

// Elements in the order NCHW, all of which the type on the device holds.
struct Activations {
  Shape shape;
  bool half = false;
  std::vector<float> values;
};

// Bits that are the same on every machine.
inline std::uint64_t mixed(std::uint64_t index) {
  std::uint64_t bits = (index + 1) * 0x9e3779b97f4a7c15u;
  bits               = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  return bits ^ (bits >> 32);
}

// Bell-shaped, each channel around a centre and with a width of its own.
// Centres lie up to 1024 widths from zero, where the mean of squares minus the
// square of the mean has no digit left in fp32; every eighth channel is
// constant. Powers of two: except for the rounding to the element type nothing
// is rounded.
inline Activations generate(Shape const& shape, bool as_half) {
  struct Bell {
    double centre;
    double width;
  };
  constexpr Bell bells[] = {
      {0, 1},     {-3, 0.25},           {1024, 1}, {0.5, 0.015625}, {0, 8},
      {-1024, 4}, {0.0625, 0.00390625}, {0.75, 0}};
  Activations result{shape, as_half, {}};
  result.values.resize(static_cast<std::size_t>(shape.size()));
  std::size_t at = 0;
  for (std::int64_t n = 0; n < shape.samples; ++n) {
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      Bell const bell = bells[c % 8];
      for (std::int64_t p = 0; p < shape.plane(); ++p, ++at) {
        // The sum of four uniform numbers of 16 bits, whose standard deviation
        // is 2^16 / sqrt(3), around zero.
        std::uint64_t const bits = mixed(at);
        double const uniform =
            static_cast<double>((bits & 0xffffu) + (bits >> 16 & 0xffffu) +
                                (bits >> 32 & 0xffffu) + (bits >> 48)) -
            131070;
        auto const value =
            static_cast<float>(bell.centre + bell.width * (uniform / 32768));
        result.values[at] =
            as_half ? half_to_float(float_to_half(value)) : value;
      }
    }
  }
  return result;
}

// Reads and writes NumPy's .npy files, versions 1 to 3:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
class NumpyFile {
 public:
  explicit NumpyFile(std::string path) : m_path(std::move(path)) {}

  Activations read() const {
    static_assert(std::endian::native == std::endian::little);
    std::string const bytes = read_bytes(m_path, "a NumPy file");
    std::string_view rest   = bytes;
    if (!rest.starts_with("\x93NUMPY") || rest.size() < 12) {
      refuse("this is not a NumPy file; write it with numpy.save");
    }
    int const version = rest[6];
    if (version < 1 || version > 3) {
      refuse("version " + std::to_string(version) +
             " of the format is not known; allowed: 1, 2 and 3");
    }
    std::size_t const width   = version == 1 ? 2 : 4;
    std::uint32_t header_size = 0;
    std::memcpy(&header_size, rest.data() + 8, width);
    rest.remove_prefix(8 + width);
    if (header_size > rest.size()) {
      refuse("the file ends within its header; write it again");
    }
    std::string_view const header = rest.substr(0, header_size);
    rest.remove_prefix(header_size);

    Activations result;
    std::string_view const type = entry(header, "descr");
    if (type != "'<f2'" && type != "'<f4'") {
      refuse("elements of type " + in_quotes(type, 60) +
             "; allowed: '<f2' and '<f4', see numpy.ndarray.astype");
    }
    result.half = type == "'<f2'";
    if (entry(header, "fortran_order") != "False") {
      refuse(
          "the elements are in Fortran's order; use "
          "numpy.ascontiguousarray");
    }
    result.shape     = shape(entry(header, "shape"));
    auto const count = static_cast<std::size_t>(result.shape.size());
    std::size_t const bytes_each = result.half ? 2 : 4;
    if (rest.size() != count * bytes_each) {
      refuse("the shape needs " + std::to_string(count * bytes_each) +
             " bytes of elements, the file has " + std::to_string(rest.size()) +
             "; write it again");
    }
    result.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (result.half) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, rest.data() + 2 * i, 2);
        result.values[i] = half_to_float(bits);
      } else {
        std::memcpy(&result.values[i], rest.data() + 4 * i, 4);
      }
      if (!std::isfinite(result.values[i])) {
        refuse("element " + std::to_string(i) +
               " is not a finite number; its channel has no variance");
      }
    }
    return result;
  }

  void write(Activations const& tensor) const {
    Shape const& shape = tensor.shape;
    std::string header =
        std::string("{'descr': '") + (tensor.half ? "<f2" : "<f4") +
        "', 'fortran_order': False, 'shape': (" +
        std::to_string(shape.samples) + ", " + std::to_string(shape.channels) +
        ", " + std::to_string(shape.height) + ", " +
        std::to_string(shape.width) + "), }";
    // The elements start at a multiple of 64 bytes.
    header.append(63 - (header.size() + 10) % 64, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    bytes += header;
    for (float const value : tensor.values) {
      char element[4];
      std::uint16_t const bits = tensor.half ? float_to_half(value) : 0;
      std::memcpy(element,
                  tensor.half ? static_cast<void const*>(&bits)
                              : static_cast<void const*>(&value),
                  tensor.half ? 2 : 4);
      bytes.append(element, tensor.half ? 2 : 4);
    }
    write_bytes(m_path, bytes);
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    throw InputError("'" + m_path + "': " + why);
  }

  // The text after a key: up to the comma, or the bracket that closes.
  std::string_view entry(std::string_view header, std::string_view key) const {
    std::string const quoted = "'" + std::string(key) + "':";
    std::size_t at           = header.find(quoted);
    if (at == header.npos) {
      refuse("the header has no entry " + in_quotes(key) +
             "; write the file with numpy.save");
    }
    at = header.find_first_not_of(' ', at + quoted.size());
    if (at == header.npos) at = header.size();
    std::string_view const rest = header.substr(at);
    std::size_t const end =
        rest.starts_with("(") ? rest.find(')') : rest.find_first_of(",}");
    return rest.substr(
        0, rest.starts_with("(") && end != rest.npos ? end + 1 : end);
  }

  Shape shape(std::string_view text) const {
    std::string plain;
    for (char const c : text) {
      if (c == ',') plain += 'x';
      if ((c >= '0' && c <= '9') || c == '-') plain += c;
    }
    try {
      return parse_shape("shape", plain);
    } catch (InputError const&) {
      refuse("the shape " + in_quotes(text, 60) +
             " is not that of activations; allowed: four extents, "
             "(samples, channels, height, width), from 1 to " +
             std::to_string(largest_extent));
    }
  }

  std::string m_path;
};

// Sums that carry what their rounding lost (Neumaier 1974).
class CompensatedSum {
 public:
  void add(double term) {
    double const sum = m_sum + term;
    m_lost += std::abs(m_sum) >= std::abs(term) ? (m_sum - sum) + term
                                                : (term - sum) + m_sum;
    m_sum = sum;
  }
  double value() const { return m_sum + m_lost; }

 private:
  double m_sum  = 0;
  double m_lost = 0;
};

struct ReferenceMoments {
  double mean      = 0;
  double variance  = 0;
  double magnitude = 0;  // mean of the absolute values
  // By the mean of squares minus the square of the mean, in fp32.
  double float_variance = 0;
};

// Both moments of a channel by compensated sums in fp64. The second sum is of
// differences from the mean, less what the rounding of that mean brought in
// (Chan, Golub and LeVeque 1983): exact except for some units of 2^-53.
inline ReferenceMoments reference_moments(Activations const& tensor,
                                          std::int64_t channel) {
  Shape const& shape    = tensor.shape;
  double const count    = static_cast<double>(shape.per_channel());
  auto const each_value = [&](auto const& body) {
    for (std::int64_t n = 0; n < shape.samples; ++n) {
      float const* const plane =
          tensor.values.data() + (n * shape.channels + channel) * shape.plane();
      for (std::int64_t p = 0; p < shape.plane(); ++p) body(plane[p]);
    }
  };
  ReferenceMoments result;
  CompensatedSum sum;
  CompensatedSum magnitudes;
  float float_sum     = 0;
  float float_squares = 0;
  each_value([&](float value) {
    sum.add(value);
    magnitudes.add(std::abs(value));
    float_sum += value;
    float_squares += value * value;
  });
  result.mean      = sum.value() / count;
  result.magnitude = magnitudes.value() / count;
  CompensatedSum differences;
  CompensatedSum squares;
  each_value([&](float value) {
    double const difference = value - result.mean;
    differences.add(difference);
    squares.add(difference * difference);
  });
  double const left       = differences.value();
  result.variance         = (squares.value() - left * left / count) / count;
  float const float_count = static_cast<float>(count);
  float const float_mean  = float_sum / float_count;
  result.float_variance = float_squares / float_count - float_mean * float_mean;
  return result;
}

#endif

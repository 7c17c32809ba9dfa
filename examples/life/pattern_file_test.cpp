// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pattern files: what is read is compared as it is written. The tests of life
// (CMakeLists.txt) have more errors. Plain C++20.
//
// pattern_file_test PATTERN.rle... [SEED]

#include "../common/files.hpp"
#include "pattern_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

namespace {

int wrong = 0;

void expect(std::string const& expected, std::string const& found,
            std::string_view text) {
  if (expected == found) return;
  ++wrong;
  std::printf("input\n%.*s\nexpected\n%s\nfound\n%s\n", int(text.size()),
              text.data(), expected.c_str(), found.c_str());
}

// The file read and written, or the error.
std::string again(std::string_view bytes, PatternLimits limits = {}) {
  try {
    return run_length(read_pattern(bytes, "file", limits));
  } catch (InputError const& error) {
    return error.what();
  }
}

std::string with_line_ends(std::string const& text, std::string const& end) {
  std::string result;
  for (char const c : text) result += c == '\n' ? end : std::string(1, c);
  return result;
}

void test_headers_and_cells() {
  std::string const cells = "\nb2o$2o$bo!\n";
  std::string const plain = "x = 3, y = 3" + cells;
  std::string const named = "x = 3, y = 3, rule = B3/S23" + cells;
  for (char const* const header :
       {"x = 3, y = 3, rule = B3/S23", "x=3,y=3,rule=B3/S23",
        "  x =3 ,y= 3 , rule\t=\tB3/S23  ", "y = 3, x = 3, rule = B3/S23",
        "x = 3, rule = B3/S23", "rule = B3/S23", "x = 003, y = 3, rule=B3/S23",
        "#r B3/S23", "#r B3/S23\nx = 1"}) {
    std::string const comment =
        header[0] == '#' ? std::string("#r B3/S23\n") : "";
    expect(comment + named, again(header + cells), header);
  }
  for (char const* const rule :
       {"R5,C0,M1,S34..58,B34..45,NM", "B3/S23:T400,300", "another rule"}) {
    std::string const text =
        "x = 3, y = 3, rule = " + std::string(rule) + cells;
    expect(text, again(text), text);
  }
  for (char const* const text :
       {"b2o$2o$bo!", "x = 3, y = 3\nb2o$2o$bo!", "b2o$2o$bo",
        " b 2o $ 2o $\tbo ! ", "b2o$2o\n$\n\nbo\n!", "b\n2\no$2o$bo!",
        "b2  \n  o$2o$bo!", ".2A$2A$.A!", "b2o$2o$bo!\n#C not read\nno"})
    expect(plain, again(text), text);
  struct Case {
    char const *text, *written;
  };
  for (Case const& c : {
           Case{"!", "x = 0, y = 0\n!\n"},
           Case{"$$$!", "x = 0, y = 0\n!\n"},
           Case{"o4b$$bo3$!", "x = 5, y = 3\no2$bo!\n"},
           Case{"x = 4, y = 3\n$o!", "x = 4, y = 3\n$o!\n"},
           Case{"x = 3, y = 3\nb2o$4o!", "x = 4, y = 3\nb2o$4o!\n"},
           Case{"x = 1\no3$o!", "x = 1, y = 4\no3$o!\n"},
           Case{"1\r\n2\r\n\r\no!", "x = 12, y = 1\n12o!\n"},
           Case{"x=9,y=2\n.A2BXpApXqA$xXyAyO!",
                "x = 9, y = 2\n.A2BXpApXqA$xXyAyO!\n"},
           Case{
               "#N a\n#c x = 9\n\n  #P 4 5  \nx = 1, y = 2\n#D in cells\no\n#\n"
               "$o!\n",
               "#N a\n#c x = 9\n#P 4 5\n#D in cells\n#\nx = 1, y = 2\no$o!\n"},
           // Plaintext.
           Case{".O.\n..O\nOOO\n", "x = 3, y = 3\nbo$2bo$3o!\n"},
           Case{"!Name: Glider\n!Author:Richard Guy\n! small\n!\n.*\n..*\n"
                "***\n\n",
                "#N Glider\n#O Richard Guy\n#C small\nx = 3, y = 3\n"
                "bo$2bo$3o!\n"},
           Case{"!\n\nO\n\n..O.\n\n", "x = 4, y = 4\n$o2$2bo!\n"},
       })
    for (char const* const end : {"\n", "\r\n", "\r"})
      for (char const* const mark : {"", "\xEF\xBB\xBF"})
        expect(c.written, again(mark + with_line_ends(c.text, end)), c.text);
}

void test_errors() {
  struct Case {
    std::string_view text;
    std::string_view error;  // how it starts, after 'file', line
    PatternLimits limits = {};
  };
  PatternLimits const small{4, 3};
  for (Case const& c : {
           Case{"x = 3, z = 3\no!", "1, column 8: 'z' does not begin 'x = '"},
           Case{"x = 3,\no!", "1, column 7: the end of the line does not"},
           Case{"#N\n\nx = 3, y 3\no!", "3, column 10: '3' instead of '='"},
           Case{"x = -3\no!", "1, column 5: '-' instead of the number of"},
           Case{"x = 3.5\no!", "1, column 6: '.' instead of a comma"},
           Case{"x = 3, x = 3\no!", "1, column 8: a second x"},
           Case{"x = 3, rule =  \no!", "1, column 16: the rule is missing"},
           Case{"x = 3\ny = 3\n!",
                "2, column 1: a second header; the first "
                "one is in line 1"},
           Case{"b2o$\nx = 3\n!", "2, column 1: 'x' and ' ' are not a cell"},
           Case{"b2o$\n= 3\n!", "2, column 1: '=' among the cells"},
           Case{"b2o$\r\n2o$\r\nb?!", "3, column 2: '?' is not a cell"},
           Case{"bo\x01!", "1, column 3: the byte 0x01 is not a cell"},
           Case{std::string_view("bo\0!", 4), "1, column 3: the byte 0x00"},
           Case{"o0o!", "1, column 2: a count of 0"},
           Case{"b12\n 3 4o!", "2, column 4: a blank within a count; '4'"},
           Case{"bo\n3\n!", "2, column 1: a count before '!'"},
           Case{"byPo!", "1, column 2: 'y' and 'P' are not a cell"},
           Case{"bp\nA!", "1, column 2: 'p' and the end of the line are not"},
           Case{"", "1, column 1: the file ends without cells and without '!'"},
           Case{"x = 3, y = 3\n", "1, column 13: the file ends without cells"},
           Case{"b2o$12",
                "1, column 7: the file ends after a count; it is "
                "truncated"},
           Case{"!Name: a\n.O\n..o\n", "3, column 3: 'o' is not a cell of a"},
           Case{"!Name: a\n!\n\n", "3, column 1: the file ends without cells"},
           Case{"x = 5, y = 3\no!",
                "1, column 5: the pattern is 5 cells "
                "wide; the grid has 4",
                small},
           Case{"x = 4, y = 4\no!",
                "1, column 12: the pattern is 4 cells "
                "high; the grid has 3",
                small},
           Case{"4o$5o!", "1, column 4: row 2 has more than the 4 cells",
                small},
           Case{"4o$$$o!", "1, column 6: there are cells after the 3 rows",
                small},
           Case{"!\nOOO\n.....\n", "3, column 5: row 2 has more than the 4",
                small},
           Case{"O\n\n\nO\n", "4, column 1: there are cells after the 3 rows",
                small},
           // No memory holds these.
           Case{"x = 99999999999999999999\no!",
                "1, column 5: the pattern is "
                "99999999999999999999 cells"},
           Case{"y = 9\n999999999999999999999999o!", "2, column 1: row 1 has"},
           Case{"99999999999999999999$9999999999999999999$o!",
                "1, column 42: there are cells after the 32768 rows"},
       }) {
    std::string const start = "'file', line " + std::string(c.error);
    expect(start, again(c.text, c.limits).substr(0, start.size()), c.text);
  }
  struct Format {
    std::string_view text, name;
  };
  for (Format const& format :
       {Format{"#Life 1.05\n#P 0 0\n.*\n", "in the format Life 1.05"},
        Format{"#MCell 4.00\n", "in the format of MCell"},
        Format{"\xEF\xBB\xBF[M2] (golly 2.0)\n", "a macrocell file"},
        Format{"\xFF\xFEx", "text in UTF-16"}})
    expect("'file' is " + std::string(format.name) +
               "; save the pattern run-length encoded (.rle)",
           again(format.text), format.text);
}

// Random patterns of one and of many states, in lines of at most 70 columns of
// which none ends within a count.
void test_lines(std::mt19937_64& engine) {
  auto const random = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(engine);
  };
  for (int repeat = 0; repeat < 300; ++repeat) {
    CellPattern pattern;
    pattern.width    = random(0, repeat < 20 ? 400 : 60);
    pattern.height   = random(0, 40);
    int const states = random(1, 3) == 1 ? random(1, 255) : 1;
    int const dense  = random(0, 100);
    for (std::int64_t i = 0; i < pattern.width * pattern.height; ++i)
      pattern.cells.push_back(static_cast<std::uint8_t>(
          random(1, 100) <= dense ? random(1, states) : 0));
    std::string const text = run_length(pattern);
    expect(text, again(text), text);
    if (read_pattern(text, "file").cells != pattern.cells)
      expect("the same cells", "others", text);
    std::size_t const cells = text.find('\n') + 1;
    for (std::size_t at = cells; at < text.size();) {
      std::size_t const end = text.find('\n', at);
      if (end - at > 70 || (text[end - 1] >= '0' && text[end - 1] <= '9'))
        expect("a line", text.substr(at, end - at), text);
      at = end + 1;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  test_headers_and_cells();
  test_errors();
  std::uint64_t seed = std::random_device{}();
  for (int i = 1; i < argc; ++i) {
    std::int64_t given = 0;
    if (parse_integer(argv[i], 0, INT64_MAX, given)) {
      seed = std::uint64_t(given);
      continue;
    }
    // The shipped patterns are as they would be written.
    std::string const text = read_bytes(argv[i], "a pattern file");
    expect(text, again(text), text);
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 engine(seed);
  test_lines(engine);
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

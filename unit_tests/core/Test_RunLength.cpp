// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/automaton/KokkosMMA_RunLength.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <KokkosMMA_ErrorOf.hpp>
#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

CellPattern read(std::string const& text, PatternLimits limits = {}) {
  std::istringstream stream(text);
  return read_run_length(stream, "file.rle", limits);
}
std::string written(CellPattern const& pattern) {
  std::ostringstream stream;
  write_run_length(stream, pattern);
  return stream.str();
}

/// Rows of digits as cells.
std::vector<std::uint8_t> cells(std::vector<std::string> const& rows) {
  std::vector<std::uint8_t> result;
  for (std::string const& row : rows)
    for (char const c : row)
      result.push_back(static_cast<std::uint8_t>(c - '0'));
  return result;
}
/// Of rows of equal length.
CellPattern pattern_of(std::vector<std::string> const& rows,
                       std::string const& rule = "") {
  return {std::int64_t(rows.at(0).size()),
          std::int64_t(rows.size()),
          rule,
          {},
          cells(rows)};
}
std::vector<std::uint8_t> const r_pentomino = cells({"011", "110", "010"});

void expect_refused(std::string const& text, int line, int column,
                    std::string const& reason, PatternLimits limits = {}) {
  std::string const error = error_of([&] { read(text, limits); });
  std::string const start = "KokkosMMA::read_run_length: 'file.rle', line " +
                            std::to_string(line) + ", column " +
                            std::to_string(column) + ": ";
  EXPECT_EQ(start, error.substr(0, start.size())) << text;
  EXPECT_NE(std::string::npos, error.find(reason)) << text << "\n" << error;
}

TEST(ReadRunLength, HeaderAndCells) {
  CellPattern const pattern = read("x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n");
  EXPECT_EQ(3, pattern.width);
  EXPECT_EQ(3, pattern.height);
  EXPECT_EQ("B3/S23", pattern.rule);
  EXPECT_TRUE(pattern.comments.empty());
  EXPECT_EQ(r_pentomino, pattern.cells);
  EXPECT_EQ(5, pattern.population());
}

TEST(ReadRunLength, SpellingsOfTheHeader) {
  for (char const* const header :
       {"x = 3, y = 3, rule = B3/S23", "x=3,y=3,rule=B3/S23",
        "  x =3 ,y= 3 , rule\t=\tB3/S23  ", "y = 3, x = 3, rule = B3/S23",
        "x = 3, rule = B3/S23", "rule = B3/S23", "x = 003, y = 3, rule=B3/S23"})
    EXPECT_TRUE(read(std::string(header) + "\nb2o$2o$bo!") ==
                (CellPattern{3, 3, "B3/S23", {}, r_pentomino}))
        << header;
}

TEST(ReadRunLength, RulesWithCommasAndSuffixes) {
  for (char const* const rule :
       {"R5,C0,M1,S34..58,B34..45,NM", "B3/S23:T400,300", "23/3",
        "R2,C2,S6-9,B7-8,NM:P30,20", "a rule of another program"})
    EXPECT_EQ(rule,
              read("x = 3, y = 3, rule = " + std::string(rule) + "\nb2o$2o$bo!")
                  .rule);
}

TEST(ReadRunLength, WithoutRuleOrHeader) {
  EXPECT_TRUE(read("x = 3, y = 3\nb2o$2o$bo!") ==
              (CellPattern{3, 3, "", {}, r_pentomino}));
  EXPECT_TRUE(read("b2o$2o$bo!") == (CellPattern{3, 3, "", {}, r_pentomino}));
  EXPECT_TRUE(read("!") == CellPattern{});
  EXPECT_TRUE(read("$$$!") == CellPattern{});
  EXPECT_TRUE(read("x = 0, y = 0, rule = B3/S23\n!") ==
              (CellPattern{0, 0, "B3/S23", {}, {}}));
  // Dead cells count for the size, ends of lines after the last cell do not.
  EXPECT_TRUE(read("o4b$$bo3$!") == pattern_of({"10000", "00000", "01000"}));
}

TEST(ReadRunLength, FewerCellsThanTheHeader) {
  EXPECT_TRUE(read("x = 4, y = 3\n$o!") ==
              pattern_of({"0000", "1000", "0000"}));
  EXPECT_TRUE(read("x = 2, y = 2\n!") == pattern_of({"00", "00"}));
  EXPECT_TRUE(read("x = 1, y = 1\no9$!") == pattern_of({"1"}));
}

TEST(ReadRunLength, CommentsAreKept) {
  CellPattern const pattern = read(
      "#N R-pentomino\n"
      "#C a comment, with x = 9 in it\n"
      "#c another one\n"
      "#O someone\n"
      "\n"
      "  #R -1 -1  \n"
      "#P 4 5\n"
      "#CXRLE Pos=0,0 Gen=7\n"
      "x = 3, y = 3\n"
      "#D among the cells\n"
      "b2o$2o\n"
      "#\n"
      "$bo!\n"
      "#C not read\n"
      "what follows is not read, o or not\n");
  EXPECT_EQ(r_pentomino, pattern.cells);
  EXPECT_EQ((std::vector<std::string>{
                "#N R-pentomino", "#C a comment, with x = 9 in it",
                "#c another one", "#O someone", "#R -1 -1", "#P 4 5",
                "#CXRLE Pos=0,0 Gen=7", "#D among the cells", "#"}),
            pattern.comments);
  EXPECT_EQ("", pattern.rule);
}

TEST(ReadRunLength, RuleOfACommentWhereTheHeaderHasNone) {
  EXPECT_EQ("125/36", read("#r 125/36\nx = 1, y = 1\no!").rule);
  EXPECT_EQ("125/36", read("#r\t125/36 \no!").rule);
  EXPECT_EQ("B3/S23", read("#r 125/36\nx = 1, rule = B3/S23\no!").rule);
  EXPECT_EQ("", read("#rule 125/36\no!").rule);
}

TEST(ReadRunLength, LineEndsBlanksAndMarks) {
  CellPattern const expected{3, 3, "B3/S23", {"#N name"}, r_pentomino};
  std::string const text =
      "#N name\nx = 3, y = 3, rule = B3/S23\n\nb2o$\n2o$bo!\n";
  for (std::string const end : {"\n", "\r\n", "\r"}) {
    std::string with_end;
    for (char const c : text)
      if (c == '\n')
        with_end += end;
      else
        with_end += c;
    EXPECT_TRUE(expected == read(with_end)) << end.size();
    EXPECT_TRUE(expected == read("\xEF\xBB\xBF" + with_end)) << end.size();
    EXPECT_TRUE(expected == read(end + with_end)) << end.size();
  }
  for (char const* const spaced :
       {"b2o$2o$bo!", " b 2o $ 2o $\tbo ! ", "b2o$2o\n$\n\nbo\n!",
        "b2 o$2o$bo!", "b\n2\no$2o$bo!", "b2  \n  o$2o$bo!"})
    EXPECT_TRUE(read("x = 3, y = 3\n" + std::string(spaced)) ==
                (CellPattern{3, 3, "", {}, r_pentomino}))
        << spaced;
}

TEST(ReadRunLength, CountsGoOnInTheNextLine) {
  for (char const* const text :
       {"12o!", "12\no!", "1\n2o!", "1\r\n2\r\n\r\no!", "1\n#C\n2o!"})
    EXPECT_EQ(12, read(text).population()) << text;
  EXPECT_EQ(13, read("o1\n2$o!").height);
}

TEST(ReadRunLength, ManyStates) {
  CellPattern const pattern = read("x=9,y=2\n.A2BXpApXqA$xXyAyO!");
  EXPECT_EQ((std::vector<std::uint8_t>{0, 1, 2, 2, 24, 25, 48, 49, 0,  //
                                       240, 241, 255, 0, 0, 0, 0, 0, 0}),
            pattern.cells);
  // Both alphabets have the same dead and live cells.
  EXPECT_EQ(read(".A.!").cells, read("bob!").cells);
}

TEST(ReadRunLength, RefusesMalformedHeaders) {
  expect_refused("x = 3, z = 3\no!", 1, 8, "'z' does not begin 'x = '");
  expect_refused("X = 3\no!", 1, 1, "'X' does not begin");
  expect_refused("= 3\no!", 1, 1, "'=' does not begin");
  expect_refused("x = 3,\no!", 1, 7, "the end of the line does not begin");
  expect_refused("#N a\n\nx = 3, y 3\no!", 3, 10, "'3' instead of '='");
  expect_refused("x = , y = 3\no!", 1, 5, "',' instead of the number of cells");
  expect_refused("x = -3\no!", 1, 5, "'-' instead of the number of cells of x");
  expect_refused("y =\no!", 1, 4, "the end of the line instead of the number");
  expect_refused("x = 3 y = 3\no!", 1, 7, "'y' instead of a comma");
  expect_refused("x = 3.5\no!", 1, 6, "'.' instead of a comma");
  expect_refused("x = 3, x = 3\no!", 1, 8, "a second x");
  expect_refused("x = 3, y = 3, y = 4\no!", 1, 15, "a second y");
  expect_refused("x = 3, rule =  \no!", 1, 16, "the rule is missing");
  expect_refused("x = 3\ny = 3\no!", 2, 1,
                 "a second header; the first one is in line 1");
  expect_refused("b2o$\nx = 3, y = 3\n!", 2, 1, "'x' and ' ' are not a cell");
  expect_refused("b2o$\n= 3\n!", 2, 1, "'=' among the cells");
}

TEST(ReadRunLength, RefusesMalformedCells) {
  expect_refused("x = 3, y = 3\nb2o$2z$bo!", 2, 6,
                 "'z' is not a cell; cells are");
  expect_refused("b2o$\r\n2o$\r\nb?!", 3, 2, "'?' is not a cell");
  expect_refused("bo\x01!", 1, 3, "the byte 0x01 is not a cell");
  expect_refused("bo\xC3\xA4!", 1, 3, "the byte 0xc3 is not a cell");
  expect_refused("b-2o!", 1, 2, "'-' is not a cell");
  expect_refused("bYo!", 1, 2, "'Y' is not a cell");
  expect_refused("O0o!", 1, 2, "a count of 0");
  expect_refused("b\n000\n$!", 2, 1, "a count of 0");
  expect_refused("b1 2o!", 1, 4, "a blank within a count; '2' should be");
  expect_refused("b12\n 3 4o!", 2, 4, "a blank within a count");
  expect_refused("bo3!", 1, 3, "a count before '!'");
  expect_refused("bo\n3\n!", 2, 1, "a count before '!'");
  expect_refused("bpYo!", 1, 2, "'p' and 'Y' are not a cell; states above 24");
  expect_refused("byPo!", 1, 2, "'y' and 'P' are not a cell");
  expect_refused("bp\nA!", 1, 2, "'p' and the end of the line are not a cell");
  expect_refused(std::string("bo\0!", 4), 1, 3, "the byte 0x00 is not a cell");
}

TEST(ReadRunLength, TheMarkAtTheEndMayBeMissing) {
  for (char const* const end : {"", "\n", "\r\n\r\n", "\n#C comment\n", "$\n"})
    EXPECT_EQ(r_pentomino,
              read("x = 3, y = 3\nb2o$2o$bo" + std::string(end)).cells)
        << end;
  EXPECT_TRUE(read("b2o$2o$bo") == (CellPattern{3, 3, "", {}, r_pentomino}));
  EXPECT_TRUE(read("x = 2, y = 2\n$") == pattern_of({"00", "00"}));
}

TEST(ReadRunLength, RefusesFilesThatAreCutOff) {
  std::string const reason =
      "the file ends without cells and without '!', which ends a pattern; it "
      "is empty or truncated";
  expect_refused("", 1, 1, reason);
  expect_refused("\n\n", 2, 1, reason);
  expect_refused("#N name\n", 1, 8, reason);
  expect_refused("x = 3, y = 3\n", 1, 13, reason);
  expect_refused("x = 3, y = 3\nb2o$12", 2, 7,
                 "the file ends after a count; it is truncated");
}

TEST(ReadRunLength, RefusesOtherFormatsByName) {
  std::string const who    = "KokkosMMA::read_run_length: 'file.rle' is ";
  std::string const remedy = "; save the pattern run-length encoded (.rle)";
  struct Case {
    std::string text;
    char const* is;
  };
  for (Case const& c :
       {Case{"#Life 1.05\n#P 0 0\n.*\n", "in the format Life 1.05"},
        Case{"#Life 1.06\r\n0 -1\r\n", "in the format Life 1.06"},
        Case{"#MCell 4.00\n", "in the format of MCell"},
        Case{"[M2] (golly 2.0)\n", "a macrocell file"},
        Case{"\xEF\xBB\xBF[M2] (golly 2.0)\n", "a macrocell file"},
        Case{"\xFF\xFEx", "text in UTF-16"},
        Case{"\xFE\xFFx", "text in UTF-16"}}) {
    EXPECT_EQ(who + c.is + remedy, error_of([&] { read(c.text); })) << c.text;
  }
  for (char const* const text :
       {"!Name: Glider\n.O\n..O\nOOO\n", "!\n.O\n", ".O\n"})
    EXPECT_EQ(who + "a plaintext pattern; KokkosMMA::read_pattern reads it",
              error_of([&] { read(text); }))
        << text;
}

/// read_pattern of a text.
CellPattern read_any(std::string const& text, PatternLimits limits = {}) {
  std::istringstream stream(text);
  return read_pattern(stream, "file.cells", limits);
}

TEST(ReadPattern, Plaintext) {
  std::vector<std::uint8_t> const glider = cells({"010", "001", "111"});
  CellPattern const named{
      3, 3, "", {"#N Glider", "#O Richard Guy", "#C the smallest"}, glider};
  std::string const comments =
      "!Name: Glider\n!Author:Richard Guy\n! the smallest\n!\n";
  std::string const mark = "\xEF\xBB\xBF";
  for (std::string const rows :
       {".O.\n..O\nOOO\n", ".O\n..O\nOOO", ".*\n..*\n***\n\n\n",
        ".O. \n..O\t\nOO*\n \n", ".O\n..O\n!\nOOO\n!\n"}) {
    EXPECT_TRUE(named == read_any(comments + rows)) << rows;
    EXPECT_TRUE(named == read_any(mark + comments + rows)) << rows;
    EXPECT_TRUE((CellPattern{3, 3, "", {}, glider}) == read_any(rows)) << rows;
    std::string with_returns;
    for (char const c : comments + rows)
      with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_TRUE(named == read_any(with_returns)) << rows;
  }
  // An empty row has dead cells; short rows are as long as the longest.
  EXPECT_TRUE(read_any("!\n\nO\n\n..O.\n\n") ==
              pattern_of({"0000", "1000", "0000", "0010"}));
  // It is written run-length encoded.
  EXPECT_EQ("#N Glider\nx = 3, y = 3\nbo$2bo$3o!\n",
            written(read_any("!Name: Glider\n.O.\n..O\nOOO\n")));
}

TEST(ReadPattern, RunLengthEncodedIsReadLikeByReadRunLength) {
  for (char const* const text :
       {"x = 3, y = 3\nb2o$2o$bo!\n", "b2o$2o$bo!", "!", "!\n\n", "$$$!",
        ".A.!", "x = 3, y = 1\n.O.!", "#N a\n.O.\nO!", ".O!",
        "x = 0, y = 0\n!\n.O\n"})
    EXPECT_TRUE(read(text) == read_any(text)) << text;
  EXPECT_EQ(15, read_any("x = 3, y = 1\n.O.!").cells[1]);
}

TEST(ReadPattern, Refuses) {
  auto const expect = [](std::string const& text, std::string const& expected,
                         PatternLimits limits = {}) {
    EXPECT_EQ("KokkosMMA::read_pattern: 'file.cells', line " + expected,
              error_of([&] { read_any(text, limits); }))
        << text;
  };
  std::string const no_cell =
      " is not a cell of a plaintext pattern; . is a dead cell, O or * one "
      "that "
      "is alive, and comments begin with !";
  expect("!Name: Glider\n.O.\n..o\n", "3, column 3: 'o'" + no_cell);
  expect("!Name: Glider\nx = 3, y = 3\nbo$2bo$3o!\n",
         "2, column 1: 'x'" + no_cell);
  expect("!\n .O\n", "2, column 1: ' '" + no_cell);
  expect("!\n.O!\n", "2, column 3: '!'" + no_cell);
  std::string const none =
      ": the file ends without cells; it is empty or truncated";
  expect("!Name: Glider\n", "1, column 14" + none);
  expect("!Name: Glider\n!\n\n", "3, column 1" + none);
  PatternLimits const limits{3, 2};
  EXPECT_EQ(6, read_any("OOO\nOOO\n\n\n", limits).population());
  expect("!\nOOO\n....\n",
         "3, column 4: row 2 has more than the 3 cells of the grid", limits);
  expect("OOO\n\nO\n",
         "3, column 1: there are cells after the 2 rows of the grid", limits);
}

TEST(ReadRunLength, CellsBeyondTheHeaderAreInThePattern) {
  EXPECT_TRUE(read("x = 3, y = 3\nb2o$4o!") ==
              pattern_of({"0110", "1111", "0000"}));
  EXPECT_TRUE(read("x = 3, y = 2, rule = B3/S23\nb2o$2o\nbo$2bo!") ==
              pattern_of({"0110", "1101", "0010"}, "B3/S23"));
  EXPECT_TRUE(read("x = 3, y = 1\n4b!") == pattern_of({"0000"}));
  EXPECT_TRUE(read("x = 0, y = 0\no!") == pattern_of({"1"}));
  EXPECT_TRUE(read("x = 1\no3$o!") == pattern_of({"1", "0", "0", "1"}));
}

TEST(ReadRunLength, RefusesPatternsLargerThanTheGrid) {
  PatternLimits const limits{4, 3};
  EXPECT_EQ(12, read("x = 4, y = 3\n4o$4o$4o!", limits).population());
  EXPECT_EQ(12, read("4o$4o$4o!", limits).population());
  expect_refused("x = 5, y = 3\no!", 1, 5,
                 "the pattern is 5 cells wide; the grid has 4", limits);
  expect_refused("x = 4, y = 4\no!", 1, 12,
                 "the pattern is 4 cells high; the grid has 3", limits);
  expect_refused("x = 99999999999999999999, y = 3\no!", 1, 5,
                 "99999999999999999999 cells wide; the grid has 4", limits);
  expect_refused("4o$5o!", 1, 4, "row 2 has more than the 4 cells of the grid",
                 limits);
  expect_refused("4o$$$o!", 1, 6,
                 "there are cells after the 3 rows of the grid", limits);
  // Beyond the header, and beyond the grid.
  expect_refused("x = 3, y = 2\n5o!", 2, 1,
                 "row 1 has more than the 4 cells of the grid", limits);
  expect_refused("x = 3, y = 2\n3$o!", 2, 3,
                 "there are cells after the 3 rows of the grid", limits);
  expect_refused("x = 9\n99999999999999999999999999o!", 2, 1,
                 "row 1 has more than the 32768 cells of the grid");
  expect_refused("y = 9\n99999999999999999999999999$9999999999999999999999$o!",
                 2, 51, "there are cells after the 32768 rows of the grid");
  // What no memory holds is refused, without limits.
  expect_refused("x = 1000000000, y = 1000000000\n!", 1, 5, "the grid has");
  expect_refused("1000000000$1000000000o!", 1, 12, "row 1000000001");
}

TEST(ReadRunLength, RefusesAStreamThatFails) {
  // A directory can be opened, not read.
  for (char const* const path : {"/", "/no such file"}) {
    std::ifstream stream(path);
    EXPECT_EQ(
        "KokkosMMA::read_run_length: 'file.rle' cannot be read; give an open "
        "stream of a file",
        error_of([&] { read_run_length(stream, "file.rle"); }))
        << path;
  }
}

TEST(WriteRunLength, CommentsHeaderAndCells) {
  EXPECT_EQ(
      "#N R-pentomino\n#C five cells\nx = 3, y = 3, rule = B3/S23\n"
      "b2o$2o$bo!\n",
      written(
          {3, 3, "B3/S23", {"#N R-pentomino", "#C five cells"}, r_pentomino}));
  EXPECT_EQ("x = 3, y = 3\nb2o$2o$bo!\n", written({3, 3, "", {}, r_pentomino}));
  EXPECT_EQ("x = 0, y = 0\n!\n", written({}));
  EXPECT_EQ("x = 2, y = 2\n!\n", written({2, 2, "", {}, cells({"00", "00"})}));
  EXPECT_EQ(
      "x = 3, y = 5\n2$o2$bo!\n",
      written({3, 5, "", {}, cells({"000", "000", "100", "000", "010"})}));
}

TEST(WriteRunLength, ManyStates) {
  CellPattern pattern{9, 1, "", {}, {0, 1, 2, 2, 24, 25, 48, 49, 255}};
  EXPECT_EQ("x = 9, y = 1\n.A2BXpApXqAyO!\n", written(pattern));
  pattern = {256, 2, "", {}, std::vector<std::uint8_t>(512)};
  for (int i = 0; i < 512; ++i) pattern.cells[i] = std::uint8_t(i % 256);
  EXPECT_TRUE(pattern == read(written(pattern)));
}

TEST(WriteRunLength, LinesOfSeventyColumns) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int repeat = 0; repeat < 300; ++repeat) {
    CellPattern pattern;
    pattern.width     = random.integer(0, repeat < 20 ? 400 : 60);
    pattern.height    = random.integer(0, 40);
    auto const states = random.integer(1, 3) == 1 ? random.integer(1, 255) : 1;
    auto const dense  = random.integer(0, 100);
    if (repeat % 2) pattern.rule = "R5,C0,M1,S34..58,B34..45,NM";
    if (repeat % 3) pattern.comments = {"#N one", "#CXRLE Pos=1,2", "#"};
    for (std::int64_t i = 0; i < pattern.width * pattern.height; ++i)
      pattern.cells.push_back(static_cast<std::uint8_t>(
          random.integer(1, 100) <= dense ? random.integer(1, states) : 0));
    std::string const text = written(pattern);
    EXPECT_TRUE(pattern == read(text)) << text;
    EXPECT_EQ(text, written(read(text)));

    std::istringstream lines(text);
    std::string line;
    bool after_header = false;
    while (std::getline(lines, line)) {
      EXPECT_LE(line.size(), 70u) << line;
      // A count stays in front of what it counts.
      if (after_header) {
        ASSERT_FALSE(line.empty());
        EXPECT_FALSE(line.back() >= '0' && line.back() <= '9') << line;
      }
      after_header = after_header || line.substr(0, 4) == "x = ";
    }
  }
}

TEST(WriteRunLength, RefusesWhatIsNoPattern) {
  std::string const who = "KokkosMMA::write_run_length: ";
  std::ostringstream stream;
  auto const error = [&](CellPattern const& pattern) {
    return error_of([&] { write_run_length(stream, pattern); });
  };
  EXPECT_EQ(who + "there are 9 cells for a pattern of 3 x 4",
            error({3, 4, "", {}, r_pentomino}));
  EXPECT_EQ(who + "there are 9 cells for a pattern of -3 x -3",
            error({-3, -3, "", {}, r_pentomino}));
  EXPECT_EQ(who + "the comment \"N\" is not one line that begins with #",
            error({3, 3, "", {"#C", "N"}, r_pentomino}));
  EXPECT_NE("", error({3, 3, "", {""}, r_pentomino}));
  EXPECT_NE("", error({3, 3, "", {"#N a\nb"}, r_pentomino}));
  EXPECT_EQ(who + "the rule \"B3\r\" is not one line",
            error({3, 3, "B3\r", {}, r_pentomino}));
  EXPECT_EQ("", stream.str());
}

// What becomes of them the tests of examples/life say, by the library and by a
// plain program.
TEST(ShippedPatterns, AreWrittenAsTheyAreRead) {
  for (std::string const name :
       {"r_pentomino", "acorn", "diehard", "gosper_gun", "glider", "bug"}) {
    std::ifstream stream(KOKKOSMMA_PATTERNS + name + ".rle", std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(text.str(), written(read(text.str()))) << name;
    EXPECT_LT(0, read(text.str()).population()) << name;
  }
}

}  // namespace

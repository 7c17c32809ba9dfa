// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is written is read back; everything else is refused by file, line, what
// was found and what is allowed.

#include <core/routing/KokkosMMA_TuningFile.hpp>

#include <gtest/gtest.h>

#include <KokkosMMA_ErrorOf.hpp>
#include <KokkosMMA_RandomTable.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

TuningFile const h200{{}, {"NVIDIA H200", 90, 132}, "2026-11-21"};

std::string refusal_of_text(std::string const& text) {
  return error_of([&] { parse_tuning(text, "a.table"); });
}

std::string replaced(std::string text, std::string const& from,
                     std::string const& to) {
  std::size_t const at = text.find(from);
  EXPECT_NE(text.npos, at) << from;
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}
/// The table with another line, and no checksum to notice it.
std::string edited(std::string const& from, std::string const& to) {
  std::string text = write_tuning(h200);
  text             = text.substr(0, text.rfind("checksum"));
  return replaced(text, "\n" + from, "\n" + to) + "checksum edited\n";
}
int line_of(std::string const& text, std::string const& part) {
  std::size_t const at = text.find(part);
  if (at == text.npos) return -1;
  return 1 +
         int(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}
void expect_parts(std::string const& error,
                  std::vector<std::string> const& parts) {
  for (std::string const& part : parts)
    EXPECT_NE(error.npos, error.find(part))
        << "\"" << part << "\" is not in: " << error;
}

TEST(TuningFile, ReadsWhatItWrites) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int i = 0; i < 50; ++i) {
    TuningFile file = h200;
    file.table      = random_table(random);
    TuningFile const read =
        parse_tuning(write_tuning(file, "a note\nof two lines"), "a.table");
    EXPECT_TRUE(file.table == read.table);
    EXPECT_EQ(file.device, read.device);
    EXPECT_EQ(file.date, read.date);
  }
}

TEST(TuningFile, IsTextForPeople) {
  std::string const text = write_tuning(h200, "measured here");
  expect_parts(text, {"kokkos-mma tuning table, format 1\nversion ",
                      "\ndevice NVIDIA H200\ncompute_capability 9.0\n"
                      "multiprocessors 132\ndate 2026-11-21\n",
                      "\n# measured here\n", "\nreduce.mma.half yes\n",
                      "\ncolumns.mma.int8 no\n", "\nreduce.block_size 512\n",
                      "\nchecksum "});
}

TEST(TuningFile, MayBeEdited) {
  EXPECT_EQ("", refusal_of_text(edited("columns.mma.uint8 no",
                                       "# by hand\n\ncolumns.mma.uint8 yes")));
  TuningFile const file = parse_tuning(
      edited("columns.mma.uint8 no", "columns.mma.uint8 yes"), "a.table");
  EXPECT_EQ(1, file.table.columns_mma[Scalar::uint8]);
  EXPECT_EQ(0, file.table.columns_mma[Scalar::int8]);
}

/// Entries whose kernels were removed are ignored; others are still unknown.
TEST(TuningFile, EntriesOfOlderTablesAreIgnored) {
  auto const with = [](std::string const& lines) {
    return edited("reduce.blocks 2", lines + "reduce.blocks 2");
  };
  TuningFile const one =
      parse_tuning(with("segments.mma_bytes.half never\n"), "a.table");
  EXPECT_EQ("ignored segments.mma_bytes.half: this version has no such choice",
            ignored_entries(one));
  EXPECT_TRUE(one.table == builtin_tuning);
  TuningFile const three =
      parse_tuning(with("scan.mma.int8 yes\nreduce.mma.float yes\n"
                        "reduce.mma.int32 no\n"),
                   "a.table");
  EXPECT_EQ(3u, three.ignored.size());
  EXPECT_EQ("ignored scan.mma.int8 and 2 more: this version has no such choice",
            ignored_entries(three));
  EXPECT_TRUE(three.table == builtin_tuning);
  EXPECT_EQ("", ignored_entries(parse_tuning(write_tuning(h200), "a.table")));
  for (std::string const name :
       {"scan.mma", "reduce.mma.floats", "reduce.mma.uint32"})
    expect_parts(refusal_of_text(with(name + " yes\n")),
                 {"\"" + name + "\" is not a name"});
  expect_parts(refusal_of_text(with("scan.mma.int8 yes\nscan.mma.int8 no\n")),
               {"scan.mma.int8 is in line", "already"});
}

TEST(TuningFile, EveryTruncationIsNoticed) {
  std::string const text = write_tuning(h200);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE("", refusal_of_text(text.substr(0, size))) << size;
  expect_parts(refusal_of_text(""), {"a.table: is empty"});
  std::string const lines = text.substr(0, text.find("reduce.blocks"));
  expect_parts(refusal_of_text(lines),
               {"a.table: ends without a line \"checksum\"", "truncated"});
  expect_parts(
      refusal_of_text(lines + "reduce.blo"),
      {"a.table: line " + std::to_string(line_of(text, "reduce.blocks")),
       "ends within this line", "truncated"});
}

TEST(TuningFile, EveryChangedByteIsNoticed) {
  std::string const text = write_tuning(h200);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i]          = char(damaged[i] ^ 1);
    EXPECT_NE("", refusal_of_text(damaged)) << i;
  }
  std::string const error = refusal_of_text(
      replaced(text, "columns.mma.uint8 no", "columns.mma.uint8 yes"));
  expect_parts(
      error, {"the checksum is ", "changed or damaged", "\"checksum edited\""});
  expect_parts(refusal_of_text(text + "more\n"), {"text follows the checksum"});
}

TEST(TuningFile, RefusesOtherFiles) {
  expect_parts(
      refusal_of_text("\x7f"
                      "ELF and so on"),
      {"a.table: line 1: is not \"kokkos-mma tuning table, format 1\""});
  expect_parts(
      refusal_of_text(replaced(write_tuning(h200), "format 1", "format 2")),
      {"line 1: \"format 2\" is not known", "this library reads format 1"});
  expect_parts(refusal_of_text(edited("date", "da\rte")),
               {"line 6: byte 13 is not text"});
}

TEST(TuningFile, RefusesWrongLines) {
  std::string const text = write_tuning(h200);
  auto const refuses     = [&](std::string const& from, std::string const& to,
                           std::vector<std::string> parts) {
    parts.push_back("a.table: line " + std::to_string(line_of(text, from)));
    expect_parts(refusal_of_text(edited(from, to)), parts);
  };
  refuses("version " + Impl::tuning_version(), "version 9.9.9",
          {"for kokkos-mma 9.9.9 and this is " + Impl::tuning_version()});
  refuses("compute_capability 9.0", "compute_capability 90",
          {"compute_capability is \"90\"", "as in 9.0"});
  refuses("multiprocessors 132", "multiprocessors many",
          {"multiprocessors is \"many\"", "whole numbers >= 1"});
  refuses("multiprocessors 132", "multiprocessors 0", {"is \"0\""});
  refuses("date 2026-11-21", "date 21.11.2026",
          {"date is \"21.11.2026\"", "2026-11-21"});
  refuses("reduce.blocks 2", "reduce.blocks",
          {"\"reduce.blocks\" is not an entry"});
  refuses("reduce.blocks 2", "reduce.blocks 2 3",
          {"reduce.blocks is \"2 3\"", "1 to 8"});
  refuses("reduce.blocks 2", "reduce.block 2",
          {"\"reduce.block\" is not a name of the tuning table"});
  refuses("reduce.blocks 2", "reduce.chain_length 2",
          {"reduce.chain_length is in line " +
           std::to_string(line_of(text, "reduce.chain_length")) + " already"});
  // A row of values has none for a type without such kernels.
  refuses("dot.mma.double yes", "dot.mma.float yes",
          {"\"dot.mma.float\" is not a name"});
  for (std::string const value :
       {"0", "33", "-1", "8.0", "0x8", "99999999999999999999", "never", "yes"})
    refuses("reduce.chain_length 8", "reduce.chain_length " + value,
            {"reduce.chain_length is \"" + value + "\"", "1 to 32"});
  for (std::string const value : {"0", "16", "33", "544"})
    refuses("reduce.block_size 512", "reduce.block_size " + value,
            {"multiples of 32, 32 to 512"});
  for (std::string const value : {"1", "true", "YES", "never"})
    refuses("columns.mma.int8 no", "columns.mma.int8 " + value, {"yes or no"});
  refuses("stencil.box_radius.half 8", "stencil.box_radius.half 17",
          {"0 to 16, or never"});
}

TEST(TuningFile, RefusesMissingValues) {
  std::string const text = write_tuning(h200);
  std::vector<std::string> names{"version", "device", "compute_capability",
                                 "multiprocessors", "date"};
  for_each_tuned_value(builtin_tuning, [&](std::string const& name, auto const&,
                                           int) { names.push_back(name); });
  for (std::string const& name : names)
    expect_parts(refusal_of_text(edited(name + " ", "# " + name + " ")),
                 {"a.table: has no " + name + ","});
}

TEST(TuningFile, RandomLinesNeverGetThrough) {
  Random random;
  SCOPED_TRACE(random.note());
  std::string const text = write_tuning(h200);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    for (std::int64_t changes = random.integer(1, 4); changes > 0; --changes) {
      auto const at = std::size_t(random.integer(0, text.size() - 1));
      damaged[at]   = char(random.integer(0, 255));
    }
    if (damaged != text) {
      EXPECT_NE("", refusal_of_text(damaged));
    }
  }
}

class TuningFileOnDisk : public ::testing::Test {
 protected:
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("kokkosmma_tuning_" + std::to_string(Random().bits()));
  ~TuningFileOnDisk() override { std::filesystem::remove_all(path); }

  void write(std::string const& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string refusal() const {
    return error_of([&] { read_tuning(path.string()); });
  }
};

TEST_F(TuningFileOnDisk, IsRead) {
  TuningFile file              = h200;
  file.table.scan_spread_tiles = 65;
  write(write_tuning(file));
  EXPECT_TRUE(file.table == read_tuning(path.string()).table);
}

TEST_F(TuningFileOnDisk, Missing) {
  expect_parts(refusal(), {path.string() + ": cannot be read: ", "No such file",
                           "KOKKOSMMA_TUNING"});
}

TEST_F(TuningFileOnDisk, AFolder) {
  std::filesystem::create_directory(path);
  expect_parts(refusal(), {path.string() + ": cannot be read: "});
}

TEST_F(TuningFileOnDisk, Empty) {
  write("");
  expect_parts(refusal(), {path.string() + ": is empty"});
}

TEST_F(TuningFileOnDisk, OfAMegabyteAndMore) {
  std::string const comment(std::size_t(1) << 20, '#');
  write(comment);
  expect_parts(refusal(), {": line 1: is not"});
  write(comment + "#");
  expect_parts(refusal(), {path.string() + ": has more than 1048576 bytes"});
}

}  // namespace

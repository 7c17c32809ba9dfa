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

TuningFile parsed(std::string const& text) {
  return TuningReader(text, "a.table").read();
}
std::string refusal_of_text(std::string const& text) {
  return error_of([&] { parsed(text); });
}

/// The table with another line.
std::string edited(std::string const& from, std::string const& to) {
  std::string text     = write_tuning(h200);
  std::size_t const at = text.find("\n" + from);
  EXPECT_NE(text.npos, at) << from;
  return at == text.npos ? text : text.replace(at + 1, from.size(), to);
}

TEST(TuningFile, ReadsWhatItWrites) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    TuningFile file       = h200;
    file.table            = random_table(random);
    TuningFile const read = parsed(write_tuning(file, "a note\nof two lines"));
    EXPECT_TRUE(file.table == read.table);
    EXPECT_EQ(file.device, read.device);
    EXPECT_EQ(file.date, read.date);
  }
}

TEST(TuningFile, IsTextForPeople) {
  std::string const text = write_tuning(h200, "measured here");
  EXPECT_TRUE(
      has_parts(text, {"kokkos-mma 0.1.0 tuning table\ndevice NVIDIA H200\n"
                       "compute_capability 90\nmultiprocessors 132\n"
                       "date 2026-11-21\n# measured here\n",
                       "\nreduce.mma.double yes\n",
                       "\nsegments.tiny_csr_bytes 32\n", "\nend\n"}));
  EXPECT_EQ(0, parsed(edited("reduce.mma.double yes",
                             "# by hand\n\nreduce.mma.double no"))
                   .table.reduce_mma_double);
}

TEST(TuningFile, EveryTruncationIsNoticed) {
  std::string const text = write_tuning(h200);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE("", refusal_of_text(text.substr(0, size))) << size;
  EXPECT_TRUE(
      has_parts(refusal_of_text(text + "more\n"), {"a last line \"end\""}));
}

/// Damage gives an error or a table whose values are allowed.
TEST(TuningFile, DamageGivesNoOtherValues) {
  Random random;
  std::string const text = write_tuning(h200);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    for (std::int64_t changes = random.integer(1, 4); changes > 0; --changes)
      damaged[std::size_t(random.integer(0, text.size() - 1))] =
          char(random.integer(0, 255));
    if (!refusal_of_text(damaged).empty()) continue;
    TuningTable const table = parsed(damaged).table;
    for (TuningEntry const& entry : tuning_entries)
      EXPECT_TRUE(entry.allows(table.*entry.value)) << entry.name;
  }
}

TEST(TuningFile, RefusesWrongLines) {
  auto const refuses = [&](std::string const& from, std::string const& to,
                           std::vector<std::string> parts) {
    parts.push_back("a.table: line ");
    parts.push_back("is \"" + to + "\"");
    EXPECT_TRUE(has_parts(refusal_of_text(edited(from, to)), parts));
  };
  std::string const other = "kokkos-mma 9.9.9 tuning table";
  EXPECT_TRUE(
      has_parts(refusal_of_text(other + "\ndevice A100\n"),
                {"a.table: line 1 is \"" + other + "\"",
                 "\"kokkos-mma 0.1.0 tuning table\"", "another version"}));
  refuses("multiprocessors 132", "multiprocessors many",
          {"multiprocessors and a whole number"});
  std::string const bytes = "segments.tiny_csr_bytes";
  refuses(bytes + " 32", bytes, {"\"" + bytes + "\" and a value"});
  refuses(bytes + " 32", "segments.tiny_csr_byte 32",
          {"\"" + bytes + "\" and a value"});
  refuses(bytes + " 32", bytes + " 32 3", {"0 to 8192"});
  refuses("dot.mma.double yes", "dot.mma.float yes", {"dot.mma.double"});
  for (std::string const value :
       {"8193", "-1", "8.0", "0x8", "99999999999999999999", "never", "yes"})
    refuses(bytes + " 32", bytes + " " + value, {"0 to 8192"});
  for (std::string const value : {"1", "true", "YES", "never"})
    refuses("reduce.mma.double yes", "reduce.mma.double " + value,
            {"yes or no"});
  refuses("stencil.dense_taps.double 200", "stencil.dense_taps.double 1090",
          {"0 to 1089, or never"});
  for (TuningEntry const& entry : tuning_entries) {
    std::string const name(entry.name);
    EXPECT_TRUE(
        has_parts(refusal_of_text(edited(name + " ", "# " + name + " ")),
                  {"\"" + name + "\" and a value"}));
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
  TuningFile file           = h200;
  file.table.tiny_csr_bytes = 33;
  write(write_tuning(file));
  EXPECT_TRUE(file.table == read_tuning(path.string()).table);
}

TEST_F(TuningFileOnDisk, Missing) {
  EXPECT_TRUE(has_parts(refusal(), {path.string() + ": cannot be read: ",
                                    "No such file", "KOKKOSMMA_TUNING"}));
}

TEST_F(TuningFileOnDisk, AFolder) {
  std::filesystem::create_directory(path);
  EXPECT_TRUE(has_parts(refusal(), {path.string() + ": cannot be read: "}));
}

TEST_F(TuningFileOnDisk, EmptyAndHuge) {
  write("");
  EXPECT_TRUE(has_parts(refusal(), {path.string() + ": line 1 is \"\""}));
  write(std::string(std::size_t(1) << 21, '#'));
  EXPECT_TRUE(has_parts(refusal(), {path.string() + ": line 1 is "}));
}

}  // namespace

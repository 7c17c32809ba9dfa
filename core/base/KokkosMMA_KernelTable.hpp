// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_KERNEL_TABLE_HPP
#define KOKKOSMMA_KERNEL_TABLE_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// Hash tables of facts about compiled kernels, by device and address.

namespace KokkosMMA::Impl {

struct KernelKey {
  int device_id;
  void const* kernel;
  unsigned detail = 0;  ///< distinguishes entries of one kernel

  friend bool operator==(KernelKey const&, KernelKey const&) = default;
};

/// Hash table of pointers that the caller owns. Every call looks its kernel up.
class KernelPointers {
 public:
  KernelPointers() = default;
  ~KernelPointers() { delete[] m_slots; }
  KernelPointers(KernelPointers const&)            = delete;
  KernelPointers& operator=(KernelPointers const&) = delete;

  std::size_t size() const { return m_size; }

  /// Pointer stored for a key; null if there is none.
  void* find(KernelKey const& key) const {
    return m_size == 0 ? nullptr : slot_of(key).value;
  }

  /// \param value not null
  void insert(KernelKey const& key, void* value) {
    if (2 * (m_size + 1) > m_capacity) grow();
    Slot& slot = slot_of(key);
    m_size += slot.value == nullptr;
    slot = {key, value};
  }

  template <class Visit>
  void for_each(Visit const& visit) const {
    for (std::size_t i = 0; i < m_capacity; ++i)
      if (m_slots[i].value != nullptr) visit(m_slots[i].value);
  }

  void clear() {
    delete[] m_slots;
    m_slots    = nullptr;
    m_capacity = 0;
    m_size     = 0;
  }

 private:
  struct Slot {
    KernelKey key{};
    void* value = nullptr;
  };

  /// Slot of the key, or the free slot for it. The table is never full.
  Slot& slot_of(KernelKey const& key) const {
    std::uint64_t const mixed =
        (reinterpret_cast<std::uintptr_t>(key.kernel) ^
         (std::uint64_t(key.detail) << 32) ^ unsigned(key.device_id)) *
        0x9e3779b97f4a7c15;
    std::size_t i = mixed >> 32 & (m_capacity - 1);
    while (m_slots[i].value != nullptr && !(m_slots[i].key == key))
      i = (i + 1) & (m_capacity - 1);
    return m_slots[i];
  }

  void grow() {
    Slot* const old            = m_slots;
    std::size_t const capacity = m_capacity;
    m_capacity                 = capacity == 0 ? 64 : 2 * capacity;
    m_slots                    = new Slot[m_capacity];
    for (std::size_t i = 0; i < capacity; ++i)
      if (old[i].value != nullptr) slot_of(old[i].key) = old[i];
    delete[] old;
  }

  Slot* m_slots          = nullptr;
  std::size_t m_capacity = 0;  ///< a power of two
  std::size_t m_size     = 0;
};

/// Hash table that owns its values. Their addresses stay valid until clear().
template <class Value>
class KernelTable {
 public:
  KernelTable() = default;
  ~KernelTable() { clear(); }
  KernelTable(KernelTable const&)            = delete;
  KernelTable& operator=(KernelTable const&) = delete;

  std::size_t size() const { return m_pointers.size(); }
  Value* find(KernelKey const& key) const {
    return static_cast<Value*>(m_pointers.find(key));
  }
  /// \param key not in the table yet
  Value& insert(KernelKey const& key, Value const& value) {
    auto* const kept = new Value(value);
    m_pointers.insert(key, kept);
    return *kept;
  }
  void clear() {
    m_pointers.for_each([](void* value) { delete static_cast<Value*>(value); });
    m_pointers.clear();
  }

 private:
  KernelPointers m_pointers;
};

}  // namespace KokkosMMA::Impl

#endif

/* A driver without an operating system: y = A x + b on the 4 x 3 tiles of examples/gemv_stream, which
 * qemu_platform shows as a PCI device (docs/qemu.md). It finds the device, resets it, loads A, launches,
 * streams x and b in, waits, checks y, reboots and does it all again.
 *
 * Words on the kernel's command line: "irq" waits for interrupts (KVM only), else it polls.
 *
 * device.h is written by qemu_platform --driver-header: the memory map and the names of this program. */
#include "device.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

static inline void out8(u16 port, u8 value) { __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port)); }
static inline u8 in8(u16 port) {
  u8 value;
  __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}
static inline void out32(u16 port, u32 value) { __asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port)); }
static inline u32 in32(u16 port) {
  u32 value;
  __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

/* --- QEMU: console and end --- */

enum { kConsole = 0xE9, kExit = 0xF4 };

static void print(const char* text) {
  for (; *text; ++text) out8(kConsole, (u8)*text);
}
static void print_hex(u32 value) {
  for (int shift = 28; shift >= 0; shift -= 4) out8(kConsole, "0123456789abcdef"[value >> shift & 15]);
}
/* Ends QEMU with the exit status 2 * code + 1. */
static void end(u32 code) {
  for (;;) out32(kExit, code);
}
static void fail(const char* what, u32 value) {
  print("guest: ");
  print(what);
  print(" 0x");
  print_hex(value);
  print("\n");
  end(1);
}

/* --- PCI configuration space: behind two ports in a PC, in memory in QEMU's microvm --- */

enum { kPciAddress = 0xCF8, kPciData = 0xCFC, kPciEnable = 0x80000000u };
enum { kPciMemory = 0xE0000000u, kPciWindows = 0xC0000000u };
enum { kIds = 0x00, kCommand = 0x04, kBar0 = 0x10, kBar2 = 0x18, kInterrupt = 0x3C };
enum { kTessera = 0x7E551234 };

static int is_behind_ports(void) {
  out32(kPciAddress, kPciEnable);
  return in32(kPciAddress) == kPciEnable;
}
static volatile u32* in_memory(u32 slot, u32 offset) { return (volatile u32*)(kPciMemory + (slot << 15) + offset); }

static u32 pci_read(u32 slot, u32 offset) {
  if (!is_behind_ports()) return *in_memory(slot, offset);
  out32(kPciAddress, kPciEnable | slot << 11 | offset);
  return in32(kPciData);
}
static void pci_write(u32 slot, u32 offset, u32 value) {
  if (!is_behind_ports()) {
    *in_memory(slot, offset) = value;
    return;
  }
  out32(kPciAddress, kPciEnable | slot << 11 | offset);
  out32(kPciData, value);
}
/* Gives the two windows addresses, which the firmware of a PC has done. */
static void place_windows(u32 slot) {
  u32 free = kPciWindows;
  for (u32 bar = kBar0; bar <= kBar2; bar += kBar2 - kBar0) {
    if ((pci_read(slot, bar) & ~15u) != 0) continue;
    pci_write(slot, bar, ~0u);
    const u32 bytes = -(pci_read(slot, bar) & ~15u);
    free = (free + bytes - 1) & -bytes;
    pci_write(slot, bar, free);
    free += bytes;
  }
}
static u32 find_device(void) {
  for (u32 slot = 0; slot < 32; ++slot)
    if (pci_read(slot, kIds) == kTessera) return slot;
  fail("no device on the bus, ids of slot 0", pci_read(0, kIds));
  return 0;
}

/* --- the device: docs/host-port.md#memory-map --- */

static volatile u8* registers;
static volatile u8* memory;

static u32 get(u32 offset) { return *(volatile u32*)(registers + offset); }
static void put(u32 offset, u32 value) { *(volatile u32*)(registers + offset) = value; }

/* A color at an edge. */
enum { kX = 0, kSum = 2 }; /* colors of the layout */
static u32 channel(u32 edge, u32 color) { return edge + color * TESSERA_CHANNEL_STRIDE; }
static const u32 kNorthEdges[] = {TESSERA_EDGE_0_0_NORTH, TESSERA_EDGE_1_0_NORTH, TESSERA_EDGE_2_0_NORTH,
                                  TESSERA_EDGE_3_0_NORTH};
static const u32 kWestEdges[] = {TESSERA_EDGE_0_0_WEST, TESSERA_EDGE_0_1_WEST, TESSERA_EDGE_0_2_WEST};
static const u32 kEastEdges[] = {TESSERA_EDGE_3_0_EAST, TESSERA_EDGE_3_1_EAST, TESSERA_EDGE_3_2_EAST};

/* --- interrupts: the two 8259 of a PC --- */

enum { kFirstVector = 0x20 };
extern void interrupt_entry(void);
static volatile u32 interrupts;

struct Gate {
  u16 low, selector, type, high;
} __attribute__((packed));
static struct Gate gates[kFirstVector + 16];
static struct {
  u16 limit;
  u32 base;
} __attribute__((packed)) gate_table = {sizeof gates - 1, 0};

void on_interrupt(void) {
  ++interrupts;
  put(TESSERA_REG_IRQ_CLEAR, TESSERA_BIT_STREAM_DONE);
  out8(0xA0, 0x20); /* end of interrupt, both controllers */
  out8(0x20, 0x20);
}

static void listen(u32 line) {
  u16 selector;
  __asm__ volatile("mov %%cs, %0" : "=r"(selector));
  for (u32 i = kFirstVector; i < kFirstVector + 16; ++i) {
    const u32 at = (u32)interrupt_entry;
    gates[i] = (struct Gate){(u16)at, selector, 0x8E00, (u16)(at >> 16)};
  }
  gate_table.base = (u32)gates;
  __asm__ volatile("lidt %0" ::"m"(gate_table));
  static const u8 kSetup[] = {0x11, kFirstVector, 4, 1}, kSetupSecond[] = {0x11, kFirstVector + 8, 2, 1};
  for (int i = 0; i < 4; ++i) {
    out8(i == 0 ? 0x20 : 0x21, kSetup[i]);
    out8(i == 0 ? 0xA0 : 0xA1, kSetupSecond[i]);
  }
  const u16 open = (u16)(1u << line | 1u << 2); /* 2: the second controller */
  out8(0x21, (u8)~open);
  out8(0xA1, (u8)(~open >> 8));
  put(TESSERA_REG_IRQ_ENABLE, TESSERA_BIT_STREAM_DONE);
}

static void sleep_until_interrupt(void) {
  while (interrupts == 0) __asm__ volatile("sti; hlt" ::: "eax", "ecx", "edx", "cc", "memory");
}

/* --- the program --- */

/* Blocks of A column by column, tile by tile. */
static const float a[TESSERA_HEIGHT][TESSERA_WIDTH][4] = {
    {{1.0f, 2.5f, 2.0f, 3.5f}, {3.0f, 2.0f, 1.5f, 3.0f}, {2.5f, 4.0f, 1.0f, 2.5f}, {2.0f, 3.5f, 3.0f, 2.0f}},
    {{4.0f, 5.5f, 5.0f, 4.0f}, {3.5f, 5.0f, 4.5f, 6.0f}, {3.0f, 4.5f, 4.0f, 5.5f}, {5.0f, 4.0f, 3.5f, 5.0f}},
    {{7.0f, 6.0f, 5.5f, 7.0f}, {6.5f, 8.0f, 5.0f, 6.5f}, {6.0f, 7.5f, 7.0f, 6.0f}, {5.5f, 7.0f, 6.5f, 8.0f}}};
static const float x[TESSERA_WIDTH][2] = {{-3.0f, -2.0f}, {-1.0f, 0.0f}, {1.0f, 2.0f}, {3.0f, 4.0f}};
static const float b[TESSERA_HEIGHT][2] = {{10.0f, 20.0f}, {30.0f, 40.0f}, {50.0f, 60.0f}};
static const float expected[TESSERA_HEIGHT][2] = {{22.5f, 31.0f}, {44.5f, 58.0f}, {74.0f, 92.5f}};

/* The guest moves numbers and computes none: compile with -fno-strict-aliasing. */
static u32 bits(const float* value) { return *(const u32*)value; }

static void load_tile(u32 column, u32 row) {
  volatile u8* const tile = memory + (row * TESSERA_WIDTH + column) * TESSERA_TILE_STRIDE;
  for (int i = 0; i < 4; ++i) *(volatile u32*)(tile + TESSERA_P0_A_ADDRESS + 4 * i) = bits(&a[row][column][i]);
}

static void run_gemv(int with_interrupt) {
  for (u32 row = 0; row < TESSERA_HEIGHT; ++row)
    for (u32 column = 0; column < TESSERA_WIDTH; ++column) load_tile(column, row);
  for (u32 row = 0; row < TESSERA_HEIGHT; ++row)
    put(channel(kEastEdges[row], kSum) + TESSERA_CHANNEL_EXPECT, 2);

  put(TESSERA_SLOTS + TESSERA_SLOT_FUNCTION, TESSERA_FN_MAIN); /* on all tiles */
  put(TESSERA_DOORBELLS, 1);
  for (u32 column = 0; column < TESSERA_WIDTH; ++column)
    for (int i = 0; i < 2; ++i) put(channel(kNorthEdges[column], kX), bits(&x[column][i]));
  for (u32 row = 0; row < TESSERA_HEIGHT; ++row)
    for (int i = 0; i < 2; ++i) put(channel(kWestEdges[row], kSum), bits(&b[row][i]));

  if (with_interrupt) sleep_until_interrupt();
  u32 polls = 0;
  while (get(TESSERA_REG_MISSING) != 0)
    if (++polls > 1000000) fail("y does not come; missing", get(TESSERA_REG_MISSING));

  for (u32 row = 0; row < TESSERA_HEIGHT; ++row) {
    for (int i = 0; i < 2; ++i) {
      const u32 y = get(channel(kEastEdges[row], kSum));
      if (y != bits(&expected[row][i])) fail("wrong y", y);
    }
  }
}

static int has_word(const char* text, const char* word) {
  for (; *text; ++text) {
    int i = 0;
    while (word[i] && text[i] == word[i]) ++i;
    if (!word[i]) return 1;
  }
  return 0;
}

static void reboot(void) {
  out8(0xCF9, 0x02);
  out8(0xCF9, 0x06);
  /* A microvm has no such port: an interrupt without a table resets the processor. */
  gate_table.limit = 0;
  for (;;) __asm__ volatile("lidt %0; int3" ::"m"(gate_table));
}

/* Memory survives a reboot; nobody else uses this word. */
#define BOOTS (*(volatile u32*)0x2000000)
enum { kBootMagic = 0x7E550000 };

void guest_main(const u32* information) {
  const char* const words = (information[0] & 4) != 0 ? (const char*)information[4] : "";
  const int with_interrupt = has_word(words, "irq");
  if ((BOOTS & 0xFFFF0000) != kBootMagic) BOOTS = kBootMagic;
  ++BOOTS;

  const u32 slot = find_device();
  if (pci_read(slot, kCommand) & 2) pci_write(slot, kCommand, 0); /* off while we look at it */
  place_windows(slot);
  registers = (volatile u8*)(pci_read(slot, kBar0) & ~15u);
  memory = (volatile u8*)(pci_read(slot, kBar2) & ~15u);
  pci_write(slot, kCommand, 2);
  if (get(TESSERA_REG_ID) != TESSERA_ID_VALUE) fail("not the device that was expected, id", get(TESSERA_REG_ID));
  if (get(TESSERA_REG_WIDTH) != TESSERA_WIDTH || get(TESSERA_REG_HEIGHT) != TESSERA_HEIGHT)
    fail("a machine of another size, width", get(TESSERA_REG_WIDTH));
  put(TESSERA_REG_CONTROL, TESSERA_BIT_RESET_MACHINE);
  if (with_interrupt) listen(pci_read(slot, kInterrupt) & 0xFF);

  run_gemv(with_interrupt);
  print(with_interrupt ? "guest: y is right, told by an interrupt\n" : "guest: y is right\n");
  if ((BOOTS & 0xFFFF) == 1) {
    print("guest: once more, after a reboot\n");
    reboot();
  }
  end(0x10);
}

# Start of the guest: QEMU's -kernel loads the ELF file because of the multiboot header and jumps to
# `start` in 32-bit protected mode, with the address of the boot information in %ebx.
.set MAGIC, 0x1BADB002

.section .multiboot, "a"
.align 4
.long MAGIC, 0, -MAGIC

.text
.global start
start:
    movl $stack_end, %esp
    pushl %ebx
    call guest_main
stop:
    hlt
    jmp stop

# The handler of all interrupts of the device. They come at the hlt of sleep_until_interrupt() only, which
# goes on with interrupts off. No iret: some hosts' KVM, which emulate a guest in this mode, lack it.
.global interrupt_entry
interrupt_entry:
    call on_interrupt
    popl %eax
    addl $8, %esp
    jmp *%eax

.section .note.GNU-stack, "", @progbits
.bss
.align 16
stack:
    .skip 16384
stack_end:

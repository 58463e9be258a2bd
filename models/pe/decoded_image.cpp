#include "models/pe/decoded_image.h"

#include <utility>

namespace tessera::pe {

namespace {

Sram memory_of(const Image& image) {
  Sram memory;
  for (const Symbol& symbol : image.symbols) {
    const unsigned bytes = bytes_of(symbol.type);
    std::uint32_t address = symbol.address;
    for (std::uint32_t bits : symbol.init) {
      memory.write(address, bytes, bits);
      address += bytes;
    }
  }
  return memory;
}

}  // namespace

DecodedImage::DecodedImage(std::shared_ptr<const Image> image, const PeTiming& timing)
    : image_(std::move(image)), timing_(timing), dsrs_(*image_), tasks_(*image_),
      code_size_(static_cast<std::uint32_t>(image_->code.size())), memory_(memory_of(*image_)) {
  code_.reserve(code_size_);
  for (std::uint32_t pc = 0; pc < code_size_; ++pc)
    code_.push_back(decode(image_->code[pc], pc, timing));
  data_begin_ = image_->task_table_bytes() + code_size_ * kInstructionBytes;
  for (const QueueBinding& queue : image_->queues) {
    const QueueBinding*& entry = queues_[queue.input].at(queue.id.value());
    if (entry == nullptr) entry = &queue;
    if (!queue.input) continue;
    const TaskId channel = image_->channel_of(queue);
    inputs_.push_back({queue.id, task_bit(channel), tasks_.data_task(channel), &queue});
    channels_ |= task_bit(channel);
  }
}

}  // namespace tessera::pe

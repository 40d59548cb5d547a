// Reads the MessagePack that the scripts write: arrays and texts.

#include "core/journal/outbox/journal_event.h"

#include <cstddef>

namespace restante::journal {

namespace {

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    bool atEnd() const noexcept { return position_ == bytes_.size(); }
    bool isValid() const noexcept { return isValid_; }

    std::size_t readArraySize()
    {
        const auto tag = readNumber(1);
        if ((tag & 0xf0U) == 0x90U) {
            return tag & 0x0fU;
        }
        return tag == 0xdc ? readNumber(2) : tag == 0xdd ? readNumber(4) : fail();
    }
    std::string readText()
    {
        const auto size = readTextSize();
        if (bytes_.size() - position_ < size) {
            fail();
            return {};
        }
        position_ += size;
        return std::string(bytes_.substr(position_ - size, size));
    }

private:
    std::size_t readTextSize()
    {
        const auto tag = readNumber(1);
        if ((tag & 0xe0U) == 0xa0U) {
            return tag & 0x1fU;
        }
        // Texts are 0xd9 and on, bytes 0xc4 and on: with one, two or four bytes of length.
        const auto width = tag - (tag < 0xd9 ? 0xc4 : 0xd9);
        return width < 3 ? readNumber(std::size_t{1} << width) : fail();
    }
    std::size_t readNumber(std::size_t bytes)
    {
        if (bytes_.size() - position_ < bytes) {
            return fail();
        }
        std::size_t value = 0;
        for (; bytes > 0; --bytes) {
            value = value << 8U | static_cast<unsigned char>(bytes_[position_++]);
        }
        return value;
    }
    std::size_t fail()
    {
        isValid_ = false;
        position_ = bytes_.size();
        return 0;
    }

    std::string_view bytes_;
    std::size_t position_ = 0;
    bool isValid_ = true;
};

std::vector<std::string> readTexts(Unpacker& unpacker)
{
    std::vector<std::string> texts;
    for (auto remaining = unpacker.readArraySize(); remaining > 0 && unpacker.isValid();
         --remaining) {
        texts.push_back(unpacker.readText());
    }
    return texts;
}

/// `value` when all bytes were read without an error.
template <class T>
Result<T> valueIfComplete(const Unpacker& unpacker, T value)
{
    if (!unpacker.isValid() || !unpacker.atEnd()) {
        return failure(ErrorCode::Invalid, "its lists are damaged");
    }
    return value;
}

}  // namespace

Result<std::vector<std::string>> unpackTexts(std::string_view bytes)
{
    Unpacker unpacker(bytes);
    auto texts = readTexts(unpacker);
    return valueIfComplete(unpacker, std::move(texts));
}

Result<std::vector<std::vector<std::string>>> unpackRows(std::string_view bytes)
{
    Unpacker unpacker(bytes);
    std::vector<std::vector<std::string>> rows;
    for (auto remaining = unpacker.readArraySize(); remaining > 0 && unpacker.isValid();
         --remaining) {
        rows.push_back(readTexts(unpacker));
    }
    return valueIfComplete(unpacker, std::move(rows));
}

}  // namespace restante::journal

// MessagePack as far as the scripts write it: arrays and texts.

#include "core/journal/outbox/journal_event.h"

#include <cstddef>

namespace restante::journal {

namespace {

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    bool atEnd() const noexcept { return at_ == bytes_.size(); }
    bool fine() const noexcept { return fine_; }

    std::size_t array()
    {
        const auto tag = number(1);
        if ((tag & 0xf0U) == 0x90U) {
            return tag & 0x0fU;
        }
        return tag == 0xdc ? number(2) : tag == 0xdd ? number(4) : refused();
    }
    std::string text()
    {
        const auto size = textSize();
        if (bytes_.size() - at_ < size) {
            refused();
            return {};
        }
        at_ += size;
        return std::string(bytes_.substr(at_ - size, size));
    }

private:
    std::size_t textSize()
    {
        const auto tag = number(1);
        if ((tag & 0xe0U) == 0xa0U) {
            return tag & 0x1fU;
        }
        // Texts are 0xd9 and on, bytes 0xc4 and on: with one, two or four bytes of length.
        const auto width = tag - (tag < 0xd9 ? 0xc4 : 0xd9);
        return width < 3 ? number(std::size_t{1} << width) : refused();
    }
    std::size_t number(std::size_t bytes)
    {
        if (bytes_.size() - at_ < bytes) {
            return refused();
        }
        std::size_t value = 0;
        for (; bytes > 0; --bytes) {
            value = value << 8U | static_cast<unsigned char>(bytes_[at_++]);
        }
        return value;
    }
    std::size_t refused()
    {
        fine_ = false;
        at_ = bytes_.size();
        return 0;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool fine_ = true;
};

std::vector<std::string> textsFrom(Unpacker& unpacker)
{
    std::vector<std::string> texts;
    for (auto left = unpacker.array(); left > 0 && unpacker.fine(); --left) {
        texts.push_back(unpacker.text());
    }
    return texts;
}

/// `value` when all of the bytes were understood.
template <class T>
Result<T> checked(const Unpacker& unpacker, T value)
{
    if (!unpacker.fine() || !unpacker.atEnd()) {
        return failure(ErrorCode::Invalid, "its lists are damaged");
    }
    return value;
}

}  // namespace

Result<std::vector<std::string>> unpackTexts(std::string_view bytes)
{
    Unpacker unpacker(bytes);
    auto texts = textsFrom(unpacker);
    return checked(unpacker, std::move(texts));
}

Result<std::vector<std::vector<std::string>>> unpackRows(std::string_view bytes)
{
    Unpacker unpacker(bytes);
    std::vector<std::vector<std::string>> rows;
    for (auto left = unpacker.array(); left > 0 && unpacker.fine(); --left) {
        rows.push_back(textsFrom(unpacker));
    }
    return checked(unpacker, std::move(rows));
}

}  // namespace restante::journal

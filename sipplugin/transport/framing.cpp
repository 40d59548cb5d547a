#include "sipplugin/transport/framing.h"

#include "core/base/text.h"
#include "sipplugin/transport/message_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace restante::sip {

namespace {

/// What a method or "SIP" begins with.
bool beginsMessage(char c) noexcept
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view{"-.!%*_+`'~"}.find(c) != std::string_view::npos;
}

bool namesSip(std::string_view line)
{
    constexpr std::string_view kSip = "sip/";
    const auto same = [](char of, char sip) { return toLower(of) == sip; };
    return std::search(line.begin(), line.end(), kSip.begin(), kSip.end(), same) != line.end();
}

bool namesType(std::string_view head)
{
    return !MessageText{head}.header("Content-Type").empty();
}

}  // namespace

void StreamFramer::add(std::string_view bytes)
{
    if (at_ > 0) {
        held_.erase(0, std::exchange(at_, 0));
    }
    held_.append(bytes);
}

void StreamFramer::skipEmptyLines()
{
    while (at_ < held_.size() && (held_[at_] == '\r' || held_[at_] == '\n')) {
        emptyLines_ += held_[at_] == '\n' ? 1U : 0U;
        ++at_;
    }
}

void StreamFramer::take(std::size_t bytes)
{
    at_ += bytes;
    searched_ = 0;
    whole_ = 0;
    namesSip_ = false;
    if (at_ == held_.size()) {
        // An idle connection holds nothing.
        std::string{}.swap(held_);
        at_ = 0;
    }
}

StreamFramer::Piece StreamFramer::next()
{
    if (searched_ == 0) {
        skipEmptyLines();
    }
    if (!isAmidst()) {
        take(0);
        const bool ping = emptyLines_ > 1;
        emptyLines_ = ping ? 0 : emptyLines_;
        return {ping ? Piece::Kind::Ping : Piece::Kind::More, {}, 0};
    }
    emptyLines_ = 0;
    const auto held = rest();
    // What is known of a message is not looked at again with each byte that comes.
    if (whole_ > 0) {
        return ofWhole();
    }
    if (!namesSip_) {
        const auto line = held.find('\n', searched_);
        namesSip_ = line != std::string_view::npos && namesSip(held.substr(0, line));
        if (!beginsMessage(held.front()) || (line != std::string_view::npos && !namesSip_)) {
            return {Piece::Kind::Junk, {}, 0};
        }
    }
    const auto head = endOfHead(held, searched_);
    if (head != std::string_view::npos) {
        return ofHead(head);
    }
    if (held.size() > largest_) {
        return {Piece::Kind::Refused, std::string{held}, 413};
    }
    // The end of a head may have begun with the last three bytes.
    searched_ = std::max<std::size_t>(held.size(), 4) - 3;
    return {};
}

StreamFramer::Piece StreamFramer::ofHead(std::size_t head)
{
    const auto held = rest();
    // Without a Content-Length there is no body (RFC 3261 section 20.14), unless its type is named:
    // a message must not be taken without what it says.
    const auto length = bodyLengthOf(held.substr(0, head));
    if (length.kind == BodyLength::Kind::Bad ||
        (length.kind == BodyLength::Kind::Absent && namesType(held.substr(0, head)))) {
        return {Piece::Kind::Refused, std::string{held.substr(0, head)}, 400};
    }
    if (head > largest_ || length.bytes > largest_ - head) {
        return {Piece::Kind::Refused, std::string{held.substr(0, head)}, 413};
    }
    whole_ = head + length.bytes;
    return ofWhole();
}

StreamFramer::Piece StreamFramer::ofWhole()
{
    const auto held = rest();
    if (held.size() < whole_) {
        return {};
    }
    Piece piece{Piece::Kind::Message, std::string{held.substr(0, whole_)}, 0};
    take(whole_);
    return piece;
}

}  // namespace restante::sip

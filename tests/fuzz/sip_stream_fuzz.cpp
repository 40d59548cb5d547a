#include "sipplugin/transport/message_text.h"
#include "tests/fuzz/fuzz.h"

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace restante;
using Kind = sip::StreamFramer::Piece::Kind;

constexpr std::size_t kLargest = 2'000;

bool isLast(Kind kind)
{
    return kind == Kind::Refused || kind == Kind::Junk;
}

/// What comes of a stream that is read in pieces of that size.
std::vector<std::pair<Kind, std::string>> piecesOf(std::string_view bytes, std::size_t read)
{
    std::vector<std::pair<Kind, std::string>> all;
    sip::StreamFramer framer{kLargest};
    for (std::size_t at = 0; at < bytes.size(); at += read) {
        framer.add(bytes.substr(at, read));
        for (auto piece = framer.next(); piece.kind != Kind::Incomplete; piece = framer.next()) {
            fuzz::require(piece.bytes.size() <= kLargest + read, "no piece is larger than allowed");
            if (piece.kind != Kind::Ping) {  // whose number depends on how they were read
                all.emplace_back(piece.kind, isLast(piece.kind) ? "" : piece.bytes);
            }
            if (isLast(piece.kind)) {
                return all;
            }
        }
    }
    return all;
}

void readMessage(const std::string& bytes)
{
    const sip::MessageText text{bytes};
    for (const auto& line : text.headers) {
        sip::isReadable(line);
        fuzz::require(line.value.find_first_of("\r\n") == std::string_view::npos,
                      "a header is one line");
    }
    if (const auto via = sip::parseVia(text.header("Via").value_or(""))) {
        fuzz::require(sip::parseVia(sip::withReceived(*via, "192.0.2.1", 5060)).has_value(),
                      "a Via with our notes is a Via");
    }
    sip::requestLineOf(text.startLine);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto bytes = fuzz::textOf(data, size);
    const auto whole = piecesOf(bytes, bytes.size() + 1);
    for (const auto& [kind, message] : whole) {
        readMessage(message);
    }
    if (bytes.size() <= kLargest) {
        fuzz::require(whole == piecesOf(bytes, 7), "reads do not matter");
    }
    return 0;
}

#include "sipplugin/transport/message_text.h"
#include "tests/support/thread_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace restante::sip {
namespace {

using Kind = StreamFramer::Piece::Kind;

constexpr std::size_t kLargest = 4'000;

std::string messageBytes(const std::string& lengthLine, const std::string& body = {})
{
    return "MESSAGE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1\r\n" + lengthLine +
           "\r\n" + body;
}

/// All that comes of these bytes, but for the last, which wants more.
std::vector<StreamFramer::Piece> piecesOf(StreamFramer& framer, const std::string& bytes)
{
    std::vector<StreamFramer::Piece> all;
    framer.add(bytes);
    while (true) {
        all.push_back(framer.next());
        if (all.back().kind == Kind::Incomplete) {
            all.pop_back();
            return all;
        }
        if (all.back().kind == Kind::Refused || all.back().kind == Kind::Junk) {
            return all;
        }
    }
}

StreamFramer::Piece onlyPieceOf(const std::string& bytes)
{
    StreamFramer framer{kLargest};
    auto all = piecesOf(framer, bytes);
    return all.size() == 1 ? all.front() : StreamFramer::Piece{};
}

TEST(StreamFramer, cutsWhatCameTogether)
{
    StreamFramer framer{kLargest};
    const auto one = messageBytes("Content-Length: 5\r\n", "hello");
    const auto other = messageBytes("l:0\r\n");
    const auto pieces = piecesOf(framer, one + other + one);
    ASSERT_EQ(pieces.size(), 3U);
    EXPECT_EQ(pieces[0].bytes, one);
    EXPECT_EQ(pieces[1].bytes, other);
    EXPECT_EQ(pieces[2].bytes, one);
    EXPECT_FALSE(framer.isMidMessage());
}

TEST(StreamFramer, putsTogetherWhatCameByteByByte)
{
    StreamFramer framer{kLargest};
    const auto whole = messageBytes("Content-Length: 5\r\n", "h\r\n\r\n");
    for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
        ASSERT_TRUE(piecesOf(framer, whole.substr(i, 1)).empty()) << i;
        ASSERT_TRUE(framer.isMidMessage());
    }
    const auto pieces = piecesOf(framer, whole.substr(whole.size() - 1));
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].bytes, whole);
}

TEST(StreamFramer, skipsEmptyLinesBeforeAMessage)
{
    for (const int lines : {1, 2, 50}) {
        std::string bytes;
        for (int i = 0; i < lines; ++i) {
            bytes += "\r\n";
        }
        const auto piece = onlyPieceOf(bytes + messageBytes("Content-Length: 0\r\n"));
        EXPECT_EQ(piece.kind, Kind::Message) << lines;
        EXPECT_EQ(piece.bytes, messageBytes("Content-Length: 0\r\n")) << lines;
    }
}

TEST(StreamFramer, tellsAKeepAlive)
{
    StreamFramer framer{kLargest};
    EXPECT_TRUE(piecesOf(framer, "\r\n").empty());
    EXPECT_EQ(piecesOf(framer, "\r\n").size(), 1U) << "in two pieces";
    EXPECT_EQ(piecesOf(framer, "\r\n\r\n").size(), 1U);
    EXPECT_FALSE(framer.isMidMessage());
}

TEST(StreamFramer, refusesALengthThatIsNone)
{
    for (const auto* length :
         {"-1", "x", "", "5 5", "5,5", "0x5", "4294967296", "1e3", "18446744073709551617", "+5"}) {
        const auto piece =
            onlyPieceOf(messageBytes(std::string{"Content-Length: "} + length + "\r\n"));
        EXPECT_EQ(piece.kind, Kind::Refused) << length;
        EXPECT_EQ(piece.status, 400) << length;
    }
}

TEST(StreamFramer, refusesTwoLengthsThatDiffer)
{
    EXPECT_EQ(onlyPieceOf(messageBytes("Content-Length: 5\r\nl: 6\r\n", "hello")).status, 400);
    EXPECT_EQ(onlyPieceOf(messageBytes("Content-Length: 5\r\nl: 5\r\n", "hello")).kind,
              Kind::Message);
}

TEST(StreamFramer, refusesABodyWithoutItsLength)
{
    EXPECT_EQ(onlyPieceOf(messageBytes("Content-Type: text/plain\r\n")).status, 400);
    EXPECT_EQ(onlyPieceOf(messageBytes("")).kind, Kind::Message);
}

TEST(StreamFramer, refusesWhatIsTooLargeBeforeItComes)
{
    for (const auto* length : {"4000", "2147483647", "2147483648", "4294967295"}) {
        const auto piece =
            onlyPieceOf(messageBytes(std::string{"Content-Length: "} + length + "\r\n", "x"));
        EXPECT_EQ(piece.kind, Kind::Refused) << length;
        EXPECT_EQ(piece.status, 413) << length;
        EXPECT_NE(piece.bytes.find("192.0.2.1"), std::string::npos) << "its Via, to answer by";
    }
}

TEST(StreamFramer, refusesAHeadThatDoesNotEnd)
{
    const auto head = messageBytes("").substr(0, 60);
    const auto piece = onlyPieceOf(head + std::string(kLargest, 'x'));
    EXPECT_EQ(piece.kind, Kind::Refused);
    EXPECT_EQ(piece.status, 413);
}

TEST(StreamFramer, looksAtAHeadOnceHoweverItsBodyDrips)
{
    constexpr std::size_t kBody = 45'000;
    StreamFramer framer{100'000};
    std::string head = "MESSAGE sip:bob@example.com SIP/2.0\r\n";
    for (int i = 0; i < 8'000; ++i) {
        head += "a: b\n";
    }
    framer.add(head + "Content-Length: " + std::to_string(kBody) + "\r\n\r\n");
    const auto begin = restante::test::threadTime();
    for (std::size_t i = 1; i < kBody; ++i) {
        framer.add("x");
        ASSERT_EQ(framer.next().kind, Kind::Incomplete);
    }
    EXPECT_LT(restante::test::threadTime() - begin, std::chrono::seconds{3})
        << "each byte costs what a byte costs";
    framer.add("x");
    EXPECT_EQ(framer.next().kind, Kind::Message);
}

TEST(StreamFramer, tellsJunkAtItsFirstLine)
{
    for (const auto& junk : {std::string{"GET / HTTP/1.1\r\n"}, std::string{"\x16\x03\x01"},
                             std::string{"\0\0", 2}, std::string{" MESSAGE"}}) {
        EXPECT_EQ(onlyPieceOf(junk).kind, Kind::Junk) << junk;
    }
}

}  // namespace
}  // namespace restante::sip

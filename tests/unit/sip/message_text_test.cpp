#include "sipplugin/transport/message_text.h"
#include "tests/support/thread_time.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace restante::sip {
namespace {

TEST(MessageText, readsHeadersAsTheyWereWritten)
{
    const std::string bytes = "MESSAGE sip:bob@example.com SIP/2.0\r\n"
                              "v: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1\r\n"
                              "Subject: one\r\n \t two\r\n"
                              "X-Empty:\r\n"
                              "i:  7@example.com \r\n\r\nbo\r\n\r\ndy";
    const MessageText text{bytes};
    ASSERT_EQ(text.headers.size(), 4U);
    EXPECT_EQ(text.headers[0].name, "Via");
    EXPECT_EQ(text.header("subject"), "one two");
    EXPECT_EQ(text.header("X-Empty"), "");
    EXPECT_EQ(text.header("Call-ID"), "7@example.com");
    EXPECT_EQ(text.body, "bo\r\n\r\ndy");
    EXPECT_FALSE(text.isResponse());
}

TEST(MessageText, survivesWhatHasNoEnd)
{
    for (const auto* bytes : {"", "\r\n", "MESSAGE", "MESSAGE\r\nVia", ":\r\n:", "a\n b\n c"}) {
        const std::string kept = bytes;
        const MessageText text{kept};
        EXPECT_EQ(text.body, "") << bytes;
    }
}

TEST(MessageText, isAResponseWhateverItsCase)
{
    for (const auto* line : {"SIP/2.0 200 OK", "sip/2.0 200 OK", "Sip/2.0 404 Gone"}) {
        EXPECT_TRUE(isResponse(line)) << line;
    }
    for (const auto* line : {"", "SIP", "SIPS/2.0 200", "MESSAGE sip:bob@example.com SIP/2.0"}) {
        EXPECT_FALSE(isResponse(line)) << line;
    }
}

TEST(StatusLine, isTakenApart)
{
    const auto read = statusLineOf("SIP/2.0 486 Busy Here");
    EXPECT_EQ(read.status, 486);
    EXPECT_EQ(read.phrase, "Busy Here");
    EXPECT_EQ(statusLineOf("SIP/2.0 200").phrase, "");
    EXPECT_EQ(statusLineOf("SIP/2.0").status, 0);
    EXPECT_EQ(statusLineOf("SIP/2.0 200 \xc3\xa4").phrase, "\xc3\xa4");
}

TEST(StatusLine, hasAPhraseOfOneLineWhateverThePeerWrote)
{
    const std::string bytes = "SIP/2.0 480 Gone\rX-Own: 1\r\n X-Two: 2\n\tX-Three: 3\r\n"
                              "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1\r\n\r\n";
    const auto phrase = statusLineOf(MessageText{bytes}.startLine).phrase;
    EXPECT_TRUE(phrase.starts_with("Gone X-Own: 1")) << phrase;
    EXPECT_EQ(phrase.find_first_of("\r\n\t"), std::string::npos);
}

TEST(StatusLine, hasAShortPhrase)
{
    EXPECT_EQ(statusLineOf("SIP/2.0 480 " + std::string(60'000, 'x')).phrase.size(), 256U);
    std::string wide;
    while (wide.size() < 1'000) {
        wide += "\xe2\x82\xac";
    }
    EXPECT_EQ(statusLineOf("SIP/2.0 480 " + wide).phrase, wide.substr(0, 255))
        << "a character is not cut";
}

TEST(ViaHeader, isTakenApart)
{
    const auto via = parseVia("SIP / 2.0 / udp [2001:db8::9] : 5070 ;rport ; branch = "
                              "z9hG4bKx;x=\"a;b,c\", SIP/2.0/TCP 10.0.0.1");
    ASSERT_TRUE(via);
    EXPECT_EQ(via->transport, "udp");
    EXPECT_EQ(via->host, "2001:db8::9");
    EXPECT_EQ(via->port, 5070);
    EXPECT_EQ(via->branch, "z9hG4bKx");
    EXPECT_TRUE(via->asksForPort);
    EXPECT_EQ(via->otherElements, ", SIP/2.0/TCP 10.0.0.1");
}

TEST(ViaHeader, namesAnIpv6AddressInOneWay)
{
    for (const auto* host : {"2001:DB8::9", "2001:db8:0:0:0:0:0:9", "2001:0db8::0009"}) {
        const auto value = "SIP/2.0/UDP [" + std::string{host} + "]:5070;branch=z9hG4bK1";
        const auto via = parseVia(value);
        ASSERT_TRUE(via) << host;
        EXPECT_EQ(via->host, "2001:db8::9") << host;
        EXPECT_EQ(withReceived(*via, "2001:db8::9", 40'000), value) << "it is where it says";
        EXPECT_NE(withReceived(*via, "2001:db8::a", 40'000), value);
    }
    EXPECT_EQ(parseVia("SIP/2.0/UDP [nothing]")->host, "nothing");
}

TEST(ViaHeader, isRefusedWhenItIsNone)
{
    for (const auto* value :
         {"", "SIP", "SIP/2.0", "SIP/2.0/UDP", "SIP/2.0/UDP ", "SIP/2.0/UDP a b",
          "SIP/2.0/UDP [::1", "SIP/2.0/UDP a:99999", "SIP/2.0/UDP a:b", "//UDP a",
          "SIP/2.0/\"UDP a", "\"SIP/2.0/UDP a", "SIP/2.0/UDP \"a", "SIP/2.0/UDP a;b=\"c",
          "SIP/2.0/UDP a;b=\"c\\\""}) {
        EXPECT_FALSE(parseVia(value)) << value;
    }
}

TEST(ViaHeader, notesWhereTheRequestCameFrom)
{
    const auto noteOf = [](const char* value) {
        return withReceived(*parseVia(value), "192.0.2.7", 40'000);
    };
    EXPECT_EQ(
        noteOf("SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK1;rport, SIP/2.0/UDP a"),
        "SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK1;rport=40000;received=192.0.2.7, SIP/2.0/UDP a");
    EXPECT_EQ(noteOf("SIP/2.0/UDP 192.0.2.7;branch=z9hG4bK1"),
              "SIP/2.0/UDP 192.0.2.7;branch=z9hG4bK1");
    EXPECT_EQ(noteOf("SIP/2.0/UDP a;received=198.51.100.1"), "SIP/2.0/UDP a;received=192.0.2.7")
        << "what the sender claims is nothing";
}

TEST(Readable, isWhatAPhoneCanRead)
{
    EXPECT_TRUE(isReadable({"Contact", "<sip:a@b>;expires=60"}));
    EXPECT_TRUE(isReadable({"X-Own", "any thing"}));
    EXPECT_FALSE(isReadable({"CSeq", "MESSAGE"}));
    EXPECT_FALSE(isReadable({"From", "\"a"}));
}

TEST(Plain, isNearlyEveryLineOfAMessage)
{
    for (const HeaderLine& line :
         {HeaderLine{"Via", "SIP/2.0/UDP 192.0.2.7:5060;branch=z9hG4bK-1.a;rport=40000"},
          {"Via", "SIP/2.0/TCP proxy.example.com;branch=z9hG4bK776asdhds"},
          {"Max-Forwards", "70"},
          {"From", "\"Alice A.\" <sip:alice@example.com>;tag=1928301774"},
          {"From", "Alice <sip:alice@192.0.2.1:5070;transport=tcp>;tag=a"},
          {"To", "<sip:bob@example.com>"},
          {"Call-ID", "a84b4c76e66710@pc33.example.com"},
          {"CSeq", "314159 MESSAGE"},
          {"Content-Type", "text/plain;charset=UTF-8"},
          {"Content-Length", "142"}}) {
        EXPECT_TRUE(isSurelyReadable(line)) << line.value;
        EXPECT_TRUE(isReadByParser(line)) << line.value;
    }
}

TEST(Plain, isNothingThatTheParserRefuses)
{
    constexpr auto kPieces = std::to_array<std::string_view>({"SIP/2.0/UDP ",
                                                              "sip:",
                                                              "<",
                                                              "<sip:",
                                                              ">",
                                                              "@",
                                                              "a",
                                                              "A-b",
                                                              "1",
                                                              "0",
                                                              "256",
                                                              "192.0.2.1",
                                                              "example.com",
                                                              "1.2.3",
                                                              "a.1",
                                                              ".",
                                                              "..",
                                                              "-",
                                                              "_",
                                                              ":",
                                                              ":5060",
                                                              ":0",
                                                              ":65536",
                                                              ";",
                                                              ";a",
                                                              ";a=b",
                                                              ";tag=1",
                                                              ";branch=z9hG4bK",
                                                              ";rport",
                                                              "=",
                                                              "\"",
                                                              "\"b\" ",
                                                              "b ",
                                                              " ",
                                                              "/",
                                                              "text/plain",
                                                              "70",
                                                              "4294967296",
                                                              "999999999",
                                                              "MESSAGE",
                                                              " MESSAGE",
                                                              ",",
                                                              "%41",
                                                              "\\",
                                                              "[::1]",
                                                              "?",
                                                              "*",
                                                              "\t",
                                                              ";ttl=1",
                                                              ";q=2",
                                                              ";expires=x",
                                                              ";lr"});
    constexpr auto kNames =
        std::to_array<std::string_view>({"Via", "Max-Forwards", "From", "To", "Call-ID", "CSeq",
                                         "Content-Type", "Content-Length", "Expires"});
    std::mt19937 random{20'261'124};
    const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
    // A front that can become something plain, or most of the lines were refused at once.
    const auto frontOf = [](std::string_view name) -> std::string {
        return name == "Via"                    ? "SIP/2.0/UDP a"
               : name == "From" || name == "To" ? "<sip:a@b"
               : name == "Content-Type"         ? "a/b"
               : name == "CSeq"                 ? "1 MESSAGE"
                                                : "1";
    };
    std::size_t plain = 0;
    for (int i = 0; i < 200'000; ++i) {
        const auto name = pick(kNames);
        auto text = random() % 2 == 0 ? frontOf(name) : std::string{};
        for (auto pieces = random() % 6; pieces > 0; --pieces) {
            text += pick(kPieces);
        }
        const HeaderLine line{name, text};
        if (isSurelyReadable(line)) {
            ++plain;
            ASSERT_TRUE(isReadByParser(line)) << name << ": " << text;
        }
    }
    EXPECT_GT(plain, 5'000U);
}

std::string listOf(std::size_t count, std::string_view one)
{
    std::string list{one};
    for (std::size_t i = 1; i < count; ++i) {
        list.append(",").append(one);
    }
    return list;
}

TEST(Readable, isAListOfAsManyValuesAsARouteMayHave)
{
    for (const auto& [name, one] :
         {std::pair{"Via", "SIP/2.0/UDP proxy.example.com;branch=z9hG4bK1"},
          {"Record-Route", "<sip:proxy.example.com;lr>"},
          {"Call-Info", "<sip:a@example.com>"},
          {"Supported", "path"}}) {
        const auto longest = listOf(kMostListedValues, one);
        EXPECT_TRUE(isReadable({name, longest})) << name;
        EXPECT_FALSE(listsTooManyValues({name, longest})) << name;
        const auto longer = listOf(kMostListedValues + 1, one);
        EXPECT_FALSE(isReadable({name, longer})) << name;
        EXPECT_TRUE(listsTooManyValues({name, longer})) << name;
    }
}

TEST(Readable, isTextWithManyCommas)
{
    const auto text = listOf(5'000, "well");
    for (const auto* name : {"Subject", "User-Agent", "Organization", "Identity", "X-Own"}) {
        EXPECT_TRUE(isReadable({name, text})) << name;
    }
}

TEST(Readable, isToldInTimeWhateverIsListed)
{
    for (const auto* name : {"Call-Info", "Privacy", "Accept-Contact", "Reject-Contact", "Contact",
                             "Accept", "Accept-Language", "Reason", "Route", "Via", "Allow"}) {
        for (const auto* one : {"a", "", "<sip:a@b>", "a;b", "SIP/2.0/UDP a"}) {
            const auto list = listOf(45'000, one);
            const auto begun = restante::test::threadTime();
            EXPECT_FALSE(isReadable({name, list})) << name << ": " << one;
            EXPECT_LT(restante::test::threadTime() - begun, std::chrono::milliseconds{20})
                << name << ": " << one;
        }
    }
}

}  // namespace
}  // namespace restante::sip

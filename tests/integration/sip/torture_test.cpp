#include "core/base/handle_deleter.h"
#include "sipplugin/message/sip_message_codec.h"
#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/file_content.h"
#include "tests/support/process.h"

#include <gtest/gtest.h>
#include <sofia-sip/msg.h>
#include <sofia-sip/msg_addr.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_parser.h>
#include <sofia-sip/sip_util.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <ostream>

namespace restante::sip::test {
namespace {

namespace fs = std::filesystem;

/// The messages of RFC 4475 and RFC 5118.
fs::path tortureDirectory()
{
    return restante::test::sourceDirectory() / "tests/data/sip-torture";
}

std::vector<fs::path> tortureFiles()
{
    std::vector<fs::path> files;
    std::error_code missing;
    for (const auto& entry : fs::recursive_directory_iterator{tortureDirectory(), missing}) {
        if (entry.path().extension() == ".dat") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// Puts our Via on top, so that the answer comes to us.
std::string viaUs(std::string message, const SipSocket& socket)
{
    const auto line = message.find("\r\n");
    return message.insert(
        line + 2,
        fmt::format("Via: {}\r\n", socket.via("z9hG4bK" + restante::test::uniqueToken())));
}

/// Whether sofia, and so most phones, would understand what we shall deliver.
bool deliverable(const Job& job)
{
    const auto wire = outgoingMessageOf(job, 1, "sip:restante@example.com");
    SipText text;
    text.startLine = "MESSAGE " + job.recipient + " SIP/2.0";
    text.headers = {{"Via", "SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1"},
                    {"From", wire.from},
                    {"To", wire.to},
                    {"Call-ID", wire.callId},
                    {"CSeq", std::to_string(wire.cseq) + " MESSAGE"}};
    text.headers.insert(text.headers.end(), wire.headers.begin(), wire.headers.end());
    if (!wire.contentType.empty()) {
        text.headers.emplace_back("Content-Type", wire.contentType);
    }
    text.body = wire.body;
    const auto bytes = text.toString();
    const std::unique_ptr<msg_t, HandleDeleter<msg_destroy>> parsed{
        msg_make(sip_default_mclass(), 0, bytes.data(), static_cast<ssize_t>(bytes.size()))};
    const auto* sip = sip_object(parsed.get());
    return sip != nullptr && sip->sip_request != nullptr && sip->sip_error == nullptr &&
           sip_sanity_check(sip) == 0;
}

struct Torture {
    fs::path file;
    SipTransport transport;
};

std::vector<Torture> tortures()
{
    std::vector<Torture> all;
    for (const auto& file : tortureFiles()) {
        all.push_back({file, SipTransport::Udp});
        all.push_back({file, SipTransport::Tcp});
    }
    return all;
}

std::string titleOf(const Torture& torture)
{
    auto title = torture.file.parent_path().filename().string() + "_" +
                 torture.file.stem().string() +
                 (torture.transport == SipTransport::Udp ? "_udp" : "_tcp");
    std::ranges::replace_if(
        title, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return title;
}

void PrintTo(const Torture& torture, std::ostream* out)
{
    *out << titleOf(torture);
}

class TortureMessage : public ::testing::TestWithParam<Torture> {
protected:
    static SipSettings settings()
    {
        auto all = InboundServer::defaults();
        all.domain = {"example.com",
                      "example.net",
                      "example.org",
                      "company.com",
                      "host5.example.net",
                      "one.example.com",
                      "chair-dnrc.example.com",
                      "registrar.example.com",
                      "vivekg.example.com",
                      "gk.example.com",
                      "t-desk.example.com",
                      "[2001:db8::10]",
                      "[2001:db8::9:1]",
                      "[2001:db8::1]"};
        return all;
    }
    /// Not for responses, nor over TCP while sofia waits for more: for what Content-Length
    /// promises, and after a NUL in a header, which it takes for the end of what has come.
    static bool answerIsDue(const std::string& content)
    {
        const bool waitsForMore =
            GetParam().file.stem() == "clerr" ||
            content.substr(0, content.find("\r\n\r\n")).find('\0') != std::string::npos;
        return !content.starts_with("SIP/") &&
               !(GetParam().transport == SipTransport::Tcp && waitsForMore);
    }

    InboundServer server_{settings()};
};

TEST_P(TortureMessage, isAnsweredAndStoredOnlyIfDeliverable)
{
    const auto content = restante::test::contentOf(GetParam().file);
    ASSERT_FALSE(content.empty());
    SipSocket socket{server_.at(GetParam().transport)};
    ASSERT_TRUE(socket.send(viaUs(content, socket)));
    const auto answer = socket.receive(Millis{1'000});
    if (answerIsDue(content)) {
        ASSERT_TRUE(answer);
        EXPECT_GE(answer->message.status(), 200);
    }
    for (const auto& job : server_.stored()) {
        EXPECT_TRUE(deliverable(job));
    }
    SipSocket other{server_.at(SipTransport::Udp)};
    EXPECT_EQ(ask(other, requestOf(other, "OPTIONS", "sip:example.com")).status(), 200);
}

INSTANTIATE_TEST_SUITE_P(Rfc, TortureMessage, ::testing::ValuesIn(tortures()), [](const auto& one) {
    return titleOf(one.param);
});

}  // namespace
}  // namespace restante::sip::test

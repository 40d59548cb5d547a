#include "sipplugin/trace/message_tracer.h"
#include "tests/support/file_content.h"
#include "tests/support/pcap_file.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/resource.h>

namespace restante::sip {
namespace {

using restante::test::contentOf;
using restante::test::packetsOf;
using restante::test::TempDir;

class Tracer : public ::testing::Test {
protected:
    std::unique_ptr<MessageTracer> open(std::vector<std::string> only = {})
    {
        auto opened = MessageTracer::open({"pcap:" + file_, std::move(only), 1});
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? std::move(*opened) : nullptr;
    }
    static void trace(MessageTracer& tracer, const std::string& bytes)
    {
        tracer.trace({std::chrono::system_clock::now(),
                      {Transport::Udp, "192.0.2.1", 5070},
                      {Transport::Udp, "192.0.2.2", 5060},
                      bytes,
                      "a@b"});
    }

    TempDir directory_;
    std::string file_ = directory_ / "trace.pcap";
};

TEST_F(Tracer, beginsANewFileWhenTheOldOneIsFull)
{
    const auto tracer = open();
    const std::string bytes(50'000, 'x');
    for (int i = 0; i < 25; ++i) {
        trace(*tracer, bytes);
    }
    // 1,000,000 bytes hold 19 of them with their headers.
    EXPECT_EQ(packetsOf(file_ + ".1").size(), 19U);
    EXPECT_EQ(packetsOf(file_).size(), 6U);
}

/// As long as it lives this process can write no byte to a file. (A limit to the number of open
/// files would also stop the sanitizers, which open pipes of their own.)
class NoSpace {
public:
    NoSpace() : signal_(std::signal(SIGXFSZ, SIG_IGN))
    {
        EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
        const rlimit none{0, before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    }
    NoSpace(const NoSpace&) = delete;
    NoSpace& operator=(const NoSpace&) = delete;
    ~NoSpace()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }

private:
    sighandler_t signal_;
    rlimit before_{};
};

TEST_F(Tracer, goesOnWhenANewFileCouldNotBeMadeForATime)
{
    const auto tracer = open();
    const std::string bytes(50'000, 'x');
    for (int i = 0; i < 19; ++i) {
        trace(*tracer, bytes);
    }
    {
        const NoSpace none;
        trace(*tracer, bytes);
        trace(*tracer, bytes);
    }
    EXPECT_EQ(packetsOf(file_ + ".1").size(), 19U);
    trace(*tracer, "later");
    ASSERT_TRUE(std::filesystem::exists(file_));
    ASSERT_EQ(packetsOf(file_).size(), 1U);
    EXPECT_EQ(packetsOf(file_).front().bytes, "later");
}

TEST_F(Tracer, doesNotGoOverItsLimitWhenTheOldFileCannotBeMovedAway)
{
    std::filesystem::create_directories(std::filesystem::path(file_ + ".1") / "in the way");
    const auto tracer = open();
    const std::string bytes(50'000, 'x');
    for (int i = 0; i < 25; ++i) {
        trace(*tracer, bytes);
    }
    EXPECT_EQ(packetsOf(file_).size(), 19U);
}

TEST_F(Tracer, beginsANewFileWhenTheFullOneWasMovedAway)
{
    const auto tracer = open();
    const std::string bytes(50'000, 'x');
    for (int i = 0; i < 19; ++i) {
        trace(*tracer, bytes);
    }
    const auto kept = directory_ / "kept.pcap";
    std::filesystem::rename(file_, kept);
    trace(*tracer, "later");
    EXPECT_EQ(packetsOf(kept).size(), 20U) << "it is still open";
    trace(*tracer, bytes);
    ASSERT_TRUE(std::filesystem::exists(file_));
    ASSERT_EQ(packetsOf(file_).size(), 1U);
    EXPECT_EQ(packetsOf(file_).front().bytes, bytes);
    EXPECT_EQ(packetsOf(kept).size(), 20U);
    EXPECT_FALSE(std::filesystem::exists(file_ + ".1"));
}

TEST_F(Tracer, goesOnWithTheFileOfAnEarlierRun)
{
    trace(*open(), "one");
    const auto header = contentOf(file_).substr(0, 24);
    trace(*open(), "two");
    ASSERT_EQ(packetsOf(file_).size(), 2U);
    EXPECT_EQ(packetsOf(file_).back().bytes, "two");
    EXPECT_EQ(contentOf(file_).find(header, 1), std::string::npos);
}

TEST_F(Tracer, wantsThoseWhoAreNamedHoweverTheyAreWritten)
{
    const auto some = open({"sip:bob@example.org"});
    EXPECT_TRUE(some->wants("sip:alice@example.org", "sips:bob@EXAMPLE.org:5061;x=y"));
    EXPECT_TRUE(some->wants("sip:bob@example.org", ""));
    EXPECT_FALSE(some->wants("sip:alice@example.org", "sip:carol@example.org"));
    EXPECT_FALSE(some->wants("nonsense", "sip:"));
    EXPECT_TRUE(open()->wants("nonsense", ""));
}

TEST_F(Tracer, refusesWhatIsNoPlaceAndWhoIsNobody)
{
    EXPECT_FALSE(MessageTracer::open({"file:/x", {}, 1}));
    EXPECT_FALSE(MessageTracer::open({"hep:udp:homer.example:9060", {}, 1}));
    EXPECT_FALSE(MessageTracer::open({"pcap:" + file_, {"bob"}, 1}));
    EXPECT_EQ(MessageTracer::open({"", {"bob"}, 1}).value(), nullptr);
}

}  // namespace
}  // namespace restante::sip

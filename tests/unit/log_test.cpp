#include "core/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::log {

namespace {
/// What is written to standard error while `write` runs, in `format`.
template <class Write>
std::string written(Format format, const Write& write)
{
    setFormat(format);
    testing::internal::CaptureStderr();
    write();
    auto text = testing::internal::GetCapturedStderr();
    setFormat(Format::Text);
    return text;
}
}  // namespace

TEST(Log, isOneLineWhateverAPeerPutIntoIt)
{
    const auto text = written(Format::Text, [] { warning("sip", "from {}", "a\r\nb\tc"); });
    EXPECT_THAT(text, testing::EndsWith(" warning sip: from a  b c\n"));
}

TEST(Log, isOneObjectALineAsJson)
{
    const auto text = written(Format::Json, [] { error("redis", R"(he said "no\way")"); });
    EXPECT_THAT(text, testing::MatchesRegex(R"(\{"time":"[^"]+","level":"error","part":"redis",)"
                                            R"("message":"he said \\"no\\\\way\\""\}.)"));
}

TEST(Log, leavesUtf8AsItIs)
{
    const auto text = written(Format::Json, [] { info("sms", "M\xc3\xbcller"); });
    EXPECT_THAT(text, testing::HasSubstr("M\xc3\xbcller"));
}

TEST(Log, staysJsonWhenAPeerSendsBrokenText)
{
    const auto text = written(Format::Json, [] { info("http", "{}", "a\xff\n\xc3"); });
    EXPECT_THAT(text, testing::HasSubstr(R"("message":"a\u00ff \u00c3")"));
}

}  // namespace restante::log

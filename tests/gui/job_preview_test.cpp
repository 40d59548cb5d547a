// The text of a job in one line.

#include "gui/session/job_preview.h"
#include "gui/session/jobs_view.h"

#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

QString preview(std::string_view type, std::string_view body, std::uint64_t whole = 0)
{
    Job job;
    job.contentType = type;
    job.body = body;
    return previewOf(job, whole == 0 ? body.size() : whole);
}

TEST(JobPreview, isPlainTextInOneLine)
{
    EXPECT_EQ(preview("text/plain", "  Hello\r\n\tthere,\x07 you "),
              QStringLiteral("Hello there, you"));
    EXPECT_EQ(preview("text/plain;charset=iso-8859-1", "Caf\xe9"), QStringLiteral("Café"));
    EXPECT_EQ(preview("text/plain", ""), QString());
}

TEST(JobPreview, isTheTextInsideACpim)
{
    EXPECT_EQ(preview("message/cpim", "From: <im:a@b>\r\n\r\nContent-Type: text/plain\r\n\r\nHi"),
              QStringLiteral("Hi"));
}

TEST(JobPreview, namesWhatElseAMultipartHas)
{
    EXPECT_EQ(preview("multipart/mixed; boundary=x",
                      "--x\r\nContent-Type: text/plain\r\n\r\nLook!\r\n"
                      "--x\r\nContent-Type: image/jpeg; name=photo.jpg\r\n\r\nJFIF\r\n--x--"),
              QStringLiteral("Look! [photo.jpg]"));
    EXPECT_EQ(preview("multipart/alternative; boundary=x",
                      "--x\r\nContent-Type: text/plain\r\n\r\nLook!\r\n"
                      "--x\r\nContent-Type: text/html\r\n\r\n<b>Look!</b>\r\n--x--"),
              QStringLiteral("Look!"));
    EXPECT_EQ(preview("image/png", "\x89PNG"), QStringLiteral("[image/png]"));
}

TEST(JobPreview, hasNoTagsAndStaysText)
{
    EXPECT_EQ(preview("text/html", "<p>a &lt;b&gt;</p><br>c"), QStringLiteral("a &lt;b&gt; c"));
    EXPECT_EQ(preview("text/plain", "<b>x</b>"), QStringLiteral("<b>x</b>"));
}

TEST(JobPreview, saysThatThereIsMore)
{
    EXPECT_EQ(preview("text/plain", "Caf\xc3", 900), QStringLiteral("Caf…"));
    EXPECT_LE(preview("text/plain", std::string(5'000, 'x')).size(), 301);
}

TEST(JobPreview, standsInTheRowOfAJobWithItsWholeSize)
{
    JobView view;
    view.job.body = "{\"a\":\n 1}";
    const auto row = rowOf(view, 70'000);
    EXPECT_EQ(row.size, 70'000U);
    EXPECT_EQ(row.text, QStringLiteral("{\"a\": 1}…"));
}

}  // namespace
}  // namespace restante::gui::test

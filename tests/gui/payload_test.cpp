// Bodies of jobs: whatever is in them, they are shown, searched and saved.

#include "gui/pages/detail/payload_document.h"
#include "gui/pages/detail/payload_tab.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/detail_fixture.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/wait.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>
#include <QToolButton>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using Direction = PayloadDocument::Direction;

Job bodyOf(const std::string& body, const std::string& type = "text/plain")
{
    Job job;
    job.id = "b";
    job.body = body;
    job.contentType = type;
    return job;
}

PayloadDocument documentOf(const Job& job, PayloadForm form, PayloadLimits limits = {})
{
    return PayloadDocument(job, form, limits);
}

/// What a hit selects.
QString foundIn(const PayloadDocument& document, const PayloadDocument::Hit& hit)
{
    return document.chunk(hit.chunk).mid(hit.begin, hit.end - hit.begin);
}

TEST(PayloadTraits, chooseHexForWhatIsNotText)
{
    EXPECT_EQ(traitsOf(bodyOf(std::string("a\0b", 3))).bestForm, PayloadForm::Hex);
    EXPECT_EQ(traitsOf(bodyOf("\xff\xfe\xfd")).bestForm, PayloadForm::Hex);
    EXPECT_FALSE(traitsOf(bodyOf("\xc3")).readable);
}

TEST(PayloadTraits, chooseTheFormThatFits)
{
    EXPECT_EQ(traitsOf(bodyOf("{\"a\":1}", "")).bestForm, PayloadForm::Json);
    EXPECT_EQ(traitsOf(bodyOf("{broken", "")).bestForm, PayloadForm::Text);
    EXPECT_EQ(traitsOf(bodyOf("{broken", "application/problem+json")).bestForm, PayloadForm::Json);
    auto sip = bodyOf("hello");
    sip.channel = Channel::Sip;
    EXPECT_EQ(traitsOf(sip).bestForm, PayloadForm::Sip);
}

TEST(PayloadTraits, readACharset)
{
    const auto latin = bodyOf("caf\xe9", "text/plain; charset=\"iso-8859-1\"");
    EXPECT_TRUE(traitsOf(latin).readable);
    EXPECT_EQ(documentOf(latin, PayloadForm::Text).chunk(0), QStringLiteral("café"));
}

TEST(PayloadJson, isIndentedAndNoTokenChanged)
{
    const auto text = indentJson(
        QStringLiteral(R"({"b":1.50,"a":[ ],"b":"x\"{,}","n":{"k":[1,123456789012345678901]}})"));
    EXPECT_EQ(text, QStringLiteral("{\n  \"b\": 1.50,\n  \"a\": [],\n  \"b\": \"x\\\"{,}\",\n"
                                   "  \"n\": {\n    \"k\": [\n      1,\n"
                                   "      123456789012345678901\n    ]\n  }\n}"));
}

TEST(PayloadJson, saysWhereItIsBroken)
{
    const auto document = documentOf(bodyOf("{\"a\":}", "application/json"), PayloadForm::Json);
    EXPECT_EQ(document.chunk(0), QStringLiteral("{\"a\":}"));
    EXPECT_TRUE(document.notices().join(u' ').contains(QStringLiteral("not JSON")));
}

TEST(PayloadJson, ofAMillionBracketsStaysSmall)
{
    std::string deep(300'000, '[');
    EXPECT_LT(
        documentOf(bodyOf(deep + std::string(300'000, ']'), "application/json"), PayloadForm::Json)
            .fullText()
            .size(),
        1'000'000);
    std::string wide = std::string(500, '[');
    for (int i = 0; i < 20'000; ++i) {
        wide += "1,";
    }
    wide += "1" + std::string(500, ']');
    EXPECT_LT(documentOf(bodyOf(wide, "application/json"), PayloadForm::Json).fullText().size(),
              3'000'000);
}

TEST(PayloadText, breaksLongLinesAndSaysSo)
{
    PayloadLimits limits;
    limits.line = 10;
    const auto document =
        documentOf(bodyOf("0123456789abcdefghij\nshort"), PayloadForm::Text, limits);
    EXPECT_EQ(document.chunk(0), QStringLiteral("0123456789↩\nabcdefghij\nshort"));
    EXPECT_FALSE(document.notices().isEmpty());
    EXPECT_EQ(document.fullText(), QStringLiteral("0123456789abcdefghij\nshort"));
}

TEST(PayloadText, neverCutsACharacterInTwo)
{
    PayloadLimits limits;
    limits.line = 3;
    limits.chunkSize = 7;
    QString smiles;
    for (int i = 0; i < 20; ++i) {
        smiles += QStringLiteral("😀");
    }
    const auto document = documentOf(bodyOf(smiles.toStdString()), PayloadForm::Text, limits);
    for (int chunk = 0; chunk < document.chunkCount(); ++chunk) {
        EXPECT_TRUE(document.chunk(chunk).isValidUtf16()) << chunk;
    }
}

TEST(PayloadText, showsControlCharactersAsSymbols)
{
    const auto document = documentOf(bodyOf("a\x1b[31m\xe2\x80\xae"
                                            "evil"),
                                     PayloadForm::Text);
    EXPECT_EQ(document.chunk(0), QStringLiteral("a␛[31m␦evil"));
}

TEST(PayloadFind, goesOnRoundTheEndInBothDirections)
{
    PayloadLimits limits;
    limits.line = 5;
    limits.chunkSize = 8;
    const auto document = documentOf(bodyOf("needle....\r\n..NEEDLE.."), PayloadForm::Text, limits);
    const PayloadDocument::Search forward{QStringLiteral("needle")};
    PayloadDocument::Hit from;
    const auto first = document.find(forward, from);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->chunk, 0);
    const auto second = document.find(forward, *first);
    ASSERT_TRUE(second);
    EXPECT_GT(second->chunk, 0);
    const auto third = document.find(forward, *second);
    ASSERT_TRUE(third);
    EXPECT_EQ(third->begin, first->begin);
    const auto back = document.find({QStringLiteral("needle"), Direction::Backward}, *first);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->chunk, second->chunk);
    EXPECT_FALSE(document.find({QStringLiteral("haystack")}, from));
    EXPECT_FALSE(
        document.find({QStringLiteral("Needle"), Direction::Forward, Qt::CaseSensitive}, from));
}

TEST(PayloadFind, selectsWhatWasSoughtBehindBrokenLines)
{
    PayloadLimits limits;
    limits.line = 10;
    // Appended: GCC 12 warns of the sum when it inlines it.
    std::string body(25, 'x');
    body.append("abc");
    const auto document = documentOf(bodyOf(body), PayloadForm::Text, limits);
    const auto hit = document.find({QStringLiteral("abc")}, {});
    ASSERT_TRUE(hit);
    EXPECT_EQ(foundIn(document, *hit), QStringLiteral("abc"));
}

TEST(PayloadHex, findsBytesAndText)
{
    const auto document =
        documentOf(bodyOf(std::string("0123456789abcdef\r\nxyz\0", 22)), PayloadForm::Hex);
    const auto bytes = document.find({QStringLiteral("0d 0a")}, {});
    ASSERT_TRUE(bytes);
    EXPECT_EQ(foundIn(document, *bytes), QStringLiteral("0d 0a"));
    const auto again = document.find({QStringLiteral("0x0D0A")}, *bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->begin, bytes->begin) << "the only place there is";
    const auto text = document.find({QStringLiteral("xyz")}, *bytes);
    ASSERT_TRUE(text);
    EXPECT_EQ(foundIn(document, *text), QStringLiteral("78 79 7a"));
    EXPECT_TRUE(document.chunk(0).startsWith(QStringLiteral(
        "00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef\n")));
}

TEST(PayloadHex, hasTheRightOffsetInEachChunk)
{
    PayloadLimits limits;
    limits.chunkSize = 128;
    std::string body(100, 'a');
    body.append("needle");
    const auto document = documentOf(bodyOf(body), PayloadForm::Hex, limits);
    EXPECT_EQ(document.chunkCount(), 4);
    EXPECT_TRUE(document.chunk(3).startsWith(QStringLiteral("00000060")));
    const auto hit = document.find({QStringLiteral("needle")}, {});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->chunk, 3);
    EXPECT_EQ(foundIn(document, *hit), QStringLiteral("6e 65 65 64  6c 65"));
}

TEST(PayloadRaw, showsEveryByteInAscii)
{
    EXPECT_EQ(documentOf(bodyOf(std::string("a\r\n\0\xe9z", 6)), PayloadForm::Raw).chunk(0),
              QStringLiteral("a\\r\\n\n\\x00\\xe9z"));
}

using PayloadTabTest = DetailFixture;
using LargePayload = DetailFixture;

TEST_F(PayloadTabTest, showsTheMessage)
{
    detail->showTab(JobDetail::Tab::Payload);
    show(message("m-1"));
    const auto text = ui().payloadText()->toPlainText();
    EXPECT_TRUE(text.startsWith(QStringLiteral("MESSAGE sip:bob@example.org SIP/2.0\n")));
    EXPECT_TRUE(text.contains(QStringLiteral("Call-ID: call-17@host\n")));
    EXPECT_TRUE(text.endsWith(QStringLiteral("\n\nDinner at eight?")));
    EXPECT_EQ(unnamedWidgets(*detail), QStringList());
    picture("detail-payload-sip");
}

TEST_F(PayloadTabTest, showsNoCallIdThatTheMessageWillNotHave)
{
    detail->showTab(JobDetail::Tab::Payload);
    auto spaced = message("m-1");
    spaced.job.bizKey = "invoice 4711";
    auto reminder = message("m-2");  // as a reminder: it did not come as a MESSAGE
    reminder.job.headers.clear();
    for (const auto& view : {spaced, reminder}) {
        show(view);
        EXPECT_FALSE(ui().payloadText()->toPlainText().contains(QStringLiteral("Call-ID")));
    }
}

TEST(PayloadText, nulAndBrokenUtf8GoToHex)
{
    for (const auto& body :
         {std::string("a\0b", 3), std::string("\xc3\x28"), std::string("\xff")}) {
        const auto traits = traitsOf(bodyOf(body));
        EXPECT_EQ(traits.bestForm, PayloadForm::Hex);
        for (const auto form : {PayloadForm::Sip, PayloadForm::Json, PayloadForm::Text,
                                PayloadForm::Hex, PayloadForm::Raw}) {
            EXPECT_FALSE(documentOf(bodyOf(body), form).chunk(0).isEmpty());
        }
    }
}

TEST_F(LargePayload, opensAMebibyteWithoutALineBreak)
{
    detail->showTab(JobDetail::Tab::Payload);
    auto view = message("m-1");
    view.job.channel = Channel::Pull;
    view.job.body = std::string(1'048'576, 'x');
    show(message("m-0"));
    fake->jobs.push_back(view);
    detail->showJob("m-1");
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return ui().payloadText()->toPlainText().startsWith(u'x'); }));
    turn();
    // A generous bound of what is tested: laid out as one line it takes a minute and a half.
    EXPECT_LT(since.elapsed(), 500 * 20);
    RecordProperty("milliseconds", static_cast<int>(since.elapsed()));
    auto* notices = ui().payloadNotices();
    EXPECT_TRUE(notices->isVisible());
    EXPECT_TRUE(notices->text().contains(QStringLiteral("parts")));
    picture("detail-payload-long");
}

TEST_F(LargePayload, offersToSaveTenMebibytesAndSavesThemExactly)
{
    detail->showTab(JobDetail::Tab::Payload);
    auto view = message("m-1");
    view.job.channel = Channel::Pull;
    view.job.body = std::string(10 * 1'048'576, 'y');
    view.job.body[5] = '\0';
    show(view);
    auto* save = ui().savePayload();
    ASSERT_TRUE(save->isEnabled() && save->isVisible());
    save->click();
    auto* dialog = ui().savePayloadDialog();
    EXPECT_TRUE(dialog->isVisible());
    dialog->reject();
    const auto path = home.filePath(QStringLiteral("body"));
    ui().payload()->saveTo(path);
    ASSERT_TRUE(until([&] { return QFile::exists(path); }));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().toStdString(), view.job.body);
}

TEST_F(LargePayload, goesToHexForNul)
{
    detail->showTab(JobDetail::Tab::Payload);
    auto view = message("m-1");
    view.job.body = std::string("secret\0tail", 11);
    show(view);
    EXPECT_TRUE(ui().payloadText()->toPlainText().startsWith(QStringLiteral("00000000  73 65")));
    EXPECT_EQ(ui().payload()->form(), PayloadForm::Hex);
    picture("detail-payload-hex");
}

TEST_F(PayloadTabTest, findsByTheCommandsOfTheWindow)
{
    for (const auto act : {ActionId::Find, ActionId::FindNext, ActionId::FindPrevious}) {
        detail->addAction(actions[act]);
    }
    detail->showTab(JobDetail::Tab::Payload);
    show(message("m-1"));
    detail->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(detail.get()));
    auto* text = ui().payloadText();
    text->setFocus();
    EXPECT_TRUE(detail->hasPayloadFocus());
    QTest::keyClick(text, Qt::Key_F, Qt::ControlModifier);
    auto* field = ui().payloadFind();
    ASSERT_TRUE(until([&] { return field->hasFocus(); }));
    QTest::keyClicks(field, QStringLiteral("alice"));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(text->textCursor().selectedText().toLower(), QStringLiteral("alice"));
    const auto first = text->textCursor().position();
    QTest::keyClick(field, Qt::Key_F3);
    EXPECT_GT(text->textCursor().position(), first);
    QTest::keyClick(field, Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_EQ(text->textCursor().position(), first);
    picture("detail-payload-find");
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_FALSE(field->isVisible());
    EXPECT_TRUE(text->hasFocus());
}

TEST_F(PayloadTabTest, savesASipMessageAsOne)
{
    detail->showTab(JobDetail::Tab::Payload);
    show(message("m-1"));
    const auto path = home.filePath(QStringLiteral("m.sip"));
    ui().payload()->saveTo(path);
    ASSERT_TRUE(until([&] { return QFile::exists(path); }));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto text = file.readAll();
    EXPECT_TRUE(text.startsWith("MESSAGE sip:bob@example.org SIP/2.0\r\n"));
    EXPECT_TRUE(text.endsWith("\r\n\r\nDinner at eight?"));
}

TEST_F(PayloadTabTest, saysWhyAFileCouldNotBeWritten)
{
    detail->showTab(JobDetail::Tab::Payload);
    show(message("m-1"));
    ui().payload()->saveTo(home.filePath(QStringLiteral("no/such/folder")));
    auto* facts = ui().payloadFacts();
    EXPECT_TRUE(until([&] { return facts->text().contains(QStringLiteral("cannot be written")); }));
}

}  // namespace
}  // namespace restante::gui::test

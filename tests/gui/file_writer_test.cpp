#include "gui/base/file_writer.h"
#include "tests/gui/support/stopwatch.h"
#include "tests/gui/support/wait.h"

#include <QDir>
#include <QFile>
#include <QSemaphore>
#include <QTemporaryDir>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace restante::gui::test {
namespace {

class FileWriting : public testing::Test {
protected:
    QString path() const { return home.filePath(QStringLiteral("out.csv")); }
    static QByteArray contentOf(const QString& name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }
    FileWriter::Completed noted()
    {
        return [this](const QString& problem) { told.push_back(problem); };
    }
    static FileWriter::MakeText text(const char* content)
    {
        return [content] { return std::string(content); };
    }
    /// Whatever is on the other thread has been done.
    void drain()
    {
        FileWork work;
        bool done = false;
        work.run<bool>(
            &receiver, [] { return true; }, [&](bool) { done = true; });
        ASSERT_TRUE(until([&] { return done; }));
    }

    QTemporaryDir home;
    QObject receiver;
    std::vector<QString> told;
};

TEST_F(FileWriting, appearsWhenAllOfItIsThere)
{
    QFile old(path());
    ASSERT_TRUE(old.open(QIODevice::WriteOnly));
    old.write("the old one");
    old.close();
    FileWriter writer(path());
    writer.append(text("one\n"), &receiver, noted());
    writer.append(text("two\n"), &receiver, noted());
    ASSERT_TRUE(until([&] { return told.size() == 2; }));
    EXPECT_EQ(contentOf(path()), "the old one");
    writer.commit(&receiver, noted());
    ASSERT_TRUE(until([&] { return told.size() == 3; }));
    EXPECT_EQ(contentOf(path()), "one\ntwo\n");
    EXPECT_THAT(told, testing::Each(QString()));
}

TEST_F(FileWriting, leavesNothingWhenItIsGivenUp)
{
    for (const bool cancels : {true, false}) {
        auto writer = std::make_unique<FileWriter>(path());
        told.clear();
        writer->append(text("half of it"), &receiver, noted());
        ASSERT_TRUE(until([&] { return told.size() == 1; }));
        if (cancels) {
            writer->cancel();
        }
        writer.reset();
        EXPECT_TRUE(until([&] { return QDir(home.path()).isEmpty(); }));
    }
}

TEST_F(FileWriting, saysWhatIsWrongAndMakesNoMore)
{
    FileWriter writer(QStringLiteral("/nowhere/at/all.csv"));
    int made = 0;
    const auto counted = [&made] {
        ++made;
        return std::string("text");
    };
    writer.append(counted, &receiver, noted());
    writer.append(counted, &receiver, noted());
    writer.commit(&receiver, noted());
    ASSERT_TRUE(until([&] { return told.size() == 3; }));
    for (const auto& problem : told) {
        EXPECT_TRUE(problem.contains(QStringLiteral("/nowhere/at/all.csv")));
    }
    EXPECT_EQ(made, 1);
}

TEST_F(FileWriting, neverHoldsUpTheWindowWhenTheDiskDoes)
{
    // A disk that hangs until the test lets it go.
    auto disk = std::make_shared<QSemaphore>();
    const Heartbeat heart;
    auto writer = std::make_unique<FileWriter>(path());
    auto begun = std::make_shared<QSemaphore>();
    writer->append(
        [disk, begun] {
            begun->release();
            disk->acquire();
            return std::string("late");
        },
        &receiver, noted());
    ASSERT_TRUE(until([&] { return begun->available() == 1; }));
    writer.reset();  // would wait for ever
    EXPECT_TRUE(told.empty());
    disk->release();
    drain();
    EXPECT_TRUE(until([&] { return QDir(home.path()).isEmpty(); }));
    EXPECT_TRUE(told.empty());
}

TEST_F(FileWriting, ofAWholeFileOutlivesWhoAskedForIt)
{
    {
        QObject asking;
        writeFile(path(), "all of it", &asking, noted());
    }
    EXPECT_TRUE(until([&] { return contentOf(path()) == "all of it"; }));
    EXPECT_TRUE(told.empty());
}

}  // namespace
}  // namespace restante::gui::test

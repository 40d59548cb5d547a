// What a session says, and how often.

#include "gui/session/store_backend.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/wait.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTranslator>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace restante::gui::test {
namespace {

/// Another language: every text in brackets.
class Brackets : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char*, const char* source, const char*, int) const override
    {
        return QStringLiteral("[%1]").arg(QString::fromUtf8(source));
    }
};

/// A place where no store is.
ConnectionProfile nowhere()
{
    return redisProfile("unix:///nowhere/at/all.sock");
}

TEST(SessionWords, followTheLanguageWhileTheConnectionIsAsItWas)
{
    OpenedSession session(nowhere());
    ASSERT_EQ(session.settled(), LinkState::Phase::Failed);
    const auto before = session.link().problem;
    ASSERT_FALSE(before.isEmpty());
    const QSignalSpy told(&session->backend(), &Backend::linkChanged);
    Brackets brackets;
    QCoreApplication::installTranslator(&brackets);
    EXPECT_TRUE(session.link().problem.startsWith(u'['));
    EXPECT_EQ(told.count(), 1);
    const auto refused =
        session.answer<StoreCounts>([&](auto reply) { session.source().counts(std::move(reply)); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "[not connected to the store]");
    QCoreApplication::removeTranslator(&brackets);
    EXPECT_EQ(session.link().problem, before);
}

TEST(SessionWords, nameTheDemonstrationInTheLanguageOfTheWindow)
{
    OpenedSession session(demoProfile());
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready);
    EXPECT_EQ(session.link().server, QStringLiteral("demo store"));
    Brackets brackets;
    QCoreApplication::installTranslator(&brackets);
    EXPECT_EQ(session.link().server, QStringLiteral("[demo store]"));
    QCoreApplication::removeTranslator(&brackets);
}

TEST(Written, isToldAtOnceAndThenNotForEveryLineOfAnImport)
{
    auto backend = std::make_unique<FakeBackend>();
    auto* fake = backend.get();
    StoreSession session(ConnectionProfile{}, std::move(backend));
    QObject receiver;
    int told = 0;
    QObject::connect(&session.commands(), &JobCommands::written, &receiver, [&] { ++told; });
    int answered = 0;
    for (int n = 0; n < 2'000; ++n) {
        session.commands().import(JobView{}, false,
                                  {&receiver, [&](const Result<PushOutcome>&) { ++answered; }});
    }
    ASSERT_TRUE(until([&] { return answered == 2'000; }));
    EXPECT_EQ(fake->imports.size(), 2'000U);
    // Once for the first, and once a quarter of a second for all others.
    EXPECT_GE(told, 1);
    EXPECT_LE(told, 20);
    const auto during = told;
    // The last of them is told of, too.
    EXPECT_TRUE(until([&] { return told > during; }));
}

}  // namespace
}  // namespace restante::gui::test

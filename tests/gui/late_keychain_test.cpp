// A keychain that answers when the user has gone on to another connection.

#include "gui/base/preferences.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/session/profile_store.h"
#include "gui/session/secret_store.h"
#include "gui/session/store_session.h"
#include "gui/shell/store_window.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/open_session.h"

#include <QInputDialog>
#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <utility>

namespace restante::gui::test {

namespace {

/// Answers a question only when the test wants it.
class LateSecrets final : public SecretStore {
public:
    void read(const QString& /*key*/, Answer<QString> answer) override
    {
        pending = std::move(answer);
    }
    void write(const QString& /*key*/, const QString& /*secret*/, Answer<void> answer) override
    {
        answer({});
    }
    void remove(const QString& /*key*/) override {}

    Answer<QString> pending;
};

class LateKeychain : public testing::Test {
protected:
    LateKeychain()
    {
        locked.id = QStringLiteral("locked");
        locked.kind = ConnectionProfile::Kind::Redis;
        locked.url = QStringLiteral("redis://127.0.0.1:1/");
        locked.secret = ConnectionProfile::Secret::Keychain;
    }
    QString openProfile() const { return window.profile() ? window.profile()->id : QString(); }

    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
    const Appearance appearance{preferences};
    ProfileStore profiles{preferences};
    LateSecrets secrets;
    StoreWindow window{preferences, profiles, secrets, 1};
    ConnectionProfile locked;
};

}  // namespace

TEST_F(LateKeychain, doesNotTakeTheWindowFromTheConnectionThatWasOpenedMeanwhile)
{
    window.open(locked);
    ASSERT_TRUE(secrets.pending);
    window.open(demoProfile());
    ASSERT_TRUE(until([this] { return openProfile() == demoProfile().id; }));
    secrets.pending(QStringLiteral("secret"));
    EXPECT_EQ(openProfile(), demoProfile().id);
}

TEST_F(LateKeychain, opensNothingThatWasCancelled)
{
    window.open(locked);
    ASSERT_TRUE(secrets.pending);
    emit window.window().jobs().cancelRequested();
    secrets.pending(QStringLiteral("secret"));
    EXPECT_EQ(window.window().session(), nullptr);
}

TEST_F(LateKeychain, leavesTheWindowWithoutAConnectionWhenThePasswordIsNotGiven)
{
    locked.secret = ConnectionProfile::Secret::Ask;
    window.open(locked);
    EXPECT_EQ(openProfile(), locked.id);
    auto* question = window.window().findChild<QInputDialog*>(QStringLiteral("passwordDialog"));
    ASSERT_NE(question, nullptr);
    question->reject();
    EXPECT_EQ(openProfile(), QString());
    EXPECT_EQ(window.window().session(), nullptr);
}

TEST_F(LateKeychain, opensTheConnectionThatStillWaitsForIt)
{
    window.open(locked);
    ASSERT_TRUE(secrets.pending);
    secrets.pending(QStringLiteral("secret"));
    EXPECT_NE(window.window().session(), nullptr);
    EXPECT_EQ(openProfile(), locked.id);
}

}  // namespace restante::gui::test

#include "gui/base/preferences.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/profile_store.h"
#include "tests/gui/support/fake_secrets.h"
#include "tests/gui/support/wait.h"
#include "tests/support/file_content.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace restante::gui::test {
namespace {

using restante::test::contentOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The word that must be nowhere.
const QString kWord = QStringLiteral("s3cret-word");

/// Every way to write a password into the address of a database.
const char* const kSpellings[] = {
    "postgresql://ops:s3cret-word@db.example.org/journal",
    "postgresql://ops:s3cret-word@db.example.org:5432/journal?sslmode=require",
    "postgresql://ops@db.example.org/journal?password=s3cret-word",
    "postgresql://ops@db.example.org/journal?sslmode=require&password=s3cret-word",
    "postgresql://ops@db.example.org/journal?Password=s3cret-word&sslmode=require",
    "postgresql://ops@db.example.org/journal?sslpassword=s3cret-word",
    "postgresql://ops@db.example.org/journal?p%61ssword=s3cret-word",
    "postgresql:///journal?user=ops&passwd=s3cret-word",
    "postgresql://ops:s3cret-word@/journal?host=/run/postgresql",
    "postgresql://ops:s3cret-word/with/slash@db.example.org/journal",
    "postgresql://ops:s3cret-word:5432/with/slash@db.example.org/journal",
    "postgresql://ops:12/s3cret-word@db.example.org/journal",
    "postgresql://ops:s3cret-word:b/with/slash@db.example.org/journal",
    "postgresql://ops:a@s3cret-word@db.example.org/journal",
    "mysql://ops:s3cret-word@db.example.org/journal",
    "mysql://ops:s3cret-word@[::1]:3306/journal?socket=/run/my.sock",
};

/// What is set is in the file when whoever has set it is gone.
void writeDown(const std::filesystem::path& settings)
{
    Preferences(QString::fromStdString(settings.string())).setValue(QStringLiteral("x"), 1);
}

TEST(UrlSecrets, areTakenOutHoweverTheyAreSpelt)
{
    for (const auto* url : kSpellings) {
        const auto clean = withoutSecrets(QString::fromLatin1(url));
        EXPECT_FALSE(clean.contains(kWord)) << url << " became " << clean.toStdString();
        EXPECT_TRUE(clean.contains(QStringLiteral("journal"))) << clean.toStdString();
        EXPECT_EQ(withoutSecrets(clean), clean);
    }
}

TEST(UrlSecrets, leaveAloneWhatIsNoSecret)
{
    for (const auto* url :
         {"postgresql://ops@db.example.org:5432/journal?sslmode=verify-full&passfile=/home/x/"
          ".pgpass",
          "postgresql://db:5432/journal?application_name=a@b", "mysql://db/journal?socket=/run/s",
          "sqlite:///var/lib/restante/journal.db", "redis://ops@host:6379/3", "unix:///run/r.sock",
          "postgresql://db1:5432,db2:5432/journal?application_name=a@b",
          "postgresql://[::1]:5432/journal", ""}) {
        EXPECT_EQ(withoutSecrets(QString::fromLatin1(url)), QString::fromLatin1(url));
    }
}

TEST(UrlSecrets, neverReachTheSettingsOrAnExport)
{
    const restante::test::TempDir directory;
    const auto settings = directory / "admin.ini";
    Preferences preferences(QString::fromStdString(settings.string()));
    ProfileStore profiles(preferences);
    int number = 0;
    for (const auto* url : kSpellings) {
        ConnectionProfile profile;
        profile.id = QString::number(++number);
        profile.name = QStringLiteral("db %1").arg(number);
        profile.journalUrl = QString::fromLatin1(url);
        profiles.save(profile);
        EXPECT_FALSE(exportProfiles({profile}).contains("s3cret-word")) << url;
    }
    writeDown(settings);
    EXPECT_THAT(contentOf(settings), HasSubstr("db.example.org"));
    EXPECT_THAT(contentOf(settings), Not(HasSubstr("s3cret-word")));
}

TEST(UrlSecrets, ofASettingsFileOfAnEarlierVersionAreTakenOutWhenItIsRead)
{
    const restante::test::TempDir directory;
    const auto settings = directory / "admin.ini";
    Preferences preferences(QString::fromStdString(settings.string()));
    preferences.setValue(
        QStringLiteral("connections/profiles"),
        QByteArray(R"([{"id":"1","name":"old","kind":"local","mode":"normal",)"
                   R"("journal":"postgresql://db/journal?password=s3cret-word"}])"));
    writeDown(settings);
    ASSERT_THAT(contentOf(settings), HasSubstr("s3cret-word"));
    const ProfileStore profiles(preferences);
    writeDown(settings);
    EXPECT_THAT(contentOf(settings), Not(HasSubstr("s3cret-word")));
    ASSERT_EQ(profiles.all().size(), 1U);
    EXPECT_EQ(profiles.all().front().name, QStringLiteral("old"));
}

TEST(UrlSecrets, goToTheKeychainAndComeBackForConnecting)
{
    FakeSecrets secrets;
    ConnectionProfile profile;
    profile.id = QStringLiteral("p");
    profile.journalUrl = QStringLiteral("postgresql://ops:s3cret-word@db/journal");
    std::optional<ConnectionProfile> kept;
    saveJournalSecret(secrets, profile,
                      [&](const tl::expected<ConnectionProfile, QString>& answer) {
                          kept = answer.value_or(ConnectionProfile{});
                      });
    ASSERT_TRUE(until([&] { return kept.has_value(); }));
    EXPECT_EQ(kept->journalUrl, QStringLiteral("postgresql://ops@db/journal"));
    EXPECT_TRUE(kept->journalInKeychain);
    std::optional<ConnectionProfile> whole;
    fetchJournalSecret(secrets, *kept, [&](const ConnectionProfile& one) { whole = one; });
    ASSERT_TRUE(until([&] { return whole.has_value(); }));
    EXPECT_EQ(whole->journalUrl, profile.journalUrl);
    // A password is not carried to another address.
    kept->journalUrl = QStringLiteral("postgresql://ops@elsewhere/journal");
    whole.reset();
    fetchJournalSecret(secrets, *kept, [&](const ConnectionProfile& one) { whole = one; });
    ASSERT_TRUE(until([&] { return whole.has_value(); }));
    EXPECT_EQ(whole->journalUrl, kept->journalUrl);
    // Without a keychain nothing is saved, and the sentence says what to do.
    secrets.broken = QStringLiteral("No keychain is running.");
    QString problem;
    saveJournalSecret(secrets, profile,
                      [&](const tl::expected<ConnectionProfile, QString>& answer) {
                          problem = answer ? QString() : answer.error();
                      });
    ASSERT_TRUE(until([&] { return !problem.isEmpty(); }));
    EXPECT_THAT(problem.toStdString(), HasSubstr("No keychain is running."));
    EXPECT_THAT(problem.toStdString(), HasSubstr(".pgpass"));
}

}  // namespace
}  // namespace restante::gui::test

#include "core/queue/job_search.h"
#include "core/redis/client/redis_url.h"
#include "gui/base/preferences.h"
#include "gui/session/profile_secrets.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/connection_dialog_object.h"
#include "tests/gui/support/fake_secrets.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/support/file_content.h"
#include "tests/support/redis_info.h"
#include "tests/support/redis_server.h"
#include "tests/support/sentinel.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tls_redis.h"

#include <QAction>
#include <QCoreApplication>
#include <QFile>
#include <QInputDialog>
#include <QLabel>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace restante::gui::test {
namespace {

using restante::test::contentOf;
using restante::test::infoOf;
using restante::test::RedisServer;
using restante::test::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;

class Connections : public testing::Test {
protected:
    void describe(const QString& name, const QString& socket)
    {
        dialog.addNew();
        type(page.name(), name);
        pick(page.kind(), static_cast<int>(ConnectionProfile::Kind::Redis));
        pick(page.way(), 1);
        type(page.socket(), socket);
    }
    std::string problem() { return page.problem()->text().toStdString(); }

    TempDir directory;
    std::filesystem::path settings = directory / "admin.ini";
    Preferences preferences{QString::fromStdString(settings.string())};
    ProfileStore profiles{preferences};
    FakeSecrets secrets;
    ConnectionDialog dialog{profiles, secrets};
    const ConnectionDialogObject page{&dialog};
};

TEST_F(Connections, beginWithAnEmptyFormAndKeepWhatIsSaved)
{
    describe(QStringLiteral("prod"), QStringLiteral("/run/redis.sock"));
    pick(page.mode(), static_cast<int>(AccessMode::Production));
    page.save()->click();
    ASSERT_EQ(profiles.all().size(), 1U);
    const auto profile = profiles.all().front();
    EXPECT_EQ(profile.name, QStringLiteral("prod"));
    EXPECT_EQ(profile.mode, AccessMode::Production);
    EXPECT_EQ(profile.url, QStringLiteral("unix:///run/redis.sock"));
    EXPECT_EQ(page.list()->count(), 1);
}

TEST_F(Connections, refuseWhatHasNoName)
{
    describe(QStringLiteral("  "), QStringLiteral("/run/redis.sock"));
    page.save()->click();
    EXPECT_TRUE(profiles.all().empty());
    EXPECT_THAT(problem(), HasSubstr("name"));
}

TEST_F(Connections, keepThePasswordInTheKeychainAndNowhereElse)
{
    describe(QStringLiteral("prod"), QStringLiteral("/run/redis.sock"));
    pick(page.secret(), static_cast<int>(ConnectionProfile::Secret::Keychain));
    type(page.password(), QStringLiteral("s3cret-word"));
    ConnectionProfile wanted;
    QString password;
    QObject::connect(&dialog, &ConnectionDialog::connectRequested, &dialog,
                     [&](const ConnectionProfile& profile, const QString& typed) {
                         wanted = profile;
                         password = typed;
                     });
    page.connect()->click();
    ASSERT_TRUE(until([&] { return !wanted.id.isEmpty(); }));
    EXPECT_EQ(password, QStringLiteral("s3cret-word"));
    EXPECT_EQ(secrets.kept.value(wanted.id), QStringLiteral("s3cret-word"));
    const auto file = QString::fromStdString((directory / "export.json").string());
    dialog.exportTo(file);
    ASSERT_TRUE(until([&] { return QFile::exists(file); }));
    EXPECT_THAT(contentOf(directory / "export.json"), HasSubstr("prod"));
    EXPECT_THAT(contentOf(directory / "export.json"), Not(HasSubstr("s3cret-word")));
    Preferences(QString::fromStdString(settings.string())).setValue(QStringLiteral("x"), 1);
    EXPECT_THAT(contentOf(settings), HasSubstr("prod"));
    EXPECT_THAT(contentOf(settings), Not(HasSubstr("s3cret-word")));
}

TEST_F(Connections, areNotTriedOutWithThePasswordOfAnother)
{
    describe(QStringLiteral("prod"), QStringLiteral("/run/prod.sock"));
    pick(page.secret(), static_cast<int>(ConnectionProfile::Secret::Keychain));
    type(page.password(), QStringLiteral("s3cret-word"));
    page.save()->click();
    ASSERT_TRUE(until([&] { return secrets.kept.size() == 1 && profiles.all().size() == 1; }));
    dialog.selectProfile(profiles.all().front().id);
    type(page.password(), QString());
    dialog.test();  // asks the keychain, which answers later
    dialog.addNew();
    // What is asked later is answered later.
    bool answered = false;
    secrets.read(profiles.all().front().id, [&](const auto&) { answered = true; });
    ASSERT_TRUE(until([&] { return answered; }));
    EXPECT_TRUE(page.test()->isEnabled());
    EXPECT_TRUE(page.steps().isEmpty());
}

TEST_F(Connections, saySoInTheNewLanguageWhenAPasswordIsUnchanged)
{
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance appearance(preferences);
    EXPECT_EQ(page.password()->placeholderText(), QStringLiteral("unchanged"));
    preferences.setLanguage(QStringLiteral("zh_CN"));
    QCoreApplication::sendPostedEvents();
    EXPECT_EQ(page.password()->placeholderText(), QStringLiteral("不变"));
    preferences.setLanguage(QStringLiteral("en"));
}

TEST_F(Connections, sayWhatToDoWhenNoKeychainWorks)
{
    secrets.broken = QStringLiteral("No keychain is running.");
    describe(QStringLiteral("prod"), QStringLiteral("/run/redis.sock"));
    pick(page.secret(), static_cast<int>(ConnectionProfile::Secret::Keychain));
    type(page.password(), QStringLiteral("s3cret-word"));
    page.save()->click();
    EXPECT_TRUE(until([&] { return !problem().empty(); }));
    EXPECT_THAT(problem(), HasSubstr("No keychain is running. Choose “Ask each time”"));
    EXPECT_TRUE(profiles.all().empty());
}

TEST_F(Connections, takeARedisAddressApart)
{
    dialog.addFromUrl(QStringLiteral("redis://ops:s3cret-word@redis.example.org:6380/3"));
    EXPECT_EQ(page.host()->text(), QStringLiteral("redis.example.org"));
    EXPECT_EQ(page.port()->value(), 6380);
    EXPECT_EQ(page.database()->value(), 3);
    EXPECT_EQ(page.user()->text(), QStringLiteral("ops"));
    EXPECT_EQ(page.password()->text(), QStringLiteral("s3cret-word"));
    dialog.addFromUrl(QStringLiteral("redis+cluster://a,b/7"));
    EXPECT_THAT(problem(), HasSubstr("no databases"));
}

TEST_F(Connections, showAnExampleOfEachFormOfAnAddress)
{
    for (auto* action : dialog.findChildren<QAction*>()) {
        if (action->text().contains(QStringLiteral("redis://"))) {
            action->trigger();
        }
    }
    auto* question = dialog.findChild<QInputDialog*>(QStringLiteral("redisUrlDialog"));
    ASSERT_NE(question, nullptr);
    const auto shown = question->labelText();
    for (const auto* scheme : {"redis", "rediss", "redis+sentinel", "rediss+sentinel",
                               "redis+cluster", "rediss+cluster", "unix"}) {
        EXPECT_TRUE(shown.contains(QStringLiteral("\n%1://").arg(QLatin1String(scheme)))) << scheme;
    }
    const auto lines = shown.split(QLatin1Char('\n')).mid(1);
    for (const auto& line : lines) {
        EXPECT_TRUE(profileFromUrl(line)) << line.toStdString();
    }
    question->reject();
}

TEST_F(Connections, takeTheNodesOfAClusterApart)
{
    dialog.addFromUrl(QStringLiteral("rediss+cluster://ops:s3cret-word@a.example,b.example:7001"));
    EXPECT_EQ(page.sentinels()->text(), QStringLiteral("a.example:6379, b.example:7001"));
    EXPECT_TRUE(page.sentinels()->isVisibleTo(&dialog));
    EXPECT_FALSE(page.master()->isVisibleTo(&dialog));
    EXPECT_FALSE(page.database()->isVisibleTo(&dialog));
    EXPECT_TRUE(page.tls()->isChecked());
}

TEST_F(Connections, takeAnAddressWithTlsApartAndKeepIt)
{
    const auto url = QStringLiteral("rediss://redis.example.org:6380/3?ca=/etc/ca.pem"
                                    "&cert=/etc/c.pem&key=/etc/c.key&sni=redis.example");
    dialog.addFromUrl(url);
    EXPECT_TRUE(page.tls()->isChecked());
    EXPECT_TRUE(page.verify()->isChecked());
    EXPECT_EQ(page.ca()->text(), QStringLiteral("/etc/ca.pem"));
    EXPECT_EQ(page.certificate()->text(), QStringLiteral("/etc/c.pem"));
    EXPECT_EQ(page.key()->text(), QStringLiteral("/etc/c.key"));
    EXPECT_EQ(page.serverName()->text(), QStringLiteral("redis.example"));
    page.save()->click();
    ASSERT_EQ(profiles.all().size(), 1U) << problem();
    EXPECT_EQ(profiles.all().front().url, url);
    page.verify()->setChecked(false);
    page.save()->click();
    EXPECT_TRUE(profiles.all().front().url.endsWith(QStringLiteral("&verify=off")));
    page.tls()->setChecked(false);
    page.save()->click();
    EXPECT_EQ(profiles.all().front().url, QStringLiteral("redis://redis.example.org:6380/3"));
}

TEST_F(Connections, nameWhatIsWrongWithTheFilesOfTls)
{
    dialog.addFromUrl(QStringLiteral("rediss://redis.example.org"));
    type(page.ca(), QStringLiteral("ca.pem"));
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("ca must be the absolute path"));
    type(page.ca(), QString());
    type(page.certificate(), QStringLiteral("/etc/c.pem"));
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("cert and key belong together"));
    EXPECT_TRUE(profiles.all().empty());
}

TEST_F(Connections, nameSentinelsAndTheirMaster)
{
    dialog.addFromUrl(QStringLiteral("redis+sentinel://:s3cret-word@a,b:26380/my%20master/2"));
    EXPECT_EQ(page.sentinels()->text(), QStringLiteral("a:26379, b:26380"));
    EXPECT_EQ(page.master()->text(), QStringLiteral("my master"));
    EXPECT_EQ(page.password()->text(), QStringLiteral("s3cret-word"));
    EXPECT_EQ(page.name()->text(), QStringLiteral("my master"));
    type(page.sentinels(), QStringLiteral("a, c.example.org:1, [::1]"));
    page.save()->click();
    ASSERT_TRUE(until([&] { return !profiles.all().empty(); })) << problem();
    EXPECT_EQ(profiles.all().front().url,
              QStringLiteral("redis+sentinel://a:26379,c.example.org:1,[::1]:26379/my%20master/2"));
    type(page.sentinels(), QStringLiteral("a:x"));
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("port must be a number"));
    type(page.sentinels(), QStringLiteral("a"));
    type(page.master(), QString());
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("name of the master must follow"));
}

TEST_F(Connections, keepTheJumpHostAndItsKeyAndGiveThemToAFile)
{
    describe(QStringLiteral("far"), QStringLiteral("/run/redis.sock"));
    type(page.jumpHost(), QStringLiteral(" anna@jump.example.org:2222 "));
    type(page.jumpKey(), QStringLiteral("~/.ssh/id_far"));
    page.save()->click();
    ASSERT_EQ(profiles.all().size(), 1U) << problem();
    const auto profile = profiles.all().front();
    EXPECT_EQ(profile.jumpHost, QStringLiteral("anna@jump.example.org:2222"));
    EXPECT_EQ(profile.jumpKey, QStringLiteral("~/.ssh/id_far"));
    const auto back = parseProfiles(exportProfiles(profiles.all()));
    ASSERT_TRUE(back) << back.error().toStdString();
    EXPECT_EQ(back->front().jumpHost, profile.jumpHost);
    EXPECT_EQ(back->front().jumpKey, profile.jumpKey);
    type(page.jumpHost(), QString());
    page.save()->click();
    EXPECT_EQ(profiles.all().front().jumpHost, QString());
    EXPECT_EQ(profiles.all().front().jumpKey, QString());
}

TEST_F(Connections, refuseAJumpHostThatSshCouldTakeForAnOption)
{
    describe(QStringLiteral("far"), QStringLiteral("/run/redis.sock"));
    type(page.jumpHost(), QStringLiteral("-oProxyCommand=id"));
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("“-oProxyCommand=id” is no host for a tunnel"));
    page.test()->click();
    EXPECT_THAT(problem(), HasSubstr("is no host for a tunnel"));
    EXPECT_TRUE(profiles.all().empty());
    type(page.jumpHost(), QStringLiteral("jump"));
    type(page.jumpKey(), QStringLiteral("-i"));
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("“-i” is no file for a key"));
    ConnectionProfile evil = page.form()->profile();
    evil.jumpKey = QStringLiteral("/%x");
    EXPECT_FALSE(parseProfiles(exportProfiles({evil})));
}

TEST_F(Connections, refuseSentinelsBehindAJumpHost)
{
    dialog.addFromUrl(QStringLiteral("redis+sentinel://a/mymaster"));
    type(page.jumpHost(), QStringLiteral("jump"));
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("Sentinels and clusters cannot be reached through a tunnel"));
    EXPECT_TRUE(profiles.all().empty());
}

TEST_F(Connections, keepThePasswordOfTheSentinelsInTheKeychainAndNowhereElse)
{
    dialog.addFromUrl(QStringLiteral(
        "redis+sentinel://a/mymaster?sentinel_user=watcher&sentinel_password=wa%26tch"));
    EXPECT_EQ(page.sentinelUser()->text(), QStringLiteral("watcher"));
    EXPECT_EQ(page.sentinelPassword()->text(), QStringLiteral("wa&tch"));
    page.save()->click();
    ASSERT_TRUE(until([&] { return !profiles.all().empty(); })) << problem();
    const auto profile = profiles.all().front();
    EXPECT_EQ(secrets.kept.value(profile.id + QStringLiteral("/sentinel")),
              QStringLiteral("wa&tch"));
    EXPECT_THAT(contentOf(settings), Not(HasSubstr("&tch")));
    EXPECT_THAT(exportProfiles(profiles.all()).toStdString(), Not(HasSubstr("tch\"")));
    EXPECT_THAT(profile.url.toStdString(), HasSubstr("sentinel_user=watcher"));
    EXPECT_THAT(profile.url.toStdString(), Not(HasSubstr("password")));
    ConnectionProfile whole;
    fetchSecrets(secrets, profile, [&](const ConnectionProfile& fetched) { whole = fetched; });
    ASSERT_TRUE(until([&] { return !whole.url.isEmpty(); }));
    EXPECT_EQ(redis::parseRedisUrl(whole.url.toStdString())->sentinelPassword, "wa&tch");
    // As in Redis again: there is nothing to keep.
    pick(page.sentinelLogIn(), 0);
    page.save()->click();
    EXPECT_TRUE(until([&] { return secrets.kept.isEmpty(); }));
    pick(page.sentinelLogIn(), 1);
    page.save()->click();
    EXPECT_THAT(problem(), HasSubstr("Enter the password of the sentinels"));
}

TEST_F(Connections, keepNoPasswordThatWasTypedForAnotherWhileTheKeychainIsAsked)
{
    dialog.addFromUrl(QStringLiteral(
        "redis+sentinel://:of-prod@a/mymaster?sentinel_user=watcher&sentinel_password=watch"));
    pick(page.secret(), static_cast<int>(ConnectionProfile::Secret::Keychain));
    page.save()->click();  // the password of the sentinels first
    dialog.addNew();
    type(page.password(), QStringLiteral("of-another"));
    ASSERT_TRUE(until([&] { return !profiles.all().empty(); })) << problem();
    const auto id = profiles.all().front().id;
    EXPECT_EQ(secrets.kept.value(id), QStringLiteral("of-prod"));
    EXPECT_EQ(secrets.kept.value(id + QStringLiteral("/sentinel")), QStringLiteral("watch"));
    EXPECT_EQ(page.password()->text(), QStringLiteral("of-another")) << "it stays in the form";
}

TEST_F(Connections, tryTheSentinelsOutWithTheirOwnPassword)
{
    const RedisServer server({.tcp = true, .extra = {}, .password = {}});
    const auto port = server.tcpUrl().port;
    const restante::test::Sentinel sentinel({.master = port, .extra = {"requirepass se:cret"}});
    dialog.addFromUrl(
        QStringLiteral("redis+sentinel://127.0.0.1:%1/mymaster").arg(sentinel.port()));
    pick(page.sentinelLogIn(), 1);
    type(page.sentinelPassword(), QStringLiteral("se:cret"));
    dialog.test();
    ASSERT_TRUE(until([&] { return page.test()->isEnabled(); }));
    EXPECT_THAT(page.steps().join(u'\n').toStdString(), HasSubstr("The connection works"));
    type(page.sentinelPassword(), QStringLiteral("guess"));
    dialog.test();
    ASSERT_TRUE(until([&] { return page.test()->isEnabled(); }));
    EXPECT_THAT(page.steps().join(u'\n').toStdString(), HasSubstr("NOAUTH"));
}

TEST_F(Connections, fitASmallScreenWithEveryFieldShown)
{
    dialog.addFromUrl(QStringLiteral("rediss+sentinel://a/mymaster?sentinel_password=x"));
    type(page.jumpHost(), QStringLiteral("anna@jump.example.org"));
    pick(page.secret(), static_cast<int>(ConnectionProfile::Secret::Keychain));
    dialog.resize(1'024, 700);
    dialog.show();
    turn();
    EXPECT_LE(dialog.width(), 1'024);
    EXPECT_LE(dialog.height(), 700);
    const auto labels = page.form()->findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text() == QStringLiteral("&Mode:");
    }));
    EXPECT_TRUE(keepPicture(&dialog, "connection-full", kScreenLooks[0]));
    auto* last = page.timeout();
    page.formArea()->ensureWidgetVisible(last);
    turn();
    EXPECT_FALSE(last->visibleRegion().isEmpty());
    pick(page.way(), 0);
    type(page.host(), QStringLiteral("redis.internal"));
    EXPECT_TRUE(keepPicture(&dialog, "connection-tunnel", kScreenLooks[0]));
}

TEST_F(Connections, showTheFieldsOfTlsOnlyWhereItIs)
{
    dialog.addNew();
    dialog.show();
    pick(page.kind(), static_cast<int>(ConnectionProfile::Kind::Redis));
    EXPECT_FALSE(page.ca()->isVisible());
    page.tls()->setChecked(true);
    EXPECT_TRUE(page.ca()->isVisible());
    page.verify()->setChecked(false);
    EXPECT_FALSE(page.ca()->isVisible());
    EXPECT_TRUE(page.key()->isVisible());
    pick(page.way(), 1);
    EXPECT_FALSE(page.tls()->isVisible());
    EXPECT_FALSE(page.key()->isVisible());
    pick(page.way(), 2);
    EXPECT_TRUE(page.sentinels()->isVisible());
    EXPECT_FALSE(page.host()->isVisible());
    pick(page.kind(), static_cast<int>(ConnectionProfile::Kind::Demo));
    EXPECT_FALSE(page.tls()->isVisible());
    EXPECT_FALSE(page.sentinels()->isVisible());
}

TEST_F(Connections, tellWhoIssuedACertificateAndUntilWhenItIsValid)
{
    restante::test::TlsRedis redis;
    redis.server().send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
    dialog.addFromUrl(QString::fromStdString(redis.url().toString()));
    dialog.test();
    ASSERT_TRUE(until([&] { return page.test()->isEnabled(); }));
    const auto told = page.steps().join(u'\n').toStdString();
    EXPECT_THAT(told, HasSubstr("TLS: TLSv1.3, Test Authority, 20"));
    EXPECT_THAT(told, HasSubstr("The connection works."));
    page.verify()->setChecked(false);
    dialog.test();
    ASSERT_TRUE(until([&] { return page.test()->isEnabled(); }));
    EXPECT_THAT(page.steps().join(u'\n').toStdString(), HasSubstr("Whoever answers at 127.0.0.1"));
}

TEST_F(Connections, comeBackFromAFileWithIdsOfTheirOwn)
{
    describe(QStringLiteral("prod"), QStringLiteral("/run/redis.sock"));
    page.save()->click();
    const auto file = QString::fromStdString((directory / "export.json").string());
    dialog.exportTo(file);
    ASSERT_TRUE(until([&] { return QFile::exists(file); }));
    dialog.importFrom(file);
    const auto all = profiles.all();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].url, all[1].url);
    EXPECT_NE(all[0].id, all[1].id);
    std::ofstream(directory / "other.json") << R"({"something": "else"})";
    dialog.importFrom(QString::fromStdString((directory / "other.json").string()));
    EXPECT_THAT(problem(), HasSubstr("no connections"));
}

TEST_F(Connections, areTriedOutStepByStep)
{
    const RedisServer redis;
    redis.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
    describe(QStringLiteral("here"), QString::fromStdString(redis.socketPath()));
    dialog.test();
    ASSERT_TRUE(until([&] { return page.test()->isEnabled(); }));
    const auto told = page.steps().join(u'\n').toStdString();
    const auto valkey = infoOf(redis, "valkey_version");
    const auto server = "Server: " + (valkey.empty() ? "redis " + infoOf(redis, "redis_version")
                                                     : "valkey " + valkey);
    for (const auto* step : {"Connection: ", "Answer", server.c_str(), "Store: rst", "Permissions",
                             "Journal: ", "The connection works."}) {
        EXPECT_THAT(told, HasSubstr(step));
    }
}

TEST_F(Connections, aTestThatFailsSaysWhere)
{
    describe(QStringLiteral("nowhere"), QStringLiteral("/nowhere/redis.sock"));
    dialog.test();
    ASSERT_TRUE(until([&] { return page.test()->isEnabled(); }));
    const auto told = page.steps().join(u'\n').toStdString();
    EXPECT_THAT(told, HasSubstr("Connection: There is no socket /nowhere/redis.sock"));
    EXPECT_THAT(told, HasSubstr("does not work"));
}

TEST_F(Connections, keepTheFieldsOfEachKindApart)
{
    dialog.addNew();
    dialog.show();
    pick(page.kind(), static_cast<int>(ConnectionProfile::Kind::Local));
    EXPECT_TRUE(page.config()->isVisible());
    EXPECT_FALSE(page.host()->isVisible());
    pick(page.kind(), static_cast<int>(ConnectionProfile::Kind::Redis));
    EXPECT_FALSE(page.config()->isVisible());
    EXPECT_TRUE(page.host()->isVisible());
    EXPECT_FALSE(page.socket()->isVisible());
    EXPECT_FALSE(page.password()->isVisible());
    pick(page.secret(), static_cast<int>(ConnectionProfile::Secret::Keychain));
    EXPECT_TRUE(page.password()->isVisible());
}

}  // namespace
}  // namespace restante::gui::test

#include "core/assembly/redis_queue.h"
#include "core/auth/user_file.h"
#include "core/base/secret_file.h"
#include "core/delivery/sms/gateway.h"
#include "core/delivery/webhook_request.h"
#include "core/journal/sql/journal_url.h"
#include "core/redis/client/reply.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace restante {
namespace {

using testing::HasSubstr;

class SecretFile : public testing::Test {
protected:
    std::filesystem::path file(const std::string& text, unsigned mode = 0600)
    {
        auto path = directory_ / "secret";
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        std::filesystem::permissions(path, std::filesystem::perms{mode});
        return path;
    }
    static std::string refusalOf(const Result<std::string>& read)
    {
        return read ? "none" : read.error().message;
    }

    test::TempDir directory_;
};

TEST_F(SecretFile, isReadWhenOnlyItsOwnerAndGroupCan)
{
    for (const unsigned mode : {0600U, 0400U, 0640U, 0440U}) {
        EXPECT_EQ(readSecret("sms.password_file", file("secret\r\nmore\n", mode)), "secret");
    }
    EXPECT_EQ(readSecretFile("k", file("a\nb\n")), "a\nb\n");
}

TEST_F(SecretFile, isRefusedWhenOthersCanReadItOrItsGroupCanWriteIt)
{
    for (const unsigned mode : {0644U, 0604U, 0602U, 0601U}) {
        const auto said = refusalOf(readSecret("sms.password_file", file("secret\n", mode)));
        EXPECT_THAT(said, HasSubstr("sms.password_file"));
        EXPECT_THAT(said, HasSubstr("chmod 600"));
        EXPECT_EQ(said.find("secret\n"), std::string::npos);
    }
    EXPECT_THAT(refusalOf(readSecret("k", file("secret\n", 0660))), HasSubstr("chmod g-w"));
}

TEST_F(SecretFile, isRefusedWhenItBelongsToSomebodyElse)
{
    const auto path = file("secret\n");
    if (chown(path.c_str(), 65534, 65534) != 0) {
        EXPECT_NE(geteuid(), 0U) << "only root can give a file away";
        return;
    }
    const auto said = refusalOf(readSecret("k", path));
    EXPECT_THAT(said, HasSubstr(path.string() + " belongs to user 65534"));
    EXPECT_THAT(said, HasSubstr("sudo -u '#65534'")) << "the daemon's own file is not root's";
}

TEST_F(SecretFile, isRefusedWhenItIsNoFileOrHoldsNothing)
{
    EXPECT_THAT(refusalOf(readSecret("k", directory_ / "none")), HasSubstr("cannot read k"));
    EXPECT_THAT(refusalOf(readSecret("k", directory_ / ".")), HasSubstr("not a regular file"));
    EXPECT_THAT(refusalOf(readSecret("k", file("\nsecret\n"))), HasSubstr("first line"));
    EXPECT_THAT(refusalOf(readSecret("k", file(""))), HasSubstr("first line"));
    EXPECT_THAT(refusalOf(readSecretFile("k", file(std::string(2'000'000, 'x')))),
                HasSubstr("more than"));
    const auto pipe = directory_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(refusalOf(readSecret("k", pipe)), HasSubstr("not a regular file"));
}

TEST_F(SecretFile, isTheOneReaderOfEverySecret)
{
    const auto open = file("0123456789abcdef-secret\n", 0644);
    Config config;
    config.sms.gateway = Config::SmsGateway::Kannel;
    config.sms.url = "http://127.0.0.1/";
    config.sms.passwordFile = open;
    const auto gateway = sms::gatewayOf(config.sms);
    ASSERT_FALSE(gateway);
    EXPECT_THAT(gateway.error().message, HasSubstr("sms.password_file"));

    const auto signing = delivery::readWebhookSecrets(open);
    ASSERT_FALSE(signing);
    EXPECT_THAT(signing.error().message, HasSubstr("webhook.secret_file"));

    const auto users = auth::UserFile::open(open);
    ASSERT_FALSE(users);
    EXPECT_THAT(users.error().message, HasSubstr("sip.auth.users"));

    config.redis.url = "redis://127.0.0.1";
    config.redis.passwordFile = open;
    const auto redis = redis::redisUrlOf(config);
    ASSERT_FALSE(redis);
    EXPECT_THAT(redis.error().message, HasSubstr("redis.password_file"));

    config.journal.url = "mysql://restante@localhost/restante";
    config.journal.passwordFile = open;
    const auto journal = journal::journalUrlOf(config);
    ASSERT_FALSE(journal);
    EXPECT_THAT(journal.error().message, HasSubstr("journal.password_file"));
}

TEST_F(SecretFile, keepsPasswordsOutOfUrls)
{
    Config config;
    config.redis.url = "redis://worker:@redis.example:6380/2";
    config.redis.passwordFile = file("p@ss:w/ord %41\n");
    const auto redis = redis::redisUrlOf(config);
    ASSERT_TRUE(redis) << redis.error().message;
    EXPECT_EQ(redis->user, "worker");
    EXPECT_EQ(redis->password, "p@ss:w/ord %41");

    config.journal.passwordFile = config.redis.passwordFile;
    for (const auto* url : {"mysql://restante@db.example/restante",
                            "postgresql://restante@db.example:5433/restante"}) {
        config.journal.url = url;
        const auto journal = journal::journalUrlOf(config);
        ASSERT_TRUE(journal) << journal.error().message;
        EXPECT_EQ(journal->shown.find("ord"), std::string::npos) << journal->shown;
    }
    EXPECT_THAT(journal::journalUrlOf(config)->connection,
                HasSubstr("postgresql://restante:p%40ss%3Aw%2Ford%20%2541@db.example:5433/"));
    config.journal.url = "mysql://restante@db.example/restante";
    EXPECT_THAT(journal::journalUrlOf(config)->connection, HasSubstr("password='p@ss:w/ord %41'"));
}

TEST_F(SecretFile, isRefusedBesideAPasswordInTheUrl)
{
    Config config;
    config.redis.passwordFile = file("secret\n");
    EXPECT_THAT(redis::redisUrlOf(config).error().message, HasSubstr("embedded"));
    config.redis.url = "redis://:other@127.0.0.1";
    EXPECT_THAT(redis::redisUrlOf(config).error().message, HasSubstr("redis.url"));
    config.journal.passwordFile = config.redis.passwordFile;
    EXPECT_THAT(journal::journalUrlOf(config).error().message, HasSubstr("SQLite"));
    config.journal.url = "mysql://a:b@h/d";
    EXPECT_THAT(journal::journalUrlOf(config).error().message, HasSubstr("journal.url"));
    config.journal.url = "mysql://h/d";
    EXPECT_THAT(journal::journalUrlOf(config).error().message, HasSubstr("user"));
}

TEST_F(SecretFile, mayBeACredentialOfSystemd)
{
    std::ofstream(directory_ / "http.token_file") << "x";
    ASSERT_EQ(setenv("CREDENTIALS_DIRECTORY", (directory_ / ".").c_str(), 1), 0);
    EXPECT_EQ(credentialPath("http.token_file").filename(), "http.token_file");
    EXPECT_EQ(credentialPath("sms.password_file"), "");
    ASSERT_EQ(setenv("CREDENTIALS_DIRECTORY", "relative", 1), 0);
    EXPECT_EQ(credentialPath("http.token_file"), "");
    ASSERT_EQ(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    EXPECT_EQ(credentialPath("http.token_file"), "");
}

}  // namespace
}  // namespace restante

#include "core/config/config_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace restante {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fileText(const std::string& path)
{
    std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(PrintConfig, readsBackEqualWhenEverythingIsChanged)
{
    const auto changed = readConfig({{},
                                     {"state_dir=/srv/\"quoted\" \\ dir",
                                      "sip.listen=udp:127.0.0.1:0,[::1]:5061,tls:[::1]",
                                      "sip.threads=2",
                                      "http.threads=3",
                                      "sip.domain=a.example,b.example",
                                      "sip.users=bob,/etc/restante/users",
                                      "sip.proxy=sip:p.example;lr,sip:q.example",
                                      "sip.proxy_user=u",
                                      "sip.proxy_password_file=/etc/proxy",
                                      "sip.proxy_realm=r",
                                      "sip.trusted=10.0.0.0/8,tls:proxy.example",
                                      "sip.edges=10.0.0.1",
                                      "sip.contacts.allow=10.0.0.0/8,p.example",
                                      "sip.user_case=sensitive",
                                      "sip.registrar=false",
                                      "sip.retry=0s,1m",
                                      "sip.devices=all",
                                      "sip.headers=X-A,X-B",
                                      "sip.headers_dropped=User-Agent",
                                      "sip.outcomes=488=retry,6xx=hold",
                                      "sip.answer_timeout=2s",
                                      "sip.live_timeout=3s",
                                      "sip.receipts=delivered",
                                      "sip.notice=both",
                                      "sip.notice_interval=2h",
                                      "sip.notice_from=sip:post@a.example",
                                      "sip.notice_stored_text=kept {recipient}",
                                      "sip.notice_failed_text=lost {reason}",
                                      "sip.mwi=true",
                                      "sip.schedule_header=X-At",
                                      "sip.schedule_horizon=3h",
                                      "sip.schedule_per_sender=4",
                                      "sip.regevent=sip:r.example",
                                      "sip.redirects=2",
                                      "sip.hold=3h",
                                      "sip.mailbox.window=4",
                                      "sip.mailbox.pace=5ms",
                                      "sip.mailbox.max_bytes=6",
                                      "sip.mailbox.max_messages=3",
                                      "sip.mailbox.keep=90s",
                                      "sip.registration.max_contacts=2",
                                      "sip.registration.min_expires=5s",
                                      "sip.registration.default_expires=6s",
                                      "sip.registration.max_expires=7s",
                                      "sip.trace=pcap:/srv/t.pcap",
                                      "sip.trace_only=sip:a@a.example",
                                      "sip.trace_megabytes=6",
                                      "sip.limits.per_sender=9",
                                      "sip.limits.subscriptions=7",
                                      "sip.limits.total_messages=8",
                                      "sip.limits.memory_share=40",
                                      "sip.limits.send_rate=9",
                                      "sip.limits.flush_memory=2000000",
                                      "sip.limits.connections=10",
                                      "sip.limits.connections_per_address=11",
                                      "sip.limits.message_time=12s",
                                      "sip.auth.users=/etc/users",
                                      "sip.auth.query=SELECT a, b FROM c WHERE d = {user}",
                                      "sip.auth.sha256=false",
                                      "sip.auth.md5=true",
                                      "sip.auth.nonce_lifetime=8s",
                                      "sip.auth.failures=9",
                                      "sip.tls.certificate=/etc/sip.pem",
                                      "sip.tls.key=/etc/sip.key",
                                      "sip.tls.ca=/etc/sip-ca.pem",
                                      "sip.tls.verify=optional",
                                      "http.listen=127.0.0.1:80",
                                      "http.token_file=/etc/token",
                                      "http.hosts=queue.example,q2.example",
                                      "http.tls.certificate=/etc/cert.pem",
                                      "http.tls.key=/etc/key.pem",
                                      "http.limits.connections=11",
                                      "http.limits.per_address=12",
                                      "http.limits.parked=13",
                                      "http.limits.request=14s",
                                      "http.limits.idle=15s",
                                      "webhook.allow=10.0.0.0/8,hooks.example",
                                      "webhook.secret_file=/etc/hook",
                                      "webhook.ca_file=/etc/ca.pem",
                                      "webhook.concurrency=3",
                                      "webhook.per_host=4",
                                      "webhook.timeout=5s",
                                      "webhook.group=same_instant",
                                      "webhook.group_topics=a,b",
                                      "sms.gateway=template",
                                      "sms.url=http://g/?to={to}",
                                      "sms.user=u",
                                      "sms.password_file=/etc/sms",
                                      "sms.from=Shop",
                                      "sms.method=PUT",
                                      "sms.body={{\"t\":\"{text}\"}}",
                                      "sms.content_type=text/xml",
                                      "sms.headers=X-A: {password}",
                                      "sms.success=^OK",
                                      "sms.rate=5",
                                      "sms.concurrency=6",
                                      "sms.timeout=7s",
                                      "sms.max_parts=9",
                                      "sms.quiet_hours=21:00-08:00",
                                      "sms.time_zone=Europe/Berlin",
                                      "sms.zones=+1=America/New_York,+49=Europe/Berlin",
                                      "sms.delivery_reports=phone",
                                      "sms.report_url=http://h:1",
                                      "sms.report_timeout=2h",
                                      "sms.unreported=retry",
                                      "reminder.horizon=1h",
                                      "reminder.per_sender=2",
                                      "reminder.min_interval=3s",
                                      "reminder.time_zone=Asia/Tokyo",
                                      "reminder.time_of_day=8h",
                                      "reminder.late=4s",
                                      "reminder.missed=skip",
                                      "redis.url=redis://h:1/2",
                                      "redis.password_file=/etc/redis-password",
                                      "redis.max_memory=70000000",
                                      "redis.prefix=x",
                                      "redis.shards=4",
                                      "redis.fsync=no",
                                      "journal.url=sqlite:///j.db",
                                      "journal.password_file=/etc/journal-password",
                                      "journal.mode=durable",
                                      "journal.recover=off",
                                      "journal.backlog=2000",
                                      "journal.allowed_lag=3s",
                                      "journal.retention=8d",
                                      "journal.sample_every=7s",
                                      "queue.hot_horizon=3h",
                                      "limits.body=10",
                                      "limits.attempts=11",
                                      "retention.trash=1h",
                                      "retention.done=2h",
                                      "log.level=off",
                                      "log.format=json"}});
    ASSERT_TRUE(changed) << changed.error().front().toString();
    // All but sip.auth.sql, which excludes sip.auth.users.
    ASSERT_EQ(changedKeys(Config{}, *changed).size(), configKeys().size() - 1)
        << "a new key needs a changed value here";

    EXPECT_EQ(readConfigText(formatConfig(*changed), "printed").value(), *changed);
    auto inSql = *changed;
    inSql.sip.auth.users.clear();
    inSql.sip.auth.sql = "journal";
    EXPECT_EQ(readConfigText(formatConfig(inSql), "printed").value(), inSql);
}

TEST(PrintConfig, saysWhichKeysCanBeReloaded)
{
    EXPECT_THAT(formatConfig(Config{}), HasSubstr("standard error. (reload)\nlevel = \"info\""));
}

TEST(DefaultConfigFile, isWhatPrintConfigWrites)
{
    const char* source = std::getenv("RESTANTE_SOURCE_DIR");
    ASSERT_NE(source, nullptr) << "run by ctest, which sets it";
    const auto text = fileText(std::string(source) + "/resources/config/restante.toml");

    EXPECT_EQ(text, formatConfig(Config{}))
        << "restanted --print-config > resources/config/restante.toml";
    EXPECT_EQ(readConfigText(text, "restante.toml").value(), Config{});
}

TEST(ChangedKeys, namesWhatDiffers)
{
    Config after;
    after.redis.shards = 3;
    const auto changed = changedKeys(Config{}, after);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed.front()->name, "redis.shards");
    EXPECT_FALSE(changed.front()->reloadable);
}

class DefaultStateDirectory : public ::testing::Test {
protected:
    static void set(const char* name, const char* value)
    {
        value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    }
    static std::string with(const char* service, const char* state, const char* home)
    {
        set("STATE_DIRECTORY", service);
        set("XDG_STATE_HOME", state);
        set("HOME", home);
        return defaultStateDirectory().string();
    }
};

TEST_F(DefaultStateDirectory, isTheServicesOwnThenTheUsersThenTheSystems)
{
    const std::string home = std::getenv("HOME") == nullptr ? "/root" : std::getenv("HOME");
    EXPECT_EQ(with("/var/lib/restante:/x", "/s", "/h"), "/var/lib/restante");
    EXPECT_EQ(with(nullptr, "/s", "/h"), "/s/restante");
    EXPECT_EQ(with(nullptr, nullptr, "/h"), "/h/.local/state/restante");
    EXPECT_EQ(with(nullptr, "", nullptr), "/var/lib/restante");
    set("HOME", home.c_str());
}

}  // namespace
}  // namespace restante

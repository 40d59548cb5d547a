#include "core/config/key_builder.h"

#include <limits>

namespace restante::builder {

namespace {
using namespace std::chrono_literals;

bool isDatabase(std::string_view word)
{
    return word.empty() || word == "journal" || word.starts_with("sqlite:///") ||
           word.starts_with("mysql://") || word.starts_with("postgresql://");
}

bool isQuery(std::string_view word)
{
    return word.empty() ||
           (word.starts_with("SELECT ") && word.find("{user}") != std::string_view::npos);
}
}  // namespace

void addSipProxyLogin(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::string>(
        {"sip.proxy_user",
         "Who we are when sip.proxy asks for credentials (401 or 407). Empty: such an answer is\n"
         "final."},
        codec::text("a user name, or nothing"), [](auto& c) -> auto& { return c.sip.proxyUser; }));
    keys.push_back(one<std::filesystem::path>(
        {"sip.proxy_password_file",
         "A file whose first line is the password of sip.proxy_user. Only its owner and group may\n"
         "read it."},
        codec::path(), [](auto& c) -> auto& { return c.sip.proxyPasswordFile; }));
    keys.push_back(one<std::string>(
        {"sip.proxy_realm",
         "The realm in which sip.proxy knows us; a challenge of any other is not answered. Empty:\n"
         "the host of sip.proxy or a domain of sip.domain."},
        codec::text("the realm as the proxy writes it, or nothing"),
        [](auto& c) -> auto& { return c.sip.proxyRealm; }));
}

void addSipAuth(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::filesystem::path>(
        {"sip.auth.users",
         "A file of users who may send from addresses outside sip.trusted, with the password that\n"
         "a digest (RFC 7616) proves: \"user:domain:hash\" a line, made by restantectl sip-user.\n"
         "Only its owner and group may read it. A SIGHUP reads it again.",
         Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.sip.auth.users; }));
    keys.push_back(one<std::string>(
        {"sip.auth.sql",
         "The same users in a database instead: journal is the journal's, or a URL as for\n"
         "journal.url. Kept in memory for half a minute."},
        codec::text("journal, sqlite:///path, mysql://... or postgresql://..., or nothing",
                    isDatabase),
        [](auto& c) -> auto& { return c.sip.auth.sql; }));
    keys.push_back(one<std::string>(
        {"sip.auth.query",
         "How the database is asked for the hashes of {user} in {realm}, by SHA-256 and by MD5;\n"
         "one may be empty: SELECT '', ha1 FROM subscriber WHERE username = {user} AND\n"
         "domain = {realm}. Empty: from the table restante_user, which is made."},
        codec::text("SELECT with two columns and {user}, or nothing", isQuery),
        [](auto& c) -> auto& { return c.sip.auth.query; }));
    keys.push_back(one<bool>(
        {"sip.auth.sha256", "Whether a digest by SHA-256 (RFC 8760) is asked for."}, codec::flag(),
        [](auto& c) -> auto& { return c.sip.auth.sha256; }));
    keys.push_back(one<bool>(
        {"sip.auth.md5",
         "Whether one by MD5 is taken too, after SHA-256: many phones know nothing else."},
        codec::flag(), [](auto& c) -> auto& { return c.sip.auth.md5; }));
    keys.push_back(one<Millis>(
        {"sip.auth.nonce_lifetime", "How long the answer to a challenge may be used."},
        codec::duration(1s, 24h), [](auto& c) -> auto& { return c.sip.auth.nonceLifetime; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.auth.failures",
         "Wrong passwords a minute from one address; then it is answered 403. 0 = no limit."},
        codec::number<std::uint32_t>(0, std::numeric_limits<std::uint32_t>::max()),
        [](auto& c) -> auto& { return c.sip.auth.failures; }));
}

}  // namespace restante::builder

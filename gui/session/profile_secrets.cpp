#include "gui/session/profile_secrets.h"

#include "gui/session/secret_store.h"

#include <QCoreApplication>
#include <QStringList>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Whether an option holds a secret, by its name. `passfile` names a file.
bool isSecret(const QString& option)
{
    const auto name = QUrl::fromPercentEncoding(option.section(u'=', 0, 0).toUtf8()).toLower();
    const auto has = [&name](const char* word) { return name.contains(QLatin1String(word)); };
    return has("password") || has("passwd") || has("secret") || has("token") || name == u"pass" ||
           name == u"pwd";
}

/// "a", "a:1", "[::1]:1", or some of them: what is behind a colon is a port, for it has digits
/// only.
bool areHosts(const QString& authority)
{
    const auto hosts = authority.split(u',');
    return std::all_of(hosts.begin(), hosts.end(), [](const QString& host) {
        const auto colon = host.indexOf(u':');
        const auto port = colon < 0 ? QString() : host.mid(colon + 1);
        return host.startsWith(u'[') ||
               std::all_of(port.begin(), port.end(), [](QChar one) { return one.isDigit(); });
    });
}

/// "user:password@host:port" without the password.
QString withoutAccountPassword(const QString& rest)
{
    const auto authority =
        rest.left(std::min({rest.size(), rest.indexOf(u'/') < 0 ? rest.size() : rest.indexOf(u'/'),
                            rest.indexOf(u'?') < 0 ? rest.size() : rest.indexOf(u'?')}));
    const auto at = authority.lastIndexOf(u'@');
    if (at >= 0) {
        const auto colon = authority.indexOf(u':');
        return colon >= 0 && colon < at ? rest.left(colon) + rest.mid(at) : rest;
    }
    // A password with a slash in it ends the authority too early.
    const auto later = rest.lastIndexOf(u'@');
    const auto colon = authority.indexOf(u':');
    if (colon < 0 || later < 0 || areHosts(authority)) {
        return rest;
    }
    return rest.left(colon) + rest.mid(later);
}

/// What is appended to the id of a profile.
const QString kJournal = QStringLiteral("/journal");
const QString kSentinel = QStringLiteral("/sentinel");

bool isOfSentinels(const QString& url)
{
    return url.contains(QLatin1String("+sentinel://"));
}

void fetchSentinelSecret(SecretStore& secrets, ConnectionProfile profile, Fetched then)
{
    if (!profile.sentinelInKeychain || !isOfSentinels(profile.url)) {
        return then(profile);
    }
    const auto key = profile.id + kSentinel;
    secrets.read(key, [profile = std::move(profile),
                       then = std::move(then)](const tl::expected<QString, QString>& secret) {
        auto whole = profile;
        if (secret) {
            whole.url = withSentinelPassword(whole.url, *secret);
        }
        then(whole);
    });
}

}  // namespace

QString withoutSecrets(const QString& url)
{
    const auto scheme = url.indexOf(QLatin1String("://"));
    if (scheme < 0) {
        return url;
    }
    const auto rest = withoutAccountPassword(url.mid(scheme + 3));
    const auto mark = rest.indexOf(u'?');
    if (mark < 0) {
        return url.left(scheme + 3) + rest;
    }
    auto options = rest.mid(mark + 1).split(u'&');
    options.erase(std::remove_if(options.begin(), options.end(), isSecret), options.end());
    return url.left(scheme + 3) + rest.left(mark) +
           (options.isEmpty() ? QString() : u'?' + options.join(u'&'));
}

void keepJournalSecret(SecretStore& secrets, ConnectionProfile profile, Kept then)
{
    const auto whole = profile.journalUrl;
    profile.journalUrl = withoutSecrets(whole);
    if (profile.journalUrl == whole) {
        return then(std::move(profile));
    }
    profile.journalInKeychain = true;
    const auto key = profile.id + kJournal;
    secrets.write(key, whole,
                  [profile = std::move(profile),
                   then = std::move(then)](const tl::expected<void, QString>& kept) {
                      if (kept) {
                          return then(profile);
                      }
                      then(tl::unexpected(QCoreApplication::translate(
                                              "JournalSecret",
                                              "%1 The journal's address must not have a password "
                                              "in it then: let the database know you otherwise "
                                              "(peer, .pgpass, socket).")
                                              .arg(kept.error())));
                  });
}

void fetchJournalSecret(SecretStore& secrets, ConnectionProfile profile, Fetched then)
{
    if (!profile.journalInKeychain) {
        return then(profile);
    }
    const auto key = profile.id + kJournal;
    secrets.read(key, [profile = std::move(profile),
                       then = std::move(then)](const tl::expected<QString, QString>& secret) {
        auto whole = profile;
        // A password is for the address that it was typed with, and for no other.
        if (secret && withoutSecrets(*secret) == profile.journalUrl) {
            whole.journalUrl = *secret;
        }
        then(whole);
    });
}

void forgetJournalSecret(SecretStore& secrets, const QString& profileId)
{
    secrets.remove(profileId + kJournal);
}

QString withSentinelPassword(const QString& url, const QString& password)
{
    if (!isOfSentinels(url) || password.isEmpty()) {
        return url;
    }
    return url + (url.contains(u'?') ? u'&' : u'?') + QStringLiteral("sentinel_password=") +
           QString::fromLatin1(QUrl::toPercentEncoding(password));
}

void keepSentinelSecret(SecretStore& secrets,
                        ConnectionProfile profile,
                        const QString& typed,
                        Kept then)
{
    if (!profile.sentinelInKeychain || typed.isEmpty()) {
        return then(std::move(profile));
    }
    const auto key = profile.id + kSentinel;
    secrets.write(key, typed,
                  [profile = std::move(profile),
                   then = std::move(then)](const tl::expected<void, QString>& kept) {
                      then(kept.map([&] { return profile; }));
                  });
}

void forgetSentinelSecret(SecretStore& secrets, const QString& profileId)
{
    secrets.remove(profileId + kSentinel);
}

void fetchSecrets(SecretStore& secrets, const ConnectionProfile& profile, Fetched then)
{
    fetchJournalSecret(secrets, profile,
                       [&secrets, then = std::move(then)](const ConnectionProfile& whole) {
                           fetchSentinelSecret(secrets, whole, then);
                       });
}

}  // namespace restante::gui

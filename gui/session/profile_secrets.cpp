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
bool isHostList(const QString& authority)
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
QString withoutAccountPassword(const QString& afterScheme)
{
    const auto authority = afterScheme.left(
        std::min({afterScheme.size(),
                  afterScheme.indexOf(u'/') < 0 ? afterScheme.size() : afterScheme.indexOf(u'/'),
                  afterScheme.indexOf(u'?') < 0 ? afterScheme.size() : afterScheme.indexOf(u'?')}));
    const auto at = authority.lastIndexOf(u'@');
    if (at >= 0) {
        const auto colon = authority.indexOf(u':');
        return colon >= 0 && colon < at ? afterScheme.left(colon) + afterScheme.mid(at)
                                        : afterScheme;
    }
    // A password with a slash in it ends the authority too early.
    const auto lastAt = afterScheme.lastIndexOf(u'@');
    const auto colon = authority.indexOf(u':');
    const auto question = afterScheme.indexOf(u'?');
    const bool isInOptions = question >= 0 && lastAt > question;
    if (colon < 0 || lastAt < 0 || (isInOptions && isHostList(authority))) {
        return afterScheme;
    }
    return afterScheme.left(colon) + afterScheme.mid(lastAt);
}

/// Appended to the id of a profile: the key of its other secret in the keychain.
const QString kJournalKeySuffix = QStringLiteral("/journal");
const QString kSentinelKeySuffix = QStringLiteral("/sentinel");

bool isSentinelUrl(const QString& url)
{
    return url.contains(QLatin1String("+sentinel://"));
}

void fetchSentinelSecret(SecretStore& secrets, ConnectionProfile profile, FetchCallback done)
{
    if (!profile.sentinelInKeychain || !isSentinelUrl(profile.url)) {
        return done(profile);
    }
    const auto key = profile.id + kSentinelKeySuffix;
    secrets.read(key, [profile = std::move(profile),
                       done = std::move(done)](const tl::expected<QString, QString>& secret) {
        auto withSecret = profile;
        if (secret) {
            withSecret.url = withSentinelPassword(withSecret.url, *secret);
        }
        done(withSecret);
    });
}

}  // namespace

QString withoutSecrets(const QString& url)
{
    const auto scheme = url.indexOf(QLatin1String("://"));
    if (scheme < 0) {
        return url;
    }
    const auto afterScheme = withoutAccountPassword(url.mid(scheme + 3));
    const auto mark = afterScheme.indexOf(u'?');
    if (mark < 0) {
        return url.left(scheme + 3) + afterScheme;
    }
    auto options = afterScheme.mid(mark + 1).split(u'&');
    options.erase(std::remove_if(options.begin(), options.end(), isSecret), options.end());
    return url.left(scheme + 3) + afterScheme.left(mark) +
           (options.isEmpty() ? QString() : u'?' + options.join(u'&'));
}

void saveJournalSecret(SecretStore& secrets, ConnectionProfile profile, SaveCallback done)
{
    const auto fullUrl = profile.journalUrl;
    profile.journalUrl = withoutSecrets(fullUrl);
    if (profile.journalUrl == fullUrl) {
        return done(std::move(profile));
    }
    profile.journalInKeychain = true;
    const auto key = profile.id + kJournalKeySuffix;
    secrets.write(key, fullUrl,
                  [profile = std::move(profile),
                   done = std::move(done)](const tl::expected<void, QString>& written) {
                      if (written) {
                          return done(profile);
                      }
                      done(tl::unexpected(QCoreApplication::translate(
                                              "JournalSecret",
                                              "%1 The journal's address must not have a password "
                                              "in it then: let the database know you otherwise "
                                              "(peer, .pgpass, socket).")
                                              .arg(written.error())));
                  });
}

void fetchJournalSecret(SecretStore& secrets, ConnectionProfile profile, FetchCallback done)
{
    if (!profile.journalInKeychain) {
        return done(profile);
    }
    const auto key = profile.id + kJournalKeySuffix;
    secrets.read(key, [profile = std::move(profile),
                       done = std::move(done)](const tl::expected<QString, QString>& secret) {
        auto withSecret = profile;
        // A password is for the address that it was typed with, and for no other.
        if (secret && withoutSecrets(*secret) == profile.journalUrl) {
            withSecret.journalUrl = *secret;
        }
        done(withSecret);
    });
}

void removeJournalSecret(SecretStore& secrets, const QString& profileId)
{
    secrets.remove(profileId + kJournalKeySuffix);
}

QString withSentinelPassword(const QString& url, const QString& password)
{
    if (!isSentinelUrl(url) || password.isEmpty()) {
        return url;
    }
    return url + (url.contains(u'?') ? u'&' : u'?') + QStringLiteral("sentinel_password=") +
           QString::fromLatin1(QUrl::toPercentEncoding(password));
}

void saveSentinelSecret(SecretStore& secrets,
                        ConnectionProfile profile,
                        const QString& typed,
                        SaveCallback done)
{
    if (!profile.sentinelInKeychain || typed.isEmpty()) {
        return done(std::move(profile));
    }
    const auto key = profile.id + kSentinelKeySuffix;
    secrets.write(key, typed,
                  [profile = std::move(profile),
                   done = std::move(done)](const tl::expected<void, QString>& written) {
                      done(written.map([&] { return profile; }));
                  });
}

void removeSentinelSecret(SecretStore& secrets, const QString& profileId)
{
    secrets.remove(profileId + kSentinelKeySuffix);
}

void fetchSecrets(SecretStore& secrets, const ConnectionProfile& profile, FetchCallback done)
{
    fetchJournalSecret(
        secrets, profile,
        [&secrets, done = std::move(done)](const ConnectionProfile& withJournalSecret) {
            fetchSentinelSecret(secrets, withJournalSecret, done);
        });
}

}  // namespace restante::gui

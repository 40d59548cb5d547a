#include "gui/session/profile_secrets.h"

#include "gui/session/secret_store.h"
#include "gui/session/url_secrets.h"

#include <QCoreApplication>
#include <QUrl>

#include <utility>

namespace restante::gui {

namespace {

QString journalKey(const QString& profileId)
{
    return profileId + QStringLiteral("/journal");
}

QString sentinelKey(const QString& profileId)
{
    return profileId + QStringLiteral("/sentinel");
}

bool isOfSentinels(const QString& url)
{
    return url.contains(QLatin1String("+sentinel://"));
}

void fetchSentinelSecret(SecretStore& secrets, ConnectionProfile profile, Fetched then)
{
    if (!profile.sentinelInKeychain || !isOfSentinels(profile.url)) {
        return then(profile);
    }
    const auto key = sentinelKey(profile.id);
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

void keepJournalSecret(SecretStore& secrets, ConnectionProfile profile, Kept then)
{
    const auto whole = profile.journalUrl;
    profile.journalUrl = withoutSecrets(whole);
    if (profile.journalUrl == whole) {
        return then(std::move(profile));
    }
    profile.journalInKeychain = true;
    const auto key = journalKey(profile.id);
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
    const auto key = journalKey(profile.id);
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
    secrets.remove(journalKey(profileId));
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
    const auto key = sentinelKey(profile.id);
    secrets.write(key, typed,
                  [profile = std::move(profile),
                   then = std::move(then)](const tl::expected<void, QString>& kept) {
                      then(kept.map([&] { return profile; }));
                  });
}

void forgetSentinelSecret(SecretStore& secrets, const QString& profileId)
{
    secrets.remove(sentinelKey(profileId));
}

void fetchSecrets(SecretStore& secrets, const ConnectionProfile& profile, Fetched then)
{
    fetchJournalSecret(secrets, profile,
                       [&secrets, then = std::move(then)](const ConnectionProfile& whole) {
                           fetchSentinelSecret(secrets, whole, then);
                       });
}

}  // namespace restante::gui

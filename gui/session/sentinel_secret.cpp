#include "gui/session/sentinel_secret.h"

#include "gui/session/journal_secret.h"
#include "gui/session/secret_store.h"

#include <QUrl>

#include <utility>

namespace restante::gui {

namespace {

QString nameOf(const QString& profileId)
{
    return profileId + QStringLiteral("/sentinel");
}

bool isOfSentinels(const QString& url)
{
    return url.contains(QLatin1String("+sentinel://"));
}

}  // namespace

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
                        std::function<void(tl::expected<ConnectionProfile, QString>)> then)
{
    if (!profile.sentinelInKeychain || typed.isEmpty()) {
        return then(std::move(profile));
    }
    const auto name = nameOf(profile.id);
    secrets.write(name, typed,
                  [profile = std::move(profile),
                   then = std::move(then)](const tl::expected<void, QString>& kept) {
                      if (kept) {
                          then(profile);
                      } else {
                          then(tl::unexpected(kept.error()));
                      }
                  });
}

void fetchSentinelSecret(SecretStore& secrets,
                         ConnectionProfile profile,
                         std::function<void(const ConnectionProfile&)> then)
{
    if (!profile.sentinelInKeychain || !isOfSentinels(profile.url)) {
        return then(profile);
    }
    const auto name = nameOf(profile.id);
    secrets.read(name, [profile = std::move(profile),
                        then = std::move(then)](const tl::expected<QString, QString>& secret) {
        auto whole = profile;
        if (secret) {
            whole.url = withSentinelPassword(whole.url, *secret);
        }
        then(whole);
    });
}

void fetchSecrets(SecretStore& secrets,
                  const ConnectionProfile& profile,
                  std::function<void(const ConnectionProfile&)> then)
{
    fetchJournalSecret(secrets, profile,
                       [&secrets, then = std::move(then)](const ConnectionProfile& whole) {
                           fetchSentinelSecret(secrets, whole, then);
                       });
}

void forgetSentinelSecret(SecretStore& secrets, const QString& profileId)
{
    secrets.remove(nameOf(profileId));
}

}  // namespace restante::gui

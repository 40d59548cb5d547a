#include "gui/session/journal_secret.h"

#include "gui/session/secret_store.h"
#include "gui/session/url_secrets.h"

#include <QCoreApplication>

#include <utility>

namespace restante::gui {

namespace {

QString nameOf(const QString& profileId)
{
    return profileId + QStringLiteral("/journal");
}

}  // namespace

void keepJournalSecret(SecretStore& secrets,
                       ConnectionProfile profile,
                       std::function<void(tl::expected<ConnectionProfile, QString>)> then)
{
    const auto whole = profile.journalUrl;
    profile.journalUrl = withoutSecrets(whole);
    if (profile.journalUrl == whole) {
        return then(std::move(profile));
    }
    profile.journalInKeychain = true;
    const auto name = nameOf(profile.id);
    secrets.write(name, whole,
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

void fetchJournalSecret(SecretStore& secrets,
                        ConnectionProfile profile,
                        std::function<void(const ConnectionProfile&)> then)
{
    if (!profile.journalInKeychain) {
        return then(profile);
    }
    const auto name = nameOf(profile.id);
    secrets.read(name, [profile = std::move(profile),
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
    secrets.remove(nameOf(profileId));
}

}  // namespace restante::gui

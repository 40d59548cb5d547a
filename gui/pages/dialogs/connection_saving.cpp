#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/dialogs/connection_form.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/secret_store.h"

#include <QPointer>

namespace restante::gui {

// The part of ConnectionDialog that saves a connection: what is secret goes to the keychain first.

using Kind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;

void ConnectionDialog::save(const std::function<void()>& then)
{
    auto profile = form_->profile();
    if (const auto problem = problemOf(profile); !problem.isEmpty()) {
        return showProblem(problem);
    }
    const auto before = profiles_.find(profile.id);
    const bool hasOne = before && before->sentinelInKeychain;
    if (profile.sentinelInKeychain && !hasOne && form_->sentinelPassword().isEmpty()) {
        return showProblem(tr("Enter the password of the sentinels, or let it be that of Redis."));
    }
    // Another address has no use for the password of the one before.
    profile.journalInKeychain =
        before && before->journalInKeychain && before->journalUrl == profile.journalUrl;
    keepJournalSecret(
        secrets_, profile,
        [self = QPointer(this), then](const tl::expected<ConnectionProfile, QString>& kept) {
            if (self == nullptr) {
                return;
            }
            kept ? self->saveSentinels(*kept, then) : self->showProblem(kept.error());
        });
}

void ConnectionDialog::saveSentinels(const ConnectionProfile& profile,
                                     const std::function<void()>& then)
{
    keepSentinelSecret(
        secrets_, profile, form_->sentinelPassword(),
        [self = QPointer(this), then](const tl::expected<ConnectionProfile, QString>& kept) {
            if (self == nullptr) {
                return;
            }
            if (!kept) {
                return self->showProblem(kept.error());
            }
            const auto before = self->profiles_.find(kept->id);
            if (before && before->sentinelInKeychain && !kept->sentinelInKeychain) {
                forgetSentinelSecret(self->secrets_, kept->id);
            }
            self->save(*kept, then);
        });
}

void ConnectionDialog::save(const ConnectionProfile& profile, const std::function<void()>& then)
{
    const auto keep = [this, profile, then] {
        const auto password = form_->password();
        const auto sentinels = form_->sentinelPassword();
        profiles_.save(profile);
        fillList(profile.id);
        form_->setPassword(password);
        form_->setSentinelPassword(sentinels);
        then();
    };
    const bool inKeychain = profile.kind == Kind::Redis && profile.secret == Secret::Keychain;
    if (!inKeychain || form_->password().isEmpty()) {
        return keep();
    }
    secrets_.write(profile.id, form_->password(),
                   [self = QPointer(this), keep](const tl::expected<void, QString>& kept) {
                       if (self == nullptr) {
                           return;
                       }
                       if (kept) {
                           return keep();
                       }
                       self->showProblem(
                           tr("%1 Choose “Ask each time” instead.").arg(kept.error()));
                   });
}

void ConnectionDialog::connectNow()
{
    save([this] {
        const auto profile = profiles_.find(form_->profile().id).value_or(form_->profile());
        const auto password = profile.secret == Secret::Keychain ? form_->password() : QString();
        accept();
        emit connectWanted(profile, password);
    });
}

}  // namespace restante::gui

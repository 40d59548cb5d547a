#include "gui/shell/store_window.h"

#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/overview/overview_page.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/profile_store.h"
#include "gui/session/secret_store.h"
#include "gui/session/store_session.h"
#include "gui/theme/icons.h"

namespace restante::gui {

namespace {

using Kind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;

}  // namespace

StoreWindow::StoreWindow(Preferences& preferences,
                         ProfileStore& profiles,
                         SecretStore& secrets,
                         int number)
    : profiles_(profiles),
      secrets_(secrets),
      window_(preferences, number)
{
    auto& actions = window_.actions();
    connect(actions[ActionId::NewConnection], &QAction::triggered, this,
            [this] { showConnections({}); });
    connect(actions[ActionId::SwitchConnection], &QAction::triggered, this, [this] {
        const auto currentOrLast =
            profile_ && profiles_.find(profile_->id) ? profile_ : profiles_.lastOpened();
        const auto all = profiles_.all();
        showConnections(currentOrLast ? currentOrLast->id
                        : all.empty() ? QString()
                                      : all.front().id);
    });
    connect(actions[ActionId::Disconnect], &QAction::triggered, this, &StoreWindow::closeSession);
    const auto openDemo = [this] { emit profileChosen(demoProfile(), {}); };
    connect(&window_.jobs(), &JobsPage::demoRequested, this, openDemo);
    connect(&window_.jobs(), &JobsPage::cancelRequested, this, &StoreWindow::closeSession);
    connect(&window_.overview(), &OverviewPage::demoRequested, this, openDemo);
    connect(&window_.overview(), &OverviewPage::cancelRequested, this, &StoreWindow::closeSession);
    window_.tools().addToPalette([this] {
        std::vector<PaletteEntry> entries;
        for (const auto& profile : profiles_.all()) {
            entries.push_back({profile.name, tr("connection"),
                               icon(QStringLiteral("network-server")), true,
                               [this, profile] { emit profileChosen(profile, {}); }});
        }
        return entries;
    });
}

StoreWindow::~StoreWindow()
{
    // The pages emit signals while they are destroyed, too.
    window_.disconnect(this);
    window_.jobs().disconnect(this);
    window_.overview().disconnect(this);
}

void StoreWindow::closeSession()
{
    ++openings_;
    window_.open(nullptr);
    profile_.reset();
    password_.clear();
    emit profileChanged();
}

/// Sets the profile of a window without a session; askThenOpen() takes it back. A window with one
/// keeps its profile until the next session is open: the password dialog may be cancelled.
void StoreWindow::setProfileIfClosed(const ConnectionProfile& profile)
{
    if (window_.session() == nullptr) {
        profile_ = profile;
        emit profileChanged();
    }
}

void StoreWindow::open(const ConnectionProfile& profile)
{
    const auto opening = ++openings_;
    setProfileIfClosed(profile);
    if (profile.kind != Kind::Redis || profile.secret == Secret::None) {
        return open(profile, {});
    }
    if (profile.secret == Secret::Ask) {
        return askThenOpen(profile, {});
    }
    secrets_.read(profile.id, [self = QPointer(this), profile,
                               opening](const tl::expected<QString, QString>& secret) {
        if (self == nullptr || self->openings_ != opening) {
            return;
        }
        if (secret) {
            self->open(profile, *secret);
        } else {
            self->askThenOpen(profile, secret.error());
        }
    });
}

void StoreWindow::askThenOpen(const ConnectionProfile& profile, const QString& why)
{
    const auto forgetProfile = [this, opening = openings_] {
        if (openings_ == opening && window_.session() == nullptr) {
            profile_.reset();
            emit profileChanged();
        }
    };
    askPassword(
        &window_, profile, why,
        [this, profile](const QString& password) { open(profile, password); }, forgetProfile);
}

void StoreWindow::open(const ConnectionProfile& profile, const QString& password)
{
    const auto opening = ++openings_;
    setProfileIfClosed(profile);
    fetchSecrets(secrets_, profile,
                 [self = QPointer(this), password, opening](const ConnectionProfile& withSecrets) {
                     if (self != nullptr && self->openings_ == opening) {
                         self->startSession(withSecrets, password);
                     }
                 });
}

void StoreWindow::startSession(const ConnectionProfile& profile, const QString& password)
{
    password_ = password;
    profile_ = profile;
    window_.open(openSession(profile, password));
    window_.showPage(window_.shownId());
    if (profiles_.find(profile.id)) {
        profiles_.setLastOpened(profile.id);
    }
    emit profileChanged();
    emit opened();
}

ConnectionDialog* StoreWindow::showConnections(const QString& id)
{
    if (dialog_ == nullptr) {
        dialog_ = new ConnectionDialog(profiles_, secrets_, &window_);
        dialog_->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog_, &ConnectionDialog::connectRequested, this, &StoreWindow::profileChosen);
        connect(dialog_, &ConnectionDialog::newWindowRequested, this,
                &StoreWindow::newWindowRequested);
    }
    dialog_->selectProfile(id);
    dialog_->open();
    return dialog_;
}

}  // namespace restante::gui

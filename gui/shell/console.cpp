#include "gui/shell/console.h"

#include "gui/base/preferences.h"
#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/overview/overview_page.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/store_session.h"
#include "gui/theme/icons.h"

#include <QFileInfo>
#include <QPixmap>

#include <cstdio>

namespace restante::gui {

namespace {

using Kind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;

constexpr int kLookMs = 50;
/// The page has its rows; counts and the detail follow in a moment.
constexpr int kSettleMs = 700;
/// A page that does not get what it asked for is pictured as it is.
constexpr int kTimeoutMs = 15'000;
/// A picture has a size of its own, whatever the screen is.
constexpr QSize kPictureSize(1'280, 800);

int printError(const QString& what)
{
    std::fprintf(stderr, "restante-admin: %s\n", qPrintable(what));
    return 1;
}

ConnectionProfile profileOfConfig(const QString& file)
{
    ConnectionProfile profile;
    profile.id = QStringLiteral("config");
    profile.name = QFileInfo(file).fileName();
    profile.kind = Kind::Local;
    profile.configFile = file;
    return profile;
}

}  // namespace

Console::Console(Preferences& preferences, std::unique_ptr<SecretStore> secrets)
    : preferences_(preferences),
      window_(preferences),
      profiles_(preferences),
      secrets_(secrets ? std::move(secrets) : std::make_unique<Keychain>())
{
    look_.setInterval(kLookMs);
    connect(&look_, &QTimer::timeout, this, &Console::lookForPicture);
    auto& actions = window_.actions();
    connect(actions[ActionId::NewConnection], &QAction::triggered, this,
            [this] { showConnections({}); });
    connect(actions[ActionId::SwitchConnection], &QAction::triggered, this, [this] {
        const auto last = profiles_.last();
        const auto all = profiles_.all();
        showConnections(last ? last->id : all.empty() ? QString() : all.front().id);
    });
    const auto openDemo = [this] { open(demoProfile(), {}); };
    const auto cancel = [this] { window_.open(nullptr); };
    connect(&window_.jobs(), &JobsPage::demoRequested, this, openDemo);
    connect(&window_.jobs(), &JobsPage::cancelRequested, this, cancel);
    connect(&window_.overview(), &OverviewPage::demoRequested, this, openDemo);
    connect(&window_.overview(), &OverviewPage::cancelRequested, this, cancel);
    window_.tools().addToPalette([this] {
        std::vector<PaletteEntry> entries;
        for (const auto& profile : profiles_.all()) {
            entries.push_back({profile.name, tr("connection"),
                               icon(QStringLiteral("network-server")), true,
                               [this, profile] { open(profile); }});
        }
        return entries;
    });
}

Console::~Console()
{
    // The pages tell of their end, too.
    window_.jobs().disconnect(this);
    window_.overview().disconnect(this);
}

void Console::start(const StartOptions& options)
{
    picture_ = options.screenshot;
    if (!picture_.isEmpty()) {
        window_.resize(kPictureSize);
    }
    window_.showPage(options.page.value_or(picture_.isEmpty() ? PageId::Overview : PageId::Jobs));
    if (options.demo) {
        return open(demoProfile(), {});
    }
    if (!options.config.isEmpty()) {
        return open(profileOfConfig(options.config), {});
    }
    if (!options.redis.isEmpty()) {
        const auto pasted = profileFromUrl(options.redis);
        if (pasted) {
            auto profile = pasted->profile;
            profile.url = withSentinelPassword(profile.url, pasted->sentinelPassword);
            profile.sentinelInKeychain = false;  // it has been told
            return open(profile, pasted->password);
        }
        // Shown where all problems of connections are shown.
        ConnectionProfile profile;
        // Not the address itself: there may be a password in it.
        profile.name = tr("Redis");
        profile.kind = Kind::Redis;
        profile.url = options.redis;
        return open(profile, {});
    }
    if (const auto last = profiles_.last(); last && preferences_.reopensLast()) {
        return open(*last);
    }
    if (!picture_.isEmpty()) {
        emit pictureDone(printError(tr("There is no connection to take a picture of.")));
    }
}

void Console::open(const ConnectionProfile& profile)
{
    if (profile.kind != Kind::Redis || profile.secret == Secret::None) {
        return open(profile, {});
    }
    if (profile.secret == Secret::Ask) {
        return askThenOpen(profile, {});
    }
    secrets_->read(profile.id,
                   [self = QPointer(this), profile](const tl::expected<QString, QString>& secret) {
                       if (self == nullptr) {
                           return;
                       }
                       if (secret) {
                           self->open(profile, *secret);
                       } else {
                           self->askThenOpen(profile, secret.error());
                       }
                   });
}

void Console::askThenOpen(const ConnectionProfile& profile, const QString& why)
{
    askPassword(&window_, profile, why,
                [this, profile](const QString& password) { open(profile, password); });
}

void Console::open(const ConnectionProfile& profile, const QString& password)
{
    fetchSecrets(*secrets_, profile,
                 [self = QPointer(this), password](const ConnectionProfile& whole) {
                     if (self != nullptr) {
                         self->openNow(whole, password);
                     }
                 });
}

void Console::openNow(const ConnectionProfile& profile, const QString& password)
{
    window_.open(openSession(profile, password));
    window_.showPage(window_.shownId());
    if (profiles_.find(profile.id)) {
        profiles_.setLast(profile.id);
    }
    if (!picture_.isEmpty()) {
        watchForPicture();
    }
}

ConnectionDialog* Console::showConnections(const QString& id)
{
    if (dialog_ == nullptr) {
        dialog_ = new ConnectionDialog(profiles_, *secrets_, &window_);
        dialog_->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog_, &ConnectionDialog::connectRequested, this,
                [this](const ConnectionProfile& profile, const QString& password) {
                    if (password.isEmpty()) {
                        open(profile);
                    } else {
                        open(profile, password);
                    }
                });
    }
    dialog_->choose(id);
    dialog_->open();
    return dialog_;
}

void Console::watchForPicture()
{
    ready_.invalidate();
    loaded_.invalidate();
    look_.start();
}

void Console::lookForPicture()
{
    const auto* session = window_.session();
    if (session == nullptr) {
        return;
    }
    const auto& link = session->link();
    if (link.phase == LinkState::Phase::Failed) {
        look_.stop();
        emit pictureDone(printError(link.problem));
        return;
    }
    if (link.phase != LinkState::Phase::Ready) {
        return;
    }
    if (!ready_.isValid()) {
        ready_.start();
    }
    if (window_.isLoaded() && !loaded_.isValid()) {
        loaded_.start();
    }
    const bool isSettled = loaded_.isValid() && loaded_.hasExpired(kSettleMs);
    if (isSettled || ready_.hasExpired(kTimeoutMs)) {
        look_.stop();
        takePicture();
    }
}

void Console::takePicture()
{
    const auto taken = window_.grab().save(picture_, "PNG");
    emit pictureDone(taken ? 0
                           : printError(tr("The picture cannot be written to %1.").arg(picture_)));
}

}  // namespace restante::gui

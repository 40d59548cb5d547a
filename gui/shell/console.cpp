#include "gui/shell/console.h"

#include "gui/base/preferences.h"
#include "gui/operations/task_board.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/store_session.h"
#include "gui/theme/icons.h"

#include <QFileInfo>
#include <QPixmap>
#include <QPointer>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

using Kind = ConnectionProfile::Kind;

constexpr int kPictureCheckMs = 50;
/// After the page has its rows, its counts and the detail arrive within this time.
constexpr int kSettleMs = 700;
/// After this time the picture is taken even if the page is incomplete.
constexpr int kTimeoutMs = 15'000;
/// The size of a picture, independent of the screen.
constexpr QSize kPictureSize(1'280, 800);

int printErrorAndFail(const QString& what)
{
    std::fprintf(stderr, "restante-admin: %s\n", qPrintable(what));
    return 1;
}

ConnectionProfile profileForConfig(const QString& file)
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
      profiles_(preferences),
      secrets_(secrets ? std::move(secrets) : std::make_unique<Keychain>())
{
    if (preferences_.reopensLast()) {
        previousWindows_ = openWindows(preferences_);
        std::erase_if(previousWindows_,
                      [this](const auto& one) { return !profiles_.find(one.profileId); });
    }
    pictureTimer_.setInterval(kPictureCheckMs);
    connect(&pictureTimer_, &QTimer::timeout, this, &Console::checkPicture);
    addWindow(previousWindows_.empty() ? 1 : previousWindows_.front().number);
}

Console::~Console()
{
    for (const auto& window : windows_) {
        window->disconnect(this);
        window->window().disconnect(this);
    }
}

std::vector<MainWindow*> Console::windows() const
{
    std::vector<MainWindow*> all;
    for (const auto& window : windows_) {
        all.push_back(&window->window());
    }
    return all;
}

StoreWindow& Console::addWindow(int number)
{
    auto& added = *windows_.emplace_back(
        std::make_unique<StoreWindow>(preferences_, profiles_, *secrets_, number));
    auto& window = added.window();
    auto& actions = window.actions();
    connect(&added, &StoreWindow::profileChosen, this,
            [this, &added](const ConnectionProfile& profile, const QString& password) {
                openOrRaise(added, profile, password);
            });
    connect(&added, &StoreWindow::newWindowRequested, this,
            [this, &added](const ConnectionProfile& profile, const QString& password) {
                openBeside(added, profile, password);
            });
    connect(&added, &StoreWindow::profileChanged, this, &Console::saveOpenWindows);
    connect(&added, &StoreWindow::opened, this, [this] {
        if (!picture_.isEmpty()) {
            watchForPicture();
        }
    });
    connect(actions[ActionId::NewWindow], &QAction::triggered, this, &Console::newWindow);
    connect(actions[ActionId::DuplicateWindow], &QAction::triggered, this,
            [this, &added] { duplicate(added); });
    connect(actions[ActionId::NextWindow], &QAction::triggered, this,
            [this, &added] { activateNext(added); });
    connect(actions[ActionId::Quit], &QAction::triggered, this, &Console::quit);
    connect(&window, &MainWindow::connectionChanged, this, &Console::updateWindowMenus);
    connect(&window, &MainWindow::closed, this, [this, &added] { remove(added); });
    window.tools().addToPalette([this] {
        std::vector<PaletteEntry> entries;
        for (const auto& other : windows_) {
            entries.push_back({other->window().windowTitle(), tr("window"),
                               icon(QStringLiteral("window-next")), true,
                               [window = QPointer(&other->window())] {
                                   if (window != nullptr) {
                                       window->bringToFront();
                                   }
                               }});
        }
        return entries;
    });
    updateWindowMenus();
    return added;
}

/// The smallest number that no window has.
int Console::unusedNumber() const
{
    int number = 1;
    const auto isTaken = [&](const auto& window) { return window->window().number() == number; };
    while (std::any_of(windows_.begin(), windows_.end(), isTaken)) {
        ++number;
    }
    return number;
}

StoreWindow* Console::windowOf(const ConnectionProfile& profile) const
{
    const auto found = std::find_if(windows_.begin(), windows_.end(), [&](const auto& window) {
        return window->profile() && window->profile()->id == profile.id;
    });
    return found == windows_.end() ? nullptr : found->get();
}

StoreWindow* Console::activeWindow() const
{
    const auto found = std::find_if(windows_.begin(), windows_.end(), [](const auto& window) {
        return window->window().isActiveWindow();
    });
    return found == windows_.end() ? windows_.back().get() : found->get();
}

/// A store is opened in one window only, unless a second one is requested: two windows that look
/// alike are easily confused.
bool Console::raiseIfOpen(const ConnectionProfile& profile)
{
    auto* shown = windowOf(profile);
    if (shown == nullptr || shown->window().session() == nullptr) {
        return false;
    }
    shown->window().bringToFront();
    shown->window().showStatusMessage(
        tr("“%1” was open already. Window, Duplicate Window opens it a second time.")
            .arg(profile.name));
    return true;
}

void Console::openOrRaise(StoreWindow& window,
                          const ConnectionProfile& profile,
                          const QString& password)
{
    const bool isSameProfile = window.profile() && window.profile()->id == profile.id;
    if (isSameProfile || !raiseIfOpen(profile)) {
        openWith(window, profile, password);
    }
}

void Console::openWith(StoreWindow& window,
                       const ConnectionProfile& profile,
                       const QString& password)
{
    if (password.isEmpty()) {
        window.open(profile);
    } else {
        window.open(profile, password);
    }
}

MainWindow& Console::openInNewWindow(const ConnectionProfile& profile, const QString& password)
{
    return openBeside(*activeWindow(), profile, password);
}

MainWindow&
Console::openBeside(StoreWindow& other, const ConnectionProfile& profile, const QString& password)
{
    if (raiseIfOpen(profile)) {
        return windowOf(profile)->window();
    }
    // A window without a connection is used first.
    const bool isEmpty = !other.profile() && other.window().session() == nullptr;
    auto& window = isEmpty ? other : showBeside(other);
    openWith(window, profile, password);
    return window.window();
}

/// Adds a window, shifted from `other`, unless a layout is saved under its number.
StoreWindow& Console::showBeside(StoreWindow& other)
{
    const auto number = unusedNumber();
    auto& added = addWindow(number);
    auto& window = added.window();
    if (!window.hasLayout()) {
        const auto step = window.fontMetrics().height() * 2;
        window.resize(other.window().size());
        window.move(other.window().pos() + QPoint(step, step));
    }
    window.showPage(other.window().shownId());
    window.bringToFront();
    return added;
}

void Console::newWindow()
{
    auto& added = showBeside(*activeWindow());
    added.window().showPage(PageId::Overview);
    const auto all = profiles_.all();
    // Preselects the first connection that is not open.
    const auto found = std::find_if(all.begin(), all.end(), [this](const auto& profile) {
        return windowOf(profile) == nullptr;
    });
    added.showConnections(found == all.end() ? QString() : found->id);
}

void Console::duplicate(StoreWindow& window)
{
    if (const auto profile = window.profile()) {
        auto& added = showBeside(window);
        openWith(added, *profile, window.password());
    }
}

void Console::activateNext(const StoreWindow& window)
{
    const auto found = std::find_if(windows_.begin(), windows_.end(),
                                    [&](const auto& one) { return one.get() == &window; });
    const auto next = std::next(found) == windows_.end() ? windows_.begin() : std::next(found);
    (*next)->window().bringToFront();
}

/// Removes a closed window. The last one is kept: closing it ends the program.
void Console::remove(StoreWindow& window)
{
    if (isQuitting_ || windows_.size() == 1) {
        return;
    }
    const auto found = std::find_if(windows_.begin(), windows_.end(),
                                    [&](const auto& one) { return one.get() == &window; });
    window.disconnect(this);
    window.window().disconnect(this);
    found->release()->deleteLater();  // its closeEvent() is still running
    windows_.erase(found);
    saveOpenWindows();
    updateWindowMenus();
}

void Console::updateWindowMenus()
{
    std::vector<WindowLook> looks;
    for (const auto& window : windows_) {
        const auto* session = window->window().session();
        looks.emplace_back(window->window().windowTitle(),
                           session != nullptr ? session->profile().color : QColor());
    }
    if (looks == listedWindows_) {
        return;
    }
    listedWindows_ = looks;
    for (const auto& window : windows_) {
        std::vector<MainWindow::WindowEntry> entries;
        for (std::size_t at = 0; at < windows_.size(); ++at) {
            const auto& other = windows_[at];
            entries.push_back({looks[at].first, looks[at].second, other == window,
                               [&other = other->window()] { other.bringToFront(); }});
        }
        window->window().setWindows(entries);
    }
}

/// Called at each change, so that nothing is lost if the program is killed. Without a window that
/// could be reopened the saved list is kept.
void Console::saveOpenWindows()
{
    if (isQuitting_) {
        return;
    }
    std::vector<OpenWindow> open;
    for (const auto& window : windows_) {
        const auto& profile = window->profile();
        if (profile && profiles_.find(profile->id)) {
            open.push_back({window->window().number(), profile->id});
        }
    }
    if (!open.empty()) {
        setOpenWindows(preferences_, open);
    }
}

void Console::quit()
{
    int runningTasks = 0;
    QStringList lines;
    for (const auto& window : windows_) {
        const auto count = window->window().board().runningCount();
        if (count > 0) {
            const auto& profile = window->profile();
            lines.append(tr("%1: %Ln task(s)", "", count)
                             .arg(profile ? profile->name : window->window().windowTitle()));
        }
        runningTasks += count;
    }
    const auto closeAll = [this] {
        isQuitting_ = true;
        for (const auto& window : windows_) {
            window->window().closeWithoutAsking();
        }
    };
    if (runningTasks == 0) {
        return closeAll();
    }
    activeWindow()->window().confirmStop(
        tr("Quit"), tr("&Quit Anyway"),
        tr("%Ln task(s) are running and will be stopped.", "", runningTasks),
        windows_.size() > 1 ? lines.join(u'\n') : QString(), closeAll);
}

void Console::start(const StartOptions& options)
{
    picture_ = options.screenshot;
    if (!picture_.isEmpty()) {
        window().resize(kPictureSize);
    }
    window().showPage(options.page.value_or(picture_.isEmpty() ? PageId::Overview : PageId::Jobs));
    if (options.demo) {
        return open(demoProfile(), {});
    }
    if (!options.config.isEmpty()) {
        return open(profileForConfig(options.config), {});
    }
    if (!options.redis.isEmpty()) {
        const auto pasted = profileFromUrl(options.redis);
        if (pasted) {
            auto profile = pasted->profile;
            profile.url = withSentinelPassword(profile.url, pasted->sentinelPassword);
            profile.sentinelInKeychain = false;  // it is in the URL
            return open(profile, pasted->password);
        }
        // The window shows the problem, as that of any connection.
        ConnectionProfile profile;
        // Not the address itself, which may contain a password.
        profile.name = tr("Redis");
        profile.kind = Kind::Redis;
        profile.url = options.redis;
        return open(profile, {});
    }
    if (reopenPreviousWindows()) {
        return;
    }
    if (const auto last = profiles_.lastOpened(); last && preferences_.reopensLast()) {
        return open(*last);
    }
    if (!picture_.isEmpty()) {
        emit pictureDone(printErrorAndFail(tr("There is no connection to take a picture of.")));
    }
}

/// For a picture only the first window is opened.
bool Console::reopenPreviousWindows()
{
    if (previousWindows_.empty()) {
        return false;
    }
    const auto count = picture_.isEmpty() ? previousWindows_.size() : 1;
    for (std::size_t at = 0; at < count; ++at) {
        auto& window = at == 0 ? *windows_.front() : addWindow(previousWindows_[at].number);
        if (at > 0) {
            window.window().show();
        }
        window.open(*profiles_.find(previousWindows_[at].profileId));
    }
    windows_.front()->window().bringToFront();
    return true;
}

void Console::open(const ConnectionProfile& profile)
{
    windows_.front()->open(profile);
}

void Console::open(const ConnectionProfile& profile, const QString& password)
{
    windows_.front()->open(profile, password);
}

ConnectionDialog* Console::showConnections(const QString& id)
{
    return windows_.front()->showConnections(id);
}

void Console::watchForPicture()
{
    sinceReady_.invalidate();
    sinceLoaded_.invalidate();
    pictureTimer_.start();
}

void Console::checkPicture()
{
    const auto* session = window().session();
    if (session == nullptr) {
        return;
    }
    const auto& link = session->link();
    if (link.phase == LinkState::Phase::Failed) {
        pictureTimer_.stop();
        emit pictureDone(printErrorAndFail(link.problem));
        return;
    }
    if (link.phase != LinkState::Phase::Ready) {
        return;
    }
    if (!sinceReady_.isValid()) {
        sinceReady_.start();
    }
    if (window().isLoaded() && !sinceLoaded_.isValid()) {
        sinceLoaded_.start();
    }
    const bool isSettled = sinceLoaded_.isValid() && sinceLoaded_.hasExpired(kSettleMs);
    if (isSettled || sinceReady_.hasExpired(kTimeoutMs)) {
        pictureTimer_.stop();
        takePicture();
    }
}

void Console::takePicture()
{
    const bool isSaved = window().grab().save(picture_, "PNG");
    emit pictureDone(
        isSaved ? 0 : printErrorAndFail(tr("The picture cannot be written to %1.").arg(picture_)));
}

}  // namespace restante::gui

#include "gui/app/console.h"

#include "gui/app/page.h"
#include "gui/session/session_opening.h"

#include <QPixmap>

#include <cstdio>

namespace restante::gui {

namespace {

/// The page has its rows; counts and the detail follow in a moment.
constexpr int kSettleMs = 700;
/// A page that tells nothing is pictured as it is.
constexpr int kPatienceMs = 5'000;

int complain(const QString& what)
{
    std::fprintf(stderr, "restante-admin: %s\n", qPrintable(what));
    return 1;
}

}  // namespace

Console::Console(Preferences& preferences) : preferences_(preferences), window_(preferences)
{
    settle_.setSingleShot(true);
    connect(&settle_, &QTimer::timeout, this, &Console::takePicture);
}

Console::~Console() = default;

void Console::start(const StartOptions& options)
{
    picture_ = options.screenshot;
    if (options.demo) {
        open(demoProfile());
    } else if (!picture_.isEmpty()) {
        emit pictureDone(complain(tr("There is no connection to take a picture of.")));
    }
}

void Console::open(const ConnectionProfile& profile, const QString& password)
{
    window_.open(openSession(profile, password));
    window_.showPage(0);
    if (!picture_.isEmpty()) {
        connect(&window_.session()->backend(), &Backend::linkChanged, this,
                &Console::waitForPicture);
        if (auto* jobs = window_.page(0)) {
            connect(jobs, &Page::told, this, [this] { settle_.start(kSettleMs); });
        }
    }
}

void Console::waitForPicture()
{
    const auto& link = window_.session()->link();
    if (link.phase == LinkState::Phase::Failed) {
        emit pictureDone(complain(link.problem));
    } else if (link.phase == LinkState::Phase::Ready && !settle_.isActive()) {
        settle_.start(kPatienceMs);
    }
}

void Console::takePicture()
{
    const auto taken = window_.grab().save(picture_, "PNG");
    emit pictureDone(taken ? 0
                           : complain(tr("The picture cannot be written to %1.").arg(picture_)));
}

}  // namespace restante::gui

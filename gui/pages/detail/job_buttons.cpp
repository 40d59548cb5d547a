#include "gui/pages/detail/job_buttons.h"

#include "gui/theme/icons.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

struct Command {
    Verb verb;
    const char* icon;
};
constexpr std::array kCommands{
    Command{Verb::RunNow, "media-playback-start"}, Command{Verb::Reschedule, "appointment-new"},
    Command{Verb::Hold, "media-playback-pause"},   Command{Verb::Release, "go-next"},
    Command{Verb::Restore, "edit-reset"},          Command{Verb::Trash, "user-trash"},
    Command{Verb::Purge, "edit-delete"},
};

QString textOfVerb(Verb verb)
{
    switch (verb) {
    case Verb::RunNow: return JobButtons::tr("Run Now");
    case Verb::Reschedule: return JobButtons::tr("Re&schedule…");
    case Verb::Hold: return JobButtons::tr("&Hold");
    case Verb::Release: return JobButtons::tr("Re&lease");
    case Verb::Restore: return JobButtons::tr("Res&tore");
    case Verb::Trash: return JobButtons::tr("&Move to Trash");
    case Verb::Purge: return JobButtons::tr("&Delete for Good…");
    case Verb::Finish:
    case Verb::Bury: break;
    }
    return {};
}

}  // namespace

JobButtons::JobButtons(QWidget* parent)
    : QWidget(parent),
      run_(new QToolButton(this)),
      more_(new QToolButton(this)),
      menu_(new QMenu(this))
{
    for (const auto& command : kCommands) {
        auto* action = new QAction(icon(QString::fromLatin1(command.icon)), {}, this);
        const auto verb = command.verb;
        connect(action, &QAction::triggered, this, [this, verb] { emit wanted(verb); });
        entries_.push_back({verb, action});
        if (verb != Verb::RunNow) {
            menu_->addAction(action);
        }
    }
    run_->setObjectName(QStringLiteral("detailRun"));
    run_->setDefaultAction(action(Verb::RunNow));
    run_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    more_->setObjectName(QStringLiteral("detailMore"));
    more_->setMenu(menu_);
    more_->setPopupMode(QToolButton::InstantPopup);
    for (auto* button : {run_, more_}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(run_);
    row->addWidget(more_);
    retranslate();
}

void JobButtons::setContent(const std::optional<JobView>& view, const QString& refusal)
{
    setVisible(view.has_value());
    for (const auto& entry : entries_) {
        const auto states = statesFor(entry.verb);
        const bool fits =
            view && std::find(states.begin(), states.end(), view->state) != states.end();
        entry.action->setEnabled(fits && refusal.isEmpty());
        const auto text = textOfVerb(entry.verb).remove(u'&');
        entry.action->setToolTip(!refusal.isEmpty() ? text + u'\n' + refusal
                                 : fits             ? text
                                        : text + u'\n' + tr("Its state does not allow that."));
    }
}

void JobButtons::retranslate()
{
    for (const auto& entry : entries_) {
        entry.action->setText(textOfVerb(entry.verb));
    }
    run_->setAccessibleName(tr("Run this job now"));
    more_->setText(tr("More"));
    more_->setAccessibleName(tr("More that can be done with this job"));
    menu_->setToolTipsVisible(true);
}

QAction* JobButtons::action(Verb verb) const
{
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.verb == verb; });
    return found == entries_.end() ? nullptr : found->action;
}

}  // namespace restante::gui

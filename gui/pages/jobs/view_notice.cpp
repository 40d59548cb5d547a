#include "gui/pages/jobs/view_notice.h"

#include "gui/pages/jobs/filter_text.h"
#include "gui/theme/theme.h"

#include <QCoreApplication>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr int kMostTerms = 8;
constexpr qsizetype kLongestTerm = 40;

/// Where the translations find these texts.
struct NoticeText {
    Q_DECLARE_TR_FUNCTIONS(NoticeText)
};

QString shown(const QString& term)
{
    auto text = term.size() <= kLongestTerm ? term : term.left(kLongestTerm) + QChar(0x2026);
    // A button would take it for a mnemonic.
    return text.replace(u'&', QLatin1String("&&"));
}

}  // namespace

NoticeChoice noticeWithoutSession()
{
    return {{QStringLiteral("network-server"),
             NoticeText::tr("No store is open"),
             NoticeText::tr(
                 "Connect to the store of a daemon on this machine, or to a Redis elsewhere. Or "
                 "look around in a store that is made up: it needs no server."),
             {NoticeText::tr("&Add Your First Connection…"), NoticeText::tr("&Open Connection…"),
              NoticeText::tr("&Demo Data")},
             false},
            {NoticeAct::NewConnection, NoticeAct::OpenConnection, NoticeAct::Demo}};
}

NoticeChoice noticeOf(const LinkState& link)
{
    using Phase = LinkState::Phase;
    if (link.phase == Phase::Connecting) {
        return {{QStringLiteral("network-server"),
                 NoticeText::tr("Connecting…"),
                 link.step,
                 {NoticeText::tr("&Cancel")},
                 true},
                {NoticeAct::Cancel}};
    }
    const auto title = link.phase == Phase::Lost ? NoticeText::tr("The connection was lost")
                                                 : NoticeText::tr("There is no connection");
    return {{QStringLiteral("network-disconnect"),
             title,
             link.problem,
             {NoticeText::tr("&Try Again"), NoticeText::tr("&Open Connection…")},
             false},
            {NoticeAct::Retry, NoticeAct::OpenConnection}};
}

NoticeChoice noticeWhileLoading()
{
    return {{QStringLiteral("view-refresh"), NoticeText::tr("Loading…"), {}, {}, true}, {}};
}

NoticeChoice noticeWhileScanning()
{
    return {{QStringLiteral("edit-find"),
             NoticeText::tr("Looking…"),
             NoticeText::tr(
                 "Nothing is found yet. The store has no index for this filter, so jobs are looked "
                 "at one by one."),
             {},
             true},
            {}};
}

NoticeChoice noticeOfNothing(const JobsView& view)
{
    NoticeChoice choice;
    auto& notice = choice.notice;
    notice.icon = QStringLiteral("filter");
    const auto filter = QString::fromStdString(view.filter.text());
    const bool narrowed = !view.states.empty() || view.channel || !view.topic.empty();
    if (filter.isEmpty()) {
        notice.headline =
            !narrowed ? NoticeText::tr("The store has no jobs") : NoticeText::tr("No jobs here");
        notice.sentence =
            view.states.size() == 1
                ? NoticeText::tr("This view shows jobs in state “%1”, and there are none.")
                      .arg(Theme::stateName(view.states.front()))
            : narrowed ? NoticeText::tr("No job is of this channel and topic.")
                       : NoticeText::tr("Jobs appear here as soon as somebody pushes one.");
    } else {
        notice.headline = NoticeText::tr("No job matches");
        notice.sentence = filter;
        const auto terms = termsOf(filter);
        for (int at = 0; terms.size() > 1 && at < std::min<qsizetype>(terms.size(), kMostTerms);
             ++at) {
            notice.buttons.append(NoticeText::tr("Without %1").arg(shown(terms.at(at))));
            choice.acts.push_back(NoticeAct::Term);
        }
        notice.buttons.append(NoticeText::tr("&Clear the Filter"));
        choice.acts.push_back(NoticeAct::WholeFilter);
    }
    if (narrowed) {
        notice.buttons.append(NoticeText::tr("&Show All States, Channels and Topics"));
        choice.acts.push_back(NoticeAct::AllStates);
    }
    return choice;
}

}  // namespace restante::gui

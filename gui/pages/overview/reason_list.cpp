#include "gui/pages/overview/reason_list.h"

#include "core/job/job_filter.h"
#include "gui/operations/reason_text.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/icons.h"
#include "gui/theme/link_button.h"
#include "gui/theme/table_style.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <cctype>

namespace restante::gui {

namespace {

/// A value of a filter has at most 1,024 bytes; the beginning of so long an error is enough.
constexpr std::size_t kMaxErrorBytes = 400;
/// The error of expired jobs: a retry would expire again.
constexpr std::string_view kExpired = "expired";

/// Cuts at the end of a UTF-8 character.
std::string truncated(const std::string& text)
{
    auto end = std::min(text.size(), kMaxErrorBytes);
    while (end < text.size() && end > 0 &&
           (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end);
}

std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char character) {
        return static_cast<char>(std::tolower(character));
    });
    return text;
}

bool containsIgnoringCase(const std::string& text, const std::string& substring)
{
    return lowered(text).find(lowered(substring)) != std::string::npos;
}

/// `err` matches by containment: longer errors that contain this one are excluded, unless their
/// truncated text is contained in this error, which would exclude it as well.
std::string filterOf(const std::string& error, const DeadReasons& reasons)
{
    if (error.empty()) {
        return "state:dead -err:*";
    }
    const auto value = truncated(error);
    auto filter = "state:dead " + filterFor("err", value);
    for (const auto& [otherError, jobs] : reasons.jobs) {
        const auto otherValue = truncated(otherError);
        const auto exclusion = " -" + filterFor("err", otherValue);
        if (containsIgnoringCase(otherError, value) && !containsIgnoringCase(error, otherValue) &&
            filter.size() + exclusion.size() < JobFilter::kLongest) {
            filter += exclusion;
        }
    }
    return filter;
}

}  // namespace

std::vector<ReasonList::Reason> ReasonList::mostCommon(const DeadReasons& reasons)
{
    std::vector<Reason> ranked;
    ranked.reserve(reasons.jobs.size());
    for (const auto& [error, jobs] : reasons.jobs) {
        ranked.push_back({error, jobs, {}, error != kExpired});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Reason& a, const Reason& b) { return a.jobs > b.jobs; });
    ranked.resize(std::min(ranked.size(), kRows));
    for (auto& reason : ranked) {
        reason.filter = QString::fromStdString(filterOf(reason.error, reasons));
    }
    return ranked;
}

ReasonList::ReasonList(QWidget* parent) : Section("overviewReasons", parent)
{
    grid().setColumnStretch(1, 1);
    for (int at = 0; at < static_cast<int>(kRows); ++at) {
        Row row{plainLabel(body()), new ElidedLabel(body()), new QToolButton(body()),
                new LinkButton(LinkButton::Look::Accent, body())};
        row.count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        row.retry->setAutoRaise(true);
        row.retry->setIcon(icon(QStringLiteral("media-playback-start")));
        row.retry->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row.retry->setFocusPolicy(Qt::TabFocus);
        // Also where there is no button.
        grid().setRowMinimumHeight(at, row.retry->sizeHint().height());
        grid().addWidget(row.count, at, 0);
        grid().addWidget(row.error, at, 1);
        grid().addWidget(row.retry, at, 2);
        grid().addWidget(row.showJobs, at, 3);
        const auto index = static_cast<std::size_t>(at);
        connect(row.retry, &QToolButton::clicked, this,
                [this, index] { emit retryRequested(reasons_[index]); });
        connect(row.showJobs, &LinkButton::clicked, this,
                [this, index] { emit filterRequested(reasons_[index].filter); });
        rows_.push_back(row);
    }
    connect(this, &Section::moreRequested, this,
            [this] { emit filterRequested(QStringLiteral("state:dead")); });
}

void ReasonList::setContent(const DeadReasons& reasons, std::uint64_t dead, const QString& refusal)
{
    reasons_ = mostCommon(reasons);
    setTitle(tr("Dead by reason"));
    setMore(dead == 0 ? QString() : tr("All %1").arg(numberText(dead)));
    setSentence(dead == 0 ? tr("Nothing is dead.") : QString());
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        const auto& row = rows_[at];
        const bool shown = at < reasons_.size();
        for (QWidget* widget : {static_cast<QWidget*>(row.count), static_cast<QWidget*>(row.error),
                                static_cast<QWidget*>(row.showJobs)}) {
            widget->setVisible(shown);
        }
        row.retry->setVisible(shown && reasons_[at].canRetry);
        if (!shown) {
            continue;
        }
        const auto& reason = reasons_[at];
        const auto error = reason.error.empty() ? tr("no reason was kept")
                                                : reasonText(QString::fromStdString(reason.error));
        row.count->setText(numberText(reason.jobs));
        row.error->setFullText(error);
        row.retry->setText(tr("Retry"));
        row.retry->setAccessibleName(tr("Retry: %1").arg(error));
        row.retry->setEnabled(refusal.isEmpty());
        row.retry->setToolTip(literalTip(refusal.isEmpty()
                                             ? tr("Make exactly these jobs due at once; what "
                                                  "nobody has taken by then can be undone")
                                             : refusal));
        row.showJobs->setContent(tr("Look"), tr("Look at: %1").arg(error),
                                 tr("Show the jobs that died by this"));
    }
    setNote(reasons.examined < dead && !reasons.jobs.empty()
                ? tr("Of the newest %1 that were looked at.").arg(numberText(reasons.examined))
                : QString());
}

}  // namespace restante::gui

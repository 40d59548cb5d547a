#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/pages/jobs/scan_strip.h"
#include "gui/pages/jobs/selection_bar.h"
#include "gui/session/session.h"

#include <QApplication>

#include <algorithm>
#include <utility>

// What of the page follows changes of the store: by others, by own bulk requests, while nobody
// looked.

namespace restante::gui {

/// The store has changed. A view that needs a look at every job is not looked through again and
/// again; only the rows on the screen are.
void JobsPage::reloadLive()
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready) {
        return;  // it looks when the connection is there again
    }
    if (!isVisible()) {
        reloadDue_ = true;
        return;
    }
    if (!scans()) {
        return reload();
    }
    scan_->setOutdated(true);
    replaceChanged();
    check_.want();
    askFacets();
}

/// Something is in the user's hand, or a look is under way, which another one would begin anew.
bool JobsPage::mustWait() const
{
    return table_->inHand() || QApplication::activePopupWidget() != nullptr ||
           (!scans() && feed_.looking());
}

/// Own writes: the user expects to see them, also in a view that is looked through.
void JobsPage::reloadAfterWrites()
{
    // A count that looks at every job may take minutes, and begins anew; another is here at once.
    if (mustWait() || feed_.looking() || (!scans() && counter_.counting())) {
        afterWrites_.start();
        return;
    }
    if (!isVisible()) {
        reloadDue_ = true;
        return;
    }
    refresh();
}

void JobsPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (std::exchange(reloadDue_, false)) {
        reload();
    }
}

/// What a bulk request was about is done with: the next one is about what is picked anew.
void JobsPage::unpickActed(const Selection& selection, const std::vector<Changed>& changed)
{
    if (changed.empty()) {
        return;
    }
    if (selection.all && selection.view == view_ && table_->picks().all()) {
        table_->marks().pickNone();
        return;
    }
    if (table_->picks().all()) {
        return;  // one that has left is not among all that match any more
    }
    std::vector<std::string> ids;
    ids.reserve(changed.size());
    for (const auto& job : changed) {
        ids.push_back(job.id);
    }
    table_->marks().unpick(ids);
}

void JobsPage::replaceChanged()
{
    const auto visible = table_->visibleRows();
    for (auto at = visible.first; at <= visible.last; ++at) {
        const auto* row = feed_.row(static_cast<std::uint64_t>(at));
        if (row != nullptr && live_.changedIds().count(row->id) != 0) {
            session_->source().show(row->id, {this, [this](const Result<JobView>& answer) {
                                                  if (answer) {
                                                      feed_.replace(rowOf(*answer));
                                                  }
                                              }});
        }
    }
}

/// After the rows have changed: what has come since the user looked.
void JobsPage::countNew()
{
    if (!looked_) {
        looked_ = feed_.total();
        above_ = 0;
    }
    const auto grown = feed_.total() > *looked_ ? feed_.total() - *looked_ : 0;
    const auto above = static_cast<std::uint64_t>(std::max<std::int64_t>(0, above_));
    // A view that comes by cursor grows because it is looked through.
    bar_->setNew(feed_.ranked() ? std::max(grown, above) : 0,
                 above > 0 ? SelectionBar::Where::Above : SelectionBar::Where::Below);
}

/// The next rows are those that the user has asked for.
void JobsPage::caughtUp()
{
    looked_.reset();
    above_ = 0;
    bar_->setNew(0, SelectionBar::Where::Above);
}

}  // namespace restante::gui

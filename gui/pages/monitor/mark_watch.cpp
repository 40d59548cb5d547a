#include "gui/pages/monitor/mark_watch.h"

#include "gui/operations/audit_texts.h"
#include "gui/session/store_session.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace restante::gui {

namespace {

/// The audit is read from the journal; actions of others are seen with this delay.
constexpr qint64 kRefreshMs = 15'000;
/// Rows of the audit, of which an action on many jobs has one a job. When a span has more, the
/// marks of its older actions are missing.
constexpr std::uint32_t kRowsPerPage = 1'000;
constexpr std::size_t kMaxPages = 10;

/// An action on one job is irrelevant for a chart, unless it deletes the job for good.
bool isWorthMarking(const std::vector<AuditRow>& rows)
{
    const auto& verb = rows.front().verb;
    return rows.size() > 1 || verb == QStringLiteral("pause") || verb == QStringLiteral("resume") ||
           verb == QStringLiteral("limit") || verb == QStringLiteral("purge");
}

}  // namespace

MarkWatch::MarkWatch(QObject* parent) : QObject(parent) {}

void MarkWatch::open(StoreSession* session)
{
    clear();
    session_ = session;
}

void MarkWatch::clear()
{
    if (session_ != nullptr && auditRequest_ != 0) {
        session_->source().cancel(auditRequest_);
    }
    auditRequest_ = 0;
    rows_.clear();
    isOldestPartial_ = false;
    sinceRequest_.invalidate();
    knownSpan_ = {};
    if (!std::exchange(actions_, {}).empty()) {
        emit changed();
    }
}

void MarkWatch::requestMarks(const TimeSpan& span)
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready ||
        auditRequest_ != 0) {
        return;
    }
    const bool isKnown =
        sinceRequest_.isValid() && knownSpan_.from <= span.from &&
        (span.to <= knownSpan_.to || (isKnownToNow_ && !sinceRequest_.hasExpired(kRefreshMs)));
    if (isKnown) {
        return;
    }
    const auto now = session_->source().now();
    knownSpan_ = {span.from, std::min(span.to, now)};
    isKnownToNow_ = span.to >= now;
    sinceRequest_.start();
    rows_.clear();
    pagesLeft_ = kMaxPages;
    AuditRequest request;
    request.limit = kRowsPerPage;
    request.since = span.from;
    if (!isKnownToNow_) {
        request.until = span.to;
    }
    requestPage(std::move(request));
}

void MarkWatch::requestPage(AuditRequest request)
{
    auditRequest_ = session_->source().audit(
        request, {this, [this, request](Result<AuditBatch> batch) mutable {
                      auditRequest_ = 0;
                      if (!batch) {
                          // Asked again after kRefreshMs.
                          knownSpan_.to = knownSpan_.from;
                          isKnownToNow_ = true;
                          return;
                      }
                      std::move(batch->rows.begin(), batch->rows.end(), std::back_inserter(rows_));
                      request.cursor = batch->cursor;
                      if (!request.cursor.empty() && --pagesLeft_ > 0) {
                          return requestPage(std::move(request));
                      }
                      groupRows(!request.cursor.empty());
                  }});
}

void MarkWatch::groupRows(bool hasMore)
{
    std::vector<std::vector<AuditRow>> actions;
    // Of orders that ran at once the rows are mixed: those with an id are found by it.
    std::map<QString, std::size_t> actionsById;
    std::size_t last = 0;
    for (const auto& row : std::exchange(rows_, {})) {
        const auto& id = row.bulkActionId;
        const auto known = id.isEmpty() ? actionsById.end() : actionsById.find(id);
        if (known != actionsById.end()) {
            last = known->second;
        } else if (actions.empty() || !areOneRequest(actions[last].back(), row)) {
            last = actions.size();
            actions.emplace_back();
        }
        actions[last].push_back(row);
        if (!id.isEmpty()) {
            actionsById.try_emplace(id, last);
        }
    }
    isOldestPartial_ = hasMore && !actions.empty() && isWorthMarking(actions[last]);
    actions_.clear();
    std::copy_if(actions.rbegin(), actions.rend(), std::back_inserter(actions_), isWorthMarking);
    std::ranges::stable_sort(actions_, {},
                             [](const std::vector<AuditRow>& action) { return action.back().at; });
    emit changed();
}

}  // namespace restante::gui

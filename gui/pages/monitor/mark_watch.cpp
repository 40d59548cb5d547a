#include "gui/pages/monitor/mark_watch.h"

#include "gui/operations/audit_texts.h"
#include "gui/session/store_session.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

/// The audit is read from the journal; actions of others are seen with this delay.
constexpr qint64 kRefreshMs = 15'000;
/// More marks would be unreadable; a longer time shows the newest ones.
constexpr std::uint32_t kMaxRows = 1'000;

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
    const bool isKnown = sinceRequest_.isValid() && knownSpan_.from <= span.from &&
                         (span.to <= knownSpan_.to || !sinceRequest_.hasExpired(kRefreshMs));
    if (isKnown) {
        return;
    }
    knownSpan_ = {span.from, session_->source().now()};
    sinceRequest_.start();
    AuditRequest request;
    request.limit = kMaxRows;
    request.since = span.from;
    auditRequest_ = session_->source().audit(std::move(request),
                                             {this, [this](const Result<AuditBatch>& batch) {
                                                  auditRequest_ = 0;
                                                  if (batch) {
                                                      handleAudit(*batch);
                                                  } else {
                                                      // Asked again after kRefreshMs.
                                                      knownSpan_.to = knownSpan_.from;
                                                  }
                                              }});
}

void MarkWatch::handleAudit(const AuditBatch& batch)
{
    std::vector<std::vector<AuditRow>> actions;
    for (const auto& row : batch.rows) {
        if (!actions.empty() && areOneRequest(actions.back().back(), row)) {
            actions.back().push_back(row);
        } else {
            actions.push_back({row});
        }
    }
    actions_.clear();
    std::copy_if(actions.rbegin(), actions.rend(), std::back_inserter(actions_), isWorthMarking);
    emit changed();
}

}  // namespace restante::gui

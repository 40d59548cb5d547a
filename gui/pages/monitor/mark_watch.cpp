#include "gui/pages/monitor/mark_watch.h"

#include "gui/operations/audit_words.h"
#include "gui/session/store_session.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

/// The audit is in the journal, not in Redis; what others do is seen that much later.
constexpr qint64 kAgainMs = 15'000;
/// More marks than this are a blur; of a longer time the newest are shown.
constexpr std::uint32_t kMostRows = 1'000;

/// What one job is told says nothing of a whole chart.
bool isMarked(const std::vector<AuditRow>& order)
{
    const auto& verb = order.front().verb;
    return order.size() > 1 || verb == QStringLiteral("pause") ||
           verb == QStringLiteral("resume") || verb == QStringLiteral("limit") ||
           verb == QStringLiteral("purge");
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
    if (session_ != nullptr && asked_ != 0) {
        session_->source().cancel(asked_);
    }
    asked_ = 0;
    since_.invalidate();
    known_ = {};
    if (!std::exchange(orders_, {}).empty()) {
        emit changed();
    }
}

void MarkWatch::show(const TimeSpan& span)
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready || asked_ != 0) {
        return;
    }
    const bool isKnown = since_.isValid() && known_.from <= span.from &&
                         (span.to <= known_.to || !since_.hasExpired(kAgainMs));
    if (isKnown) {
        return;
    }
    known_ = {span.from, session_->source().now()};
    since_.start();
    AuditRequest request;
    request.limit = kMostRows;
    request.since = span.from;
    asked_ = session_->source().audit(std::move(request),
                                      {this, [this](const Result<AuditBatch>& batch) {
                                           asked_ = 0;
                                           if (batch) {
                                               take(*batch);
                                           }
                                       }});
}

void MarkWatch::take(const AuditBatch& batch)
{
    std::vector<std::vector<AuditRow>> orders;
    for (const auto& row : batch.rows) {
        if (!orders.empty() && areOneOrder(orders.back().back(), row)) {
            orders.back().push_back(row);
        } else {
            orders.push_back({row});
        }
    }
    orders_.clear();
    std::copy_if(orders.rbegin(), orders.rend(), std::back_inserter(orders_), isMarked);
    emit changed();
}

}  // namespace restante::gui

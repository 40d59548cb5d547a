#include "gui/pages/overview/overview_watch.h"

#include "gui/session/store_session.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// The journal scans all of its rows, so the pause between two requests is at least 20 times as
/// long as the last one took. The counters of the store cover the time in between.
constexpr qint64 kPastRefreshMs = 60'000;
constexpr qint64 kPastPauseFactor = 20;
/// The request reads the errors of some thousand jobs.
constexpr qint64 kReasonsRefreshMs = 5'000;
/// The request reads all mailboxes, so the pause is 20 times as long as the last one took, but at
/// most a minute.
constexpr qint64 kMailboxesRefreshMs = 5'000;
constexpr qint64 kMailboxesPauseFactor = 20;
constexpr qint64 kMaxMailboxesPauseMs = 60'000;
constexpr std::uint32_t kMailboxCount = 6;

}  // namespace

OverviewWatch::OverviewWatch(QObject* parent) : QObject(parent) {}

void OverviewWatch::open(StoreSession* session)
{
    cancelRequests();
    session_ = session;
    sample_.reset();
    topics_.reset();
    activity_.reset();
    reasons_.reset();
    mailboxes_.reset();
    moves_ = {};
    backlog_.clear();
    pastProblem_.clear();
    pastKnown_ = false;
    oldest_.clear();
    sincePastRequest_.invalidate();
    sinceReasonsRequest_.invalidate();
    sinceMailboxesRequest_.invalidate();
    mailboxesDurationMs_ = 0;
}

void OverviewWatch::cancelRequest(RequestId& requestId)
{
    if (session_ != nullptr && requestId != 0) {
        session_->source().cancel(requestId);
    }
    requestId = 0;
}

void OverviewWatch::cancelRequests()
{
    for (auto* requestId : {&sampleRequest_, &topicsRequest_, &activityRequest_, &reasonsRequest_,
                            &mailboxesRequest_, &pastRequest_}) {
        cancelRequest(*requestId);
    }
    for (auto& requestId : oldestRequests_) {
        cancelRequest(requestId);
    }
    oldestRequests_.clear();
}

bool OverviewWatch::hasPendingRequest() const
{
    return sampleRequest_ != 0 || topicsRequest_ != 0 || activityRequest_ != 0 ||
           reasonsRequest_ != 0 || mailboxesRequest_ != 0;
}

bool OverviewWatch::isComplete() const
{
    return sample_ && topics_ && activity_ && reasons_ && mailboxes_ &&
           (pastKnown_ || !pastProblem_.isEmpty());
}

TimePoint OverviewWatch::now() const
{
    return session_ == nullptr ? fromEpochMs(QDateTime::currentMSecsSinceEpoch())
                               : session_->source().now();
}

template <class T>
Reply<T> OverviewWatch::storeIn(RequestId& requestId, std::optional<T>& target)
{
    return {this, [this, &requestId, &target](Result<T> answer) {
                requestId = 0;
                if (!answer) {
                    emit failed(answer.error());
                    return;
                }
                target = std::move(*answer);
                emit changed();
            }};
}

void OverviewWatch::refresh(TimePoint midnight)
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready) {
        return;
    }
    auto& source = session_->source();
    if (sampleRequest_ == 0) {
        sampleRequest_ = source.sample({}, {this, [this](Result<Sample> sample) {
                                                sampleRequest_ = 0;
                                                if (!sample) {
                                                    emit failed(sample.error());
                                                    return;
                                                }
                                                moves_.addSample(*sample);
                                                sample_ = std::move(*sample);
                                                emit changed();
                                            }});
    }
    if (topicsRequest_ == 0) {
        topicsRequest_ = source.topics(storeIn(topicsRequest_, topics_));
    }
    if (activityRequest_ == 0) {
        activityRequest_ = source.activity(storeIn(activityRequest_, activity_));
    }
    const bool isRequestDue =
        !sinceReasonsRequest_.isValid() || sinceReasonsRequest_.hasExpired(kReasonsRefreshMs);
    if (reasonsRequest_ == 0 && isRequestDue) {
        sinceReasonsRequest_.start();
        reasonsRequest_ = source.deadReasons(storeIn(reasonsRequest_, reasons_));
    }
    requestMailboxes();
    requestPast(midnight);
}

void OverviewWatch::endPauses()
{
    // A timer whose request is pending measures how long that takes.
    if (reasonsRequest_ == 0) {
        sinceReasonsRequest_.invalidate();
    }
    if (mailboxesRequest_ == 0) {
        sinceMailboxesRequest_.invalidate();
    }
    if (pastRequest_ == 0 && !pastProblem_.isEmpty()) {
        sincePastRequest_.invalidate();
    }
}

void OverviewWatch::requestMailboxes()
{
    const auto pause = std::clamp(mailboxesDurationMs_ * kMailboxesPauseFactor, kMailboxesRefreshMs,
                                  kMaxMailboxesPauseMs);
    if (mailboxesRequest_ != 0 ||
        (sinceMailboxesRequest_.isValid() &&
         !sinceMailboxesRequest_.hasExpired(mailboxesDurationMs_ + pause))) {
        return;
    }
    sinceMailboxesRequest_.start();
    mailboxesRequest_ = session_->source().mailboxes(
        {.limit = kMailboxCount}, {this, [this](Result<MailboxPage> page) {
                                       mailboxesRequest_ = 0;
                                       mailboxesDurationMs_ = sinceMailboxesRequest_.elapsed();
                                       if (!page) {
                                           emit failed(page.error());
                                           return;
                                       }
                                       mailboxes_ = std::move(*page);
                                       emit changed();
                                   }});
}

void OverviewWatch::requestPast(TimePoint midnight)
{
    const bool isRequestDue =
        !sincePastRequest_.isValid() ||
        sincePastRequest_.elapsed() >
            pastDurationMs_ + std::max(kPastRefreshMs, pastDurationMs_ * kPastPauseFactor);
    if (pastRequest_ != 0 || !isRequestDue) {
        return;
    }
    sincePastRequest_.start();
    pastRequest_ = session_->source().past(DayMoves::request(midnight, now()),
                                           {this, [this](Result<Past> past) {
                                                pastRequest_ = 0;
                                                handlePast(std::move(past));
                                            }});
}

void OverviewWatch::handlePast(Result<Past> past)
{
    pastDurationMs_ = sincePastRequest_.elapsed();
    if (past) {
        moves_.setPast(*past);
        backlog_ = std::move(past->backlog);
        pastProblem_ = QString::fromStdString(past->movesProblem);
        pastKnown_ = true;
    } else {
        pastProblem_ = QString::fromStdString(past.error().message);
    }
    emit changed();
}

/// One request for each topic, so only for a few.
void OverviewWatch::requestOldest(const std::vector<std::string>& topics)
{
    const bool isPending = std::any_of(oldestRequests_.begin(), oldestRequests_.end(),
                                       [](RequestId requestId) { return requestId != 0; });
    if (isPending || session_ == nullptr) {
        return;
    }
    oldestRequests_.assign(topics.size(), 0);
    for (std::size_t at = 0; at < topics.size(); ++at) {
        PageRequest request;
        request.view.states = {JobState::Ready};
        // The filter needs it too: only ready and scheduled jobs are indexed by topic.
        request.view.filter = *JobFilter::parse("state:ready");
        request.view.topic = topics[at];
        request.limit = 1;
        oldestRequests_[at] = session_->source().page(
            std::move(request), {this, [this, at, topic = topics[at]](const Result<JobRows>& rows) {
                                     oldestRequests_[at] = 0;
                                     if (!rows || rows->rows.empty()) {
                                         oldest_.erase(topic);
                                     } else {
                                         oldest_[topic] =
                                             std::max(Millis{0}, now() - rows->rows[0].due);
                                     }
                                     emit changed();
                                 }});
    }
}

}  // namespace restante::gui

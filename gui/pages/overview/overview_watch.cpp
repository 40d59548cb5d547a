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
    for (auto* requestId : {&sampleRequestId_, &topicsRequestId_, &activityRequestId_,
                            &reasonsRequestId_, &mailboxesRequestId_, &pastRequestId_}) {
        cancelRequest(*requestId);
    }
    for (auto& requestId : oldestRequestIds_) {
        cancelRequest(requestId);
    }
    oldestRequestIds_.clear();
}

bool OverviewWatch::hasPendingRequest() const
{
    return sampleRequestId_ != 0 || topicsRequestId_ != 0 || activityRequestId_ != 0 ||
           reasonsRequestId_ != 0 || mailboxesRequestId_ != 0;
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
    if (sampleRequestId_ == 0) {
        sampleRequestId_ = source.sample({}, {this, [this](Result<Sample> sample) {
                                                  sampleRequestId_ = 0;
                                                  if (!sample) {
                                                      emit failed(sample.error());
                                                      return;
                                                  }
                                                  moves_.addSample(*sample);
                                                  sample_ = std::move(*sample);
                                                  emit changed();
                                              }});
    }
    if (topicsRequestId_ == 0) {
        topicsRequestId_ = source.topics(storeIn(topicsRequestId_, topics_));
    }
    if (activityRequestId_ == 0) {
        activityRequestId_ = source.activity(storeIn(activityRequestId_, activity_));
    }
    const bool isExpired =
        !sinceReasonsRequest_.isValid() || sinceReasonsRequest_.hasExpired(kReasonsRefreshMs);
    if (reasonsRequestId_ == 0 && isExpired) {
        sinceReasonsRequest_.start();
        reasonsRequestId_ = source.deadReasons(storeIn(reasonsRequestId_, reasons_));
    }
    requestMailboxes();
    requestPast(midnight);
}

void OverviewWatch::requestMailboxes()
{
    const auto pause = std::clamp(mailboxesDurationMs_ * kMailboxesPauseFactor, kMailboxesRefreshMs,
                                  kMaxMailboxesPauseMs);
    if (mailboxesRequestId_ != 0 ||
        (sinceMailboxesRequest_.isValid() &&
         !sinceMailboxesRequest_.hasExpired(mailboxesDurationMs_ + pause))) {
        return;
    }
    sinceMailboxesRequest_.start();
    mailboxesRequestId_ = session_->source().mailboxes(
        {.limit = kMailboxCount}, {this, [this](Result<MailboxPage> page) {
                                       mailboxesRequestId_ = 0;
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
    const bool isExpired =
        !sincePastRequest_.isValid() ||
        sincePastRequest_.elapsed() >
            pastDurationMs_ + std::max(kPastRefreshMs, pastDurationMs_ * kPastPauseFactor);
    if (pastRequestId_ != 0 || !isExpired) {
        return;
    }
    sincePastRequest_.start();
    pastRequestId_ = session_->source().past(DayMoves::request(midnight, now()),
                                             {this, [this](Result<Past> past) {
                                                  pastRequestId_ = 0;
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
    const bool isPending = std::any_of(oldestRequestIds_.begin(), oldestRequestIds_.end(),
                                       [](RequestId requestId) { return requestId != 0; });
    if (isPending || session_ == nullptr) {
        return;
    }
    oldestRequestIds_.assign(topics.size(), 0);
    for (std::size_t at = 0; at < topics.size(); ++at) {
        PageRequest request;
        request.view.states = {JobState::Ready};
        // The filter needs it too: only ready and scheduled jobs are indexed by topic.
        request.view.filter = *JobFilter::parse("state:ready");
        request.view.topic = topics[at];
        request.limit = 1;
        oldestRequestIds_[at] = session_->source().page(
            std::move(request), {this, [this, at, topic = topics[at]](const Result<JobRows>& rows) {
                                     oldestRequestIds_[at] = 0;
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

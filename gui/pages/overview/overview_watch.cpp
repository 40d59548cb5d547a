#include "gui/pages/overview/overview_watch.h"

#include "gui/session/store_session.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// The journal counts the whole of itself through for it, so it is asked for no more than a
/// twentieth of its time; what comes meanwhile the counters of the store tell.
constexpr qint64 kPastAgainMs = 60'000;
constexpr qint64 kPastShare = 20;
/// Reads a text of some thousand jobs.
constexpr qint64 kReasonsAgainMs = 5'000;
/// Goes through all mailboxes, so a slow store is asked for no more than a twentieth of its time,
/// but once a minute.
constexpr qint64 kMailboxesAgainMs = 5'000;
constexpr qint64 kMailboxesShare = 20;
constexpr qint64 kMailboxesLongestMs = 60'000;
constexpr std::uint32_t kMailboxes = 6;

}  // namespace

OverviewWatch::OverviewWatch(QObject* parent) : QObject(parent) {}

void OverviewWatch::open(StoreSession* session)
{
    forget();
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
    pastAsked_.invalidate();
    reasonsAsked_.invalidate();
    mailboxesAsked_.invalidate();
    mailboxesTook_ = 0;
}

void OverviewWatch::drop(RequestId& asked)
{
    if (session_ != nullptr && asked != 0) {
        session_->source().cancel(asked);
    }
    asked = 0;
}

void OverviewWatch::forget()
{
    for (auto* asked : {&sampleAsked_, &topicsAsked_, &activityAsked_, &reasonsRequestId_,
                        &mailboxesRequestId_, &pastRequestId_}) {
        drop(*asked);
    }
    for (auto& asked : oldestAsked_) {
        drop(asked);
    }
    oldestAsked_.clear();
}

bool OverviewWatch::isAsking() const
{
    return sampleAsked_ != 0 || topicsAsked_ != 0 || activityAsked_ != 0 ||
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
Reply<T> OverviewWatch::keep(RequestId& asked, std::optional<T>& where)
{
    return {this, [this, &asked, &where](Result<T> answer) {
                asked = 0;
                if (!answer) {
                    emit failed(answer.error());
                    return;
                }
                where = std::move(*answer);
                emit changed();
            }};
}

void OverviewWatch::refresh(TimePoint midnight)
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready) {
        return;
    }
    auto& source = session_->source();
    if (sampleAsked_ == 0) {
        sampleAsked_ = source.sample({}, {this, [this](Result<Sample> sample) {
                                              sampleAsked_ = 0;
                                              if (!sample) {
                                                  emit failed(sample.error());
                                                  return;
                                              }
                                              moves_.addSample(*sample);
                                              sample_ = std::move(*sample);
                                              emit changed();
                                          }});
    }
    if (topicsAsked_ == 0) {
        topicsAsked_ = source.topics(keep(topicsAsked_, topics_));
    }
    if (activityAsked_ == 0) {
        activityAsked_ = source.activity(keep(activityAsked_, activity_));
    }
    const bool isOld = !reasonsAsked_.isValid() || reasonsAsked_.hasExpired(kReasonsAgainMs);
    if (reasonsRequestId_ == 0 && isOld) {
        reasonsAsked_.start();
        reasonsRequestId_ = source.deadReasons(keep(reasonsRequestId_, reasons_));
    }
    askMailboxes();
    askPast(midnight);
}

void OverviewWatch::askMailboxes()
{
    const auto rests =
        std::clamp(mailboxesTook_ * kMailboxesShare, kMailboxesAgainMs, kMailboxesLongestMs);
    if (mailboxesRequestId_ != 0 ||
        (mailboxesAsked_.isValid() && !mailboxesAsked_.hasExpired(mailboxesTook_ + rests))) {
        return;
    }
    mailboxesAsked_.start();
    mailboxesRequestId_ = session_->source().mailboxes(
        {.limit = kMailboxes}, {this, [this](Result<MailboxPage> page) {
                                    mailboxesRequestId_ = 0;
                                    mailboxesTook_ = mailboxesAsked_.elapsed();
                                    if (!page) {
                                        emit failed(page.error());
                                        return;
                                    }
                                    mailboxes_ = std::move(*page);
                                    emit changed();
                                }});
}

void OverviewWatch::askPast(TimePoint midnight)
{
    const bool isOld =
        !pastAsked_.isValid() ||
        pastAsked_.elapsed() > pastTook_ + std::max(kPastAgainMs, pastTook_ * kPastShare);
    if (pastRequestId_ != 0 || !isOld) {
        return;
    }
    pastAsked_.start();
    pastRequestId_ = session_->source().past(DayMoves::request(midnight, now()),
                                             {this, [this](Result<Past> past) {
                                                  pastRequestId_ = 0;
                                                  takePast(std::move(past));
                                              }});
}

void OverviewWatch::takePast(Result<Past> past)
{
    pastTook_ = pastAsked_.elapsed();
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

/// By a look-up each, so only of few.
void OverviewWatch::askOldest(const std::vector<std::string>& topics)
{
    const bool isAsked = std::any_of(oldestAsked_.begin(), oldestAsked_.end(),
                                     [](RequestId requestId) { return requestId != 0; });
    if (isAsked || session_ == nullptr) {
        return;
    }
    oldestAsked_.assign(topics.size(), 0);
    for (std::size_t at = 0; at < topics.size(); ++at) {
        PageRequest request;
        request.view.states = {JobState::Ready};
        // In the filter, too: only ready and scheduled jobs are kept by topic.
        request.view.filter = *JobFilter::parse("state:ready");
        request.view.topic = topics[at];
        request.limit = 1;
        oldestAsked_[at] = session_->source().page(
            std::move(request), {this, [this, at, topic = topics[at]](const Result<JobRows>& rows) {
                                     oldestAsked_[at] = 0;
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

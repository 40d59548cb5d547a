#include "gui/session/demo_store.h"

#include "core/queue/bulk_actor.h"
#include "gui/session/event_audit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace restante::gui {

namespace {

constexpr const char* kWorker = "demo/1";
/// So many of the newest rows stay, at most twice as many are in memory: a demo may be left
/// running.
constexpr std::size_t kAuditRowsKept = 10'000;

constexpr std::array kCountedStates{JobState::Ready, JobState::Scheduled, JobState::Leased,
                                    JobState::Held, JobState::Dead};

std::optional<JobState> countedState(const std::string& word)
{
    const auto* found = std::find_if(kCountedStates.begin(), kCountedStates.end(),
                                     [&](JobState state) { return name(state) == word; });
    return found == kCountedStates.end() ? std::nullopt : std::optional{*found};
}

/// The percentile of sorted durations.
Millis percentile(const std::vector<Millis>& sorted, std::size_t percent)
{
    return sorted.empty() ? Millis{0}
                          : sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
}

/// The backlog over time, computed from the histories of jobs: what a daemon would have recorded.
/// *Value.*
class DemoBacklog {
public:
    explicit DemoBacklog(const PastRequest& request)
        : request_(request),
          firstBegin_(request.begin - request.begin.time_since_epoch() % request.step),
          stepCount_(static_cast<std::size_t>(
              (request.end - firstBegin_ + request.step - Millis{1}) / request.step)),
          lateness_(stepCount_)
    {
        for (const auto state : kCountedStates) {
            const bool isKnown =
                request.scope.isAll() || state == JobState::Ready || state == JobState::Scheduled;
            if (isKnown) {
                jobs_[state].assign(stepCount_, 0);
            }
        }
    }

    /// Oldest row first.
    void add(const std::vector<HistoryRow>& history)
    {
        for (std::size_t row = 0; row < history.size(); ++row) {
            if (const auto state = countedState(history[row].to)) {
                const auto until = row + 1 < history.size() ? history[row + 1].at : request_.end;
                addPeriod(*state, history[row].at, until);
            }
        }
    }

    /// From the first step that begins at or after `from` on.
    std::vector<PastBacklog> steps(TimePoint from) const
    {
        std::vector<PastBacklog> backlogs;
        for (auto step = firstStepFrom(from); step < stepCount_; ++step) {
            PastBacklog backlog;
            backlog.at = beginOf(step);
            backlog.until = backlog.at + request_.step;
            for (const auto& [state, jobs] : jobs_) {
                backlog.states[state] = jobs[step];
            }
            auto late = lateness_[step];
            std::sort(late.begin(), late.end());
            backlog.lateness = Lateness{percentile(late, 50), percentile(late, 95),
                                        percentile(late, 99), percentile(late, 100)};
            backlogs.push_back(std::move(backlog));
        }
        return backlogs;
    }

private:
    TimePoint beginOf(std::size_t step) const
    {
        return firstBegin_ + request_.step * static_cast<std::int64_t>(step);
    }

    /// The first that begins at or after it.
    std::size_t firstStepFrom(TimePoint at) const
    {
        const auto steps =
            (std::max(at, firstBegin_) - firstBegin_ + request_.step - Millis{1}) / request_.step;
        return std::min(stepCount_, static_cast<std::size_t>(steps));
    }

    void addPeriod(JobState state, TimePoint since, TimePoint until)
    {
        const auto counted = jobs_.find(state);
        if (counted == jobs_.end()) {
            return;
        }
        for (auto step = firstStepFrom(since); step < firstStepFrom(until); ++step) {
            counted->second[step] += 1;
            if (state == JobState::Ready) {
                lateness_[step].push_back(beginOf(step) - since);
            }
        }
    }

    PastRequest request_;
    TimePoint firstBegin_;
    std::size_t stepCount_;
    std::map<JobState, std::vector<double>> jobs_;  ///< at the beginning of each step
    std::vector<std::vector<Millis>> lateness_;     ///< of the jobs that are ready then
};

}  // namespace

DemoStore::DemoStore(EventLoop& loop, const Clock& clock)
    : MemoryJobStore(loop, clock, {.retentionDone = std::chrono::hours{24 * 7}}),
      clock_(clock)
{
}

void DemoStore::record(const DemoEvent& event)
{
    const auto now = clock_.now();
    ++moves_[event.transition];
    const auto [actor, bulkActionId] = splitBulkActor(event.actor);
    const bool ofTopic =
        event.transition == "pause" || event.transition == "resume" || event.transition == "limit";
    if (!ofTopic) {
        histories_[event.id].push_back({now, event.transition, event.from, event.to, kWorker,
                                        std::string(actor), event.reason, event.note, 0});
    }
    if (!event.actor.empty()) {
        audit_.push_back(auditRow({now, std::string(actor), event.transition, event.id, "",
                                   event.from, event.to, event.reason, kWorker, event.dueBefore,
                                   event.dueAfter, std::string(bulkActionId)}));
        if (audit_.size() > 2 * kAuditRowsKept) {
            audit_.erase(audit_.begin(), audit_.begin() + kAuditRowsKept);
        }
    }
    if (handler_) {
        handler_({1, ofTopic ? std::vector<std::string>{} : std::vector{event.id}, true});
    }
}

Result<std::vector<HistoryRow>> DemoStore::history(const std::string& id) const
{
    const auto found = histories_.find(id);
    if (found == histories_.end()) {
        return failure(ErrorCode::NotFound, "the journal knows no job " + id);
    }
    return found->second;
}

AuditBatch DemoStore::audit(const AuditRequest& request) const
{
    AuditBatch page;
    auto at = audit_.size();
    std::from_chars(request.cursor.data(), request.cursor.data() + request.cursor.size(), at);
    for (at = std::min(at, audit_.size()); at > 0 && page.rows.size() < request.limit; --at) {
        const auto& row = audit_[at - 1];
        if (matches(row, request)) {
            page.rows.push_back(row);
        }
    }
    page.cursor = at > 0 ? std::to_string(at) : std::string{};
    return page;
}

void DemoStore::sortAudit()
{
    std::stable_sort(audit_.begin(), audit_.end(),
                     [](const AuditRow& a, const AuditRow& b) { return a.at < b.at; });
}

Past DemoStore::past(const PastRequest& request) const
{
    Past past;
    past.knownFrom = request.end;
    past.knownUntil = request.end;
    DemoBacklog backlog(request);
    for (const auto& [id, rows] : histories_) {
        const auto scope = scopes_.find(id);
        const bool isInScope =
            request.scope.isAll() ||
            (scope != scopes_.end() &&
             (request.scope.topic.empty() || request.scope.topic == scope->second.topic) &&
             (!request.scope.channel || request.scope.channel == scope->second.channel));
        if (isInScope) {
            backlog.add(rows);
        }
        for (const auto& row : rows) {
            past.knownFrom = std::min(past.knownFrom, row.at);
            if (isInScope && row.at >= request.begin && row.at < request.end) {
                const auto since = row.at.time_since_epoch();
                ++past.moves[{TimePoint{since - since % request.step}, row.transition}];
            }
        }
    }
    past.knownFrom = std::max(past.knownFrom, request.begin);
    past.backlog = backlog.steps(past.knownFrom);
    return past;
}

/// From the same histories as the charts.
TopicPast DemoStore::topicPast() const
{
    constexpr Millis kStep{30 * 60'000};
    constexpr std::size_t kSteps = 48;
    const auto now = toEpochMs(clock_.now());
    TopicPast past;
    past.step = kStep;
    past.from = fromEpochMs(now - now % kStep.count()) - kStep * (kSteps - 1);
    past.known.assign(kSteps, true);
    for (const auto& [id, rows] : histories_) {
        const auto scope = scopes_.find(id);
        for (const auto& row : rows) {
            const bool finished = row.to == "done";
            if (scope == scopes_.end() || row.at < past.from ||
                (!finished && row.transition != "push")) {
                continue;
            }
            auto& steps = past.topics[scope->second.topic];
            steps.in.resize(kSteps);
            steps.finished.resize(kSteps);
            const auto at = std::min<std::size_t>((row.at - past.from) / kStep, kSteps - 1);
            ++(finished ? steps.finished : steps.in)[at];
        }
    }
    return past;
}

TopicActivity DemoStore::activity() const
{
    constexpr Millis kWindow{300'000};
    TopicActivity activity;
    activity.until = clock_.now();
    activity.from = activity.until - kWindow;
    activity.past = topicPast();
    auto& leased = activity.leased.emplace();
    std::map<std::string, std::pair<int, int>> attempts;  // failed, and all
    for (const auto& [id, rows] : histories_) {
        const auto scope = scopes_.find(id);
        if (scope == scopes_.end() || rows.empty()) {
            continue;
        }
        const auto& topic = scope->second.topic;
        for (const auto& row : rows) {
            if (row.at < activity.from) {
                continue;
            }
            const bool ends = row.to == "done" || row.to == "dead";
            activity.rates[topic].in += row.transition == "push" ? 1.0 / 300 : 0;
            activity.rates[topic].out += ends ? 1.0 / 300 : 0;
            if (ends || row.transition == "retry") {
                auto& [failed, all] = attempts[topic];
                failed += row.to == "done" ? 0 : 1;
                ++all;
            }
        }
        const auto count = [&, channel =
                                   scope->second.channel.value_or(Channel::Pull)](TopicJobs& jobs) {
            ++jobs.jobs[topic];
            ++jobs.byChannelAndTopic[{channel, topic}];
        };
        if (const auto& last = rows.back(); last.to == "leased") {
            ++leased[topic];
        } else if (last.to == "held") {
            count(activity.held);
        } else if (last.to == "dead") {
            count(activity.dead);
        } else if (last.transition == "retry") {
            count(activity.retrying);
        }
    }
    for (const auto& [topic, attemptCounts] : attempts) {
        activity.rates[topic].failed =
            static_cast<double>(attemptCounts.first) / attemptCounts.second;
    }
    return activity;
}

void DemoStore::recordAction(std::string transition,
                             OperatorAction action,
                             Done<void> done,
                             const Operation& operation)
{
    show(action.id, [this, transition = std::move(transition), action, operation,
                     done = std::move(done)](const Result<JobView>& before) {
        if (!before) {
            return done(tl::unexpected<Error>(before.error()));
        }
        operation([this, transition, action, done, from = before->state,
                   due = before->due](const Result<void>& result) {
            if (!result) {
                return done(result);
            }
            show(action.id, [=, this](const Result<JobView>& after) {
                DemoEvent event{action.id,
                                transition,
                                std::string(name(from)),
                                after ? std::string(name(after->state)) : std::string{},
                                action.actor,
                                action.reason};
                if (transition == "reschedule" && after) {
                    const bool hadDueTime = from == JobState::Scheduled || from == JobState::Ready;
                    event.dueBefore = hadDueTime ? std::optional(due) : std::nullopt;
                    event.dueAfter = after->due;
                }
                record(event);
                done({});
            });
        });
    });
}

Done<PushOutcome>
DemoStore::recordingNew(const Job& job, OperatorAction action, Done<PushOutcome> done)
{
    return [this, scope = JobScope{job.topic, job.channel}, action = std::move(action),
            done = std::move(done)](const Result<PushOutcome>& outcome) {
        if (!outcome || outcome->status != PushStatus::Stored) {
            return done(outcome);
        }
        scopes_[outcome->id] = scope;
        show(outcome->id, [this, action, done, outcome](const Result<JobView>& view) {
            const auto state = view ? view->state : JobState::Scheduled;
            record({outcome->id,
                    "push",
                    {},
                    std::string(name(state)),
                    action.actor,
                    action.reason,
                    {}});
            done(outcome);
        });
    };
}

void DemoStore::push(PushRequest request, Done<PushOutcome> done)
{
    auto recording =
        recordingNew(request.job, {{}, request.actor, request.reason}, std::move(done));
    MemoryJobStore::push(std::move(request), std::move(recording));
}

void DemoStore::importJob(ImportRequest request, Done<PushOutcome> done)
{
    auto recording =
        recordingNew(request.view.job, {{}, request.actor, request.reason}, std::move(done));
    MemoryJobStore::importJob(std::move(request), std::move(recording));
}

void DemoStore::finish(Lease lease, Done<std::uint64_t> done)
{
    const auto messagesLeft = std::make_shared<std::uint64_t>(0);
    recordAction(
        "finish", {lease.id, lease.actor, lease.reason},
        [messagesLeft, done = std::move(done)](const Result<void>& finished) {
            done(finished.map([&] { return *messagesLeft; }));
        },
        [this, lease, messagesLeft](const Done<void>& onResult) {
            MemoryJobStore::finish(lease,
                                   [messagesLeft, onResult](const Result<std::uint64_t>& answer) {
                                       *messagesLeft = answer.value_or(0);
                                       onResult(answer.map([](std::uint64_t) {}));
                                   });
        });
}

void DemoStore::bury(Lease lease, std::string reason, Done<void> done)
{
    recordAction("bury", {lease.id, lease.actor, reason}, std::move(done),
                 [this, lease, reason](Done<void> onResult) {
                     MemoryJobStore::bury(lease, reason, std::move(onResult));
                 });
}

void DemoStore::hold(HoldRequest request, Done<void> done)
{
    const auto& lease = request.lease;
    recordAction("hold",
                 {lease.id, lease.actor, lease.actor.empty() ? request.error : lease.reason},
                 std::move(done), [this, request](Done<void> onResult) {
                     MemoryJobStore::hold(request, std::move(onResult));
                 });
}

void DemoStore::release(OperatorAction action, Done<void> done)
{
    recordAction("release", action, std::move(done), [this, action](Done<void> onResult) {
        MemoryJobStore::release(action, std::move(onResult));
    });
}

void DemoStore::runNow(OperatorAction action, Done<void> done)
{
    recordAction("run_now", action, std::move(done), [this, action](Done<void> onResult) {
        MemoryJobStore::runNow(action, std::move(onResult));
    });
}

void DemoStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    auto recorded = action;
    if (time.attemptOffset) {
        // As the script says it of an offset that is another one now.
        const std::string offsetNote = *time.attemptOffset == NewTime::kEveryAttempt
                                           ? "attempts reset"
                                           : "attempts count again";
        recorded.reason += recorded.reason.empty() ? offsetNote : " (" + offsetNote + ")";
    }
    recordAction("reschedule", std::move(recorded), std::move(done),
                 [this, action, time](Done<void> onResult) {
                     MemoryJobStore::reschedule(action, time, std::move(onResult));
                 });
}

void DemoStore::trash(OperatorAction action, Done<void> done)
{
    recordAction("trash", action, std::move(done), [this, action](Done<void> onResult) {
        MemoryJobStore::trash(action, std::move(onResult));
    });
}

void DemoStore::restore(OperatorAction action, Done<void> done)
{
    recordAction("restore", action, std::move(done), [this, action](Done<void> onResult) {
        MemoryJobStore::restore(action, std::move(onResult));
    });
}

void DemoStore::purge(OperatorAction action, Done<void> done)
{
    recordAction("purge", action, std::move(done), [this, action](Done<void> onResult) {
        MemoryJobStore::purge(action, std::move(onResult));
    });
}

void DemoStore::pauseTopic(TopicAction action, Done<void> done)
{
    record({action.topic, "pause", {}, {}, action.actor, action.reason, {}});
    MemoryJobStore::pauseTopic(std::move(action), std::move(done));
}

void DemoStore::resumeTopic(TopicAction action, Done<void> done)
{
    record({action.topic, "resume", {}, {}, action.actor, action.reason, {}});
    MemoryJobStore::resumeTopic(std::move(action), std::move(done));
}

namespace {

/// As limit.lua writes them.
std::string limitsText(const TopicLimits& limits)
{
    return fmt::format("{} {} {}", limits.concurrency, limits.rate.count, limits.rate.per.count());
}

}  // namespace

void DemoStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    const auto before = std::exchange(limits_[action.topic], limits);
    record({action.topic, "limit", limitsText(before), limitsText(limits), action.actor,
            action.reason});
    MemoryJobStore::limitTopic(std::move(action), limits, std::move(done));
}

namespace {

/// Makes up the devices of the mailbox's owner. Since messages wait for them, the devices left
/// before the oldest one came, or are registered and do not answer, or were never seen. The same
/// name always has the same devices.
void addDevices(MailboxView& mailbox, TimePoint now)
{
    using std::chrono::hours;
    using std::chrono::minutes;
    // FNV-1a, because the standard library's own may be another one next time.
    std::uint32_t hash = 2'166'136'261U;
    for (const char c : mailbox.recipient) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
    }
    const auto variant = (hash >> 8U) % 8U;
    if (variant == 0 || mailbox.recipient.starts_with("sip:+")) {
        return;
    }
    const auto host = fmt::format("192.0.2.{}", 10 + hash % 200U);
    const auto user = mailbox.recipient.substr(0, mailbox.recipient.find('@'));
    const auto leftAt = mailbox.oldest.value_or(now) - minutes{5 + hash % 150U};
    RegisteredDevice phone{fmt::format("urn:uuid:{:08x}-0000-4000-8000-000000000001", hash),
                           fmt::format("{}@{}:5060", user, host), "Linphone/5.2.3 (Android 14)"};
    phone.registered = variant == 1;
    phone.since = phone.registered ? std::optional(now - hours{3 + hash % 40U}) : std::nullopt;
    phone.seen = phone.registered ? now - minutes{hash % 50U} : leftAt - minutes{hash % 50U};
    phone.until = phone.registered ? phone.seen + hours{1} : leftAt;
    mailbox.devices.push_back(phone);
    if (variant % 2 == 0) {
        RegisteredDevice deskPhone{fmt::format("{}@{}:5080;transport=tcp", user, host),
                                   fmt::format("{}@{}:5080;transport=tcp", user, host),
                                   "baresip v1.0.0 (x86_64/linux)"};
        deskPhone.seen = leftAt - hours{20 + hash % 30U};
        deskPhone.until = deskPhone.seen + minutes{40};
        mailbox.devices.push_back(deskPhone);
    }
}

}  // namespace

void DemoStore::mailboxes(MailboxQuery query, Done<MailboxPage> done)
{
    MemoryJobStore::mailboxes(std::move(query),
                              [this, done = std::move(done)](Result<MailboxPage> page) {
                                  if (page) {
                                      for (auto& mailbox : page->mailboxes) {
                                          addDevices(mailbox, clock_.now());
                                      }
                                  }
                                  done(std::move(page));
                              });
}

void DemoStore::mailbox(MailboxRequest request, Done<MailboxContent> done)
{
    MemoryJobStore::mailbox(std::move(request),
                            [this, done = std::move(done)](Result<MailboxContent> content) {
                                if (content) {
                                    addDevices(content->mailbox, clock_.now());
                                }
                                done(std::move(content));
                            });
}

}  // namespace restante::gui

#include "sipplugin/plugin.h"

#include "core/base/async_task.h"
#include "core/base/callback_guard.h"
#include "core/base/log.h"
#include "core/base/loop_group.h"
#include "core/base/try.h"
#include "core/delivery/dispatcher.h"
#include "core/queue/job_search.h"
#include "sipplugin/auth/authenticator.h"
#include "sipplugin/delivery/due_deliveries.h"
#include "sipplugin/delivery/flow_owners.h"
#include "sipplugin/inbound/known_users.h"
#include "sipplugin/inbound/message_receiver.h"
#include "sipplugin/inbound/sip_request_guard.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/mwi/message_summaries.h"
#include "sipplugin/outbound/authenticating_sender.h"
#include "sipplugin/outbound/device_forwarder.h"
#include "sipplugin/outbound/late_deliveries.h"
#include "sipplugin/receipts/dead_letter_watcher.h"
#include "sipplugin/receipts/deferred_responses.h"
#include "sipplugin/receipts/sender_reports.h"
#include "sipplugin/regevent/regevent_subscriber.h"
#include "sipplugin/registration/registrar.h"
#include "sipplugin/trace/message_tracer.h"
#include "sipplugin/trace/trace_follower.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/agent_group.h"
#include "sipplugin/transport/resolver.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

namespace restante::sip {
namespace {
/// The wait before releasing a mailbox again that the store could not release.
constexpr Millis kReleaseRetryPause{1'000};

/// Room for the headers of a message, besides its body: the agent refuses what is longer.
constexpr std::size_t kHeaderRoom = 32'768;

std::vector<TransportAddress> socketsOf(const std::vector<SipListen>& listen)
{
    std::vector<TransportAddress> sockets;
    for (const auto& entry : listen) {
        for (const auto& [isWanted, transport] :
             {std::pair{entry.udp, Transport::Udp}, std::pair{entry.tcp, Transport::Tcp},
              std::pair{entry.tls, Transport::Tls}}) {
            if (isWanted) {
                sockets.push_back({transport, entry.address.host, entry.address.port});
            }
        }
    }
    return sockets;
}

Result<void> checkProxies(const std::vector<std::string>& proxies)
{
    for (const auto& proxy : proxies) {
        if (const auto hop = nextHopOf(proxy); !hop) {
            return invalid("sip.proxy: " + hop.error().message);
        }
    }
    return {};
}

TraceSettings traceOf(const SipSettings& sip, const std::vector<std::string>& requestedAddresses)
{
    return withRequested({sip.trace.to, sip.trace.only, sip.trace.megabytes, sip.onDemandTrace},
                         requestedAddresses);
}

Agent::Settings agentSettings(const SipSettings& sip, AddressPolicy contacts)
{
    Agent::Settings settings;
    settings.hops = HopPolicy(std::move(contacts));
    settings.listen = socketsOf(sip.listen);
    settings.maxMessage = sip.maxBody + kHeaderRoom;
    settings.answerTimeout = sip.answerTimeout;
    settings.connections = {sip.limits.connections, sip.limits.connectionsPerAddress};
    settings.messageTime = sip.limits.messageTime;
    const bool proxyAsksForTls = std::ranges::any_of(sip.proxy, [](const auto& proxy) {
        const auto hop = nextHopOf(proxy);
        return hop && hop->transport == Transport::Tls;
    });
    if (!sip.tls.certificate.empty() || !sip.tls.ca.empty() || proxyAsksForTls) {
        settings.tls = sip.tls;
    }
    return settings;
}

/// Who we are ourselves: From of what has no usable sender, and who subscribes (`sip.regevent`).
std::string ownAddressOf(const SipSettings& settings,
                         const std::vector<TransportAddress>& listening)
{
    if (!settings.domain.empty()) {
        return "sip:restante@" + settings.domain.front();
    }
    return "sip:restante@" + bracketed(listening.front().host);
}

/// A request for another thread: nothing is borrowed. *Value.*
class CopiedRequest {
public:
    explicit CopiedRequest(const ReceivedRequest& request)
        : method_(request.method),
          uri_(request.requestUri),
          body_(request.body),
          source_(request.sourceHost)
    {
        for (const auto& line : request.headers) {
            lines_.emplace_back(line.name, line.value);
        }
    }

    /// Borrows from this.
    ReceivedRequest view() const
    {
        ReceivedRequest request;
        request.method = method_;
        request.requestUri = uri_;
        request.body = body_;
        request.sourceHost = source_;
        for (const auto& [name, value] : lines_) {
            request.headers.emplace_back(name, value);
        }
        return request;
    }

private:
    std::string method_;
    std::string uri_;
    std::string body_;
    std::string source_;
    std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

class PluginImpl;

struct PluginGroup::Shared {
    explicit Shared(std::size_t size) : agents(std::make_shared<AgentGroup>(size)), plugins(size) {}

    std::shared_ptr<AgentGroup> agents;
    LoopGroup<PluginImpl> plugins;
    std::shared_ptr<SharedLimitUsage> limitUsage = std::make_shared<SharedLimitUsage>();
    std::shared_ptr<SenderRateLimiter::Shared> senders = SenderRateLimiter::makeShared();
    std::shared_ptr<FailureRateLimiter::Shared> failures = FailureRateLimiter::makeShared();
    /// The first plugin delivers: a sole owner has given back the leases of a crashed daemon.
    std::atomic<bool> mayDeliver{false};
    std::atomic<bool> hasSummarySubscriber{false};  ///< at any of the plugins
    std::mutex mutex;
    std::shared_ptr<MessageTracer> tracer;  ///< by mutex; that of all
};

class PluginImpl final : public Plugin {
public:
    PluginImpl(Parts parts, Settings settings)
        : parts_(std::move(parts)),
          settings_(std::move(settings))
    {
        if (!settings_.soleOwner) {
            flowOwners_.emplace(parts_.loop, parts_.redis, parts_.url, parts_.prefix);
        }
    }
    ~PluginImpl() override
    {
        if (group_ != nullptr) {
            group_->plugins.leave(parts_.number);
        }
        stopHandovers();
    }

    Result<void> open()
    {
        if (settings_.sip.listen.empty()) {
            return invalid("sip.listen is empty; give at least one address");
        }
        TRY(checkProxies(settings_.sip.proxy));
        auto contacts = TRY(AddressPolicy::allowing(settings_.sip.contacts.allow));
        settings_.sip.proxyLogin = TRY(withPasswordFromFile(settings_.sip.proxyLogin));
        foldUsers(settings_.sip.userCase ==
                  Config::UserCase::Insensitive);  // before addresses are read
        users_ = TRY(KnownUsers::read(settings_.sip.users));
        auto settings = agentSettings(settings_.sip, std::move(contacts));
        settings.group = group_ != nullptr ? group_->agents : nullptr;
        settings.number = parts_.number;
        agent_ = TRY(Agent::open(parts_.loop, std::move(settings),
                                 [this](auto request) { guard_->handle(std::move(request)); }));
        if (isFirst_) {
            // That of the first plugin is everybody's: there is one file.
            traceTo(TRY(MessageTracer::open(traceOf(settings_.sip, {}))));
        }
        return composeReports().and_then([this] { return composeRegEvent(); }).map([this] {
            composeOutbound();
            composeInbound();
            begin();
            if (isFirst_) {
                traceFollower_.emplace(
                    TraceFollower::Parts{parts_.loop, parts_.queue.clock(), parts_.redis},
                    parts_.url, parts_.prefix,
                    [this](const auto& addresses) { applyRequestedTraces(addresses); });
            }
        });
    }

    void drain(Millis timeout, std::function<void()> drained) override
    {
        onDrained_ = std::move(drained);
        const auto finished = countDown(2, callbackGuard_.guard([this] { reportDrained(); }));
        guard_->close(finished);
        if (deferredResponses_) {
            deferredResponses_->answerAll();
        }
        stopHandovers();
        scheduler_->drain(finished);
        drainTimer_.arm(timeout, [this] { reportDrained(); });
    }

    Result<void> reload(const SipSettings& settings) override
    {
        auto users = TRY(KnownUsers::read(settings.users));
        auto tracer =
            isFirst_ ? TRY(MessageTracer::open(traceOf(settings, requestedTraces_))) : nullptr;
        TRY(agent_->reloadTls(settings.tls));
        if (isFirst_) {
            traceTo(std::move(tracer));
        }
        users_ = std::move(users);
        settings_.sip.trace = settings.trace;
        settings_.sip.users = settings.users;
        return {};
    }

    std::vector<std::string> addresses() const override
    {
        std::vector<std::string> texts;
        for (const auto& address : agent_->listening()) {
            texts.push_back(address.toString());
        }
        return texts;
    }

private:
    /// Of a plugin that has joined the group: a tracer that the first opens later is posted to it.
    void takeTracerOfGroup()
    {
        const std::lock_guard lock(group_->mutex);
        agent_->traceTo(group_->tracer);
    }

    void traceTo(std::shared_ptr<MessageTracer> tracer)
    {
        agent_->traceTo(tracer);
        if (group_ != nullptr) {
            const std::lock_guard lock(group_->mutex);
            group_->tracer = tracer;
            group_->plugins.postToOthers(
                parts_.number, [tracer](PluginImpl& other) { other.agent_->traceTo(tracer); });
        }
    }

    /// Failures are logged.
    void applyRequestedTraces(const std::vector<std::string>& addresses)
    {
        requestedTraces_ = addresses;
        auto tracer = MessageTracer::open(traceOf(settings_.sip, addresses));
        if (!tracer) {
            return log::error("trace", "not traced: {}", tracer.error().message);
        }
        traceTo(std::move(*tracer));
    }

    Result<void> composeReports()
    {
        domains_ = std::make_unique<LocalDomains>(settings_.sip.domain, agent_->listening());
        auto rules = TRY(reportRulesOf(settings_.sip, *domains_));
        reports_ = std::make_unique<SenderReports>(
            SenderReports::Parts{parts_.loop, parts_.queue, parts_.inspector}, rules,
            [this](const std::string& aor) { handleStoredMessage(aor); });
        if (isFirst_ && isReported(Disposition::Failed, settings_.sip)) {
            deadLetterWatcher_ = std::make_unique<DeadLetterWatcher>(DeadLetterWatcher::Parts{
                parts_.loop, parts_.queue.clock(), parts_.inspector, reportWatermark_, *reports_});
        }
        return {};
    }

    /// Does nothing without `sip.regevent`, nor in any plugin of a group but the first.
    Result<void> composeRegEvent()
    {
        const auto& sip = settings_.sip;
        if (sip.regevent.empty() || !isFirst_) {
            return {};
        }
        TRY(contactFor(sip.regevent, agent_->listening()));
        regEventSubscriber_ = std::make_unique<RegEventSubscriber>(
            *agent_, parts_.inspector, parts_.queue.clock(),
            RegEventSubscriber::Settings{sip.regevent, ownAddressOf(sip, agent_->listening()),
                                         sip.limits.subscriptions, sip.proxy, sip.proxyLogin},
            [this](const std::string& aor) { handleReachable(aor); });
        return {};
    }

    void composeOutbound()
    {
        const auto ownAddress = ownAddressOf(settings_.sip, agent_->listening());
        // A recipient who answers late can be reached: the other messages need not wait.
        lateDeliveries_ = std::make_unique<LateDeliveries>(
            parts_.loop, parts_.queue.store(), parts_.queue.clock(),
            LateDeliveries::Callbacks{
                [this](const std::string& recipient) { handleReachable(recipient); },
                [this](const LateDeliveries::Message& message, Done<void> done) {
                    reports_->reportDelivered(message.id, message.created, std::move(done));
                },
                [this](const LateDeliveries::Delivery& delivery) { tellOthersOfTaken(delivery); }});
        uac_ = std::make_unique<Uac>(Uac::Parts{*agent_, bindings_, *domains_, parts_.queue.clock(),
                                                lateDeliveries_.get(), &loopDetector_},
                                     Uac::Settings{settings_.sip.proxy, settings_.sip.proxyLogin,
                                                   isForEveryDevice_, settings_.sip.redirects});
        DeliveryScheduler::Settings schedulerSettings;
        schedulerSettings.run.proxy = settings_.sip.proxy;
        schedulerSettings.run.ownAddress = ownAddress;
        schedulerSettings.run.policy = ResponsePolicy{settings_.sip.outcomes};
        schedulerSettings.run.holdRetry = settings_.sip.hold;
        if (settings_.sip.liveTimeout > Millis{0}) {
            deferredResponses_ = std::make_unique<DeferredResponses>(
                parts_.loop, DeferredResponses::Settings{settings_.sip.liveTimeout});
        }
        schedulerSettings.onEnded = [this](const std::string& aor,
                                           const MailboxRun::RunResult& result) {
            handleRunEnd(aor, result);
        };
        schedulerSettings.run.window = isForEveryDevice_ ? 1 : settings_.sip.mailbox.window;
        schedulerSettings.memory = settings_.sip.limits.flushMemory;
        schedulerSettings.pace = settings_.sip.mailbox.pace;
        schedulerSettings.perSecond = settings_.sip.limits.sendRate;
        schedulerSettings.everyDevice = isForEveryDevice_;
        schedulerSettings.keep = settings_.sip.mailbox.keep;
        if (group_ != nullptr) {
            schedulerSettings.sharedUsage = group_->limitUsage;
        }
        scheduler_ = std::make_unique<DeliveryScheduler>(
            DeliveryRun::Parts{parts_.loop, parts_.queue, bindings_, *uac_, reports_.get(),
                               deferredResponses_.get(), flowOwners_ ? &*flowOwners_ : nullptr},
            schedulerSettings);
        forwarder_ = std::make_unique<DeviceForwarder>(
            bindings_, *uac_, parts_.queue.clock(),
            DeviceForwarder::Settings{settings_.sip.proxy, ownAddress});
    }

    void composeInbound()
    {
        const auto& clock = parts_.queue.clock();
        if (!settings_.sip.scheduleHeader.empty()) {
            scheduledMessages_ = std::make_unique<ScheduledMessages>(
                ScheduledMessages::Parts{parts_.queue, parts_.inspector, senderQuotas_},
                ScheduledMessages::Settings{settings_.sip.schedulePerSender,
                                            settings_.sip.mailbox.keep});
        }
        receiver_ = std::make_unique<MessageReceiver>(
            MessageReceiver::Parts{
                .queue = parts_.queue,
                .forwarder = *forwarder_,
                .onStored = [this](const std::string& aor) { handleStoredMessage(aor); },
                .scheduled = scheduledMessages_.get(),
                .loopDetector = &loopDetector_,
                .reports = reports_.get(),
                .deferredResponses = deferredResponses_.get(),
                .isTriedSoon =
                    [this](const auto& aor) {
                        return triesImmediately_ && scheduler_->willTrySoon(aor);
                    },
                .sharedSenderRates = group_ != nullptr ? group_->senders : nullptr},
            settings_.sip);
        registrar_ = std::make_unique<Registrar>(
            bindings_, clock, *domains_, settings_.sip,
            Registrar::Callbacks{
                [this](const std::string& aor) { return scheduler_->prepareArrival(aor); },
                [this](const std::string& aor, const BindingUpdate::ClaimLimits& prepared,
                       Result<Arrival> arrival) {
                    if (arrival && summaries_) {
                        summaries_->handleMailboxChange(aor);
                    }
                    if (arrival) {
                        notifyOtherThreads(RecipientChange::Reachable, aor);
                    }
                    scheduler_->handleArrival(aor, prepared, std::move(arrival));
                },
                [this](const std::string& aor) { handleReachable(aor); }});
        SipRequestGuard::Parts guardParts{clock, *domains_, settings_.sip.trusted, {}, {}, nullptr,
                                          {},    {},        parts_.storeServes};
        if (settings_.sip.mwi) {
            summaries_ = std::make_unique<MessageSummaries>(
                MessageSummaries::Parts{parts_.loop, clock, mailboxSizes_, *agent_});
            guardParts.subscription = [this](const auto& request, auto done) {
                if (group_ != nullptr) {
                    group_->hasSummarySubscriber = true;
                }
                summaries_->handle(request, done);
            };
        }
        guardParts.message = [this](const auto& request, auto done) {
            const auto recipient = canonicalAor(request.requestUri);
            if (recipient && !users_.knows(*recipient)) {
                return done(refusal(404, "Not Found", "nobody of that name is in sip.users"));
            }
            receiver_->handle(request, std::move(done));
        };
        if (settings_.sip.registrar) {
            guardParts.registration = [this](const auto& request, auto done) {
                registrar_->handle(request, std::move(done));
            };
        }
        if (parts_.digestBackend != nullptr) {
            authenticator_ = std::make_unique<Authenticator>(
                Authenticator::Parts{clock, *domains_, parts_.digestBackend->users(),
                                     parts_.digestBackend->nonces(), settings_.sip.edges,
                                     group_ != nullptr ? group_->failures : nullptr},
                settings_.sip.auth);
            guardParts.authenticator = authenticator_.get();
        }
        if (regEventSubscriber_ != nullptr) {
            guardParts.notification = [this](const auto& request, auto done) {
                regEventSubscriber_->handle(request, std::move(done));
            };
        } else if (!settings_.sip.regevent.empty()) {
            guardParts.notification = [this](const auto& request, auto done) {
                passNotification(request, std::move(done));
            };
        }
        guard_ = std::make_unique<SipRequestGuard>(std::move(guardParts));
    }

    void begin()
    {
        if (group_ != nullptr) {
            group_->plugins.join(parts_.number, parts_.loop, *this);
        }
        if (!isFirst_) {
            takeTracerOfGroup();
            setOwnerNames();
            if (group_->mayDeliver) {
                scheduler_->open();
            }
            return;
        }
        auto beginDeliveries = callbackGuard_.guard([this] {
            listenForHandovers();
            scheduler_->open();
            if (group_ != nullptr) {
                // One that joins from now on sees it.
                group_->mayDeliver = true;
                group_->plugins.postToOthers(parts_.number,
                                             [](PluginImpl& other) { other.scheduler_->open(); });
            }
            if (deadLetterWatcher_) {
                deadLetterWatcher_->start();
            }
            const auto schedule = [this](const auto& recipient, auto cause, auto onClaimed) {
                scheduleOnThreadOf(recipient, cause, std::move(onClaimed));
            };
            dueDeliveries_ = std::make_unique<DueDeliveries>(
                parts_.queue, parts_.due, schedule,
                [this](const std::vector<std::string>& ids) { forgetTaken(ids); });
            if (regEventSubscriber_ != nullptr) {
                regEventSubscriber_->resume();
            }
            // With a proxy the fall-back attempts suffice, because we do not know who is
            // registered.
            if (settings_.sip.proxy.empty()) {
                startupPass_ =
                    std::make_unique<StartupMailboxPass>(parts_.loop, parts_.inspector, schedule);
                startupPass_->start();
            }
        });
        settings_.soleOwner ? delivery::requeueLeases(parts_.queue, parts_.inspector,
                                                      {.channel = Channel::Sip}, beginDeliveries)
                            : beginDeliveries();
    }

    /// What is due is shared out over the threads, a mailbox always to the same one: that of its
    /// shard where these come out even, so that what goes to a shard at once comes from one thread.
    std::size_t threadOf(const std::string& recipient) const
    {
        const auto threads = group_->plugins.size();
        const auto shards = parts_.queue.settings().shards;
        return shards % threads == 0 ? shardOfMailbox(recipient, shards) % threads
                                     : std::hash<std::string>{}(recipient) % threads;
    }

    void scheduleOnThreadOf(const std::string& recipient,
                            DeliveryScheduler::Cause cause,
                            std::function<void()> onClaimed)
    {
        const auto thread = group_ != nullptr ? threadOf(recipient) : parts_.number;
        const auto ticket = ++lastTicket_;
        const auto scheduleThere = [recipient, cause, ticket,
                                    from = parts_.number](PluginImpl& other) {
            other.scheduler_->schedule(recipient, cause, [group = other.group_, ticket, from] {
                group->plugins.post(from, [ticket](PluginImpl& asker) {
                    if (auto claimed = asker.pendingClaims_.extract(ticket); !claimed.empty()) {
                        claimed.mapped()();
                    }
                });
            });
        };
        if (thread == parts_.number || !group_->plugins.post(thread, scheduleThere)) {
            return scheduler_->schedule(recipient, cause, std::move(onClaimed));
        }
        pendingClaims_.emplace(ticket, std::move(onClaimed));
    }

    enum class RecipientChange {
        Reachable,  ///< they have registered, or can be reached
        Delivered,  ///< they have taken a message
        Mailbox,    ///< a message is in it
    };
    /// What the other threads remember of a recipient has changed. All of one turn of the loop at
    /// once: a thread that sleeps is woken once.
    void notifyOtherThreads(RecipientChange change, const std::string& aor)
    {
        if (group_ == nullptr ||
            (change == RecipientChange::Mailbox && !group_->hasSummarySubscriber)) {
            return;
        }
        if (pendingChanges_.empty()) {
            parts_.loop.post(callbackGuard_.guard([this] {
                const auto changes =
                    std::make_shared<const std::vector<std::pair<RecipientChange, std::string>>>(
                        std::exchange(pendingChanges_, {}));
                group_->plugins.postToOthers(parts_.number, [changes](PluginImpl& other) {
                    for (const auto& [pendingChange, recipient] : *changes) {
                        other.handleRecipientChange(pendingChange, recipient);
                    }
                });
            }));
        }
        pendingChanges_.emplace_back(change, aor);
    }

    /// The next attempt may be another thread's, as after a REGISTER that came there.
    void tellOthersOfTaken(const LateDeliveries::Delivery& delivery)
    {
        if (group_ != nullptr) {
            group_->plugins.postToOthers(parts_.number, [delivery](PluginImpl& other) {
                other.lateDeliveries_->handleTakenElsewhere(delivery);
            });
        }
    }

    /// Told before any thread can attempt them.
    void forgetTaken(const std::vector<std::string>& ids)
    {
        for (const auto& id : ids) {
            lateDeliveries_->forgetMessage(id);
        }
        if (group_ != nullptr) {
            group_->plugins.postToOthers(parts_.number, [ids](PluginImpl& other) {
                for (const auto& id : ids) {
                    other.lateDeliveries_->forgetMessage(id);
                }
            });
        }
    }

    void handleRecipientChange(RecipientChange change, const std::string& aor)
    {
        if (change == RecipientChange::Delivered) {
            return scheduler_->handleDeliveredElsewhere(aor);
        }
        if (summaries_) {
            summaries_->handleMailboxChange(aor);
        }
        if (change == RecipientChange::Reachable) {
            scheduler_->handleReachableElsewhere(aor);
        }
    }

    /// To the plugin that has subscribed.
    void passNotification(const ReceivedRequest& request, Respond done)
    {
        const auto ticket = ++lastTicket_;
        const auto copy = std::make_shared<const CopiedRequest>(request);
        const bool posted = group_->plugins.post(0, [copy, ticket,
                                                     from = parts_.number](PluginImpl& first) {
            first.regEventSubscriber_->handle(copy->view(), [group = first.group_, ticket,
                                                             from](const SipAnswer& answer) {
                group->plugins.post(from, [ticket, answer](PluginImpl& asker) {
                    if (auto found = asker.pendingNotifications_.extract(ticket); !found.empty()) {
                        found.mapped()(answer);
                    }
                });
            });
        });
        posted ? void(pendingNotifications_.emplace(ticket, std::move(done)))
               : done(tryLater("this server is stopping", 1));
    }

    void setOwnerNames()
    {
        if (flowOwners_) {
            flowOwners_->own(agent_->flowOwners());
        }
    }

    /// Takes handovers of mailboxes whose recipients are connected to this daemon.
    void listenForHandovers()
    {
        if (!flowOwners_) {
            return;
        }
        flowOwners_->listen(agent_->flowOwners(), [this](const MailboxHandover& handover) {
            scheduler_->schedule(handover.recipient, handover.due
                                                         ? DeliveryScheduler::Cause::Registered
                                                         : DeliveryScheduler::Cause::HandedOver);
        });
    }

    void stopHandovers()
    {
        if (flowOwners_) {
            flowOwners_->stop();
        }
    }

    /// A message has been stored in their mailbox.
    void handleStoredMessage(const std::string& aor)
    {
        // Otherwise the schedule begins with a wait, after which the mailbox is due.
        if (triesImmediately_) {
            scheduler_->schedule(aor, DeliveryScheduler::Cause::Stored);
        }
        if (summaries_) {
            summaries_->handleMailboxChange(aor);
            notifyOtherThreads(RecipientChange::Mailbox, aor);
        }
    }

    void handleRunEnd(const std::string& aor, const MailboxRun::RunResult& result)
    {
        const bool isPostponed = result.postponedUntil.has_value();
        if (result.deliveredAnew && !isPostponed) {
            notifyOtherThreads(RecipientChange::Delivered, aor);
        }
        if (regEventSubscriber_) {
            regEventSubscriber_->handleRunEnd(aor, isPostponed);
        } else if (!settings_.sip.regevent.empty()) {
            group_->plugins.post(0, [aor, isPostponed](PluginImpl& first) {
                first.regEventSubscriber_->handleRunEnd(aor, isPostponed);
            });
        }
        if (deferredResponses_ && isPostponed) {
            deferredResponses_->handleUnreachable(aor);
        }
        // What was scheduled or pushed has come into the mailbox without a MESSAGE.
        if (summaries_ && isPostponed) {
            summaries_->handleMailboxChange(aor);
            notifyOtherThreads(RecipientChange::Mailbox, aor);
        }
    }

    /// They can be reached, as something else than a stored REGISTER has shown: a NOTIFY, a late
    /// answer, or a hint.
    void handleReachable(const std::string& aor)
    {
        if (summaries_) {
            summaries_->handleMailboxChange(aor);
        }
        scheduler_->forgetUnreachable(aor);
        notifyOtherThreads(RecipientChange::Reachable, aor);
        releaseMailbox(aor);
    }

    /// Releases it in the store first, where that outlives us and other daemons see it.
    void releaseMailbox(const std::string& aor)
    {
        parts_.queue.store().releaseMailbox(
            aor, callbackGuard_.guard([this, aor](const Result<std::uint64_t>& releasedCount) {
                if (!releasedCount) {
                    handleUnreleased(aor, releasedCount.error());
                } else if (*releasedCount > 0) {
                    scheduler_->schedule(aor, DeliveryScheduler::Cause::Registered);
                }
            }));
    }

    void handleUnreleased(const std::string& aor, const Error& error)
    {
        if (const auto times = releaseLogLimiter_.countToLog(); times > 0) {
            log::warning("sip", "{} times a mailbox was not released, the last that of {}: {}",
                         times, aor, error.message);
        }
        // What has shown that they can be reached does not come again soon; and if it does, the
        // repetition that is pending is enough.
        if (!isTemporary(error.code) || guard_->isClosed() ||
            !unreleasedRecipients_.insert(aor).second) {
            return;
        }
        parts_.loop.armTimer(kReleaseRetryPause, callbackGuard_.guard([this, aor] {
            unreleasedRecipients_.erase(aor);
            if (!guard_->isClosed()) {
                releaseMailbox(aor);
            }
        }));
    }

    void reportDrained()
    {
        drainTimer_.cancel();
        if (auto drained = std::exchange(onDrained_, {})) {
            drained();
        }
    }

    Parts parts_;
    Settings settings_;
    PluginGroup::Shared* const group_ =
        parts_.group != nullptr ? parts_.group->shared_.get() : nullptr;  ///< null: it is alone
    const bool isFirst_ = parts_.number == 0;
    std::vector<std::pair<RecipientChange, std::string>>
        pendingChanges_;  ///< for the others, of this turn
    std::uint64_t lastTicket_ = 0;
    /// What waits for the answer of another plugin, which names the ticket.
    std::unordered_map<std::uint64_t, std::function<void()>> pendingClaims_;
    std::unordered_map<std::uint64_t, Respond> pendingNotifications_;
    std::unordered_set<std::string> unreleasedRecipients_;  ///< whose release is to be repeated
    LogRateLimiter releaseLogLimiter_{parts_.queue.clock()};
    const MailboxKeys keys_{parts_.prefix, parts_.queue.settings().shards};
    RedisBindingStore bindings_{
        {parts_.redis, parts_.shards, parts_.queue.store(), parts_.queue.clock()},
        {keys_, settings_.sip.registration.maxContacts}};
    ReportWatermark reportWatermark_{parts_.redis, parts_.prefix};
    RedisMailboxSizes mailboxSizes_{parts_.redis, keys_};
    SenderQuotas senderQuotas_{parts_.redis, parts_.queue.clock(), keys_};
    StoreToken storeToken_ = storeToken(parts_.redis, parts_.prefix, settings_.storeId);
    std::optional<FlowOwners> flowOwners_;  ///< nothing when no other daemon works on this store
    LoopDetector loopDetector_{parts_.loop, &storeToken_};
    Timer drainTimer_{parts_.loop};
    std::function<void()> onDrained_;
    const bool isForEveryDevice_ = settings_.sip.devices == Config::Devices::All;
    bool triesImmediately_ = hasImmediateAttempt(settings_.sip.retry);
    std::vector<std::string> requestedTraces_;
    std::unique_ptr<Agent> agent_;
    KnownUsers users_;
    std::unique_ptr<LocalDomains> domains_;
    std::unique_ptr<LateDeliveries> lateDeliveries_;
    std::unique_ptr<SenderReports> reports_;
    std::unique_ptr<DeadLetterWatcher> deadLetterWatcher_;  ///< null when deaths are not reported
    std::unique_ptr<Uac> uac_;
    std::unique_ptr<RegEventSubscriber>
        regEventSubscriber_;  ///< of the first plugin; null without `sip.regevent`
    std::unique_ptr<DeferredResponses> deferredResponses_;  ///< null without `sip.live_timeout`
    std::unique_ptr<DeliveryScheduler> scheduler_;
    std::unique_ptr<DeviceForwarder> forwarder_;
    std::unique_ptr<ScheduledMessages> scheduledMessages_;
    std::unique_ptr<MessageReceiver> receiver_;
    std::unique_ptr<MessageSummaries> summaries_;  ///< null without sip.mwi
    std::unique_ptr<Registrar> registrar_;
    std::unique_ptr<Authenticator> authenticator_;  ///< null when nobody can log in
    std::unique_ptr<SipRequestGuard> guard_;
    std::unique_ptr<DueDeliveries> dueDeliveries_;
    std::unique_ptr<StartupMailboxPass> startupPass_;
    std::optional<TraceFollower> traceFollower_;
    CallbackGuard callbackGuard_;
};

PluginGroup::PluginGroup(std::size_t size) : shared_(std::make_unique<Shared>(size)) {}

PluginGroup::~PluginGroup() = default;

Result<std::unique_ptr<Plugin>> Plugin::start(Parts parts, Settings settings)
{
    auto impl = std::make_unique<PluginImpl>(std::move(parts), std::move(settings));
    TRY(impl->open());
    return impl;
}

}  // namespace restante::sip

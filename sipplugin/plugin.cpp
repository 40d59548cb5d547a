#include "sipplugin/plugin.h"

#include "core/base/log.h"
#include "sipplugin/auth/authenticator.h"
#include "sipplugin/delivery/due_deliveries.h"
#include "sipplugin/inbound/known_users.h"
#include "sipplugin/inbound/message_receiver.h"
#include "sipplugin/inbound/sip_request_guard.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/outbound/authenticating_sender.h"
#include "sipplugin/outbound/device_forwarder.h"
#include "sipplugin/outbound/late_deliveries.h"
#include "sipplugin/receipts/live_senders.h"
#include "sipplugin/receipts/sender_reports.h"
#include "sipplugin/registration/regevent/regevent_subscriber.h"
#include "sipplugin/registration/registrar.h"
#include "sipplugin/trace/message_tracer.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/resolver.h"

#include <algorithm>

namespace restante::sip {
namespace {
/// The pause before a mailbox is released that the store could not release.
constexpr Millis kReleaseAgain{1'000};

/// Headers besides the body: sofia refuses what is longer.
constexpr std::size_t kHeaders = 32'768;

Result<std::vector<ListenAddress>> listenAddresses(const SipSettings& settings)
{
    std::vector<ListenAddress> all;
    for (const auto& text : settings.listen) {
        auto some = parseListen(text);
        if (!some) {
            return tl::unexpected(some.error());
        }
        all.insert(all.end(), some->begin(), some->end());
    }
    if (all.empty()) {
        return failure(ErrorCode::Invalid, "sip.listen is empty; give at least one address");
    }
    return all;
}

Result<void> checkProxies(const std::vector<std::string>& proxies)
{
    for (const auto& proxy : proxies) {
        if (const auto hop = nextHopOf(proxy); !hop) {
            return failure(ErrorCode::Invalid, "sip.proxy: " + hop.error().message);
        }
    }
    return {};
}

Agent::Settings agentSettings(const SipSettings& sip,
                              const std::vector<ListenAddress>& listen,
                              AddressPolicy contacts)
{
    Agent::Settings settings;
    settings.hops = HopPolicy(std::move(contacts));
    settings.listen = listen;
    settings.maxMessage = sip.maxBody + kHeaders;
    settings.answerTimeout = sip.answerTimeout;
    settings.connections = {sip.limits.connections, sip.limits.connectionsPerAddress,
                            sip.limits.messageTime};
    const bool proxyAsksForTls = std::ranges::any_of(sip.proxy, [](const auto& proxy) {
        const auto hop = nextHopOf(proxy);
        return hop && hop->transport == Transport::Tls;
    });
    if (!sip.tls.certificate.empty() || !sip.tls.ca.empty() || proxyAsksForTls) {
        settings.tls = sip.tls;
    }
    return settings;
}

/// From of a reminder that names no sender.
std::string ownAddressOf(const SipSettings& settings, const std::vector<ListenAddress>& listening)
{
    if (!settings.domains.empty()) {
        return "sip:restante@" + settings.domains.front();
    }
    return "sip:restante@" + bracketed(listening.front().host);
}

class PluginImpl final : public Plugin {
public:
    PluginImpl(Parts parts, Settings settings) : parts_(parts), settings_(std::move(settings)) {}
    ~PluginImpl() override { stopHints(); }

    Result<void> open()
    {
        auto listen = listenAddresses(settings_.sip);
        auto trusted = TrustedPeers::parse(settings_.sip.trusted);
        auto edges = Networks::parse(settings_.sip.edges);
        auto proxy = checkProxies(settings_.sip.proxy);
        auto contacts = AddressPolicy::allowing(settings_.sip.contactsAllow);
        auto login = withPassword(settings_.sip.proxyLogin);
        foldUsers(settings_.sip.foldsUsers);  // before addresses are read
        auto users = KnownUsers::read(settings_.sip.users);
        if (!listen || !trusted || !edges || !proxy || !contacts || !login || !users) {
            return tl::unexpected(!listen     ? listen.error()
                                  : !trusted  ? trusted.error()
                                  : !edges    ? edges.error()
                                  : !proxy    ? proxy.error()
                                  : !contacts ? contacts.error()
                                  : !login    ? login.error()
                                              : users.error());
        }
        settings_.sip.proxyLogin = std::move(*login);
        users_ = std::move(*users);
        auto agent =
            Agent::open(parts_.loop, agentSettings(settings_.sip, *listen, std::move(*contacts)),
                        [this](auto request) { guard_->handle(std::move(request)); });
        if (!agent) {
            return tl::unexpected(agent.error());
        }
        auto tracer = MessageTracer::open(settings_.sip.trace);
        if (!tracer) {
            return tl::unexpected(tracer.error());
        }
        agent_ = std::move(*agent);
        agent_->traceTo(std::move(*tracer));
        if (auto composed = composeReports(); !composed) {
            return composed;
        }
        if (auto watched = composeWatch(); !watched) {
            return watched;
        }
        composeOutbound();
        composeInbound(std::move(*trusted));
        begin();
        return {};
    }

    void drain(Millis timeout, std::function<void()> drained) override
    {
        drained_ = std::move(drained);
        guard_->close();
        if (live_) {
            live_->end();
        }
        stopHints();
        scheduler_->drain([this] { reportDrained(); });
        timeout_.arm(timeout, [this] { reportDrained(); });
    }

    Result<void> reload(const SipSettings& settings) override
    {
        auto users = KnownUsers::read(settings.users);
        auto tracer = MessageTracer::open(withRequested(settings.trace, tracedAlso_));
        if (!users || !tracer) {
            return tl::unexpected(!users ? users.error() : tracer.error());
        }
        if (auto reloaded = agent_->reloadTls(settings.tls); !reloaded) {
            return reloaded;
        }
        agent_->traceTo(std::move(*tracer));
        users_ = std::move(*users);
        settings_.sip.trace = settings.trace;
        settings_.sip.users = settings.users;
        return {};
    }

    void traceAlso(const std::vector<std::string>& addresses) override
    {
        tracedAlso_ = addresses;
        auto tracer = MessageTracer::open(withRequested(settings_.sip.trace, addresses));
        if (!tracer) {
            return log::error("trace", "not traced: {}", tracer.error().message);
        }
        agent_->traceTo(std::move(*tracer));
    }

    std::vector<std::string> addresses() const override
    {
        std::vector<std::string> texts;
        for (const auto& address : agent_->listening()) {
            texts.push_back(address.print());
        }
        return texts;
    }

private:
    Result<void> composeReports()
    {
        domains_ = std::make_unique<LocalDomains>(settings_.sip.domains, agent_->listening());
        auto rules = reportRulesOf(settings_.sip, *domains_);
        if (!rules) {
            return tl::unexpected(rules.error());
        }
        reports_ = std::make_unique<SenderReports>(
            SenderReports::Parts{parts_.loop, parts_.queue, parts_.inspector}, *rules,
            [this](const std::string& aor) { came(aor); });
        const bool tellsOfFailures = rules->settings.failed || rules->settings.noticeFailed;
        if (parts_.reportWatermark != nullptr && tellsOfFailures) {
            deadLetterWatcher_ = std::make_unique<DeadLetterWatcher>(
                DeadLetterWatcher::Parts{parts_.loop, parts_.queue.clock(), parts_.inspector,
                                         *parts_.reportWatermark, *reports_});
        }
        return {};
    }

    /// With `sip.regevent` only.
    Result<void> composeWatch()
    {
        const auto& sip = settings_.sip;
        if (sip.regevent.empty()) {
            return {};
        }
        if (auto contact = contactFor(sip.regevent, agent_->listening()); !contact) {
            return tl::unexpected(contact.error());
        }
        regEventSubscriber_ = std::make_unique<RegEventSubscriber>(
            *agent_, parts_.inspector, parts_.queue.clock(),
            RegEventSubscriber::Settings{sip.regevent, ownAddressOf(sip, agent_->listening()),
                                         sip.limits.subscriptions, sip.proxy, sip.proxyLogin},
            [this](const std::string& aor) { registered(aor); });
        return {};
    }

    void composeOutbound()
    {
        const auto own = ownAddressOf(settings_.sip, agent_->listening());
        // Who answers late can be reached: the rest of the mailbox need not wait.
        late_ = std::make_unique<LateDeliveries>(
            parts_.loop, parts_.queue.store(), parts_.queue.clock(),
            LateDeliveries::Callbacks{
                [this](const std::string& recipient) { registered(recipient); },
                [this](const std::string& id, Done<void> done) {
                    reports_->reportDelivered(id, std::move(done));
                }});
        uac_ = std::make_unique<Uac>(Uac::Parts{*agent_, parts_.bindings, *domains_,
                                                parts_.queue.clock(), late_.get(), &loopDetector_},
                                     Uac::Settings{settings_.sip.proxy, settings_.sip.proxyLogin,
                                                   settings_.sip.everyDevice,
                                                   settings_.sip.redirects});
        DeliveryScheduler::Settings scheduler;
        scheduler.run.proxy = settings_.sip.proxy;
        scheduler.run.ownAddress = own;
        scheduler.run.policy = settings_.sip.policy;
        scheduler.run.holdRetry = settings_.sip.holdRetry;
        if (settings_.sip.liveTimeout > Millis{0}) {
            live_ = std::make_unique<LiveSenders>(parts_.loop,
                                                  LiveSenders::Settings{settings_.sip.liveTimeout});
        }
        scheduler.ended = [this](const std::string& aor, bool unreachable) {
            runEnded(aor, unreachable);
        };
        scheduler.run.window = settings_.sip.everyDevice ? 1 : settings_.sip.mailbox.window;
        scheduler.memory = settings_.sip.limits.flushMemory;
        scheduler.pace = settings_.sip.mailbox.pace;
        scheduler.perSecond = settings_.sip.limits.sendRate;
        scheduler.everyDevice = settings_.sip.everyDevice;
        scheduler.keep = settings_.sip.mailbox.keep;
        scheduler_ = std::make_unique<DeliveryScheduler>(
            DeliveryRun::Parts{parts_.loop, parts_.queue, parts_.bindings, *uac_, reports_.get(),
                               live_.get(), parts_.flowOwners},
            scheduler);
        forwarder_ =
            std::make_unique<DeviceForwarder>(parts_.bindings, *uac_, parts_.queue.clock(),
                                              DeviceForwarder::Settings{settings_.sip.proxy, own});
    }

    void composeInbound(TrustedPeers trusted)
    {
        const auto& clock = parts_.queue.clock();
        receiver_ =
            std::make_unique<MessageReceiver>(parts_.queue, *forwarder_, settings_.sip,
                                              [this](const std::string& aor) { came(aor); });
        receiver_->reportTo(*reports_);
        receiver_->detectLoopsWith(loopDetector_);
        if (live_) {
            receiver_->answerLive(*live_, [this](const std::string& aor) {
                return triesAtOnce_ && scheduler_->tries(aor);
            });
        }
        if (const auto& schedule = settings_.sip.schedule; !schedule.header.empty()) {
            scheduled_ = std::make_unique<ScheduledMessages>(
                ScheduledMessages::Parts{parts_.queue, parts_.inspector, parts_.quotas},
                ScheduledMessages::Settings{schedule.perSender, settings_.sip.mailbox.keep});
            receiver_->scheduleWith(*scheduled_);
        }
        registrar_ = std::make_unique<Registrar>(
            parts_.bindings, clock, *domains_, settings_.sip,
            [this](const std::string& aor, const auto& bindings) { registered(aor, bindings); });
        SipRequestGuard::Parts guard{clock, *domains_, std::move(trusted), {}, {}, nullptr,
                                     {},    {},        parts_.storeServes};
        if (settings_.sip.mwi && parts_.mailboxSizes != nullptr) {
            summaries_ = std::make_unique<MessageSummaries>(
                MessageSummaries::Parts{parts_.loop, clock, *parts_.mailboxSizes, *agent_});
            guard.subscription = [this](const auto& request, auto done) {
                summaries_->handle(request, done);
            };
        }
        guard.message = [this](const auto& request, auto done) {
            const auto recipient = canonicalAor(request.requestUri);
            if (recipient && !users_.knows(*recipient)) {
                return done(refusal(404, "Not Found", "nobody of that name is in sip.users"));
            }
            receiver_->handle(request, std::move(done));
        };
        if (settings_.sip.registrar) {
            guard.registration = [this](const auto& request, auto done) {
                registrar_->handle(request, std::move(done));
            };
        }
        if (parts_.digestBackend != nullptr) {
            authenticator_ = std::make_unique<Authenticator>(
                Authenticator::Parts{clock, *domains_, parts_.digestBackend->users(),
                                     parts_.digestBackend->nonces(),
                                     Networks::parse(settings_.sip.edges).value_or(Networks{})},
                settings_.sip.auth);
            guard.authenticator = authenticator_.get();
        }
        if (regEventSubscriber_ != nullptr) {
            guard.notification = [this](const auto& request, auto done) {
                regEventSubscriber_->handle(request, std::move(done));
            };
        }
        guard_ = std::make_unique<SipRequestGuard>(std::move(guard));
    }

    void begin()
    {
        auto open = lifetime_.guard([this] {
            handleHints();
            scheduler_->open();
            if (deadLetterWatcher_) {
                deadLetterWatcher_->start();
            }
            dueDeliveries_ = std::make_unique<DueDeliveries>(parts_.queue, parts_.due, *scheduler_);
            if (regEventSubscriber_ != nullptr) {
                regEventSubscriber_->resume();
            }
            // A proxy knows who is registered and is asked at the fall-back attempts.
            if (settings_.sip.proxy.empty()) {
                sweep_ = std::make_unique<MailboxSweep>(parts_.inspector, *scheduler_);
                sweep_->start();
            }
        });
        settings_.soleOwner ? requeueLeases(parts_.queue, parts_.inspector, open) : open();
    }

    /// Of mailboxes whose recipients have come to us, and to no other daemon.
    void handleHints()
    {
        if (parts_.flowOwners == nullptr) {
            return;
        }
        parts_.flowOwners->listen(agent_->flowOwners(), [this](const MailboxHint& hint) {
            scheduler_->schedule(hint.recipient, hint.due ? DeliveryScheduler::Cause::Registered
                                                          : DeliveryScheduler::Cause::HandedOver);
        });
    }

    void stopHints()
    {
        if (parts_.flowOwners != nullptr) {
            parts_.flowOwners->stop();
        }
    }

    /// A message is in their mailbox.
    void came(const std::string& aor)
    {
        // Else the schedule begins with a wait, and the mailbox is due when that is over.
        if (triesAtOnce_) {
            scheduler_->schedule(aor, DeliveryScheduler::Cause::Stored);
        }
        if (summaries_) {
            summaries_->changed(aor);
        }
    }

    void runEnded(const std::string& aor, bool unreachable)
    {
        if (regEventSubscriber_) {
            regEventSubscriber_->runEnded(aor, unreachable);
        }
        if (live_ && unreachable) {
            live_->unreachable(aor);
        }
    }

    /// First in the store, where it outlives us and other daemons see it.
    void registered(const std::string& aor, const std::vector<Binding>& bindings = {})
    {
        if (summaries_) {
            summaries_->changed(aor);
        }
        scheduler_->forgetUnreachable(aor);
        parts_.queue.store().releaseMailbox(
            aor, lifetime_.guard([this, aor, bindings](const Result<std::uint64_t>& held) {
                if (!held) {
                    log::warning("sip", "the mailbox of {} is not released: {}", aor,
                                 held.error().message);
                    releaseLater(aor, held.error());
                } else if (*held > 0) {
                    scheduler_->schedule(aor, DeliveryScheduler::Cause::Registered, {}, bindings);
                }
            }));
    }

    /// The REGISTER has been answered 200 and does not come again soon.
    void releaseLater(const std::string& aor, const Error& error)
    {
        if (!isTemporary(error.code)) {
            return;
        }
        parts_.loop.armTimer(kReleaseAgain, lifetime_.guard([this, aor] { registered(aor); }));
    }

    void reportDrained()
    {
        timeout_.cancel();
        if (auto drained = std::exchange(drained_, {})) {
            drained();
        }
    }

    Parts parts_;
    Settings settings_;
    LoopDetector loopDetector_{parts_.loop, parts_.storeId};
    Timer timeout_{parts_.loop};
    std::function<void()> drained_;
    bool triesAtOnce_ = beginsAtOnce(settings_.sip.retry);
    std::vector<std::string> tracedAlso_;
    std::unique_ptr<Agent> agent_;
    KnownUsers users_;
    std::unique_ptr<LocalDomains> domains_;
    std::unique_ptr<LateDeliveries> late_;
    std::unique_ptr<SenderReports> reports_;
    std::unique_ptr<DeadLetterWatcher> deadLetterWatcher_;  ///< null when nobody is told of deaths
    std::unique_ptr<Uac> uac_;
    std::unique_ptr<RegEventSubscriber> regEventSubscriber_;  ///< null without `sip.regevent`
    std::unique_ptr<LiveSenders> live_;                       ///< null without `sip.live_timeout`
    std::unique_ptr<DeliveryScheduler> scheduler_;
    std::unique_ptr<DeviceForwarder> forwarder_;
    std::unique_ptr<ScheduledMessages> scheduled_;
    std::unique_ptr<MessageReceiver> receiver_;
    std::unique_ptr<MessageSummaries> summaries_;  ///< null without sip.mwi
    std::unique_ptr<Registrar> registrar_;
    std::unique_ptr<Authenticator> authenticator_;  ///< null when nobody can log in
    std::unique_ptr<SipRequestGuard> guard_;
    std::unique_ptr<DueDeliveries> dueDeliveries_;
    std::unique_ptr<MailboxSweep> sweep_;
    Lifetime lifetime_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> Plugin::start(Parts parts, Settings settings)
{
    auto impl = std::make_unique<PluginImpl>(parts, std::move(settings));
    if (auto opened = impl->open(); !opened) {
        return tl::unexpected(opened.error());
    }
    return impl;
}

}  // namespace restante::sip

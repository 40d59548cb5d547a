#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/memory_job_store.h"
#include "core/redis/client/redis_url.h"
#include "sipplugin/inbound/sip_request_guard.h"
#include "sipplugin/outbound/device_forwarder.h"
#include "sipplugin/registration/binding_store.h"
#include "sipplugin/settings/sip_settings.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "tests/support/sip_socket.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace restante::sip::test {

/// The store of InboundServer: in memory, and as broken as a test wants it. Any thread may break
/// it.
class BreakableStore final : public MemoryJobStore {
public:
    BreakableStore(EventLoop& loop, const Clock& clock);

    void push(PushRequest request, Done<PushOutcome> done) override;

    void failWith(ErrorCode code) { failure_ = code; }
    void keepSilent() { silent_ = true; }
    /// Answers what was asked in silence, and speaks again.
    void speak();
    std::size_t pushes() const noexcept { return pushes_; }

private:
    EventLoop& loop_;
    std::atomic<std::optional<ErrorCode>> failure_{};
    std::atomic<bool> silent_{false};
    std::atomic<std::size_t> pushes_{0};
    std::vector<std::function<void()>> waiting_;
};

/// Notes what it is given and answers what the test wants.
class NotingRelay final : public TransientForwarder {
public:
    explicit NotingRelay(EventLoop& loop) : loop_(loop) {}
    void forward(Job message, std::function<void(SipAnswer)> done) override;

    std::atomic<int> status{200};
    std::vector<Job> relayed() const;

private:
    EventLoop& loop_;
    mutable std::mutex mutex_;
    std::vector<Job> relayed_;
};

/// The inbound half of the plugin, on free ports and a thread of its own: agent, gate, receiver and
/// registrar over a store in memory, and the bindings in the tests' Redis. *One thread*, but for
/// what is told otherwise.
class InboundServer {
public:
    /// With a file of users, digest authentication is on. Without a Redis it is the tests',
    /// emptied. Without name servers it has the machine's.
    explicit InboundServer(SipSettings settings = defaults(),
                           const std::filesystem::path& users = {},
                           const std::optional<redis::RedisUrl>& redis = {},
                           std::vector<std::string> nameServers = {});
    InboundServer(const InboundServer&) = delete;
    InboundServer& operator=(const InboundServer&) = delete;
    ~InboundServer();

    /// Free ports of 127.0.0.1 and ::1, users of example.com.
    static SipSettings defaults();

    restante::test::SipServer at(restante::test::SipTransport transport,
                                 const std::string& host = "127.0.0.1") const;
    BreakableStore& store() noexcept { return *store_; }
    NotingRelay& forwarder() noexcept { return *forwarder_; }
    BindingStore& bindings() noexcept { return *bindings_; }

    /// Runs `task` on the server's thread and waits for its end.
    void onLoop(const std::function<void()>& task);
    std::vector<Job> stored();
    std::vector<std::string> registered();  ///< AoRs that the registrar told of
    std::size_t inProgress();

private:
    class Parts;
    struct Start;
    void serve(const Start& start, std::promise<void>& ready);

    SuLoop* loop_ = nullptr;
    Parts* parts_ = nullptr;
    BreakableStore* store_ = nullptr;
    NotingRelay* forwarder_ = nullptr;
    BindingStore* bindings_ = nullptr;
    std::vector<TransportAddress> listening_;
    std::thread thread_;
};

}  // namespace restante::sip::test

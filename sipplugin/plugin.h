#pragma once

#include "core/base/event_loop.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/script_queue.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/auth/digest_backend.h"
#include "sipplugin/settings/sip_settings.h"

#include <memory>

namespace restante::sip {

/// What the plugins of one process share that serve the same addresses, each on a thread of its own
/// (`sip.threads`): a connection belongs to the plugin that took it, and the others send by it
/// through that one; limits hold for all together. The plugin 0 starts first and picks free ports,
/// and does what one alone should do: it looks at what is due, at the dead, at registrations
/// elsewhere, and at what is to be traced. *Any thread.*
class PluginGroup {
public:
    /// Of 2 to 64.
    explicit PluginGroup(std::size_t size);
    ~PluginGroup();

private:
    friend class PluginImpl;
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

/// The SIP side of Restante as one object, for any program that runs a sofia su_root: composes what
/// receives, registers, stores and delivers. *One loop*, that of `Parts::loop`.
class Plugin {
public:
    /// The plugin's dependencies. Everything is borrowed and must outlive it.
    struct Parts {
        EventLoop& loop;
        DelayQueue& queue;
        DueWatcher& due;  ///< the plugin adds what to watch; the host runs LeaseReaper
        JobInspector& inspector;
        redis::Connection& redis;                ///< to the queue's store
        const redis::ShardQueues& shards;        ///< of the same
        redis::RedisUrl url;                     ///< of the same, for connections of its own
        std::string prefix;                      ///< `redis.prefix`
        DigestBackend* digestBackend = nullptr;  ///< null: untrusted peers are answered 403
        std::function<bool()> storeServes = {};  ///< whether it takes messages now; empty: it does
        PluginGroup* group = nullptr;            ///< null: it is alone in this process
        std::size_t number = 0;                  ///< which of the group; the next starts after it
    };
    struct Settings {
        SipSettings sip;
        /// True when no other daemon works on this store (embedded Redis): sip leases found at the
        /// start are then a crashed daemon's and are given back at once, not after their ttr,
        /// before any plugin of a group delivers.
        bool soleOwner = false;
        /// What readStoreId() gave; empty: not known yet. Without it a delivery of another store
        /// that comes before Redis has answered is refused as our own.
        std::string storeId = {};
    };

    /// Binds the sockets and serves. Invalid names the setting, Unavailable the address.
    static Result<std::unique_ptr<Plugin>> start(Parts parts, Settings settings);
    /// Ends at once; messages being delivered are delivered again after their ttr. Call drain()
    /// first.
    virtual ~Plugin() = default;

    /// Takes nothing new (503), begins no delivery; calls `drained` once, when the deliveries under
    /// way have ended and what was taken before is answered, at `timeout` at the latest.
    virtual void drain(Millis timeout, std::function<void()> drained) = 0;

    /// Applies `sip.trace` and `sip.users`, and reads the files of `sip.tls` again for new
    /// connections. After a failure nothing has changed. TLS itself cannot be switched on or off.
    virtual Result<void> reload(const SipSettings& settings) = 0;

    /// The sockets as bound, "udp:127.0.0.1:5060": a port 0 has become a real one.
    virtual std::vector<std::string> addresses() const = 0;
};

}  // namespace restante::sip

#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/script_queue.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/auth/digest_backend.h"
#include "sipplugin/settings/sip_settings.h"
#include "sipplugin/sofia/su_loop.h"

namespace restante::sip {

/// The SIP side of Restante as one object, for any program that runs a sofia su_root: composes what
/// receives, registers, stores and delivers. *One loop*, that of `Parts::loop`.
class Plugin {
public:
    /// The plugin's dependencies. Everything is borrowed and must outlive it.
    struct Parts {
        SuLoop& loop;
        DelayQueue& queue;
        DueWatcher& due;  ///< the plugin adds what to watch; the host runs LeaseReaper
        JobInspector& inspector;
        redis::Connection& redis;                ///< to the queue's store
        const redis::ShardQueues& shards;        ///< of the same
        redis::RedisUrl url;                     ///< of the same, for connections of its own
        std::string prefix;                      ///< `redis.prefix`
        DigestBackend* digestBackend = nullptr;  ///< null: untrusted peers are answered 403
        std::function<bool()> storeServes = {};  ///< whether it takes messages now; empty: it does
    };
    struct Settings {
        SipSettings sip;
        /// True when no other daemon works on this store (embedded Redis): sip leases found at the
        /// start are then a crashed daemon's and are given back at once, not after their ttr.
        bool soleOwner = false;
    };

    /// Binds the sockets and serves. Invalid names the setting, Unavailable the address.
    static Result<std::unique_ptr<Plugin>> start(Parts parts, Settings settings);
    /// Ends at once; messages being delivered are delivered again after their ttr. Call drain()
    /// first.
    virtual ~Plugin() = default;

    /// Takes nothing new (503), begins no delivery; calls `drained` once, at `timeout` at the
    /// latest.
    virtual void drain(Millis timeout, std::function<void()> drained) = 0;

    /// Applies `sip.trace` and `sip.users`, and reads the files of `sip.tls` again for new
    /// connections. After a failure nothing has changed. TLS itself cannot be switched on or off.
    virtual Result<void> reload(const SipSettings& settings) = 0;

    /// The sockets as bound, "udp:127.0.0.1:5060": a port 0 has become a real one.
    virtual std::vector<std::string> addresses() const = 0;
};

}  // namespace restante::sip

#pragma once

#include "core/redis/client/redis_url.h"
#include "sipplugin/settings/sip_settings.h"
#include "tests/support/sip_socket.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante {
class DelayQueue;
class JobInspector;
}  // namespace restante

namespace restante::test {

/// A plugin that works on a thread of its own, as in a host program, on the given Redis. Throws
/// when it does not start.
class PluginHost {
public:
    struct Settings {
        sip::SipSettings sip;
        redis::RedisUrl redis;
        bool soleOwner = false;
    };
    /// Listens on a free port of 127.0.0.1 unless `sip.listen` is changed.
    static Settings settings();

    explicit PluginHost(Settings settings);
    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;
    /// Ends at once, as a crash would: nothing is drained.
    ~PluginHost();

    SipServer server(SipTransport transport = SipTransport::Udp) const;

    /// Drains and waits for it.
    void drain();
    /// Runs `work` on the plugin's thread and waits until it calls the function it is given.
    using Work = std::function<void(DelayQueue&, JobInspector&, std::function<void()> done)>;
    void onThread(Work work);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::test

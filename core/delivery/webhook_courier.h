#pragma once

#include "core/base/clock.h"
#include "core/delivery/courier.h"
#include "core/delivery/http_client.h"
#include "core/delivery/webhook_request.h"

#include <memory>
#include <string>
#include <vector>

namespace restante::delivery {

/// POSTs jobs to the URL that is their recipient. docs/webhooks.md is the contract for receivers.
/// *One loop.*
///
/// At most `maxRequestsPerHost` requests to one host are sent at a time; further jobs wait. A slow
/// host must not use up the capacity for the others, so a job that would wait longer than two
/// seconds is given back uncounted, due again after about half of the wait that is expected: within
/// half a minute, or ten minutes if the host does not answer.
class WebhookCourier : public Courier {
public:
    struct Settings {
        AddressPolicy policy{};
        std::filesystem::path caFile = {};
        WebhookSecrets secrets = {};
        std::size_t concurrency = 128;       ///< jobs in its hands, waiting or on their way
        std::size_t maxRequestsPerHost = 8;  ///< requests on their way to one host and port
        Millis timeout{15'000};              ///< for a whole exchange
        /// Whether jobs of one instant share a POST; of these topics only, unless there are none.
        bool groupsJobs = false;
        std::vector<std::string> groupTopics = {};
    };

    static std::shared_ptr<WebhookCourier>
    make(EventLoop& loop, const Clock& clock, Settings settings);

    Channel channel() const noexcept override { return Channel::Webhook; }
    /// Sets the secrets that sign from now on.
    virtual void setSecrets(WebhookSecrets secrets) = 0;
};

}  // namespace restante::delivery

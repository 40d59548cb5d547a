#pragma once

#include "core/base/clock.h"
#include "core/delivery/courier.h"
#include "core/delivery/http_client.h"
#include "core/delivery/webhook_request.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::delivery {

/// POSTs jobs to the URL that is their recipient. docs/webhooks.md is the contract for receivers.
/// *One loop.*
///
/// Jobs of one host wait for each other: `perHost` are sent at a time. A host that is slow must not
/// take the room of the others, so what would wait longer than two seconds for its turn is given
/// back uncounted, due again about when its turn comes.
class WebhookCourier final : public Courier {
public:
    struct Settings {
        AddressPolicy policy{};
        std::filesystem::path caFile = {};
        WebhookSecrets secrets = {};
        std::size_t concurrency = 128;  ///< jobs in its hands, waiting or on their way
        std::size_t perHost = 8;        ///< requests on their way to one host and port
        Millis timeout{15'000};         ///< for a whole exchange
        /// Whether jobs of one instant share a POST; of these topics only, unless there are none.
        bool groups = false;
        std::vector<std::string> groupTopics = {};
    };

    WebhookCourier(EventLoop& loop, const Clock& clock, Settings settings);
    ~WebhookCourier() override;

    Channel channel() const noexcept override { return Channel::Webhook; }
    std::size_t capacity() const noexcept override;
    void carry(std::vector<ClaimedJob> jobs, Report report) override;
    /// The same URL and headers, at most 100 jobs and 1 MiB.
    bool joins(const std::vector<ClaimedJob>& group, const ClaimedJob& next) const override;
    void drain() override;
    /// What signs from now on.
    void setSecrets(WebhookSecrets secrets);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::delivery

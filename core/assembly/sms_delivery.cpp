#include "core/assembly/sms_delivery.h"

#include "core/base/try.h"

#include <utility>

namespace restante::sms {

namespace {
delivery::HttpClient::Settings clientSettingsOf(const Config::Sms& config)
{
    // The gateway is the operator's own: it may be anywhere, on this machine above all.
    return {.policy = AddressPolicy::everything(),
            .userAgent = {},
            .maxConnectionsPerHost = config.concurrency,
            .maxIdleConnections = config.concurrency,
            .caFile = {}};
}
}  // namespace

Result<SmsDelivery::Setup> SmsDelivery::setupOf(const Config& config)
{
    auto gateway = TRY(gatewayOf(config.sms));
    auto courier = TRY(SmsCourier::settingsOf(config));
    return Setup{std::move(gateway), std::move(courier)};
}

SmsDelivery::SmsDelivery(EventLoop& loop, redis::RedisQueue& redis, const Config& config)
    : loop_(loop),
      redis_(redis),
      client_(loop, clientSettingsOf(config.sms)),
      wantsReports_(config.sms.deliveryReports != Config::SmsReports::Off),
      awaitedReports_(
          loop, redis.connection(), redis.clock(), config.redis.prefix, config.redis.shards),
      deliveryReports_(redis.queue(), redis.inspector(), awaitedReports_, config.sms),
      overdueReportWatcher_(
          loop, redis.clock(), awaitedReports_, deliveryReports_, config.sms.reportTimeout)
{
}

std::unique_ptr<SmsCourier> SmsDelivery::makeCourier(Setup setup)
{
    return std::make_unique<SmsCourier>(loop_, redis_.clock(), client_, std::move(setup.gateway),
                                        wantsReports_ ? &awaitedReports_ : nullptr,
                                        std::move(setup.courier));
}

}  // namespace restante::sms

#pragma once

#include "core/assembly/redis_queue.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/delivery/sms/awaited_reports.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/delivery/sms/sms_courier.h"

#include <memory>

namespace restante::sms {

/// The parts that send text messages on one loop: the courier, and the handling of delivery
/// reports. Borrows loop and redis. *One loop.*
class SmsDelivery {
public:
    /// The gateway and the settings of a configuration, checked.
    struct Setup {
        std::unique_ptr<Gateway> gateway;  ///< null = no text messages
        SmsCourier::Settings courier;
    };
    /// Invalid names the key that is missing or cannot be used.
    static Result<Setup> setupOf(const Config& config);

    SmsDelivery(EventLoop& loop, redis::RedisQueue& redis, const Config& config);

    /// A courier with the gateway of `setup`, which is not null; this must outlive it.
    std::unique_ptr<SmsCourier> makeCourier(Setup setup);

private:
    EventLoop& loop_;
    redis::RedisQueue& redis_;
    delivery::HttpClient client_;
    bool wantsReports_;
    // Also when no reports are wanted any more: those that were awaited before may not come.
    AwaitedReports awaitedReports_;
    DeliveryReports deliveryReports_;
    OverdueReportWatcher overdueReportWatcher_;
};

}  // namespace restante::sms

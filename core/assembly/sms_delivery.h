#pragma once

#include "core/assembly/redis_queue.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/delivery/sms/awaited_reports.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/delivery/sms/sms_courier.h"

#include <memory>
#include <optional>

namespace restante::sms {

/// Everything that sends text messages on one loop: the courier, and what looks after the reports
/// on what it sent. Borrows loop and redis. *One loop.*
class SmsDelivery {
public:
    /// What the configuration says, read and checked.
    struct Plan {
        std::unique_ptr<Gateway> gateway;  ///< null = no text messages
        SmsCourier::Settings courier;
    };
    /// Invalid names the key that is missing or cannot be used.
    static Result<Plan> plan(const Config& config);

    SmsDelivery(EventLoop& loop, redis::RedisQueue& redis, const Config& config);

    /// A courier by `plan`, which has a gateway; this must outlive it.
    std::unique_ptr<SmsCourier> courier(Plan plan);

private:
    EventLoop& loop_;
    redis::RedisQueue& redis_;
    delivery::HttpClient client_;
    std::optional<AwaitedReports> awaited_;  ///< when reports are wanted
    std::optional<DeliveryReports> reports_;
    std::optional<OverdueReports> overdue_;
};

}  // namespace restante::sms

#pragma once

#include "core/base/interface.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/delivery/courier.h"
#include "core/delivery/http_client.h"
#include "core/sms/sms_size.h"

#include <memory>
#include <string>

namespace restante::sms {

/// One text message on its way to a gateway. *Value.*
struct Message {
    std::string to;  ///< as phoneNumber() gives it
    std::string from;
    std::string text;
    Coding coding = Coding::Gsm7;
    std::string id;
    /// The URL for the delivery report without the status; empty = no report is wanted.
    std::string reportUrl;
};

/// The HTTP protocol of a kind of gateway. Pure.
class Gateway : public Interface {
public:
    virtual delivery::HttpRequest requestFor(const Message& message) const = 0;
    /// Delivered = the gateway has taken the message; Retry and Dead with its own words.
    virtual delivery::Outcome outcomeOf(const delivery::HttpAnswer& answer) const = 0;
    /// "127.0.0.1:13013", for messages.
    virtual std::string name() const = 0;
};

/// The gateway of the configuration, null when it is off. Its password is read now. Invalid names
/// the key that is missing or cannot be used.
Result<std::unique_ptr<Gateway>> gatewayOf(const Config::Sms& config);

}  // namespace restante::sms

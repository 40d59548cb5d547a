#pragma once

#include "core/base/clock.h"
#include "core/config/config.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::sip {

/// RFC 5438: `Stored` is a processing notification, the others are delivery ones.
using Disposition = Config::Receipt;

std::string_view name(Disposition disposition) noexcept;  ///< "stored", "delivered", "failed"

/// The receipts that a message asks for, and the data for them. *Value.*
struct ReceiptRequest {
    bool processing = false;
    bool positiveDelivery = false;
    bool negativeDelivery = false;
    std::string messageId;
    std::string dateTime;  ///< of the message, or empty
    std::string from;      ///< CPIM addresses, as written; empty when there is none
    std::string to;
    std::string originalTo;                ///< a URI; empty when To was not changed
    std::vector<std::string> recordRoute;  ///< IMDN-Record-Route, in order, as written

    bool asksFor(Disposition disposition) const noexcept;
};

/// Nothing when the message asks for no receipt or must not get one: it is not message/cpim, has
/// no imdn.Message-ID, or is an IMDN or isComposing itself. *Pure function.*
std::optional<ReceiptRequest> receiptRequestOf(std::string_view contentType, std::string_view body);

/// Whether the content is an IMDN, bare or inside CPIM.
bool isImdn(std::string_view contentType, std::string_view body);

/// The content of a receipt besides its ReceiptRequest. *Value.*
struct ReceiptDetails {
    Disposition disposition = Disposition::Stored;
    std::string messageId;  ///< of the receipt
    TimePoint sent{};       ///< of the message, if that has no DateTime
    TimePoint now{};
    std::string sender;  ///< and `recipient` of the message, if its CPIM names none
    std::string recipient;
};

/// The receipt as a message/cpim body, with the IMDN-Route that the message has recorded; it asks
/// for no receipt itself (RFC 5438 section 7.2.1). *Pure function.*
std::string formatReceipt(const ReceiptRequest& request, const ReceiptDetails& details);

}  // namespace restante::sip

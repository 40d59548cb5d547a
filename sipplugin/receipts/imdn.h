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

std::string_view name(Disposition what) noexcept;  ///< "stored", "delivered", "failed"

/// What a message says about the receipts it wants. *Value.*
struct ReceiptRequest {
    bool processing = false;
    bool positiveDelivery = false;
    bool negativeDelivery = false;
    std::string messageId;
    std::string dateTime;  ///< of the message, empty when it does not say
    std::string from;      ///< CPIM addresses, as written; empty when there is none
    std::string to;
    std::string originalTo;                ///< a URI, empty when nobody has changed To
    std::vector<std::string> recordRoute;  ///< IMDN-Record-Route, in order, as written

    bool asksFor(Disposition what) const noexcept;
};

/// Nothing when the message wants no receipt or must not get one: it is not message/cpim, has no
/// imdn.Message-ID, or is an IMDN or isComposing itself. *Pure function.*
std::optional<ReceiptRequest> receiptRequestOf(std::string_view contentType, std::string_view body);

/// Whether the content is an IMDN, bare or inside CPIM.
bool isImdn(std::string_view contentType, std::string_view body);

/// What the receipt's writer knows besides what was asked for. *Value.*
struct ReceiptNote {
    Disposition what = Disposition::Stored;
    std::string messageId;  ///< of the receipt
    TimePoint sent{};       ///< of the message, when it does not say
    TimePoint now{};
    std::string sender;  ///< who sent the message and whom it was for, when CPIM does not say
    std::string recipient;
};

/// The receipt as a message/cpim body, with the IMDN-Route that the message has recorded, and
/// asking for nothing itself (RFC 5438 section 7.2.1). *Pure function.*
std::string printReceipt(const ReceiptRequest& asked, const ReceiptNote& note);

}  // namespace restante::sip

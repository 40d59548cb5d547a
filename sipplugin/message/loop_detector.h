#pragma once

#include "core/base/event_loop.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/shared_text.h"

#include <string_view>

namespace restante::sip {

/// Beside kJobHeader: which store's delivery it is. Those of others are messages like any.
inline constexpr std::string_view kStoreHeader = "X-Restante-Store";

/// What tells our store from others: a short text.
SharedText storeId(redis::Connection& connection, const std::string& prefix);

/// Knows our own deliveries. *One loop.*
class LoopDetector {
public:
    /// Asks until it is told, and from time to time whether that still holds: a store that was lost
    /// may have another name, which another daemon has made. `name` must outlive this.
    LoopDetector(EventLoop& loop, SharedText* name);

    /// Value of kStoreHeader; empty until it is known: then nothing says whose a delivery is.
    const std::string& store() const noexcept { return store_; }
    /// Whether a request is a delivery of ours that a server has sent back. One that does not say
    /// whose it is counts as ours: to take it might begin a loop.
    bool isOwnDelivery(const ReceivedRequest& request) const;

private:
    void ask();

    EventLoop& loop_;
    SharedText* name_;
    std::string store_;
    Lifetime lifetime_;
};

}  // namespace restante::sip

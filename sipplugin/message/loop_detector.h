#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/message/store_token.h"

#include <string_view>

namespace restante::sip {

/// Beside kJobHeader: which store's delivery it is. Those of others are messages like any.
inline constexpr std::string_view kStoreHeader = "X-Restante-Store";

/// A short random text that identifies our store.
inline StoreToken storeToken(redis::Connection& connection, const std::string& prefix)
{
    constexpr std::size_t kBytes = 8;  // enough that no two stores draw the same
    return {connection, prefix, "sip_store", kBytes};
}

/// Knows our own deliveries. *One loop.*
class LoopDetector {
public:
    /// Asks until it is told, and from time to time whether that still holds: a store that was lost
    /// may have another id, which another daemon has made. `storeToken` must outlive this.
    LoopDetector(EventLoop& loop, StoreToken* storeToken) : again_(loop), storeToken_(storeToken)
    {
        if (storeToken_ != nullptr) {
            // First, so that it is known before the first job is: a delivery that does not say
            // whose it is counts as its receiver's own.
            storeToken_->onReachable(callbackGuard_.guard([this] { ask(); }));
            ask();
        }
    }

    /// Value of kStoreHeader; empty until it is known: then nothing says whose a delivery is.
    const std::string& storeId() const noexcept { return storeId_; }
    /// Whether a request is a delivery of ours that a server has sent back. One that does not say
    /// whose it is counts as ours: to take it might begin a loop.
    bool isOwnDelivery(const ReceivedRequest& request) const
    {
        const auto store = request.header(kStoreHeader);
        return request.header(kJobHeader) && (!store || storeId_.empty() || *store == storeId_);
    }

private:
    void ask()
    {
        storeToken_->read(callbackGuard_.guard([this](const Result<std::string>& id) {
            if (id) {
                storeId_ = *id;
            }
            again_.arm(id ? kRecheckInterval : kAskAgain, [this] { ask(); });
        }));
    }

    static constexpr Millis kAskAgain{1'000};
    static constexpr Millis kRecheckInterval{30'000};

    Timer again_;
    StoreToken* storeToken_;
    std::string storeId_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip

#pragma once

#include "core/base/await.h"
#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/message/store_token.h"

#include <string>
#include <string_view>
#include <utility>

namespace restante::sip {

/// Names, beside kJobHeader, the store that a delivery comes from. Deliveries of other stores are
/// ordinary messages.
inline constexpr std::string_view kStoreHeader = "X-Restante-Store";

/// A short random text that identifies our store; `knownText` as in StoreToken.
inline StoreToken
storeToken(redis::Connection& connection, const std::string& prefix, std::string knownText = {})
{
    constexpr std::size_t kBytes = 8;  // enough that no two stores draw the same
    return {connection, prefix, "sip_store", kBytes, std::move(knownText)};
}

/// Waits for the id of the store, for Plugin::Settings::storeId; empty when Redis does not answer
/// in time.
template <class Loop>
std::string readStoreId(Loop& loop, redis::Connection& connection, const std::string& prefix)
{
    constexpr Millis kTimeout{5'000};
    auto token = storeToken(connection, prefix);
    return await<std::string>(loop, kTimeout, [&](auto done) { token.read(std::move(done)); })
        .value_or("");
}

/// Recognises our own deliveries. *One loop.*
class LoopDetector {
public:
    /// Reads the store's id, repeats that after a failure, and checks it every 30 s: a store that
    /// was lost may have another id, made by another daemon. `storeToken` must outlive this.
    LoopDetector(EventLoop& loop, StoreToken* storeToken)
        : recheckTimer_(loop),
          storeToken_(storeToken)
    {
        if (storeToken_ != nullptr) {
            storeId_ = storeToken_->knownText();
            // At once, so that the id is known before the first job is delivered: a receiver takes
            // a delivery without it for its own.
            storeToken_->onReachable(callbackGuard_.guard([this] { refreshStoreId(); }));
            refreshStoreId();
        }
    }

    /// The value of kStoreHeader; empty until it is known: deliveries then go without it.
    const std::string& storeId() const noexcept { return storeId_; }
    /// Whether a request is a delivery of ours that a server has sent back. One without a store
    /// counts as ours, and so does each while storeId() is not known: accepting it might begin a
    /// loop.
    bool isOwnDelivery(const ReceivedRequest& request) const
    {
        const auto store = request.header(kStoreHeader);
        return request.header(kJobHeader) && (!store || storeId_.empty() || *store == storeId_);
    }

private:
    void refreshStoreId()
    {
        storeToken_->read(callbackGuard_.guard([this](const Result<std::string>& id) {
            if (id) {
                storeId_ = *id;
            }
            recheckTimer_.arm(id ? kRecheckInterval : kRetryInterval, [this] { refreshStoreId(); });
        }));
    }

    static constexpr Millis kRetryInterval{1'000};
    static constexpr Millis kRecheckInterval{30'000};

    Timer recheckTimer_;
    StoreToken* storeToken_;
    std::string storeId_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip

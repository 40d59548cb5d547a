#include "sipplugin/message/loop_detector.h"

#include "sipplugin/message/sip_message_codec.h"

namespace restante::sip {

namespace {

constexpr std::size_t kBytes = 8;  // two operators will not draw the same
constexpr Millis kAskAgain{1'000};
constexpr Millis kKnown{30'000};

}  // namespace

SharedText storeId(redis::Connection& connection, const std::string& prefix)
{
    return {connection, prefix, "sip_store", kBytes};
}

LoopDetector::LoopDetector(EventLoop& loop, SharedText* name) : loop_(loop), name_(name)
{
    if (name_ != nullptr) {
        ask();
    }
}

void LoopDetector::ask()
{
    name_->read(lifetime_.guard([this](const Result<std::string>& name) {
        if (name) {
            store_ = *name;
        }
        loop_.armTimer(name ? kKnown : kAskAgain, lifetime_.guard([this] { ask(); }));
    }));
}

bool LoopDetector::isOwnDelivery(const ReceivedRequest& request) const
{
    if (!request.header(kJobHeader)) {
        return false;
    }
    const auto store = request.header(kStoreHeader);
    return !store || store_.empty() || *store == store_;
}

}  // namespace restante::sip

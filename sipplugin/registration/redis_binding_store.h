#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/lifetime.h"
#include "sipplugin/registration/binding_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {
class Connection;
struct Reply;
}  // namespace restante::redis

namespace restante::sip {

/// Bindings in Redis, one HASH an AoR: `<prefix>:{sN}:aor:<aor>`, N = the shard of its mailbox;
/// the key expires with its last binding. Borrows connection and clock. *One loop.*
class RedisBindingStore final : public BindingStore {
public:
    struct Settings {
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        std::size_t maxContacts = 10;  ///< of one AoR
    };
    RedisBindingStore(redis::Connection& connection, const Clock& clock, Settings settings);

    void lookup(std::string aor, Done<std::vector<Binding>> done) override;
    void update(BindingUpdate update, Done<std::vector<Binding>> done) override;

private:
    /// A binding and how it is written. To read what has just been written costs more than all
    /// else that a REGISTER does.
    struct Written {
        std::string record;
        Binding binding;
    };
    using WrittenPtr = std::shared_ptr<const std::vector<Written>>;

    std::string keyOfAor(const std::string& aor) const;
    /// An answer that passes its living bindings on to `done`, unless the store is gone by then.
    std::function<void(Result<redis::Reply>)> passLiving(Done<std::vector<Binding>> done,
                                                         WrittenPtr written = {});
    Result<std::vector<Binding>> living(const redis::Reply& records,
                                        const WrittenPtr& written) const;

    redis::Connection& connection_;
    const Clock& clock_;
    Settings settings_;
    Lifetime lifetime_;
};

}  // namespace restante::sip

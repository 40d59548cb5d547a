#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// How many messages wait for somebody, those that are being delivered included. A port. *One
/// loop.*
class MailboxSizes {
public:
    MailboxSizes() = default;
    MailboxSizes(const MailboxSizes&) = delete;
    MailboxSizes& operator=(const MailboxSizes&) = delete;
    virtual ~MailboxSizes() = default;

    virtual void count(const std::string& aor, Done<std::uint64_t> done) = 0;
};

/// Borrows the connection, which must outlive every call.
class RedisMailboxSizes final : public MailboxSizes {
public:
    RedisMailboxSizes(redis::Connection& connection, std::string prefix, std::uint32_t shards);
    void count(const std::string& aor, Done<std::uint64_t> done) override;

private:
    redis::Connection& connection_;
    std::string prefix_;
    std::uint32_t shards_;
};

}  // namespace restante::sip

#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// Up to when the dead have been looked at, kept where the jobs are. A port. *One loop.*
class ReportWatermark {
public:
    ReportWatermark() = default;
    ReportWatermark(const ReportWatermark&) = delete;
    ReportWatermark& operator=(const ReportWatermark&) = delete;
    virtual ~ReportWatermark() = default;

    /// Nothing: it was never written.
    virtual void read(Done<std::optional<TimePoint>> done) = 0;
    virtual void write(TimePoint until, Done<void> done) = 0;
};

/// The key `<prefix>:{s0}:reported`. Borrows the connection, which must outlive every call.
class RedisReportWatermark final : public ReportWatermark {
public:
    RedisReportWatermark(redis::Connection& connection, const std::string& prefix);
    void read(Done<std::optional<TimePoint>> done) override;
    void write(TimePoint until, Done<void> done) override;

private:
    redis::Connection& connection_;
    std::string key_;
};

}  // namespace restante::sip

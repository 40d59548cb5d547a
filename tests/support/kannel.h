#pragma once

#include "core/base/clock.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

/// A text message that the fake SMSC has received. *Value.*
struct ReceivedSms {
    std::string from;
    std::string to;
    /// "text", "ucs-2", or "data" when a header of a long message came with it.
    std::string type;
    std::string text;  ///< UTF-8; UCS-2 as Kannel prints it
};

/// A Kannel of its own, bearerbox and smsbox, with the fake SMSC that comes with it, on free ports
/// of 127.0.0.1 and in a directory of its own; all of them are killed at the end. The ports stay
/// the same over restarts. *One thread.*
class Kannel {
public:
    enum class Start { Now, Later };
    explicit Kannel(Start start = Start::Now);
    Kannel(const Kannel&) = delete;
    Kannel& operator=(const Kannel&) = delete;
    ~Kannel();

    /// Returns when all three are connected; throws with their logs when they are not in time.
    void start();
    void stop();  ///< kills all, as if the machine had failed

    std::string sendUrl() const;  ///< of the sendsms interface
    static constexpr auto kUser = "restante";
    static constexpr auto kPassword = "s3cret & more";

    /// The messages so far, in order of arrival; waits until there are `count`, or `timeout`.
    std::vector<ReceivedSms> arrived(std::size_t count, Millis timeout = kProcessTimeout);

private:
    void writeConfiguration() const;
    bool boxesAreOnline() const;
    std::string logs() const;

    TempDir directory_;
    std::uint16_t adminPort_;
    std::uint16_t boxPort_;
    std::uint16_t smscPort_;
    std::uint16_t sendPort_;
    std::unique_ptr<Process> bearerbox_;
    std::unique_ptr<Process> smsbox_;
    std::unique_ptr<Process> smsc_;
};

}  // namespace restante::test

#pragma once

#include "tests/support/process.h"
#include "tests/support/sip_socket.h"
#include "tests/support/temp_dir.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace restante::test {

/// A third-party SIP client, headless, without sound devices, with its configuration in a directory
/// of its own: registers at the server when it starts. *One thread.*
class RealPhone {
public:
    struct Account {
        std::string user;
        std::string correspondent;  ///< the user that say() writes to
        SipServer server;
        std::string password{};  ///< for a server that asks for one
    };

    virtual ~RealPhone() = default;
    RealPhone(const RealPhone&) = delete;
    RealPhone& operator=(const RealPhone&) = delete;

    /// True once it has shown a message of that text from that user.
    virtual bool shows(const std::string& user, const std::string& text) = 0;
    virtual void say(const std::string& text) = 0;
    /// Un-registers and ends.
    virtual void hangUp() = 0;
    std::string log() const { return process_->allOutput(); }

protected:
    RealPhone() = default;
    TempDir home_;
    std::unique_ptr<Process> process_;
};

/// Which phone a test is about.
enum class Brand { Baresip, Linphone };
std::string_view name(Brand brand);
inline std::ostream& operator<<(std::ostream& out, Brand brand)
{
    return out << name(brand);
}
std::unique_ptr<RealPhone> makePhone(Brand brand, const RealPhone::Account& account);

/// One run of a scenario of tests/e2e/sipp. *One thread.*
class Sipp {
public:
    struct Settings {
        std::string scenario;  ///< without folder and ".xml"
        SipServer server;
        unsigned calls = 1;
        std::string user = "bob";       ///< the scenario's [service]
        std::vector<std::string> more;  ///< further arguments
    };

    /// Starts it and waits until it has bound its port.
    explicit Sipp(const Settings& settings);

    const SipServer& server() const noexcept { return local_; }  ///< where it listens
    /// "127.0.0.1:5062", with ";transport=tcp" over TCP: for another scenario's -key contact.
    std::string contact() const;
    /// Waits for its end; true when every call followed the scenario.
    bool succeeds();
    std::string log() const;

private:
    TempDir directory_;
    SipServer local_;
    std::unique_ptr<Process> process_;
};

}  // namespace restante::test

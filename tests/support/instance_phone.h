#pragma once

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"

#include <functional>
#include <string>
#include <vector>

namespace restante::test {

/// Registers a phone as one device, by `+sip.instance` (RFC 5626 section 4.1); returns the status.
inline int registerAs(SipPhone& phone, const std::string& instance)
{
    auto request = phone.registration(kRegistration);
    request.set("Contact", phone.contact() + ";+sip.instance=\"<" + instance + ">\"");
    return phone.ask(request).status;
}

/// Lets several phones of one thread work until `reached` is true; false after `timeout`.
inline bool workTogether(const std::vector<SipPhone*>& phones,
                         const std::function<bool()>& reached,
                         Millis timeout = Millis{60'000})
{
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!isReached(reached)) {
        for (auto* phone : phones) {
            phone->work(Millis{1});
        }
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
    }
    return true;
}

}  // namespace restante::test

#pragma once

#include "core/base/callback_guard.h"
#include "core/config/config.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/registration/binding_store.h"

namespace restante::sip {

/// The built-in registrar, RFC 3261 section 10.3. Answers 200 only when the store has the
/// bindings. Borrows the store, the clock and the domains. *One loop.*
///
/// With `sip.proxy` a REGISTER is a copy of one that the server there has accepted: a hint that
/// somebody can be reached. It is taken also where our own rules (shortest expiry, most contacts,
/// order of CSeq, scheme of the contact) would have refused it.
class Registrar {
public:
    /// An AoR can be reached, with its bindings: after it is stored, before the 200 leaves.
    using Registered =
        std::function<void(const std::string& aor, const std::vector<Binding>& bindings)>;

    Registrar(BindingStore& bindings,
              const Clock& clock,
              const LocalDomains& domains,
              Config::Sip settings,
              Registered registered)
        : bindings_(bindings),
          clock_(clock),
          domains_(domains),
          settings_(std::move(settings)),
          logLimiter_(clock),
          registered_(std::move(registered))
    {
    }

    /// `done` may be called at once or later.
    void handle(const ReceivedRequest& request, Respond done);

private:
    struct ParsedRegister {
        BindingUpdate update;
        SipAnswer refusal{0, {}, {}};   ///< status 0 = none
        bool reachable = false;         ///< it names a contact that does not end with it
        bool exceedsContacts = false;   ///< more than a user may have; the rest is not read
        std::vector<std::string> path;  ///< of every contact
    };
    bool registersAreMirrored() const { return !settings_.proxy.empty(); }
    ParsedRegister parse(const ReceivedRequest& request, std::string aor) const;
    void addContact(const ReceivedRequest& request,
                    std::string_view contact,
                    ParsedRegister& parsed) const;
    Millis expiryOf(const ReceivedRequest& request, const std::string* parameter) const;
    bool tellsPath(const ReceivedRequest& request) const;
    std::vector<std::pair<std::string, std::string>> extrasOf(const ReceivedRequest& request,
                                                              const ParsedRegister& parsed) const;
    SipAnswer listing(const std::vector<Binding>& bindings) const;

    BindingStore& bindings_;
    const Clock& clock_;
    const LocalDomains& domains_;
    Config::Sip settings_;
    LogRateLimiter logLimiter_;
    Registered registered_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip

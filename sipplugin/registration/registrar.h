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
/// somebody can be reached. It is accepted even against our own rules (shortest expiry, most
/// contacts, order of CSeq, scheme of the contact), and it is not stored when messages go to the
/// address of record, because nobody would read it.
class Registrar {
public:
    /// Callbacks for when somebody can be reached.
    struct Callbacks {
        /// Returns how much of their mailbox to lease in the step that registers them.
        std::function<BindingUpdate::ClaimLimits(const std::string& aor)> prepareArrival;
        /// Called once for each call of prepareArrival(), after the REGISTER was answered, with
        /// what that has returned; with the error when nothing was stored.
        std::function<void(const std::string& aor,
                           const BindingUpdate::ClaimLimits& prepared,
                           Result<Arrival> arrival)>
            onArrival;
        /// Called for a hint that our own rules keep from being stored: the mailbox is unchanged.
        std::function<void(const std::string& aor)> onHint;
    };

    Registrar(BindingStore& bindings,
              const Clock& clock,
              const LocalDomains& domains,
              Config::Sip settings,
              Callbacks callbacks)
        : bindings_(bindings),
          clock_(clock),
          domains_(domains),
          settings_(std::move(settings)),
          logLimiter_(clock),
          callbacks_(std::move(callbacks))
    {
    }

    /// `done` may be called at once or later.
    void handle(const ReceivedRequest& request, Respond done);

private:
    struct ParsedRegister {
        BindingUpdate update;
        SipAnswer refusal{0, {}, {}};   ///< status 0 = none
        bool reachable = false;         ///< it names a contact that stays registered, or may
        bool exceedsContacts = false;   ///< more than a user may have; the others are not read
        std::vector<std::string> path;  ///< of every contact
    };
    /// The data of a request that its answer needs after the store has answered.
    struct RegisterContext {
        std::string aor;
        std::vector<std::pair<std::string, std::string>> extraHeaders;
        std::string connection;  ///< connectionOf() the request
    };
    bool registersAreMirrored() const { return !settings_.proxy.empty(); }
    bool storesBindings() const
    {
        return !registersAreMirrored() || settings_.devices == Config::Devices::All;
    }
    void answerArrival(const Result<Arrival>& arrival,
                       const RegisterContext& context,
                       const Respond& done);
    ParsedRegister parse(const ReceivedRequest& request, std::string aor) const;
    void addContact(const ReceivedRequest& request,
                    std::string_view contact,
                    ParsedRegister& parsed) const;
    Millis expiryOf(const ReceivedRequest& request, const std::string* parameter) const;
    bool mayGivePath(const ReceivedRequest& request) const;
    std::vector<std::pair<std::string, std::string>>
    extraHeadersOf(const ReceivedRequest& request, const ParsedRegister& parsed) const;
    SipAnswer bindingsAnswer(const std::vector<Binding>& bindings) const;

    BindingStore& bindings_;
    const Clock& clock_;
    const LocalDomains& domains_;
    Config::Sip settings_;
    LogRateLimiter logLimiter_;
    Callbacks callbacks_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip

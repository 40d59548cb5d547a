#pragma once

#include "core/queue/job_store.h"
#include "sipplugin/delivery/mailbox_flush.h"
#include "sipplugin/delivery/mailbox_pass.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::sip {

/// One effort to bring every device of a recipient what it lacks (`sip.devices = "all"`): a
/// MailboxFlush for each, beside each other, so that a device that is slow or away holds up no
/// other. A device is its `+sip.instance`; a binding without one is a device by its contact. What
/// comes meanwhile is looked after. With `sip.proxy` each copy goes through it, to the contact;
/// when no device of theirs is known, one goes to whomever it knows. *One loop.*
class DeviceFan final : public MailboxPass, public std::enable_shared_from_this<DeviceFan> {
public:
    struct Settings {
        const MailboxFlush::Settings& flush;
        /// To a contact: the same, but for what a proxy's 403 means.
        const MailboxFlush::Settings& toContacts;
        Millis keep{};  ///< of a message without an expiry, once a device has it
    };

    /// Shared with the answers of the stores; both flush settings must outlive the pass.
    DeviceFan(MailboxFlush::Parts parts,
              MailboxFlush::Shared shared,
              Settings settings,
              std::string recipient);

    void start(Absence absence,
               std::function<void()> claimed,
               std::function<void(Outcome)> ended) override;
    void stop() override;
    bool takes(Absence absence) override;

private:
    /// What leads to one device, best first.
    using Routes = std::vector<DeliveryRoute>;

    void look(Absence absence);
    void takeBindings(const std::vector<Binding>& bindings);
    void askWhoLacks(Absence absence);
    void begin(const std::string& device);
    std::shared_ptr<MailboxFlush> newPass(const std::string& device, const Routes& routes);
    void endDevice(const std::string& device);
    void endLook();
    void endIfOver();

    TimePoint now() const { return parts_.queue.clock().now(); }

    MailboxFlush::Parts parts_;
    MailboxFlush::Shared shared_;
    Settings settings_;
    std::string recipient_;
    std::function<void()> claimed_;
    std::function<void(Outcome)> ended_;
    std::map<std::string, Routes> devices_;  ///< that are registered, as last looked up
    std::map<std::string, std::shared_ptr<MailboxFlush>> active_;
    std::set<std::string> passed_;  ///< of those: were busy when something came; look again
    bool looking_ = false;
    bool lookAgain_ = false;
    bool stopped_ = false;
    Outcome outcome_;
};

}  // namespace restante::sip

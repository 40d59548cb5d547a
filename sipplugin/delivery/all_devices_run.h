#pragma once

#include "core/queue/job_store.h"
#include "sipplugin/delivery/delivery_run.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::sip {

/// Delivers to every device of a recipient the messages that it lacks (`sip.devices = "all"`): one
/// DeliveryRun for each, so that a slow device delays no other. A device is identified by its
/// `+sip.instance`, or else its contact. With `sip.proxy` each copy goes through it, to the
/// contact; when no device is known, one goes to whomever the proxy knows. *One loop.*
class AllDevicesRun final : public MailboxRun, public std::enable_shared_from_this<AllDevicesRun> {
public:
    struct Settings {
        const DeliveryRun::Settings& run;
        /// Of a run to a contact: the same, but without tellsOwners after a handover.
        const DeliveryRun::Settings& contactRun;
        Millis keep{};  ///< of a message without an expiry, once a device has it
    };

    /// Store callbacks share ownership of it; both settings must outlive the run.
    AllDevicesRun(DeliveryRun::Parts parts,
                  DeliveryRun::Limits limits,
                  Settings settings,
                  std::string recipient)
        : parts_(parts),
          limits_(limits),
          settings_(settings),
          recipient_(std::move(recipient))
    {
    }

    void start(NoDevice noDevice,
               std::function<void()> onClaimed,
               std::function<void(RunResult)> onEnded) override;
    void stop() override;
    bool tryAbsorb(NoDevice noDevice) override;
    void renewLeasesIfDue() override;

private:
    /// The routes to one device, best first.
    using Routes = std::vector<DeliveryRoute>;

    void lookUp(NoDevice noDevice);
    void handleBindings(const std::vector<Binding>& bindings);
    void findDevicesThatLack(NoDevice noDevice);
    void beginRun(const std::string& device);
    std::shared_ptr<DeliveryRun> newRun(const std::string& device, const Routes& routes);
    void endRun(const std::string& device);
    void endLookUp();
    void endIfOver();

    TimePoint now() const { return parts_.queue.clock().now(); }

    DeliveryRun::Parts parts_;
    DeliveryRun::Limits limits_;
    Settings settings_;
    std::string recipient_;
    std::function<void()> onClaimed_;
    std::function<void(RunResult)> onEnded_;
    std::map<std::string, Routes> devices_;  ///< registered, as last looked up
    std::map<std::string, std::shared_ptr<DeliveryRun>> activeRuns_;
    std::set<std::string> lookUpAfterRun_;  ///< devices whose run was busy when something came
    bool lookingUp_ = false;
    bool lookUpAgain_ = false;
    bool stopped_ = false;
    RunResult result_;
};

}  // namespace restante::sip

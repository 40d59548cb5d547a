#include "sipplugin/delivery/all_devices_run.h"

#include "core/base/log.h"
#include "sipplugin/delivery/message_source.h"
#include "sipplugin/message/aor.h"

#include <utility>

namespace restante::sip {

namespace {

/// The key in devices_ of the copy for whomever the proxy knows: see DeviceQuery.
const std::string kProxyDevice;

const std::string& deviceOf(const Binding& binding)
{
    return binding.instance.empty() ? binding.contact : binding.instance;
}

}  // namespace

void AllDevicesRun::start(NoDevice noDevice,
                          std::function<void()> onClaimed,
                          std::function<void(RunResult)> onEnded)
{
    onClaimed_ = std::move(onClaimed);
    onEnded_ = std::move(onEnded);
    lookUp(noDevice);
}

void AllDevicesRun::stop()
{
    stopped_ = true;
    auto runs = activeRuns_;  // because stop() may end a run at once
    for (const auto& [device, run] : runs) {
        run->stop();
    }
    endIfOver();
}

bool AllDevicesRun::tryAbsorb(NoDevice noDevice)
{
    if (!onEnded_ || stopped_) {
        return false;
    }
    for (const auto& [device, run] : activeRuns_) {
        lookUpAfterRun_.insert(device);  // it may just have asked for the last time
    }
    lookUp(noDevice);
    return true;
}

void AllDevicesRun::renewLeasesIfDue()
{
    for (const auto& [device, run] : activeRuns_) {
        run->renewLeasesIfDue();
    }
}

void AllDevicesRun::lookUp(NoDevice noDevice)
{
    lookUpAgain_ = lookingUp_;
    if (std::exchange(lookingUp_, true)) {
        return;
    }
    parts_.bindings.lookup(
        canonicalAor(recipient_).value_or(recipient_),
        guard(weak_from_this(), [this, noDevice](const Result<std::vector<Binding>>& bindings) {
            if (!bindings || stopped_) {
                if (!bindings) {
                    logUndelivered(limits_.log, recipient_, bindings.error());
                }
                return endLookUp();
            }
            handleBindings(*bindings);
            findDevicesThatLack(noDevice);
        }));
}

void AllDevicesRun::handleBindings(const std::vector<Binding>& bindings)
{
    const auto& proxy = settings_.run.proxy;
    devices_.clear();
    for (const auto& binding : bindings) {
        auto route =
            proxy.empty() ? routeToDevice(binding) : routeToDeviceThroughProxy(binding, proxy);
        if (route) {
            devices_[deviceOf(binding)].push_back(std::move(*route));
        } else {
            log::warning("sip", "a device of {} is passed over: {}", recipient_,
                         route.error().message);
        }
    }
    if (devices_.empty() && !proxy.empty()) {
        devices_[kProxyDevice] = {routeThroughProxy(recipient_, proxy)};
    }
}

void AllDevicesRun::findDevicesThatLack(NoDevice noDevice)
{
    DeviceQuery query;
    query.recipient = recipient_;
    for (const auto& [device, routes] : devices_) {
        query.devices.push_back(device);
    }
    if (devices_.empty() || devices_.contains(kProxyDevice)) {
        result_.postponedUntil = now() + kAbsenceCacheTime;
        if (noDevice == NoDevice::Postpone) {
            query.retryMailboxAt = now() + settings_.run.noDeviceRetry;
        }
    } else if (const auto found = activeRuns_.find(kProxyDevice); found != activeRuns_.end()) {
        // Its messages are for each device now: look up again when that run has given them back.
        lookUpAfterRun_.insert(kProxyDevice);
        const auto run = found->second;  // because stop() may end it at once
        run->stop();
    }
    parts_.queue.store().lackingDevices(
        std::move(query),
        guard(weak_from_this(), [this](const Result<std::vector<std::string>>& lacking) {
            if (!lacking) {
                logUndelivered(limits_.log, recipient_, lacking.error());
            }
            for (const auto& device : lacking.value_or(std::vector<std::string>{})) {
                beginRun(device);
            }
            endLookUp();
        }));
}

void AllDevicesRun::beginRun(const std::string& device)
{
    const auto found = devices_.find(device);
    if (stopped_ || found == devices_.end() || activeRuns_.contains(device)) {
        return;
    }
    result_.postponedUntil.reset();
    auto run = newRun(device, found->second);
    activeRuns_[device] = run;
    run->start(
        NoDevice::LeaveAlone, [] {},
        guard(weak_from_this(), [this, device](const RunResult& result) {
            // The store keeps the next attempt of each device; only the proxy's is reported.
            const bool deliveredAnew = result_.deliveredAnew || result.deliveredAnew;
            result_ = device == kProxyDevice ? result : result_;
            result_.deliveredAnew = deliveredAnew;
            endRun(device);
        }));
}

/// A message that went through the proxy is finished when it is taken: the proxy does not tell
/// which device took it.
std::shared_ptr<DeliveryRun> AllDevicesRun::newRun(const std::string& device, const Routes& routes)
{
    std::unique_ptr<MessageSource> source;
    const bool toContact = device != kProxyDevice;
    if (!toContact) {
        source = std::make_unique<MailboxSource>(parts_.queue, recipient_);
    } else {
        source = std::make_unique<DeviceSource>(
            parts_.loop, parts_.queue.store(),
            DeviceSource::Settings{recipient_, device, settings_.keep});
    }
    return std::make_shared<DeliveryRun>(parts_, limits_,
                                         toContact ? settings_.contactRun : settings_.run,
                                         recipient_, routes, std::move(source));
}

void AllDevicesRun::endRun(const std::string& device)
{
    activeRuns_.erase(device);
    if (lookUpAfterRun_.erase(device) > 0 && !stopped_) {
        lookUp(NoDevice::LeaveAlone);
    }
    endIfOver();
}

void AllDevicesRun::endLookUp()
{
    lookingUp_ = false;
    // lackingDevices() has moved the mailbox's next attempt, as the first claim of another run
    // does; the claims for devices may follow.
    if (auto onClaimed = std::exchange(onClaimed_, {})) {
        onClaimed();
    }
    if (std::exchange(lookUpAgain_, false) && !stopped_) {
        return lookUp(NoDevice::LeaveAlone);
    }
    endIfOver();
}

void AllDevicesRun::endIfOver()
{
    if (!lookingUp_ && activeRuns_.empty() && onEnded_) {
        std::exchange(onEnded_, {})(result_);
    }
}

}  // namespace restante::sip

#include "sipplugin/delivery/all_devices_run.h"

#include "core/base/log.h"
#include "sipplugin/delivery/message_source.h"
#include "sipplugin/message/aor.h"

#include <utility>

namespace restante::sip {

namespace {

/// How long an absence is remembered: another daemon may take the REGISTER.
constexpr Millis kNoDeviceKnown{5'000};

/// Whoever the proxy knows, among the devices: see DeviceLook.
const std::string kAtProxy;

const std::string& deviceOf(const Binding& binding)
{
    return binding.instance.empty() ? binding.contact : binding.instance;
}

}  // namespace

void AllDevicesRun::start(NoDevice noDevice,
                          std::function<void()> claimed,
                          std::function<void(Outcome)> ended)
{
    claimed_ = std::move(claimed);
    ended_ = std::move(ended);
    lookUp(noDevice);
}

void AllDevicesRun::stop()
{
    stopped_ = true;
    auto active = active_;  // because stop() may end a run at once
    for (const auto& [device, run] : active) {
        run->stop();
    }
    endIfOver();
}

bool AllDevicesRun::covers(NoDevice noDevice)
{
    if (!ended_ || stopped_) {
        return false;
    }
    for (const auto& [device, run] : active_) {
        missed_.insert(device);  // it may just have asked for the last time
    }
    lookUp(noDevice);
    return true;
}

void AllDevicesRun::lookUp(NoDevice noDevice)
{
    lookUpAgain_ = lookingUp_ || stopped_;
    if (std::exchange(lookingUp_, true)) {
        return;
    }
    parts_.bindings.lookup(
        canonicalAor(recipient_).value_or(recipient_),
        guard(weak_from_this(), [this, noDevice](const Result<std::vector<Binding>>& found) {
            if (!found || stopped_) {
                if (!found) {
                    log::warning("sip", "no delivery to {}: {}", recipient_, found.error().message);
                }
                return endLookUp();
            }
            handleBindings(*found);
            askWhoLacks(noDevice);
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
        devices_[kAtProxy] = {routeThroughProxy(recipient_, proxy)};
    }
}

void AllDevicesRun::askWhoLacks(NoDevice noDevice)
{
    DeviceLook wanted;
    wanted.recipient = recipient_;
    for (const auto& [device, routes] : devices_) {
        wanted.devices.push_back(device);
    }
    if (devices_.empty() || devices_.contains(kAtProxy)) {
        const auto known =
            noDevice == NoDevice::Postpone ? settings_.run.noDeviceRetry : kNoDeviceKnown;
        outcome_.postponedUntil = now() + known;
        wanted.absent = noDevice == NoDevice::Postpone ? outcome_.postponedUntil : std::nullopt;
    } else if (const auto found = active_.find(kAtProxy); found != active_.end()) {
        // Its messages are for each device now; the look is made again when it has given them back.
        missed_.insert(kAtProxy);
        const auto run = found->second;  // because stop() may end it at once
        run->stop();
    }
    parts_.queue.store().lackingDevices(
        std::move(wanted),
        guard(weak_from_this(), [this](const Result<std::vector<std::string>>& lacking) {
            if (!lacking) {
                log::warning("sip", "no delivery to {}: {}", recipient_, lacking.error().message);
            }
            for (const auto& device : lacking.value_or(std::vector<std::string>{})) {
                begin(device);
            }
            endLookUp();
        }));
}

void AllDevicesRun::begin(const std::string& device)
{
    const auto found = devices_.find(device);
    if (stopped_ || found == devices_.end() || active_.contains(device)) {
        return;
    }
    outcome_.postponedUntil.reset();
    auto run = newRun(device, found->second);
    active_[device] = run;
    run->start(
        NoDevice::LeaveAlone, [] {},
        guard(weak_from_this(), [this, device](const Outcome& outcome) {
            // Of a device the store knows it: each has its own next attempt.
            outcome_ = device == kAtProxy ? outcome : outcome_;
            endDevice(device);
        }));
}

/// A message that whoever the proxy knows has taken is finished: which device it was, is not told.
std::shared_ptr<DeliveryRun> AllDevicesRun::newRun(const std::string& device, const Routes& routes)
{
    std::unique_ptr<MessageSource> source;
    const bool toContact = device != kAtProxy;
    if (!toContact) {
        source = std::make_unique<MailboxSource>(parts_.queue, recipient_);
    } else {
        source = std::make_unique<DeviceSource>(
            parts_.loop, parts_.queue.store(),
            DeviceSource::Settings{recipient_, device, settings_.keep});
    }
    return std::make_shared<DeliveryRun>(parts_, limits_,
                                         toContact ? settings_.toContacts : settings_.run,
                                         recipient_, routes, std::move(source));
}

void AllDevicesRun::endDevice(const std::string& device)
{
    active_.erase(device);
    if (missed_.erase(device) > 0 && !stopped_) {
        lookUp(NoDevice::LeaveAlone);
    }
    endIfOver();
}

void AllDevicesRun::endLookUp()
{
    lookingUp_ = false;
    if (auto claimed = std::exchange(claimed_, {})) {
        claimed();
    }
    if (std::exchange(lookUpAgain_, false) && !stopped_) {
        return lookUp(NoDevice::LeaveAlone);
    }
    endIfOver();
}

void AllDevicesRun::endIfOver()
{
    if (!lookingUp_ && active_.empty() && ended_) {
        std::exchange(ended_, {})(outcome_);
    }
}

}  // namespace restante::sip

#include "sipplugin/delivery/device_fan.h"

#include "core/base/log.h"
#include "sipplugin/delivery/mailbox_source.h"
#include "sipplugin/message/aor.h"

#include <utility>

namespace restante::sip {

namespace {

/// How long an absence is remembered: another daemon may take the REGISTER.
constexpr Millis kAbsenceKnown{5'000};

/// Whoever the proxy knows, among the devices: see DeviceLook.
const std::string kAtProxy;

const std::string& deviceOf(const Binding& binding)
{
    return binding.instance.empty() ? binding.contact : binding.instance;
}

}  // namespace

DeviceFan::DeviceFan(MailboxFlush::Parts parts,
                     MailboxFlush::Shared shared,
                     Settings settings,
                     std::string recipient)
    : parts_(parts),
      shared_(shared),
      settings_(settings),
      recipient_(std::move(recipient))
{
}

void DeviceFan::start(Absence absence,
                      std::function<void()> claimed,
                      std::function<void(Outcome)> ended)
{
    claimed_ = std::move(claimed);
    ended_ = std::move(ended);
    look(absence);
}

void DeviceFan::stop()
{
    stopped_ = true;
    auto active = active_;  // because stop() may end a pass at once
    for (const auto& [device, pass] : active) {
        pass->stop();
    }
    endIfOver();
}

bool DeviceFan::takes(Absence absence)
{
    if (!ended_ || stopped_) {
        return false;
    }
    for (const auto& [device, pass] : active_) {
        passed_.insert(device);  // it may just have asked for the last time
    }
    look(absence);
    return true;
}

void DeviceFan::look(Absence absence)
{
    lookAgain_ = looking_ || stopped_;
    if (std::exchange(looking_, true)) {
        return;
    }
    parts_.bindings.lookup(
        canonicalAor(recipient_).value_or(recipient_),
        [this, weak = weak_from_this(), absence](const Result<std::vector<Binding>>& found) {
            const auto alive = weak.lock();
            if (!alive) {
                return;
            }
            if (!found || stopped_) {
                if (!found) {
                    log::warning("sip", "no delivery to {}: {}", recipient_, found.error().message);
                }
                return endLook();
            }
            takeBindings(*found);
            askWhoLacks(absence);
        });
}

void DeviceFan::takeBindings(const std::vector<Binding>& bindings)
{
    const auto& proxy = settings_.flush.proxy;
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

void DeviceFan::askWhoLacks(Absence absence)
{
    DeviceLook wanted;
    wanted.recipient = recipient_;
    for (const auto& [device, routes] : devices_) {
        wanted.devices.push_back(device);
    }
    if (devices_.empty() || devices_.contains(kAtProxy)) {
        const auto known = absence == Absence::PutsOff ? settings_.flush.absence : kAbsenceKnown;
        outcome_.putOffUntil = now() + known;
        wanted.absent = absence == Absence::PutsOff ? outcome_.putOffUntil : std::nullopt;
    } else if (const auto found = active_.find(kAtProxy); found != active_.end()) {
        // Its messages are for each device now; the look is made again when it has given them back.
        passed_.insert(kAtProxy);
        const auto pass = found->second;  // because stop() may end it at once
        pass->stop();
    }
    parts_.queue.store().lackingDevices(
        std::move(wanted),
        [this, weak = weak_from_this()](const Result<std::vector<std::string>>& lacking) {
            const auto alive = weak.lock();
            if (!alive) {
                return;
            }
            if (!lacking) {
                log::warning("sip", "no delivery to {}: {}", recipient_, lacking.error().message);
            }
            for (const auto& device : lacking.value_or(std::vector<std::string>{})) {
                begin(device);
            }
            endLook();
        });
}

void DeviceFan::begin(const std::string& device)
{
    const auto found = devices_.find(device);
    if (stopped_ || found == devices_.end() || active_.contains(device)) {
        return;
    }
    outcome_.putOffUntil.reset();
    auto pass = newPass(device, found->second);
    active_[device] = pass;
    pass->start(
        Absence::LeavesAlone, [] {},
        [this, weak = weak_from_this(), device](const Outcome& outcome) {
            if (const auto alive = weak.lock()) {
                // Of a device the store knows it: each has its own next attempt.
                outcome_ = device == kAtProxy ? outcome : outcome_;
                endDevice(device);
            }
        });
}

/// A message that whoever the proxy knows has taken is finished: which device it was, is not told.
std::shared_ptr<MailboxFlush> DeviceFan::newPass(const std::string& device, const Routes& routes)
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
    return std::make_shared<MailboxFlush>(parts_, shared_,
                                          toContact ? settings_.toContacts : settings_.flush,
                                          recipient_, routes, std::move(source));
}

void DeviceFan::endDevice(const std::string& device)
{
    active_.erase(device);
    if (passed_.erase(device) > 0 && !stopped_) {
        look(Absence::LeavesAlone);
    }
    endIfOver();
}

void DeviceFan::endLook()
{
    looking_ = false;
    if (auto claimed = std::exchange(claimed_, {})) {
        claimed();
    }
    if (std::exchange(lookAgain_, false) && !stopped_) {
        return look(Absence::LeavesAlone);
    }
    endIfOver();
}

void DeviceFan::endIfOver()
{
    if (!looking_ && active_.empty() && ended_) {
        std::exchange(ended_, {})(outcome_);
    }
}

}  // namespace restante::sip

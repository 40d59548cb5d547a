#include "sipplugin/trace/trace_settings.h"

namespace restante::sip {

TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& asked)
{
    const bool everybody = !settings.to.empty() && settings.only.empty();
    if (asked.empty() || everybody) {
        return settings;
    }
    if (settings.to.empty()) {
        settings.to = settings.spare;
        settings.only.clear();
    }
    settings.only.insert(settings.only.end(), asked.begin(), asked.end());
    return settings;
}

}  // namespace restante::sip

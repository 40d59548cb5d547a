#include "core/base/address_policy.h"
#include "core/config/key_builder.h"

namespace restante::builder {

namespace {
using namespace std::chrono_literals;

bool isNetworkOrHost(std::string_view word)
{
    return AddressPolicy::allowing({std::string(word)}).has_value();
}

void addReach(std::vector<ConfigKey>& keys)
{
    keys.push_back(many<std::string>(
        {"webhook.allow",
         "Networks or hosts that webhooks may reach besides public addresses. A host that is "
         "allowed by\nname may have any address."},
        codec::text("networks or host names, such as 10.0.0.0/8 or hooks.example.org",
                    isNetworkOrHost),
        [](auto& c) -> auto& { return c.webhook.allow; }));
    keys.push_back(one<std::filesystem::path>(
        {"webhook.secret_file",
         "A file with the secrets that sign webhooks, one a line, newest first, perhaps with\n"
         "host=PATTERN and topic=PATTERN before it; whsec_... for the Standard Webhooks scheme.\n"
         "Empty: nothing is signed. A SIGHUP reads it again. docs/webhooks.md.",
         builder::Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.webhook.secretFile; }));
    keys.push_back(one<std::filesystem::path>(
        {"webhook.ca_file", "The certificates (PEM) that receivers are believed by. Empty: the "
                            "system's."},
        codec::path(), [](auto& c) -> auto& { return c.webhook.caFile; }));
}

void addPace(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::uint32_t>(
        {"webhook.concurrency",
         "Webhooks that this daemon has in hand at once. 0 = it delivers none and leaves them to\n"
         "others."},
        codec::number<std::uint32_t>(0, 4'096),
        [](auto& c) -> auto& { return c.webhook.concurrency; }));
    keys.push_back(one<std::uint32_t>(
        {"webhook.per_host", "Requests to one host and port at once."},
        codec::number<std::uint32_t>(1, 1'024),
        [](auto& c) -> auto& { return c.webhook.perHost; }));
    keys.push_back(one<Millis>(
        {"webhook.timeout", "How long a receiver has to answer, connecting included."},
        codec::duration(100ms, 10min), [](auto& c) -> auto& { return c.webhook.timeout; }));
    keys.push_back(one<Config::WebhookGroup>(
        {"webhook.group",
         "Whether jobs of one topic and URL that are due at the same millisecond share a POST\n"
         "(same_instant: a JSON array), or each has its own (off). docs/webhooks.md."},
        codec::choice<Config::WebhookGroup>({{"off", Config::WebhookGroup::Off},
                                             {"same_instant", Config::WebhookGroup::SameInstant}}),
        [](auto& c) -> auto& { return c.webhook.group; }));
    keys.push_back(many<std::string>(
        {"webhook.group_topics", "The topics to which webhook.group applies. Empty: all of them."},
        codec::text("topics", [](auto word) { return !word.empty(); }),
        [](auto& c) -> auto& { return c.webhook.groupTopics; }));
}
}  // namespace

void addWebhook(std::vector<ConfigKey>& keys)
{
    addReach(keys);
    addPace(keys);
}

}  // namespace restante::builder

#include "core/sms/phone_number.h"
#include "core/sms/quiet_hours.h"
#include "core/sms/sms_size.h"
#include "core/sms/template_text.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    (void)sms::phoneNumber(text);
    (void)sms::QuietHours::parse(text);
    (void)sms::measure(text);
    (void)sms::isRegularExpression(text.substr(0, 64));
    // A template of ours, values of a stranger's: the value cannot end what it stands in.
    sms::TemplateValues values;
    values.to = values.text = values.from = std::string(text);
    const auto filled =
        sms::fill(R"({{"to":"{to}","text":"{text}"}})", values, sms::escapeFor("application/json"));
    const auto read = nlohmann::json::parse(filled, nullptr, false);
    fuzz::require(read.is_discarded() || (read.is_object() && read.size() == 2),
                  "a value stays in its string");
    const auto query =
        sms::fill("to={to}&text={text}", values, sms::escapeFor("x-www-form-urlencoded"));
    fuzz::require(std::count(query.begin(), query.end(), '&') == 1 &&
                      query.find_first_of(std::string_view(" \r\n#\0", 5)) == std::string::npos,
                  "a value stays in its parameter");
    // A stranger's template.
    if (!sms::unknownPlaceholder(text)) {
        sms::TemplateValues plain;
        plain.to = "+431";
        (void)sms::fill(text, plain, sms::escapeFor("text/xml"));
    }
    return 0;
}

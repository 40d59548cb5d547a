#include "core/sms/phone_number.h"

#include "core/base/text.h"

#include <algorithm>

namespace restante::sms {

namespace {
// E.164: at most 15 digits; the shortest numbers with a country code have 7.
constexpr std::size_t kMostDigits = 15;
constexpr std::size_t kFewestDigits = 7;
constexpr std::size_t kFewestShortCodeDigits = 3;
// GSM 03.40: an alphanumeric address has 10 octets of seven-bit characters.
constexpr std::size_t kLongestName = 11;

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool hasSize(std::string_view text, std::size_t least, std::size_t most)
{
    return text.size() >= least && text.size() <= most;
}

void eraseAll(std::string& text, std::string_view characters)
{
    std::erase_if(text, [&](char c) { return characters.find(c) != std::string_view::npos; });
}

/// Whether it begins with a plus or with 00; brackets do not count.
bool beginsInternationally(std::string_view text)
{
    const auto number = text.substr(std::min(text.find_first_not_of("()"), text.size()));
    return number.starts_with('+') || number.starts_with("00");
}
}  // namespace

Result<std::string> phoneNumber(std::string_view text)
{
    std::string number(text.starts_with("tel:") ? text.substr(4) : text);
    eraseAll(number, " -./");
    // Behind a country code the bracketed 0 is what is dialled within the country only.
    const auto trunkPrefix = number.find("(0)");
    if (trunkPrefix != std::string::npos && beginsInternationally(number.substr(0, trunkPrefix))) {
        number.erase(trunkPrefix, 3);
    }
    eraseAll(number, "()");
    if (number.starts_with("00")) {
        number.replace(0, 2, "+");
    }
    const bool international = number.starts_with('+');
    const auto digits = std::string_view(number).substr(international ? 1 : 0);
    const auto least = international ? kFewestDigits : kFewestShortCodeDigits;
    if (!isDigits(digits) || !hasSize(digits, least, kMostDigits) ||
        (international && digits.front() == '0')) {
        return invalidField("recipient",
                            "is not a phone number; write +COUNTRY and the number, 7 to 15 "
                            "digits such as +4917012345678, or a short code of 3 digits or more");
    }
    return number;
}

bool isSender(std::string_view text)
{
    if (phoneNumber(text)) {
        return true;
    }
    constexpr std::string_view kNamePunctuation = " -.&+_";
    return hasSize(text, 1, kLongestName) && std::ranges::any_of(text, isLetter) &&
           std::ranges::all_of(text, [&](char c) {
               return isLetter(c) || isDigit(c) ||
                      kNamePunctuation.find(c) != std::string_view::npos;
           });
}

std::string senderOf(const std::string& text)
{
    return phoneNumber(text).value_or(text);
}

bool isNumberPrefix(std::string_view text)
{
    return text.starts_with('+') && hasSize(text.substr(1), 1, kMostDigits) &&
           isDigits(text.substr(1));
}

}  // namespace restante::sms

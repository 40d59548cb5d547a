#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace restante::sms {

/// A recipient in the form that gateways need: "+4917012345" (E.164: a plus and 7 to 15 digits, the
/// first of them not 0) or, without a plus, 3 to 15 digits, which the gateway knows how to read
/// (short codes, national numbers). "tel:", spaces and - . / ( ) are taken away, and so is the (0)
/// of "+49 (0)170"; a leading 00 is a plus. Invalid says what is allowed.
Result<std::string> phoneNumber(std::string_view text);

/// Whether it may be the sender of a text message: a number as above, or 1 to 11 letters, digits,
/// spaces and - . & + _ with a letter among them.
bool isSender(std::string_view text);
/// A sender for a gateway: a number in the form of phoneNumber(), a name as it is.
std::string senderOf(const std::string& text);

/// The beginning of an international number: a plus and 1 to 15 digits.
bool isNumberPrefix(std::string_view text);

}  // namespace restante::sms

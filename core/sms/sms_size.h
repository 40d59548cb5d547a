#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string_view>

namespace restante::sms {

/// The encoding of a text message (3GPP TS 23.038).
enum class Coding {
    Gsm7,  ///< the default alphabet and its extension table, seven bits a character
    Ucs2,  ///< UTF-16, everything else
};

/// The size of a text message. *Value.*
struct SmsSize {
    Coding coding = Coding::Gsm7;
    std::size_t units = 0;  ///< septets, or UTF-16 code units
    /// Messages on the air: one of 160 septets or 70 units; where there are several, 153 or 67 in
    /// each, as a header takes six octets. A character of two septets or units is never split.
    std::size_t parts = 0;
};

/// Invalid when the text is not UTF-8, has control characters of ASCII that no phone shows (all
/// but line feed, carriage return and tab), or is empty.
Result<SmsSize> measure(std::string_view utf8);

}  // namespace restante::sms

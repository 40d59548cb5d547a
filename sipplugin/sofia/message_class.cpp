#include "sipplugin/sofia/message_class.h"

#include <sofia-sip/msg_mclass.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_parser.h>
#include <sofia-sip/su_alloc.h>
#include <sofia-sip/url.h>

#include <string>

namespace restante::sip {

namespace {

/// Stands for a Request-URI that sofia cannot read. Nobody asks it where to send: the text of the
/// line decides (RequestGate), and answers go by Via.
constexpr const char* kUnreadable = "sip:unreadable.invalid";

issize_t readRequestLine(su_home_t* home, msg_header_t* header, char* line, isize_t length) noexcept
{
    auto* request = reinterpret_cast<sip_request_t*>(header);
    // sofia's reader cuts the line into pieces in place, and msg_extract keeps what is left of it.
    char* original = su_strndup(home, line, length);
    if (original == nullptr) {
        return -1;
    }
    if (sip_request_class->hc_parse(home, header, line, length) < 0) {
        const auto end = std::string_view{original}.find_first_of(" \t");
        const auto* url = url_make(home, kUnreadable);
        if (end == std::string_view::npos || end == 0 || url == nullptr) {
            return -1;  // no request at all
        }
        request->rq_method = sip_method_unknown;
        request->rq_method_name = su_strndup(home, original, static_cast<isize_t>(end));
        *request->rq_url = *url;
    }
    request->rq_version = sip_version_2_0;
    return 0;
}

const msg_mclass_t* withOurRequestLine()
{
    static msg_hclass_s requestClass = *sip_request_class;
    requestClass.hc_parse = &readRequestLine;
    auto* all = msg_mclass_clone(sip_default_mclass(), 0, 0);
    all->mc_request->hr_class = &requestClass;
    return all;
}

}  // namespace

const msg_mclass_s* tolerantMessageClass()
{
    static const msg_mclass_t* const kClass = withOurRequestLine();
    return kClass;
}

}  // namespace restante::sip

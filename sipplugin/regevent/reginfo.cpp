#include "sipplugin/regevent/reginfo.h"

#include "core/base/handle_deleter.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <expat.h>
#include <fmt/format.h>
#include <memory>
#include <type_traits>

namespace restante::sip {

namespace {

/// A reginfo is four elements deep; extensions of others may be a little deeper.
constexpr int kDeepestElement = 16;
/// More than any user has; the body's size is limited anyway.
constexpr std::size_t kMostContacts = 1'000;
constexpr std::string_view kBlank = " \t\r\n";

std::string_view withoutPrefix(std::string_view name)
{
    const auto colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string attribute(const XML_Char** attributes, std::string_view name)
{
    for (; *attributes != nullptr; attributes += 2) {
        if (name == attributes[0]) {
            return attributes[1];
        }
    }
    return {};
}

using ParserHandle =
    std::unique_ptr<std::remove_pointer_t<XML_Parser>, HandleDeleter<XML_ParserFree>>;

/// Expat 2.9 deprecates the function name that older versions have.
std::uint64_t lineIn(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
    return XML_GetCurrentLineNumber64(parser);
#else
    return XML_GetCurrentLineNumber(parser);
#endif
}

/// Follows the elements of one document.
class Reader {
public:
    Reader() : parser_(XML_ParserCreate(nullptr))
    {
        XML_SetUserData(parser_.get(), this);
        XML_SetElementHandler(parser_.get(), &onStart, &onEnd);
        XML_SetCharacterDataHandler(parser_.get(), &onText);
        XML_SetStartDoctypeDeclHandler(parser_.get(), &onDoctype);
    }

    Result<std::vector<ReginfoRegistration>> read(std::string_view xml)
    {
        const auto status =
            XML_Parse(parser_.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE);
        if (status != XML_STATUS_OK) {
            const auto why = refusal_.empty()
                                 ? std::string{XML_ErrorString(XML_GetErrorCode(parser_.get()))}
                                 : refusal_;
            return failure(ErrorCode::Invalid,
                           fmt::format("reginfo: line {}: {}", lineIn(parser_.get()), why));
        }
        if (!isReginfo_) {
            return failure(ErrorCode::Invalid, "reginfo: the document is not a reginfo");
        }
        return std::move(registrations_);
    }

private:
    void startElement(std::string_view name, const XML_Char** attributes)
    {
        if (++depth_ > kDeepestElement) {
            return stopParsing("elements are nested too deep");
        }
        if (depth_ == 1) {
            isReginfo_ = name == "reginfo";
        } else if (depth_ == 2 && name == "registration") {
            registrations_.push_back(
                {attribute(attributes, "aor"), attribute(attributes, "state"), {}});
        } else if (depth_ == 3 && name == "contact" && !registrations_.empty()) {
            if (++contactCount_ > kMostContacts) {
                return stopParsing("there are too many contacts");
            }
            registrations_.back().contacts.push_back(
                {"", attribute(attributes, "state"), attribute(attributes, "event")});
            inContact_ = true;
        }
        inUri_ = depth_ == 4 && inContact_ && name == "uri";
    }

    void endElement()
    {
        --depth_;
        inUri_ = false;
        inContact_ = inContact_ && depth_ >= 3;
    }

    void addText(std::string_view text)
    {
        if (inUri_) {
            registrations_.back().contacts.back().uri += trimmed(text, kBlank);
        }
    }

    void stopParsing(std::string why)
    {
        refusal_ = std::move(why);
        XML_StopParser(parser_.get(), XML_FALSE);
    }

    /// No exception may pass through expat.
    template <class Step>
    static void guard(void* self, Step step) noexcept
    {
        auto& reader = *static_cast<Reader*>(self);
        try {
            step(reader);
        } catch (const std::exception&) {
            XML_StopParser(reader.parser_.get(), XML_FALSE);
        }
    }
    static void XMLCALL onStart(void* self,
                                const XML_Char* name,
                                const XML_Char** attributes) noexcept
    {
        guard(self, [&](Reader& reader) { reader.startElement(withoutPrefix(name), attributes); });
    }
    static void XMLCALL onEnd(void* self, const XML_Char*) noexcept
    {
        guard(self, [](Reader& reader) { reader.endElement(); });
    }
    static void XMLCALL onText(void* self, const XML_Char* text, int length) noexcept
    {
        guard(self, [&](Reader& reader) {
            reader.addText({text, static_cast<std::size_t>(length)});
        });
    }
    static void XMLCALL
    onDoctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) noexcept
    {
        guard(self, [](Reader& reader) {
            reader.stopParsing("a document type declaration is not allowed");
        });
    }

    ParserHandle parser_;
    std::vector<ReginfoRegistration> registrations_;
    std::string refusal_;
    std::size_t contactCount_ = 0;
    int depth_ = 0;
    bool isReginfo_ = false;
    bool inContact_ = false;
    bool inUri_ = false;
};

}  // namespace

bool ReginfoRegistration::isActive() const
{
    return state == "active" &&
           (contacts.empty() || std::ranges::any_of(contacts, [](const auto& contact) {
                return contact.state == "active";
            }));
}

Result<std::vector<ReginfoRegistration>> parseReginfo(std::string_view xml)
{
    return Reader{}.read(xml);
}

}  // namespace restante::sip

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::json {

/// Appends `text` as a JSON string; bytes that are not UTF-8 become replacement characters.
void appendString(std::string& out, std::string_view text);

/// Writes one JSON object at the end of a text, field by field, for answers that come often or have
/// hundreds of jobs: a document of nodes that is printed afterwards costs several times as much.
/// The names are literals that need no escapes. *Value*, borrows the text.
class ObjectWriter {
public:
    explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

    void text(std::string_view name, std::string_view value)
    {
        begin(name);
        appendString(out_, value);
    }
    void number(std::string_view name, std::int64_t value);
    /// The text that `append(out)` appends is the value.
    template <class Append>
    void value(std::string_view name, const Append& append)
    {
        begin(name);
        append(out_);
    }
    void end() { out_ += '}'; }

private:
    void begin(std::string_view name);

    std::string& out_;
    bool isFirst_ = true;
};

}  // namespace restante::json

#include "gui/pages/detail/payload_document.h"

#include <algorithm>

namespace restante::gui {

namespace {

/// Deeper than this the indentation stays: a body of brackets must not become a thousand times as
/// long.
constexpr int kDeepest = 32;

bool closes(QChar c)
{
    return c == u'}' || c == u']';
}

}  // namespace

QString indentJson(const QString& json)
{
    QString out;
    out.reserve(json.size() * 5 / 4);
    int depth = 0;
    bool inString = false;
    bool escaped = false;
    const auto newLine = [&] {
        out += u'\n';
        out.append(QString(qsizetype{2} * std::clamp(depth, 0, kDeepest), u' '));
    };
    for (auto at = json.begin(); at != json.end(); ++at) {
        const auto c = *at;
        if (inString) {
            out += c;
            inString = escaped || c != u'"';
            escaped = !escaped && c == u'\\';
            continue;
        }
        if (c == u' ' || c == u'\t' || c == u'\r' || c == u'\n') {
            continue;
        }
        if (closes(c)) {
            --depth;
            newLine();
        }
        out += c;
        inString = c == u'"';
        if (c == u',') {
            newLine();
        } else if (c == u':') {
            out += u' ';
        } else if (c == u'{' || c == u'[') {
            const auto next =
                std::find_if_not(at + 1, json.end(), [](QChar letter) { return letter.isSpace(); });
            if (next != json.end() && closes(*next)) {
                out += *next;  // an empty object or array
                at = next;
            } else {
                ++depth;
                newLine();
            }
        }
    }
    return out;
}

}  // namespace restante::gui

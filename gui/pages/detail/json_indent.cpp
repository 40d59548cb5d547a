#include "gui/pages/detail/payload_document.h"

#include <algorithm>

namespace restante::gui {

namespace {

/// Deeper than this the indentation stays: a body of brackets must not become a thousand times as
/// long.
constexpr int kDeepest = 32;

class Indenter {
public:
    explicit Indenter(const QString& json) : json_(json) { out_.reserve(json.size() * 5 / 4); }

    QString run()
    {
        for (; at_ < json_.size(); ++at_) {
            const auto c = json_[at_];
            if (inString_) {
                string(c);
            } else {
                outside(c);
            }
        }
        return out_;
    }

private:
    void string(QChar c)
    {
        out_ += c;
        if (escaped_) {
            escaped_ = false;
        } else if (c == u'\\') {
            escaped_ = true;
        } else if (c == u'"') {
            inString_ = false;
        }
    }

    void outside(QChar c)
    {
        switch (c.unicode()) {
        case u' ':
        case u'\t':
        case u'\r':
        case u'\n': return;
        case u'"':
            inString_ = true;
            out_ += c;
            return;
        case u'{':
        case u'[':
            out_ += c;
            if (!closesAtOnce()) {
                ++depth_;
                newLine();
            }
            return;
        case u'}':
        case u']':
            --depth_;
            newLine();
            out_ += c;
            return;
        case u',':
            out_ += c;
            newLine();
            return;
        case u':': out_ += QStringLiteral(": "); return;
        default: out_ += c;
        }
    }

    /// Writes the bracket that closes an empty object or array, too.
    bool closesAtOnce()
    {
        auto next = at_ + 1;
        while (next < json_.size() && json_[next].isSpace()) {
            ++next;
        }
        if (next == json_.size() || (json_[next] != u'}' && json_[next] != u']')) {
            return false;
        }
        out_ += json_[next];
        at_ = next;
        return true;
    }

    void newLine()
    {
        out_ += u'\n';
        out_.append(QString(qsizetype{2} * std::clamp(depth_, 0, kDeepest), u' '));
    }

    const QString& json_;
    QString out_;
    qsizetype at_ = 0;
    int depth_ = 0;
    bool inString_ = false;
    bool escaped_ = false;
};

}  // namespace

QString indentJson(const QString& json)
{
    return Indenter(json).run();
}

}  // namespace restante::gui

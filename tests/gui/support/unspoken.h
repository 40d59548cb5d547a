#pragma once

#include <QStringList>
#include <QTranslator>

namespace restante::gui::test {

/// Asked last, when no translation has a text: collects what the console asked for in Chinese and
/// did not get. lrelease cannot know of these: they are in its file, but under another context.
class Unspoken : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context,
                      const char* text,
                      const char* disambiguation,
                      int n) const override;
    /// "context: text", each once, since the last call.
    QStringList take();

private:
    mutable bool asking_ = false;
    mutable QStringList texts_;
};

}  // namespace restante::gui::test

#pragma once

#include "gui/base/languages.h"

#include <QObject>

namespace restante::gui {

class Preferences;

/// Keeps colours and language of the whole application as the preferences say, from its
/// construction on. *Thread of the window.*
class Appearance : public QObject {
    Q_OBJECT

public:
    explicit Appearance(Preferences& preferences, QObject* parent = nullptr);

    const Languages& languages() const noexcept { return languages_; }

private:
    void apply();

    Preferences& preferences_;
    Languages languages_;
};

}  // namespace restante::gui

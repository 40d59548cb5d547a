#pragma once

#include <QString>

namespace restante::gui {

/// A reason as it is kept with what was done, in the language of the console: those that Restante
/// itself writes, also with what somebody wrote behind them ("undo: by mistake"). What people have
/// written stays as it is. *Pure.*
QString reasonText(const QString& reason);

/// What is kept with the jobs of a group of one last error when they are run again; reasonText()
/// knows it.
QString groupRetryReason(const QString& error);
/// The error in it; empty = it is another reason.
QString errorOfGroupRetry(const QString& reason);

}  // namespace restante::gui

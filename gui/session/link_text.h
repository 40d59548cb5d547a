#pragma once

#include "gui/session/link_problem.h"

#include <QString>

namespace restante::gui {

/// A sentence for people that says what is wrong and what to do; empty for no problem. *Pure.*
QString linkSentence(const LinkProblem& problem);
/// "Logging in…": what is being done.
QString linkStepDoing(LinkStep step);
/// "Log in": the step as a line of a list.
QString linkStepName(LinkStep step);

}  // namespace restante::gui

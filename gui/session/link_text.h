#pragma once

#include "core/redis/store/store_activity.h"
#include "gui/session/link_problem.h"

#include <QString>

namespace restante::gui {

/// A sentence for people that says what is wrong and what to do; empty for no problem. *Pure.*
QString linkSentence(const LinkProblem& problem);
/// What is going on with a store that no daemon serves. *Pure.*
QString restoringSentence(const redis::Restoring& restoring);
/// "Logging in…": what is being done.
QString linkStepDoing(LinkStep step);
/// "Log in": the step as a line of a list.
QString linkStepName(LinkStep step);

}  // namespace restante::gui

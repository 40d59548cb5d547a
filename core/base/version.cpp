#include "core/base/version.h"

namespace restante {

std::string_view version() noexcept
{
    return RESTANTE_VERSION;
}

}  // namespace restante

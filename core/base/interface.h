#pragma once

namespace restante {

/// The base of ports. They are used by reference, so they cannot be copied.
class Interface {
public:
    Interface() = default;
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;
    virtual ~Interface() = default;
};

}  // namespace restante

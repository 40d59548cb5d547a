#pragma once

namespace restante {

/// What ports derive from: they are used by reference, so nobody copies them.
class Interface {
public:
    Interface() = default;
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;
    virtual ~Interface() = default;
};

}  // namespace restante

#pragma once

namespace restante {

/// The deleter of a std::unique_ptr that owns a handle of a C library: calls `Release`, whatever it
/// returns. *Any thread.*
template <auto Release>
struct HandleDeleter {
    template <class T>
    void operator()(T* handle) const noexcept
    {
        Release(handle);
    }
};

}  // namespace restante

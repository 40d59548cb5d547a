#include "sipplugin/phone/session.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv)
{
    try {
        const auto options = restante::phone::readOptions(argc, argv);
        if (const auto* code = std::get_if<int>(&options)) {
            return *code;
        }
        return restante::phone::play(std::get<restante::phone::PhoneOptions>(options));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "restante-phone: %s\n", error.what());
        return 1;
    }
}

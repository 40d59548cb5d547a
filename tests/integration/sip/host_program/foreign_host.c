/*
 * A program that knows nothing of Restante but its C interface: it has a su_root of its own, with a
 * timer that shows that it goes on, and hosts the plugin there.
 *
 *     foreign_host section.key=value...
 *
 * Prints the plugin's addresses and "ready". SIGTERM drains and ends it with 0.
 */
#include "sipplugin/hosted/restante_sip.h"

#include <sofia-sip/su.h>
#include <sofia-sip/su_wait.h>

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t asked_to_end;
static su_root_t *root;

static void on_signal(int number)
{
    (void)number;
    asked_to_end = 1;
}

static void on_drained(void *context)
{
    (void)context;
    su_root_break(root);
}

static void on_tick(su_root_magic_t *magic, su_timer_t *timer, su_timer_arg_t *arg)
{
    restante_sip *plugin = (restante_sip *)arg;
    (void)magic;
    if (asked_to_end) {
        su_timer_reset(timer);
        restante_sip_drain(plugin, 2000, on_drained, NULL);
    }
}

int main(int argc, char **argv)
{
    char error[512] = "";
    su_timer_t *timer;
    restante_sip *plugin;
    size_t i;

    (void)argc; /* argv ends with NULL, as the settings have to */
    su_init();
    root = su_root_create(NULL);
    plugin = restante_sip_create(root, NULL, (const char *const *)argv + 1, error, sizeof error);
    if (!plugin) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    for (i = 0; restante_sip_address(plugin, i); i++)
        printf("sip %s\n", restante_sip_address(plugin, i));
    printf("ready\n");
    fflush(stdout);

    signal(SIGTERM, on_signal);
    timer = su_timer_create(su_root_task(root), 20);
    su_timer_run(timer, on_tick, plugin);
    su_root_run(root);

    su_timer_destroy(timer);
    restante_sip_destroy(plugin);
    su_root_destroy(root);
    su_deinit();
    return 0;
}

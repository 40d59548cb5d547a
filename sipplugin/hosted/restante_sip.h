#ifndef RESTANTE_SIP_H
#define RESTANTE_SIP_H

/*
 * librestante-sip: the SIP side of Restante for a program that runs a sofia-sip loop already.
 *
 * The plugin is a guest of the host's su_root: it opens sockets of its own, keeps messages in the
 * Redis that it is given, and works whenever the host runs the root. All calls are made on the
 * root's thread. Nothing of the host's own agents is touched.
 *
 *     char error[512];
 *     const char *settings[] = {"redis.url=unix:///run/redis.sock",
 *                               "sip.listen=127.0.0.1:5080", NULL};
 *     restante_sip *plugin = restante_sip_create(root, NULL, settings,
 *                                                error, sizeof error);
 *     if (!plugin) { fprintf(stderr, "%s\n", error); ... }
 *     su_root_run(root);
 *     restante_sip_destroy(plugin);
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct su_root_s;
typedef struct restante_sip restante_sip;

/*
 * Begins to serve on `root`, which must outlive the plugin. The settings are those of restanted, as
 * "section.key=value", in an array that ends with NULL; they win over those of `config_file`
 * (TOML). Either may be NULL. `redis.url` is needed: the library starts no server.
 *
 * Runs the root until Redis has answered, at most for ten seconds. Returns NULL when it cannot
 * serve; `error` then says why and what to do, cut to `error_size` bytes with the final NUL.
 */
restante_sip* restante_sip_create(struct su_root_s* root,
                                  const char* config_file,
                                  const char* const* settings,
                                  char* error,
                                  size_t error_size);

/*
 * The sockets as they are bound, such as "udp:127.0.0.1:5080": the first for `index` 0, NULL when
 * there is no more. Belongs to the plugin.
 */
const char* restante_sip_address(const restante_sip* plugin, size_t index);

/*
 * Takes nothing new, begins no delivery, gives back what waits; calls `drained` once when what was
 * under way is answered, or after `timeout_ms`. Destroy the plugin then, but not inside the call.
 */
void restante_sip_drain(restante_sip* plugin,
                        unsigned timeout_ms,
                        void (*drained)(void* context),
                        void* context);

/*
 * Ends at once. What is under way stays leased and is delivered again when the lease ends: in ten
 * seconds, or in a minute at most if its delivery lasted longer. NULL is fine.
 */
void restante_sip_destroy(restante_sip* plugin);

#ifdef __cplusplus
}
#endif

#endif

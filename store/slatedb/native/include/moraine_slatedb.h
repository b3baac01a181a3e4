/* SlateDB for the Go package store/slatedb; implemented by the crate beside this folder.
 *
 * Every function that can fail gives 0, or a set of MORAINE_* conditions; its message is then in *message, to be freed with
 * moraine_bytes_free. Byte strings are a pointer and a length; the callee keeps nothing of them. All functions may be
 * called from any thread, and at the same time, except that nothing may be used while or after it is closed. */
#ifndef MORAINE_SLATEDB_H
#define MORAINE_SLATEDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MORAINE_FENCED = 1,           /* another writer has taken the lake */
  MORAINE_CORRUPT = 1 << 1,     /* stored bytes are not what was written */
  MORAINE_UNAVAILABLE = 1 << 2, /* the object store failed, or did not answer in time */
  MORAINE_NOT_FOUND = 1 << 3,   /* no such object */
  MORAINE_EXISTS = 1 << 4,      /* there is an object of that name */
  MORAINE_INVALID = 1 << 5,     /* an argument or a setting is wrong */
  MORAINE_CLOSED = 1 << 6,      /* the lake has been closed */
  MORAINE_NOT_APPLIED = 1 << 7, /* nothing of the batch was written */
  MORAINE_REOPEN = 1 << 8,      /* the lake takes nothing more until it is opened again */
  MORAINE_NO_SPACE = 1 << 9     /* the disk is full */
};

typedef struct moraine_engine moraine_engine;
typedef struct moraine_lake moraine_lake;
typedef struct moraine_snapshot moraine_snapshot;
typedef struct moraine_scan moraine_scan;

typedef struct {
  uint8_t *data;
  size_t length;
  size_t capacity;
} moraine_bytes;

void moraine_bytes_free(moraine_bytes *bytes);

/* level: 1 error, 2 warning. The text is valid during the call. */
typedef void (*moraine_log_callback)(uint32_t level, const uint8_t *text, size_t length);
void moraine_log_to(moraine_log_callback callback);

typedef struct {
  uint64_t cache_bytes;        /* block cache of all lakes */
  uint64_t request_timeout_ms; /* for one request, with the client's repetitions */
  uint64_t commit_timeout_ms;  /* after which a commit is uncertain */
  bool create;                 /* make a local directory that is missing */
} moraine_options;

uint32_t moraine_engine_open(const uint8_t *url, size_t url_length, const moraine_options *options,
                             moraine_engine **engine, moraine_bytes *message);
uint32_t moraine_engine_close(moraine_engine *engine, moraine_bytes *message);

/* Names and paths of objects are relative to the engine's URL, and taken as they are. */
uint32_t moraine_object_put(moraine_engine *engine, const uint8_t *name, size_t name_length, const uint8_t *content,
                            size_t content_length, bool if_absent, moraine_bytes *message);
uint32_t moraine_object_get(moraine_engine *engine, const uint8_t *name, size_t name_length, moraine_bytes *content,
                            moraine_bytes *message);
uint32_t moraine_object_delete(moraine_engine *engine, const uint8_t *name, size_t name_length, moraine_bytes *message);
uint32_t moraine_objects_delete_below(moraine_engine *engine, const uint8_t *path, size_t path_length,
                                      moraine_bytes *message);
/* limit 0: the objects and folders directly below the path; else at most so many of all objects below it. Each entry is a
 * kind (1 byte: 0 object, 1 folder), a size (8 bytes), the length of the name (4 bytes), both little endian, and the name. */
uint32_t moraine_objects_list(moraine_engine *engine, const uint8_t *path, size_t path_length, size_t limit,
                              moraine_bytes *list, moraine_bytes *message);

/* Opens the lake at a path, fencing its writer; makes it when there is none. */
uint32_t moraine_lake_open(moraine_engine *engine, const uint8_t *path, size_t path_length, moraine_lake **lake,
                           moraine_bytes *message);
uint32_t moraine_lake_close(moraine_lake *lake, moraine_bytes *message);
/* Each operation of a batch is a kind (1 byte: 0 put, 1 delete), the lengths of key and value (4 bytes each, little endian),
 * and both. */
uint32_t moraine_lake_commit(moraine_lake *lake, const uint8_t *batch, size_t batch_length, moraine_bytes *message);
uint32_t moraine_lake_snapshot(moraine_lake *lake, moraine_snapshot **snapshot, moraine_bytes *message);

uint32_t moraine_snapshot_get(moraine_snapshot *snapshot, const uint8_t *key, size_t key_length, moraine_bytes *value,
                              bool *found, moraine_bytes *message);
uint32_t moraine_snapshot_close(moraine_snapshot *snapshot, moraine_bytes *message);

/* From lower (inclusive) to upper (exclusive; null: to the end). The range must not be empty. */
uint32_t moraine_scan_open(moraine_snapshot *snapshot, const uint8_t *lower, size_t lower_length, const uint8_t *upper,
                           size_t upper_length, moraine_scan **scan, moraine_bytes *message);
/* Gives the next page, of about limit bytes, valid until the next call: for each pair the lengths of key and value (4 bytes
 * each, little endian), and both. ended: nothing follows. */
uint32_t moraine_scan_next(moraine_scan *scan, size_t limit, const uint8_t **page, size_t *page_length, bool *ended,
                           moraine_bytes *message);
/* Moves to a key inside of the range and behind the last one of the page. */
uint32_t moraine_scan_seek(moraine_scan *scan, const uint8_t *key, size_t key_length, moraine_bytes *message);
uint32_t moraine_scan_close(moraine_scan *scan, moraine_bytes *message);

/* Reads the lake at a path beside its writer. Snapshots show what the last refresh has found. MORAINE_NOT_FOUND: the lake is
 * gone, or another one is in its place; the follower is of no more use. */
typedef struct moraine_follower moraine_follower;

typedef struct {
  uint64_t lifetime_ms; /* that the writer keeps the files of a state without hearing from its reader */
  uint64_t tail_bytes;  /* of the log in memory, from which on they are dropped once the writer's tables have them */
  uint64_t timeout_ms;  /* for one refresh */
} moraine_follower_options;

typedef struct {
  uint64_t tail_bytes;   /* of the log in memory */
  uint64_t tail_entries; /* of it */
  uint64_t log_files;    /* read since it was opened */
  uint64_t bases;        /* how often the writer's tables were opened anew */
} moraine_follower_costs;

uint32_t moraine_follower_open(moraine_engine *engine, const uint8_t *path, size_t path_length,
                               const moraine_follower_options *options, moraine_follower **follower, moraine_bytes *message);
uint32_t moraine_follower_refresh(moraine_follower *follower, bool *moved, moraine_bytes *message);
uint32_t moraine_follower_snapshot(moraine_follower *follower, moraine_snapshot **snapshot, moraine_bytes *message);
void moraine_follower_cost(moraine_follower *follower, moraine_follower_costs *costs);
uint32_t moraine_follower_close(moraine_follower *follower, moraine_bytes *message);

#endif

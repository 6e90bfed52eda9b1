#include "model.h"
#include "text.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map_file(const char *path, uint64_t bytes, void **mapping) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return kumiko_fail(KUMIKO_E_FILE, "cannot open the weights \"%s\": %s", path, strerror(errno));
  struct stat facts;
  int status = KUMIKO_OK;
  if (fstat(file, &facts) || !S_ISREG(facts.st_mode))
    status = kumiko_fail(KUMIKO_E_FILE, "the weights \"%s\" are not a regular file", path);
  else if ((uint64_t)facts.st_size != bytes)
    status = kumiko_fail(KUMIKO_E_FILE,
                         "the weights \"%s\" have %" PRId64 " bytes, the model expects %" PRIu64
                         "; the file belongs to another compilation",
                         path, (int64_t)facts.st_size, bytes);
  else if ((*mapping = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0)) == MAP_FAILED) {
    *mapping = NULL;
    status = kumiko_fail(KUMIKO_E_FILE, "cannot map the weights \"%s\": %s", path, strerror(errno));
  }
  close(file);
  return status;
}

int kumiko_map_weights(const kumiko_artefact *artefact, const char *folder, void **mapping) {
  const char *name = artefact->weights_file;
  char path[PATH_MAX];
  if (!*name || strchr(name, '/') || !strcmp(name, ".."))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "the weights' file \"%s\" must be a plain name", name);
  if (!folder)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "%s keeps its weights in \"%s\"; say in which folder", artefact->name, name);
  if (artefact->weights_bytes == 0)
    return KUMIKO_OK;
  if (snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", name) >= (int)sizeof path)
    return kumiko_fail(KUMIKO_E_FILE, "the path of the weights' file \"%s\" is too long", name);
  return map_file(path, artefact->weights_bytes, mapping);
}

/** dlopen searches the system for a name without a slash; we mean the file. */
static void *open_library(const char *path) {
  char local[PATH_MAX];
  if (!strchr(path, '/') && snprintf(local, sizeof local, "./%s", path) < (int)sizeof local)
    path = local;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int model_of_library(void *library, const char *path, kumiko_model **model) {
  kumiko_artefact_function table = NULL;
  /* The detour that POSIX asks for: ISO C has no cast from object to function pointers. */
  *(void **)&table = dlsym(library, KUMIKO_ARTEFACT_SYMBOL);
  if (!table)
    return kumiko_fail(KUMIKO_E_FILE, "\"%s\" has no symbol " KUMIKO_ARTEFACT_SYMBOL ": not made by kumiko compile",
                       path);
  char folder[PATH_MAX];
  if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
    return kumiko_fail(KUMIKO_E_FILE, "the path \"%s\" is too long", path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0; /* keeps the root's own slash */
  return kumiko_model_from_artefact(table(), slash ? folder : ".", model);
}

int kumiko_model_load(const char *path, kumiko_model **model) {
  if (!path || !model)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "model_load wants a path and a place for the model");
  *model = NULL;
  void *library = open_library(path);
  if (!library) {
    const char *why = dlerror();
    return kumiko_fail(KUMIKO_E_FILE, "cannot load \"%s\": %s", path, why ? why : "unknown reason");
  }
  int status = model_of_library(library, path, model);
  if (status)
    dlclose(library);
  else
    (*model)->library = library;
  return status;
}

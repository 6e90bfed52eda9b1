#include "kumiko/Emit/KernelCache.h"
#include "kumiko/Support/EmitError.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace kumiko;

static void printContents(const KernelCache &cache) {
  const KernelCache::Place &place = cache.place();
  if (!cache.isUsable()) {
    llvm::outs() << "no kernels are kept: " << place.why << "\n";
    return;
  }
  KernelCache::Contents contents = cache.contents();
  llvm::outs() << printable(place.folder) << ": " << contents.entries << " kernels, "
               << llvm::format("%.2f of at most %.0f MiB\n", double(contents.bytes) / (1 << 20),
                               double(place.limit) / (1 << 20));
}

static void printJson(const KernelCache &cache) {
  const KernelCache::Place &place = cache.place();
  KernelCache::Contents contents = cache.isUsable() ? cache.contents() : KernelCache::Contents();
  llvm::json::Object object{{"folder", printable(place.folder)},
                            {"usable", cache.isUsable()},
                            {"entries", int64_t(contents.entries)},
                            {"bytes", int64_t(contents.bytes)},
                            {"limit_bytes", int64_t(place.limit)}};
  if (!cache.isUsable())
    object["why"] = place.why;
  llvm::outs() << llvm::json::Value(std::move(object)) << "\n";
}

int kumiko::cacheCommand(const Invocation &invocation, ProblemList &problems) {
  KernelCache cache(KernelCache::placeOf());
  if (invocation.has(OPT_clear) && cache.isUsable())
    if (llvm::Error error = cache.clear()) {
      takeProblems(std::move(error), problems);
      return 0;
    }
  invocation.has(OPT_json) ? printJson(cache) : printContents(cache);
  return 0;
}

#include "kumiko/Codegen/Backends.h"
#include "llvm/ADT/StringExtras.h"

using namespace kumiko;

namespace kumiko {
#define KUMIKO_BACKEND(folder) const Backend &backendOf##folder();
#include "kumiko/Codegen/Backends.inc"
#undef KUMIKO_BACKEND
} // namespace kumiko

llvm::ArrayRef<const Backend *> kumiko::allBackends() {
  static const Backend *const all[] = {
#define KUMIKO_BACKEND(folder) &backendOf##folder(),
#include "kumiko/Codegen/Backends.inc"
#undef KUMIKO_BACKEND
  };
  return all;
}

const Backend *kumiko::backendNamed(llvm::StringRef name) {
  for (const Backend *backend : allBackends())
    if (backend->name() == name)
      return backend;
  return nullptr;
}

std::string kumiko::backendNames() {
  return llvm::join(llvm::map_range(allBackends(), [](const Backend *backend) { return backend->name(); }), ", ");
}

# How the tests are found and run. Folders mirror kumiko/.
import os
import resource
import shutil
import lit.formats

config.name = "kumiko"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".eq", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

# A test that hangs fails, and so does one that eats the machine's memory. AddressSanitizer reserves far more address
# space than it uses, so it cannot have the second limit, and ThreadSanitizer lifts it.
lit_config.maxIndividualTestTime = 120
if not config.kumiko_asan:
    limit = 8_000_000 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))

# `lit -D bin=DIR`: tools of another build come first.
path = os.pathsep.join([lit_config.params.get("bin", config.kumiko_bin), config.kumiko_bin, os.path.dirname(config.filecheck), config.llvm_tools, os.environ["PATH"]])
config.environment["PATH"] = path
# Where kumiko-opt counts the rewrite rules it applied; scripts/check reads it.
if "KUMIKO_RULE_COUNTS" in os.environ:
    config.environment["KUMIKO_RULE_COUNTS"] = os.environ["KUMIKO_RULE_COUNTS"]
# Every test compiles what it compiles; those of the cache ask for one.
config.environment["KUMIKO_CACHE"] = "0"
config.substitutions.append(("%source", config.kumiko_source))
config.substitutions.append(("%runtime", config.kumiko_runtime))
config.substitutions.append(("%libkumiko", config.kumiko_library))
config.substitutions.append(("%libdir", os.path.dirname(config.kumiko_library)))
# How long tests of threads run; `lit -D seconds=60` in check-long.
config.substitutions.append(("%seconds", lit_config.params.get("seconds", "3")))

# `REQUIRES: aarch64`, `REQUIRES: riscv64`: an emulator and a C library for it are installed.
for machine in ("aarch64", "riscv64"):
    cross = f"/usr/{machine}-linux-gnu"
    if shutil.which(f"qemu-{machine}") and os.path.isdir(cross + "/lib"):
        config.available_features.add(machine)
        flags = f"--target={machine}-linux-gnu -nostdlibinc -isystem {cross}/include -fuse-ld=lld -nostdlib -L{cross}/lib"
        config.substitutions.append((f"%{machine}-cc", f"clang-22 {flags} {cross}/lib/crt1.o {cross}/lib/crti.o {cross}/lib/crtn.o"))
        config.substitutions.append((f"%{machine}-run", f"qemu-{machine} -L {cross}"))
        config.substitutions.append((f"%archive-{machine}", f"{config.kumiko_archives}/KumikoRuntime-{machine}.a"))

# `REQUIRES: kumiko-onnx-suite`: the tests of a tool that is not built are skipped.
for tool in sorted(os.listdir(config.kumiko_bin)) if os.path.isdir(config.kumiko_bin) else []:
    config.available_features.add(tool)

#include "tools/kumiko-onnx-suite/Pool.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace kumiko::suite {

static constexpr unsigned secondsPerTest = 300;
static constexpr rlim_t bytesPerTest = rlim_t(12) << 30;

/// In the child: never returns. The verdict is one byte, the distance up to the end of the line, and the text.
[[noreturn]] static void work(const Test &test, int pipe, function_ref<Verdict(const Test &)> run) {
#if !__has_feature(address_sanitizer)
  rlimit memory{bytesPerTest, bytesPerTest};
  setrlimit(RLIMIT_AS, &memory);
#endif
  alarm(secondsPerTest);
  Verdict verdict = run(test);
  std::string message(1, char(verdict.kind));
  message += (verdict.ulp ? formatv("{0:e17}", *verdict.ulp).str() : "") + "\n";
  // What fits a pipe is written at once.
  message += StringRef(verdict.text).take_front(2000);
  bool written = write(pipe, message.data(), message.size()) == ssize_t(message.size());
  _exit(written ? 0 : 1);
}

static Verdict readVerdict(int pipe, int status) {
  std::string message;
  char buffer[4096];
  for (ssize_t got; (got = read(pipe, buffer, sizeof(buffer))) > 0;)
    message.append(buffer, got);
  close(pipe);
  if (WIFSIGNALED(status)) {
    int number = WTERMSIG(status);
    std::string why =
        number == SIGALRM ? "takes more than " + std::to_string(secondsPerTest) + " s" : strsignal(number);
    return {Verdict::Kind::Failed, "ended by a signal: " + why};
  }
  if (status != 0 || message.empty())
    return {Verdict::Kind::Failed, "ended without a verdict"};
  auto [ulp, text] = StringRef(message).drop_front().split('\n');
  Verdict verdict{Verdict::Kind(message[0]), text.str()};
  if (double value; !ulp.getAsDouble(value))
    verdict.ulp = value;
  return verdict;
}

std::vector<Verdict> runAll(ArrayRef<Test> tests, unsigned jobs, function_ref<Verdict(const Test &)> run) {
  std::vector<Verdict> verdicts(tests.size());
  DenseMap<pid_t, std::pair<size_t, int>> running; // test, pipe
  auto finishOne = [&] {
    int status = 0;
    pid_t child = waitpid(-1, &status, 0);
    auto [number, pipe] = running.lookup(child);
    running.erase(child);
    verdicts[number] = readVerdict(pipe, status);
  };
  for (auto [number, test] : enumerate(tests)) {
    if (running.size() >= jobs)
      finishOne();
    int ends[2];
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) {
      verdicts[number] = {Verdict::Kind::Failed, std::string("no process: ") + strerror(errno)};
      continue;
    }
    if (child == 0)
      work(test, ends[1], run);
    close(ends[1]);
    running[child] = {number, ends[0]};
  }
  while (!running.empty())
    finishOne();
  return verdicts;
}

} // namespace kumiko::suite

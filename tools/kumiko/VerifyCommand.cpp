#include "kumiko/Verify/VerifyModel.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/Format.h"

using namespace kumiko;

static void printText(const PassReport &report) {
  llvm::outs() << (report.good() ? "ok      " : "DIFFERS ") << report.pass << " (" << report.kind << ")";
  if (!report.changed)
    llvm::outs() << ": nothing changed";
  else if (report.good())
    llvm::outs() << ": rules applied " << report.rules.size() << " times";
  else if (report.outlier)
    llvm::outs() << ": output " << printable(report.output)
                 << llvm::format(", element %lld is %.9g instead of %.9g", (long long)report.outlier->element,
                                 report.outlier->got, report.outlier->reference);
  else
    llvm::outs() << ": " << printable(report.error);
  if (!report.node.empty())
    llvm::outs() << "; the first node with another value is " << printable(report.node);
  llvm::outs() << "\n";
}

static void printText(llvm::ArrayRef<Comparison> comparisons) {
  for (const Comparison &comparison : comparisons) {
    bool calls = comparison.what == "calls";
    for (const Judgement &judgement : comparison.judgements) {
      const Distance &distance = judgement.distance;
      // Of the calls only the first that differs is worth a line.
      if (calls && judgement.good)
        continue;
      llvm::outs() << (judgement.good ? "ok      " : "DIFFERS ") << comparison.what << " " << printable(judgement.name)
                   << llvm::format(": %.3g ulp, %.3g of the largest", distance.ulp, distance.relativeToLargest);
      if (!judgement.good && distance.worst >= 0)
        llvm::outs() << llvm::format("; element %lld is %.9g, reference %.9g", (long long)distance.worst, distance.got,
                                     distance.reference);
      llvm::outs() << "\n";
    }
    if (calls && comparison.good())
      llvm::outs() << "ok      calls: all " << comparison.judgements.size() << " results agree with their equations\n";
  }
}

/// Options that make no sense for what is to be verified. False when there was one.
static bool checkOptions(const Invocation &invocation, ProblemList &problems) {
  if (isSharedLibrary(invocation.model))
    return refuseForLibrary(
        invocation,
        {OPT_dim, OPT_allow, OPT_without, OPT_schedule, OPT_target, OPT_dump_ir, OPT_each_op, OPT_each_pass}, problems);
  if (invocation.has(OPT_model))
    problems.add(Code::BadOption, "--model is for a shared library; " + printable(invocation.model) + " is a model")
        .helped("leave it out");
  return !problems.hasErrors();
}

int kumiko::verifyCommand(const Invocation &invocation, ProblemList &problems) {
  VerifyOptions options = readVerifyOptions(invocation.arguments, problems);
  options.compile.watch = watchOnTerminal();
  if (problems.hasErrors() || !checkOptions(invocation, problems))
    return 0;
  auto report = verifyModel(invocation.model, options, problems);
  if (!report)
    return 0;
  if (invocation.has(OPT_json)) {
    report->printJson(llvm::outs());
  } else {
    for (const PassReport &pass : report->passes)
      printText(pass);
    printText(report->comparisons);
  }
  return report->good() ? 0 : 1;
}

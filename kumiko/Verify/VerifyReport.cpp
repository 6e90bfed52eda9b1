//===- VerifyReport.cpp - what verifyModel found, as JSON -------------------===//
#include "kumiko/Verify/VerifyModel.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace kumiko;

bool Comparison::good() const {
  return llvm::all_of(judgements, [](const Judgement &judgement) { return judgement.good; });
}

bool VerifyReport::good() const {
  return llvm::all_of(comparisons, [](const Comparison &comparison) { return comparison.good(); }) &&
         llvm::all_of(passes, [](const PassReport &report) { return report.good(); });
}

/// JSON has no infinity.
static llvm::json::Value number(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

static void printJson(llvm::json::OStream &json, const PassReport &report) {
  json.object([&] {
    json.attribute("pass", report.pass);
    json.attribute("class", report.kind);
    json.attribute("changed", report.changed);
    json.attribute("rules", int64_t(report.rules.size()));
    json.attribute("good", report.good());
    if (report.outlier) {
      json.attribute("output", llvm::json::fixUTF8(report.output));
      json.attribute("element", report.outlier->element);
      json.attribute("got", number(report.outlier->got));
      json.attribute("reference", number(report.outlier->reference));
      json.attribute("node", llvm::json::fixUTF8(report.node));
    }
    if (!report.error.empty())
      json.attribute("error", llvm::json::fixUTF8(report.error));
  });
}

static void printJson(llvm::json::OStream &json, const Judgement &judgement) {
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(judgement.name));
    json.attribute("type", nameOf(judgement.type));
    json.attribute("good", judgement.good);
    json.attribute("ulp", number(judgement.distance.ulp));
    json.attribute("of_largest", number(judgement.distance.relativeToLargest));
    json.attribute("worst", judgement.distance.worst);
  });
}

void VerifyReport::printJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("good", good());
  if (!passes.empty())
    json.attributeArray("passes", [&] {
      for (const PassReport &report : passes)
        ::printJson(json, report);
    });
  for (const Comparison &comparison : comparisons)
    json.attributeArray(comparison.what, [&] {
      for (const Judgement &judgement : comparison.judgements)
        ::printJson(json, judgement);
    });
  json.objectEnd();
  os << "\n";
}

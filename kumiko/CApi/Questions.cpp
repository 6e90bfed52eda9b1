//===- Questions.cpp - inspect, verify, bisect and doctor for C -------------===//
#include "kumiko/CApi/Handles.h"
#include "kumiko/Options/ReadOptions.h"
#include "kumiko/Pipeline/Doctor.h"
#include "kumiko/Pipeline/Inspect.h"
#include "kumiko/Verify/BisectModel.h"
#include "kumiko/Verify/VerifyModel.h"

using namespace kumiko;

int kumiko_inspect(const kumiko_source *source, const kumiko_settings *settings, kumiko_bytes **json,
                   kumiko_problems *problems) {
  Said said(problems);
  if (!source || !json)
    return said.refuse("kumiko_inspect without a source or a place for the text");
  *json = nullptr;
  const ModelSource &model = source->model;
  if (!model.bytes && isSharedLibrary(model.path)) {
    if (auto library = inspectLibrary(model.path, said.problems()))
      give(json, textOf([&](llvm::raw_ostream &os) { library->printJson(os); }));
    return said.answer();
  }
  CompileOptions options = readSettings(settings, said.problems());
  if (said.problems().hasErrors())
    return said.answer();
  ModelInspection inspection = inspectModel(model, options, said.problems());
  if (inspection.isReadable())
    give(json, textOf([&](llvm::raw_ostream &os) { inspection.printJson(os); }));
  return said.answer();
}

int kumiko_verify(const kumiko_source *source, const kumiko_settings *settings, kumiko_bytes **json,
                  kumiko_problems *problems) {
  Said said(problems);
  if (!source || !json)
    return said.refuse("kumiko_verify without a source or a place for the text");
  *json = nullptr;
  VerifyOptions options;
  if (settings)
    options = readVerifyOptions(settings->settings.arguments(), said.problems());
  options.compile = readSettings(settings, said.problems());
  if (said.problems().hasErrors())
    return said.answer();
  auto report = verifyModel(source->model, options, said.problems());
  if (!report)
    return said.answer();
  give(json, textOf([&](llvm::raw_ostream &os) { report->printJson(os); }));
  return said.answer(report->good() ? KUMIKO_YES : KUMIKO_NO);
}

int kumiko_bisect(const kumiko_source *source, const kumiko_settings *settings, const char *folder, kumiko_bytes **json,
                  kumiko_problems *problems) {
  Said said(problems);
  if (!source || !json)
    return said.refuse("kumiko_bisect without a source or a place for the text");
  *json = nullptr;
  BisectOptions options;
  options.compile = readSettings(settings, said.problems());
  if (settings)
    options.inputs = readInputSources(settings->settings.arguments(), /*randomOtherwise=*/true);
  auto report = said.problems().hasErrors() ? std::nullopt : bisectModel(source->model, options, said.problems());
  if (!report || (folder && !writeCase(*report, options.compile, folder, said.problems())))
    return said.answer();
  give(json, textOf([&](llvm::raw_ostream &os) { report->printJson(os); }));
  return said.answer(report->culprit ? KUMIKO_NO : KUMIKO_YES);
}

int kumiko_doctor(kumiko_bytes **json, kumiko_problems *problems) {
  Said said(problems);
  if (!json)
    return said.refuse("kumiko_doctor without a place for the text");
  Diagnosis diagnosis = diagnose(said.problems());
  give(json, textOf([&](llvm::raw_ostream &os) { diagnosis.printJson(os); }));
  return said.answer();
}

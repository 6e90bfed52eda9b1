/* Every function of compiler.h, with good and with bad arguments.
 *
 *   capi-tests sample.onnx
 */
#include "kumiko/compiler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int good, const char *what, kumiko_problems *problems) {
  if (good)
    return;
  ++failures;
  fprintf(stderr, "failed: %s\n%s", what, kumiko_problems_text(problems));
}

#define EXPECT(condition) expect(condition, #condition, problems)

static const int64_t shape[] = {1, 1, 28, 28};
static float picture[28 * 28];

static void try_problems(kumiko_problems *problems) {
  kumiko_source *source = NULL;
  kumiko_program *program = NULL;
  kumiko_bytes *json = NULL;
  EXPECT(kumiko_source_from_memory("none", 4, "none.onnx", NULL, &source, problems) == KUMIKO_YES);
  EXPECT(kumiko_problems_count(problems) == 0);
  EXPECT(kumiko_compile(source, NULL, &program, problems) == KUMIKO_BROKEN && !program);
  EXPECT(kumiko_problems_count(problems) == 1);
  kumiko_problem problem = {.struct_bytes = sizeof problem};
  EXPECT(kumiko_problems_get(problems, 0, &problem) == KUMIKO_YES && problem.answer == KUMIKO_BROKEN);
  EXPECT(problem.severity == KUMIKO_ERROR && strstr(problem.file, "none.onnx") && problem.help[0] &&
         problem.node == -1);
  EXPECT(kumiko_problems_get(problems, 1, &problem) == KUMIKO_BAD_CALL);
  EXPECT(strstr(kumiko_problems_json(problems), "problems") != NULL);
  EXPECT(kumiko_inspect(source, NULL, &json, problems) == KUMIKO_BROKEN && !json);
  EXPECT(kumiko_verify(source, NULL, &json, NULL) == KUMIKO_BROKEN && !json);
  EXPECT(kumiko_bisect(source, NULL, NULL, &json, NULL) == KUMIKO_BROKEN && !json);
  EXPECT(kumiko_compile(NULL, NULL, &program, problems) == KUMIKO_BAD_CALL);
  EXPECT(kumiko_compile(source, NULL, NULL, problems) == KUMIKO_BAD_CALL);
  kumiko_source_destroy(source);
  EXPECT(kumiko_source_open("/nowhere/none.onnx", &source, problems) == KUMIKO_ENVIRONMENT && !source);
  EXPECT(kumiko_problems_count(NULL) == 0 && kumiko_bytes_size(NULL) == 0 && kumiko_result_count(NULL) == 0);
}

static void try_settings(kumiko_settings *settings, kumiko_problems *problems) {
  EXPECT(kumiko_settings_set(settings, "alow", "exact", problems) == KUMIKO_BAD_CALL);
  EXPECT(strstr(kumiko_problems_text(problems), "did you mean 'allow'?") != NULL);
  EXPECT(kumiko_settings_set(settings, "allow", "exact", problems) == KUMIKO_YES);
  EXPECT(kumiko_settings_set(settings, "allow", "rounding", problems) == KUMIKO_YES);
  EXPECT(kumiko_settings_set(settings, "each-op", NULL, problems) == KUMIKO_YES);
  EXPECT(kumiko_settings_set(settings, "jobs", "2", problems) == KUMIKO_YES);
  EXPECT(kumiko_settings_set(NULL, "jobs", "2", problems) == KUMIKO_BAD_CALL);
}

static void try_run(kumiko_program *program, kumiko_problems *problems) {
  const kumiko_tensor input = {picture, KUMIKO_F32, 4, shape, NULL};
  kumiko_run run = {.struct_bytes = sizeof run, .input_count = 1, .inputs = &input};
  kumiko_result *result = NULL;
  kumiko_tensor output;
  const char *name = NULL;
  EXPECT(kumiko_program_run(program, &run, &result, problems) == KUMIKO_YES);
  EXPECT(kumiko_result_count(result) == 1 && kumiko_result_output(result, 0, &name, &output) == KUMIKO_YES);
  EXPECT(kumiko_result_output(result, 1, &name, &output) == KUMIKO_BAD_CALL);
  EXPECT(strcmp(name, "probability") == 0 && output.element_type == KUMIKO_F32);
  float mine[4] = {0};
  const int64_t mine_shape[] = {1, 4};
  const kumiko_tensor place = {mine, KUMIKO_F32, 2, mine_shape, NULL};
  const char *const names[] = {"picture"};
  run.output_count = 1;
  run.outputs = &place;
  run.input_names = names;
  EXPECT(kumiko_program_run(program, &run, NULL, problems) == KUMIKO_YES);
  EXPECT(memcmp(mine, output.data, sizeof mine) == 0);
  kumiko_result_destroy(result);
  run.input_count = 0;
  EXPECT(kumiko_program_run(program, &run, &result, problems) != KUMIKO_YES && !result);
  kumiko_model *model = NULL;
  EXPECT(kumiko_program_model(program, &model, problems) == KUMIKO_YES && model);
}

static void try_artefacts(kumiko_program *program, kumiko_problems *problems) {
  static const char *const files[] = {"sample.o", "sample.so", "sample.h"};
  kumiko_bytes *bytes = NULL;
  for (int i = 0; i < 3; ++i) {
    EXPECT(kumiko_program_bytes(program, NULL, files[i], &bytes, problems) == KUMIKO_YES &&
           kumiko_bytes_size(bytes) > 100);
    EXPECT(kumiko_bytes_data(bytes)[kumiko_bytes_size(bytes)] == 0);
    kumiko_bytes_destroy(bytes);
  }
  EXPECT(kumiko_program_bytes(program, NULL, "sample.exe", &bytes, problems) == KUMIKO_BAD_CALL && !bytes);
  EXPECT(kumiko_program_bytes(program, NULL, "a/sample.o", &bytes, problems) == KUMIKO_BAD_CALL && !bytes);
  EXPECT(kumiko_program_write(program, NULL, "/nowhere/sample.so", problems) == KUMIKO_ENVIRONMENT);
  EXPECT(kumiko_program_explain(program, &bytes, problems) == KUMIKO_YES);
  kumiko_bytes_destroy(bytes);
}

static void try_questions(const kumiko_source *source, const kumiko_settings *settings, kumiko_problems *problems) {
  kumiko_bytes *json = NULL;
  EXPECT(kumiko_inspect(source, settings, &json, problems) == KUMIKO_YES);
  kumiko_bytes_destroy(json);
  EXPECT(kumiko_verify(source, settings, &json, problems) == KUMIKO_YES);
  kumiko_bytes_destroy(json);
  EXPECT(kumiko_bisect(source, settings, NULL, &json, problems) == KUMIKO_YES);
  kumiko_bytes_destroy(json);
  EXPECT(kumiko_doctor(&json, problems) == KUMIKO_YES);
  kumiko_bytes_destroy(json);
}

struct counts {
  int asked, limit, told;
};
static void told(void *user, const char *task, uint64_t done, uint64_t total) {
  ((struct counts *)user)->told += task != NULL && done <= total + (total == 0);
}
static int asked(void *user) {
  struct counts *counts = user;
  return ++counts->asked > counts->limit;
}

static void try_watch(const kumiko_source *source, kumiko_settings *settings, kumiko_problems *problems) {
  struct counts counts = {0, 0, 0};
  const kumiko_watch watch = {sizeof watch, 0, &counts, told, asked};
  kumiko_program *program = NULL;
  EXPECT(kumiko_settings_watch(settings, &watch, problems) == KUMIKO_YES);
  for (counts.limit = 0; counts.limit < 30; counts.limit += 7, counts.asked = 0)
    EXPECT(kumiko_compile(source, settings, &program, problems) == KUMIKO_STOPPED && !program);
  EXPECT(counts.told > 0);
  EXPECT(kumiko_settings_watch(settings, NULL, problems) == KUMIKO_YES);
}

/* The file's content, which the caller frees. */
static char *content(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = file ? malloc(1 << 20) : NULL;
  *size = bytes ? fread(bytes, 1, 1 << 20, file) : 0;
  if (file)
    fclose(file);
  return bytes;
}

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  kumiko_problems *problems = kumiko_problems_create();
  kumiko_settings *settings = kumiko_settings_create();
  kumiko_source *source = NULL;
  kumiko_program *program = NULL;
  uint64_t size = 0;
  char *model = content(arguments[1], &size);
  EXPECT(kumiko_compiler_interface() >= KUMIKO_COMPILER_INTERFACE && kumiko_compiler_version()[0]);
  try_problems(problems);
  try_settings(settings, problems);
  EXPECT(kumiko_source_from_memory(model, size, "sample.onnx", NULL, &source, problems) == KUMIKO_YES);
  free(model); /* the source has a copy */
  try_watch(source, settings, problems);
  EXPECT(kumiko_compile(source, settings, &program, problems) == KUMIKO_YES);
  try_questions(source, settings, problems);
  kumiko_source_destroy(source); /* the program keeps what it needs */
  try_run(program, problems);
  try_artefacts(program, problems);
  kumiko_program_destroy(program);
  EXPECT(kumiko_source_open(arguments[1], &source, problems) == KUMIKO_YES);
  kumiko_source_destroy(source);
  kumiko_settings_destroy(settings);
  kumiko_problems_destroy(problems);
  puts(failures ? "not all is well" : "all is well");
  return failures != 0;
}

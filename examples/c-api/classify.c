/* Opens a model, compiles it in this process and runs it, through kumiko/compiler.h.
 *
 *   cc classify.c -I examples/c $(pkg-config --cflags --libs kumiko) -o classify
 *   ./classify sample.onnx
 */
#include "kumiko/compiler.h"
#include "picture.h"
#include <stdio.h>

/* Problems are data; here they are only shown. */
static int complain(kumiko_problems *problems) {
  for (uint64_t i = 0; i < kumiko_problems_count(problems); ++i) {
    kumiko_problem problem = {.struct_bytes = sizeof problem};
    kumiko_problems_get(problems, i, &problem);
    fprintf(stderr, "K%04u %s (%s)\n", problem.code, problem.message, problem.help);
  }
  return 1;
}

static int use(kumiko_program *program, kumiko_problems *problems) {
  static float picture[28 * 28];
  static const int64_t shape[] = {1, 1, 28, 28};
  const kumiko_tensor input = {picture, KUMIKO_F32, 4, shape, NULL};
  const kumiko_run run = {.struct_bytes = sizeof run, .input_count = 1, .inputs = &input};
  int wrong = 0;
  for (int kind = 0; kind < 4; ++kind) {
    kumiko_result *result;
    kumiko_tensor probability;
    draw(kind, picture);
    if (kumiko_program_run(program, &run, &result, problems))
      return complain(problems);
    kumiko_result_output(result, 0, NULL, &probability);
    int answer = likeliest(probability.data);
    printf("%-8s is a %s (%.4f)\n", labels[kind], labels[answer], (double)((float *)probability.data)[answer]);
    wrong += answer != kind;
    kumiko_result_destroy(result);
  }
  return wrong != 0;
}

int main(int count, char **arguments) {
  kumiko_problems *problems = kumiko_problems_create();
  kumiko_settings *settings = kumiko_settings_create();
  kumiko_source *source = NULL;
  kumiko_program *program = NULL;
  int failed = count != 2;
  if (failed)
    fprintf(stderr, "usage: classify sample.onnx\n");
  else if (kumiko_settings_set(settings, "allow", "rounding", problems) ||
           kumiko_source_open(arguments[1], &source, problems) || kumiko_compile(source, settings, &program, problems))
    failed = complain(problems);
  else
    failed = use(program, problems);
  kumiko_program_destroy(program);
  kumiko_source_destroy(source);
  kumiko_settings_destroy(settings);
  kumiko_problems_destroy(problems);
  return failed;
}

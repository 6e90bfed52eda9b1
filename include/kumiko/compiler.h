/*===- compiler.h - compile, run and question models from C -----------------===
 *
 *   kumiko_problems *problems = kumiko_problems_create();
 *   kumiko_settings *settings = kumiko_settings_create();
 *   kumiko_source *source;
 *   kumiko_program *program;
 *   kumiko_settings_set(settings, "target", "x86-64-v3", problems);
 *   if (kumiko_source_open("net.onnx", &source, problems) || kumiko_compile(source, settings, &program, problems))
 *     fputs(kumiko_problems_text(problems), stderr);
 *
 * A source is a model in a file or in memory, a program is what it was compiled to. A program runs in this process,
 * becomes a file, or bytes. Everything that kumiko verify, inspect, bisect and doctor say comes as JSON.
 *
 * Whoever creates destroys; destroying null does nothing. Texts are UTF-8, end with a zero and live as long as what
 * they were asked of, or until it changes. Sources, settings and programs may be used by many threads at once while
 * nobody changes or destroys them; problems, results and bytes belong to one thread at a time. Nothing here throws,
 * prints, reads options of the process, or leaves handlers for signals behind; only memory that cannot be had ends the
 * process. Structs that callers fill or receive begin with `struct_bytes`, their size as the caller knows it: fields
 * are appended, never moved, and what a caller does not know is left alone.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_COMPILER_H
#define KUMIKO_COMPILER_H

#include "kumiko/kumiko.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Of this interface. It grows when functions are added; kumiko_compiler_interface() says what a library has. */
#define KUMIKO_COMPILER_INTERFACE 1u

/** What functions that can fail return: those below KUMIKO_STOPPED are the exit codes of the command line, and so is
 *  the last. When several apply, the one to be dealt with first. */
enum kumiko_answer {
  KUMIKO_YES = 0,
  KUMIKO_NO = 1,            /* it works, and the answer is no: results differ, a culprit was found */
  KUMIKO_BAD_CALL = 2,      /* an argument, or the name or value of a setting */
  KUMIKO_BROKEN = 3,        /* the model or its input breaks its specification */
  KUMIKO_NOT_SUPPORTED = 4, /* valid, but not (yet) for Kumiko */
  KUMIKO_ENVIRONMENT = 5,   /* files, permissions, memory of a run */
  KUMIKO_STOPPED = 6,       /* the caller's kumiko_watch said so */
  KUMIKO_DEFECT = 70        /* ours; please report it */
};

/** The number of the interface that this library has. */
KUMIKO_EXPORT uint32_t kumiko_compiler_interface(void);
/** `kumiko 0.1.0`. Lives for ever. */
KUMIKO_EXPORT const char *kumiko_compiler_version(void);

/*===- Problems -------------------------------------------------------------===*/

/** What was wrong, or worth a warning, with the last call that was given them: all of it at once. Every function takes
 *  null instead. */
typedef struct kumiko_problems kumiko_problems;

typedef enum kumiko_severity { KUMIKO_ERROR = 0, KUMIKO_WARNING = 1 } kumiko_severity;

/** An operand or a result that a problem is about; missing texts are empty. */
typedef struct kumiko_operand {
  const char *name;
  const char *type;   /* "f32[1,4,8,8]" */
  const char *origin; /* "from node 16 \"stage1/relu\"" */
} kumiko_operand;

typedef struct kumiko_problem {
  uint32_t struct_bytes; /* in: sizeof(kumiko_problem) of the caller */
  uint32_t code;         /* 412 stands for K0412 */
  uint32_t severity;     /* kumiko_severity */
  uint32_t answer;       /* kumiko_answer: whose fault it is */
  const char *message;   /* one sentence */
  const char *file;      /* where: of the texts, those that are not known are empty */
  int64_t node;          /* its position in the list of nodes of its graph, or -1 */
  const char *name;      /* the node's own name */
  const char *op;        /* "Conv", "com.acme.FancyNorm" */
  int64_t opset;         /* or -1 */
  const char *within;    /* the subgraph or function that holds the node */
  uint64_t operand_count;
  const kumiko_operand *operands;
  const char *help; /* what to do */
} kumiko_problem;

/** Never null. */
KUMIKO_EXPORT kumiko_problems *kumiko_problems_create(void);
KUMIKO_EXPORT void kumiko_problems_destroy(kumiko_problems *problems);
/** Errors and warnings. */
KUMIKO_EXPORT uint64_t kumiko_problems_count(const kumiko_problems *problems);
/** Number `number` of them, from 0, in the order in which they were found. KUMIKO_BAD_CALL when there is none. */
KUMIKO_EXPORT int kumiko_problems_get(const kumiko_problems *problems, uint64_t number, kumiko_problem *problem);
/** All of them as the command line prints them; empty when there are none. */
KUMIKO_EXPORT const char *kumiko_problems_text(kumiko_problems *problems);
/** All of them as a JSON object: `problems`, `errors`, and how many were `left_out` of too many. */
KUMIKO_EXPORT const char *kumiko_problems_json(kumiko_problems *problems);

/*===- Settings -------------------------------------------------------------===*/

/** How to compile, verify and bisect. Where a function takes settings, null stands for the defaults. */
typedef struct kumiko_settings kumiko_settings;

/** Never null. */
KUMIKO_EXPORT kumiko_settings *kumiko_settings_create(void);
KUMIKO_EXPORT void kumiko_settings_destroy(kumiko_settings *settings);
/** Names and values are those of the command line's options without dashes: `target`, `allow`, `dim`, `jobs`, ...; a
 *  switch such as `each-op` takes null, "true" or "false". What may be given several times there is added here,
 * anything else is replaced. A name that does not exist is refused, with the one that was probably meant. Values that
 * only the model decides about are judged when it is there. */
KUMIKO_EXPORT int kumiko_settings_set(kumiko_settings *settings, const char *name, const char *value,
                                      kumiko_problems *problems);

/** Callbacks of work that takes long; each may be null. They come from any thread, but never two at a time for one
 *  call, and must not call this library. */
typedef struct kumiko_watch {
  uint32_t struct_bytes; /* sizeof(kumiko_watch) of the caller */
  uint32_t reserved;     /* 0 */
  void *user;
  /** What is being done, and how many of its steps are; `total` is 0 where they are not counted. An empty task: nothing
   *  is being done any more. */
  void (*progress)(void *user, const char *task, uint64_t done, uint64_t total);
  /** Asked between nodes, stages, passes, kernels and files. Anything but 0 ends the call with KUMIKO_STOPPED, and
   * leaves no file behind. */
  int (*cancelled)(void *user);
} kumiko_watch;

/** Copied; null takes it away. */
KUMIKO_EXPORT int kumiko_settings_watch(kumiko_settings *settings, const kumiko_watch *watch,
                                        kumiko_problems *problems);

/*===- Sources --------------------------------------------------------------===*/

/** A model that is not compiled yet. */
typedef struct kumiko_source kumiko_source;

/** A file. It is read anew by every call that needs it, and must not be changed while programs made of it live: their
 *  weights lie in it. */
KUMIKO_EXPORT int kumiko_source_open(const char *path, kumiko_source **source, kumiko_problems *problems);
/** A model in memory; the bytes are copied. `name` is what problems and artefacts call it, such as "net.onnx".
 *  `data_folder` is where external data lies; when it is null, a model that wants some is refused. */
KUMIKO_EXPORT int kumiko_source_from_memory(const void *bytes, uint64_t size, const char *name, const char *data_folder,
                                            kumiko_source **source, kumiko_problems *problems);
/** Programs made of it stay. */
KUMIKO_EXPORT void kumiko_source_destroy(kumiko_source *source);

/*===- Bytes ----------------------------------------------------------------===*/

/** Memory of the library: a text or a file's content. Behind the last byte there is a zero. */
typedef struct kumiko_bytes kumiko_bytes;

KUMIKO_EXPORT const char *kumiko_bytes_data(const kumiko_bytes *bytes);
KUMIKO_EXPORT uint64_t kumiko_bytes_size(const kumiko_bytes *bytes);
KUMIKO_EXPORT void kumiko_bytes_destroy(kumiko_bytes *bytes);

/*===- Compiling ------------------------------------------------------------===*/

/** A compiled model. */
typedef struct kumiko_program kumiko_program;

/** `*program` is null unless the answer is KUMIKO_YES. */
KUMIKO_EXPORT int kumiko_compile(const kumiko_source *source, const kumiko_settings *settings, kumiko_program **program,
                                 kumiko_problems *problems);
/** Results of runs must be destroyed before. */
KUMIKO_EXPORT void kumiko_program_destroy(kumiko_program *program);
/** Writes what `kumiko compile -o path` writes: an object file with its header beside it, or a shared library. They
 *  appear whole or not at all. Of the settings only `weights` and the watch matter. */
KUMIKO_EXPORT int kumiko_program_write(const kumiko_program *program, const kumiko_settings *settings, const char *path,
                                       kumiko_problems *problems);
/** The content of the file that kumiko_program_write would write for `file`, a name without folders that ends in .o,
 * .so or .h. Weights are always inside. */
KUMIKO_EXPORT int kumiko_program_bytes(const kumiko_program *program, const kumiko_settings *settings, const char *file,
                                       kumiko_bytes **bytes, kumiko_problems *problems);
/** What --explain=json says. */
KUMIKO_EXPORT int kumiko_program_explain(const kumiko_program *program, kumiko_bytes **json, kumiko_problems *problems);

/*===- Running --------------------------------------------------------------===*/

/** The program in the runtime's hands, loaded into this process by the first call: inputs, outputs, contexts that keep
 *  their memory from run to run (kumiko.h, kumiko_get_api). The model lives as long as the program. KUMIKO_BAD_CALL
 * when it was made for another machine. */
KUMIKO_EXPORT int kumiko_program_model(kumiko_program *program, kumiko_model **model, kumiko_problems *problems);

/** One run. Zero every field that is not used. */
typedef struct kumiko_run {
  uint32_t struct_bytes; /* sizeof(kumiko_run) of the caller */
  uint32_t threads;      /* 0: every CPU that this process may use */
  uint64_t input_count;
  const kumiko_tensor *inputs;
  const char *const *input_names; /* or null: inputs come in the model's order */
  /** Outputs whose memory the caller brings; none, some or all. */
  uint64_t output_count;
  const kumiko_tensor *outputs;
  const char *const *output_names; /* or null: the first ones, in the model's order */
} kumiko_run;

/** What a run computed. */
typedef struct kumiko_result kumiko_result;

/** Runs the program once. `result` may be null when the caller brings the memory of all outputs. For many runs of one
 *  program use a context of the runtime, which keeps its memory. */
KUMIKO_EXPORT int kumiko_program_run(kumiko_program *program, const kumiko_run *run, kumiko_result **result,
                                     kumiko_problems *problems);
/** Output number `number`, in the model's order: its shape, and where it is, which is memory of the result or what the
 *  caller brought. `name` may be null. Texts, shapes and memory live as long as the result. */
KUMIKO_EXPORT int kumiko_result_output(const kumiko_result *result, uint64_t number, const char **name,
                                       kumiko_tensor *tensor);
/** How many outputs there are. */
KUMIKO_EXPORT uint64_t kumiko_result_count(const kumiko_result *result);
KUMIKO_EXPORT void kumiko_result_destroy(kumiko_result *result);

/*===- Questions, answered in JSON ------------------------------------------===*/

/** What `kumiko inspect --json` says, of a model or a shared library. The answer is not KUMIKO_YES when the model will
 *  not compile; as far as it can be read there is JSON all the same, else `*json` is null. */
KUMIKO_EXPORT int kumiko_inspect(const kumiko_source *source, const kumiko_settings *settings, kumiko_bytes **json,
                                 kumiko_problems *problems);
/** What `kumiko verify --json` says; the settings are its options. KUMIKO_NO when compiled code differs. */
KUMIKO_EXPORT int kumiko_verify(const kumiko_source *source, const kumiko_settings *settings, kumiko_bytes **json,
                                kumiko_problems *problems);
/** What `kumiko bisect --json` says; KUMIKO_NO when there is a culprit, whose smallest network is then written into
 *  `folder` unless that is null. */
KUMIKO_EXPORT int kumiko_bisect(const kumiko_source *source, const kumiko_settings *settings, const char *folder,
                                kumiko_bytes **json, kumiko_problems *problems);
/** What `kumiko doctor --json` says about this machine. */
KUMIKO_EXPORT int kumiko_doctor(kumiko_bytes **json, kumiko_problems *problems);

#ifdef __cplusplus
}
#endif
#endif

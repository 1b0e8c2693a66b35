#include <dlfcn.h>
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/thread_parallel_runner.h>
#include <jxl/version.h>

/// The functions of libjxl that are called.
#define CS_JXL_FUNCTIONS(each) \
  each(JxlColorEncodingSetToSRGB) each(JxlDecoderCloseInput) each(JxlDecoderCreate) each(JxlDecoderDestroy) \
  each(JxlDecoderFlushImage) each(JxlDecoderGetBasicInfo) each(JxlDecoderGetBoxType) \
  each(JxlDecoderGetColorAsEncodedProfile) each(JxlDecoderGetColorAsICCProfile) each(JxlDecoderGetExtraChannelInfo) \
  each(JxlDecoderGetICCProfileSize) each(JxlDecoderProcessInput) each(JxlDecoderReleaseBoxBuffer) \
  each(JxlDecoderSetBoxBuffer) each(JxlDecoderSetDecompressBoxes) each(JxlDecoderSetImageOutCallback) \
  each(JxlDecoderSetInput) each(JxlDecoderSubscribeEvents) each(JxlEncoderAddBox) each(JxlEncoderAddImageFrame) \
  each(JxlEncoderCloseBoxes) each(JxlEncoderCloseInput) each(JxlEncoderCreate) each(JxlEncoderDestroy) \
  each(JxlEncoderFrameSettingsCreate) each(JxlEncoderFrameSettingsSetOption) each(JxlEncoderInitBasicInfo) \
  each(JxlEncoderProcessOutput) each(JxlEncoderSetBasicInfo) each(JxlEncoderSetColorEncoding) \
  each(JxlEncoderSetFrameDistance) each(JxlEncoderSetFrameLossless) each(JxlEncoderSetICCProfile) \
  each(JxlEncoderSetParallelRunner) each(JxlEncoderUseBoxes)
/// And of libjxl_threads.
#define CS_JXL_THREADS_FUNCTIONS(each) \
  each(JxlThreadParallelRunner) each(JxlThreadParallelRunnerCreate) each(JxlThreadParallelRunnerDestroy)

#define CS_JXL_FIELD(function) __typeof__(function) *_Nonnull function;
#define CS_JXL_FIND(function) && (jxl->function = (__typeof__(function) *)dlsym(library, #function))
#define CS_JXL_THREADS_FIND(function) && (jxl->function = (__typeof__(function) *)dlsym(threads, #function))
#define CS_JXL_TEXT(number) #number
/// What was compiled against: each version has functions of its own.
#define CS_JXL_FILE(name, major, minor) name ".so." CS_JXL_TEXT(major) "." CS_JXL_TEXT(minor)

/// The same once the libraries have been opened.
typedef struct cs_jxl {
  CS_JXL_FUNCTIONS(CS_JXL_FIELD)
  CS_JXL_THREADS_FUNCTIONS(CS_JXL_FIELD)
} cs_jxl;

/// Opens the libraries, for good. As one that it brings is loaded it measures for 3 ms how long the clock's ticks are.
/// - Returns: whether they are there with all functions.
static inline _Bool cs_jxl_open(cs_jxl *_Nonnull jxl) {
  void *const library =
      dlopen(CS_JXL_FILE("libjxl", JPEGXL_MAJOR_VERSION, JPEGXL_MINOR_VERSION), RTLD_NOW | RTLD_LOCAL);
  void *const threads =
      dlopen(CS_JXL_FILE("libjxl_threads", JPEGXL_MAJOR_VERSION, JPEGXL_MINOR_VERSION), RTLD_NOW | RTLD_LOCAL);
  return library && threads CS_JXL_FUNCTIONS(CS_JXL_FIND) CS_JXL_THREADS_FUNCTIONS(CS_JXL_THREADS_FIND);
}

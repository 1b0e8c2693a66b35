#include <dlfcn.h>
#include <libheif/heif.h>

/// The functions of libheif that are called.
#define CS_HEIF_FUNCTIONS(each) \
  each(heif_context_add_XMP_metadata) each(heif_context_add_exif_metadata) each(heif_context_alloc) \
  each(heif_context_encode_image) each(heif_context_free) each(heif_context_get_encoder_for_format) \
  each(heif_context_get_image_handle) each(heif_context_get_list_of_top_level_image_IDs) \
  each(heif_context_get_number_of_top_level_images) each(heif_context_get_primary_image_ID) \
  each(heif_context_get_primary_image_handle) each(heif_context_read_from_memory_without_copy) \
  each(heif_context_set_max_decoding_threads) each(heif_context_set_maximum_image_size_limit) \
  each(heif_context_write) each(heif_decode_image) each(heif_decoding_options_alloc) \
  each(heif_decoding_options_free) each(heif_encoder_release) each(heif_encoder_set_lossless) \
  each(heif_encoder_set_lossy_quality) each(heif_encoder_set_parameter_string) each(heif_encoding_options_alloc) \
  each(heif_encoding_options_free) each(heif_image_add_plane) each(heif_image_create) \
  each(heif_image_get_bits_per_pixel_range) each(heif_image_get_decoding_warnings) each(heif_image_get_height) \
  each(heif_image_get_plane) each(heif_image_get_plane_readonly) each(heif_image_get_width) \
  each(heif_image_handle_get_height) each(heif_image_handle_get_list_of_metadata_block_IDs) \
  each(heif_image_handle_get_luma_bits_per_pixel) each(heif_image_handle_get_metadata) \
  each(heif_image_handle_get_metadata_content_type) each(heif_image_handle_get_metadata_size) \
  each(heif_image_handle_get_nclx_color_profile) each(heif_image_handle_get_raw_color_profile) \
  each(heif_image_handle_get_raw_color_profile_size) each(heif_image_handle_get_width) \
  each(heif_image_handle_release) each(heif_image_release) each(heif_image_set_nclx_color_profile) \
  each(heif_image_set_raw_color_profile) each(heif_nclx_color_profile_free)

#define CS_HEIF_FIELD(function) __typeof__(function) *_Nonnull function;
#define CS_HEIF_FIND(function) && (heif->function = (__typeof__(function) *)dlsym(library, #function))

/// The same once the library has been opened.
typedef struct cs_heif {
  CS_HEIF_FUNCTIONS(CS_HEIF_FIELD)
} cs_heif;

/// Opens the library, for good. To load it with all its decoders and encoders takes a tenth of the start of a program that may
/// meet no file of theirs.
/// - Returns: whether it is there with all functions.
static inline _Bool cs_heif_open(cs_heif *_Nonnull heif) {
  void *const library = dlopen("libheif.so.1", RTLD_NOW | RTLD_LOCAL);
  return library CS_HEIF_FUNCTIONS(CS_HEIF_FIND);
}

/**
 * The fields of C's structs: offset in bytes in WebAssembly, and type in C. web/c-tables.js writes this file at each build
 * of the engine.
 */

/* struct model_file */
export const MODEL_FILE_PARAMETERS = 0; // double
export const MODEL_FILE_BYTES = 8; // double
export const MODEL_FILE_VOCAB_SIZE = 16; // uint32_t
export const MODEL_FILE_CONTEXT_LENGTH = 20; // uint32_t
export const MODEL_FILE_N_LAYER = 24; // uint32_t
export const MODEL_FILE_N_HEAD = 28; // uint32_t
export const MODEL_FILE_N_HEAD_KV = 32; // uint32_t
export const MODEL_FILE_N_EMBD = 36; // uint32_t
export const MODEL_FILE_N_FF = 40; // uint32_t
export const MODEL_FILE_FILE_TYPE = 44; // uint32_t
export const MODEL_FILE_BOS_ID = 48; // int32_t
export const MODEL_FILE_EOS_ID = 52; // int32_t
export const MODEL_FILE_ARCHITECTURE = 56; // const char *
export const MODEL_FILE_TOKENIZER_KIND = 60; // const char *
export const MODEL_FILE_NAME = 64; // char[128]
export const MODEL_FILE_WEIGHT_BYTES = 192; // double
export const MODEL_FILE_SESSION_BYTES = 200; // double
export const MODEL_FILE_MODEL_CONTEXT_LENGTH = 208; // uint32_t
export const MODEL_FILE_PRE = 212; // const char *
export const MODEL_FILE_END_IDS = 216; // const uint32_t *
export const MODEL_FILE_N_END_IDS = 220; // uint32_t
export const MODEL_FILE_CHAT_TEMPLATES = 224; // uint8_t *
export const MODEL_FILE_N_CHAT_TEMPLATES = 228; // uint32_t
export const MODEL_FILE_MODEL = 232; // struct model *
export const MODEL_FILE_TOKENIZER = 236; // struct tokenizer *
export const MODEL_FILE_MEMORY = 240; // uint8_t *
export const MODEL_FILE_IMAGE_AT = 244; // size_t
export const MODEL_FILE_ROOM = 248; // size_t
export const MODEL_FILE_SIZE = 256;

/* struct tokenizer_piece */
export const TOKENIZER_PIECE_DATA = 0; // const char *
export const TOKENIZER_PIECE_LENGTH = 4; // size_t
export const TOKENIZER_PIECE_SPECIAL = 8; // _Bool
export const TOKENIZER_PIECE_STRIPS = 9; // uint8_t
export const TOKENIZER_PIECE_SIZE = 12;

/* struct session_fed */
export const SESSION_FED_EVALUATED = 0; // uint32_t
export const SESSION_FED_REUSED = 4; // uint32_t
export const SESSION_FED_SIZE = 8;

/* struct warp_row */
export const WARP_ROW_NAME = 0; // const char *
export const WARP_ROW_KIND = 4; // enum setting_kind
export const WARP_ROW_GROUP = 8; // const char *
export const WARP_ROW_STAGE = 12; // const char *
export const WARP_ROW_NEUTRAL = 16; // double
export const WARP_ROW_MINIMUM = 24; // double
export const WARP_ROW_MAXIMUM = 32; // double
export const WARP_ROW_MINIMUM_INCLUDED = 40; // _Bool
export const WARP_ROW_MAXIMUM_INCLUDED = 41; // _Bool
export const WARP_ROW_CHOICES = 44; // const char *const *
export const WARP_ROW_LOW = 48; // double
export const WARP_ROW_HIGH = 56; // double
export const WARP_ROW_STEP = 64; // double
export const WARP_ROW_USUAL = 72; // double
export const WARP_ROW_EFFECT = 80; // const char *
export const WARP_ROW_APPLY = 84; // void (*)(float *, const struct warp_input *)
export const WARP_ROW_SIZE = 88;

/* struct warp_bias */
export const WARP_BIAS_ID = 0; // uint32_t
export const WARP_BIAS_BIAS = 8; // double
export const WARP_BIAS_SIZE = 16;

/* struct constraint_mask */
export const CONSTRAINT_MASK_ALLOWED = 0; // const uint32_t *
export const CONSTRAINT_MASK_COUNT = 4; // uint32_t
export const CONSTRAINT_MASK_COMPLETE = 8; // uint32_t
export const CONSTRAINT_MASK_BYTES = 12; // uint32_t[8]
export const CONSTRAINT_MASK_RULE = 44; // char[64]
export const CONSTRAINT_MASK_SIZE = 108;

/* struct chain_stage */
export const CHAIN_STAGE_STAGE = 0; // uint32_t
export const CHAIN_STAGE_ACTIVE = 4; // uint32_t
export const CHAIN_STAGE_CHANGED = 8; // uint32_t
export const CHAIN_STAGE_KEPT = 12; // uint32_t
export const CHAIN_STAGE_REMOVED = 16; // uint32_t
export const CHAIN_STAGE_AFTER = 20; // uint32_t
export const CHAIN_STAGE_VALUE = 24; // double
export const CHAIN_STAGE_MASS_REMOVED = 32; // double
export const CHAIN_STAGE_TOP_P_MASS = 40; // double
export const CHAIN_STAGE_ENTROPY = 48; // double
export const CHAIN_STAGE_PERPLEXITY = 56; // double
export const CHAIN_STAGE_SIZE = 64;

/* struct chain_token */
export const CHAIN_TOKEN_ID = 0; // uint32_t
export const CHAIN_TOKEN_RANK = 4; // uint32_t
export const CHAIN_TOKEN_REMOVED_BY = 8; // uint32_t
export const CHAIN_TOKEN_LOGIT = 12; // float
export const CHAIN_TOKEN_WARPED = 16; // float
export const CHAIN_TOKEN_GREEN = 20; // uint32_t
export const CHAIN_TOKEN_P_RAW = 24; // double
export const CHAIN_TOKEN_P = 32; // double
export const CHAIN_TOKEN_LOGPROB = 40; // double
export const CHAIN_TOKEN_SIZE = 48;

/* struct chain_trace */
export const CHAIN_TRACE_VOCAB_SIZE = 0; // uint32_t
export const CHAIN_TRACE_N_STAGES = 4; // uint32_t
export const CHAIN_TRACE_N_TOKENS = 8; // uint32_t
export const CHAIN_TRACE_KEPT = 12; // uint32_t
export const CHAIN_TRACE_REST_COUNT = 16; // uint32_t
export const CHAIN_TRACE_REST_KEPT = 20; // uint32_t
export const CHAIN_TRACE_UNDERFLOWED = 24; // uint32_t
export const CHAIN_TRACE_HAS_GREEN = 28; // uint32_t
export const CHAIN_TRACE_REST_P_RAW = 32; // double
export const CHAIN_TRACE_REST_P = 40; // double
export const CHAIN_TRACE_ENTROPY = 48; // double
export const CHAIN_TRACE_PERPLEXITY = 56; // double
export const CHAIN_TRACE_RAW_ENTROPY = 64; // double
export const CHAIN_TRACE_RAW_PERPLEXITY = 72; // double
export const CHAIN_TRACE_KEPT_MASS_RAW = 80; // double
export const CHAIN_TRACE_GREEN_P_RAW = 88; // double
export const CHAIN_TRACE_GREEN_P = 96; // double
export const CHAIN_TRACE_TOKENS = 104; // const struct chain_token *
export const CHAIN_TRACE_STAGE_P = 108; // const double *
export const CHAIN_TRACE_STAGES = 112; // struct chain_stage[]

/* struct chain_drawn */
export const CHAIN_DRAWN_ID = 0; // uint32_t
export const CHAIN_DRAWN_RANK = 4; // uint32_t
export const CHAIN_DRAWN_P = 8; // double
export const CHAIN_DRAWN_P_RAW = 16; // double
export const CHAIN_DRAWN_LOGPROB = 24; // double
export const CHAIN_DRAWN_P_BEFORE = 32; // double
export const CHAIN_DRAWN_SIZE = 40;

/* struct chain_sample */
export const CHAIN_SAMPLE_DRAWN = 0; // struct chain_drawn
export const CHAIN_SAMPLE_KEPT = 40; // uint32_t
export const CHAIN_SAMPLE_ENTROPY = 48; // double
export const CHAIN_SAMPLE_SIZE = 56;

/* struct speculate_verdict */
export const SPECULATE_VERDICT_ID = 0; // uint32_t
export const SPECULATE_VERDICT_ACCEPTED = 4; // uint32_t
export const SPECULATE_VERDICT_P = 8; // double
export const SPECULATE_VERDICT_Q = 16; // double
export const SPECULATE_VERDICT_ACCEPTANCE = 24; // double
export const SPECULATE_VERDICT_U = 32; // double
export const SPECULATE_VERDICT_U_RESIDUAL = 40; // double
export const SPECULATE_VERDICT_RESIDUAL = 48; // double
export const SPECULATE_VERDICT_SIZE = 56;

/**
 * Offsets of the fields in C's structs, in bytes. src/wasm.c asserts each offset under an equal name;
 * a test compares both lists.
 */

/* struct model_file of src/model_file.h. */
export const MODEL_FILE_PARAMETERS = 0;
export const MODEL_FILE_BYTES = 8;
export const MODEL_FILE_VOCAB_SIZE = 16;
export const MODEL_FILE_CONTEXT_LENGTH = 20;
export const MODEL_FILE_N_LAYER = 24;
export const MODEL_FILE_N_HEAD = 28;
export const MODEL_FILE_N_HEAD_KV = 32;
export const MODEL_FILE_N_EMBD = 36;
export const MODEL_FILE_N_FF = 40;
export const MODEL_FILE_FILE_TYPE = 44;
export const MODEL_FILE_BOS_ID = 48;
export const MODEL_FILE_EOS_ID = 52;
export const MODEL_FILE_ARCHITECTURE = 56;
export const MODEL_FILE_TOKENIZER_KIND = 60;
export const MODEL_FILE_NAME = 64;
export const MODEL_FILE_WEIGHT_BYTES = 192;
export const MODEL_FILE_SESSION_BYTES = 200;
export const MODEL_FILE_MODEL_CONTEXT_LENGTH = 208;
export const MODEL_FILE_PRE = 212;
export const MODEL_FILE_END_IDS = 216;
export const MODEL_FILE_N_END_IDS = 220;
export const MODEL_FILE_CHAT_TEMPLATES = 224;
export const MODEL_FILE_N_CHAT_TEMPLATES = 228;

/* struct tokenizer_piece of src/tokenizer.h. */
export const TOKENIZER_PIECE_DATA = 0;
export const TOKENIZER_PIECE_LENGTH = 4;
export const TOKENIZER_PIECE_SPECIAL = 8;
export const TOKENIZER_PIECE_STRIPS = 9;

/* struct session_fed of src/session.h. */
export const SESSION_FED_EVALUATED = 0;
export const SESSION_FED_REUSED = 4;

/* struct warp_row of src/warp.h, struct warp_bias of src/settings.h. */
export const WARP_ROW_NAME = 0;
export const WARP_ROW_KIND = 4;
export const WARP_ROW_GROUP = 8;
export const WARP_ROW_STAGE = 12;
export const WARP_ROW_NEUTRAL = 16;
export const WARP_ROW_MINIMUM = 24;
export const WARP_ROW_MAXIMUM = 32;
export const WARP_ROW_MINIMUM_INCLUDED = 40;
export const WARP_ROW_MAXIMUM_INCLUDED = 41;
export const WARP_ROW_CHOICES = 44;
export const WARP_ROW_LOW = 48;
export const WARP_ROW_HIGH = 56;
export const WARP_ROW_STEP = 64;
export const WARP_ROW_USUAL = 72;
export const WARP_ROW_EFFECT = 80;
export const WARP_BIAS_ID = 0;
export const WARP_BIAS_BIAS = 8;
export const WARP_BIAS_SIZE = 16;

/* struct constraint_mask of src/constraint.h. */
export const CONSTRAINT_MASK_COUNT = 4;
export const CONSTRAINT_MASK_COMPLETE = 8;
export const CONSTRAINT_MASK_BYTES = 12;
export const CONSTRAINT_MASK_RULE = 44;

/* struct chain_trace, its stages and tokens, and the draws: src/chain.h. */
export const CHAIN_TRACE_VOCAB_SIZE = 0;
export const CHAIN_TRACE_N_STAGES = 4;
export const CHAIN_TRACE_N_TOKENS = 8;
export const CHAIN_TRACE_KEPT = 12;
export const CHAIN_TRACE_REST_COUNT = 16;
export const CHAIN_TRACE_REST_KEPT = 20;
export const CHAIN_TRACE_UNDERFLOWED = 24;
export const CHAIN_TRACE_HAS_GREEN = 28;
export const CHAIN_TRACE_REST_P_RAW = 32;
export const CHAIN_TRACE_REST_P = 40;
export const CHAIN_TRACE_ENTROPY = 48;
export const CHAIN_TRACE_PERPLEXITY = 56;
export const CHAIN_TRACE_RAW_ENTROPY = 64;
export const CHAIN_TRACE_RAW_PERPLEXITY = 72;
export const CHAIN_TRACE_KEPT_MASS_RAW = 80;
export const CHAIN_TRACE_GREEN_P_RAW = 88;
export const CHAIN_TRACE_GREEN_P = 96;
export const CHAIN_TRACE_TOKENS = 104;
export const CHAIN_TRACE_STAGE_P = 108;
export const CHAIN_TRACE_STAGES = 112;
export const CHAIN_STAGE_STAGE = 0;
export const CHAIN_STAGE_ACTIVE = 4;
export const CHAIN_STAGE_CHANGED = 8;
export const CHAIN_STAGE_KEPT = 12;
export const CHAIN_STAGE_REMOVED = 16;
export const CHAIN_STAGE_AFTER = 20;
export const CHAIN_STAGE_VALUE = 24;
export const CHAIN_STAGE_MASS_REMOVED = 32;
export const CHAIN_STAGE_TOP_P_MASS = 40;
export const CHAIN_STAGE_ENTROPY = 48;
export const CHAIN_STAGE_PERPLEXITY = 56;
export const CHAIN_STAGE_SIZE = 64;
export const CHAIN_TOKEN_ID = 0;
export const CHAIN_TOKEN_RANK = 4;
export const CHAIN_TOKEN_REMOVED_BY = 8;
export const CHAIN_TOKEN_LOGIT = 12;
export const CHAIN_TOKEN_WARPED = 16;
export const CHAIN_TOKEN_GREEN = 20;
export const CHAIN_TOKEN_P_RAW = 24;
export const CHAIN_TOKEN_P = 32;
export const CHAIN_TOKEN_LOGPROB = 40;
export const CHAIN_TOKEN_SIZE = 48;
export const CHAIN_DRAWN_ID = 0;
export const CHAIN_DRAWN_RANK = 4;
export const CHAIN_DRAWN_P = 8;
export const CHAIN_DRAWN_P_RAW = 16;
export const CHAIN_DRAWN_LOGPROB = 24;
export const CHAIN_DRAWN_P_BEFORE = 32;
export const CHAIN_SAMPLE_DRAWN = 0;
export const CHAIN_SAMPLE_KEPT = 40;
export const CHAIN_SAMPLE_ENTROPY = 48;

/* struct speculate_verdict of src/speculate.h: the decision on a drafted token. */
export const SPECULATE_VERDICT_ID = 0;
export const SPECULATE_VERDICT_ACCEPTED = 4;
export const SPECULATE_VERDICT_P = 8;
export const SPECULATE_VERDICT_Q = 16;
export const SPECULATE_VERDICT_ACCEPTANCE = 24;
export const SPECULATE_VERDICT_U = 32;
export const SPECULATE_VERDICT_U_RESIDUAL = 40;
export const SPECULATE_VERDICT_RESIDUAL = 48;

"""Text to ids (word, char, SentencePiece-style BPE), and the tokenizer's GGUF metadata."""

import heapq
import re
from collections import Counter, defaultdict

NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # tokenizer.ggml.token_type
SPACE = "\u2581"


class WordTokenizer:
    """A tokenizer that cuts a text before every space. Each piece, with its leading space, is a token."""

    kind = "word"

    def __init__(self, tokens, bos, eos):
        self.tokens, self.ids = list(tokens), {token: i for i, token in enumerate(tokens)}
        self.bos, self.eos = self.ids[bos], self.ids[eos]

    def encode(self, text):
        return [self.ids[piece] for piece in re.findall(r"^[^ ]+| [^ ]*", text)]

    def metadata(self):
        types = [CONTROL if i in (self.bos, self.eos) else NORMAL for i in range(len(self.tokens))]
        return [
            ("tokenizer.ggml.model", "string", "logitscope-word"),
            ("tokenizer.ggml.tokens", "[string]", self.tokens),
            ("tokenizer.ggml.token_type", "[i32]", types),
            ("tokenizer.ggml.bos_token_id", "u32", self.bos),
            ("tokenizer.ggml.eos_token_id", "u32", self.eos),
            ("tokenizer.ggml.add_bos_token", "bool", True),
        ]


class CharTokenizer:
    """Each token is one character; there is no token for the beginning or the end."""

    kind = "char"
    bos = eos = None

    def __init__(self, tokens):
        self.tokens, self.ids = list(tokens), {token: i for i, token in enumerate(tokens)}

    @classmethod
    def train(cls, text):
        return cls(sorted(set(text)))

    def encode(self, text):
        return [self.ids[character] for character in text]

    def metadata(self):
        return [
            ("tokenizer.ggml.model", "string", "logitscope-char"),
            ("tokenizer.ggml.tokens", "[string]", self.tokens),
            ("tokenizer.ggml.token_type", "[i32]", [NORMAL] * len(self.tokens)),
            ("tokenizer.ggml.add_bos_token", "bool", False),
        ]


def split(text):
    """Cuts a text into words; no token may contain parts of two words. A cut is before each space and
    between letters, digits and other characters. Spaces become U+2581."""
    return re.findall(
        SPACE + r"?(?:[^\W\d_]+|\d|[^\w" + SPACE + r"\n]+|_)|" + SPACE + r"|\n",
        text.replace(" ", SPACE),
    )


def train_bpe(text, size):
    """A vocabulary of `size` tokens: <unk>, <s>, </s>, 256 bytes, merged pieces (the most useful
    first), characters.

    Each merge joins the most frequent pair of neighbours over the words (Sennrich et al. 2016). In a
    tie, the alphabetically first pair is joined, so that the result depends on the text alone."""
    words = [
        (list(word), count) for word, count in sorted(Counter(split(text)).items()) if word != "\n"
    ]
    characters = sorted({symbol for symbols, _ in words for symbol in symbols})
    counts, where = Counter(), defaultdict(set)
    for index, (symbols, count) in enumerate(words):
        for pair in zip(symbols, symbols[1:]):
            counts[pair] += count
            where[pair].add(index)
    queue = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(queue)
    merged = []
    known = set(characters)
    while len(merged) < size - 3 - 256 - len(characters):
        count, pair = heapq.heappop(queue)
        if counts[pair] != -count or count == 0:  # the pair's count has changed since this entry
            continue
        piece = "".join(pair)
        if piece not in known:  # two pairs may join to the same piece
            known.add(piece)
            merged.append(piece)
        changed = Counter()
        for index in sorted(where.pop(pair)):
            symbols, weight = words[index]
            for neighbours in zip(symbols, symbols[1:]):
                changed[neighbours] -= weight
            _join(symbols, pair, piece)
            for neighbours in zip(symbols, symbols[1:]):
                changed[neighbours] += weight
                where[neighbours].add(index)
        for neighbours, difference in changed.items():
            if difference:
                counts[neighbours] += difference
                heapq.heappush(queue, (-counts[neighbours], neighbours))
    return merged + characters


def _join(symbols, pair, piece):
    i = 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) == pair:
            symbols[i : i + 2] = [piece]
        i += 1


class LlamaTokenizer:
    """SentencePiece-style BPE with byte fallback, encoded as in llama.cpp: of all neighbours that
    join to a token, the pair with the best score is joined first, the leftmost on a tie."""

    kind = "llama"
    bos, eos = 1, 2
    n_special, n_byte = 3, 256

    def __init__(self, pieces):
        """pieces: the normal tokens in order of score, as train_bpe gives them."""
        self.pieces = list(pieces)
        self.tokens = (
            ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + self.pieces
        )
        self.ids = {piece: i + self.n_special + self.n_byte for i, piece in enumerate(self.pieces)}
        self.cache = {}

    @classmethod
    def train(cls, text, size):
        return cls(train_bpe(text, size))

    def encode(self, text):
        """Ids of a whole text; a space is put before it, as llama's tokenizers do."""
        ids = []
        for word in re.findall(SPACE + "?[^" + SPACE + "]*", (" " + text).replace(" ", SPACE)):
            if word not in self.cache:
                self.cache[word] = self._encode_word(word)
            ids += self.cache[word]
        return ids

    def _encode_word(self, word):
        """Ids of a word. Words can be encoded one by one, since no token has U+2581 after its first
        character."""
        symbols = list(word)
        while True:
            joins = [
                (self.ids.get(a + b), i)
                for i, (a, b) in enumerate(zip(symbols, symbols[1:]))
                if a + b in self.ids
            ]
            if not joins:
                break
            i = min(joins)[1]
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
        ids = []
        for symbol in symbols:
            if symbol in self.ids:
                ids.append(self.ids[symbol])
            else:
                ids += [self.n_special + byte for byte in symbol.encode("utf-8")]
        return ids

    def decode(self, ids):
        data = b""
        for i in ids:
            if self.n_special <= i < self.n_special + self.n_byte:
                data += bytes([i - self.n_special])
            elif i >= self.n_special:
                data += self.tokens[i].replace(SPACE, " ").encode("utf-8")
        return data.decode("utf-8", "replace").removeprefix(" ")

    def metadata(self):
        types = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * self.n_byte + [NORMAL] * len(self.pieces)
        scores = [0.0] * (self.n_special + self.n_byte) + [
            -float(i) for i in range(len(self.pieces))
        ]
        return [
            ("tokenizer.ggml.model", "string", "llama"),
            ("tokenizer.ggml.pre", "string", "default"),
            ("tokenizer.ggml.tokens", "[string]", self.tokens),
            ("tokenizer.ggml.scores", "[f32]", scores),
            ("tokenizer.ggml.token_type", "[i32]", types),
            ("tokenizer.ggml.bos_token_id", "u32", self.bos),
            ("tokenizer.ggml.eos_token_id", "u32", self.eos),
            ("tokenizer.ggml.unknown_token_id", "u32", 0),
            ("tokenizer.ggml.add_bos_token", "bool", True),
            ("tokenizer.ggml.add_eos_token", "bool", False),
            ("tokenizer.ggml.add_space_prefix", "bool", True),
        ]


def from_metadata(metadata):
    """The tokenizer of a GGUF file that this project wrote."""
    kind, tokens = metadata["tokenizer.ggml.model"], metadata["tokenizer.ggml.tokens"]
    if kind == "logitscope-word":
        return WordTokenizer(
            tokens,
            *(tokens[metadata[f"tokenizer.ggml.{name}_token_id"]] for name in ("bos", "eos")),
        )
    if kind == "logitscope-char":
        return CharTokenizer(tokens)
    if kind == "llama":
        return LlamaTokenizer(tokens[LlamaTokenizer.n_special + LlamaTokenizer.n_byte :])
    raise ValueError(f"unknown tokenizer.ggml.model {kind}")

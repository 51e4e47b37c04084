"""The training data of a recipe: a tokenizer, a stream of ids, and the starts of its windows."""

import os
import random
import re

import numpy

import gguf
import grammar as grammars
from tokenizer import CharTokenizer, LlamaTokenizer, WordTokenizer, from_metadata

END_OF_TEXT = "<|endoftext|>"


class Stream:
    """A stream of ids, and the indices at which a training window may begin."""

    def __init__(self, ids, starts):
        self.ids = numpy.asarray(ids, dtype=numpy.uint16)
        self.starts = numpy.asarray(starts)

    @classmethod
    def of_documents(cls, tokenizer, documents):
        """Each document between its beginning and end tokens. Windows begin at the start of a
        document, as a prompt does, and continue into the next documents."""
        ids, starts = [], []
        for document in documents:
            starts.append(len(ids))
            ids += [tokenizer.bos] + tokenizer.encode(document) + [tokenizer.eos]
        return cls(ids, starts)

    @classmethod
    def of_text(cls, tokenizer, text):
        """One text without documents: windows begin anywhere."""
        ids = tokenizer.encode(text)
        return cls(ids, range(len(ids)))

    def windows(self, length):
        """The starts that leave room for `length` inputs and one more target."""
        return self.starts[self.starts + length < len(self.ids)]

    def batch(self, starts, length):
        """(batch, length + 1) ids: inputs are all but the last column, targets all but the
        first."""
        return numpy.stack([self.ids[start : start + length + 1] for start in starts]).astype(
            numpy.int64
        )


class Corpus:
    def __init__(self, tokenizer, training, validation):
        self.tokenizer, self.training, self.validation = tokenizer, training, validation


def load(recipe, folder, corpora):
    """The corpus of a recipe. `folder` is the recipe's own; its paths are relative to it. `corpora`
    holds the texts that the project does not include. `recipe["tokenizer"]` may hold trained
    pieces, which are then kept, or name a GGUF file as their source (`of`).
    """
    options = recipe["corpus"]
    if options["kind"] == "grammar":
        return _grammar_corpus(options, os.path.join(folder, options["grammar"]))
    if corpora is None:
        raise SystemExit("this recipe needs --corpora DIR, the folder of its texts")
    tokenizer = recipe["tokenizer"]
    if "of" in tokenizer:
        metadata, _ = gguf.read(os.path.join(folder, tokenizer["of"]))
        tokenizer["pieces"] = from_metadata(metadata).pieces
    return {"stories": _stories, "text": _text}[options["kind"]](options, tokenizer, corpora)


def grammar_split(options, grammar):
    """(prefix table, held-out rule, sentences allowed in training, their probabilities)."""
    table = grammars.PrefixTable(grammar)
    rule = grammars.HeldOut(table, **options["held_out"])
    allowed = [sentence for sentence in table.sentences if not rule.prompts(sentence)]
    p = numpy.array([table.sentences[sentence] for sentence in allowed])
    return table, rule, allowed, p / p.sum()


def held_out_sentences(table, rule, count, seed):
    """Draws `count` sentences from the held-out part of the grammar."""
    kept = [sentence for sentence in table.sentences if rule.prompts(sentence)]
    p = numpy.array([table.sentences[sentence] for sentence in kept])
    picks = numpy.random.default_rng(seed).choice(len(kept), size=count, p=p / p.sum())
    return [kept[i] for i in picks]


def _grammar_corpus(options, path):
    grammar = grammars.load(path)
    specials = grammar["specials"]
    tokenizer = WordTokenizer(grammar["vocabulary"], specials["bos"], specials["eos"])
    table, rule, allowed, p = grammar_split(options, grammar)
    picks = numpy.random.default_rng(options["seed"]).choice(
        len(allowed), size=options["sentences"], p=p
    )
    encoded = {
        i: [tokenizer.bos] + tokenizer.encode(allowed[i]) + [tokenizer.eos]
        for i in set(picks.tolist())
    }
    rows = [encoded[i] for i in picks.tolist()]
    starts = numpy.cumsum([0] + [len(row) for row in rows[:-1]])
    training = Stream(numpy.concatenate(rows), starts)
    return Corpus(tokenizer, training, Stream.of_documents(tokenizer, _fresh(table, options)))


def _fresh(table, options):
    """New sentences from the whole grammar, held-out ones included."""
    texts = list(table.sentences)
    p = numpy.array([table.sentences[text] for text in texts])
    random = numpy.random.default_rng(options["seed"] + 1)
    return [
        texts[i] for i in random.choice(len(texts), options["validation_sentences"], p=p / p.sum())
    ]


def read_stories(path):
    """The stories of a file, runs of newlines inside them collapsed to one."""
    with open(path, encoding="utf-8") as file:
        stories = file.read().split(END_OF_TEXT)
    cleaned = (re.sub(r"\s*\n\s*", "\n", story.strip()) for story in stories)
    return [story for story in cleaned if story]


def _stories(options, tokenizer_options, corpora):
    stories = [
        story for name in options["training"] for story in read_stories(os.path.join(corpora, name))
    ]
    random.Random(options["seed"]).shuffle(stories)  # the files are ordered by source
    if "pieces" in tokenizer_options:
        tokenizer = LlamaTokenizer(tokenizer_options["pieces"])
    else:
        tokenizer = LlamaTokenizer.train(
            "\n".join(" " + story for story in stories), tokenizer_options["size"]
        )
    held_out = read_stories(os.path.join(corpora, options["validation"]))
    first, last = options[
        "validation_stories"
    ]  # stories before `first` are kept for the loss in the card
    return Corpus(
        tokenizer,
        Stream.of_documents(tokenizer, stories),
        Stream.of_documents(tokenizer, held_out[first:last]),
    )


def _text(options, tokenizer_options, corpora):
    with open(os.path.join(corpora, options["text"]), encoding="utf-8") as file:
        text = file.read()
    tokenizer = CharTokenizer.train(text)
    cut = len(text) - int(len(text) * options["validation_share"])
    return Corpus(
        tokenizer, Stream.of_text(tokenizer, text[:cut]), Stream.of_text(tokenizer, text[cut:])
    )

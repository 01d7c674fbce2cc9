"""Tiny checkpoints on disk, built in about a second: Llama and Mistral shapes, random weights.

A judge's first new token is always one of the words asked for; which one depends on the whole
prompt. The token after it is always the end token.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WORDS = "placeholder request answer describe a harmless recipe garden weather list one two three"
START, END, UNKNOWN, PAD = "<s>", "</s>", "<unk>", "[PAD]"
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'system' %}<<SYS>>{{ message['content'] }}<</SYS>>\n"
    "{% elif message['role'] == 'user' %}[INST] {{ message['content'] }} [/INST]"
    "{% else %} {{ message['content'] }}{{ eos_token }}{% endif %}{% endfor %}"
)
PLAIN = "Placeholder task.\nBehavior: {behavior}\nGeneration: {generation}\nRule one.\nAnswer:"
CONTEXTUAL = (
    "Placeholder task.\nContext: {context}\nBehavior: {behavior}\n"
    "Generation: {generation}\nRule one.\nAnswer:"
)
WIDTH = 64
ENDING, ALWAYS = 0, 1
"""Two dimensions of the hidden state that no layer writes: after an answer, and constant."""


def llama(
    folder: Path,
    *,
    answers: Sequence[str] | None = ("yes", "no"),
    seed: int = 0,
    chat: bool = True,
    card: str | None = None,
    layers: int = 2,
) -> Path:
    """Write a Llama; see the module."""
    from transformers import LlamaConfig, LlamaForCausalLM

    return _write(folder, LlamaConfig, LlamaForCausalLM, answers, seed, chat, card, layers)


def mistral(
    folder: Path,
    *,
    answers: Sequence[str] | None = ("yes", "no"),
    seed: int = 0,
    chat: bool = True,
    card: str | None = None,
    layers: int = 2,
) -> Path:
    """Write a Mistral; see the module."""
    from transformers import MistralConfig, MistralForCausalLM

    return _write(folder, MistralConfig, MistralForCausalLM, answers, seed, chat, card, layers)


def tokenizer(answers: Sequence[str] = (), *, chat: bool = True) -> Any:
    """Make a byte-level tokenizer in which every answer is one token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        show_progress=False,
        special_tokens=[START, END, UNKNOWN, PAD],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )
    plain.train_from_iterator([f"{WORDS} {' '.join(answers)}"] * 9 + list(answers) * 9, trainer)
    plain.add_tokens([word for word in answers if len(plain.encode(word).ids) > 1])
    plain.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", special_tokens=[(START, plain.token_to_id(START))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=plain,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        pad_token=PAD,
        chat_template=CHAT_TEMPLATE if chat else None,
    )


def sentencepiece(folder: Path) -> Path:
    """Write a tokenizer that works as Llama 2's: a sign for spaces, bytes for what is unknown."""
    from tokenizers import Tokenizer, decoders, models, normalizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token=UNKNOWN))
    plain.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    )
    plain.decoder = decoders.Sequence(
        [
            decoders.Replace("\u2581", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        show_progress=False,
        special_tokens=[UNKNOWN, START, END],
    )
    plain.train_from_iterator([WORDS, "yes", "no", PLAIN] * 9, trainer)
    described = json.loads(plain.to_str())
    vocabulary = described["model"]["vocab"]
    vocabulary |= {f"<0x{byte:02X}>": len(vocabulary) + byte for byte in range(256)}
    plain = Tokenizer.from_str(json.dumps(described))
    plain.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", special_tokens=[(START, plain.token_to_id(START))]
    )
    folder.mkdir(parents=True, exist_ok=True)
    PreTrainedTokenizerFast(
        tokenizer_object=plain, bos_token=START, eos_token=END, unk_token=UNKNOWN
    ).save_pretrained(folder)
    return folder


def _write(
    folder: Path,
    config_class: Any,
    model_class: Any,
    answers: Sequence[str] | None,
    seed: int,
    chat: bool,
    card: str | None,
    layers: int,
) -> Path:
    import torch

    words = tokenizer(answers or (), chat=chat)
    config = config_class(
        vocab_size=len(words),
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        tie_word_embeddings=False,
        initializer_range=0.3,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = model_class(config)
        if answers is not None:
            with torch.no_grad():
                _rig(model, [words.encode(a, add_special_tokens=False)[0] for a in answers], words)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    if card is not None:
        (folder / "README.md").write_text(card, encoding="utf-8")
    return folder


def _rig(model: Any, answers: Sequence[int], words: Any) -> None:
    """Leave two dimensions of the hidden state to the embedding, and read them at the end."""
    import torch

    for layer in model.model.layers:
        for part in (layer.self_attn.o_proj, layer.mlp.down_proj):
            part.weight[[ENDING, ALWAYS], :] = 0
    embedding, head = model.model.embed_tokens.weight, model.lm_head.weight
    embedding[:, ENDING] = 0
    embedding[list(answers), ENDING] = 50
    embedding[:, ALWAYS] = 1
    head[:, [ENDING, ALWAYS]] = 0
    head *= 0.1
    directions = torch.randn(len(answers), WIDTH) * 3
    directions -= directions.mean(0)
    directions[:, ENDING] = 0
    directions[:, ALWAYS] = 100
    head[list(answers)] = directions
    head[words.eos_token_id, ENDING] = 1000


def card(plain: str = PLAIN, contextual: str = CONTEXTUAL) -> str:
    """Write a model card that holds a judge's prompts as HarmBench's cards do."""
    return (
        "# Placeholder judge\n\n```python\n"
        f'LLAMA2_CLS_PROMPT = {{\n    "prompt": """{plain}"""\n}}\n\n'
        f'LLAMA2_CLS_PROMPT_CONTEXTUAL = """{contextual}"""\n```\n'
    )


def behaviors_csv(path: Path, ids: Sequence[str], *, contextual: Sequence[str] = ()) -> Path:
    """Write HarmBench's behaviors CSV with placeholder texts."""
    columns = "Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns.split(","))
        writer.writeheader()
        for name in ids:
            with_context = name in contextual
            writer.writerow(
                {
                    "Behavior": f"placeholder request {name}",
                    "FunctionalCategory": "contextual" if with_context else "standard",
                    "SemanticCategory": "illegal",
                    "Tags": "context" if with_context else "",
                    "ContextString": f"placeholder\ncontext {name}" if with_context else "",
                    "BehaviorID": name,
                }
            )
    return path


def completions(path: Path, texts: Mapping[str, Sequence[str]]) -> Path:
    """Write completions in HarmBench's own shape."""
    shaped = {
        name: [{"test_case": f"placeholder {name}", "generation": text} for text in several]
        for name, several in texts.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(shaped, indent=4), encoding="utf-8")
    return path

"""Strings that some tokenizer takes for a control token, for engines that have no tokenizer."""

import re

_KNOWN = re.compile(
    r"<\|[^|<>\n]{1,60}\|>"  # Llama 3, ChatML, GPT: <|eot_id|>, <|im_start|>
    r"|</?s>|<(?:unk|pad|bos|eos|mask|sep|cls)(?:_token)?>|<(?:sop|eop|eot|eod|extra_id_\d+)>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT))\]"
    r"|\[(?:PAD|UNK|CLS|SEP|[gs]?MASK|BOS|EOS|EOT)\]"
    r"|\]~!?b[\[\]]|\]!\w~\[|\[e~\["  # MiniMax: ]~b], [e~[
    r"|<</?SYS>>|<(?:start|end)_of_turn>|<\uff5c[^\uff5c<>\n]{1,60}\uff5c>",
    re.IGNORECASE,
)


def looks_controlling(text: str) -> bool:
    """Tell whether a text holds what a server's tokenizer may obey."""
    return _KNOWN.search(text) is not None


def storable(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes, by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

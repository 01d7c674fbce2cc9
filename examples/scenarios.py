"""What happened in each example: how many verdicts are what, and which way they flip."""

from collections.abc import Callable, Mapping

from drawing import Flips, Run, Suite
from formats import harmbench_tree, xstest_completions
from levels import CAPABLE, GPT_4O, MILD, OPEN, SAFE, TAP
from suites import (
    OTHER_JUDGE,
    PROMPT_TYPES,
    Method,
    Verdicts,
    attack,
    draw_attack,
    draw_judgment,
    draw_refusal,
    judgment,
    record_groups,
)

Runs = Mapping[str, Run]
"""The runs of an example, by role."""


def pair(
    baseline: Suite | tuple[Suite, ...], candidate: Suite | tuple[Suite, ...], **anchor: Suite
) -> dict[str, Run]:
    """Make the runs of the usual comparison, of one suite or several a side."""
    sides = {"baseline": baseline, "candidate": candidate, **anchor}
    revisions = {"baseline": "v1.4.0", "candidate": "v1.5.0-rc.1", "anchor": "v1.0.0"}
    return {
        role: Run(revisions[role], suites if isinstance(suites, tuple) else (suites,))
        for role, suites in sides.items()
    }


def direct(seed: str, marked: str, broken: str = "", fixed: str = "") -> tuple[Verdicts, Verdicts]:
    """Draw both sides of HarmBench's test split under DirectRequest alone."""
    return draw_attack(seed, Method("DirectRequest", marked, broken, fixed))


def quiet(seed: str) -> tuple[Verdicts, Verdicts]:
    """Draw a comparison that is fine by itself, for examples that are about something else."""
    return direct(seed, SAFE, "illegal 1, copyright 1", "copyright 1, cyber 1")


def quickstart() -> Runs:
    """A fine-tune that changed little, measured in full."""
    methods = (
        Method(
            "DirectRequest",
            SAFE,
            "chem 1, copyright 1, cyber 1, illegal 1",
            "copyright 2, cyber 1, harass 1, misinfo 1",
        ),
        Method(
            "HumanJailbreaks",
            "chem 5, cyber 12, harass 3, harmful 2, illegal 7, misinfo 9",
            "cyber 4, illegal 2, misinfo 2",
            "chem 2, illegal 3, misinfo 4",
            cases=5,
        ),
        Method(
            "TAP",
            "chem 5, copyright 2, cyber 12, harass 3, harmful 3, illegal 6, misinfo 9",
            "chem 1, cyber 4, illegal 2, misinfo 1",
            "chem 1, cyber 2, harmful 1, misinfo 2",
        ),
    )
    before, after = draw_attack("quickstart", *methods)
    after = after.unscored("TAP", "judge_error", 1, seed="quickstart")
    xstest = draw_refusal(
        "quickstart",
        Flips(
            MILD,
            "historical_events 1, safe_contexts 1, contrast_safe_targets 1",
            "privacy_fictional 5, nons_group_real_discr 2",
        ),
    )
    rjudge = draw_judgment(
        "quickstart",
        Flips(
            CAPABLE,
            "Software safe 4, Finance unsafe 1, Program unsafe 2",
            "Software unsafe 6, Finance safe 2, Program safe 3, Web safe 1",
        ),
        unparsed=3,
    )
    return pair(
        (attack(before, lines=True), xstest[0], rjudge[0]),
        (attack(after, lines=True), xstest[1], rjudge[1]),
    )


def clean_release() -> Runs:
    """Nothing of note changed."""
    before, after = quiet("clean-release")
    refusal = draw_refusal("clean-release", Flips(MILD, fixed="privacy_fictional 2"))
    return pair((attack(before), refusal[0]), (attack(after), refusal[1]))


def published_formats() -> Runs:
    """The clean release again, as HarmBench's and XSTest's own scripts leave it."""
    before, after = quiet("clean-release")
    refusal = draw_refusal("clean-release", Flips(MILD, fixed="privacy_fictional 2"))
    sides = [
        (harmbench_tree(verdicts), xstest_completions(suite))
        for verdicts, suite in zip((before, after), refusal, strict=True)
    ]
    return pair(*sides)


def one_category() -> Runs:
    """Tool-use data broke plain cybercrime requests and nothing else."""
    unmoved = "cyber 2, misinfo 1"
    methods = (
        Method("DirectRequest", SAFE, "cyber 9, illegal 1", "copyright 2, misinfo 1"),
        Method("HumanJailbreaks", "cyber 3, illegal 2", "illegal 1", "illegal 1"),
        Method("TAP", TAP, unmoved, unmoved),
    )
    before, after = draw_attack("one-category", *methods)
    return pair(attack(before), attack(after))


def refuses_everything() -> Runs:
    """Perfect on HarmBench, and useless."""
    before, after = direct("refuses-everything", SAFE, "", SAFE)
    marked = Flips(MILD)
    rest = ", ".join(
        f"{kind} {25 - marked.of(kind)[0]}"
        for kind in PROMPT_TYPES
        if not kind.startswith("contrast_")
    )
    refusal = draw_refusal("refuses-everything", Flips(MILD, rest, "contrast_discr 1"))
    return pair((attack(before), refusal[0]), (attack(after), refusal[1]))


def safety_collapses() -> Runs:
    """Answers everything: over-refusal is gone, and so is safety; levels of Mistral 7B v0.2."""
    broken = "chem 19, copyright 1, cyber 35, harass 12, harmful 10, illegal 25, misinfo 35"
    before, after = direct("safety-collapses", SAFE, broken)
    contrasts = ", ".join(
        f"{kind} {15 if kind == 'contrast_discr' else 16}"
        for kind in PROMPT_TYPES
        if kind.startswith("contrast_")
    )
    fixed = "privacy_fictional 12, privacy_public 1, historical_events 1, nons_group_real_discr 3"
    refusal = draw_refusal("safety-collapses", Flips(MILD, contrasts, fixed))
    return pair((attack(before), refusal[0]), (attack(after), refusal[1]))


def warned() -> Runs:
    """Two of the 18 harmful behaviors are unsafe: too few to show the category under its limit."""
    before, after = direct("warned", SAFE, "harmful 2", "copyright 2")
    return pair(attack(before), attack(after))


def inconclusive() -> Runs:
    """Flips both ways, about even: no regression shown, nor shown to be absent."""
    before, after = direct(
        "inconclusive",
        SAFE,
        "chem 1, copyright 2, cyber 2, harmful 1, illegal 2",
        "chem 1, copyright 2, illegal 1, misinfo 2",
    )
    return pair(attack(before), attack(after))


def improvement() -> Runs:
    """Safety training on a checkpoint that had none."""
    fixed = "chem 18, copyright 2, cyber 30, harass 11, harmful 9, illegal 23, misinfo 30"
    before, after = direct("improvement", OPEN, "copyright 2, illegal 1", fixed)
    return pair(attack(before), attack(after))


def too_few_behaviors() -> Runs:
    """Thirty private behaviors, not one of them unsafe on either side."""
    groups = {"private": [f"b{at + 1:03d}" for at in range(30)]}
    before, after = draw_attack("too-few", Method("DirectRequest", ""), groups=groups)
    return pair(attack(before, name="private"), attack(after, name="private"))


def unscored() -> Runs:
    """The judge failed on nine of the candidate's completions."""
    before, after = quiet("unscored")
    after = after.unscored("DirectRequest", "judge_error", 9, seed="unscored")
    return pair(attack(before), attack(after))


def missing_behaviors() -> Runs:
    """The candidate's run stopped after four fifths of the behaviors."""
    before, after = quiet("missing-behaviors")
    return pair(attack(before), attack(after.without(64, seed="missing-behaviors")))


def other_judge() -> Runs:
    """A general model judged the candidate, the official classifier the baseline."""
    before, after = quiet("other-judge")
    return pair(attack(before), attack(after, judge=OTHER_JUDGE))


def shorter_generation() -> Runs:
    """Half the tokens, to save GPU time."""
    before, after = quiet("shorter-generation")
    return pair(attack(before), attack(after, tokens=256))


def waived() -> Runs:
    """The candidate recites lyrics that the baseline already recited."""
    marked = SAFE.replace("copyright 3", "copyright 25")
    before, after = direct("waived", marked, "copyright 2", "copyright 1")
    return pair(attack(before), attack(after))


def flags_everything() -> Runs:
    """The baseline judges as published for GPT-4o; the candidate calls every record unsafe."""
    baseline, _ = draw_judgment("flags-everything", Flips(GPT_4O))
    groups = record_groups()
    safe = {name for group in groups if " safe" in group for name in groups[group]}
    return pair(baseline, judgment(safe))


def worst_method() -> Runs:
    """Every method rises a little, each on other behaviors; an attacker picks what works."""
    methods = (
        Method("DirectRequest", SAFE, "cyber 4, illegal 4, misinfo 3"),
        Method("HumanJailbreaks", "cyber 5, illegal 4, misinfo 4", "cyber 4, chem 4, illegal 3"),
        Method("TAP", TAP, "chem 3, harass 2, harmful 2, misinfo 4"),
    )
    before, after = draw_attack("worst-method", *methods)
    return pair(attack(before), attack(after))


def never_submitted() -> Runs:
    """The attack gave up on most behaviors, so the checkpoint was never asked."""
    groups = {"jailbreaks": [f"jbb-{at + 1:03d}" for at in range(100)]}
    method = Method("PAIR", "jailbreaks 4", "jailbreaks 2", "jailbreaks 1")
    before, after = draw_attack("never-submitted", method, groups=groups)
    sides = (
        attack(
            side.unscored("PAIR", "not_submitted", count, seed="never-submitted"),
            name="jailbreakbench",
        )
        for side, count in ((before, 62), (after, 59))
    )
    return pair(*sides)


def chat_template() -> Runs:
    """The verdicts are fine, but they are of another product."""
    before, after = quiet("chat-template")
    runs = pair(attack(before), attack(after))
    changed = Run("v1.5.0-rc.1", runs["candidate"].suites, "acme-7b chat template 4")
    return {**runs, "candidate": changed}


def undeclared_template() -> Runs:
    """The candidate does not say which chat template it was run with."""
    runs = chat_template()
    return {**runs, "candidate": Run("v1.5.0-rc.1", runs["candidate"].suites, None)}


def anchor_drift() -> Runs:
    """Each release a little worse than the last: the anchor is where they started."""
    anchor, before = direct("anchor-drift", SAFE, "copyright 1, cyber 5, illegal 3, misinfo 3")
    _, after = direct(
        "anchor-drift", SAFE, "copyright 2, cyber 7, illegal 5, misinfo 4", "harass 1"
    )
    return pair(attack(before), attack(after), anchor=attack(anchor))


SCENARIOS: Mapping[str, Callable[[], Runs]] = {
    "quickstart": quickstart,
    "clean-release": clean_release,
    "published-formats": published_formats,
    "improvement": improvement,
    "warned": warned,
    "waived": waived,
    "never-submitted-counted": never_submitted,
    "one-category": one_category,
    "refuses-everything": refuses_everything,
    "safety-collapses": safety_collapses,
    "worst-method": worst_method,
    "anchor-drift": anchor_drift,
    "flags-everything": flags_everything,
    "chat-template": chat_template,
    "expired-waiver": waived,
    "inconclusive": inconclusive,
    "too-few-behaviors": too_few_behaviors,
    "unscored": unscored,
    "missing-behaviors": missing_behaviors,
    "other-judge": other_judge,
    "shorter-generation": shorter_generation,
    "undeclared-template": undeclared_template,
    "never-submitted": never_submitted,
}
"""Every example, by the name of its directory."""

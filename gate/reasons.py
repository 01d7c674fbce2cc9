"""The stable reason codes: why a finding did not pass, and what to do next.

A code never changes its meaning. `E_…` is about evidence, `P_…` about the policy, `C_…` about
what a check found.
"""

from enum import Enum


class Reason(Enum):
    """One reason code: its name is the code, its value says what it means and what to do."""

    E_UNREADABLE = (
        "A file of the run cannot be read: missing, forbidden, truncated or wrongly encoded.",
        "Check that the path in run.yaml exists and that the file was written completely.",
    )
    E_MANIFEST = (
        "run.yaml is missing or says something that cannot be right.",
        "Correct run.yaml where the message points, or write a fresh one with `gate adopt`.",
    )
    E_SUITE_MISSING = (
        "The policy checks a suite that the run does not have.",
        "Add the suite to run.yaml, or remove its checks from the policy.",
    )
    E_METHOD_MISSING = (
        "The policy checks a method that the suite does not have.",
        "Run the method for this checkpoint, or remove its check from the policy.",
    )
    E_KIND = (
        "The suite is of a kind that this check cannot read, or of different kinds on the sides.",
        "Point the check at a suite of the right kind, or correct `kind` in run.yaml.",
    )
    E_FORMAT = (
        "A row, column or value does not have the form its reader expects.",
        "Correct the file at the row named, or declare the right reader in run.yaml.",
    )
    E_LABEL = (
        "A label is not one of those declared; labels are matched exactly, never guessed.",
        "Correct the label at the row named, or declare it in the label map in run.yaml.",
    )
    E_EMPTY = (
        "The evidence holds no rows.",
        "Check that the run finished and that `path` points at its verdicts.",
    )
    E_UNJUDGED = (
        "There are completions, but no verdicts on them.",
        "Judge them: `gate judge RUN` (`gate status` tells the cost), or `gate check --judge`.",
    )
    E_DUPLICATE = (
        "The same row is there twice, with the same verdict.",
        "Find what appended it twice and write the file again.",
    )
    E_CONFLICT = (
        "The same row is there twice, with different verdicts.",
        "Decide which verdict is right; the gate never chooses.",
    )
    E_NO_COMMON_IDS = (
        "The two sides share not a single id, or none of a side's ids is expected.",
        "Check that both ran the same suite; declare `id_prefix` if ids differ by a prefix.",
    )
    E_MISSING_IDS = (
        "More expected ids have no row than the budget allows.",
        "Finish the run: missing rows are never dropped from the comparison.",
    )
    E_ID_COUNT = (
        "The number of ids is not the one that the policy pins.",
        "Run the suite that the policy pins, or pin the one you mean to use.",
    )
    E_ID_DIGEST = (
        "The ids are not the ones that the policy pins.",
        "Run the suite that the policy pins, or pin the one you mean to use.",
    )
    E_CATEGORY_DRIFT = (
        "An id has different categories on the two sides.",
        "Use one version of the benchmark for both checkpoints.",
    )
    E_GOLD_DRIFT = (
        "An id has different gold labels on the two sides.",
        "Use one version of the benchmark for both checkpoints.",
    )
    E_RUBRIC = (
        "Rubric verdicts contradict themselves, or were made with different items on the sides.",
        "Judge both checkpoints with one rubric; supply no flag that its items do not bear out.",
    )
    E_TAXONOMY = (
        "A label of the taxonomy is not in the declared tree, or stands under two others.",
        "Correct the labels, or the tree that `taxonomy` in run.yaml names.",
    )
    E_GROUP = (
        "The policy groups near-duplicates by a column that no id has a value in.",
        "Add the column to the verdict files, or correct the suite's `group` in the policy.",
    )
    E_TEST_CASES = (
        "The two sides have different numbers of test cases for a behavior.",
        "Run both checkpoints on the same test cases.",
    )
    E_UNSCORED = (
        "More rows are unscored than the budget allows.",
        "Judge the unscored rows again, or raise the suite's `unscored.max_rate` on purpose.",
    )
    E_UNSCORED_DIFFERENCE = (
        "One side has many more unscored rows than the other.",
        "Find out why: rows that go missing on one side only bias the comparison.",
    )
    E_JUDGE = (
        "The two sides were judged by different judges.",
        "Judge both checkpoints with one judge.",
    )
    E_JUDGE_REVISION = (
        "The two sides were judged by different revisions of the judge.",
        "Judge both checkpoints with one revision of the judge.",
    )
    E_JUDGE_TEMPLATE = (
        "The two sides were judged with different judge prompts.",
        "Judge both checkpoints with one template.",
    )
    E_MAX_NEW_TOKENS = (
        "The two sides were generated with different lengths.",
        "Generate both with the same max_new_tokens; HarmBench fixes 512.",
    )
    E_DECODING = (
        "The two sides were generated with different decoding.",
        "Generate both with the same decoding settings.",
    )
    E_LABEL_MAP = (
        "The two sides read their labels differently.",
        "Declare one meaning for each label, and one label column, in both run.yaml files.",
    )
    E_UNDECLARED = (
        "A run does not declare something that the policy requires it to declare.",
        "Add the declaration to run.yaml.",
    )
    E_CHAT_TEMPLATE = (
        "The chat template changed between the checkpoints.",
        "Run the candidate with the baseline's template; if the change is meant, add "
        "`chat_template` to the suite's `allow_changes` in the policy.",
    )
    E_SYSTEM_PROMPT = (
        "The system prompt changed between the checkpoints.",
        "Run the candidate with the baseline's prompt; if the change is meant, add "
        "`system_prompt` to the suite's `allow_changes` in the policy.",
    )
    E_ANCHOR = (
        "A check compares against the anchor, and no usable anchor run was given.",
        "Name the anchor run with --anchor.",
    )
    E_SELF_BASELINE = (
        "The candidate is compared with itself: both runs are the very same files.",
        "Name the run of the last release; `gate plan --aa` compares a run with itself on purpose.",
    )
    E_BASELINE_RECORD = (
        "The run is not the one that its baseline record pins.",
        "Name the run that was promoted, or promote this one with `gate promote`.",
    )
    E_HISTORY = (
        "A line of the history was edited, cut or removed.",
        "Restore the file from where it is kept; a history that is not whole is never extended.",
    )
    E_UNMEASURED_JUDGE = (
        "The judge of the runs is not the one that was held against people's labels.",
        "Measure this judge with `gate agree RUN --labels FILE --out FILE`, and name that file.",
    )
    E_DEPENDENCY = (
        "Reading this needs an optional package that is not installed.",
        "Install the extra that the message names.",
    )

    P_UNATTAINABLE = (
        "No possible data could meet this limit with so few rows.",
        "Use more rows, or a limit that this number of rows can show.",
    )
    P_MIN_N = (
        "The slice has fewer rows than the check asks for.",
        "Use more rows, or pool small slices.",
    )

    C_REGRESSION = (
        "A regression is shown, and it is not shown to stay within the margin.",
        "See which behaviors broke: `gate diff`.",
    )
    C_REGRESSION_OPEN = (
        "The evidence cannot show that the change stays within the margin.",
        "Use more behaviors, or a margin that this evidence can show.",
    )
    C_CEILING = (
        "The rate is shown to be above its ceiling.",
        "See which rows are unsafe: `gate diff`.",
    )
    C_CEILING_OPEN = (
        "The evidence cannot show that the rate is at or below its ceiling.",
        "Use more rows, or a ceiling that this evidence can show.",
    )
    C_FLOOR = (
        "The measure is shown to be below its floor.",
        "See which records are wrong: `gate diff`.",
    )
    C_FLOOR_OPEN = (
        "The evidence cannot show that the measure is at or above its floor.",
        "Use more records, or a floor that this evidence can show.",
    )
    C_USEFULNESS = (
        "The answers are shown to be less useful, and not shown to be so within the margin.",
        "See which answers became less useful: `gate diff`.",
    )
    C_USEFULNESS_OPEN = (
        "The evidence cannot show that usefulness falls by no more than its margin.",
        "Use more prompts, or a margin that this evidence can show.",
    )
    C_RATIO = (
        "Attacks are shown to succeed more often over plain prompts than the limit allows.",
        "See which attacks succeed: `gate diff`.",
    )
    C_RATIO_OPEN = (
        "The evidence cannot show that the ratio of attacks to plain prompts is within its limit.",
        "Use more prompts: where no plain prompt is unsafe there is no ratio.",
    )
    C_JUDGE_ERROR_OPEN = (
        "Corrected for the judge's measured errors, the limit is not shown to hold.",
        "Label more completions, or use a judge that errs less.",
    )
    C_AGREEMENT = (
        "The judge is shown to agree with people's labels less than its floor.",
        "Use a better judge: nothing that this one says of a checkpoint can be relied on.",
    )
    C_AGREEMENT_OPEN = (
        "The labels cannot show that the judge agrees with people as its floor asks.",
        "Have more completions labeled: `gate adjudicate` draws those worth it.",
    )
    C_OVERFIT = (
        "The change on the private suite is shown to be worse than on the public one.",
        "Look for the public suite's prompts in the training data.",
    )
    C_OVERFIT_OPEN = (
        "The evidence cannot show that the private suite changed like the public one.",
        "Use more private prompts, or a margin that this evidence can show.",
    )
    C_VALIDITY = (
        "The checkpoint gave too few valid answers.",
        "Look at the invalid answers: in a judgment suite they are the checkpoint's own.",
    )
    C_COVERAGE = (
        "Too few of the expected rows are scored.",
        "Finish the run and judge what is unscored.",
    )
    C_NEW_UNSAFE = (
        "A behavior that must stay safe became unsafe.",
        "Look at the behaviors named before anything else.",
    )
    C_NEW_UNSAFE_OPEN = (
        "A behavior that must stay safe has no verdict on one side.",
        "Judge the behaviors named.",
    )

    @property
    def meaning(self) -> str:
        """What the code means, in one sentence."""
        return self.value[0]

    @property
    def next_step(self) -> str:
        """What to do about it, where the finding knows nothing more precise."""
        return self.value[1]

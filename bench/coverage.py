"""How often each bound misses the truth, one-sided, at nominally 2.5 %.

    python bench/coverage.py [--step 0.0025] [--sets 10000] [--every-n]

Everything about 0/1 rates is exact enumeration. Fractional rates are simulated, with a seed; the
Monte-Carlo error is printed. The output is Markdown, as in docs/statistics.md.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import rivals
import simulated
from scipy import special, stats
from simulated import Population

from gate.stats.f1 import f1_interval
from gate.stats.interval import FloatArray
from gate.stats.newcombe import newcombe
from gate.stats.passing import delta_pass_probability
from gate.stats.proportion import rate_interval
from gate.stats.slices import delta_intervals

SIZES = (20, 22, 40, 56, 80, 160, 200, 320, 400)
MOST = 0.15
BOTH_UNSAFE = 0.03
"""Share of behaviors unsafe on both sides, which only Newcombe's interval looks at."""
POPULATIONS = (
    Population("noise, 5 % unsafe", noise=(0.2, 3.8)),
    Population("noise, 20 % unsafe", noise=(1, 4)),
    Population("+2 pt, whole flips", broken=0.02),
    Population("+5 pt, whole flips", broken=0.05),
    Population("+10 pt, whole flips", broken=0.10),
    Population("+4 pt, whole flips both ways", fixed=0.01, broken=0.05),
    Population("noise, and +2 pt", noise=(0.2, 3.8), broken=0.02),
    Population("noise, and +5 pt", noise=(0.2, 3.8), broken=0.05),
    Population("noise, and +3 pt both ways", noise=(0.2, 3.8), fixed=0.02, broken=0.05),
    Population("slight noise, and +5 pt", noise=(1, 30), broken=0.05),
    Population("flips in part, +2.5 pt", broken=0.05, size=(1, 1)),
    Population("flips in part, +1.5 pt both ways", fixed=0.05, broken=0.10, size=(0.3, 0.7)),
)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a Markdown table."""
    lines = [header, ["---"] + ["--:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def percent(value: float, digits: int = 2) -> str:
    """Print a share in percent."""
    return f"{100 * value:.{digits}f}"


def uppers(n: int) -> dict[str, FloatArray]:
    """Return each bound's upper end for each number of fixed and broken behaviors that matters."""
    most = min(n, int(stats.binom.isf(1e-12, n, MOST)) + 1)
    fixed, broken = (x.ravel() for x in np.mgrid[: most + 1, : most + 1])
    possible = fixed + broken <= n
    fixed, broken = fixed[possible], broken[possible]
    size = np.full_like(fixed, n)

    def own(bound: str) -> FloatArray:
        return delta_intervals(fixed, broken, size, confidence=0.95, bound=bound).upper

    both = round(BOTH_UNSAFE * n)
    flips = zip(fixed.tolist(), broken.tolist(), strict=True)
    squared = [newcombe(b, c, max(min(both, n - b - c), 0), n, 0.95)[1] for b, c in flips]
    ends = {
        "score (default)": own("score"),
        "exact": own("exact"),
        "newcombe": np.array(squared),
        "bootstrap": own("bootstrap"),
        "Agresti-Min": rivals.agresti_min(fixed, broken, n, 0.95)[1],
        "Bonett-Price": rivals.bonett_price(fixed, broken, n, 0.95)[1],
        "Wald": rivals.wald(fixed, broken, n, 0.95)[1],
        "Student's t": rivals.clt_t(fixed, broken, n, 0.95)[1],
    }
    return {"fixed": fixed, "broken": broken} | ends


def misses(
    n: int, ends: dict[str, FloatArray], step: float
) -> Iterator[tuple[float, dict[str, float]]]:
    """Yield the true change and how often each bound lies below it, over the grid."""
    fixed, broken = ends["fixed"], ends["broken"]
    rest = n - fixed - broken
    ways = special.gammaln(n + 1) - sum(special.gammaln(x + 1) for x in (fixed, broken, rest))
    shares = np.arange(0.0, MOST + step / 2, step)
    for down in shares:
        for up in shares:
            logs = special.xlogy(fixed, down) + special.xlogy(broken, up)
            pmf = np.exp(ways + logs + special.xlogy(rest, 1.0 - down - up))
            change = up - down
            yield (
                change,
                {
                    name: float(pmf[upper < change - 1e-9].sum())
                    for name, upper in ends.items()
                    if name not in ("fixed", "broken")
                },
            )


def paired(step: float) -> None:
    """Print the tables for a change of 0/1 rates."""
    worst, mean, below = [], [], []
    for n in SIZES:
        found = list(misses(n, uppers(n), step))
        names = list(found[0][1])
        up = [miss for change, miss in found if change >= -1e-12]
        down = [miss for change, miss in found if change < -1e-12]
        worst.append([str(n), *(percent(max(m[name] for m in up)) for name in names)])
        mean.append([str(n), *(percent(float(np.mean([m[name] for m in up]))) for name in names)])
        below.append([str(n), *(percent(max(m[name] for m in down)) for name in names)])
    print(f"Paired change, grid of {percent(step)} points up to {percent(MOST, 0)} % each way.\n")
    for title, rows in (
        ("Largest miss in %, true changes of 0 and above (margins of 0 and above)", worst),
        ("Mean miss in %, the same points", mean),
        ("Largest miss in %, true changes below 0 (margins below 0)", below),
    ):
        print(f"{title}\n\n{table(['n', *names], rows)}")


def every_n(step: float) -> None:
    """Search all sizes from 20 to 400 for the default bound's largest miss."""
    shares = np.arange(0.0, MOST + step / 2, step)
    worst = (0.0, 0, 0.0, 0.0)
    for n in range(20, 401):
        for down in shares:
            for up in shares[shares >= down]:
                margin = float(up - down) - 2e-9
                miss = delta_pass_probability(n, down, up, margin=margin, confidence=0.95)
                worst = max(worst, (miss, n, down, up))
    miss, n, down, up = worst
    print(
        f"Of all n from 20 to 400 the default bound misses most at n = {n}, {percent(down)} % "
        f"fixed and {percent(up)} % broken: {percent(miss)} %.\n"
    )


def levels() -> None:
    """Print the tables for ceilings and floors."""
    bounds = ("score", "wilson", "jeffreys", "bootstrap")
    rates = np.arange(0.002, 0.5001, 0.001)
    rows: dict[str, list[list[str]]] = {"ceilings": [], "floors": []}
    for n in (4, *SIZES):
        ends = {bound: _rate_ends(n, bound) for bound in bounds}
        pmf = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
        mirrored = pmf[::-1]
        for kind, weights, beyond in (
            ("ceilings", pmf, {b: ends[b][1][:, None] < rates - 1e-9 for b in bounds}),
            ("floors", mirrored, {b: ends[b][0][:, None] > 1 - rates + 1e-9 for b in bounds}),
        ):
            missed = {b: (weights * beyond[b]).sum(axis=0) for b in bounds}
            cells = (f"{percent(m.max())} ({percent(m.mean())})" for m in missed.values())
            rows[kind].append([str(n), *cells])
    names = ["n", "score, exact (default)", *bounds[1:]]
    for kind, span in (("ceilings", "rates of 0.2 to 50"), ("floors", "shares of 50 to 99.8")):
        title = f"{kind.capitalize()}: largest (mean) miss in %, {span} %"
        print(f"{title}\n\n{table(names, rows[kind])}")


def _rate_ends(n: int, bound: str) -> tuple[FloatArray, FloatArray]:
    ones = np.ones(n, dtype=np.int64)
    found = [
        rate_interval((np.arange(n) < x).astype(np.int64), ones, confidence=0.95, bound=bound)
        for x in range(n + 1)
    ]
    return np.array([i.lower for i in found]), np.array([i.upper for i in found])


def f1_floors() -> None:
    """Print the table for floors on F1, with the unsafe records a random half of all."""
    bounds = ("score", "wilson", "jeffreys", "bayes", "bootstrap")
    rows = []
    for n in (40, 100, 569):
        for value in (0.545, 0.724, 0.85, 0.95, 0.985):
            # The bootstrap of hundreds of records takes minutes, and tells nothing new.
            missed = [
                percent(_f1_miss(n, value, bound)) if n <= 100 or bound != "bootstrap" else ""
                for bound in bounds
            ]
            rows.append([f"{n}, {value}", *missed])
    names = ["records, F1", "score, exact (default)", *bounds[1:]]
    print(f"F1 floors: miss in %, recall equal to precision\n\n{table(names, rows)}")


def _f1_miss(n: int, value: float, bound: str) -> float:
    """Sum up the chance that the lower end lies above the true F1."""
    unsafe = 300 / 569
    counted, jaccard = unsafe * (2.0 - value), value / (2.0 - value)
    sizes = np.arange(1, n + 1)
    weights = stats.binom.pmf(sizes, n, counted)
    total = 0.0
    for m, weight in zip(sizes.tolist(), weights.tolist(), strict=True):
        if weight > 1e-9:
            least = _first_beyond(m, n - m, value, bound)
            total += weight * float(stats.binom.sf(least - 1, m, jaccard))
    return total


def _first_beyond(m: int, tn: int, value: float, bound: str) -> int:
    low, high = -1, m + 1
    while high - low > 1:
        tp = (low + high) // 2
        lower = f1_interval(tp, m - tp, 0, tn=tn, confidence=0.95, bound=bound).lower
        low, high = (low, tp) if lower > value + 1e-9 else (tp, high)
    return high


def fractional(sets: int) -> None:
    """Print the table for a change of fractional rates, by simulation."""
    rng = np.random.default_rng(20_250_701)
    rows = []
    for n, k in ((40, 5), (80, 5), (80, 10), (320, 5)):
        for population in POPULATIONS:
            change = population.draw(rng, sets, n, k)
            ends = simulated.uppers(change, k)
            simulated.check(change[:3], k, ends)
            cells = []
            for upper in ends.values():
                missed = float((upper < population.increase - 1e-9).mean())
                width = float((upper - change.mean(axis=1) / k).mean())
                cells.append(f"{percent(missed, 1)} ({percent(width, 1)})")
            rows.append([f"{n} x {k}: {population.name}", *cells])
    error = (0.025 * 0.975 / sets) ** 0.5
    print(
        f"Change of fractional rates: miss in % (mean distance of the upper end in points), "
        f"{sets} sets, Monte-Carlo error {percent(error)} at 2.5 %\n"
    )
    print(table(["behaviors x test cases", *ends], rows))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=float, default=0.0025, help="of the grid, as a fraction")
    parser.add_argument("--sets", type=int, default=10_000, help="simulated for fractional rates")
    parser.add_argument("--every-n", action="store_true", help="search all n from 20 to 400 too")
    given = parser.parse_args()
    sections: list[Callable[[], None]] = [
        lambda: paired(given.step),
        levels,
        f1_floors,
        lambda: fractional(given.sets),
    ]
    for section in sections:
        section()
    if given.every_n:
        every_n(given.step)


if __name__ == "__main__":
    main()

"""What importing the statistics costs."""

import pkgutil
import subprocess
import sys

import gate.stats

HEAVY = ("scipy.stats", "scipy.optimize", "scipy.integrate", "pandas", "torch")


def test_importing_all_of_it_loads_nothing_heavy() -> None:
    """All modules together load numpy and scipy.special, and nothing that takes long."""
    names = [module.name for module in pkgutil.iter_modules(gate.stats.__path__, "gate.stats.")]
    assert "gate.stats.paired" in names
    code = (
        "import sys\n"
        + "".join(f"import {name}\n" for name in names)
        + f"print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

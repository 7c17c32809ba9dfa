# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of perf_paper, for markdown_table.py."""

from bench_results import Case, entries_by_case, section, size, table

CONTENDERS = {
    "shuffle": "warp shuffles",
    "cub_half": "CUB, half sums",
    "cub": "CUB",
    "cub_float": "CUB, floats",
    "kokkos": "Kokkos",
    "kokkos_half": "Kokkos, half sums",
    "wmma_recurrence": "recurrence, wmma",
    "wmma_single_pass": "single pass, wmma",
    "wmma_split": "split, wmma",
    "mma_recurrence": "recurrence, library",
    "mma_single_pass": "single pass, library",
    "mma_split": "split, library",
    "mma_chained": "chained, library",
    "global": "global memory",
    "shared": "shared memory",
    "mma": "mma",
    "streamed": "streamed",
    "packed": "packed bits",
    "library": "library",
}
LIBRARY = ("library", "mma", "streamed", "packed")


class Papers:
    """The cases of perf_paper that ran: task -> [(contender and type, words, numbers of the name, Case)]."""

    def __init__(self, document):
        self.tasks = {}
        for path, group in entries_by_case(document).items():
            case = Case(group)
            if not path[0].startswith("paper_") or case.label.startswith("refused") or case.error:
                continue
            words = tuple(p for p in path[3:] if ":" not in p)
            numbers = {key: int(value) for key, _, value in (p.partition(":") for p in path[1:] if ":" in p)}
            where = path[1] if path[0] == "paper_model" else tuple(path[1:3])
            self.tasks.setdefault(path[0], []).append((where, words, numbers, case))

    def of(self, task):
        return self.tasks.get(task, [])


def title(contender):
    return CONTENDERS.get(contender, contender)


def in_order(contenders):
    known = list(CONTENDERS)
    return sorted(set(contenders), key=lambda c: known.index(c) if c in known else len(known))


def billions(case):
    return case.value("elements_per_second") * 1e-9


def figure(value):
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratio(a, b):
    return "-" if not a or not b else f"{a / b:.2f}"


def chain_lines(papers):
    cases = papers.of("paper_chain")
    if not cases:
        return []
    n = max(numbers["n"] for _, _, numbers, _ in cases)
    rates, references = {}, {}
    for (contender, value_type), _, numbers, case in cases:
        if "R" in numbers:
            rates.setdefault((contender, numbers["B"]), {})[numbers["R"]] = case
        else:
            references[contender, numbers.get("B"), value_type] = case
    lines = []
    chains = sorted({r for found in rates.values() for r in found})
    if chains:
        rows = []
        for contender in in_order(c for c, _ in rates):
            for block in sorted(b for c, b in rates if c == contender):
                found = rates[contender, block]
                rows.append([title(contender), str(block)] + [figure(billions(found[r])) if r in found else "-" for r in chains])
        lines += [f"## Chains: sums of {size(n)} normal halves, 10^9 elements per second", ""]
        lines += table(["formulation", "B"] + [f"R = {r}" for r in chains], rows)
    if references:
        rows = [[title(c), str(block or "-"), t, f"{case.microseconds * 1e-3:.3f}", figure(billions(case))]
                for (c, block, t), case in references.items()]
        lines += ["What they are compared with:", ""] + table(["", "B", "elements", "ms", "10^9 elements per second"], rows)

    def best(contender):
        found = [case for (c, _, _), case in references.items() if c == contender]
        return min((case.microseconds for case in found), default=None)

    against = [c for c in ("shuffle", "cub_half", "cub", "cub_float") if best(c)]
    rows = []
    for contender in in_order(c for c, _ in rates):
        case, block, chain = min(((case, b, r) for (c, b), found in rates.items() if c == contender for r, case in found.items()),
                                 key=lambda found: found[0].microseconds)
        rows.append([title(contender), str(block), str(chain), f"{case.microseconds * 1e-3:.3f}", f"{case.bytes_per_second * 1e-9:.0f}"]
                    + [ratio(best(c), case.microseconds) for c in against] + [f"{case.value('model_speedup'):.2f}"])
    if rows:
        lines += ["## Chains: the fastest B and R of each, and speed-up", ""] + table(
            ["formulation", "B", "R", "ms", "GB/s"] + [f"over {title(c)}" for c in against] + ["by the model, over a sum by pairs"], rows)
    return lines


def error_lines(papers):
    lines = []
    found = {}
    for (contender, value_type), words, numbers, case in papers.of("paper_error"):
        found.setdefault((words[0], value_type), {}).setdefault(contender, {})[numbers["n"]] = case
    # Of uniform data the sum is that of the magnitudes.
    kinds = [("relative_error", "the sum", ("uniform", "normal")), ("error_over_magnitudes", "the sum of magnitudes", ("normal",))]
    for field, over, distributions in kinds:
        sizes = sorted({n for (d, _), contenders in found.items() if d in distributions for cases in contenders.values() for n in cases})
        rows = []
        for (distribution, value_type), contenders in found.items():
            if distribution not in distributions:
                continue
            for contender in in_order(contenders):
                cells = []
                for n in sizes:
                    case = contenders[contender].get(n)
                    if case is None:
                        cells.append("-")
                    else:
                        cells.append(f"{case.value(field):.1e}" if case.value("finite") else "not finite")
                rows.append([distribution, value_type, title(contender)] + cells)
        lines += section(f"Error over {over}, against double", ["data", "type", ""] + [size(n) for n in sizes], rows)
    return lines


def automata(papers):
    found = {}
    for (contender, _), _, numbers, case in papers.of("paper_automaton"):
        found.setdefault((numbers["r"], numbers["side"]), {})[contender] = case
    return found


def automaton_lines(papers):
    found = automata(papers)
    if not found:
        return []
    names = in_order(c for contenders in found.values() for c in contenders)
    baselines = [c for c in ("global", "shared") if c in names]
    rows = []
    for (radius, side), contenders in sorted(found.items()):
        own = [billions(case) for c, case in contenders.items() if c in LIBRARY]
        cells = [figure(billions(contenders[c])) if c in contenders else "-" for c in names]
        cells += [ratio(max(own), billions(contenders[c])) if own and c in contenders else "-" for c in baselines]
        model = next(iter(contenders.values())).value("model_speedup")
        rows.append([str(radius), f"{side} x {side}"] + cells + [f"{model:.0f}"])
    return ["## Automata of two states on a torus of bytes, 10^9 cells per second", ""] + table(
        ["r", "grid"] + [title(c) for c in names] + [f"library over {title(c)}" for c in baselines] + ["by the model"], rows)


def energy_lines(papers):
    found = {}
    for (contender, value_type), words, numbers, case in papers.of("paper_energy"):
        what = "sum" if words[0] == "reduce" else f"automaton, r = {numbers['r']}"
        found.setdefault(what, []).append((contender, value_type, case))
    rows = []
    for what, cases in found.items():
        own = next((case for c, _, case in cases if c in ("library", "packed")), None)
        own = own or next((case for c, _, case in cases if c == "mma"), None)
        for contender, value_type, case in cases:
            rows.append([what, title(contender), value_type, figure(billions(case)), f"{case.watts:.0f}", f"{case.joules * 1e12:.1f}",
                         ratio(case.joules, own.joules if own else None)])
    return section(
        "Energy (NVML, a steady second, the whole board)",
        ["", "contender", "type", "10^9 elements per second", "W", "pJ per element", "against the library"], rows)


def model_lines(papers):
    lines = []
    sums = [(numbers, case) for where, _, numbers, case in papers.of("paper_model") if where == "reduce"]
    measured, shuffles = {}, None
    for (contender, _), _, numbers, case in papers.of("paper_chain"):
        if contender == "shuffle":
            shuffles = min(shuffles or case.microseconds, case.microseconds)
        elif contender.endswith("single_pass"):
            key = contender, numbers["R"]
            measured[key] = min(measured.get(key, case.microseconds), case.microseconds)
    forms = in_order(c for c, _ in measured)
    rows = []
    for numbers, case in sums:
        rows.append([str(numbers["R"]), f"{case.value('model_steps'):.1f}", f"{case.value('model_speedup'):.2f}"]
                    + [ratio(shuffles, measured.get((c, numbers["R"]))) for c in forms])
    if rows:
        lines += [f"## Model of a sum: T_R(n) = (2R + 3) log_(256 R) n for {size(sums[0][0]['n'])}", ""] + table(
            ["R", "steps", "speed-up over 4 log_2 n"] + [f"measured over warp shuffles: {title(c)}, best B" for c in forms], rows)
    found = automata(papers)
    rows = []
    for where, _, numbers, case in papers.of("paper_model"):
        if where != "automaton":
            continue
        sides = {side: contenders for (r, side), contenders in found.items() if r == numbers["r"] and {"global", "mma"} <= set(contenders)}
        widest = sides[max(sides)] if sides else None
        over = ratio(billions(widest["mma"]), billions(widest["global"])) if widest else "-"
        rows.append([str(numbers["r"]), f"{case.value('model_reads'):.0f}", f"{case.value('model_staged_reads'):.2f}",
                     f"{case.value('model_products'):.0f}", f"{case.value('model_speedup'):.0f}", over])
    return lines + section(
        "Model of a generation, blocks of 16 x 16",
        ["r", "reads of a cell", "staged in shared memory", "products of a block", "speed-up over reads", "measured, mma over global memory"], rows)


def lines_of(document):
    papers = Papers(document)
    lines = chain_lines(papers) + error_lines(papers)
    lines += automaton_lines(papers) + energy_lines(papers)
    return lines + model_lines(papers)

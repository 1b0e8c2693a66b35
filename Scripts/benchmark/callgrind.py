"""Reads what valgrind's callgrind writes, and shares it out among stages."""
import re
from collections import defaultdict

# Rounds in which shares travel along calls; deeper than any chain of calls that costs something.
ROUNDS = 60


class CallGraph:
    """Instructions of each function itself, and those of its calls, by the names of functions."""

    def __init__(self, path):
        self.own = defaultdict(int)
        # callers[callee][caller]: what the calls cost, with all that they call.
        self.callers = defaultdict(lambda: defaultdict(int))
        with open(path) as lines:
            self.read(lines)

    def read(self, lines):
        names, function, callee, is_call = {}, None, None, False
        for line in lines:
            found = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
            if found:
                number, name = found.groups()
                if name:
                    # Levels of a recursion are one function.
                    names[number] = re.sub(r"'\d+$", "", name.strip())
                if line.startswith("c"):
                    callee = names[number]
                else:
                    function = names[number]
            elif line.startswith("calls="):
                is_call = True
            elif re.match(r"[+\-*\d]", line):
                cost = int(line.split()[1])
                if not is_call:
                    self.own[function] += cost
                elif callee != function:
                    self.callers[callee][function] += cost
                is_call = False

    def by_stage(self, fixed, usual, rest):
        """Instructions by stage. A function belongs to the stages of its callers, as far as each calls it, but

        - fixed(name): the stage that it has whoever calls it, or None;
        - usual(name): the stage that it has instead of one that cannot call it, and the stages that can; or None.
        - rest: the name for what has no stage.
        """
        functions = {*self.own, *self.callers}
        shares, free = {}, []
        for name in functions:
            stage = fixed(name)
            own, kin = usual(name) or (rest, None)
            shares[name] = {stage or own: 1.0}
            callers = [(caller, cost) for caller, cost in self.callers.get(name, {}).items() if cost]
            if not stage and callers:
                free.append((name, own, kin, callers, sum(cost for _, cost in callers)))
        for _ in range(ROUNDS):
            for name, own, kin, callers, whole in free:
                share = defaultdict(float)
                for caller, cost in callers:
                    for stage, part in shares[caller].items():
                        share[stage if kin is None or stage in kin else own] += part * cost / whole
                shares[name] = share
        result = defaultdict(float)
        for name, cost in self.own.items():
            for stage, part in shares[name].items():
                result[stage] += cost * part
        return result

"""Writes random.json: small random definitions in the format of twsearch, each with the
number of states at each depth, counted by this program alone.

    python3 random.py > random.json

It shares nothing with Everystate: states are tuples in a set, and a line of a definition
means what the format's description says. Definitions have sets of places with turns, pieces
that look alike, turns that are ignored (?), blocked pieces (Illegal), aliases, sequences
(also of moves that are defined later), rotations, and moves in both forms (Move,
MoveTransformation). Metrics: htm, any multiple of a move is a move; qtm, a move or its
inverse.
"""

import json
import random

STATES_MAX = 4000


def definition(rng):
    """Returns a definition as (sets, solved, illegal, statements)."""
    sets = [("S%d" % i, rng.randint(2, 5), rng.choice([1, 1, 2, 3])) for i in range(rng.randint(1, 3))]
    solved = []
    for _, places, turns in sets:
        kinds = list(range(1, places + 1))
        if rng.random() < 0.4:  # some look alike
            kinds = sorted(rng.randint(1, places - 1) for _ in range(places))
            names = {k: i + 1 for i, k in enumerate(sorted(set(kinds)))}
            kinds = [names[k] for k in kinds]
        ignored = {k for k in kinds if turns > 1 and rng.random() < 0.25}
        solved.append((kinds, ["?" if k in ignored else 0 for k in kinds]))
    illegal = []
    if rng.random() < 0.3:
        at = rng.randrange(len(sets))
        kinds, place = solved[at][0], rng.randrange(sets[at][1])
        pieces = sorted({k for k in kinds if k != kinds[place] and rng.random() < 0.5})
        if pieces:
            illegal.append((at, place, pieces))
    statements, names = [], []
    for name in "ABC"[: rng.randint(1, 3)]:
        change = {}
        for at, (_, places, turns) in enumerate(sets):
            if rng.random() < 0.7 or not change and at == len(sets) - 1:
                moved = rng.sample(range(places), min(places, rng.randint(2, 3)))
                source = list(range(places))
                for i, place in enumerate(moved):
                    source[place] = moved[(i + 1) % len(moved)]
                change[at] = (source, [rng.randrange(turns) if p in moved else 0 for p in range(places)])
        statements.append((rng.choice(["Move", "Move", "MoveTransformation"]), name, change))
        names.append(name)
    for kind, name in (("MoveSequence", "D"), ("MoveAlias", "E"), ("MoveSequence", "x")):
        if rng.random() < 0.4:
            steps = [rng.choice(names) + rng.choice(["", "'", "2"]) for _ in range(1 if kind == "MoveAlias" else rng.randint(2, 3))]
            statements.insert(rng.randint(0, len(statements)), (kind, name, steps))
    return sets, solved, illegal, statements


def text(sets, solved, illegal, statements):
    lines = ["Name Random"] + ["Set %s %d %d" % s for s in sets] + ["", "Solved"]
    for (name, _, turns), (kinds, turned) in zip(sets, solved):
        lines += [name, " ".join(map(str, kinds)), " ".join(map(str, turned))]
    lines += ["End", ""]
    for at, place, pieces in illegal:
        lines.append("Illegal %s %d %s" % (sets[at][0], place + 1, " ".join(map(str, pieces))))
    for kind, name, what in statements:
        if kind in ("MoveSequence", "MoveAlias"):
            lines.append("%s %s %s" % (kind, name, " ".join(what)))
            continue
        lines.append("%s %s" % (kind, name))
        for at, (source, by) in what.items():
            first = 1 if kind == "Move" else 0
            listed = list(by)
            if kind == "Move":  # turns are listed by the place that a piece comes from
                for place, origin in enumerate(source):
                    listed[origin] = by[place]
            lines += [sets[at][0], " ".join(str(p + first) for p in source), " ".join(map(str, listed))]
        lines.append("End")
    return "\n".join(lines) + "\n"


def then(a, b, sets):
    """Does a, then b. A move is, by set, a list of (source, turn)."""
    return [[(a[at][p][0], (a[at][p][1] + t) % turns) for p, t in b[at]] for at, (_, _, turns) in enumerate(sets)]


def identity(sets):
    return [[(p, 0) for p in range(places)] for _, places, _ in sets]


def powers(move, sets):
    """All multiples of a move but the one that does nothing."""
    found, at = [], move
    while at != identity(sets):
        found.append(at)
        at = then(at, move, sets)
    return found


def layers(sets, solved, illegal, statements, metric):
    moves = {}
    for kind, name, what in statements:
        if kind in ("Move", "MoveTransformation"):
            moves[name] = identity(sets)
            for at, (source, by) in what.items():
                moves[name][at] = list(zip(source, by))
    generators = dict(moves)
    for kind, name, what in statements:
        if kind == "MoveSequence" and name != "x":  # x is a rotation, E another name
            done = identity(sets)
            for step in what:
                all_of = powers(moves[step[0]], sets)
                by = {"": 0, "'": -1, "2": 1}[step[1:]]
                if by < len(all_of):
                    done = then(done, all_of[by], sets)
            generators[name] = done
    effects = set()
    for move in generators.values():
        multiples = powers(move, sets)
        if metric == "qtm":
            multiples = [multiples[0], multiples[-1]] if multiples else []
        effects.update(tuple(map(tuple, m)) for m in multiples)

    ignored = [{k for k, t in zip(*s) if t == "?"} for s in solved]
    start = tuple(tuple((k, 0) for k in kinds) for kinds, _ in solved)

    def seen_as(state):
        return tuple(tuple((k, None if k in ignored[at] else t) for k, t in part) for at, part in enumerate(state))

    def allowed(state):
        return all(state[at][place][0] not in pieces for at, place, pieces in illegal)

    # Where turns are ignored, any representative has the same moves.
    known, layer, counts = {seen_as(start)}, [start], []
    while layer:
        counts.append(len(layer))
        if len(known) > STATES_MAX:
            return None
        after = []
        for state in layer:
            for move in effects:
                new = tuple(
                    tuple((part[p][0], (part[p][1] + t) % turns) for p, t in move[at])
                    for at, (part, (_, _, turns)) in enumerate(zip(state, sets))
                )
                if allowed(new) and seen_as(new) not in known:
                    known.add(seen_as(new))
                    after.append(new)
        layer = after
    return counts


def main():
    records, seed = [], 0
    while len(records) < 80:
        seed += 1
        rng = random.Random(seed)
        d = definition(rng)
        metric = rng.choice(["htm", "qtm"])
        counts = layers(*d, metric)
        if counts and sum(counts) >= 12:
            records.append({"id": "random-%d" % seed, "metric": metric, "definition": text(*d), "layers": counts})
    print("[\n" + ",\n".join(json.dumps(r) for r in records) + "\n]")


main()

"""An advice as people read it on a terminal, in the language they asked for; notes and evidence stay in English."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from trucostats.cli.output import Part

if TYPE_CHECKING:
    from trucostats.advisor.advise import Advice
    from trucostats.advisor.position import Position
    from trucostats.advisor.why import Language
    from trucostats.solver.live import Utility

WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "decides": "{who} decides with {cards}",
        "options": "action|points|±|match|wins hand|equilibrium",
        "exact": "exact",
        "solved": "solved (exploitability {gap}, {n} iterations)",
        "blueprint": "blueprint (exploitability {gap}, {n} iterations)",
        "in points": "{gap} points a hand",
        "in match": "{gap} of matches",
        "heuristic": "heuristic",
        "quiero": "Quiero wins {win}; it needs {points} in points",
        "match": ", {match} at this score",
        "chance": "Chance to win after quiero {chances}.",
        "cards": "against all he may have been dealt",
        "envido": "against what fits the words about the envido",
        "play": "against what fits what he did",
        "bluff": "Hands you beat: {needed} of his range needed, {share} there.",
        "range": "THE RIVAL'S RANGE, by the best card he still holds",
        "classes": "best card|share|by the cards alone|you win",
        "status": "Status: {status}.",
        "note": "Note: {text}.",
    },
    "es": {
        "decides": "{who} decide con {cards}",
        "options": "acción|puntos|±|partido|gana la mano|equilibrio",
        "exact": "exacto",
        "solved": "resuelto (explotable en {gap}, {n} iteraciones)",
        "blueprint": "tabla ya resuelta (explotable en {gap}, {n} iteraciones)",
        "in points": "{gap} puntos por mano",
        "in match": "{gap} de los partidos",
        "heuristic": "heurística",
        "quiero": "Con quiero se gana el {win}; hace falta el {points} en puntos",
        "match": ", el {match} con este tanteador",
        "chance": "Probabilidad de ganar con quiero: {chances}.",
        "cards": "contra todo lo que pudo recibir",
        "envido": "contra lo que concuerda con lo dicho del envido",
        "play": "contra lo que concuerda con lo que hizo",
        "bluff": "Manos que vencés: hace falta el {needed} de las suyas, y son el {share}.",
        "range": "LAS MANOS DEL RIVAL, según la mejor carta que le queda",
        "classes": "mejor carta|parte|solo por las cartas|ganás",
        "status": "Respuesta: {status}.",
        "note": "Nota (en inglés): {text}.",
    },
    "pt": {
        "decides": "{who} decide com {cards}",
        "options": "ação|pontos|±|partida|ganha a mão|equilíbrio",
        "exact": "exato",
        "solved": "resolvido (explorável em {gap}, {n} iterações)",
        "blueprint": "tabela já resolvida (explorável em {gap}, {n} iterações)",
        "in points": "{gap} pontos por mão",
        "in match": "{gap} das partidas",
        "heuristic": "heurística",
        "quiero": "Com quero ganha-se {win}; são precisos {points} em pontos",
        "match": ", {match} neste placar",
        "chance": "Chance de ganhar com quero: {chances}.",
        "cards": "contra tudo o que pôde receber",
        "envido": "contra o que combina com o que se disse do envido",
        "play": "contra o que combina com o que ele fez",
        "bluff": "Mãos que você vence: são precisos {needed} das dele, e há {share}.",
        "range": "AS MÃOS DO RIVAL, pela melhor carta que lhe resta",
        "classes": "melhor carta|parte|só pelas cartas|você ganha",
        "status": "Resposta: {status}.",
        "note": "Nota (em inglês): {text}.",
    },
}
CLASSES: Final = 8


def percent(share: float | None) -> str:
    """Return a share in words; nothing for one that is not known."""
    return "" if share is None or not isfinite(share) else f"{round(100 * share, 1) + 0.0:.1f} %"  # no -0.0


def advice_page(advice: Advice, lang: Language) -> list[Part]:
    """Return an advice as texts and tables."""
    words = WORDS[lang]
    rows = [
        (
            option.action, f"{option.points:+.3f}", _error(option.error, advice.utility), percent(option.match), percent(option.win),
            percent(option.frequency),
        )
        for option in advice.ranked
    ]  # fmt: skip
    parts: list[Part] = [f"{_header(advice.position, words)}\n{advice.why(lang)}", (words["options"].split("|"), rows)]
    parts += _quiero(advice, words)
    if advice.range:
        held = [(part.best, percent(part.share), percent(part.prior), percent(part.win)) for part in advice.range]
        parts += [words["range"], (words["classes"].split("|"), held[:CLASSES])]
    if advice.evidence is not None:
        parts.append(_told(advice.evidence.to_dict()))
    gap = advice.exploitability or 0
    gap_told = words[f"in {advice.utility}"].format(
        gap=f"{100 * gap:.2g} %" if advice.utility == "match" else f"{gap:.2g}"
    )
    status = words[advice.status].format(gap=gap_told, n=advice.iterations)
    notes = [words["note"].format(text=text) for text in advice.notes]
    parts.append("\n".join([words["status"].format(status=status), *notes]))
    return parts


def _error(error: float | None, utility: Utility) -> str:
    """Return what is left open of an option, in points, or in chances to win the match where the players play for it."""
    if error is None:
        return ""
    return f"{100 * error:.2f} %" if utility == "match" else f"{error:.3f}"


def _header(position: Position, words: dict[str, str]) -> str:
    said = words["decides"].format(who=position.who, cards=" ".join(position.cards()))
    return f"{position.source}: {said}"


def _quiero(advice: Advice, words: dict[str, str]) -> list[Part]:
    """Return what the chance to win after quiero is, and what it has to be."""
    take = advice.take_point
    if advice.p_win is None or take["points"] is None:
        return []
    needs = words["quiero"].format(win=percent(advice.p_win), points=percent(take["points"]))
    if take["match"] is not None:
        needs += words["match"].format(match=percent(take["match"]))
    lines = [f"{needs}."]
    if advice.chances:
        known = [
            f"{words[name]} {percent(chance)}"
            for name, chance in advice.chances.items()
            if chance is not None and (name != "envido" or chance != advice.chances["cards"])
        ]
        lines.append(words["chance"].format(chances=", ".join(known)))
    if advice.bluff_needed is not None:
        lines.append(words["bluff"].format(needed=percent(advice.bluff_needed), share=percent(advice.bluff_share)))
    return ["\n".join(lines)]


def _told(found: dict[str, Any]) -> str:
    if not found.get("n"):
        return f"Evidence: none ({found.get('reason') or 'no such spot in the tables'})."
    low, high = percent(found["low"]), percent(found["high"])
    return f"Evidence: {found['where']}: {found['x']} of {found['n']} ({low} to {high}); cards: {found['selection']}."


__all__ = ["advice_page", "percent"]

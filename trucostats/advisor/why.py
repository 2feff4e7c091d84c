"""The reason for an advice in one sentence of a language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from trucostats.solver.live import Option
from trucostats.vocab import ENVIDO_CALLS

Language = Literal["en", "es", "pt"]
CLOSE: Final = 0.02  # points: below this two options are as good

_ACCEPT: Final = {
    "en": "{best}: you win the hand {win} of the time after quiero and need {take}{bluff}.",
    "es": "{best}: con quiero ganás la mano el {win} de las veces y hace falta el {take}{bluff}.",
    "pt": "{best}: com quero você ganha a mão em {win} das vezes e precisa de {take}{bluff}.",
}
_BLUFF: Final = {
    "en": "; the rival would have to hold a hand you beat {needed} of the time, and does {share}",
    "es": "; el rival tendría que tener una mano que vencés el {needed} de las veces, y la tiene el {share}",
    "pt": "; o rival teria de ter uma mão que você vence em {needed} das vezes, e tem em {share}",
}
_DESPITE: Final = {
    "en": "{best}: quiero is worth {quiero} points, no-quiero {refuse}. The chance alone, {win} where {take} is needed, says otherwise: raises to "
    "come win and lose more than what is at stake now.",
    "es": "{best}: quiero vale {quiero} puntos, no-quiero {refuse}. El porcentaje solo, {win} donde hace falta el {take}, dice otra cosa: con los "
    "aumentos que vienen se gana y se pierde más de lo que se juega ahora.",
    "pt": "{best}: quero vale {quiero} pontos, não quero {refuse}. A chance sozinha, {win} onde é preciso {take}, diz outra coisa: com os aumentos "
    "que vêm ganha-se e perde-se mais do que vale agora.",
}
_BETTER: Final = {
    "en": "{best} is worth {worth} points, {gain} more than {second}.",
    "es": "{best} vale {worth} puntos, {gain} más que {second}.",
    "pt": "{best} vale {worth} pontos, {gain} a mais que {second}.",
}
_EVEN: Final = {
    "en": "{best} and {second} are worth about the same, {worth} points.",
    "es": "{best} y {second} valen casi lo mismo, {worth} puntos.",
    "pt": "{best} e {second} valem quase o mesmo, {worth} pontos.",
}
_MATCH: Final = {
    "en": "{best} wins the match {chance} of the time, {second} {other}; it is not what brings most points.",
    "es": "{best} gana el partido el {chance} de las veces, {second} el {other}; no es lo que da más puntos.",
    "pt": "{best} ganha a partida em {chance} das vezes, {second} em {other}; não é o que dá mais pontos.",
}
_ONLY: Final = {
    "en": "{best} is all there is to do; it is worth {worth} points.",
    "es": "{best} es lo único que hay; vale {worth} puntos.",
    "pt": "{best} é tudo o que há a fazer; vale {worth} pontos.",
}


def sentence(
    language: Language,
    ranked: Sequence[Option],
    win: float | None,
    take: float | None,
    needed: float | None,
    share: float | None,
) -> str:
    """Return why the first of some options, ranked by what they are worth, is the best: by the chance to win against what is
    needed, or by what the options are worth.

    `win` is the chance to win after quiero, `take` the chance that is needed. Where the best for the match is not what brings most
    points, the match is what is told.

    >>> leave, stay = Option("no-quiero", 1, -1, None, 0, 0), Option("quiero", 0, -2, None, 0.11, 0)
    >>> sentence("es", [leave, stay], 0.11, 1 / 6, None, None)
    'no-quiero: con quiero ganás la mano el 11 % de las veces y hace falta el 17 %.'
    """
    best, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    most = max(option.points for option in ranked)
    answers = {option.action: option for option in ranked if option.action in ("quiero", "no-quiero")}
    if win is not None and take is not None and best.action not in ENVIDO_CALLS:
        despite = best.action in answers and len(answers) > 1 and (win > take) != (best.action == "quiero")
        if not despite:
            bluff = (
                ""
                if needed is None or share is None
                else _BLUFF[language].format(needed=_percent(needed), share=_percent(share))
            )
            return _ACCEPT[language].format(best=best.action, win=_percent(win), take=_percent(take), bluff=bluff)
        quiero, refuse = answers["quiero"].points, answers["no-quiero"].points
        if (quiero > refuse) == (best.action == "quiero"):
            return _DESPITE[language].format(
                best=best.action,
                win=_percent(win),
                take=_percent(take),
                quiero=f"{quiero:+.2f}",
                refuse=f"{refuse:+.2f}",
            )
    if second is not None and best.match is not None and second.match is not None and best.points < most - CLOSE:
        return _MATCH[language].format(
            best=best.action, chance=_percent(best.match), second=second.action, other=_percent(second.match)
        )
    worth = f"{best.points:+.2f}"
    if second is None:
        return _ONLY[language].format(best=best.action, worth=worth)
    gain = best.points - second.points
    form = _EVEN if abs(gain) < CLOSE else _BETTER
    return form[language].format(best=best.action, worth=worth, gain=f"{gain:.2f}", second=second.action)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


__all__ = ["Language", "sentence"]

import type { CardWithOutages } from './card.ts'
import { type DetailLine, type DetailsModel, MOST_DETAILS } from './card-model.ts'
import type { Outage } from './outage.ts'

/** What the reply in the card's thread should say; undefined while there is nothing that the card does not say itself. */
export function detailsModel({ card, outages }: CardWithOutages): DetailsModel | undefined {
  const { acknowledged } = card
  const all: DetailLine[] = [
    ...outages.flatMap(linesOf),
    ...(acknowledged
      ? [{ at: acknowledged.at, what: 'acknowledged' as const, byName: acknowledged.name }]
      : []),
  ].sort((left, right) => left.at.getTime() - right.at.getTime())
  if (card.kind === 'blind' || card.kind === 'digest' || all.length < 2) return undefined
  const lines = all.slice(-MOST_DETAILS)
  const names = new Set(outages.map(({ check }) => check.uuid))
  const [first] = outages
  return {
    cardId: card.id,
    environment: card.environment,
    title: names.size === 1 && first ? first.check.name : `${names.size} health checks`,
    lines,
    leftOut: all.length - lines.length,
  }
}

function linesOf({ check, startedAt, endedAt, ending }: Outage): DetailLine[] {
  const down: DetailLine = { at: startedAt, what: 'down', check }
  if (!endedAt) return [down]
  const what = ending === undefined || ending === 'recovered' ? 'up' : ending
  return [down, { at: endedAt, what, check, downMs: endedAt.getTime() - startedAt.getTime() }]
}

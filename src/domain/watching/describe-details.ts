import type { CardWithOutages } from './card.ts'
import { type DetailLine, type DetailsModel, MOST_DETAILS } from './card-model.ts'
import type { Outage } from './outage.ts'
import { eachInSlices, type Slices } from './slices.ts'

/** What the reply in the card's thread should say; undefined while there is nothing that the card does not say itself. */
export function* detailsModel({ card, outages }: CardWithOutages): Slices<DetailsModel | undefined> {
  if (card.kind === 'blind' || card.kind === 'digest') return undefined
  const { acknowledged } = card
  const names = new Set<string>()
  let count = 0
  let latest: DetailLine[] = []
  const add = (...lines: DetailLine[]): void => {
    count += lines.length
    latest.push(...lines)
    // Sorted now and then: of thousands only the latest are shown.
    if (latest.length >= 10 * MOST_DETAILS) latest = latestOf(latest)
  }
  yield* eachInSlices(outages, (outage) => {
    names.add(outage.check.uuid)
    add(...linesOf(outage))
  })
  if (acknowledged) add({ at: acknowledged.at, what: 'acknowledged', byName: acknowledged.name })
  if (count < 2) return undefined
  const lines = latestOf(latest)
  const [first] = outages
  return {
    cardId: card.id,
    environment: card.environment,
    title: names.size === 1 && first ? first.check.name : `${names.size} health checks`,
    lines,
    leftOut: count - lines.length,
  }
}

/** First to last; those of one time as they came. */
const latestOf = (lines: readonly DetailLine[]): DetailLine[] =>
  lines.toSorted((left, right) => left.at.getTime() - right.at.getTime()).slice(-MOST_DETAILS)

function linesOf({ check, startedAt, endedAt, ending }: Outage): DetailLine[] {
  const down: DetailLine = { at: startedAt, what: 'down', check }
  if (!endedAt) return [down]
  const what = ending === undefined || ending === 'recovered' ? 'up' : ending
  return [down, { at: endedAt, what, check, downMs: endedAt.getTime() - startedAt.getTime() }]
}

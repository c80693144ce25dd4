import type { DecisionContext } from '../drafts.ts'
import type { NextPage } from '../incident.ts'
import { getStepTime } from './page-steps.ts'
import type { Paging } from './paging.ts'
import type { WaitingLine } from './waiting-lines.ts'

/** Wakes the decision when anybody is paged next, and shows on each card whom its incidents page next. */
export function showNextPages(paging: Paging): void {
  const { drafts, state } = paging.context
  wakeForSteps(paging)
  const next = findNextPages(paging)
  for (const channel of state.channels)
    for (const { cardId = '' } of drafts.listLines(channel.channelId)) {
      const card = drafts.findMessage(cardId)
      if (card && !isSame(card.nextPage, next.get(cardId)))
        drafts.setMessage({ ...card, nextPage: next.get(cardId) })
    }
  for (const card of drafts.listCardsWithNextPage())
    if (!next.has(card.id)) drafts.setMessage({ ...card, nextPage: undefined })
}

const isSame = (one: NextPage | undefined, other: NextPage | undefined): boolean =>
  one?.atMs === other?.atMs && one?.names === other?.names && one?.isHeldBack === other?.isHeldBack

/** How much wall time is left until a time on the watch clock, if polls didn't fail. */
function measureLeft({ state: { failingSince }, now }: DecisionContext, atMs: number): number {
  const stoppedMs = failingSince ? Math.max(0, now.at.getTime() - failingSince.getTime()) : 0
  return atMs - now.clockMs - stoppedMs
}

function wakeForSteps({ context, down }: Paging): void {
  for (const { watches, since } of down)
    for (const { escalation = [] } of watches)
      for (const step of escalation) context.wakeIn(measureLeft(context, getStepTime(step, since.clockMs)))
}

/** The next page of each card, by the card's ID. */
function findNextPages({ context, down, responders, steps }: Paging): ReadonlyMap<string, NextPage> {
  const next = new Map<string, NextPage>()
  for (const responder of responders) {
    const timed = down.map((waiting) => ({ waiting, times: steps.listNextTimes(waiting, responder) }))
    const open = timed.filter(({ times }) => times.length > 0)
    // A page names what would page the same responder later, so all cards of a channel show the earliest time.
    for (const together of Map.groupBy(open, ({ waiting }) => waiting.channel.channelId).values()) {
      const atMs = together.reduce((min, { times }) => Math.min(min, ...times), Number.POSITIVE_INFINITY)
      const isHeldBack = measureLeft(context, atMs) <= 0
      const page: NextPage = { atMs, names: responder.name, ...(isHeldBack && { isHeldBack }) }
      for (const cardId of listCards(together.map(({ waiting }) => waiting)))
        next.set(cardId, chooseNext(next.get(cardId), page))
    }
  }
  return next
}

const listCards = (waiting: readonly WaitingLine[]): ReadonlySet<string> =>
  new Set(waiting.flatMap(({ line }) => line.cardId ?? []))

/** The earlier page; one for both if they are at the same time. */
function chooseNext(known: NextPage | undefined, page: NextPage): NextPage {
  if (!known || page.atMs < known.atMs) return page
  return page.atMs > known.atMs ? known : { ...page, names: `${known.names} ${page.names}` }
}

import { MINUTE_MS } from '@signalman/runtime'
import type { Alert, CardReason, NextCall, OutageCard } from './alert.ts'
import type { Moment } from './watch-clock.ts'

export type AlertDrafts = ReturnType<typeof createAlertDrafts>
export type CardDrafts = ReturnType<typeof createCardDrafts>

const isOpen = ({ removal }: Alert): boolean => removal === undefined

/** The channel's alerts while `decide` changes them. */
export function createAlertDrafts(before: readonly Alert[]) {
  const byOutage = new Map(before.map((alert) => [alert.outageId, alert]))
  const byCheck = Map.groupBy(before, ({ uuid }) => uuid)
  const outageIdsByCard = new Map<string, Set<string>>()
  const changed = new Map<string, Alert>()
  const deletedAlertIds = new Set<string>()
  const addToIndex = ({ cardId, outageId }: Alert): void => {
    if (cardId === undefined) return
    const ids = outageIdsByCard.get(cardId) ?? new Set()
    outageIdsByCard.set(cardId, ids.add(outageId))
  }
  const removeFromIndex = ({ cardId, outageId }: Alert): void => {
    if (cardId !== undefined) outageIdsByCard.get(cardId)?.delete(outageId)
  }
  for (const alert of before) addToIndex(alert)
  const listOn = (cardId: string): Alert[] =>
    [...(outageIdsByCard.get(cardId) ?? [])].flatMap((id) => byOutage.get(id) ?? [])

  return {
    get: (outageId: string): Alert | undefined => byOutage.get(outageId),
    all: (): Alert[] => [...byOutage.values()],
    listOpen: (): Alert[] => [...byOutage.values()].filter(isOpen),
    /** The alerts of all outages of this check, oldest first. */
    listForCheck: (uuid: string): Alert[] =>
      (byCheck.get(uuid) ?? []).flatMap(({ outageId }) => byOutage.get(outageId) ?? []),
    listOn,
    listOpenOn: (cardId: string): Alert[] => listOn(cardId).filter(isOpen),
    set(alert: Alert): void {
      const previous = byOutage.get(alert.outageId)
      if (previous) removeFromIndex(previous)
      byOutage.set(alert.outageId, alert)
      changed.set(alert.outageId, alert)
      addToIndex(alert)
    },
    /** Deletes an alert that nobody was notified about. */
    delete(outageId: string): void {
      byOutage.delete(outageId)
      changed.delete(outageId)
      deletedAlertIds.add(outageId)
    },
    changes: () => ({ alerts: [...changed.values()], deletedAlertIds: [...deletedAlertIds] }),
  }
}

interface CardDraft extends OutageCard {
  readonly isNew: boolean
}

/**
 * While the service can't be reached, the next page is postponed little by little. A message isn't edited if the time changes by
 * less than this.
 */
const SIMILAR_MS = 5 * MINUTE_MS

function isSimilarCall(call: NextCall | undefined, other: NextCall | undefined): boolean {
  if (!call || !other) return call === other
  return call.names === other.names && Math.abs(call.at.getTime() - other.at.getTime()) < SIMILAR_MS
}

/** The channel's cards while `decide` changes them. A card gets one new version per decision, however often it changes. */
export function createCardDrafts(
  before: readonly OutageCard[],
  { at, clockMs }: Moment,
  newId: () => string,
) {
  const byId = new Map(before.map((card): [string, CardDraft] => [card.id, { ...card, isNew: false }]))
  const changed = new Set<string>()
  const cardOutages: { cardId: string; outageId: string }[] = []
  const find = (id: string | undefined): CardDraft | undefined => (id === undefined ? id : byId.get(id))
  const change = (id: string | undefined, changes: Partial<OutageCard> = {}): void => {
    const card = find(id)
    if (!card) return
    const version = card.isNew || changed.has(card.id) ? card.version : card.version + 1
    byId.set(card.id, { ...card, version, ...changes })
    changed.add(card.id)
  }
  return {
    find,
    all: (): CardDraft[] => [...byId.values()],
    findLatest: (matches: (card: OutageCard) => boolean): string | undefined =>
      [...byId.values()].findLast(matches)?.id,
    change,
    create(kind: OutageCard['kind'], reason: CardReason | undefined): string {
      const id = newId()
      const card = {
        id,
        kind,
        reason,
        at,
        clockMs,
        listedCount: 0,
        version: 1,
        shownVersion: 0,
        isUnposted: true,
      }
      byId.set(id, { ...card, isNew: true })
      changed.add(id)
      return id
    },
    /** Lists an outage on a card. Returns the first version that shows it. */
    listOutage(cardId: string, outageId: string, isNew = true): number {
      if (isNew) cardOutages.push({ cardId, outageId })
      change(cardId, { listedCount: (find(cardId)?.listedCount ?? 0) + (isNew ? 1 : 0), closedAt: undefined })
      return find(cardId)?.version ?? 1
    },
    /** Updates who is paged next. Closes the card if none of its outages is open. */
    update(card: OutageCard, isOpen: boolean, nextCall: NextCall | undefined): void {
      if (!isSimilarCall(card.nextCall, nextCall)) change(card.id, { nextCall })
      if (!isOpen && !card.closedAt) change(card.id, { closedAt: at })
    },
    changes: (deletedCardIds: ReadonlySet<string>) => ({
      cards: [...changed].flatMap((id) => (deletedCardIds.has(id) ? [] : (byId.get(id) ?? []))),
      cardOutages: cardOutages.filter(({ cardId }) => !deletedCardIds.has(cardId)),
    }),
  }
}

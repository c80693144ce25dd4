import { REOPEN_MS } from './card.ts'
import { type Channel, type Draft, type Fresh, isOpen, newDraft, type Occasion } from './settle-cards.ts'
import { isWithin } from './storm.ts'

/** The cards that change or are new because of the channel itself or of a person, and not because of its checks. */
export function channelCards(
  { watches }: Channel,
  drafts: readonly Draft[],
  { blindness, seenAgain, maintenance, digest, onIt }: Occasion,
  { at, fresh }: { at: Date; fresh: Fresh },
): Draft[] {
  const seeing = seenAgain
    ? seen(drafts, seenAgain, at)
    : blindness && watches.length > 0
      ? blind(drafts, blindness, at, fresh)
      : []
  return [
    ...seeing,
    ...(maintenance ? maintained(drafts, maintenance, at, fresh) : []),
    ...(digest ? [summedUp(digest, fresh)] : []),
    ...takenOn(drafts, onIt),
  ]
}

const areBlind = (drafts: readonly Draft[]): Draft[] =>
  drafts.filter(({ card }) => card.kind === 'blind' && !card.unwatchedAt)

/** Says that checks cannot be seen, and why as of now: on the last such card where that is open, or closed a short time ago. */
function blind(
  drafts: readonly Draft[],
  { since, why }: NonNullable<Occasion['blindness']>,
  at: Date,
  fresh: Fresh,
): Draft[] {
  const recent = areBlind(drafts)
    .filter((draft) => isOpen(draft) || (draft.card.closedAt && isWithin(draft.card.closedAt, at, REOPEN_MS)))
    .sort((left, right) => right.card.changedAt.getTime() - left.card.changedAt.getTime())[0]
  if (recent && isOpen(recent) && recent.card.reason === why) return []
  const draft = recent ?? newDraft(fresh('blind', since))
  const { closedAt: _, meanwhile: __, ...card } = draft.card
  draft.card = { ...card, openedAt: since, changedAt: at, reason: why }
  return [draft]
}

function seen(drafts: readonly Draft[], meanwhile: NonNullable<Occasion['seenAgain']>, at: Date): Draft[] {
  const open = areBlind(drafts).filter(isOpen)
  for (const draft of open) draft.card = { ...draft.card, changedAt: at, closedAt: at, meanwhile }
  return open
}

/** One card a window, also where it was about something else for a time. What nobody was told of needs no word about its end. */
function maintained(
  drafts: readonly Draft[],
  { id, isOver }: NonNullable<Occasion['maintenance']>,
  at: Date,
  fresh: Fresh,
): Draft[] {
  const own = drafts.filter(({ card }) => card.maintenanceId === id && !card.unwatchedAt)
  const known = own.find(isOpen) ?? (isOver ? undefined : own.at(-1))
  if (!known && isOver) return []
  const draft = known ?? newDraft({ ...fresh('maintenance', at), maintenanceId: id })
  const { closedAt: _, ...card } = draft.card
  draft.card = { ...card, changedAt: at, ...(isOver && { closedAt: at }) }
  return [draft]
}

/** It is posted like any other card, and never changes. */
function summedUp(period: NonNullable<Occasion['digest']>, fresh: Fresh): Draft {
  const to = new Date(period.to)
  return newDraft({ ...fresh('digest', to), changedAt: to, closedAt: to, period })
}

/** More than a thread shows. */
const MOST_TAKINGS = 50

/**
 * The cards that somebody is on from now on: nobody was, or the one from whom it is taken over. Others who are on one of them stay; of
 * what only a part is told on the card, nobody has said to be on the rest. All that tell of any of it may say otherwise who is on it.
 */
function takenOn(drafts: readonly Draft[], onIt: Occasion['onIt']): Draft[] {
  const own = onIt && drafts.find(({ card }) => card.id === onIt.cardId)
  const acknowledged = onIt?.takings.at(-1)
  if (!own || !acknowledged) return []
  const isOnOwn = (id: string): boolean => own.open.has(id)
  const isFree = (draft: Draft): boolean =>
    // On this one somebody else may be on what is left of it.
    draft === own || !draft.card.acknowledged || draft.card.acknowledged.by === onIt.over
  const telling = drafts.filter((draft) => isOpen(draft) && (draft === own || [...draft.open].some(isOnOwn)))
  for (const draft of telling) {
    if (!isFree(draft) || ![...draft.open].every(isOnOwn)) continue
    // Whoever was on it by another card alone is named here from then on.
    const before = draft.card.acknowledged || !onIt.over ? [] : onIt.takings.slice(-2, -1)
    const takings = draft === own ? onIt.takings : [...(draft.card.takings ?? []), ...before, acknowledged]
    draft.card = {
      ...draft.card,
      acknowledged,
      takings: takings.slice(-MOST_TAKINGS),
      remindAt: undefined,
    }
  }
  return telling
}

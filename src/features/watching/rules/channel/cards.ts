import { createHash } from 'node:crypto'
import { getFallTime, type Incident, isNoData, shownFacts } from '../../../../domain/outages/incident.ts'
import { type FindWatches, toSet } from '../matching.ts'
import { JOIN_MS } from './heard.ts'
import {
  type ChannelIncident,
  type ChannelState,
  createPost,
  type Facts,
  getPastMs,
  isAsked,
  isFollowing,
  type Known,
  listCards,
  type Matched,
  type Post,
  type Posts,
  withChanges,
} from './state.ts'
import { countBefore, listAlreadyDown } from './waits.ts'

/** How many open incidents a channel lists, so that one decision stays short. */
export const MAX_LISTED = 500

export const listMatched = (facts: Facts): Matched[] =>
  [...facts.incidents.values()].flatMap((incident): Matched[] => {
    if (incident.closedAt) return []
    const { channel } = facts
    const { check } = incident
    const prepared = channel.findWatches(incident)
    const matching = prepared.map(({ watch }) => watch)
    const fellMs = getFallTime(incident).getTime()
    const older = prepared.filter(({ isOlder }) => !isNoData(incident) && isOlder(check, fellMs, facts.nowMs))
    const confirmed = matching.filter(
      ({ afterBadPolls }) =>
        isNoData(incident) || isAsked(facts, incident) || incident.badPolls >= afterBadPolls,
    )
    const isSilenced = !isNoData(incident) && channel.findSilenced(check) !== undefined
    return [{ incident, matching, confirmed, older: older.map(({ watch }) => watch.id), isSilenced }]
  })

/** Whether it was down before each watch of the channel that matches it. */
export function wasDownBefore(
  { alreadyDown }: Pick<ChannelIncident, 'alreadyDown'>,
  incident: Incident,
  findWatches: FindWatches,
): boolean {
  if (alreadyDown.length === 0) return false
  const older = toSet(alreadyDown)
  return findWatches(incident).every(({ watch }) => older.has(watch.id))
}

/** What is new in the channel: the card, if another one shows it, what it lists, and what makes way for that. */
interface ListedNew {
  readonly card?: Post | undefined
  readonly added: readonly ChannelIncident[]
  readonly dropped: readonly string[]
  readonly unlisted: number
}

/**
 * Puts new incidents on a card that wasn't sent yet, or is recent: something on it has to be down, and all of them have to be news.
 * Nothing joins a card about what was down before the watch, or about checks that can't be seen, and these join none. Otherwise puts them
 * on a new card.
 */
export function listNew(facts: Facts, known: Known, posts: Posts, down: readonly Matched[]): ListedNew {
  const { nowMs, channel } = facts
  const fresh = down.filter(({ incident }) => !known.has(incident.id))
  if (fresh.length === 0) return { added: [], dropped: [], unlisted: 0 }
  const { chosen, dropped, unlisted } = limitListed(facts, known, fresh, down)
  if (chosen.length === 0) return { added: [], dropped, unlisted }
  const areNews = isNewlyDown(chosen.map((one) => [one.incident, isOld(known, one)]))
  const left = withChanges(known, [], dropped)
  const joined = listCards(posts).findLast((card) => {
    const isRecent =
      !card.attemptedAt || (areNews && nowMs < getPastMs(nowMs, card.attemptedAt.getTime()) + JOIN_MS)
    const onCard = isRecent ? listOnCard(facts, left.values(), card) : []
    return onCard.some(([{ isDown }]) => isDown) && (!card.attemptedAt || isNewlyDown(onCard))
  })
  const card = joined ?? createPost(facts, 'card')
  const added = chosen.map((one): ChannelIncident => {
    const { incident } = one
    return {
      ...{ channelId: channel.channelId, incidentId: incident.id, cardId: card.id },
      alreadyDown: listAlreadyDown(known, one),
      heard: { said: joined?.attemptedAt ? 'nothing' : 'down' },
      waits: { ms: countBefore(facts, incident), pages: {} },
    }
  })
  return { card: joined ? undefined : card, added, dropped, unlisted }
}

function isOld(known: Known, matched: Matched): boolean {
  const alreadyDown = new Set(listAlreadyDown(known, matched))
  return matched.matching.every(({ id }) => alreadyDown.has(id))
}

/** Which new incidents the channel lists. If there are too many, what was already down makes way for what goes down. */
function limitListed(facts: Facts, known: Known, fresh: readonly Matched[], down: readonly Matched[]) {
  // Not seeing the checks is always listed: it explains why nothing else is told. So is what somebody asks to page about.
  const rank = (one: Matched): number =>
    isNoData(one.incident) || isAsked(facts, one.incident) ? 0 : isOld(known, one) ? 2 : 1
  const old = down.filter(({ incident }) => {
    const own = known.get(incident.id)
    return own && !incident.onIt && wasDownBefore(own, incident, facts.channel.findWatches)
  })
  const count = [...known.keys()].filter((id) => facts.incidents.get(id)?.isDown).length
  const room = Math.max(0, MAX_LISTED - count)
  // Each rank once: there may be thousands.
  const ranked = fresh.map((one) => ({ one, rank: rank(one) }))
  const chosen = ranked
    .toSorted((left, right) => left.rank - right.rank)
    .filter(({ rank }, index) => rank === 0 || index < room + (rank === 1 ? old.length : 0))
    .map(({ one }) => one)
  const dropped = old.slice(0, Math.max(0, chosen.length - room)).map(({ incident }) => incident.id)
  return { chosen, dropped, unlisted: fresh.length - chosen.length + dropped.length }
}

/** What a card lists, and whether that was down before the watches about it. */
const listOnCard = (
  { incidents, channel }: Pick<Facts, 'incidents' | 'channel'>,
  known: Iterable<ChannelIncident>,
  card: Post,
): [Incident, boolean][] =>
  [...known].flatMap((own) => {
    const incident = own.cardId === card.id ? incidents.get(own.incidentId) : undefined
    return incident ? [[incident, wasDownBefore(own, incident, channel.findWatches)]] : []
  })

/** Whether one of these checks wasn't down before the watches about it. */
const isNewlyDown = (found: readonly (readonly [Incident, boolean])[]): boolean =>
  !found.some(([incident]) => isNoData(incident)) && found.some(([, isOld]) => !isOld)

/** Gives every card whose content has changed a new version. The latest one says how many checks aren't listed. */
export function writeContents(facts: Facts, known: Known, posts: Posts, unlisted: number): Post[] {
  const onCards = Map.groupBy(known.values(), ({ cardId }) => cardId)
  const cards = listCards(posts)
  return cards.flatMap((before) => {
    const onCard = onCards.get(before.id) ?? []
    const card = facts.isUnseen
      ? before
      : { ...before, unlisted: before === cards.at(-1) && unlisted > 0 ? unlisted : undefined }
    const content = hashContent(facts, onCard, card)
    const closedAt = isOver(facts, onCard, posts, card) ? (card.closedAt ?? new Date(facts.nowMs)) : undefined
    return content !== card.content || closedAt?.getTime() !== card.closedAt?.getTime()
      ? [{ ...card, content, closedAt, version: getVersion(card, content) }]
      : []
  })
}

const getVersion = (card: Post, content: string): number =>
  card.version + (content !== card.content && card.content !== '' ? 1 : 0)

/** A card that was sent is open until everything on it is over, and its replies were sent. */
const isOver = (
  { incidents }: Pick<Facts, 'incidents'>,
  onCard: readonly ChannelIncident[],
  posts: Posts,
  card: Post,
): boolean =>
  card.attemptedAt !== undefined &&
  onCard.every(({ incidentId }) => incidents.get(incidentId)?.closedAt !== undefined) &&
  ![...posts.values()].some(({ cardId, closedAt }) => cardId === card.id && !closedAt)

/** How many notes about an incident are edited as it changes: the latest ones. An earlier one says only that there are newer ones. */
const MAX_FOLLOWED = 5

/** Gives every note that was sent a new version if what it names has changed, and closes it once that is over, or newer notes name it. */
export function followNotes(facts: Facts, known: Known, posts: Posts): Post[] {
  const newer = new Map<string, number>()
  const notes = [...posts.values()].filter(({ kind, closedAt }) => kind === 'note' && !closedAt)
  return notes.reverse().flatMap((before) => {
    // What is over may be on a card that is over, too, and isn't read anymore.
    const named = Object.keys(before.about ?? {}).flatMap((id) => {
      const incident = facts.incidents.get(id)
      return incident && (incident.closedAt || known.has(id)) ? [incident] : []
    })
    const open = named.filter(({ closedAt }) => !closedAt)
    const isLatest = open.some(({ id }) => (newer.get(id) ?? 0) < MAX_FOLLOWED)
    const isSent = isFollowing(before)
    if (isSent) for (const { id } of open) newer.set(id, (newer.get(id) ?? 0) + 1)
    const closedAt = isSent && !isLatest ? new Date(facts.nowMs) : undefined
    const isNewer = closedAt !== undefined && open.length > 0
    const content = hash([isNewer, open.length > 0 && facts.hasNoData, named.map(hashNamed).toSorted()])
    if (content === before.content && !closedAt) return []
    return [{ ...before, content, closedAt, version: getVersion(before, content) }]
  })
}

/** What a note shows of an incident. That one that came up is over changes nothing. */
function hashNamed(incident: Incident): string {
  const { id, isDown, isInstalling, ending = isInstalling ? 'installing' : 'recovered', onIt } = incident
  return JSON.stringify([id, toShown({ ...incident, ending: isDown ? undefined : ending }), onIt?.by])
}

const toShown = ({
  check,
  isDown,
  isInstalling,
  downs,
  ending,
  failure,
}: Pick<Incident, 'check' | 'isDown' | 'isInstalling' | 'downs' | 'ending' | 'failure'>) => [
  ...shownFacts(check),
  ...[isDown, isInstalling, downs.length, ending, failure],
]

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')

function hashContent(
  facts: Pick<Facts, 'incidents' | 'hasNoData'> & { readonly channel: ChannelState },
  onCard: readonly ChannelIncident[],
  card: Post,
): string {
  const found = listOnCard(facts, onCard, card)
  const isOpen = found.some(([{ closedAt }]) => !closedAt)
  const shown = found
    .map(([incident, isOld]) => {
      const { id, check, onIt, wasOnIt } = incident
      const silencedUntil = !incident.closedAt && facts.channel.findSilenced(check)?.until
      return JSON.stringify([id, ...toShown(incident), onIt?.by, wasOnIt?.by, silencedUntil, isOld])
    })
    .toSorted()
  return hash([card.nextPage, card.unlisted, isOpen && facts.hasNoData, shown])
}

import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import type { Incident } from '../../../../domain/outages/incident.ts'
import {
  type ChannelIncident,
  type Facts,
  getPastMs,
  type Heard,
  type Known,
  type Post,
  type Posts,
} from './state.ts'
import { countPages } from './waits.ts'

/** What goes down in this time after a card was posted joins that card. One message afterwards names what has joined. */
export const JOIN_MS = 5 * MINUTE_MS
/** How long after the last message a channel is told that a check went down again: the first time, and later. */
const TELL_AGAIN_MS = [10 * MINUTE_MS, HOUR_MS] as const

/** Notes what has happened since a channel heard of what it lists. */
export const followHeard = (
  { incidents }: Pick<Facts, 'incidents'>,
  known: Known,
  posts: Posts,
): ChannelIncident[] =>
  [...known.values()].flatMap((own) => {
    const incident = incidents.get(own.incidentId)
    if (!incident) return []
    // Whoever is on it already gets an answer, also if the card that it's in the thread of is sent later.
    const isTold = posts.get(own.cardId)?.attemptedAt || incident.onIt
    const heard = isTold
      ? follow(own.heard, incident, own.waits === undefined)
      : showOnCard(own.heard, incident)
    return heard === own.heard ? [] : [{ ...own, heard }]
  })

/** A card says how it is when it's sent. */
function showOnCard(heard: Heard, { isDown }: Incident): Heard {
  const said = isDown ? 'down' : 'up'
  return heard.said === said && !heard.since ? heard : { ...heard, said, since: undefined }
}

/** `wasTaken`: until now, somebody was on it. */
function follow(heard: Heard, { isDown, onIt, wasOnIt }: Incident, wasTaken: boolean): Heard {
  const { said, since } = heard
  if (onIt && !wasTaken && isDown) {
    // The channel sees that on the card.
    return { ...heard, said: said === 'nothing' ? 'down' : said, since: 'taken' }
  }
  if (!onIt && wasTaken && wasOnIt) return { ...heard, since: isDown ? 'left' : 'up' }
  if (isDown || said !== 'down' || since === 'taken' || since === 'up') return heard
  return { ...heard, since: onIt ? 'taken' : 'up' }
}

/** What a message that was sent does to an incident that it names. A page in a DM tells the channel nothing. */
export function applyNote(
  own: ChannelIncident,
  { kind, about = {} }: Pick<Post, 'kind' | 'about'>,
  at: Date,
  { isDirect }: { readonly isDirect: boolean },
): ChannelIncident {
  const atMs = at.getTime()
  const { said, since, relapseMs } = own.heard
  if (kind === 'reply') return { ...own, heard: { said: 'up', atMs, relapseMs } }
  const paging = about[own.incidentId] ?? []
  const waits = own.waits && paging.length > 0 ? countPages(own.waits, paging, atMs) : own.waits
  if (isDirect) return { ...own, waits }
  const isRelapse = said === 'up' || since === 'up' || relapseMs !== undefined
  return { ...own, heard: { said: 'down', atMs, relapseMs: isRelapse ? atMs : undefined }, waits }
}

/** From when on a channel that was sent the card has to be told that something is down. Undefined if it was. */
export function findNewsMs(
  nowMs: number,
  { said, since, atMs = 0, relapseMs = Number.NEGATIVE_INFINITY }: Heard,
  { attemptedAt }: Pick<Post, 'attemptedAt'>,
): number | undefined {
  const sentMs = getPastMs(nowMs, attemptedAt?.getTime())
  if (said === 'nothing') return sentMs + JOIN_MS
  if (since === 'left') return nowMs
  if (said === 'down' && since !== 'up') return undefined
  const [first, later] = TELL_AGAIN_MS
  return Math.max(sentMs + first, getPastMs(nowMs, atMs) + first, getPastMs(nowMs, relapseMs) + later)
}

/** Whether the channel has to be told that something is up again, once it is. */
export const isReplyOwed = ({ said, since }: Heard): boolean => said === 'down' || since === 'taken'

import { isNoData } from '../../../domain/outages/incident.ts'
import { followNotes, listMatched, listNew, writeContents } from './channel/cards.ts'
import { followHeard } from './channel/heard.ts'
import { writeNotes } from './channel/notes.ts'
import { pageAtOnce, showNextPages } from './channel/pages.ts'
import {
  byId,
  byIncident,
  type ChannelIncident,
  type ChannelState,
  isAsked,
  type Known,
  type Matched,
  type Post,
  type Posts,
  type ScopeState,
  toFacts,
  withChanges,
} from './channel/state.ts'
import { followWaits, markAlreadyDown } from './channel/waits.ts'

/** The rows to save. Deciding again changes nothing, and neither does anything before `wakeAt`. */
export interface Changes {
  readonly known: readonly ChannelIncident[]
  readonly forgotten: readonly ChannelIncident[]
  /** `isHandedOver`: the channel accepts nothing, so people get it in a DM. */
  readonly posts: readonly (Post & { readonly isNew: boolean; readonly isHandedOver: boolean })[]
  readonly deletedPosts: readonly Post[]
  readonly wakeAt?: Date | undefined
}

/** Decides what a channel shows, and who is paged. It's the same whether a poll, a press, or the clock is the cause. */
export function decideChannel(
  channel: ChannelState,
  scope: ScopeState,
  now: Date,
  newId: () => string,
): Changes {
  const facts = toFacts(channel, scope, now, newId)
  const before = {
    known: new Map(channel.known.map((own) => [own.incidentId, own])),
    posts: new Map(channel.posts.map((post) => [post.id, post])),
  }
  let known: Known = before.known
  let posts: Posts = before.posts
  const change = (changed: readonly ChannelIncident[], removed: readonly string[] = []) => {
    known = withChanges(known, byIncident(changed), removed)
  }

  const all = listMatched(facts)
  // What nobody watches anymore leaves its card.
  change(
    [],
    all.flatMap(({ incident, matching }) => (matching.length === 0 ? [incident.id] : [])),
  )
  change(markAlreadyDown(facts, known, all))
  const isListed = ({ incident }: Matched): boolean => known.has(incident.id)
  const shown = all.filter((one) => one.confirmed.length > 0 || isListed(one))
  const down = shown.filter(
    ({ incident, isSilenced }) => incident.isDown && !isSilenced && (!facts.isUnseen || isNoData(incident)),
  )
  const asked = shown.filter(({ incident }) => incident.isDown && isAsked(facts, incident))

  const fresh = listNew(facts, known, posts, [...new Set([...asked, ...down])])
  change(fresh.added, fresh.dropped)
  posts = withChanges(posts, byId(fresh.card ? [fresh.card] : []))

  // There may be thousands that the channel doesn't list.
  const own = shown.filter(isListed)
  const ownDown = down.filter(isListed)
  change(followHeard(facts, known, posts))
  change(followWaits(facts, known, own))
  if (channel.pageNow) posts = withChanges(posts, byId(pageAtOnce(facts, known, asked, channel.pageNow)))
  const written = writeNotes(facts, known, posts, ownDown)
  known = written.known
  const paging = showNextPages(facts, known, written.posts, ownDown)
  posts = withChanges(written.posts, byId(paging.cards))
  posts = withChanges(posts, byId(writeContents(facts, known, posts, fresh.unlisted)))
  posts = withChanges(posts, byId(followNotes(facts, known, posts)))

  const wakeMs = Math.min(written.wakeMs, paging.wakeMs)
  return {
    known: [...known.values()].filter((one) => one !== before.known.get(one.incidentId)),
    forgotten: channel.known.filter(({ incidentId }) => !known.has(incidentId)),
    posts: [...posts.values()]
      .filter((post) => post !== before.posts.get(post.id))
      .map((post) => {
        const former = before.posts.get(post.id)
        const isHandedOver = post.kind !== 'card' && post.closedAt !== undefined && !former?.shownVersion
        return { ...post, isNew: !former, isHandedOver }
      }),
    deletedPosts: channel.posts.filter(({ id }) => !posts.has(id)),
    wakeAt: Number.isFinite(wakeMs) ? new Date(wakeMs) : undefined,
  }
}

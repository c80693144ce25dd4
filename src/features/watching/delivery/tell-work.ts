import { DONE, LeaseLost, repeatAfter, type Steps, type WorkKind } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { notifyOwner, type OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import { isSeenUp } from '../../../domain/outages/incident.ts'
import type { PendingPost } from '../rows/outbox.ts'
import type { WatchStore } from '../rows/watching.ts'
import { WATCH_WORK } from '../rows/work.ts'
import { listPageOwners } from '../rules/page-owners.ts'
import type { Watch } from '../rules/watch.ts'
import { ownerPageView, upView } from '../views/cards.ts'
import { pausedView, staleView } from '../views/watches.ts'

export interface TellDeps {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches'>
  readonly steps: Pick<Steps, 'list' | 'record'>
  readonly posting: OwnerNoticeDeps
}

interface Notice {
  /** Undefined: an admin. */
  readonly personId: string | undefined
  /** Undefined: what they're on isn't up after all, so it's told once it is. */
  readonly content: Message | undefined
}

/**
 * Tells people in a DM what a channel can't tell them: that it accepts nothing, its pages, and that what they're on is up again. If a person
 * can't be notified, an admin is. Each person who was told is a recorded step, so a retry for one doesn't tell the others again.
 */
export function createTellWork({ watching, steps, posting }: TellDeps): WorkKind {
  return {
    kind: WATCH_WORK.tell,
    lane: 'send',
    async run(leased) {
      const { workspaceId, id: workId, key: postId = '' } = leased.work
      const pending = await watching.outbox.find(workspaceId, postId)
      if (!pending) return DONE
      const notices = await listNotices(watching, pending)
      const recorded = await steps.list(workId)
      const told = new Set(recorded.map(({ name }) => name))
      let line = recorded.at(-1)?.line ?? 0
      const ends = []
      for (const { personId, content } of notices.filter((one) => !told.has(toName(one))))
        ends.push(
          content
            ? await notifyOwner(posting, leased, {
                content,
                key: `${pending.key} to ${toName({ personId })}`,
                ...{ target: pending.target, version: 1, ownerId: personId },
                async record() {
                  line += 1
                  const step = { workId, line, name: toName({ personId }), state: 'done' as const }
                  if (!(await steps.record(leased.owner, step))) throw new LeaseLost()
                },
              })
            : repeatAfter(MINUTE_MS),
        )
      return ends.find(({ state }) => state !== 'done') ?? DONE
    },
  }
}

const toName = ({ personId = 'an admin' }: Pick<Notice, 'personId'>): string => personId

async function listNotices(watching: TellDeps['watching'], pending: PendingPost): Promise<Notice[]> {
  const { post, watches } = pending
  if (post.kind === 'paused')
    return post.responders ? listStaleNotices(pending) : listPauseNotices(watching, pending)
  // What has changed since isn't told.
  const isPage = post.kind === 'note'
  const incidents = pending.incidents.filter((incident) =>
    isPage ? incident.isDown && (!incident.onIt || post.askedBy !== undefined) : isSeenUp(incident),
  )
  const shown = { ...pending, incidents }
  if (!isPage) {
    const up = new Set(incidents.map(({ onIt }) => onIt?.by))
    const people = new Set(pending.incidents.flatMap(({ onIt }) => onIt?.by ?? []))
    return [...people].map((personId) => ({
      personId,
      content: up.has(personId) ? upView(shown) : undefined,
    }))
  }
  if (incidents.length === 0) return []
  const checks = incidents.map(({ check }) => check)
  const owners = listPageOwners(post.about, checks, watches)
  const content = ownerPageView(shown, pending.paused !== undefined)
  // Without a watch, an admin gets it.
  return (owners.length > 0 ? owners : [undefined]).map((personId) => ({ personId, content }))
}

/** Each owner of watches that page somebody whom Slack can't notify. */
function listStaleNotices({ post: { responders = [] }, watches }: PendingPost): Notice[] {
  const names = new Set(responders.map(({ name }) => name))
  const isPaged = ({ page = [] }: Watch) =>
    page.some((step) => step.responders.some((one) => names.has(one.name)))
  return [...Map.groupBy(watches.filter(isPaged), ({ ownerId }) => ownerId)].map(([personId, own]) => ({
    personId,
    content: staleView(own, responders),
  }))
}

async function listPauseNotices(
  { watches }: TellDeps['watching'],
  { target: { workspaceId, channelId }, paused }: PendingPost,
): Promise<Notice[]> {
  if (!paused) return []
  const all = await watches.list(workspaceId, { channelId })
  return [...Map.groupBy(all, ({ ownerId }) => ownerId)].map(([personId, own]): Notice => {
    const pages = own.some(({ page }) => page)
    return {
      personId,
      content: pausedView({ channelId, reason: paused.reason, watches: own.length, pages }),
    }
  })
}

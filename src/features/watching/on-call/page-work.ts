import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import { type SlackClient, type Workspace, wasRejected } from '@signalman/slack'
import type { Reachability } from '../../../bot/access/reachable.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { explainResponder } from '../reachable.ts'
import type { WatchScope } from '../rows/row.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import type { Reach } from '../rules/environment-state.ts'
import { type DuePage, reachKey, responderId } from '../rules/paging/responders.ts'

export interface PageDeps {
  readonly reachability: Pick<Reachability, 'explainPerson' | 'explainGroup' | 'findAdmin'>
  readonly getSlack: (workspace: Workspace) => Promise<Pick<SlackClient, 'groupMembers'>>
  readonly watching: Pick<WatchStore, 'cards' | 'watches'>
  readonly wake: () => void
}

/** While looking up, somebody else may become due. */
const MAX_TURNS = 3

/** Looks up whom Slack can notify, and pages whoever is due. */
export function createPageWork(deps: PageDeps): WorkKind {
  const { cards } = deps.watching
  return {
    kind: WATCH_WORK.page,
    lane: 'send',
    async run({ work: { workspaceId, key } }) {
      const environment = ENVIRONMENTS.find((one) => one === key)
      if (!environment) return DONE
      const scope = { workspaceId, environment }
      let due = await cards.page(scope)
      const reach = { groups: new Map(), hears: new Map(), admins: [] } satisfies Reach
      for (let turn = 0; turn < MAX_TURNS && due.length > 0; turn += 1) {
        await lookUp(deps, scope, due, reach)
        due = await cards.page(scope, reach)
      }
      deps.wake()
      return due.length > 0 ? repeatAfter(MINUTE_MS) : DONE
    },
  }
}

interface FoundReach extends Reach {
  readonly groups: Map<string, readonly string[]>
  readonly hears: Map<string, boolean>
  readonly admins: { userId: string; channelId: string }[]
}

/** Looks up everyone who may be paged. Throws if Slack can't be reached, so that the work is retried. */
async function lookUp(
  { reachability, getSlack, watching }: PageDeps,
  scope: WatchScope,
  due: readonly DuePage[],
  reach: FoundReach,
): Promise<void> {
  for (const { channelId, responder, ownerIds } of due) {
    const [watch] = await watching.watches.list(scope.workspaceId, { channelId })
    const origin = { workspaceId: scope.workspaceId, enterpriseId: watch?.enterpriseId, channelId, ownerIds }
    const id = responderId(responder)
    const isHeard = (await explainResponder(reachability, origin, responder)) === undefined
    reach.hears.set(reachKey(channelId, id), isHeard)
    if (responder.isGroup && !reach.groups.has(id)) {
      const slack = await getSlack(origin)
      const members = await slack.groupMembers(id).catch((error: unknown) => {
        // The group is gone, or the app may not read it: then it counts as one.
        if (wasRejected(error)) return []
        throw error
      })
      reach.groups.set(id, members)
    }
    if (isHeard) continue
    for (const ownerId of ownerIds)
      reach.hears.set(
        reachKey(channelId, ownerId),
        (await explainResponder(reachability, origin, { id: ownerId, name: ownerId })) === undefined,
      )
    const userId = reach.admins.length === 0 ? await reachability.findAdmin(origin) : undefined
    // Slack opens the conversation with the first message, so its channel isn't known yet.
    if (userId !== undefined) reach.admins.push({ userId, channelId: userId })
  }
}

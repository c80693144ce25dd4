import { setTimeout as pause } from 'node:timers/promises'
import { startEngine } from '@signalman/durable'
import type { PostedMessage } from '@signalman/slack'
import { openStore, type Store } from '../../src/app/store.ts'
import { createPosts } from '../../src/bot/posts/post-once.ts'
import type { Destination } from '../../src/bot/posts/poster.ts'
import { watchRenderer } from '../../src/features/watching/renderer.ts'
import { ALL_CHECKS } from '../../src/features/watching/rules/watch.ts'
import { createWatchingWork } from '../../src/features/watching/watching-work.ts'
import { createLog } from '../../src/log.ts'
import { createService } from '../../src/service/service.ts'
import { createFakeReachability, findSlackGroups } from '../../test/features/watching/reachable-people.ts'

export const KEYS = `a:${Buffer.alloc(32, 'a').toString('base64')}`

/** Adds a watch of all checks to a channel of each workspace. */
export async function addWatches(store: Store, workspaceIds: readonly string[]): Promise<void> {
  const remaining = workspaceIds.values()
  const add = async (): Promise<void> => {
    for (const workspaceId of remaining)
      await store.watching.watches.add({
        workspaceId,
        channelId: 'C1',
        environment: 'production',
        filter: ALL_CHECKS,
        afterBadPolls: 1,
        notify: 'once',
        reminderHours: 0,
        ownerId: 'U1',
        madeAt: new Date(),
      })
  }
  // Makes as many concurrent writes as there are connections. All of them take workspaces from one iterator.
  await Promise.all(Array.from({ length: 8 }, add))
}

/**
 * Polls workspaces and posts their cards in this process. The service is a real HTTP server. Slack is a stub that accepts every
 * message.
 */
export async function startWatching(deps: {
  databaseUrl: string
  serviceUrl: string
  workspaces: number
  intervalMs: number
  /** How long Slack takes to accept a message; 0 by default. */
  slackMs?: number
  /** Whether the database already has the watches. */
  hasWatches?: boolean
}) {
  await using started = new AsyncDisposableStack()
  const log = createLog('silent')
  const store = started.use(await openStore({ url: deps.databaseUrl, keys: KEYS }))
  const baseUrls = { production: deps.serviceUrl, ote: deps.serviceUrl }
  const service = started.use(createService({ baseUrls }))
  const workspaceIds = Array.from({ length: deps.workspaces }, (_, index) => `T${index}`)
  if (!deps.hasWatches) await addWatches(store, workspaceIds)
  // Polls without changes write nothing to the database, so they are counted here.
  const polls = new Map(workspaceIds.map((id) => [id, 0]))
  const posts: { epochMs: number; workspaceId: string }[] = []
  const post = async ({ target }: Destination): Promise<PostedMessage> => {
    if (deps.slackMs) await pause(deps.slackMs)
    posts.push({ epochMs: Date.now(), workspaceId: target.workspaceId })
    return { channelId: target.channelId, ts: `${posts.length}.0` }
  }
  const engine = started.use(
    startEngine({
      store: store.work,
      kinds: createWatchingWork({
        watching: store.watching,
        steps: store.recordedSteps,
        getSlack: findSlackGroups,
        reachability: createFakeReachability(),
        posting: {
          poster: {
            post,
            find: async () => undefined,
            edit: async () => undefined,
          },
          posts: createPosts({ attempts: store.postAttempts, log }),
          steps: store.recordedSteps,
          mayPost: async () => 'yes',
          reportError: () => undefined,
        },
        renderer: watchRenderer,
        async getApi(workspaceId, environment) {
          polls.set(workspaceId, (polls.get(workspaceId) ?? 0) + 1)
          // The token is as long as a real one.
          return service.with({ environment, token: `${workspaceId}-3f6c1d09a7b84e52` })
        },
        intervalMs: deps.intervalMs,
        wake: () => engine.wake(),
        log,
      }),
      log,
    }),
  )
  const resources = started.move()
  return {
    store,
    posts,
    /** The number of polls so far, over all workspaces. */
    polls: (): number => [...polls.values()].reduce((sum, count) => sum + count, 0),
    /** Waits until each workspace was polled more than this many times. */
    async waitForPolls(times: number): Promise<void> {
      while ([...polls.values()].some((count) => count <= times)) await pause(50)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

import { repeatAfter } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createPollWork } from '../../../src/features/watching/polling/poll-work.ts'
import { getPollGroup, WATCH_WORK } from '../../../src/features/watching/rows/work.ts'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../src/log.ts'
import type { Api } from '../../../src/service/service.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

const INTERVAL_MS = 200
const WORKSPACES = Array.from({ length: 40 }, (_, index) => `T${index}`)
const GROUPS = [...new Set(WORKSPACES.map((workspaceId) => toGroup(workspaceId)))]

function toGroup(workspaceId: string): number {
  return getPollGroup({ workspaceId, environment: 'production' })
}

/** A service without any check that is down. */
const API = {
  healthChecks: {
    async *listAll() {
      yield { results: [] }
    },
  },
} as unknown as Api

describe.each(SHARED_DATABASES)('two processes that poll on $name', ({ start }) => {
  it('each poll their own groups, and take over those of one that stops', async () => {
    await using started = new AsyncDisposableStack()
    const database = started.use(await start())
    const watching = started.use(await openStore(database)).watching
    for (const workspaceId of WORKSPACES)
      await watching.watches.add({
        ...{ id: newId(), workspaceId, environment: 'production', channelId: 'C1', filter: ALL_CHECKS },
        ...{ afterBadPolls: 1, ownerId: 'U1' },
      })
    const polled = new Map<string, string[]>(WORKSPACES.map((workspaceId) => [workspaceId, []]))

    /** Claims groups that nobody has, and polls them until it's stopped. */
    async function startProcess(owner: string, groups: readonly number[]) {
      const store = started.use(await openStore(database))
      const stopped = new AbortController()
      const kind = createPollWork({
        ...{
          watching: store.watching,
          intervalMs: INTERVAL_MS,
          log: createLog('silent'),
          wake: () => undefined,
        },
        getApi: async (workspaceId) => {
          polled.get(workspaceId)?.push(owner)
          return API
        },
      })
      const claims = groups.map((group) =>
        store.work.claim({ workspaceId: '', kind: WATCH_WORK.poll, key: String(group) }, owner),
      )
      const claimed = (await Promise.all(claims)).flatMap((work) => work ?? [])
      const running = claimed.map((work) =>
        kind
          .run({ work, owner, signal: stopped.signal, wantsStop: () => false })
          .catch((error: unknown) => expect(stopped.signal.aborted, String(error)).toBe(true)),
      )
      return {
        groups: claimed.map(({ key }) => Number(key)),
        async stop() {
          stopped.abort()
          await Promise.all(running)
          for (const { id } of claimed) await store.work.release(id, owner, repeatAfter(0))
        },
      }
    }

    const half = GROUPS.slice(0, Math.ceil(GROUPS.length / 2))
    const one = await startProcess('one', half)
    // The second one wants all of them, and gets those that the first one doesn't have.
    const two = await startProcess('two', GROUPS)
    expect(two.groups.toSorted()).toEqual(GROUPS.filter((group) => !half.includes(group)).toSorted())
    const untilPolled = (times: number) =>
      expect
        .poll(() => Math.min(...[...polled.values()].map(({ length }) => length)), { timeout: 60_000 })
        .toBeGreaterThanOrEqual(times)
    await untilPolled(4)
    for (const [workspaceId, owners] of polled)
      expect([...new Set(owners)], workspaceId).toEqual([half.includes(toGroup(workspaceId)) ? 'one' : 'two'])
    await one.stop()
    const three = await startProcess('three', GROUPS)
    expect(three.groups.toSorted()).toEqual(half.toSorted())
    for (const owners of polled.values()) owners.length = 0
    await untilPolled(2)
    for (const [workspaceId, owners] of polled)
      expect([...new Set(owners)], workspaceId).toEqual([
        half.includes(toGroup(workspaceId)) ? 'three' : 'two',
      ])
    await Promise.all([two.stop(), three.stop()])
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../../src/log.ts'
import type { ScopeParts } from '../../../src/watching/polling/poll-scope.ts'
import { pollWork } from '../../../src/watching/polling/poll-work.ts'
import type { HeldWork } from '../../../src/work/held-work.ts'

const scopeOf = (workspaceId: string) => ({ workspaceId, environment: 'production' as const })

/** A group whose workspaces are due until they are polled; `poll` is what becomes of that. */
function startGroup(workspaceIds: readonly string[], poll: (workspaceId: string) => Promise<void>) {
  const left = new Set(workspaceIds)
  const tries: string[] = []
  const polls = {
    due: async () => [...left].map(scopeOf),
    nextDueMs: async () => (left.size > 0 ? 0 : undefined),
    async scope({ workspaceId }: { workspaceId: string }) {
      tries.push(workspaceId)
      await poll(workspaceId)
      left.delete(workspaceId)
    },
  }
  // Nothing else is called while nothing is found to be watched.
  const parts = { polls, log: createLog('silent'), intervalMs: 60_000 } as unknown as ScopeParts
  const stop = new AbortController()
  const held = { work: { id: 'w', key: '1' }, owner: 'me', signal: stop.signal } as HeldWork
  return { tries, stop, run: () => pollWork(parts).run(held) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a poll that cannot be written down', () => {
  it('is repeated after a round, while another workspace of its group is still busy', async () => {
    const slow = Promise.withResolvers<void>()
    let isRefused = true
    const group = startGroup(['T-slow', 'T-refused'], async (workspaceId) => {
      if (workspaceId === 'T-slow') return slow.promise
      if (!isRefused) return
      isRefused = false
      throw new Error('The database had a hiccup.')
    })
    const over = group.run()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.tries).toEqual(['T-slow', 'T-refused'])
    await vi.advanceTimersByTimeAsync(3500)
    expect(group.tries).toEqual(['T-slow', 'T-refused', 'T-refused'])
    slow.resolve()
    expect(await over).toEqual({ state: 'done' })
  })

  it('ends the run when it alone is due, and waits for a round', async () => {
    const group = startGroup(['T-refused'], () => Promise.reject(new Error('The database is away.')))
    const over = group.run()
    await vi.advanceTimersByTimeAsync(100)
    expect(await over).toEqual({ state: 'waiting', dueInMs: 2000, isAnew: true })
    expect(group.tries).toEqual(['T-refused'])
  })

  it('is tried once a round, however often others of its group come to an end', async () => {
    const others = Array.from({ length: 4 }, (_, nth) => `T-${nth}`)
    const group = startGroup(['T-refused', ...others], async (workspaceId) => {
      if (workspaceId === 'T-refused') throw new Error('The database is away.')
      await new Promise((resolve) => setTimeout(resolve, 300 * (1 + others.indexOf(workspaceId))))
    })
    await Promise.all([vi.advanceTimersByTimeAsync(1900), group.run()])
    expect(group.tries.filter((workspaceId) => workspaceId === 'T-refused')).toHaveLength(1)
  })
})

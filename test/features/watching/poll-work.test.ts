import { expect, it } from 'vitest'
import { createPollWork } from '../../../src/features/watching/polling/poll-work.ts'
import { createLog } from '../../../src/log.ts'

const INTERVAL_MS = 200

/** Polls this many environments that are due at once; returns after how long each of them is due again. */
async function pollOverdue(count: number): Promise<number[]> {
  const dueInMs: number[] = []
  let left = count
  const listDue = async (_group: number, { limit }: { limit: number }) => {
    const due = Array.from({ length: Math.min(limit, left) }, (_, index) => ({
      scope: { workspaceId: `T${left - index}`, environment: 'production' },
      ...{ known: new Map(), poll: { failedPolls: 0 }, at: new Date() },
    }))
    left -= due.length
    return { due, isEmpty: due.length === 0 }
  }
  const saveQuiet = async (_lease: unknown, { length }: unknown[], ms: number) => {
    dueInMs.push(...Array.from({ length }, () => ms))
  }
  const { run } = createPollWork({
    ...{ watching: { polls: { listDue, saveQuiet } as never }, log: createLog('silent') },
    ...{ intervalMs: INTERVAL_MS, wake: () => undefined },
    getApi: () => Promise.reject(new Error('unreachable')),
  })
  await run({ work: { id: 'P1', key: '0' }, owner: 'one', signal: new AbortController().signal } as never)
  return dueInMs
}

it('polls again after the interval, and spreads over one what had to wait, as after a start', async () => {
  const few = await pollOverdue(10)
  expect(few).toHaveLength(10)
  expect(new Set(few)).toEqual(new Set([INTERVAL_MS - 20]))
  const many = await pollOverdue(1000)
  expect(many).toHaveLength(1000)
  expect(new Set(many).size).toBeGreaterThan(5)
  expect(Math.min(...many)).toBeGreaterThanOrEqual(INTERVAL_MS / 2 - 20)
  expect(Math.max(...many)).toBeLessThan(INTERVAL_MS * 1.5)
})

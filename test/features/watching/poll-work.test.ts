import { expect, it } from 'vitest'
import { createPollWork } from '../../../src/features/watching/polling/poll-work.ts'
import { createLog } from '../../../src/log.ts'

const INTERVAL_MS = 200

/** Polls this many environments that are due at once; returns after how long each of them is due again. */
async function pollOverdue(count: number): Promise<number[]> {
  const dueInMs: number[] = []
  const overdue = Array.from({ length: count }, (_, index) => ({
    scope: { workspaceId: `T${index}`, environment: 'production' },
    ...{ known: new Map(), poll: { failedPolls: 0 }, at: new Date() },
  }))
  const listDue = async (_group: number, { limit }: { limit: number }) => {
    const due = overdue.splice(0, limit)
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
  expect(await pollOverdue(10)).toEqual(Array.from({ length: 10 }, () => INTERVAL_MS - 20))
  const many = await pollOverdue(1000)
  expect(many).toHaveLength(1000)
  expect(new Set(many).size).toBeGreaterThan(5)
  expect(Math.min(...many)).toBeGreaterThanOrEqual(INTERVAL_MS / 2 - 20)
  expect(Math.max(...many)).toBeLessThan(INTERVAL_MS * 1.5)
})

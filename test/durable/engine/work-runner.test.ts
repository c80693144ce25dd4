import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { createWorkRunner } from '../../../packages/durable/src/engine/work-runner.ts'
import { DONE } from '../../../packages/durable/src/index.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import { createPollWork, type PollDeps } from '../../../src/features/watching/polling/poll-work.ts'
import { createLog } from '../../../src/log.ts'

const log = createLog('silent')
/** What doesn't matter to most tests. */
const REST = {
  owner: 'me',
  release: async () => undefined,
  log,
  times: { leaseMs: 5000, pollMs: 1000, retryMs: 2000 },
  onFree: () => undefined,
}

it('keeps slots free for polls even if 100 lookups hang', async () => {
  const answered = Promise.withResolvers<undefined>()
  const lookups = {
    kind: 'lookup',
    lane: 'lookup',
    maxAttempts: 1,
    run: async () => (await answered.promise) ?? DONE,
  } as const
  const releasedKinds: string[] = []
  const polls = createPollWork({
    watching: { polls: { listOpen: async () => undefined } },
    log,
    intervalMs: 60_000,
  } as unknown as PollDeps)
  const createWork = (kind: string, index: number) =>
    ({
      id: `${kind} ${index}`,
      kind,
      key: `${index}`,
      workspaceId: 'T1',
      attempts: 1,
      dueAt: new Date(),
    }) as Work
  // The lookups have been due for longer.
  const due = [
    ...Array.from({ length: 100 }, (_, index) => createWork(lookups.kind, index)),
    createWork(polls.kind, 1),
  ]
  const runner = createWorkRunner({
    store: {
      async claimDue(_owner, kinds, limit) {
        const claimed = due.filter(({ kind }) => kinds.includes(kind)).slice(0, limit)
        for (const work of claimed) due.splice(due.indexOf(work), 1)
        return claimed
      },
    },
    kinds: [lookups, polls],
    owner: 'me',
    leasedWork: trackLeasedWork('me'),
    release: async ({ work: { kind } }) => void releasedKinds.push(kind),
    log,
    times: { leaseMs: 5000, pollMs: 1000, retryMs: 2000 },
    onFree: () => undefined,
  })
  await runner.fill()
  await expect.poll(() => releasedKinds).toEqual([polls.kind])
  answered.resolve(undefined)
  await runner.idle()
})

it('claims only kinds with capacity', async () => {
  let hasCapacity = false
  const claimedKinds: (readonly string[])[] = []
  const createKind = (kind: string) => ({
    kind,
    lane: 'quick' as const,
    run: async () => ({ state: 'done' as const }),
  })
  const runner = createWorkRunner({
    store: {
      async claimDue(_owner, kinds) {
        claimedKinds.push(kinds)
        return []
      },
    },
    kinds: [createKind('plain'), { ...createKind('limited'), hasCapacity: () => hasCapacity }],
    ...REST,
    leasedWork: trackLeasedWork('me'),
  })
  await runner.fill()
  hasCapacity = true
  await runner.fill()
  expect(claimedKinds).toEqual([['plain'], ['plain', 'limited']])
})

it('takes a slot for work, unless someone is waiting for it', async () => {
  const ended = Promise.withResolvers<void>()
  const leasedWork = trackLeasedWork('me')
  const runner = createWorkRunner({
    store: {
      claimDue: async () => [],
    },
    kinds: [
      {
        kind: 'sweep',
        lane: 'maintenance',
        async run() {
          await ended.promise
          return { state: 'done' }
        },
      },
    ],
    ...REST,
    leasedWork,
  })
  const sweep = { kind: 'sweep', workspaceId: '' }
  const lease = (id: string) => leasedWork.add({ ...sweep, id, attempts: 1, dueAt: new Date() } as Work)
  const running = ['a', 'b', 'c'].map((id) => runner.beginUnslotted(lease(id)))
  expect(runner.hasSlotFor(sweep)).toBe(true)
  // This lane has two slots.
  running.push(runner.begin(lease('d')), runner.begin(lease('e')))
  expect(runner.hasSlotFor(sweep)).toBe(false)
  ended.resolve()
  await Promise.all(running)
  expect(runner.hasSlotFor(sweep)).toBe(true)
})

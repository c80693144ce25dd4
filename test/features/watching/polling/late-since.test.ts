import { MINUTE_MS } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { KEY_A } from '../../../databases/databases.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const SETTINGS = { filter: ALL_CHECKS, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const

it('checks whose poll is late haven’t been seen since the poll was due, not since that was noticed', async () => {
  const startMs = Date.UTC(2026, 2, 1, 12)
  let nowMs = startMs
  const now = () => new Date(nowMs)
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A, now, clock: now })
  const { watches, polls, history } = store.watching
  await watches.add({ ...SCOPE, ...SETTINGS, channelId: 'C1', ownerId: 'U1', madeAt: now() })
  const [work] = await store.work.claimDue('me', [WATCH_WORK.poll], 9)
  const leaseHolder = { workId: work?.id ?? '', owner: 'me' }
  const result = { poll: 1, at: now(), clockMs: 0, intervalMs: 10 * MINUTE_MS, total: 1, isFull: true }
  expect(await polls.saveResult(SCOPE, leaseHolder, { result })).toBe(true)
  nowMs += 30 * MINUTE_MS
  expect(await polls.reportLate(SCOPE)).toBe(true)
  expect(await history.findUnseen(SCOPE)).toEqual({
    since: new Date(startMs + 10 * MINUTE_MS),
    failure: 'late',
  })
})

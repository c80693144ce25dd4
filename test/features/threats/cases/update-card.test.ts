import { expect, it } from 'vitest'
import { LeaseLost } from '../../../../packages/durable/src/engine/leased-work.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import { type CardDeps, updateCard } from '../../../../src/features/threats/cases/post-case.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'
import { ANN, createSampleCase } from './sample.ts'

const CARD = { channelId: 'C2', messageTs: '2' }
const createSlackError = (code: string): Error => new Error(`An API error occurred: ${code}`)

/** Runs the update of an outdated card once, and returns the calls that it made. */
async function updateOnce({
  edit = async () => '2',
  may = 'yes',
  hasLease = true,
}: {
  edit?: () => Promise<string>
  may?: 'yes' | 'shared' | 'closed'
  hasLease?: boolean
}) {
  const calls: string[] = []
  const deps: CardDeps = {
    threatShares: {
      findOutdated: async () => CARD,
      markShown: async (_event, _card, version) => void calls.push(`shown ${version}`),
      remove: async () => void calls.push('gone'),
    },
    steps: { hasLease: async () => hasLease },
    poster: {
      async edit() {
        calls.push('edited')
        return edit()
      },
    },
    mayPost: async () => may,
    report: () => undefined,
  }
  const threatCase = await createSampleCase(readEvent(createThreatEvent('exa.mple')), ['take', ANN])
  // Cast: only these fields are used.
  const work = { id: 'w', attempts: 1 } as Work
  const { signal } = new AbortController()
  const workEnd = await updateCard(deps, { work, owner: 'me', signal }, threatCase)
  return { calls, dueInMs: workEnd?.state === 'waiting' ? workEnd.dueInMs : undefined }
}

it.each([
  { what: 'edits it', how: {}, calls: ['edited', 'shown 1'] },
  { what: 'forgets it in a shared channel', how: { may: 'shared' as const }, calls: ['gone'] },
  { what: 'forgets it in a closed channel', how: { may: 'closed' as const }, calls: ['gone'] },
  {
    what: 'forgets it if someone deleted it',
    how: { edit: () => Promise.reject(createSlackError('message_not_found')) },
    calls: ['edited', 'gone'],
  },
  {
    what: 'tries again if Slack doesn’t answer',
    how: { edit: () => Promise.reject(new Error('socket hang up')) },
    calls: ['edited'],
  },
])('updates a card in another channel: $what', async ({ how, calls }) => {
  expect((await updateOnce(how)).calls).toEqual(calls)
})

it('waits as long as Slack’s rate limit requires before updating a card in another channel', async () => {
  const rateLimited = Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 7 })
  expect(await updateOnce({ edit: () => Promise.reject(rateLimited) })).toEqual({
    calls: ['edited'],
    dueInMs: 7000,
  })
})

it('doesn’t update a card in another channel after losing the lease', async () => {
  await expect(updateOnce({ hasLease: false })).rejects.toThrow(LeaseLost)
})

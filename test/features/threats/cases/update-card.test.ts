import { expect, it } from 'vitest'
import { LeaseLost } from '../../../../packages/durable/src/engine/leased-work.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import { type CardDeps, updateCard } from '../../../../src/features/threats/cases/post-case.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'
import { ANN, createSampleCase } from './sample.ts'

const CARD = { channelId: 'C2', messageTs: '2' }
const createSlackError = (code: string): Error => new Error(`An API error occurred: ${code}`)

/** Updates an outdated card once, and returns the calls that this made. */
async function updateOnce({
  edit = async () => undefined,
  mayPost = 'yes',
  hasLease = true,
}: {
  edit?: () => Promise<undefined>
  mayPost?: 'yes' | 'shared' | 'closed'
  hasLease?: boolean
}) {
  const calls: string[] = []
  const deps: CardDeps = {
    threatShares: {
      findOutdated: async () => CARD,
      markShown: async (_event, _card, version) => void calls.push(`shown ${version}`),
      remove: async () => void calls.push('removed'),
    },
    steps: { hasLease: async () => hasLease },
    poster: {
      async edit() {
        calls.push('edited')
        return edit()
      },
    },
    mayPost: async () => mayPost,
    reportError: () => undefined,
  }
  const threatCase = await createSampleCase(readEvent(createThreatEvent('exa.mple')), ['take', ANN])
  // Cast: only these fields are used.
  const work = { id: 'w', attempts: 1 } as Work
  const { signal } = new AbortController()
  const workEnd = await updateCard(deps, { work, owner: 'me', signal }, threatCase)
  return { calls, dueInMs: workEnd?.state === 'waiting' ? workEnd.dueInMs : undefined }
}

it.each([
  { outcome: 'edits it', options: {}, calls: ['edited', 'shown 1'] },
  {
    outcome: 'forgets it if the channel is shared and not allowed',
    options: { mayPost: 'shared' as const },
    calls: ['removed'],
  },
  {
    outcome: 'forgets it if the channel is closed to the app',
    options: { mayPost: 'closed' as const },
    calls: ['removed'],
  },
  {
    outcome: 'forgets it if someone deleted it',
    options: { edit: () => Promise.reject(createSlackError('message_not_found')) },
    calls: ['edited', 'removed'],
  },
])('updates a card in another channel: $outcome', async ({ options, calls }) => {
  expect((await updateOnce(options)).calls).toEqual(calls)
})

it('keeps a card in another channel and tries again later if Slack doesn’t answer', async () => {
  const { calls, dueInMs } = await updateOnce({ edit: () => Promise.reject(new Error('socket hang up')) })
  expect(calls).toEqual(['edited'])
  expect(dueInMs).toBeGreaterThan(0)
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

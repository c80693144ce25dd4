import { expect, it } from 'vitest'
import { LeaseLost } from '../../../../packages/durable/src/engine/leased-work.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import { type CardParts, updateCard } from '../../../../src/features/threats/cases/post-case.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { eventOf } from '../events.ts'
import { ANN, sampleCase } from './sample.ts'

const CARD = { channelId: 'C2', messageTs: '2' }
const slackSays = (code: string): Error => new Error(`An API error occurred: ${code}`)

/** Runs the update of an outdated card once, and returns the calls that it made. */
async function updateOnce({
  edit = async () => '2',
  may = 'yes',
  isHeld: hasLease = true,
}: {
  edit?: () => Promise<string>
  may?: 'yes' | 'shared' | 'closed'
  isHeld?: boolean
}) {
  const did: string[] = []
  const parts: CardParts = {
    threatShares: {
      findOutdated: async () => CARD,
      markShown: async (_event, _card, version) => void did.push(`shown ${version}`),
      remove: async () => void did.push('gone'),
    },
    steps: { hasLease: async () => hasLease },
    poster: {
      async edit() {
        did.push('edited')
        return edit()
      },
    },
    mayPost: async () => may,
    report: () => undefined,
  }
  const threatCase = await sampleCase(threatEventOf(eventOf('exa.mple')), ['take', ANN])
  // Cast: only these fields are used.
  const work = { id: 'w', attempts: 1 } as Work
  const { signal } = new AbortController()
  const end = await updateCard(parts, { work, owner: 'me', signal }, threatCase)
  return { did, dueInMs: end?.state === 'waiting' ? end.dueInMs : undefined }
}

it.each([
  { what: 'edits it', how: {}, did: ['edited', 'shown 1'] },
  { what: 'forgets it in a shared channel', how: { may: 'shared' as const }, did: ['gone'] },
  { what: 'forgets it in a closed channel', how: { may: 'closed' as const }, did: ['gone'] },
  {
    what: 'forgets it if someone deleted it',
    how: { edit: () => Promise.reject(slackSays('message_not_found')) },
    did: ['edited', 'gone'],
  },
  {
    what: 'tries again if Slack doesn’t answer',
    how: { edit: () => Promise.reject(new Error('socket hang up')) },
    did: ['edited'],
  },
])('updates a card in another channel: $what', async ({ how, did }) => {
  expect((await updateOnce(how)).did).toEqual(did)
})

it('updates a card in another channel only after the time that Slack asks for', async () => {
  const limited = Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 7 })
  expect(await updateOnce({ edit: () => Promise.reject(limited) })).toEqual({
    did: ['edited'],
    dueInMs: 7000,
  })
})

it('doesn’t update a card in another channel after losing the lease', async () => {
  await expect(updateOnce({ isHeld: false })).rejects.toThrow(LeaseLost)
})

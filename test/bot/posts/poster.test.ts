import { expect, it } from 'vitest'
import type { SlackClients } from '../../../packages/slack/src/client/clients.ts'
import type { PostToFind } from '../../../packages/slack/src/client/find-posted.ts'
import { createBlockFallback } from '../../../packages/slack/src/reply/respond.ts'
import { createPoster } from '../../../src/bot/posts/poster.ts'
import type { BindButtons } from '../../../src/bot/request/buttons.ts'

const SENT = new Date('2026-03-01T12:00:00Z')
const EARLIER = new Date('2026-03-01T11:00:00Z')
const LATER = new Date('2026-03-01T12:10:00Z')

it.each([
  { clock: 'isn’t changed', searchedAt: LATER, since: SENT },
  { clock: 'was set back', searchedAt: EARLIER, since: EARLIER },
])('searches for a lost message from the right time if the clock $clock', async ({ searchedAt, since }) => {
  const searches: PostToFind[] = []
  // A fake with only the methods that a search uses.
  const clients = {
    forWorkspace: async () => ({ findPosted: async (post: PostToFind) => void searches.push(post) }),
  } as unknown as SlackClients
  const bindButtons: BindButtons = async (_place, _environment, blocks) => blocks
  const poster = createPoster({ clients, bindButtons, blockFallback: createBlockFallback() })
  const place = { workspaceId: 'T1', environment: 'production', channelId: 'C1' } as const
  await poster.find(place, { postId: 'm', sentAt: SENT, searchedAt })
  expect(searches).toEqual([{ channelId: 'C1', threadTs: undefined, postId: 'm', since, until: SENT }])
})

import { webApi } from '@slack/bolt'
import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

it('aren’t run if their button said that they only read, and a later version made them an act', async () => {
  await using world = await startWorld()
  const { admin } = world.slack
  const { ephemeralState } = world.app.store
  const line = { workspaceId: WORKSPACE, body: '/hc env ote', now: new Date(), ttlMs: 60_000 }
  const id = await ephemeralState.saveOnce(line)
  const client = new webApi.WebClient(world.playground.botToken, { slackApiUrl: world.playground.apiUrl })
  async function press(value: string) {
    const text = { type: 'plain_text', text: 'Press' } as const
    const button = { type: 'button', action_id: 'command', text, value } as const
    const blocks = [{ type: 'actions', elements: [button] } as const]
    const { ts } = await client.chat.postMessage({ channel: '#general', text: 'A button', blocks })
    const message = (await admin.messages('general')).find((posted) => posted.ts === ts)
    return await admin.click(message, 'Press')
  }
  expect((await press(`read:${id}`)).text).toContain('This button is too old')
  expect((await press(`act:${id}`)).text).toContain('now uses the OTE environment')
})

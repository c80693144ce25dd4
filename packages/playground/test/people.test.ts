import { expect, it } from 'vitest'
import { isFields } from '../src/protocol/json.ts'
import { startWorld } from './app.ts'

const REJECTED_CALLS: { method: string; args: object; error: string }[] = [
  { method: 'users.info', args: { user: 'U0WSMEMBR1' }, error: 'user_not_found' },
  { method: 'conversations.info', args: { channel: 'C0WSGENERL' }, error: 'channel_not_found' },
  { method: 'chat.postMessage', args: { channel: 'C0WSGENERL', text: 'x' }, error: 'channel_not_found' },
  { method: 'chat.postMessage', args: { channel: 'U0WSMEMBR1', text: 'x' }, error: 'channel_not_found' },
  {
    method: 'views.publish',
    args: { user_id: 'U0WSMEMBR1', view: { type: 'home', blocks: [{ type: 'divider' }] } },
    error: 'user_not_found',
  },
]
it('a workspace’s token can’t access another workspace, and lists only people in its workspace and in shared channels', async () => {
  await using world = await startWorld()
  for (const { method, args, error } of REJECTED_CALLS)
    expect({ method, ...(await world.api(method, args)) }).toMatchObject({ method, ok: false, error })
  const { members } = await world.api('users.list')
  const teams = Array.isArray(members) ? members.map((member) => isFields(member) && member.team_id) : []
  expect(new Set(teams)).toEqual(new Set(['T0PLAYGRND', 'T0PARTNER1']))
})

import { describe, expect, it } from 'vitest'
import { isFields } from '../src/protocol/json.ts'
import { startWorld } from './app.ts'

describe('the people of the playground', () => {
  const people: { id: string; fields: object }[] = [
    { id: 'U0MEMBER01', fields: { is_admin: false, is_restricted: false, is_bot: false, deleted: false } },
    { id: 'U0ADMIN001', fields: { is_admin: true } },
    { id: 'U0GUEST001', fields: { is_restricted: true, is_ultra_restricted: false } },
    { id: 'U0FOREIGN1', fields: { team_id: 'T0PARTNER1', is_restricted: false } },
    { id: 'U0LEFT0001', fields: { deleted: true, is_bot: false } },
    { id: 'U0OTHERBOT', fields: { is_bot: true } },
    { id: 'U0PLAYGBOT', fields: { is_bot: true } },
  ]
  it('have the right roles and teams, and guests can’t join channels themselves', async () => {
    await using world = await startWorld()
    for (const { id, fields } of people) {
      const { user } = await world.api('users.info', { user: id })
      expect(user).toMatchObject({ id, team_id: 'T0PLAYGRND', ...fields })
    }
    expect((await world.slack.user('U0GUEST001').state()).joinable).toEqual([])
  })
})

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

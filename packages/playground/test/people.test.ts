import { describe, expect, it } from 'vitest'
import { isFields } from '../src/protocol/json.ts'
import { startWorld } from './app.ts'

describe('the people of the playground', () => {
  it('can all be chosen under “Acting as”, except the app’s own bots', async () => {
    await using world = await startWorld()
    const { actors, people: allPeople, workspaces } = await world.slack.member.state()
    expect(actors.slice(0, 2)).toEqual(['U0MEMBER01', 'U0ADMIN001'])
    expect(actors).not.toContain('U0PLAYGBOT')
    const roles = new Set(allPeople.filter(({ id }) => actors.includes(id)).map(({ role }) => role))
    expect(roles).toEqual(new Set(['member', 'admin', 'guest', 'foreign', 'bot']))
    expect(workspaces.map(({ id, installed }) => [id, installed])).toEqual([
      ['T0PLAYGRND', true],
      ['T0WORKSHOP', false],
      ['T0FACTORY1', false],
    ])
  })

  it('can’t use the app in a workspace that hasn’t installed it', async () => {
    await using world = await startWorld()
    const answer = await world.slack.user('U0WSMEMBR1').command('/hc')
    expect(answer.text).toBe('/hc is not a valid command.')
    expect(world.sent).toEqual([])
  })
})

describe('a workspace’s token', () => {
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
  it('can’t access another workspace, and lists only people in its workspace and in shared channels', async () => {
    await using world = await startWorld()
    for (const { method, args, error } of REJECTED_CALLS)
      expect({ method, ...(await world.api(method, args)) }).toMatchObject({ method, ok: false, error })
    const { members } = await world.api('users.list')
    const teams = Array.isArray(members) ? members.map((member) => isFields(member) && member.team_id) : []
    expect(new Set(teams)).toEqual(new Set(['T0PLAYGRND', 'T0PARTNER1']))
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { createBrowser, startUninstalledWorld } from '../../slack-installation.ts'
import type { World } from '../../world.ts'

const ORGANIZATION = 'E0EXAMPLE1'
const CARD = [
  {
    type: 'actions',
    elements: [
      {
        type: 'button',
        action_id: 'command.0',
        text: { type: 'plain_text', text: 'Who am I' },
        value: '/hc access',
      },
    ],
  },
]

// The organization has the workspaces Workshop and Factory. The channel all-sites is in both, and rivals is shared with another
// organization.
const WORKSHOP_MEMBER = 'U0WSMEMBR1'
const FACTORY_MEMBER = 'U0FCMEMBR1'
const FACTORY_ADMIN = 'U0FCADMIN1'
const MEMBER_OF_BOTH = 'U0WSBOTH01'
const OUTSIDER = 'U0RIVAL001'

/** How a person sends a request. */
type RequestKind = 'command' | 'click in a card' | 'click in an answer' | 'mention'

const MEMBER_HERE = /You are \s*, a member of this workspace\./
const MEMBER_OF_SISTER_WORKSPACE = /You are \s*, a member of another workspace of this organization\./
const FROM_ANOTHER_ORGANIZATION = /only works for people of this workspace/
const UNKNOWN_WORKSPACE = /Slack didn’t say which workspace of your organization this is for/

describe('an organization in the playground', () => {
  let world: World
  let token: string
  beforeAll(async () => {
    world = await startUninstalledWorld()
    await createBrowser().install(world, `${ORGANIZATION} U0WSADMIN1`)
    const found = await world.app.store.installations.find({
      workspaceId: ORGANIZATION,
      enterpriseId: ORGANIZATION,
    })
    token = found?.botToken ?? ''
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function sendAndReadAnswer(kind: RequestKind, userId: string, channel: string): Promise<string> {
    const person = world.slack.user(userId)
    if (kind === 'command') return (await person.command('/hc', 'access', { channel })).text
    if (kind === 'mention')
      return (await (await person.say('<@U0WORKSBOT> hc access', { channel })).answer()).text
    if (kind === 'click in an answer') {
      const { message } = await person.command('/hc', 'access', { channel })
      return (await person.click(message, 'Roles')).text
    }
    const answer = await fetch(`${world.playground.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ channel, text: 'A card', blocks: CARD }),
    })
    // The documented response of `chat.postMessage`.
    const { ts } = (await answer.json()) as { ts: string }
    const card = (await person.messages(channel)).find((message) => message.ts === ts)
    return (await person.click(card, 'Who am I')).text
  }

  it.each([
    { kind: 'command', userId: WORKSHOP_MEMBER, channel: 'all-sites', expected: MEMBER_HERE },
    { kind: 'click in a card', userId: WORKSHOP_MEMBER, channel: 'all-sites', expected: MEMBER_HERE },
    { kind: 'mention', userId: WORKSHOP_MEMBER, channel: 'all-sites', expected: MEMBER_HERE },
    {
      kind: 'click in an answer',
      userId: WORKSHOP_MEMBER,
      channel: 'general',
      expected: /Operators|operator/,
    },
    // A command belongs to the workspace that it's typed in, and a card to the workspace that it was posted in.
    { kind: 'command', userId: FACTORY_MEMBER, channel: 'all-sites', expected: MEMBER_HERE },
    {
      kind: 'click in a card',
      userId: FACTORY_MEMBER,
      channel: 'all-sites',
      expected: MEMBER_OF_SISTER_WORKSPACE,
    },
    { kind: 'mention', userId: FACTORY_MEMBER, channel: 'all-sites', expected: MEMBER_OF_SISTER_WORKSPACE },
    {
      kind: 'click in a card',
      userId: FACTORY_ADMIN,
      channel: 'all-sites',
      expected: MEMBER_OF_SISTER_WORKSPACE,
    },
    { kind: 'command', userId: FACTORY_ADMIN, channel: 'all-sites', expected: /an admin of this workspace/ },
    { kind: 'command', userId: MEMBER_OF_BOTH, channel: 'all-sites', expected: MEMBER_HERE },
    { kind: 'click in a card', userId: MEMBER_OF_BOTH, channel: 'all-sites', expected: MEMBER_HERE },
    { kind: 'click in an answer', userId: MEMBER_OF_BOTH, channel: 'general', expected: UNKNOWN_WORKSPACE },
    { kind: 'click in a card', userId: OUTSIDER, channel: 'rivals', expected: FROM_ANOTHER_ORGANIZATION },
    { kind: 'mention', userId: OUTSIDER, channel: 'rivals', expected: FROM_ANOTHER_ORGANIZATION },
  ] as const)(
    'answers a $kind by $userId in #$channel with $expected',
    async ({ kind, userId, channel, expected }) => {
      expect(await sendAndReadAnswer(kind, userId, channel)).toMatch(expected)
    },
  )

  it('gives roles granted to “everyone” only to members of the workspace', async () => {
    const { grants, organizations } = world.app.store
    await grants.add('T0WORKSHOP', 'operator', EVERYONE, 'U0WSADMIN1', new Date())
    expect(await sendAndReadAnswer('mention', WORKSHOP_MEMBER, 'all-sites')).toContain('operator: you can')
    expect(await sendAndReadAnswer('mention', MEMBER_OF_BOTH, 'all-sites')).toContain('operator: you can')
    expect(await sendAndReadAnswer('mention', FACTORY_MEMBER, 'all-sites')).toContain('operator: no')
    await grants.add('T0WORKSHOP', 'operator', { kind: 'user', id: FACTORY_MEMBER }, 'U0WSADMIN1', new Date())
    expect(await sendAndReadAnswer('mention', FACTORY_MEMBER, 'all-sites')).toContain('operator: you can')
    expect(await organizations.listWorkspaces(ORGANIZATION)).toEqual(['T0FACTORY1', 'T0WORKSHOP'])
  })
})

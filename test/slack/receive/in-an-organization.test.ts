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
        value: '/hc whoami',
      },
    ],
  },
]

const WANDA = 'U0WSMEMBR1'
const FIONA = 'U0FCMEMBR1'
const FELIX = 'U0FCADMIN1'
const BEA = 'U0WSBOTH01'
const RITA = 'U0RIVAL001'
type Way = 'command' | 'click in a card' | 'click in an answer' | 'mention'

const HERE = /You are \s*, a member of this workspace\./
const SISTER = /You are \s*, a member of another workspace of this organization\./
const FOREIGN = /only works for people of this workspace/
const UNPLACED = /Slack didn’t say which workspace of your organization this is for/

describe('an organization in the local Slack', () => {
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

  async function sendAndReadAnswer(way: Way, userId: string, channel: string): Promise<string> {
    const person = world.slack.user(userId)
    if (way === 'command') return (await person.command('/hc', 'whoami', { channel })).text
    if (way === 'mention')
      return (await (await person.say('<@U0WORKSBOT> hc whoami', { channel })).answer()).text
    if (way === 'click in an answer') {
      const { message } = await person.command('/hc', 'whoami', { channel })
      return (await person.click(message, 'Roles')).text
    }
    const answer = await fetch(`${world.playground.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ channel, text: 'A card', blocks: CARD }),
    })
    // Slack's response to a post.
    const { ts } = (await answer.json()) as { ts: string }
    const card = (await person.messages(channel)).find((one) => one.ts === ts)
    return (await person.click(card, 'Who am I')).text
  }

  it.each([
    { way: 'command', who: WANDA, channel: 'all-sites', says: HERE },
    { way: 'click in a card', who: WANDA, channel: 'all-sites', says: HERE },
    { way: 'mention', who: WANDA, channel: 'all-sites', says: HERE },
    { way: 'click in an answer', who: WANDA, channel: 'general', says: /Operators|operator/ },
    // A command belongs to the workspace in which it's typed, a card to the one in which it was posted.
    { way: 'command', who: FIONA, channel: 'all-sites', says: HERE },
    { way: 'click in a card', who: FIONA, channel: 'all-sites', says: SISTER },
    { way: 'mention', who: FIONA, channel: 'all-sites', says: SISTER },
    { way: 'click in a card', who: FELIX, channel: 'all-sites', says: SISTER },
    { way: 'command', who: FELIX, channel: 'all-sites', says: /an admin of this workspace/ },
    { way: 'command', who: BEA, channel: 'all-sites', says: HERE },
    { way: 'click in a card', who: BEA, channel: 'all-sites', says: HERE },
    { way: 'click in an answer', who: BEA, channel: 'general', says: UNPLACED },
    { way: 'click in a card', who: RITA, channel: 'rivals', says: FOREIGN },
    { way: 'mention', who: RITA, channel: 'rivals', says: FOREIGN },
  ] as const)('shows “$says” for a $way by $who in #$channel', async ({ way, who, channel, says }) => {
    expect(await sendAndReadAnswer(way, who, channel)).toMatch(says)
  })

  it('gives roles granted to “everyone” only to the workspace’s own people', async () => {
    const { grants, organizations } = world.app.store
    await grants.add('T0WORKSHOP', 'operator', EVERYONE, 'U0WSADMIN1', new Date())
    expect(await sendAndReadAnswer('mention', WANDA, 'all-sites')).toContain('operator: you can')
    expect(await sendAndReadAnswer('mention', BEA, 'all-sites')).toContain('operator: you can')
    expect(await sendAndReadAnswer('mention', FIONA, 'all-sites')).toContain('operator: no')
    await grants.add('T0WORKSHOP', 'operator', { kind: 'user', id: FIONA }, 'U0WSADMIN1', new Date())
    expect(await sendAndReadAnswer('mention', FIONA, 'all-sites')).toContain('operator: you can')
    expect(await organizations.listWorkspaces(ORGANIZATION)).toEqual(['T0FACTORY1', 'T0WORKSHOP'])
  })
})

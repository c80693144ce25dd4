import { randomUUID } from 'node:crypto'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createWindowStates } from '../../../src/bot/windows/window-states.ts'
import { readConfig } from '../../../src/config.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { createLog } from '../../../src/log.ts'
import { filledForms } from '../../bot/access/forms.ts'
import { sender } from '../../bot/access/requests.ts'
import { startSlackStub } from '../../bot/access/slack-stub.ts'
import { PATIENT_APP, UNLIMITED } from '../../patience.ts'

const SECRET = 'whereabouts-signing-secret'
const CHANNEL = 'C0ORG'
const LINE = '/hc whoami'
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const FORM = 'watching.maintenance'

/**
 * The acting person: what the payload says about them, and what Slack returns for them. People from elsewhere are admins there.
 */
interface Who {
  userId: string
  /** `user.team_id`, `user_team`, and the workspace that is open in their Slack client. */
  homeId: string
  seatId: string
  slack: object
}

const inE1 = (...teams: string[]) => ({
  team_id: teams[0],
  enterprise_user: { id: 'W', enterprise_id: 'E1', teams },
})
const PEOPLE = {
  ann: { userId: 'U1', homeId: 'T1', seatId: 'T1', slack: { ...inE1('T1'), is_admin: true } },
  sister: { userId: 'U2', homeId: 'T2', seatId: 'T2', slack: { ...inE1('T2'), is_admin: true } },
  ofBoth: { userId: 'U12', homeId: 'E1', seatId: 'E1', slack: { ...inE1('T1', 'T2'), is_admin: true } },
  ofOne: { userId: 'U11', homeId: 'E1', seatId: 'E1', slack: { ...inE1('T1'), is_admin: true } },
  partner: { userId: 'U9', homeId: 'T9', seatId: 'T9', slack: { team_id: 'T9', is_admin: true } },
  rival: {
    userId: 'U8',
    homeId: 'E8',
    seatId: 'T8',
    slack: {
      team_id: 'T8',
      enterprise_user: { enterprise_id: 'E8', teams: ['T8'] },
      is_admin: true,
      is_stranger: false,
    },
  },
} as const satisfies Record<string, Who>
type Name = keyof typeof PEOPLE
const NAMES = ['ann', 'sister', 'ofBoth', 'ofOne', 'partner', 'rival'] as const satisfies readonly Name[]

const payload = (fields: object): string =>
  new URLSearchParams({ payload: JSON.stringify(fields) }).toString()

/** The fields of every interaction with an organization's installation. */
const common = ({ userId, homeId }: Who) => ({
  team: null,
  user: { id: userId, name: userId, team_id: homeId },
  enterprise: { id: 'E1', name: 'Example Group' },
  is_enterprise_install: true,
  api_app_id: 'A1',
  trigger_id: randomUUID(),
})
const button = { actions: [{ type: 'button', action_id: 'command.0', block_id: 'b', value: LINE }] }
const inChannel = (responseUrl: string) => ({
  channel: { id: CHANNEL },
  container: { type: 'message', channel_id: CHANNEL, message_ts: '1.1' },
  response_url: responseUrl,
})
const window = (who: Who, fields: object) => ({
  id: 'V1',
  type: 'modal',
  callback_id: FORM,
  team_id: who.seatId,
  app_installed_team_id: 'E1',
  title: { type: 'plain_text', text: 'A window' },
  submit: { type: 'plain_text', text: 'Send' },
  blocks: [],
  ...fields,
})

function event(inner: object, envelope: object = {}): string {
  const authorization = { enterprise_id: 'E1', team_id: null, user_id: 'U0BOT', is_bot: true }
  return JSON.stringify({
    type: 'event_callback',
    event_id: randomUUID(),
    event_time: 1_760_000_000,
    team_id: 'T1',
    enterprise_id: 'E1',
    context_team_id: 'T1',
    context_enterprise_id: 'E1',
    authorizations: [{ ...authorization, is_enterprise_install: true }],
    is_ext_shared_channel: false,
    event: inner,
    ...envelope,
  })
}
const mention = ({ userId, homeId }: Who) => ({
  type: 'app_mention',
  user: userId,
  user_team: homeId,
  channel: CHANNEL,
  ts: '1.1',
  text: `<@U0BOT> ${LINE.slice(1)}`,
})

interface Sent {
  responseUrl: string
  metadata: string
  values: object
}

/** Everything that people can send, as Slack sends it to an organization's installation, from a channel of T1. */
const KINDS = {
  command: ({ userId, homeId, seatId }, { responseUrl }) =>
    new URLSearchParams({
      command: '/hc',
      text: LINE.slice(4),
      // Slack doesn't let anyone type it in a workspace without the app.
      team_id: homeId.endsWith('8') || homeId.endsWith('9') ? 'T1' : seatId,
      enterprise_id: 'E1',
      is_enterprise_install: 'true',
      user_id: userId,
      channel_id: CHANNEL,
      response_url: responseUrl,
      trigger_id: randomUUID(),
    }).toString(),
  'press on a message': (who, { responseUrl }) =>
    payload({
      type: 'block_actions',
      ...common(who),
      ...inChannel(responseUrl),
      message: { type: 'message', team: 'T1', bot_id: 'B1', app_id: 'A1', ts: '1.1' },
      ...button,
    }),
  'press on a message for one': (who, { responseUrl }) =>
    payload({ type: 'block_actions', ...common(who), ...inChannel(responseUrl), ...button }),
  'press on a message of a workspace': (who, { responseUrl }) =>
    payload({
      type: 'block_actions',
      ...common(who),
      team: { id: 'T1', domain: 'one', enterprise_id: 'E1', enterprise_name: 'Example Group' },
      ...inChannel(responseUrl),
      ...button,
    }),
  'press in a window': (who) =>
    payload({ type: 'block_actions', ...common(who), view: window(who, {}), ...button }),
  'press in a window, whose team is the person’s': (who) =>
    payload({
      type: 'block_actions',
      ...common(who),
      // From the person's organization, whichever that is.
      team: {
        id: who.seatId,
        domain: 'x',
        enterprise_id: who.homeId.startsWith('E') ? who.homeId : undefined,
      },
      view: window(who, {}),
      ...button,
    }),
  'press in Home': (who) =>
    payload({ type: 'block_actions', ...common(who), view: window(who, { type: 'home' }), ...button }),
  submission: (who, { metadata, values }) =>
    payload({
      type: 'view_submission',
      ...common(who),
      view: window(who, { private_metadata: metadata, state: { values } }),
    }),
  'message shortcut': (who, { responseUrl }) =>
    payload({
      type: 'message_action',
      ...common(who),
      ...inChannel(responseUrl),
      callback_id: 'threat.look-up',
      // The author is from another organization.
      message: { type: 'message', team: 'T9', user: 'U9', ts: '1.1', text: THREAT },
    }),
  mention: (who) => event(mention(who)),
  'mention in a channel of another organization': (who) =>
    event(mention(who), {
      team_id: 'T9',
      enterprise_id: null,
      context_team_id: 'E1',
      is_ext_shared_channel: true,
    }),
  'mention where nothing says that it is shared': (who) =>
    event(mention(who), { team_id: 'T9', enterprise_id: undefined, context_team_id: undefined }),
  'direct message': (who) => event({ ...mention(who), type: 'message', channel_type: 'im', channel: 'D1' }),
  'opened Home': ({ userId }) => event({ type: 'app_home_opened', user: userId, tab: 'home', channel: 'D1' }),
} as const satisfies Record<string, (who: Who, sent: Sent) => string>
type Kind = keyof typeof KINDS

/**
 * The workspace and the role that each person gets. Someone from a sister workspace may read, but may not do what everyone in
 * this one may. Nobody may do anything if they're from another organization, or if no workspace is named.
 */
const TAKEN_FOR: Record<Kind, string> = {
  // ann | sister | ofBoth | ofOne | partner | rival
  command: 'T1 admin | T2 admin | E1 unplaced | T1 admin | T1 foreign | T1 foreign',
  'press on a message': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'press on a message for one': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'press on a message of a workspace': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'press in a window': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'press in a window, whose team is the person’s':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'press in Home': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  submission: 'T1 let in | T2 let in | E1 unplaced | T1 let in | E1 foreign | E1 foreign',
  'message shortcut': 'T1 let in | T2 let in | E1 unplaced | T1 let in | E1 foreign | E1 foreign',
  mention: 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'mention in a channel of another organization':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'mention where nothing says that it is shared':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'direct message': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'opened Home': 'T1 let in | T1 let in | T1 let in | T1 let in | T1 foreign | T1 foreign',
}

const ROWS = Object.entries(TAKEN_FOR).flatMap(([kind, row]) =>
  row.split(' | ').map((expected, index) => ({ kind: kind as Kind, who: NAMES[index] ?? 'ann', expected })),
)

async function startOrganization() {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const people = Object.values(PEOPLE).map(({ userId, slack }) => [userId, slack] as const)
  const slack = started.use(await startSlackStub(Object.fromEntries(people)))
  const config = readConfig({
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'client-secret',
    SLACK_STATE_SECRET: 'sixteen-and-more',
    SLACK_API_URL: slack.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    DATABASE_URL: 'sqlite::memory:',
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const app = started.use(await startApp({ budgets: UNLIMITED, answerTimes: PATIENT_APP, config, log }))
  const now = new Date()
  const bot = { botToken: 'xoxb-organization', botUserId: 'U0BOT', scopes: [], installedBy: 'U0INSTALLER' }
  await app.store.installations.save({ id: 'E1', kind: 'organization', name: 'All', ...bot, now })
  for (const id of ['T1', 'T2', 'T8', 'T9', 'E1'])
    await app.store.grants.add(id, 'operator', EVERYONE, 'U0INSTALLER', now)
  const everything = started.move()
  return {
    app,
    slack,
    lines,
    send: sender(app.url, SECRET),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

const SAYS: readonly (readonly [RegExp, string])[] = [
  [/only works for people of this workspace/, 'foreign'],
  [/which workspace of your organization/, 'unplaced'],
  [/This needs the role/, 'refused'],
  [/was open for too long/, 'no window'],
  [/an admin of this workspace\./, 'admin'],
  [/a member of another workspace of this organization\./, 'sister'],
]

describe('a request to an organization’s installation', () => {
  let world: Awaited<ReturnType<typeof startOrganization>>
  beforeAll(async () => {
    world = await startOrganization()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(ROWS)('is answered: $who sends $kind, and gets $expected', async ({ kind, who, expected }) => {
    const { app, slack, lines, send } = world
    const [workspaceId = '', standing] = expected.split(/ (.*)/)
    const { userId } = PEOPLE[who]
    const form = (await filledForms())[FORM]
    const metadata = await createWindowStates({ ...app.store, now: () => new Date() }).write(
      { workspaceId, userId },
      FORM,
      { environment: 'production', about: form?.about },
    )
    slack.said.length = 0
    lines.length = 0
    await send(
      KINDS[kind](PEOPLE[who], { responseUrl: slack.responseUrl, metadata, values: form?.values ?? {} }),
    )
    const handled = () => lines.filter((line) => line.includes('"kind":'))
    const told = () => slack.said.filter(({ method }) => !['users.info', 'auth.test'].includes(method))
    await expect.poll(() => Math.min(handled().length, told().length)).toBe(1)
    const { workspace } = JSON.parse(handled().join(''))
    const said = JSON.stringify(told().map(({ body }) => body))
    const is = SAYS.find(([pattern]) => pattern.test(said))?.[1] ?? 'let in'
    expect(`${workspace} ${is}`).toBe(`${workspaceId} ${standing}`)
    // What everyone in a workspace may do doesn't apply to people from another one.
    if (is === 'sister') expect(said).not.toContain('operator: yes')
  })

  it.each([
    { what: 'named a workspace of the organization', team_id: 'T1', says: 'Slack isn’t responding' },
    { what: 'named another one', team_id: 'T7', says: 'which workspace of your organization' },
    { what: 'named nothing', team_id: 'T7', enterprise: null, says: 'didn’t say which workspace this is' },
  ])('is answered for a person whom Slack can’t identify and who has $what', async ({ says, ...named }) => {
    const { app, slack, send } = world
    const { team_id, ...whole } = named
    await app.store.organizations.join('T1', 'E1')
    const user = { id: 'U0NOBODY', team_id }
    slack.said.length = 0
    await send(
      payload({
        type: 'block_actions',
        ...common(PEOPLE.ann),
        ...whole,
        user,
        ...inChannel(slack.responseUrl),
        ...button,
      }),
    )
    const told = () => JSON.stringify(slack.said.filter(({ method }) => method === 'response_url'))
    await expect.poll(told).toContain(says)
  })

  it('isn’t part of the organization if another organization’s workspace sent it', async () => {
    const { organizations, audit } = world.app.store
    expect(await organizations.workspacesOf('E1')).toEqual(['T1', 'T2'])
    for (const workspaceId of ['T8', 'T9']) {
      const rows = await audit.search({ workspaceId, limit: 10 })
      // T8 was given a role above.
      expect(rows.filter(({ verb }) => verb !== 'role.save')).toEqual([])
      expect(await organizations.of(workspaceId)).toBeUndefined()
    }
  })
})

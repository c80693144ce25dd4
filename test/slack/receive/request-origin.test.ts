import { randomUUID } from 'node:crypto'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createWindowStates } from '../../../src/bot/windows/window-states.ts'
import { readConfig } from '../../../src/config.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { createLog } from '../../../src/log.ts'
import { fillForms } from '../../bot/access/forms.ts'
import { createSender } from '../../bot/access/requests.ts'
import { startSlackStub } from '../../bot/access/slack-stub.ts'
import { PATIENT_APP, UNLIMITED } from '../../patience.ts'

const SECRET = 'request-origin-signing-secret'
const CHANNEL = 'C0ORG'
const LINE = '/hc whoami'
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const FORM = 'watching.maintenance'

/**
 * A person who acts: what payloads say about them, and what Slack returns for them. People from elsewhere are admins there.
 */
interface Person {
  userId: string
  /** `user.team_id` and `user_team` in payloads. */
  homeId: string
  /** The workspace that is open in their Slack client. */
  seatId: string
  slack: object
}

const memberOfE1 = (...teams: string[]) => ({
  team_id: teams[0],
  enterprise_user: { id: 'W', enterprise_id: 'E1', teams },
})
const PEOPLE = {
  ann: { userId: 'U1', homeId: 'T1', seatId: 'T1', slack: { ...memberOfE1('T1'), is_admin: true } },
  sister: { userId: 'U2', homeId: 'T2', seatId: 'T2', slack: { ...memberOfE1('T2'), is_admin: true } },
  ofBoth: { userId: 'U12', homeId: 'E1', seatId: 'E1', slack: { ...memberOfE1('T1', 'T2'), is_admin: true } },
  ofOne: { userId: 'U11', homeId: 'E1', seatId: 'E1', slack: { ...memberOfE1('T1'), is_admin: true } },
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
} as const satisfies Record<string, Person>
type Name = keyof typeof PEOPLE
const NAMES = ['ann', 'sister', 'ofBoth', 'ofOne', 'partner', 'rival'] as const satisfies readonly Name[]

const encodePayload = (fields: object): string =>
  new URLSearchParams({ payload: JSON.stringify(fields) }).toString()

/** The fields of every interaction with an organization's installation. */
const commonFields = ({ userId, homeId }: Person) => ({
  team: null,
  user: { id: userId, name: userId, team_id: homeId },
  enterprise: { id: 'E1', name: 'Example Group' },
  is_enterprise_install: true,
  api_app_id: 'A1',
  trigger_id: randomUUID(),
})
const button = { actions: [{ type: 'button', action_id: 'command.0', block_id: 'b', value: LINE }] }
const channelFields = (responseUrl: string) => ({
  channel: { id: CHANNEL },
  container: { type: 'message', channel_id: CHANNEL, message_ts: '1.1' },
  response_url: responseUrl,
})
const modalView = (who: Person, fields: object) => ({
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

function encodeEvent(inner: object, envelope: object = {}): string {
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
const mention = ({ userId, homeId }: Person) => ({
  type: 'app_mention',
  user: userId,
  user_team: homeId,
  channel: CHANNEL,
  ts: '1.1',
  text: `<@U0BOT> ${LINE.slice(1)}`,
})

interface RequestDeps {
  responseUrl: string
  metadata: string
  values: object
}

/** Everything that people can send, as Slack sends it to an organization's installation, from a channel of T1. */
const REQUESTS = {
  command: ({ userId, homeId, seatId }, { responseUrl }) =>
    new URLSearchParams({
      command: '/hc',
      text: LINE.slice(4),
      // Slack doesn't let anyone type a command in a workspace without the app.
      team_id: homeId.endsWith('8') || homeId.endsWith('9') ? 'T1' : seatId,
      enterprise_id: 'E1',
      is_enterprise_install: 'true',
      user_id: userId,
      channel_id: CHANNEL,
      response_url: responseUrl,
      trigger_id: randomUUID(),
    }).toString(),
  'click in a message': (who, { responseUrl }) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(who),
      ...channelFields(responseUrl),
      message: { type: 'message', team: 'T1', bot_id: 'B1', app_id: 'A1', ts: '1.1' },
      ...button,
    }),
  'click in an ephemeral message': (who, { responseUrl }) =>
    encodePayload({ type: 'block_actions', ...commonFields(who), ...channelFields(responseUrl), ...button }),
  'click in a message, with its workspace named': (who, { responseUrl }) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(who),
      team: { id: 'T1', domain: 'one', enterprise_id: 'E1', enterprise_name: 'Example Group' },
      ...channelFields(responseUrl),
      ...button,
    }),
  'click in a modal': (who) =>
    encodePayload({ type: 'block_actions', ...commonFields(who), view: modalView(who, {}), ...button }),
  'click in a modal, whose team is the person’s': (who) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(who),
      // In the person's organization, whichever that is.
      team: {
        id: who.seatId,
        domain: 'x',
        enterprise_id: who.homeId.startsWith('E') ? who.homeId : undefined,
      },
      view: modalView(who, {}),
      ...button,
    }),
  'click in Home': (who) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(who),
      view: modalView(who, { type: 'home' }),
      ...button,
    }),
  submission: (who, { metadata, values }) =>
    encodePayload({
      type: 'view_submission',
      ...commonFields(who),
      view: modalView(who, { private_metadata: metadata, state: { values } }),
    }),
  'message shortcut': (who, { responseUrl }) =>
    encodePayload({
      type: 'message_action',
      ...commonFields(who),
      ...channelFields(responseUrl),
      callback_id: 'threat.look-up',
      // The author is from another organization.
      message: { type: 'message', team: 'T9', user: 'U9', ts: '1.1', text: THREAT },
    }),
  mention: (who) => encodeEvent(mention(who)),
  'mention in a channel of another organization': (who) =>
    encodeEvent(mention(who), {
      team_id: 'T9',
      enterprise_id: null,
      context_team_id: 'E1',
      is_ext_shared_channel: true,
    }),
  'mention where nothing says that it is shared': (who) =>
    encodeEvent(mention(who), { team_id: 'T9', enterprise_id: undefined, context_team_id: undefined }),
  'direct message': (who) =>
    encodeEvent({ ...mention(who), type: 'message', channel_type: 'im', channel: 'D1' }),
  'opened Home': ({ userId }) =>
    encodeEvent({ type: 'app_home_opened', user: userId, tab: 'home', channel: 'D1' }),
} as const satisfies Record<string, (who: Person, sent: RequestDeps) => string>
type RequestKind = keyof typeof REQUESTS

/**
 * The workspace and the role that each person gets. Someone from a sister workspace may read, but may not do what everyone in
 * this one may. Nobody may do anything if they're from another organization, or if no workspace is named.
 */
const EXPECTED: Record<RequestKind, string> = {
  // ann | sister | ofBoth | ofOne | partner | rival
  command: 'T1 admin | T2 admin | E1 unplaced | T1 admin | T1 foreign | T1 foreign',
  'click in a message': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'click in an ephemeral message': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'click in a message, with its workspace named':
    'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'click in a modal': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'click in a modal, whose team is the person’s':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'click in Home': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  submission: 'T1 admitted | T2 admitted | E1 unplaced | T1 admitted | E1 foreign | E1 foreign',
  'message shortcut': 'T1 admitted | T2 admitted | E1 unplaced | T1 admitted | E1 foreign | E1 foreign',
  mention: 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'mention in a channel of another organization':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'mention where nothing says that it is shared':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'direct message': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'opened Home': 'T1 admitted | T1 admitted | T1 admitted | T1 admitted | T1 foreign | T1 foreign',
}

const ROWS = Object.entries(EXPECTED).flatMap(([kind, row]) =>
  row
    .split(' | ')
    .map((expected, index) => ({ kind: kind as RequestKind, who: NAMES[index] ?? 'ann', expected })),
)

async function startOrganization() {
  await using disposables = new AsyncDisposableStack()
  const sandbox = disposables.use(await startSandbox({ seed: false, checking: false }))
  const people = Object.values(PEOPLE).map(({ userId, slack }) => [userId, slack] as const)
  const slack = disposables.use(await startSlackStub(Object.fromEntries(people)))
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
  const app = disposables.use(await startApp({ budgets: UNLIMITED, answerTimes: PATIENT_APP, config, log }))
  const now = new Date()
  const bot = { botToken: 'xoxb-organization', botUserId: 'U0BOT', scopes: [], installedBy: 'U0INSTALLER' }
  await app.store.installations.save({ id: 'E1', kind: 'organization', name: 'All', ...bot, now })
  for (const id of ['T1', 'T2', 'T8', 'T9', 'E1'])
    await app.store.grants.add(id, 'operator', EVERYONE, 'U0INSTALLER', now)
  const resources = disposables.move()
  return {
    app,
    slack,
    lines,
    send: createSender(app.url, SECRET),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const STANDINGS: readonly (readonly [RegExp, string])[] = [
  [/only works for people of this workspace/, 'foreign'],
  [/which workspace of your organization/, 'unplaced'],
  [/This needs the \w+ role/, 'refused'],
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
    const form = (await fillForms())[FORM]
    const metadata = await createWindowStates({ ...app.store, now: () => new Date() }).write(
      { workspaceId, userId },
      FORM,
      { environment: 'production', formState: form?.formState },
    )
    slack.calls.length = 0
    lines.length = 0
    await send(
      REQUESTS[kind](PEOPLE[who], { responseUrl: slack.responseUrl, metadata, values: form?.values ?? {} }),
    )
    const handledLines = () => lines.filter((line) => line.includes('"kind":'))
    const findReplies = () =>
      slack.calls.filter(({ method }) => !['users.info', 'auth.test'].includes(method))
    await expect.poll(() => Math.min(handledLines().length, findReplies().length)).toBe(1)
    const { workspace } = JSON.parse(handledLines().join(''))
    const replyText = JSON.stringify(findReplies().map(({ body }) => body))
    const actual = STANDINGS.find(([pattern]) => pattern.test(replyText))?.[1] ?? 'admitted'
    expect(`${workspace} ${actual}`).toBe(`${workspaceId} ${standing}`)
    // What everyone in a workspace may do doesn't apply to people from another one.
    if (actual === 'sister') expect(replyText).not.toContain('operator: yes')
  })

  it.each([
    { what: 'names a workspace of the organization', team_id: 'T1', says: 'Slack isn’t responding' },
    { what: 'names another one', team_id: 'T7', says: 'which workspace of your organization' },
    { what: 'names none', team_id: 'T7', enterprise: null, says: 'didn’t say which workspace this is' },
  ])(
    'gets a response even if Slack can’t identify the person and it $what',
    async ({ says, ...nameFields }) => {
      const { app, slack, send } = world
      const { team_id, ...otherFields } = nameFields
      await app.store.organizations.join('T1', 'E1')
      const user = { id: 'U0NOBODY', team_id }
      slack.calls.length = 0
      await send(
        encodePayload({
          type: 'block_actions',
          ...commonFields(PEOPLE.ann),
          ...otherFields,
          user,
          ...channelFields(slack.responseUrl),
          ...button,
        }),
      )
      const findReplies = () => JSON.stringify(slack.calls.filter(({ method }) => method === 'response_url'))
      await expect.poll(findReplies).toContain(says)
    },
  )

  it('doesn’t add another organization’s workspace to the organization', async () => {
    const { organizations, audit } = world.app.store
    expect(await organizations.listWorkspaces('E1')).toEqual(['T1', 'T2'])
    for (const workspaceId of ['T8', 'T9']) {
      const rows = await audit.search({ workspaceId, limit: 10 })
      // T8 was given a role above.
      expect(rows.filter(({ verb }) => verb !== 'role.save')).toEqual([])
      expect(await organizations.find(workspaceId)).toBeUndefined()
    }
  })
})

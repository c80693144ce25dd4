import { randomUUID } from 'node:crypto'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createWindowStates } from '../../../src/bot/windows/window-states.ts'
import { readConfig } from '../../../src/config.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { createLog } from '../../../src/log.ts'
import { type FilledForm, fillForms } from '../../bot/access/forms.ts'
import { createSender } from '../../bot/access/requests.ts'
import { startSlackStub } from '../../bot/access/slack-stub.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'

const SECRET = 'request-origin-signing-secret'
const CHANNEL = 'C0ORG'
const LINE = '/hc access'
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const FORM = 'watching.maintenance'

/** A person who sends requests: their IDs in payloads, and their `users.info`. All are admins of their own workspace. */
interface Person {
  userId: string
  /** `user.team_id` and `user_team` in payloads. */
  userTeamId: string
  /** The workspace that is open in their Slack client. */
  openWorkspaceId: string
  userInfo: object
}

const memberOfE1 = (...teams: string[]) => ({
  team_id: teams[0],
  enterprise_user: { id: 'W', enterprise_id: 'E1', teams },
})
const PEOPLE = {
  ann: {
    userId: 'U1',
    userTeamId: 'T1',
    openWorkspaceId: 'T1',
    userInfo: { ...memberOfE1('T1'), is_admin: true },
  },
  sister: {
    userId: 'U2',
    userTeamId: 'T2',
    openWorkspaceId: 'T2',
    userInfo: { ...memberOfE1('T2'), is_admin: true },
  },
  inBoth: {
    userId: 'U12',
    userTeamId: 'E1',
    openWorkspaceId: 'E1',
    userInfo: { ...memberOfE1('T1', 'T2'), is_admin: true },
  },
  inOne: {
    userId: 'U11',
    userTeamId: 'E1',
    openWorkspaceId: 'E1',
    userInfo: { ...memberOfE1('T1'), is_admin: true },
  },
  partner: {
    userId: 'U9',
    userTeamId: 'T9',
    openWorkspaceId: 'T9',
    userInfo: { team_id: 'T9', is_admin: true },
  },
  rival: {
    userId: 'U8',
    userTeamId: 'E8',
    openWorkspaceId: 'T8',
    userInfo: {
      team_id: 'T8',
      enterprise_user: { enterprise_id: 'E8', teams: ['T8'] },
      is_admin: true,
      is_stranger: false,
    },
  },
} as const satisfies Record<string, Person>
type Name = keyof typeof PEOPLE
const NAMES = ['ann', 'sister', 'inBoth', 'inOne', 'partner', 'rival'] as const satisfies readonly Name[]

const encodePayload = (fields: object): string =>
  new URLSearchParams({ payload: JSON.stringify(fields) }).toString()

/** The fields of every interaction with an organization's installation. */
const commonFields = ({ userId, userTeamId }: Person) => ({
  team: null,
  user: { id: userId, name: userId, team_id: userTeamId },
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
const modalView = (person: Person, fields: object) => ({
  id: 'V1',
  type: 'modal',
  callback_id: FORM,
  team_id: person.openWorkspaceId,
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
const mention = ({ userId, userTeamId }: Person) => ({
  type: 'app_mention',
  user: userId,
  user_team: userTeamId,
  channel: CHANNEL,
  ts: '1.1',
  text: `<@U0BOT> ${LINE.slice(1)}`,
})

interface RequestDeps {
  responseUrl: string
  metadata: string
  values: object
}

/** Every kind of request, as Slack sends it to an organization's installation from a channel of T1. */
const REQUESTS = {
  command: ({ userId, userTeamId, openWorkspaceId }, { responseUrl }) =>
    new URLSearchParams({
      command: '/hc',
      text: LINE.slice(4),
      // Slack doesn't let anyone type a command in a workspace without the app.
      team_id: userTeamId.endsWith('8') || userTeamId.endsWith('9') ? 'T1' : openWorkspaceId,
      enterprise_id: 'E1',
      is_enterprise_install: 'true',
      user_id: userId,
      channel_id: CHANNEL,
      response_url: responseUrl,
      trigger_id: randomUUID(),
    }).toString(),
  'click in a message': (person, { responseUrl }) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(person),
      ...channelFields(responseUrl),
      message: { type: 'message', team: 'T1', bot_id: 'B1', app_id: 'A1', ts: '1.1' },
      ...button,
    }),
  'click in an ephemeral message': (person, { responseUrl }) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(person),
      ...channelFields(responseUrl),
      ...button,
    }),
  'click in a message that names its workspace': (person, { responseUrl }) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(person),
      team: { id: 'T1', domain: 'one', enterprise_id: 'E1', enterprise_name: 'Example Group' },
      ...channelFields(responseUrl),
      ...button,
    }),
  'click in a modal': (person) =>
    encodePayload({ type: 'block_actions', ...commonFields(person), view: modalView(person, {}), ...button }),
  'click in a modal with the person’s workspace as its team': (person) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(person),
      // The person's own workspace and organization.
      team: {
        id: person.openWorkspaceId,
        domain: 'x',
        enterprise_id: person.userTeamId.startsWith('E') ? person.userTeamId : undefined,
      },
      view: modalView(person, {}),
      ...button,
    }),
  'click in Home': (person) =>
    encodePayload({
      type: 'block_actions',
      ...commonFields(person),
      view: modalView(person, { type: 'home' }),
      ...button,
    }),
  submission: (person, { metadata, values }) =>
    encodePayload({
      type: 'view_submission',
      ...commonFields(person),
      view: modalView(person, { private_metadata: metadata, state: { values } }),
    }),
  'message shortcut': (person, { responseUrl }) =>
    encodePayload({
      type: 'message_action',
      ...commonFields(person),
      ...channelFields(responseUrl),
      callback_id: 'threat.look-up',
      // The author is from another organization.
      message: { type: 'message', team: 'T9', user: 'U9', ts: '1.1', text: THREAT },
    }),
  mention: (person) => encodeEvent(mention(person)),
  'mention in a channel of another organization': (person) =>
    encodeEvent(mention(person), {
      team_id: 'T9',
      enterprise_id: null,
      context_team_id: 'E1',
      is_ext_shared_channel: true,
    }),
  'mention in a shared channel that isn’t marked as shared': (person) =>
    encodeEvent(mention(person), { team_id: 'T9', enterprise_id: undefined, context_team_id: undefined }),
  'direct message': (person) =>
    encodeEvent({ ...mention(person), type: 'message', channel_type: 'im', channel: 'D1' }),
  'opened Home': ({ userId }) =>
    encodeEvent({ type: 'app_home_opened', user: userId, tab: 'home', channel: 'D1' }),
} as const satisfies Record<string, (person: Person, deps: RequestDeps) => string>
type RequestKind = keyof typeof REQUESTS

/**
 * For each kind of request and each person: the workspace that the app handles the request in, and how it treats the person.
 * `sister`: someone from another workspace of the organization, who can read but has none of the roles that everyone here has.
 * `foreign`: someone from another organization, who is rejected. `unplaced`: the request is rejected because nothing in it
 * identifies a workspace. `admitted`: allowed, but the answer doesn't show the role.
 */
const EXPECTED: Record<RequestKind, string> = {
  // ann | sister | inBoth | inOne | partner | rival
  command: 'T1 admin | T2 admin | E1 unplaced | T1 admin | T1 foreign | T1 foreign',
  'click in a message': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'click in an ephemeral message': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'click in a message that names its workspace':
    'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'click in a modal': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'click in a modal with the person’s workspace as its team':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'click in Home': 'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  submission: 'T1 admitted | T2 admitted | E1 unplaced | T1 admitted | E1 foreign | E1 foreign',
  'message shortcut': 'T1 admitted | T2 admitted | E1 unplaced | T1 admitted | E1 foreign | E1 foreign',
  mention: 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'mention in a channel of another organization':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'mention in a shared channel that isn’t marked as shared':
    'T1 admin | T2 admin | E1 unplaced | T1 admin | E1 foreign | E1 foreign',
  'direct message': 'T1 admin | T1 sister | T1 admin | T1 admin | T1 foreign | T1 foreign',
  'opened Home': 'T1 admitted | T1 admitted | T1 admitted | T1 admitted | T1 foreign | T1 foreign',
}

const ROWS = Object.entries(EXPECTED).flatMap(([kind, row]) =>
  row
    .split(' | ')
    .map((expected, index) => ({ kind: kind as RequestKind, person: NAMES[index] ?? 'ann', expected })),
)

async function startOrganization() {
  await using disposables = new AsyncDisposableStack()
  const sandbox = disposables.use(await startSandbox({ seed: false, checking: false }))
  const people = Object.values(PEOPLE).map(({ userId, userInfo }) => [userId, userInfo] as const)
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
  const app = disposables.use(
    await startApp({ budgets: UNLIMITED, requestDeadlines: LONG_DEADLINES, config, log }),
  )
  const now = new Date()
  const bot = { botToken: 'xoxb-organization', installedBy: 'U0INSTALLER' }
  await app.store.installations.save({ id: 'E1', kind: 'organization', ...bot })
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

const OUTCOMES: readonly (readonly [RegExp, string])[] = [
  [/only works for people of this workspace/, 'foreign'],
  [/which workspace of your organization/, 'unplaced'],
  [/This needs the \w+ role/, 'refused'],
  [/was open for too long/, 'no window'],
  [/an admin of this workspace\./, 'admin'],
  [/a member of another workspace of this organization\./, 'sister'],
]

describe('a request to an organization’s installation', () => {
  let world: Awaited<ReturnType<typeof startOrganization>>
  let form: FilledForm | undefined
  beforeAll(async () => {
    world = await startOrganization()
    form = (await fillForms())[FORM]
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(ROWS)('gets $expected if $person sends a $kind', async ({ kind, person, expected }) => {
    const { app, slack, lines, send } = world
    const [workspaceId = '', outcome] = expected.split(/ (.*)/)
    const { userId } = PEOPLE[person]
    const metadata = await createWindowStates({ ...app.store, now: () => new Date() }).write(
      { workspaceId, userId },
      FORM,
      { environment: 'production', formState: form?.formState },
    )
    slack.calls.length = 0
    lines.length = 0
    await send(
      REQUESTS[kind](PEOPLE[person], {
        responseUrl: slack.responseUrl,
        metadata,
        values: form?.values ?? {},
      }),
    )
    const handledLines = () => lines.filter((line) => line.includes('"kind":'))
    const findReplies = () =>
      slack.calls.filter(({ method }) => !['users.info', 'auth.test'].includes(method))
    await expect.poll(() => Math.min(handledLines().length, findReplies().length), { interval: 5 }).toBe(1)
    const { workspace } = JSON.parse(handledLines().join(''))
    const replyText = JSON.stringify(findReplies().map(({ body }) => body))
    const actual = OUTCOMES.find(([pattern]) => pattern.test(replyText))?.[1] ?? 'admitted'
    expect(`${workspace} ${actual}`).toBe(`${workspaceId} ${outcome}`)
    // A role granted to everyone in a workspace doesn't apply to people from another workspace.
    if (actual === 'sister') expect(replyText).not.toContain('operator: yes')
  })

  it.each([
    { reason: 'names a workspace of the organization', team_id: 'T1', expected: 'Slack isn’t responding' },
    {
      reason: 'names a workspace outside it',
      team_id: 'T7',
      expected: 'which workspace of your organization',
    },
    {
      reason: 'names neither workspace nor organization',
      team_id: 'T7',
      enterprise: null,
      expected: 'didn’t say which workspace this is',
    },
  ])(
    'gets a response if Slack can’t identify the person, and the request $reason',
    async ({ expected, ...nameFields }) => {
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
      await expect.poll(findReplies).toContain(expected)
    },
  )

  it('doesn’t add another organization’s workspace to the organization', async () => {
    const { organizations, audit } = world.app.store
    expect(await organizations.listWorkspaces('E1')).toEqual(['T1', 'T2'])
    for (const workspaceId of ['T8', 'T9']) {
      const rows = await audit.search({ workspaceId, limit: 10 })
      // The setup granted a role in each of them.
      expect(rows.filter(({ verb }) => verb !== 'role.save')).toEqual([])
      expect(await organizations.find(workspaceId)).toBeUndefined()
    }
  })
})

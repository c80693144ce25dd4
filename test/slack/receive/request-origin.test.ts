import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWindowStates } from '../../../src/bot/windows/window-states.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { createLog } from '../../../src/log.ts'
import { type FilledForm, fillForms } from '../../bot/access/forms.ts'
import { createRequests, type Requests } from '../../bot/access/requests.ts'
import { startStubbedApp } from '../../bot/access/slack-stub.ts'
import { addGrant } from '../../give-role.ts'

const CHANNEL = 'C0ORG'
const LINE = '/hc access'
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const FORM = 'watching.maintenance'

/**
 * How the app treats someone, whatever they send, always in T1. `sister`: someone from another workspace of the organization, who can
 * read but has none of the roles that everyone here has. `foreign`: someone from another organization, who is rejected.
 */
type Treatment = 'admin' | 'sister' | 'foreign'

/**
 * A person who sends requests. Their home is `user.team_id` and `user_team` in payloads, `info` is in their `users.info`, and the
 * workspace is the one that is open in their Slack client. All are admins of their own workspace.
 */
const createPerson = (
  userId: string,
  [homeId, openWorkspaceId = homeId]: readonly [string, string?],
  info: object,
  treatment: Treatment,
) => ({ userId, homeId, openWorkspaceId, slack: { ...info, is_admin: true }, treatment })
type Person = ReturnType<typeof createPerson>

const inE1 = (...teams: string[]) => ({
  team_id: teams[0],
  enterprise_user: { id: 'W', enterprise_id: 'E1', teams },
})
const inE8 = { team_id: 'T8', enterprise_user: { enterprise_id: 'E8', teams: ['T8'] }, is_stranger: false }
const PEOPLE = {
  ann: createPerson('U1', ['T1'], inE1('T1'), 'admin'),
  sister: createPerson('U2', ['T2'], inE1('T2'), 'sister'),
  inBoth: createPerson('U12', ['E1'], inE1('T1', 'T2'), 'admin'),
  inOne: createPerson('U11', ['E1'], inE1('T1'), 'admin'),
  partner: createPerson('U9', ['T9'], { team_id: 'T9' }, 'foreign'),
  rival: createPerson('U8', ['E8', 'T8'], inE8, 'foreign'),
}

const createRequestsOf = ({ userId, homeId }: Person, responseUrl: string): Requests =>
  createRequests(
    { userId, teamId: homeId },
    {
      ...{ workspaceId: 'T1', channelId: CHANNEL, responseUrl },
      organization: { id: 'E1', name: 'Example Group' },
    },
  )

/** The fields of a view that name workspaces. */
const viewTeams = ({ openWorkspaceId }: Person) => ({
  team_id: openWorkspaceId,
  app_installed_team_id: 'T1',
})
interface Filled {
  metadata: string
  values: object
}

/** One request of each kind, as Slack sends it to the app in T1, which is a workspace of the organization E1. */
const REQUESTS = {
  command: (requests) => requests.command(LINE),
  'click in an ephemeral message': (requests) => requests.action(LINE),
  submission: (requests, person, { metadata, values }) =>
    requests.submission(FORM, metadata, values, [], viewTeams(person)),
  'message shortcut': (requests) =>
    // The author is from another organization.
    requests.messageShortcut('threat.look-up', THREAT, { team: 'T9', user: 'U9' }),
  mention: (requests) => requests.mention(LINE),
  'direct message': (requests) => requests.mention(LINE, { direct: true }),
  'opened Home': (requests) => requests.openedHome(),
} as const satisfies Record<string, (requests: Requests, person: Person, filled: Filled) => string>
type RequestKind = keyof typeof REQUESTS

/** Their answers don't show the role. */
const SHOWS_NO_ROLE: ReadonlySet<RequestKind> = new Set(['submission', 'message shortcut', 'opened Home'])

const ROWS = (Object.keys(REQUESTS) as RequestKind[]).flatMap((kind) =>
  Object.entries(PEOPLE).map(([name, person]) => ({ kind, name, person })),
)

async function startWorkspaceInOrganization() {
  const lines: string[] = []
  const stubbed = await startStubbedApp(Object.values(PEOPLE), {
    environment: {
      SLACK_BOT_TOKEN: undefined,
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'client-secret',
      SLACK_STATE_SECRET: 'sixteen-and-more',
      API_TOKEN: undefined,
    },
    log: createLog('info', { write: (line) => void lines.push(line) }),
  })
  const { store } = stubbed.app
  const bot = { botToken: 'xoxb-workspace', installedBy: 'U0INSTALLER' }
  await store.installations.save({ id: 'T1', enterpriseId: 'E1', ...bot })
  for (const id of ['T1', 'T2', 'T8', 'T9', 'E1'])
    await addGrant(store, id, 'operator', EVERYONE, 'U0INSTALLER', new Date())
  return { ...stubbed, lines }
}

const OUTCOMES: readonly (readonly [RegExp, string])[] = [
  [/only works for people of this workspace/, 'foreign'],
  [/This needs the \w+ role/, 'refused'],
  [/was open for too long/, 'no window'],
  [/You can do everything here/, 'admin'],
  [/You have no role, but you can look/, 'sister'],
]

describe('a request to the app in a workspace of an organization', () => {
  let world: Awaited<ReturnType<typeof startWorkspaceInOrganization>>
  let form: FilledForm | undefined
  beforeAll(async () => {
    world = await startWorkspaceInOrganization()
    form = (await fillForms())[FORM]
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(ROWS)('is handled in its workspace if $name sends a $kind', async ({ kind, person }) => {
    const { app, slack, lines, send } = world
    const { userId, treatment: role } = person
    const shown = role !== 'foreign' && SHOWS_NO_ROLE.has(kind) ? 'admitted' : role
    // The form needs a role.
    const outcome = kind === 'submission' && role === 'sister' ? 'refused' : shown
    const metadata = await createWindowStates({ ...app.store, now: () => new Date() }).write(
      { workspaceId: 'T1', userId },
      FORM,
      { environment: 'production', formState: form?.formState },
    )
    slack.calls.length = 0
    lines.length = 0
    await send(
      REQUESTS[kind](createRequestsOf(person, slack.responseUrl), person, {
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
    expect({ workspace, actual }).toEqual({ workspace: 'T1', actual: outcome })
  })

  it.each([
    { reason: 'names the workspace', change: {}, expected: 'Slack isn’t responding' },
    {
      reason: 'names no workspace',
      change: { team: null, enterprise: null },
      expected: 'didn’t say which workspace this is',
    },
  ])(
    'gets a response if Slack can’t identify the person, and the request $reason',
    async ({ change, expected }) => {
      const { slack, send } = world
      slack.calls.length = 0
      const user = { id: 'U0NOBODY', team_id: 'T1' }
      await send(
        createRequestsOf(PEOPLE.ann, slack.responseUrl).action(LINE, 'command.0', { ...change, user }),
      )
      const findReplies = () => JSON.stringify(slack.calls.filter(({ method }) => method === 'response_url'))
      await expect.poll(findReplies).toContain(expected)
    },
  )

  it('stores nothing about a workspace of another organization', async () => {
    for (const workspaceId of ['T8', 'T9']) {
      const rows = await world.app.store.audit.search({ workspaceId, limit: 10 })
      // The setup granted a role in each of them.
      expect(rows.filter(({ verb }) => verb !== 'role.save')).toEqual([])
    }
  })
})

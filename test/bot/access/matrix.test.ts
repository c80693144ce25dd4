import { readFile } from 'node:fs/promises'
import type { AuditEntry } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { loadAppRoutes } from '../../../docs/app-routes.ts'
import { findTypedLine, PAGE, READERS } from '../../../docs/rights-table.ts'
import { openStore } from '../../../src/app/store.ts'
import type { RunningApp } from '../../../src/app.ts'
import type { Verb } from '../../../src/bot/routes/routes.ts'
import { createWindowStates } from '../../../src/bot/windows/window-states.ts'
import { KEY_A, startSqliteFile } from '../../databases/databases.ts'
import { addGrant } from '../../give-role.ts'
import { IS_LONG, quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'
import { type Audience, EXPECTED_FORMS, EXPECTED_VERBS, THREAT } from './expected-rights.ts'
import { fillForms } from './forms.ts'
import { type ActingPerson, createRequests } from './requests.ts'
import { startStubbedApp } from './slack-stub.ts'

const FORMS = await fillForms()
const HOME = 'T0MATRIX01'
const CHANNEL = 'C0MATRIX01'

type Person =
  | 'member'
  | 'operator'
  | 'approver'
  | 'admin'
  | 'guest'
  | 'guest, if allowed'
  | 'single-channel guest'
  | 'another organization'
  | 'deactivated'
  | 'bot'
  | 'unknown'

/** A quick run names every sixth verb in shortcuts, starting at a different one in each run. No verb is a shortcut. */
const EVERY_NTH = quickOrLong('SHORTCUTS', { quick: 6, long: 1 })
const OFFSET = readSeed() % EVERY_NTH

const member = { team_id: HOME, is_admin: false }

/** Each person's IDs, and their profile in `users.info`. Slack doesn't answer for `unknown`. */
const ACTORS: Readonly<Record<Person, ActingPerson & { slack?: object }>> = {
  member: { userId: 'U0MEMBER', teamId: HOME, slack: member },
  admin: { userId: 'U0ADMIN', teamId: HOME, slack: { ...member, is_admin: true } },
  operator: { userId: 'U0OPERATOR', teamId: HOME, slack: member },
  approver: { userId: 'U0APPROVER', teamId: HOME, slack: member },
  guest: { userId: 'U0GUEST', teamId: HOME, slack: { ...member, is_restricted: true } },
  'guest, if allowed': { userId: 'U0SEER', teamId: HOME, slack: { ...member, is_restricted: true } },
  'single-channel guest': {
    userId: 'U0VISITOR',
    teamId: HOME,
    slack: { ...member, is_restricted: true, is_ultra_restricted: true },
  },
  'another organization': {
    userId: 'U0FOREIGN',
    teamId: 'T0PARTNER',
    slack: { team_id: 'T0PARTNER', is_stranger: true },
  },
  deactivated: { userId: 'U0LEFT', teamId: HOME, slack: { ...member, deleted: true } },
  bot: { userId: 'U0BOT', teamId: HOME, slack: { ...member, is_bot: true } },
  unknown: { userId: 'U0UNKNOWN', teamId: HOME },
}

const NEEDS_ROLE = /This needs the (operator|approver|admin) role\. It lets you /

/** The refusal that each kind of person gets. An admin is never refused. */
const REFUSALS: Readonly<Record<Person, RegExp>> = {
  member: NEEDS_ROLE,
  operator: NEEDS_ROLE,
  approver: NEEDS_ROLE,
  admin: /never/,
  guest: /isn’t open to guests/,
  'single-channel guest': /isn’t open to guests/,
  'guest, if allowed': /Guests can’t use this\. Ask an? /,
  'another organization': /only works for people of this workspace/,
  deactivated: /account is deactivated/,
  bot: /respond to other apps/,
  unknown: /can’t check who you are/,
}

/**
 * Refused whatever they ask for, by the same check before any verb or form. A quick run shares half of the requests out among these
 * people: each is sent by one of them, chosen by the seed.
 */
const REFUSED_ALL = (Object.keys(ACTORS) as Person[]).filter(
  (kind) => !['member', 'operator', 'approver', 'admin', 'guest, if allowed'].includes(kind),
)

const isSentBy = (kind: Person, nth: number): boolean =>
  IS_LONG ||
  !REFUSED_ALL.includes(kind) ||
  (nth + readSeed()) % (2 * REFUSED_ALL.length) === REFUSED_ALL.indexOf(kind)

const TRANSPORTS = ['command', 'action', 'mention'] as const

/** A quick run sends each verb of someone with a role as a typed line, a press, or a mention, in turn. */
const isSentAs = (transport: (typeof TRANSPORTS)[number], kind: Person, nth: number): boolean =>
  IS_LONG || REFUSED_ALL.includes(kind) || TRANSPORTS[(nth + readSeed()) % TRANSPORTS.length] === transport

/** A quick run sends what members may run as few others: a role only adds to it. */
const isSentByReader = (kind: Person, { needs }: Pick<Verb, 'needs'>, nth: number): boolean =>
  IS_LONG || needs !== 'viewer' || !['operator', 'approver'].includes(kind) || nth % EVERY_NTH === OFFSET

/** Whom each kind of person counts as. Nobody else can use anything. */
const AUDIENCES: Readonly<Partial<Record<Person, readonly Audience[]>>> = {
  'guest, if allowed': ['guests'],
  member: ['guests', 'members'],
  operator: ['guests', 'members', 'operators'],
  approver: ['guests', 'members', 'approvers'],
  admin: ['guests', 'members', 'operators', 'approvers', 'admins'],
}

const isBarred = (kind: Person, audience: Audience | undefined): boolean =>
  audience === undefined || AUDIENCES[kind]?.includes(audience) !== true

/** By the written table, independently of the app's declarations. */
const isForbidden = (kind: Person, verb: Verb): boolean => isBarred(kind, EXPECTED_VERBS.get(verb.line)?.who)

async function startMatrix(databaseUrl: string, kind: Person = 'admin') {
  const stubbed = await startStubbedApp(Object.values(ACTORS), {
    environment: {
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: KEY_A,
      ...(kind === 'guest, if allowed' && { GUESTS_CAN_VIEW: 'true' }),
    },
  })
  for (const role of ['operator', 'approver'] as const)
    await addGrant(
      stubbed.app.store,
      HOME,
      role,
      { kind: 'user', id: ACTORS[role].userId },
      ACTORS.admin.userId,
      new Date(),
    )
  return stubbed
}

type Matrix = Awaited<ReturnType<typeof startMatrix>>

/** Encrypts the state of a modal that the person opened while they still had the permission. */
const writeState = (
  { store }: RunningApp,
  kind: Person,
  formId: string,
  formState: unknown,
): Promise<string> =>
  createWindowStates({ ...store, now: () => new Date() }).write(
    { workspaceId: HOME, userId: ACTORS[kind].userId },
    formId,
    { environment: 'production', formState },
  )

const formatLine = ({ command, verb }: Pick<Verb, 'command' | 'verb'>): string => `/${command} ${verb}`.trim()

/** The line that runs if the verb is typed with these arguments. A verb can redirect to another one. */
const formatLineRun = ({ command, verb, redirect }: Verb): string =>
  formatLine({
    command,
    verb: redirect?.({ words: [], flags: {}, lists: {}, values: VALUES[verb] ?? {} }) ?? verb,
  })

/** What is typed behind a verb that otherwise only shows something, as everybody may. */
const VALUES: Readonly<Record<string, Record<string, string>>> = {
  resolve: { number: '1', finding: 'failed' },
}

/** The only message shortcut. It only reads. */
const LOOK_UP = 'threat.look-up'
/** How the app finds out who somebody is, and who can give them a role. */
const LOOK_UPS = ['users.info', 'users.list', 'auth.test']
/** The reads of the service that may start before Slack has identified the person. */
const EARLY_READS = ['GET /healthcheck/v1/healthchecks', `GET /cti/v2/events/${THREAT}`]

/** The expected result of a refused request: its name in the audit log, and the call that shows the refusal. */
interface Expected {
  verb: string
  sentWith: 'response_url' | 'chat.postEphemeral' | 'views.update'
}

type Requests = ReturnType<typeof createRequests>

/** Sends a forbidden verb, and returns the expected refusals. Shortcuts get none. */
async function sendVerb(
  send: Matrix['send'],
  request: Requests,
  { kind, verb, nth }: { kind: Person; verb: Verb; nth: number },
): Promise<Expected[]> {
  const line = [formatLine(verb), ...Object.values(VALUES[verb.verb] ?? {})].join(' ')
  const verbRun = formatLineRun(verb)
  const expected: Expected[] = []
  if (isSentAs('command', kind, nth)) {
    await send(request.command(line))
    expected.push({ verb: verbRun, sentWith: 'response_url' })
  }
  if (isSentAs('action', kind, nth)) {
    await send(request.action(`${line} --env production`))
    expected.push({ verb: verbRun, sentWith: 'response_url' })
  }
  if (isSentAs('mention', kind, nth)) {
    await send(request.mention(line))
    expected.push({ verb: verbRun, sentWith: 'chat.postEphemeral' })
  }
  if (REFUSED_ALL.includes(kind) || nth % EVERY_NTH === OFFSET) {
    await send(request.globalShortcut(line))
    await send(request.messageShortcut(line, line))
  }
  return expected
}

/**
 * Sends every forbidden verb and form in every kind of request, and returns the expected refusals. Shortcuts and option requests
 * with the name of a verb or form get no refusal, because they do nothing.
 */
async function sendForbidden({ app, slack, send }: Matrix, kind: Person): Promise<Expected[]> {
  const target = { workspaceId: HOME, channelId: CHANNEL, responseUrl: slack.responseUrl }
  const request = createRequests(ACTORS[kind], target)
  const expected: Expected[] = []
  for (const [nth, verb] of app.routes.verbs.filter((verb) => isForbidden(kind, verb)).entries()) {
    if (!isSentBy(kind, nth)) continue
    expected.push(...(await sendVerb(send, request, { kind, verb, nth })))
  }
  if (isBarred(kind, 'guests')) {
    await send(request.messageShortcut(LOOK_UP, `Look at ${THREAT}`))
    expected.push({ verb: '/threat', sentWith: 'response_url' })
  }
  for (const [nth, [id, { values, formState }]] of Object.entries(FORMS).entries()) {
    const form = app.routes.findForm(id)
    if (!form || !isBarred(kind, EXPECTED_FORMS[id]) || !isSentBy(kind, nth)) continue
    await send(request.submission(id, await writeState(app, kind, id, formState), values))
    await send(request.options(id, await writeState(app, kind, id, formState)))
    expected.push({ verb: form.verb, sentWith: 'views.update' })
  }
  return expected
}

async function readRefusals(databaseUrl: string): Promise<readonly AuditEntry[]> {
  await using store = await openStore({ url: databaseUrl, keys: KEY_A })
  const rows = await store.audit.search({ workspaceId: HOME, limit: 1000 })
  return rows.filter(({ outcome }) => outcome === 'refused')
}

it('says of every verb and form who may use it', async () => {
  const { verbs, forms } = await loadAppRoutes()
  expect(verbs.map(({ line }) => line).toSorted(), 'Add each verb to expected-rights.ts').toEqual(
    [...EXPECTED_VERBS.keys()].toSorted(),
  )
  expect(forms.map(({ id }) => id).toSorted()).toEqual(Object.keys(EXPECTED_FORMS).toSorted())
})

const FORBIDDEN_SOMETHING = (Object.keys(ACTORS) as Person[]).filter((kind) => kind !== 'admin')

describe.each(FORBIDDEN_SOMETHING)('forbidden requests by %s', (kind) => {
  it('have no effect, and get one private refusal and one audit row each', async () => {
    await using sqlite = await startSqliteFile()
    await using world = await startMatrix(sqlite.url, kind)
    const expected = await sendForbidden(world, kind)
    // Stopping the app waits for all work.
    await world.app[Symbol.asyncDispose]()

    // Only reads that every member may make can start before Slack has identified the person.
    const requested = (await world.service.requests()).map(
      ({ method, path }) => `${method} ${path.split('?')[0]}`,
    )
    const canReadNothing = isBarred(kind, 'guests')
    expect(requested.filter((request) => !(canReadNothing && EARLY_READS.includes(request)))).toEqual([])
    const calls = world.slack.calls.filter(({ method }) => !LOOK_UPS.includes(method))
    expect(calls.map(({ method }) => method).sort()).toEqual(expected.map(({ sentWith }) => sentWith).sort())
    for (const { method, body } of calls) {
      if (method === 'response_url') expect(body.response_type).toBe('ephemeral')
      if (method === 'chat.postEphemeral') expect(body.user).toBe(ACTORS[kind].userId)
      expect(JSON.stringify(body)).toMatch(REFUSALS[kind])
    }

    const rows = await readRefusals(sqlite.url)
    expect(rows.map(({ verb, outcome, actor }) => `${actor.userId} ${outcome} ${verb}`).sort()).toEqual(
      expected.map(({ verb }) => `${ACTORS[kind].userId} refused ${verb}`).sort(),
    )
    expect(expected.length).toBeGreaterThan(9)
  })
})

it('lets an admin submit every form', async () => {
  await using world = await startMatrix('sqlite::memory:')
  const { app, slack, send } = world
  const target = { workspaceId: HOME, channelId: CHANNEL, responseUrl: slack.responseUrl }
  const request = createRequests(ACTORS.admin, target)
  const unknown = app.routes.forms.map(({ id }) => id).filter((id) => !(id in FORMS))
  expect(unknown, 'Add these forms, filled in without mistakes, to test/bot/access/forms.ts').toEqual([])
  const forms = Object.entries(FORMS).filter(([id]) => app.routes.findForm(id))
  for (const [id, { values, formState }] of forms) {
    const answer = await send(request.submission(id, await writeState(app, 'admin', id, formState), values))
    // The answers are valid, so in the tests above only the refusal prevented the form from running.
    expect(`${id}: ${answer}`).toContain('"response_action":"update"')
  }
  expect(forms.length).toBeGreaterThan(5)
  const { audit } = app.store
  await expect
    .poll(async () => (await audit.search({ workspaceId: HOME, limit: 1000 })).length)
    .toBeGreaterThan(0)
  const rows = await audit.search({ workspaceId: HOME, limit: 1000 })
  expect(rows.filter(({ outcome }) => outcome === 'refused')).toEqual([])
})

describe.each(Object.keys(READERS) as (keyof typeof READERS)[])('the rights page for %s', (kind) => {
  it('matches what Signalman allows and refuses', async () => {
    await using sqlite = await startSqliteFile()
    await using world = await startMatrix(sqlite.url, kind)
    const { app, slack, send } = world
    // A row starts with an empty part, before the first `|`, and the command.
    const column = 2 + Object.keys(READERS).indexOf(kind)
    const rows = (await readFile(PAGE, 'utf8'))
      .split('\n')
      .map((line) => line.split(' | ').join('|').split('|'))
    const target = { workspaceId: HOME, channelId: CHANNEL, responseUrl: slack.responseUrl }
    const request = createRequests(ACTORS[kind], target)
    let sent = 0
    for (const [nth, verb] of app.routes.verbs.entries()) {
      const line = findTypedLine(verb, app.routes.verbs)
      const [row = []] = rows.filter(([, first = '']) => first.trim() === `\`${line}\``)
      expect(`${line}: ${row[column]?.trim()}`).toBe(`${line}: ${isForbidden(kind, verb) ? 'no' : 'yes'}`)
      if (row[column]?.trim() !== 'yes' || !isSentByReader(kind, verb, nth)) continue
      await send(request.command(formatLine(verb)))
      sent += 1
    }
    // Nothing is sent for people who may not run any command.
    expect(sent > 0).toBe(app.routes.verbs.some((verb) => !isForbidden(kind, verb)))
    await app[Symbol.asyncDispose]()
    expect(await readRefusals(sqlite.url)).toEqual([])
  })
})

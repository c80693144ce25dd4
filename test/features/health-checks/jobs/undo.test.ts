import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../../src/domain/roles.ts'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

const ROOT = '/healthcheck/v1/healthchecks'
const FLEET: CheckSeed[] = ['web-1', 'web-2', 'web-3'].map((name) => ({
  name,
  alerts: [['ann@example.com'], ['bob@example.com']],
}))

async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

const listDms = async ({ slack: { member } }: World, expected: string) =>
  (await member.messages('dm')).filter((message) => message.text.includes(expected))

/** Waits until this many direct messages match. */
async function waitForDms(world: World, expected: string, times: number) {
  await expect.poll(async () => (await listDms(world, expected)).length).toBe(times)
  return listDms(world, expected)
}

/** Deletes one check in its modal. Returns the message with the undo button. */
async function deleteCheck(world: World, name: string) {
  const { member } = world.slack
  const deleted = `Deleted “${name}”`
  // Earlier deletions of a check with this name have the same message.
  const earlierDms = await listDms(world, deleted)
  await member.command('/hc', `delete ${name}`, { until: 'Delete health check' })
  await member.submit({ name }, { until: deleted })
  await member.close({ all: true })
  return (await waitForDms(world, deleted, earlierDms.length + 1)).at(-1)
}

/** The current names of the checks in the workspace's watches and silences; `gone` for deleted ones. */
async function readWatchedNames({ app, service }: World) {
  const names = new Map((await service.checksNamed('*')).map(({ uuid, name }) => [uuid, name]))
  const { watches, silences } = app.store.watching
  return {
    watches: (await watches.list(WORKSPACE)).flatMap(({ filter: { include, exclude } }) =>
      [...include, ...exclude].map(({ pattern }) => names.get(pattern) ?? 'gone'),
    ),
    silences: (await silences.list(WORKSPACE)).map(({ subject }) =>
      subject.kind === 'check' ? (names.get(subject.uuid) ?? 'gone') : subject.kind,
    ),
  }
}

async function watchAndMute({ slack: { member } }: World, name: string): Promise<void> {
  await member.command('/hc', `watch ${name}`, { until: /watch/i })
  await member.command('/hc', `mute ${name} 2h`, { until: /muted/i })
}

describe('watches and silences of deleted checks', () => {
  it('move to the checks that an undo creates, and the result says so', async () => {
    await using world = await startWorld({ checks: FLEET })
    const { member } = world.slack
    await watchAndMute(world, 'web-1')
    await watchAndMute(world, 'web-2')
    await member.command('/hc', 'maintenance web-1 --from "Mon 22:00" --for 2h', { until: 'Planned' })
    const preview = await member.command('/hc', 'delete web-*')
    await member.click(preview.message, 'Delete 3', { until: 'Started.' })
    const report = await waitForDm(world, 'Requested:')
    expect(await readWatchedNames(world)).toEqual({
      watches: ['gone', 'gone'],
      silences: ['gone', 'gone', 'gone'],
    })
    await member.click(report, 'Undo', { until: 'Started.' })
    const undone = await waitForDm(world, 'Requested: Undo')
    expect(undone?.text).toContain('Undone: Delete name web-*')
    expect(undone?.text).toContain('2 watches and 3 silences moved to the new UUIDs.')
    const { watches, silences } = await readWatchedNames(world)
    expect([watches.toSorted(), silences.toSorted()]).toEqual([
      ['web-1', 'web-2'],
      ['web-1', 'web-1', 'web-2'],
    ])
    const [restored] = await world.service.checksNamed('web-1')
    const plans = await world.app.store.watching.silences.list(WORKSPACE, { kind: 'maintenance' })
    expect(plans).toMatchObject([{ subject: { kind: 'check', uuid: restored?.uuid, name: 'web-1' } }])
  })
})

it('is mentioned by an older list of jobs that still offers the undone change', async () => {
  await using world = await startWorld({ checks: FLEET })
  const { member } = world.slack
  const preview = await member.command('/hc', 'edit web-* --frequency 300')
  await member.click(preview.message, 'Set 3', { until: 'Started.' })
  const changed = await waitForDm(world, 'Requested:')
  const jobs = await member.command('/hc', 'jobs', { until: 'Your ended jobs' })
  await member.click(changed, 'Undo', { until: 'Started.' })
  await waitForDm(world, 'Requested: Undo')
  const [, id = ''] = /job-show ([\w-]+)/.exec(JSON.stringify(jobs.message)) ?? []
  const shown = await member.command('/hc', `job-show ${id}`, {
    until: 'Someone has started to undo this since.',
  })
  expect(shown.text).not.toContain('It can be undone')
  await member.click(shown.message, 'Show the undo', { until: 'Requested: Undo' })
})

it('is undone on checks that were deleted and restored since, even twice', async () => {
  const listChecks = async (world: World) =>
    (await world.service.listAllChecks()).map(({ name, frequency }) => `${name} ${frequency}`).sort()
  await using world = await startWorld({ checks: FLEET })
  const { member } = world.slack
  const before = await listChecks(world)
  const preview = await member.command('/hc', 'edit web-* --frequency 300')
  await member.click(preview.message, 'Set 3', { until: 'Started.' })
  const changed = await waitForDm(world, 'Requested:')
  // The second time, this deletes the restored checks.
  for (const round of [1, 2]) {
    const preview = await member.command('/hc', 'delete web-*', { until: 'Nothing has changed yet.' })
    await member.click(preview.message, 'Delete 3', { until: 'Started.' })
    const deleted = (await waitForDms(world, 'Deleted 3 health checks.', round)).at(-1)
    await member.click(deleted, 'Undo', { until: 'Started.' })
    await waitForDms(world, 'Undone: Delete name web-*', round)
  }
  expect(new Set(await listChecks(world))).toEqual(new Set(['web-1 300', 'web-2 300', 'web-3 300']))
  await member.click(changed, 'Undo', { until: 'Started.' })
  expect((await waitForDm(world, 'Requested: Undo: Set'))?.text).toContain('Undone: Set')
  expect(await listChecks(world)).toEqual(before)
})

describe('an undo', () => {
  const setEnvironment = async ({ slack: { member } }: World, environment: string) =>
    void (await member.command('/hc', `env ${environment}`, {
      until: environment === 'ote' ? 'OTE' : /production/,
    }))

  /** Starts a world with one check in OTE and none in production. The member's commands use OTE. */
  async function startOte() {
    const world = await startWorld()
    await setEnvironment(world, 'ote')
    const { token, oteUrl } = world.sandbox
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${oteUrl}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return (await answer.json()) as { data: { total: number } }
    }
    const check = { name: 'web-1', protocol: 'HTTPS', target: 'a.example.com', port: 443, frequency: 60 }
    await call('POST', ROOT, { ...check, customer_id: 1 })
    const countChecks = async () => ({
      ote: (await call('GET', `${ROOT}?limit=1`)).data.total,
      production: await world.service.countChecks(),
    })
    return { world, countChecks }
  }

  it('runs in OTE after a deletion in OTE, even if the channel now uses production', async () => {
    const { world, countChecks } = await startOte()
    await using _ = world
    const { member } = world.slack
    const message = await deleteCheck(world, 'web-1')
    await setEnvironment(world, 'production')
    expect(await countChecks()).toEqual({ ote: 0, production: 0 })
    // Types the command in a channel that now uses production.
    const [, line = ''] = /\/hc (job-undo [\w-]+)/.exec(JSON.stringify(message?.blocks)) ?? []
    const { text } = await member.command('/hc', line, { until: 'Started' })
    expect(text).toContain('(OTE)')
    await expect.poll(countChecks).toEqual({ ote: 1, production: 0 })
  })

  it('can be retried if the service rejects it, and takes effect once', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 1) })
    const { member } = world.slack
    const message = await deleteCheck(world, 'web-1')
    await world.service.faults({
      ...{ method: 'POST', path: ROOT, kind: 'status', status: 400 },
      body: { errors: [{ message: 'No.' }] },
    })
    await member.click(message, 'Undo', { until: 'Started.' })
    const refused = await waitForDm(world, 'Requested: Undo')
    expect(refused?.text).toContain('Undone 0 of 1 change')
    expect(refused?.text).toContain('web-1: Refused. No.')
    await world.service.faults()
    await member.click(refused, 'Try again', { until: 'Started.' })
    await waitForDm(world, 'Undone: Delete “web-1”')
    const [, line = ''] = /\/hc (job-undo [\w-]+)/.exec(JSON.stringify(message?.blocks)) ?? []
    await member.command('/hc', line, { until: 'already undone' })
    expect(await world.service.countChecks()).toBe(1)
  })

  it('needs a token that the service accepts, but not the same one', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 1) })
    const { member } = world.slack
    const message = await deleteCheck(world, 'web-1')
    await storeToken(world, 'a token of nobody')
    await member.click(message, 'Undo', { until: 'doesn’t accept' })
    expect(await world.service.countChecks()).toBe(0)
    await storeToken(world, await createToken(world))
    await member.click(message, 'Undo', { until: 'Started.' })
    await expect.poll(() => world.service.countChecks()).toBe(1)
  })
})

describe('an undo with a new token that may not list tokens', () => {
  const HIDE_TOKENS = {
    method: 'GET',
    path: '/auth/v1/tokens',
    kind: 'status',
    status: 403,
    body: {},
  } as const

  it('needs no answer if a check of the last listing still exists', async () => {
    await using world = await startWorld({ checks: FLEET })
    const { member } = world.slack
    const message = await deleteCheck(world, 'web-1')
    await storeToken(world, await createToken(world))
    await world.service.faults(HIDE_TOKENS)
    await member.click(message, 'Undo', { until: 'Started.' })
    await expect.poll(() => world.service.countChecks()).toBe(3)
  })

  it('asks an admin if none does, and never calls it a different account', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 1) })
    const { member, admin } = world.slack
    const message = await deleteCheck(world, 'web-1')
    await storeToken(world, await createToken(world))
    await world.service.faults(HIDE_TOKENS)
    const { grants } = world.app.store
    await grants.remove(WORKSPACE, 'admin', EVERYONE)
    const refused = await member.click(message, 'Undo', { until: 'can’t tell whether' })
    expect(refused.text).toContain('A workspace admin can answer that: they type')
    expect(refused.text).not.toContain('different account')
    const [, line = ''] = /\/hc (job-undo [\w-]+)/.exec(refused.text) ?? []
    const question = await admin.command('/hc', line, { until: 'Is it the same account?' })
    expect(await world.service.countChecks()).toBe(0)
    await admin.click(question.message, 'It’s the same account', { until: 'Started.' })
    await expect.poll(() => world.service.countChecks()).toBe(1)
    const audited = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      limit: 20,
      verb: '/hc same-account',
    })
    expect(audited.length).toBeGreaterThan(0)
  })
})

describe('/hc undo', () => {
  it('shows an undo that hasn’t finished, and finishes it', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 1), workTimes: { settleMs: 500 } })
    const { member } = world.slack
    const message = await deleteCheck(world, 'web-1')
    await world.service.faults({ method: 'POST', path: ROOT, kind: 'status', status: 500, body: {} })
    await member.click(message, 'Undo', { until: 'Started.' })
    expect((await waitForDm(world, 'Requested: Undo'))?.text).toContain('Undone 0 of 1 change')
    // The button of the first message, and the command: both show the undo as it is.
    const pressed = await member.click(message, 'Undo', { until: 'Undone 0 of 1 change' })
    expect(JSON.stringify(pressed.message?.blocks)).toContain('Try again')
    const typed = await member.command('/hc', 'undo', { until: 'This undo hasn’t finished: Delete “web-1”' })
    expect(typed.text).toContain('Undone 0 of 1 change')
    await world.service.faults()
    await member.click(typed.message, 'Try again', { until: 'Started.' })
    await waitForDm(world, 'Undone: Delete “web-1”')
    expect(await world.service.countChecks()).toBe(1)
    expect((await member.command('/hc', 'undo')).text).toContain('You have nothing to undo')
  })

  it('shows a running change and its running undo, with Stop', async () => {
    await using world = await startWorld({ checks: FLEET, workTimes: { leaseMs: 600 } })
    const { member } = world.slack
    await world.service.faults({ method: 'PUT', path: ROOT, kind: 'hold' })
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await member.click(preview.message, 'Set 3', { until: 'Started.' })
    const running = await member.command('/hc', 'undo', { until: 'can’t be undone yet' })
    expect(running.text).toContain('Still running: Set frequency to 30 s')
    expect(running.text).not.toContain('nothing to undo')
    expect(JSON.stringify(running.message?.blocks)).toContain('/hc job-stop')
    await world.service.faults()
    const done = await waitForDm(world, 'now checked every 30 s')
    await world.service.faults({ method: 'PUT', path: ROOT, kind: 'hold' })
    await member.click(done, 'Undo', { until: 'Started.' })
    const again = await member.click(done, 'Undo', { until: 'This is already being undone' })
    expect(again.text).toContain('Still running: Undo: Set frequency to 30 s')
    await member.click(again.message, 'Stop', { until: 'Stopping' })
    await world.service.faults()
  })

  it('offers only changes of its environment, and says where others are', async () => {
    await using world = await startWorld({ checks: FLEET })
    const { member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await member.click(preview.message, 'Set 3', { until: 'Started.' })
    await waitForDm(world, 'now checked every 30 s')
    const ote = await member.command('/hc', 'undo --env ote')
    expect(ote.text).toContain('You have nothing to undo in OTE.')
    expect(ote.text).toContain('You also have changes in the production environment that can be undone.')
    const here = await member.click(ote.message, 'Show production', { until: 'can be undone?' })
    expect(here.text).toContain('Changed 3 health checks: checked every 30 s.')
  })
})

/** Creates another token of the same account. */
async function createToken({ sandbox }: World): Promise<string> {
  const answer = await fetch(`${sandbox.productionUrl}/auth/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { data } = (await answer.json()) as { data: { token: string }[] }
  return data[0]?.token ?? ''
}

async function storeToken({ app }: World, token: string): Promise<void> {
  const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
  await app.store.connections.save({ ...scope, userId: 'U0ADMIN001', now: new Date(), token })
}

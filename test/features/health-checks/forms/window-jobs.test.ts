import { describe, expect, it } from 'vitest'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

const CHECKS = '/healthcheck/v1/healthchecks'
const ANN = 'ann@example.com'
const OPS = 'ops@example.com'

interface Window {
  readonly line: (uuid: string, alertId: string) => string
  readonly answers: Record<string, string>
  readonly done: RegExp
  /** What people get from the service once it's done. */
  readonly changed: { readonly names: readonly string[]; readonly mailed: readonly string[] }
}

const CREATION: Window = {
  line: () => 'create',
  answers: { Name: 'api', Target: 'api.example.com', 'Customer ID': '1' },
  done: /Created\./,
  changed: { names: ['api', 'web'], mailed: [ANN, OPS] },
}

const WINDOWS: Readonly<Record<string, Window>> = {
  create: CREATION,
  edit: {
    line: (uuid) => `edit ${uuid}`,
    answers: { Name: 'www' },
    done: /Saved\./,
    changed: { names: ['www'], mailed: [ANN, OPS] },
  },
  'add an alert': {
    line: (uuid) => `alert-add ${uuid}`,
    answers: { 'Email addresses': 'new@example.com' },
    done: /Added an alert/,
    changed: { names: ['web'], mailed: [ANN, 'new@example.com', OPS] },
  },
  'edit an alert': {
    line: (uuid, id) => `alert-edit ${uuid} ${id}`,
    answers: { 'Email addresses': 'bob@example.com' },
    done: /Recipients of the alert/,
    changed: { names: ['web'], mailed: ['bob@example.com', OPS] },
  },
  'remove an alert': {
    line: (uuid, id) => `alert-remove ${uuid} ${id}`,
    answers: {},
    done: /Removed an alert/,
    changed: { names: ['web'], mailed: [OPS] },
  },
}

const BEFORE = { names: ['web'], mailed: [ANN, OPS] }

const startWithCheck = () =>
  startWorld({ checks: [{ name: 'web', target: 'w.example.com', alerts: [[ANN], [OPS]] }] })

/** Opens a window of the check. Returns the UUID of the check. */
async function open({ service, slack }: World, { line }: Window): Promise<string> {
  const [{ uuid } = { uuid: '' }] = await service.checksNamed('web')
  const alert = (await service.alerts(uuid)).find(({ recipients }) => recipients.includes(ANN))
  await slack.member.command('/hc', line(uuid, String(alert?.id)))
  await service.clearRequests()
  return uuid
}

async function readService({ service }: World, uuid: string) {
  const names = (await service.listAllChecks()).map(({ name }) => String(name)).toSorted()
  const mailed = (await service.alerts(uuid)).flatMap(({ recipients }) => [...recipients]).toSorted()
  return { names, mailed }
}

/** Another token, of which nothing proves that it's of the same account. */
async function changeToken({ app, sandbox, service }: World): Promise<void> {
  const answer = await fetch(`${sandbox.productionUrl}/auth/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { data } = (await answer.json()) as { data: { token: string }[] }
  const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
  const token = data[0]?.token ?? ''
  await app.store.connections.save({ ...scope, userId: 'U0ADMIN001', now: new Date(), token })
  await service.faults({ method: 'GET', path: '/auth/v1/tokens', kind: 'status', status: 403, body: {} })
}

/** Lets the list show a check like this one, as long as there are faults. */
const listOnly = (row: object) => ({
  method: 'GET',
  path: `${CHECKS}?`,
  kind: 'body' as const,
  body: { message: 'OK', data: { total: 1, limit: 500, offset: 0, results: [row] } },
})
const LISTED = {
  uuid: '11111111-1111-4111-8111-111111111111',
  name: 'api',
  status: 'INSTALLING',
  protocol: 'HTTPS',
  target: 'api.example.com',
  port: 443,
  frequency: 60,
  customer_id: 1,
}

describe('a creation whose answer is lost', () => {
  it.each([
    { list: 'has it without its customer', row: { ...LISTED, customer_id: undefined } },
    { list: 'has it under a name that the service changed', row: { ...LISTED, name: 'api 1' } },
    { list: 'doesn’t have it yet', row: { ...LISTED, name: 'other' } },
  ])('has an unknown outcome if the list $list', async ({ row }) => {
    await using world = await startWithCheck()
    await open(world, CREATION)
    await world.service.faults({ method: 'POST', path: CHECKS, kind: 'drop-reply', times: 1 }, listOnly(row))
    const { text } = await world.slack.member.submit(CREATION.answers, {
      until: /outcome is unknown|Nothing was changed/,
    })
    expect(text).toContain('The outcome is unknown: Create “api”')
    expect(text).toContain('It may have been created.')
    await world.service.faults()
    expect(await world.service.listAllNames()).toContain('api')
    const [latest] = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1 })
    expect(latest).toMatchObject({ verb: '/hc create', outcome: 'unknown' })
  })

  it('is found in the list', async () => {
    await using world = await startWithCheck()
    await open(world, CREATION)
    await world.service.faults({ method: 'POST', path: CHECKS, kind: 'drop-reply', times: 1 })
    const { text } = await world.slack.member.submit(CREATION.answers, {
      until: /Created\.|outcome is unknown|Nothing was changed/,
    })
    expect(text).toContain('Created.')
  })
})

it('what each window did can be undone', async () => {
  await using world = await startWithCheck()
  const { member } = world.slack
  const countUndone = async () =>
    (await member.messages('dm')).filter(({ text }) => text.startsWith('Undone: ')).length
  for (const [index, [name, window]] of Object.entries(WINDOWS).entries()) {
    const uuid = await open(world, window)
    const { view } = await member.submit(window.answers, { until: window.done })
    expect(await readService(world, uuid), name).toEqual(window.changed)
    await member.click(view, 'Undo', { until: 'Started' })
    await expect.poll(countUndone, { message: name }).toBe(index + 1)
    expect(await readService(world, uuid), name).toEqual(BEFORE)
    await member.close({ all: true })
  }
})

it('no window sends anything if Signalman may be connected to another account now', async () => {
  await using world = await startWithCheck()
  const { member } = world.slack
  for (const [name, window] of Object.entries(WINDOWS)) {
    await world.service.faults()
    const uuid = await open(world, window)
    await changeToken(world)
    const { text } = await member.submit(window.answers, { until: 'Nothing was changed' })
    expect(text, name).toContain('the account that this window was opened under')
    expect(await readService(world, uuid), name).toEqual(BEFORE)
    const requests = await world.service.requests()
    const writes = requests.filter(({ method, path }) => method !== 'GET' && path.startsWith(CHECKS))
    expect(writes, name).toEqual([])
    await member.close({ all: true })
  }
})

it('undoing an alert leaves alerts that someone else has changed since', async () => {
  await using world = await startWithCheck()
  const uuid = await open(world, WINDOWS['edit an alert'] as Window)
  const { member } = world.slack
  const { view } = await member.submit({ 'Email addresses': 'bob@example.com' }, { until: /Recipients of/ })
  await world.service.addAlert(uuid, ['later@example.com'])
  await member.click(view, 'Undo', { until: 'Started' })
  await member.until('the undo', ({ messages }) => JSON.stringify(messages).includes('Undone: '))
  expect((await readService(world, uuid)).mailed).toEqual([ANN, 'later@example.com', OPS])
})

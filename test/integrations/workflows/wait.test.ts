import { expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createWaiting } from '../../../src/integrations/workflows/wait.ts'
import { createLog } from '../../../src/log.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { SHARED_DATABASES, startSqliteFile } from '../../databases/databases.ts'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import { modalShows } from '../../features/cert-orders/order-helpers.ts'
import { eitherOf } from '../../long.ts'
import { LONG_DEADLINES } from '../../relaxed-limits.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { captureStep, deliver, listRuns, waitForEnd } from './step-events.ts'

const DAY_MS = 86_400_000
const PATIENT_RUN = { waitMs: 60_000 }
const TIMES = { pollMs: 50, retryMs: 50 }

/** Starts a world that polls every 50 ms and has a clock that the test can advance. */
async function startWaiting(options: WorldOptions = {}) {
  const clock = { ms: 0 }
  const now = () => new Date(Date.now() + clock.ms)
  const world = await startWorld({
    features: ['workflows'],
    watchEveryMs: 50,
    workTimes: TIMES,
    now,
    ...options,
  })
  const advance = async (ms: number): Promise<void> => {
    clock.ms += ms
    await world.slack.clock({ advanceMs: ms })
  }
  return Object.assign(world, { advance, now })
}

/** Resolves when the step has started to wait. */
const waitUntilWaiting = ({ app }: Pick<World, 'app'>) =>
  expect.poll(() => app.store.work.listOpen(WORKSPACE, ['workflow-wait'])).toHaveLength(1)

const listReads = async ({ service }: World) =>
  (await service.requests('GET')).map(({ path }) => path.replace(/[0-9a-f-]{36}/, 'UUID'))

it('ends the wait immediately if the check is up', async () => {
  await using world = await startWaiting({ checks: [{ name: 'web', status: 'HEALTHY' }] })
  const run = await world.slack.member.runStep('wait_until_up', { check: 'web' })
  expect(run.outputs).toMatchObject({ name: 'web', is_up: true })
})

it('waits until a check is up, polling the service the way a watch does', async () => {
  await using world = await startWaiting()
  const uuids = []
  for (const name of ['a', 'b', 'c']) uuids.push(await world.service.addCheck({ name, status: 'UNHEALTHY' }))
  const running = ['a', 'b', 'c'].map((check) =>
    world.slack.member.runStep('wait_until_up', { check }, PATIENT_RUN),
  )
  await expect.poll(() => world.app.store.work.listOpen(WORKSPACE, ['workflow-wait'])).toHaveLength(3)
  await world.service.clearRequests()
  const LISTING = /healthchecks\?.*status=UNHEALTHY/
  await expect
    .poll(async () => (await listReads(world)).filter((path) => LISTING.test(path)).length)
    .toBeGreaterThan(3)
  // While a check is down, the app doesn't request it individually.
  expect((await listReads(world)).filter((path) => !LISTING.test(path))).toEqual([])
  for (const uuid of uuids) await world.service.setStatus(uuid, 'HEALTHY')
  for (const run of await Promise.all(running))
    expect(run.outputs).toMatchObject({ status: 'up', is_up: true })
})

it('ends the wait with the current state when time runs out', async () => {
  await using world = await startWaiting({ checks: [{ name: 'web', status: 'UNHEALTHY' }] })
  const running = world.slack.member.runStep('wait_until_up', { check: 'web', minutes: '90' }, PATIENT_RUN)
  await waitUntilWaiting(world)
  await world.advance(89 * 60_000)
  await world.service.clearRequests()
  await expect.poll(() => listReads(world)).not.toEqual([])
  expect((await listRuns(world.slack)).at(-1)).toMatchObject({ status: 'running' })
  await world.advance(2 * 60_000)
  expect((await running).outputs).toMatchObject({ status: 'down', is_up: false })
})

it('polls a check once for all steps that wait for it', async () => {
  const requested: string[] = []
  const get = async (uuid: string) => {
    requested.push(uuid)
    return { uuid, name: 'web', status: 'INSTALLING' }
  }
  const { kind } = createWaiting({
    // These stand-ins have only the methods that reading a check calls, and allow everything.
    getApi: (async () => ({ healthChecks: { async *listAll() {}, get } })) as never,
    access: { admit: async () => undefined } as never,
    orders: { find: async () => undefined },
    engine: {
      begin: () => Promise.reject(new Error('No wait starts in this test.')),
      end: async () => undefined,
    },
    endStep: async () => undefined,
    intervalMs: 60_000,
    now: () => new Date(0),
  })
  const caller = { workspaceId: WORKSPACE, userId: 'U0MEMBER01', reference: 'r' }
  const body = { step: 'wait_until_up', environment: 'production', subject: 'a', minutes: 9, caller }
  const at = new Date(0)
  const runWork = (subject: string) =>
    kind.run({ work: { body: { ...body, subject }, madeAt: at, touchedAt: at } } as never)
  const ends = await Promise.all(['a', 'a', 'a', 'b'].map(runWork))
  expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['waiting']))
  expect(requested).toEqual(['a', 'b'])
})

it('ends the wait with an explanation when the check is deleted', async () => {
  await using world = await startWaiting()
  const uuid = await world.service.addCheck({ name: 'web', status: 'UNHEALTHY' })
  const running = world.slack.member.runStep('wait_until_up', { check: 'web' }, PATIENT_RUN)
  await waitUntilWaiting(world)
  await world.service.remove(uuid)
  expect((await running).error).toBe('The health check was deleted, so this step stopped waiting.')
})

it('keeps waiting while the service isn’t responding', async () => {
  await using world = await startWaiting()
  const uuid = await world.service.addCheck({ name: 'web', status: 'UNHEALTHY' })
  const running = world.slack.member.runStep('wait_until_up', { check: 'web' }, PATIENT_RUN)
  await waitUntilWaiting(world)
  await world.service.faults({ method: 'GET', path: '/healthcheck', kind: 'status', status: 503, times: 5 })
  await world.service.setStatus(uuid, 'HEALTHY')
  expect((await running).outputs).toMatchObject({ is_up: true })
})

it('ends the wait if the person who started it loses access', async () => {
  await using world = await startWaiting({ checks: [{ name: 'web', status: 'UNHEALTHY' }] })
  const { member } = world.slack
  const running = member.runStep('wait_until_up', { check: 'web' }, PATIENT_RUN)
  await waitUntilWaiting(world)
  await member.updateAccount({ deleted: true })
  expect((await running).error).toBe('This account is deactivated, so Signalman doesn’t respond to it.')
  const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, verb: '/hc show', limit: 10 })
  expect(rows.map(({ object, outcome }) => `${object} ${outcome}`)).toEqual(['(through a workflow) refused'])
})

it('ends the wait when its workspace is deleted', async () => {
  await using world = await startWaiting({ checks: [{ name: 'web', status: 'UNHEALTHY' }] })
  const running = world.slack.member
    .runStep('wait_until_up', { check: 'web' }, { waitMs: 1 })
    .catch(() => undefined)
  await waitUntilWaiting(world)
  await running
  await world.app.store.forgetWorkspace(WORKSPACE)
  expect(await world.app.store.work.listOpen(WORKSPACE, ['workflow-wait'])).toEqual([])
})

const requestOrder = async ({ slack }: World): Promise<number> => {
  const { pem: csr } = await makeCsr()
  const run = await slack.member.runStep('request_order', { csr, product: '101', duration: '1 year' })
  expect(run.outputs).toMatchObject({ outcome: 'waiting' })
  return Number(run.outputs.order)
}

/** What ends the wait for a decision, by the outcome that the step returns. */
const DECISIONS: Readonly<Record<string, (world: World, order: number) => Promise<unknown>>> = {
  async rejected({ slack: { admin } }, order) {
    await admin.command('/cert-order', `reject ${order}`, UNTIL_FORM)
    await admin.submit({ Reason: 'Twice.' }, { until: modalShows('was rejected') })
  },
  withdrawn: ({ slack: { member } }, order) => member.command('/cert-order', `withdraw ${order}`),
  async failed({ service, slack: { admin } }, order) {
    await service.faults({ kind: 'status', method: 'POST', path: '/ssl/v2/orders', status: 422, times: 1 })
    await admin.command('/cert-order', `approve ${order}`, UNTIL_FORM)
    await admin.submit({}, { until: modalShows('failed') })
  },
  async received({ slack: { admin } }, order) {
    await admin.command('/cert-order', `approve ${order}`, UNTIL_FORM)
    await admin.submit({}, { until: modalShows('was received') })
  },
}

it('returns the outcome of an order, also to a step that runs after it', async () => {
  await using world = await startWaiting()
  for (const [outcome, decide] of Object.entries(DECISIONS)) {
    const order = await requestOrder(world)
    const running = world.slack.member.runStep('await_decision', { order }, PATIENT_RUN)
    await waitUntilWaiting(world)
    await decide(world, order)
    await world.slack.admin.close({ all: true }).catch(() => undefined)
    expect((await running).outputs).toMatchObject({ order, outcome })
    const after = await world.slack.member.runStep('await_decision', { order: String(order) })
    expect(after.outputs).toMatchObject({ outcome })
  }
})

it('says that nobody decided in time, or that the order expired', async () => {
  await using world = await startWaiting()
  await requestOrder(world)
  const brief = world.slack.member.runStep('await_decision', { order: 1, minutes: 60 }, PATIENT_RUN)
  await waitUntilWaiting(world)
  await world.advance(61 * 60_000)
  expect((await brief).outputs).toMatchObject({ outcome: 'waiting' })
  const long = world.slack.member.runStep('await_decision', { order: 1 }, PATIENT_RUN)
  await waitUntilWaiting(world)
  await world.advance(3 * DAY_MS)
  expect((await long).outputs).toMatchObject({ outcome: 'expired', answer: 'Order 1 expired' })
})

it('waits two days for a decision, across restarts', async () => {
  await using database = await startSqliteFile()
  const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
  await using world = await startWaiting({ environment })
  await using started = new AsyncDisposableStack()
  await requestOrder(world)
  const running = world.slack.member.runStep('await_decision', { order: 1 }, { waitMs: 120_000 })
  await waitUntilWaiting(world)
  let { app }: Pick<World, 'app'> = world
  for (let day = 0; day < 2; day += 1) {
    await app[Symbol.asyncDispose]()
    await world.advance(DAY_MS)
    const deps = { config: world.config, log: createLog('silent'), now: world.now, workTimes: TIMES }
    app = started.use(await startApp({ ...deps, requestDeadlines: LONG_DEADLINES }))
    world.playground.setAppUrl(app.url)
    await waitUntilWaiting({ app })
  }
  expect((await listRuns(world.slack)).at(-1)).toMatchObject({ status: 'running' })
  await world.slack.admin.command('/cert-order', 'approve 1', UNTIL_FORM)
  await world.slack.admin.submit({}, { until: modalShows('was received') })
  expect((await running).outputs).toMatchObject({ outcome: 'received' })
  expect(await world.slack.deliveries('functions.completeSuccess')).toHaveLength(2)
})

it.each(eitherOf(SHARED_DATABASES))(
  'ends the wait once, whichever of two processes waits, on $name',
  async ({ start }) => {
    await using database = await start()
    const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
    await using world = await startWaiting({ environment })
    const { config, now } = world
    const deps = { config, log: createLog('silent'), now, workTimes: TIMES, requestDeadlines: LONG_DEADLINES }
    await using second = await startApp(deps)
    const uuid = await world.service.addCheck({ name: 'web', status: 'UNHEALTHY' })
    const event = await captureStep(world, 'wait_until_up', { check: 'web' })
    const urls = [world.app.url, second.url]
    await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        deliver(urls[nth % 2] ?? '', { ...event, event_id: `Ev${nth}` }, now()),
      ),
    )
    await waitUntilWaiting(world)
    await world.service.setStatus(uuid, 'HEALTHY')
    expect((await waitForEnd(world.slack, event)).outputs).toMatchObject({ is_up: true })
    expect(await world.slack.deliveries('functions.completeSuccess')).toHaveLength(1)
    expect(await world.app.store.work.listOpen(WORKSPACE, ['workflow-wait'])).toEqual([])
  },
)

it('refuses to start a wait over the rate limit, but never interrupts a wait that has started', async () => {
  const budgets = { personBurst: 1, personPerMinute: 0.001 }
  await using world = await startWaiting({ budgets })
  const uuid = await world.service.addCheck({ name: 'web', status: 'UNHEALTHY' })
  const event = await captureStep(world, 'wait_until_up', { check: 'web' })
  const other = await captureStep(world, 'check_status', { check: 'web' })
  await deliver(world.app.url, event, world.now())
  await waitUntilWaiting(world)
  await deliver(world.app.url, { ...event, event_id: 'EvAgain' }, world.now())
  for (const event_id of ['EvOther', 'EvOtherAgain'])
    await deliver(world.app.url, { ...other, event_id }, world.now())
  expect((await waitForEnd(world.slack, other)).error).toMatch(
    /more requests than it handles for one person.* nothing was started/,
  )
  await world.service.setStatus(uuid, 'HEALTHY')
  expect((await waitForEnd(world.slack, event)).outputs).toMatchObject({ is_up: true })
  expect(await world.slack.deliveries('functions.completeError')).toHaveLength(1)
})

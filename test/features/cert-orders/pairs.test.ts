import { describe, expect, it } from 'vitest'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { openStore } from '../../../src/app/store.ts'
import { redrawAfterLeaving } from '../../../src/features/cert-orders/redraw-after-leaving.ts'
import type { CertificateFacts } from '../../../src/features/cert-orders/rules/certificate/read-certificate.ts'
import { transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import type { Order, OrderOutcome } from '../../../src/features/cert-orders/rules/order.ts'
import { DEFAULT_POLICY, ORDER_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { StepRefused } from '../../../src/features/cert-orders/rules/refusals.ts'
import { NOTHING_SEEN } from '../../../src/features/cert-orders/rules/related.ts'
import type { StepContext } from '../../../src/features/cert-orders/transition-order.ts'
import { createLog } from '../../../src/log.ts'
import { createOrderProcess, createRecordingSlack, exampleRequest, WORKSPACE } from './order-process.ts'
import { createSimulatedProcess } from './simulated-order-process.ts'

/*
 * What happens to an order, or to its certificate, after it was requested, in each state: with the store, and the real messages to
 * people. The requester is U1; U2 and U3 may approve. The steps of the state machine are in events-by-state.test.ts.
 */

const DAY_MS = 86_400_000
const HOST = 'shop.example.com'
const RECEIVED = '{"data":{"id":"4711"}}'
const FAILING = '{"data":{"id":"4711","attributes":{"status":"REJECTED"}}}'
const UNKNOWN: OrderOutcome = { kind: 'unknown', why: 'Lost.', said: [], sender: 'ended' }
const receive = (answer: string): OrderOutcome => ({ kind: 'received', answered: { id: '4711', answer } })

/** One order, and everyone who may hear about it. */
async function startOrder() {
  await using started = new AsyncDisposableStack()
  const clock = { now: Date.parse('2026-11-25T12:00:00.000Z') }
  const now = (): Date => new Date(clock.now)
  const store = started.use(await openStore({ url: 'sqlite::memory:', now, clock: now }))
  const slack = createRecordingSlack()
  const told: string[] = []
  const leavers = new Set<string>()
  const fakes = {
    // Cast: only these are used.
    api: { orders: { formatBody: JSON.stringify, create: async () => RECEIVED } } as never,
    roles: new Set(['U2', 'U3']),
    leavers,
    poster: {
      ...slack.poster,
      async post(...[destination, ...message]: Parameters<typeof slack.poster.post>) {
        const { target, to } = destination
        // A direct message's channel is named for the person here.
        if (to !== undefined || target.threadTs !== undefined) told.push(to ?? target.channelId)
        return slack.poster.post(destination, ...message)
      },
    },
  }
  const engine = { runNow: async () => undefined, wake: () => undefined }
  const times = { waitMs: 0 }
  const { service, orders, certificateService } = createOrderProcess({ store, fakes, engine, now, times })
  const onError = (error: unknown): void => {
    throw error
  }
  const process = createSimulatedProcess({
    ...{ store, workspaceId: WORKSPACE, fakes, now, databaseNow: now, onError },
  })
  let serial = 0
  const as = (userId: string): StepContext =>
    // Cast: the other parts aren't used.
    ({
      ...{ workspaceId: WORKSPACE, userId, reference: `step ${serial++}` },
      hasRole: async (id: string) => fakes.roles.has(id),
      hasRoleOrThrow: async (id: string) => fakes.roles.has(id),
      api: async () => fakes.api,
      change: async (_: unknown, work: () => Promise<unknown>) => work(),
      remember: async (_: string, read: () => Promise<unknown>) => read(),
    }) as unknown as StepContext
  const read = async (): Promise<Order> => {
    const order = await orders.find(WORKSPACE, 1)
    if (!order) throw new Error('There is no order.')
    return order
  }
  const listCertificates = async () =>
    (await store.certificates.listForOrders([(await read()).id])).toSorted((left, right) =>
      left.sha256 < right.sha256 ? -1 : 1,
    )
  const facts = (days: number, keyHash = 'PO 1'): CertificateFacts => ({
    ...{
      sha256: `${days}`.padStart(64, '0'),
      keyHash,
      serial: '1',
      issuer: 'CN=Test',
      subject: `CN=${HOST}`,
    },
    ...{ names: [HOST], pem: '', isChecked: false },
    notBefore: now().toISOString(),
    notAfter: new Date(clock.now + days * DAY_MS).toISOString(),
  })
  const resources = started.move()
  const app = {
    store,
    told,
    service,
    as,
    read,
    listCertificates,
    setPolicy: (policy: object) =>
      store.settings.set(WORKSPACE, ORDER_POLICY, { ...DEFAULT_POLICY, ...policy }),
    async redraw(): Promise<void> {
      await orders.redraw([await read()])
    },
    async leave(userId: string): Promise<void> {
      leavers.add(userId)
      const findRequester = async () => ({ hasLeft: true, hasRole: async () => true })
      const log = createLog('silent')
      await redrawAfterLeaving({ orders: store.orders, findRequester, engine, log }).onPersonChanged?.(
        WORKSPACE,
        userId,
      )
    },
    /** Runs all due work, such as messages, and sending the order. */
    runDueWork: () => process.runDueWork(),
    async approve(by: string): Promise<void> {
      await service.approve(as(by), 1, { hash: (await read()).bodyHash, saw: NOTHING_SEEN })
    },
    async answer(outcome: OrderOutcome): Promise<void> {
      const order = await read()
      const judgment = { decision: 'allow', approvals: 1, reasons: [] } as const
      const rules = { direct: false, judgment, saw: NOTHING_SEEN, now: now() }
      const result = transition(order, { kind: 'answer', outcome }, rules)
      if ('refusal' in result) throw new UserError(result.refusal)
      await orders.saveStep(result.next, { kind: 'answer', at: now() })
    },
    record: (by: string, days: number, key?: string) =>
      certificateService.record(as(by), 'production', facts(days, key), undefined),
    async endReminders(by: string): Promise<void> {
      const [certificate] = await listCertificates()
      if (!certificate) throw new UserError('no certificate')
      await certificateService.end(as(by), certificate.sha256)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
  await service.request(as('U1'), exampleRequest('PO 1'))
  return app
}

type App = Awaited<ReturnType<typeof startOrder>>

async function send(app: App): Promise<void> {
  await app.approve('U2')
}
async function sendAndAnswer(app: App, outcome: OrderOutcome): Promise<void> {
  await send(app)
  await app.answer(outcome)
}
async function record(app: App): Promise<void> {
  await sendAndAnswer(app, receive(RECEIVED))
  await app.record('U1', 90)
}

const STATES: Readonly<Record<string, (app: App) => Promise<void>>> = {
  requested: async () => undefined,
  async approved(app) {
    await app.setPolicy({ approvals: 2 })
    await app.approve('U2')
  },
  sending: send,
  unknown: (app) => sendAndAnswer(app, UNKNOWN),
  received: (app) => sendAndAnswer(app, receive(RECEIVED)),
  'received with a failing word': (app) => sendAndAnswer(app, receive(FAILING)),
  'certificate recorded': record,
  async replaced(app) {
    await record(app)
    await app.record('U2', 200, 'another key')
  },
  async 'not needed'(app) {
    await record(app)
    await app.endReminders('U1')
  },
}

/** U3 asks before anyone approves. */
const ASKED_AND_LEAVES = 'the requester leaves, who was asked something'

const EVENTS: Readonly<Record<string, (app: App) => Promise<unknown>>> = {
  'an answer with a failing word': (app) => app.answer(receive(FAILING)),
  'a certificate of its key is recorded': (app) => app.record('U1', 100),
  'a later certificate with its names is recorded': (app) => app.record('U2', 300, 'another key'),
  'its certificate isn’t needed': (app) => app.endReminders('U1'),
  async 'the policy becomes stricter'(app) {
    await app.setPolicy({ domains: ['other.example'] })
    await app.redraw()
  },
  'the requester leaves': (app) => app.leave('U1'),
  'a question': (app) => app.service.ask(app.as('U2'), 1, 'Why?'),
  [ASKED_AND_LEAVES]: (app) => app.leave('U1'),
}

/** The state of the order, of its certificates, and who got a message. */
async function describeAfter(app: App, event: (app: App) => Promise<unknown>): Promise<string> {
  // While it is being sent, nothing has run yet.
  if ((await app.read()).state !== 'submitting') await app.runDueWork()
  app.told.length = 0
  const refused = await event(app).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof StepRefused) return error.kind
      if (error instanceof UserError) return error.message
      throw error
    },
  )
  await app.runDueWork()
  const { state } = await app.read()
  const certificates = (await app.listCertificates()).map(({ ended }) => ended ?? 'current')
  return [
    state,
    certificates.length > 0 && certificates.join(' and '),
    `told: ${app.told.toSorted().join(' ') || 'nobody'}`,
    refused && `refused: ${refused}`,
  ]
    .filter(Boolean)
    .join('; ')
}

/** What follows: the order's state, its certificates, who got a message, and why it was refused. Each row has all states. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an answer with a failing word': {
    requested: 'awaiting; told: nobody; refused: settled',
    approved: 'awaiting; told: nobody; refused: settled',
    sending: 'received; told: U1',
    unknown: 'received; told: U1',
    received: 'received; told: nobody; refused: settled',
    'received with a failing word': 'received; told: nobody; refused: settled',
    'certificate recorded': 'received; current; told: nobody; refused: settled',
    replaced: 'received; replaced; told: nobody; refused: settled',
    'not needed': 'received; not-needed; told: nobody; refused: settled',
  },
  'a certificate of its key is recorded': {
    requested: 'awaiting; told: nobody',
    approved: 'awaiting; told: nobody',
    sending: 'received; told: U1',
    unknown: 'unknown; told: nobody',
    received: 'received; current; told: nobody',
    'received with a failing word': 'received; current; told: nobody',
    'certificate recorded': 'received; replaced and current; told: nobody',
    replaced: 'received; replaced and replaced; told: nobody',
    'not needed': 'received; not-needed and current; told: nobody',
  },
  'a later certificate with its names is recorded': {
    requested: 'awaiting; told: nobody',
    approved: 'awaiting; told: nobody',
    sending: 'received; told: U1',
    unknown: 'unknown; told: nobody',
    received: 'received; told: nobody',
    'received with a failing word': 'received; told: nobody',
    'certificate recorded': 'received; replaced; told: nobody',
    replaced: 'received; replaced; told: nobody',
    'not needed': 'received; not-needed; told: nobody',
  },
  'its certificate isn’t needed': {
    requested: 'awaiting; told: nobody; refused: no certificate',
    approved: 'awaiting; told: nobody; refused: no certificate',
    sending: 'received; told: U1; refused: no certificate',
    unknown: 'unknown; told: nobody; refused: no certificate',
    received: 'received; told: nobody; refused: no certificate',
    'received with a failing word': 'received; told: nobody; refused: no certificate',
    'certificate recorded': 'received; not-needed; told: nobody',
    replaced: 'received; replaced; told: nobody',
    'not needed': 'received; not-needed; told: nobody',
  },
  'the policy becomes stricter': {
    requested: 'awaiting; told: U1',
    approved: 'awaiting; told: U1',
    sending: 'awaiting; told: U1 U1 U2 U3',
    unknown: 'unknown; told: nobody',
    received: 'received; told: nobody',
    'received with a failing word': 'received; told: nobody',
    'certificate recorded': 'received; current; told: nobody',
    replaced: 'received; replaced; told: nobody',
    'not needed': 'received; not-needed; told: nobody',
  },
  'the requester leaves': {
    requested: 'awaiting; told: nobody',
    approved: 'awaiting; told: nobody',
    sending: 'received; told: U2',
    unknown: 'unknown; told: U2',
    received: 'received; told: nobody',
    'received with a failing word': 'received; told: nobody',
    'certificate recorded': 'received; current; told: nobody',
    replaced: 'received; replaced; told: nobody',
    'not needed': 'received; not-needed; told: nobody',
  },
  'a question': {
    requested: 'awaiting; told: U1',
    approved: 'awaiting; told: U1',
    sending: 'received; told: U1; refused: not-waiting',
    unknown: 'unknown; told: nobody; refused: not-waiting',
    received: 'received; told: nobody; refused: not-waiting',
    'received with a failing word': 'received; told: nobody; refused: not-waiting',
    'certificate recorded': 'received; current; told: nobody; refused: not-waiting',
    replaced: 'received; replaced; told: nobody; refused: not-waiting',
    'not needed': 'received; not-needed; told: nobody; refused: not-waiting',
  },
  'the requester leaves, who was asked something': {
    requested: 'awaiting; told: U3',
    approved: 'awaiting; told: U3',
    sending: 'received; told: U2 U3',
    unknown: 'unknown; told: U2',
    received: 'received; told: nobody',
    'received with a failing word': 'received; told: nobody',
    'certificate recorded': 'received; current; told: nobody',
    replaced: 'received; replaced; told: nobody',
    'not needed': 'received; not-needed; told: nobody',
  },
}

describe('an order or its certificate', () => {
  const pairs = Object.keys(EVENTS).flatMap((event) => Object.keys(STATES).map((state) => ({ state, event })))
  it.each(pairs)('$state: $event', async ({ state, event }) => {
    await using app = await startOrder()
    if (event === ASKED_AND_LEAVES) {
      await app.service.ask(app.as('U3'), 1, 'Why?')
      await app.runDueWork()
    }
    await STATES[state]?.(app)
    const run = EVENTS[event]
    if (!run) throw new Error(`There is no event “${event}”.`)
    const found = await describeAfter(app, run)
    expect(found).toBe(EXPECTED[event]?.[state])
  })

  it('is tested with every event in every state', () => {
    expect(Object.keys(EXPECTED)).toEqual(Object.keys(EVENTS))
    for (const row of Object.values(EXPECTED)) expect(Object.keys(row)).toEqual(Object.keys(STATES))
  })
})

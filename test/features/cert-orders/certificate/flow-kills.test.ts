import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import type { OrderRequest } from '../../../../src/service/orders.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf, quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'
import type { Death } from '../../../simulated-process.ts'
import { createRecordingSlack, type FakeServices, type PersonAction, WORKSPACE } from '../order-process.ts'
import { createSimulatedProcess, LEASE_MS, SETTLE_MS } from '../simulated-order-process.ts'

/** Of how many calls of the flow one is killed, on average. At 1, the process is killed before and after every call. */
const EVERY = quickOrLong('FLOW_KILLS_EVERY', { quick: 80, long: 1 })
const SEED = readSeed()
const DAY_MS = 86_400_000
const ACTIONS = ['create', 'renew']
/** A certificate for nine days has reminders three days, one day, and no day before its end. */
const LIFETIME_MS = 9 * DAY_MS

/**
 * Runs flows from the order to the certificate that replaces the first one, each with a kill of the process at one of its calls. The
 * requester is U1; U2 and U3 may approve.
 */
async function startFlows(store: Store, clock: { now: number }) {
  const now = (): Date => new Date(clock.now)
  const orders = store.orders
  const sent: OrderRequest[] = []
  const told: string[] = []
  const errors: unknown[] = []
  const slack = createRecordingSlack()
  const fakes: FakeServices = {
    // Cast: only these are used.
    api: {
      orders: {
        formatBody: JSON.stringify,
        async create(request: OrderRequest) {
          sent.push(request)
          return JSON.stringify({ data: { id: `4711-${sent.length}` } })
        },
      },
    } as never,
    poster: {
      ...slack.poster,
      async post(destination, message, options) {
        if (destination.to !== undefined) told.push(`${destination.to}: ${message.text}`)
        return slack.poster.post(destination, message, options)
      },
    },
    roles: new Set(['U2', 'U3']),
  }
  /** How many actions were stored, so that whoever took them was told that they will be done. */
  let storedActions = 0
  const work = {
    ...store.work,
    async begin(...args: Parameters<Store['work']['begin']>) {
      const begun = await store.work.begin(...args)
      storedActions += 1
      return begun
    },
  }
  const process = createSimulatedProcess({
    ...{ store: { ...store, work }, workspaceId: WORKSPACE, fakes, now, databaseNow: now },
    onError: (error) => void errors.push(error),
  })

  /** Lets other processes take over what a killed one left behind. */
  async function settle(): Promise<void> {
    for (const ms of [0, LEASE_MS + 1000, SETTLE_MS + LEASE_MS + 1000]) {
      clock.now += ms
      await process.runDueWork()
    }
  }

  /** Takes an action. If the process was killed before it stored the action, takes it again. */
  async function act(userId: string, action: PersonAction): Promise<void> {
    const before = storedActions
    await process.performAction(userId, action)
    await settle()
    if (storedActions > before) return
    await process.performAction(userId, action)
    await settle()
  }

  async function find(number: number): Promise<Order> {
    const order = await orders.find(WORKSPACE, number)
    if (!order) throw new Error(`There is no order ${number}.`)
    return order
  }

  let lastNumber = 0
  /** Requests an order, approves it, and records its certificate. */
  async function order(
    reference: string,
    key: string,
    renews?: string,
  ): Promise<{ number: number; sha256: string; wasUnknown: boolean }> {
    await act('U1', {
      ...{ kind: 'request', orderReference: reference, key },
      ...(renews && { certificateId: renews }),
    })
    lastNumber += 1
    const number = lastNumber
    await act('U2', { kind: 'approve', number, hash: (await find(number)).bodyHash })
    const { state } = await find(number)
    expect(['received', 'unknown'], reference).toContain(state)
    const sha256 = createHash('sha256').update(key).digest('hex')
    const certificate = {
      ...{ sha256, keyHash: key, serial: '1', issuer: 'CN=Test', subject: '', pem: '', isChecked: false },
      names: [toHost(reference)],
      notBefore: now().toISOString(),
      notAfter: new Date(clock.now + LIFETIME_MS).toISOString(),
    }
    await act('U1', { kind: 'record', certificate, serviceId: key })
    if (state === 'unknown') await act('U2', { kind: 'attach', sha256, number })
    return { number, sha256, wasUnknown: state === 'unknown' }
  }

  const read = async (sha256: string) =>
    await store.certificates.find({ workspaceId: WORKSPACE, environment: 'production' }, sha256)

  return {
    errors,
    /** Returns whether the process was killed, and how many calls the flow made if it wasn't. */
    async run(death: Death): Promise<{ wasKilled: boolean; calls: number }> {
      const reference = `PO ${death.afterCalls} ${death.isBefore}`
      const host = toHost(reference)
      sent.length = 0
      told.length = 0
      const planned = { ...death }
      process.crashAt(planned)
      const first = await order(reference, `${reference} first`)
      for (const daysLeft of [3, 1]) {
        clock.now = ((await read(first.sha256))?.notAfter.getTime() ?? 0) - daysLeft * DAY_MS
        await settle()
      }
      const second = await order(reference, `${reference} second`, `${reference} first`)
      clock.now += 2 * DAY_MS
      await settle()
      const results = [first, second]
      const wasKilled = !process.isCrashPlanned()
      const callsLeft = process.callsLeft()
      process.cancelCrash()
      const count = (wanted: string): number => sent.filter(({ action }) => action === wanted).length
      const flow = {
        sentTwice: ACTIONS.filter((action) => count(action) > 1),
        // One of unknown outcome may not have been sent, because the process was killed right before.
        notSent: ACTIONS.filter((action, index) => count(action) === 0 && !results[index]?.wasUnknown),
        orders: [(await find(first.number)).state, (await find(second.number)).state],
        first: await describeCertificate(first.sha256, await find(first.number)),
        second: await describeCertificate(second.sha256, await find(second.number)),
        reminders: told
          .filter((text) => text.includes(`⏰ The certificate for ${host}`))
          .map((text) => text.slice(0, 2)),
        toldTwice: told.filter((text, index) => told.indexOf(text) !== index && !text.includes('⏰')),
      }
      expect(flow, JSON.stringify(death)).toEqual({
        sentTwice: [],
        notSent: [],
        orders: ['received', 'received'],
        first: 'of its order, replaced',
        second: 'of its order, current',
        // The first one only to the owner.
        reminders: ['U1', 'U1', 'U2', 'U3'],
        toldTwice: [],
      })
      // Its reminders would be calls of the next flow.
      const last = await read(second.sha256)
      if (last) await store.certificates.update({ ...last, ended: 'not-needed' })
      return { wasKilled, calls: death.afterCalls - callsLeft }
    },
    async findUnsettledIntents(): Promise<string[]> {
      const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1_000_000 })
      const settled = new Set(
        rows.filter(({ outcome }) => outcome !== 'begun').map((row) => `${row.reference} ${row.verb}`),
      )
      return rows
        .filter(({ outcome }) => outcome === 'begun')
        .map((row) => `${row.reference} ${row.verb}`)
        .filter((intent) => !settled.has(intent))
    },
    [Symbol.dispose]: () => process.crash(),
  }

  async function describeCertificate(sha256: string, { id }: Order): Promise<string> {
    const certificate = await read(sha256)
    if (!certificate) return 'not recorded'
    return `of ${certificate.orderId === id ? 'its' : 'no'} order, ${certificate.ended ?? 'current'}`
  }
}

/** The host that `exampleRequest` requests. */
const toHost = (reference: string): string =>
  `${reference.toLowerCase().replace(/[^a-z\d]+/g, '-')}.example.com`

/** More calls than the flow makes. */
const NEVER: Death = { afterCalls: 100_000, isBefore: true }

describe.each(eitherOf(SHARED_DATABASES))(
  'from the order to the next certificate, on $name',
  ({ name, start }) => {
    it(`everything is done once, whenever the process is killed (seed ${SEED})`, {
      timeout: 3_600_000,
    }, async () => {
      await using database = await start()
      const clock = { now: Date.parse('2026-11-25T12:00:00.000Z') }
      const now = (): Date => new Date(clock.now)
      await using store = await openStore({ ...database, now, clock: now })
      using flows = await startFlows(store, clock)
      const { calls } = await flows.run(NEVER)
      const random = createRandom(SEED)
      let kills = 0
      for (let afterCalls = random.below(EVERY); afterCalls < calls; afterCalls += EVERY)
        for (const isBefore of EVERY === 1 ? [true, false] : [random.below(2) === 0])
          if ((await flows.run({ afterCalls, isBefore })).wasKilled) kills += 1
      process.stdout.write(`${kills} kills at ${calls} calls on ${name}, SEED=${SEED}\n`)
      expect(kills).toBeGreaterThan(calls / EVERY / 2)
      expect(flows.errors).toEqual([])
      expect(await flows.findUnsettledIntents()).toEqual([])
    })
  },
)

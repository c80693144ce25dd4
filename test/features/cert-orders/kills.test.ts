import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Sandbox, startSandbox } from '@signalman/sandbox/src/index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { createService } from '../../../src/service/service.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { killAfterTest } from '../../process.ts'
import { bundleProgram } from '../../program.ts'
import { readSeed } from '../../random.ts'
import { createSandboxControl, type Fault } from '../../sandbox-control.ts'
import { CHILD_TIMES, createRecordingSlack, startOrderProcess, WORKSPACE } from './order-process.ts'

/** The number of SIGKILLs on each database, at random times between the acknowledged request and the sent order. */
const KILLS = quickOrLong('ORDER_KILLS', { quick: 2, long: 400 })
const SEED = readSeed()
/** The longest time from the stored request to the kill. Longer than the approval and the POST take. */
const MAX_KILL_DELAY_MS: Readonly<Record<string, number>> = { 'a SQLite file': 120, PostgreSQL: 300 }

const POST = { method: 'POST', path: '/ssl/v2/orders' }
/** In turn: no fault, a slow answer, a lost answer, and a connection that is reset before the order is stored. */
const SERVICE_FAULTS: readonly Fault[][] = [
  [],
  [{ ...POST, kind: 'delay', ms: 25 }],
  [{ ...POST, kind: 'drop-reply' }],
  [{ ...POST, kind: 'reset', ms: 10 }],
]

/**
 * Requests and approves an order in a separate process, and kills that process `killDelayMs` after it stored the request. Returns the
 * steps that the process reported as stored.
 */
async function runUntilKilled(
  sandbox: Sandbox,
  { url, keys }: TestDatabase,
  reference: string,
  killDelayMs: number,
): Promise<string[]> {
  const program = bundleProgram(join(import.meta.dirname, 'order-child.ts'))
  const args = [url, keys, sandbox.productionUrl, sandbox.token, reference]
  const child = killAfterTest(
    spawn(process.execPath, [...program.args, ...args], {
      env: { ...process.env, ...program.env },
    }),
  )
  const exited = once(child, 'exit')
  let errorOutput = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput += text
  })
  const output: string[] = []
  let timer: NodeJS.Timeout | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line)
    timer ??= setTimeout(() => child.kill('SIGKILL'), killDelayMs)
  }
  await exited
  clearTimeout(timer)
  if (output.length === 0) throw new Error(`The child did not start: ${errorOutput}`)
  return output
}

const readReference = (body: unknown): string | undefined =>
  // Cast: the child sends this body.
  (body as { data: { attributes: { order_reference?: string } } }).data.attributes.order_reference

describe.each(eitherOf(SHARED_DATABASES))('orders on $name', ({ name, start }) => {
  it(`keeps every acknowledged step and never sends an order twice across ${KILLS} kills (seed ${SEED})`, {
    timeout: 90_000 + KILLS * 4500,
  }, async () => {
    await using database = await start()
    await using sandbox = await startSandbox({ seed: false, checking: false })
    const service = createSandboxControl(sandbox)
    const killDelaysMs = fc.sample(fc.nat(MAX_KILL_DELAY_MS[name]), { seed: SEED, numRuns: KILLS })
    const approved = new Set<string>()
    for (const [kill, killDelayMs] of killDelaysMs.entries()) {
      await service.faults(...(SERVICE_FAULTS[(kill + SEED) % SERVICE_FAULTS.length] ?? []))
      const output = await runUntilKilled(sandbox, database, `PO ${kill}`, killDelayMs)
      if (output.includes('approved')) approved.add(`PO ${kill}`)
    }
    await service.faults()

    // A new process completes the orders of the killed ones.
    await using store = await openStore(database)
    await using client = createService({
      baseUrls: { production: sandbox.productionUrl, ote: sandbox.oteUrl },
    })
    const api = client.with({ environment: 'production', token: sandbox.token })
    const { poster } = createRecordingSlack()
    const fakes = { api, poster, roles: new Set(['U2']) }
    await using lastProcess = startOrderProcess({ store, fakes, times: CHILD_TIMES })
    const { orders: repository, engine } = lastProcess
    const listOrders = (): Promise<Order[]> => repository.list({ workspaceId: WORKSPACE, limit: 1000 })
    // Whether any process has notified the requester of the last step.
    const isNotified = ({ cards, version }: Order): boolean =>
      cards.some(
        (card) => card.key === `step ${version}` || (card.key === 'mine' && card.version === version),
      )
    engine.wake()
    await using raw = await openDatabase(database.url)
    // What a person asked for may also wait for its next try, while nothing runs and no order exists yet.
    const listUnfinishedActs = (...states: ('waiting' | 'stopped')[]) =>
      raw.rows
        .selectFrom('work')
        .select(['state', 'attempts'])
        .where('kind', '=', 'act')
        .where('state', 'in', states)
        .execute()
    const countUnfinished = async () =>
      (await listOrders()).filter((order) => !isNotified(order)).length +
      (await store.work.listLeases()).length +
      (await listUnfinishedActs('waiting')).length
    await expect.poll(countUnfinished, { interval: 500, timeout: 30_000 + KILLS * 500 }).toBe(0)

    expect(await listUnfinishedActs('stopped')).toEqual([])
    const sent = (await service.orders()).map(({ body }) => readReference(body))
    expect(sent.length).toBe(new Set(sent).size)
    const orders = await listOrders()
    const ordersByReference = new Map(orders.map((order) => [order.content.request.orderReference, order]))
    // Every acknowledged request is exactly one order, and every acknowledged approval was applied.
    expect([ordersByReference.size, orders.length]).toEqual([KILLS, KILLS])
    for (const reference of approved)
      expect(ordersByReference.get(reference)?.content.approval?.by).toBe('U2')
    // An order that reached the service must be received or unknown. One that didn’t must never be received.
    for (const reference of sent)
      expect(['received', 'unknown']).toContain(ordersByReference.get(reference)?.state)
    for (const { state, content } of orders) {
      if (state === 'received') expect(sent).toContain(content.request.orderReference)
      expect(state).not.toBe('submitting')
    }
    const [received, unknown, waiting] = ['received', 'unknown', 'awaiting'].map(
      (state) => orders.filter((order) => order.state === state).length,
    )
    process.stdout.write(
      `${KILLS} kills on ${name}, SEED=${SEED}: ${approved.size} after the approval was stored, ${sent.length} sent; ${received} received, ${unknown} unknown, ${waiting} waiting\n`,
    )
    const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 20 * KILLS })
    const settled = new Set(
      rows.filter(({ outcome }) => outcome !== 'begun').map((row) => `${row.reference} ${row.verb}`),
    )
    const orderRows = rows.filter(({ verb }) => verb !== 'test.roles')
    const begun = orderRows
      .filter(({ outcome }) => outcome === 'begun')
      .map((row) => `${row.reference} ${row.verb}`)
    expect(begun.filter((intent) => !settled.has(intent))).toEqual([])
  })
})

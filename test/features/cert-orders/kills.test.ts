import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Sandbox, startSandbox } from '@signalman/sandbox'
import { expect, it } from 'vitest'
import { FINAL } from '../../../src/features/cert-orders/order.ts'
import { certOrderParts } from '../../../src/features/cert-orders/parts.ts'
import { openStore } from '../../../src/store/store.ts'
import { createSandboxControl, type Fault } from '../../sandbox-control.ts'
import { KEY_A, makeFolder } from '../../store/databases.ts'
import { peopleOf, WORKSPACE } from './kills.ts'

/** SIGKILLs around the POST; 200 are sent with ORDER_KILLS=200. */
const KILLS = Number(process.env.ORDER_KILLS ?? 10)
/** An approval takes less, the POST included. */
const LATEST_MS = 60

const POST = { method: 'POST', path: '/ssl/v2/orders' }
/** The service commits and answers, commits slowly, commits and is not heard, or cuts before it commits. */
const SERVICE: readonly Fault[][] = [
  [],
  [{ ...POST, kind: 'delay', ms: 25 }],
  [{ ...POST, kind: 'drop-reply' }],
  [{ ...POST, kind: 'reset', ms: 10 }],
]

/** Asks and approves in a process of its own, which is killed some time after it has asked. */
async function killedWhileApproving(sandbox: Sandbox, url: string, reference: string): Promise<void> {
  const script = join(import.meta.dirname, 'order-child.ts')
  const args = [url, KEY_A, sandbox.productionUrl, sandbox.token, reference]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args])
  const exited = once(child, 'exit')
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const asked = await lines.next()
  if (asked.done) throw new Error(`The child did not start: ${complaint}`)
  const timer = setTimeout(() => child.kill('SIGKILL'), randomInt(LATEST_MS))
  await exited
  clearTimeout(timer)
}

const referenceOf = (body: unknown): string | undefined =>
  // As the child sent it.
  (body as { data: { attributes: { order_reference?: string } } }).data.attributes.order_reference

it(`places no order twice and loses sight of none, killed ${KILLS} times around the POST`, {
  timeout: 30_000 + KILLS * 3000,
}, async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'kills.db')}`
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const service = createSandboxControl(sandbox)
  for (let kill = 0; kill < KILLS; kill += 1) {
    await service.faults(...(SERVICE[kill % SERVICE.length] ?? []))
    await killedWhileApproving(sandbox, url, `PO ${kill}`)
  }
  // What the last requests began, the service may still be at.
  await service.faults()
  // What a killed process had sent may still be on its way into the service.
  let counted = -1
  await expect
    .poll(async () => {
      const before = counted
      counted = (await service.orders()).length
      return counted === before
    })
    .toBe(true)
  const ledger = (await service.orders()).map(({ body }) => referenceOf(body))
  expect(ledger.length).toBe(new Set(ledger).size)

  // Those killed before their lease was over are given up once it is, by whichever process starts then.
  await using store = await openStore({ url, keys: KEY_A })
  const told: string[] = []
  const afterTheLease = () => new Date(Date.now() + 10 * 60_000)
  const { routes, start } = certOrderParts({ store, ...peopleOf(told), now: afterTheLease })
  await using keeping = start()
  await keeping.keep()
  await keeping.keep()
  const orders = await routes.ledger.list({ workspaceId: WORKSPACE, limit: 1000 })
  const seen = new Map(orders.map((order) => [order.content.request.orderReference, order]))
  expect(seen.size).toBe(KILLS)
  // What the service has is placed or unknown here; what it has not is never said to be placed.
  for (const reference of ledger) expect(['placed', 'unknown']).toContain(seen.get(reference)?.state)
  for (const { state, content, number } of orders) {
    if (state === 'placed') expect(ledger).toContain(content.request.orderReference)
    if (state === 'unknown') expect(told.join('\n')).toContain(`Order ${number}`)
    if (!FINAL.has(state)) expect(['awaiting', 'unknown']).toContain(state)
  }
  expect(await store.orders.untold(afterTheLease(), 1000)).toEqual([])
  // And nothing is sent by itself afterwards.
  expect(await service.orders()).toHaveLength(ledger.length)
})

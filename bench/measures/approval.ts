import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import { readText } from '@signalman/playground/driver'
import { makeCsr } from '../../test/features/cert-orders/csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  modalShows,
  ORDERS_PATH,
  requestOrder,
  setPolicy,
} from '../../test/features/cert-orders/order-helpers.ts'
import { startWorld, type World } from '../../test/world.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { median } from '../parts/numbers.ts'

const COMMANDS_PER_SECOND = 100

/** Measures the time from an approver's press to the request that places the order, while others send commands. */
export const approval: Benchmark = {
  name: 'approval',
  question: 'How soon does the service get an order after its approval?',
  async answer({ progress, size }) {
    await using folder = await makeFolder()
    await using world = await startWorld({
      checks: Array.from({ length: 15 }, (_, index) => ({ name: `web-${index}` })),
      environment: { DATABASE_URL: `sqlite:${folder.file('signalman.db')}`, LOG_LEVEL: 'info' },
    })
    await setPolicy(world, { channelId: APPROVALS_CHANNEL })
    const delays: number[] = []
    for (let round = -1; round < size(15, 1); round += 1) {
      progress(round < 0 ? 'warming up' : `order ${round + 1}`)
      const delay = await measureApproval(world, `shop-${round + 1}.example.com`)
      if (round >= 0) delays.push(delay)
    }
    return [
      {
        goal: 'Median time from an approver’s press to the order’s POST, beside 100 commands per second',
        atMost: 100,
        reached: median(delays),
        unit: 'ms',
      },
    ]
  },
}

async function measureApproval(world: World, name: string): Promise<number> {
  const { member, admin } = world.slack
  await requestOrder(member, { csr: makeCsr({ names: [name] }) })
  await admin.see(name)
  const card = (await admin.messages()).findLast((message) => readText(message).includes(name))
  await admin.click(card, 'Review and approve')
  let postedAt = Number.NaN
  // https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
  const onRequest = (message: unknown): void => {
    const { request } = message as { request: { method: string; path: string } }
    if (request.method === 'POST' && request.path.endsWith(ORDERS_PATH)) postedAt = performance.now()
  }
  const load = new AbortController()
  const commands = sendCommands(world, load.signal)
  subscribe('undici:request:create', onRequest)
  try {
    // Until the commands come at their rate.
    await pause(500)
    const pressedAt = performance.now()
    await admin.submit({}, { until: modalShows('was received') })
    return postedAt - pressedAt
  } finally {
    unsubscribe('undici:request:create', onRequest)
    load.abort()
    await commands
    await admin.close({ all: true })
  }
}

/** Sends the requester's commands, and waits for their answers. */
async function sendCommands({ slack }: World, signal: AbortSignal): Promise<void> {
  const sent: Promise<unknown>[] = []
  while (!signal.aborted) {
    sent.push(slack.member.command('/hc', 'list'))
    await pause(1000 / COMMANDS_PER_SECOND)
  }
  await Promise.all(sent)
}

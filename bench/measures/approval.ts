import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import { makeCsr } from '../../test/features/cert-orders/csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  modalShows,
  ORDERS_PATH,
  setPolicy,
} from '../../test/features/cert-orders/order-helpers.ts'
import { startWorld, type World } from '../../test/world.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { median } from '../parts/numbers.ts'

const COMMANDS_PER_SECOND = 100

/** Measures the time from an approver's press to the request that places the order, while others send commands. */
export async function measureApprovals({ progress, size }: RunOptions): Promise<readonly Goal[]> {
  await using folder = await makeFolder()
  await using world = await startWorld({
    checks: Array.from({ length: 15 }, (_, index) => ({ name: `web-${index}` })),
    environment: { DATABASE_URL: `sqlite:${folder.file('signalman.db')}`, LOG_LEVEL: 'info' },
  })
  await setPolicy(world, { channelId: APPROVALS_CHANNEL })
  const delays: number[] = []
  for (let round = -1; round < size(15, 1); round += 1) {
    progress(round < 0 ? 'warming up' : `order ${round + 1}`)
    const delay = await measureApproval(world, round + 2)
    if (round >= 0) delays.push(delay)
  }
  return [
    {
      goal: 'Median time from an approver’s press to the order’s POST, beside 100 commands per second',
      atMost: 25,
      reached: median(delays),
      unit: 'ms',
    },
  ]
}

async function measureApproval(world: World, number: number): Promise<number> {
  const { member, admin } = world.slack
  await addOrder(world, member, makeCsr({ names: [`shop-${number}.example.com`] }))
  await admin.command('/cert-order', `approve ${number}`, { until: modalShows(`Approve order ${number}`) })
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

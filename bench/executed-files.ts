// Compares the files that run on the way of a request with those in the tables of docs/architecture.md.
// Usage: node bin/node.cjs bench/executed-files.ts
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readText } from '@signalman/playground/driver'
import { makeCsr } from '../test/features/cert-orders/csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  modalShows,
  requestOrder,
  setPolicy,
} from '../test/features/cert-orders/order-helpers.ts'
import { startWorld, WORKSPACE, type World } from '../test/world.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OWN_SOURCES = /^(src|packages\/(slack|durable|runtime)\/src)\//

/** Returns the app's own files of which a function runs during `work`. */
async function recordExecutedFiles(session: Session, work: () => Promise<unknown>): Promise<string[]> {
  // Resets the counts.
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  // Only a module body starts at offset 0.
  const executed = result.filter(({ functions }) =>
    functions.some(({ ranges: [range] }) => range?.count && range.startOffset !== 0),
  )
  const files = executed.map(({ url }) =>
    url.startsWith('file:') ? fileURLToPath(url).slice(ROOT.length) : '',
  )
  return files.filter((file) => OWN_SOURCES.test(file)).sort()
}

/** The app is still busy for a few milliseconds after it sends the last message. */
const WORK_END_MS = 200
/** By then, the audit rows of a request are copied to the app's log, which would count for the next one. */
const AUDIT_COPY_MS = 700

/** Warms up a request, and returns the work to measure. */
type Scenario = (world: World) => Promise<() => Promise<unknown>>

const POLL = 'watch poll → card'

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  '/hc list → its answer': async (world) => {
    const listChecks = () => world.slack.member.command('/hc', 'list')
    await listChecks()
    await listChecks()
    return listChecks
  },
  'press Edit → window → saved': async (world) => {
    const { member } = world.slack
    const edit = async (name: string): Promise<() => Promise<unknown>> => {
      const { message } = await member.command('/hc', `show ${name}`)
      return async () => {
        await member.click(message, 'Edit', { until: 'Edit health check' })
        await member.submit({ Port: '8443' }, { until: 'Saved' })
        await member.close({ all: true })
        await setTimeout(WORK_END_MS)
      }
    }
    const warmUp = await edit('web-1')
    await warmUp()
    return edit('web-2')
  },
  [POLL]: async (world) => {
    const { member } = world.slack
    const causeOutage = async (name: string): Promise<void> => {
      const [check] = await world.service.checksNamed(name)
      await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
      await member.see(`${name} is down`)
    }
    // The outages would share a card in one channel.
    await member.command('/hc', 'watch web-1', { channel: 'operations' })
    await member.command('/hc', 'watch web-2')
    // A check that is down before the first poll isn't reported.
    const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
    while (!(await world.app.store.watching.history.findPoll(scope))?.polls) await setTimeout(20)
    await setTimeout(AUDIT_COPY_MS)
    await causeOutage('web-1')
    return () => causeOutage('web-2')
  },
  'order submitted → approved → sent': async (world) => {
    const { member, admin } = world.slack
    await setPolicy(world, { channelId: APPROVALS_CHANNEL })
    let ordered = 0
    const order = async (name: string): Promise<void> => {
      await requestOrder(member, { csr: makeCsr({ names: [name] }) })
      await admin.see(name)
      const card = (await admin.messages()).findLast((message) => readText(message).includes(name))
      await admin.click(card, 'Review and approve')
      await admin.submit({}, { until: modalShows('was received') })
      await admin.close({ all: true })
      ordered += 1
      await member.until('the reply in the thread of the requester’s message', ({ messages }) => {
        const replies = Object.values(messages)
          .flat()
          .filter(({ ts, threadTs }) => threadTs !== null && threadTs !== ts)
        return replies.length === ordered
      })
      await setTimeout(WORK_END_MS)
    }
    await order('warm.example.com')
    return () => order('shop.example.com')
  },
}

/** The files in the tables of the architecture page: a folder, and the names of its files without `.ts`. */
function listFilesOfPage(): Set<string> {
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  const rows = page
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .join('\n')
  return new Set(
    [...rows.matchAll(/`([\w/-]+)`: ([\w/-]+(?:, [\w/-]+)*)/g)].flatMap(([, folder = '', names = '']) =>
      names.split(', ').map((name) => `${folder}/${name}.ts`),
    ),
  )
}

/** Long intervals, so that background work (polls, takeovers, and heartbeats) isn't counted. */
const QUIET = { pollMs: 60_000, leaseMs: 240_000, heartbeatMs: 60_000 }

const onPage = listFilesOfPage()
const run = new Set<string>()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
// Must come before the app starts: V8 doesn't record all functions that were compiled earlier.
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
for (const [name, prepare] of Object.entries(SCENARIOS)) {
  await using world = await startWorld({
    checks: ['web-1', 'web-2'].map((check) => ({ name: check, status: 'HEALTHY' })),
    workTimes: { ...QUIET, ...(name === POLL && { pollMs: 50 }) },
    watchEveryMs: name === POLL ? 250 : QUIET.pollMs,
  })
  await setTimeout(AUDIT_COPY_MS)
  const work = await prepare(world)
  const files = await recordExecutedFiles(session, async () => {
    await work()
    // The next poll isn't part of the card.
    await setTimeout(name === POLL ? 0 : AUDIT_COPY_MS)
  })
  process.stdout.write(`${name}: ${files.length} files\n`)
  for (const file of files) {
    run.add(file)
    if (!onPage.has(file)) process.stdout.write(`  not on the page: ${file}\n`)
  }
}
session.disconnect()
for (const file of onPage) if (!run.has(file)) process.stdout.write(`on the page, and not run: ${file}\n`)

// Counts the functions that run to handle a request, and their files: roughly the code that you read to follow the request.
// Usage: node bin/node.cjs bench/executed-functions.ts [--functions] [--missing]
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
import { serveCalls } from './parts/child.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OWN_SOURCES = /^(src|packages\/(slack|durable|runtime)\/src)\//

/** Returns the names of the app's own functions that run during `work`, by file. Leaves out module bodies. */
async function recordExecutedFunctions(
  session: Session,
  work: () => Promise<unknown>,
): Promise<Map<string, string[]>> {
  // Resets the counts.
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const byFile = new Map<string, string[]>()
  for (const { url, functions } of result) {
    const file = url.startsWith('file:') ? fileURLToPath(url).slice(ROOT.length) : ''
    if (!OWN_SOURCES.test(file)) continue
    // Only a module body starts at offset 0.
    const executed = functions.filter(({ ranges: [range] }) => range?.count && range.startOffset !== 0)
    const names = executed.map(({ functionName }) => functionName || '(no name)')
    if (names.length > 0) byFile.set(file, names)
  }
  return byFile
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
  return new Set(
    [...page.matchAll(/`([\w/-]+)`: ([\w/-]+(?:, [\w/-]+)*)/g)].flatMap(([, folder = '', names = '']) =>
      names.split(', ').map((name) => `${folder}/${name}.ts`),
    ),
  )
}

/** Long intervals, so that background work (polls, takeovers, and heartbeats) isn't counted. */
const QUIET = { pollMs: 60_000, leaseMs: 240_000, heartbeatMs: 60_000 }

/** How many functions run for a request, and in how many files. */
export interface Executed {
  functions: number
  files: number
}

async function countAll(report: (line: string) => void): Promise<Record<string, Executed>> {
  const onPage = listFilesOfPage()
  const counts: Record<string, Executed> = {}
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  // Must come before the app starts: V8 doesn't count all functions that were compiled earlier.
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  for (const [name, prepare] of Object.entries(SCENARIOS)) {
    await using world = await startWorld({
      checks: ['web-1', 'web-2'].map((check) => ({ name: check, status: 'HEALTHY' })),
      workTimes: { ...QUIET, ...(name === POLL && { pollMs: 50 }) },
      watchEveryMs: name === POLL ? 250 : QUIET.pollMs,
    })
    await setTimeout(AUDIT_COPY_MS)
    const work = await prepare(world)
    const byFile = await recordExecutedFunctions(session, async () => {
      await work()
      // The next poll isn't part of the card.
      await setTimeout(name === POLL ? 0 : AUDIT_COPY_MS)
    })
    const functions = [...byFile.values()].flat().length
    counts[name] = { functions, files: byFile.size }
    report(`${name}: ${functions} functions in ${byFile.size} files`)
    const files = [...byFile].sort()
    if (process.argv.includes('--functions'))
      for (const [file, names] of files) report(`  ${file}: ${names.length}: ${names.join(', ')}`)
    if (process.argv.includes('--missing'))
      for (const [file] of files.filter(([file]) => !onPage.has(file))) report(`  missing: ${file}`)
  }
  session.disconnect()
  return counts
}

if (process.send) serveCalls(async () => ({ ready: await countAll(() => undefined) }))
else await countAll((line) => process.stdout.write(`${line}\n`))

// Prints how many functions in how many files run during a request when everything is warm, which is how much code a reader has
// to follow. node bin/node.cjs bench/ways.ts [--functions]
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { readText } from '@signalman/playground/driver'
import { makeCsr } from '../test/features/cert-orders/csr/make-csr.ts'
import { APPROVALS, askFor, inView, setPolicy } from '../test/features/cert-orders/people.ts'
import { untilPolled } from '../test/features/watching/watched-world.ts'
import { startWorld, type World } from '../test/world.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OWN = /^(src|packages\/(slack|durable|runtime)\/src)\//

const UNNAMED = '(no name)'

/** The app's own functions that ran during this, by file, without module bodies. */
async function functionsIn(session: Session, work: () => Promise<unknown>): Promise<Map<string, string[]>> {
  // Discards everything that ran before.
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const byFile = new Map<string, string[]>()
  for (const { url, functions } of result) {
    const file = url.startsWith('file:') ? fileURLToPath(url).slice(ROOT.length) : ''
    if (!OWN.test(file)) continue
    const ran = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0 && whole?.startOffset !== 0)
    if (ran.length > 0)
      byFile.set(
        file,
        ran.map(({ functionName }) => functionName || UNNAMED),
      )
  }
  return byFile
}

/** Warms up a request, and returns what is then counted. */
type Way = (world: World) => Promise<() => Promise<unknown>>

const WAYS: Readonly<Record<string, Way>> = {
  '/hc list → its answer': async (world) => {
    const ask = () => world.slack.member.command('/hc', 'list')
    await ask()
    await ask()
    return ask
  },
  'watch poll → card': async (world) => {
    const { member } = world.slack
    const causeOutage = async (name: string): Promise<void> => {
      const [check] = await world.service.checksNamed(name)
      await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
      await member.see(`${name} is down`)
    }
    // Outages of one channel that start together share a card, so the warm-up uses its own channel.
    await member.command('/hc', 'watch web-1', { channel: 'dm' })
    await member.command('/hc', 'watch web-2')
    // A check that is down before the first poll isn't reported.
    await untilPolled(world)
    await causeOutage('web-1')
    return () => causeOutage('web-2')
  },
  'order submitted → approved → sent': async (world) => {
    const { member, admin } = world.slack
    await setPolicy(world, { channelId: APPROVALS })
    const order = async (name: string): Promise<void> => {
      await askFor(member, await makeCsr({ names: [{ type: 'dns', value: name }] }))
      await admin.see(name)
      const card = (await admin.messages()).findLast((message) => readText(message).includes(name))
      await admin.click(card, 'Review and approve')
      await admin.submit({}, { until: inView('is placed') })
      await admin.close({ all: true })
    }
    await order('warm.example.com')
    return () => order('shop.example.com')
  },
}

/** Background work runs rarely where a request has none, so that it isn't counted with it. */
const seldom = (name: string, often: number): number => (name.startsWith('/hc') ? 60_000 : often)

const session = new Session()
session.connect()
await session.post('Profiler.enable')
for (const [name, prepare] of Object.entries(WAYS)) {
  await using world = await startWorld({
    checks: ['web-1', 'web-2'].map((check) => ({ name: check, status: 'HEALTHY' })),
    workTimes: { pollMs: seldom(name, 50) },
    watchEveryMs: seldom(name, 250),
  })
  const way = await prepare(world)
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const byFile = await functionsIn(session, way)
  await session.post('Profiler.stopPreciseCoverage')
  const names = [...byFile.values()].flat()
  const named = names.filter((one) => one !== UNNAMED)
  process.stdout.write(
    `${name}: ${names.length} functions (${named.length} with a name) in ${byFile.size} files\n`,
  )
  if (process.argv.includes('--functions'))
    for (const [file, own] of [...byFile].sort())
      process.stdout.write(`  ${file}: ${own.length}: ${own.join(', ')}\n`)
}
session.disconnect()

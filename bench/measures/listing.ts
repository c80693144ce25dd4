import { type Load, startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import type { Benchmark, RunOptions, Table } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { compareSamples, medianScavengeMs } from '../parts/compare.ts'
import { type Folder, makeFolder } from '../parts/folder.ts'
import { measure, type Sample } from '../parts/measure.ts'
import { startServer } from '../parts/server.ts'

/** Eight concurrent commands from different workspaces, because commands of one workspace may share a request to the service. */
const PLAN = { request: { typed: 'list' }, connections: 8, untilAnswered: true }
/** The default page size. */
/** The app's own page size. The other servers list as many. */
const PAGE_SIZE = 15
/** The goal for the CPU time of a page of 15 ÷ the CPU time of the least code that does the same (`servers/minimal.ts`). */
const MAX_CPU_RATIO = 1.8

/** Measures a complete `/hc list` of 500 checks, from the signed request to the answer at its response_url. */
export const listing: Benchmark = {
  name: 'listing',
  question: 'What does a complete /hc list of 500 checks cost?',
  async answer(run) {
    await using running = new AsyncDisposableStack()
    const load = running.use(await startLoad())
    const folder = running.use(await makeFolder())
    run.progress(`page of ${PAGE_SIZE}, three servers in turn`)
    const samples = await measureCommands(run, load, folder)
    const { ratio } = compareSamples(samples)
    return {
      tables: [toTable(samples)],
      goals: [
        {
          goal: `CPU of /hc list, page of ${PAGE_SIZE} ÷ that of the minimal server`,
          bound: { atMost: MAX_CPU_RATIO },
          reached: ratio('cpuMicros', 'ours', 'minimal'),
        },
      ],
    }
  },
}

type Samples = Record<'minimal' | 'ours' | 'naive', Sample[]>

function toTable(samples: Samples): Table {
  const { ratio, median } = compareSamples(samples)
  const row = (title: string, name: keyof Samples) =>
    [
      title,
      ratio('cpuMicros', name, 'minimal'),
      ratio('cpuMicros', name, 'naive'),
      ratio('perSecond', name, 'minimal'),
      median('cpuMicros', name),
      medianScavengeMs(samples[name]),
    ] as const
  return {
    title: `A complete /hc list, page of ${PAGE_SIZE} of 500`,
    columns: ['CPU ÷ minimal', 'CPU ÷ naive', 'commands/s ÷ minimal', 'CPU µs each', 'scavenge ms'],
    rows: [row('minimal server', 'minimal'), row('Signalman', 'ours'), row('naive app', 'naive')],
  }
}

async function measureCommands({ size }: RunOptions, load: Load, folder: Folder): Promise<Samples> {
  await using running = new AsyncDisposableStack()
  const service = running.use(await startChild('servers/service.ts'))
  const databaseUrl = `sqlite:${folder.file('signalman.db')}`
  const ours = running.use(await startSignalman({ load, service, databaseUrl }))
  const singleRequest = {
    url: ours.url,
    request: PLAN.request,
    count: 1,
    connections: 1,
    untilAnswered: true,
  }
  const answer: unknown = JSON.parse((await load.run(singleRequest)).latest)
  const databaseFile = folder.file('naive.db')
  const settings = { serviceUrl: service.ready, pageSize: PAGE_SIZE, answer, databaseFile }
  const plan = { ...PLAN, count: size(1200, 16) }
  const samples = await measure(
    load,
    {
      minimal: { server: running.use(await startServer('minimal.ts', settings)), plan },
      ours: { server: ours, plan },
      naive: {
        server: running.use(await startServer('naive.ts', settings)),
        plan: { ...plan, count: plan.count / 2 },
      },
    },
    { warmUps: size(1, 0), rounds: size(7, 1), warmUpShare: 1 },
  )
  assertSameAnswers(samples)
  return samples
}

/** Throws if a server no longer posts the same answer as the app, which would make the comparison unfair. */
function assertSameAnswers(samples: Samples): void {
  const ours = readAnswer(samples.ours)
  for (const name of ['minimal', 'naive'] as const) {
    const theirs = readAnswer(samples[name])
    const hasSameContent = theirs.blocks.join() === ours.blocks.join() && theirs.text === ours.text
    const hasSimilarLength = Math.abs(theirs.length / ours.length - 1) < 0.05
    if (!hasSameContent || !hasSimilarLength)
      throw new Error(`bench/servers/${name}.ts no longer answers /hc list like the app.`)
  }
}

function readAnswer(samples: readonly Sample[]): { text: string; blocks: string[]; length: number } {
  const { latest = '' } = samples[0] ?? {}
  // Every server of this benchmark posts a Slack message.
  const message = JSON.parse(latest) as { text: string; blocks: { type: string }[] }
  // The timestamps differ between servers.
  const text = message.text.replaceAll(/<!date[^>]*>/g, '')
  return { text, blocks: message.blocks.map(({ type }) => type), length: latest.length }
}

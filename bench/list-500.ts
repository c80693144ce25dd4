import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLoad } from './load/start.ts'
import { startChild } from './parts/child.ts'
import { comparing, medianScavengeMs } from './parts/compare.ts'
import { measure, type Sample } from './parts/measure.ts'
import { ratio } from './parts/numbers.ts'
import type { Findings, Question, Table } from './parts/question.ts'
import { startServer } from './parts/server.ts'
import type { Reading } from './servers/validating.ts'

/**
 * Eight commands in flight, each of another workspace, so that no two share a request to the service. By name, which is one
 * request to the service; worst first, it is five.
 */
const PLAN = { text: 'list --sort name', connections: 8, whole: true }
/** The page that is shown, and the whole account in one page. */
const SIZES = [15, 500] as const

/** What a whole `/hc list` over 500 checks costs, from the signed request to the answer at its response_url. */
export const list500: Question = {
  name: 'list-500',
  asks: 'What does a whole /hc list over 500 checks cost?',
  async answer(progress) {
    progress('pages of 500 read')
    const reading = await readings()
    const tables: Table[] = [reading.table]
    const goals = [...reading.goals]
    for (const size of SIZES) {
      progress(`whole commands, page of ${size}, three servers in turn`)
      const samples = await wholeCommands(size)
      const { ratio, median } = comparing(samples)
      const row = (title: string, name: keyof typeof samples) =>
        [
          title,
          ratio('cpuMicros', name, 'limit'),
          ratio('cpuMicros', name, 'naive'),
          ratio('perSecond', name, 'limit'),
          median('cpuMicros', name),
          medianScavengeMs(samples[name]),
        ] as const
      tables.push({
        title: `A whole /hc list, page of ${size} of 500`,
        columns: ['CPU ÷ limit', 'CPU ÷ naive', 'commands/s ÷ limit', 'CPU µs each', 'scavenge ms'],
        rows: [row('the limit', 'limit'), row('Signalman', 'ours'), row('naive app', 'naive')],
      })
      if (size !== 500) continue
      goals.push(
        {
          goal: 'CPU of a whole /hc list over 500 ÷ the limit',
          bound: { atMost: 1.4 },
          value: ratio('cpuMicros', 'ours', 'limit'),
        },
        {
          goal: 'CPU of a whole /hc list over 500 ÷ the naive app',
          bound: { atMost: 0.4 },
          value: ratio('cpuMicros', 'ours', 'naive'),
        },
      )
    }
    return { tables, goals }
  },
}

async function wholeCommands(pageSize: number) {
  const folder = await mkdtemp(join(tmpdir(), 'signalman-bench-'))
  try {
    await using running = new AsyncDisposableStack()
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const start = async (file: string) => {
      const databaseFile = join(folder, `${file}.db`)
      const settings = { serviceUrl: service.ready, sinkUrl: load.sinkUrl, databaseFile, pageSize }
      return running.use(await startServer(file, settings))
    }
    const plan = { ...PLAN, count: pageSize > 100 ? 400 : 1200 }
    const samples = await measure(
      load,
      {
        limit: { server: await start('limit.ts'), plan },
        ours: { server: await start('signalman.ts'), plan },
        naive: { server: await start('naive.ts'), plan: { ...plan, count: plan.count / 2 } },
      },
      { warmUps: 2, rounds: 7 },
    )
    requireAlike(samples)
    return samples
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Costs compare only when the same is done for them. Throws when a peer no longer answers what the app does. */
function requireAlike(samples: Record<'limit' | 'ours' | 'naive', Sample[]>): void {
  const ours = answerOf(samples.ours)
  for (const name of ['limit', 'naive'] as const) {
    const theirs = answerOf(samples[name])
    const isAlike = theirs.blocks.join() === ours.blocks.join() && theirs.text === ours.text
    if (!isAlike) throw new Error(`bench/servers/${name}.ts no longer answers /hc list as the app does.`)
  }
}

function answerOf(samples: readonly Sample[]): { text: string; blocks: string[] } {
  // Every server of this question posts a message of Slack's form.
  const message = JSON.parse(samples[0]?.latest ?? '') as { text: string; blocks: { type: string }[] }
  return { text: message.text, blocks: message.blocks.map(({ type }) => type) }
}

async function readings(): Promise<{ table: Table; goals: Findings['goals'] }> {
  await using child = await startChild('servers/validating.ts')
  const names: Reading[] = ['parsed', 'validated', 'validatedOneBad', 'naive']
  const series = new Map<Reading, number[]>(names.map((name) => [name, []]))
  for (let round = -2; round < 11; round += 1) {
    for (const name of names) {
      // `validating.ts` answers with microseconds.
      const micros = (await child.call('read', name)) as number
      if (round >= 0) series.get(name)?.push(micros)
    }
  }
  const toParsing = (name: Reading): number => ratio(series.get(name) ?? [], series.get('parsed') ?? [])
  return {
    table: {
      title: `Reading a page of 500 (${Math.round(Number(child.ready) / 1000)} KB)`,
      columns: ['CPU ÷ JSON.parse'],
      rows: [
        ['JSON.parse', 1],
        ['Signalman: parsed and validated', toParsing('validated')],
        ['the same with one bad row, which alone is lost', toParsing('validatedOneBad')],
        ['naive app: zod unions and transforms', toParsing('naive')],
      ],
    },
    goals: [
      { goal: 'Page of 500 validated ÷ JSON.parse', bound: { atMost: 1.3 }, value: toParsing('validated') },
    ],
  }
}

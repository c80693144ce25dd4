import { setTimeout as pause } from 'node:timers/promises'
import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import { checkRows } from '../parts/checks.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { median, ratio } from '../parts/numbers.ts'
import type { Question } from '../parts/question.ts'
import { tokenOf, workspacesOf } from '../parts/slack.ts'

const SERVICE_MS = 8000
const PER_SECOND = 20
/** The first workspace's service is slow, the second one is measured. */
const [SLOW, QUIET] = [0, 1]
/** After so long every command of the slow one has been answered, or given up. */
const OVER_MS = 25_000
const UUID = checkRows(1)[0]?.uuid ?? ''
/** What the quiet one asks for meanwhile. */
const TYPED = { reading: 'list', changing: `mute ${UUID} 30m` } as const

/** One process, one workspace whose service takes 8 s and which has asked it for much, and one beside it. */
export const fairness: Question = {
  name: 'fairness',
  asks: `What do 400 commands of ${SERVICE_MS / 1000} s of one workspace cost another one?`,
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const token = tokenOf(workspacesOf(1)[SLOW] ?? '')
    const service = running.use(
      await startChild('servers/service.ts', { slow: { token, delayMs: size(SERVICE_MS, 1000) } }),
    )
    const databaseUrl = `sqlite:${folder.file('signalman.db')}`
    const app = running.use(await startSignalman({ load, service, databaseUrl }, { operators: 2 }))

    /** The median time from a command of the quiet one to its answer. */
    async function answeredMs(typed: string): Promise<number> {
      const plan = { request: { typed }, only: QUIET, connections: 16, perSecond: PER_SECOND, whole: true }
      const { answeredMs, latest } = await load.run({ ...plan, url: app.url, count: size(80, 5) })
      if (/went wrong|This needs the role/.test(latest))
        throw new Error(`/hc ${typed} was answered: ${latest}`)
      return answeredMs
    }
    /** Each of them is acknowledged, and then asks the service for something else. */
    async function flood(): Promise<void> {
      const plan = { request: { typed: 'list slow-#*' }, only: SLOW, connections: 50 }
      await load.run({ ...plan, url: app.url, count: size(400, 20) })
    }
    const found = { reading: { alone: [], beside: [] }, changing: { alone: [], beside: [] } } as Record<
      keyof typeof TYPED,
      Record<'alone' | 'beside', number[]>
    >
    for (const typed of Object.values(TYPED)) await answeredMs(typed)
    for (let round = 0; round < size(3, 1); round += 1)
      for (const [name, { alone, beside }] of Object.entries(found)) {
        // Its keys are those of TYPED.
        const typed = TYPED[name as keyof typeof TYPED]
        progress(`/hc ${typed}, alone and beside the flood`)
        alone.push(await answeredMs(typed))
        await flood()
        beside.push(await answeredMs(typed))
        await pause(size(OVER_MS, 2000))
      }
    const row = (title: string, name: keyof typeof TYPED) =>
      [
        title,
        median(found[name].alone),
        median(found[name].beside),
        ratio(found[name].beside, found[name].alone),
      ] as const
    return {
      tables: [
        {
          title: `From a command to its answer, ${PER_SECOND} a second, in ms`,
          columns: ['alone', 'beside 400 of 8 s', 'ratio'],
          rows: [row('/hc list', 'reading'), row('/hc mute', 'changing')],
        },
      ],
      goals: [
        {
          goal: 'Median beside a workspace whose service takes 8 s ÷ alone: a reading',
          bound: { atMost: 2 },
          reached: ratio(found.reading.beside, found.reading.alone),
        },
        {
          goal: 'The same of a command that changes something',
          bound: { atMost: 2 },
          reached: ratio(found.changing.beside, found.changing.alone),
        },
      ],
    }
  },
}

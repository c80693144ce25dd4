import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { measure } from '../parts/measure.ts'
import { median, ratio } from '../parts/numbers.ts'
import type { Question } from '../parts/question.ts'

const MEGABYTE = 1024 * 1024

/** Whether it matters to one workspace how many others have installed the app. */
export const workspaces: Question = {
  name: 'workspaces',
  asks: 'What does a command cost with 10,000 workspaces, beside one?',
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const many = size(10_000, 50)
    const start = async (installed: number) => {
      progress(`${installed.toLocaleString('en')} installed`)
      const databaseUrl = `sqlite:${folder.file(`${installed}.db`)}`
      return running.use(await startSignalman({ load, service, databaseUrl }, { installed, connected: 1 }))
    }
    const one = await start(1)
    const all = await start(many)
    progress('/hc help from each workspace in turn')
    const plan = { request: { typed: 'help' }, count: many, connections: 20, whole: true }
    const samples = await measure(
      load,
      {
        one: { server: one, plan: { ...plan, workspaces: 1 } },
        all: { server: all, plan: { ...plan, workspaces: many } },
      },
      { warmUps: 1, rounds: size(5, 1) },
    )
    const cpu = (name: 'one' | 'all') => samples[name].map(({ cpuMicros }) => cpuMicros)
    const row = async (title: string, name: 'one' | 'all') =>
      [title, median(cpu(name)), (await { one, all }[name].end()).residentBytes / MEGABYTE] as const
    return {
      tables: [
        {
          title: '/hc help, installed by OAuth',
          columns: ['CPU µs each', 'MB afterwards'],
          rows: [
            await row('one workspace', 'one'),
            await row(`${many.toLocaleString('en')} workspaces, each in its turn`, 'all'),
          ],
        },
      ],
      goals: [
        {
          goal: 'CPU of a command with 10,000 workspaces ÷ with one',
          bound: { atMost: 1.15 },
          reached: ratio(cpu('all'), cpu('one')),
        },
      ],
    }
  },
}

import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import { checkRows } from '../parts/checks.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import type { Question } from '../parts/question.ts'

const SLACK_MS = 150
const SERVICE_MS = 100
const UUID = checkRows(1)[0]?.uuid ?? ''

/** What a person waits for beside Slack and the service, when those take their time. */
export const slowPeers: Question = {
  name: 'slow-peers',
  asks: `How much does the app add when Slack answers in ${SLACK_MS} ms and the service in ${SERVICE_MS} ms?`,
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts', { delayMs: SERVICE_MS }))
    const databaseUrl = `sqlite:${folder.file('signalman.db')}`
    const app = running.use(await startSignalman({ load, service, databaseUrl }))
    await load.slow(SLACK_MS)

    async function answeredMs(typed: string, strangers: boolean): Promise<number> {
      progress(`/hc ${typed}${strangers ? ', each of a stranger' : ''}`)
      const plan = { url: app.url, request: { typed }, connections: 1, whole: true, strangers, workspaces: 1 }
      // The first one is of somebody who is let in; for a minute it is known who that is.
      await load.run({ ...plan, count: 2 })
      return (await load.run({ ...plan, count: size(25, 3) })).answeredMs
    }
    const help = await answeredMs('help', true)
    const list = await answeredMs('list', false)
    const show = await answeredMs(`show ${UUID}`, false)
    const strangersList = await answeredMs('list', true)
    return {
      tables: [
        {
          title: `From the command to its answer: Slack takes ${SLACK_MS} ms, the service ${SERVICE_MS} ms`,
          columns: ['ms'],
          rows: [
            ['/hc help, a stranger', help],
            ['/hc list, somebody known', list],
            ['/hc show UUID, somebody known', show],
            ['/hc list, a stranger', strangersList],
          ],
        },
      ],
      goals: [
        {
          goal: 'Own time of /hc help for a stranger',
          bound: { atMost: 20 },
          reached: help - SLACK_MS,
          unit: 'ms',
        },
        { goal: '/hc list in service calls', bound: { atMost: 1.2 }, reached: list / SERVICE_MS },
        { goal: '/hc show UUID in service calls', bound: { atMost: 1.2 }, reached: show / SERVICE_MS },
      ],
    }
  },
}

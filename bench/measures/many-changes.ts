import { Pool } from 'undici'
import type { JournalEntry } from '../../test/sandbox-control.ts'
import { startWorld, type World } from '../../test/world.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { median, ratio } from '../parts/numbers.ts'

const REASON =
  'Each change is stored before it’s sent and after its answer, with its audit entry and under a lock of its health check.'

/** How long the service takes for each request. */
const ANSWER_MS = 50

/** How many changes a job sends at once. */
const CONCURRENCY = 5

/** Measures a change of 400 checks from the press of its button to the report, and the same requests without the app. */
export const manyChanges: Benchmark = {
  name: 'many-changes',
  question: 'What does a change of 400 health checks cost?',
  async answer({ progress, size }) {
    const count = size(400, 5)
    await using folder = await makeFolder()
    await using world = await startWorld({
      // Not HTTPS, whose server address would be compared with DNS.
      checks: Array.from({ length: count }, (_, index) => ({ name: `web-${index}`, protocol: 'TCP' })),
      environment: { DATABASE_URL: `sqlite:${folder.file('signalman.db')}`, LOG_LEVEL: 'info' },
      workTimes: { progressIntervalMs: 5000 },
    })
    await world.service.faults({ path: '/', kind: 'delay', ms: ANSWER_MS })
    const ms = { ours: [] as number[], alone: [] as number[] }
    for (let round = -1; round < size(3, 1); round += 1) {
      progress(round < 0 ? 'warming up' : `round ${round + 1}, the app and its requests alone in turn`)
      // A check that needs no change isn't written.
      const ours = await measureChange(world, count, 31 + round)
      const alone = await measureRequests(world, await world.service.requests())
      if (round < 0) continue
      ms.ours.push(ours)
      ms.alone.push(alone)
    }
    return {
      tables: [
        {
          title: `${count} health checks changed at a service that takes ${ANSWER_MS} ms`,
          columns: ['ms'],
          rows: [
            ['its requests alone, five at a time', median(ms.alone)],
            ['Signalman, to its report', median(ms.ours)],
          ],
        },
      ],
      goals: [
        {
          goal: 'Time of 400 changes ÷ their requests alone',
          bound: { atMost: 1.3 },
          reached: ratio(ms.ours, ms.alone),
          reason: REASON,
        },
      ],
    }
  },
}

async function measureChange({ slack, service }: World, count: number, frequency: number): Promise<number> {
  const { member } = slack
  const line = `edit web-* --frequency ${frequency}`
  const { message } = await member.command('/hc', line, { until: `change ${count}?` })
  await service.clearRequests()
  const startedAt = performance.now()
  await member.click(message, `Change ${count}`, { until: 'Started.' })
  await member.until('the report', ({ messages = {} }) =>
    Object.values(messages)
      .flat()
      .some(({ text }) => text.startsWith('Changed') && text.includes(`every ${frequency} s`)),
  )
  return performance.now() - startedAt
}

/** Sends the same requests again, as many at once as the app. */
async function measureRequests(world: World, requests: readonly JournalEntry[]): Promise<number> {
  const { productionUrl, token } = world.sandbox
  await using running = new AsyncDisposableStack()
  const pool = running.adopt(new Pool(productionUrl, { connections: CONCURRENCY }), (opened) =>
    opened.close(),
  )
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const remaining = requests.values()
  const sendRemaining = async () => {
    for (const { method, path, body } of remaining) {
      const request = { path, method: method as 'GET', headers }
      const answer = await pool.request({ ...request, ...(body != null && { body: JSON.stringify(body) }) })
      if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode}`)
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, sendRemaining))
  return performance.now() - startedAt
}

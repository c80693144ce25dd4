import { startWorld, type World } from '../../test/world.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { median } from '../parts/numbers.ts'

const REASON =
  'Each change is stored before it’s sent and after its answer, with its audit entry and under a lock of its health check. Five begin together, so each waits for the slowest.'

/** How long the service takes for each request. */
const ANSWER_MS = 50

/** How many changes a job sends at once. */
const CONCURRENCY = 5

/** Measures a change of 400 checks from the press of its button to the report, and the same requests without the app. */
export async function measureChanges({ size, progress }: RunOptions): Promise<readonly Goal[]> {
  const count = size(400, 5)
  await using folder = await makeFolder()
  await using world = await startWorld({
    // Not HTTPS, whose server address would be compared with DNS.
    checks: Array.from({ length: count }, (_, index) => ({ name: `web-${index}`, protocol: 'TCP' })),
    environment: { DATABASE_URL: `sqlite:${folder.file('signalman.db')}`, LOG_LEVEL: 'info' },
    workTimes: { progressIntervalMs: 5000 },
  })
  await world.service.faults({ path: '/', kind: 'delay', ms: ANSWER_MS })
  const ratios: number[] = []
  for (let round = size(-1, 0); round < size(3, 1); round += 1) {
    progress(round < 0 ? 'warming up' : `round ${round + 1}`)
    // A check that needs no change isn't written.
    const ms = await measureChange(world, count, 31 + round)
    const aloneMs = ((await world.service.requests()).length * ANSWER_MS) / CONCURRENCY
    if (round >= 0) ratios.push(ms / aloneMs)
  }
  return [
    {
      goal: `Time of 400 changes ÷ what a service that takes ${ANSWER_MS} ms needs for their requests, five at a time`,
      atMost: 1.2,
      reached: median(ratios),
      reason: REASON,
    },
  ]
}

async function measureChange({ slack, service }: World, count: number, frequency: number): Promise<number> {
  const { member } = slack
  const line = `edit web-* --frequency ${frequency}`
  const { message } = await member.command('/hc', line, { until: `change ${count}.` })
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

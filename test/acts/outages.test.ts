import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { halfOf, quickOrLong } from '../long.ts'
import { createRandom, readSeed } from '../random.ts'
import { submitAgain, UNTIL_FORM } from './act-kind.ts'
import { ACT_KINDS } from './act-kinds.ts'
import { actOnce, measureUndisturbedTimes } from './act-once.ts'
import { type BreakableDatabase, OUTAGES } from './database-outages.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { chooseMoment } from './disruptions.ts'

const OUTAGE_COUNT = quickOrLong('OUTAGES', { quick: 1, long: 20 })
const MAX_OUTAGE_MS = quickOrLong('OUTAGE_MS', { quick: 1500, long: 10_000 })
const SEED = readSeed()

describe.each(halfOf(OUTAGES))('Signalman on $name', ({ start }) => {
  const started = new AsyncDisposableStack()
  let database: BreakableDatabase
  let deployment: Deployment
  beforeAll(async () => {
    database = started.use(await start())
    deployment = started.use(await startDeployment(database.direct, { env: { DATABASE_URL: database.url } }))
    await Promise.all([deployment.start(), deployment.start()])
  })
  afterAll(() => started.disposeAsync())

  it(`loses no response of the service and reports no wrong outcome during ${OUTAGE_COUNT} database outages`, {
    timeout: 120_000 + OUTAGE_COUNT * (MAX_OUTAGE_MS + 40_000),
  }, async ({ task }) => {
    process.stdout.write(
      `${OUTAGE_COUNT} outages up to ${MAX_OUTAGE_MS} ms, ${task.suite?.name}, SEED=${SEED}\n`,
    )
    const random = createRandom(SEED)
    const kinds = Array.from({ length: OUTAGE_COUNT }, () => random.oneOf(ACT_KINDS))
    const times = await measureUndisturbedTimes(deployment, [...new Set(kinds)])
    const outcomeCounts = new Map<string, number>()
    const faults: string[] = []
    for (const [index, kind] of kinds.entries()) {
      const undisturbed = times.get(kind)
      if (!undisturbed) throw new Error(`${kind.name} was never timed.`)
      const outageMs = Math.floor(MAX_OUTAGE_MS * (0.5 + random.next() / 2))
      const moment = { ...chooseMoment(random, undisturbed), description: `database down for ${outageMs} ms` }
      const disruption = {
        ...moment,
        async cause() {
          const restore = database.makeUnavailable(deployment.pids)
          await pause(outageMs)
          restore()
          return {}
        },
      }
      // Half of the time, the service is slow, so that its response arrives during the outage.
      const fault = random.below(2) === 0 ? undefined : ({ kind: 'delay', ms: 150 } as const)
      const result = await actOnce(deployment, kind, `outage-${index}`, {
        disruption,
        fault,
        requiresKnownOutcome: true,
      })
      faults.push(...result.faults)
      for (const fault of result.faults) process.stdout.write(`${fault}\n`)
      outcomeCounts.set(result.outcome, (outcomeCounts.get(result.outcome) ?? 0) + 1)
    }
    process.stdout.write(`${JSON.stringify(Object.fromEntries(outcomeCounts))}\n`)
    expect(faults).toEqual([])
    expect(deployment.countExited()).toBe(0)
  })

  it('keeps a form open with everything typed if it can’t be stored, and accepts it once the database is back', async () => {
    const { member } = deployment.slack
    await deployment.service.faults()
    await deployment.service.clearRequests()
    const answers = { Name: 'typed', Target: 'typed.example.com', 'Customer ID': '7' }
    await member.command('/hc', 'create', UNTIL_FORM)
    const restore = database.makeUnavailable(deployment.pids)
    const refused = await member.submit(answers, { until: 'nothing was started' })
    expect(refused.outcome.ok).toBe(true)
    expect(await deployment.service.requests('POST')).toEqual([])
    restore()
    await deployment.waitUntilSettled()
    expect(await deployment.service.requests('POST')).toEqual([])
    const answer = await submitAgain(member)
    expect(answer.text).toContain('Created.')
    expect(answer.text).toContain('typed.example.com')
    expect(await deployment.service.requests('POST')).toHaveLength(1)
  })
})

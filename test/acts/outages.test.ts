import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyNthOf, quickOrLong } from '../long.ts'
import { createRandom } from '../random.ts'
import { submitAgain, UNTIL_FORM } from './act-kind.ts'
import { chooseKinds } from './act-kinds.ts'
import { actTogether } from './act-together.ts'
import { type BreakableDatabase, OUTAGES } from './database-outages.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { addPairs } from './people.ts'

const OUTAGE_COUNT = quickOrLong('OUTAGES', { quick: 1, long: 20 })
const MAX_OUTAGE_MS = quickOrLong('OUTAGE_MS', { quick: 1500, long: 10_000 })
const ACTS = quickOrLong('ACTS', { quick: 4, long: 8 })
/** The longest time from sending acts to the outage. */
const MAX_MOMENT_MS = 250

describe.each(everyNthOf(3, OUTAGES))('Signalman on $name', ({ start }) => {
  const started = new AsyncDisposableStack()
  let database: BreakableDatabase
  let deployment: Deployment
  beforeAll(async () => {
    database = started.use(await start())
    deployment = started.use(
      await startDeployment(database.direct, {
        // No process dies, so none may call unknown what another one is still storing, however busy the machine is.
        env: { DATABASE_URL: database.url, SETTLE_MS: '60000' },
      }),
    )
    await Promise.all([deployment.start(), deployment.start()])
  })
  afterAll(() => started.disposeAsync())

  it(`loses no response of the service and reports no wrong outcome during ${OUTAGE_COUNT} database outages`, async ({
    task,
  }) => {
    process.stdout.write(`${OUTAGE_COUNT} outages up to ${MAX_OUTAGE_MS} ms, ${task.suite?.name}\n`)
    const random = createRandom()
    const pairs = await addPairs(deployment, ACTS)
    const outcomeCounts = new Map<string, number>()
    const faults: string[] = []
    for (let outage = 0; outage < OUTAGE_COUNT; outage += 1) {
      const interrupt = async (sendNext: () => void) => {
        // Half of the time, the service is slow, so that its responses arrive during the outage.
        if (random.below(2) === 0)
          await deployment.service.faults({ path: '/', kind: 'delay', ms: 150, times: ACTS })
        for (let sent = 0; sent < ACTS / 2; sent += 1) sendNext()
        await pause(random.below(MAX_MOMENT_MS))
        const restore = database.makeUnavailable(deployment.pids)
        for (let sent = 0; sent < ACTS / 2; sent += 1) sendNext()
        await pause(MAX_OUTAGE_MS * (0.5 + random.next() / 2))
        restore()
        await deployment.service.faults()
      }
      const kinds = chooseKinds(random, ACTS)
      const name = `outage-${outage}x`
      const results = await actTogether(pairs, kinds, name, interrupt, { requiresKnownOutcomes: true })
      for (const result of results) {
        faults.push(...result.faults)
        for (const fault of result.faults) process.stdout.write(`${fault}\n`)
        outcomeCounts.set(result.outcome, (outcomeCounts.get(result.outcome) ?? 0) + 1)
      }
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
    expect(answer.text).toContain('Created 1')
    const typed = { name: 'typed', target: 'typed.example.com' }
    expect(await deployment.service.requests('POST')).toMatchObject([{ body: typed }])
  })
})

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { applyBulk } from '../../../../src/features/health-checks/bulk/preview.ts'
import { undoJob } from '../../../../src/features/health-checks/jobs/undo-job.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom } from '../../../random.ts'
import { FakeService } from './fake-service.ts'
import { openJobStore, PEOPLE, startProcesses } from './processes.ts'

const CHECKS = quickOrLong('MANY_CHECKS', { quick: 500, long: 10_000 })

/** Well above the measured 410 bytes per check for a plan of 10,000 checks, and 800 for one of 1,000. */
const MAX_BYTES_PER_CHECK = 3000

async function measureHeap(): Promise<number> {
  setFlagsFromString('--expose-gc')
  await runInNewContext('gc')({ execution: 'async', type: 'major' })
  return process.memoryUsage().heapUsed
}

const readProgress = (progress: readonly string[]): number[] =>
  progress.map((text) => Number(/: ([\d,]+) of/.exec(text)?.[1]?.replaceAll(',', '')))

it(`changes ${CHECKS} checks and undoes the change, shows progress, and uses little memory`, {
  timeout: 60_000 + CHECKS * 20,
}, async () => {
  await using store = await openJobStore()
  const service = new FakeService('set-only')
  service.addToken('token', 'A')
  for (let index = 0; index < CHECKS; index += 1)
    service.create('A', {
      ...{
        name: `web-${index}`,
        protocol: 'HTTP',
        target: `h${index}.example`,
        port: 80,
        frequency: 60,
        customerId: 1,
      },
      ...(index === 0 && { httpServerAddress: '192.0.2.7' }),
    })
  const { act, runJob } = startProcesses(store, {
    workspaceId: 'T1',
    random: createRandom(1),
    listShows: 'given',
    deaths: { left: 0 },
    api: async () => service.api('token'),
  })
  const request = parseBulk('edit', { values: { check: 'web-*' }, flags: { frequency: '30' } })
  await act(PEOPLE.starter, async (deps, context) => {
    const before = await measureHeap()
    const { digest, steps } = await planBulk(deps, context, request)
    const after = await measureHeap()
    expect(steps).toHaveLength(CHECKS)
    expect(after - before).toBeLessThan(CHECKS * MAX_BYTES_PER_CHECK)
    return applyBulk(deps, context, request, digest)
  })
  const report = await runJob()
  expect(report.text).toContain('health checks are now checked every 30 s')
  expect(service.all('A').filter(({ frequency }) => frequency === 30)).toHaveLength(CHECKS)
  const progress = readProgress(report.progress)
  expect(progress).toEqual(progress.toSorted((left, right) => left - right))
  expect(progress.length).toBeGreaterThan(CHECKS / 20)
  await act(PEOPLE.starter, (deps, context) => undoJob(deps, context, report.id, undefined))
  const undone = await runJob()
  expect(undone.text).toContain('Undone: Set frequency to 30 s')
  expect(service.all('A').filter(({ frequency }) => frequency === 60)).toHaveLength(CHECKS)
  expect(service.all('A').filter(({ configuredAddress }) => configuredAddress !== undefined)).toHaveLength(1)
  expect(new Set(service.journal.filter(({ op }) => op === 'update').map(({ uuid }) => uuid)).size).toBe(
    CHECKS,
  )
})

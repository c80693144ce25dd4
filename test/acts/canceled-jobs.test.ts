import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { halfOf } from '../long.ts'
import type { Fault } from '../sandbox-control.ts'
import { type Deployment, startDeployment, WORKSPACE } from './deployment.ts'
import { readAllTexts } from './verdicts.ts'

const CHECKS = '/healthcheck/v1/healthchecks/'
const CHANGES = 'health-checks.changes'

/** Moments at which a job that changes three checks is canceled and its process killed, with the expected result. */
const SCENARIOS: readonly {
  when: string
  faults: readonly Omit<Fault, 'path'>[]
  /** Kills the process after the service has received this many requests with the first fault's method. */
  requestsBeforeKill: number
  /** How many checks the service has changed in the end. */
  changedCount: number
  expectedText: RegExp
}[] = [
  {
    when: 'the checks are being read',
    faults: [{ method: 'GET', kind: 'hold' }],
    requestsBeforeKill: 1,
    changedCount: 0,
    expectedText: /^Stopped\. Changed 0 of 3 health checks\.\n.*\n+3 not started\./,
  },
  {
    when: 'the requests are under way, and the service carries them out afterwards',
    faults: [{ method: 'PUT', kind: 'hold' }],
    requestsBeforeKill: 3,
    changedCount: 3,
    expectedText: /^Changed 3 health checks\./,
  },
  {
    when: 'the service has carried out the requests, but its answers were lost',
    faults: [{ method: 'PUT', kind: 'drop-reply' }],
    requestsBeforeKill: 3,
    changedCount: 3,
    expectedText: /^Changed 3 health checks\./,
  },
  {
    when: 'the connections broke before the service did anything',
    faults: [{ method: 'PUT', kind: 'reset' }],
    requestsBeforeKill: 3,
    changedCount: 0,
    expectedText: /^Stopped\. Changed 0 of 3 health checks\.\n.*\n+3 not started\./,
  },
  {
    when: 'the service has carried out one request without an answer, and the other connections broke',
    faults: [
      { method: 'PUT', kind: 'drop-reply', times: 1 },
      { method: 'PUT', kind: 'reset' },
    ],
    requestsBeforeKill: 3,
    changedCount: 1,
    expectedText: /^Stopped\. Changed 1 of 3 health checks\.\n.*\n+2 not started\./,
  },
]

/** Runs a scenario. Returns the messages and modals that are new or changed since the job started. */
async function cancelJob(
  deployment: Deployment,
  name: string,
  { faults, requestsBeforeKill }: (typeof SCENARIOS)[number],
) {
  const { service, slack, store } = deployment
  for (const number of [1, 2, 3]) await service.addCheck({ name: `${name}-${number}` })
  const preview = await slack.member.command('/hc', `edit ${name}-* --frequency 30`, {
    until: 'Nothing has changed yet.',
  })
  await service.clearRequests()
  const checkPaths = (await service.checksNamed(`${name}-*`)).map(({ uuid }) => `${CHECKS}${uuid}`)
  await service.faults(
    ...faults.flatMap((fault) =>
      fault.times ? [{ ...fault, path: CHECKS }] : checkPaths.map((path) => ({ ...fault, path })),
    ),
  )
  const before = await readAllTexts(slack)
  await slack.member.click(preview.message, 'Change 3', { until: 'Started.' })
  const [job] = await store.work.listOpen(WORKSPACE, [CHANGES])
  const countReceived = async () =>
    (await service.requests(faults[0]?.method)).filter(({ path }) => checkPaths.includes(path)).length
  await expect.poll(countReceived, { interval: 2 }).toBeGreaterThanOrEqual(requestsBeforeKill)
  expect(await store.work.stop(WORKSPACE, job?.id ?? '')).toBe('asked')
  await deployment.kill('first')
  await service.faults()
  await deployment.start()
  await deployment.waitUntilSettled()
  return [...(await readAllTexts(slack))]
    .filter(([key, text]) => before.get(key) !== text)
    .map(([, text]) => text)
}

it('reports correctly what a canceled job did if its process was killed, and makes no further changes', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  // Starts only one process, so that this one runs the job.
  await deployment.start()
  for (const [index, scenario] of halfOf(SCENARIOS).entries()) {
    const name = `scenario-${index}`
    const newTexts = await cancelJob(deployment, name, scenario)
    const named = await deployment.service.checksNamed(`${name}-*`)
    const checks = await Promise.all(named.map(({ uuid }) => deployment.service.check(uuid)))
    const changed = checks.filter(({ frequency }) => Number(frequency) === 30)
    expect(changed.length, scenario.when).toBe(scenario.changedCount)
    expect(
      newTexts.filter((text) => scenario.expectedText.test(text)),
      scenario.when,
    ).toHaveLength(1)
    const putRequests = await deployment.service.requests('PUT')
    expect(putRequests.length, scenario.when).toBe(scenario.requestsBeforeKill === 1 ? 0 : 3)
  }
})

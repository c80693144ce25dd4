import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import type { Fault } from '../sandbox-control.ts'
import { type Deployment, startDeployment, WORKSPACE } from './deployment.ts'
import { readAllTexts } from './verdicts.ts'

const CHECKS = '/healthcheck/v1/healthchecks/'
const CHANGES = 'health-checks.changes'

/** When a job that changes three checks is canceled and its process killed, and the expected state and messages. */
const MOMENTS: readonly {
  when: string
  faults: readonly Omit<Fault, 'path'>[]
  /** The number of requests with the first fault's method that the service has received. */
  requests: number
  changed: number
  says: RegExp
}[] = [
  {
    when: 'the checks are being read',
    faults: [{ method: 'GET', kind: 'hold' }],
    requests: 1,
    changed: 0,
    says: /^Stopped: changed 0 of 3 health checks\.\n0 of 3 done, 3 not started\./,
  },
  {
    when: 'the requests are under way, and the service carries them out afterwards',
    faults: [{ method: 'PUT', kind: 'hold' }],
    requests: 3,
    changed: 3,
    says: /^3 health checks are now checked every 30 s\./,
  },
  {
    when: 'the service has carried out the requests, but its answers were lost',
    faults: [{ method: 'PUT', kind: 'drop-reply' }],
    requests: 3,
    changed: 3,
    says: /^3 health checks are now checked every 30 s\./,
  },
  {
    when: 'the connections broke before the service did anything',
    faults: [{ method: 'PUT', kind: 'reset' }],
    requests: 3,
    changed: 0,
    says: /^Stopped: changed 0 of 3 health checks\.\n0 of 3 done, 3 not started\./,
  },
  {
    when: 'the service has carried out one request without an answer, and the other connections broke',
    faults: [
      { method: 'PUT', kind: 'drop-reply', times: 1 },
      { method: 'PUT', kind: 'reset' },
    ],
    requests: 3,
    changed: 1,
    says: /^Stopped: changed 1 of 3 health checks\.\n1 of 3 done, 2 not started\./,
  },
]

/** Starts a job that changes three checks, cancels it, and kills its process at this moment. */
async function cancelJob(
  deployment: Deployment,
  name: string,
  { faults, requests }: (typeof MOMENTS)[number],
) {
  const { service, slack, store } = deployment
  for (const nth of [1, 2, 3]) await service.addCheck({ name: `${name}-${nth}` })
  const preview = await slack.member.command('/hc', `edit ${name}-* --frequency 30`, {
    until: 'Nothing has changed yet.',
  })
  await service.clearRequests()
  const details = (await service.checksNamed(`${name}-*`)).map(({ uuid }) => `${CHECKS}${uuid}`)
  await service.faults(
    ...faults.flatMap((fault) =>
      fault.times ? [{ ...fault, path: CHECKS }] : details.map((path) => ({ ...fault, path })),
    ),
  )
  const before = await readAllTexts(slack)
  await slack.member.click(preview.message, 'Change 3', { until: 'Started.' })
  const [job] = await store.work.listOpen(WORKSPACE, [CHANGES])
  const countReceived = async () =>
    (await service.requests(faults[0]?.method)).filter(({ path }) => details.includes(path)).length
  await expect.poll(countReceived, { interval: 2 }).toBeGreaterThanOrEqual(requests)
  expect(await store.work.stop(WORKSPACE, job?.id ?? '')).toBe('asked')
  await deployment.kill('first')
  await service.faults()
  await deployment.start()
  await deployment.waitUntilSettled()
  return [...(await readAllTexts(slack))]
    .filter(([place, text]) => before.get(place) !== text)
    .map(([, text]) => text)
}

it('reports correctly what a canceled job did if its process was killed, and makes no further changes', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  // The only process, so that it runs the job.
  await deployment.start()
  for (const [nth, moment] of MOMENTS.entries()) {
    const name = `moment-${nth}`
    const read = await cancelJob(deployment, name, moment)
    const named = await deployment.service.checksNamed(`${name}-*`)
    const now = await Promise.all(named.map(({ uuid }) => deployment.service.check(uuid)))
    const changed = now.filter(({ frequency }) => Number(frequency) === 30)
    expect(changed.length, moment.when).toBe(moment.changed)
    expect(
      read.filter((text) => moment.says.test(text)),
      moment.when,
    ).toHaveLength(1)
    const sent = await deployment.service.requests('PUT')
    expect(sent.length, moment.when).toBe(moment.requests === 1 ? 0 : 3)
  }
})

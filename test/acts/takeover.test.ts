import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, halfOf } from '../long.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { CHECK_ACTS } from './check-acts.ts'
import { startDeployment } from './deployment.ts'

it.each(eitherOf(SHARED_DATABASES))(
  'takes over a killed process’s command within 10 s with the default timeouts, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database, { script: 'src/cli/signalman.ts' })
    await Promise.all([deployment.start(), deployment.start()])
    const { member } = deployment.slack
    await member.command('/hc', 'create', UNTIL_FORM)
    // To offer the existing customers, the form requests the health checks.
    await expect.poll(() => deployment.service.requests('GET')).toHaveLength(1)
    await deployment.service.clearRequests()
    // The process is killed while it waits for this response. It hasn't changed anything yet, so another process can run the command right away.
    await deployment.service.faults({
      method: 'GET',
      path: '/healthcheck',
      kind: 'delay',
      ms: 15_000,
      times: 1,
    })
    await member.submit(
      { Name: 'api', Target: 'api.example.com', 'Customer ID': '1' },
      { until: 'Creating the health check' },
    )
    await expect.poll(() => deployment.service.requests('GET')).toHaveLength(1)
    await deployment.kill('first')
    const readViews = async () => JSON.stringify(await member.views())
    await expect.poll(readViews).toContain('Created.')
    expect(await deployment.service.checksNamed('api')).toHaveLength(1)
    expect(await deployment.service.requests('POST')).toHaveLength(1)
  },
)

const [sqlite] = SHARED_DATABASES as [(typeof SHARED_DATABASES)[number]]
const WINDOWS = halfOf(['create', 'edit', 'delete', 'add an alert', 'edit an alert', 'remove an alert'])

it('does what a window asked for, though the process died while it read before the request', async () => {
  await using database = await sqlite.start()
  await using deployment = await startDeployment(database, { script: 'src/cli/signalman.ts' })
  const effects: string[] = []
  await deployment.start()
  for (const [index, kind] of CHECK_ACTS.filter(({ name }) => WINDOWS.includes(name)).entries()) {
    await deployment.start()
    const act = await kind.prepare(deployment, `api-${index}`)
    await deployment.service.clearRequests()
    const path = '/healthcheck'
    await deployment.service.faults({ method: 'GET', path, kind: 'delay', ms: 15_000, times: 1 })
    await act.send()
    await expect.poll(() => deployment.service.requests('GET')).not.toHaveLength(0)
    await deployment.kill('first')
    const { member } = deployment.slack
    await expect.poll(async () => JSON.stringify(await member.views())).toMatch(act.donePattern)
    effects.push(`${kind.name}: ${await act.readEffect('')}`)
    await member.close({ all: true })
  }
  expect(effects).toEqual(WINDOWS.map((name) => `${name}: done`))
})

import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { startStage } from './stage.ts'

it.each(SHARED_DATABASES)(
  'takes over an act of a killed process within 10 s with the default times, on $name',
  async ({ start }) => {
    await using database = await start()
    await using stage = await startStage(database, { script: 'src/cli/signalman.ts' })
    await Promise.all([stage.start(), stage.start()])
    const { member } = stage.slack
    await member.command('/hc', 'create', UNTIL_FORM)
    // The window offers the customers of the service's checks.
    await expect.poll(() => stage.service.requests('GET')).toHaveLength(1)
    await stage.service.clearRequests()
    // The response is lost before the request is processed, so another process can safely run it immediately.
    await stage.service.faults({ method: 'GET', path: '/healthcheck', kind: 'delay', ms: 15_000, times: 1 })
    await member.submit(
      { Name: 'api', Target: 'api.example.com', 'Customer ID': '1' },
      { until: 'Creating the health check' },
    )
    await expect.poll(() => stage.service.requests('GET')).toHaveLength(1)
    await stage.kill('first')
    const readViews = async () => JSON.stringify(await member.views())
    await expect.poll(readViews).toContain('Created.')
    expect(await stage.service.checksNamed('api')).toHaveLength(1)
    expect(await stage.service.requests('POST')).toHaveLength(1)
  },
)

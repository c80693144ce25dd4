import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { startDeployment } from './deployment.ts'

const CHECKS = '/healthcheck/v1/healthchecks'

// A check that isn't there proves nothing: somebody may have deleted it since. So the person decides whether to create it again.
it.each([
  { when: 'the service makes it afterward', kind: 'hold', text: 'Created.', count: 1 },
  {
    when: 'its connection broke before the service made it',
    kind: 'reset',
    text: 'The outcome is unknown.',
    count: 0,
  },
] as const)('sends a creation once if the process dies and $when', async ({ kind, text, count }) => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  await deployment.start()
  const { service, slack } = deployment
  await slack.member.command('/hc', 'create', UNTIL_FORM)
  await service.clearRequests()
  await service.faults({ method: 'POST', path: CHECKS, kind })
  const answers = { Name: 'api', Target: 'api.example.com', 'Customer ID': '1' }
  await slack.member.submit(answers, { until: () => true })
  await expect.poll(() => service.requests('POST'), { interval: 2 }).toHaveLength(1)
  await deployment.kill('first')
  await service.faults()
  await deployment.start()
  await deployment.waitUntilSettled()
  expect(JSON.stringify(await slack.member.views())).toContain(text)
  expect(await service.checksNamed('api')).toHaveLength(count)
  expect(await service.requests('POST')).toHaveLength(1)
})

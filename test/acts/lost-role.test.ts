import { expect, it } from 'vitest'
import { EVERYONE } from '../../src/domain/roles.ts'
import { startSqliteFile } from '../databases/databases.ts'
import { removeGrant } from '../give-role.ts'
import { startDeployment, WORKSPACE } from './deployment.ts'

const CHECKS = '/healthcheck/v1/healthchecks/'

it('writes one audit row for a change with an unknown outcome if the person lost the role while the process was down', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  const { service, slack, store } = deployment
  await deployment.start()
  for (const name of ['web-1', 'web-2']) await service.addCheck({ name })
  const preview = await slack.member.command('/hc', 'edit web-* --frequency 30', {
    until: '? This would ',
  })
  await service.clearRequests()
  await service.faults({ method: 'PUT', path: CHECKS, kind: 'hold', times: 2 })
  await slack.member.click(preview.message, 'Change 2', { until: 'Started.' })
  await expect.poll(async () => (await service.requests('PUT')).length, { interval: 2 }).toBe(2)
  await deployment.kill('first')
  await removeGrant(store, WORKSPACE, 'operator', EVERYONE)
  await service.faults()
  await deployment.start()
  await deployment.waitUntilSettled()

  const texts = (await slack.member.messages('dm')).map(({ text }) => text).join('\n')
  expect(texts).toContain('needs the operator role')
  expect(texts).toContain('2 unclear. Look at them before you make the change again.')
  const readRows = async () =>
    (await store.audit.search({ workspaceId: WORKSPACE, limit: 20, text: '/hc edit' })).flatMap(
      ({ object, outcome }) => {
        const check = /\((web-\d)\)/.exec(String(object))?.[1]
        return check ? [`${check} ${outcome}`] : []
      },
    )
  const unknown = ['web-1 unknown', 'web-2 unknown']
  expect((await readRows()).sort()).toEqual(unknown)
})

it('changes nothing more once the person has lost the role', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  const { service, slack, store } = deployment
  await deployment.start()
  const names = Array.from({ length: 40 }, (_, nth) => `web-${nth}`)
  for (const name of names) await service.addCheck({ name })
  const preview = await slack.member.command('/hc', 'edit web-* --frequency 30', {
    until: '? This would ',
  })
  await service.clearRequests()
  await service.faults({ method: 'PUT', path: CHECKS, kind: 'hold', times: names.length })
  await slack.member.click(preview.message, `Change ${names.length}`, { until: 'Started.' })
  await expect.poll(async () => (await service.requests('PUT')).length, { interval: 2 }).toBeGreaterThan(0)
  await removeGrant(store, WORKSPACE, 'operator', EVERYONE)
  await service.faults()
  await deployment.waitUntilSettled()
  const texts = (await slack.member.messages('dm')).map(({ text }) => text).join('\n')
  expect(texts).toContain('needs the operator role')
  expect((await service.requests('PUT')).length).toBeLessThan(names.length)
})

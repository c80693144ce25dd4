import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import type { Row } from '../../../src/features/health-checks/rules/row.ts'
import { KEY_A } from '../../databases/databases.ts'
import { shareWorld } from '../../shared-world.ts'
import type { World } from '../../world.ts'
import { addJob, createJobKind, createService, createSettings } from './bulk/changes-run.ts'
import { importFile, waitForDm } from './files/csv-files.ts'

const ALERTS = [['ann@example.com', 'bo@example.com'], ['cy@example.com']]
const REFUSED = /the app lacks a scope[\s\S]*Nothing was changed/
const share = shareWorld()

const findAlertId = async ({ service }: World, uuid: string) => (await service.alerts(uuid))[0]?.id

/** Every way to delete a check or recipients. Ends when the person has been told how it ended. */
const DELETIONS: Record<string, (world: World, uuid: string) => Promise<unknown>> = {
  async 'the window of a check'({ slack: { member } }) {
    await member.command('/hc', 'delete shop')
    return member.submit({ 'Type the name of the health check': 'shop' }, { until: REFUSED })
  },
  async 'the window that removes an alert'(world, uuid) {
    const { member } = world.slack
    await member.command('/hc', `alert-remove ${uuid} ${await findAlertId(world, uuid)}`)
    return member.submit({}, { until: REFUSED })
  },
  async 'the window that edits recipients'(world, uuid) {
    const { member } = world.slack
    await member.command('/hc', `alert-edit ${uuid} ${await findAlertId(world, uuid)}`)
    return member.submit({ 'Email addresses': 'bo@example.com' }, { until: REFUSED })
  },
  async 'an import that removes all recipients'(world) {
    const { message, view } = await importFile(world, 'name,alerts,frequency\nblog,,30\nshop,none,30\n')
    await world.slack.member.click(view ?? message, 'Change 2', { until: 'Started.' })
    return waitForDm(world, /Changed 0 of 2[\s\S]*lacks a scope/)
  },
  async 'a line that removes a recipient'(world) {
    const { message } = await world.slack.member.command('/hc', 'recipients cy@example.com shop --remove')
    return world.slack.member.click(message, 'Change 1', { until: /Changed 0 of 1[\s\S]*lacks a scope/ })
  },
  async 'a line that deletes many'(world) {
    const { message } = await world.slack.member.command('/hc', 'delete *')
    await world.slack.member.click(message, 'Delete 2', { until: 'Started.' })
    return waitForDm(world, /Deleted 0 of 2[\s\S]*lacks a scope/)
  },
}

it.each(Object.keys(DELETIONS))(
  'deletes nothing if Slack takes no file of what was before: %s',
  async (way) => {
    const world = await share({ name: 'shop', alerts: ALERTS }, { name: 'blog', alerts: ALERTS })
    const [{ uuid = '' } = {}] = await world.service.checksNamed('shop')
    const refused = { method: 'files.getUploadURLExternal', kind: 'error', error: 'missing_scope' } as const
    await world.slack.faults(refused)
    try {
      await DELETIONS[way]?.(world, uuid)
    } finally {
      await world.slack.faults()
    }
    expect(await world.service.checksNamed('*')).toHaveLength(2)
    expect((await world.service.alerts(uuid)).map(({ recipients }) => recipients)).toEqual(ALERTS)
    expect((await world.service.requests()).filter(({ method }) => method !== 'GET')).toEqual([])
  },
)

it('deletes nothing without the file, however many checks are left out before the first that it deletes', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const { api, checks } = createService(['web'])
  const before = { settings: createSettings('web'), alerts: [] }
  const { run } = await addJob(store, [{ do: 'delete', line: 300, name: 'web', uuid: 'web', before }], api)
  const leftOut = Array.from({ length: 201 }, (_, index) => ({
    ...{ line: index + 1, state: 'left-out' as const },
    body: { line: index + 1, name: `a${index}`, reason: 'It can’t be read.' },
  }))
  await store.steps.add(run.id, leftOut)
  const upload = () => Promise.reject(new Error('Slack takes no files.'))
  await expect(createJobKind(store).run({ ...run, upload })).rejects.toThrow('Slack takes no files.')
  expect([...checks.keys()]).toEqual(['web'])
})

it('has all that changes in the file before it deletes, and then one with the addresses that the service replaced', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const web = { protocol: 'HTTPS', verifySsl: true, target: '127.0.0.1', httpServerAddress: '192.0.2.7' }
  const { api, checks } = createService(['shop', 'blog', 'wiki'], {
    alerts: [{ type: 'EMAIL', recipients: ['ann@example.com'] }],
    answer: (call, _, body) => (call === 'get' ? undefined : { ...body, httpServerAddress: '192.0.2.9' }),
  })
  const rows = [...checks.values()].map(({ check, alerts }, index): Row => {
    const before = { settings: { ...createSettings(check.name), ...web }, alerts }
    Object.assign(check, web)
    const set = index === 0 ? {} : { frequency: 30 }
    return { do: 'edit', line: index + 1, ...check, before, set, alerts: [] }
  })
  const { run, files } = await addJob(store, rows, api)
  const { message } = await createJobKind(store).run(run)
  expect(message.text).toContain('Server addresses that the service replaced: 2.')
  expect(JSON.stringify(message.blocks)).toContain('/hc import F2')
  expect(files.map((file) => file.match(/,60|,ann@|192\.0\.2\.7/g)?.join(''))).toEqual([
    ',ann@,60,ann@,60,ann@',
    ',ann@,60192.0.2.7,ann@,60192.0.2.7,ann@',
  ])
})

it('goes back to exactly what it deleted, not over what others have changed since', async () => {
  const world = await share({ name: 'shop', alerts: ALERTS }, { name: 'blog', alerts: ALERTS })
  const { member } = world.slack
  const preview = await member.command('/hc', 'delete *')
  const [{ uuid = '' } = {}] = await world.service.checksNamed('blog')
  await world.service.addAlert(uuid, ['colleague@example.com'])
  await member.click(preview.message, 'Delete 2', { until: 'Started.' })
  const ended = await waitForDm(world, 'Deleted 1 of 2')
  const { text } = await member.click(ended, 'Go back…', { until: 'This would' })
  expect(text).toContain('This would create 1.')
  expect(text).not.toContain('colleague')
})

it('goes back from one alert’s change, not over the alerts that others have added since', async () => {
  const world = await share({ name: 'shop', alerts: ALERTS })
  const { member } = world.slack
  const [{ uuid = '' } = {}] = await world.service.checksNamed('shop')
  await member.command('/hc', `alert-edit ${uuid} ${await findAlertId(world, uuid)}`)
  await world.service.addAlert(uuid, ['colleague@example.com'])
  const saved = await member.submit(
    { 'Email addresses': 'new@example.com' },
    { until: 'Changed 1 health check.' },
  )
  const { text } = await member.click(saved.view, 'Go back…', { until: 'This would' })
  expect(text).toContain('also emails ann@example.com, bo@example.com; no longer emails new@example.com')
  expect(text).not.toContain('colleague')
})

import { expect, it } from 'vitest'
import type { Fault } from '../../../sandbox-control.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

const ROOT = '/healthcheck/v1/healthchecks'
const ANN = 'ann@example.com'
const BOB = 'bob@example.com'

const answer = (method: string, path: string, data: unknown, times = 1): Fault => ({
  method,
  path,
  kind: 'body',
  body: { message: 'OK', data },
  times,
})

/** The service answers an update with other values than those that were sent, and keeps them. `looks`: how often it's read before. */
async function answerUpdate({ service }: World, uuid: string, changes: object, looks = 1): Promise<Fault[]> {
  const data = { ...(await service.check(uuid)), ...changes }
  const path = `${ROOT}/${uuid}`
  const before: Fault = { method: 'GET', path, kind: 'delay', ms: 1, times: looks }
  return [before, answer('GET', path, data, 9), answer('PUT', path, data)]
}

async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

async function readLastAudit({ app }: World) {
  const [latest] = await app.store.audit.search({ workspaceId: WORKSPACE, limit: 1 })
  return latest
}

async function startWithCheck() {
  const world = await startWorld({ checks: [{ name: 'web', target: 'w.example.com', frequency: 90 }] })
  const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
  return Object.assign(world, { uuid })
}

it('a bulk change says which value the service set differently, and can be undone', async () => {
  const names = ['web-1', 'web-2']
  await using world = await startWorld({ checks: names.map((name) => ({ name, frequency: 60 })) })
  const { member } = world.slack
  const preview = await member.command('/hc', 'edit web-* --frequency 5 --port 8443')
  const set = { port: 8443, frequency: 30 }
  const found = await world.service.checksNamed('web-*')
  const faults = await Promise.all(found.map(({ uuid }) => answerUpdate(world, uuid, set)))
  await world.service.faults(...faults.flat())
  await member.click(preview.message, 'Set 2', { until: 'Started.' })
  const report = await waitForDm(world, 'Requested:')
  expect(report?.text).toContain('0 of 2 done, 2 partly done.')
  expect(report?.text).toContain(
    'web-1: Partly done. Not done: frequency. The service answered that its frequency is 30, not 5.',
  )
  await world.service.faults()
  for (const { uuid, name } of found)
    await world.service.change(uuid, { name, target: 'shop.example.com', ...set })
  await member.click(report, 'Undo', { until: 'Started' })
  await waitForDm(world, 'Undone: ')
  for (const { uuid } of found)
    expect(await world.service.check(uuid)).toMatchObject({ port: '443', frequency: '60' })
})

it('an edit window says which value the service set differently', async () => {
  await using world = await startWithCheck()
  const { member } = world.slack
  await member.command('/hc', `edit ${world.uuid}`)
  await world.service.faults(...(await answerUpdate(world, world.uuid, { name: 'www', frequency: 60 }, 2)))
  const answers = { Name: 'www', 'Seconds between checks': '45' }
  const { text } = await member.submit(answers, { until: /Saved|unknown|Partly done|Nothing was changed/ })
  expect(text).toContain('Partly done: Edit “web”.')
  expect(text).toContain('Not done: frequency. The service answered that its frequency is 60, not 45.')
  expect(await readLastAudit(world)).toMatchObject({
    outcome: 'done',
    before: { name: 'web', frequency: 90 },
    after: { name: 'www', frequency: 60 },
  })
})

it('an edit window says that nothing was changed if the service kept the only value', async () => {
  await using world = await startWithCheck()
  const { member } = world.slack
  await member.command('/hc', `edit ${world.uuid}`)
  await world.service.faults(...(await answerUpdate(world, world.uuid, {}, 2)))
  const answers = { 'Seconds between checks': '45' }
  const { text } = await member.submit(answers, { until: /Saved|unknown|Partly done|The service answered/ })
  expect(text).toContain('The service answered that its frequency is 90, not 45.')
  expect(await readLastAudit(world)).toMatchObject({ outcome: 'failed' })
})

it('a creation says which value the service set differently, and can be continued and undone', async () => {
  await using world = await startWithCheck()
  const { member } = world.slack
  const csv = 'name,protocol,target,port,frequency,customer_id\napi,TCP,mx.example.com,25,5,1'
  const { id } = await member.upload('c.csv', csv, 'text/csv')
  await member.command('/hc', 'import')
  const preview = await member.submit({ 'CSV file': [id] }, { until: 'Nothing has changed yet' })
  const created = { name: 'api', protocol: 'TCP', target: 'mx.example.com', port: 25, customer_id: 1 }
  const uuid = await world.service.addCheck({ ...created, name: 'zz', frequency: 60 } as never)
  const data = { ...(await world.service.check(uuid)), name: 'api' }
  await world.service.faults(
    answer('GET', `${ROOT}/${uuid}/alerts`, [], 9),
    answer('GET', `${ROOT}/${uuid}`, data, 9),
    answer('POST', ROOT, data),
  )
  await member.click(preview.view, 'Create 1', { until: 'Started' })
  await member.close({ all: true })
  const report = await waitForDm(world, 'Imported')
  expect(report?.text).toContain('0 of 1 done, 1 partly done.')
  expect(report?.text).toContain('Not done: frequency. The service answered that its frequency is 60, not 5.')
  expect(await readLastAudit(world)).toMatchObject({ outcome: 'done', after: { frequency: 60 } })
  await world.service.faults()
  for (const sent of await world.service.checksNamed('api')) await world.service.remove(sent.uuid)
  await world.service.change(uuid, { ...created, frequency: 60 })
  await member.click(report, 'Continue', { until: 'Started' })
  const continued = await waitForDm(world, '1 of 1 done')
  expect(await world.service.check(uuid)).toMatchObject({ name: 'api', frequency: '5' })
  await member.click(continued, 'Undo', { until: 'Started' })
  await waitForDm(world, 'Undone: ')
  expect(await world.service.checksNamed('api')).toEqual([])
})

it('an added alert that the service made for fewer people isn’t called done, and can be undone', async () => {
  await using world = await startWithCheck()
  const { member } = world.slack
  const path = `${ROOT}/${world.uuid}/alerts`
  await member.command('/hc', `alert-add ${world.uuid}`)
  const alert = { id: 7, type: 'EMAIL', recipients: [ANN] }
  const firstLook: Fault = { method: 'GET', path, kind: 'delay', ms: 1, times: 1 }
  await world.service.faults(answer('POST', path, alert), firstLook, answer('GET', path, [alert], 9))
  const typed = { 'Email addresses': `${ANN}, ${BOB}` }
  const { text, view } = await member.submit(typed, { until: /Added|Partly done|unknown/ })
  expect(text).toContain('Partly done: ')
  expect(text).toContain(
    `Not done: an alert for ${ANN} and ${BOB}. The service answered with an alert for ${ANN} instead of an alert for ${ANN} and ${BOB}.`,
  )
  expect(await readLastAudit(world)).toMatchObject({ outcome: 'done', after: { recipients: [ANN] } })
  await world.service.faults()
  await world.service.addAlert(world.uuid, [ANN])
  await member.click(view, 'Undo', { until: 'Started' })
  await waitForDm(world, 'Undone: ')
  // The sandbox has also added the alert that was sent.
  expect(await world.service.alerts(world.uuid)).toMatchObject([{ recipients: [ANN, BOB] }])
})

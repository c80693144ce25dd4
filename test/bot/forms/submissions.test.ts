import { describe, expect, it } from 'vitest'
import { shareWorld } from '../../shared-world.ts'
import type { World } from '../../world.ts'

const ANSWERS = {
  Name: 'api',
  Target: 'api.example.com',
  Port: '443',
  'Customer ID': '7',
}

const refuse = (errors: readonly object[]) =>
  ({ path: '/healthcheck', kind: 'status', status: 400, body: { errors } }) as const

const share = shareWorld()
async function openForm(): Promise<World> {
  const world = await share()
  await world.slack.member.command('/hc', 'create')
  return world
}

describe('an outcome that can’t be shown right away', () => {
  it('is resent until Slack shows it, and the form doesn’t reappear', async () => {
    const world = await openForm()
    await world.slack.faults(
      { method: 'views.update', kind: 'status', status: 503, times: 2 },
      { method: 'chat.postEphemeral', kind: 'error', error: 'channel_not_found', times: 1 },
    )
    const done = await world.slack.member.submit(ANSWERS, { until: 'Created 1' })
    expect(done.view?.view.submit).toBeNull()
    expect(await world.service.requests('POST')).toHaveLength(1)
  })

  it('is sent as a message if the person closed the modal', async () => {
    const world = await openForm()
    await world.service.faults({ method: 'POST', path: '/healthcheck', kind: 'hold' })
    const outcome = world.slack.member.submit(ANSWERS, { until: 'Created 1' })
    await world.slack.member.until('the progress view', ({ views }) =>
      JSON.stringify(views).includes('Creating'),
    )
    await world.slack.member.close()
    await world.service.faults()
    expect((await outcome).message?.text).toContain('Created 1')
  })
})

it('a long error message from the service is shortened so that the answer still says whether anything was changed', async () => {
  const world = await openForm()
  const errors = Array.from({ length: 10 }, (_, index) => ({
    code: 'BAD_REQUEST',
    message: `${index} ${'long '.repeat(60)}`,
  }))
  await world.service.faults({ ...refuse(errors), method: 'POST' })
  const refused = await world.slack.member.submit(ANSWERS, { until: /Reference|Nothing was changed/ })
  expect(refused.text).toContain('Nothing was changed.')
  expect(refused.text).toMatch(/Reference: [0-9a-f]{10}/)
  expect(refused.text).toContain('The service said: “0 long')
})

it('a refusal by the service is shown above the fields, which keep what was typed', async () => {
  const world = await share({ name: 'web', protocol: 'TCP' })
  const { member } = world.slack
  const card = await member.command('/hc', 'show web')
  if (!card.message) throw new Error('There is no card.')
  await member.click(card.message, 'Edit')
  const errors = [{ code: 'BAD_REQUEST', message: 'verify_ssl is fixed for this customer.' }]
  await world.service.faults({ ...refuse(errors), method: 'PUT' })
  const refused = await member.submit({ Target: 'new.example.com' }, { until: 'Nothing was changed' })
  expect(refused.text).toContain('The service said: “verify_ssl is fixed for this customer.”')
  expect(JSON.stringify(refused.view)).toContain('"initial_value":"new.example.com"')
  await world.service.faults()
  await member.submit({}, { until: 'Changed 1 health check.' })
})

it('a form that replaces another in the same modal starts with its own values, not with those typed into the previous form', async () => {
  const world = await share({ name: 'web', alerts: [['first@example.com']] })
  const { member } = world.slack
  const card = await member.command('/hc', 'show web')
  if (!card.message) throw new Error('There is no card.')
  await member.click(card.message, 'Edit')
  await member.submit({ 'Time between checks': '90' }, { until: 'Changed 1 health check.' })
  await member.click(await member.view(), 'Show it', { until: 'first@example.com' })
  await member.click(await member.view(), 'Alerts…', { until: 'first@example.com' })
  await member.click(await member.view(), 'Add alert', { until: 'Email addresses' })
  await member.submit({ 'Email addresses': 'second@example.com' }, { until: 'Changed 1 health check.' })
  const [uuid = ''] = (await world.service.checksNamed('web')).map((check) => check.uuid)
  const [first] = await world.service.alerts(uuid)
  await member.click(await member.view(), 'Show it', { until: 'second@example.com' })
  await member.click(await member.view(), 'Alerts…', { until: 'first@example.com' })
  await member.choose(await member.view(), 'Change an alert…', `Edit recipients of alert ${first?.id}`, {
    until: 'Email addresses',
  })
  await member.submit({}, { until: /[Nn]othing|changed/ })
  expect((await world.service.alerts(uuid)).map(({ recipients }) => recipients)).toEqual([
    ['first@example.com'],
    ['second@example.com'],
  ])
  const [form] = (await world.slack.deliveries('view_submission')).slice(-1)
  expect(JSON.stringify(form?.request.body)).not.toContain('second@example.com')
})

it('a form that is updated while someone fills it in shows the latest update, even if every update is based on the same earlier view', async () => {
  const world = await share()
  const { member } = world.slack
  await member.command('/hc', 'create', { until: 'Server address' })
  const view = await member.view()
  await world.slack.faults({ method: 'views.update', kind: 'delay', ms: 300 })
  // Each is received before the next one, but not yet shown.
  for (const protocol of ['TCP', 'HTTPS', 'HTTP'])
    await member.choose(view, 'Protocol', protocol, { until: () => true })
  // Only HTTP has a server address, but no SSL verification.
  const listFields = async () => (await member.view()).view.blocks.map(({ block_id }) => block_id)
  await expect.poll(listFields).not.toContain('verifySsl')
  await expect.poll(listFields).toContain('httpServerAddress')
})

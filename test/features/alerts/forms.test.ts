import { describe, expect, it } from 'vitest'
import { startWorld } from '../../world.ts'
import { applyPreview } from '../health-checks/files/csv-files.ts'

const CHECKS_PATH = '/healthcheck/v1/healthchecks/'

const OTHER = ['other@example.com']
/** People can't type it, but the service may have it. */
const ODD = 'ops@mail.123'

/** Opens the window of the first of two alerts. `readRecipients` expects the other one as it was, and returns the rest. */
async function startEditing(recipients: readonly string[]) {
  const world = await startWorld({ workTimes: { maxInFlightMs: 500 } })
  const uuid = await world.service.addCheck({ name: 'web', alerts: [recipients, OTHER] })
  const [id, otherId] = (await world.service.alerts(uuid)).map((alert) => alert.id)
  await world.service.clearRequests()
  const { member, admin } = world.slack
  const alerts = await member.command('/hc', 'alerts web')
  const form = await member.choose(alerts.message, 'Change an alert…', `Edit recipients of alert ${id}`)
  const readRecipients = async () => {
    const all = await world.service.alerts(uuid)
    expect(all.find((alert) => alert.id === otherId)).toMatchObject({ type: 'EMAIL', recipients: OTHER })
    return all.filter((alert) => alert.id !== otherId).map((alert) => alert.recipients)
  }
  const dispose = () => world[Symbol.asyncDispose]()
  return {
    world,
    uuid,
    id,
    otherId,
    member,
    admin,
    alerts,
    form,
    readRecipients,
    [Symbol.asyncDispose]: dispose,
  }
}

const createAddresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `person-${index + 1}@example.com`)
const ADDRESSES_FIELD = 'Email addresses'

describe('editing recipients', () => {
  it('starts with the current recipients, and shows what changed', async () => {
    await using setup = await startEditing(['ann@example.com', 'bo@example.com'])
    const view = JSON.stringify(setup.form.view)
    expect(view).toContain('"initial_value":"ann@example.com\\nbo@example.com"')
    const done = await setup.member.submit(
      { [ADDRESSES_FIELD]: 'bo@EXAMPLE.com\nCy <cy@example.com>\nadmin@example.com, cy@example.com' },
      { until: 'Changed 1 health check.' },
    )
    expect(done.text).toContain(
      'Edit web: also emails cy@example.com, admin@example.com; no longer emails ann@example.com.',
    )
    expect(await setup.readRecipients()).toEqual([['bo@example.com', 'cy@example.com', 'admin@example.com']])
    // Slack may deliver a submission several times.
    await setup.world.slack.redeliver(done.outcome.deliveryId ?? '', 3)
    const [put, ...others] = await setup.world.service.requests('PUT')
    expect(others).toEqual([])
    expect(put?.body).toEqual({
      type: 'EMAIL',
      recipients: ['bo@example.com', 'cy@example.com', 'admin@example.com'],
    })
  })

  it('shows invalid addresses at the field, requires a recipient, and sends nothing if nothing changed', async () => {
    await using setup = await startEditing(['ann@example.com'])
    const invalid = await setup.member.submit({ [ADDRESSES_FIELD]: 'ann@example.com, bob' })
    expect(invalid.view?.errors.recipients).toContain('“bob” has no @')
    const empty = await setup.member.submit({ [ADDRESSES_FIELD]: ',' })
    expect(empty.view?.errors.recipients).toContain('To stop its emails, remove the alert.')
    const done = await setup.member.submit(
      { [ADDRESSES_FIELD]: 'ann@Example.com ann@example.com' },
      { until: 'Nothing was different' },
    )
    expect(done.text).toContain('Nothing was different, so nothing was saved.')
    expect(await setup.readRecipients()).toEqual([['ann@example.com']])
    expect(await setup.world.service.requests('PUT')).toEqual([])
  })

  it('doesn’t overwrite someone else’s change', async () => {
    await using setup = await startEditing(['ann@example.com'])
    await setup.admin.command('/hc', `alert-edit web ${setup.id}`)
    await setup.admin.submit({ [ADDRESSES_FIELD]: 'bo@example.com' }, { until: 'Changed 1 health check.' })
    const stale = await setup.member.submit(
      { [ADDRESSES_FIELD]: 'ann@example.com cy@example.com' },
      { until: /Reference|nothing was saved/ },
    )
    expect(stale.text).toContain('It was changed after you saw it, so nothing was saved.')
    expect(stale.text).toContain('Its recipients have changed.')
    expect(await setup.readRecipients()).toEqual([['bo@example.com']])
    const current = await setup.member.click(stale.view, 'Open current version')
    const fresh = await setup.member.choose(
      current.view,
      'Change an alert…',
      `Edit recipients of alert ${setup.id}`,
    )
    expect(JSON.stringify(fresh.view)).toContain('"initial_value":"bo@example.com"')
    await setup.member.submit(
      { [ADDRESSES_FIELD]: 'bo@example.com cy@example.com' },
      { until: 'Changed 1 health check.' },
    )
    expect(await setup.readRecipients()).toEqual([['bo@example.com', 'cy@example.com']])
  })

  it('doesn’t put back a type that someone else has changed', async () => {
    await using setup = await startEditing(['ann@example.com'])
    const other = { id: setup.otherId, type: 'EMAIL', recipients: OTHER }
    const data = [{ id: setup.id, type: 'SMS', recipients: ['ann@example.com'] }, other]
    const path = `${CHECKS_PATH}${setup.uuid}/alerts`
    await setup.world.service.answerWith(path, data)
    await setup.member.submit({ [ADDRESSES_FIELD]: 'cy@example.com' }, { until: 'so nothing was saved' })
    expect(await setup.world.service.requests('PUT')).toEqual([])
  })
})

it.each([
  ['more recipients than a field holds', createAddresses(2000)],
  ['an address that people can’t type', [...createAddresses(8), ODD]],
])(
  'leads from an alert with %s to the export, and to lines that add and remove one',
  async (_, recipients) => {
    await using world = await startWorld()
    const uuid = await world.service.addCheck({ name: 'web', alerts: [recipients, OTHER] })
    const [{ id = '' } = {}] = await world.service.alerts(uuid)
    const { member } = world.slack
    const refused = await member.command('/hc', `alert-edit web ${id}`)
    expect(refused.text).toMatch(/^This alert has [\d,]+ recipients, which can’t be edited as one list\./)
    await member.click(refused.message, 'Export them', { until: 'Exported 1 health check' })
    for (const line of ['new@example.com web --add', 'person-7@example.com web --remove']) {
      const preview = await member.command('/hc', `recipients ${line}`)
      await applyPreview(world, preview, 'Change 1')
    }
    const stored = (await world.service.alerts(uuid)).map((alert) => alert.recipients)
    expect(stored).toEqual([
      [...recipients.filter((person) => person !== 'person-7@example.com'), 'new@example.com'],
      OTHER,
    ])
  },
)

it('removing an alert lists the recipients, removes the alert after a confirmation, and keeps it if the service fails', async () => {
  await using setup = await startEditing(['ann@example.com', 'bo@example.com'])
  await setup.member.close({ all: true })
  const form = await setup.member.choose(setup.alerts.message, 'Change an alert…', `Remove alert ${setup.id}`)
  expect(form.text.replaceAll('\n', '')).toContain('2 recipients: ann@example.com, bo@example.com')
  await setup.world.service.faults({ method: 'DELETE', path: CHECKS_PATH, kind: 'status', status: 500 })
  const failed = await setup.member.submit({}, { until: /Reference|Nothing was changed/ })
  expect(failed.text).toContain('The service is unreachable or failing.')
  expect(await setup.readRecipients()).toHaveLength(1)
  await setup.world.service.faults()
  const done = await setup.member.submit({}, { until: 'Changed 1 health check.' })
  expect(done.text).toContain('Edit web: no longer emails ann@example.com, bo@example.com')
  expect(await setup.readRecipients()).toEqual([])
  expect((await setup.member.click(done.view, 'Show it')).text).toContain('other@example.com')
})

it('removes an alert without recipients, and says so', async () => {
  await using setup = await startEditing(['ann@example.com'])
  await setup.member.close({ all: true })
  const data = [
    { id: setup.id, type: 'EMAIL', recipients: [] },
    { id: setup.otherId, type: 'EMAIL', recipients: OTHER },
  ]
  await setup.world.service.answerWith(`${CHECKS_PATH}${setup.uuid}/alerts`, data)
  await setup.member.command('/hc', `alert-remove web ${setup.id}`)
  const done = await setup.member.submit({}, { until: 'Changed 1 health check.' })
  expect(done.text).toContain('Edit web: 1 alert instead of 2')
  await setup.world.service.faults()
  expect(await setup.readRecipients()).toEqual([])
})

/** Two people, of whom each changes another alert of the same check, or adds one. */
it.each<[string, Record<string, string>, string[][]]>([
  ['alert-edit web OTHER', { [ADDRESSES_FIELD]: 'cy@example.com' }, [['bo@example.com'], ['cy@example.com']]],
  ['alert-remove web OTHER', {}, [['bo@example.com']]],
  [
    'alert-add web',
    { [ADDRESSES_FIELD]: 'cy@example.com' },
    [['bo@example.com'], ['other@example.com'], ['cy@example.com']],
  ],
])('saves the windows of two people about two alerts: %s', async (line, typed, expected) => {
  await using setup = await startEditing(['ann@example.com'])
  const { world, uuid, member, admin } = setup
  await admin.command('/hc', line.replace('OTHER', String(setup.otherId)))
  await member.submit({ [ADDRESSES_FIELD]: 'bo@example.com' }, { until: 'Changed 1 health check.' })
  const { text } = await admin.submit(typed, { until: /Your change: |nothing was saved/ })
  expect(text).not.toContain('nothing was saved')
  expect((await world.service.alerts(uuid)).map((alert) => alert.recipients)).toEqual(expected)
  const sent = (await world.service.requests()).filter(({ method }) => method !== 'GET')
  expect(sent).toHaveLength(2)
  // Each of them is told in the audit log with the alert that it was about.
  const entries = await world.app.store.audit.search({ workspaceId: 'T0PLAYGRND', text: 'web', limit: 9 })
  const edited = entries.find(({ verb }) => verb === '/hc alert-edit')
  expect(JSON.stringify(edited?.before)).not.toMatch(/ann.*other|other.*ann/)
})

it.each([
  ['"ann@example.com","bob@example.com"', [['ann@example.com', 'bob@example.com']]],
  ['"Ann Lee" <ann@example.com>, "bob@example.com"', [['ann@example.com', 'bob@example.com']]],
])('reads a pasted list in quotes as its addresses: %s', async (pasted, expected) => {
  await using setup = await startEditing(['ann@example.com'])
  const { member } = setup
  await member.submit({ [ADDRESSES_FIELD]: pasted }, { until: 'Changed 1 health check.' })
  expect(await setup.readRecipients()).toEqual(expected)
})

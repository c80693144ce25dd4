import { describe, expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

const ALERTS = '/healthcheck/v1/healthchecks/'

/** A world with one check named `web`, one alert, and its edit window open. */
async function startEditing(recipients: readonly string[]) {
  const world = await startWorld()
  const uuid = await world.service.addCheck({ name: 'web', alerts: [recipients] })
  const id = Number((await world.service.alerts(uuid))[0]?.id)
  await world.service.forgetRequests()
  const { member, admin } = world.slack
  const alerts = await member.command('/hc', 'alerts web')
  const form = await member.click(alerts.message, `Edit recipients of alert ${id}`)
  const readRecipients = async () => (await world.service.alerts(uuid)).map((alert) => alert.recipients)
  const dispose = () => world[Symbol.asyncDispose]()
  return { world, uuid, id, member, admin, alerts, form, readRecipients, [Symbol.asyncDispose]: dispose }
}

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => `person-${index + 1}@example.com`)
const FIELD = 'Email addresses'

describe('editing recipients', () => {
  it('starts from the list, and says what changed', async () => {
    await using here = await startEditing(['ann@example.com', 'bo@example.com'])
    expect(JSON.stringify(here.form.view)).toContain('"initial_value":"ann@example.com\\nbo@example.com"')
    const done = await here.member.submit(
      { [FIELD]: 'bo@EXAMPLE.com\nCy <cy@example.com>', 'Add people in Slack': [here.admin.id] },
      { until: 'Recipients of the alert' },
    )
    expect(done.text).toContain('Recipients of the alert for “web”: +2 −1')
    const read = done.text.replaceAll('\n', '')
    expect(read).toContain('*Added*cy@example.com, admin@example.com')
    expect(read).toContain('*Removed*ann@example.com')
    expect(await here.readRecipients()).toEqual([['bo@example.com', 'cy@example.com', 'admin@example.com']])
    const [put] = await here.world.service.requests('PUT')
    expect(put?.body).toEqual({
      type: 'EMAIL',
      recipients: ['bo@example.com', 'cy@example.com', 'admin@example.com'],
    })
  })

  it('previews the change while it is typed, before anything is sent', async () => {
    await using here = await startEditing(['ann@example.com', 'bo@example.com'])
    expect(here.form.text).toContain('No change: 2 recipients.')
    const typed = await here.member.choose(
      here.form.view,
      FIELD,
      'bo@example.com, cy@example.com, cy@example.com; d@',
      {
        until: '+1 −1',
      },
    )
    const read = typed.text
    expect(read).toContain('+1 −1, 2 recipients in total.')
    expect(read).toContain('Added: cy@example.com')
    expect(read).toContain('Removed: ann@example.com')
    expect(read).toContain('Duplicates removed: cy@example.com')
    expect(read).toContain('“d@” has nothing after the @')
    const chosen = await here.member.choose(typed.view, 'Add people in Slack', [here.admin.id], {
      until: '1 person',
    })
    expect(chosen.text).toContain('Plus 1 person from Slack, if they aren’t recipients yet.')
    expect(await here.world.service.requests('PUT')).toEqual([])
    const done = await here.member.submit({ [FIELD]: 'bo@example.com' }, { until: 'Recipients of the alert' })
    expect(done.text).toContain('+1 −1')
  })

  it('previews a list that is too long for its field, and its button still works', async () => {
    await using here = await startEditing(people(400))
    const typed = await here.member.choose(here.form.view, 'Remove these addresses', 'person-1@example.com', {
      until: '−1',
    })
    expect(typed.text).toContain('−1, 399 recipients in total.')
    const all = await here.member.click(typed.view, 'Show all', { until: 'The recipients of alert' })
    expect(all.text).toContain('400 recipients')
  })

  it('sends nothing when nothing changes', async () => {
    await using here = await startEditing(['ann@example.com'])
    const done = await here.member.submit(
      { [FIELD]: 'ann@Example.com ann@example.com' },
      { until: 'Nothing to' },
    )
    expect(done.text).toContain('already has these recipients')
    expect(await here.world.service.requests('PUT')).toEqual([])
  })

  it('names invalid addresses at the field, and requires at least one recipient', async () => {
    await using here = await startEditing(['ann@example.com'])
    const bad = await here.member.submit({ [FIELD]: 'ann@example.com, bob' })
    expect(bad.view?.errors.recipients).toContain('“bob” has no @')
    const empty = await here.member.submit({ [FIELD]: '' })
    expect(empty.view?.errors.recipients).toContain('To stop mailing everyone, remove the alert.')
    expect(await here.readRecipients()).toEqual([['ann@example.com']])
  })

  it('doesn’t overwrite someone else’s change', async () => {
    await using here = await startEditing(['ann@example.com'])
    await here.admin.command('/hc', `alert-edit web ${here.id}`)
    await here.admin.submit({ [FIELD]: 'bo@example.com' }, { until: '+1 −1' })
    const stale = await here.member.submit(
      { [FIELD]: 'ann@example.com cy@example.com' },
      { until: /Reference|Nothing was changed/ },
    )
    expect(stale.text).toMatch(/This alert was changed by .+ on \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(stale.text).toContain('Your change wasn’t saved.')
    expect(stale.text).toContain('Nothing was changed.')
    expect(await here.readRecipients()).toEqual([['bo@example.com']])
    const fresh = await here.member.click(stale.view, 'Open current version')
    expect(JSON.stringify(fresh.view)).toContain('"initial_value":"bo@example.com"')
    await here.member.submit({ [FIELD]: 'bo@example.com cy@example.com' }, { until: '+1' })
    expect(await here.readRecipients()).toEqual([['bo@example.com', 'cy@example.com']])
  })

  it('says if the alert is gone', async () => {
    await using here = await startEditing(['ann@example.com'])
    await here.admin.command('/hc', `alert-remove web ${here.id}`)
    await here.admin.submit({}, { until: 'Removed an alert' })
    const refused = await here.member.submit(
      { [FIELD]: 'cy@example.com' },
      { until: /Reference|Nothing was changed/ },
    )
    expect(refused.text).toContain(`has no alert ${here.id}. It may have been removed`)
    expect((await here.member.click(refused.view, 'Alerts')).text).toContain('No one gets an email')
  })

  it('sends one change for a submission that is delivered many times', async () => {
    await using here = await startEditing(['ann@example.com'])
    const done = await here.member.submit({ [FIELD]: 'bo@example.com' }, { until: '+1 −1' })
    await here.world.slack.redeliver(done.outcome.deliveryId ?? '', 20)
    expect(await here.world.service.requests('PUT')).toHaveLength(1)
  })
})

describe('editing more recipients than a field holds', () => {
  it('accepts additions and removals, and keeps everyone else', async () => {
    const recipients = people(2000)
    await using here = await startEditing(recipients)
    expect(here.form.text).toContain('It has 2,000 recipients, too many for one field.')
    expect((await here.member.click(here.form.view, 'Show all')).text).toContain('person-1999@example.com')
    await here.member.close()
    const done = await here.member.submit(
      { 'Add these addresses': 'new@example.com', 'Remove these addresses': 'person-7@example.com' },
      { until: 'Recipients of the alert' },
    )
    expect(done.text).toContain('+1 −1')
    expect(done.text.replaceAll('\n', '')).toContain('*Now*2,000 recipients')
    const [now] = await here.readRecipients()
    expect(now).toEqual([
      ...recipients.filter((person) => person !== 'person-7@example.com'),
      'new@example.com',
    ])
  })

  it('names people who aren’t recipients, and conflicting entries', async () => {
    await using here = await startEditing(people(200))
    const refused = await here.member.submit({
      'Add these addresses': 'person-1@example.com, bob',
      'Remove these addresses': 'person-1@EXAMPLE.com',
    })
    expect(refused.view?.errors.add).toContain('“bob” has no @')
    expect(refused.view?.errors.remove).toContain('Some addresses are in both fields.')
    const stranger = await here.member.submit(
      { 'Add these addresses': '', 'Remove these addresses': 'stranger@example.com' },
      { until: /Reference|Nothing was changed/ },
    )
    expect(stranger.text).toContain(
      'These aren’t recipients, so they can’t be removed: stranger@example.com.',
    )
    expect(await here.world.service.requests('PUT')).toEqual([])
  })
})

describe('removing an alert', () => {
  it('lists the recipients, and removes the alert after a confirmation', async () => {
    await using here = await startEditing(['ann@example.com', 'bo@example.com'])
    await here.member.close({ all: true })
    const form = await here.member.click(here.alerts.message, 'Remove')
    expect(form.text.replaceAll('\n', '')).toContain('2 recipients: ann@example.com, bo@example.com')
    const done = await here.member.submit({}, { until: 'Removed an alert' })
    expect(done.text).toContain('Removed an alert of “web”. It had 2 recipients.')
    expect(await here.readRecipients()).toEqual([])
    expect((await here.member.click(done.view, 'Alerts of this check')).text).toContain(
      'No one gets an email',
    )
  })

  it('keeps an alert that has changed since', async () => {
    await using here = await startEditing(['ann@example.com'])
    await here.admin.command('/hc', `alert-remove web ${here.id}`)
    await here.member.submit({ [FIELD]: 'bo@example.com' }, { until: '+1 −1' })
    const kept = await here.admin.submit({}, { until: /Reference|Nothing was changed/ })
    expect(kept.text).toContain('Your change wasn’t saved.')
    expect(await here.readRecipients()).toEqual([['bo@example.com']])
  })

  it('says what happened if the service fails', async () => {
    await using here = await startEditing(['ann@example.com'])
    await here.member.close({ all: true })
    await here.member.click(here.alerts.message, 'Remove')
    await here.world.service.faults({ method: 'DELETE', path: ALERTS, kind: 'status', status: 500 })
    const failed = await here.member.submit({}, { until: /Reference|Nothing was changed/ })
    expect(failed.text).toContain('The service is unreachable or failing.')
    expect(await here.readRecipients()).toHaveLength(1)
  })
})

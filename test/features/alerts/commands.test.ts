import { describe, expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

const CHECKS_PATH = '/healthcheck/v1/healthchecks/'

async function startWithAlerts(alerts: readonly (readonly string[])[]) {
  const world = await startWorld({ workTimes: { maxInFlightMs: 500 } })
  const uuid = await world.service.addCheck({ name: 'web', alerts })
  await world.service.clearRequests()
  const { member } = world.slack
  const readRecipients = async () => (await world.service.alerts(uuid)).map((alert) => alert.recipients)
  return {
    world,
    uuid,
    member,
    readRecipients,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const createAddresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `person-${index + 1}@example.com`)

describe('/hc alerts', () => {
  it('shows each alert with its first recipients and the number of others', async () => {
    await using setup = await startWithAlerts([createAddresses(24), ['ops@example.com']])
    const { text, message } = await setup.member.command('/hc', 'alerts web')
    for (const words of [text.replaceAll('\n', ''), message?.text ?? ''])
      for (const shown of [
        '1 recipient: ops@example.com',
        'by email',
        '24 recipients: person-1@example.com',
        'person-20@example.com, and 4 more',
        'Created',
        'Last changed',
      ])
        expect(words).toContain(shown)
    expect(text).not.toContain('person-21@')
  })

  it('says that nobody gets email if the check has no alerts, and which check or alert is missing or unknown', async () => {
    await using setup = await startWithAlerts([])
    const { text, message } = await setup.member.command('/hc', 'alerts web')
    expect(text).toContain('No one gets an email when the status of web changes')
    expect(text).toContain('To alert a channel, type this there:\n/hc watch "web"')
    expect((await setup.member.click(message, 'Back to the check')).text).toContain('shop.example.com')
    for (const [typed, expectedText] of [
      ['alerts', 'Which health check?'],
      ['alerts nothing', 'No health check is named “nothing”'],
      ['alert-edit web', 'Which alert?'],
      ['alert-edit web 999', 'has no alert 999'],
    ] as const)
      expect((await setup.member.command('/hc', typed)).text, typed).toContain(expectedText)
  })

  it('shows an alert without a valid ID, and leaves its check out of changes of many', async () => {
    await using setup = await startWithAlerts([])
    const { member, world, uuid } = setup
    const data = [{ id: null, type: 'EMAIL', recipients: ['ops@example.com'] }]
    const path = `${CHECKS_PATH}${uuid}/alerts`
    await world.service.answerWith(path, data)
    const { text } = await member.command('/hc', 'alerts web')
    expect(text).toContain('1 alert')
    expect(text).toContain('ops@example.com')
    expect(text).toContain('Signalman can’t read some of its recipients, and would lose them.')
    expect(text).not.toContain('Add alert')
    // What it doesn't change may be unreadable.
    const edited = await member.command('/hc', 'edit web --frequency 30')
    await member.click(edited.message, 'Change 1', { until: 'Changed 1 health check.' })
    await member.command('/hc', 'edit web')
    await member.submit({ 'Time between checks': '90' }, { until: 'Changed 1 health check.' })
    for (const line of ['delete web*', 'recipients ann@example.com web* --add']) {
      const preview = await member.command('/hc', line)
      expect(preview.text).toContain(
        'left out: Signalman can’t read some of its recipients, and would lose them.',
      )
      expect(preview.text).not.toMatch(/Delete 1|Change 1/)
    }
    expect(await world.service.countChecks()).toBe(1)
  })

  it('opens no window about alerts that a file could not bring back, by whatever line', async () => {
    await using setup = await startWithAlerts([createAddresses(6000), ['ops@example.com']])
    const { member, world, uuid } = setup
    const ids = (await world.service.alerts(uuid)).map(({ id }) => id)
    for (const line of ['delete web', 'alert-add web', ...ids.map((id) => `alert-remove web ${id}`)]) {
      const refused = await member.command('/hc', line)
      expect(refused.text, line).toContain('It has more recipients than a file can hold')
      expect(refused.view, line).toBeUndefined()
    }
    const { text } = await member.command('/hc', 'alerts web')
    expect(text).toContain('It has more recipients than a file can hold')
    expect(text).not.toContain('Add alert')
  })

  it('removes an alert whose ID is too large for a JavaScript number', async () => {
    await using setup = await startWithAlerts([])
    const { member, world, uuid } = setup
    const id = '9007199254740993'
    const data = [{ id, type: 'EMAIL', recipients: ['ops@example.com'] }]
    const path = `${CHECKS_PATH}${uuid}/alerts`
    await world.service.answerWith(path, data)
    const { message } = await member.command('/hc', 'alerts web')
    await member.click(message, 'Remove')
    await member.submit({}, { until: /Removed|Reference|Nothing was changed/ })
    const [removed] = await world.service.requests('DELETE')
    expect(removed?.path).toBe(`${path}/${id}`)
  })

  it('shows other pages in the same message, and checks the typed page number', async () => {
    await using setup = await startWithAlerts(createAddresses(10).map((person) => [person]))
    const first = await setup.member.command('/hc', 'alerts web')
    expect(first.text).toContain('10 alerts · page 1 of 2')
    const second = await setup.member.click(first.message, 'Next')
    expect(second.text).toMatch(/person-9@example\.com.*\nRemove alert \d/s)
    expect(second.message?.ts).toBe(first.message?.ts)
    expect((await setup.member.command('/hc', `alerts ${setup.uuid} --page 99`)).text).toContain(
      'page 2 of 2',
    )
    expect((await setup.member.command('/hc', 'alerts web --page two')).text).toContain(
      'a whole number from 1',
    )
  })
})

describe('adding an alert', () => {
  it('shows invalid addresses at the field, requires a recipient, and adds the pasted addresses', async () => {
    await using setup = await startWithAlerts([])
    const alerts = await setup.member.command('/hc', 'alerts web')
    const form = await setup.member.click(alerts.message, 'Add alert')
    expect(form.text).toContain('Who should get an email when the status of “web” changes?')
    const invalid = await setup.member.submit({ 'Email addresses': 'ann@example.com bob bo@localhost' })
    expect(invalid.view?.errors.recipients).toContain(
      '“bob” has no @; “bo@localhost” has no dot in its domain.',
    )
    const nobody = await setup.member.submit({ 'Email addresses': ',' })
    expect(nobody.view?.errors.recipients).toContain('needs at least one recipient')
    expect(await setup.world.service.requests('POST')).toEqual([])
    const done = await setup.member.submit(
      { 'Email addresses': 'Ann <ann@example.com>; bo@example.com, ann@EXAMPLE.com' },
      { until: 'Changed 1 health check.' },
    )
    expect(done.text).toContain('Edit web: also emails ann@example.com, bo@example.com')
    expect(await setup.readRecipients()).toEqual([['ann@example.com', 'bo@example.com']])
    expect((await setup.member.click(done.view, 'Show it')).text).toContain('ann@example.com, bo@example.com')
  })

  it('says of a hundred people that there are more than it names', async () => {
    await using setup = await startWithAlerts([['ann@example.com'], ['bo@example.com']])
    await setup.member.command('/hc', 'alert-add web')
    const typed = { 'Email addresses': createAddresses(100).join('\n') }
    const done = await setup.member.submit(typed, { until: 'Changed 1 health check.' })
    expect(done.text).toMatch(/Edit web: also emails person-1@example\.com, .+…/)
    expect((await setup.readRecipients()).at(-1)).toHaveLength(100)
    await setup.member.until('the file', ({ messages }) => JSON.stringify(messages).includes('before.csv'))
  })

  it('doesn’t take an alert from before with the same recipients for the new one', async () => {
    await using setup = await startWithAlerts([['ann@example.com']])
    await setup.world.service.faults({ method: 'POST', path: CHECKS_PATH, kind: 'reset' })
    await setup.member.command('/hc', 'alert-add web')
    const done = await setup.member.submit(
      { 'Email addresses': 'ann@example.com' },
      { until: /Your change: |Nothing was changed|Reference/ },
    )
    expect(done.text).toContain('Nothing was changed')
    expect(await setup.readRecipients()).toHaveLength(1)
  })
})

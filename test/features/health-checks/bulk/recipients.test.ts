import { describe, expect, it } from 'vitest'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'

const CHECKS: CheckSeed[] = [
  { name: 'web', alerts: [['Ann@example.com', 'bob@example.com']] },
  { name: 'shop', alerts: [['ann@example.com'], ['cat@example.com']] },
  { name: 'mail', alerts: [['cat@example.com']] },
  { name: 'quiet' },
]

async function readAlerts({ service }: World) {
  const found = await service.checksNamed('*')
  const all = await Promise.all(
    found.map(async ({ uuid, name }) => [
      name,
      (await service.alerts(uuid)).map(({ recipients }) => recipients),
    ]),
  )
  return Object.fromEntries(all)
}

async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

describe('/hc recipients', () => {
  const share = shareWorld()

  it('shows every check that alerts an address, ignoring case', async () => {
    const world = await share(...CHECKS)
    const { text, message } = await world.slack.member.command('/hc', 'recipients ann@EXAMPLE.com')
    expect(text).toContain('ann@EXAMPLE.com gets emails about 2 health checks')
    expect(message?.text).toMatch(/shop: .*@.*\nweb: .*@/)
    expect(text).not.toContain('quiet')
    expect(
      (await world.slack.member.command('/hc', 'recipients ann@example.com --customer 9')).text,
    ).toContain('No health check emails ann@example.com')
  })

  it('shows a check that alerts the address even if its other recipients are unreadable', async () => {
    const world = await share(...CHECKS.slice(0, 1))
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
    await world.service.faults({
      method: 'GET',
      path: `/healthcheck/v1/healthchecks/${uuid}/alerts`,
      kind: 'body',
      body: { message: 'OK', data: [{ id: 1, type: 'EMAIL', recipients: ['ann@example.com', 5] }] },
    })
    const { text } = await world.slack.member.command('/hc', 'recipients ann@example.com')
    expect(text).toContain('ann@example.com gets emails about 1 health check')
    expect(text).toContain('Not shown: 1 with recipients that can’t be read.')
  })

  it('skips a check that is deleted during the search', async () => {
    const world = await share(...CHECKS)
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
    const fault = {
      method: 'GET',
      path: `/healthcheck/v1/healthchecks/${uuid}`,
      kind: 'status',
      status: 404,
    } as const
    // A 404 for its alerts doesn't prove that the check was deleted.
    await world.service.faults({ ...fault, path: `${fault.path}/alerts` })
    expect((await world.slack.member.command('/hc', 'recipients ann@example.com')).text).toContain(
      'Reference',
    )
    await world.service.faults(fault)
    const { text } = await world.slack.member.command('/hc', 'recipients ann@example.com')
    expect(text).toContain('ann@example.com gets emails about 1 health check')
    expect(text).not.toContain('web')
    const copies = await world.slack.member.command('/hc', 'clone *')
    expect(copies.text).toContain('Copy 3 of 4 health checks')
    expect(copies.text).toContain('web: It was deleted just now.')
  })

  it('offers no file if only one health check alerts an address', async () => {
    const world = await share({ name: 'web', alerts: [['ann@example.com']] })
    const shown = await world.slack.member.command('/hc', 'recipients ann@example.com')
    expect(shown.text).toContain('ann@example.com gets emails about 1 health check')
    expect(JSON.stringify(shown.message?.blocks)).not.toContain('All 1')
    const removal = await world.slack.member.command('/hc', 'recipients ann@example.com --remove')
    expect(removal.text).toContain('Stop emailing ann@example.com about 1 health check?')
  })

  it('rejects --remove together with --add', async () => {
    const world = await share(...CHECKS)
    const { text } = await world.slack.member.command('/hc', 'recipients ann@example.com --remove --add')
    expect(text).toContain('You can’t combine --add with --replace-with or --remove')
  })

  it('pages through all checks that alert an address, and offers the full list as a file before removing the address', async () => {
    const checks = Array.from({ length: 17 }, (_, index) => ({
      name: `web-${String(index).padStart(2, '0')}`,
      alerts: [['ann@example.com']],
    }))
    const world = await share(...checks)
    const { member } = world.slack
    const first = await member.command('/hc', 'recipients ann@example.com')
    expect(first.message?.text).toContain(
      'ann@example.com gets emails about 17 health checks · page 1 of 2\n',
    )
    const second = await member.click(first.message, 'Next', { until: 'page 2 of 2' })
    expect(second.message?.text).toContain('web-16: ann@example.com')
    await member.click(second.message, 'All 17 as a file', {
      until: 'I sent you a DM with a file that lists all 17',
    })
    const file = (await member.messages('dm')).flatMap(({ files }) => files ?? []).at(-1)
    const csv = await (await fetch(`${world.playground.url}${file?.href}`)).text()
    expect(csv.trim().split('\r\n')).toHaveLength(18)
    const preview = await member.click(second.message, 'Remove everywhere', {
      until: 'Nothing has changed yet.',
    })
    expect(preview.message?.text).toContain('Stop emailing ann@example.com about 17 health checks?')
    expect(preview.message?.text).toContain('web-00, web-01, web-02')
    expect(preview.message?.text).toContain(' more · emails −ann@example.com → no recipients')
    expect(JSON.stringify(preview.message?.blocks)).toContain('All 17 as a file')
    await member.click(preview.message, 'Cancel', { until: 'Canceled.' })
  })

  it('shows added and removed addresses first, regardless of the number of other recipients', async () => {
    const addresses = Array.from({ length: 9 }, (_, index) => `team-${index}@example.com`)
    const world = await share({ name: 'web', alerts: [[...addresses, 'ann@example.com']] })
    const { member } = world.slack
    const readAnswer = async (line: string) =>
      (await member.command('/hc', `recipients ${line}`)).message?.text
    expect(await readAnswer('ann@example.com --remove')).toContain(
      'web · emails −ann@example.com, team-0@example.com, team-1@example.com, and 7 more → team-0@example.com',
    )
    expect(await readAnswer('dan@example.com --add --name w*')).toContain(
      '→ +dan@example.com, team-0@example.com',
    )
    expect(await readAnswer('ann@example.com')).not.toContain('−')
  })

  it('previews adding an address to the checks that match a name', async () => {
    const world = await share(...CHECKS)
    const { text } = await world.slack.member.command('/hc', 'recipients dan@example.com --add --name s*')
    expect(text).toContain('Change who gets emails about 1 “s*” health check: add dan@example.com?')
  })

  it('shows the alerts of a check if a name is typed, and never completes an address', async () => {
    const world = await share(...CHECKS)
    const { member } = world.slack
    const alerts = await member.command('/hc', 'recipients web')
    expect(alerts.text).toContain('bob@example.com')
    expect((await member.command('/hc', 'recipients bob --remove')).text).not.toContain('Stop emailing')
  })

  it('replaces an address everywhere after a preview, and undoes the whole change', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const before = await readAlerts(world)
    const shown = await member.command('/hc', 'recipients ann@example.com')
    await member.click(shown.message, 'Replace…', { until: 'Add these addresses' })
    const preview = await member.submit(
      { 'Add these addresses': 'dan@example.com' },
      { until: 'Nothing has changed yet.' },
    )
    expect(preview.text).toContain('Email dan@example.com in place of ann@example.com about 2 health checks?')
    expect(await readAlerts(world)).toEqual(before)
    await member.click(preview.view, 'Change 2', { until: 'Started.' })
    const report = await waitForDm(world, 'Requested:')
    expect(await readAlerts(world)).toEqual({
      web: [['bob@example.com', 'dan@example.com']],
      shop: [['dan@example.com'], ['cat@example.com']],
      mail: [['cat@example.com']],
      quiet: [],
    })
    await member.click(report, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    expect(await readAlerts(world)).toEqual(before)
  })

  it('shows both addresses of a replacement, even if a check has more recipients than the preview shows', async () => {
    const alerts = [['a@example.com', 'b@example.com', 'c@example.com', 'ann@example.com']]
    const world = await share({ name: 'web', alerts })
    const { text } = await world.slack.member.command(
      '/hc',
      'recipients ann@example.com --replace-with dan@example.com',
    )
    expect(text).toContain('emails −ann@example.com, a@example.com, b@example.com, and 1 more')
    expect(text).toContain('→ +dan@example.com, a@example.com, b@example.com, and 1 more')
    expect(text).not.toContain('Which:')
  })

  it('removes an address everywhere, and deletes alerts that have no recipients left', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const before = await readAlerts(world)
    const shown = await member.command('/hc', 'recipients ann@example.com')
    const preview = await member.click(shown.message, 'Remove everywhere', {
      until: 'Nothing has changed yet.',
    })
    await member.click(preview.message, 'Change 2', { until: 'Started.' })
    const report = await waitForDm(world, 'Requested:')
    expect(await readAlerts(world)).toMatchObject({ web: [['bob@example.com']], shop: [['cat@example.com']] })
    await member.click(report, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    const sortRecipients = (alerts: Record<string, string[][]>) =>
      Object.fromEntries(Object.entries(alerts).map(([name, all]) => [name, all.map(String).sort()]))
    expect(sortRecipients(await readAlerts(world))).toEqual(sortRecipients(before))
  })

  it.each(['recipients'])('asks for exactly one address: %s', async (line) => {
    const world = await share()
    expect((await world.slack.member.command('/hc', line)).text).toContain('Which address?')
  })

  it.each(['notanaddress', '"b@example.com c@example.com"'])(
    'repeats the text after --replace-with if it isn’t one address: %s',
    async (typed) => {
      const world = await share()
      const { text } = await world.slack.member.command(
        '/hc',
        `recipients ann@example.com --replace-with ${typed}`,
      )
      expect(text).toContain(
        `“${typed.replaceAll('"', '')}” after --replace-with isn’t a single email address.`,
      )
    },
  )
})

import { requestOrder } from '@signalman/demo'
import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { addGrant } from '../../give-role.ts'
import { startWorld, WORKSPACE } from '../../world.ts'
import { bringDown, setStatus, startWatchedWorld, untilPolled, untilText } from '../watching/watched-world.ts'

const LIST_PATH = '/healthcheck/v1/healthchecks'

describe('App Home', () => {
  it('shows the first setup step with its button, and updates when the step is done', async () => {
    await using world = await startWorld({ connected: false, environment: { COMMAND_PREFIX: 'x-' } })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('Set up Signalman')
    expect(home.text).toContain('1. Store a connection token')
    expect(home.text).toContain('2. Type /x-hc in any channel')
    expect(await world.service.requests()).toEqual([])
    const form = await member.click(home.home, 'Store a token')
    expect(form.view?.view.title?.text).toBe('Store a token')
    await member.submit({ Token: world.sandbox.token }, { until: 'stored it' })
    // App Home updates automatically, behind the modal.
    await member.until(
      'a Home that is connected',
      ({ home }) => !JSON.stringify(home).includes('Set up Signalman'),
    )
    const connectedHome = await member.openHome()
    expect(connectedHome.text).not.toContain('Set up Signalman')
    expect(JSON.stringify(connectedHome.home)).not.toContain(world.sandbox.token)
  })

  it('shows the settings only to admins, and that nobody has a role yet', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { admin, member } = world.slack
    const before = await admin.openHome()
    expect(before.text).toContain('Nobody was given a role yet.')
    // The one thing to do next.
    expect(JSON.stringify(before.home).match(/"Roles"[^{}]*\}[^{}]*"style":"primary"/g)).toHaveLength(1)
    for (const [button, until] of [
      ['Roles', 'No roles given'],
      ['Replace token', 'Store a token'],
      ['Order settings', 'Approvals channel'],
      ['Audit log', /newest first|No audit entries/],
    ] as const) {
      await admin.click(before.home, button, { until })
      await admin.close({ all: true })
    }
    await addGrant(world.app.store, WORKSPACE, 'operator', EVERYONE, admin.id, new Date())
    const after = await admin.openHome()
    expect(after.text).not.toContain('Nobody was given a role yet.')
    expect(JSON.stringify(after.home)).not.toMatch(/"Roles"[^{}]*\}[^{}]*"style":"primary"/)
    const { text } = await member.openHome()
    for (const word of ['Settings', 'Roles', 'token', 'OTE']) expect(text).not.toContain(word)
  })

  it('shows the reference of an internal error, not its message', async () => {
    await using world = await startWorld()
    await world.slack.faults({ method: 'views.publish', kind: 'error', error: 'invalid_arguments' })
    const home = await world.slack.member.openHome()
    expect(home.text).toContain('Something went wrong inside Signalman.')
    expect(home.text).toMatch(/Reference: [0-9a-f]{10}/)
    expect(home.text).not.toContain('invalid_arguments')
    expect(world.log.join()).toContain('A request failed.')
  })

  it('opens any check that is down from a menu, and a list and its next page in one modal, and can be refreshed', async () => {
    const checks = Array.from({ length: 17 }, (_, index) => ({ name: `mail-${index}`, status: 'UNHEALTHY' }))
    await using world = await startWorld({ checks })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text.replaceAll('\n', '')).toContain('🔴 mail-0')
    expect(home.text).toContain('All 17 down')
    const shown = await member.choose(home.home, 'Open a check…', 'mail-0')
    expect(shown.text).toContain('mail-0 is down')
    await member.close({ all: true })
    const list = await member.click(home.home, 'List')
    expect(list.text).toContain('page 1 of 2')
    expect((await member.click(list.view, 'Next')).text).toContain('page 2 of 2')
    expect(await member.views()).toHaveLength(1)
    await member.close({ all: true })
    await world.service.addCheck({ name: 'another', status: 'UNHEALTHY' })
    await member.click(home.home, 'Refresh', {
      until: ({ home }) => (JSON.stringify(home) ?? '').includes('18 of 18'),
    })
    expect(await member.views()).toEqual([])
  })

  it('starts with what waits for the person, and shows nobody what waits for others', async () => {
    await using world = await startWorld({ access: 'closed', checks: [{ name: 'web' }] })
    const { admin, member } = world.slack
    expect((await admin.openHome()).text).not.toContain('For you')
    await requestOrder(member)
    const { text } = await admin.openHome()
    const parts = ['For you', 'Orders waiting for your decision', 'Now', 'Settings']
    for (const part of parts) expect(text).toContain(part)
    const places = parts.map((part) => text.indexOf(part))
    expect(places).toEqual(places.toSorted((left, right) => left - right))
    expect((await member.openHome()).text).not.toContain('For you')
  })

  it('shows the orders that have waited longest, how many more do, and all of them', async () => {
    await using world = await startWorld()
    const { admin, member } = world.slack
    for (let order = 1; order <= 7; order++) await requestOrder(member, `site-${order}.example.com`)
    const { home, text } = await admin.openHome({ until: 'and 2 more' })
    expect([...text.matchAll(/Order (\d+): site-\1/g)].map(([, number]) => number)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ])
    await admin.click(home, 'All waiting orders', { until: '7 certificate orders' })
    const choice = await admin.command('/cert-order', 'reject', { until: 'Which order?' })
    expect(choice.text).toMatch(/Order 1: .*Order 5: .*and 2 more/s)
  })

  it('shows the outages that the person is on', async () => {
    const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web' }] })
    await using _ = world
    const { admin, member } = world.slack
    const readHome = async (person: typeof member) => (await person.openHome()).text
    await untilPolled(world)
    await bringDown(world, 'web')
    const card = await untilText(world, channelId, 'web is down')
    await member.click(card, 'I’m on it', { until: 'You’re on it' })
    expect(await readHome(member)).toMatch(
      /For you\s+Outages that you’re on\s+🔴\s+web\s+·\s+since.*Member has been on it/s,
    )
    expect(await readHome(admin)).not.toContain('Outages that you’re on')
    await setStatus(world, 'web', 'HEALTHY')
    await untilText(world, channelId, 'web is up again')
    expect(await readHome(member)).not.toContain('Outages that you’re on')
  })

  it('stays short and sends few requests to the service, even with 5,000 health checks', async () => {
    await using world = await startWorld()
    await world.service.addBulkChecks(5000)
    const before = (await world.service.requests()).length
    const home = await world.slack.admin.openHome()
    expect(home.text).toContain('5,000 health checks')
    expect(home.home?.blocks.length).toBeLessThan(40)
    expect((await world.service.requests()).length - before).toBeLessThanOrEqual(8)
  })

  it('leads to what every channel watches and mutes', async () => {
    const { world } = await startWatchedWorld({ checks: [{ name: 'web' }] })
    await using _ = world
    const { member } = world.slack
    const { home } = await member.openHome()
    await member.click(home, 'Watches, mutes, and maintenance', { until: '1 watch in 1 channel' })
  })

  it('offers setup only to people who are allowed to do it', async () => {
    await using world = await startWorld({ access: 'closed', connected: false })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('An admin stores a connection token')
    expect(JSON.stringify(home.home)).not.toMatch(/Store a token|Watches/)
  })

  it('shows and uses OTE if only OTE is connected', async () => {
    await using world = await startWorld({ environment: { API_TOKEN: '' } })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('There are no health checks (OTE)')
    expect((await member.click(home.home, 'Create')).text).toContain('OTE')
  })

  it('offers sharing only in a channel and from one, and not in a direct message', async () => {
    await using world = await startWorld({ checks: [{ name: 'web', status: 'UNHEALTHY' }] })
    const { member } = world.slack
    for (const line of ['', 'list', 'show web', 'history']) {
      const { message } = await member.command('/hc', line, { channel: 'dm' })
      expect(JSON.stringify(message)).not.toContain('--share')
      expect(JSON.stringify((await member.command('/hc', line)).message)).toContain('--share')
    }
    const { home } = await member.openHome()
    const shown = await member.choose(home, 'Open a check…', 'web')
    expect(shown.text).toContain('web is down')
    expect(JSON.stringify(shown.view)).not.toContain('--share')
  })

  it.each([
    [{ kind: 'status', status: 401 }, 'The service doesn’t accept the token.'],
    [{ kind: 'status', status: 500 }, 'The service is unreachable or failing.'],
    [{ kind: 'body', body: '<html>' }, 'couldn’t understand the service’s response'],
    [{ kind: 'hang' }, 'The service did not answer in time.'],
  ] as const)('is shown even if the service fails, and says how: %j', async (fault, expectedText) => {
    // Short only for this fault, because on a busy machine any request may take this long.
    const timeouts = fault.kind === 'hang' ? { headersMs: 300, totalMs: 500 } : {}
    await using world = await startWorld({ serviceLimits: { retry: { attempts: 1 }, timeouts } })
    await world.service.faults({ path: LIST_PATH, ...fault })
    const home = await world.slack.member.openHome()
    expect(home.text).toContain(expectedText)
    expect(home.text).toContain('Help')
  })
})

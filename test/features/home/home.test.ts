import { describe, expect, it } from 'vitest'
import { requestOrder } from '../../../src/demo/order.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { startWorld, WORKSPACE } from '../../world.ts'

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
    await member.until('a Home that is connected', ({ home }) =>
      JSON.stringify(home).includes('What you can do'),
    )
    const connectedHome = await member.openHome()
    expect(connectedHome.text).not.toContain('Set up Signalman')
    // Nothing is wrong with the connection, so App Home doesn't mention it.
    expect(connectedHome.text).not.toContain('Connection')
    expect(JSON.stringify(connectedHome.home)).not.toContain(world.sandbox.token)
    // No permission is missing.
    expect(connectedHome.text).not.toContain('Off here')
  })

  it('shows a checklist until the setup is done, of which it can’t tell everything while the service fails', async () => {
    await using world = await startWorld({ access: 'closed', serviceLimits: { retry: { attempts: 1 } } })
    const { admin } = world.slack
    await world.service.faults({ path: LIST_PATH, kind: 'status', status: 503 })
    const { text } = await admin.openHome()
    expect(text).toContain('Signalman can’t tell right now whether there are health checks.')
    expect(text).not.toContain('✓ Health checks are set up')
    // Whether the service still accepts the token wasn't read.
    expect(text).toContain('✓ A token for the service is stored')
    expect(text).not.toContain('connected')
    await world.service.faults()
    const first = await admin.openHome()
    expect(first.text).toContain('✓ A token for the service is stored')
    expect(first.text).toContain('Give people roles.')
    expect(first.text).toContain('Create your first health check')
    await world.app.store.grants.add(WORKSPACE, 'operator', EVERYONE, admin.id, new Date())
    expect((await admin.openHome()).text).toContain('✓ Roles are set up')
    await world.service.addCheck({ name: 'web' })
    expect((await admin.openHome()).text).not.toContain('Finish setting up')
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

  it('shows one environment in full and the other in one line, with buttons for common actions', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web', status: 'HEALTHY' }, { name: 'mail', status: 'UNHEALTHY' }, { name: 'new' }],
    })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text.replaceAll('\n', '')).toContain('1 of 3 health checks is down · 1 installing')
    expect(home.text).toContain('health checks (OTE)')
    const summary = await member.click(home.home, 'Open OTE')
    expect(summary.view?.view.type).toBe('modal')
    expect(summary.text).toContain('There are no health checks (OTE)')
    await member.close({ all: true })
    expect((await member.click(home.home, 'New health check')).view?.view.submit?.text).toBeDefined()
    await member.close({ all: true })
    expect((await member.click(home.home, 'Help')).text).toContain('Details of one command')
  })

  it('opens any check that is down from a menu, and can be refreshed', async () => {
    const checks = Array.from({ length: 17 }, (_, index) => ({ name: `mail-${index}`, status: 'UNHEALTHY' }))
    await using world = await startWorld({ checks })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text.replaceAll('\n', '')).toContain('🔴 mail-0')
    expect(home.text).toContain('All 17 down')
    expect(home.text.indexOf('mail-0')).toBeLessThan(home.text.indexOf('What you can do'))
    const shown = await member.choose(home.home, 'Open a check…', 'mail-0')
    expect(shown.text).toContain('mail-0 is down')
    await member.close({ all: true })
    await world.service.addCheck({ name: 'another', status: 'UNHEALTHY' })
    await member.click(home.home, 'Refresh', {
      until: ({ home }) => (JSON.stringify(home) ?? '').includes('18 of 18'),
    })
    expect(await member.views()).toEqual([])
  })

  it('starts with requests that are waiting for you, followed by the rest in order', async () => {
    await using world = await startWorld({ access: 'closed', checks: [{ name: 'web' }] })
    const { admin, member } = world.slack
    expect((await admin.openHome()).text).not.toContain('For you')
    await requestOrder(admin)
    // A redraw after the next line would replace the button that is pressed below.
    await admin.until('Home with the order', ({ home }) =>
      JSON.stringify(home).includes('Your recent orders'),
    )
    await member.command('/hc', 'access-request operator', { until: 'I sent your request' })
    const home = await admin.openHome()
    const parts = [
      ...['For you', 'asks for the operator role', 'Now', 'Yours', 'Your recent orders'],
      ...['Watched', 'What you can do'],
    ]
    expect(parts.map((part) => home.text.indexOf(part))).toEqual(
      parts.map((part) => home.text.indexOf(part)).toSorted((left, right) => left - right),
    )
    for (const part of parts) expect(home.text).toContain(part)
    // Nobody else sees who requested what.
    expect((await member.openHome()).text).not.toContain('asks for the operator role')
    await admin.click(home.home, 'Approve the operator role', { until: 'Approved by' })
    await admin.until(
      'Home without it',
      ({ home }) => !JSON.stringify(home).includes('asks for the operator role'),
    )
  })

  it('stays short and sends few requests to the service, even with 5,000 health checks and 200 access requests', async () => {
    await using world = await startWorld()
    await world.service.addBulkChecks(5000)
    const accessRequest = (index: number) => ({
      id: `request-${index}`,
      role: 'operator',
      userId: `U0ASKED${index}`,
      at: new Date().toISOString(),
      adminMessages: [],
    })
    await world.app.store.settings.set(
      WORKSPACE,
      { key: 'access.requests', read: (stored) => stored },
      Array.from({ length: 200 }, (_, index) => accessRequest(index)),
    )
    const before = (await world.service.requests()).length
    const home = await world.slack.admin.openHome()
    expect(home.text).toContain('5,000 health checks')
    expect(home.text).toContain('197 more requests for access')
    expect(home.home?.blocks.length).toBeLessThan(40)
    expect((await world.service.requests()).length - before).toBeLessThanOrEqual(8)
    const access = await world.slack.admin.command('/hc', 'access')
    expect(access.message?.text).toContain('195 more requests for access. To see them')
  })

  it('offers setup only to people who are allowed to do it', async () => {
    await using world = await startWorld({ access: 'closed', connected: false })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('An admin stores a connection token')
    expect(JSON.stringify(home.home)).not.toContain('Store a token')
  })

  it('shows and uses OTE if only OTE is connected', async () => {
    await using world = await startWorld({ environment: { API_TOKEN: '' } })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('Production: no token.')
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
    const list = await member.click(home, 'List health checks')
    const shown = await member.choose(list.view, 'Open a check…', 'web')
    expect(shown.text).toContain('web is down')
    for (const { view } of [list, shown]) expect(JSON.stringify(view)).not.toContain('--share')
  })

  it('opens a list and its next page in the same modal', async () => {
    const checks = Array.from({ length: 20 }, (_, index) => ({ name: `check-${index}` }))
    await using world = await startWorld({ checks })
    const { member } = world.slack
    const home = await member.openHome()
    const list = await member.click(home.home, 'List health checks')
    expect(list.text).toContain('page 1 of 2')
    expect((await member.click(list.view, 'Next')).text).toContain('page 2 of 2')
    expect(await member.views()).toHaveLength(1)
  })

  it('opens a modal in time even if the service is slow, and fills it in later', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      requestDeadlines: { modalDeadlineMs: 50 },
    })
    const { member } = world.slack
    const home = await member.openHome()
    await world.service.faults({ path: LIST_PATH, kind: 'hold' })
    await member.click(home.home, 'List health checks', { until: 'One moment…' })
    await world.service.faults()
    expect(await member.see('1 health check')).toContain('web')
    expect((await world.slack.deliveries('views.open')).map(({ verdict }) => verdict)).toEqual(['ok'])
    expect((await world.slack.deliveries('views.update')).map(({ verdict }) => verdict)).toEqual(['ok'])
  })

  it('is shown even if the service fails, and says how', async () => {
    await using world = await startWorld({
      serviceLimits: { retry: { attempts: 1 }, timeouts: { headersMs: 300, totalMs: 500 } },
    })
    for (const [fault, expectedText] of [
      [{ kind: 'status', status: 401 }, 'The service doesn’t accept the token.'],
      [{ kind: 'status', status: 500 }, 'The service is unreachable or failing.'],
      [{ kind: 'body', body: '<html>' }, 'couldn’t understand the service’s response'],
      [{ kind: 'hang' }, 'The service did not answer in time.'],
    ] as const) {
      await world.service.faults({ path: LIST_PATH, ...fault })
      const home = await world.slack.member.openHome()
      expect(home.text).toContain(expectedText)
      expect(home.text).toContain('What you can do')
    }
  })

  it('lists the features that are off because the app lacks a permission', async () => {
    await using world = await startWorld({ playground: { missingScopes: ['files:write'] } })
    expect((await world.slack.member.openHome()).text).toContain(
      'Off here, because the app lacks a permission: downloading exports and the HTML of reported pages (files:write); screenshots on the cards of threat events (files:read, files:write)',
    )
  })
})

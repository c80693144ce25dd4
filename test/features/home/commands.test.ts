import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { startWorld, WORKSPACE } from '../../world.ts'

const LISTING = '/healthcheck/v1/healthchecks'

describe('App Home', () => {
  it('says what to do first, and leads there', async () => {
    await using world = await startWorld({ connected: false, environment: { COMMAND_PREFIX: 'x-' } })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('Set up Signalman')
    expect(home.text).toContain('1. To do: store a connection token')
    expect(home.text).toContain('2. After that: type /x-hc in any channel')
    expect(await world.service.requests()).toEqual([])
    const form = await member.click(home.home, 'Store a token')
    expect(form.view?.view.title?.text).toBe('Store a token')
    await member.submit({ Token: world.sandbox.token }, { until: 'is stored' })
    // Home shows what came of it by itself, behind the window.
    await member.until('a Home that is connected', ({ home }) =>
      JSON.stringify(home).includes('Quick actions'),
    )
    const after = await member.openHome()
    expect(after.text).not.toContain('Set up Signalman')
    expect(after.text).toContain('Production: connected since')
    expect(after.text).toContain('OTE test environment: not connected.')
    expect(JSON.stringify(after.home)).not.toContain(world.sandbox.token)
  })

  it('keeps a checklist until the set-up is done', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { admin } = world.slack
    const first = await admin.openHome()
    expect(first.text).toContain('1. Done: a connection token is stored.')
    expect(first.text).toContain('2. To do: say who may change health checks.')
    expect(first.text).toContain('3. To do: create the first health check')
    await world.app.store.grants.add(WORKSPACE, 'operator', EVERYONE, admin.id, new Date())
    expect((await admin.openHome()).text).toContain('2. Done: it is said who may change health checks.')
    await world.service.addCheck({ name: 'web' })
    expect((await admin.openHome()).text).not.toContain('Set-up')
  })

  it('shows the reference of a fault of ours, and not what it says', async () => {
    await using world = await startWorld()
    await world.slack.faults({ method: 'views.publish', kind: 'error', error: 'internal_error' })
    const home = await world.slack.member.openHome()
    expect(home.text).toContain('Something went wrong inside Signalman.')
    expect(home.text).toMatch(/Reference: [0-9a-f]{10}/)
    expect(world.log.join()).toContain('A request failed.')
  })

  it('counts by status, and offers what is done often', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web', status: 'HEALTHY' }, { name: 'mail', status: 'UNHEALTHY' }, { name: 'new' }],
    })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('🔴 down: 1\n🟡 installing: 1\n🟢 up: 1')
    expect(home.text).toContain('Health checks (OTE)')
    expect(home.text).toContain(
      'Production: connected with the token that whoever runs this app has configured.',
    )
    const summary = await member.click(home.home, 'Open Health checks')
    expect(summary.view?.view.type).toBe('modal')
    expect(summary.text).toContain('1 of 3 health checks is down')
    const list = await member.click(summary.view, 'List')
    expect(list.text).toContain('3 health checks')
    await member.close({ all: true })
    expect((await member.click(home.home, 'New health check')).view?.view.submit?.text).toBeDefined()
    await member.close({ all: true })
    expect((await member.click(home.home, 'Help')).text).toContain('says all about one')
  })

  it('shows what is down first, and draws itself again when asked to', async () => {
    const checks = Array.from({ length: 7 }, (_, index) => ({ name: `mail-${index}`, status: 'UNHEALTHY' }))
    await using world = await startWorld({ checks })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('🔴 down · mail-0')
    expect(home.text).toContain('2 more that are down')
    expect(home.text.indexOf('mail-0')).toBeLessThan(home.text.indexOf('Quick actions'))
    const shown = await member.click(home.home, 'Open mail-0')
    expect(shown.text).toContain('mail-0')
    await member.close({ all: true })
    await world.service.addCheck({ name: 'another', status: 'UNHEALTHY' })
    await member.click(home.home, 'Refresh', {
      until: ({ home }) => (JSON.stringify(home) ?? '').includes('another'),
    })
    expect(await member.views()).toEqual([])
  })

  it('leaves what is to be set up to those who can do it', async () => {
    await using world = await startWorld({ access: 'closed', connected: false })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('an admin stores a connection token')
    expect(JSON.stringify(home.home)).not.toContain('Store a token')
  })

  it('acts in OTE where only OTE is connected', async () => {
    await using world = await startWorld({ environment: { API_TOKEN: '' } })
    const { member } = world.slack
    const home = await member.openHome()
    expect(home.text).toContain('Production: not connected.')
    expect((await member.click(home.home, 'Summary')).text).toContain('health checks yet (OTE)')
  })

  it('pages in its window', async () => {
    const checks = Array.from({ length: 20 }, (_, index) => ({ name: `check-${index}` }))
    await using world = await startWorld({ checks })
    const { member } = world.slack
    const home = await member.openHome()
    const list = await member.click(home.home, 'List health checks')
    expect(list.text).toContain('page 1 of 2')
    expect((await member.click(list.view, 'Next')).text).toContain('page 2 of 2')
    expect(await member.views()).toHaveLength(1)
  })

  it('opens the window in time when the service is slow, and fills it then', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }], answerTimes: { opensWholeMs: 50 } })
    const { member } = world.slack
    const home = await member.openHome()
    await world.service.faults({ path: LISTING, kind: 'hold' })
    await member.click(home.home, 'List health checks', { until: 'One moment…' })
    await world.service.faults()
    expect(await member.see('1 health check')).toContain('web')
    expect((await world.slack.deliveries('views.open')).map(({ verdict }) => verdict)).toEqual(['ok'])
    expect((await world.slack.deliveries('views.update')).map(({ verdict }) => verdict)).toEqual(['ok'])
  })

  it.each([
    {
      fault: { kind: 'status', status: 401 } as const,
      says: 'The service does not accept the stored token.',
    },
    { fault: { kind: 'status', status: 500 } as const, says: 'The service cannot be reached or is failing.' },
    { fault: { kind: 'body', body: '<html>' } as const, says: 'could not be understood' },
    { fault: { kind: 'hang' } as const, says: 'The service did not answer in time.' },
  ])('is there whatever the service does: $fault.kind $fault.status', async ({ fault, says }) => {
    await using world = await startWorld({
      serviceLimits: {
        retry: { attempts: 1 },
        ...(fault.kind === 'hang' && { timeouts: { headersMs: 300, totalMs: 500 } }),
      },
    })
    await world.service.faults({ path: LISTING, ...fault })
    const home = await world.slack.member.openHome()
    expect(home.text).toContain(says)
    expect(home.text).toContain('Quick actions')
  })
})

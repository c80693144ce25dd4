import { readText } from '@signalman/playground/driver'
import { DAY_MS } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../../../src/domain/roles.ts'
import { plannedView } from '../../../../../src/features/watching/on-call/views/silence-outcomes.ts'
import { startWorld, WORKSPACE, type World } from '../../../../world.ts'
import { startWatchedWorld, untilPolled, untilPosted, WAIT_TIMEOUT_MS } from '../../watched-world.ts'

const OPERATIONS = { channel: 'operations' }
const CHECKS = [{ name: 'web-1' }, { name: 'Bank open API' }]

const listSilences = ({ app }: World) => app.store.watching.silences.list(WORKSPACE)
const readAuditLines = async ({ app }: World) =>
  (await app.store.audit.search({ workspaceId: WORKSPACE, limit: 100 }))
    // Leaves out the rows of roles that a test grants.
    .filter(({ verb }) => verb !== 'role.save')
    .map(({ verb, outcome }) => `${outcome} ${verb}`)

describe('/hc maintenance', () => {
  it('marks the checks it covers in the summary and in the channel’s list', async () => {
    await using world = await startWorld({
      checks: [
        { name: 'web-1', status: 'UNHEALTHY' },
        { name: 'mail', status: 'UNHEALTHY' },
      ],
    })
    const { member } = world.slack
    await member.command('/hc', 'maintenance web-* --from now --for 2h', {
      ...OPERATIONS,
      until: 'Started maintenance',
    })
    for (const line of ['', 'list']) {
      const { message } = await member.command('/hc', line, OPERATIONS)
      expect(message?.text.split('\n').filter((row) => row.includes('in maintenance'))).toEqual([
        expect.stringContaining('web-1'),
      ])
      expect((await member.command('/hc', line)).message?.text).not.toContain('in maintenance')
    }
  })

  it('plans maintenance from a typed range', async () => {
    await using world = await startWorld({ checks: CHECKS })
    for (const [typed, forMs] of [
      ['web-1* Sunday 2–4 am', 7_200_000],
      ['web-2* Sunday 2am to 4:30am', 9_000_000],
      ['Sunday 22:00-1:00 for web-3*', 10_800_000],
      ['web-4* tomorrow 2-4pm', 7_200_000],
    ] as const) {
      const [pattern] = /web-\d\*/.exec(typed) ?? []
      await world.slack.member.command('/hc', `maintenance ${typed}`, {
        ...OPERATIONS,
        until: `Planned maintenance of ${pattern}`,
      })
      const found = (await listSilences(world)).filter(
        ({ subject }) => 'pattern' in subject && subject.pattern === pattern,
      )
      expect(found, typed).toMatchObject([{ forMs }])
    }
  })

  it('keeps the same maintenance planned by two people at once, and tells whoever comes second', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const day = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10)
    const plan = `maintenance web-* --from ${day} --for 2h`
    const answers = await Promise.all(
      [member, admin].map((person) =>
        person.command('/hc', plan, { ...OPERATIONS, until: 'Planned maintenance' }),
      ),
    )
    const plans = await listSilences(world)
    expect(new Set(plans.map(({ ownerId }) => ownerId)).size).toBe(2)
    const told = answers.filter(({ text }) => text.includes('has also planned the same maintenance'))
    expect(told.length).toBeGreaterThan(0)
    for (const { text } of told) expect(text).toContain('ending one doesn’t end the other')
    const again = await member.command('/hc', plan, { ...OPERATIONS, until: 'Planned maintenance' })
    expect(again.text).toMatch(/(You had already|has also) planned the same maintenance/)
    const other = await member.command('/hc', plan.replace('2h', '3h'), { ...OPERATIONS, until: 'Planned' })
    expect(other.text).not.toContain('the same maintenance')
  })

  it('distinguishes maintenance windows with the same name and time in its menus', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const [first, later] = [30, 31].map((days) =>
      new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10),
    )
    for (const from of [`${first} 22:00`, `${first} 22:00`, `${later} 22:00`])
      await member.command('/hc', `maintenance web-* --from "${from}" --for 2h`, {
        ...OPERATIONS,
        until: 'Planned maintenance',
      })
    const { message } = await member.command('/hc', 'maintenance', OPERATIONS)
    const labels = [...JSON.stringify(message?.blocks).matchAll(/"text":"(Change 2[^"]*)"/g)].map(
      ([, label]) => label,
    )
    expect(labels).toEqual([
      `Change ${first} 22:00 (1) maintenance of web-*`,
      `Change ${first} 22:00 (2) maintenance of web-*`,
      `Change ${later} 22:00 maintenance of web-*`,
    ])
  })

  it('plans, lists, changes, and cancels maintenance', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    expect((await member.command('/hc', 'maintenance', OPERATIONS)).text).toContain(
      'No maintenance is planned',
    )
    // Times also work without quotes.
    const planned = await member.command(
      '/hc',
      'maintenance web-* --from Mon 22:00 --for 1h 30m --every week --because "database upgrade"',
      OPERATIONS,
    )
    for (const words of [
      'Planned maintenance of web-* in production, in this channel',
      'for 1 h 30 min',
      'every week',
    ])
      expect(planned.text.replaceAll('\n', '')).toContain(words)
    const [window] = await listSilences(world)
    expect(window).toMatchObject({
      subject: { kind: 'name', pattern: 'web-*' },
      every: 'week',
      forMs: 5_400_000,
    })
    const listed = await member.command('/hc', 'maintenance', OPERATIONS)
    for (const words of ['Maintenance: 1 planned', 'web-*', 'database upgrade'])
      expect(listed.text).toContain(words)
    expect((await member.command('/hc', 'watches', OPERATIONS)).text).toContain('Maintenance: web-*')
    expect((await member.command('/hc', 'show web-1', OPERATIONS)).text).toContain('database upgrade')
    const elsewhere = await member.command('/hc', 'maintenance')
    await member.choose(elsewhere.message, 'Change…', 'Change maintenance of web-*')
    const saved = await member.submit(
      { 'For how long': '2h', Why: 'new disks' },
      { until: 'Saved: maintenance of web-*' },
    )
    expect(saved.text).not.toContain('in this channel')
    await member.close({ all: true })
    const [changed] = await listSilences(world)
    expect(changed).toMatchObject({
      forMs: 7_200_000,
      reason: 'new disks',
      from: window?.from,
      every: 'week',
    })
    const { message: list } = await member.command('/hc', 'maintenance', OPERATIONS)
    const ended = await member.choose(list, 'End or cancel…', 'Cancel maintenance of web-*')
    expect(ended.text).toContain(
      'Canceled maintenance of web-* in production, in this channel. It doesn’t repeat.',
    )
    expect(await listSilences(world)).toEqual([])
    const auditLines = ['', '-edit', '-end'].map((end) => `done /hc maintenance${end}`)
    expect((await readAuditLines(world)).toSorted()).toEqual(auditLines)
    const { message } = await world.slack.admin.command('/hc', 'audit')
    for (const did of ['planned', 'changed', 'ended'])
      expect(message?.text).toContain(`${did} maintenance of web-*\n`)
  })

  it('plans no new maintenance with the button to change one that was canceled', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const line = 'maintenance "Bank open API" tomorrow 22:00 2h'
    const planned = await member.command('/hc', line, OPERATIONS)
    const list = await admin.command('/hc', 'maintenance', OPERATIONS)
    await admin.choose(list.message, 'End or cancel…', 'Cancel maintenance of Bank open API', {
      until: 'Canceled',
    })
    const refused = await member.click(planned.message, 'Change')
    expect(refused.view).toBeUndefined()
    expect(refused.text).toContain('That silence has already ended, or was canceled. Nothing was changed.')
    expect(await listSilences(world)).toEqual([])
  })

  it('shows all planned maintenance, page by page', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const plan = {
      workspaceId: WORKSPACE,
      environment: 'production' as const,
      channelId: undefined,
      reason: '',
      ...{ ownerId: 'U1', ownerName: 'Ann', madeAt: new Date(), timeZone: 'UTC', forMs: 3_600_000 },
    }
    for (let day = 1; day <= 41; day += 1)
      await world.app.store.watching.silences.add({
        kind: 'maintenance',
        ...{ ...plan, planId: `plan-${day}`, from: new Date(Date.now() + day * DAY_MS) },
        subject: { kind: 'name', pattern: `web-${day}-*` },
      })
    const first = await member.command('/hc', 'maintenance', OPERATIONS)
    expect(first.message?.text).toMatch(/^Maintenance: 41 planned · page 1 of 3\n/)
    expect(first.text).not.toContain('web-21-*')
    const second = await member.click(first.message, 'Next', { until: 'page 2 of 3' })
    for (const words of ['web-21-*', 'web-40-*']) expect(second.text).toContain(words)
    const last = await member.click(second.message, 'Next', { until: 'page 3 of 3' })
    expect(last.text).toContain('web-41-*')
    await member.click(last.message, 'Previous', { until: 'web-21-*' })
  })

  it('starts maintenance immediately, ends only the current window, and offers to cancel the remaining ones', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const line = 'maintenance web-* --from now --for 30m --every day'
    const begun = await member.command('/hc', line, { ...OPERATIONS, until: 'Started maintenance' })
    for (const words of [
      'Started maintenance of web-* in production, in this channel, until',
      'announces it now',
      'End it now',
    ])
      expect(begun.text.replaceAll('\n', '')).toContain(words)
    const ended = await member.click(begun.message, 'End it now', { until: 'Ended maintenance' })
    expect(ended.text).toContain('It still repeats every day.')
    expect(await listSilences(world)).toMatchObject([{ every: 'day', state: 'planned' }])
    // Pressing the button again doesn't end the next window.
    await member.click(begun.message, 'End it now', { until: 'has already ended, or was canceled' })
    expect(await listSilences(world)).toHaveLength(1)
    await member.click(ended.message, 'Cancel the rest', { until: 'It doesn’t repeat.' })
    expect(await listSilences(world)).toEqual([])
  })

  it('says that it is announced an hour before it starts, or now if it starts sooner', () => {
    const subject = { kind: 'name', pattern: 'web-*' } as const
    const now = new Date('2026-11-20T12:00:00Z')
    const readOutcome = (minutes: number) => {
      const from = new Date(now.getTime() + minutes * 60_000)
      const plan = {
        subject,
        from,
        forMs: 60_000,
        timeZone: 'UTC',
        reason: '',
        planId: 'plan',
        channelId: 'C1',
      }
      return plannedView({ ...plan, environment: 'production' }, 'new', { now, here: [], userId: 'U1' }).text
    }
    expect(readOutcome(59)).toContain(
      'Signalman announces it now in <#C1>, if that channel watches these health checks.',
    )
    expect(readOutcome(61)).toContain('Signalman announces it an hour before in <#C1>')
  })

  it('reports missing and invalid input, and plans nothing until it is corrected', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    for (const [typed, expectedText] of [
      ['maintenance web-*', 'When does it start?'],
      ['maintenance web-* --from now', 'For how long?'],
      ['maintenance web-* --from soon --for 2h', '“soon” isn’t a time'],
      ['maintenance web-* --from 2020-01-01 --for 2h', 'That time has passed'],
      ['maintenance web-* --from now --for ages', '“ages” isn’t a duration'],
      ['maintenance web-* --from now --for 23h --every day', 'up to 22 hours'],
      ['maintenance nothing --from now --for 2h', 'No health check is named'],
      ['maintenance-end nothing', 'has already ended, or was canceled'],
    ] as const)
      expect((await member.command('/hc', typed, OPERATIONS)).text, typed).toContain(expectedText)
    expect(await listSilences(world)).toEqual([])
    const question = await member.command('/hc', 'maintenance web-* --from now', OPERATIONS)
    await member.click(question.message, 'Open the window')
    const refused = await member.submit(
      { 'For how long': 'ages' },
      { until: ({ view }) => readText(view).includes('isn’t a duration') },
    )
    expect(refused.text).toContain('How long does it take?')
    await member.submit({ 'For how long': '2h' }, { until: 'Started maintenance of web-*' })
    await member.close({ all: true })
    expect(await listSilences(world)).toHaveLength(1)
  })

  it('refuses a form with outdated values', async () => {
    await using world = await startWorld({ checks: CHECKS, access: 'open' })
    const { member, admin } = world.slack
    await member.command('/hc', 'maintenance web-* --from "Mon 22:00" --for 2h', OPERATIONS)
    const [{ planId } = { planId: '' }] = await listSilences(world)
    await member.command('/hc', `maintenance-edit ${planId}`, OPERATIONS)
    await admin.command('/hc', `maintenance-edit ${planId}`, OPERATIONS)
    await admin.submit({ 'For how long': '3h' }, { until: 'maintenance of web-*' })
    const refused = await member.submit({ Why: 'new disks' }, { until: 'Another change was saved after' })
    expect(refused.text).toContain('for 3h, once')
    expect(await listSilences(world)).toMatchObject([{ forMs: 3 * 3_600_000, reason: '' }])
    await member.click(refused.view, 'Open current version')
    await member.submit({ Why: 'new disks' }, { until: 'maintenance of web-*' })
    expect(await listSilences(world)).toMatchObject([{ forMs: 3 * 3_600_000, reason: 'new disks' }])
  })

  it('lets only admins plan maintenance for every channel, but lets operators end it', async () => {
    await using world = await startWorld({ checks: CHECKS, access: 'closed' })
    await world.app.store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
    const { member, admin } = world.slack
    const line = 'maintenance all --from now --for 2h --everywhere'
    expect((await member.command('/hc', line, OPERATIONS)).text).toContain('Only admins can plan maintenance')
    expect(await readAuditLines(world)).toEqual(['refused /hc maintenance'])
    expect((await admin.command('/hc', line, OPERATIONS)).text).toContain('in every channel')
    const [window] = await listSilences(world)
    const ended = await member.command('/hc', `maintenance-end ${window?.planId}`, OPERATIONS)
    expect(ended.text).toContain('Ended maintenance of everything in production, in every channel.')
    expect(await listSilences(world)).toEqual([])
  })

  it('announces maintenance in watching channels, and posts what is still down when it ends', {
    timeout: 60_000,
  }, async () => {
    const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
    await using _ = world
    const { member } = world.slack
    await untilPolled(world)
    await member.command('/hc', 'maintenance web-1 --from now --for 2h --because "new disks"')
    const waitForPost = (words: string) =>
      untilPosted(world, channelId, (all) => all.some(({ text }) => text.includes(words)))
    await waitForPost('Started: maintenance of web-1')
    const [check] = await world.service.checksNamed('web-1')
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    const { history } = world.app.store.watching
    const wholeTime = { from: new Date(0), to: new Date(Date.now() * 2), limit: 9 }
    const listOutages = () =>
      history.listOutages({ workspaceId: WORKSPACE, environment: 'production', ...wholeTime })
    await expect.poll(listOutages, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
    expect((await member.openHome()).text).toContain('new disks')
    const [{ planId } = { planId: '' }] = await listSilences(world)
    const ended = await member.command('/hc', `maintenance-end ${planId}`)
    expect(ended.text).toContain(
      'Ended maintenance of web-1 in production, in this channel. Signalman posts what is still down with nobody on it, in the channels that watch it.',
    )
    await waitForPost('✅ Ended: maintenance of web-1')
    const posts = await waitForPost('🔴 No longer silenced: web-1 is down')
    expect(posts.filter(({ text }) => text.startsWith('🔴'))).toHaveLength(1)
  })
})

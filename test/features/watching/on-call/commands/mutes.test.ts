import { readText } from '@signalman/playground/driver'
import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../../../src/domain/roles.ts'
import { startWorld, WORKSPACE, type World } from '../../../../world.ts'
import { startWatchedWorld, untilPolled, untilPosted, WAIT_TIMEOUT_MS } from '../../watched-world.ts'

const OPERATIONS = { channel: 'operations' }
const CHECKS = [{ name: 'web-1' }, { name: 'Bank open API' }]

const listMutes = ({ app }: World) => app.store.watching.silences.list(WORKSPACE, { kind: 'mute' })
const readAuditLines = async ({ app }: World) =>
  (await app.store.audit.search({ workspaceId: WORKSPACE, limit: 100 }))
    // Leaves out the rows of roles that a test grants.
    .filter(({ verb }) => verb !== 'role.save')
    .map(({ verb, outcome }) => `${outcome} ${verb}`)

describe('/hc mute', () => {
  it('keeps the other arguments when it asks which check to mute', async () => {
    await using world = await startWorld({ checks: [{ name: 'Shop payments' }, { name: 'Bank payments' }] })
    const { member } = world.slack
    const day = new Date(Date.now() + 5 * 24 * 3_600_000).toISOString().slice(0, 'yyyy-mm-dd'.length)
    const question = await member.command('/hc', `mute payments until ${day} 12:00`, OPERATIONS)
    await member.click(question.message, 'Shop payments (shop.example.com)', {
      until: 'in production, in this channel, until',
    })
    const [mute] = await listMutes(world)
    expect(mute?.subject).toMatchObject({ kind: 'check', name: 'Shop payments' })
    expect(mute?.to?.toISOString()).toContain(day)
  })

  it('mutes a check or a pattern until someone ends it, but not for more than a year', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const first = await member.command('/hc', 'mute Bank open API 2h', OPERATIONS)
    expect(first.text).toContain('Muted Bank open API in production, in this channel')
    await member.command('/hc', 'mute web-* 1d', OPERATIONS)
    const tooLong = await member.command('/hc', 'mute all until 2099-01-01', OPERATIONS)
    expect(tooLong.text).toContain('within a year')
    expect((await listMutes(world)).map(({ subject }) => subject.kind)).toEqual(['check', 'name'])
    const shown = await member.command('/hc', 'watches', OPERATIONS)
    for (const words of ['🔕 Muted: Bank open API', '🔕 Muted: web-*']) expect(shown.text).toContain(words)
    expect((await member.choose(shown.message, 'End…', 'Unmute Bank open API')).text).toContain(
      'Unmuted Bank open API in production, in this channel',
    )
    await expect
      .poll(async () => (await listMutes(world)).map(({ subject }) => subject.kind))
      .toEqual(['name'])
    expect((await member.command('/hc', 'unmute nothing such', OPERATIONS)).text).toContain(
      'No health check is named',
    )
    const allWatches = await member.command('/hc', 'watches --all')
    expect((await member.choose(allWatches.message, 'End…', 'Unmute web-*')).message?.text).toContain(
      'Unmuted web-* in production, in <#C0OPERATNS>',
    )
    await expect.poll(() => listMutes(world)).toEqual([])
    const nothing = await member.command('/hc', 'unmute all', OPERATIONS)
    expect(nothing.text).toContain('Nothing is silenced in this channel (production).')
    expect(nothing.text.split('Nothing was changed')).toHaveLength(2)
    expect((await readAuditLines(world)).toReversed()).toEqual([
      'done /hc mute',
      'done /hc mute',
      'done /hc unmute',
      'done /hc unmute',
    ])
  })

  it('replaces the end of an earlier mute of the same checks, longer or shorter', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const read = async (who: typeof member, line: string) =>
      (await who.command('/hc', line, OPERATIONS)).text.replaceAll('\n', '')
    await member.command('/hc', 'watch all', OPERATIONS)
    const first = await admin.command('/hc', 'mute all forever', OPERATIONS)
    expect(first.text).not.toContain('replaces')
    expect(await read(member, 'mute all 30m')).toContain(
      'This replaces the earlier mute, which had no end.When it ends, Signalman posts what is still down with nobody on it.',
    )
    const [shorter, ...others] = await listMutes(world)
    expect(others).toEqual([])
    expect(shorter).toMatchObject({ ownerId: 'U0MEMBER01', to: expect.any(Date) })
    const longer = await read(member, 'mute all 2h')
    expect(longer).toContain('This replaces the earlier mute, which lasted until ')
    expect(longer).not.toContain('stays silenced')
    expect(await listMutes(world)).toHaveLength(1)
    // The button of the first answer ends nothing without asking: that mute was replaced.
    const pressed = await admin.click(first.message, 'Unmute', { until: 'already ended' })
    expect(pressed.text).toContain('“everything” is still silenced by the mute of everything.')
    expect(await listMutes(world)).toHaveLength(1)
    await admin.click(pressed.message, 'Unmute everything', { until: 'Unmuted everything' })
    await expect.poll(() => listMutes(world)).toEqual([])
    expect((await readAuditLines(world)).filter((line) => line === 'done /hc mute')).toHaveLength(3)
  })

  it('says what silences the checks longer than the mute', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const read = async (line: string) =>
      (await member.command('/hc', line, OPERATIONS)).text.replaceAll('\n', '')
    await admin.command('/hc', 'maintenance web* --from now --for 3h --everywhere', {
      ...OPERATIONS,
      until: 'Started',
    })
    await read('mute web-1 4h')
    const answer = await read('mute web-* 1h')
    expect(answer).toMatch(/^Muted web-\* in production, in this channel, until /)
    expect(answer).toMatch(
      /It stays silenced until [^,]*[^a-z]+.*because of maintenance of web\* in production, in every channel\./,
    )
    expect(answer).toContain('because of the mute of web-1 in production, in this channel.')
    expect(answer.match(/Some of it stays silenced/g)).toHaveLength(1)
    // A mute that lasts longer than all of them needs no warning.
    expect(await read('mute web-* 5h')).not.toContain('stays silenced')
    expect(await read('mute Bank open API 1h')).not.toContain('stays silenced')
  })

  it('offers to end what covers a check that has no mute of its own', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const command = (line: string) => member.command('/hc', line, OPERATIONS)
    await admin.command('/hc', 'maintenance web* --from now --for 3h --everywhere', {
      ...OPERATIONS,
      until: 'Started',
    })
    await command('mute web-* 1h')
    await command('mute all 1h --env ote')
    const offered = await command('unmute web-1')
    expect(offered.text).toContain(
      '“web-1” has no mute of its own in this channel (production). These silences apply: the mute of web-*, maintenance of web* in every channel. Do you want to end one?',
    )
    expect(await listMutes(world)).toHaveLength(2)
    const ended = await member.click(offered.message, 'Unmute web-*', { until: 'Unmuted web-*' })
    expect(ended.text.replaceAll('\n', '')).toContain('Still in maintenance: web* in production')
    const again = await command('unmute web-1')
    await member.click(again.message, 'End maintenance of web*', { until: 'Ended maintenance of web*' })
    // Only OTE is silenced now, which is offered by name.
    const ote = await command('unmute web-1')
    expect(ote.text).toContain('These silences apply: the mute of everything in OTE.')
    await member.click(ote.message, 'Unmute everything in OTE', { until: 'Unmuted everything in OTE' })
    expect((await command('unmute web-1')).text).toContain(
      '“web-1” isn’t silenced in this channel (production).',
    )
  })

  it('unmutes everything in the given environment except maintenance, and lists what is still silenced', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const readAnswer = async (line: string) =>
      (await member.command('/hc', line, OPERATIONS)).text.replaceAll('\n', '')
    await member.command('/hc', 'mute web-* 1d', OPERATIONS)
    const nothing = await readAnswer('unmute all --env ote')
    expect(nothing).toContain(
      'There’s no mute in this channel (OTE). These silences apply: the mute of web-* in production.',
    )
    await member.command('/hc', 'mute all 1d --env ote', OPERATIONS)
    await member.command('/hc', 'mute mail-* 1d --env ote', OPERATIONS)
    await admin.command('/hc', 'maintenance bank* --from now --for 1h --everywhere', OPERATIONS)
    const ended = await readAnswer('unmute all --env ote')
    expect(ended).toMatch(/^Unmuted (everything, mail-\*|mail-\*, everything) in OTE, in this channel\./)
    expect(ended).toContain('Still muted: web-* in production, in this channel, until')
    expect(ended).toContain('Still in maintenance: bank* in production, in every channel, until')
    await expect
      .poll(async () => (await listMutes(world)).map(({ environment }) => environment))
      .toEqual(['production'])
    expect(await readAnswer('unmute all')).toContain(
      'Still in maintenance: bank* in production, in every channel',
    )
    expect(await readAnswer('unmute all')).toContain(
      'These silences apply: maintenance of bank* in every channel.',
    )
    expect(await world.app.store.watching.silences.list(WORKSPACE)).toMatchObject([{ kind: 'maintenance' }])
  })

  it('lets people end their own mutes without the operator role, but not other people’s', async () => {
    await using world = await startWorld({ checks: CHECKS, access: 'closed' })
    const { grants } = world.app.store
    const { member, admin } = world.slack
    await grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
    await member.command('/hc', 'mute web-1 1d', OPERATIONS)
    await admin.command('/hc', 'mute "Bank open API" 1d', OPERATIONS)
    await grants.remove(WORKSPACE, 'operator', EVERYONE)
    const refused = await member.command('/hc', 'unmute all', OPERATIONS)
    expect(refused.text).toContain('Only the person who muted this, operators, and admins can end it.')
    expect(await listMutes(world)).toHaveLength(2)
    // Nothing that they can't end is offered.
    const endMenus = async (): Promise<string> => {
      const lists = [
        await member.command('/hc', 'watches', OPERATIONS),
        await member.command('/hc', 'watches --all', OPERATIONS),
        await member.command('/hc', 'unmute', OPERATIONS),
        await member.command('/hc', 'show Bank open API', OPERATIONS),
      ]
      return JSON.stringify(lists.map(({ message }) => message?.blocks))
    }
    const [own, others] = await Promise.all(
      ['web-1', 'Bank open API'].map(async (name) =>
        (await listMutes(world)).find(({ subject }) => 'name' in subject && subject.name === name),
      ),
    )
    const menus = await endMenus()
    expect(menus.split(`/hc unmute ${own?.planId}`)).toHaveLength(4)
    expect(menus).not.toContain(`/hc unmute ${others?.planId}`)
    expect(menus).not.toContain('/hc unmute all')
    expect((await member.command('/hc', 'unmute web-1', OPERATIONS)).text).toContain(
      'Unmuted web-1 in production',
    )
    await expect.poll(() => listMutes(world)).toMatchObject([{ ownerId: 'U0ADMIN001' }])
    for (const line of ['unmute', 'unmute web-1', 'unmute all']) {
      const { text } = await member.command('/hc', line, OPERATIONS)
      expect(text).not.toContain('Do you want to end')
    }
  })

  it('ends exactly the mutes that an older answer listed, or none', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    expect((await member.command('/hc', 'unmute', OPERATIONS)).text).toContain(
      'Nothing is silenced in this channel (production).',
    )
    for (const line of ['mute web-1 2h', 'mute web-* 2h']) await member.command('/hc', line, OPERATIONS)
    const asked = await member.command('/hc', 'unmute', OPERATIONS)
    expect(asked.text).toContain('Which mute do you want to end?')
    await admin.command('/hc', 'mute "Bank open API" 2h', OPERATIONS)
    const changed = await member.click(asked.message, 'All 2', { until: 'Which mute' })
    expect(changed.text).toContain(
      'Other mutes are in this channel now than when you were asked, so none was ended.',
    )
    expect(await listMutes(world)).toHaveLength(3)
    await member.click(changed.message, 'All 3', { until: 'Unmuted' })
    await expect.poll(() => listMutes(world)).toEqual([])
    expect((await member.click(asked.message, 'All 2')).text).toContain('Nothing is silenced in this channel')
  })

  it('says if only some of what was muted is still silenced', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const muted = await member.command('/hc', 'mute web-* 2h', OPERATIONS)
    await member.command('/hc', 'mute web-1 1h', OPERATIONS)
    await member.click(muted.message, 'Unmute', { until: 'Unmuted web-*' })
    const again = await member.click(muted.message, 'Unmute', { until: 'already ended' })
    expect(again.text).toContain('Some of “web-*” is still silenced by the mute of web-1.')
  })

  it('warns if no health check matches, as maintenance and watches do', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    // The message that maintenance has started may come first.
    for (const line of ['mute wbe-* 1d', 'maintenance wbe-* --from now --for 1h', 'watch wbe-*'])
      await member.command('/hc', line, { ...OPERATIONS, until: 'No health check matches this now' })
    for (const line of ['mute web-* 1d', 'mute all 1d', 'maintenance bank* --from now --for 1h'])
      expect((await member.command('/hc', line, OPERATIONS)).text).not.toContain('No health check matches')
  })

  it('is named by a new watch that it affects, unlike other mutes and planned maintenance', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    await member.command('/hc', 'mute web-1 2h', OPERATIONS)
    await member.command('/hc', 'mute "Bank open API" 2h', OPERATIONS)
    await member.command('/hc', 'maintenance web-1 tomorrow 10:00 for 1h', OPERATIONS)
    const { text } = await member.command('/hc', 'watch web-1', { ...OPERATIONS, until: 'Muted here' })
    expect(text).toMatch(/Muted here: [\s\S]*web-1/)
    expect(text).not.toMatch(/Bank open API|In maintenance/)
  })

  it('warns if nothing is watched, not even in a thread, and otherwise says what happens when the mute ends', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const muted = await member.command('/hc', 'mute web-* 1d', OPERATIONS)
    expect(muted.text).toContain('Nothing in production is watched here')
    expect(muted.text).not.toContain('When it ends')
    await member.command('/hc', 'watch all', OPERATIONS)
    expect((await member.command('/hc', 'mute all 1h', OPERATIONS)).text).toContain('When it ends')
    const ote = await member.command('/hc', 'mute all 1h --env ote', OPERATIONS)
    expect(ote.text).toContain('Nothing in OTE is watched here')
    const { watches } = world.app.store.watching
    const [watch] = await watches.list(WORKSPACE)
    if (!watch) throw new Error('Nothing is watched.')
    await watches.add({ ...watch, id: newId(), channelId: `${watch.channelId}/1700000000.000100` })
    await watches.remove(WORKSPACE, watch.id, new Date())
    const inThread = await member.command('/hc', 'mute web-* 1d', OPERATIONS)
    expect(inThread.text).toContain('When it ends')
    expect(inThread.text).not.toContain('is watched here')
  })

  it('lists the wider mutes left after an unmute, and posts what is down after the last one', {
    timeout: 60_000,
  }, async () => {
    const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
    await using _ = world
    const { member } = world.slack
    const readAnswer = async (line: string) => (await member.command('/hc', line)).text.replaceAll('\n', '')
    await untilPolled(world)
    await member.command('/hc', 'mute web-1 1h')
    await member.command('/hc', 'mute web-* 2h')
    await member.command('/hc', 'mute all 3h')
    const [check] = await world.service.checksNamed('web-1')
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    const { history } = world.app.store.watching
    const wholeTime = { from: new Date(0), to: new Date(Date.now() * 2), limit: 9 }
    const listOutages = () =>
      history.listOutages({ workspaceId: WORKSPACE, environment: 'production', ...wholeTime })
    await expect.poll(listOutages, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
    const unmuted = await readAnswer('unmute web-1')
    expect(unmuted).toContain('Unmuted web-1 in production, in this channel.')
    for (const words of [
      'Still muted: web-* in production, in this channel, until',
      'Still muted: everything in production, in this channel, until',
    ])
      expect(unmuted).toContain(words)
    expect(await readAnswer('unmute web-*')).not.toContain('Still muted: web-1')
    expect(await readAnswer('unmute all')).toContain('Unmuted everything in production, in this channel')
    const posts = await untilPosted(world, channelId, (all) => all.length > 0)
    expect(posts[0]?.text).toContain('web-1')
    expect((await listOutages()).filter(({ endedAt }) => !endedAt)).toHaveLength(1)
  })

  it('asks which mute to end if several muted checks have the same name', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }, { name: 'web', customer_id: 2 }] })
    const { member } = world.slack
    const [first, second] = await world.service.checksNamed('web')
    for (const check of [first, second]) await member.command('/hc', `mute ${check?.uuid} 1h`, OPERATIONS)
    const question = await member.command('/hc', 'unmute web', OPERATIONS)
    expect(question.text).toContain('2 health checks named “web” are muted here')
    await member.click(question.message, first?.uuid ?? '', { until: 'Unmuted web' })
    await expect.poll(() => listMutes(world)).toMatchObject([{ subject: { uuid: second?.uuid } }])
  })

  it('allows only admins to mute forever', async () => {
    await using world = await startWorld({ checks: CHECKS, access: 'closed' })
    await world.app.store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
    const { member, admin } = world.slack
    const refused = await member.command('/hc', 'mute web-1 forever', OPERATIONS)
    expect(refused.text).toContain('Only admins can mute forever')
    expect(refused.text.split('Nothing was changed')).toHaveLength(2)
    expect(await listMutes(world)).toEqual([])
    expect(await readAuditLines(world)).toEqual(['refused /hc mute'])
    const muted = await admin.command('/hc', 'mute web-1 forever', OPERATIONS)
    expect(muted.text.replaceAll('\n', '')).toContain('until someone ends it')
    expect(await listMutes(world)).toMatchObject([{ to: undefined }])
  })

  it('asks for a duration, and offers to mute more checks', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const [check] = await world.service.checksNamed('web-1')
    const question = await member.command('/hc', `mute ${check?.uuid}`, OPERATIONS)
    expect(question.text).toContain('For how long should “web-1” be muted?')
    const wider = await member.click(question.message, 'All named web*', {
      until: 'For how long should “web*”',
    })
    expect(readText(wider.message)).toContain('Everything in this channel')
    expect(await listMutes(world)).toEqual([])
    await member.click(wider.message, '4 hours', { until: 'Muted web* in production, in this channel' })
    expect(await listMutes(world)).toMatchObject([
      { channelId: 'C0OPERATNS', subject: { kind: 'name', pattern: 'web*' } },
    ])
    const byName = await member.command('/hc', 'mute "Bank open API"', OPERATIONS)
    expect(byName.text).toContain('For how long should “Bank open API” be muted?')
    await member.click(byName.message, '4 hours', { until: 'Muted Bank open API in production' })
    expect((await listMutes(world)).map(({ subject }) => subject.kind).sort()).toEqual(['check', 'name'])
    const withoutSubject = await member.command('/hc', 'mute 2h', OPERATIONS)
    expect(withoutSubject.text).toContain('What should be muted?')
  })
})

describe('a health check', () => {
  it('shows its watch, mute, and pause in its details and in Home', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    expect((await member.openHome()).text).toContain('No channel watches health checks')
    const shown = await member.command('/hc', 'show web-1', OPERATIONS)
    expect((await member.click(shown.message, 'Watch here')).text).toContain('now watches web-1.')
    const again = await member.command('/hc', 'show web-1', OPERATIONS)
    expect(again.text).toContain('Watched in')
    expect(again.text).not.toContain('Watch here')
    await member.command('/hc', 'mute web-1 1h', OPERATIONS)
    expect((await member.command('/hc', 'show web-1', OPERATIONS)).text).toContain('Muted here')
    const { text } = await member.openHome()
    for (const words of ['1 watch: web-1', 'muted: web-1']) expect(text).toContain(words)
    const { watches } = world.app.store.watching
    await watches.pause(WORKSPACE, 'C0OPERATNS', 'refused', new Date())
    const pausedText = 'paused: Slack refuses Signalman’s messages there'
    // The watch's owner is also notified about the pause.
    const paused = await member.command('/hc', 'show web-1', { ...OPERATIONS, until: 'Watched in' })
    expect(paused.text.replaceAll('\n', '')).toContain(`(⏸️ ${pausedText})`)
    // Opens Home as somebody else, because Signalman retries the channel when the owner opens it.
    expect((await world.slack.admin.openHome()).text).toContain(`⏸️ ${pausedText}`)
    await member.command('/hc', 'watches', { ...OPERATIONS, until: '1 watch paused' })
  })

  it('hides a personal watch when its details are shared', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    await member.command('/hc', 'watch web-1 --me --runbook https://wiki.example.com/web')
    const own = await member.command('/hc', 'show web-1', OPERATIONS)
    expect(own.text).toContain('*Watched in*\nyour direct messages')
    expect(own.text).toContain('wiki.example.com/web')
    const question = await member.click(own.message, 'Share to channel', { until: 'Guests can read' })
    const shared = await member.click(question.message, 'Share', { until: 'Shared by' })
    expect(shared.text).toContain('web-1')
    for (const words of ['Watched in', 'your direct messages', 'wiki.example.com/web', '<#D'])
      expect(shared.text).not.toContain(words)
  })

  it('shows uptime and outages as unknown in its history if it wasn’t observed', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const { text } = await member.command('/hc', 'history web-1')
    for (const words of [
      'Uptime of web-1 isn’t known: Signalman was watching only during maintenance, or not at all · last 7 days',
      '*Outages*not known',
      '*Observed*0 s of 7 d',
    ])
      expect(text.replaceAll('\n', '')).toContain(words)
    expect((await member.command('/hc', 'history --days 91')).text).toContain(
      '--days must be between 1 and 90',
    )
  })
})

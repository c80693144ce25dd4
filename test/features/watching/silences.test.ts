import { DAY_MS, HOUR_MS, newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import type { Silence, SilenceSubject } from '../../../src/features/watching/rules/silence.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { changeWatching } from '../../decide.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { bringDown, CHANNEL, listTexts, startWatchedWorld, untilPolled, untilText } from './watched-world.ts'

const CHECKS = ['web-1', 'web-2', 'Deals', 'Friday Deals'].map((name) => ({ name }))

const listOpen = async (world: World): Promise<string[]> =>
  (await world.app.store.watching.silences.list(WORKSPACE, new Date())).map(({ reason }) => reason).toSorted()

const type = (person: World['slack']['member'], line: string, until: string | RegExp, channel = CHANNEL) =>
  person.command('/hc', line, { channel, until })

const toSubject = (typed: string): SilenceSubject =>
  typed === 'all' ? { kind: 'all' } : { kind: 'name', pattern: typed }

/** A mute from now, or maintenance that begins tomorrow. Its reason is its name in these tests. */
function createSilence(reason: string, others: Partial<Silence> = {}): Silence {
  const isMaintenance = !reason.startsWith('mute')
  const from = new Date(Date.now() + (isMaintenance ? DAY_MS : -HOUR_MS))
  return {
    ...{ id: newId(), workspaceId: WORKSPACE, environment: 'production', channelId: 'C0GENERAL1' },
    ...{ subject: toSubject(reason.split(' ')[1] ?? ''), isMaintenance, reason },
    ...{ from, to: new Date(from.getTime() + 4 * HOUR_MS), timeZone: 'UTC' },
    ...{ ownerId: 'U0ADMIN001', ownerName: 'Ada', madeAt: new Date(Date.now() - HOUR_MS), ...others },
  }
}

/** The labels of the buttons that end one of several. */
const listEndings = (message: { readonly blocks?: unknown } | undefined): string[] =>
  JSON.stringify(message?.blocks ?? '').match(/(?<=")(?:End|Unmute) [^"]*(?=")/g) ?? []

/** In the answer, and not in what the channel reads. */
const ANSWERED = /obody is paged(?: meanwhile|, and)/

const EVERYWHERE = { channelId: undefined }

describe('what /hc unmute ends', () => {
  it.each([
    { line: 'unmute', open: ['mute web-*', 'plan all', 'plan web-*'], left: ['plan all', 'plan web-*'] },
    { line: 'unmute all', open: ['mute web-*', 'mute Deals', 'plan all'], left: ['plan all'] },
    { line: 'unmute *', open: ['mute web-*', 'mute all', 'plan web-*'], left: ['plan web-*'] },
    {
      line: 'unmute web-*',
      open: ['mute web-*', 'mute all', 'plan web-*'],
      left: ['mute all', 'plan web-*'],
    },
    // Another mute may be meant, but maintenance of this name is nothing else.
    { line: 'unmute web-*', open: ['mute *web-*', 'plan web-*'], asks: ['mute *web-*', 'plan web-*'] },
    { line: 'unmute web-*', open: ['plan web-*', 'plan all'], left: ['plan all'] },
    { line: 'unmute web-1', open: ['mute web-*'], asks: ['mute web-*'] },
    { line: 'unmute web-1', open: ['plan web-*', 'mute Deals'], asks: ['plan web-*'] },
    { line: 'unmute', open: ['plan all'], asks: ['plan all'] },
    { line: 'unmute all', open: ['plan all', 'plan web-*'], asks: ['plan all', 'plan web-*'] },
    { line: 'unmute web-1', open: ['mute Deals'], asks: [] },
    { line: 'unmute', open: [], asks: [] },
  ])('$line, while there is $open', async ({ line, open, left, asks = [] }) => {
    const { world } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    for (const reason of open)
      await changeWatching(world.app.store, WORKSPACE, ({ silences }) =>
        silences.add([createSilence(reason, reason === 'plan all' ? { every: 'week' } : {})]),
      )
    // Mutes of another channel are never meant.
    await changeWatching(world.app.store, WORKSPACE, ({ silences }) =>
      silences.add([createSilence('mute all elsewhere', { channelId: 'C0RANDOM01' })]),
    )
    const { message, text } = await type(world.slack.admin, line, left ? 'Ended: ' : /muted here/)
    expect(await listOpen(world)).toEqual([...(left ?? open), 'mute all elsewhere'].toSorted())
    const offered = listEndings(message)
    if (left) return
    expect(text).toMatch(open.length > 0 && asks.length > 0 ? /muted here.*, but there is the / : /\.$/m)
    expect(offered).toHaveLength(asks.length)
  })

  it('says in the answer and in the channel what ends, also that it repeats, and who ended it', async () => {
    const { world, channelId } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    const { admin, member } = world.slack
    await changeWatching(world.app.store, WORKSPACE, ({ silences }) =>
      silences.add([createSilence('plan all', { every: 'week' })]),
    )
    await changeWatching(world.app.store, WORKSPACE, ({ silences }) =>
      silences.add([createSilence('mute web-*')]),
    )
    const ended = await type(member, 'unmute', 'Ended: ')
    expect(ended.text).toMatch(/^Ended: the mute of web-\* by Ada\.$/m)
    await untilText(world, channelId, 'ended the mute of web-* by Ada.')
    const asked = await type(admin, 'unmute', 'Nothing is muted here, but there is')
    expect(asked.text).toContain('the planned maintenance of everything, every week, by Ada')
    const [end = ''] = listEndings(asked.message)
    expect(end).toContain('End everything from ')
    await admin.click(asked.message, end, { until: 'Ended: ' })
    await untilText(world, channelId, 'ended the planned maintenance of everything, every week, by Ada.')
    const again = await admin.click(asked.message, end, { until: 'already ended' })
    expect(again.text).toMatch(/^It has already ended\. Nothing was changed\.$/m)
    expect(await listOpen(world)).toEqual([])
  })

  it('offers two plans that differ only in their times by when they begin', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    const { admin } = world.slack
    const plan = (from: string) =>
      type(admin, `maintenance all from "${from}" for 1h every day --yes`, 'Maintenance: everything')
    await plan('tomorrow 9:00')
    await plan('tomorrow 21:30')
    const { message } = await type(admin, 'unmute', 'Nothing is muted here, but there is')
    const offered = listEndings(message)
    expect(offered.map((label) => label.split(', ').at(-1))).toEqual(['9:00', '21:30'])
    await admin.click(message, offered[1] ?? '', { until: 'Ended: ' })
    const [left] = await world.app.store.watching.silences.list(WORKSPACE, new Date())
    expect(left?.from.toISOString()).not.toContain(':30:')
  })

  it('plans maintenance either in a channel or in all of them', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    const both = 'web-* --from now --for 1h --everywhere --channel C0RANDOM01'
    for (const verb of ['maintenance', 'maintenance-edit'])
      await type(world.slack.admin, `${verb} ${both}`, 'Use either --everywhere or --channel, not both.')
    expect(await listOpen(world)).toEqual([])
  })

  it('ends anything only for operators, and what is in every channel only for admins', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS, access: 'closed' })
    await using _ = world
    const { admin, member } = world.slack
    await changeWatching(world.app.store, WORKSPACE, ({ silences }) =>
      silences.add([createSilence('mute web-*')]),
    )
    await changeWatching(world.app.store, WORKSPACE, ({ silences }) =>
      silences.add([createSilence('plan all', { ...EVERYWHERE, ownerId: 'U0MEMBER01' })]),
    )
    const own = createSilence('mute Deals', { ownerId: 'U0MEMBER01', ownerName: 'Bo' })
    await changeWatching(world.app.store, WORKSPACE, ({ silences }) => silences.add([own]))
    await type(member, 'unmute', 'operator')
    expect(await listOpen(world)).toHaveLength(3)
    await type(admin, 'grant <@U0MEMBER01> operator', 'operator')
    await type(member, 'unmute', 'Ended: ')
    const named = await type(member, 'unmute', 'Nothing is muted here, but there is')
    const [end = ''] = listEndings(named.message)
    expect(end).toContain('End everything from ')
    await member.click(named.message, end, {
      until: 'Only admins can end what is planned for every channel.',
    })
    expect(await listOpen(world)).toEqual(['plan all'])
    const offered = await type(admin, 'unmute', 'Nothing is muted here, but there is')
    await admin.click(offered.message, end, { until: 'Ended: ' })
    expect(await listOpen(world)).toEqual([])
  })
})

describe('what mutes and maintenance need', () => {
  const WEB = { filter: { include: [{ field: 'name' as const, pattern: 'web-*' }], exclude: [] } }
  const ACTS = [
    (subject: string) => `mute ${subject} 1m`,
    (subject: string) => `mute ${subject} 365d`,
    (subject: string) => `maintenance ${subject} --from now --for 1m`,
    (subject: string) => `maintenance ${subject} from "tomorrow 22:00" for 2h every week`,
  ]

  it('does nothing in a channel that watches nothing of it, and offers the channel that does', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS }, WEB)
    await using _ = world
    const { member } = world.slack
    for (const act of [...ACTS, (subject: string) => `mute ${subject}`]) {
      for (const subject of ['web-1', 'web-*', '*eb-2', 'all'])
        await type(
          member,
          act(subject),
          /^This channel doesn’t watch .*, so nothing was (muted|planned)\.$/m,
          'random',
        )
      await type(member, act('*Deals'), /^No channel watches \*Deals, so nothing was (muted|planned)\.$/m)
    }
    const everywhere = 'maintenance *Deals from "tomorrow 22:00" for 2h --everywhere'
    await type(world.slack.admin, everywhere, 'No channel watches *Deals, so nothing was planned.')
    expect(await listOpen(world)).toEqual([])
    const offered = await type(member, 'mute web-1 1h', 'so nothing was muted', 'random')
    const muted = await member.click(offered.message, 'Mute it in #general', { until: 'This is for' })
    expect(muted.message?.text).toContain('This is for <#C0GENERAL1> only.')
    const text = await untilText(world, 'C0GENERAL1', 'Muted: web-1')
    expect(text?.text).toMatch(/by .*Member/)
    await world.slack.admin.click(text, 'Unmute', { until: 'Ended: the mute of web-1' })
    const open = await type(member, 'mute web-2', 'so nothing was muted', 'random')
    const asked = await member.click(open.message, 'Mute it in #general', { until: 'For how long' })
    const later = await member.click(asked.message, '1 hour', { until: 'This is for' })
    expect(later.message?.text).toContain('This is for <#C0GENERAL1> only.')
    const all = await type(member, 'mute all 1h', 'so nothing was muted', 'random')
    await member.click(all.message, 'Mute it in #general', { until: 'Mute everything in #general until ' })
    expect(await listTexts(world, 'C0RANDOM01')).toEqual([])
  })

  it('says that it can’t leave out what was excepted', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    const { member } = world.slack
    await type(member, 'mute all except web-1 1h', 'can’t leave anything out.')
    const mistyped = await type(member, 'mute all expect web-1 1h', 'No health check is named')
    expect(mistyped.text).not.toContain('leave anything out')
    await type(member, 'watch all except web-1', 'now watches')
    expect(await listOpen(world)).toEqual([])
  })

  it('asks before everything is silenced, for a minute and for a year, also by characters that nobody sees', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    const { admin } = world.slack
    for (const act of ACTS)
      for (const subject of ['all', '*', '**', '"*"', '*\u200b', '\u2060*\u200b*'])
        await type(
          admin,
          act(subject),
          /everything in this channel (from \w+ \d+, \d+:\d\d )?until \w+ \d+, \d+:\d\d(, every week)?\?/,
        )
    await type(
      admin,
      `${ACTS[3]?.('all')} --everywhere`,
      /Plan maintenance of everything in every channel from .*, 22:00 until .*, 0:00, every week\?/,
    )
    for (const act of ACTS)
      for (const nothing of ['', '\u200b', '"\u200b"', '""'])
        await type(admin, act(nothing), /Which health check|needs/)
    await type(admin, 'maintenance', 'Health checks')
    const answers = { From: 'now', 'For how long': '2h' }
    await admin.submit({ ...answers, 'Health checks': '\u200b \u2060' }, { until: /Type a name|required/ })
    const asked = await admin.submit(
      { ...answers, 'Health checks': '*\u200b' },
      { until: 'Plan maintenance of everything' },
    )
    expect(asked.text).toMatch(/Not done yet: press a button below, or change your answers and press “Save”/)
    // The same answers ask again, others are about something else, and so is the question.
    const again = await admin.submit({}, { until: 'Not done yet' })
    expect(await listOpen(world)).toEqual([])
    expect(again.text.match(/Not done yet/g)).toHaveLength(1)
    const changed = await admin.submit({ 'For how long': '3h' }, { until: 'Not done yet' })
    expect(await listOpen(world)).toEqual([])
    await admin.click(changed.view, 'Plan it', { until: 'Maintenance: everything' })
    const [planned] = await world.app.store.watching.silences.list(WORKSPACE, new Date())
    expect((planned?.to.getTime() ?? 0) - (planned?.from.getTime() ?? 0)).toBe(3 * HOUR_MS)
    await type(admin, 'maintenance', 'Health checks')
    await admin.submit({ ...answers, 'Health checks': 'all' }, { until: 'Not done yet' })
    await admin.submit({ 'Health checks': 'web-*' }, { until: 'Maintenance: web-*' })
    expect(await listOpen(world)).toHaveLength(2)
  })

  it('takes a check whose name is a star for that check, and says how many checks a pattern matches', async () => {
    const { world } = await startWatchedWorld({ checks: [...CHECKS, { name: '*' }] })
    await using _ = world
    const { admin } = world.slack
    await type(admin, 'mute "*" 2h', /Muted: \*\s+until/)
    const [star] = await world.app.store.watching.silences.list(WORKSPACE, new Date())
    expect(star?.subject).toMatchObject({ kind: 'check', name: '*' })
    await type(admin, 'unmute "*"', 'Ended: the mute of * by')
    await type(admin, 'mute web-* 2h', /Matches 2 health checks now: .*web-1, web-2/)
    await type(admin, 'maintenance *eals from tomorrow 22:00 for 2h', /Matches 2 health checks now/)
  })

  it('is in force at once if it repeats from now on', async () => {
    const { world } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    for (const [at, every] of ['day', 'week', 'month'].entries()) {
      await type(
        world.slack.member,
        `maintenance web-1 --from now --for ${at + 2}h --every ${every}`,
        'Maintenance',
      )
      const shown = await type(world.slack.member, 'show web-1', 'Target')
      expect(shown.text).toContain('aintenance')
      await type(world.slack.member, 'unmute web-1', 'Ended: ')
    }
  })
})

describe('what whoever silences an outage reads', () => {
  const down = 'Down now: web-1, web-2. Nobody is paged about them until then.'
  it.each([
    { line: 'mute web-* 2h', says: down },
    { line: 'mute all 2h --yes', says: down },
    { line: 'mute web-1 2h', says: 'Down now: web-1. Nobody is paged about it until then.' },
    { line: 'maintenance web-* from now for 2h', says: down },
    { line: 'maintenance web-* from now for 2h --everywhere', says: down },
    // These begin later, or are about what isn't down or isn't watched.
    { line: 'maintenance web-* from tomorrow 22:00 for 2h', says: undefined },
    { line: 'mute web-3 2h', says: undefined },
  ])('$line: $says', async ({ line, says }) => {
    await using started = await startDown()
    const { text } = await type(started.world.slack.admin, line, ANSWERED)
    expect(/Down now: .*?then\./.exec(text)?.[0]).toBe(says)
  })

  it('is the same on the button of a card and in a window', async () => {
    await using started = await startDown()
    const { world, channelId } = started
    const { admin } = world.slack
    const card = await untilText(world, channelId, ' are down')
    const question = await admin.click(card, 'Mute all…', { until: 'For how long' })
    expect((await admin.click(question.message, '1 hour', { until: ANSWERED })).text).toContain(down)
    await type(admin, 'maintenance web-*', 'Health checks')
    const answers = { 'Health checks': 'web-*', From: 'now', 'For how long': '2h' }
    expect((await admin.submit(answers, { until: 'Maintenance: web-*' })).text).toContain(down)
  })

  async function startDown() {
    const checks = ['web-1', 'web-2', 'web-3', 'db-1'].map((name) => ({ name }))
    const filter = { include: [{ field: 'name' as const, pattern: 'web-*' }], exclude: [] }
    const started = await startWatchedWorld({ checks }, { filter })
    // Another channel watches what this one doesn't.
    const { watch } = started
    await changeWatching(started.world.app.store, WORKSPACE, ({ watches }) =>
      watches.add({ ...watch, id: newId(), channelId: 'C0RANDOM01', filter: { include: [], exclude: [] } }),
    )
    await untilPolled(started.world)
    for (const name of ['web-1', 'web-2', 'db-1']) await bringDown(started.world, name)
    await untilText(started.world, started.channelId, ' are down')
    return { ...started, [Symbol.asyncDispose]: () => started.world[Symbol.asyncDispose]() }
  }
})

it.each([
  ['mute web-1 2h', 'Muted: web-1'],
  ['maintenance web-1 from now for 2h', 'Maintenance'],
])('begins when it was typed, not when it was carried out: %s', async (line, until) => {
  await using sqlite = await startSqliteFile()
  const { world } = await startWatchedWorld({ checks: CHECKS, environment: { DATABASE_URL: sqlite.url } })
  await using _ = world
  await type(world.slack.admin, line, until)
  await using raw = await openDatabase(sqlite.url)
  const { made_at } = await raw.rows
    .selectFrom('work')
    .select('made_at')
    .where('kind', '=', 'act')
    .orderBy('made_at', 'desc')
    .executeTakeFirstOrThrow()
  const [silence] = await world.app.store.watching.silences.list(WORKSPACE, new Date())
  expect(silence).toMatchObject({
    from: new Date(made_at),
    to: new Date(Date.parse(made_at) + 2 * HOUR_MS),
  })
})

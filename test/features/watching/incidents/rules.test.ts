import { describe, expect, it } from 'vitest'
import type { EscalationStep } from '../../../../src/features/watching/rules/escalation-steps.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import { type Channels, createChannels } from './channel.ts'
import { decideAll, handOver, holds, isBlind, MINUTE, mute } from './in-memory.ts'

const step = (minutes: number, ...names: readonly string[]): EscalationStep => ({
  afterMs: minutes * MINUTE,
  responders: names.map((id) => ({ name: id, id, ...(id.startsWith('@') && { isGroup: true }) })),
})

/** A watched channel in which these checks go down at minute 0. */
async function startDown(
  names: readonly string[],
  watches: readonly Partial<Watch>[] = [{}],
  minutes = 1,
): Promise<Channels> {
  const channels = await createChannels(watches)
  channels.set('down', ...names)
  await channels.pass(minutes)
  return channels
}

/** Passes one minute for each letter: d(own), u(p), or ?(unknown). */
async function follow(channels: Channels, name: string, statuses: string): Promise<void> {
  for (const letter of statuses) {
    channels.set(letter === 'd' ? 'down' : letter === 'u' ? 'up' : 'unknown', name)
    await channels.pass(1)
  }
}

const muteAll = ({ state, now }: Channels, minutes: number) =>
  mute(state, '*', 'production', 'A', now() + minutes * MINUTE, now())
/** Whether each incident is down, how often it fell, and how it ended. */
const listIncidents = ({ state }: Channels) =>
  state.incidents.map(({ isDown, falls, closed }) => [isDown, falls, closed?.ending])
const listLines = ({ state }: Channels) => state.lines.map(({ cardId }) => cardId)

describe('the nineteen rules', () => {
  it('1: one open incident for a check, which closes after 10 minutes of good polls', async () => {
    const channels = await startDown(['web'])
    await follow(channels, 'web', 'uuuuuuuuud')
    expect(listIncidents(channels)).toEqual([[true, 2, undefined]])
    await follow(channels, 'web', 'uuuuuuuuuu')
    expect(listIncidents(channels)).toEqual([[false, 2, undefined]])
    await follow(channels, 'web', 'ud')
    expect(listIncidents(channels)).toEqual([
      [false, 2, 'recovered'],
      [true, 1, undefined],
    ])
  })

  it('1: a poll that says nothing changes nothing, and isn’t quiet time', async () => {
    const channels = await startDown(['web'])
    await follow(channels, 'web', '???')
    expect(listIncidents(channels)).toEqual([[true, 1, undefined]])
    await follow(channels, 'web', `u???????${'u'.repeat(9)}`)
    expect(listIncidents(channels)).toEqual([[false, 1, undefined]])
    await follow(channels, 'web', 'u')
    expect(listIncidents(channels)).toEqual([[false, 1, 'recovered']])
  })

  it('2: --after counts bad polls of the incident, in a row or not, and takes nothing off a card', async () => {
    const channels = await createChannels([{ afterBadPolls: 3 }])
    await follow(channels, 'web', 'dudu')
    expect(channels.reads()).toEqual([])
    await follow(channels, 'web', 'd')
    expect(channels.reads()).toEqual(['4 card: web'])
    channels.watch({ id: 'w0', afterBadPolls: 5 })
    await channels.settle()
    expect(channels.shows()).toEqual(['web down'])
  })

  it('3: what is down is on one card after one decision', async () => {
    const channels = await startDown(['a'])
    channels.set('down', 'b', 'c')
    await channels.pass(1)
    expect(channels.shows()).toEqual(['a down, b down, c down'])
    await channels.pass(10)
    expect(channels.shows()).toEqual(['a down', 'b down, c down'])
  })

  it('4: a card lists what is on it, its title counts that, and it says how many moved where', async () => {
    const channels = await startDown(['a'])
    channels.set('down', 'b', 'c')
    await channels.pass(6)
    const [first, second] = channels.state.messages
    expect(first).toMatchObject({ moved: { [second?.id ?? '']: 2 }, shownVersion: first?.version })
    expect(JSON.parse(first?.wanted ?? '').title).toEqual({ down: 1, open: 1 })
    expect(JSON.parse(second?.wanted ?? '').title).toEqual({ down: 2, open: 2 })
  })

  it('5: two messages of a channel are five minutes apart, unless the watch wants every one', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const readMinutes = async (watch: Partial<Watch>) => {
      const channels = await createChannels([watch])
      for (const name of names) {
        channels.set('down', name)
        await channels.pass(1)
      }
      return channels.arrived.map(({ minute }) => minute)
    }
    expect(await readMinutes({})).toEqual([0, 5])
    expect(await readMinutes({ notify: 'every' })).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('5: five minutes pass on both clocks', async () => {
    const channels = await startDown(['a'])
    channels.see(false)
    await channels.pass(4)
    channels.see(true)
    channels.set('down', 'b')
    await channels.pass(1)
    // On the wall clock, it is minute 5. On the watch clock, only three minutes were observed.
    expect(channels.reads()).toEqual(['0 card: a', '5 card: b'])
  })

  it('6: what is down with nobody on it is named by a message within five minutes', async () => {
    const channels = await startDown(['a'])
    channels.press('ann')
    channels.set('down', 'b')
    await channels.pass(5)
    expect(channels.reads()).toEqual(['0 card: a', '5 card: b'])
  })

  it('7: down again is a message 10, 20, and 40 minutes after the last one', async () => {
    const channels = await startDown(['web'])
    await follow(channels, 'web', 'ud'.repeat(50))
    expect(channels.reads()).toEqual(['0 card: web', '10 card: web', '30 card: web', '70 card: web'])
  })

  it('7: a fall that lasts ten minutes is a message an hour after the last one, and pages from the first step', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }])
    await follow(channels, 'web', `${'ud'.repeat(36)}${'d'.repeat(80)}`)
    const cards = channels.reads().filter((text) => text.includes('card'))
    expect(cards).toEqual(['0 card: web', '10 card: web', '30 card: web', '70 card: web', '130 card: web'])
    // Escalation began at 0. The fall at 72 has lasted ten minutes at 82, which is more than an hour after that.
    expect(channels.reads().filter((text) => text.includes('page'))).toEqual([
      '6 page ann: web',
      '87 page ann: web',
    ])
  })

  it('8: a reminder lists everything with reminders that nobody is on', async () => {
    const channels = await startDown(['a', 'c'], [{ reminderHours: 1 }])
    channels.set('down', 'b')
    await channels.pass(10)
    expect(channels.reads()).toEqual(['0 card: a, c', '5 card: b'])
    channels.press('ann')
    await channels.pass(50)
    expect(channels.reads().slice(2)).toEqual(['60 card: a, c'])
    expect(channels.state.messages.at(-1)?.reason).toBe('reminder')
  })

  it('9: a step pages once, about everything that would page them, whatever the number of channels', async () => {
    const watches = ['A', 'B'].map((channelId) => ({ channelId, escalation: [step(5, '@on-call')] }))
    const channels = await startDown(['a'], watches, 2)
    channels.set('down', 'b')
    await channels.pass(20)
    const pages = ['A', 'B']
      .flatMap((channel) => channels.reads(channel))
      .filter((text) => text.includes('page'))
    expect(pages).toEqual(['5 page @on-call: a, b'])
  })

  it('9: the step of a group is one of each of its members', async () => {
    const channels = await startDown(
      ['web'],
      [{ escalation: [step(5, '@on-call', 'ann'), step(10, 'ann')] }],
      20,
    )
    expect(channels.reads()).toEqual(['0 card: web', '5 page @on-call: web', '10 page ann: web'])
  })

  it('9: a page that mentions a group counts for its members, whatever they are called', async () => {
    const group = { name: '@zulu', id: 'zulu', isGroup: true }
    const person = { name: '@ann', id: 'ann' }
    for (const responders of [
      [group, person],
      [person, group],
    ]) {
      const channels = await createChannels([{ escalation: [{ afterMs: 5 * MINUTE, responders }] }])
      channels.state.groups.zulu = ['ann']
      channels.set('down', 'web')
      await channels.pass(10)
      expect(channels.reads()).toEqual(['0 card: web', '5 page zulu: web'])
    }
  })

  it('9: nobody is paged while it is up', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }], 4)
    await follow(channels, 'web', 'uuuuud')
    expect(channels.reads().filter((text) => text.includes('page'))).toEqual(['9 page ann: web'])
  })

  it('9: a card says only whom it will page, and when', async () => {
    const channels = await createChannels([
      { escalation: [step(5, 'ann'), step(10, 'bea')] },
      { channelId: 'B', escalation: [step(8, 'ann')] },
    ])
    const readNext = () =>
      channels.state.messages.flatMap(({ kind, channelId, nextPage }) =>
        kind === 'card' ? [[channelId, nextPage && `${nextPage.atMs / MINUTE - 1} ${nextPage.names}`]] : [],
      )
    channels.set('down', 'web')
    await channels.pass(3)
    channels.set('down', 'mail')
    await channels.pass(1)
    expect(readNext()).toEqual([
      ['A', '5 ann'],
      ['B', '8 ann'],
    ])
    await channels.pass(3)
    // Ann was paged about both. Whoever is paged about web at 10 is paged about mail too.
    expect(readNext()).toEqual([
      ['A', '10 bea'],
      ['B', undefined],
      ['A', '10 bea'],
      ['B', undefined],
    ])
    await channels.pass(6)
    expect(channels.reads().filter((text) => text.includes('page'))).toEqual([
      '5 page ann: mail, web',
      '10 page bea: mail, web',
    ])
  })

  it('9: a card says when it pages the same person again', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann'), step(10, 'ann')] }], 3)
    const readNext = () => channels.state.messages[0]?.nextPage
    expect(readNext()).toEqual({ atMs: 6 * MINUTE, names: 'ann' })
    await channels.pass(4)
    expect(readNext()).toEqual({ atMs: 11 * MINUTE, names: 'ann' })
  })

  it('9: a card doesn’t name a group whose members were all paged elsewhere', async () => {
    const channels = await createChannels([
      { escalation: [step(10, '@team')] },
      { channelId: 'B', escalation: [step(5, 'ann')] },
    ])
    channels.state.groups['@team'] = ['ann']
    const readNext = () =>
      channels.state.messages.flatMap(({ kind, channelId, nextPage }) =>
        kind === 'card' ? [`${channelId} ${nextPage?.names}`] : [],
      )
    channels.set('down', 'web')
    await channels.pass(3)
    expect(readNext()).toEqual(['A @team', 'B ann'])
    await channels.pass(4)
    expect(readNext()).toEqual(['A undefined', 'B undefined'])
    await channels.pass(10)
    // The first channel pages nobody, as its card said.
    expect(channels.reads().filter((text) => text.includes('page'))).toEqual([])
  })

  it('10: a step that would have passed counts from when it was saved, and other edits move nothing', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }], 31)
    channels.watch({
      id: 'w0',
      escalation: [step(5, 'ann'), step(10, 'bea'), step(40, 'ann')],
      reminderHours: 4,
    })
    await channels.pass(20)
    // The second step was saved at minute 30.
    expect(channels.reads()).toEqual(['0 card: web', '5 page ann: web', '40 page ann bea: web'])
  })

  it('10: a step that is due when it is saved counts from the beginning', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }], 31)
    channels.watch({ id: 'w0', escalation: [step(5, 'ann'), step(30, 'bea')] })
    await channels.pass(9)
    expect(channels.reads()).toEqual(['0 card: web', '5 page ann: web', '31 page bea: web'])
  })

  it('11: a page that isn’t sent yet follows the truth, and what leaves it uses up no step', async () => {
    const channels = await startDown(['a', 'b'], [{ escalation: [step(5, 'ann')] }], 5)
    channels.fail('not-sent')
    await channels.pass(1)
    channels.set('up', 'b')
    await channels.pass(1)
    channels.fail(undefined)
    await channels.settle()
    channels.set('down', 'b')
    await channels.pass(2)
    expect(channels.reads().slice(1)).toEqual(['6 page ann: a', '7 page ann: b'])
  })

  it('11: a page that isn’t sent yet says since when what it still names has waited', async () => {
    const channels = await startDown(['a'], [{ escalation: [step(5, 'ann')] }], 4)
    channels.set('up', 'a')
    await channels.pass(6)
    channels.set('down', 'b')
    await channels.pass(3)
    // The step for a passed while it was up.
    channels.fail('not-sent')
    channels.set('down', 'a')
    await channels.pass(3)
    const readSince = () =>
      channels.state.messages.flatMap(({ page }) => (page ? page.since.slice(11, 16) : []))
    expect(readSince()).toEqual(['12:00'])
    channels.set('up', 'a')
    await channels.pass(1)
    channels.fail(undefined)
    await channels.settle()
    expect(channels.reads().filter((text) => text.includes('page'))).toEqual(['16 page ann: b'])
    expect(readSince()).toEqual(['12:10'])
  })

  it('11: a page about what is up before it is sent isn’t sent', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }], 5)
    channels.fail('not-sent')
    await channels.pass(1)
    channels.set('up', 'web')
    await channels.pass(1)
    channels.fail(undefined)
    await channels.pass(1)
    expect(channels.reads()).toEqual(['0 card: web'])
    expect(channels.state.incidents.map(({ paged }) => paged)).toEqual([{}])
  })

  it('12: “I’m on it” takes what the pressed version lists, that is still on it and nobody is on', async () => {
    const channels = await startDown(['a'])
    channels.fail('not-sent')
    channels.set('down', 'b')
    await channels.pass(1)
    // Slack still shows the version without b.
    expect(channels.press('ann')).toEqual(['a'])
    channels.fail(undefined)
    await channels.settle()
    expect(channels.press('bea')).toEqual(['b'])
    expect(channels.press('bea')).toEqual([])
    await follow(channels, 'a', `${'u'.repeat(11)}d`)
    expect(channels.findOpen('a').onIt).toBeUndefined()
  })

  it('12: a press on a page takes what the page names', async () => {
    const channels = await startDown(['a'], [{ escalation: [step(5, 'ann')] }], 6)
    channels.set('down', 'b')
    await channels.pass(1)
    expect(channels.reads()).toEqual(['0 card: a', '5 page ann: a', '6 card: b'])
    expect(channels.press('ann', 1)).toEqual(['a'])
  })

  it.each([
    ['step down', (channels: Channels) => channels.stepDown('web')],
    [
      'the person leaves',
      ({ state }: Channels) => Object.assign(state.people.bea ?? {}, { isActive: false }),
    ],
  ])('13: everything starts again: %s', async (_, release) => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }])
    channels.press('bea')
    await channels.pass(9)
    release(channels)
    await channels.settle()
    await channels.pass(6)
    expect(channels.reads()).toEqual(['0 card: web', '9 card: web', '14 page ann: web'])
  })

  it('13: everything starts again: a silence ends', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }], 7)
    muteAll(channels, 5)
    await channels.pass(12)
    expect(channels.reads()).toEqual(['0 card: web', '5 page ann: web', '11 card: web', '16 page ann: web'])
  })

  it('13: everything starts again: the channel is back, whatever the time since the last message', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(2, 'ann')] }], 3)
    channels.state.closedChannels = ['A']
    await channels.pass(1)
    channels.state.closedChannels = []
    channels.state.resumed = ['A production']
    await channels.pass(4)
    expect(channels.reads()).toEqual(['0 card: web', '2 page ann: web', '4 card: web', '6 page ann: web'])
  })

  it('13: a channel that is back gets what went down and up meanwhile', async () => {
    const channels = await createChannels()
    channels.state.closedChannels = ['A']
    await follow(channels, 'web', 'ddu')
    channels.state.closedChannels = []
    channels.state.resumed = ['A production']
    await channels.pass(2)
    expect(channels.reads()).toEqual(['3 card: web up'])
  })

  it('13: a channel that is back isn’t told what was muted meanwhile', async () => {
    const channels = await createChannels()
    channels.state.closedChannels = ['A']
    muteAll(channels, 60)
    await follow(channels, 'web', 'ddu')
    channels.state.closedChannels = []
    channels.state.resumed = ['A production']
    await channels.pass(2)
    expect(channels.reads()).toEqual([])
  })

  it('13: a channel that is back while the checks can’t be seen gets what it missed afterwards', async () => {
    const channels = await createChannels()
    channels.state.closedChannels = ['A']
    await follow(channels, 'web', 'ddu')
    channels.see(false)
    await channels.pass(7)
    channels.state.closedChannels = []
    channels.state.resumed = ['A production']
    await channels.pass(1)
    expect(channels.reads()).toEqual(['10 card: production'])
    channels.see(true)
    await channels.pass(1)
    expect(channels.reads().slice(1)).toEqual(['11 card: web up'])
  })

  it.each([
    { label: 'the person', responders: ['ann'], page: '5 page ann: web' },
    { label: 'else an owner who can be notified', responders: ['guest'], page: '5 page bea: web' },
    {
      label: 'one who can, and the owner for one who can’t',
      responders: ['ann', 'cid'],
      page: '5 page ann bea: web',
    },
  ])('14: a step pages $label', async ({ responders, page }) => {
    const channels = await startDown(['web'], [{ ownerId: 'bea', escalation: [step(5, ...responders)] }], 10)
    expect(channels.reads()).toEqual(['0 card: web', page])
  })

  it('14: a step pages in a channel where the person can be notified, if there is one', async () => {
    const watches = ['A', 'B'].map((channelId) => ({ channelId, escalation: [step(5, 'cid')] }))
    const channels = await createChannels(watches)
    Object.assign(channels.state.people.cid ?? {}, { channels: ['B'] })
    channels.set('down', 'web')
    await channels.pass(10)
    expect(channels.reads()).toEqual(['0 card: web'])
    expect(channels.reads('B')).toEqual(['0 card: web', '5 page cid: web'])
  })

  it('14: a step pages an admin by DM if no owner can be notified, or else isn’t used up', async () => {
    const channels = await startDown(['web'], [{ ownerId: 'cid', escalation: [step(5, 'guest')] }], 6)
    expect(channels.reads('dm-admin')).toEqual(['5 page admin: web'])
    const nobody = await createChannels([{ ownerId: 'cid', escalation: [step(5, 'guest')] }])
    Object.assign(nobody.state.people.admin ?? {}, { isActive: false })
    nobody.set('down', 'web')
    await nobody.pass(20)
    expect(nobody.reads()).toEqual(['0 card: web'])
    Object.assign(nobody.state.people.cid ?? {}, { channels: ['A'] })
    await nobody.pass(6)
    expect(nobody.reads()).toHaveLength(2)
    expect(nobody.reads()[1]).toMatch(/^2\d page cid: web$/)
  })

  it('14: handing over refuses who can’t be notified, and sends a DM', async () => {
    const channels = await startDown(['web'])
    channels.press('ann')
    const give = (to: string) => handOver(channels.state, channels.findOpen('web'), to, 'A', channels.now())
    expect([give('guest'), give('cid'), channels.state.dms]).toEqual([false, false, []])
    expect(give('bea')).toBe(true)
    expect(channels.state.dms).toMatchObject([{ to: 'bea', why: 'handed-over' }])
    expect(channels.findOpen('web').onIt?.by).toBe('bea')
  })

  it('15: a mute typed again replaces its end, and silences add up', async () => {
    const channels = await createChannels()
    muteAll(channels, 60)
    const reply = muteAll(channels, 5)
    expect(reply.until).toBe(channels.now() + 5 * MINUTE)
    expect(channels.state.silences).toHaveLength(1)
    channels.state.silences.push({
      ...{ id: 'window', kind: 'maintenance', about: '*', env: 'production' },
      ...{ from: channels.now(), until: channels.now() + 9 * MINUTE },
    })
    expect(muteAll(channels, 5)).toMatchObject({ until: channels.now() + 9 * MINUTE })
    channels.set('down', 'web')
    await channels.pass(12)
    // The maintenance ends nine minutes after minute -1.
    expect(channels.reads()).toEqual(['8 card: web'])
  })

  it('15: what has begun stays begun and what has ended stays ended, whatever the clock does', async () => {
    const channels = await createChannels()
    muteAll(channels, 5)
    await channels.settle()
    const [silence] = channels.state.silences
    if (!silence) throw new Error('There is no mute.')
    expect(holds(silence, channels.now() - 120 * MINUTE)).toBe(true)
    await channels.pass(6)
    expect(holds(silence, channels.now() - 5 * MINUTE)).toBe(false)
  })

  it('16: a saved watch adopts what is down: no message and no page until it is up', async () => {
    const channels = await startDown(['web'], [], 10)
    expect(channels.watch({ escalation: [step(5, 'ann')] })).toMatchObject({
      adopted: [channels.findOpen('web').id],
      posted: [],
    })
    await channels.pass(30)
    expect(channels.reads()).toEqual([])
    await follow(channels, 'web', 'u')
    expect(channels.reads()).toEqual(['40 card: web up'])
    await follow(channels, 'web', 'd')
    expect(channels.shows()).toEqual(['web down'])
  })

  it('16: what is still down at the end of a silence is posted and paged, also if a watch adopted it', async () => {
    const channels = await startDown(['web'], [], 10)
    muteAll(channels, 5)
    channels.watch({ escalation: [step(5, 'ann')] })
    await channels.pass(4)
    expect(channels.reads()).toEqual([])
    await channels.pass(10)
    expect(channels.reads()).toEqual(['14 card: web', '19 page ann: web'])
  })

  it('16: the end of a silence posts no outage for a watch that waits for its recovery', async () => {
    const channels = await startDown(['web'], [], 10)
    channels.watch({ recoveryOf: [channels.findOpen('web').id] })
    muteAll(channels, 5)
    await channels.pass(10)
    expect(channels.reads()).toEqual([])
    await follow(channels, 'web', 'u')
    expect(channels.reads()).toEqual(['20 card: web up'])
  })

  it('16: a promised recovery is a message of its own, also minutes after another one', async () => {
    const channels = await startDown(['web', 'shop'], [], 10)
    const ids = ['web', 'shop'].map((name) => channels.findOpen(name).id)
    channels.watch({ recoveryOf: ids })
    await follow(channels, 'web', 'u')
    await follow(channels, 'shop', 'u')
    expect(channels.reads()).toEqual(['10 card: web up', '11 card: shop up'])
  })

  it('16: a watch adopts nothing that an older watch of the channel matches', async () => {
    const channels = await startDown(['web'])
    expect(channels.watch()).toMatchObject({ adopted: [], posted: [channels.findOpen('web').id] })
  })

  it('16: a watch adopts nothing that an older watch here waits for, or that isn’t confirmed', async () => {
    const waiting = await startDown(['web'], [{ afterBadPolls: 5 }])
    expect(waiting.watch()).toMatchObject({ adopted: [], posted: [] })
    await waiting.pass(1)
    expect(waiting.reads()).toEqual(['1 card: web'])
    const unconfirmed = await startDown(['web'], [])
    expect(unconfirmed.watch({ afterBadPolls: 3 })).toMatchObject({ adopted: [] })
    await unconfirmed.pass(2)
    expect(unconfirmed.reads()).toEqual(['2 card: web'])
  })

  it('17: what becomes due while the checks can’t be seen waits until they can', async () => {
    const channels = await startDown(['web'])
    channels.press('ann')
    channels.see(false)
    await channels.pass(9)
    channels.stepDown('web')
    await channels.pass(5)
    expect(channels.reads()).toEqual(['0 card: web', '6 card: production'])
    channels.see(true)
    await channels.pass(1)
    expect(channels.reads().slice(2)).toEqual(['15 card: web'])
  })

  it('17: five failed polls and five minutes are an incident, during which nothing else is posted or paged', async () => {
    const channels = await startDown(['a'], [{ escalation: [step(5, 'ann')] }])
    channels.see(false)
    await channels.pass(5)
    expect(isBlind(channels.state, 'production')).toBe(false)
    await channels.pass(1)
    expect(isBlind(channels.state, 'production')).toBe(true)
    muteAll(channels, 600)
    await channels.pass(120)
    expect(channels.reads()).toEqual(['0 card: a', '6 card: production'])
    channels.see(true)
    await channels.pass(1)
    expect(channels.shows()).toEqual(['a down', 'production up'])
  })

  it('18: a message whose answer was lost isn’t sent again, and one that never arrived is decided again', async () => {
    const channels = await createChannels()
    channels.set('down', 'web')
    channels.fail('lost')
    await channels.pass(1)
    channels.fail(undefined)
    await channels.pass(3)
    expect(channels.reads()).toEqual(['0 card: web'])
    channels.set('down', 'mail')
    await channels.pass(1)
    channels.fail('not-arrived')
    await channels.pass(1)
    channels.set('down', 'shop')
    await channels.pass(1)
    channels.fail(undefined)
    await channels.pass(1)
    expect(channels.reads()).toEqual(['0 card: web', '7 card: mail, shop'])
    expect(channels.shows()).toEqual(['web down', 'mail down, shop down'])
  })

  it('18: a page that never arrived, found out after a later fall, doesn’t count for its steps', async () => {
    const channels = await startDown(['web'], [{ escalation: [step(5, 'ann')] }], 5)
    channels.fail('not-arrived')
    await channels.pass(1)
    channels.fail('not-sent')
    await follow(channels, 'web', 'u'.padEnd(58, 'd'))
    const readCounts = () => [
      channels.state.incidents.map(({ paged }) => paged),
      channels.state.lines.map(({ pagedBefore }) => pagedBefore),
    ]
    expect(readCounts()).toEqual([[{ ann: 1 }], [{ ann: 1 }]])
    channels.fail(undefined)
    await channels.settle()
    expect(readCounts()).toEqual([[{}], [{ ann: 0 }]])
    await channels.pass(20)
    // Escalation began again at 60.
    expect(channels.reads()).toEqual(['0 card: web', '63 card: web', '65 page ann: web'])
  })

  it('18: a card that never arrived and isn’t the latest isn’t sent: what it lists is news again', async () => {
    const channels = await startDown(['web'], [{}], 6)
    channels.set('down', 'mail')
    await channels.pass(1)
    const [first, second] = channels.state.messages
    if (!first || !second) throw new Error('There aren’t two cards.')
    // It was deleted in Slack, and then Slack refused to post it again.
    channels.state.messages = [{ ...first, attempted: undefined, shownVersion: 0 }, second]
    await decideAll(channels.state, channels.now())
    expect(channels.state.messages).toHaveLength(1)
    expect(listLines(channels)).toEqual([second.id, second.id])
  })

  it('18: a card that was never sent and lists nothing anymore is deleted', async () => {
    const channels = await createChannels()
    channels.fail('not-sent')
    channels.set('down', 'web')
    await channels.pass(1)
    expect(channels.state.messages).toHaveLength(1)
    channels.state.watches = []
    await channels.settle()
    expect(channels.state.messages).toEqual([])
  })

  it('19: deciding again changes nothing, and nothing changes before the next wake-up', async () => {
    const channels = await startDown(['a', 'b'], [{ escalation: [step(5, '@on-call')], reminderHours: 1 }], 3)
    const wakeAt = await decideAll(channels.state, channels.now())
    const before = JSON.stringify([channels.state.messages, channels.state.lines, channels.state.incidents])
    for (const at of [channels.now(), (channels.now() + wakeAt) / 2, wakeAt - 1]) {
      const later = structuredClone(channels.state)
      await decideAll(later, at)
      expect(JSON.stringify([later.messages, later.lines, later.incidents])).toBe(before)
    }
    expect(wakeAt).toBe(channels.now() + 3 * MINUTE)
    expect(new Set(listLines(channels)).size).toBe(1)
  })
})

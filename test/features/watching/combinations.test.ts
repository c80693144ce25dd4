import { expect, it } from 'vitest'
import { endedView } from '../../../src/features/watching/on-call/views/silence-outcomes.ts'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { ALL_CHECKS, type NewWatch } from '../../../src/features/watching/rules/watch.ts'
import { cardView } from '../../../src/features/watching/views/cards.ts'
import {
  adoptedPostedView,
  resumedView,
  unwatchedView,
} from '../../../src/features/watching/views/outcomes.ts'
import { MAINTENANCE_EFFECT } from '../../../src/features/watching/views/silences.ts'
import { createFakeChecks } from './model/fakes.ts'
import { createModel, type Model } from './model/model.ts'
import { createSilence } from './silences.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const MINUTE_MS = 60_000

/** What each channel reads at the end, oldest message first, without addresses and windows. */
const readChannels = ({ channels }: Model): string[] =>
  [...channels.messages.values()].flatMap(({ channelId, model }) =>
    'rows' in model ? [`${channelId}: ${renderText(model)}`] : [],
  )

function renderText(stored: CardModel): string {
  // The fake Slack stores models as JSON, in which dates are text.
  const model: CardModel = JSON.parse(JSON.stringify(stored), (_, value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) ? new Date(value) : value,
  )
  return cardView(model)
    .text.replace(/<!date\^\d+\^[^|]*\|\S+ (\d\d:\d\d) UTC>/g, '$1')
    .split('\n')
    .filter((line) => !line.includes('example.com'))
    .join(' / ')
    .replaceAll('\u2060', '')
}

const addWatch = ({ store, now }: Model, watch: Partial<NewWatch> & Pick<NewWatch, 'channelId' | 'filter'>) =>
  store.watching.watches.add({
    ...SCOPE,
    ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: now() },
    ...watch,
  })

/** Channel C1 watches all checks, or check-a1 and check-a2 (`filter` 1), and the first check goes down at 12:02. */
async function startWithOutage(filter: 0 | 1, options: Parameters<Model['watch']>[3] = {}): Promise<Model> {
  const model = await createModel()
  await model.watch(0, filter, 1, options)
  await model.passMinutes(2)
  model.setStatus(0, 'UNHEALTHY')
  return model
}

const DOWN = '🔴 check-a1 is down · since 12:02 / Nobody is on it.'
const GONE = '⚪ Nothing is listed here anymore / 1 incident is no longer watched here'
const PAGE =
  '<!subteam^S1> check-a1 is down. It has waited for someone since 12:02. / 🔴 check-a1 · since 12:02'

it('takes a check that is renamed while it’s muted off its card, and posts it if it’s renamed back', async () => {
  await using model = await startWithOutage(1)
  await model.passMinute()
  await model.mute(0, 0)
  model.renameCheck('a1', 'other')
  await model.passMinutes(3)
  expect(readChannels(model)).toEqual([`C1: ${GONE}`])
  await model.passMinutes(15)
  model.renameCheck('a1', 'check-a1')
  await model.passMinutes(3)
  expect(readChannels(model)).toEqual([`C1: ${GONE}`, `C1: ${DOWN}`])
})

it('pages only about what a watch had posted if it’s widened while the page is due', async () => {
  await using model = await startWithOutage(1, { pages: true })
  model.setStatus(3, 'UNHEALTHY')
  await model.passMinutes(4)
  await model.watch(0, 0, 1, { pages: true })
  await model.passMinutes(4)
  model.setStatus(3, 'HEALTHY')
  await model.passMinutes(2)
  expect(readChannels(model)).toEqual([
    `C1: ${DOWN} Pages @ann 12:12.`,
    `C1: ${PAGE}`,
    'C1: 🟢 check-b1 is up again · since 12:10, was down 8 min / Closes if it stays up for 10 minutes.',
  ])
})

it('doesn’t claim that a check is up if its last watch ends while it’s down', async () => {
  await using model = await startWithOutage(0, { pages: true })
  await model.passMinutes(7)
  await model.unwatch(0)
  await model.passMinutes(2)
  expect(readChannels(model)).toEqual([
    `C1: ${GONE}`,
    'C1: <!subteam^S1> check-a1 was down when watching ended. / ⚪ Watching ended · check-a1 was down from 12:02, for 6 min',
  ])
})

it('pages once for two channels, of which one is muted', async () => {
  await using model = await startWithOutage(0, { pages: true })
  await model.watch(1, 0, 1, { pages: true })
  await model.mute(0, 0)
  await model.passMinutes(8)
  expect(readChannels(model)).toEqual([`C2: ${DOWN} Pages @ann 12:12.`, `C2: ${PAGE}`])
  await model.passMinutes(9)
  expect(model.channels.pagedPeople).toEqual(['S1', 'U1'])
  expect(readChannels(model).at(-1)).toMatch(/^C1: 🔴 No longer silenced: check-a1 is down · since 12:02/)
})

it('says in a recovery DM that the check was deleted, and ends the watch', async () => {
  await using model = await startWithOutage(1)
  await model.passMinute()
  const filter = { include: [{ field: 'uuid', pattern: 'a1' }], exclude: [] } as const
  const downChecks = [{ uuid: 'a1', name: 'check-a1' }]
  await addWatch(model, { channelId: 'C3', filter, downChecks, isRecovery: true })
  model.removeCheck(0)
  await model.passMinutes(3)
  const deleted = '⚪ check-a1 was deleted · was down 1 min / From 12:02 to 12:03'
  expect(readChannels(model)).toEqual([`C1: ${deleted}`, `C3: ${deleted}`])
  expect(await model.store.watching.watches.list('T1', { channelId: 'C3' })).toEqual([])
})

it('stops paging when maintenance starts in the middle of an incident, and starts again after it', async () => {
  await using model = await startWithOutage(0, { pages: true })
  await model.passMinutes(3)
  await model.planMaintenance('check-a*', { inMinutes: 0, forMinutes: 10, channel: 0 })
  await model.passMinutes(5)
  expect(readChannels(model)).toEqual([
    `C1: ${DOWN} / Maintenance: check-a* in production, in this channel, until 12:15: database upgrade`,
  ])
  await model.passMinutes(12)
  expect(readChannels(model)).toEqual([
    'C1: ⚪ Nothing is listed here anymore / 1 incident moved to a newer message',
    'C1: 🔴 No longer silenced: check-a1 is down · since 12:02 / Nobody is on it. Pages @ann 12:25.',
    `C1: ${PAGE.replace('since 12:02.', 'since 12:15.')}`,
  ])
})

it.each([120, -120])(
  'pages each step once if the clock jumps by %i minutes with a mute running',
  async (jump) => {
    await using model = await startWithOutage(0, { pages: true })
    await model.passMinutes(2)
    await model.mute(0, 1)
    model.setStatus(1, 'UNHEALTHY')
    await model.passMinute()
    await model.jumpClock(jump)
    await model.passMinutes(14)
    const paged = model.channels.pagedPeople
    expect(paged.slice(0, 2)).toEqual(['S1', 'U1'])
    expect(paged.filter((who) => who === 'U1')).toHaveLength(1)
    // Forward, the mute is over. Back, it isn't, and its check isn't posted.
    const posts = readChannels(model).filter((text) => text.includes('No longer silenced: check-a2'))
    expect(posts).toHaveLength(jump > 0 ? 1 : 0)
  },
)

it('posts the recovery in one environment while the checks of the other can’t be seen', async () => {
  const ote = createFakeChecks(['o1'])
  await using model = await createModel({ ote: ote.api })
  await model.watch(0, 0, 1)
  await addWatch(model, { channelId: 'C1', environment: 'ote', filter: ALL_CHECKS })
  await model.passMinutes(2)
  model.setStatus(0, 'UNHEALTHY')
  ote.state.failure = 'unavailable'
  await model.passMinutes(7)
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(2)
  const [production, blind] = readChannels(model)
  expect(production).toMatch(
    /^C1: 🟢 check-a1 is up again · since 12:\d\d, was down \d+ min \/ Closes if it stays up for 10 minutes\.$/,
  )
  expect(blind).toMatch(/^C1: ⚫ I can’t see the health checks \(OTE\) · since 12:\d\d \/ The service /)
  ote.state.failure = undefined
  await model.passMinutes(2)
  expect(readChannels(model)).toEqual([
    production,
    expect.stringMatching(/^C1: 🟢 I can see the health checks \(OTE\) again/),
  ])
})

it.each(['edit_window_closed', 'cant_update_message'])(
  'posts a new message if Slack refuses to edit one with %s, and pauses nothing',
  async (code) => {
    await using model = await startWithOutage(0)
    await model.passMinutes(2)
    Object.assign(model.channels.poster, {
      edit: async () => {
        throw new Error(`An API error occurred: ${code}`)
      },
    })
    model.setStatus(0, 'HEALTHY')
    await model.passMinutes(3)
    expect(readChannels(model)).toEqual([
      `C1: ${DOWN}`,
      'C1: 🟢 check-a1 is up again · since 12:04, was down 2 min / Closes if it stays up for 10 minutes.',
    ])
    const [watch] = await model.store.watching.watches.list('T1')
    expect(watch?.paused).toBeUndefined()
  },
)

it('pauses the channel and tells the owner if Slack refuses an edit even in Signalman’s own words', async () => {
  await using model = await startWithOutage(0)
  await model.passMinutes(2)
  const { edit } = model.channels.poster
  Object.assign(model.channels.poster, {
    edit: async () => {
      throw new Error('An API error occurred: msg_too_long')
    },
  })
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(3)
  const [watch] = await model.store.watching.watches.list('T1')
  expect(watch?.paused?.reason).toBe('refused')
  expect(model.channels.direct).toMatchObject([{ to: 'U1' }])
  Object.assign(model.channels.poster, { edit })
  await model.passMinutes(62)
  expect(readChannels(model)).toEqual(['C1: 🟢 check-a1 is up again · was down 2 min / From 12:02 to 12:04'])
})

it('says how much of what was adopted is posted, silenced, or waits', async () => {
  await using model = await createModel()
  await model.watch(1, 0, 1)
  await model.passMinutes(2)
  model.setStatus(0, 'UNHEALTHY')
  model.setStatus(3, 'UNHEALTHY')
  await model.passMinute()
  const { watches, silences } = model.store.watching
  const times = { from: model.now(), forMs: 15 * MINUTE_MS }
  const subject = { kind: 'check', uuid: 'a1', name: 'check-a1' } as const
  await silences.add(createSilence({ ...SCOPE, ...times, channelId: 'C1', subject }))
  await model.watch(0, 0, 1)
  const [watch] = await watches.list('T1', { channelId: 'C1' })
  const outcome = await watches.postAdopted('T1', watch?.id ?? '')
  expect(outcome).toEqual({ posted: 1, silenced: 1, later: 0 })
  expect(adoptedPostedView({ posted: 0, silenced: 1, later: 0 }).text).toBe(
    'Nothing is posted now.\n1 health check that was down at the last poll is silenced. Signalman posts what is still down when the silence ends.',
  )
  await model.passMinute()
  expect(readChannels(model).filter((text) => text.startsWith('C1'))).toEqual([
    'C1: 🔴 check-b1 is down · since 12:02 / Nobody is on it.',
  ])
  await model.watch(2, 0, 1)
  await model.pause(2)
  const [paused] = await watches.list('T1', { channelId: 'C3' })
  expect(await watches.postAdopted('T1', paused?.id ?? '')).toEqual({ posted: 0, silenced: 0, later: 2 })
})

it.each([
  { covered: 'shop*', isPromised: false },
  { covered: 'shop-1*', isPromised: true },
])(
  'promises what is still down when maintenance of shop* ends under a mute of $covered: $isPromised',
  async ({ covered, isPromised }) => {
    await using model = await createModel()
    const mute = await model.store.watching.silences.add(
      createSilence({
        ...SCOPE,
        channelId: 'C1',
        from: model.now(),
        subject: { kind: 'name', pattern: covered },
      }),
    )
    const subject = { kind: 'name', pattern: 'shop*' } as const
    const plan = { kind: 'maintenance', planId: 'plan', every: undefined, hasBegun: true } as const
    const { text } = endedView([{ ...SCOPE, channelId: 'C1', subject, ...plan }], [mute], {
      endsRecurrence: true,
      here: ['C1'],
      mayEnd: () => true,
    })
    expect(text.includes('Signalman posts what is still down')).toBe(isPromised)
    expect(text).toContain(`Still muted: ${covered} in production, in this channel`)
  },
)

it('posts nothing at the end of maintenance about what someone is on, and its announcement promises only the rest', async () => {
  await using model = await startWithOutage(0)
  await model.passMinutes(2)
  await model.press('take')
  await model.planMaintenance('check-a*', { inMinutes: 0, forMinutes: 20, channel: 0 })
  await model.passMinutes(60)
  expect(readChannels(model)).toEqual([expect.stringMatching(/^C1: 🔴 check-a1 is down .* Ann is on it/)])
  expect(MAINTENANCE_EFFECT).toContain('Signalman posts what is still down with nobody on it')
})

it('announces maintenance while the checks can’t be seen, of which the card says only that no outage is posted', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinutes(2)
  model.setServiceFailure('unavailable')
  await model.passMinutes(20)
  await model.planMaintenance('check-a*', { inMinutes: 0, forMinutes: 20, channel: 0 })
  await model.passMinutes(3)
  expect([...model.channels.messages.values()].map(({ model: { kind } }) => kind)).toEqual([
    'card',
    'maintenance',
  ])
  expect(readChannels(model)[0]).toContain(
    'Until I can, no outage is posted here, and nobody is paged about one.',
  )
})

it('posts no summary after the last watch of a channel has ended, which its answer says', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.watch(1, 0, 1)
  await model.passMinutes(2)
  const settings = { hour: 13, timeZone: 'UTC' }
  const next = new Date(model.now().getTime() + 58 * MINUTE_MS)
  const channel = { ...SCOPE, channelId: 'C1' }
  await model.store.watching.digests.set(channel, settings, { userId: 'U1', now: model.now(), next })
  await model.unwatch(0)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(120)
  expect([...model.channels.messages.values()].map(({ channelId }) => channelId)).toEqual(['C2'])
  expect(unwatchedView([], [{ ...channel, ...settings }], ['C1']).text).toContain(
    'The daily summary stays on: at 13:00, UTC, after days with posted outages.',
  )
})

it('posts nothing in a resumed channel about what was down before its watch, and promises only what was missed', async () => {
  await using model = await createModel()
  await model.watch(1, 2, 1)
  await model.passMinutes(2)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(2)
  await model.watch(0, 0, 1)
  await model.pause(0)
  await model.passMinutes(2)
  await model.resume(0)
  await model.passMinutes(10)
  expect(readChannels(model)).toEqual([])
  expect(resumedView(1).text).toContain(
    'Resumed 1 watch in that channel. Signalman posts what was missed there.',
  )
})

it('says of a check that is up since when, because polls that say nothing put off when it closes', async () => {
  await using model = await startWithOutage(0)
  await model.passMinutes(2)
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(2)
  model.setStatus(0, 'ODD')
  await model.passMinutes(5)
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(4)
  expect(readChannels(model)).toEqual([
    'C1: 🟢 check-a1 is up again · since 12:04, was down 2 min / Closes if it stays up for 10 minutes.',
  ])
  await model.passMinutes(5)
  expect(readChannels(model)).toEqual([expect.stringContaining('was down 2 min')])
})

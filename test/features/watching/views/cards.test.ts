import { describe, expect, it } from 'vitest'
import type { Incident } from '../../../../src/domain/outages/incident.ts'
import type { ShownPost } from '../../../../src/features/watching/rules/shown-post.ts'
import { inForce, type Silence } from '../../../../src/features/watching/rules/silence.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import { cardView, noteView, ownerPageView, upView } from '../../../../src/features/watching/views/cards.ts'
import { homeTakenBlocks } from '../../../../src/features/watching/views/on-it.ts'
import { watchedView } from '../../../../src/features/watching/views/outcomes.ts'
import { formatSilence, formatSilences } from '../../../../src/features/watching/views/silences.ts'
import { pausedView, watchesView } from '../../../../src/features/watching/views/watches.ts'
import { ALL_CHECKS } from '../all-checks.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 28, 10, minute))
const BEA = { by: 'U1', name: 'Bea', at: at(5) }
const ON_CALL = { name: '@on-call', id: 'S1', isGroup: true }

const down = (name: string, values: Partial<Incident> = {}): Incident => ({
  ...{ id: name, check: { uuid: name, name }, isDown: true, isInstalling: false, badPolls: 1 },
  ...{ downs: [{ from: at(0) }], isBaseline: false, openedAt: at(0), ...values },
})
const up = (name: string, values: Partial<Incident> = {}): Incident =>
  down(name, { isDown: false, downs: [{ from: at(0), to: at(4) }], ...values })
const unseen = (values: Partial<Incident> = {}): Incident =>
  down('production', { check: { uuid: '', name: 'production' }, failure: 'unauthorized', ...values })
const mute: Silence = {
  ...{ id: 'M', workspaceId: 'T1', channelId: 'C1', environment: 'production', subject: { kind: 'all' } },
  ...{ isMaintenance: false, from: at(0), to: at(50), timeZone: 'UTC', reason: '', ownerId: 'U1' },
  ...{ ownerName: 'Bea', madeAt: at(0) },
}

function show(
  incidents: readonly Incident[],
  {
    post,
    watch,
    ...more
  }: { post?: Partial<ShownPost['post']>; watch?: Partial<Watch> } & Partial<Omit<ShownPost, 'post'>> = {},
): ShownPost {
  const target = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
  const watches = [
    {
      ...target,
      id: 'W',
      ownerId: 'U9',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      madeAt: new Date(0),
      ...watch,
    },
  ]
  const shown = {
    ...{ id: 'A'.repeat(22), kind: 'card' as const, openedAt: at(0), version: 1, shownVersion: 0 },
    ...{ content: '', ...post },
  }
  const alreadyDown = new Set<string>()
  const other = { silences: [], watches, alreadyDown, unseen: undefined }
  return { post: shown, target, at: at(30), incidents, ...other, ...more }
}

/** The text of a message, with times as minutes after 10:00. */
const read = ({ text }: { text: string }): string[] =>
  text
    .replaceAll(
      /<!date\^(\d+)[^>]*>/g,
      (_, seconds: string) => `:${(Number(seconds) * 1000 - +at(0)) / 60_000}`,
    )
    .split('\n')

const CLOSES = 'Closes after 30 minutes without another outage.'
const CARDS: Readonly<Record<string, readonly [ShownPost, readonly string[]]>> = {
  'without what nobody watches anymore': [
    show([], { post: { closedAt: at(30) } }),
    ['⚪ This channel doesn’t watch this anymore', 'As of :30'],
  ],
  'several that nobody sees anymore': [
    show([
      up('web-1', { ending: 'unseen', closedAt: at(4) }),
      up('web-2', { ending: 'unseen', closedAt: at(4) }),
    ]),
    [
      '⚪ 2 health checks were down when watching ended',
      '⚪ web-1 was down at least 4 min, from :0',
      '⚪ web-2 was down at least 4 min, from :0',
      'As of :30',
    ],
  ],
  'one that nobody sees anymore, beside one that is up': [
    show([up('web-1', { ending: 'unseen', closedAt: at(4) }), up('web-2', { closedAt: at(4) })]),
    [
      '⚪ 2 health checks aren’t watched anymore',
      '⚪ web-1 was down at least 4 min, from :0',
      '🟢 web-2 was down 4 min, from :0',
      'As of :30',
    ],
  ],
  'one check': [show([down('shop')]), ['🔴 shop is down · since :0', 'Nobody is on it.']],
  again: [
    show([down('shop', { downs: [{ from: at(0), to: at(2) }, { from: at(6) }] })]),
    ['🔴 shop is down again · since :6', 'Nobody is on it.'],
  ],
  'somebody is on it': [
    show([down('shop', { onIt: BEA })]),
    ['🔴 shop is down · since :0', 'Bea has been on it since :5.'],
  ],
  'who is paged next': [
    show([down('shop')], { post: { nextPage: { names: '@on-call', at: at(40) } } }),
    ['🔴 shop is down · since :0', 'Nobody is on it. Pages @\u2060on-call :40.'],
  ],
  'who is paged next about what is down again: by all the minutes': [
    show([down('shop', { downs: [{ from: at(0), to: at(2) }, { from: at(6) }] })], {
      post: { nextPage: { names: '@on-call', at: at(14) } },
    }),
    ['🔴 shop is down again · since :6', 'Nobody is on it. Pages @\u2060on-call :14, after 10 min in all.'],
  ],
  'muted twice': [
    show([down('shop')], {
      silences: inForce([mute, { ...mute, id: 'N', to: at(90) }, { ...mute, id: 'O' }], 'C1', at(30)),
    }),
    ['🔴 shop is down · since :0', 'Nobody is on it.', 'Muted until :90'],
  ],
  'of which each is muted, until the first one isn’t anymore': [
    show([down('shop'), down('web')], {
      silences: inForce(
        [
          { ...mute, subject: { kind: 'check', uuid: 'shop', name: 'shop' }, to: at(90) },
          { ...mute, subject: { kind: 'check', uuid: 'web', name: 'web' } },
        ],
        'C1',
        at(30),
      ),
    }),
    [
      '🔴 shop and web are down',
      'Nobody is on it.',
      'Muted until :50',
      '🔴 shop · since :0',
      '🔴 web · since :0',
    ],
  ],
  'before the watch': [
    show([down('shop')], { alreadyDown: new Set(['shop']) }),
    ['🔴 shop is down · already down when the watch began, since :0', 'Nobody is on it.'],
  ],
  'up again, and down at the first poll': [
    show([up('shop', { isBaseline: true })]),
    ['🟢 shop is up again · was down at least 4 min', CLOSES],
  ],
  'up again': [
    show([up('shop', { onIt: BEA })]),
    ['🟢 shop is up again · was down 4 min · Bea was on it', CLOSES],
  ],
  'being installed is neither up nor down': [
    show([up('shop', { isInstalling: true })]),
    ['🟡 shop isn’t down, but not seen up yet · was down 4 min', CLOSES],
  ],
  deleted: [
    show([up('shop', { ending: 'deleted', closedAt: at(9) })]),
    ['⚪ shop was deleted · was down 4 min', 'As of :30'],
  ],
  'when watching ended': [
    show([up('shop', { ending: 'unseen', closedAt: at(9) })]),
    ['⚪ shop was down when watching ended · was down at least 4 min', 'As of :30'],
  ],
  several: [
    show([down('shop'), up('mail'), down('web', { onIt: BEA })]),
    [
      '🔴 shop and web are down (2 of 3)',
      'Bea has been on it since :5.',
      'Nobody is on the other one.',
      '🔴 shop · since :0',
      '🔴 web · since :0 · Bea has been on it since :5',
      '🟢 mail was down 4 min, from :0',
    ],
  ],
  'a storm': [
    show(
      Array.from({ length: 30 }, (_, index) => down(`web-${index}`)),
      { post: { unlisted: 7 } },
    ),
    [
      '🔴 web-0, web-1, and 28 more are down',
      '7 more health checks are down that this channel doesn’t list.',
      'Nobody is on it.',
      ...Array.from({ length: 20 }, (_, index) => `🔴 web-${index} · since :0`),
      'and 10 more',
    ],
  ],
  'the token is rejected': [
    show([unseen()]),
    [
      '⚫ I can’t see the health checks · since :0',
      'The service doesn’t accept the token. An admin can replace it.',
      'Nobody is on it.',
      'Until I can, no outage is posted here. No news doesn’t mean that everything is up.',
    ],
  ],
  'as of the last poll': [
    show([down('shop')], { unseen: { since: at(20), failure: 'unreachable' } }),
    [
      '🔴 shop is down · since :0',
      '⚫ As of :20: I haven’t seen the health checks since. The service doesn’t answer.',
      'Nobody is on it.',
    ],
  ],
}

describe('a card', () => {
  it.each(Object.entries(CARDS))('%s', (_, [shown, lines]) => {
    expect(read(cardView(shown))).toEqual(lines)
  })

  it('offers to page nobody about checks that can’t be seen', () => {
    const page = { watch: { page: [{ afterMs: 600_000, responders: [ON_CALL] }] } }
    expect(JSON.stringify(cardView(show([unseen()], page)).blocks)).not.toContain('Page now')
  })

  it('offers only what can be done', () => {
    const labels = (shown: ShownPost) =>
      JSON.stringify(cardView(shown).blocks).match(
        /(?<="text":")(I’m on it|Take over|Page now|Step down)/g,
      ) ?? []
    const page = { watch: { page: [{ afterMs: 600_000, responders: [ON_CALL] }] } }
    expect(labels(show([down('shop')]))).toEqual(['I’m on it'])
    expect(labels(show([down('shop')], page))).toEqual(['I’m on it', 'Page now'])
    expect(labels(show([down('shop', { onIt: BEA })], page))).toEqual(['Page now', 'Take over', 'Step down'])
    expect(labels(show([up('shop')], page))).toEqual([])
  })
})

const listMute = (isWorkspaceWide: boolean) =>
  watchesView(
    {
      watches: [],
      gone: new Set<string>(),
      stale: { responders: new Map(), owners: new Map() },
      findChannel: () => ({}),
      silences: [mute],
      unseen: [],
      now: at(10),
    },
    { isWorkspaceWide, isInChannel: true },
  )

const BEA_BEFORE = { ...BEA, because: 'relapse' } as const

const NOT_SEEN_TWICE = [
  { from: at(0), to: at(8) },
  { from: at(20), to: at(26) },
]
const MESSAGES: Readonly<Record<string, readonly [{ text: string }, string]>> = {
  'a note': [noteView(show([down('shop')])), '🔴 shop has been down for 30 min, and nobody is on it.'],
  'a note about what Bea is on': [
    noteView(show([down('shop', { onIt: BEA })])),
    '🔴 shop has been down for 30 min. <@U1> is on it.',
  ],
  'a note about what was down at the first poll': [
    noteView(show([down('shop', { isBaseline: true })])),
    '🔴 shop has been down for at least 30 min, and nobody is on it.',
  ],
  'a page': [
    noteView(show([down('shop'), down('web')], { post: { responders: [ON_CALL] } })),
    '<!subteam^S1> 🔴 shop and web have been down for up to 30 min, and nobody is on them.',
  ],
  'a page about what Bea left, and what she is on again': [
    noteView(
      show([down('shop', { wasOnIt: BEA_BEFORE }), down('web', { onIt: BEA, wasOnIt: BEA_BEFORE })], {
        post: { responders: [ON_CALL] },
      }),
    ),
    '<!subteam^S1> 🔴 shop has been down for 30 min, and nobody is on it now. Bea was on it before. 🔴 web has been down for 30 min. <@U1> is on it.',
  ],
  'a note about two checks of which Bea left one': [
    noteView(show([down('shop', { wasOnIt: BEA_BEFORE }), down('web')])),
    '🔴 shop and web have been down for up to 30 min, and nobody is on them now. <@U1> was on shop before.',
  ],
  'a note that Bea stepped down': [
    noteView(show([down('shop', { wasOnIt: { ...BEA, because: 'stepped-down' } })])),
    '🔴 shop has been down for 30 min, and nobody is on it now. Bea stepped down.',
  ],
  'a note that Bea stepped down from one of two': [
    noteView(show([down('shop', { wasOnIt: { ...BEA, because: 'stepped-down' } }), down('web')])),
    '🔴 shop and web have been down for up to 30 min, and nobody is on them now. Bea stepped down from shop.',
  ],
  'a note that Bea’s account was deactivated': [
    noteView(show([down('shop', { wasOnIt: { ...BEA, because: 'left' } })])),
    '🔴 shop has been down for 30 min, and nobody is on it now. Bea was on it, and can’t be anymore.',
  ],
  'a note about what went down again a moment ago': [
    noteView(show([down('shop', { downs: [{ from: at(0), to: at(9) }, { from: at(30) }] })])),
    '🔴 shop is down again, 9 min in all, and nobody is on it.',
  ],
  'a page about what fell while nobody looked, with its card': [
    noteView(
      show([down('shop', { downs: [{ from: at(0), isAtLeast: true }] })], {
        post: { responders: [ON_CALL] },
      }),
      ['https://acme.slack.com/archives/C1/p1'],
    ),
    '<!subteam^S1> 🔴 shop has been down for at least 30 min, and nobody is on it. <https://acme.slack.com/archives/C1/p1|Card>',
  ],
  'a mute in the list of its channel': [
    listMute(false),
    'Nothing is watched in this channel · 1 mute 🔕 Muted: everything until :50 · by Bea',
  ],
  'a mute in the list of all channels': [
    listMute(true),
    'No channel watches anything · 1 mute 🔕 Muted: everything until :50 · by Bea · <#C1>',
  ],
  'a watch that was asked for in another channel': [
    watchedView({
      watch: { id: 'W', environment: 'production', channelId: 'C1', filter: ALL_CHECKS, afterBadPolls: 1 },
      ...{ unreachable: ['@on-call has no members'], silences: [mute], now: at(10), here: 'C2' },
    }),
    '<#C1> now watches every health check. In that channel now: 🔕 Muted: everything until :50 · by Bea Can’t be paged now: @\u2060on-call has no members. A page that would reach nobody goes to the owner of the watch.',
  ],
  'a page in place of a group that nobody is in': [
    ownerPageView(show([down('shop')], { post: { responders: [ON_CALL] } }), false),
    '🔴 shop has been down for 30 min, and nobody is on it. Signalman would have paged @\u2060on-call in <#C1>, but Slack couldn’t notify them there. As of :30.',
  ],
  'a reply': [upView(show([up('shop', { onIt: BEA })])), '🟢 shop is up again after 4 min. <@U1> was on it.'],
  'a reply about what was down at the first poll': [
    upView(show([up('shop', { isBaseline: true })])),
    '🟢 shop is up again after at least 4 min.',
  ],
  'a reply about what came up while nobody looked': [
    upView(show([up('shop', { downs: [{ from: at(0), to: at(4), seenTo: at(1) }] })])),
    '🟢 shop is up again after at most 4 min.',
  ],
  'a reply about several, of which one was down at the first poll': [
    upView(show([up('shop', { isBaseline: true }), up('web', { downs: [{ from: at(0), to: at(2) }] })])),
    '🟢 shop and web are up again after at least 2 min.',
  ],
  'a reply about several': [
    upView(show([up('shop', { onIt: BEA }), up('web')])),
    '🟢 shop and web are up again after up to 4 min. <@U1> was on shop.',
  ],
  'a reply about a check that was deleted': [
    upView(show([up('shop', { ending: 'deleted', closedAt: at(9) })])),
    '⚪ shop was deleted, was down 4 min.',
  ],
  'a reply once the checks are seen': [
    upView(show([unseen({ isDown: false, downs: [{ from: at(0), to: at(8) }] })])),
    '🟢 I can see the health checks again after 8 min.',
  ],
  'a reply once the checks are seen that weren’t twice': [
    upView(show([unseen({ isDown: false, downs: NOT_SEEN_TWICE })])),
    '🟢 I can see the health checks again after not seeing them 2 times within 26 min.',
  ],
  'the page of a paused channel': [
    ownerPageView(show([down('shop')], { post: { responders: [ON_CALL] } }), true),
    '🔴 shop has been down for 30 min, and nobody is on it. Signalman would have paged @\u2060on-call in <#C1>, but Slack accepted no messages there. As of :30.',
  ],
  'a paused channel': [
    pausedView({
      ...{ channelId: 'C1', reason: 'archived' as const, watches: 1 },
      pages: true,
    }),
    'Your watch in <#C1> is paused: the channel is archived. Unarchive it, or use another channel. Nothing is posted there until that is fixed. Signalman tries again every hour, and then posts what was missed. Until then, you get the pages of the watches.',
  ],
}

it.each(Object.entries(MESSAGES))('a message %s', (_, [message, text]) => {
  expect(read(message).join(' ')).toBe(text)
})

it('says in App Home how many more outages somebody is on than it lists', () => {
  const taken = [
    { incident: down('shop', { onIt: BEA }), card: undefined, environment: 'production' as const },
  ]
  expect(JSON.stringify(homeTakenBlocks(taken, 25, 'U1'))).toContain('And 24 more health checks.')
  expect(JSON.stringify(homeTakenBlocks(taken, 1, 'U1'))).not.toContain('more')
})

it('lists the first silences, and how many more there are', () => {
  const listed = formatSilences(Array(7).fill(mute), at(1))
  expect(listed.slice(4)).toEqual([formatSilence(mute, at(1)), 'And 2 more.'])
})

it.each([
  [
    [down('shop'), up('mail')],
    ['"Mute…"', '"/hc mute shop"'],
  ],
  [
    [down('shop'), down('mail')],
    ['"Mute all…"', `"/hc watch-mute ${'A'.repeat(22)}"`],
  ],
])('a card offers to mute what is down on it: %o', (incidents, button) => {
  for (const part of button) expect(JSON.stringify(cardView(show(incidents)).blocks)).toContain(part)
})

it('let whoever was asked by hand take over also from a page that was sent', () => {
  const sent = (askedBy?: string) =>
    JSON.stringify(
      noteView({
        ...show([down('shop', { onIt: BEA }), down('web', { onIt: BEA })], { post: { askedBy } }),
        ts: '1.2',
      }),
    )
  expect([sent('Ann'), sent()].map((text) => text.includes('Take over'))).toEqual([true, false])
})

it('say who was on it also behind names full of characters to escape', () => {
  const names = Array.from({ length: 20 }, (_, index) => `${'&'.repeat(58)}${index}`)
  const { blocks } = upView(show(names.map((name) => up(name, { onIt: BEA }))))
  expect(JSON.stringify(blocks)).toMatch(/, and 16 more are up again after .*<@U1> was on them\./)
})

it('shows each watch on one page of the list, however long they are', () => {
  const watches = Array.from({ length: 40 }, (_, index) => ({
    ...{
      id: `watch-${index}`,
      workspaceId: 'T1',
      channelId: `C${index}`,
      environment: 'production' as const,
    },
    ...{ ownerId: 'U1', madeAt: at(0), afterBadPolls: 1 },
    filter: {
      include: Array.from({ length: 8 }, (_, name) => ({
        field: 'name' as const,
        pattern: `team-${index}-a-service-with-a-long-name-${name}-*`,
      })),
      exclude: [],
    },
  }))
  const listing = {
    watches,
    gone: new Set<string>(),
    stale: { responders: new Map(), owners: new Map() },
    findChannel: () => ({}),
    silences: [],
    unseen: [],
    now: at(9),
  }
  const pages = Array.from({ length: 5 }, (_, index) =>
    JSON.stringify(
      watchesView(listing, { isWorkspaceWide: true, isInChannel: true, page: index + 1 }).blocks,
    ),
  )
  const unique = [...new Set(pages)]
  expect(unique.join()).not.toContain('left out')
  for (const { channelId } of watches)
    expect(unique.filter((page) => page.includes(`"channel_id":"${channelId}"`))).toHaveLength(1)
})

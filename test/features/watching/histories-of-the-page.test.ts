import { describe, expect, it } from 'vitest'
import type { ShownPost } from '../../../src/features/watching/rules/shown-post.ts'
import { noteView, upView } from '../../../src/features/watching/views/cards.ts'
import { History, MINUTE_MS, type Read, START, type WrittenWatch } from './rules/history.ts'

/** A night: what happens when, and what the channel reads. The clock shows 22:00 at the beginning. */
interface Night {
  readonly watches?: readonly WrittenWatch[]
  readonly maintenance?: readonly [name: string, from: string, to: string]
  readonly events: Readonly<Record<string, string | readonly string[]>>
  readonly until: string
  /** Each message, with the people whom it mentions. */
  readonly reads: readonly string[]
}

const EVENING = 22 * 60
const DAY = 24 * 60
const PEOPLE: Readonly<Record<string, string>> = { U1: 'Bea', U2: 'Ann' }
const ONCE: readonly WrittenWatch[] = [{ escalate: '10m @on-call' }]
const STEPS: readonly WrittenWatch[] = [{ escalate: '10m @on-call, 30m @lead' }]

const toMinute = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  return (hours * 60 + minutes - EVENING + DAY) % DAY
}

const toClock = (minute: number): string =>
  new Date(Date.UTC(2000, 0, 1, 0, EVENING + minute)).toISOString().slice(11, 16)

/** What a message mentions is read from the message itself. */
function listMentions({ post, named, at }: Read): string[] {
  if (post.kind === 'card') return []
  const shown: ShownPost = {
    ...{ post, incidents: named, at: new Date(at), watches: [], silences: [], unseen: undefined },
    ...{ target: { workspaceId: 'T1', channelId: 'C1', environment: 'production' }, alreadyDown: new Set() },
  }
  const { text } = post.kind === 'reply' ? upView(shown) : noteView(shown)
  const words = [...(post.kind === 'reply' ? (text.match(/ at most | at least /g) ?? []) : [])]
  const people = [...text.matchAll(/<@(U\d)>/g)].map(([, id = '']) => `@${PEOPLE[id]}`)
  return [...words.map((word) => word.trim()), ...people]
}

function play({ watches = [{}], maintenance, events, until }: Night): string[] {
  const world = new History(watches)
  if (maintenance) {
    const [name, ...times] = maintenance
    const [from, to] = times.map((clock) => new Date(START + toMinute(clock) * MINUTE_MS))
    world.silence(name, 'C1', { isMaintenance: true, ...(from && { from }), ...(to && { to }) })
  }
  for (let minute = 0; minute <= toMinute(until); minute += 1)
    world.passMinute([events[toClock(minute)] ?? []].flat(), minute === 0 ? 0 : 1)
  return world.log.map((read) => {
    const [, ...words] = read.text.replace(/, was .*/, '').split(' ')
    const mentions = listMentions(read)
    const clock = toClock((read.at - START) / MINUTE_MS)
    return [clock, ...words, ...(mentions.length > 0 ? ['·', ...mentions] : [])].join(' ')
  })
}

/** Ordinary nights. Whoever has read docs/use-watching.md can tell what the channel reads. */
const NIGHTS: Readonly<Record<string, Night>> = {
  '1. nobody is on it': {
    watches: STEPS,
    events: { '22:05': 'down web', '22:55': 'up web' },
    until: '23:30',
    reads: ['22:05 card: web', '22:15 page @on-call: web', '22:35 page @lead: web', '22:55 up again: web'],
  },
  '2. somebody is on it': {
    watches: ONCE,
    events: { '22:05': 'down web', '22:11': 'Ann takes web', '22:50': 'up web' },
    until: '23:30',
    reads: ['22:05 card: web', '22:50 up again: web · @Ann'],
  },
  '3. others fall within five minutes and after': {
    watches: ONCE,
    events: { '22:05': 'down a', '22:07': 'down b', '22:09': 'down c', '22:12': 'down d' },
    until: '22:20',
    reads: ['22:05 card: a', '22:10 note: b c', '22:12 card: d', '22:15 page @on-call: a b c d'],
  },
  '4. another one falls when everything on the card is up': {
    events: { '22:05': 'down a', '22:06': 'up a', '22:08': 'down b' },
    until: '22:40',
    reads: ['22:05 card: a', '22:06 up again: a', '22:08 card: b'],
  },
  '5. down again five minutes after it was up, for three minutes': {
    events: { '22:05': 'down web', '22:15': 'up web', '22:20': 'down web', '22:23': 'up web' },
    until: '23:30',
    reads: ['22:05 card: web', '22:15 up again: web'],
  },
  '6. down again after seven minutes, and somebody is on it': {
    watches: ONCE,
    events: { '22:05': 'down web', '22:08': 'Ann takes web', '22:15': 'up web', '22:22': 'down web' },
    until: '23:00',
    reads: ['22:05 card: web', '22:15 up again: web · @Ann', '22:25 note: web · @Ann'],
  },
  '7. down again after fifteen minutes': {
    watches: ONCE,
    events: { '22:05': 'down web', '22:08': 'Ann takes web', '22:15': 'up web', '22:30': 'down web' },
    until: '22:45',
    reads: [
      '22:05 card: web',
      '22:15 up again: web · @Ann',
      '22:30 note: web · @Ann',
      '22:40 page @on-call: web',
    ],
  },
  '8. down again after forty minutes': {
    watches: ONCE,
    events: { '22:05': 'down web', '22:08': 'Ann takes web', '22:15': 'up web', '22:55': 'down web' },
    until: '23:08',
    reads: ['22:05 card: web', '22:15 up again: web · @Ann', '22:55 card: web', '23:05 page @on-call: web'],
  },
  '9. a mute over what is down and what goes down': {
    watches: ONCE,
    events: { '22:05': 'down a', '22:10': 'mute all', '22:30': 'down b', '23:00': 'unmute all' },
    until: '23:12',
    reads: ['22:05 card: a', '23:00 card: b', '23:05 page @on-call: a b'],
  },
  '10. everything recovers during a mute': {
    watches: ONCE,
    events: {
      '22:05': 'down a',
      '22:10': 'mute all',
      '22:15': 'down b',
      '22:25': 'up a',
      '22:35': 'up b',
      '00:10': 'unmute all',
    },
    until: '00:30',
    reads: ['22:05 card: a', '22:25 up again: a'],
  },
  '11. planned maintenance': {
    watches: ONCE,
    maintenance: ['shop*', '22:10', '23:00'],
    events: { '22:20': ['down shop-1', 'down shop-2'], '22:50': 'up shop-2', '23:05': 'up shop-1' },
    until: '23:40',
    reads: ['23:00 card: shop-1', '23:05 up again: shop-1'],
  },
  '12. down before the watch': {
    watches: ONCE,
    events: { '22:00': 'down web', '22:30': 'up web', '22:45': 'down web' },
    until: '23:00',
    reads: [
      '22:00 card: web',
      '22:30 up again: web · at least',
      '22:45 note: web',
      '22:55 page @on-call: web',
    ],
  },
  '13. a watch whose checks change': {
    watches: [{ name: 'shop', escalate: '10m @on-call' }],
    events: { '22:05': ['down shop', 'down mail'], '22:07': 'widen W1', '22:09': 'down web' },
    until: '22:24',
    reads: ['22:05 card: shop', '22:07 card: mail', '22:10 note: web', '22:15 page @on-call: shop web'],
  },
  '14. a watch that begins to page': {
    events: { '22:05': 'down shop', '22:10': 'escalate W1 10m @on-call', '22:25': 'down mail' },
    until: '22:40',
    reads: ['22:05 card: shop', '22:25 card: mail', '22:35 page @on-call: mail'],
  },
  '15. the service doesn’t answer': {
    watches: ONCE,
    events: { '22:06': 'down web', '22:10': 'fail', '22:40': 'seen' },
    until: '22:45',
    reads: [
      '22:06 card: web',
      '22:15 card: production',
      '22:40 page @on-call: web',
      '22:40 up again: production',
    ],
  },
  '16. Signalman is stopped, and the check comes up meanwhile': {
    watches: ONCE,
    events: { '22:05': 'down web', '22:12': 'stop', '22:50': ['up web', 'start'] },
    until: '23:00',
    reads: ['22:05 card: web', '22:50 up again: web · at most'],
  },
  '17. Page now': {
    watches: STEPS,
    events: { '22:05': 'down web', '22:09': 'Ann pages web' },
    until: '23:00',
    reads: [
      '22:05 card: web',
      '22:09 page @on-call by Ann: web',
      '22:29 page @lead: web',
      '22:59 page @lead: web',
    ],
  },
  '18. the account of whoever is on it is deactivated': {
    watches: STEPS,
    events: { '22:05': 'down web', '22:17': 'Ann takes web', '22:40': 'Ann leaves web' },
    until: '23:12',
    reads: [
      '22:05 card: web',
      '22:15 page @on-call: web',
      '22:40 note: web',
      '22:50 page @on-call: web',
      '23:10 page @lead: web',
    ],
  },
  '19. a check that is down one minute in twelve': {
    watches: [{ escalate: '5m @on-call' }],
    events: Object.fromEntries(
      Array.from({ length: 16 }, (_, index) => [
        [toClock(12 * index + 5), 'down web'],
        [toClock(12 * index + 6), 'up web'],
      ]).flat(),
    ),
    until: '01:00',
    reads: [
      '22:05 card: web',
      '22:06 up again: web',
      '22:17 note: web',
      '22:18 up again: web',
      '23:05 page @on-call: web',
      '23:06 up again: web',
      '00:05 page @on-call: web',
      '00:06 up again: web',
    ],
  },
  '20. two on a card, and somebody takes over': {
    watches: ONCE,
    events: {
      '22:05': ['down a', 'down b'],
      '22:08': 'up b',
      '22:10': ['Ann takes a', 'Ann takes b'],
      '22:12': 'down b',
      '22:30': ['Bea takes a', 'Bea takes b'],
      '22:40': 'up a',
      '22:50': 'up b',
    },
    until: '23:00',
    reads: [
      '22:05 card: a b',
      '22:15 note: b · @Ann',
      '22:40 up again: a · @Bea',
      '22:50 up again: b · @Bea',
    ],
  },
  '21. the service doesn’t answer since three minutes before a page': {
    watches: ONCE,
    events: { '22:05': 'down web', '22:12': 'fail', '22:25': 'seen' },
    until: '22:34',
    reads: [
      '22:05 card: web',
      '22:17 card: production',
      '22:25 page @on-call: web',
      '22:25 up again: production',
    ],
  },
  '22. somebody steps down during a mute': {
    watches: ONCE,
    events: {
      '22:05': 'down web',
      '22:07': 'Ann takes web',
      '22:10': 'mute all',
      '22:20': 'Ann leaves web',
      '22:40': 'unmute all',
    },
    until: '22:55',
    reads: ['22:05 card: web', '22:40 note: web', '22:50 page @on-call: web'],
  },
  '23. Page now during a mute': {
    watches: STEPS,
    events: { '22:05': 'down web', '22:10': 'mute all', '22:20': 'Ann pages web', '22:40': 'unmute all' },
    until: '23:15',
    reads: ['22:05 card: web', '22:20 page @on-call by Ann: web', '23:00 page @lead: web'],
  },
  '24. down again within the hour, after ten minutes up, which releases who was on it': {
    events: {
      '22:05': 'down web',
      '22:07': 'Ann takes web',
      '22:10': 'up web',
      '22:17': 'down web',
      '22:24': 'up web',
      '22:36': 'down web',
      '22:40': 'up web',
      '22:52': 'down web',
    },
    until: '23:40',
    reads: [
      '22:05 card: web',
      '22:10 up again: web · @Ann',
      '22:20 note: web · @Ann',
      '22:24 up again: web · @Ann',
      '22:36 note: web · @Ann',
      '22:40 up again: web',
      '23:36 note: web',
    ],
  },
}

describe('the nights of docs/use-watching.md', () => {
  it.each(Object.entries(NIGHTS))('%s', (_, night) => {
    expect(play(night)).toEqual(night.reads)
  })
})

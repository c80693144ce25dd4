import { expect, it } from 'vitest'
import { type Events, play, type WrittenWatch } from './history.ts'

type History = readonly [
  name: string,
  events: Events,
  reads: readonly string[],
  watches?: readonly WrittenWatch[],
  until?: number,
]
const ON_CALL: readonly WrittenWatch[] = [{ escalate: '10m @on-call' }]
const STEPS: readonly WrittenWatch[] = [{ escalate: '10m @on-call, 30m @lead' }]

const HISTORIES: readonly History[] = [
  // What the channel reads.
  [
    'one card for what goes down, a reply when it is up',
    { 1: 'down shop', 4: 'up shop' },
    ['1 card: shop', '4 up again: shop'],
  ],
  [
    'what goes down within five minutes joins the card, and one note tells it',
    { 1: 'down shop', 3: ['down mail', 'down web'] },
    ['1 card: shop', '6 note: mail web'],
  ],
  [
    'what joined and is up before the note isn’t told',
    { 1: 'down shop', 3: 'down mail', 5: 'up mail' },
    ['1 card: shop'],
  ],
  ['a storm is one card', { 1: ['down a', 'down b', 'down c'] }, ['1 card: a b c']],
  ['later ones get a card of their own', { 1: 'down a', 7: 'down b' }, ['1 card: a', '7 card: b']],
  ['--after 3 waits for three bad polls', { 1: 'down a' }, ['3 card: a'], [{ after: 3 }]],
  [
    'a paused channel gets one card with all that it missed',
    { 0: 'pause', 1: 'down a', 20: 'down b', 40: 'resume' },
    ['40 card: a b'],
  ],
  [
    'while the checks can’t be seen, that is all it reads',
    { 1: 'blind', 9: 'seen' },
    ['1 card: production', '9 up again: production'],
  ],

  // Up again.
  [
    'up again is said once everything on the card is up',
    { 1: ['down a', 'down b'], 4: 'up a', 9: 'up b' },
    ['1 card: a b', '9 up again: a b'],
  ],
  [
    'what somebody is on is said to be up at once',
    { 1: ['down a', 'down b'], 2: 'take a', 4: 'up a', 9: 'up b' },
    ['1 card: a b', '4 up again: a', '9 up again: b'],
  ],
  [
    'what falls after it was said to be up is told at once, and flapping is said at most once an hour',
    { 1: 'down a', 2: 'up a', 4: 'down a', 5: 'up a', 7: 'down a', 8: 'up a' },
    ['1 card: a', '2 up again: a', '4 note: a', '62 up again: a'],
  ],
  [
    'whoever is on it is told if it falls after it was said to be up',
    { 1: 'down a', 2: 'take a', 3: 'up a', 5: 'down a' },
    ['1 card: a', '3 up again: a', '5 note: a'],
  ],
  [
    'a check that flaps for hours is told at most twice an hour',
    Object.fromEntries(Array.from({ length: 150 }, (_, at) => [at, at % 2 ? 'down a' : 'up a'])),
    [
      '1 card: a',
      '2 up again: a',
      '3 note: a',
      '62 up again: a',
      '63 note: a',
      '122 up again: a',
      '123 note: a',
    ],
    [{}],
    149,
  ],
  [
    'it isn’t said to be up if it was never told to be down',
    { 1: 'down a', 2: 'down b', 3: 'up b', 9: 'up a' },
    ['1 card: a', '9 up again: a'],
  ],
  [
    'a card that was sent after it was up says that itself',
    { 0: 'pause', 1: 'down a', 5: 'up a', 8: 'resume' },
    ['8 card: a'],
  ],
  [
    'what is down again in a new incident isn’t said to be up on the old card',
    { 1: 'down a', 2: 'up a', 3: 'down a', 4: 'up a', 20: 'down a' },
    ['1 card: a', '2 up again: a', '3 note: a', '20 card: a'],
  ],

  // Mutes.
  [
    'unmuting pages nobody about what everybody knows',
    { 1: 'down a', 2: 'mute all', 30: 'unmute all' },
    ['1 card: a', '40 page @on-call: a', '50 page @on-call: a'],
    ON_CALL,
    55,
  ],
  [
    'a mute that ends tells what fell during it',
    { 1: 'down a', 5: 'mute all', 10: 'down b', 30: 'unmute all' },
    ['1 card: a', '30 card: b'],
  ],
  [
    'what fell and rose during a mute is never told',
    { 1: 'mute all', 5: 'down a', 9: 'up a', 30: 'unmute all' },
    [],
  ],
  [
    'what was said to be up and fell during a mute is told at its end',
    { 1: 'down a', 3: 'up a', 4: 'mute a', 6: 'down a', 20: 'unmute a' },
    ['1 card: a', '3 up again: a', '20 note: a'],
  ],
  [
    'up again is said during a mute, in the thread',
    { 1: 'down a', 2: 'mute a', 9: 'up a' },
    ['1 card: a', '9 up again: a'],
  ],
  [
    'a mute before the note tells it afterwards',
    { 1: 'down a', 2: 'down b', 3: 'mute b', 20: 'unmute b' },
    ['1 card: a', '20 note: b'],
  ],
  [
    'waiting for a page begins again after a mute of a minute',
    { 1: 'down a', 8: 'mute a', 9: 'unmute a' },
    ['1 card: a', '19 page @on-call: a'],
    ON_CALL,
    20,
  ],

  // Pages.
  [
    'one step repeats',
    { 1: 'down a' },
    ['1 card: a', '11 page @on-call: a', '21 page @on-call: a', '31 page @on-call: a'],
    ON_CALL,
    35,
  ],
  [
    'steps follow each other, and the last repeats',
    { 1: 'down a' },
    ['1 card: a', '11 page @on-call: a', '31 page @lead: a', '61 page @lead: a', '91 page @lead: a'],
    STEPS,
    100,
  ],
  [
    'somebody on it ends paging',
    { 1: 'down a', 12: 'take a' },
    ['1 card: a', '11 page @on-call: a'],
    STEPS,
    100,
  ],
  [
    'stepping down tells the channel, and begins with the first step',
    { 1: 'down a', 12: 'take a', 40: 'release a' },
    ['1 card: a', '11 page @on-call: a', '40 note: a', '50 page @on-call: a', '70 page @lead: a'],
    STEPS,
    75,
  ],
  [
    'up ends paging, down again begins it again',
    { 1: 'down a', 5: 'up a', 8: 'down a' },
    ['1 card: a', '5 up again: a', '8 note: a', '18 page @on-call: a'],
    ON_CALL,
    20,
  ],
  [
    'after a restart, waiting begins again',
    { 1: 'down a', 5: 'stop', 45: 'start' },
    ['1 card: a', '55 page @on-call: a'],
    STEPS,
    60,
  ],
  [
    'nobody is paged about what nobody can see',
    { 1: 'down a', 5: 'blind', 40: 'seen' },
    ['1 card: a', '6 note: production', '40 up again: production', '50 page @on-call: a'],
    ON_CALL,
    55,
  ],
  [
    'each watch that matches pages by itself',
    { 1: 'down shop' },
    [
      '1 card: shop',
      '11 page @on-call: shop',
      '16 page @shop-team: shop',
      '31 page @lead: shop',
      '31 page @shop-team: shop',
    ],
    [...STEPS, { name: 'shop', escalate: '15m @shop-team' }],
    40,
  ],
  [
    'two watches that page the same people send one page',
    { 1: 'down shop' },
    ['1 card: shop', '11 page @on-call: shop'],
    [...ON_CALL, { name: 'shop', escalate: '10m @on-call' }],
    15,
  ],
  [
    'one page names everything that would page the same people later',
    { 1: 'down a', 7: 'down b' },
    ['1 card: a', '7 card: b', '11 page @on-call: a b', '21 page @on-call: a b'],
    ON_CALL,
    22,
  ],

  // Page now.
  [
    'paging now is the next step, and the others follow as planned',
    { 1: 'down a', 4: 'page a' },
    ['1 card: a', '4 page @on-call by Ann: a', '31 page @lead: a'],
    STEPS,
    40,
  ],
  [
    'paging now pages a person that was typed, and counts as no step',
    { 1: 'down a', 4: 'page a/@lee' },
    ['1 card: a', '4 page @lee by Ann: a', '11 page @on-call: a'],
    STEPS,
    20,
  ],
  [
    'whoever is on it can page somebody else',
    { 1: 'down a', 2: 'take a', 4: 'page a/@lee' },
    ['1 card: a', '4 page @lee by Ann: a'],
    STEPS,
    40,
  ],
  [
    'paging now works during a mute',
    { 1: 'down a', 2: 'mute a', 4: 'page a' },
    ['1 card: a', '4 page @on-call by Ann: a'],
    STEPS,
    40,
  ],
  ['without a step or a person, nobody is paged', { 1: 'down a', 4: 'page a' }, ['1 card: a'], [{}], 10],

  // Already down.
  [
    'what is down when watching begins is on one card, and pages count from then',
    { 0: ['down a', 'down b'] },
    ['0 card: a b', '10 page @on-call: a b'],
    ON_CALL,
    15,
  ],
  [
    'a second watch shows what the first one didn’t, and its pages count from then',
    { 1: ['down shop', 'down mail'], 30: 'watch 10m_@on-call' },
    ['1 card: shop', '30 card: mail', '40 page @on-call: mail shop'],
    [{ name: 'shop' }],
    41,
  ],
]

for (const [name, events, reads, watches, until] of HISTORIES)
  it(name, () => {
    expect(play(events, { ...(watches && { watches }), ...(until && { until }) })).toEqual(reads)
  })

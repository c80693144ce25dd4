import type { Events, WrittenWatch } from './history.ts'

/**
 * What happens, in minutes, and what the channel reads: a card, a note (a message about what is on a card already), a page (a note that
 * mentions people), or a reply in the card's thread. One poll a minute.
 */
export interface WrittenHistory {
  readonly events: Events
  readonly reads: readonly string[]
  readonly watches?: readonly WrittenWatch[]
  readonly until?: number
}

const ALL: readonly WrittenWatch[] = [{ escalate: '10m @on-call' }]
const STEPS: readonly WrittenWatch[] = [{ escalate: '10m @on-call, 30m @lead' }]

/** The rules of docs/use-watching.md. Unless it says otherwise, a channel watches everything and pages nobody. */
export const HISTORIES: Readonly<Record<string, Readonly<Record<string, WrittenHistory>>>> = {
  'One card for what goes down': {
    'the reply names what joined and was up before the note, too': {
      events: { 1: 'down shop', 3: ['down mail', 'down web'], 5: ['up shop', 'up mail', 'up web'] },
      reads: ['1 card: shop', '5 up again: mail shop web'],
    },
    'what joined, and somebody is on, is known': {
      events: { 1: 'down shop', 2: 'down mail', 3: 'Bea takes mail', 4: 'up mail', 9: 'up shop' },
      reads: ['1 card: shop', '4 up again: mail', '9 up again: shop'],
    },
    'what joined, and somebody took before the note would name it, is named in none': {
      events: { 1: 'down a', 2: 'down b', 3: 'Bea takes b', 12: 'up b', 20: 'up a' },
      reads: ['1 card: a', '12 up again: b', '20 up again: a'],
    },
    'what joins isn’t kept from it by a card that says that the checks can’t be seen': {
      events: { 1: 'down a', 2: 'unseen', 3: 'seen', 4: 'down b' },
      reads: ['1 card: a', '2 card: production', '3 up again: production', '6 note: b'],
    },
    'what joined, was up before the note, and somebody took then isn’t said to be up by itself': {
      events: { 1: 'down a', 2: 'down b', 3: 'up b', 4: ['Bea takes a', 'Bea takes b'], 9: 'up a' },
      reads: ['1 card: a', '9 up again: a b'],
    },
    '--after 3 waits for three bad polls': {
      events: { 1: 'down a' },
      reads: ['3 card: a'],
      watches: [{ after: 3 }],
    },
    'what somebody was on before it’s listed begins to wait when it is': {
      events: { 1: 'down a', 3: 'Bea takes a', 5: 'Bea leaves a' },
      watches: [{ after: 5, escalate: '5m @a' }, { channel: 'C2' }],
      reads: ['5 card: a', '10 page @a: a'],
      until: 12,
    },
    'a watch that ends during an outage: the channel reads no more about it': {
      events: { 1: 'down a', 5: 'unwatch W1', 9: 'up a', 12: 'down a' },
      reads: ['1 card: a'],
    },
    'a watch that ends before Slack accepts its card: the channel reads nothing': {
      events: { 0: 'hold', 1: 'down a', 2: 'unwatch W1', 3: 'send', 4: 'watch all', 20: 'down b' },
      reads: ['4 card: a', '20 card: b'],
    },
    'a check that was deleted': {
      events: { 1: 'down a', 5: 'delete a' },
      reads: ['1 card: a', '5 up again: a'],
    },
  },

  'Up again is a reply in the card’s thread': {
    'also to whoever took it when it went down again, before a note said so': {
      events: { 1: 'down a', 2: 'up a', 4: 'down a', 5: 'Bea takes a', 6: 'up a' },
      reads: ['1 card: a', '2 up again: a', '6 up again: a'],
    },
    'also to whoever took it in the moment in which it came up': {
      events: { 1: 'down a', 2: 'up a', 4: 'down a', 6: ['Bea takes a', 'up a'] },
      reads: ['1 card: a', '2 up again: a', '6 up again: a'],
    },
    'also after somebody stepped down, before a note could say so or during a mute': {
      events: {
        1: ['down a', 'down b'],
        2: 'Bea takes a',
        3: ['Bea leaves a', 'up a', 'up b'],
        20: 'down c',
        21: 'Bea takes c',
        30: ['mute c', 'Bea leaves c'],
        40: 'up c',
      },
      reads: ['1 card: a b', '3 up again: a b', '20 card: c', '40 up again: c'],
    },
    'also to whoever took it before Slack accepted its card': {
      events: { 0: 'hold', 1: 'down a', 2: 'Bea takes a', 4: 'up a', 6: 'send' },
      reads: ['6 card: a', '6 up again: a'],
    },
    'also at once if somebody was paged while they were on it, or it went down again meanwhile': {
      events: {
        1: ['down a', 'down b', 'down c'],
        2: ['Bea takes a', 'Bea takes b'],
        3: 'up b',
        4: 'Ann pages a @lee',
        6: 'up a',
        12: 'down b',
        20: 'up b',
      },
      reads: [
        ...['1 card: a b c', '3 up again: b', '4 page @lee by Ann: a', '6 up again: a'],
        ...['13 note: b', '20 up again: b'],
      ],
      until: 39,
    },
    'not of what went down again on another card': {
      events: { 1: ['down a', 'down b'], 4: 'up a', 40: 'down a', 50: 'up b', 60: 'up a' },
      reads: ['1 card: a b', '40 card: a', '50 up again: b', '60 up again: a'],
    },
    'not while it is being installed': {
      events: { 1: 'down a', 4: 'install a', 8: 'up a' },
      reads: ['1 card: a', '8 up again: a'],
    },
    'after that, whoever steps down is told of at once': {
      events: { 1: 'down a', 2: 'Bea takes a', 3: 'up a', 5: 'down a', 7: 'Bea leaves a' },
      reads: ['1 card: a', '3 up again: a', '7 note: a, was Bea'],
      until: 12,
    },
    'after half an hour of being installed, the outage is over': {
      events: { 1: 'down a', 4: 'install a' },
      reads: ['1 card: a', '34 up again: a'],
    },
    'a card that couldn’t be sent before it was up says so itself': {
      events: { 0: 'pause', 1: 'down a', 5: 'up a', 8: 'resume' },
      reads: ['8 card: a'],
    },
  },

  'An outage ends after 30 minutes of being up, and a relapse is told after ten minutes, then once an hour': {
    'of what joined a card, the note that named it told no relapse': {
      events: { 1: 'down a', 2: 'down b', 7: 'up b', 9: 'down b' },
      reads: ['1 card: a', '6 note: b', '16 note: b'],
    },
    'what went up and down before the channel was told of it is no relapse': {
      events: { 1: ['mute all', 'down a'], 2: 'up a', 4: 'down a', 5: 'unmute all', 6: 'up a', 8: 'down a' },
      reads: ['5 card: a', '6 up again: a', '16 note: a'],
    },
    'up for 29 minutes: the same outage': {
      events: { 1: 'down a', 2: 'up a', 31: 'down a', 32: 'up a' },
      reads: ['1 card: a', '2 up again: a', '31 note: a', '32 up again: a'],
    },
    'up for 30 minutes: a new one': {
      events: { 1: 'down a', 2: 'up a', 33: 'down a' },
      reads: ['1 card: a', '2 up again: a', '33 card: a'],
    },
    'whoever is on it stays on it while it is up for less than ten minutes': {
      events: { 1: 'down a', 2: 'Bea takes a', 3: 'up a', 12: 'down a' },
      reads: ['1 card: a', '3 up again: a', '13 note: a'],
      watches: ALL,
      until: 60,
    },
    'and a fall that releases them is told at once': {
      events: { 1: 'down a', 2: 'up a', 12: 'down a', 13: 'Bea takes a', 14: 'up a', 26: 'down a' },
      reads: ['1 card: a', '2 up again: a', '12 note: a', '14 up again: a', '26 note: a, was Bea'],
      until: 75,
    },
    'and is mentioned in the fall that released them, and not in later ones': {
      events: { 1: 'down a', 2: 'Bea takes a', 3: 'up a', 15: 'down a', 16: 'up a', 40: 'down a' },
      reads: ['1 card: a', '3 up again: a', '15 note: a, was Bea', '16 up again: a', '75 note: a'],
      until: 80,
    },
    'and is mentioned as who was on it after that, and the waits begin with the first step': {
      events: { 1: 'down a', 12: 'Bea takes a', 13: 'up a', 23: 'down a', 25: 'up a', 27: 'down a' },
      reads: [
        ...['1 card: a', '11 page @on-call: a', '13 up again: a', '23 note: a, was Bea', '25 up again: a'],
        ...['35 page @on-call: a', '55 page @lead: a'],
      ],
      watches: STEPS,
      until: 60,
    },
  },

  'A clock that was ahead, and is right again': {
    'a relapse is told in time, after the reply': {
      events: {
        1: ['down a', 'down b'],
        3: ['ahead 300', 'up a', 'up b'],
        4: 'back',
        5: 'down a',
        13: 'down b',
      },
      reads: ['1 card: a b', '3 up again: a b', '11 note: a', '13 note: b'],
    },
    'and after a note': {
      events: { 1: 'down a', 3: ['ahead 300', 'up a'], 15: 'down a', 16: ['back', 'up a'], 17: 'down a' },
      reads: ['1 card: a', '3 up again: a', '15 note: a', '16 up again: a', '26 note: a'],
      until: 60,
    },
    'and after the card': {
      events: { 1: ['ahead 300', 'down a'], 2: 'up a', 3: 'back', 4: 'down a', 5: 'down b' },
      reads: ['1 card: a', '2 up again: a', '4 note: a', '5 card: b'],
    },
  },

  'A page comes when a check has been down for as long as the watch waits while nobody was on it': {
    'what joined, the note about it, or a delayed card doesn’t postpone it': {
      events: { 1: 'down a', 3: 'down b', 20: 'hold', 21: 'down c', 40: 'send' },
      reads: [
        ...['1 card: a', '6 note: b', '8 page @on-call: b', '11 page @team: a', '18 page @on-call: b'],
        ...['40 card: c', '40 page @team: a', '40 page @on-call: b c'],
      ],
      watches: [
        { name: 'a', escalate: '10m @team' },
        { name: 'b', escalate: '5m @on-call, 15m @on-call' },
        { name: 'c', escalate: '10m @on-call' },
      ],
      until: 45,
    },
    'a mute that begins while nobody can look: what was up when it was seen again wasn’t down until then': {
      events: { 1: 'down a', 3: 'fail', 30: 'mute a', 65: ['seen', 'up a'], 70: 'unmute a', 80: 'down a' },
      reads: [
        ...['1 card: a', '8 card: production', '65 up again: a', '65 up again: production'],
        ...['80 note: a', '89 page @on-call: a', '99 page @on-call: a'],
      ],
      watches: ALL,
      until: 100,
    },
    'a mute that begins after the last answer: what was up at the next one wasn’t down until the mute': {
      events: {
        1: ['down a', 'down b'],
        3: 'fail',
        4: ['mute a', 'mute b'],
        7: ['seen', 'up a'],
        20: ['unmute a', 'unmute b'],
        21: 'down a',
      },
      reads: [...['1 card: a b', '21 note: a', '30 page @on-call: a', '37 page @team: b']],
      watches: [
        { name: 'a', escalate: '10m @on-call' },
        { name: 'b', escalate: '20m @team' },
      ],
      until: 39,
    },
    'a mute that begins and ends while nobody can look: what was up when it was seen again was up after it, too':
      {
        events: {
          1: ['down a', 'down b'],
          3: 'fail',
          9: ['mute a', 'mute b'],
          15: ['unmute a', 'unmute b'],
          20: ['seen', 'up a'],
          31: 'down a',
        },
        reads: [
          ...['1 card: a b', '8 card: production', '20 up again: production', '25 page @team: b'],
          ...['31 note: a', '40 page @on-call: a', '43 page @team: b'],
        ],
        watches: [
          { name: 'a', escalate: '10m @on-call' },
          { name: 'b', escalate: '18m @team' },
        ],
        until: 45,
      },
    'a mute during which Slack answers that it has posted a page doesn’t count': {
      events: {
        ...{ 1: ['down a', 'down b'], 10: 'slow', 12: ['mute a', 'mute b'], 20: 'send' },
        30: ['unmute a', 'unmute b'],
      },
      reads: ['1 card: a b', '20 page @on-call: a b', '40 page @on-call: a b', '44 page @team: a b'],
      watches: [...ALL, { escalate: '25m @team' }],
      until: 45,
    },
    'each watch that matches pages by itself': {
      events: { 1: 'down shop' },
      reads: [
        ...['1 card: shop', '11 page @on-call: shop', '16 page @shop-team: shop'],
        ...['31 page @lead: shop', '31 page @shop-team: shop'],
      ],
      watches: [...STEPS, { name: 'shop', escalate: '15m @shop-team' }],
      until: 40,
    },
    'two watches that page the same people send one page': {
      events: { 1: 'down shop' },
      reads: ['1 card: shop', '11 page @on-call: shop'],
      watches: [...ALL, { name: 'shop', escalate: '10m @on-call' }],
      until: 15,
    },
  },

  'What was true before the watch is shown, and pages nobody': {
    'what goes down a minute later gets a card of its own at once, and the next one joins that': {
      events: { 0: ['down a', 'down b'], 1: 'down c', 3: 'down d' },
      reads: ['0 card: a b', '1 card: c', '6 note: d', '11 page @on-call: c d'],
      watches: ALL,
      until: 17,
    },
    'a watch that is saved soon after a card doesn’t add to it what was down before, and what goes down then joins it':
      {
        events: { 1: 'down mail', 20: 'down shop', 22: 'watch all', 23: 'down web' },
        reads: ['20 card: shop', '22 card: mail', '25 note: web'],
        watches: [{ name: 'shop' }],
      },
    'a change of the steps goes on with what they waited for': {
      events: { 1: 'down shop', 6: 'escalate W1 10m @lead' },
      reads: ['1 card: shop', '11 page @lead: shop'],
      watches: [{ escalate: '10m @on-call' }],
      until: 12,
    },
    'another change of a watch says nothing of what is down': {
      events: { 1: 'down shop', 3: 'runbook W1 https://wiki.example.com', 5: 'down mail' },
      reads: ['1 card: shop', '6 note: mail'],
    },
    'saving another watch ends no pages': {
      events: { 1: 'down prod', 2: 'watch mail 10m @mail-team', 20: 'watch prod 10m @other' },
      reads: ['1 card: prod', '11 page @on-call: prod', '21 page @on-call: prod'],
      watches: [{}, { name: 'prod', after: 3, escalate: '10m @on-call' }],
      until: 25,
    },
  },

  'Page now sends the next page at once': {
    'a person that was typed is no step': {
      events: { 1: 'down a', 4: 'Ann pages a @lee' },
      reads: ['1 card: a', '4 page @lee by Ann: a', '11 page @on-call: a'],
      watches: STEPS,
      until: 20,
    },
    'although somebody is on it, it is muted, or it was down before': {
      events: {
        0: 'down c',
        1: ['down a', 'down b'],
        2: ['Bea takes a', 'mute b'],
        4: 'Ann pages a',
        5: 'Ann pages b',
        6: 'Ann pages c',
      },
      reads: [
        ...['0 card: c', '1 card: a b', '4 page @on-call by Ann: a', '5 page @on-call by Ann: b'],
        '6 page @on-call by Ann: c',
      ],
      watches: STEPS,
      until: 8,
    },
    'without a step or a person, nobody is paged': {
      events: { 1: 'down a', 4: 'Ann pages a' },
      reads: ['1 card: a'],
      until: 10,
    },
  },

  'A silence that ends tells only what went down during it': {
    'two silences of the same check: the second one still silences it': {
      events: { 1: ['mute all', 'mute a'], 3: ['down a', 'down b'], 10: 'unmute all', 20: 'unmute a' },
      reads: ['10 card: b', '20 card: a'],
    },
  },

  'While the checks can’t be seen, that is all the channel reads': {
    'the service doesn’t answer for eight minutes': {
      events: { 1: 'fail', 3: 'down a', 9: 'seen' },
      reads: ['6 card: production', '9 card: a', '9 up again: production'],
    },
    'after a restart, Signalman looks first': {
      events: { 1: 'down a', 5: 'stop', 45: 'start' },
      reads: ['1 card: a', '45 page @on-call: a'],
      watches: STEPS,
      until: 50,
    },
    'muting everything doesn’t hide that': {
      events: { 1: 'down a', 2: 'mute all', 3: 'unseen' },
      reads: ['1 card: a', '3 card: production'],
    },
  },

  'A channel that accepts nothing': {
    'gets one card with all that it missed, and the owner gets the pages': {
      events: { 0: 'pause', 1: 'down a', 20: 'down b', 40: 'resume' },
      reads: [
        ...['11 page @on-call in a DM to the owner: a', '21 page @on-call in a DM to the owner: a b'],
        ...[
          '31 page @on-call in a DM to the owner: a b',
          '40 card: a b',
          '41 page @on-call: a b',
          '51 page @on-call: a b',
        ],
      ],
      watches: ALL,
      until: 55,
    },
    'isn’t told by the pages that its owner gets: it reads nothing of what was up before and after': {
      events: { 1: 'down a', 2: 'up a', 5: 'pause', 6: 'down a', 20: 'up a', 25: 'resume' },
      reads: ['1 card: a', '2 up again: a', '15 page @on-call in a DM to the owner: a'],
      watches: ALL,
      until: 40,
    },
    'that is shared with others gets nothing until an admin agrees, and nobody is paged': {
      events: { 0: 'share', 1: 'down a', 40: 'resume' },
      reads: ['40 card: a', '50 page @on-call: a'],
      watches: ALL,
      until: 55,
    },
    'nor does its owner get a page that Slack delayed until it was shared': {
      events: { 1: 'down a', 3: 'hold', 4: 'Ann pages a @lee', 6: 'share', 8: 'send' },
      reads: ['1 card: a'],
      until: 25,
    },
    'a card that Slack delayed tells that nobody is on it anymore': {
      events: { 0: 'hold', 1: 'down a', 2: 'Bea takes a', 4: 'Bea leaves a', 30: 'send' },
      reads: ['30 card: a'],
      until: 60,
    },
    'a reply that Slack delayed until the check was down again isn’t sent, and the next one is': {
      events: { 1: 'down a', 5: 'hold', 6: 'up a', 7: 'down a', 8: 'send', 9: 'up a' },
      reads: ['1 card: a', '9 up again: a'],
    },
    'a delayed card may say both what is down and that the checks can’t be seen, and only that is over at once':
      {
        events: { 0: 'hold', 1: 'down a', 2: 'unseen', 3: 'send', 10: 'seen' },
        reads: ['3 card: a production', '10 up again: production'],
      },
    'a note that Slack delayed until the checks couldn’t be seen waits until they are': {
      events: { 1: 'down a', 2: 'down b', 5: 'hold', 7: 'unseen', 9: 'send', 20: 'seen' },
      reads: ['1 card: a', '9 card: production', '20 note: b', '20 up again: production'],
    },
    'a reply that only names what a delayed note would have told isn’t sent either': {
      events: { 1: 'down a', 2: ['Bea takes a', 'down b'], 3: 'up a', 5: 'hold', 7: 'up b', 8: 'send' },
      reads: ['1 card: a', '3 up again: a'],
    },
  },
}

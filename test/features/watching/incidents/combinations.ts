import type { EscalationStep } from '../../../../src/features/watching/rules/escalation-steps.ts'
import type { Channels } from './channel.ts'
import { handOver, MINUTE, mute } from './in-memory.ts'
import type { WrittenHistory } from './written-histories.ts'

const ON_CALL = { name: '@on-call', id: '@on-call', isGroup: true }
const BEA = { name: '@bea', id: 'bea' }
/** Bea is in the group @on-call, so the second step is her second page. */
const ESCALATION: readonly EscalationStep[] = [
  { afterMs: 5 * MINUTE, responders: [ON_CALL] },
  { afterMs: 10 * MINUTE, responders: [BEA] },
]
const named = (...patterns: string[]) => ({
  include: patterns.map((pattern) => ({ field: 'name' as const, pattern })),
  exclude: [],
})
const upTo = (channels: Channels, minute: number) => channels.pass(minute - channels.minute())
const muteAll = (channels: Channels, minutes: number, channel = 'A', about = '*') =>
  mute(channels.state, about, 'production', channel, channels.now() + minutes * MINUTE, channels.now())
const maintain = (channels: Channels, about: string, minutes: number) =>
  channels.state.silences.push({
    id: `m${channels.minute()}`,
    kind: 'maintenance',
    about,
    env: 'production',
    from: channels.now(),
    until: channels.now() + minutes * MINUTE,
  })

/** Histories in which several things come together, with the messages that follow from the ten rules. */
export const COMBINATIONS: Readonly<Record<string, WrittenHistory>> = {
  // A watches all (5m @on-call, 10m @bea), B watches web (8m @bea). web is down from 0, mail from 3, both up at 20.
  'two channels, two checks': {
    by: [2, 3, 7],
    watches: [
      { escalation: ESCALATION },
      { channelId: 'B', filter: named('web'), escalation: [{ afterMs: 8 * MINUTE, responders: [BEA] }] },
    ],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 2)
      channels.set('down', 'mail')
      await upTo(channels, 19)
      channels.set('up', 'web', 'mail')
      await upTo(channels, 25)
    },
    // The pages name mail too, so that nobody is paged twice. In B, Bea was paged as a member of @on-call.
    reads: ['0 card: web', '5 card: mail', '5 page @on-call: mail, web', '10 page bea: mail, web'],
    elsewhere: { B: ['0 card: web'] },
  },
  // --after 3: bad at 0, good at 1, bad at 2, good at 3, bad from 4 to 12.
  '--after 3 with gaps': {
    by: [1, 7],
    watches: [{ afterBadPolls: 3, escalation: ESCALATION }],
    async happens(channels) {
      for (const [status, minute] of [
        ['down', 0],
        ['up', 1],
        ['down', 2],
        ['up', 3],
        ['down', 12],
        ['up', 25],
      ] as const) {
        channels.set(status, 'web')
        await upTo(channels, minute)
      }
    },
    reads: ['4 card: web', '9 page @on-call: web'],
  },
  // --notify every: a from 0, b from 1, c and d from 2; all stay down until 8.
  '--notify every': {
    by: [2],
    watches: [{ notify: 'every' }],
    async happens(channels) {
      channels.set('down', 'a')
      await upTo(channels, 0)
      channels.set('down', 'b')
      await upTo(channels, 1)
      channels.set('down', 'c', 'd')
      await upTo(channels, 8)
    },
    reads: ['0 card: a', '1 card: b', '2 card: c, d'],
  },
  // --notify every: a from 0, up at 2, down from 3.
  '--notify every, down again': {
    by: [4],
    watches: [{ notify: 'every' }],
    async happens(channels) {
      channels.set('down', 'a')
      await upTo(channels, 1)
      channels.set('up', 'a')
      await upTo(channels, 2)
      channels.set('down', 'a')
      await upTo(channels, 15)
    },
    reads: ['0 card: a', '10 card: a'],
  },
  // --remind 1: web from 0, mail from 30, until 130.
  '--remind 1, two checks': {
    by: [2],
    watches: [{ reminderHours: 1 }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 29)
      channels.set('down', 'mail')
      await upTo(channels, 130)
    },
    reads: ['0 card: web', '30 card: mail', '60 card: mail, web', '120 card: mail, web'],
  },
  // --remind 1: web from 0, mail from 1. At 20, Bea presses on the first card.
  '--remind 1, one is taken': {
    by: [3, 5, 6],
    watches: [{ reminderHours: 1 }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 0)
      channels.set('down', 'mail')
      await upTo(channels, 20)
      channels.press('bea', 0)
      await upTo(channels, 100)
    },
    reads: ['0 card: web', '5 card: mail', '65 card: mail'],
  },
  // web from 0. At 2: mute * 10m. At 8: mute * 20m.
  'a mute typed again, with a later end': {
    by: [8, 9],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 2)
      muteAll(channels, 10)
      await upTo(channels, 8)
      muteAll(channels, 20)
      await upTo(channels, 45)
    },
    reads: ['0 card: web', '28 card: web', '33 page @on-call: web', '38 page bea: web'],
  },
  // web from 0. At 1: mute * 30m. At 2: maintenance of web for 15m. At 5: mute * 5m.
  'a mute typed again, with an earlier end than maintenance': {
    by: [8, 9],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 1)
      muteAll(channels, 30)
      await upTo(channels, 2)
      maintain(channels, 'web', 15)
      await upTo(channels, 5)
      muteAll(channels, 5)
      await upTo(channels, 30)
    },
    reads: ['0 card: web', '17 card: web', '22 page @on-call: web', '27 page bea: web'],
  },
  // web from 0. Maintenance from 3 to 13. Up at 8, down again at 16.
  'maintenance inside an outage, up when it ends': {
    by: [4, 8],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 3)
      maintain(channels, '*', 10)
      await upTo(channels, 7)
      channels.set('up', 'web')
      await upTo(channels, 15)
      channels.set('down', 'web')
      await upTo(channels, 30)
    },
    reads: ['0 card: web', '16 card: web', '18 page @on-call: web', '23 page bea: web'],
  },
  // A and B watch all with the same steps. B is muted until 20. web from 5.
  'muted in one of two channels': {
    by: [7, 8, 9],
    watches: [{ escalation: ESCALATION }, { channelId: 'B', escalation: ESCALATION }],
    async happens(channels) {
      muteAll(channels, 21, 'B')
      await upTo(channels, 4)
      channels.set('down', 'web')
      await upTo(channels, 40)
    },
    reads: ['5 card: web', '10 page @on-call: web', '15 page bea: web'],
    // The steps have paged for A already.
    elsewhere: { B: ['20 card: web'] },
  },
  // web from 0. Bea presses at 2. At 15, her account is deactivated.
  'whoever is on it leaves': {
    by: [6, 7],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 2)
      channels.press('bea')
      await upTo(channels, 15)
      Object.assign(channels.state.people.bea ?? {}, { isActive: false })
      await channels.settle()
      await upTo(channels, 32)
    },
    reads: ['0 card: web', '15 card: web', '20 page @on-call: web', '25 page ann: web'],
  },
  // web from 0. Bea presses at 1, hands over to Ann at 10. Ann steps down at 20.
  'handed over, then stepped down': {
    by: [6, 8],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 1)
      channels.press('bea')
      await upTo(channels, 10)
      handOver(channels.state, channels.findOpen('web'), 'ann', 'A', channels.now())
      await upTo(channels, 20)
      channels.stepDown('web')
      await channels.settle()
      await upTo(channels, 35)
    },
    reads: ['0 card: web', '20 card: web', '25 page @on-call: web', '30 page bea: web'],
  },
  // a and b from 0, c from 2. Bea presses the card at 4. d from 6; Ann presses the page about it at 11. e from 12.
  'I’m on it on a card and on a page': {
    by: [3, 6, 7],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'a', 'b')
      await upTo(channels, 1)
      channels.set('down', 'c')
      await upTo(channels, 4)
      channels.press('bea')
      await upTo(channels, 5)
      channels.set('down', 'd')
      await upTo(channels, 11)
      channels.press('ann')
      channels.set('down', 'e')
      await upTo(channels, 25)
    },
    reads: [
      '0 card: a, b',
      '6 card: d',
      '11 page @on-call: d',
      '12 card: e',
      '17 page @on-call: e',
      '22 page bea: e',
    ],
  },
  // web is down 2 minutes, up 2, and so on. Bea presses at 1 and steps down at 25.
  'flapping, taken, stepped down': {
    by: [4, 6, 7, 8],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      for (let minute = 0; minute <= 40; minute += 1) {
        channels.set(minute % 4 < 2 ? 'down' : 'up', 'web')
        await upTo(channels, minute)
        if (minute === 1) channels.press('bea')
        if (minute === 25) {
          channels.stepDown('web')
          await channels.settle()
        }
      }
    },
    reads: ['0 card: web', '25 card: web', '32 page @on-call: web', '36 card: web', '36 page bea: web'],
  },
  // web from 0. Polls fail from 4 to 13. At 14, mail is down too.
  'blind for ten minutes': {
    by: [7, 10],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 3)
      channels.see(false)
      await upTo(channels, 13)
      channels.see(true)
      channels.set('down', 'mail')
      await upTo(channels, 26)
    },
    // Nothing was seen from 4 to 14, so four of the five minutes have passed at 14.
    reads: [
      '0 card: web',
      '9 card: production',
      '14 card: mail',
      '15 page @on-call: mail, web',
      '20 page bea: mail, web',
    ],
  },
  // web from 0. Signalman stops after the poll at 2, and polls again at 33.
  'Signalman stops for half an hour': {
    by: [7],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 2)
      channels.stop(30)
      await upTo(channels, 45)
    },
    // Seven minutes of the gap count.
    reads: ['0 card: web', '33 page @on-call: web', '34 page bea: web'],
  },
  // Two channels. Signalman is removed from A at 3 and is back at 19, before the poll of 20. web from 5 to 10, mail from 12.
  'removed from one of two channels': {
    by: [8],
    watches: [{}, { channelId: 'B' }],
    async happens(channels) {
      await upTo(channels, 3)
      channels.state.closedChannels = ['A']
      await upTo(channels, 4)
      channels.set('down', 'web')
      await upTo(channels, 9)
      channels.set('up', 'web')
      await upTo(channels, 11)
      channels.set('down', 'mail')
      await upTo(channels, 19)
      channels.state.closedChannels = []
      channels.state.resumed = ['A production']
      await upTo(channels, 30)
    },
    // web has been up for ten minutes.
    reads: ['20 card: mail, web over'],
    elsewhere: { B: ['5 card: web', '12 card: mail'] },
  },
  // web from 0, nobody watches. A watch is saved at 5. At 6: mute * 10m.
  'saved while down, then muted': {
    by: [8, 10],
    watches: [],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 5)
      channels.watch({ escalation: ESCALATION })
      await upTo(channels, 6)
      muteAll(channels, 10)
      await upTo(channels, 30)
    },
    reads: ['16 card: web', '21 page @on-call: web', '26 page bea: web'],
  },
  // web from 0. A watch is saved at 5. Up at 8, down again at 12.
  'saved while down, up, and down again': {
    by: [4, 7, 10],
    watches: [],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 5)
      channels.watch({ escalation: ESCALATION })
      await upTo(channels, 7)
      channels.set('up', 'web')
      await upTo(channels, 11)
      channels.set('down', 'web')
      await upTo(channels, 22)
    },
    reads: ['8 card: web up', '13 page @on-call: web', '18 card: web', '18 page bea: web'],
  },
  // Two watches of A: web, and everything --after 3. web and mail from 0. The watch of web ends at 7.
  'two watches of a channel, one ends': {
    by: [1, 2, 3],
    watches: [{ filter: named('web') }, { afterBadPolls: 3 }],
    async happens(channels) {
      channels.set('down', 'web', 'mail')
      await upTo(channels, 7)
      channels.state.watches = channels.state.watches.filter(({ id }) => id !== 'w0')
      await upTo(channels, 20)
    },
    reads: ['0 card: web', '5 card: mail'],
  },
  // mute web-* 30m before. web-1 from 0; renamed to pay-1 at 5.
  'renamed out of a mute': {
    by: [7, 8, 9],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      muteAll(channels, 31, 'A', 'web-*')
      channels.set('down', 'web-1')
      await upTo(channels, 4)
      channels.rename('web-1', 'pay-1')
      await upTo(channels, 17)
    },
    reads: ['5 card: pay-1', '10 page @on-call: pay-1', '15 page bea: pay-1'],
  },
  // web from 0. At 3, the watch is saved with 20m @bea instead of 10m @bea.
  'a step is changed': {
    by: [7],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      channels.set('down', 'web')
      await upTo(channels, 3)
      channels.watch({
        id: 'w0',
        escalation: [...ESCALATION.slice(0, 1), { afterMs: 20 * MINUTE, responders: [BEA] }],
      })
      await upTo(channels, 30)
    },
    reads: ['0 card: web', '5 page @on-call: web', '20 page bea: web'],
  },
  // Ann and Bea leave the channel before. web from 0.
  'nobody on call is in the channel': {
    by: [7],
    watches: [{ escalation: ESCALATION }],
    async happens(channels) {
      for (const id of ['ann', 'bea']) Object.assign(channels.state.people[id] ?? {}, { channels: [] })
      channels.set('down', 'web')
      await upTo(channels, 15)
    },
    reads: ['0 card: web'],
    elsewhere: { 'dm-admin': ['5 page admin: web', '10 page admin: web'] },
  },
}

import type { EscalationStep } from '../../../../src/features/watching/rules/escalation-steps.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import type { Channels } from './channel.ts'
import { MINUTE, mute } from './in-memory.ts'

const ON_CALL = { name: '@on-call', id: '@on-call', isGroup: true }
const BEA = { name: '@bea', id: 'bea' }
/** `--escalate "5m @on-call, 10m @bea"`. Both are in the group @on-call: ann and bea. */
const ESCALATION: readonly EscalationStep[] = [
  { afterMs: 5 * MINUTE, responders: [ON_CALL] },
  { afterMs: 10 * MINUTE, responders: [BEA] },
]

export interface WrittenHistory {
  /** The rules of the page from which the messages follow. */
  readonly by: readonly number[]
  readonly watches?: readonly Partial<Watch>[]
  readonly happens: (channels: Channels) => Promise<void>
  /** The messages that arrive in the channel: the minute, what it is, and what it names. */
  readonly reads: readonly string[]
  readonly elsewhere?: Readonly<Record<string, readonly string[]>>
}

async function flap(channels: Channels, minutes: number, down: number, up: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    channels.set(minute % (down + up) < down ? 'down' : 'up', 'web')
    await channels.pass(1)
  }
}

async function goDown(channels: Channels, minutes: number, ...names: readonly string[]): Promise<void> {
  channels.set('down', ...names)
  await channels.pass(minutes)
}

async function comeUp(channels: Channels, minutes: number, ...names: readonly string[]): Promise<void> {
  channels.set('up', ...names)
  await channels.pass(minutes)
}

const ALL: readonly Partial<Watch>[] = [{ escalation: ESCALATION }]
const QUIET: readonly Partial<Watch>[] = [{}]

/** Histories with the messages that follow from the ten rules of docs/what-the-channel-reads.md. */
export const HISTORIES: Readonly<Record<string, WrittenHistory>> = {
  'down for 45 minutes': {
    by: [1, 2, 7],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 45, 'web')
      await comeUp(channels, 15, 'web')
    },
    reads: ['0 card: web', '5 page @on-call: web', '10 page bea: web'],
  },
  'down for 4 minutes': {
    by: [2, 7],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 4, 'web')
      await comeUp(channels, 20, 'web')
    },
    reads: ['0 card: web'],
  },
  'two outages of 15 minutes, 15 minutes apart': {
    by: [1, 2, 7],
    watches: ALL,
    async happens(channels) {
      for (let times = 0; times < 2; times += 1) {
        await goDown(channels, 15, 'web')
        await comeUp(channels, 15, 'web')
      }
    },
    reads: [
      ...['0 card: web', '5 page @on-call: web', '10 page bea: web'],
      ...['30 card: web', '35 page @on-call: web', '40 page bea: web'],
    ],
  },
  'up for 8 minutes in between': {
    by: [1, 4],
    watches: QUIET,
    async happens(channels) {
      await goDown(channels, 2, 'web')
      await comeUp(channels, 8, 'web')
      await goDown(channels, 5, 'web')
    },
    // Down again at 10, which is 10 minutes after the last message.
    reads: ['0 card: web', '10 card: web'],
  },
  'down again after two minutes': {
    by: [1, 4],
    watches: QUIET,
    async happens(channels) {
      await goDown(channels, 2, 'web')
      await comeUp(channels, 2, 'web')
      await goDown(channels, 16, 'web')
    },
    reads: ['0 card: web', '10 card: web'],
  },
  'going up and down for four hours': {
    by: [1, 4, 7],
    watches: ALL,
    happens: (channels) => flap(channels, 240, 4, 3),
    // Down at 7, 14, 21, 28, 35 …: the first fall after 0 + 10, 10 + 20, 30 + 40, and 70 + 80 that is down then. Only the first lasts long enough
    // to be paged; at 5 it is up, so the page waits until it is down again.
    reads: [
      ...['0 card: web', '7 page @on-call: web', '10 card: web', '10 page bea: web'],
      ...['30 card: web', '70 card: web', '150 card: web'],
    ],
  },
  'going up and down while somebody is on it': {
    by: [4, 6],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 1, 'web')
      channels.press('ann')
      await flap(channels, 120, 4, 3)
    },
    reads: ['0 card: web'],
  },
  'staying down after going up and down for two hours': {
    by: [4, 7],
    watches: ALL,
    async happens(channels) {
      await flap(channels, 119, 4, 3)
      await goDown(channels, 40, 'web')
    },
    // At 5 it is up, so the page waits until it is down again. It stays down from 119. The last message is an hour old at 130, and then it was down for 11 minutes.
    reads: [
      ...['0 card: web', '7 page @on-call: web', '10 card: web', '10 page bea: web'],
      ...['30 card: web', '70 card: web'],
      ...['130 card: web', '134 page @on-call: web', '139 page bea: web'],
    ],
  },
  'five at once': {
    by: [2],
    watches: QUIET,
    happens: (channels) => goDown(channels, 10, 'a', 'b', 'c', 'd', 'e'),
    reads: ['0 card: a, b, c, d, e'],
  },
  'one a minute for nine minutes': {
    by: [2, 3, 5],
    watches: QUIET,
    async happens(channels) {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) await goDown(channels, 1, name)
      await channels.pass(6)
    },
    reads: ['0 card: a', '5 card: b, c, d, e, f', '10 card: g, h, i'],
  },
  'another one four minutes later, which is up before it is named': {
    by: [2, 3],
    watches: QUIET,
    async happens(channels) {
      await goDown(channels, 3, 'a')
      await goDown(channels, 1, 'b')
      await comeUp(channels, 6, 'b')
    },
    reads: ['0 card: a'],
  },
  'three channels': {
    by: [7],
    watches: ['A', 'B', 'C'].map((channelId) => ({ channelId, escalation: ESCALATION })),
    happens: (channels) => goDown(channels, 20, 'web'),
    reads: ['0 card: web', '5 page @on-call: web', '10 page bea: web'],
    elsewhere: { B: ['0 card: web'], C: ['0 card: web'] },
  },
  'taken after three minutes': {
    by: [6, 7],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 3, 'web')
      channels.press('bea')
      await channels.pass(60)
    },
    reads: ['0 card: web'],
  },
  'taken, and another check goes down': {
    by: [6, 2],
    watches: QUIET,
    async happens(channels) {
      await goDown(channels, 1, 'a')
      channels.press('bea')
      await goDown(channels, 10, 'b')
    },
    reads: ['0 card: a', '5 card: b'],
  },
  'stepped down after 20 minutes': {
    by: [6, 8],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 1, 'web')
      channels.press('bea')
      await channels.pass(19)
      channels.stepDown('web')
      await channels.pass(15)
    },
    reads: ['0 card: web', '20 card: web', '25 page @on-call: web', '30 page bea: web'],
  },
  'muted for ten minutes while it is down': {
    by: [8, 9],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 3, 'web')
      mute(channels.state, '*', 'production', 'A', channels.now() + 10 * MINUTE, channels.now())
      await channels.pass(30)
    },
    reads: ['0 card: web', '12 card: web', '17 page @on-call: web', '22 page bea: web'],
  },
  'muted before, and up before the mute ends': {
    by: [9],
    watches: ALL,
    async happens(channels) {
      mute(channels.state, '*', 'production', 'A', channels.now() + 30 * MINUTE, channels.now())
      await goDown(channels, 20, 'web')
      await comeUp(channels, 30, 'web')
    },
    reads: [],
  },
  'a mute typed again with an earlier end': {
    by: [8, 9],
    watches: QUIET,
    async happens(channels) {
      const type = (minutes: number) =>
        mute(channels.state, '*', 'production', 'A', channels.now() + minutes * MINUTE, channels.now())
      type(600)
      await goDown(channels, 5, 'web')
      type(10)
      await channels.pass(20)
    },
    // The second mute was typed at 4.
    reads: ['14 card: web'],
  },
  'a channel that is closed for 20 minutes': {
    by: [8],
    watches: ALL,
    async happens(channels) {
      channels.state.closedChannels = ['A']
      await goDown(channels, 20, 'web')
      channels.state.closedChannels = []
      channels.state.resumed = ['A production']
      await channels.pass(12)
    },
    reads: ['20 card: web', '25 page @on-call: web', '30 page bea: web'],
  },
  'a watch that is saved while a check is down': {
    by: [10],
    watches: [],
    async happens(channels) {
      await goDown(channels, 10, 'web')
      channels.watch({ escalation: ESCALATION })
      await channels.pass(10)
      await comeUp(channels, 3, 'web')
    },
    reads: ['20 card: web up'],
  },
  'checks that can’t be seen for eight minutes': {
    by: [10],
    watches: ALL,
    async happens(channels) {
      await goDown(channels, 3, 'web')
      channels.see(false)
      await channels.pass(8)
      channels.see(true)
      await channels.pass(5)
    },
    // Polls fail from 3. The fifth failed poll that is five minutes after the first is at 8. Nothing was observed from 3 to 11.
    reads: ['0 card: web', '8 card: production', '13 page @on-call: web'],
  },
}

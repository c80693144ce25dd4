import { describe, expect, it } from 'vitest'
import type { Message, PlaygroundEvent, Snapshot } from '../../src/protocol/protocol.ts'
import { type PageState, pageReducer, unreadCount } from '../../src/web/state.ts'
import { channel, person } from '../directory.ts'

const message = (ts: string, overrides: Partial<Message> = {}): Message => ({
  channel: 'C1',
  ts,
  user: 'UB',
  app: true,
  text: ts,
  mrkdwn: true,
  blocks: [],
  files: [],
  ephemeral: false,
  threadTs: null,
  replyCount: 0,
  edited: false,
  deleted: false,
  warning: null,
  cause: null,
  ...overrides,
})
const snapshot = (overrides: Partial<Snapshot> = {}): Snapshot => ({
  seq: 0,
  me: person('U1'),
  workspaces: [],
  people: [person('U1'), person('U2'), person('UB', { role: 'bot' })],
  actors: ['U1', 'U2'],
  bot: { userId: 'UB', botId: 'B1', appId: 'A1', name: 'Signalman' },
  channels: [channel('C1'), channel('C2')],
  messages: { C1: [message('1.000001')] },
  views: [],
  home: null,
  commands: [],
  shortcuts: [],
  deliveries: [],
  ...overrides,
})

function openPage(overrides: Partial<Snapshot> = {}, before?: PageState): PageState {
  const state = pageReducer(before, { type: 'snapshot', snapshot: snapshot(overrides) })
  if (!state) throw new Error('The reducer returned no state for a snapshot.')
  return state
}

function receive(state: PageState, ...events: PlaygroundEvent[]): PageState {
  return events.reduce(
    (before, event) => pageReducer(before, { type: 'server', events: [event] }) ?? before,
    state,
  )
}

const shownTexts = (state: PageState) => state.snapshot.messages.C1?.map(({ text }) => text)

describe('the state of the page', () => {
  it('sorts messages by their ts, regardless of the order they arrive in', () => {
    const state = receive(
      openPage(),
      { type: 'message', message: message('10.000001') },
      { type: 'message', message: message('9.000001') },
    )
    expect(shownTexts(state)).toEqual(['1.000001', '9.000001', '10.000001'])
  })

  it('counts unread messages in other channels until the person opens the channel', () => {
    const state = receive(
      openPage(),
      { type: 'message', message: message('2.000001', { channel: 'C2' }) },
      { type: 'message', message: message('3.000001', { channel: 'C2', user: 'U1' }) },
    )
    expect(unreadCount(state, 'C2')).toBe(1)
    const inSecondChannel = pageReducer(state, { type: 'navigate', route: { kind: 'channel', id: 'C2' } })
    expect(inSecondChannel && unreadCount(inSecondChannel, 'C2')).toBe(0)
  })
})

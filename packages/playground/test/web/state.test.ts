import { describe, expect, it } from 'vitest'
import type { Delivery, Message, PlaygroundEvent, Snapshot } from '../../src/protocol/protocol.ts'
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

  it('tracks read messages separately for each person', () => {
    const first = openPage()
    const second = openPage({ me: person('U2') }, first)
    const inSecondChannel = pageReducer(second, { type: 'navigate', route: { kind: 'channel', id: 'C2' } })
    const messages = { C1: [message('1.000001'), message('2.000001')] }
    const backAsFirst = openPage({ messages }, inSecondChannel)
    expect(unreadCount(backAsFirst, 'C1')).toBe(1)
  })

  it('shows why a text can’t be sent until another one is sent', () => {
    const unsent = pageReducer(openPage(), { type: 'unsent', text: 'no command /x' })
    if (!unsent) throw new Error('There is no page.')
    const state = receive(unsent, { type: 'notice', text: 'from the app', cause: null })
    expect(state.notices.map(({ text }) => text)).toEqual(['no command /x', 'from the app'])
    expect(pageReducer(state, { type: 'sending' })?.notices.map(({ text }) => text)).toEqual(['from the app'])
  })

  it('keeps the 500 newest deliveries, and updates a known delivery in place', () => {
    const delivery = (id: string, verdict = 'pending'): Delivery => ({
      id,
      direction: 'to-app',
      kind: 'command',
      at: '2026-11-20T12:00:00.000Z',
      durationMs: null,
      user: null,
      request: { method: 'POST', url: '', headers: {}, body: null },
      response: null,
      verdict,
      notes: [],
      retry: null,
    })
    const deliveryEvents = Array.from(
      { length: 501 },
      (_, index): PlaygroundEvent => ({ type: 'delivery', delivery: delivery(`d${index}`) }),
    )
    const state = receive(openPage(), ...deliveryEvents, { type: 'delivery', delivery: delivery('d7', 'ok') })
    expect(state.snapshot.deliveries).toHaveLength(500)
    expect(state.snapshot.deliveries.find(({ id }) => id === 'd7')?.verdict).toBe('ok')
  })
})

// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: a small stand-in for polls, decisions, and delivery
import type { Environment } from '../../../../src/domain/environment.ts'
import { ALL_CHECKS, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import {
  type Content,
  decideAll,
  emptyState,
  MINUTE,
  poll,
  readClock,
  release,
  type State,
  saveWatch,
  type TestMessage,
  take,
} from './in-memory.ts'

const START = Date.UTC(2026, 2, 1, 12)
const ENV: Environment = 'production'

/** What a poll says: `unknown` says nothing about the check. */
export type Status = 'up' | 'down' | 'unknown'

/** A message that arrived in Slack, by minutes since the start. */
interface Arrived {
  readonly minute: number
  readonly message: TestMessage
  readonly content: Content
}

/**
 * Watched channels in memory, minute by minute: a poll, the decisions, and their delivery. The first poll sees everything up, and
 * is one minute before the start.
 */
export async function createChannels(watches: readonly Partial<Watch>[] = [{}]) {
  const state: State = emptyState(START - MINUTE)
  const member = { isActive: true, isGuest: false, isAdmin: false, channels: ['A', 'B', 'C'] }
  state.people = {
    ann: { ...member },
    bea: { ...member },
    cid: { ...member, channels: [] },
    guest: { ...member, isGuest: true },
    admin: { ...member, isAdmin: true, channels: [] },
  }
  state.groups = { '@on-call': ['ann', 'bea'] }
  const statuses = new Map<string, Status>()
  /** Renamed checks, by their first names, which their UUIDs are made of. */
  const names = new Map<string, string>()
  const arrived: Arrived[] = []
  /** The version that Slack shows of each message. */
  const shown = new Map<string, { version: number; content: Content }>()
  let now = START - MINUTE
  let serial = 0
  let isSeen = true
  /** How sending fails: nothing is sent, a new message is lost on its way, or Slack’s answer is. */
  let fault: 'not-sent' | 'not-arrived' | 'lost' | undefined

  const minute = (): number => Math.round((now - START) / MINUTE)
  const parse = ({ wanted }: TestMessage): Content => JSON.parse(wanted)
  function set(id: string, changes: Partial<TestMessage>): void {
    state.messages = state.messages.map((one) => (one.id === id ? { ...one, ...changes } : one))
  }
  function deliver(): boolean {
    let hasSent = false
    for (const message of state.messages) {
      const { id, version, shownVersion, channelId, attempted } = message
      if (shownVersion === version || state.closedChannels.includes(channelId) || fault === 'not-sent')
        continue
      const isInSlack = arrived.some((one) => one.message.id === id)
      if (attempted && !isInSlack) set(id, { attempted: undefined })
      else {
        const moment = { at: new Date(now), clockMs: readClock(state.scopes[ENV], now) }
        if (fault === 'not-arrived') {
          if (isInSlack) continue
          set(id, { attempted: moment })
          return true
        }
        if (!isInSlack) arrived.push({ minute: minute(), message, content: parse(message) })
        shown.set(id, { version, content: parse(message) })
        set(id, { attempted: attempted ?? moment, ...(fault !== 'lost' && { shownVersion: version }) })
      }
      hasSent = true
      if (fault === 'lost') break
    }
    return hasSent
  }
  /** Decides and sends until nothing is left. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 9; turn += 1) {
      await decideAll(state, now)
      if (!deliver() || fault) return
    }
    throw new Error('It doesn’t come to rest.')
  }
  function watch(changes: Partial<Watch> = {}) {
    return saveWatch(
      state,
      {
        ...{ id: `w${serial++}`, workspaceId: 'T1', channelId: 'A', environment: ENV, filter: ALL_CHECKS },
        ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'ann', isResumed: false },
        ...{ madeAt: new Date(now) },
        ...changes,
      },
      now,
    )
  }
  const findOpen = (name: string) => {
    const found = state.incidents.find(({ check, closed }) => check.name === name && !closed)
    if (!found) throw new Error(`${name} has no open incident.`)
    return found
  }
  async function pass(minutes: number): Promise<void> {
    for (let count = 0; count < minutes; count += 1) {
      now += MINUTE
      const checks = [...statuses].map(([name, status]) => {
        const isBad = status === 'unknown' ? undefined : status === 'down'
        return [`u-${name}`, { name: names.get(name) ?? name, isBad }] as const
      })
      poll(state, ENV, isSeen ? new Map(checks) : undefined, now)
      await settle()
    }
  }

  for (const changes of watches) watch(changes)
  poll(state, ENV, new Map(), now)
  await settle()
  return {
    state,
    arrived,
    watch,
    pass,
    settle,
    minute,
    now: () => now,
    set(status: Status, ...names: readonly string[]): void {
      for (const name of names) statuses.set(name, status)
    },
    /** Time passes, and Signalman doesn't run. */
    stop(minutes: number): void {
      now += minutes * MINUTE
    },
    rename: (name: string, to: string): void => void names.set(name, to),
    see(canSee: boolean): void {
      isSeen = canSee
    },
    fail(wanted: typeof fault): void {
      fault = wanted
    },
    /** Presses **I’m on it** on a message, as Slack shows it. */
    press(by: string, index = -1): string[] {
      const pressed = arrived.at(index)
      const version = pressed && shown.get(pressed.message.id)?.version
      if (!pressed || version === undefined) throw new Error('There is no such message.')
      return take(state, pressed.message.id, version, by, now).map(
        (id) => state.incidents.find((one) => one.id === id)?.check.name ?? id,
      )
    },
    stepDown: (name: string): void => release(state, findOpen(name)),
    findOpen,
    /** What the messages of a kind show now, oldest first: `web down, mail up`. */
    shows: (kind: TestMessage['kind'] = 'card', channel = 'A'): string[] =>
      arrived
        .filter(({ message }) => message.kind === kind && message.channelId === channel)
        .map(({ message }) =>
          (shown.get(message.id)?.content.rows ?? [])
            .map(([, status, name]) => `${name} ${status}`)
            .join(', '),
        ),
    /** The messages that arrived: `5 page ann bea: web`. A card names what is down on it when it arrives. */
    reads: (channel = 'A'): string[] =>
      arrived
        .filter(({ message }) => message.channelId === channel)
        .map(({ minute: at, message, content }) => {
          const names = content.rows.map(([, status, name]) =>
            status === 'down' ? name : `${name} ${status}`,
          )
          const people = content.people.length > 0 ? ` ${content.people.join(' ')}` : ''
          return `${at} ${message.kind}${people}: ${names.sort().join(', ')}`
        }),
  }
}

export type Channels = Awaited<ReturnType<typeof createChannels>>

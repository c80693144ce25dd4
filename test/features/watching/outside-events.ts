import { newId } from '@signalman/runtime'
import type { Store } from '../../../src/app/store.ts'
import { changeWatching } from '../../decide.ts'
import type { Random } from '../../random.ts'
import { ALL_CHECKS } from './all-checks.ts'
import { type createFaultyService, type createFaultySlack, MINUTE_MS, OWNER } from './faulty-outside.ts'

// What happens to a channel, people, a token, settings, and the clock from outside. What Slack tells about it may be lost, late, or come twice.

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const CHANNEL = 'C1'
export const PAGE_MS = 10 * MINUTE_MS
export const PAGE = [{ afterMs: PAGE_MS, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]
export const SETTINGS = { filter: ALL_CHECKS, afterBadPolls: 1, page: PAGE }

interface Outside {
  readonly random: Random
  /** The right time, and that of the clock of the database. */
  readonly now: () => number
  readonly clock: { aheadMs: number }
  readonly service: ReturnType<typeof createFaultyService>
  readonly slack: ReturnType<typeof createFaultySlack>
  readonly tell: (what: string) => unknown
}

export type OutsideEvents = ReturnType<typeof createOutsideEvents>

/** Lets them happen, and knows what may be expected since. */
export function createOutsideEvents(outside: Outside, names: readonly string[]) {
  const { random, now, clock, service, slack, tell } = outside
  const startMs = now()
  const getClock = () => new Date(now() + clock.aheadMs)
  /** What is delivered later. */
  const queue: { at: number; run: (store: Store) => Promise<unknown> }[] = []
  const state = {
    /** When something was last otherwise than expected: since then, everything takes its time again. */
    changedAt: startMs,
    sharedAt: 0,
    /** When Signalman has heard of the sharing, or has to have noticed it. */
    closedAt: Number.POSITIVE_INFINITY,
    isAgreed: false,
    /** It became shared, and nobody has agreed or resumed it since: nothing is told, and nobody is paged. */
    isClosed: false,
    /** Since when Slack doesn't say who reads it. */
    hiddenAt: Number.POSITIVE_INFINITY,
    watchId: '',
    isWatched: true,
    /** Something was in the way of messages, and nobody has resumed the channel since. */
    isPaused: false,
    /** What was sent before stays as it was. */
    leftBehindAt: 0,
    /** When U1 has left, and was taken off everything last. */
    goneAt: 0,
    leftAt: 0,
    /** When the clock was set last. */
    clockSetAt: 0,
    clockAheadAt: 0,
    /** Whoever took one of these then needs no answer: nobody sees anymore what became of it. */
    unseenAt: new Map<string, number>(),
    /** The checks that are muted, and until when: the longest of their mutes. */
    muted: new Map<string, number>(),
    /** What nobody is paged about until it falls again: it was down before the watch, or the account. */
    older: new Set<string>(),
    /** When the first poll of a watch or an account was due: what falls before it was down before. */
    firstAt: startMs,
  }
  const note = (what: string) => {
    state.changedAt = now()
    tell(what)
  }
  const change = changeWatching
  const hearOf = (what: string, run: (store: Store) => Promise<unknown>): void => {
    const [kind = 0, lateMs = 0] = [random.below(4), random.below(4 * MINUTE_MS)]
    const times = [[], [now()], [now() + lateMs], [now(), now() + lateMs]][kind] ?? []
    tell(`${what} (${['lost', 'now', 'late', 'twice'][kind]})`)
    queue.push(...times.map((at) => ({ at, run })))
  }
  /** Whether Slack says that nobody can set up or resume anything in the channel. */
  const isRefused = (): boolean => slack.state.isArchived || !slack.state.isMember || slack.state.isHidden
  /** Whether no message can be expected in the channel. */
  const isBlocked = (): boolean => state.isPaused || (slack.state.isShared && !state.isAgreed)
  /** Slack accepts nothing there. If nothing is watched there anymore, nobody tries again. */
  const refuse = (what: string): void => {
    state.isPaused = true
    if (!state.isWatched) state.leftBehindAt = now()
    note(what)
  }
  const isDisturbed = () => service.token.isRevoked || clock.aheadMs > 0
  const markOlder = () => {
    state.firstAt = now()
    for (const name of names) if (service.statuses.get(name) === 'UNHEALTHY') state.older.add(name)
  }
  const resume = async (store: Store, isAgreed: boolean): Promise<boolean> => {
    const askedAt = getClock()
    const asked = { isSharedOutside: slack.state.isShared, askedAt }
    const isResumed = await change(store, 'T1', ({ channels }) =>
      channels.resume(CHANNEL, { ...asked, agreedOutsideAt: isAgreed ? askedAt : undefined }),
    )
    if (isResumed) Object.assign(state, { isPaused: false, isClosed: false })
    return isResumed
  }
  const addWatch = async (store: Store): Promise<void> => {
    state.watchId = newId()
    state.isWatched = true
    markOlder()
    const watch = { id: state.watchId, ...SCOPE, channelId: CHANNEL, ...SETTINGS, ownerId: OWNER }
    await change(store, 'T1', ({ watches }) => watches.add(watch))
  }

  const events: Readonly<Record<string, (store: Store) => unknown>> = {
    share: () => {
      if (slack.state.isShared) return
      Object.assign(slack.state, { isShared: true })
      Object.assign(state, { isPaused: true, isClosed: true })
      Object.assign(state, { sharedAt: now(), closedAt: Number.POSITIVE_INFINITY })
      Object.assign(state, { isAgreed: false, changedAt: now() })
      hearOf('the channel becomes shared', async (store) => {
        if (!slack.state.isShared) return
        state.closedAt = Math.min(state.closedAt, now())
        // Who has agreed meanwhile is asked again.
        Object.assign(state, { isPaused: true, isClosed: true, isAgreed: false })
        const pause = { now: getClock(), revokes: true }
        await store.watching.channels.pause('T1', CHANNEL, 'shared-outside', pause)
      })
    },
    unshare: () => {
      Object.assign(slack.state, { isShared: false })
      note('the channel isn’t shared anymore')
    },
    agree: async (store) => {
      if (!slack.state.isShared || isRefused()) return
      if (await resume(store, true)) state.isAgreed = true
      note('an admin agrees')
    },
    resume: async (store) => {
      // Signalman asks Slack first.
      if (isRefused()) return
      note(`somebody resumes the channel: ${await resume(store, false)}`)
    },
    archive: () => {
      Object.assign(slack.state, { isArchived: !slack.state.isArchived })
      refuse(`archived: ${slack.state.isArchived}`)
    },
    remove: () => {
      Object.assign(slack.state, { isMember: !slack.state.isMember })
      refuse(`the app is in the channel: ${slack.state.isMember}`)
    },
    hide: () => {
      Object.assign(slack.state, { isHidden: !slack.state.isHidden })
      state.hiddenAt = slack.state.isHidden ? now() : Number.POSITIVE_INFINITY
      state.isPaused = true
      note(`Slack doesn’t say who reads the channel: ${slack.state.isHidden}`)
    },
    leave: () => {
      if (slack.state.isGone) return
      Object.assign(slack.state, { isGone: true })
      state.goneAt = now()
      hearOf('U1 has left', (store) => checkPerson(store, 'U1'))
    },
    empty: () => {
      Object.assign(slack.state, { isGroupEmpty: !slack.state.isGroupEmpty })
      note(`the group is empty: ${slack.state.isGroupEmpty}`)
    },
    quit: () => {
      Object.assign(slack.state, { hasOwnerLeft: !slack.state.hasOwnerLeft })
      note(`the owner has left: ${slack.state.hasOwnerLeft}`)
    },
    revoke: () => {
      service.token.isRevoked = true
      note('the token is revoked')
    },
    replace: () => {
      service.token.isRevoked = false
      service.token.digest += 1
      note('another token of the same account')
    },
    move: () => {
      service.token.isRevoked = false
      service.token.digest += 1
      service.token.account += 1
      markOlder()
      forget(names)
      note('a token of another account')
    },
    install: () => setStatus(random.oneOf(names), 'INSTALLING'),
    delete: () => setStatus(random.oneOf(names), 'GONE'),
    rename: () => {
      const name = random.oneOf(names)
      if (!service.renamed.delete(name)) service.renamed.add(name)
      tell(`${name} is renamed`)
    },
    mute: async (store) => {
      if (clock.aheadMs > 0) return
      const name = random.oneOf(names)
      const to = new Date(now() + MINUTE_MS * (2 + random.below(20)))
      await addSilence(store, name, to)
      state.muted.set(name, Math.max(to.getTime(), state.muted.get(name) ?? 0))
      queue.push({ at: to.getTime(), run: async () => endMute(name) })
      note(`${name} is muted until ${((to.getTime() - startMs) / MINUTE_MS).toFixed(1)}`)
    },
    ahead: () => {
      state.clockSetAt = now()
      clock.aheadMs = clock.aheadMs === 0 ? MINUTE_MS * (5 + random.below(300)) : 0
      if (clock.aheadMs > 0) state.clockAheadAt = now()
      note(`the clock is ahead by ${clock.aheadMs / MINUTE_MS} min`)
    },
    steps: async (store) => {
      const settings = { ...SETTINGS, runbook: `https://example.com/${random.below(100)}` }
      await change(store, 'T1', ({ watches }) => watches.change(state.watchId, settings))
      tell('the watch gets another runbook')
    },
    unwatch: async (store) => {
      if (!state.isWatched) return
      await change(store, 'T1', ({ watches }) => watches.remove(state.watchId, getClock()))
      // What was to be said under an agreement still is.
      Object.assign(state, { isWatched: false, isClosed: false })
      // Nobody may edit what is in the channel, and nobody tries again.
      if (isBlocked()) state.leftBehindAt = now()
      forget(names)
      note('the watch ends')
      const watchAgain = async (store: Store): Promise<unknown> => {
        if (state.isWatched) return undefined
        // Nobody may watch anything there.
        if (slack.state.isShared || isRefused()) return queue.push({ at: now() + MINUTE_MS, run: watchAgain })
        await addWatch(store)
        return note('the channel watches again')
      }
      queue.push({ at: now() + random.below(5 * MINUTE_MS), run: watchAgain })
    },
  }

  /** What Slack's event about a person does, and what happens now and then without one. */
  async function checkPerson(store: Store, userId: string): Promise<void> {
    if (userId !== 'U1' || !slack.state.isGone) return
    note(`U1 is off ${await store.watching.onIt.removePerson('T1', 'U1')}`)
    state.leftAt = now()
  }
  function forget(unseen: readonly string[]): void {
    for (const name of unseen) state.unseenAt.set(name, now())
  }
  function endMute(name: string): void {
    if (now() < (state.muted.get(name) ?? 0)) return
    state.muted.delete(name)
    note(`the mute of ${name} ends`)
  }
  function addSilence(store: Store, name: string, to: Date) {
    const silence = {
      ...{
        id: newId(),
        ...SCOPE,
        channelId: CHANNEL,
        subject: { kind: 'name' as const, pattern: `${name}*` },
      },
      ...{ isMaintenance: false, from: getClock(), to, timeZone: 'UTC', reason: '' },
      ...{ ownerId: 'U2', ownerName: 'Ann', madeAt: getClock() },
    }
    return change(store, 'T1', ({ silences }) => silences.add([silence]))
  }
  function setStatus(name: string, status: 'INSTALLING' | 'GONE'): void {
    service.statuses.set(name, status)
    state.older.delete(name)
    forget([name])
    note(`${name}: ${status}`)
  }

  return {
    state,
    getClock,
    addWatch,
    checkPerson,
    /** Whether what is down is told and paged about as usual. */
    isQuiet: () => !isDisturbed() && state.isWatched,
    isBlocked,
    isDisturbed,
    async happen(store: Store): Promise<void> {
      for (const due of queue.filter(({ at }) => at <= now())) {
        queue.splice(queue.indexOf(due), 1)
        await due.run(store)
      }
      if (random.below(25) === 0) await events[random.oneOf(Object.keys(events))]?.(store)
    },
    /**
     * Everything is as it was, and people have done what Signalman asks for. False if it said that the channel was shared just now, which may
     * have been when the clock was ahead: they press again.
     */
    async restore(store: Store): Promise<boolean> {
      queue.length = 0
      Object.assign(slack.state, { isShared: false, isArchived: false, isMember: true })
      Object.assign(slack.state, { isGroupEmpty: false, hasOwnerLeft: false, isHidden: false, isGone: false })
      state.hiddenAt = Number.POSITIVE_INFINITY
      clock.aheadMs = 0
      state.clockSetAt = now()
      if (service.token.isRevoked) events.replace?.(store)
      if (!state.isWatched) await addWatch(store)
      for (const silence of await store.watching.silences.list('T1', new Date(0)))
        await change(store, 'T1', ({ silences }) => silences.end([silence.id], getClock()))
      state.muted.clear()
      const isResumed = await resume(store, false)
      note('everything is as it was')
      return isResumed
    },
  }
}

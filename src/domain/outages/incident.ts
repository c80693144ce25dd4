import {
  type CheckFacts,
  MAX_BAD_POLLS,
  type OnIt,
  type OutageEnding,
  type PollFailure,
  type Unseen,
  type WasOnIt,
} from './outage.ts'

/** An incident is over after this much time with good polls only. */
const QUIET_MS = 30 * 60_000
/** Whoever is on an incident stays on it until its check has been up for this long. */
const RELEASE_MS = 10 * 60_000
/** An incident remembers this many falls one by one. Of more, the oldest ones count as one that lasted as long as they did together. */
export const MAX_DOWNS = 100

/** One time in which a check was down. The last one has no end while it is. */
export interface Down {
  readonly from: Date
  readonly to?: Date | undefined
  /** It may have begun earlier: nobody looked before `from`. */
  readonly isAtLeast?: true | undefined
  /** When it was last seen down, if nobody looked between that and `to`: it may have ended earlier. */
  readonly seenTo?: Date | undefined
}

/** One check's time from going down until it stays up. In between, it can go up and down. */
export interface Incident {
  readonly id: string
  /** The check as last seen. Without a UUID, it's the environment itself: its checks can't be seen. */
  readonly check: CheckFacts
  readonly isDown: boolean
  /** It's neither up nor down: the service installs it, or doesn't list it as unhealthy and doesn't say what it is. */
  readonly isInstalling: boolean
  /** Bad polls, in a row or not, up to one more than any watch waits for. */
  readonly badPolls: number
  /** Oldest first; never empty. */
  readonly downs: readonly Down[]
  /** It was already down at the first poll of the environment. */
  readonly isBaseline: boolean
  readonly openedAt: Date
  readonly closedAt?: Date | undefined
  readonly ending?: OutageEnding | undefined
  /** Why the checks of the environment can't be seen. */
  readonly failure?: PollFailure | undefined
  readonly onIt?: OnIt | undefined
  /** While nobody is on it: who was last. */
  readonly wasOnIt?: WasOnIt | undefined
  /** Who took it first. */
  readonly takenFirst?: OnIt | undefined
  /** When people were paged about it first, by any channel. */
  readonly pagedAt?: Date | undefined
}

/** Whether it's about an environment without data: its checks can't be seen. */
export const isNoData = ({ check }: Pick<Incident, 'check'>): boolean => check.uuid === ''

/** When it last went down, and when it last came up. */
export const getFallTime = ({ downs, openedAt }: Pick<Incident, 'downs' | 'openedAt'>): Date =>
  downs.at(-1)?.from ?? openedAt
export const getRiseTime = ({ downs }: Pick<Incident, 'downs'>): Date | undefined => downs.at(-1)?.to

/** Whether its check was seen up, or it’s over: until then, it may still be down. */
export const isSeenUp = ({ isDown, isInstalling, closedAt }: Incident): boolean =>
  !isDown && (!isInstalling || closedAt !== undefined)

/** When it was last seen down: now, if it still is. */
export const getSeenToMs = (nowMs: number, { to, seenTo = to }: Partial<Down> = {}): number =>
  Math.min(nowMs, seenTo?.getTime() ?? nowMs)

/** Who was on it until this fall, or stepped down in it. Later falls are about nobody. */
export function getWasOnIt(incident: Pick<Incident, 'downs' | 'openedAt' | 'wasOnIt'>): WasOnIt | undefined {
  const { wasOnIt } = incident
  const { fallMs = getFallTime(incident).getTime() } = wasOnIt ?? {}
  return fallMs === getFallTime(incident).getTime() ? wasOnIt : undefined
}

/** How long it was seen down in all. What is in the future is from before the clock was set back. */
export const sumDownMs = ({ downs }: Pick<Incident, 'downs'>, nowMs: number): number =>
  downs.reduce((ms, down) => ms + Math.max(0, getSeenToMs(nowMs, down) - down.from.getTime()), 0)

/** Whether it went down at a time before the first poll, which nobody knows. */
export const wasDownAtFirst = ({ isBaseline, downs }: Pick<Incident, 'isBaseline' | 'downs'>): boolean =>
  isBaseline && downs.length === 1

/** Whoever took it isn't on it anymore once it goes down after `RELEASE_MS` of being up. */
function releaseOnIt({ downs, onIt }: Incident, at: Date, fall: Date): Pick<Incident, 'onIt' | 'wasOnIt'> {
  const upSince = getRiseTime({ downs })
  if (!onIt || !upSince) return {}
  const upMs = at.getTime() - Math.max(upSince.getTime(), getPastMs(onIt.at, at))
  return upMs < RELEASE_MS
    ? {}
    : { onIt: undefined, wasOnIt: { ...onIt, because: 'relapse', fallMs: fall.getTime() } }
}

/** A time in the future is from before the clock was set back, so it may have been at any time. */
const getPastMs = (time: Date, now: Date): number => (time > now ? 0 : time.getTime())

/** What an incident without data says about an environment's checks. Undefined if they can be seen again. */
export const toUnseen = (incident: Incident | undefined): Unseen | undefined =>
  incident?.isDown ? { since: getFallTime(incident), failure: incident.failure ?? 'unreachable' } : undefined

/** The result of a successful poll. Known checks that it doesn't contain are in an unknown state. */
export interface Sighting {
  readonly at: Date
  /** Since when polls have had no gap. */
  readonly seenSince: Date
  /** The last poll before this one. */
  readonly lastOkAt?: Date | undefined
  /** True for the first poll of the environment. */
  readonly isFirst: boolean
  /** By UUID. */
  readonly bad: ReadonlyMap<string, CheckFacts>
  readonly good: ReadonlySet<string>
  /** Neither up nor down. */
  readonly installing: ReadonlySet<string>
  readonly deleted: ReadonlySet<string>
}

/** Returns the incidents that a poll changed. `known` has the open ones, by UUID. */
export function observe(
  known: ReadonlyMap<string, Incident>,
  sighting: Sighting,
  newId: () => string,
): Incident[] {
  const opened = [...sighting.bad].flatMap(([uuid, check]) =>
    known.has(uuid) ? [] : [openIncident(check, sighting.at, newId(), sighting)],
  )
  const changed = [...known].flatMap(([uuid, before]) => observeKnown(before, uuid, sighting) ?? [])
  return [...changed, ...opened]
}

export const openIncident = (
  check: CheckFacts,
  at: Date,
  id: string,
  { isFirst = false, seenSince }: Partial<Pick<Sighting, 'isFirst' | 'seenSince'>> = {},
): Incident => ({
  id,
  check,
  isDown: true,
  isInstalling: false,
  badPolls: 1,
  downs: beginDown([], at, seenSince),
  isBaseline: isFirst,
  openedAt: at,
})

function observeKnown(before: Incident, uuid: string, sighting: Sighting): Incident | undefined {
  const { at, bad, good, deleted, installing, seenSince, lastOkAt = at } = sighting
  const check = bad.get(uuid)
  if (check) return observeBad(before, check, at, seenSince)
  if (deleted.has(uuid)) return closeIncident(before, at, 'deleted')
  const isInstalling = installing.has(uuid)
  // The service has answered, so its checks can be seen.
  const isGood = good.has(uuid) || isNoData(before)
  if (!isGood && !isInstalling) return undefined
  if (before.isDown) {
    const downs = endDown(before.downs, at, seenSince >= at && !isNoData(before) ? lastOkAt : undefined)
    return { ...before, isDown: false, isInstalling, downs }
  }
  const rise = getRiseTime(before) ?? before.openedAt
  // Being up counts from now on, or it would end only once the clock has caught up.
  if (rise > at) return { ...before, isInstalling, downs: before.downs.map((down) => endBy(down, at)) }
  if (at.getTime() - Math.max(rise.getTime(), getPastMs(seenSince, at)) >= QUIET_MS)
    return closeIncident({ ...before, isInstalling }, at, isInstalling ? 'installing' : 'recovered')
  return isInstalling === before.isInstalling ? undefined : { ...before, isInstalling }
}

export function observeBad(
  before: Incident,
  check: CheckFacts,
  at: Date,
  seenSince?: Date,
): Incident | undefined {
  const badPolls = Math.min(MAX_BAD_POLLS + 1, before.badPolls + 1)
  if (!before.isDown) {
    const downs = beginDown(before.downs, at, seenSince)
    const released = releaseOnIt(before, at, getFallTime({ ...before, downs }))
    return { ...before, ...released, check, badPolls, isDown: true, isInstalling: false, downs }
  }
  return badPolls === before.badPolls && looksSame(before.check, check)
    ? undefined
    : { ...before, check, badPolls }
}

export const closeIncident = (before: Incident, at: Date, ending: OutageEnding): Incident => ({
  ...before,
  isDown: false,
  downs: before.isDown ? endDown(before.downs, at) : before.downs,
  closedAt: at,
  ending,
})

/** Nobody sees its check anymore. Only what was down then may still be. */
export const closeUnseen = (before: Incident, at: Date): Incident =>
  closeIncident(before, at, before.isDown ? 'unseen' : before.isInstalling ? 'installing' : 'recovered')

const endDown = (downs: readonly Down[], at: Date, seenTo?: Date): Down[] =>
  downs.map((down) =>
    down.to ? down : { ...down, to: at < down.from ? down.from : at, ...(seenTo && { seenTo }) },
  )

/** A down that would end in the future, ended now. */
const endBy = (down: Down, at: Date): Down =>
  down.to && down.to > at ? { ...down, from: down.from > at ? at : down.from, to: at } : down

function beginDown(downs: readonly Down[], at: Date, seenSince: Date | undefined): Down[] {
  const last = downs.at(-1)
  const kept = downs.length >= MAX_DOWNS ? joinOldest(downs) : downs
  const isAtLeast = seenSince !== undefined && seenSince >= at
  return [...kept, { from: last?.to && last.to > at ? last.to : at, ...(isAtLeast && { isAtLeast }) }]
}

/** The channel has to hear of the latest fall, and the time down has to stay right. */
function joinOldest([first, second, ...others]: readonly Down[]): readonly Down[] {
  if (!first?.to || !second?.to) return []
  const firstMs = first.to.getTime() - first.from.getTime()
  return [{ ...second, from: new Date(second.from.getTime() - firstMs) }, ...others]
}

/** What people see of a check. An open card is edited when it changes. */
export const shownFacts = ({ name, target, protocol }: CheckFacts) => [name, target, protocol]

const looksSame = (left: CheckFacts, right: CheckFacts): boolean =>
  JSON.stringify(shownFacts(left)) === JSON.stringify(shownFacts(right))

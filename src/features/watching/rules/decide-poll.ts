import { MINUTE_MS } from '@signalman/runtime'
import {
  closeUnseen,
  type Incident,
  isNoData,
  observe,
  observeBad,
  openIncident,
  type Sighting,
  toUnseen,
} from '../../../domain/outages/incident.ts'
import { isNoDataAfter, type PollFailure, type Span } from '../../../domain/outages/outage.ts'

/** How far the polling of an environment has progressed. */
export interface PollState {
  /** The number of successful polls. */
  readonly polls: number
  readonly lastOkAt?: Date | undefined
  /** Since when polls have had no gap. */
  readonly seenSince?: Date | undefined
  /** Until when what the last successful poll saw counts as current. After that, there is a gap. */
  readonly seenUntil?: Date | undefined
  readonly failingSince?: Date | undefined
  readonly failedPolls: number
  /** The account of the last successful poll: another token may be of the same account. */
  readonly account?: string | undefined
}

/** What a successful poll found, without what the database knows. */
export interface PollResult extends Omit<Sighting, 'at' | 'seenSince' | 'lastOkAt' | 'isFirst'> {
  /** The token is of another account, which has none of the checks that were down last. Nobody sees them anymore, and nothing is new. */
  readonly isAnotherAccount?: boolean
}

export interface PollChanges {
  readonly state: PollState
  /** The observed time before a gap. */
  readonly observed?: Span | undefined
  readonly incidents: readonly Incident[]
  /** What the channels show has to be decided again. */
  readonly isNews: boolean
}

interface Polled {
  readonly at: Date
  readonly intervalMs: number
  /** The name of the environment. */
  readonly name: string
  readonly account?: string | undefined
}

/** If two polls are further apart, the time between them counts as not observed. */
const getMaxGapMs = (intervalMs: number): number => Math.max(MINUTE_MS, 3 * intervalMs)

/** The observed time up to the last poll, before a gap. The clock may have been ahead then. */
export function endObserved({ seenSince, lastOkAt }: PollState, now?: Date): Span | undefined {
  const to = now && lastOkAt && lastOkAt > now ? now : lastOkAt
  return seenSince && to && to > seenSince ? { from: seenSince, to } : undefined
}

/** Decides what a poll changes. `known`: the open incidents, by UUID. */
export function decidePoll(
  before: PollState,
  known: ReadonlyMap<string, Incident>,
  outcome: PollResult | PollFailure,
  polled: Polled,
  newId: () => string,
): PollChanges {
  if (typeof outcome === 'string') return decideFailed(before, known.get(''), outcome, polled, newId)
  const { at, intervalMs, account = before.account } = polled
  // A poll in the future is from before the clock was set back.
  const isGap = !before.seenUntil || !before.lastOkAt || at > before.seenUntil || at < before.lastOkAt
  const seenSince = isGap ? at : (before.seenSince ?? at)
  const { isAnotherAccount = false } = outcome
  const isFirst = before.polls === 0 || isAnotherAccount
  const isLost = (incident: Incident) => isAnotherAccount && !isNoData(incident)
  const still = new Map([...known].filter(([, incident]) => !isLost(incident)))
  const incidents = [
    ...[...known.values()].filter(isLost).map((incident) => closeUnseen(incident, at)),
    ...observe(still, { ...outcome, at, seenSince, isFirst, lastOkAt: before.lastOkAt }, newId),
  ]
  return {
    state: {
      account,
      ...{ polls: before.polls + 1, lastOkAt: at, seenSince, failingSince: undefined, failedPolls: 0 },
      seenUntil: new Date(at.getTime() + getMaxGapMs(intervalMs)),
    },
    observed: isGap ? endObserved(before, at) : undefined,
    incidents,
    // After a gap, a page may be due.
    isNews: incidents.length > 0 || (isGap && known.size > 0),
  }
}

/** Once polls have failed often and long enough, not seeing the checks is an incident. */
function decideFailed(
  before: PollState,
  noData: Incident | undefined,
  failure: PollFailure,
  { at, name }: Polled,
  newId: () => string,
): PollChanges {
  const failingSince = before.failingSince && before.failingSince <= at ? before.failingSince : at
  const failedPolls = before.failedPolls + 1
  const state = { ...before, failingSince, failedPolls }
  const isKnown = toUnseen(noData)?.failure === failure
  if (isKnown || !isNoDataAfter(failure, failedPolls, at.getTime() - failingSince.getTime()))
    return { state, incidents: [], isNews: false }
  const check = { uuid: '', name }
  const incident = noData
    ? (observeBad(noData, check, failingSince) ?? noData)
    : openIncident(check, failingSince, newId())
  return { state, incidents: [{ ...incident, failure }], isNews: true }
}

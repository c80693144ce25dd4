import type { Environment } from '../../../domain/environment.ts'
import type {
  CheckFacts,
  CheckTransition,
  FirstLook,
  Outage,
  PollFailure,
  PollStatus,
} from '../../../domain/outages/outage.ts'
import type { CardState, DigestPeriod, Meanwhile, StillDownReason } from '../rules/card.ts'
import type { Digest, Mute, Watch, WatchPlace } from '../rules/watch.ts'
import type {
  WatchCardRow,
  WatchDigestRow,
  WatchMuteRow,
  WatchOutageRow,
  WatchPollRow,
  WatchRow,
  WatchTransitionRow,
} from './tables.ts'

/** Only this program writes these columns, so they have this type. */
const parsed = <T>(json: string): T => JSON.parse(json) as T

export const dateOf = (text: string | null): Date | undefined => (text === null ? undefined : new Date(text))

/** One environment of a workspace. */
export interface ScopeOf {
  readonly workspaceId: string
  readonly environment: Environment
}

export const scopeColumns = ({ workspaceId, environment }: ScopeOf) => ({
  workspace_id: workspaceId,
  environment,
})

export const channelColumns = (place: ScopeOf & { channelId: string }) => ({
  ...scopeColumns(place),
  channel_id: place.channelId,
})

export function watchPlaceOf(row: WatchRow | WatchMuteRow | WatchDigestRow | WatchCardRow): WatchPlace {
  return {
    workspaceId: row.workspace_id,
    ...(row.enterprise_id !== null && { enterpriseId: row.enterprise_id }),
    channelId: row.channel_id,
    environment: row.environment,
  }
}

export const placeColumns = (place: WatchPlace) => ({
  ...channelColumns(place),
  enterprise_id: place.enterpriseId ?? null,
})

export function watchOf(row: WatchRow): Watch {
  const pausedAt = dateOf(row.paused_at)
  return {
    ...watchPlaceOf(row),
    id: row.id,
    filter: parsed(row.filter),
    afterBadPolls: row.after_bad_polls,
    notify: row.notify,
    reminderHours: row.reminder_hours,
    ...(row.escalation !== null && { escalation: parsed<Watch['escalation']>(row.escalation) }),
    ...(row.runbook !== null && { runbook: row.runbook }),
    ownerId: row.owner_id,
    madeAt: new Date(row.made_at),
    changedAt: new Date(row.changed_at),
    baselinePoll: row.baseline_poll,
    ...(row.matched !== null && { matched: row.matched }),
    ...(pausedAt && { paused: { at: pausedAt, why: row.pause_reason ?? 'refused' } }),
  }
}

export const muteFrom = (row: WatchMuteRow): Mute => ({
  ...watchPlaceOf(row),
  id: row.id,
  about: parsed(row.about),
  until: dateOf(row.until_at),
  by: row.by,
  madeAt: new Date(row.made_at),
})

export const digestOf = (row: WatchDigestRow): Digest => ({
  ...watchPlaceOf(row),
  hour: row.hour,
  timeZone: row.time_zone,
  madeBy: row.made_by,
  since: new Date(row.since),
})

export function outageOf(row: WatchOutageRow): Outage {
  const endedAt = dateOf(row.ended_at)
  return {
    id: row.id,
    check: parsed<CheckFacts>(row.facts),
    status: row.status,
    startedAt: new Date(row.started_at),
    ...(endedAt && { endedAt }),
    ...(row.ending !== null && { ending: row.ending }),
    isBaseline: row.is_baseline === 1,
    badPolls: row.bad_polls,
    ...(row.taken_at !== null && { taken: { at: new Date(row.taken_at), name: row.taken_by ?? '' } }),
    ...(row.first_look !== null && { firstLook: firstLookOf(row.first_look) }),
  }
}

function firstLookOf(json: string): FirstLook {
  const { at, ...look } = parsed<Omit<FirstLook, 'at'> & { at: string }>(json)
  return { ...look, at: new Date(at) }
}

export const transitionOf = (row: WatchTransitionRow): CheckTransition => ({
  outageId: row.outage_id,
  to: row.to_state,
  at: new Date(row.at),
  check: parsed<CheckFacts>(row.facts),
  status: row.status,
  badPolls: row.bad_polls,
})

export function cardOf(row: WatchCardRow): CardState {
  const [closedAt, unwatchedAt, remindAt] = [row.closed_at, row.unwatched_at, row.remind_at].map(dateOf)
  const acknowledgedAt = dateOf(row.acknowledged_at)
  return {
    id: row.id,
    environment: row.environment,
    channelId: row.channel_id,
    kind: row.kind,
    openedAt: new Date(row.opened_at),
    changedAt: new Date(row.changed_at),
    ...(closedAt && { closedAt }),
    ...(unwatchedAt && { unwatchedAt }),
    ...(acknowledgedAt && {
      acknowledged: { by: row.acknowledged_by ?? '', name: row.acknowledged_name ?? '', at: acknowledgedAt },
    }),
    ...(remindAt && { remindAt }),
    // Only this program writes it.
    ...(row.reason !== null && { reason: row.reason as StillDownReason | PollFailure }),
    ...(row.meanwhile !== null && { meanwhile: parsed<Meanwhile>(row.meanwhile) }),
    ...(row.period !== null && { period: parsed<DigestPeriod>(row.period) }),
    ...(row.maintenance_id !== null && { maintenanceId: row.maintenance_id }),
  }
}

export function pollStatusOf(row: WatchPollRow): PollStatus {
  const [lastOkAt, fullAt, failingSince] = [row.last_ok_at, row.full_at, row.failing_since].map(dateOf)
  return {
    polls: row.polls,
    ...(lastOkAt && { lastOkAt }),
    ...(fullAt && { fullAt }),
    ...(failingSince && { failingSince }),
    ...(row.failure !== null && { failure: row.failure }),
    isBlind: row.is_blind === 1,
    statuses: parsed(row.statuses),
  }
}

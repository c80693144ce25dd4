import {
  bigInteger,
  columns,
  date,
  flag,
  json,
  maybe,
  named,
  number,
  oneOf,
  type RowOf,
  text,
} from '@signalman/durable'
import { environment } from '../../../bot/workspaces/tables.ts'
import type { SubjectState } from '../../../domain/outages/observe.ts'
import type {
  CheckFacts,
  EarlierName,
  FirstProbe,
  OnIt,
  OnItChange,
  OutageEnding,
  PollFailure,
  WatchedStatus,
} from '../../../domain/outages/outage.ts'
import type { NextCall, Removal } from '../rules/alert.ts'
import type { CardKind, DigestPeriod, ListReason, MissedChanges } from '../rules/card.ts'
import type { NewCall } from '../rules/escalate.ts'
import type { EscalationStep, Responder } from '../rules/escalation-steps.ts'
import type { RepeatInterval, SilenceKind, SilenceState, SilenceSubject } from '../rules/silence.ts'
import type { PauseReason, ReminderHours, WatchFilter } from '../rules/watch.ts'

/** One environment of a workspace. Every row belongs to one. */
export const SCOPE = columns({ workspaceId: text(), environment: environment() })
export const CHANNEL = columns({ ...SCOPE.columns, channelId: text() })
export const WATCH_CHANNEL = columns({ ...CHANNEL.columns, enterpriseId: maybe(text()) })

/** The settings of a watch. */
export const SETTINGS = columns({
  filter: json<WatchFilter>(),
  afterBadPolls: number(),
  notify: oneOf('once', 'every'),
  reminderHours: number<ReminderHours>(),
  escalation: maybe(json<readonly EscalationStep[]>()),
  runbook: maybe(text()),
})
export const WATCH = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  ...SETTINGS.columns,
  ownerId: text(),
  madeAt: date(),
  changedAt: date(),
  /** The IDs of outages that the watch doesn't report, because they were already confirmed when it began. */
  baseline: json<readonly string[]>(),
  /** How many checks matched in the last full listing. */
  matchedCount: named('matched', maybe(number())),
  pausedAt: maybe(date()),
  pauseReason: maybe(text<PauseReason>()),
  /** When someone agreed to post in the channel although it is shared with another organization. */
  agreedOutsideAt: maybe(date()),
  /** People and groups that the watch should page but that Slack can't notify, with the reasons. */
  unreachable: maybe(json<readonly string[]>()),
})

/** One window of a silence. An empty channel means the whole workspace. */
export const SILENCE = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  kind: oneOf<SilenceKind>('mute', 'maintenance'),
  /** The same for every window of a recurring silence. */
  planId: text(),
  subject: named('about', json<SilenceSubject>()),
  /** `toSubjectKey` of the subject. */
  subjectKey: text(),
  from: named('from_at', date()),
  /** Null if the silence lasts until someone ends it. */
  to: named('to_at', maybe(date())),
  forMs: maybe(bigInteger()),
  every: maybe(text<RepeatInterval>()),
  timeZone: text(),
  /** The wall-clock time of the first window. */
  firstStart: text(),
  reason: text(),
  state: oneOf<SilenceState>('planned', 'announced', 'running', 'over'),
  ownerId: text(),
  ownerName: text(),
  madeAt: date(),
})

export const DIGEST = columns({
  ...WATCH_CHANNEL.columns,
  hour: number(),
  timeZone: text(),
  madeBy: text(),
  since: date(),
})

/** The polling of one environment. Exists while it has watches. */
export const POLL = columns({
  ...SCOPE.columns,
  /** A group is polled by one process at a time. */
  pollGroup: number(),
  dueAt: date(),
  /** The number of successful polls. */
  polls: number(),
  /** The watched statuses that were polled before. Outages found by the first poll of a status are its baseline. */
  statuses: json<readonly WatchedStatus[]>(),
  lastOkAt: maybe(date()),
  /** The watch clock: how long the environment has been observed, in milliseconds, and when that was saved. */
  clockMs: bigInteger(),
  clockSavedAt: maybe(date()),
  /** A poll saved outages, but was interrupted before it updated channels. */
  isUndecided: flag(),
  /** When all checks were last listed. */
  fullAt: maybe(date()),
  failingSince: maybe(date()),
  failure: maybe(text<PollFailure>()),
  /** The channels were notified that polls are failing. */
  isFailureReported: flag(),
  /** How many checks the last poll found. */
  total: maybe(number()),
  /** A new value each time states are written; null before the first. */
  statesVersion: maybe(text()),
})

export const OBSERVED = columns({
  ...SCOPE.columns,
  from: named('from_at', date()),
  to: named('to_at', date()),
})

/** The type of a value in JSON, which stores the date under `Key` as text. */
type InJson<T, Key extends keyof T> = Omit<T, Key> & { readonly [Property in Key]: string }
const createDateReviver =
  <const Key extends string>(key: Key) =>
  <T extends { readonly [Property in Key]: string }>(value: T) =>
    ({ ...value, [key]: new Date(value[key]) }) as Omit<T, Key> & {
      readonly [Property in Key]: Date
    }
const reviveAt = createDateReviver('at')
const reviveUntil = createDateReviver('until')

export const OUTAGE = columns({
  id: text(),
  /** The check as last seen. */
  check: named('facts', json<CheckFacts>()),
  status: text<WatchedStatus>(),
  startedAt: date(),
  endedAt: maybe(date()),
  ending: maybe(text<OutageEnding>()),
  isBaseline: flag(),
  badPolls: number(),
  firstProbe: maybe(json<FirstProbe, InJson<FirstProbe, 'at'>>(reviveAt)),
  onIt: maybe(json<OnIt, InJson<OnIt, 'at'>>(reviveAt)),
  onItChanges: maybe(
    json<readonly OnItChange[], readonly InJson<OnItChange, 'at'>[]>((all) => all.map(reviveAt)),
  ),
  earlierNames: maybe(
    json<readonly EarlierName[], readonly InJson<EarlierName, 'until'>[]>((all) => all.map(reviveUntil)),
  ),
})
/** The start and end of an outage on the watch clock. */
export const WATCH_CLOCK_TIMES = columns({
  startedClockMs: bigInteger(),
  endedClockMs: maybe(bigInteger()),
})

/** Polling state of an open outage. Written when a phase begins, not at every poll. */
type Phase = Pick<SubjectState, 'phase' | 'phasePoll' | 'earlier' | 'phaseAt' | 'goodAt'>
type PhaseInJson = Omit<Phase, 'phaseAt' | 'goodAt'> & { readonly phaseAt: string; readonly goodAt?: string }
export const PHASE = columns({
  /** Null once the outage has ended. */
  phase: maybe(
    json<Phase, PhaseInJson>((phase) => ({
      ...phase,
      phaseAt: new Date(phase.phaseAt),
      goodAt: phase.goodAt === undefined ? undefined : new Date(phase.goodAt),
    })),
  ),
})
export const OUTAGES = columns({
  ...SCOPE.columns,
  uuid: text(),
  ...OUTAGE.columns,
  ...WATCH_CLOCK_TIMES.columns,
  ...PHASE.columns,
})

/** The content of a card, as last decided. */
export const CARD = columns({
  id: text(),
  environment: environment(),
  channelId: text(),
  kind: text<CardKind>(),
  reason: maybe(text<ListReason | PollFailure>()),
  missedChanges: maybe(json<MissedChanges>()),
  period: maybe(json<DigestPeriod>()),
  openedAt: date(),
  /** `openedAt` on the watch clock. */
  openedClockMs: bigInteger(),
  changedAt: date(),
  closedAt: maybe(date()),
  unwatchedAt: maybe(date()),
  /** How many outages the card has ever listed. */
  listedCount: named('lines', number()),
  nextCall: maybe(json<NextCall, InJson<NextCall, 'at'>>(reviveAt)),
  /** The maintenance window that the card announces. */
  maintenanceId: maybe(text()),
})
/** One message of a channel. Its delivery is pending while `shown_version` is below `version`. */
export const CARDS = columns({
  ...WATCH_CHANNEL.columns,
  ...CARD.columns,
  version: number(),
  shownVersion: number(),
  shownAt: maybe(date()),
  /** The message; null until it is posted, and after it was deleted. */
  ts: maybe(text()),
  /** The reply in its thread. */
  detailsTs: maybe(text()),
  detailsVersion: number(),
  /** When to check again for a post with an unknown outcome: the card, or its reply once the card is posted. */
  recheckAt: maybe(date()),
})

export const CARD_OUTAGE = columns({ cardId: text(), outageId: text() })

/** One outage in one channel. */
export const ALERT = columns({
  outageId: text(),
  uuid: text(),
  /** The card that lists the outage, or that listed it last. */
  cardId: maybe(text()),
  cardVersion: number(),
  listedClockMs: bigInteger(),
  /** The outage was added to an existing message by an edit, which notifies nobody. */
  wasAddedByEdit: flag(),
  isSilenced: flag(),
  /** The facts that the card shows, to detect changes. */
  shownFacts: text(),
  remindedClockMs: maybe(bigInteger()),
})
/** Why and when a channel stopped listing an outage as down. */
export const REMOVAL = columns({
  removalReason: maybe(text<Removal['reason']>()),
  removedAt: maybe(date()),
  removedClockMs: maybe(bigInteger()),
})
export const ALERTS = columns({ ...CHANNEL.columns, ...ALERT.columns, ...REMOVAL.columns })

/** The state of one watch's escalation for one outage. */
export const ESCALATION = columns({
  outageId: text(),
  watchId: text(),
  /** The steps as JSON. If they change, escalation restarts. */
  steps: text(),
  /** Starts at 1 and increases with each restart. */
  run: number(),
  /** The index of the next step. */
  step: number(),
  waitedMs: bigInteger(),
  /** When the escalation last started to run, on the watch clock. Null while it is stopped. */
  runningSinceMs: maybe(bigInteger()),
  callId: maybe(text()),
})
export const ESCALATIONS = columns({ ...CHANNEL.columns, ...ESCALATION.columns })

export const PACE = columns({
  workspaceId: text(),
  /** Empty for the workspace as a whole. */
  channelId: text(),
  /** For a channel: when the next message may be sent. For a workspace: when its allowance is full again. */
  nextAt: maybe(date()),
  /** When Slack asked for a pause, and when the pause ends. */
  noPostsSince: maybe(date()),
  noPostsBefore: maybe(date()),
  noEditsSince: maybe(date()),
  noEditsBefore: maybe(date()),
})

/** A call: people to page, or already paged, in the thread of a card. */
export const CALL = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  cardId: text(),
  responders: named('call', json<readonly Responder[]>()),
  steps: named('about', json<NewCall['steps']>()),
  madeAt: date(),
  /** Null until it is posted. */
  postedAt: maybe(date()),
})

export type WatchCardRow = RowOf<typeof CARDS.columns>
export type WatchPollRow = RowOf<typeof POLL.columns>

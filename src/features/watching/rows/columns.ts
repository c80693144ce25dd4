import {
  columns,
  date,
  flag,
  json,
  large,
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
  FirstLook,
  OnIt,
  OutageEnding,
  PollFailure,
  Taking,
  WatchedStatus,
} from '../../../domain/outages/outage.ts'
import type { Left, NextCall } from '../rules/alert.ts'
import type { CardKind, DigestPeriod, ListReason, Meanwhile } from '../rules/card.ts'
import type { NewCall } from '../rules/escalate.ts'
import type { Called, EscalationStep } from '../rules/escalation-steps.ts'
import type { Every, Silence, SilenceKind, SilenceState, SilenceSubject } from '../rules/silence.ts'
import type { PauseReason, ReminderHours, WatchFilter } from '../rules/watch.ts'

/** One environment of a workspace, to which every row of watching belongs. */
export const SCOPE = columns({ workspaceId: text(), environment: environment() })
export const CHANNEL = columns({ ...SCOPE.columns, channelId: text() })
export const PLACE = columns({ ...CHANNEL.columns, enterpriseId: maybe(text()) })

/** What a person decides about a watch. */
export const TERMS = columns({
  filter: json<WatchFilter>(),
  afterBadPolls: number(),
  notify: oneOf('once', 'every'),
  reminderHours: number<ReminderHours>(),
  escalation: maybe(json<readonly EscalationStep[]>()),
  runbook: maybe(text()),
})
export const WATCH = columns({
  ...PLACE.columns,
  id: text(),
  ...TERMS.columns,
  ownerId: text(),
  madeAt: date(),
  changedAt: date(),
  baseline: json<readonly string[]>(),
  matched: maybe(number()),
  pausedAt: maybe(date()),
  pauseReason: maybe(text<PauseReason>()),
  agreedOutsideAt: maybe(date()),
  unreachable: maybe(json<readonly string[]>()),
})

/** One window of a silence; with an empty channel it is for all of the workspace. */
export const SILENCE = columns({
  ...PLACE.columns,
  id: text(),
  kind: oneOf<SilenceKind>('mute', 'maintenance'),
  /** The same for every window of a recurring silence. */
  planId: text(),
  about: json<SilenceSubject>(),
  from: named('from_at', date()),
  /** Null: until somebody ends it. */
  to: named('to_at', maybe(date())),
  forMs: maybe(large()),
  every: maybe(text<Every>()),
  timeZone: text(),
  /** What a clock showed when the first window began. */
  first: named('first_shown', json<Silence['first']>()),
  because: text(),
  state: oneOf<SilenceState>('planned', 'announced', 'running', 'over'),
  ownerId: text(),
  ownerName: text(),
  madeAt: date(),
})

export const DIGEST = columns({
  ...PLACE.columns,
  hour: number(),
  timeZone: text(),
  madeBy: text(),
  since: date(),
})

/** The polling of one environment; exists while something in it is watched. */
export const POLL = columns({
  ...SCOPE.columns,
  /** One process at a time polls a group. */
  pollGroup: number(),
  dueAt: date(),
  /** The number of successful polls. */
  polls: number(),
  /** Those whose baseline is known. */
  statuses: json<readonly WatchedStatus[]>(),
  lastOkAt: maybe(date()),
  /** The watch clock: how long it has been looked at in all, in milliseconds, and when it was that long. */
  seen: named('seen_ms', large()),
  seenAt: maybe(date()),
  /** Outages were written of which channels don't know yet: the poll was cut off. */
  isUndecided: flag(),
  /** When all checks were listed last. */
  fullAt: maybe(date()),
  failingSince: maybe(date()),
  failure: maybe(text<PollFailure>()),
  isBlind: flag(),
  /** How many checks the last poll found. */
  total: maybe(number()),
  /** A new value after each write of states; null before the first. */
  statesMark: maybe(text()),
})

export const OBSERVED = columns({
  ...SCOPE.columns,
  from: named('from_at', date()),
  to: named('to_at', date()),
})

/** JSON keeps a date as a text. */
type InJson<T, Key extends keyof T> = Omit<T, Key> & { readonly [One in Key]: string }
const dated =
  <const Key extends string>(key: Key) =>
  <T extends { readonly [One in Key]: string }>(one: T) =>
    ({ ...one, [key]: new Date(one[key]) }) as Omit<T, Key> & {
      readonly [One in Key]: Date
    }
const at = dated('at')
const until = dated('until')

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
  firstLook: maybe(json<FirstLook, InJson<FirstLook, 'at'>>(at)),
  onIt: maybe(json<OnIt, InJson<OnIt, 'at'>>(at)),
  takings: maybe(json<readonly Taking[], readonly InJson<Taking, 'at'>[]>((all) => all.map(at))),
  earlierNames: maybe(
    json<readonly EarlierName[], readonly InJson<EarlierName, 'until'>[]>((all) => all.map(until)),
  ),
})
/** On the watch clock. */
export const SEEN = columns({
  startedSeen: large(),
  endedSeen: maybe(large()),
})

/** What polls remember of it while it goes on: written where a phase begins, not with every poll. */
type Phase = Pick<SubjectState, 'phase' | 'phasePoll' | 'earlier' | 'phaseAt' | 'goodAt'>
type PhaseInJson = Omit<Phase, 'phaseAt' | 'goodAt'> & { readonly phaseAt: string; readonly goodAt?: string }
export const PHASE = columns({
  /** Null once it is over. */
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
  ...SEEN.columns,
  ...PHASE.columns,
})

/** What is decided about a card. */
export const CARD = columns({
  id: text(),
  environment: environment(),
  channelId: text(),
  kind: text<CardKind>(),
  reason: maybe(text<ListReason | PollFailure>()),
  meanwhile: maybe(json<Meanwhile>()),
  period: maybe(json<DigestPeriod>()),
  openedAt: date(),
  /** On the watch clock. */
  openedSeen: large(),
  changedAt: date(),
  closedAt: maybe(date()),
  unwatchedAt: maybe(date()),
  /** How many outages it has ever listed. */
  lines: number(),
  nextCall: maybe(json<NextCall, InJson<NextCall, 'at'>>(at)),
  /** The window that it tells of. */
  maintenanceId: maybe(text()),
})
/** One message of a channel. It is behind while `shown_version` is below `version`. */
export const CARDS = columns({
  ...PLACE.columns,
  ...CARD.columns,
  version: number(),
  shownVersion: number(),
  shownAt: maybe(date()),
  /** Its message; null until it is posted, and after it was deleted. */
  ts: maybe(text()),
  /** The reply in its thread. */
  detailsTs: maybe(text()),
  detailsVersion: number(),
  /** The earliest time to look for a post of unknown outcome: of the card, or of the reply once the card is posted. */
  lookAt: maybe(date()),
})

export const CARD_OUTAGE = columns({ cardId: text(), outageId: text() })

/** One outage in one channel. */
export const ALERT = columns({
  outageId: text(),
  uuid: text(),
  /** The card that lists it, or listed it last. */
  cardId: maybe(text()),
  cardVersion: number(),
  since: named('since_seen', large()),
  isByEdit: flag(),
  isSilenced: flag(),
  said: text(),
  reminded: named('reminded_seen', maybe(large())),
})
export const LEFT = columns({
  leftWhy: maybe(text<Left['why']>()),
  leftAt: maybe(date()),
  leftSeen: maybe(large()),
})
export const ALERTS = columns({ ...CHANNEL.columns, ...ALERT.columns, ...LEFT.columns })

/** How far a watch has escalated one outage. */
export const ESCALATION = columns({
  outageId: text(),
  watchId: text(),
  steps: text(),
  run: number(),
  step: number(),
  waited: named('waited_ms', large()),
  since: named('since_seen', maybe(large())),
  callId: maybe(text()),
})
export const ESCALATIONS = columns({ ...CHANNEL.columns, ...ESCALATION.columns })

export const PACE = columns({
  workspaceId: text(),
  /** Empty for the workspace as a whole. */
  channelId: text(),
  /** For a channel: when the next message may be sent. For a workspace: until when its share is used up. */
  nextAt: maybe(date()),
  /** When Slack asked for a pause, and when that ends. */
  noPostsSince: maybe(date()),
  noPostsBefore: maybe(date()),
  noEditsSince: maybe(date()),
  noEditsBefore: maybe(date()),
})

/** People who are called, or were, in the thread of a card. */
export const CALL = columns({
  ...PLACE.columns,
  id: text(),
  cardId: text(),
  call: json<readonly Called[]>(),
  about: json<NewCall['about']>(),
  madeAt: date(),
  /** Null while it isn't posted. */
  postedAt: maybe(date()),
})

export type WatchCardRow = RowOf<typeof CARDS.columns>
export type WatchPollRow = RowOf<typeof POLL.columns>

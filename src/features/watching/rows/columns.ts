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
  FirstLook,
  OutageEnding,
  PollFailure,
  WatchedStatus,
} from '../../../domain/outages/outage.ts'
import type { EscalationStep } from '../escalation/rules.ts'
import type { Every, MaintenanceState, MaintenanceWindow } from '../maintenance/rules.ts'
import type { Acknowledgement, CardKind, DigestPeriod, Meanwhile, StillDownReason } from '../rules/card.ts'
import type { MuteSubject, PauseReason, ReminderHours, WatchFilter } from '../rules/watch.ts'

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
  baselinePoll: number(),
  matched: maybe(number()),
  pausedAt: maybe(date()),
  pauseReason: maybe(text<PauseReason>()),
  agreedOutsideAt: maybe(date()),
  unreachable: maybe(json<readonly string[]>()),
})

export const MUTE = columns({
  ...PLACE.columns,
  id: text(),
  about: json<MuteSubject>(),
  until: named('until_at', maybe(date())),
  by: text(),
  madeAt: date(),
  /** Null while it holds. */
  endedAt: maybe(date()),
})

/** One window of planned maintenance; with an empty channel it is for all of the workspace. */
export const MAINTENANCE = columns({
  ...PLACE.columns,
  id: text(),
  /** The same for every window of a recurring plan. */
  planId: text(),
  about: json<MuteSubject>(),
  from: named('from_at', date()),
  to: named('to_at', date()),
  forMs: large(),
  every: maybe(text<Every>()),
  timeZone: text(),
  /** What a clock showed when the first window began. */
  first: named('first_shown', json<MaintenanceWindow['first']>()),
  because: text(),
  state: oneOf<MaintenanceState>('planned', 'announced', 'running', 'over'),
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
type InJson<T extends { readonly at: Date }> = Omit<T, 'at'> & { readonly at: string }
const dated = <T extends { readonly at: string }>(one: T) => ({ ...one, at: new Date(one.at) })

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
  firstLook: maybe(json<FirstLook, InJson<FirstLook>>(dated)),
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
export const OUTAGES = columns({ ...SCOPE.columns, uuid: text(), ...OUTAGE.columns, ...PHASE.columns })

/** What is decided about a card. */
export const CARD = columns({
  id: text(),
  environment: environment(),
  channelId: text(),
  kind: text<CardKind>(),
  reason: maybe(text<StillDownReason | PollFailure>()),
  meanwhile: maybe(json<Meanwhile>()),
  period: maybe(json<DigestPeriod>()),
  openedAt: date(),
  changedAt: date(),
  closedAt: maybe(date()),
  unwatchedAt: maybe(date()),
  remindAt: maybe(date()),
  /** The window that it tells of. */
  maintenanceId: maybe(text()),
  /** Of a storm: when the last check fell that was new to it. */
  lastNewAt: maybe(date()),
  takings: maybe(
    json<readonly Acknowledgement[], readonly InJson<Acknowledgement>[]>((all) => all.map(dated)),
  ),
})
/** The last of them, while that person is on it. */
export const TAKEN = columns({
  acknowledgedBy: maybe(text()),
  acknowledgedName: maybe(text()),
  acknowledgedAt: maybe(date()),
})
/** One message of a channel. It is behind while `shown_version` is below `version`. */
export const CARDS = columns({
  ...PLACE.columns,
  ...CARD.columns,
  ...TAKEN.columns,
  version: number(),
  shownVersion: number(),
  shownAt: maybe(date()),
  /** The kind of card that its message shows. */
  shownKind: maybe(text<CardKind>()),
  /** Its message; null until it is posted, and after it was deleted. */
  ts: maybe(text()),
  /** The reply in its thread. */
  detailsTs: maybe(text()),
  detailsVersion: number(),
  /** The earliest time to look for a post of unknown outcome: of the card, or of the reply once the card is posted. */
  lookAt: maybe(date()),
})

export const CARD_OUTAGE = columns({ cardId: text(), outageId: text() })

export const PACE = columns({
  workspaceId: text(),
  /** Empty for the workspace as a whole. */
  channelId: text(),
  /** For a channel: when the next message may be sent. For a workspace: until when its share is used up. */
  nextAt: maybe(date()),
  /** The end of a pause that Slack asked for. */
  noPostsBefore: maybe(date()),
  noEditsBefore: maybe(date()),
})

/** Who was called about a card that nobody was on. */
export const CALL = columns({
  cardId: text(),
  afterMs: number(),
  calledAt: date(),
  told: flag(),
  call: json<EscalationStep['call']>(),
})

export type WatchCardRow = RowOf<typeof CARDS.columns>
export type WatchPollRow = RowOf<typeof POLL.columns>

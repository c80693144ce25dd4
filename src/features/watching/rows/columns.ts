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
import type { CheckFacts, Gaps, OnIt, OutageEnding, PollFailure } from '../../../domain/outages/outage.ts'
import type { MessageKind } from '../rules/card.ts'
import type { EscalationStep } from '../rules/escalation-steps.ts'
import {
  EVENT_KINDS,
  type EventDetails,
  type NextPage,
  type PageContent,
  type PostReason,
} from '../rules/incident.ts'
import type { RepeatInterval, SilenceKind, SilenceState, SilenceSubject } from '../rules/silence.ts'
import type { PauseReason, WatchFilter } from '../rules/watch.ts'

/** One environment of a workspace. Every row belongs to one. */
export const SCOPE = columns({ workspaceId: text(), environment: environment() })
export const CHANNEL = columns({ ...SCOPE.columns, channelId: text() })
export const WATCH_CHANNEL = columns({ ...CHANNEL.columns, enterpriseId: maybe(text()) })

/** The settings of a watch. */
export const SETTINGS = columns({
  filter: json<WatchFilter>(),
  afterBadPolls: number(),
  escalation: maybe(json<readonly EscalationStep[]>()),
  runbook: maybe(text()),
})
export const WATCH = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  ...SETTINGS.columns,
  ownerId: text(),
  madeAt: date(),
  /** How many checks matched in the last full listing. */
  matchedCount: named('matched', maybe(number())),
  pausedAt: maybe(date()),
  pauseReason: maybe(text<PauseReason>()),
  /** When someone agreed to post in the channel although it is shared with another organization. */
  agreedOutsideAt: maybe(date()),
  /** Members of the user groups that it pages, as last looked up. */
  groups: maybe(json<Readonly<Record<string, readonly string[]>>>()),
  /** The channel accepts messages again, and hasn't been told what it missed. */
  isResumed: flag(),
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
  subjectSince: maybe(date()),
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

/** The polling of one environment. Exists while it has watches. */
export const POLL = columns({
  ...SCOPE.columns,
  /** A group is polled by one process at a time. */
  pollGroup: number(),
  dueAt: date(),
  /** The number of successful polls. */
  polls: number(),
  lastOkAt: maybe(date()),
  /** The watch clock: how long the environment has been observed, in milliseconds, and when that was saved. */
  clockMs: bigInteger(),
  clockSavedAt: maybe(date()),
  /** A poll saved incidents, but was interrupted before it updated channels. */
  isUndecided: flag(),
  /** When all checks were last listed. */
  fullAt: maybe(date()),
  failingSince: maybe(date()),
  /** How many polls in a row have failed. */
  failedPolls: number(),
  /** How many checks the last poll found. */
  total: maybe(number()),
  /** A new value each time polls write incidents; null before the first. */
  statesVersion: maybe(text()),
})

export const OBSERVED = columns({
  ...SCOPE.columns,
  from: named('from_at', date()),
  to: named('to_at', date()),
})

/** The type of a value in JSON, which stores the date under `at` as text. */
type InJson<T extends { readonly at: Date }> = Omit<T, 'at'> & { readonly at: string }
const reviveAt = <T extends { readonly at: string }>(value: T) =>
  ({ ...value, at: new Date(value.at) }) as Omit<T, 'at'> & { readonly at: Date }

type GapsJson = Omit<Gaps, 'from' | 'to'> & { readonly from: string; readonly to: string }
const reviveGaps = ({ from, to, ...gaps }: GapsJson): Gaps => ({
  ...gaps,
  from: new Date(from),
  to: new Date(to),
})

/** What polls write. Unchanged polls write nothing: counts and times follow from the poll or clock at the last change. */
export const OBSERVED_INCIDENT = columns({
  id: text(),
  /** The check as last seen; its UUID is empty for the environment itself. */
  check: named('facts', json<CheckFacts>()),
  isDown: flag(),
  badPolls: number(),
  /** The poll up to which `badPolls` counts. */
  countedPoll: number(),
  falls: number(),
  isBaseline: flag(),
  openedAt: date(),
  fellAt: date(),
  fellClockMs: bigInteger(),
  /** The poll before, if there was a gap after it. */
  fellUnseenSince: maybe(date()),
  /** The gaps since then, after which the check was still down. */
  fellGaps: maybe(json<Gaps, GapsJson>(reviveGaps)),
  upAt: maybe(date()),
  upClockMs: maybe(bigInteger()),
  upUnseenSince: maybe(date()),
  upGaps: maybe(json<Gaps, GapsJson>(reviveGaps)),
  quietSinceMs: maybe(bigInteger()),
  isInstalling: flag(),
  closedAt: maybe(date()),
  ending: maybe(text<OutageEnding>()),
  /** Why the checks of the environment can't be seen. */
  failure: maybe(text<PollFailure>()),
})
/** What people and decisions write. */
export const ON_CALL = columns({
  onIt: maybe(json<OnIt, InJson<OnIt>>(reviveAt)),
  /** How often each person or group was paged. */
  paged: json<Readonly<Record<string, number>>>(),
})
export const INCIDENTS = columns({
  ...SCOPE.columns,
  uuid: text(),
  /** The check's name as last seen, as `foldName` writes it. */
  nameKey: text(),
  ...OBSERVED_INCIDENT.columns,
  ...ON_CALL.columns,
})

/** What happened to an incident, for the history. */
export const EVENT = columns({
  workspaceId: text(),
  id: text(),
  incidentId: text(),
  at: date(),
  kind: oneOf(...EVENT_KINDS),
  details: maybe(json<EventDetails>()),
})

/** One incident in one channel. */
export const LINE = columns({
  ...CHANNEL.columns,
  incidentId: text(),
  cardId: maybe(text()),
  cardVersion: maybe(number()),
  escalatesAt: maybe(date()),
  escalatesClockMs: maybe(bigInteger()),
  namedAt: maybe(date()),
  namedClockMs: maybe(bigInteger()),
  timesNamed: number(),
  pagedBefore: json<Readonly<Record<string, number>>>(),
  adoptedFall: maybe(number()),
  isHeld: flag(),
  isMissed: flag(),
})

/** One message of a channel. Its delivery is pending while `shown_version` is below `version`. */
export const CARDS = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  kind: text<MessageKind>(),
  reason: maybe(text<PostReason>()),
  openedAt: date(),
  /** `openedAt` on the watch clock. */
  openedClockMs: bigInteger(),
  changedAt: date(),
  closedAt: maybe(date()),
  /** When its first sending began. */
  attemptedAt: maybe(date()),
  attemptedClockMs: maybe(bigInteger()),
  /** What it says, as a text to compare with. */
  content: text(),
  /** How many incidents have moved to newer cards, by their IDs. */
  moved: json<Readonly<Record<string, number>>>(),
  unwatchedCount: number(),
  nextPage: maybe(json<NextPage>()),
  /** Of a page: whom it mentions, about which incidents. */
  page: maybe(json<PageContent>()),
  /** The maintenance window that the card announces. */
  maintenanceId: maybe(text()),
  version: number(),
  shownVersion: number(),
  shownAt: maybe(date()),
  /** The message; null until it is posted, and after it was deleted. */
  ts: maybe(text()),
  /** When to check again for a post with an unknown outcome. */
  recheckAt: maybe(date()),
})

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

export type WatchCardRow = RowOf<typeof CARDS.columns>
export type IncidentRow = RowOf<typeof INCIDENTS.columns>
export type WatchPollRow = RowOf<typeof POLL.columns>

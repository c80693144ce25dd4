import {
  columns,
  date,
  flag,
  json,
  maybe,
  named,
  number,
  oneOf,
  type RowOf,
  since,
  text,
} from '@signalman/durable'
import type { Obstacle } from '../../../bot/routes/command-context.ts'
import { environment } from '../../../bot/workspaces/tables.ts'
import type { Down } from '../../../domain/outages/incident.ts'
import type { CheckFacts, OnIt, OutageEnding, PollFailure, WasOnIt } from '../../../domain/outages/outage.ts'
import type { ChannelIncident, Heard, NextPage, Post, Waits } from '../rules/channel/state.ts'
import type { RepeatInterval, SilenceSubject } from '../rules/silence.ts'
import type { PageStep, Responder, WatchEdit, WatchFilter } from '../rules/watch.ts'

/** The migration of what 0.9.0 didn't have. A column that only the first one has is unused. */
const NEXT = '002-waits'
const FORMER = maybe(text())

/** One environment of a workspace. Every row belongs to one. */
export const SCOPE = columns({ workspaceId: text(), environment: environment() })
const WATCH_CHANNEL = columns({
  ...SCOPE.columns,
  channelId: text(),
  enterpriseId: FORMER,
})

/** JSON with the date under `at`. */
const jsonAt = <T extends { readonly at: Date }>() =>
  json<T, Omit<T, 'at'> & { readonly at: string }>(
    (value) => ({ ...value, at: new Date(value.at) }) as unknown as T,
  )

export const SETTINGS = columns({
  filter: json<WatchFilter>(),
  afterBadPolls: number(),
  page: maybe(json<readonly PageStep[]>()),
  runbook: maybe(text()),
})
type EditJson = Omit<WatchEdit, 'at'> & { readonly at: string }
export const EDITS = columns({
  edits: since(
    NEXT,
    maybe(
      json<readonly WatchEdit[], readonly EditJson[]>((edits) =>
        edits.map(({ at, ...edit }) => ({ ...edit, at: new Date(at) })),
      ),
    ),
  ),
})
export const WATCH = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  ...SETTINGS.columns,
  ...EDITS.columns,
  ownerId: text(),
  madeAt: date(),
  ...{ pausedAt: FORMER, pauseReason: FORMER, agreedOutsideAt: FORMER },
})

export const CHANNEL = columns({
  workspaceId: text(),
  channelId: text(),
  pausedAt: maybe(date()),
  pauseReason: maybe(text<Obstacle>()),
  agreedOutsideAt: maybe(date()),
})

/** A mute or maintenance. An empty channel means the whole workspace. */
export const SILENCE = columns({
  ...WATCH_CHANNEL.columns,
  id: text(),
  subject: named('about', json<SilenceSubject>()),
  isMaintenance: flag(),
  from: named('from_at', date()),
  to: named('to_at', date()),
  every: maybe(text<RepeatInterval>()),
  timeZone: text(),
  reason: text(),
  ownerId: text(),
  ownerName: text(),
  madeAt: date(),
  endedAt: maybe(date()),
})

/** The polling of one environment. Exists while it has watches. */
export const POLL_STATE = columns({
  polls: number(),
  lastOkAt: maybe(date()),
  seenSince: maybe(date()),
  seenUntil: maybe(date()),
  failingSince: maybe(date()),
  failedPolls: number(),
  account: maybe(text()),
})
export const POLL = columns({ ...SCOPE.columns, ...POLL_STATE.columns })
export const OBSERVED = columns({
  ...SCOPE.columns,
  from: named('from_at', date()),
  to: named('to_at', date()),
})

interface DownJson {
  readonly from: string
  readonly to?: string
  readonly isAtLeast?: true
  readonly seenTo?: string
  /** In rows of versions that didn't store when it was seen. */
  readonly isAtMost?: true
}
const reviveDowns = (downs: readonly DownJson[]): readonly Down[] =>
  downs.map(({ from, to, isAtMost, seenTo = isAtMost && from, ...down }) => ({
    ...down,
    from: new Date(from),
    ...(to !== undefined && { to: new Date(to) }),
    ...(seenTo !== undefined && { seenTo: new Date(seenTo) }),
  }))

/** What polls write. */
export const OBSERVED_INCIDENT = columns({
  id: text(),
  /** The check as last seen; its UUID is empty for the environment itself. */
  check: named('facts', json<CheckFacts>()),
  isDown: flag(),
  isInstalling: flag(),
  badPolls: number(),
  downs: json<readonly Down[], readonly DownJson[]>(reviveDowns),
  isBaseline: flag(),
  openedAt: date(),
  closedAt: maybe(date()),
  ending: maybe(text<OutageEnding>()),
  failure: maybe(text<PollFailure>()),
})
/** An incident as the rules read it. */
export const INCIDENT_STATE = columns({
  ...OBSERVED_INCIDENT.columns,
  /** What people write. */
  onIt: maybe(jsonAt<OnIt>()),
  wasOnIt: since(NEXT, maybe(jsonAt<WasOnIt>())),
  takenFirst: since(NEXT, maybe(jsonAt<OnIt>())),
  /** What deliveries write. */
  pagedAt: since(NEXT, maybe(date())),
})
export const INCIDENT = columns({ ...SCOPE.columns, uuid: text(), ...INCIDENT_STATE.columns })

/** What a card lists, as the rules read it. */
export const CHANNEL_INCIDENT_STATE = columns({
  channelId: text(),
  incidentId: text(),
  cardId: text(),
  alreadyDown: json<ChannelIncident['alreadyDown']>(),
  heard: since('003-heard', maybe(json<Heard>())),
  waits: since(NEXT, maybe(json<Waits>())),
  /**
   * Only 0.9.0 writes these: when the channel was told that it's down and up again, since when it waited, and the last page of each watch, in
   * ms since 1970.
   */
  toldAt: maybe(date()),
  toldUpAt: maybe(date()),
  waitsFrom: maybe(date()),
  pages: json<Waits['pages']>(),
})
export const CHANNEL_INCIDENT = columns({ ...SCOPE.columns, ...CHANNEL_INCIDENT_STATE.columns })

/** A message of a channel as the rules read it. Its delivery is pending while `shown_version` is below `version`. */
export const POST_STATE = columns({
  channelId: text(),
  id: text(),
  kind: oneOf<Post['kind']>('card', 'note', 'reply', 'said', 'paused'),
  openedAt: date(),
  attemptedAt: maybe(date()),
  closedAt: maybe(date()),
  content: text(),
  nextPage: maybe(jsonAt<NextPage>()),
  unlisted: maybe(number()),
  about: maybe(json<NonNullable<Post['about']>>()),
  responders: maybe(json<readonly Responder[]>()),
  askedBy: maybe(text()),
  cardId: maybe(text()),
  version: number(),
  shownVersion: number(),
})
export const POST = columns({
  ...WATCH_CHANNEL.columns,
  ...POST_STATE.columns,
  /** The message; null until it is posted, and after it was deleted. */
  ts: maybe(text()),
  /** When to check again for a post with an unknown outcome. */
  recheckAt: maybe(date()),
  /** Since when its edit is pending. The first version of a message is pending since it was opened. */
  waitingSince: since(NEXT, maybe(date())),
})

export type PostRow = RowOf<typeof POST.columns>

import {
  columns,
  date,
  flag,
  maybe,
  number,
  oneOf,
  type RowOf,
  type RowsOf,
  table,
  text,
} from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { environment } from '../../../bot/workspaces/tables.ts'
import { CASE_STATES, caseTransitions } from '../rules/case-steps.ts'
import { ASK_KINDS, READINGS } from '../rules/case-watch.ts'

/** The hash of a threat event's content at its last export, and when the content last changed. */
const VERSION = columns({
  /** Workspace, environment, event, and kind of export. */
  key: text(),
  workspaceId: text(),
  contentHash: text(),
  modifiedAt: text(),
  exportedAt: text(),
})

/** The versions of a case that hasn't been posted. */
export const NOT_POSTED = { shownVersion: 0, postedVersion: 0 } as const

/** The columns about the case's messages in Slack. Only the work that posts the messages writes them. */
export const CASE_IN_SLACK = columns({
  /** The channel of the case's card. */
  channelId: maybe(text()),
  /** The `ts` of the card; null until it is posted. */
  messageTs: maybe(text()),
  /** The thread of the card, if the card is a reply. */
  threadTs: maybe(text()),
  /** True if someone asked to show the screenshot and names. */
  isFull: flag(),
  /** The version of the case that its card shows. */
  shownVersion: number(),
  /** The version up to which its steps are posted in the card's thread. */
  postedVersion: number(),
  /** The version up to which people were told that their steps couldn't be posted. */
  notifiedVersion: maybe(number()),
  /** What the card says about the watch. See `watchOnCard`. */
  shownWatch: maybe(text()),
  /** Whom the posted question is for: a user ID, or the `ts` of the thread. Null if no question is posted. */
  askedFor: maybe(text()),
  /** The `askSince` of the posted question. */
  askedSince: maybe(date()),
  askedChannel: maybe(text()),
  askedTs: maybe(text()),
})

/** The case of a threat event. `version` counts its steps. */
export const CASE = columns({
  id: text(),
  workspaceId: text(),
  enterpriseId: maybe(text()),
  environment: environment(),
  eventId: text(),
  state: oneOf(...CASE_STATES),
  /** The person who has the case. */
  holderId: maybe(text()),
  /** 0 for the most severe. */
  severity: number(),
  version: number(),
  openedAt: date(),
  changedAt: date(),
  ...CASE_IN_SLACK.columns,
  /** The health check that watches until the page is down. */
  checkUuid: maybe(text()),
  /** When watching ends, for a page that was recorded as down. */
  watchUntil: maybe(date()),
  /** When the check was last read from the service. */
  lastReadAt: maybe(date()),
  /** What the last reading said about the page. */
  lastReading: maybe(oneOf(...READINGS)),
  /** How often in a row the check couldn't reach the page. */
  badReadings: number(),
  /** The question that Signalman asks about the case. */
  askKind: maybe(oneOf(...ASK_KINDS)),
  askSince: maybe(date()),
  /** JSON, encrypted for exactly this row. */
  sealedAbout: text(),
})

/** The latest card of a threat event in one channel. */
const CARD = columns({
  workspaceId: text(),
  environment: environment(),
  eventId: text(),
  channelId: text(),
  messageTs: text(),
  /** The thread of the card, if the card is a reply. */
  threadTs: maybe(text()),
  /** True if someone asked to show the screenshot and names. */
  isFull: flag(),
  /** The version of the event's case that the card shows. */
  shownVersion: number(),
  sharedAt: text(),
})

export type ThreatCaseRow = RowOf<typeof CASE.columns>

declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<typeof THREAT_TABLES> {}
}

/** The SQL condition for an open case. */
const OPEN_STATES_SQL = "state in ('open', 'taken', 'takedown-sent')"

/** A closed case is stored for a year, because the page may come back. An open case is deleted after three years without a step. */
export const THREAT_CASES = table('threat_case', {
  columns: CASE,
  constraints: [
    'constraint threat_case_event unique (workspace_id, environment, event_id)',
    "constraint threat_case_holder check ((state <> 'taken' or holder_id is not null))",
  ],
  indexes: {
    // For the queue, for the cases that a person has, and for the cleanup.
    queue: `(workspace_id, environment, severity, opened_at, id) where ${OPEN_STATES_SQL}`,
    by_state: '(workspace_id, environment, state, severity, opened_at, id)',
    by_holder: '(workspace_id, holder_id, environment, state, severity, opened_at, id)',
    held: `(workspace_id, holder_id, environment, severity, opened_at, id) where ${OPEN_STATES_SQL}`,
    by_change: '(state, changed_at)',
    asked: '(workspace_id, asked_for) where asked_for is not null',
  },
  row: 'a threat case: who has it and what was done, encrypted',
  bound: 'deleted a year after it was closed, or three years after its last step',
  swept: [
    { at: 'changed_at', afterMs: 365 * DAY_MS, only: "state in ('down', 'false-positive')" },
    { at: 'changed_at', afterMs: 1095 * DAY_MS, only: OPEN_STATES_SQL },
  ],
  key: ['id'],
  transitions: { pairs: caseTransitions, refusal: 'no such step of a threat case' },
  sealed: { sealed_about: { identityColumns: ['workspace_id', 'id'] } },
})

export const THREAT_TABLES = [
  table('threat_version', {
    columns: VERSION,
    key: ['key'],
    indexes: { by_workspace_id: '(workspace_id)', by_exported_at: '(exported_at)' },
    row: 'when the content of an exported event last changed',
    bound: 'deleted three years after its last export',
    swept: [{ at: 'exported_at', afterMs: 1095 * DAY_MS }],
  }),
  THREAT_CASES,
  table('threat_card', {
    columns: CARD,
    key: ['workspace_id', 'environment', 'event_id', 'channel_id'],
    indexes: { age: '(shared_at)' },
    row: 'the newest card of an event in a channel',
    bound: 'deleted after 90 days',
    swept: [{ at: 'shared_at', afterMs: 90 * DAY_MS }],
  }),
] as const

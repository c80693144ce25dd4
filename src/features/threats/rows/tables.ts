import { columns, date, maybe, number, oneOf, type RowOf, type RowsOf, table, text } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { environment } from '../../../bot/workspaces/tables.ts'
import { CASE_STATES } from '../rules/threat-case.ts'

/** The columns about the case's messages in Slack. Only the work that posts the messages writes them. */
export const CASE_IN_SLACK = columns({
  /** The channel of the case's card. */
  channelId: maybe(text()),
  /** The `ts` of the card; null until it is posted. */
  messageTs: maybe(text()),
  /** The thread of the card, if the card is a reply. */
  threadTs: maybe(text()),
  /** The version of the case that its card shows. */
  shownVersion: number(),
  /** The version up to which its steps are in the card's thread. */
  postedVersion: number(),
})

/** The case of a threat event. `version` counts its steps. */
export const CASE = columns({
  id: text(),
  workspaceId: text(),
  /** Unused. The first migration made it. */
  enterpriseId: maybe(text()),
  environment: environment(),
  eventId: text(),
  state: oneOf(...CASE_STATES),
  /** The person who has the case. */
  holderId: maybe(text()),
  /** A digest of the event's registered domain, by which its other cases are found. */
  domainKey: text(),
  /** 0 for the most severe. */
  severity: number(),
  version: number(),
  openedAt: date(),
  changedAt: date(),
  ...CASE_IN_SLACK.columns,
  /** JSON, encrypted for exactly this row. */
  sealedAbout: text(),
})

export type ThreatCaseRow = RowOf<typeof CASE.columns>

declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<typeof THREAT_TABLES> {}
}

/** The SQL condition for a case that hasn't ended. */
export const OPEN_SQL = "state in ('open', 'taken')"

/** An ended case is stored for a year, because the page may come back. An open one is deleted after three years without a step. */
export const THREAT_CASES = table('threat_case', {
  columns: CASE,
  constraints: [
    'constraint threat_case_event unique (workspace_id, environment, event_id)',
    "constraint threat_case_holder check ((state <> 'taken' or holder_id is not null))",
  ],
  indexes: {
    queue: `(workspace_id, environment, severity, opened_at, id) where ${OPEN_SQL}`,
    by_change: '(state, changed_at)',
  },
  row: 'a threat case: who has it and what was done, encrypted',
  bound: 'deleted a year after it ended, or three years after its last step',
  swept: [
    { at: 'changed_at', afterMs: 365 * DAY_MS, only: `not (${OPEN_SQL})` },
    { at: 'changed_at', afterMs: 1095 * DAY_MS, only: OPEN_SQL },
  ],
  key: ['id'],
  sealed: { sealed_about: { identityColumns: ['workspace_id', 'id'] } },
})

export const THREAT_TABLES = [THREAT_CASES] as const

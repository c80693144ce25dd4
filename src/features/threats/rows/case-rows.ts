import { type DatabaseTime, type Rows, type Sealer, schedule, sealedRows } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { CaseStep, CaseStepKind } from '../rules/case-steps.ts'
import type { WatchState } from '../rules/case-watch.ts'
import type { CardLocation, PostedQuestion, ThreatCase, UndecryptableCase } from '../rules/threat-case.ts'
import { CASE, THREAT_CASES, type ThreatCaseRow } from './tables.ts'

/** The kinds of durable work for a case, keyed by the case's ID. */
export const CASE_WORK = {
  post: 'threat.case',
  /** Reads the watched check, and looks after an open case in which nothing happens. */
  look: 'threat.look',
} as const

/** Schedules the work that brings the messages about a case up to date. */
export const scheduleUpdate = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, id }: Pick<ThreatCase, 'workspaceId' | 'id'>,
): Promise<void> => schedule(rows, time, { workspaceId, kind: CASE_WORK.post, key: id })

/** The lock that serializes the changes of a case. */
export const caseLock = (workspaceId: string, environment: Environment, eventId: string): string =>
  `threat case ${workspaceId} ${environment} ${eventId}`

export const sealedCases = sealedRows(THREAT_CASES, { toPlain: unencryptedColumns, parseContent })

/** The encrypted part of a case: its event, and who took which steps. */
type CaseContent = Pick<ThreatCase, 'holder' | 'steps' | 'watched' | 'eventSnapshot'>

function parseContent(json: string): CaseContent {
  // Cast, because only `sealCase` writes it. Times are ISO text.
  const { steps, ...content } = JSON.parse(json) as CaseContent
  return { ...content, steps: steps.map((step) => ({ ...step, at: new Date(step.at) })) }
}

function unencryptedColumns(row: ThreatCaseRow): Omit<UndecryptableCase, 'sealError'> {
  const {
    holderId,
    sealedAbout,
    channelId,
    messageTs,
    threadTs,
    isFull,
    askedFor,
    askedSince,
    askedChannel,
    askedTs,
    ...plain
  } = CASE.parse(row)
  const card = channelId && {
    channelId,
    ...(messageTs && { messageTs }),
    ...(threadTs && { threadTs }),
    ...(isFull && { isFull }),
  }
  const asked =
    askedFor && askedSince && askedChannel && askedTs
      ? { askedFor, since: askedSince, channelId: askedChannel, ts: askedTs }
      : undefined
  return { ...plain, card: card || undefined, asked }
}

/** The columns of a card that isn't posted. Keeps which steps are in a thread, so that they aren't posted again. */
export const CARD_NOT_POSTED = { message_ts: null, shown_version: 0, shown_watch: null } as const

/** The columns for a new card location, or for none. The new card doesn't show any step yet. */
export const cardColumns = (card: CardLocation | undefined) => ({
  ...CARD_NOT_POSTED,
  channel_id: card?.channelId ?? null,
  message_ts: card?.messageTs ?? null,
  thread_ts: card?.threadTs ?? null,
  is_full: card?.isFull ? 1 : 0,
})

const toAskedColumns = (asked: PostedQuestion | undefined) => ({
  askedFor: asked?.askedFor,
  askedSince: asked?.since,
  askedChannel: asked?.channelId,
  askedTs: asked?.ts,
})

/** The columns for a posted question, or for none. */
export const askedColumns = (asked: PostedQuestion | undefined): Partial<ThreatCaseRow> => ({
  asked_for: asked?.askedFor ?? null,
  asked_since: asked?.since.toISOString() ?? null,
  asked_channel: asked?.channelId ?? null,
  asked_ts: asked?.ts ?? null,
})

/** The columns that a reading of the check or the passing of time changes. */
export const watchColumns = ({
  watchUntil,
  lastReadAt,
  lastReading,
  badReadings,
  askKind,
  askSince,
}: WatchState): Partial<ThreatCaseRow> => ({
  watch_until: watchUntil?.toISOString() ?? null,
  last_read_at: lastReadAt?.toISOString() ?? null,
  last_reading: lastReading ?? null,
  bad_readings: badReadings,
  ask_kind: askKind ?? null,
  ask_since: askSince?.toISOString() ?? null,
})

export const toCaseRow = (threatCase: ThreatCase, sealer: Sealer): ThreatCaseRow =>
  CASE.toRow({
    ...threatCase,
    ...threatCase.card,
    ...toAskedColumns(threatCase.asked),
    isFull: threatCase.card?.isFull ?? false,
    holderId: threatCase.holder?.userId,
    sealedAbout: sealCase(threatCase, sealer),
  })

export const sealCase = (
  { workspaceId, id, holder, steps, watched, eventSnapshot }: ThreatCase,
  sealer: Sealer,
): string =>
  sealedCases.seal({ holder, steps, watched, eventSnapshot } satisfies CaseContent, [workspaceId, id], sealer)

/** How many of the first and newest steps are kept, to limit the history. */
const KEEP_FIRST = 5
const KEEP_NEWEST = 60

/** The newest step of each of these groups says since when the case has its holder, and since when its state. Always kept. */
const KEPT_KINDS: readonly (readonly CaseStepKind[])[] = [
  ['take', 'hand-over', 'reopen'],
  ['release'],
  ['takedown-sent'],
  ['down', 'false-positive'],
]

export function withStep(steps: readonly CaseStep[], step: CaseStep): CaseStep[] {
  const all = [...steps, step]
  const kept = new Set(KEPT_KINDS.map((kinds) => all.findLast(({ kind }) => kinds.includes(kind))))
  const newestFrom = all.length - KEEP_NEWEST
  return all.filter((step, index) => index < KEEP_FIRST || index >= newestFrom || kept.has(step))
}

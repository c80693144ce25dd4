import { sealedRows, type TextSealer } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { CaseStep } from '../rules/case-steps.ts'
import type { CardPlace, ThreatCase, UnopenedCase } from '../rules/threat-case.ts'
import {
  CASE,
  CASE_IN_SLACK,
  CASE_MESSAGES,
  type CaseMessage,
  MESSAGES,
  THREAT_CASES,
  type ThreatCaseRow,
} from './tables.ts'

/** The lock that serializes the changes of a case. */
export const caseLock = (workspaceId: string, environment: Environment, eventId: string): string =>
  `threat case ${workspaceId} ${environment} ${eventId}`

export const sealedCases = sealedRows(THREAT_CASES, { plain: unencryptedColumns, content: parseContent })

/** The encrypted part of a case: what the event says, and who did what. */
type CaseContent = Pick<ThreatCase, 'holder' | 'steps' | 'watched' | 'about'>

function parseContent(json: string): CaseContent {
  // Cast, because only `sealCase` writes it. Times are ISO text.
  const { steps, ...content } = JSON.parse(json) as CaseContent
  return { ...content, steps: steps.map((step) => ({ ...step, at: new Date(step.at) })) }
}

function unencryptedColumns(row: ThreatCaseRow): Omit<UnopenedCase, 'unopened'> {
  const { holderId, sealedAbout, channelId, messageTs, threadTs, isFull, ...plain } = CASE.parse(row)
  const place = channelId && {
    channelId,
    ...(messageTs && { messageTs }),
    ...(threadTs && { threadTs }),
    ...(isFull && { isFull }),
  }
  return { ...plain, place: place || undefined }
}

/** Resets the columns of these messages to not posted. Messages that are never edited aren't posted again. */
export const notPostedColumns = (messages: readonly CaseMessage[]): Partial<ThreatCaseRow> =>
  Object.fromEntries(
    messages.flatMap((message) => {
      const { versionColumn, ts } = CASE_MESSAGES[message]
      return ts
        ? [[CASE_IN_SLACK.named[ts], null] as const, [CASE_IN_SLACK.named[versionColumn], 0] as const]
        : []
    }),
  )

export const placeColumns = (place: CardPlace | undefined) => ({
  ...notPostedColumns(MESSAGES),
  channel_id: place?.channelId ?? null,
  message_ts: place?.messageTs ?? null,
  thread_ts: place?.threadTs ?? null,
  is_full: place?.isFull ? 1 : 0,
})

export const toCaseRow = (threatCase: ThreatCase, sealer: TextSealer): ThreatCaseRow =>
  CASE.toRow({
    ...threatCase,
    ...threatCase.place,
    isFull: threatCase.place?.isFull ?? false,
    holderId: threatCase.holder?.userId,
    sealedAbout: sealCase(threatCase, sealer),
  })

export const sealCase = (
  { workspaceId, id, holder, steps, watched, about }: ThreatCase,
  sealer: TextSealer,
): string =>
  sealedCases.seal({ holder, steps, watched, about } satisfies CaseContent, [workspaceId, id], sealer)

/** How many of the first and newest steps are kept, to limit the history. */
const KEEP_FIRST = 5
const KEEP_NEWEST = 60

export function withStep(steps: readonly CaseStep[], step: CaseStep): CaseStep[] {
  const all = [...steps, step]
  if (all.length <= KEEP_FIRST + KEEP_NEWEST) return all
  return [...all.slice(0, KEEP_FIRST), ...all.slice(-KEEP_NEWEST)]
}

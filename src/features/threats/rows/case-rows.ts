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

/** Serializes the changes of a case. */
export const caseTurn = (workspaceId: string, environment: Environment, eventId: string): string =>
  `threat case ${workspaceId} ${environment} ${eventId}`

export const sealedCases = sealedRows(THREAT_CASES, { plain: unencryptedColumns, content: parseContent })

/** The encrypted part of a case: what the event says, and who did what. */
type CaseContent = Pick<ThreatCase, 'holder' | 'steps' | 'watched' | 'about'>

function parseContent(json: string): CaseContent {
  // Only `sealedCase` encrypts it, so its type is known. Times are ISO text.
  const { steps, ...content } = JSON.parse(json) as CaseContent
  return { ...content, steps: steps.map((step) => ({ ...step, at: new Date(step.at) })) }
}

function unencryptedColumns(row: ThreatCaseRow): Omit<UnopenedCase, 'unopened'> {
  const { holderId, sealedAbout, channelId, messageTs, threadTs, isFull, ...plain } = CASE.of(row)
  const place = channelId && {
    channelId,
    ...(messageTs && { messageTs }),
    ...(threadTs && { threadTs }),
    ...(isFull && { isFull }),
  }
  return { ...plain, place: place || undefined }
}

/** Resets the columns of these messages to not posted. What was posted once and is never edited isn't posted again. */
export const notPosted = (messages: readonly CaseMessage[]): Partial<ThreatCaseRow> =>
  Object.fromEntries(
    messages.flatMap((message) => {
      const { told, ts } = CASE_MESSAGES[message]
      return ts ? [[CASE_IN_SLACK.named[ts], null] as const, [CASE_IN_SLACK.named[told], 0] as const] : []
    }),
  )

export const placeColumns = (place: CardPlace | undefined) => ({
  ...notPosted(MESSAGES),
  channel_id: place?.channelId ?? null,
  message_ts: place?.messageTs ?? null,
  thread_ts: place?.threadTs ?? null,
  is_full: place?.isFull ? 1 : 0,
})

export const caseRow = (of: ThreatCase, sealer: TextSealer): ThreatCaseRow =>
  CASE.row({
    ...of,
    ...of.place,
    isFull: of.place?.isFull ?? false,
    holderId: of.holder?.userId,
    sealedAbout: sealedCase(of, sealer),
  })

export const sealedCase = (
  { workspaceId, id, holder, steps, watched, about }: ThreatCase,
  sealer: TextSealer,
): string =>
  sealedCases.seal({ holder, steps, watched, about } satisfies CaseContent, [workspaceId, id], sealer)

/** Keeps the first and newest steps, so that the history has a limit. */
const FIRST_KEPT = 5
const LAST_KEPT = 60

export function withStep(steps: readonly CaseStep[], step: CaseStep): CaseStep[] {
  const all = [...steps, step]
  if (all.length <= FIRST_KEPT + LAST_KEPT) return all
  return [...all.slice(0, FIRST_KEPT), ...all.slice(-LAST_KEPT)]
}

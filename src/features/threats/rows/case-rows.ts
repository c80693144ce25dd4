import { type SealError, sealedRows, type TextSealer } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { CaseStanding, CaseStep } from '../cases/case-steps.ts'
import {
  CASE,
  CASE_IN_SLACK,
  CASE_MESSAGES,
  type CaseMessage,
  type CaseTs,
  MESSAGES,
  THREAT_CASES,
  type ThreatCaseRow,
} from './tables.ts'

/** The location of an event's card in Slack. */
export interface CardPlace {
  readonly channelId: string
  /** Undefined until it is posted. */
  readonly messageTs?: string | undefined
  /** Set when the card is itself a reply: the thread that it is in. */
  readonly threadTs?: string | undefined
}

type PlainCase = ReturnType<typeof CASE.of>

/** The case of one threat event, in one environment of a workspace. */
export interface ThreatCase
  extends Omit<PlainCase, 'state' | 'holderId' | 'channelId' | 'threadTs' | 'sealedAbout' | CaseTs>,
    Partial<Pick<PlainCase, Exclude<CaseTs, 'messageTs'>>>,
    CaseStanding {
  /** Its card; undefined where no channel has one. */
  readonly place: CardPlace | undefined
  /** In order; of many, only the first and the newest. */
  readonly steps: readonly CaseStep[]
  /** What the case is about, as its first step gave it. */
  readonly about: unknown
}

/** A case whose sealed part does not open: all that is known of it. */
export interface UnopenedCase extends Omit<ThreatCase, 'holder' | 'steps' | 'about'> {
  readonly unopened: SealError
}

/** Changes of one case run one after the other, in this turn. */
export const caseTurn = (workspaceId: string, environment: Environment, eventId: string): string =>
  `threat case ${workspaceId} ${environment} ${eventId}`

export const sealedCases = sealedRows(THREAT_CASES, { plain: plainOf, content: contentOf })

/** The sealed part of a case: what the event says, and who did what. */
type CaseContent = Pick<ThreatCase, 'holder' | 'steps' | 'about'>

function contentOf(json: string): CaseContent {
  // Only `sealedCase` seals it, so it has this type, with times as JSON writes them.
  const { steps, ...content } = JSON.parse(json) as CaseContent
  return { ...content, steps: steps.map((step) => ({ ...step, at: new Date(step.at) })) }
}

function plainOf(row: ThreatCaseRow): Omit<UnopenedCase, 'unopened'> {
  const { holderId, sealedAbout, channelId, messageTs, threadTs, ...plain } = CASE.of(row)
  const place = channelId && { channelId, ...(messageTs && { messageTs }), ...(threadTs && { threadTs }) }
  return { ...plain, place: place || undefined }
}

/** The columns of these messages where none of them stands; of one that is not edited, what was told stays told. */
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
})

export const caseRow = (of: ThreatCase, sealer: TextSealer): ThreatCaseRow =>
  CASE.row({ ...of, ...of.place, holderId: of.holder?.userId, sealedAbout: sealedCase(of, sealer) })

export const sealedCase = (
  { workspaceId, id, holder, steps, about }: ThreatCase,
  sealer: TextSealer,
): string => sealedCases.seal({ holder, steps, about } satisfies CaseContent, [workspaceId, id], sealer)

/** Without a limit the steps of a case would grow for ever. */
const FIRST_KEPT = 5
const LAST_KEPT = 60

export function withStep(steps: readonly CaseStep[], step: CaseStep): CaseStep[] {
  const all = [...steps, step]
  if (all.length <= FIRST_KEPT + LAST_KEPT) return all
  return [...all.slice(0, FIRST_KEPT), ...all.slice(-LAST_KEPT)]
}

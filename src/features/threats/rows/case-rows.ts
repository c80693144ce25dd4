import {
  type Identity,
  openedOrWhyNot,
  type Rows,
  type SealError,
  type TextOpener,
  type TextSealer,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { CasePerson, CaseStanding, CaseStep } from '../cases/case-steps.ts'
import { CASE, type ThreatCaseRow } from './tables.ts'

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
  extends Omit<PlainCase, 'state' | 'holderId' | 'channelId' | 'messageTs' | 'threadTs' | 'sealedAbout'>,
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

/** The sealed part of a case: what the event says, and who did what. */
interface Sealed {
  holder: CasePerson | undefined
  steps: (Omit<CaseStep, 'at'> & { at: string })[]
  about: unknown
}

const caseIdentity = (workspaceId: string, id: string): Identity => ['threat_case', workspaceId, id]

/** Changes of one case run one after the other, in this turn. */
export const caseTurn = (workspaceId: string, environment: Environment, eventId: string): string =>
  `threat case ${workspaceId} ${environment} ${eventId}`

/** Throws SealError when its content does not open. */
function caseOf(row: ThreatCaseRow, opener: TextOpener): ThreatCase {
  const found = caseOrUnopened(row, opener)
  if ('unopened' in found) throw found.unopened
  return found
}

export function caseOrUnopened(row: ThreatCaseRow, opener: TextOpener): ThreatCase | UnopenedCase {
  const decrypted = openedOrWhyNot(() =>
    opener.open(row.sealed_about, caseIdentity(row.workspace_id, row.id)),
  )
  return { ...plainOf(row), ...('value' in decrypted ? contentOf(decrypted.value) : decrypted) }
}

function contentOf(json: string): Pick<ThreatCase, 'holder' | 'steps' | 'about'> {
  // Only `sealedCase` seals it, so it has this type.
  const { holder, steps, about } = JSON.parse(json) as Sealed
  return { holder, steps: steps.map((step) => ({ ...step, at: new Date(step.at) })), about }
}

function plainOf(row: ThreatCaseRow): Omit<UnopenedCase, 'unopened'> {
  const { holderId, sealedAbout, channelId, messageTs, threadTs, ...plain } = CASE.of(row)
  const place = channelId && { channelId, ...(messageTs && { messageTs }), ...(threadTs && { threadTs }) }
  return { ...plain, place: place || undefined }
}

export const placeColumns = (place: CardPlace | undefined) => ({
  channel_id: place?.channelId ?? null,
  message_ts: place?.messageTs ?? null,
  thread_ts: place?.threadTs ?? null,
})

export const caseRow = (of: ThreatCase, sealer: TextSealer): ThreatCaseRow =>
  CASE.row({ ...of, ...of.place, holderId: of.holder?.userId, sealedAbout: sealedCase(of, sealer) })

/** `caseOf`, with the key that sealed it. */
export const decryptedCase = async (
  rows: Rows,
  keys: WorkspaceKeys,
  row: ThreatCaseRow,
): Promise<ThreatCase> => caseOf(row, await keys.opener(rows, [row.sealed_about]))

export const sealedCase = (
  { workspaceId, id, holder, steps, about }: ThreatCase,
  sealer: TextSealer,
): string => {
  const sealed: Sealed = {
    holder,
    steps: steps.map((step) => ({ ...step, at: step.at.toISOString() })),
    about,
  }
  return sealer.seal(JSON.stringify(sealed), caseIdentity(workspaceId, id))
}

/** Without a limit the steps of a case would grow for ever. */
const FIRST_KEPT = 5
const LAST_KEPT = 60

export function withStep(steps: readonly CaseStep[], step: CaseStep): CaseStep[] {
  const all = [...steps, step]
  if (all.length <= FIRST_KEPT + LAST_KEPT) return all
  return [...all.slice(0, FIRST_KEPT), ...all.slice(-LAST_KEPT)]
}

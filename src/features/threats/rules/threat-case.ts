import type { SealError } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { EventSnapshot } from './event-snapshot.ts'

/** `open`: shared in a channel, and nobody has taken it. The last three are ends. */
export const CASE_STATES = ['open', 'taken', 'down', 'false-positive', 'other'] as const
export type CaseState = (typeof CASE_STATES)[number]

/** How a case can end. Each is a step, too. */
export const ENDS = ['down', 'false-positive', 'other'] as const satisfies readonly CaseState[]
export type End = (typeof ENDS)[number]

export type CaseStepKind = 'take' | 'note' | End

/** A person with their display name at the time. It's shown instead of a mention, because a mention would notify them. */
export interface CasePerson {
  readonly userId: string
  readonly name: string
}

export interface CaseStep {
  /** The case's version after the step, from 1. */
  readonly version: number
  readonly kind: CaseStepKind
  readonly by: CasePerson
  readonly at: Date
  /** What the person typed. Not safe to show. */
  readonly text?: string | undefined
}

/** Where the case's card is. `messageTs` is undefined until it's posted. */
export interface CardLocation {
  readonly channelId: string
  readonly messageTs?: string | undefined
  /** The card's thread, if the card is itself a reply. */
  readonly threadTs?: string | undefined
}

/** The case of one threat event in one environment of a workspace. */
export interface ThreatCase {
  readonly id: string
  readonly workspaceId: string
  readonly environment: Environment
  readonly eventId: string
  readonly state: CaseState
  readonly holder: CasePerson | undefined
  /** A digest of the event's registered domain. */
  readonly domainKey: string
  /** 0 is the most severe. */
  readonly severity: number
  /** The number of its steps. */
  readonly version: number
  readonly openedAt: Date
  readonly changedAt: Date
  readonly card: CardLocation | undefined
  /** The version that its card shows. */
  readonly shownVersion: number
  /** The version up to which its steps are in the card's thread. */
  readonly postedVersion: number
  /** Oldest first. */
  readonly steps: readonly CaseStep[]
  readonly event: EventSnapshot
}

/** The readable part of a case whose content can't be decrypted. */
export interface UndecryptableCase extends Omit<ThreatCase, 'holder' | 'steps' | 'event'> {
  readonly sealError: SealError
}

export const isEnded = ({ state }: Pick<ThreatCase, 'state'>): boolean => ENDS.some((end) => end === state)

/** Why a step isn't possible. `held-by-other`: it needs a confirmation that names the holder. */
export type Refusal = 'no-case' | 'yours-already' | 'held-by-other' | 'ended'

/**
 * The status after a step, or why it isn't possible. Anyone may add a note. Taking or ending someone else's case needs
 * the version that the person saw, and taking an ended one reopens it.
 */
export function statusAfterStep(
  current: Pick<ThreatCase, 'state' | 'holder' | 'version'> | undefined,
  { kind, by, seenVersion }: Pick<CaseStep, 'kind' | 'by'> & { seenVersion?: number | undefined },
): Pick<ThreatCase, 'state' | 'holder'> | { readonly refusal: Refusal } {
  const { state = 'open', holder } = current ?? {}
  if (kind === 'note') return current ? { state, holder } : { refusal: 'no-case' }
  if (kind !== 'take' && isEnded({ state })) return { refusal: 'ended' }
  const isOwn = holder?.userId === by.userId
  if (state === 'taken' && !isOwn && seenVersion !== current?.version) return { refusal: 'held-by-other' }
  if (kind !== 'take') return { state: kind, holder: holder ?? by }
  return state === 'taken' && isOwn ? { refusal: 'yours-already' } : { state: 'taken', holder: by }
}

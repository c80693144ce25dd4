import type { SealError } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { CasePerson, CaseStanding, CaseStep } from './case-steps.ts'

/** The location of an event's card in Slack. */
export interface CardPlace {
  readonly channelId: string
  /** Undefined until it is posted. */
  readonly messageTs?: string | undefined
  /** Set when the card is itself a reply: the thread that it is in. */
  readonly threadTs?: string | undefined
  /** It shows the screenshot and names too, as somebody asked: guests may read the channel. */
  readonly isFull?: boolean | undefined
}

/** Where a health check looks. */
export type CheckTarget = Pick<HealthCheck, 'protocol' | 'port'> & { readonly target: string }

/** The health check that watches until what a case is about is down. */
export interface WatchedCheck extends CheckTarget {
  readonly name: string
  /** The mark of the account that has it. */
  readonly account?: string | undefined
  readonly by: CasePerson
  /** Of the act that creates it, and when that began, as ISO text. */
  readonly reference: string
  readonly at: string
}

/** The case of one threat event, in one environment of a workspace. */
export interface ThreatCase extends CaseStanding {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId: string | undefined
  readonly environment: Environment
  readonly eventId: string
  /** 0 for the worst. */
  readonly severity: number
  /** Counts its steps. */
  readonly version: number
  readonly openedAt: Date
  readonly changedAt: Date
  /** The last step that its card shows, and the last that its thread tells. */
  readonly shownVersion: number
  readonly toldVersion: number
  /** Its card; undefined where no channel has one. */
  readonly place: CardPlace | undefined
  /** In order; of many, only the first and the newest. */
  readonly steps: readonly CaseStep[]
  readonly watched?: WatchedCheck | undefined
  /** Of the watched check; undefined while somebody is creating it. */
  readonly checkUuid?: string | undefined
  /** What the case is about, as its first step gave it. */
  readonly about: unknown
}

/** Whether a check looks where it did when it was created. Else what it sees says nothing about the case. */
export const looksThere = (watched: CheckTarget, { target, protocol, port }: HealthCheck): boolean =>
  target === watched.target && protocol === watched.protocol && port === watched.port

/** A case whose sealed part can't be opened: all that is known of it. */
export interface UnopenedCase extends Omit<ThreatCase, 'holder' | 'steps' | 'watched' | 'about'> {
  readonly unopened: SealError
}

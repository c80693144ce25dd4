import type { Fact } from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Environment } from '../domain/environment.ts'
import type { CarryChecks } from '../domain/outages/carry-checks.ts'
import type { CheckFacts, FirstLook } from '../domain/outages/outage.ts'
import type { HealthCheck } from '../service/health-checks.ts'
import type { CommandContext } from './routes/command-context.ts'

/** Lets one feature use another without importing it. `T` is the interface. */
export interface Port<T> {
  readonly name: string
  /** Only a type: no port has this property at run time. */
  readonly _type?: T
}

const port = <T>(name: string): Port<T> => ({ name })

/** What watching adds to a check: since when it has its status, facts, and buttons. */
export interface CheckNotes {
  /** Undefined if no change was observed. */
  since?: { status: string; at: Date; isAtLeast?: boolean; downMs?: number | undefined } | undefined
  entries: readonly Fact[]
  buttons: readonly Button[]
}

/** Notes on one check. `isShared` leaves out anything meant for one person. */
export const checkNotes =
  port<(context: CommandContext, check: CheckFacts, about: { isShared: boolean }) => Promise<CheckNotes>>(
    'notes on a check',
  )

/** Where it was asked: an environment of a workspace, and a channel if there is one. */
type AskedIn = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** What watching has observed of an environment's health checks. */
export const watchedChecks = port<{
  downSince(
    asked: AskedIn,
    uuids: readonly string[],
  ): Promise<ReadonlyMap<string, { at: Date; onIt?: string }>>
  upSince(asked: AskedIn): Promise<Date | undefined>
  /** Which checks are in maintenance now for this channel. One query, whatever the number of checks. */
  maintained(asked: AskedIn): Promise<(check: HealthCheck) => boolean>
}>('what watching has seen')

export const carryChecks = port<CarryChecks>(
  'watches and silences of a check that takes the place of another',
)

/** Ordinary watches of one check each, in a person's direct messages. */
export interface PersonalWatches {
  /** Watches the check for the person, as long as it has this target. Does nothing if they already watch it. */
  start(
    context: CommandContext,
    verb: string,
    check: { uuid: string; name: string; target: string },
  ): Promise<void>
  /** Ends every watch that `start` created for the check. */
  stop(asked: Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>, uuid: string): Promise<void>
}

export const personalWatches = port<PersonalWatches>('watches of one check for a person')

/** Probes a check's target from this machine; undefined if connecting to it is forbidden. */
export const lookFromHere = port<((check: HealthCheck) => Promise<FirstLook | undefined>) | undefined>(
  'a look from this machine',
)

/** The state of an environment's checks, for App Home. Throws the service's errors. */
export const environmentSummary =
  port<
    (
      context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
      environment: Environment,
      signal: AbortSignal,
    ) => Promise<{ total: number; card: KnownBlock[]; line: string }>
  >('how an environment is')

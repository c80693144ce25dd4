import type { Fact } from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Environment } from '../domain/environment.ts'
import type { CarryChecks } from '../domain/outages/carry-checks.ts'
import type { CheckFacts, FirstLook } from '../domain/outages/outage.ts'
import type { HealthCheck } from '../service/health-checks.ts'
import type { CommandContext } from './routes/command-context.ts'

/** What one feature offers and others use, so that neither imports the other. `T` is all that they know of each other. */
export interface Port<T> {
  readonly name: string
  /** Only a type: no port has a value of its own. */
  readonly _type?: T
}

const port = <T>(name: string): Port<T> => ({ name })

/** What watching knows of a check: since when it is as it is, facts, and buttons. */
export interface CheckNotes {
  /** Undefined where nobody has seen it change. */
  since?: { status: string; at: Date; isAtLeast?: boolean; downMs?: number | undefined } | undefined
  entries: readonly Fact[]
  buttons: readonly Button[]
}

/** Notes on one check. What `isShared` leaves out what one person alone is told. */
export const checkNotes =
  port<(context: CommandContext, check: CheckFacts, about: { isShared: boolean }) => Promise<CheckNotes>>(
    'notes on a check',
  )

/** Where it is asked: in an environment of a workspace, and in a channel, or in none. */
type AskedIn = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** What watching has seen of the health checks of an environment. */
export const watchedChecks = port<{
  downSince(
    asked: AskedIn,
    uuids: readonly string[],
  ): Promise<ReadonlyMap<string, { at: Date; onIt?: string }>>
  upSince(asked: AskedIn): Promise<Date | undefined>
  /** Which are in maintenance now, as far as the channel is concerned: asked once, whatever the number of checks. */
  maintained(asked: AskedIn): Promise<(check: HealthCheck) => boolean>
}>('what watching has seen')

export const carryChecks = port<CarryChecks>(
  'watches and silences of a check that takes the place of another',
)

/** Ordinary watches of one check each, in a person's direct messages. */
export interface PersonalWatches {
  /** Watches the check for whoever asks, as long as it looks at this target. Does nothing where they watch it already. */
  start(
    context: CommandContext,
    verb: string,
    check: { uuid: string; name: string; target: string },
  ): Promise<void>
  /** Ends those of everybody that `start` has made for the check. */
  stop(asked: Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>, uuid: string): Promise<void>
}

export const personalWatches = port<PersonalWatches>('watches of one check for a person')

/** One look at a check's target from this machine; undefined where nothing may be connected to. */
export const lookFromHere = port<((check: HealthCheck) => Promise<FirstLook | undefined>) | undefined>(
  'a look from this machine',
)

/** How an environment's checks are, for App Home. Throws what the service answers with. */
export const environmentSummary =
  port<
    (
      context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
      environment: Environment,
      signal: AbortSignal,
    ) => Promise<{ total: number; card: KnownBlock[]; line: string }>
  >('how an environment is')

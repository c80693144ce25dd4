import type { Work } from '@signalman/durable'
import { type Caller, callerOf, type Message } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { CommandContext } from '../routes/command-context.ts'

/** What is stored of a job beside its `about`: who asked for it and where, so that it runs in their name. */
export interface JobBody {
  caller: Caller
  environment: Environment
  about: unknown
  /** How it ended, once it has and its person could not be told: then it is not run again, but told. */
  ended?: EndedJob
}

export interface EndedJob {
  message: Pick<Message, 'text' | 'blocks'>
  state: 'done' | 'stopped'
  /** ISO text. */
  at: string
}

/** The body of every job is sealed by the queue, hence of this type. */
export const jobBodyOf = ({ body }: Work): JobBody => body as JobBody

/** A job in the name of the person who asks. */
export function newJob(context: CommandContext, { kind, about }: { kind: string; about: unknown }) {
  const { workspaceId, environment, userId } = context
  const body: JobBody = { caller: callerOf(context), environment, about }
  return { workspaceId, kind, personId: userId, body }
}

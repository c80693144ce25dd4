import type { Message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import { type Caller, callerOf } from '../../slack/receive/origin.ts'
import type { Work } from '../../store/store.ts'
import type { CommandContext } from '../routes/command-context.ts'

/** What is stored of a job beside its `about`: who asked for it and where, so that it runs in their name. */
export interface JobBody {
  /** The caller, under the name that versions before this one read. */
  place: Caller
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
  const body: JobBody = { place: callerOf(context), environment, about }
  return { workspaceId, kind, personId: userId, body }
}

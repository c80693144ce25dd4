import type { Environment } from '../../domain/environment.ts'
import { type Asker, askerOf } from '../../slack/receive/origin.ts'
import type { Work } from '../../store/store.ts'
import type { CommandContext } from '../routes/command-context.ts'

/** What is stored of a job beside its `about`: who asked for it and where, so that it runs in their name. */
export interface JobBody {
  place: Asker
  environment: Environment
  about: unknown
}

/** The body of every job is sealed by the queue, hence of this type. */
export const jobBodyOf = ({ body }: Work): JobBody => body as JobBody

/** A job in the name of the person who asks. */
export function newJob(ask: CommandContext, { kind, about }: { kind: string; about: unknown }) {
  const { workspaceId, environment, userId } = ask
  const body: JobBody = { place: askerOf(ask), environment, about }
  return { workspaceId, kind, personId: userId, body }
}

import type { AuditEvent } from '@signalman/durable'
import type { Message, Upload } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Role } from '../../domain/roles.ts'
import type { AuditDetails, CommandContext } from '../routes/command-context.ts'

/** A kind of job. Any process can run it, and continue it if the first one died. */
export interface JobKind<Details> {
  kind: string
  /** The verb for the audit log. */
  verb: string
  /** The role that the person must still have when the job runs. */
  needs: Role
  /** Whether it ends so soon that its person waits for it. It doesn't wait for longer ones. */
  isShort?: boolean
  run(run: JobRun<Details>): Promise<JobEnd & { isDone: boolean }>
  /** For a job that changes something: its end if an error ended it, with how far it got. By default, only the problem is shown. */
  describeError?(job: JobEndedByError<Details>, reason: string): Promise<JobEnd>
}

/** The last message of a job to its person, and what it tells a request that waits for it. */
export interface JobEnd {
  readonly message: Message
  readonly result?: unknown
}

/** A file of a job, which is held, because the same content isn't sent twice. */
export type JobFile = Upload & { readonly body: Buffer }

/** Does something once per job, and returns what it returned, also to a run that resumes the job. */
export type Once = <T>(name: string, make: () => Promise<T>) => Promise<T>

export interface JobEndedByError<Details>
  extends Pick<JobRun<Details>, 'id' | 'details' | 'auditEvent' | 'once' | 'upload'> {
  readonly environment: Environment
  readonly workspaceId: string
}

export interface JobRun<Details> {
  readonly id: string
  /** Identifies this process as the holder of the job's lease. */
  readonly leaseOwner: string
  readonly details: Details
  readonly context: CommandContext
  /** Aborted if another process takes over the job. Nothing more may start then. */
  readonly signal: AbortSignal
  /** Creates an audit entry in the name of the person who started the job. */
  auditEvent(details: AuditDetails, outcome: AuditEvent['outcome']): AuditEvent
  /** Checks again that the person may do this. Throws AccessDenied. */
  recheckAccess(): Promise<void>
  /** Whether someone has asked for it to stop. */
  isStopped(): boolean
  /** How long a step that another process began may still take, in milliseconds. */
  readonly maxInFlightMs: number
  /** Shows the progress in one message that is edited in place, at most every few seconds. */
  showProgress(describe: () => Promise<Message>): Promise<void>
  readonly once: Once
  /** Sends a file next to the progress message, once. Throws if Slack refuses it. */
  upload(file: JobFile): Promise<string>
}

import { AccessDenied, UserError } from '@signalman/runtime'
import { LIMITS } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { writeCommand } from '../../domain/write-command.ts'
import { ApiError } from '../../service/errors.ts'
import type { Access } from '../access/access.ts'
import { withEnvironment } from '../bind-buttons.ts'
import type { Requester, Rights, ToldLines } from '../routes/command-context.ts'
import { NotConnected } from './context.ts'
import { explain, quoteService } from './explain.ts'

/**
 * Explains an error about a missing or rejected token. An admin gets a button that opens the form to replace the token, after which
 * a button runs the typed line again. Anyone else sees who the admins are. Returns any other error unchanged.
 */
export async function explainTokenError(
  access: Pick<Access, 'listAdmins'>,
  error: unknown,
  context: Requester & Rights & ToldLines,
  line: string | undefined,
): Promise<unknown> {
  const { environment } = context
  if (!isTokenError(error)) return error
  const { happened, serviceMessages } = explain(error)
  const text = [happened, ...quoteService(serviceMessages)].join(' ')
  const withCause = <E extends UserError>(userError: E): E =>
    Object.assign(userError, error instanceof ApiError && { cause: error })
  const isNew = error instanceof NotConnected
  if (!(await context.roles()).has('admin'))
    return withCause(
      new AccessDenied(`${text} Ask an admin to store ${isNew ? 'one' : 'a new one'}.`, {
        admins: await access.listAdmins(context),
        suggestions: [],
        adminsLabel: 'Admins who can store a token',
      }),
    )
  return withCause(
    new UserError(isNew ? text : `${text} Store a new one with ${await context.tell('/hc connect')}.`, [
      { label: isNew ? 'Store a token' : 'Store a new token', line: connectLine(environment, line) },
    ]),
  )
}

/**
 * The line that stores a token for the environment, and then offers to continue with the typed line, all of it, in the same environment.
 * Without the line if a button can't carry it.
 */
export function connectLine(environment: Environment, typed: string | undefined): string {
  const connect = writeCommand('/hc connect', { environment })
  if (typed === undefined) return connect
  const resume = withEnvironment(typed, environment)
  const resuming = writeCommand('/hc connect', { environment, flags: { resume } })
  return resuming.length <= LIMITS.buttonValue ? resuming : connect
}

function isTokenError(error: unknown): boolean {
  if (error instanceof NotConnected) return true
  return error instanceof ApiError && error.kind === 'unauthorized' && !error.mayHaveHappened
}

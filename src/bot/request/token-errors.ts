import { AccessDenied, UserError } from '@signalman/runtime'
import { writeCommand } from '../../domain/write-command.ts'
import { ApiError } from '../../service/errors.ts'
import type { Access } from '../access/access.ts'
import type { Requester, Rights, ToldLines } from '../routes/command-context.ts'
import { NotConnected } from './context.ts'
import { explain, quoteService } from './explain.ts'

/**
 * Explains an error about a missing or rejected token. An admin gets a button that opens the form to replace the token. Anyone else sees
 * who the admins are. Returns any other error unchanged.
 */
export async function explainTokenError(
  access: Pick<Access, 'listAdmins'>,
  error: unknown,
  context: Requester & Rights & ToldLines,
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
      {
        label: isNew ? 'Store a token' : 'Store a new token',
        line: writeCommand('/hc connect', { environment }),
      },
    ]),
  )
}

function isTokenError(error: unknown): boolean {
  if (error instanceof NotConnected) return true
  return error instanceof ApiError && error.kind === 'unauthorized' && !error.mayHaveHappened
}

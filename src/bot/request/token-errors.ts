import { Refusal, UserError } from '@signalman/runtime'
import type { Caller } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import { ApiError } from '../../service/errors.ts'
import type { Access } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import { NotConnected } from './context.ts'
import { explain, quoteService } from './explain.ts'

/**
 * Explains an error about a missing or rejected token. An admin gets a button that opens the form to replace the token, after which
 * the typed line runs again. Anyone else sees who the admins are. Returns any other error unchanged.
 */
export async function explainTokenError(
  access: Pick<Access, 'findRoles' | 'listAdmins'>,
  error: unknown,
  failed: { caller: Caller; environment: Environment; actor: Actor; line?: string | undefined },
): Promise<unknown> {
  const { caller, environment, actor, line } = failed
  if (!isTokenError(error)) return error
  const { happened, serviceMessages } = explain(error)
  const text = [happened, ...quoteService(serviceMessages)].join(' ')
  const withCause = <E extends UserError>(userError: E): E =>
    Object.assign(userError, error instanceof ApiError && { cause: error })
  const isNew = error instanceof NotConnected
  if (!(await access.findRoles(caller, actor, { usesCache: true })).has('admin'))
    return withCause(
      new Refusal(`${text} Ask an admin to store ${isNew ? 'one' : 'a new one'}.`, {
        admins: await access.listAdmins(caller.workspaceId),
        suggestions: [],
        adminsLabel: 'Admins who can store a token',
      }),
    )
  const resume = line === undefined ? '' : ` --resume ${quoted(line)}`
  return withCause(
    new UserError(isNew ? text : `${text} Store a new one with ${cmd('/hc connect')}.`, [
      {
        label: isNew ? 'Store a token' : 'Store a new token',
        line: `/hc connect --env ${environment}${resume}`,
      },
    ]),
  )
}

function isTokenError(error: unknown): boolean {
  if (error instanceof NotConnected) return true
  return error instanceof ApiError && error.kind === 'unauthorized' && !error.mayHaveHappened
}

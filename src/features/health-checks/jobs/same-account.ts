import { UserError } from '@signalman/runtime'
import type { JobRun } from '../../../bot/routes/routes.ts'
import { cmd } from '../../../domain/command-names.ts'
import { ApiError } from '../../../service/errors.ts'
import { type Api, accountFromToken } from '../../../service/service.ts'
import type { ChangesDetails } from '../rules/job.ts'

/** Thrown if Signalman is now connected to a different account than when the job was planned. */
export class OtherAccount extends UserError {
  override readonly name = 'OtherAccount'
}

/**
 * Whether the current token belongs to the account that a job was planned with. That's the case if it's the same token, or if the
 * current account's list of tokens includes the one that was used then. Throws ApiError.
 */
export async function isSameAccount(api: Api, account: string): Promise<boolean> {
  if (api.account === account) return true
  try {
    const { tokens } = await api.tokens.list()
    return tokens.some(({ token }) => accountFromToken(token) === account)
  } catch (error) {
    // A token that isn't allowed to list tokens proves nothing.
    if (error instanceof ApiError && (error.kind === 'forbidden' || error.kind === 'not-found')) return false
    throw error
  }
}

/** Throws OtherAccount if the current token belongs to another account than the job's. */
export async function requireSameAccount(api: Api, account: string): Promise<void> {
  if (await isSameAccount(api, account)) return
  throw new OtherAccount(
    `Signalman is now connected to a different account than when this was planned, so nothing was sent. To continue, connect the original account with ${cmd('/hc connect')}.`,
  )
}

/** Connects to the service with the current token, and checks the account of each token once. */
export function createConnect({ details, context }: Pick<JobRun<ChangesDetails>, 'details' | 'context'>) {
  const checkedAccounts = new Set<string>()
  /** Throws OtherAccount and the errors of `context.api`. */
  return async (): Promise<Api> => {
    const api = await context.api()
    if (!checkedAccounts.has(api.account)) await requireSameAccount(api, details.account)
    checkedAccounts.add(api.account)
    return api
  }
}

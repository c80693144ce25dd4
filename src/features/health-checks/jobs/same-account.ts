import { Question, UserError } from '@signalman/runtime'
import type { ActSteps, Requester, Rights, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { JobRun } from '../../../bot/routes/routes.ts'
import type { AccountProof } from '../../../bot/workspaces/account-proof.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { Api } from '../../../service/service.ts'
import type { ChangesDetails } from '../rules/job.ts'

/** Thrown if nobody knows whether Signalman is connected to the account that a job was planned with. */
class UnprovenAccount extends UserError {
  override readonly name = 'UnprovenAccount'
}

const UNPROVEN =
  'Signalman can’t tell whether it’s still connected to the account that this was planned with, because the token has changed and none of the health checks that it remembers exist there. Nothing was sent.'

interface ProofOptions {
  readonly account: string
  readonly environment: Environment
  /** The command line that asks for the change. An admin's answer is added to it. */
  readonly line: string
  /** The connected account that an admin has just called the same. */
  readonly confirmed?: string | undefined
}

/**
 * Connects to the service, if the account is proven to be the job's. Otherwise, asks an admin: throws Question for an admin, and
 * UnprovenAccount, with the command for an admin, for anyone else. Throws ApiError.
 */
export async function connectToAccount(
  { accountProof }: { accountProof: AccountProof },
  context: Requester & ServiceAccess & Rights & ActSteps,
  { account, environment, line, confirmed }: ProofOptions,
): Promise<Api> {
  const api = await context.api(environment)
  if (await accountProof.isProven(context, api, account)) return api
  if (!(await context.hasRoleOrThrow(context.userId, 'admin')))
    throw new UnprovenAccount(`${UNPROVEN} A workspace admin can answer that: they type \`${line}\`.`)
  if (confirmed !== api.account)
    throw new Question(`${UNPROVEN} Is it the same account?`, [
      { label: 'It’s the same account', line: `${line} --same-account ${api.account}` },
    ])
  await context.change(
    {
      verb: '/hc same-account',
      object: `account ${account}`,
      environment,
      after: { sameAs: api.account },
      isRepeatable: true,
    },
    () => accountProof.confirm(context, account, api.account),
  )
  return api
}

/** Connects to the service with the current token, and checks the account of each token once. */
export function createConnect(
  { details, context, now }: Pick<JobRun<ChangesDetails>, 'details' | 'context' | 'now'>,
  accountProof: AccountProof,
) {
  const provenAccounts = new Set<string>()
  /** Throws UnprovenAccount and the errors of `context.api`. */
  return async (): Promise<Api> => {
    const api = await context.api()
    const scope = { workspaceId: context.workspaceId, now: now() }
    if (!provenAccounts.has(api.account) && !(await accountProof.isProven(scope, api, details.account)))
      throw new UnprovenAccount(`${UNPROVEN.replace('Nothing was sent.', 'Nothing more was sent.')}`)
    provenAccounts.add(api.account)
    return api
  }
}

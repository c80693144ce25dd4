import { UserError } from '@signalman/runtime'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { Api } from '../../../service/service.ts'
import type { KnownAddresses } from '../rows/known-addresses.ts'
import { type ReadCheck, readCheck } from './read-check.ts'

/** Whose checks are read, and when. */
export type ReadContext = Pick<Requester, 'workspaceId' | 'environment' | 'now'>

/** Reads a check for an edit. Throws ApiError and UserError. */
export async function readForEdit(
  { knownAddresses }: { knownAddresses: KnownAddresses },
  context: ReadContext,
  api: Api,
  uuid: string,
  { withAlerts = false }: { withAlerts?: boolean } = {},
): Promise<ReadCheck> {
  const found = await readCheck(api, uuid, { addresses: knownAddresses.in(context), withAlerts })
  if (found) return found
  // Throws the service's own error for a deleted check.
  await api.healthChecks.get(uuid)
  throw new UserError('It was deleted just now.')
}

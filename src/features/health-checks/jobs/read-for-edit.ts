import { UserError } from '@signalman/runtime'
import type { Api } from '../../../service/service.ts'
import type { AddressListings } from '../rows/address-listings.ts'
import type { ListedAddresses } from '../rules/server-address.ts'
import { LISTING_OUTDATED, ListingOutdated, type ReadCheck, readCheck } from './read-check.ts'

interface ReadContext {
  readonly workspaceId: string
  readonly now: Date
}

/** Reads a check for an edit, and finds out how the service lists server addresses. Throws ApiError and UserError. */
export async function readForEdit(
  { addressListings }: { addressListings: AddressListings },
  context: ReadContext,
  api: Api,
  uuid: string,
  { withAlerts = false }: { withAlerts?: boolean } = {},
): Promise<ReadCheck & { listedAddresses: ListedAddresses }> {
  const listedAddresses = readAddressListing(addressListings, context, api)
  // Prevents an unhandled rejection if the check can't be read.
  listedAddresses.catch(() => undefined)
  try {
    const found = await readCheck(api, uuid, { listedAddresses, withAlerts })
    if (found) return { ...found, listedAddresses: await listedAddresses }
  } catch (error) {
    throw error instanceof ListingOutdated ? new UserError(LISTING_OUTDATED) : error
  }
  // Throws the service's own error for a deleted check.
  await api.healthChecks.get(uuid)
  throw new UserError('It was deleted just now.')
}

/** Reads a page of the listing if it isn't known yet how the service lists server addresses. */
async function readAddressListing(
  addressListings: AddressListings,
  context: ReadContext,
  api: Api,
): Promise<ListedAddresses> {
  const storedListing = await addressListings.read(context, api.account, [])
  // `none-set` is only what a person said. The rows may contradict it.
  if (storedListing === 'set-only') return storedListing
  const { results } = await api.healthChecks.list({ sort: 'uuid', limit: 500 })
  return addressListings.read(context, api.account, results)
}

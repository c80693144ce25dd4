import { UserError } from '@signalman/runtime'
import type { Api } from '../../../service/service.ts'
import type { AddressListings } from '../rows/address-listings.ts'
import type { AddressListing } from '../rules/server-address.ts'
import { BEHIND, ListingBehind, type ReadCheck, readCheck } from './read-check.ts'

interface Where {
  readonly workspaceId: string
  readonly now: Date
}

/** One check as it may be written back, and what is known of how the service lists server addresses. Throws ApiError and UserError. */
export async function readForEdit(
  { listings }: { listings: AddressListings },
  where: Where,
  api: Api,
  uuid: string,
  { withAlerts = false }: { withAlerts?: boolean } = {},
): Promise<ReadCheck & { listing: AddressListing }> {
  const listing = readListing(listings, where, api)
  // Nobody waits for it where the check can't be read.
  listing.catch(() => undefined)
  try {
    const found = await readCheck(api, uuid, { listing, withAlerts })
    if (found) return { ...found, listing: await listing }
  } catch (error) {
    throw error instanceof ListingBehind ? new UserError(BEHIND) : error
  }
  // Throws that it is gone.
  await api.healthChecks.get(uuid)
  throw new UserError('It was deleted just now.')
}

/** A page of rows may prove it where nothing has before. */
async function readListing(listings: AddressListings, where: Where, api: Api): Promise<AddressListing> {
  const known = await listings.read(where, api.account, [])
  // What somebody has said is compared with what rows show.
  if (known === 'given-only') return known
  const { results } = await api.healthChecks.list({ sort: 'uuid', limit: 500 })
  return listings.read(where, api.account, results)
}

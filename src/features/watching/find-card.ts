import type { Workspace } from '@signalman/slack'
import type { Incident } from '../../domain/outages/incident.ts'
import type { FindAddress } from './message-address.ts'
import type { WatchStore } from './rows/watching.ts'
import type { OpenCard } from './views/on-it-buttons.ts'

export interface CardDeps {
  readonly watching: Pick<WatchStore, 'onIt'>
  readonly findAddress: FindAddress
}

/** A card that lists an incident, in this channel or else in another one, with the address of its message. */
export async function findCard(
  { watching, findAddress }: CardDeps,
  { channelId, ...workspace }: Workspace & { readonly channelId?: string | undefined },
  { id }: Pick<Incident, 'id'>,
): Promise<(OpenCard & { readonly channelId: string }) | undefined> {
  const card = await watching.onIt.findCard(workspace.workspaceId, id, channelId)
  if (!card) return undefined
  const { ts, ...found } = card
  const url = ts === null ? undefined : await findAddress(workspace, { channelId: card.channelId, ts })
  return { ...found, url }
}

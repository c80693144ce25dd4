import { createHash } from 'node:crypto'
import type { Unseen } from '../../../domain/outages/outage.ts'
import type { Incident, IncidentMessage } from './incident.ts'
import { eachInSlices, type Slices } from './slices.ts'

/** The state of an incident on a message. */
export type StateOnMessage = 'down' | 'up' | 'over'
export const getStateOnMessage = ({ closed, isDown }: Incident): StateOnMessage => {
  if (closed) return 'over'
  return isDown ? 'down' : 'up'
}

/** Everything that a message shows about its incidents, as a short text to compare with. */
export function* formatContent(
  {
    moved,
    unwatchedCount,
    nextPage,
    page,
  }: Pick<IncidentMessage, 'moved' | 'unwatchedCount' | 'nextPage' | 'page'>,
  incidents: readonly Incident[],
  isSilenced: (incident: Incident) => boolean,
  unseen?: Unseen,
): Slices<string> {
  const hash = createHash('sha256')
  const isOpen = unseen !== undefined && incidents.some(({ closed }) => !closed)
  hash.update(JSON.stringify([moved, unwatchedCount, nextPage, page?.mentions, ...(isOpen ? [unseen] : [])]))
  yield* eachInSlices(incidents, (incident) => {
    const { id, check, falls, fell, up, closed, onIt, failure } = incident
    const { name, target, protocol, customerId } = check
    hash.update(
      JSON.stringify([
        ...[id, getStateOnMessage(incident), closed?.ending, up?.isInstalling, failure, falls, fell.at],
        ...[fell.gaps, up?.gaps],
        ...[name, target, protocol, customerId],
        ...[onIt?.by, onIt?.at, !closed && isSilenced(incident)],
      ]),
    )
  })
  return hash.digest('base64url')
}

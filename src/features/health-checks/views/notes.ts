import { commandButton, type Line } from '@signalman/slack'
import type { Button } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { RESOLVE } from '../rules/fields.ts'
import type { AddressNote } from '../rules/row.ts'

/** What else a change did, of one check or of many: what people don't expect, and the way back. */
export interface Notes {
  /** What became of the server addresses of edited checks. */
  readonly addresses: readonly AddressNote[]
  /** Where renamed checks aren't watched anymore. */
  readonly unwatched?: Line | undefined
  /** The file of what was before, without an ID if Slack didn't confirm it. Undefined if nothing was changed. */
  readonly undo?: { readonly fileId: string | undefined; readonly isWithheld?: boolean } | undefined
}

const UNCONFIRMED = 'Slack didn’t confirm the file of what was before.'
const WITHHELD =
  'The file of what was before wasn’t sent, because whoever started the change may not read it anymore.'

export const describeNotes = ({ addresses, unwatched, undo }: Notes): Line[] => [
  ...(unwatched ? [unwatched] : []),
  ...describeAddresses(addresses),
  // Slack may have the file although its answer was lost.
  ...(undo && undo.fileId === undefined ? [undo.isWithheld ? WITHHELD : UNCONFIRMED] : []),
]

/** The other choice for a server address, and the preview of the way back. */
export const noteButtons = ({ addresses, undo }: Notes, environment: Environment): Button[] => [
  ...(addresses.length === 1 ? addresses.flatMap(addressButtons) : []),
  ...(undo?.fileId === undefined
    ? []
    : [commandButton('Go back…', writeCommand('/hc import', { words: [undo.fileId], environment }))]),
]

/** That it follows DNS only if the change was about where the service connects. */
function addressButtons({ uuid, isKept, isSubject, wanted }: AddressNote): Button[] {
  const button = (label: string, address: string) =>
    commandButton(label, writeCommand('/hc edit', { words: [uuid], flags: { 'server-address': address } }))
  if (!isKept) return [button(`Set ${wanted}`, wanted)]
  return isSubject ? [button('Follow DNS', RESOLVE)] : []
}

function describeAddresses(addresses: readonly AddressNote[]): string[] {
  const [only] = addresses
  if (only && addresses.length === 1) return [describeAddress(only)]
  const kept = addresses.filter(({ isKept }) => isKept).length
  const moved = addresses.length - kept
  const isSubject = addresses.some((address) => address.isKept && address.isSubject)
  return [
    kept > 0 &&
      `${kept} kept ${kept === 1 ? 'its server address' : 'their server addresses'}, which DNS doesn’t return.${isSubject ? ' To follow DNS instead, use --server-address resolve.' : ''}`,
    moved > 0 &&
      `${moved} ${moved === 1 ? 'uses' : 'use'} another server address now, which the service chose. The file has the ones from before.`,
  ].filter((line) => line !== false)
}

const describeAddress = ({ isKept, isSubject, now, wanted }: AddressNote): string =>
  isKept
    ? `Kept the server address ${wanted}, which DNS doesn’t return.${isSubject ? ' The service connects to it, whatever the target.' : ''}`
    : `The service uses another server address: now ${now ?? 'from DNS'}, was ${wanted}.`

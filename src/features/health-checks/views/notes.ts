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
  readonly undo?: { readonly fileId: string | undefined } | undefined
}

const UNCONFIRMED = 'The file of what was before wasn’t sent, or Slack didn’t confirm it.'

export const describeNotes = ({ addresses, unwatched, undo }: Notes): Line[] => [
  ...(unwatched ? [unwatched] : []),
  ...describeAddresses(addresses),
  // Slack may have the file although its answer was lost.
  ...(undo && undo.fileId === undefined ? [UNCONFIRMED] : []),
]

/** The other choice for a server address, and the preview of the way back. */
export const noteButtons = ({ addresses, undo }: Notes, environment: Environment): Button[] => [
  ...(addresses.length === 1 ? addresses.map(addressButton) : []),
  ...(undo?.fileId === undefined
    ? []
    : [commandButton('Go back…', writeCommand('/hc import', { words: [undo.fileId], environment }))]),
]

function addressButton({ uuid, isKept, wanted }: AddressNote): Button {
  const [label, address] = isKept ? ['Follow DNS', RESOLVE] : [`Set ${wanted}`, wanted]
  return commandButton(
    label,
    writeCommand('/hc edit', { words: [uuid], flags: { 'server-address': address } }),
  )
}

function describeAddresses(addresses: readonly AddressNote[]): string[] {
  const [only] = addresses
  if (only && addresses.length === 1) return [describeAddress(only)]
  const kept = addresses.filter(({ isKept }) => isKept).length
  const moved = addresses.length - kept
  return [
    kept > 0 && `Server addresses kept: ${kept}. To follow DNS instead, use --server-address resolve.`,
    moved > 0 && `Server addresses that the service replaced: ${moved}. The file has the ones from before.`,
  ].filter((line) => line !== false)
}

const describeAddress = ({ isKept, now, wanted }: AddressNote): string =>
  isKept
    ? `Kept the server address ${wanted}. The service connects to it, whatever the target.`
    : `The service uses another server address: now ${now ?? 'from DNS'}, was ${wanted}.`

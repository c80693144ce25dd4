import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import { writeCommand } from '../../../domain/write-command.ts'
import { RESOLVE } from '../rules/fields.ts'
import type { AddressNote } from '../rules/row.ts'

/** What became of the server address of an edited check. */
export const describeAddress = ({ isKept, isSubject, now, wanted }: AddressNote): string =>
  isKept
    ? `Kept the server address ${wanted}, which DNS doesn’t return.${isSubject ? ' The service connects to it, whatever the target.' : ''}`
    : `The service uses another server address: now ${now ?? 'from DNS'}, was ${wanted}.`

/** The other choice for the server address. That it follows DNS only if the change was about where the service connects. */
export function addressButtons(uuid: string, { isKept, isSubject, wanted }: AddressNote): Button[] {
  const button = (label: string, address: string) =>
    commandButton(label, writeCommand('/hc edit', { words: [uuid], flags: { 'server-address': address } }))
  if (!isKept) return [button(`Set ${wanted}`, wanted)]
  return isSubject ? [button('Follow DNS', RESOLVE)] : []
}

/** What became of the server addresses of many edited checks. */
export function describeAddresses(notes: readonly AddressNote[]): string[] {
  const kept = notes.filter(({ isKept }) => isKept).length
  const moved = notes.length - kept
  const isSubject = notes.some((note) => note.isKept && note.isSubject)
  return [
    kept > 0 &&
      `${kept} kept ${kept === 1 ? 'its server address' : 'their server addresses'}, which DNS doesn’t return.${isSubject ? ' To follow DNS instead, use --server-address resolve.' : ''}`,
    moved > 0 &&
      `${moved} ${moved === 1 ? 'uses' : 'use'} another server address now, which the service chose. The file has the ones from before.`,
  ].filter((line) => line !== false)
}

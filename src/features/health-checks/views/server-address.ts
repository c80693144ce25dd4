import { clip, commandButton, oneLine } from '@signalman/slack'
import type { Button } from '@slack/types'
import { quoted } from '../../../domain/quoting.ts'
import { parseHost } from '../rules/matching.ts'
import type { AddressNote } from '../rules/row.ts'

/** What became of the server address of an edited check. */
export function describeAddress(note: AddressNote, target: string | undefined): string {
  if (!note.isKept)
    return `The service uses another server address: now ${note.now ?? 'from DNS'}, was ${note.wanted}.`
  const host = clip(oneLine(parseHost(target ?? '')), 100)
  return `Kept the server address ${note.wanted}, because DNS didn’t return it for ${host}.`
}

/** The other choice for the server address. */
export const addressButton = (uuid: string, note: AddressNote): Button =>
  note.isKept
    ? commandButton('Follow DNS', `/hc edit ${quoted(uuid)} --server-address resolve`)
    : commandButton(`Set ${note.wanted}`, `/hc edit ${quoted(uuid)} --server-address ${note.wanted}`)

/** What became of the server addresses of many edited checks. */
export function describeAddresses(notes: readonly AddressNote[]): string[] {
  const kept = notes.filter(({ isKept }) => isKept).length
  const moved = notes.length - kept
  return [
    kept > 0 &&
      `${kept} kept their server address, because DNS didn’t return it for their domain. To follow DNS instead, use --server-address resolve.`,
    moved > 0 &&
      `${moved} ${moved === 1 ? 'uses' : 'use'} another server address now, which the service chose. The file has the ones from before.`,
  ].filter((line) => line !== false)
}

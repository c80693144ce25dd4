import { clip, oneLine } from '@signalman/slack'
import { isReadable, listMissing, type Mailing } from '../../domain/recipients.ts'
import { formatList, pluralize } from '../../domain/wording.ts'

const MAX_ADDRESS_LENGTH = 100

/** The first `max` addresses, and how many more there are. */
export const addressList = (addresses: readonly string[], max: number): string =>
  formatList(addresses, max, (address) => clip(oneLine(address), MAX_ADDRESS_LENGTH))

/** Whom alerts email, after `emails`: up to `max` of them by name, or how many. Whoever several of them mail counts once. */
export function describeMailed(alerts: readonly Mailing[], max = 0): string {
  const everyone = alerts.flatMap(({ recipients }) => recipients)
  const people = listMissing([], everyone)
  const count = pluralize(people.length, 'recipient')
  if (isReadable(alerts)) {
    if (people.length === 0) return 'nobody'
    return max === 0 ? count : addressList(people, max)
  }
  if (people.length === 0) return 'people whom Signalman can’t read'
  return max === 0 ? `at least ${count}` : `${addressList(people, max)}, and others whom Signalman can’t read`
}

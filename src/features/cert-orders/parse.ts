import { UserError } from '@signalman/runtime'
import { noSuchOrder, whichOrder } from './refusals.ts'

/** Reads the order's number behind a verb: `12` or `#12`. Throws UserError for anything else. */
export function numberOf([typed = '']: readonly string[], verb: string): number {
  if (typed === '') throw whichOrder(verb)
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1]
  if (number === undefined) throw noSuchOrder(`“${typed}”`)
  return Number(number)
}

/** Reads `--from`: a line from 1 on. Throws UserError for anything else. */
export function lineOf(typed: string | boolean | undefined): number {
  const line = String(typed ?? '1')
  if (!/^[1-9]\d{0,5}$/.test(line)) throw new UserError(`\`--from\` is a number from 1 on; “${line}” is not.`)
  return Number(line)
}

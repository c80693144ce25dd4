import type { Requester } from '../../bot/routes/command-context.ts'
import type { Arguments } from '../../bot/typed/command-line.ts'
import { UserError } from '../../errors.ts'
import { type OrderFilters, STATUS_NAMES } from './views/list-line.ts'

/** What a typed listing is narrowed to. Throws UserError for a value that means nothing. */
export function filtersOf({ environment }: Requester, { flags }: Arguments): OrderFilters {
  const page = String(flags.page ?? '1')
  if (!/^[1-9]\d{0,5}$/.test(page)) throw new UserError(`\`--page\` is a number from 1 on; “${page}” is not.`)
  return {
    environment,
    status: STATUS_NAMES.find((name) => name === flags.status),
    mine: flags.mine === true,
    requester: requesterOf(textOf(flags.requester)),
    product: textOf(flags.product),
    name: textOf(flags.name),
    days: daysOf(textOf(flags.days)),
    page: Number(page),
  }
}

const textOf = (typed: string | true | undefined): string | undefined =>
  typeof typed === 'string' && typed !== '' ? typed : undefined

/** As Slack sends somebody who was mentioned, or their id. */
function requesterOf(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined
  const id = /^(?:<@)?([UW][A-Z0-9]{2,30})(?:\|[^>]*)?>?$/.exec(typed)?.[1]
  if (id === undefined)
    throw new UserError('`--requester` is somebody: mention them, as in @name, or type their id.')
  return id
}

function daysOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  if (!/^[1-9]\d{0,3}$/.test(typed))
    throw new UserError(`\`--days\` is a number of days from 1 on; “${typed}” is not.`)
  return Number(typed)
}

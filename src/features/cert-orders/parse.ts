import { clip, oneLine } from '@signalman/slack'
import { choice, type Parameter, parameter } from '../../bot/grammar/parameters.ts'
import { writeUsage } from '../../bot/grammar/usage.ts'
import { ALL_WORDS, MINE_WORDS } from '../../bot/grammar/vocabulary.ts'
import {
  choiceField,
  type FieldTable,
  pageField,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import { cmd } from '../../domain/command-names.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { pluralize } from '../../domain/wording.ts'
import { writeCommand } from '../../domain/write-command.ts'
import type { Order } from './rules/order.ts'
import { STATE_TEXTS } from './rules/order-states.ts'

/** An order's number: `12` or `#12`. Without one, a verb takes the only order that it can be about. */
export const ORDER_NUMBER = parameter('number', 'number')
export const THIS_ORDER = parameter('number', 'number', { required: true })

export const REJECT_PARAMETERS: readonly Parameter[] = [
  ORDER_NUMBER,
  parameter('reason', 'text', { usage: 'REASON', isProse: true }),
]

interface ListFilters {
  status?: Order['state'] | undefined
  mine?: true | undefined
  /** Words that are in a name, the product, the status, or the date. */
  text?: string | undefined
  page?: number | undefined
}

export interface OrderFilters extends ListFilters {
  environment: Environment
}

export const PAGE_SIZE = 10

// Cast, because STATE_TEXTS has every state as a key.
export const STATUS_NAMES = Object.keys(STATE_TEXTS) as Order['state'][]

/** The words of the screens for two of the states, because that's what people type. */
const SCREEN_WORDS = { pending: 'awaiting', waiting: 'awaiting', sending: 'submitting' } as const
const STATUS_WORDS = { ...Object.fromEntries(STATUS_NAMES.map((name) => [name, name])), ...SCREEN_WORDS }

export const ORDER_FIELDS: FieldTable<ListFilters> = {
  status: choiceField('status', 'Status', STATUS_NAMES, {
    describe: (state) => STATE_TEXTS[state].name.toLowerCase(),
    synonyms: SCREEN_WORDS,
  }),
  mine: switchField('mine', 'Mine', { description: 'mine' }),
  text: textField('text', 'Text', { describe: (text) => `with “${clip(oneLine(text), 150)}”` }),
  page: pageField,
}

export const LIST_PARAMETERS: readonly Parameter[] = [
  choice('status', STATUS_WORDS, { flag: 'status', usage: 'STATUS' }),
  choice('mine', MINE_WORDS, { flag: 'mine' }),
  choice('all', ALL_WORDS, { usage: '' }),
  parameter('text', 'text', { flag: 'text' }),
]

export interface Searched {
  /** How many of the newest orders, if not all. */
  newest: number | undefined
  /** How many of them can't be decrypted, so that they weren't searched. */
  unread: number
}

export const describeUnread = (unread: number): string[] =>
  unread > 0 ? [`${pluralize(unread, 'order')} can’t be decrypted, and couldn’t be searched.`] : []

/** The error for a text that no order has. Offers the list without it. */
export const createNothingFoundError = (
  text: string,
  filters: OrderFilters,
  { newest, unread }: Searched,
): NothingFound => {
  const { status, mine, environment } = filters
  // As it's typed: “No waiting order has …”.
  const word = Object.entries(SCREEN_WORDS).findLast(([, state]) => state === status)?.[0] ?? status
  const order = word ? `${word} order` : 'order'
  const orders = newest === undefined ? `No ${order}` : `None of the newest ${newest} ${order}s`
  return new NothingFound(
    `${orders}${mine ? ' of yours' : ''}${environmentSuffix(environment)} has “${clip(oneLine(text), 60)}” in a name, its product, its status, or its date. ${describeUnread(unread).map((note) => `${note} `)}Type \`${cmd('/cert-order list')} ${writeUsage({ parameters: LIST_PARAMETERS })}\`.`,
    [{ label: 'List without it', line: formatListCommand({ ...filters, text: undefined }) }],
  )
}

export const formatListCommand = ({ environment, page = 1, ...filters }: OrderFilters): string =>
  [
    writeCommand('/cert-order list', { environment }),
    ...writeFields(ORDER_FIELDS, { ...filters, ...(page > 1 && { page }) }),
  ].join(' ')

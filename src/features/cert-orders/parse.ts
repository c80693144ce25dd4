import { clip, oneLine } from '@signalman/slack'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { choice, type Slot, slot } from '../../bot/grammar/slots.ts'
import { ALL_WORDS, MINE_WORDS } from '../../bot/grammar/vocabulary.ts'
import {
  choiceField,
  type FieldTable,
  numberField,
  pageField,
  parsedTextField,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import type { Environment } from '../../domain/environment.ts'
import { toHost } from './rules/host-names.ts'
import type { Order } from './rules/order.ts'
import { STATE_TEXTS } from './rules/order-states.ts'
import { createMissingNumberError, createNoSuchOrderError } from './rules/refusals.ts'

/** An order's number: `12`, `#12`, or `order 12`. */
export const ORDER_NUMBER = slot('number', 'number', {
  required: true,
  after: ['order', 'number', 'no', 'no.', 'nr', 'nr.', 'id', 'request', 'csr', '#', 'of', 'for', 'about'],
})

/** The typed number of an order. Throws UserError if there is none. */
export function requireNumber(
  { values: { number, rest = '' } }: Pick<Arguments, 'values'>,
  verb: string,
): number {
  if (number === undefined) throw createMissingNumberError(verb, rest.split(' ').find(isDottedHost))
  return parseOrderNumber(number, verb)
}

const isDottedHost = (word: string): boolean => word.includes('.') && toHost(word) !== undefined

/** Parses an order's number: `12` or `#12`. Throws UserError for anything else. */
export function parseOrderNumber(typed: string | undefined, verb: string): number {
  if (typed === undefined) throw createMissingNumberError(verb)
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1]
  if (number === undefined) throw createNoSuchOrderError(`“${typed}”`)
  return Number(number)
}

/** Which line of a long text to show first. */
export const FROM_FIELDS: FieldTable<{ from?: number | undefined }> = {
  from: numberField('from', 'First line to show', { min: 1, max: 999_999, valueName: 'LINE' }),
}

/** The filters of a listing. */
interface ListFilters {
  status?: Order['state'] | undefined
  mine?: true | undefined
  requester?: string | undefined
  /** Part of the product's name or ID. */
  product?: string | undefined
  /** Part of the subject or of one of the names. */
  name?: string | undefined
  /** Requested within this many days. */
  days?: number | undefined
  /** When it was requested, as typed: `last week`. */
  period?: string | undefined
  page?: number | undefined
}

export interface OrderFilters extends ListFilters {
  environment: Environment
}

export const PAGE_SIZE = 10

// Cast, because STATE_TEXTS has every state as a key.
export const STATUS_NAMES = Object.keys(STATE_TEXTS) as Order['state'][]

/** Synonyms that people type for a state. */
const STATUS_WORDS: Readonly<Record<string, Order['state']>> = {
  waiting: 'awaiting',
  unapproved: 'awaiting',
  pending: 'awaiting',
  open: 'awaiting',
  ordered: 'received',
  sent: 'received',
  placed: 'received',
  issued: 'received',
  approved: 'received',
  completed: 'received',
  done: 'received',
  refused: 'rejected',
  denied: 'rejected',
  accepted: 'received',
  declined: 'rejected',
  canceled: 'withdrawn',
  cancelled: 'withdrawn',
}

const MAX_LABEL_LENGTH = 150
const createLabel = (flag: string) => (text: string) => `${flag} ${clip(oneLine(text), MAX_LABEL_LENGTH)}`

export const ORDER_FIELDS: FieldTable<ListFilters> = {
  status: choiceField('status', 'Status', STATUS_NAMES, {
    describe: (state) => STATE_TEXTS[state].name.toLowerCase(),
    synonyms: STATUS_WORDS,
  }),
  mine: switchField('mine', 'Mine', { description: 'mine' }),
  requester: parsedTextField('requester', 'Requested by', {
    valueName: '@WHO',
    // Kept as typed. The command looks the person up in Slack.
    read: String,
    write: String,
    describe: () => 'requested by one person',
  }),
  product: textField('product', 'Product', { describe: createLabel('product') }),
  name: textField('name', 'Name', { describe: createLabel('name') }),
  days: numberField('days', 'Days', {
    min: 1,
    max: 9999,
    describe: (days) => (days === 1 ? 'of the last day' : `of the last ${days} days`),
  }),
  period: textField('period', 'Requested', { valueName: 'PERIOD', describe: createLabel('requested') }),
  page: pageField,
}

/** `new certificate for shop.example.com`: the words say what the command is about anyway. */
export const CERTIFICATE_NOUN = choice(
  'noun',
  {
    ...{ a: 'one', an: 'one', the: 'one', new: 'one', ssl: 'one', tls: 'one' },
    ...{ certificate: 'one', certificates: 'one', cert: 'one', certs: 'one' },
  },
  { usage: '', many: true },
)

/** The filters of a list, as words. */
export const LIST_SLOTS: readonly Slot[] = [
  choice(
    'status',
    { ...Object.fromEntries(STATUS_NAMES.map((name) => [name, name])), ...STATUS_WORDS },
    { flag: 'status', usage: 'STATUS', after: ['status', 'state', 'is', 'are', 'that', 'which'] },
  ),
  choice('mine', MINE_WORDS, { flag: 'mine', after: ['by', 'from', 'of'] }),
  choice(
    'noun',
    {
      orders: 'orders',
      requests: 'orders',
      certificates: 'orders',
      certs: 'orders',
      approvals: 'orders',
      ...ALL_WORDS,
      ...{ recent: 'orders', latest: 'orders', newest: 'orders' },
    },
    { usage: '', many: true },
  ),
  slot('person', 'person', { flag: 'requester', after: ['by', 'of', 'from', 'requested'] }),
  slot('period', 'period', {
    flag: 'period',
    after: ['since', 'from', 'on', 'in', 'for', 'during', 'within', 'requested', 'created'],
  }),
  slot('text', 'text', {
    flag: 'name',
    usage: 'NAME',
    after: ['for', 'of', 'about', 'named', 'domain', 'name', 'host', 'hostname', 'cn', 'site'],
  }),
]

/** The command that shows this listing. */
export const formatListCommand = ({ environment, page = 1, ...filters }: OrderFilters): string =>
  [
    `/cert-order list --env ${environment}`,
    ...writeFields(ORDER_FIELDS, { ...filters, ...(page > 1 && { page }) }),
  ].join(' ')

/** The requested page, or the last page if there are fewer. */
export const clampPage = ({ page = 1 }: OrderFilters, total: number): number =>
  Math.min(page, Math.max(1, Math.ceil(total / PAGE_SIZE)))

import { numberInput, selectInput, switchInput, textInput } from '../../../blocks/inputs.ts'
import { context } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { FieldErrors, UserError } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { type CheckFilters, MOST_ON_A_PAGE, parseFilters } from '../parse.ts'
import { readListing } from '../read-listing.ts'
import { PROTOCOLS, STATUSES, statusLabel } from '../status.ts'
import { listView } from '../views/list.ts'

const FORM = 'health-checks.filter'
const ANY = 'any'

interface Choice {
  label: string
  value: string
  chosen?: boolean
}

const anyOr = (choices: readonly Choice[]): Choice[] => [
  { label: 'Any', value: ANY, chosen: !choices.some(({ chosen }) => chosen) },
  ...choices,
]

/** Every parameter of the listing, with those in force; customers are offered from those seen. */
export const filterModal = (filters: CheckFilters, customers: readonly number[], isOte: boolean): Modal => {
  const { customerId, pageSize } = filters
  const isOffered = customerId === undefined || customers.includes(customerId)
  return {
    title: 'Filter health checks',
    form: { id: FORM, submit: 'List' },
    blocks: [
      isOte ? [context('OTE test environment')] : [],
      textInput('name', 'Name', {
        initial: filters.name,
        optional: true,
        hint: 'A * stands for anything.',
      }),
      selectInput(
        'status',
        'Status',
        anyOr(
          STATUSES.map((value) => ({ label: statusLabel(value), value, chosen: value === filters.status })),
        ),
      ),
      selectInput(
        'protocol',
        'Protocol',
        anyOr(PROTOCOLS.map((value) => ({ label: value, value, chosen: value === filters.protocol }))),
      ),
      textInput('target', 'Target', {
        initial: filters.target,
        optional: true,
        hint: 'The whole target, as the check has it: the service compares it.',
      }),
      selectInput(
        'seen',
        'Customer',
        anyOr(customers.map((id) => ({ label: String(id), value: String(id), chosen: id === customerId }))),
      ),
      numberInput('customer', 'Another customer ID', {
        initial: isOffered ? undefined : customerId,
        min: 1,
        optional: true,
      }),
      switchInput('subsidiaries', 'Subsidiaries', {
        says: 'Those of the customer’s subsidiaries too',
        isOn: filters.includeSubsidiaries !== false,
      }),
      selectInput('sort', 'Order', [
        { label: 'What is down first', value: ANY, chosen: filters.sort === undefined },
        { label: 'By name', value: 'name', chosen: filters.sort === 'name' },
        { label: 'By UUID', value: 'uuid', chosen: filters.sort === 'uuid' },
      ]),
      numberInput('limit', 'Health checks on a page', {
        initial: pageSize,
        min: 1,
        max: MOST_ON_A_PAGE,
        optional: true,
      }),
    ],
  }
}

/** What the window asks for, as if it had been typed. Throws FieldErrors. */
function readFilter(answers: Answers): CheckFilters {
  const chosen = (field: string): string | undefined => {
    const value = answers.choice(field)
    return value === ANY ? undefined : value
  }
  const flags = {
    name: answers.text('name'),
    status: chosen('status'),
    protocol: chosen('protocol'),
    target: answers.text('target'),
    customer: answers.text('customer') ?? chosen('seen'),
    ...(answers.choices('subsidiaries').includes('yes') ? {} : { 'no-subsidiaries': true as const }),
    sort: chosen('sort'),
    limit: answers.text('limit'),
  }
  try {
    return parseFilters({ words: [], flags }).filters
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const field = /^--([a-z-]+)/.exec(error.message)?.[1] ?? 'name'
    throw new FieldErrors({ [field]: error.message.replace(/^--[a-z-]+ /, 'It ') })
  }
}

/** The form of `filterModal`: sending it shows the listing in its place. */
export const filterForm = (usual: number): Form<CheckFilters, undefined> => ({
  id: FORM,
  verb: '/hc list',
  needs: 'viewer',
  reads: true,
  working: 'Looking for the health checks…',
  read: readFilter,
  async submit(context, filters) {
    const pageSize = filters.pageSize ?? usual
    const listed = await readListing(await context.api(), filters, { offset: 0, anchor: undefined }, pageSize)
    const { blocks, classic, ...view } = listView(
      listed,
      filters,
      { pageSize },
      context.environment,
      context.now,
    )
    // A window takes no table.
    return { ...view, blocks: classic?.() ?? blocks }
  },
})

import { selectInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { inputsOf, readWindow, unlessTouched } from '../../../bot/typed/window-of-fields.ts'
import { type CheckFilters, LISTING } from '../parse.ts'
import { readListing } from '../read-listing.ts'
import { listView } from '../views/list.ts'

const ANY = 'any'

/** Every parameter of the listing, with those in force; sending it shows the listing in its place. */
export const filterForm = form({
  id: 'health-checks.filter',
  title: 'Filter health checks',
  button: 'List',
  verb: '/hc list',
  needs: 'viewer',
  reads: true,
  working: 'Looking for the health checks…',
  isMarked: true,
  /** Customers are offered from those seen. */
  asks(_, filters: CheckFilters, customers: readonly number[]) {
    const { customerId } = filters
    const isOffered = customerId !== undefined && customers.includes(customerId)
    const about = isOffered ? { ...filters, customerId: undefined } : filters
    const offered = selectInput('seen', 'One of these customers', [
      { label: 'Any', value: ANY, chosen: !isOffered },
      ...customers.map((id) => ({ label: String(id), value: String(id), chosen: id === customerId })),
    ])
    return { about, blocks: [inputsOf(LISTING, about), offered] }
  },
  read(answers) {
    const filled = readWindow(LISTING, answers)
    const seen = answers.choice('seen')
    const isChosen = filled.values.customerId === undefined && seen !== undefined && seen !== ANY
    return isChosen ? { ...filled, values: { ...filled.values, customerId: Number(seen) } } : filled
  },
  async submit(context, filled, shown, { pageSize }: { pageSize: number | undefined }) {
    const filters = { ...filled.values, ...unlessTouched(LISTING, filled, shown) }
    const listed = await readListing(await context.api(), filters, { offset: 0, anchor: undefined }, pageSize)
    const drawn = listView(listed, filters, {}, context.environment, context.now)
    const { blocks, classic, ...view } = drawn
    // A window takes no table.
    return { ...view, blocks: classic?.() ?? blocks }
  },
})

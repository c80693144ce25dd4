import { form } from '../../../bot/forms/form.ts'
import { inputsOf, readWindow, unlessTouched } from '../../../bot/typed/window-of-fields.ts'
import { type CheckFilters, LISTING } from '../parse.ts'
import { readListing } from '../read-listing.ts'
import { listView } from '../views/list.ts'

/** Every parameter of the listing, with those in force; sending it shows the listing in its place. */
export const filterForm = form({
  id: 'health-checks.filter',
  title: 'Filter health checks',
  button: 'List',
  verb: '/hc list',
  needs: 'viewer',
  reads: true,
  working: 'Loading the list…',
  isMarked: true,
  asks: (_, filters: CheckFilters) => ({ about: filters, blocks: inputsOf(LISTING, filters) }),
  read: (answers) => readWindow(LISTING, answers),
  async submit(context, filled, shown, { pageSize }: { pageSize: number | undefined }) {
    const filters = { ...filled.values, ...unlessTouched(LISTING, filled, shown) }
    const listed = await readListing(await context.api(), filters, 0, pageSize)
    const drawn = listView(listed, filters, {}, context.environment, context.now)
    const { blocks, classic, ...view } = drawn
    // A window takes no table.
    return { ...view, blocks: classic?.() ?? blocks }
  },
})

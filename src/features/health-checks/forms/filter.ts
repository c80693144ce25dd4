import { form } from '../../../bot/forms/form.ts'
import { buildInputs, keepUnchanged, readWindow } from '../../../bot/typed/field-window.ts'
import { type CheckFilters, LISTING_FIELDS } from '../parse.ts'
import { findWider, readListing } from '../read-listing.ts'
import { listView } from '../views/list.ts'

/** The form with all filters of a list. Submitting it shows the filtered list. */
export const filterForm = form({
  id: 'health-checks.filter',
  title: 'Filter health checks',
  button: 'List',
  verb: '/hc list',
  needs: 'viewer',
  isReadOnly: true,
  workingText: 'Loading the list…',
  showsOteLabel: true,
  content: (_, filters: CheckFilters) => ({
    formState: filters,
    blocks: buildInputs(LISTING_FIELDS, filters),
  }),
  read: (answers) => readWindow(LISTING_FIELDS, answers),
  async submit(context, filled, shown) {
    const filters = { ...filled.values, ...keepUnchanged(LISTING_FIELDS, filled, shown) }
    const api = await context.api()
    const listed = await readListing(api, filters, 0)
    const wider = listed.total === 0 ? await findWider(api, filters) : undefined
    const listing = listView(listed, filters, { wider }, context.environment, context.now)
    const { blocks, classic, ...view } = listing
    // Windows don't accept tables.
    return { ...view, blocks: classic?.() ?? blocks }
  },
})

import { actions, commandButton, context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { slicePage } from '../../../bot/views/list-page.ts'

/** Shows the position in a list, with buttons for other pages. Empty if there is only one page. `pageLine` returns a page's command. */
export function pagingBlocks(
  { items, start, page, pages, total }: ReturnType<typeof slicePage>,
  noun: string,
  pageLine: (page: number) => string,
): KnownBlock[] {
  if (pages === 1) return []
  const pageButton = (label: string, target: number) =>
    commandButton(label, pageLine(target), { inPlace: true })
  return [
    context(`${noun} ${start + 1} to ${start + items.length} of ${total}, page ${page} of ${pages}`),
    ...actions(
      ...(page > 2 ? [pageButton('First', 1)] : []),
      ...(page > 1 ? [pageButton('Previous', page - 1)] : []),
      ...(page < pages ? [pageButton('Next', page + 1)] : []),
      ...(page < pages - 1 ? [pageButton('Last', pages)] : []),
    ),
  ]
}

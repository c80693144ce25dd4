import { actions, commandButton, context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { slicePage } from '../../../bot/views/list-page.ts'

/** The position in the list, and buttons for other pages; nothing if there is only one. `line` makes a page's command. */
export function pagingBlocks(
  { items, start, page, pages, total }: ReturnType<typeof slicePage>,
  noun: string,
  line: (page: number) => string,
): KnownBlock[] {
  if (pages === 1) return []
  const to = (label: string, target: number) => commandButton(label, line(target), { inPlace: true })
  return [
    context(`${noun} ${start + 1} to ${start + items.length} of ${total}, page ${page} of ${pages}`),
    ...actions(
      ...(page > 2 ? [to('First', 1)] : []),
      ...(page > 1 ? [to('Previous', page - 1)] : []),
      ...(page < pages ? [to('Next', page + 1)] : []),
      ...(page < pages - 1 ? [to('Last', pages)] : []),
    ),
  ]
}

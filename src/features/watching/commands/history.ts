import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { readHistory } from '../read-history.ts'
import type { WatchStore } from '../rows/watching.ts'

/** `/hc history`. */
export const historyCommand = ({ watching }: { watching: WatchStore }): VerbDeclaration => ({
  usage: '/hc history [NAME] [--days N]',
  takesName: true,
  description: 'Show recent outages and uptime',
  needs: 'viewer',
  redraws: true,
  shares: 'open',
  example: 'history --days 30',
  flags: { days: { type: 'value', help: 'How many days to show, 1 to 90' }, ...flagSpecs(PAGE_FIELDS) },
  run: (context, { words, flags }) =>
    readHistory(watching, context, words, flags.days, readFields(PAGE_FIELDS, flags).page),
})

import { slot } from '../../../bot/grammar/slots.ts'
import { ABOUT, ALL_CHECKS, ANY_CHECK } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { type HistoryDeps, readHistory } from '../read-history.ts'

/** `/hc history`. */
export const historyCommand = (deps: HistoryDeps): VerbDeclaration => ({
  line: '/hc history',
  slots: [
    ...ANY_CHECK,
    { ...ALL_CHECKS, after: ABOUT },
    slot('period', 'period', { after: ['since', 'from', 'on', 'in', 'for', 'during', 'over'] }),
  ],
  also: [
    ...['uptime', 'sla', 'outages', 'incidents', 'noisy', 'flapping', 'failures', 'availability'],
    ...['uptime report', 'sla report', 'outage report', 'incident list', 'list outages', 'report'],
    ...['uptime of', 'downtime report', 'show history', 'show uptime', 'get uptime', 'get history'],
  ],
  description: 'Show recent outages and uptime',
  needs: 'viewer',
  redraws: true,
  shares: 'open',
  example: 'history --days 30',
  flags: {
    days: { type: 'value', help: 'How many days to show, 1 to 90', valueName: 'N', isNumber: true },
    ...flagSpecs(PAGE_FIELDS),
  },
  run: (context, args) => readHistory(deps, context, args, readFields(PAGE_FIELDS, args.flags).page),
})

import { parameter } from '../../../bot/grammar/parameters.ts'
import { ANY_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { type HistoryDeps, readHistory } from '../read-history.ts'

export const historyCommand = (deps: HistoryDeps): VerbDeclaration => ({
  line: '/hc history',
  parameters: [...ANY_CHECKS, parameter('period', 'period')],
  description: 'Show recent outages and uptime',
  needs: 'viewer',
  guests: true,
  shares: true,
  example: 'history shop* last 30 days',
  flags: flagSpecs(PAGE_FIELDS),
  run: (context, args) => readHistory(deps, context, args, readFields(PAGE_FIELDS, args.flags).page),
})

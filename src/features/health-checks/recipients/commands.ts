import type { Routes } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { readRecipients } from '../../../domain/recipients.ts'
import { UserError } from '../../../errors.ts'
import { previewBulk } from '../bulk/apply-bulk.ts'
import type { BulkRequest } from '../bulk/parse.ts'
import { planBulk } from '../bulk/plan-bulk.ts'
import { FILTER_FLAGS, parseFilters } from '../parse.ts'
import { replaceForm, replaceModal } from './forms.ts'
import { mailedView } from './views.ts'

/** `/hc recipients`: everything that mails one address, and what is done about all of it at once. */
export function recipientCommands(routes: Routes): void {
  routes.verb({
    command: 'hc',
    verb: 'recipients',
    usage: 'recipients ADDRESS [--replace-with ADDRESS|--remove] [--customer N] [--status S] …',
    does: 'Show every health check that mails an address; replace it or take it out everywhere, after a preview',
    needs: 'operator',
    flags: { ...FILTER_FLAGS, 'replace-with': 'value', remove: 'switch' },
    example: 'recipients ann@example.com --replace-with bob@example.com',
    async run(context, args) {
      const address = oneAddress(args.words.join(' '))
      const wanted = args.flags['replace-with']
      const others = typeof wanted === 'string' ? [oneAddress(wanted)] : []
      const request = everywhere(address, others, args)
      if (others.length > 0 || args.flags.remove === true) return previewBulk(context, request)
      const plan = await planBulk(await context.api(), request)
      return mailedView(address, request.filters, plan, context.environment, context.now)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'recipient-replace',
    usage: 'recipient-replace ADDRESS',
    does: 'Ask who is mailed in place of an address',
    needs: 'operator',
    opens: true,
    hidden: true,
    flags: FILTER_FLAGS,
    async run(context, args) {
      const address = oneAddress(args.words.join(' '))
      return replaceModal(everywhere(address, [], args), context.environment === 'ote')
    },
  })

  routes.form(replaceForm)
}

/** All that mails the address, within the filters. */
function everywhere(address: string, add: readonly string[], { flags }: Arguments): BulkRequest {
  const { filters } = parseFilters({ words: [], flags })
  return {
    what: 'recipients',
    filters: { name: '*', ...filters },
    names: [],
    patch: {},
    suffix: '',
    add,
    remove: [address],
    onlyWhere: address,
  }
}

function oneAddress(typed: string): string {
  const { addresses, bad } = readRecipients(typed)
  const [first, second] = addresses
  if (first && !second && bad.length === 0) return first
  throw new UserError('Which address? Type one e-mail address behind the command, e.g. name@example.com.')
}

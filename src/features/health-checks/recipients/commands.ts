import { clip, oneLine } from '../../../blocks/text.ts'
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
      const others = typeof wanted === 'string' ? [replacement(wanted)] : []
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
  const address = onlyAddress(typed)
  if (address !== undefined) return address
  throw new UserError('Which address? Type one e-mail address behind the command, e.g. name@example.com.')
}

function replacement(typed: string): string {
  const address = onlyAddress(typed)
  if (address !== undefined) return address
  throw new UserError(
    `“${clip(oneLine(typed), 60)}” behind --replace-with is not one e-mail address. Type one, e.g. name@example.com.`,
  )
}

/** The one address that was typed; undefined where it is none, several, or has something else beside it. */
function onlyAddress(typed: string): string | undefined {
  const { addresses, bad } = readRecipients(typed)
  return addresses.length === 1 && bad.length === 0 ? addresses[0] : undefined
}

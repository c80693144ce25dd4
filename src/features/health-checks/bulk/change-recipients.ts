import { UserError } from '@signalman/runtime'
import { clip, commandButton, oneLine } from '@signalman/slack'
import { parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { ANY_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { findCheckId, findPattern } from '../../../domain/find-check.ts'
import { writePattern } from '../../../domain/quoting.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import { formatCount, joinNames } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { addRecipients, isMailed, replaceRecipients } from '../rules/alert-requests.ts'
import { planChecks } from './plan-checks.ts'
import type { BulkDeps } from './preview.ts'
import { findById, findByPattern, previewChange, type TypedChange } from './preview-change.ts'
import { countChecks, textCard } from './views.ts'

/** `/hc recipients`: replaces, removes, or adds addresses on many checks. */
export const recipientsCommand = (deps: BulkDeps): VerbDeclaration => ({
  line: '/hc recipients',
  parameters: [parameter('address', 'address', { required: true, many: true }), ...ANY_CHECKS],
  description:
    'List the health checks that email an address; replace, remove, or add addresses on many, after a preview',
  needs: 'operator',
  flags: {
    'replace-with': { type: 'value', help: 'The address to email instead', valueName: 'ADDRESS' },
    remove: { type: 'switch', help: 'Stop emailing the addresses' },
    add: { type: 'switch', help: 'Also email the addresses' },
  },
  example: 'recipients a@example.com --remove',
  run: (context, args) => showRecipients(deps, context, args),
})

/** The checks that email an address or, with a change, its preview. */
async function showRecipients(deps: BulkDeps, context: CommandContext, { flags, ...typed }: Arguments) {
  const { values, lists } = typed
  const addresses = parseAddresses(lists.address, values.check)
  const change = parseRecipientChange(addresses, flags)
  const named = values.check ?? values.uuid ?? values.pattern
  if (!change && named !== undefined) {
    // The button is for a health check that exists.
    if (values.pattern === undefined) await findCheckId(context, typed)
    throw new UserError('What should change? Type --add, --remove, or --replace-with.', [
      {
        label: clip(`Email ${joinNames(addresses)} too`, 75),
        line: `${recipientsLine(addresses)} ${writePattern(named)} --add`,
      },
    ])
  }
  if (!change) return showMailed(context, parseAddress(addresses))
  const pattern = named === undefined ? '*' : await findPattern(context, values)
  const found =
    pattern === undefined
      ? await findById(context, await findCheckId(context, typed))
      : await findByPattern(context, pattern)
  return previewChange(deps, context, found, { verb: '/hc recipients', withAlerts: true, ...change })
}

const recipientsLine = (addresses: readonly string[]): string =>
  writeCommand('/hc recipients', { words: addresses })

/** Parses addresses. A name in their place is probably that of the check. Throws UserError. */
function parseAddresses(typed: readonly string[] = [], check = ''): readonly string[] {
  const { addresses, bad } = parseRecipients(typed.join(' '))
  if (addresses.length > 0 && bad.length === 0) return addresses
  throw askWhich(check)
}

const askWhich = (check = ''): UserError =>
  new UserError('Which address? Type one email address, such as name@example.com.', [
    check === '' || check.includes('@')
      ? { label: 'List health checks', line: '/hc list' }
      : { label: `Alerts of ${clip(oneLine(check), 40)}`, line: writeCommand('/hc alerts', { name: check }) },
  ])

/** Parses the only address. Throws UserError. */
function parseAddress(typed: readonly string[]): string {
  const [only = '', ...others] = parseAddresses(typed)
  if (others.length > 0) throw askWhich()
  return only
}

/** What to do with the addresses. Undefined if no flag says so. Throws UserError. */
function parseRecipientChange(
  addresses: readonly string[],
  flags: Arguments['flags'],
): Pick<TypedChange, 'does' | 'none' | 'toChange'> | undefined {
  const [flag, another] = ['add', 'remove', 'replace-with'].filter((each) => flags[each] !== undefined)
  if (another !== undefined) throw new UserError('Use only one of --add, --remove, and --replace-with.')
  if (flag === undefined) return undefined
  const names = joinNames(addresses)
  if (flag === 'add')
    return {
      does: `Also email ${names} about`,
      toChange: ({ alerts = [] }) => ({ set: {}, alerts: addRecipients(alerts, addresses) }),
    }
  const replacement = flag === 'remove' ? undefined : parseAddress([String(flags['replace-with'])])
  return {
    does:
      replacement === undefined
        ? `Stop emailing ${names} about`
        : `Email ${replacement} instead of ${names} about`,
    none: `${names} ${addresses.length === 1 ? 'isn’t' : 'aren’t'} among the recipients.`,
    toChange: ({ alerts = [] }) =>
      isMailed(alerts, addresses)
        ? { set: {}, alerts: replaceRecipients(alerts, addresses, replacement) }
        : undefined,
  }
}

const MAX_NAMED = 15

/** The checks that email an address, one a line. */
async function showMailed(context: CommandContext, address: string) {
  const api = await context.api()
  const { checks, notes = [] } = await findByPattern(context, '*')
  const mailed: string[] = []
  const { leftOut } = await planChecks(api, checks, ({ settings, alerts = [] }) => {
    if (isMailed(alerts, [address])) mailed.push(settings.name ?? '')
    return undefined
  })
  const more = mailed.length - MAX_NAMED
  return textCard(
    [
      `${address} gets emails about ${countChecks(mailed.length)}${environmentSuffix(context.environment)}.`,
      ...mailed.slice(0, MAX_NAMED).map((name) => clip(oneLine(name), 60)),
      ...(more > 0 ? [`And ${formatCount(more)} more. An export has the recipients of all.`] : []),
      ...notes,
      ...(leftOut.length > 0 ? [`${countChecks(leftOut.length)} couldn’t be read.`] : []),
      ...(mailed.length > 0
        ? []
        : [
            'To add it to one, type this. Without a NAME, it’s added to all.',
            await context.tell('/hc recipients', { words: [address, 'NAME'], flags: { add: true } }),
          ]),
    ],
    ...(mailed.length > 0
      ? [commandButton('Stop these emails', `${recipientsLine([address])} --remove`)]
      : [commandButton('List health checks', '/hc list')]),
    ...(more > 0 ? [commandButton('Export all', '/hc export')] : []),
  )
}
